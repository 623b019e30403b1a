"""Encodes and decodes with the reference library. Started by the optional oracle test.

usage: python oracle.py tokenizer.json < jobs > answers
A job is a JSON line {"text": ...} or {"ids": [...], "skip": bool}; the answer is a JSON line.
"""
import json
import sys

from tokenizers import Tokenizer

tokenizer = Tokenizer.from_file(sys.argv[1])
tokenizer.no_truncation()
tokenizer.no_padding()
for line in sys.stdin:
    job = json.loads(line)
    if "text" in job:
        answer = tokenizer.encode(job["text"], add_special_tokens=False).ids
    else:
        answer = tokenizer.decode(job["ids"], skip_special_tokens=job["skip"])
    print(json.dumps(answer))
