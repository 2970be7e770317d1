"""Statistics while a model runs: the n-th system call fails, is cut short, or is the last. What was counted up to the last commit
stays, `--resume` goes on with it, and the sums are those of an unbroken run, byte for byte.

Usage: counts.py MOG MODEL FAULT_LIBRARY [EVERY]    every so many calls are tried, 13 if it is not said; 1: each of them
"""
import errno
import json
import os
import pathlib
import random
import subprocess
import sys

from trials import scratch

ACTIONS = [("kill", 1), ("short", 1), (errno.EIO, 1), (errno.EIO, 0), (errno.ENOSPC, 0)]
ERRORS = {1, 4}  # another failure; no space
MOG, MODEL, LIBRARY = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:4])


def count(corpus, sums, *more, **faults):
    """(exit code, what it said)"""
    environment = os.environ | ({"LD_PRELOAD": LIBRARY} | {f"MOG_FAULT_{k.upper()}": str(v) for k, v in faults.items()} if faults else {})
    done = subprocess.run([MOG, "stats", "-m", MODEL, "-i", corpus, "--quantity", "gate,entropy", "--bootstrap", "5", "--commit-every", "20",
                           "--batch-tokens", "60", "--threads", "1", "-o", sums, *more, "--quiet"],
                          capture_output=True, text=True, env=environment, timeout=120)
    return done.returncode, done.stderr


def merged(sums):
    """(exit code, table, what it said) of the sums; times and the like are no part of a table."""
    done = subprocess.run([MOG, "merge", sums, "--allow-missing"], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def problem(corpus, sums, wanted, code, said, action):
    """What is wrong after a trial; empty if nothing is."""
    if code not in ({-9} if action == "kill" else set()) | ERRORS | {0}:
        return f"ended with {code}: {said}"
    if sums.exists():
        state, table, notes = merged(sums)
        if state != 0:
            return f"what it left is not sound: {notes}"
        if code == 0 and (table != wanted or notes):
            return f"it said that all is well, and it is not: {notes}"
    elif code == 0:
        return "it said that all is well, and nothing is there"
    code, said = count(corpus, sums, "--resume")
    if code != 0:
        return f"--resume failed: {said}"
    if merged(sums) != (0, wanted, ""):
        return "after --resume the sums are others"
    return ""


def main():
    every = int(sys.argv[4]) if len(sys.argv) > 4 else 13
    engine = json.loads(subprocess.run([MOG, "doctor", "--json"], capture_output=True, check=True).stdout)["engine"]
    if not engine:
        print("the engine is not there")
        return 77
    failures = trials = 0
    with scratch() as name:
        folder = pathlib.Path(name)
        corpus = folder / "corpus.txt"
        draw = random.Random(1)
        corpus.write_text("".join(" ".join(f"w{draw.randrange(5, 39)}" for _ in range(draw.randint(1, 9))) + "\n" for _ in range(70)))
        log = folder / "log"
        place = folder / "part"
        place.mkdir()
        sums = place / "x.sums"
        code, said = count(corpus, sums, path=place, log=log)
        if code != 0:
            print(said)
            return 1
        calls = len(log.read_text().splitlines())
        wanted = merged(sums)[1]
        sums.unlink()
        for at, (action, times) in enumerate(ACTIONS):
            for number in range(1 + at, calls + 1, every):
                trials += 1
                code, said = count(corpus, sums, path=place, at=number, do=action, times=times)
                if wrong := problem(corpus, sums, wanted, code, said, action):
                    failures += 1
                    print(f"call {number} of {calls}, {action} × {times}: {wrong}")
                # Where everything fails from then on, taking a file away does, too.
                if times != 0 and len(list(place.iterdir())) > 1:
                    failures += 1
                    print(f"call {number} of {calls}, {action} × {times}: left behind {[path.name for path in place.iterdir()]}")
                for path in place.iterdir():
                    path.unlink()
    print(f"{calls} calls, {trials} trials, {failures} failures")
    return 1 if failures or trials < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
