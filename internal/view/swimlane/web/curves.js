// The curves under the lanes, one panel for each group. Each pixel shows the time-weighted mean of a
// rate, or the greatest value of a count, inside it: no peak is lost at any zoom. A curve has no value
// before its first step.

const panelNames = [];
for (const run of raw.runs) for (const curve of run.curves) if (!panelNames.includes(curve.panel)) panelNames.push(curve.panel);

// The panels that are shown: all, none, or one.
const ALL = "all", NONE = "none";
const panels = { choice: ALL };
const shownPanels = () => (panels.choice === ALL ? panelNames : panelNames.filter((name) => name === panels.choice));

function sampleCurve(curve, from, to, count) {
  const values = new Float64Array(count), width = (to - from) / count, steps = curve.at.length;
  let at = firstAtOrAfter(0, steps, from, (i) => curve.at[i]);
  let value = at > 0 ? curve.value[at - 1] : 0;
  for (let i = 0; i < count; i++) {
    const start = from + i * width, end = start + width;
    let sum = 0, greatest = value, cursor = start;
    while (at < steps && curve.at[at] < end) {
      sum += value * (curve.at[at] - cursor);
      cursor = curve.at[at];
      value = curve.value[at];
      if (value > greatest) greatest = value;
      at++;
    }
    values[i] = at === 0 ? NaN : curve.mean ? (sum + value * (end - cursor)) / width : greatest;
  }
  return values;
}

function curveValue(curve, t) {
  const at = firstAtOrAfter(0, curve.at.length, t + 1, (i) => curve.at[i]);
  return at > 0 ? curve.value[at - 1] : NaN;
}

// panelScale is the range of a panel's axis for the values in view, as the drawing has it: from 0 to a round
// number; cache hits, which lie close together and close to 100 %, from the ten below nearly the least.
function panelScale(name, series, target) {
  const known = Float64Array.from(series.flatMap((values) => Array.from(values))).filter((v) => !Number.isNaN(v)).sort();
  if (name !== "cache") return [0, roundUp(Math.max(target, known.length ? known[known.length - 1] : 0))];
  const least = known.length ? known[Math.floor(known.length / 50)] : 0;
  return [Math.floor(Math.min(Math.max(least, 0), 99) / 10) * 10, 100];
}

function roundUp(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 1.5, 2, 3, 4, 5, 6, 8].find((f) => f * power >= value * (1 - 1e-12)) || 10;
  return factor * power;
}

const panelCurves = (name) => raw.runs.flatMap((run, index) => run.curves.filter((c) => c.panel === name).map((curve) => ({ curve, run: index })));

function drawPanel(ctx, name, top, bottom) {
  const list = panelCurves(name), count = Math.max(Math.round(place.right - place.left), 1);
  ctx.save();
  ctx.beginPath();
  ctx.rect(place.left, top, place.right - place.left, bottom - top);
  ctx.clip();
  drawGround(ctx, top, bottom);
  const series = list.map(({ curve }) => sampleCurve(curve, view.from, view.to, count));
  const target = name === "requests" ? Math.max(...raw.runs.map((run) => run.target)) : 0;
  const [low, high] = panelScale(name, series, target);
  const y = (v) => bottom - ((Math.max(v, low) - low) / (high - low)) * (bottom - top - 1);
  // the last one first and widest, so that one that lies on another leaves it an edge
  for (let i = series.length - 1; i >= 0; i--) drawSteps(ctx, series[i], y, bottom, list[i], i === 0 && low === 0);
  if (target > 0) {
    ctx.strokeStyle = look.marks["profiling start"];
    ctx.setLineDash([5, 4]);
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(place.left, Math.round(y(target)) + 0.5);
    ctx.lineTo(place.right, Math.round(y(target)) + 0.5);
    ctx.stroke();
    ctx.setLineDash([]);
  }
  drawMarks(ctx, top, bottom);
  ctx.restore();
  panelText(ctx, list, target, low, high, top, bottom);
}

const curveColour = (list, entry) => look.curves[list.filter((e) => e.run === entry.run).indexOf(entry) % look.curves.length];

function drawSteps(ctx, values, y, bottom, entry, filled) {
  const list = panelCurves(entry.curve.panel);
  const own = list.find((e) => e.curve === entry.curve);
  const colour = curveColour(list, own);
  const first = values.findIndex((v) => !Number.isNaN(v));
  if (first < 0) return;
  ctx.beginPath();
  ctx.moveTo(place.left + first, y(values[first]));
  for (let i = first + 1; i < values.length; i++) {
    if (values[i] === values[i - 1]) continue;
    ctx.lineTo(place.left + i, y(values[i - 1]));
    ctx.lineTo(place.left + i, y(values[i]));
  }
  ctx.lineTo(place.right, y(values[values.length - 1]));
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.3 + 1.1 * list.filter((e) => e.run === own.run).indexOf(own);
  ctx.setLineDash(entry.run > 0 ? [4, 2] : []);
  ctx.stroke();
  ctx.setLineDash([]);
  if (filled && entry.run === 0) {
    ctx.lineTo(place.right, bottom);
    ctx.lineTo(place.left + first, bottom);
    ctx.globalAlpha = 0.15;
    ctx.fillStyle = colour;
    ctx.fill();
    ctx.globalAlpha = 1;
  }
}

// panelText names the curves; the overlay adds their values under the pointer.
function panelText(ctx, list, target, low, high, top, bottom) {
  ctx.font = "600 11px system-ui, sans-serif";
  ctx.textBaseline = "alphabetic";
  let x = place.left;
  const put = (text, colour) => {
    ctx.fillStyle = colour;
    ctx.fillText(text, x, top - 4);
    x += ctx.measureText(text).width + 14;
  };
  for (const entry of list) {
    if (entry.run === 0 || !list.some((e) => e.run === 0 && e.curve.name === entry.curve.name)) put(entry.curve.name + " (" + entry.curve.unit + ")", curveColour(list, entry));
  }
  if (list.some((e) => e.run > 0)) put("dashed: " + raw.runs.slice(1).map((run) => run.title).join(", "), "#6b7280");
  if (target > 0) put("target " + target, look.marks["profiling start"]);
  ctx.font = "11px system-ui, sans-serif";
  ctx.fillStyle = "#6b7280";
  ctx.textAlign = "right";
  ctx.fillText(short(low), place.left - 8, bottom);
  ctx.fillText(short(high), place.left - 8, top + 8);
  ctx.textAlign = "left";
  ctx.fillRect(place.left, bottom, place.right - place.left, 0.7);
}
