// Colouring of requests by something else than their trace, and the counterpart of a request in another
// run: the same turn of the same conversation in the same replay of its trace.

const SCALE = ["#00204d", "#17366b", "#414d6b", "#5f636e", "#7c7b78", "#9b9476", "#bcae6c", "#ddca5b", "#ffea46"]; // cividis
const DIVERGING = ["#2166ac", "#4393c3", "#92c5de", "#d1e5f0", "#f0f0f0", "#fddbc7", "#f4a582", "#d6604d", "#b2182b"];
const UNKNOWN = 255;

const positive = (value) => (value >= 0 ? value : NaN);

const colourings = {
  trace: { label: "trace" },
  first: { label: "time to first token", of: (r) => positive(requests.first[r]), text: duration },
  took: { label: "latency", of: (r) => positive(requests.end[r]), text: duration },
  input: { label: "input tokens", of: (r) => positive(requests.input[r]), text: short },
  fresh: { label: "uncached input tokens", of: (r) => (requests.cached[r] < 0 ? NaN : positive(requests.input[r] - requests.cached[r])), text: short },
  output: { label: "output tokens", of: (r) => (requests.output[r] < 0 ? NaN : outputOf(r)), text: short },
  share: { label: "cached share", of: (r) => (requests.cached[r] < 0 || requests.input[r] <= 0 ? NaN : requests.cached[r] / requests.input[r]), text: (v) => (100 * v).toFixed(0) + " %" },
  late: { label: "sent after due", of: (r) => requests.late[r], text: duration },
};

// counterparts[r] is the same request in the first run (for those of the first run: in the second), -1 for none.
const counterparts = new Int32Array(requests.count).fill(-1);

function pairUp() {
  const replays = new Map(), byKey = new Map();
  const ordered = plays.slice().sort((a, b) => a.from - b.from || a.id - b.id);
  for (const play of ordered) {
    const key = play.run + "\n" + play.trace, before = replays.get(key) || 0;
    play.replay = before;
    replays.set(key, before + 1);
  }
  const keyOf = (stream, r) => [stream.play.trace, stream.play.replay, stream.name, requests.turn[r], requests.phase[r]].join("\n");
  for (const run of [0, 1]) {
    for (const stream of streams) {
      if (stream.play.run !== run) continue;
      for (let r = stream.first; r < stream.first + stream.count; r++) {
        const key = keyOf(stream, r);
        if (run === 0) byKey.set(key, r);
        else if (byKey.has(key)) {
          counterparts[r] = byKey.get(key);
          counterparts[counterparts[r]] = r;
        }
      }
    }
  }
}

const factor = (v) => "× " + Number((2 ** v).toPrecision(3)); // changes are kept as logarithms: twice and half are as far

if (raw.runs.length > 1) {
  pairUp();
  const change = (column) => (r) => {
    const other = counterparts[r];
    if (other < 0 || streams[requests.stream[r]].play.run === 0 || column[r] <= 0 || column[other] <= 0) return NaN;
    return Math.log2(column[r] / column[other]);
  };
  colourings.dFirst = { label: "change of first token against the first run", of: change(requests.first), text: factor, diverging: true };
  colourings.dTook = { label: "change of latency against the first run", of: change(requests.end), text: factor, diverging: true };
}

const colouring = { name: "trace", bucket: new Uint8Array(0), low: 0, high: 0, palette: [] };

function setColouring(name) {
  const kind = colourings[name] || colourings.trace;
  colouring.name = colourings[name] ? name : "trace";
  if (kind.of) sortIntoBuckets(kind);
  showScale(kind);
}

// sortIntoBuckets gives each request one of the scale's colours; the ends of the scale are the 5th and
// 95th percentile, or for changes the same distance to both sides.
function sortIntoBuckets(kind) {
  const values = Float64Array.from({ length: requests.count }, (_, r) => kind.of(r));
  const known = values.filter((v) => !Number.isNaN(v)).sort();
  colouring.low = quantile(known, 0.05);
  colouring.high = quantile(known, 0.95);
  if (kind.diverging) {
    colouring.high = Math.max(Math.abs(colouring.low), Math.abs(colouring.high), 0.01);
    colouring.low = -colouring.high;
  }
  const colours = kind.diverging ? DIVERGING : SCALE, width = (colouring.high - colouring.low) / colours.length || 1;
  colouring.bucket = Uint8Array.from(values, (v) => (Number.isNaN(v) ? UNKNOWN : Math.min(Math.max(Math.floor((v - colouring.low) / width), 0), colours.length - 1)));
  colouring.palette = colours.map((c) => ({ prefill: mix(c, "#000000", 0.3), decode: c, band: c, thin: c }));
}

function showScale(kind) {
  const box = byId("scale");
  box.replaceChildren();
  if (!kind.of || colouring.bucket.length === 0) return;
  box.append(kind.text(colouring.low) + " ");
  for (const colour of kind.diverging ? DIVERGING : SCALE) {
    const cell = element("i");
    cell.style.background = colour;
    box.append(cell);
  }
  box.append(" " + kind.text(colouring.high));
}
