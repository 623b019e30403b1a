// One turn: a line of figures, and when opened the prompt as a strip, its messages and the answer.

const ROLE_COLOURS = { system: "#882255", user: "#0072b2", assistant: "#44aa99", tool: "#b36b00" };

function tokensOf(list) { return list.reduce((sum, entry) => sum + entry.message.n, 0); }

function turnLine(stream, sent) {
  const line = element("button", undefined, "line"), planned = plannedTurn(stream, sent.turn);
  const put = (label, value) => {
    const part = element("span", label + " ", "faint");
    part.append(element("b", value));
    line.append(part);
  };
  line.append(element("b", "turn " + sent.turn));
  if (sent.phase === "warmup") line.append(element("span", "warmup", "badge warmup"));
  const before = sent.turn > 0 ? arrayOf(stream, sent.turn - 1).length : 0;
  if (planned && planned.keep < before) line.append(element("span", planned.keep === 0 ? "context reset" : "keeps " + planned.keep + " of " + before + " messages", "badge reset"));
  if (sent.failed) line.append(element("span", sent.outcome, "badge bad"));
  else if (sent.start === null) line.append(element("span", sent.outcome, "badge"));
  put("sent", sent.start === null ? "never" : (sent.start / 1e6).toFixed(3) + " s");
  put("first token", duration(sent.first));
  put("took", duration(sent.end));
  put("in", whole(sent.in));
  put("out", whole(sent.out));
  put("cached", sent.cached === null ? "–" : whole(sent.cached) + (sent.in > 0 ? " (" + ((100 * sent.cached) / sent.in).toFixed(1) + " %)" : ""));
  if (planned) {
    const list = planned.new || [];
    put("new", list.length + " messages, " + whole(list.reduce((sum, m) => sum + m.n, 0)) + " tokens");
  }
  return line;
}

function factList(stream, sent) {
  const list = element("dl", undefined, "facts"), planned = plannedTurn(stream, sent.turn);
  const add = (label, value) => list.append(element("dt", label), element("dd", value));
  add("outcome", sent.outcome + (sent.http ? ", HTTP " + sent.http : "") + (sent.finish ? ", " + sent.finish : ""));
  add("sent after due", duration(sent.late));
  add("input / output", whole(sent.in) + " / " + whole(sent.out) + (sent.reasoning ? " + " + whole(sent.reasoning) + " reasoning" : ""));
  add("output limit", whole(sent.max));
  add("cached by the server", whole(sent.cached));
  add("reachable / theory", whole(sent.reach) + " / " + whole(sent.theory));
  if (planned) {
    add("recorded", whole(planned.in) + " in, " + whole(planned.out) + " out" + (planned.rec ? ", " + planned.rec : ""));
    add("recorded pause before", duration(planned.gap));
    if (planned.input) add("new input is", planned.input);
  }
  if (sent.id) add("request id", sent.id);
  if (sent.x !== null) add("exchange", String(sent.x));
  return list;
}

// strip shows the prompt to scale: its messages, those that are new framed, and how far the cache
// reached in theory, within this run, and by the server's report.
function strip(list, sent) {
  const box = element("div", undefined, "strip"), total = Math.max(tokensOf(list), 1);
  let at = 0;
  for (const entry of list) {
    const bar = element("div", undefined, "bar");
    bar.style.left = (100 * at) / total + "%";
    bar.style.width = (100 * entry.message.n) / total + "%";
    bar.style.background = ROLE_COLOURS[entry.message.r] || "#6b7280";
    bar.style.opacity = entry.fresh ? "1" : "0.4";
    bar.title = entry.message.r + ", " + whole(entry.message.n) + " tokens, " + (entry.fresh ? "new in this turn" : "kept from turn " + entry.turn);
    box.append(bar);
    at += entry.message.n;
  }
  for (const [name, tokens, colour] of [["theory", sent.theory, "#6b7280"], ["reachable", sent.reach, "#e69f00"], ["cached", sent.cached, "#111827"]]) {
    if (tokens === null) continue;
    const share = Math.min(tokens / total, 1), line = element("div", undefined, share > 0.85 ? "at end" : "at");
    line.style.left = 100 * share + "%";
    line.style.background = colour;
    line.title = name + ": " + whole(tokens) + " tokens";
    if (name === "cached") line.append(element("span", "cached " + whole(tokens)));
    box.append(line);
  }
  return box;
}

function messageNode(stream, entry, marker) {
  const m = entry.message, node = element("div", undefined, "message " + (ROLE_COLOURS[m.r] ? m.r : "") + (entry.fresh ? " new" : ""));
  node.append(element("span", m.r + (m.tool ? (m.r === "tool" ? " answer" : " call") + " of turn " + (m.tool - 1) : ""), "who"));
  node.append(element("span", whole(m.n) + " tokens" + (entry.fresh ? "" : ", since turn " + entry.turn), "faint"));
  if (m.t < 0 && !marker) return node;
  const pre = element("pre");
  if (marker && !marker.atEnd) pre.append(element("span", marker.text, "marker"), "\n\n");
  if (m.t >= 0) fillText(pre, m.t); else pre.append(element("span", "(text not here)", "faint"));
  if (marker && marker.atEnd) pre.append("\n\n", element("span", marker.text, "marker"));
  node.append(pre);
  return node;
}

function fillText(pre, index) {
  const text = data.texts[index];
  putText(pre, text.s);
  if (data.limits.content > 0 && text.n > data.limits.content) pre.append(element("span", "\n… " + whole(text.n - data.limits.content) + " of " + whole(text.n) + " characters are left out", "faint"));
}

function fillTurn(body, stream, sent) {
  const list = arrayOf(stream, sent.turn), planned = plannedTurn(stream, sent.turn);
  if (sent.error) body.append(element("div", sent.error, "error"));
  body.append(factList(stream, sent));
  if (list.length === 0) {
    body.append(element("p", "the log has no plan of this conversation", "faint"));
    return;
  }
  const marked = planned && stream.play.marker ? planned.marked : -1;
  const markerOf = (i) => (i === marked ? { text: stream.play.marker, atEnd: planned.markEnd } : null);
  const kept = list.filter((entry) => !entry.fresh);
  body.append(strip(list, sent));
  if (kept.length > 0) body.append(keptPart(stream, list, kept, markerOf));
  list.forEach((entry, i) => { if (entry.fresh) body.append(messageNode(stream, entry, markerOf(i))); });
  if (sent.response >= 0) {
    const node = element("div", undefined, "message answer");
    node.append(element("span", "answer", "who"), element("span", whole(sent.out) + " tokens", "faint"));
    const pre = element("pre");
    fillText(pre, sent.response);
    node.append(pre);
    body.append(node);
  }
}

// keptPart is the history that the turn repeats: closed at first, built when opened.
function keptPart(stream, list, kept, markerOf) {
  const details = element("details"), box = element("div");
  details.append(element("summary", kept.length + " messages kept from earlier turns, " + whole(tokensOf(kept)) + " tokens"), box);
  details.addEventListener("toggle", () => {
    if (!details.open || box.firstChild) return;
    list.forEach((entry, i) => { if (!entry.fresh) box.append(messageNode(stream, entry, markerOf(i))); });
  });
  return details;
}

function turnNode(stream, sent) {
  const node = element("article", undefined, "turn" + (sent.failed ? " failed" : "")), line = turnLine(stream, sent), body = element("div", undefined, "body");
  node.dataset.turn = sent.turn;
  body.hidden = true;
  line.setAttribute("aria-expanded", "false");
  const toggle = (open) => {
    body.hidden = !open;
    line.setAttribute("aria-expanded", String(open));
    if (open && !body.firstChild) fillTurn(body, stream, sent);
  };
  line.addEventListener("click", () => { toggle(body.hidden); if (!body.hidden) remember(stream, sent); });
  node.append(line, body);
  node.openTurn = () => toggle(true);
  return node;
}
