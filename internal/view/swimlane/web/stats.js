// Statistics of a window of time. Only what lies inside counts: the part of a request's prefill and
// answer that overlaps the window, first tokens and ends that fall into it.

const overlap = (a, b, from, to) => Math.max(0, Math.min(b, to) - Math.max(a, from));

function windowStats(from, to, run) {
  const s = { touched: 0, started: 0, ended: 0, ok: 0, failed: 0, overflow: 0, cut: 0, busy: 0, prefill: 0, output: 0, ttft: [], latency: [], cached: 0, hitInput: 0 };
  for (const stream of streams) {
    if (stream.play.run !== run || stream.to < from || stream.from > to) continue;
    const last = stream.first + stream.count;
    for (let r = firstAtOrAfter(stream.first, last, from, endOf); r < last && startOf(r) <= to; r++) {
      if (requests.match[r] && requests.status[r] !== NEVER) countRequest(s, r, from, to);
    }
  }
  s.ttft.sort((a, b) => a - b);
  s.latency.sort((a, b) => a - b);
  return s;
}

function countRequest(s, r, from, to) {
  const start = startOf(r), end = endOf(r), first = firstOf(r), status = requests.status[r];
  s.touched++;
  if (start >= from && start < to) s.started++;
  s.busy += overlap(start, end, from, to);
  if (end >= from && end < to && requests.end[r] >= 0) {
    s.ended++;
    if (status <= SILENT) { s.ok++; s.latency.push(end - start); }
    else if (status === FAILED) s.failed++;
    else if (status === OVERFLOW) s.overflow++;
    else s.cut++;
  }
  if (first < 0) return;
  const input = Math.max(requests.input[r], 0), output = outputOf(r);
  if (first > start) s.prefill += (input * overlap(start, first, from, to)) / (first - start);
  if (first >= from && first < to) {
    if (status === OK) s.ttft.push(first - start);
    s.output += Math.min(output, 1);
    if (requests.cached[r] >= 0) { s.cached += requests.cached[r]; s.hitInput += input; }
  }
  if (end > first) s.output += (Math.max(output - 1, 0) * overlap(first, end, from, to)) / (end - first);
}

// quantile is linear between the two nearest ranks.
function quantile(sorted, q) {
  if (sorted.length === 0) return -1;
  const at = q * (sorted.length - 1), low = Math.floor(at);
  return sorted[low] + (at - low) * (sorted[Math.min(low + 1, sorted.length - 1)] - sorted[low]);
}

// statParts are the figures of one run in a window.
function statParts(from, to, run) {
  const s = windowStats(from, to, run), length = seconds(to - from);
  return [
    ["requests touching", whole(s.touched)], ["started", whole(s.started)],
    ["ended", whole(s.ended) + " (" + whole(s.ok) + " ok, " + whole(s.failed) + " error, " + whole(s.overflow) + " overflow, " + whole(s.cut) + " cut off)"],
    ["in flight, mean", short(s.busy / (to - from))],
    ["first token p50 / p99", duration(quantile(s.ttft, 0.5)) + " / " + duration(quantile(s.ttft, 0.99))],
    ["latency p50 / p99", duration(quantile(s.latency, 0.5)) + " / " + duration(quantile(s.latency, 0.99))],
    ["input", short(s.prefill / length) + " tokens/s"], ["output", short(s.output / length) + " tokens/s"],
    ["cache hit", s.hitInput > 0 ? ((100 * s.cached) / s.hitInput).toFixed(1) + " %" : "–"],
  ];
}

function showStats() {
  const from = pointer.window ? pointer.window[0] : view.from, to = pointer.window ? pointer.window[1] : view.to;
  const box = byId("stats");
  box.replaceChildren();
  const put = (label, value) => {
    const item = document.createElement("span");
    const strong = document.createElement("b");
    strong.textContent = value;
    item.append(label + " ", strong);
    box.append(item);
  };
  put((pointer.window ? "selected " : "") + "window", clock(from) + " to " + clock(to) + " (" + duration(to - from) + ")");
  raw.runs.forEach((run, index) => {
    if (raw.runs.length > 1) {
      const name = document.createElement("span");
      name.className = "run";
      name.textContent = run.title;
      box.append(name);
    }
    for (const [label, value] of statParts(from, to, index)) put(label, value);
  });
  const notes = document.createElement("span");
  notes.className = "notes";
  notes.textContent = raw.runs.map((run) => "source: " + run.source + (run.notes.length ? " · " + run.notes.join(" · ") : "")).join("  |  ") +
    (home.from > axis.from ? " · the view opens at " + clock(home.from) + "; fit all shows the whole warmup, from " + clock(axis.from) : "") +
    (filtering() ? " · statistics of the matching requests only" : "") +
    " · answers are spread evenly between first token and end";
  box.append(notes);
}
