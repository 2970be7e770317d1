"""A file system that is lost: from the n-th call on everything below a folder, also what only looks, fails with ESTALE, as on a network
file system whose server is gone; the first call hangs before. Corpus and outputs lie there. A command ends by itself and says what failed;
when the file system is back, the same command goes on and gives what an unbroken run gives. Meanwhile the clock of the files' server may
have been another one.

Usage: lost.py MOG MODEL FAULT_LIBRARY [EVERY]    every so many calls are tried, 37 if it is not said; 1: each of them
"""
import errno
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

from trials import scratch

MOG, MODEL, LIBRARY = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:4])
COMMON = ["--threads", "1", "--quiet"]
HANG = 300  # milliseconds
YEARS = 10 * 365 * 86400


def run(command, **faults):
    """(exit code, what it printed, what it said)"""
    environment = os.environ | ({"LD_PRELOAD": LIBRARY} | {f"MOG_FAULT_{k.upper()}": str(v) for k, v in faults.items()} if faults else {})
    done = subprocess.run([MOG, *command], capture_output=True, text=True, env=environment, timeout=120)
    return done.returncode, done.stdout, done.stderr


def well(command):
    code, printed, said = run(command)
    if code != 0:
        raise AssertionError(f"{' '.join(command)}: {said}")
    return printed


class Trial:
    """A command that writes below a folder, how it goes on, and what it is to leave as text."""

    def __init__(self, name, place, command, more, result):
        self.name, self.place, self.command, self.more, self.result = name, place, command, more, result

    def clear(self):
        for path in self.place.iterdir():
            if path.name.startswith("out"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def calls(self, log):
        log.unlink(missing_ok=True)
        code, _, said = run(self.command, path=self.place, reads=1, log=log)
        assert code == 0, said
        return len(log.read_text().splitlines())

    def problem(self, number, wanted, shift):
        """What is wrong after a loss at this call and a server whose clock is `shift` seconds off; empty if nothing is."""
        self.clear()
        began = time.monotonic()
        code, _, said = run(self.command, path=self.place, reads=1, at=number, times=0, do=errno.ESTALE, hang=HANG)
        if code not in {0, 1, 3}:  # 3: HDF5 did not say why an attribute could not be opened
            return f"ended with {code}: {said}"
        if code == 0:
            # What failed was of no account, such as the end of a file that is removed.
            return "" if self.result() == wanted else "it said that all is well, and it is not"
        if time.monotonic() - began < HANG / 1000:
            return "the call did not hang: the trial tried nothing"
        if not said.strip():
            return f"ended with {code} without a word"
        for path in self.place.rglob("out*"):
            moment = time.time() + shift
            os.utime(path, (moment, moment))
        code, _, again = run(self.command + self.more)
        if code != 0:
            return f"after {said.strip()!r} going on failed with {code}: {again}"
        return "" if self.result() == wanted else "going on gave something else"


def trials(place):
    corpus, recording, sums = place / "corpus.txt", place / "out.rec", place / "out.sums"
    table = place / "out.csv"
    source = ["-m", MODEL, "-i", str(corpus), "--batch-tokens", "60"]
    yield Trial("record", place, ["record", *source, "-o", str(recording), "--commit-every", "20", *COMMON], ["--resume"],
                lambda: well(["validate", str(recording), "--quiet"]) and "" or well(["stats", str(recording), "--bootstrap", "5"]))
    yield Trial("stats", place, ["stats", *source, "--quantity", "gate,joins", "--quantiles", "--bootstrap", "5", "--commit-every", "20",
                                 "-o", str(sums), *COMMON], ["--resume"], lambda: well(["merge", str(sums)]))
    parts = [place / f"part{part}.sums" for part in (1, 2)]
    for part, path in enumerate(parts, 1):
        well(["stats", *source, "--bootstrap", "5", "--shard", f"{part}/2", "-o", str(path), *COMMON])
    yield Trial("merge", place, ["merge", *map(str, parts), "-o", str(table), "--quiet"], [], table.read_text)


def main():
    every = int(sys.argv[4]) if len(sys.argv) > 4 else 37
    if not json.loads(well(["doctor", "--json"]))["engine"]:
        print("the engine is not there")
        return 77
    failures = tried = 0
    with scratch() as name:
        place = pathlib.Path(name) / "lost"
        place.mkdir()
        draw = random.Random(1)
        (place / "corpus.txt").write_text("".join(" ".join(f"w{draw.randrange(5, 39)}" for _ in range(draw.randint(1, 9))) + "\n" for _ in range(70)))
        well(["corpus", "index", str(place / "corpus.txt")])
        for trial in trials(place):
            calls = trial.calls(pathlib.Path(name) / "log")
            wanted = trial.result()
            own = max(1, min(every, calls // 4))
            for turn, number in enumerate(range(1, calls + 1, own)):
                tried += 1
                if wrong := trial.problem(number, wanted, (0, YEARS, -YEARS)[turn % 3]):
                    failures += 1
                    print(f"{trial.name}, call {number} of {calls}: {wrong}")
            print(f"{trial.name}: {calls} calls")
    print(f"{tried} trials, {failures} failures")
    return 1 if failures or tried < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
