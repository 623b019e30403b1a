// Facts in words: the tip under the pointer and the side panel of a request. Text from the run is only
// ever put in as text.

function element(tag, text, className) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return node;
}

function factRows(r) {
  const rows = [];
  const add = (label, value, known) => { if (known !== false) rows.push([label, value]); };
  const q = requests, status = q.status[r], sent = status !== NEVER;
  add("outcome", strings[q.outcome[r]] + (q.http[r] ? ", HTTP " + q.http[r] : "") + (q.finish[r] ? ", " + strings[q.finish[r]] : ""));
  add("error", strings[q.error[r]], q.error[r] > 0);
  add("phase", q.phase[r] === 0 ? "warmup" : "profiling");
  add(sent ? "sent" : "due or refused", clock(startOf(r)));
  add("first token", duration(q.first[r]) + " after", sent);
  add("end", q.end[r] < 0 ? "not in the log" : duration(q.end[r]) + " after", sent);
  add("sent after due", duration(q.late[r]), !Number.isNaN(q.late[r]));
  add("in flight at duration end", "yes", q.inFlight[r] === 1);
  add("input / output tokens", whole(q.input[r]) + " / " + whole(q.output[r]) + (q.reasoning[r] > 0 ? " + " + whole(q.reasoning[r]) + " reasoning" : ""));
  add("cached", whole(q.cached[r]) + (q.cached[r] >= 0 && q.input[r] > 0 ? " (" + ((100 * q.cached[r]) / q.input[r]).toFixed(1) + " %)" : ""), sent);
  add("reachable / theory", whole(q.reach[r]) + " / " + whole(q.theory[r]));
  add("output limit", whole(q.maxTokens[r]), q.maxTokens[r] >= 0);
  add("per output token", q.first[r] >= 0 && q.end[r] >= 0 && outputOf(r) > 1 ? duration((q.end[r] - q.first[r]) / (outputOf(r) - 1)) : "–", sent);
  add("recorded", whole(q.recIn[r]) + " in, " + whole(q.recOut[r]) + " out, " + duration(q.recAPI[r]));
  add("recorded pause before", duration(q.gap[r]), q.gap[r] >= 0);
  if (counterparts[r] >= 0) {
    const other = counterparts[r];
    add("in the other run", "first token " + duration(q.first[other]) + ", end " + duration(q.end[other]) + ", cached " + whole(q.cached[other]));
  }
  add("request id", q.id[r], q.id[r] !== "");
  add("exchange", String(q.exchange[r]), q.exchange[r] >= 0);
  return rows;
}

const turnName = (r) => streams[requests.stream[r]].name + " · turn " + requests.turn[r];

function placeText(stream) {
  const play = stream.play;
  return (raw.runs.length > 1 ? raw.runs[play.run].title + " · " : "") + "lane " + lanes[play.lane].number + " · play " + play.id + " · " + stream.kind + " at depth " + stream.depth;
}

function factTable(rows) {
  const table = element("table");
  for (const [label, value] of rows) {
    const row = element("tr");
    row.append(element("th", label), element("td", value, label === "error" ? "error" : ""));
    table.append(row);
  }
  return table;
}

function showTip(x, y) {
  const tip = byId("tip");
  const r = pointer.request;
  tip.replaceChildren();
  if (r >= 0) {
    tip.append(element("strong", turnName(r)), element("div", placeText(streams[requests.stream[r]])), factTable(factRows(r)));
  } else if (!otherTip(tip)) {
    tip.hidden = true;
    return;
  }
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, x + 16 + box.width > innerWidth ? x - box.width - 16 : x + 16) + "px";
  tip.style.top = Math.max(4, Math.min(y + 14, innerHeight - box.height - 6)) + "px";
}

// otherTip tells about a wait, a boundary, a jump or a tree, whichever is under the pointer.
function otherTip(tip) {
  const { x, y } = pointer;
  const mark = raw.runs.flatMap((run) => run.marks || []).find((m) => Math.abs(toX(m.from) - x) < 4);
  if (mark) {
    tip.append(element("strong", mark.name), element("div", seconds(mark.from).toFixed(6) + " s"));
    return true;
  }
  const shift = shifts.find((s) => Math.abs(toX(s.at) - x) < 5 && (s.lane < 0 || s.lane === laneAt(y)));
  if (shift) {
    tip.append(element("strong", "idle guard" + (shift.lane < 0 ? ", all lanes" : "")), element("div", "skipped " + duration(shift.skipped) + " at " + clock(shift.at)));
    return true;
  }
  const found = waitAt(x, y);
  if (found) {
    tip.append(element("strong", look.waits[found.wait.kind]), element("div", duration(found.wait.to - found.wait.from) + " · " + found.stream.name));
    return true;
  }
  const play = playAt(x, y);
  if (!play) return false;
  tip.append(element("strong", raw.traces[play.trace]), factTable(playRows(play)));
  return true;
}

function playRows(play) {
  return [["lane", String(lanes[play.lane].number)], ["play", play.id + (play.how ? " (" + play.how + ")" : "")], ["live", clock(play.from) + " to " + (play.open ? "the end of the run" : clock(play.to))],
    ["streams", String(play.streams.length)], ["requests", whole(play.streams.reduce((sum, s) => sum + s.count, 0))], ...(play.marker ? [["marker", play.marker]] : [])];
}

function showSide(r) {
  const side = byId("side"), was = side.hidden;
  selected.request = r;
  side.replaceChildren();
  side.hidden = r < 0;
  if (r >= 0) fillSide(side, r);
  if (was !== side.hidden) resize(); else redraw();
}

function fillSide(side, r) {
  const stream = streams[requests.stream[r]];
  const close = element("button", "close", "close");
  close.addEventListener("click", () => showSide(-1));
  side.append(close, element("h2", turnName(r)), element("div", placeText(stream)), cacheSplit(r), factTable(factRows(r)));
  side.append(element("h3", "messages of this turn"), ...messageParts(r), element("h3", "turns of this conversation"), turnTable(stream, r), element("h3", "tree"), factTable(playRows(stream.play)), treeTable(stream));
}

// plannedTurns are the turns of a request's conversation as planned; undefined where the log has no plan.
function plannedTurns(stream) {
  const plans = raw.runs[stream.play.run].plans[stream.play.trace];
  return plans && plans[stream.name];
}

// messagesOf is the message array of a turn: each with role, tokens and the turn that added it.
function messagesOf(turns, turn) {
  let list = [];
  for (let t = 0; t <= turn; t++) {
    list = list.slice(0, turns[t][0]);
    for (let i = 1; i < turns[t].length; i += 2) list.push({ role: strings[turns[t][i]], tokens: turns[t][i + 1], turn: t });
  }
  return list;
}

// messageParts list what the turn sends: what it keeps of earlier turns folded, what is new in it, the answer;
// and where the texts are.
function messageParts(r) {
  const stream = streams[requests.stream[r]], turns = plannedTurns(stream), turn = requests.turn[r], parts = [];
  if (turns && turn < turns.length) {
    const list = messagesOf(turns, turn), kept = list.filter((m) => m.turn < turn), fresh = list.filter((m) => m.turn === turn);
    const sum = (some) => some.reduce((total, m) => total + m.tokens, 0);
    const table = (some) => {
      const out = element("table", undefined, "messages");
      for (const m of some) {
        const row = element("tr", undefined, m.turn === turn ? "new" : "");
        row.append(element("td", m.role), element("td", whole(m.tokens) + " tokens"), element("td", m.turn === turn ? "new" : "since turn " + m.turn));
        out.append(row);
      }
      return out;
    };
    if (kept.length > 0) {
      const fold = element("details");
      fold.append(element("summary", kept.length + " messages kept from earlier turns, " + whole(sum(kept)) + " tokens"));
      fold.addEventListener("toggle", () => { if (fold.open && fold.childElementCount === 1) fold.append(table(kept)); });
      parts.push(fold);
    }
    parts.push(element("div", fresh.length + " new, " + whole(sum(fresh)) + " tokens"), table(fresh));
    parts.push(element("div", "answer: " + whole(requests.output[r]) + " tokens" + (requests.reasoning[r] > 0 ? ", " + whole(requests.reasoning[r]) + " of reasoning" : "") + (requests.finish[r] ? ", " + strings[requests.finish[r]] : "")));
  } else {
    parts.push(element("div", "the log has no plan of this conversation"));
  }
  const run = raw.runs[stream.play.run];
  if (run.texts) {
    const link = element("a", "their texts");
    link.href = run.texts + "#" + new URLSearchParams({ play: stream.play.id, conversation: stream.name, turn });
    parts.push(link);
    if (run.hint) parts.push(element("span", " (" + run.hint + ")", "faint"));
  }
  return parts;
}

// cacheSplit shows input tokens as a strip: cached, reachable but not cached, new.
function cacheSplit(r) {
  const input = requests.input[r], strip = element("div", undefined, "split");
  if (input <= 0) return strip;
  const cached = Math.max(requests.cached[r], 0), reach = Math.max(requests.reach[r] - cached, 0);
  for (const [tokens, colour, label] of [[cached, "#0072b2", "cached"], [reach, "#e69f00", "reachable, not cached"], [Math.max(input - cached - reach, 0), "#cbd5e1", "new"]]) {
    const part = element("i");
    part.style.width = (100 * tokens) / input + "%";
    part.style.background = colour;
    part.title = label + ": " + whole(tokens) + " tokens";
    strip.append(part);
  }
  return strip;
}

function turnTable(stream, chosen) {
  const table = element("table", undefined, "turns"), head = element("tr");
  for (const name of ["turn", "sent", "took", "first", "in", "out", "cached"]) head.append(element("th", name));
  table.append(head);
  const from = Math.max(stream.first, chosen - 60), to = Math.min(stream.first + stream.count, chosen + 60);
  for (let r = from; r < to; r++) {
    const row = element("tr", undefined, r === chosen ? "pick on" : "pick");
    const name = requests.turn[r] + (pressed(requests.status[r]) ? " " + look.statuses[requests.status[r]] : "");
    for (const text of [name, clock(startOf(r)), duration(requests.end[r]), duration(requests.first[r]), whole(requests.input[r]), whole(outputOf(r)), whole(requests.cached[r])]) row.append(element("td", text));
    row.addEventListener("click", () => goTo(r));
    table.append(row);
  }
  const left = stream.count - (to - from);
  if (left > 0) table.append(element("caption", left + " more turns of this conversation are not listed here"));
  return table;
}

function treeTable(stream) {
  const table = element("table", undefined, "turns");
  for (const other of stream.play.streams) {
    const row = element("tr", undefined, other === stream ? "pick on" : "pick");
    row.append(element("td", other.name), element("td", other.kind), element("td", other.count + " turns"), element("td", other.fate));
    if (other.count > 0) row.addEventListener("click", () => goTo(other.first));
    table.append(row);
  }
  return table;
}

// goTo selects a request and brings it into view.
function goTo(r) {
  const wide = Math.min(spanX(), Math.max((endOf(r) - startOf(r)) * 12, 20e6));
  const middle = (startOf(r) + endOf(r)) / 2, row = rowY[streams[requests.stream[r]].row];
  const tall = Math.min(view.bottom - view.top, Math.max(place.lanesBottom - place.lanesTop, 200) / 14);
  Object.assign(view, { from: middle - wide / 2, to: middle + wide / 2, top: row - tall / 2, bottom: row + tall / 2 });
  showSide(r);
  setView({ ...view });
}
