// What is in view: a stretch of time and a stretch of rows, and where they are on the screen.

// A view opens at home: the whole run, or after most of a warmup that is much longer than what was measured.
const home = { from: Math.min(...raw.runs.map((run) => run.focus)), to: axis.to };
const view = { from: home.from, to: home.to, top: 0, bottom: unitsTall };
const place = { left: 80, right: 0, lanesTop: 26, lanesBottom: 0, width: 0, height: 0, panels: [] };
const MIN_SPAN = 2000; // µs

const spanX = () => view.to - view.from;
const toX = (t) => place.left + ((t - view.from) / spanX()) * (place.right - place.left);
const toTime = (x) => view.from + ((x - place.left) / (place.right - place.left)) * spanX();
const unitPx = () => (place.lanesBottom - place.lanesTop) / (view.bottom - view.top);
const toY = (units) => place.lanesTop + (units - view.top) * unitPx();
const toUnits = (y) => view.top + (y - place.lanesTop) / unitPx();

// setView keeps the given window inside the run and tells whoever draws.
function setView(next) {
  const wide = Math.min(Math.max(next.to - next.from, MIN_SPAN), axis.to - axis.from);
  const tall = Math.min(Math.max(next.bottom - next.top, Math.min(3, unitsTall)), unitsTall);
  const centre = (next.from + next.to) / 2, middle = (next.top + next.bottom) / 2;
  view.from = Math.min(Math.max(centre - wide / 2, axis.from), axis.to - wide);
  view.to = view.from + wide;
  view.top = Math.min(Math.max(middle - tall / 2, 0), unitsTall - tall);
  view.bottom = view.top + tall;
  redraw();
}

const panBy = (time, units) => setView({ from: view.from + time, to: view.to + time, top: view.top + units, bottom: view.bottom + units });

function zoomTime(factor, at) {
  setView({ ...view, from: at - (at - view.from) * factor, to: at + (view.to - at) * factor });
}

function zoomRows(factor, at) {
  setView({ ...view, top: at - (at - view.top) * factor, bottom: at + (view.bottom - at) * factor });
}

const goHome = () => setView({ ...home, top: 0, bottom: unitsTall });

const fitAll = () => setView({ from: axis.from, to: axis.to, top: 0, bottom: unitsTall });

// visibleLanes is the range of lanes in view.
function visibleLanes() {
  const first = Math.max(firstAtOrAfter(0, lanes.length, view.top, (i) => lanes[i].bottom), 0);
  let last = first;
  while (last < lanes.length && lanes[last].top < view.bottom) last++;
  return [first, last];
}

const seconds = (us) => us / 1e6;

function clock(us) {
  const digits = spanX() < 2e6 ? 4 : spanX() < 60e6 ? 3 : spanX() < 600e6 ? 2 : 1;
  return seconds(us).toFixed(digits) + " s";
}

function duration(us) {
  if (us < 0 || Number.isNaN(us)) return "–";
  if (us < 1000) return us.toFixed(0) + " µs";
  if (us < 1e6) return (us / 1e3).toFixed(us < 1e5 ? 2 : 1) + " ms";
  return (us / 1e6).toFixed(us < 1e8 ? 3 : 1) + " s";
}

const whole = (n) => (n < 0 ? "–" : n.toLocaleString("en-US"));

function short(value) {
  for (const [size, name] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (Math.abs(value) >= size) return Number((value / size).toPrecision(3)) + name;
  }
  return String(Number(value.toPrecision(3)));
}
