// The data of the page: columns as typed arrays, joined over all runs, and an index by row.

const byId = (id) => document.getElementById(id);
const raw = JSON.parse(byId("data").textContent);
const look = raw.look;
const strings = raw.strings;

// Numbers that are not known are -1 in counts and NaN where every number is possible.
const numbers = (list) => Float64Array.from(list, (v) => (v === null ? NaN : v));
const ints = (list) => Int32Array.from(list);

// One lane is a strip for the trace's name and then its rows, in units of a row's height.
const STRIP = 0.9, GAP = 0.3, HEADING = 1.6;

const plays = [], streams = [], lanes = [], waits = [], links = [], shifts = [];
const runs = [];
const requests = { count: 0 };
const rowStreams = []; // row → streams on it, by start
const rowY = [];       // row → its top, in units
const rowLane = [];    // row → lane
let unitsTall = 0;

function joinColumns(name, make) {
  const total = raw.runs.reduce((sum, run) => sum + (run.requests[name] || []).length, 0);
  const out = new make(total);
  let at = 0;
  for (const run of raw.runs) {
    const column = run.requests[name] || []; // an empty list comes as null
    for (let i = 0; i < column.length; i++) out[at++] = column[i] === null ? NaN : column[i];
  }
  requests.count = total;
  requests[name] = out;
}

function loadRequests() {
  for (const name of ["turn", "phase", "status", "outcome", "error", "inFlight", "http", "finish"]) joinColumns(name, Int32Array);
  for (const name of ["exchange", "start", "first", "end", "late", "input", "output", "reasoning", "cached", "theory", "reach", "maxTokens", "recIn", "recOut", "recAPI", "gap"]) joinColumns(name, Float64Array);
  requests.id = raw.runs.flatMap((run) => run.requests.requestID || []);
  requests.stream = new Int32Array(requests.count);
  requests.match = new Uint8Array(requests.count).fill(1);
}

// loadLanes puts the runs one below the other and gives every row its place.
function loadLanes(run, index) {
  const firstLane = lanes.length, firstRow = rowY.length;
  if (raw.runs.length > 1) unitsTall += HEADING;
  runs.push({ data: run, top: unitsTall, firstLane, firstRow });
  run.laneRows.forEach((rows, number) => {
    const lane = { run: index, number, top: unitsTall, rows, firstRow: rowY.length, plays: [] };
    for (let i = 0; i < rows; i++) {
      rowLane.push(lanes.length);
      rowY.push(unitsTall + STRIP + i);
      rowStreams.push([]);
    }
    unitsTall += STRIP + rows + GAP;
    lane.bottom = unitsTall - GAP;
    lanes.push(lane);
  });
  runs[index].bottom = unitsTall;
}

function loadTrees(run, index) {
  const { firstLane, firstRow } = runs[index];
  const firstPlay = plays.length, firstStream = streams.length;
  const p = run.plays;
  for (let i = 0; i < (p.id || []).length; i++) {
    const play = { run: index, id: p.id[i], lane: firstLane + p.lane[i], trace: p.trace[i], from: p.from[i], to: p.to[i], rows: p.rows[i], open: p.open[i] === 1, recycled: p.recycled[i] === 1, how: p.how[i], marker: p.marker[i], streams: [] };
    lanes[play.lane].plays.push(play);
    plays.push(play);
  }
  const s = run.streams;
  for (let i = 0; i < (s.id || []).length; i++) {
    const stream = { index: streams.length, play: plays[firstPlay + s.play[i]], id: s.id[i], name: s.name[i], kind: s.kind[i], depth: s.depth[i], parent: s.parent[i] < 0 ? -1 : firstStream + s.parent[i], spawnTurn: s.spawnTurn[i], joinTurn: s.joinTurn[i], row: firstRow + s.row[i], from: s.from[i], to: s.to[i], fate: s.fate[i], first: loaded.requests, count: s.requests[i], firstWait: waits.length, waitCount: s.waits[i] };
    for (let r = 0; r < stream.count; r++) requests.stream[loaded.requests++] = stream.index;
    for (let w = 0; w < stream.waitCount; w++) {
      const at = loaded.waits + w;
      waits.push({ kind: run.waits.kind[at], from: run.waits.from[at], to: run.waits.to[at] });
    }
    loaded.waits += stream.waitCount;
    stream.play.streams.push(stream);
    rowStreams[stream.row].push(stream);
    streams.push(stream);
  }
  const l = run.links;
  for (let i = 0; i < (l.at || []).length; i++) {
    links.push({ kind: l.kind[i], play: plays[firstPlay + l.play[i]], at: l.at[i], parent: firstRow + l.parent[i], child: firstRow + l.child[i] });
  }
  for (let i = 0; i < (run.shifts.at || []).length; i++) {
    const lane = run.shifts.lane[i];
    shifts.push({ run: index, at: run.shifts.at[i], skipped: run.shifts.skipped[i], lane: lane < 0 ? -1 : firstLane + lane });
  }
}

const loaded = { requests: 0, waits: 0 };

function loadCurves(run) {
  run.curves = (run.curves || []).map((curve) => {
    const at = numbers(curve.step || []);
    for (let i = 1; i < at.length; i++) at[i] += at[i - 1];
    return { ...curve, at, value: numbers(curve.value || []) };
  });
}

loadRequests();
raw.runs.forEach(loadLanes);
raw.runs.forEach((run, index) => {
  loaded.waits = 0;
  loadTrees(run, index);
  loadCurves(run);
});
rowStreams.forEach((list) => list.sort((a, b) => a.from - b.from));

const axis = {
  from: Math.min(...raw.runs.map((run) => run.from)),
  to: Math.max(...raw.runs.map((run) => run.to)),
};

const startOf = (r) => requests.start[r];
// An end that the log does not have counts to the end of the run.
const endOf = (r) => (requests.end[r] < 0 ? raw.runs[streams[requests.stream[r]].play.run].end : requests.start[r] + requests.end[r]);
const firstOf = (r) => (requests.first[r] < 0 ? -1 : requests.start[r] + requests.first[r]);
const outputOf = (r) => Math.max(requests.output[r], 0) + Math.max(requests.reasoning[r], 0);

const OK = 0, SILENT = 1, FAILED = 2, OVERFLOW = 3, CANCELLED = 4, ABANDONED = 5, UNFINISHED = 6, NEVER = 7;
const pressed = (status) => status >= FAILED; // has a sign
const wrong = (status) => status >= FAILED && status !== NEVER; // a turn that a stop dropped is no failure

// firstAtOrAfter is the first index in [lo, hi) for which value(i) >= limit.
function firstAtOrAfter(lo, hi, limit, value) {
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (value(mid) < limit) lo = mid + 1; else hi = mid;
  }
  return lo;
}
