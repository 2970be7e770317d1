"""What the tests of `mog train` share. The program and the engine are the test's first two arguments; every run has one
thread, so that a resumed one can be the unbroken one bit for bit."""
import json
import os
import pathlib
import subprocess
import sys

MOG, ENGINE = sys.argv[1:3]
os.environ["MOG_ENGINE"] = ENGINE
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.pop("MOG_DATA_DIR", None)

# What is different in every run.
CLOCK = ("elapsed_s", "tokens_per_second")

# Words with one part of speech each.
WORDS = {"the": "DET", "a": "DET", "cat": "NOUN", "dog": "NOUN", "Paris": "PROPN", "Ann": "PROPN",
         "sees": "VERB", "likes": "VERB", "7": "NUM", ".": "PUNCT"}


def mog(*arguments, expect=0):
    done = subprocess.run([MOG, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert done.returncode == expect, (arguments, done.returncode, done.stdout, done.stderr)
    return done


def without_clock(path):
    """The lines of a .jsonl file as dictionaries; none while it is not there."""
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [{key: value for key, value in line.items() if key not in CLOCK} for line in lines]


def metrics(directory):
    return without_clock(pathlib.Path(f"{directory}.training") / "metrics.jsonl")
