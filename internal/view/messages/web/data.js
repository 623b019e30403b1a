// The data of the page, and how a turn's messages follow from the turns before it.

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
data.plays = data.plays || [];
data.texts = data.texts || [];
data.plans = data.plans || [];

// conversations lists all streams, parents before children.
const conversations = [];
for (const play of data.plays) {
  play.streams.forEach((stream) => {
    stream.play = play;
    stream.index = conversations.length;
    stream.children = [];
    conversations.push(stream);
  });
  play.streams.forEach((stream) => {
    if (stream.parent >= 0) play.streams[stream.parent].children.push(stream);
  });
}

// arrayOf is the message array of a turn as it is sent: entries {message, turn, fresh}.
function arrayOf(stream, turn) {
  if (stream.plan < 0) return [];
  const plan = data.plans[stream.plan];
  let list = [];
  for (let t = 0; t <= turn && t < plan.turns.length; t++) {
    const step = plan.turns[t];
    list = list.slice(0, step.keep);
    for (const message of step.new || []) list.push({ message, turn: t });
  }
  return list.map((entry) => ({ ...entry, fresh: entry.turn === turn }));
}

const plannedTurn = (stream, turn) => (stream.plan < 0 ? null : data.plans[stream.plan].turns[turn] || null);

const whole = (n) => (n === null || n === undefined ? "–" : n.toLocaleString("en-US"));

function duration(us) {
  if (us === null || us === undefined) return "–";
  if (Math.abs(us) < 1000) return us + " µs";
  if (Math.abs(us) < 1e6) return (us / 1e3).toFixed(us < 1e5 ? 2 : 1) + " ms";
  return (us / 1e6).toFixed(us < 1e8 ? 3 : 1) + " s";
}

function element(tag, text, className) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return node;
}
