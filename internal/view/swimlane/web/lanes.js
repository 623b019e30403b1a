// Draws the lanes that are in view on a canvas. Level of detail: what falls into one pixel of one row
// is drawn once; signs for what must stand out are drawn last, at a fixed size, and never merged.

// Below this height a row cannot be told from its neighbours: each lane becomes one band.
const OVERVIEW = 2.5;

const lanesCanvas = document.createElement("canvas");

function traceColour(play) { return look.traces[play.trace]; }

// shade mixes hex colours; share is that of other.
const mixed = new Map();
function mix(colour, other, share) {
  const key = colour + other + share;
  let out = mixed.get(key);
  if (!out) {
    const part = (at) => Math.round(parseInt(colour.slice(at, at + 2), 16) * (1 - share) + parseInt(other.slice(at, at + 2), 16) * share).toString(16).padStart(2, "0");
    out = "#" + part(1) + part(3) + part(5);
    mixed.set(key, out);
  }
  return out;
}

const DIMMED = "#e3e6ea";

// palettes holds the colours of a trace's ordinary requests, made once: by phase and whether a subagent
// sent it, the shade before the first token and the one after it.
const palettes = look.traces.map((base) => [0, 1, 2, 3].map((i) => {
  let decode = (i & 1) === 0 ? mix(base, "#9ca3af", 0.5) : base;
  if (i & 2) decode = mix(decode, "#ffffff", 0.25);
  return { prefill: mix(decode, "#000000", 0.45), decode, band: mix(decode, "#ffffff", 0.1), thin: mix(decode, "#ffffff", 0.45) };
}));
const dimmed = { prefill: DIMMED, decode: DIMMED, band: DIMMED, thin: DIMMED };
const special = look.status.map((colour) => colour && { prefill: colour, decode: colour, band: colour, thin: colour });

function barColours(r, stream) {
  if (!requests.match[r]) return dimmed;
  if (colouring.name !== "trace") return colouring.bucket[r] === UNKNOWN ? dimmed : colouring.palette[colouring.bucket[r]];
  return special[requests.status[r]] || palettes[stream.play.trace][requests.phase[r] + (stream.depth > 0 ? 2 : 0)];
}

// paintRect changes the colour only where it is another: setting it costs more than a rectangle.
let painted = "";
function paintRect(ctx, colour, x, y, w, h) {
  if (colour !== painted) {
    ctx.fillStyle = colour;
    painted = colour;
  }
  ctx.fillRect(x, y, w, h);
}

function drawLanes(ctx) {
  const [first, last] = visibleLanes();
  ctx.save();
  ctx.beginPath();
  ctx.rect(place.left, place.lanesTop, place.right - place.left, place.lanesBottom - place.lanesTop);
  ctx.clip();
  drawGround(ctx, place.lanesTop, place.lanesBottom);
  for (let i = first; i < last; i++) drawPlays(ctx, lanes[i]);
  const rowPx = unitPx();
  if (rowPx < OVERVIEW) openBands();
  for (let i = first; i < last; i++) {
    const lane = lanes[i];
    if (rowPx < OVERVIEW) {
      drawOverview(lane);
      continue;
    }
    for (let row = lane.firstRow; row < lane.firstRow + lane.rows; row++) {
      const y = toY(rowY[row]);
      if (y + rowPx < place.lanesTop || y > place.lanesBottom) continue;
      drawRow(ctx, row, y, rowPx);
    }
  }
  if (rowPx < OVERVIEW) closeBands(ctx);
  if (rowPx >= 4) drawLinks(ctx, first, last, rowPx);
  drawSigns(ctx, first, last, rowPx);
  drawMarks(ctx, place.lanesTop, place.lanesBottom);
  ctx.restore();
  drawLaneLabels(ctx, first, last);
}

function drawGround(ctx, top, bottom) {
  const run = raw.runs[0];
  for (const shade of run.shades || []) {
    ctx.fillStyle = look.shades[shade.name];
    ctx.fillRect(toX(shade.from), top, toX(shade.to) - toX(shade.from), bottom - top);
  }
}

// drawPlays draws each tree's ground, its name strip, and a tick where the lane was recycled.
function drawPlays(ctx, lane) {
  const y = toY(lane.top), unit = unitPx();
  const height = (lane.bottom - lane.top) * unit, strip = STRIP * unit;
  ctx.textBaseline = "middle";
  for (const play of lane.plays) {
    if (play.to < view.from || play.from > view.to) continue;
    const x0 = Math.round(toX(play.from)), x1 = Math.max(Math.round(toX(play.to)), x0 + 1);
    const colour = traceColour(play);
    ctx.globalAlpha = 0.12;
    ctx.fillStyle = colour;
    ctx.fillRect(x0, y, x1 - x0, Math.max(height, 1));
    ctx.globalAlpha = 1;
    if (strip >= 5) {
      ctx.fillStyle = mix(colour, "#ffffff", 0.55);
      ctx.fillRect(x0, y, x1 - x0, strip - 1);
      ctx.fillStyle = colour;
      ctx.fillRect(x0, y, x1 - x0, 2);
      if (strip >= 9) stripText(ctx, play, Math.max(x0, place.left), x1, y + strip / 2 + 0.5, Math.min(strip - 1, 12));
    }
    if (play.recycled) {
      ctx.fillStyle = "#1f2937";
      ctx.fillRect(x0 - 1, y, unit < OVERVIEW ? 1 : 2, Math.max(height, 1));
    }
  }
}

function stripText(ctx, play, x0, x1, y, size) {
  ctx.font = "600 " + size + "px system-ui, sans-serif";
  let text = raw.traces[play.trace];
  const room = Math.min(x1, place.right) - x0 - 10;
  if (room < 20) return;
  if (ctx.measureText(text).width > room) {
    const keep = Math.floor((text.length * room) / ctx.measureText(text).width) - 1;
    if (keep < 2) return;
    text = text.slice(0, keep) + "…";
  }
  ctx.fillStyle = "#1f2937";
  ctx.fillText(text, x0 + 5, y);
}

// drawRow draws the waits and requests of one row.
function drawRow(ctx, row, y, rowPx) {
  const inset = rowPx >= 5 ? 1 : 0, height = Math.max(rowPx - 2 * inset, 1);
  for (const stream of rowStreams[row]) {
    if (stream.to < view.from) continue;
    if (stream.from > view.to) break;
    if (rowPx >= 2.5) drawWaits(ctx, stream, y, rowPx);
    drawRequests(ctx, stream, y + inset, height);
  }
}

function drawWaits(ctx, stream, y, rowPx) {
  const height = Math.max(Math.round(rowPx * 0.4), 1), top = y + (rowPx - height) / 2;
  for (let i = stream.firstWait; i < stream.firstWait + stream.waitCount; i++) {
    const wait = waits[i];
    if (wait.to < view.from || wait.from > view.to) continue;
    const x0 = toX(wait.from);
    const x1 = wait.kind === 0 ? toX(wait.to) : Math.max(toX(wait.to), x0 + 1);
    ctx.fillStyle = look.wait[wait.kind] || mix(traceColour(stream.play), "#ffffff", 0.6);
    ctx.fillRect(x0, top, x1 - x0, height);
  }
}

function drawRequests(ctx, stream, y, height) {
  const last = stream.first + stream.count, { start, status: statuses } = requests;
  const scale = (place.right - place.left) / spanX(), zero = place.left - view.from * scale; // x = zero + t * scale
  let covered = -1;
  painted = "";
  for (let r = firstAtOrAfter(stream.first, last, view.from, endOf); r < last && start[r] <= view.to; r++) {
    const status = statuses[r];
    if (status === NEVER) continue; // a sign, no bar
    const x0 = Math.floor(zero + start[r] * scale);
    let x1 = Math.max(Math.floor(zero + endOf(r) * scale), x0 + 1);
    if (status >= FAILED) x1 = Math.max(x1, x0 + 3);
    else if (x1 <= covered) continue;
    covered = x1;
    const colours = barColours(r, stream);
    const first = firstOf(r) < 0 ? x1 : Math.min(Math.max(Math.floor(toX(firstOf(r))), x0), x1 - 1);
    if (first > x0) paintRect(ctx, colours.prefill, x0, y, first - x0, height);
    if (x1 > first) paintRect(ctx, colours.decode, first, y, x1 - first, height);
    if (status >= CANCELLED && requests.match[r]) hatch(ctx, x0, y, x1 - x0, height);
  }
}

function hatch(ctx, x, y, w, h) {
  const left = Math.max(x, place.left - 10), right = Math.min(x + w, place.right + 10);
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, y, right - left, h);
  ctx.clip();
  ctx.strokeStyle = "#1f2937aa";
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  for (let at = left - h - (left % 6); at < right; at += 6) {
    ctx.moveTo(at, y + h);
    ctx.lineTo(at + h, y);
  }
  ctx.stroke();
  ctx.restore();
}

function drawLinks(ctx, first, last, rowPx) {
  for (const link of links) {
    if (link.play.lane < first || link.play.lane >= last || link.at < view.from || link.at > view.to) continue;
    const x = Math.round(toX(link.at)) + 0.5;
    const parent = toY(rowY[link.parent]) + (link.child < link.parent ? 0 : rowPx), child = toY(rowY[link.child]) + rowPx / 2;
    ctx.strokeStyle = mix(traceColour(link.play), "#000000", 0.5);
    ctx.lineWidth = 1;
    ctx.setLineDash(link.kind === 1 ? [3, 3] : []);
    ctx.beginPath();
    ctx.moveTo(x, parent);
    ctx.lineTo(x, child);
    if (link.kind === 0) ctx.lineTo(x + 4, child);
    ctx.stroke();
  }
  ctx.setLineDash([]);
}

function drawLaneLabels(ctx, first, last) {
  const stride = Math.max(1, Math.ceil(13 / Math.max((lanes[Math.min(first, lanes.length - 1)].bottom - lanes[Math.min(first, lanes.length - 1)].top) * unitPx(), 0.1)));
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  ctx.font = "11px system-ui, sans-serif";
  for (let i = first; i < last; i++) {
    const lane = lanes[i], y = (toY(lane.top) + toY(lane.bottom)) / 2;
    if (lane.number % stride !== 0 || y < place.lanesTop || y > place.lanesBottom) continue;
    ctx.fillStyle = "#1f2937";
    ctx.fillText("lane " + lane.number, place.left - 8, y);
  }
  ctx.textAlign = "left";
  if (raw.runs.length > 1) drawRunHeadings(ctx);
}

function drawRunHeadings(ctx) {
  ctx.font = "600 12px system-ui, sans-serif";
  for (const run of runs) {
    const y = toY(run.top - HEADING / 2);
    if (y < place.lanesTop + 4 || y > place.lanesBottom - 4) continue;
    ctx.fillStyle = "#0072b2";
    ctx.fillText(run.data.title, place.left + 4, y);
  }
}
