"""Runs every wrong or odd file of the shared hostile collection through `mog describe`.

Exit code, words of the message, counts of sentences, the canary, neighbours that must not be read and the limits
are those of its MANIFEST. The cases that are too large to keep are made one after the other in a temporary folder
(kinds of weights: the others have their tests) unless --small is given.
Usage: hostile_cli.py MOG [SHARED_DIR] [--only TEXT] [--small]
"""
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

from mog_cli import allowed_megabytes, sanitized, shared_dir, skip

SECONDS = 5.0
MEGABYTES = allowed_megabytes(sys.argv[1], 512)
# Its pickles, and what cannot be kept in a repository and is refused.
REFUSED_SECONDS, REFUSED_MEGABYTES = 1.0, allowed_megabytes(sys.argv[1], 256)
# The collection's limits are those of the program that users have. Sanitizers take so much of its time that only a
# loop without end would still be found.
TIMES_SECONDS = 10 if sanitized(sys.argv[1]) else 1
# Opened as what they are; the others are formats that this version refuses whatever is in them.
WEIGHTS = {"safetensors", "torch", "ctranslate2"}
OPENED = WEIGHTS | {"model_dir", "text", "bpe_codes", "vocab_lines", "vocab_counts", "hdf5", "conllu",
                    "tokenizer_json"}
REFUSED = set()
# Their names and first bytes say what they are: --kind must not be needed.
BY_NAME = OPENED
EXITS = {"ok": 0, "bad_input": 3, "model_mismatch": 5}


def run(mog, arguments, canary):
    """Exit code (None: no end), output, errors, seconds and the most kilobytes of it and its own children."""
    environment = dict(os.environ, MOG_CANARY=str(canary))
    start = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen([mog, *arguments], stdout=out, stderr=err, stdin=subprocess.DEVNULL,
                                   env=environment)
        done = 0
        while done == 0:
            done, status, usage = os.wait4(process.pid, os.WNOHANG)
            if done == 0:
                if time.monotonic() - start > 60:
                    process.kill()
                    process.wait()
                    return None, "", "no end within 60 s", 60.0, 0
                time.sleep(0.002)
        process.returncode = os.waitstatus_to_exitcode(status)
        # Processor time: the limit must hold on a busy machine too.
        used = usage.ru_utime + usage.ru_stime
        elapsed = min(time.monotonic() - start, used)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
    return process.returncode, *texts, elapsed, usage.ru_maxrss


def has_word(word, message):
    if not word:
        return True
    if re.fullmatch(r"-?\d+", word):
        whole = re.compile(rf"(?<![\d]){re.escape(word)}(?![\d])")
        return bool(whole.search(message) or whole.search(message.replace(",", "")))
    return word.lower() in message.lower()


def limits(case):
    """Seconds and MB: the README of the collection."""
    hungry = case["path"].startswith("pickle/") or (case.get("on_demand") and case["expect"] != "ok")
    return (REFUSED_SECONDS, REFUSED_MEGABYTES) if hungry else (SECONDS, MEGABYTES)


def check(case, root, path, mog, canary, forced):
    arguments = ["describe", str(path), "--json"]
    kind = case["kind"]
    if forced:
        arguments += ["--kind", kind]
    neighbour = root / case["must_not_read"] if "must_not_read" in case else None
    seen = neighbour.stat().st_atime_ns if neighbour and neighbour.exists() else None
    code, out, err, seconds, kilobytes = run(mog, arguments, canary)
    faults = []
    if seen is not None and neighbour.stat().st_atime_ns != seen:
        faults.append(f"{neighbour.name} was read")
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
    most_seconds, most_megabytes = limits(case)
    most_seconds *= TIMES_SECONDS
    if seconds > most_seconds:
        faults.append(f"{seconds:.1f} s, allowed {most_seconds}")
    if kilobytes > most_megabytes * 1024:
        faults.append(f"{kilobytes // 1024} MB, allowed {most_megabytes}")
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
    small = "--small" in arguments
    arguments = [argument for argument in arguments if argument != "--small"]
    mog = arguments[0]
    root = shared_dir(arguments[1] if len(arguments) > 1 else None) / "hostile"
    if not (root / "MANIFEST.json").exists():
        skip("the shared hostile files are absent (MOG_SHARED_DIR)")
    cases = json.loads((root / "MANIFEST.json").read_text(encoding="utf-8"))["files"]
    cases = [case for case in cases if only in case["path"]]
    kept = [case for case in cases if not case.get("on_demand")]
    large = [case for case in cases if case.get("on_demand") and case["kind"] in WEIGHTS and not small]
    good = 0
    runs = 0
    most = 0
    with tempfile.TemporaryDirectory() as folder:
        canary = pathlib.Path(folder) / "canary"

        def try_case(case, path, ways):
            nonlocal good, runs, most
            for forced in ways:
                runs += 1
                passed, kilobytes = check(case, root, path, mog, canary, forced)
                good += passed
                most = max(most, kilobytes)

        for case in kept:
            try_case(case, root / case["path"], [True, False] if case["kind"] in BY_NAME else [True])
        for case in large:
            name = case["path"].removeprefix("large/")
            make = subprocess.run([sys.executable, str(root / "make_hostile.py"), "--large", folder, "--only", name],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            made = pathlib.Path(folder) / name
            if make.returncode != 0 or not (made.exists() or made.is_symlink()):
                print(f"{case['path']}: not made: {make.stderr.decode('utf-8', 'replace').strip()[-200:]}")
                continue
            try_case(case, made, [True])
            remove(made)
    print(f"{good} of {runs} runs as the MANIFEST says; greatest memory {most // 1024} MB")
    return 0 if good == runs else 1


def remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


if __name__ == "__main__":
    sys.exit(main())
