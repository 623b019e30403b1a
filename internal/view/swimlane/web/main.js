// The chart: ECharts gives axes, grids and sliders; each grid's custom series shows what the parts
// above drew for it. The drawing is an image of its own, so that a hundred thousand requests cost one
// pass over what is in view and not one object each.

const chart = echarts.init(byId("chart"), null, { renderer: "canvas" });

function scaled(canvas) {
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(place.width * ratio);
  canvas.height = Math.round(place.height * ratio);
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, place.width, place.height);
  return ctx;
}

function layOut() {
  const box = byId("stage").getBoundingClientRect();
  place.width = Math.round(box.width);
  place.height = Math.round(box.height);
  place.right = place.width - 36;
  const foot = 62, gap = 20, shown = shownPanels(), count = shown.length;
  const panel = count ? Math.min(Math.max((place.height * (lanes.length > 24 ? 0.36 : 0.42)) / count - gap, 24), count === 1 ? 140 : 84) : 0;
  place.lanesBottom = Math.max(place.height - foot - count * (panel + gap), place.lanesTop + 60);
  place.panels = shown.map((name, i) => ({ name, top: place.lanesBottom + i * (panel + gap) + gap, height: panel }));
  place.panelsBottom = count ? place.panels[count - 1].top + panel : place.lanesBottom;
}

// draw paints everything that is in view into one picture.
function draw() {
  const ctx = scaled(lanesCanvas);
  drawLanes(ctx);
  drawMarkNames(ctx);
  for (const panel of place.panels) drawPanel(ctx, panel.name, panel.top, panel.top + panel.height);
}

// The series of the lanes carries the picture; the others only give their axes.
function renderItem(params) {
  if (params.seriesIndex !== 0) return { type: "group", children: [] };
  return { type: "image", silent: true, style: { image: lanesCanvas, x: 0, y: 0, width: place.width, height: place.height } };
}

function chartOption() {
  const line = "#cbd5e1", parts = place.panels.length + 1, option = { ...raw.option, xAxis: raw.option.xAxis.slice(0, parts), yAxis: raw.option.yAxis.slice(0, parts), series: raw.option.series.slice(0, parts) };
  option.grid = [{ top: place.lanesTop, height: place.lanesBottom - place.lanesTop }, ...place.panels.map((p) => ({ top: p.top, height: p.height }))].map((grid) => ({ ...grid, left: place.left, right: place.width - place.right }));
  const last = option.xAxis.length - 1;
  option.xAxis.forEach((x, i) => Object.assign(x, {
    min: axis.from, max: axis.to, axisLine: { lineStyle: { color: line } }, axisTick: { show: i === last }, splitLine: { lineStyle: { color: "#eef0f3" } }, splitNumber: Math.max(Math.floor((place.right - place.left) / 120), 1),
    axisLabel: { show: i === last, color: "#6b7280", formatter: (v) => tickLabel(v), showMinLabel: false, showMaxLabel: false },
  }));
  option.yAxis.forEach((y, i) => Object.assign(y, { show: false, min: 0, max: i === 0 ? unitsTall : 1, inverse: i === 0 }));
  option.series.forEach((series) => Object.assign(series, { renderItem, data: [[(axis.from + axis.to) / 2, 0]], clip: false, silent: true }));
  const slider = { filterMode: "none", brushSelect: false, showDetail: false, showDataShadow: false, borderColor: "#e5e7eb", fillerColor: "#0072b222", handleStyle: { color: "#fff" }, throttle: 0, realtime: true };
  Object.assign(option.dataZoom[0], slider, { xAxisIndex: option.xAxis.map((_, i) => i), startValue: view.from, endValue: view.to, left: place.left, right: place.width - place.right, bottom: 8, height: 18 });
  Object.assign(option.dataZoom[1], slider, { startValue: view.top, endValue: view.bottom, top: place.lanesTop, height: place.lanesBottom - place.lanesTop, right: 8, width: 14 });
  delete option.dataZoom[0].start; delete option.dataZoom[0].end;
  return option;
}

const tickLabel = (us) => Number(seconds(us).toFixed(Math.max(0, 8 - Math.floor(Math.log10(spanX()))))) + " s";

let pending = 0, statsTimer = 0, arranged = "";
function redraw() {
  if (!pending) pending = requestAnimationFrame(paint);
}

// paint draws the view. The chart is described anew only when its panels moved; otherwise its axes are
// told their window. Figures follow when the view rests.
function paint() {
  pending = 0;
  if (place.width === 0) return;
  draw();
  const arrangement = [place.width, place.height, place.right, place.panels.map((p) => p.name)].join();
  if (arrangement !== arranged) {
    arranged = arrangement;
    chart.setOption(chartOption(), { notMerge: true });
  } else {
    chart.dispatchAction({ type: "dataZoom", batch: [{ dataZoomIndex: 0, startValue: view.from, endValue: view.to }, { dataZoomIndex: 1, startValue: view.top, endValue: view.bottom }] });
  }
  drawOverlay();
  clearTimeout(statsTimer);
  statsTimer = setTimeout(() => { showStats(); writeHash(); }, 100);
}

// drawOverlay draws what follows the pointer, without touching the picture below.
function drawOverlay() {
  const ctx = scaled(byId("overlay"));
  for (const [r, colour] of [[selected.request, "#111827"], [pointer.request, "#0072b2"]]) {
    outline(ctx, r, colour, 2);
    if (r >= 0 && counterparts[r] >= 0) tie(ctx, r, counterparts[r], colour);
  }
  if (pointer.window) shadeWindow(ctx, toX(pointer.window[0]), toX(pointer.window[1]), "#0072b2");
  const drag = pointer.drag;
  if (drag && drag.moved && drag.mode !== "pan") {
    if (drag.mode === "stats") shadeWindow(ctx, drag.x, pointer.x, "#0072b2");
    else { ctx.strokeStyle = "#111827"; ctx.strokeRect(drag.x + 0.5, drag.y + 0.5, pointer.x - drag.x, pointer.y - drag.y); }
  }
  if (pointer.time === null) return;
  const x = Math.round(toX(pointer.time)) + 0.5;
  ctx.strokeStyle = "#11182766";
  ctx.beginPath();
  ctx.moveTo(x, place.lanesTop);
  ctx.lineTo(x, place.panelsBottom);
  ctx.stroke();
  ctx.font = "11px system-ui, sans-serif";
  ctx.textAlign = "right";
  for (const panel of place.panels) {
    const values = panelCurves(panel.name).map(({ curve }) => [curve.name, curveValue(curve, pointer.time)]).filter(([, v]) => !Number.isNaN(v)).map(([name, v]) => name + " " + short(v)).join("   ");
    ctx.fillStyle = "#ffffffdd";
    ctx.fillRect(place.right - ctx.measureText(values).width - 6, panel.top - 15, ctx.measureText(values).width + 6, 14);
    ctx.fillStyle = "#1f2937";
    ctx.fillText(values, place.right, panel.top - 4);
  }
  ctx.fillStyle = "#1f2937";
  ctx.textAlign = x > place.right - 60 ? "right" : "left";
  ctx.fillText(clock(pointer.time), x + (x > place.right - 60 ? -4 : 4), place.panelsBottom - 2);
}

function outline(ctx, r, colour, width) {
  if (r < 0) return;
  const y = toY(rowY[streams[requests.stream[r]].row]), x0 = Math.floor(toX(startOf(r))), x1 = Math.max(toX(endOf(r)), x0 + 3);
  if (y + unitPx() < place.lanesTop || y > place.lanesBottom || x1 < place.left || x0 > place.right) return;
  const left = Math.max(x0, place.left), right = Math.min(x1, place.right);
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.strokeRect(left - 1, y - 1, right - left + 2, Math.max(unitPx(), 4) + 2);
  ctx.lineWidth = 1;
}

// tie joins a request with its counterpart in the other run.
function tie(ctx, a, b, colour) {
  outline(ctx, b, colour, 1);
  const end = (r) => [(toX(startOf(r)) + toX(endOf(r))) / 2, toY(rowY[streams[requests.stream[r]].row] + 0.5)];
  ctx.save();
  ctx.beginPath();
  ctx.rect(place.left, place.lanesTop, place.right - place.left, place.lanesBottom - place.lanesTop);
  ctx.clip();
  ctx.strokeStyle = colour;
  ctx.setLineDash([3, 3]);
  ctx.beginPath();
  ctx.moveTo(...end(a));
  ctx.lineTo(...end(b));
  ctx.stroke();
  ctx.restore();
}

function shadeWindow(ctx, x0, x1, colour) {
  ctx.fillStyle = colour + "1c";
  ctx.fillRect(x0, place.lanesTop, x1 - x0, place.panelsBottom - place.lanesTop);
  ctx.strokeStyle = colour;
  ctx.strokeRect(x0 + 0.5, place.lanesTop, x1 - x0, place.panelsBottom - place.lanesTop);
}

// resize paints at once: what is on the screen must never be of another size than its axes.
function resize() {
  layOut();
  chart.resize({ width: place.width, height: place.height });
  cancelAnimationFrame(pending);
  paint();
}

// A slider was moved: take its window over.
function onSlider() {
  const zoom = chart.getOption().dataZoom;
  const next = { from: zoom[0].startValue, to: zoom[0].endValue, top: zoom[1].startValue, bottom: zoom[1].endValue };
  const near = { from: 1, to: 1, top: 1e-3, bottom: 1e-3 }; // what our own window comes back with
  if (Object.keys(next).every((k) => Math.abs(next[k] - view[k]) <= near[k])) return;
  setView(next);
}

function copyLink() {
  writeHash();
  const done = () => { byId("b-link").textContent = "copied"; setTimeout(() => { byId("b-link").textContent = "copy link"; }, 1200); };
  if (navigator.clipboard) navigator.clipboard.writeText(location.href).then(done, () => prompt("link", location.href));
  else prompt("link", location.href);
}

function savePicture() {
  const link = element("a");
  link.href = chart.getDataURL({ type: "png", pixelRatio: devicePixelRatio || 1, backgroundColor: "#ffffff" });
  link.download = "swim_lane_view.png";
  link.click();
}

function headline() {
  document.title = raw.runs.map((run) => run.title).join(" / ");
  byId("title").textContent = document.title;
  for (const fact of raw.runs.length === 1 ? raw.runs[0].facts : []) {
    const item = element("span", fact.label + " ");
    item.append(element("b", fact.value));
    byId("factline").append(item);
  }
}

// fillLegend explains colours and signs in one line under the filters, with signs drawn as the chart has them.
function fillLegend() {
  const box = byId("legend"), colour = look.traces[0] || "#44aa99", ratio = devicePixelRatio || 1;
  const entry = (label, draw) => {
    const item = element("span"), canvas = element("canvas");
    canvas.width = 16 * ratio;
    canvas.height = 12 * ratio;
    const ctx = canvas.getContext("2d");
    ctx.scale(ratio, ratio);
    draw(ctx);
    item.append(canvas, label);
    box.append(item);
  };
  const bar = (tone, height) => (ctx) => { ctx.fillStyle = tone; ctx.fillRect(1, (12 - height) / 2, 14, height); };
  entry("before first token", bar(mix(colour, "#000000", 0.45), 10));
  entry("answering (colour: trace)", bar(colour, 10));
  const waiting = new Set(waits.map((wait) => wait.kind)), seen = new Set(requests.status);
  look.waits.forEach((name, i) => { if (waiting.has(i)) entry(name, bar(look.wait[i] || mix(colour, "#ffffff", 0.6), 4)); });
  look.statuses.forEach((name, i) => { if (i !== OK && seen.has(i)) entry(name, (ctx) => sign(ctx, i, 8, 6, 4.5)); });
  if (flying.some((list) => list.length > 0)) entry("in flight at duration end", (ctx) => square(ctx, 8, 6, 4));
  if (shifts.length > 0) entry("idle guard", (ctx) => { ctx.fillStyle = "#0072b2"; fastForward(ctx, 8, 6, 4); });
  if (plays.some((play) => play.recycled)) entry("next tree on the lane", (ctx) => { ctx.fillStyle = "#1f2937"; ctx.fillRect(7, 0, 2, 12); });
  for (const kind of [0, 1]) if (links.some((link) => link.kind === kind)) entry(kind === 0 ? "spawn" : "join", (ctx) => { ctx.strokeStyle = "#374151"; ctx.setLineDash(kind === 1 ? [3, 2] : []); ctx.beginPath(); ctx.moveTo(8.5, 0); ctx.lineTo(8.5, 12); ctx.stroke(); });
}

function fillHelp() {
  const help = byId("help");
  help.append(element("h2", "Keys and mouse"), factTable([
    ["wheel", "zoom in time at the pointer; with shift scroll the lanes, with ctrl zoom the lanes"],
    ["drag", "pan; with shift zoom to a box, with alt statistics of a window"],
    ["click", "facts of a request; double click fits everything"],
    ["arrows, + -, { }", "pan, zoom in time, zoom the lanes"], ["0", "fit all"], ["Home", "the view at the beginning"], ["c", "curves away and back"], ["/", "search; Enter or n next match, p the one before"],
    ["e, E", "next and previous request that went wrong"], ["[ ]", "previous and next turn of the conversation"], ["Esc", "clear filters, search and selection"],
  ]), element("h2", "Colours"));
  const table = element("table");
  const colour = look.traces[0] || "#44aa99";
  const entries = [["before the first token: the trace's colour, darker", mix(colour, "#000000", 0.45)], ["answering: the trace's colour; subagents lighter, warmup greyer", colour],
    ...look.waits.map((name, i) => [name, look.wait[i] || mix(colour, "#ffffff", 0.6)]), ["does not match the filters", DIMMED]];
  for (const [label, tone] of entries) {
    const row = element("tr"), swatch = element("span", undefined, "swatch");
    swatch.style.background = tone;
    row.append(element("td"), element("td", label));
    row.firstChild.append(swatch);
    table.append(row);
  }
  help.append(table, element("p", "Signs: red triangle error · orange diamond overflow · cross cancelled or abandoned · chevron not over when the log ends · circle never sent · dot no visible output · square in flight when the duration ended · double arrow idle guard. Solid thin lines lead from a turn to the subagents it started, dashed ones from a subagent's end to the turn that joins it. A thick tick is a new tree on the lane."));
  const close = element("button", "close");
  close.addEventListener("click", () => help.close());
  help.append(close);
}

headline();
fillHelp();
fillLegend();
setUpControls();
layOut();
chart.resize({ width: place.width, height: place.height });
const start = readHash();
applyFilters();
paint();
showStats();
chart.on("datazoom", onSlider);
if (start.chosen >= 0) { if (start.placed) showSide(start.chosen); else goTo(start.chosen); }
// Figures and filters take more or fewer lines as they change: the chart gets what they leave.
new ResizeObserver(() => {
  const box = byId("stage").getBoundingClientRect();
  if (Math.round(box.width) !== place.width || Math.round(box.height) !== place.height) resize();
}).observe(byId("stage"));
addEventListener("hashchange", () => { const again = readHash(); applyFilters(); showSide(again.chosen); });
