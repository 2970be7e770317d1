#!/usr/bin/env python3
"""Tokenizers on one thread against Hugging Face's `tokenizers`, on the same lines.

    python3 tests/benchmarks/bench_tokenizers.py build/bin/text_tool ../shared FOLDER [--rounds 5]

FOLDER: what tests/unit/model/tokenizers_reference.py --keep FOLDER has learned (one folder a tokenizer). 5,997 lines of
FLORES and NTREX in four languages. Rounds in turn after one dropped, processor time; the ratio is theirs over ours. Fails
when the numbers of tokens differ, or a median is below 1. `encode_batch` without parallelism, as a loop would use it.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"
import tokenizers  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("tool")
parser.add_argument("shared", type=pathlib.Path)
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--only", default="")
arguments = parser.parse_args()

data = arguments.shared / "data"
sources = [data / "flores" / f"dev.{language}" for language in ("en", "de", "fr", "ro")]
sources += [data / "ntrex" / f"newstest2019.{language}" for language in ("en", "de")]
lines = [line.rstrip("\r\n") for source in sources for line in open(source, encoding="utf-8", newline="\n")][:6000]
results, failed = [], False
with tempfile.TemporaryDirectory() as name:
    corpus = pathlib.Path(name) / "corpus"
    corpus.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    for folder in sorted(arguments.folder.iterdir()):
        if arguments.only not in folder.name or not (folder / "tokenizer.json").exists():
            continue
        theirs = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        ours = subprocess.Popen([arguments.tool, "time", folder / "tokenizer.json", corpus], text=True,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        ratios, rates = [], []
        for round_number in range(arguments.rounds + 1):
            ours.stdin.write("\n")
            ours.stdin.flush()
            seconds, tokens = ours.stdout.readline().split()
            start = time.process_time()
            encodings = theirs.encode_batch(lines)
            other = time.process_time() - start
            if sum(len(encoding.ids) for encoding in encodings) != int(tokens):
                print(f"{folder.name}: the numbers of tokens differ", file=sys.stderr)
                failed = True
            if round_number > 0:
                ratios.append(other / float(seconds))
                rates.append(int(tokens) / float(seconds))
        ours.stdin.close()
        ours.wait()
        results.append({"tokenizer": folder.name, "lines": len(lines), "tokens": int(tokens),
                        "tokens_per_second": round(statistics.median(rates)),
                        "ratio": {"min": round(min(ratios), 2), "median": round(statistics.median(ratios), 2),
                                  "max": round(max(ratios), 2)}})
        failed |= statistics.median(ratios) < 1
        print(f"{folder.name}: {statistics.median(rates) / 1e6:.2f} M tokens/s, {statistics.median(ratios):.2f} times "
              f"tokenizers {tokenizers.__version__}", file=sys.stderr, flush=True)
print(json.dumps(results, indent=1))
sys.exit(failed)
