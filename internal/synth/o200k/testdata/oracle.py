"""Encodes with the reference library. Started by the optional oracle test.

usage: python oracle.py ranks.tiktoken < texts > answers
The input is JSON lines of strings, the answers are JSON lines of id lists.
"""
import base64
import json
import sys

import tiktoken

ranks = {}
for line in open(sys.argv[1], "rb"):
    token, rank = line.split()
    ranks[base64.b64decode(token)] = int(rank)
word = r"[^\r\n\p{L}\p{N}]?"
upper, lower = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
short = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
pattern = "|".join([
    word + upper + "*" + lower + "+" + short,
    word + upper + "+" + lower + "*" + short,
    r"\p{N}{1,3}",
    r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
    r"\s*[\r\n]+",
    r"\s+(?!\S)",
    r"\s+",
])
encoding = tiktoken.Encoding("o200k", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
for line in sys.stdin:
    print(json.dumps(encoding.encode(json.loads(line))))
