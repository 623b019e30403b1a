"""Encodes the prompts of a bundle with the reference library and compares the counts with the recorded ones.

usage: python exact.py PREP TOKENIZER-FOLDER BUNDLE [TURNS [LONGEST]]

PREP is agentx-prep, which exports the prompts. Looked at are TURNS turns (3000) with inputs of up to LONGEST
tokens (36000), from the traces with the smallest peaks on, in three senses: every message alone; all messages
of a request joined by one blank, with the marker that a run puts before the first user message; and the output
of the chat template, which must be the overhead of that sequence of roles more. Every fourth turn is joined
without the marker too, and rendered with it. Every difference is an error. Needs the packages tokenizers and
jinja2.
"""
import json
import os
import re
import subprocess
import sys

from jinja2 import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import Tokenizer

MARKER = "[rid:c6844097e0c5]\n\n"

# Where the folder has no chat template, the third sense is shown with the form that Llama-2 was trained on.
BARE = (
    "{% for m in messages %}{% if m.role == 'assistant' %}{{ ' ' + m.content + ' ' + eos_token }}"
    "{% else %}{{ bos_token + '[INST] ' + m.content + ' [/INST]' }}{% endif %}{% endfor %}"
)
SENSES = ("alone", "joined", "joined with marker", "template", "template with marker")


def read_template(folder):
    config = {}
    path = os.path.join(folder, "tokenizer_config.json")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            config = json.load(file)
    source, name = config.get("chat_template"), "its own template"
    if isinstance(source, list):
        source = {t["name"]: t["template"] for t in source}["default"]
    if not source:
        source, name = BARE, "a template of this script"
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)

    def raise_exception(message):
        raise TemplateError(message)

    environment.globals["raise_exception"] = raise_exception
    compiled = environment.from_string(source)
    tokens = {k: v["content"] if isinstance(v, dict) else v for k, v in config.items() if k.endswith("_token") and v}
    tokens.setdefault("bos_token", "")
    tokens.setdefault("eos_token", "")
    return lambda messages: compiled.render(messages=messages, add_generation_prompt=True, **tokens), name


def turns_of(prep, bundle, wanted, longest):
    """Yields exported turns, without reading those that are too long."""
    manifest = json.loads(subprocess.run([prep, "inspect", "--json", bundle], check=True, stdout=subprocess.PIPE).stdout)["manifest"]
    given = 0
    for trace in sorted(manifest["traces"], key=lambda t: (t["peak_context"], t["id"])):
        export = subprocess.Popen([prep, "export", "--trace", trace["id"], bundle], stdout=subprocess.PIPE)
        for line in export.stdout:
            size = re.search(rb'"in":(\d+)\}\s*$', line)
            if not size or int(size.group(1)) > longest:
                continue
            yield json.loads(line)
            given += 1
            if given == wanted:
                export.kill()
                export.wait()
                return
        if export.wait() != 0:
            sys.exit(f"exporting {trace['id']} failed")


def with_marker(messages):
    marked = [dict(message) for message in messages]
    for message in marked:
        if message["role"] == "user":
            message["content"] = MARKER + message["content"]
            return marked
    marked[0]["content"] = MARKER + marked[0]["content"]
    return marked


class Comparison:
    def __init__(self, tokenizer, render):
        self.tokenizer, self.render = tokenizer, render
        self.compared, self.different, self.refused = [0] * len(SENSES), [0] * len(SENSES), 0
        self.known, self.overheads, self.waiting = set(), {}, []
        self.marker = self.count(MARKER)

    def count(self, text):
        return len(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def expect(self, sense, text, tokens, where):
        self.waiting.append((sense, text, tokens, where))
        if len(self.waiting) == 64:
            self.flush()

    def flush(self):
        batch, self.waiting = self.waiting, []
        answers = self.tokenizer.encode_batch_fast([text for _, text, _, _ in batch], add_special_tokens=False)
        for (sense, _, tokens, where), answer in zip(batch, answers):
            self.compared[sense] += 1
            if len(answer.ids) != tokens:
                self.different[sense] += 1
                if sum(self.different) <= 10:
                    print(f"  {SENSES[sense]}, {where}: {len(answer.ids)} tokens, recorded {tokens}")

    def overhead(self, messages):
        roles = tuple(message["role"] for message in messages)
        if roles not in self.overheads:
            bare = [{"role": role, "content": "x"} for role in roles]
            try:
                self.overheads[roles] = self.count(self.render(bare)) - len(roles) * self.count("x")
            except TemplateError:
                self.overheads[roles] = None
        return self.overheads[roles]

    def turn(self, number, turn):
        where = f"turn {turn['turn']} of {turn['conversation']}"
        messages = [{"role": m["role"], "content": m["content"]} for m in turn["messages"]]
        for message in turn["messages"]:
            if message["content"] not in self.known:
                self.known.add(message["content"])
                self.expect(0, message["content"], message["tokens"], where)
        marked = with_marker(messages)
        fourth = number % 4 == 0
        if fourth:
            self.expect(1, " ".join(m["content"] for m in messages), turn["in"], where)
        self.expect(2, " ".join(m["content"] for m in marked), turn["in"] + self.marker, where)
        overhead = self.overhead(messages)
        if overhead is None:
            self.refused += 1
            return
        self.expect(3, self.render(messages), turn["in"] + overhead, where)
        if fourth:
            self.expect(4, self.render(marked), turn["in"] + self.marker + overhead, where)


def main(prep, folder, bundle, wanted=3000, longest=36000):
    render, name = read_template(folder)
    tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    comparison, tokens, turns = Comparison(tokenizer, render), 0, 0
    for turn in turns_of(prep, bundle, int(wanted), int(longest)):
        comparison.turn(turns, turn)
        turns, tokens = turns + 1, tokens + turn["in"]
    comparison.flush()
    senses = ", ".join(f"{s} {d} of {c}" for s, d, c in zip(SENSES, comparison.different, comparison.compared))
    print(f"{turns} turns, {tokens} tokens, with {name}: differences: {senses}; refused by the template: {comparison.refused} turns")
    if sum(comparison.different) or turns == 0:
        sys.exit(1)


main(*sys.argv[1:])
