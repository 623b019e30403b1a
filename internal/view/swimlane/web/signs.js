// Signs of a fixed size for what must stand out, and the boundaries of the run.

const SIGN_COLOURS = { [FAILED]: "#d7191c", [OVERFLOW]: "#f18f01" };

function drawSigns(ctx, first, last, rowPx) {
  const size = rowPx < OVERVIEW ? 2.4 : Math.max(Math.min(rowPx, 10), 5) / 2;
  for (let i = first; i < last; i++) {
    const lane = lanes[i];
    for (let row = lane.firstRow; row < lane.firstRow + lane.rows; row++) {
      const y = toY(rowY[row]) + rowPx / 2;
      if (y < place.lanesTop - 8 || y > place.lanesBottom + 8) continue;
      for (const stream of rowStreams[row]) {
        if (stream.to < view.from || stream.from > view.to) continue;
        signsOf(ctx, stream, y, size, rowPx < OVERVIEW ? FAILED : SILENT);
      }
    }
  }
  drawShifts(ctx, first, last);
}

// marked lists, for each stream, its requests that have a sign.
const marked = streams.map((stream) => {
  const list = [];
  for (let r = stream.first; r < stream.first + stream.count; r++) if (requests.status[r] !== OK) list.push(r);
  return list;
});

function signsOf(ctx, stream, y, size, least) {
  for (const r of marked[stream.index]) {
    const status = requests.status[r];
    if (status < least || !requests.match[r] || endOf(r) < view.from || startOf(r) > view.to) continue;
    const atStart = status === FAILED || status === OVERFLOW || status === NEVER;
    const x = atStart ? toX(startOf(r)) + 1 : toX(endOf(r)) - (status === UNFINISHED ? size : 0);
    sign(ctx, status, Math.round(x), y, size);
  }
  for (const r of flying[stream.index]) {
    const at = durationEnds[stream.play.run];
    if (requests.match[r] && at >= view.from && at <= view.to) square(ctx, Math.round(toX(at)), y, Math.max(Math.min(size, 3.5, unitPx() * 0.45), 1.2)); // the line shows between them
  }
}

// flying lists, for each stream, its requests that were in flight when the duration ended.
const flying = streams.map((stream) => {
  const list = [];
  for (let r = stream.first; r < stream.first + stream.count; r++) if (requests.inFlight[r] === 1) list.push(r);
  return list;
});
const durationEnds = raw.runs.map((run) => { const mark = (run.marks || []).find((m) => m.name === "duration end"); return mark ? mark.from : NaN; });

function square(ctx, x, y, size) {
  ctx.strokeStyle = "#1f2937";
  ctx.lineWidth = 1.3;
  ctx.fillStyle = "#ffffff";
  ctx.fillRect(x - size * 0.8, y - size * 0.8, size * 1.6, size * 1.6);
  ctx.strokeRect(x - size * 0.8, y - size * 0.8, size * 1.6, size * 1.6);
}

function sign(ctx, status, x, y, size) {
  ctx.fillStyle = SIGN_COLOURS[status] || "#1f2937";
  ctx.strokeStyle = ctx.fillStyle;
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  switch (status) {
    case FAILED:
      ctx.moveTo(x - size, y - size); ctx.lineTo(x + size, y - size); ctx.lineTo(x, y + size); ctx.closePath();
      break;
    case OVERFLOW:
      ctx.moveTo(x, y - size); ctx.lineTo(x + size, y); ctx.lineTo(x, y + size); ctx.lineTo(x - size, y); ctx.closePath();
      break;
    case UNFINISHED:
      ctx.moveTo(x - size / 2, y - size); ctx.lineTo(x + size / 2, y); ctx.lineTo(x - size / 2, y + size);
      break;
    case SILENT:
      ctx.arc(x, y, size * 0.5, 0, 2 * Math.PI);
      break;
    case NEVER:
      ctx.arc(x, y, size * 0.8, 0, 2 * Math.PI);
      break;
    default:
      ctx.moveTo(x - size, y - size); ctx.lineTo(x + size, y + size); ctx.moveTo(x + size, y - size); ctx.lineTo(x - size, y + size);
  }
  if (status === FAILED || status === OVERFLOW || status === SILENT) {
    ctx.fill();
    ctx.strokeStyle = "#ffffff";
    ctx.lineWidth = size < 2 ? 0.4 : 0.8;
  }
  ctx.stroke();
}

function drawShifts(ctx, first, last) {
  ctx.fillStyle = "#0072b2";
  ctx.strokeStyle = "#0072b2";
  ctx.lineWidth = 1;
  const room = new Map(); // lane → where the next sign has room; in the overview those of single lanes are left out
  for (const shift of shifts) {
    if (shift.at < view.from || shift.at > view.to || (shift.lane >= 0 && unitPx() < OVERVIEW)) continue;
    const x = Math.round(toX(shift.at)) + 0.5;
    if (x < (room.get(shift.lane) || 0)) continue;
    room.set(shift.lane, x + 32);
    if (shift.lane >= 0) {
      if (shift.lane >= first && shift.lane < last) fastForward(ctx, x, toY(lanes[shift.lane].top) + STRIP * unitPx(), 4);
      continue;
    }
    ctx.setLineDash([2, 3]);
    ctx.beginPath();
    ctx.moveTo(x, place.lanesTop);
    ctx.lineTo(x, place.lanesBottom);
    ctx.stroke();
    ctx.setLineDash([]);
    fastForward(ctx, x, place.lanesTop + 6, 5);
  }
}

function fastForward(ctx, x, y, size) {
  ctx.beginPath();
  for (const at of [x - size, x]) {
    ctx.moveTo(at, y - size); ctx.lineTo(at + size, y); ctx.lineTo(at, y + size); ctx.closePath();
  }
  ctx.fill();
}

// drawMarks draws the boundaries; of several runs, those of the first, which share the axis' zero.
function drawMarks(ctx, top, bottom) {
  for (const mark of raw.runs[0].marks || []) {
    if (mark.from < view.from || mark.from > view.to) continue;
    ctx.strokeStyle = look.marks[mark.name];
    ctx.lineWidth = 1.5;
    ctx.setLineDash(mark.name === "profiling start" ? [] : [6, 4]);
    ctx.beginPath();
    ctx.moveTo(toX(mark.from), top);
    ctx.lineTo(toX(mark.from), bottom);
    ctx.stroke();
  }
  ctx.setLineDash([]);
}

function drawMarkNames(ctx) {
  ctx.font = "600 11px system-ui, sans-serif";
  ctx.textBaseline = "alphabetic";
  let busy = -1e9;
  for (const mark of raw.runs[0].marks || []) {
    if (mark.from < view.from || mark.from > view.to) continue;
    const width = ctx.measureText(mark.name).width;
    const x = Math.min(Math.max(toX(mark.from) - width / 2, place.left), place.right - width);
    if (x < busy) continue; // named when zoomed in, and always by hovering
    ctx.fillStyle = look.marks[mark.name];
    ctx.fillText(mark.name, x, place.lanesTop - 7);
    busy = x + width + 8;
  }
}
