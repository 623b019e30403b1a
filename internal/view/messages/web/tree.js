// The list of conversations, children under their parents.

function drawTree() {
  const tree = byId("tree"), wanted = byId("filter").value.trim().toLowerCase(), rootsOnly = byId("roots").checked;
  tree.replaceChildren();
  for (const play of data.plays) {
    const list = element("ul");
    for (const stream of play.streams) {
      if (stream.parent < 0) addBranch(list, stream, 0, wanted, rootsOnly);
    }
    if (!list.firstChild) continue;
    const item = element("li", undefined, "play");
    item.append(element("div", play.trace + (play.replay > 0 ? " · replay " + (play.replay + 1) : "") + " · lane " + play.lane + " · play " + play.id));
    item.append(list);
    tree.append(item);
  }
  if (!tree.firstChild) tree.append(element("li", data.plays.length ? "no conversation matches" : "no conversation sent anything", "faint"));
}

function addBranch(list, stream, level, wanted, rootsOnly) {
  const shown = wanted === "" || [stream.name, stream.kind, stream.play.trace, "lane " + stream.play.lane].join("\n").toLowerCase().includes(wanted);
  if (shown && !(rootsOnly && stream.depth > 0)) {
    const item = element("li"), button = element("button", stream.name + " ");
    button.style.paddingLeft = 6 + level * 16 + "px";
    button.append(element("small", (stream.kind || "?") + " · " + stream.turns.length + (stream.hidden ? "+" + stream.hidden : "") + " turns" + (stream.turns.some((t) => t.failed) ? " · failures" : "")));
    if (stream === current.stream) button.className = "on";
    button.addEventListener("click", () => show(stream));
    item.append(button);
    list.append(item);
  }
  for (const child of stream.children) addBranch(list, child, level + 1, wanted, rootsOnly);
}
