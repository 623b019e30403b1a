// Which requests match the filters and the search, and which one lies under the pointer.

const filters = { trace: "", depth: "", kind: "", phase: "", status: "", min: "", max: "", query: "" };
const matches = { count: 0, hits: [] }; // hits: matching requests in time order, while something is filtered
const selected = { request: -1 };

const filtering = () => Object.values(filters).some((value) => value !== "");

function statusMatches(status) {
  if (filters.status === "") return true;
  if (filters.status === "bad") return wrong(status);
  return status === Number(filters.status);
}

const searchTexts = [];

// searchText is everything about a request that can be looked for, in lower case.
function searchText(r) {
  const stream = streams[requests.stream[r]], play = stream.play;
  if (!searchTexts[r]) {
    searchTexts[r] = [raw.traces[play.trace], stream.name, "turn " + requests.turn[r], "exchange " + requests.exchange[r], strings[requests.outcome[r]], strings[requests.error[r]], strings[requests.finish[r]], requests.id[r], play.marker, "http " + requests.http[r], "lane " + lanes[play.lane].number, "play " + play.id].join("\n").toLowerCase();
  }
  return searchTexts[r];
}

function requestMatches(r, query, least, most) {
  const stream = streams[requests.stream[r]];
  if (filters.trace !== "" && stream.play.trace !== Number(filters.trace)) return false;
  if (filters.depth !== "" && stream.depth !== Number(filters.depth)) return false;
  if (filters.kind !== "" && stream.kind !== filters.kind) return false;
  if (filters.phase !== "" && requests.phase[r] !== Number(filters.phase)) return false;
  if (!statusMatches(requests.status[r])) return false;
  if (requests.input[r] < least || requests.input[r] > most) return false;
  return query === "" || searchText(r).includes(query);
}

function applyFilters() {
  const query = filters.query.trim().toLowerCase();
  const least = filters.min === "" ? -Infinity : Number(filters.min), most = filters.max === "" ? Infinity : Number(filters.max);
  const active = filtering();
  matches.hits = [];
  matches.count = 0;
  for (let r = 0; r < requests.count; r++) {
    const hit = !active || requestMatches(r, query, least, most);
    requests.match[r] = hit ? 1 : 0;
    if (hit) {
      matches.count++;
      if (active) matches.hits.push(r);
    }
  }
  matches.hits.sort((a, b) => startOf(a) - startOf(b));
  byId("matches").textContent = active ? whole(matches.count) + " of " + whole(requests.count) + " match" : "";
  redraw();
}

// rowAt is the row under a pixel, or -1.
function rowAt(y) {
  const units = toUnits(y);
  const lane = laneAt(y);
  if (lane < 0) return -1;
  const row = lanes[lane].firstRow + Math.floor(units - lanes[lane].top - STRIP);
  return row >= lanes[lane].firstRow && row < lanes[lane].firstRow + lanes[lane].rows ? row : -1;
}

function laneAt(y) {
  const units = toUnits(y);
  const lane = firstAtOrAfter(0, lanes.length, units, (i) => lanes[i].bottom);
  return lane < lanes.length && lanes[lane].top <= units ? lane : -1;
}

// requestAt is the request under a pixel, within a few pixels; those that must stand out come first,
// and rows thinner than a finger are searched together. -1 for none.
function requestAt(x, y) {
  const reach = Math.max(4 / unitPx(), 0), rows = new Set();
  for (let d = -Math.min(reach, 12); d <= Math.min(reach, 12); d += 0.5) rows.add(rowAt(y + d * unitPx()));
  let best = -1, bestScore = Infinity;
  for (const row of rows) {
    if (row < 0) continue;
    const away = Math.abs(toY(rowY[row] + 0.5) - y);
    for (const stream of rowStreams[row]) {
      const last = stream.first + stream.count, slack = (spanX() / (place.right - place.left)) * 5;
      const t = toTime(x);
      if (stream.to + slack < t || stream.from - slack > t) continue;
      for (let r = firstAtOrAfter(stream.first, last, t - slack, endOf); r < last && startOf(r) <= t + slack; r++) {
        const outside = Math.max(toX(startOf(r)) - x, x - toX(endOf(r)), 0);
        const score = outside + away * 0.7 - (pressed(requests.status[r]) ? 6 : 0) + (requests.match[r] ? 0 : 50);
        if (score < bestScore) { best = r; bestScore = score; }
      }
    }
  }
  return best;
}

// waitAt is the wait under a pixel, with its stream.
function waitAt(x, y) {
  const row = rowAt(y), t = toTime(x);
  if (row < 0) return null;
  for (const stream of rowStreams[row]) {
    if (stream.to < t || stream.from > t) continue;
    for (let i = stream.firstWait; i < stream.firstWait + stream.waitCount; i++) {
      if (waits[i].from <= t && waits[i].to >= t) return { wait: waits[i], stream };
    }
  }
  return null;
}

function playAt(x, y) {
  const lane = laneAt(y), t = toTime(x);
  return lane < 0 ? null : lanes[lane].plays.find((play) => play.from <= t && play.to >= t) || null;
}
