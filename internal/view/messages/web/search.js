// Search over everything that is on the page: texts, roles, outcomes, errors, ids.

const search = { query: "", hits: [], at: -1 }; // hits: {stream, turn}

const lowered = [];
function loweredText(index) {
  if (lowered[index] === undefined) lowered[index] = data.texts[index].s.toLowerCase();
  return lowered[index];
}

// turnMatches says whether what is new in a turn, its answer or its facts hold the query.
function turnMatches(stream, sent, query) {
  const facts = [sent.outcome, sent.error || "", sent.finish || "", sent.id || "", "turn " + sent.turn, sent.phase, stream.name].join("\n").toLowerCase();
  if (facts.includes(query)) return true;
  if (sent.response >= 0 && loweredText(sent.response).includes(query)) return true;
  const planned = plannedTurn(stream, sent.turn);
  // The first turn of a stream shows its whole array: history that this play never sent before.
  const list = sent === stream.turns[0] ? arrayOf(stream, sent.turn).map((entry) => entry.message) : (planned && planned.new) || [];
  return list.some((message) => message.r === query || (message.t >= 0 && loweredText(message.t).includes(query)));
}

function runSearch(query) {
  search.query = query.trim().toLowerCase();
  search.hits = [];
  search.at = -1;
  if (search.query !== "") {
    for (const stream of conversations) {
      for (const sent of stream.turns) if (turnMatches(stream, sent, search.query)) search.hits.push({ stream, sent });
    }
  }
  byId("found").textContent = search.query === "" ? "" : search.hits.length === 0 ? "not found" : whole(search.hits.length) + " turns";
}

// putText fills a node with text, marking what was searched for. Only text nodes are ever made.
function putText(node, text) {
  const query = search.query;
  if (query === "") {
    node.append(text);
    return;
  }
  const lower = text.toLowerCase();
  let from = 0, marks = 0;
  if (lower.length === text.length) {
    for (let at = lower.indexOf(query); at >= 0 && marks < 500; at = lower.indexOf(query, at + query.length), marks++) {
      node.append(text.slice(from, at), element("mark", text.slice(at, at + query.length)));
      from = at + query.length;
    }
  }
  node.append(text.slice(from));
}
