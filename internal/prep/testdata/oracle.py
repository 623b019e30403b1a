"""Counts tokens with the reference library. Started by the optional oracle test.

usage: python oracle.py tokenizer.json < texts > counts
The input is JSON lines of strings, the answers are one number a line.
"""
import json
import sys

from tokenizers import Tokenizer

tokenizer = Tokenizer.from_file(sys.argv[1])
tokenizer.no_truncation()
tokenizer.no_padding()


def answer(batch):
    for encoding in tokenizer.encode_batch_fast(batch, add_special_tokens=False):
        print(len(encoding.ids))


batch = []
for line in sys.stdin:
    batch.append(json.loads(line))
    if len(batch) == 64:
        answer(batch)
        batch = []
answer(batch)
