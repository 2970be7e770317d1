"""Runs every wrong or odd file of the shared hostile collection through `mog describe`.

Exit code, words of the message, counts of sentences, the canary and the limits are those of its MANIFEST.
Usage: hostile_cli.py MOG [SHARED_DIR] [--only TEXT]
"""
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

from mog_cli import shared_dir, skip

SECONDS = 5.0
MEGABYTES = 512
# Opened as what they are; the others are formats that this version refuses whatever is in them.
OPENED = {"model_dir", "safetensors", "text", "bpe_codes", "vocab_lines", "vocab_counts", "hdf5", "conllu"}
REFUSED = {"torch", "ctranslate2", "tokenizer_json"}
# Their names and first bytes say what they are: --kind must not be needed.
BY_NAME = OPENED
EXITS = {"ok": 0, "bad_input": 3, "model_mismatch": 5}


def run(mog, arguments, canary):
    environment = dict(os.environ, MOG_CANARY=str(canary))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    process = subprocess.Popen([mog, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               stdin=subprocess.DEVNULL, env=environment)
    try:
        out, err = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None, "", "no end within 60 s", 60.0, 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Processor time: the limit must hold on a busy machine too.
    used = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
    elapsed = min(time.monotonic() - start, max(used, 0.0)) if used > 0 else time.monotonic() - start
    return process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"), elapsed, after.ru_maxrss


def has_word(word, message):
    if not word:
        return True
    if re.fullmatch(r"-?\d+", word):
        return re.search(rf"(?<![\d]){re.escape(word)}(?![\d])", message.replace(",", "")) is not None
    return word.lower() in message.lower()


def check(case, root, mog, canary, forced):
    path = root / case["path"]
    arguments = ["describe", str(path), "--json"]
    kind = case["kind"]
    if forced:
        arguments += ["--kind", kind]
    code, out, err, seconds, kilobytes = run(mog, arguments, canary)
    faults = []
    if kind in REFUSED:
        allowed = {3}
    else:
        allowed = {EXITS[case["expect"]]} | {EXITS[other] for other in case.get("also", [])}
    if code not in allowed:
        faults.append(f"exit {code}, wanted {sorted(allowed)}")
    if code != 0 and code is not None and code > 0:
        if path.name not in err and path.parent.name not in err:
            faults.append("the message does not name the file")
        if kind in OPENED and kind != "hdf5" and code == EXITS[case["expect"]] and not has_word(case["word"], err):
            faults.append(f"the message lacks {case['word']!r}")
    if code == 0 and "sentences" in case:
        found = json.loads(out)["sentences"]
        if found != case["sentences"]:
            faults.append(f"{found} sentences, wanted {case['sentences']}")
    if seconds > SECONDS:
        faults.append(f"{seconds:.1f} s")
    if canary.exists():
        faults.append("THE CANARY WAS TOUCHED")
        canary.unlink()
    if faults:
        print(f"{case['path']}{' (--kind)' if forced else ''}: {'; '.join(faults)}\n    {err.strip()[:300]}")
    return not faults, kilobytes


def main():
    arguments = sys.argv[1:]
    only = ""
    if "--only" in arguments:
        at = arguments.index("--only")
        only = arguments[at + 1]
        del arguments[at:at + 2]
    mog = arguments[0]
    root = shared_dir(arguments[1] if len(arguments) > 1 else None) / "hostile"
    if not (root / "MANIFEST.json").exists():
        skip("the shared hostile files are absent (MOG_SHARED_DIR)")
    cases = json.loads((root / "MANIFEST.json").read_text(encoding="utf-8"))["files"]
    cases = [case for case in cases if not case.get("on_demand") and only in case["path"]]
    good = 0
    runs = 0
    most = 0
    with tempfile.TemporaryDirectory() as folder:
        canary = pathlib.Path(folder) / "canary"
        for case in cases:
            ways = [True]
            if case["kind"] in BY_NAME:
                ways.append(False)
            for forced in ways:
                runs += 1
                passed, kilobytes = check(case, root, mog, canary, forced)
                good += passed
                most = max(most, kilobytes)
    if most > MEGABYTES * 1024:
        print(f"greatest memory {most // 1024} MB, allowed {MEGABYTES}")
        return 1
    print(f"{good} of {runs} runs as the MANIFEST says; greatest memory {most // 1024} MB")
    return 0 if good == runs else 1


if __name__ == "__main__":
    sys.exit(main())
