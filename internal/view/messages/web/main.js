// What is shown, the address bar, and keys.

const current = { stream: null, sent: null };

function show(stream, sent) {
  current.stream = stream;
  current.sent = sent || null;
  const view = byId("view");
  view.replaceChildren();
  if (stream) fillView(view, stream);
  drawTree();
  if (sent) openTurn(sent); else view.scrollTop = 0;
  writeHash();
}

function fillView(view, stream) {
  view.append(element("h2", stream.name));
  const parts = [stream.kind + " at depth " + stream.depth, "trace " + stream.play.trace, "lane " + stream.play.lane, "play " + stream.play.id];
  if (stream.play.replay > 0) parts.push("replay " + (stream.play.replay + 1));
  if (stream.fate) parts.push(stream.fate);
  view.append(element("div", parts.join(" · "), "faint"));
  if (stream.play.marker) {
    const line = element("div", "marker ", "faint");
    line.append(element("span", stream.play.marker, "marker"));
    view.append(line);
  }
  if (stream.parent >= 0) {
    const parent = stream.play.streams[stream.parent], back = element("button", "parent: " + parent.name);
    back.addEventListener("click", () => show(parent));
    view.append(back);
  }
  for (const sent of stream.turns) view.append(turnNode(stream, sent));
  if (stream.hidden) view.append(element("p", "… " + stream.hidden + " more turns are left out (--max-turns " + data.limits.turns + ")", "faint"));
}

function openTurn(sent) {
  for (const node of byId("view").querySelectorAll(".turn")) {
    node.classList.toggle("here", node.dataset.turn === String(sent.turn));
    if (node.dataset.turn !== String(sent.turn)) continue;
    node.openTurn();
    node.scrollIntoView({ block: "start" });
    const mark = node.querySelector("mark");
    if (mark) mark.scrollIntoView({ block: "center" });
  }
}

function remember(stream, sent) {
  current.sent = sent;
  for (const node of byId("view").querySelectorAll(".turn")) node.classList.toggle("here", node.dataset.turn === String(sent.turn));
  writeHash();
}

function step(direction) {
  if (search.hits.length === 0) return;
  search.at = (search.at + direction + search.hits.length) % search.hits.length;
  const hit = search.hits[search.at];
  byId("found").textContent = search.at + 1 + " of " + whole(search.hits.length) + " turns";
  show(hit.stream, hit.sent);
}

function writeHash() {
  const part = new URLSearchParams();
  if (current.stream) {
    part.set("play", current.stream.play.id);
    part.set("conversation", current.stream.name);
    if (current.sent) part.set("turn", current.sent.turn);
  }
  if (search.query !== "") part.set("q", search.query);
  const text = part.toString();
  if (text !== location.hash.slice(1)) history.replaceState(null, "", "#" + text);
}

function readHash() {
  const part = new URLSearchParams(location.hash.slice(1));
  byId("search").value = part.get("q") || "";
  runSearch(byId("search").value);
  const wanted = part.get("conversation");
  const stream = conversations.find((s) => s.name === wanted && (!part.has("play") || s.play.id === Number(part.get("play"))));
  if (wanted && !stream) {
    show(null);
    byId("view").replaceChildren(element("p", "the conversation " + wanted + " is not on this page: it is beyond the limits named below (agentx-analyze turn-messages -n 0 leaves none out)"));
    return;
  }
  const sent = stream && part.has("turn") ? stream.turns.find((t) => t.turn === Number(part.get("turn"))) : undefined;
  show(stream || conversations[0] || null, sent);
  if (stream && part.has("turn") && !sent) {
    byId("view").prepend(element("p", "turn " + part.get("turn") + " is not on this page: it is beyond the limits named below (agentx-analyze turn-messages --max-turns 0 leaves none out)"));
  }
}

function onKey(event) {
  const typing = event.target.tagName === "INPUT";
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (typing && event.key === "Enter" && event.target.id === "search") return step(1);
  if (typing && event.key === "Escape") return event.target.blur();
  if (typing) return;
  const keys = { n: () => step(1), p: () => step(-1), "/": () => byId("search").focus(), j: () => neighbour(1), k: () => neighbour(-1) };
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
}

// neighbour opens the next or previous turn of the conversation.
function neighbour(direction) {
  if (!current.stream) return;
  const at = current.sent ? current.stream.turns.indexOf(current.sent) + direction : 0;
  const sent = current.stream.turns[at];
  if (!sent) return;
  current.sent = sent;
  openTurn(sent);
  writeHash();
}

function headline() {
  document.title = "turn-messages: " + data.title;
  byId("title").textContent = data.title;
  const turns = conversations.reduce((sum, s) => sum + s.turns.length, 0);
  byId("counts").textContent = whole(conversations.length) + " conversations, " + whole(turns) + " turns, " + whole(data.texts.length) + " texts";
  byId("notes").textContent = ["source: " + data.source, ...(data.notes || [])].join(" · ");
}

headline();
byId("filter").addEventListener("input", drawTree);
byId("roots").addEventListener("change", drawTree);
byId("b-next").addEventListener("click", () => step(1));
byId("b-prev").addEventListener("click", () => step(-1));
let timer = 0;
byId("search").addEventListener("input", (event) => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    runSearch(event.target.value);
    if (search.hits.length > 0) step(1); else show(current.stream, current.sent);
  }, 150);
});
addEventListener("keydown", onKey);
addEventListener("hashchange", readHash);
readHash();
