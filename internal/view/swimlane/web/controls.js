// Mouse, keys, the filter bar and the address bar.

const pointer = { x: -1, y: -1, time: null, request: -1, drag: null, window: null };

const inPlot = (x, y) => x >= place.left && x <= place.right && y >= place.lanesTop && y <= place.panelsBottom;

function onWheel(event) {
  const x = event.offsetX, y = event.offsetY;
  if (!inPlot(x, y)) return;
  event.preventDefault();
  const step = Math.exp(Math.sign(event.deltaY || event.deltaX) * Math.min(Math.abs(event.deltaY || event.deltaX) / 300, 0.5));
  if (event.ctrlKey || event.metaKey) zoomRows(step, toUnits(y));
  else if (event.shiftKey) panBy(0, ((event.deltaY || event.deltaX) / 600) * (view.bottom - view.top));
  else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) panBy((event.deltaX / 800) * spanX(), 0);
  else zoomTime(step, toTime(x));
}

function onDown(event) {
  const x = event.offsetX, y = event.offsetY;
  if (event.button !== 0 || !inPlot(x, y)) return;
  byId("stage").focus({ preventScroll: true });
  const mode = event.shiftKey ? "zoom" : event.altKey ? "stats" : "pan";
  pointer.drag = { mode, x, y, moved: false, from: { ...view } };
}

function onMove(event) {
  const box = byId("stage").getBoundingClientRect();
  pointer.x = event.clientX - box.left;
  pointer.y = event.clientY - box.top;
  const drag = pointer.drag;
  if (drag) {
    drag.moved = drag.moved || Math.hypot(pointer.x - drag.x, pointer.y - drag.y) > 4;
    if (drag.mode === "pan" && drag.moved) {
      const dt = ((drag.x - pointer.x) / (place.right - place.left)) * (drag.from.to - drag.from.from);
      const du = drag.y < place.lanesBottom ? (drag.y - pointer.y) / unitPx() : 0;
      setView({ from: drag.from.from + dt, to: drag.from.to + dt, top: drag.from.top + du, bottom: drag.from.bottom + du });
    }
    byId("tip").hidden = true;
  } else {
    hover(event.clientX, event.clientY, event.target);
  }
  drawOverlay();
}

function hover(clientX, clientY, target) {
  const inside = byId("stage").contains(target) && inPlot(pointer.x, pointer.y);
  pointer.time = inside ? toTime(pointer.x) : null;
  pointer.request = inside && pointer.y <= place.lanesBottom ? requestAt(pointer.x, pointer.y) : -1;
  if (inside && pointer.y <= place.lanesBottom) showTip(clientX, clientY); else byId("tip").hidden = true;
}

function onUp() {
  const drag = pointer.drag;
  pointer.drag = null;
  if (!drag) return;
  if (!drag.moved) {
    const r = drag.y <= place.lanesBottom ? requestAt(drag.x, drag.y) : -1;
    if (r >= 0) showSide(r);
    else if (pointer.window) { pointer.window = null; redraw(); }
    return;
  }
  const t0 = toTime(Math.min(drag.x, pointer.x)), t1 = toTime(Math.max(drag.x, pointer.x));
  if (drag.mode === "stats") pointer.window = [Math.max(t0, view.from), Math.min(t1, view.to)];
  if (drag.mode === "zoom") {
    const rows = drag.y < place.lanesBottom && Math.abs(drag.y - pointer.y) > 24;
    const u0 = toUnits(Math.min(drag.y, pointer.y)), u1 = toUnits(Math.max(drag.y, pointer.y));
    setView({ from: t0, to: t1, top: rows ? u0 : view.top, bottom: rows ? u1 : view.bottom });
  }
  redraw();
}

// step goes to the next or previous of the given requests, as seen from the selection or the window.
function step(list, direction) {
  if (list.length === 0) return;
  const at = selected.request >= 0 ? startOf(selected.request) : direction > 0 ? view.from - 1 : view.to + 1;
  const found = direction > 0 ? list.find((r) => startOf(r) > at) : list.findLast((r) => startOf(r) < at);
  goTo(found === undefined ? list[direction > 0 ? 0 : list.length - 1] : found);
}

const failures = () => Array.from({ length: requests.count }, (_, r) => r).filter((r) => wrong(requests.status[r]) && requests.match[r]).sort((a, b) => startOf(a) - startOf(b));

function neighbour(direction) {
  const r = selected.request;
  if (r < 0) return;
  const stream = streams[requests.stream[r]], next = r + direction;
  if (next >= stream.first && next < stream.first + stream.count) goTo(next);
}

const keys = {
  ArrowLeft: () => panBy(-spanX() / 8, 0), ArrowRight: () => panBy(spanX() / 8, 0),
  ArrowUp: () => panBy(0, (view.top - view.bottom) / 8), ArrowDown: () => panBy(0, (view.bottom - view.top) / 8),
  "+": () => zoomTime(0.7, (view.from + view.to) / 2), "=": () => zoomTime(0.7, (view.from + view.to) / 2), "-": () => zoomTime(1 / 0.7, (view.from + view.to) / 2),
  "}": () => zoomRows(0.7, (view.top + view.bottom) / 2), "{": () => zoomRows(1 / 0.7, (view.top + view.bottom) / 2),
  0: fitAll, Home: goHome, c: () => choosePanels(panels.choice === ALL ? NONE : ALL), n: () => step(matches.hits, 1), p: () => step(matches.hits, -1), e: () => step(failures(), 1), E: () => step(failures(), -1),
  "[": () => neighbour(-1), "]": () => neighbour(1), "/": () => byId("search").focus(), "?": () => byId("help").showModal(), Escape: clearAll,
};

function onKey(event) {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
  if (typing && event.key === "Enter") return step(matches.hits, 1);
  if (typing && event.key === "Escape") return event.target.blur();
  if (typing || !keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
}

function clearAll() {
  for (const name of Object.keys(filters)) filters[name] = "";
  pointer.window = null;
  fillControls();
  showSide(-1);
  applyFilters();
}

const inputs = { trace: "f-trace", depth: "f-depth", kind: "f-kind", phase: "f-phase", status: "f-status", min: "f-min", max: "f-max", query: "search" };

function fillControls() {
  for (const [name, id] of Object.entries(inputs)) byId(id).value = filters[name];
}

function addOptions(id, list) {
  const select = byId(id);
  for (const [value, label] of [["", "all"], ...list]) {
    const option = element("option", label);
    option.value = value;
    select.append(option);
  }
}

function setUpControls() {
  addOptions("f-trace", raw.traces.map((name, i) => [String(i), name]));
  addOptions("f-depth", [...new Set(streams.map((s) => s.depth))].sort().map((d) => [String(d), String(d)]));
  addOptions("f-kind", [...new Set(streams.map((s) => s.kind))].sort().map((k) => [k, k]));
  addOptions("f-status", [["bad", "all that went wrong"], ...look.statuses.map((name, i) => [String(i), name])]);
  for (const [name, kind] of Object.entries(colourings)) {
    const option = element("option", kind.label);
    option.value = name;
    byId("colour").append(option);
  }
  for (const name of [ALL, NONE, ...panelNames]) {
    const option = element("option", name);
    option.value = name;
    byId("curves").append(option);
  }
  byId("curves").addEventListener("input", (event) => choosePanels(event.target.value));
  byId("colour").addEventListener("input", (event) => { setColouring(event.target.value); redraw(); });
  let timer = 0;
  for (const [name, id] of Object.entries(inputs)) {
    byId(id).addEventListener("input", (event) => {
      filters[name] = event.target.value;
      clearTimeout(timer);
      timer = setTimeout(applyFilters, 120);
    });
  }
  byId("b-fit").addEventListener("click", fitAll);
  byId("b-reset").addEventListener("click", clearAll);
  byId("b-failed").addEventListener("click", () => step(failures(), 1));
  byId("b-help").addEventListener("click", () => byId("help").showModal());
  byId("b-link").addEventListener("click", copyLink);
  byId("b-png").addEventListener("click", savePicture);
  addEventListener("keydown", onKey);
  addEventListener("mousemove", onMove);
  addEventListener("mouseup", onUp);
  const stage = byId("stage");
  stage.addEventListener("mousedown", onDown);
  stage.addEventListener("wheel", onWheel, { passive: false });
  stage.addEventListener("dblclick", (event) => { if (inPlot(event.offsetX, event.offsetY)) fitAll(); });
}

// The address bar holds the view, the filters and the selection, so that a link shows the same.
function writeHash() {
  const part = new URLSearchParams();
  if (view.from !== home.from || view.to !== home.to) part.set("t", [view.from, view.to].map((v) => seconds(v).toFixed(4)).join(","));
  if (view.top > 0 || view.bottom < unitsTall) part.set("y", [view.top, view.bottom].map((v) => v.toFixed(2)).join(","));
  for (const [name, value] of Object.entries(filters)) if (value !== "") part.set(name, name === "trace" ? raw.traces[Number(value)] : value);
  if (colouring.name !== "trace") part.set("colour", colouring.name);
  if (panels.choice !== ALL) part.set("curves", panels.choice);
  if (pointer.window) part.set("window", pointer.window.map((v) => seconds(v).toFixed(4)).join(","));
  if (selected.request >= 0) {
    const stream = streams[requests.stream[selected.request]];
    part.set("turn", [stream.play.run, stream.play.id, stream.id, requests.turn[selected.request]].join("."));
  }
  const text = part.toString();
  if (text !== location.hash.slice(1)) history.replaceState(null, "", "#" + text);
}

// choosePanels shows all curves, none, or one panel of them; the lanes get the room.
function choosePanels(name) {
  const next = name === NONE || panelNames.includes(name) ? name : ALL;
  byId("curves").value = next;
  if (next === panels.choice) return;
  panels.choice = next;
  resize();
}

const pair = (text) => (text ? text.split(",").map(Number) : null);

function readHash() {
  const part = new URLSearchParams(location.hash.slice(1));
  for (const name of Object.keys(filters)) filters[name] = part.get(name) || "";
  if (filters.trace !== "") filters.trace = String(Math.max(raw.traces.indexOf(filters.trace), 0));
  fillControls();
  setColouring(part.get("colour") || "trace");
  byId("colour").value = colouring.name;
  choosePanels(part.get("curves") || ALL);
  const t = pair(part.get("t")), y = pair(part.get("y")), window = pair(part.get("window"));
  pointer.window = window && window.map((v) => v * 1e6);
  Object.assign(view, { from: t ? t[0] * 1e6 : home.from, to: t ? t[1] * 1e6 : home.to, top: y ? y[0] : 0, bottom: y ? y[1] : unitsTall });
  const turn = (part.get("turn") || "").split(".").map(Number);
  const stream = turn.length === 4 && streams.find((s) => s.play.run === turn[0] && s.play.id === turn[1] && s.id === turn[2]);
  let chosen = -1;
  if (stream) for (let r = stream.first; r < stream.first + stream.count; r++) if (requests.turn[r] === turn[3]) chosen = r;
  return { chosen, placed: t !== null };
}
