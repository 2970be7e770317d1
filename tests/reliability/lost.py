"""A file system that is lost: from the n-th call on everything below a folder, also what only looks, fails with ESTALE, as on a network
file system whose server is gone; the first call hangs before. Corpus and outputs lie there. A command ends by itself and says what failed;
when the file system is back, the same command goes on and gives what an unbroken run gives. The clock of the files' server may be another one.

With the library the calls of one process fail. With lost_fs the folder is a mounted file system (FUSE): the kernel, its cache and other processes
see it too, single calls fail with EIO (also close, which tells of what was written before), and the command is interrupted while a call hangs.

Usage: lost.py MOG MODEL FAULT_LIBRARY|LOST_FS [EVERY [TRIAL [FIRST]]]
every so many calls are tried, 37 if it is not said; 1: each of them. TRIAL: record, stats or merge alone, from its call FIRST on.
"""
import contextlib
import errno
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

from trials import scratch

MOG, MODEL = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
FAULTS = str(pathlib.Path(sys.argv[3]).resolve()) if len(sys.argv) > 3 and sys.argv[3] else ""
COMMON = ["--threads", "1", "--quiet"]
HANG = 300  # milliseconds
YEARS = 10 * 365 * 86400
SINGLE = ("read", "write", "open", "rename", "fsync", "close", "ftruncate", "unlink")


def named(faults):
    return {f"MOG_FAULT_{key.upper()}": str(value) for key, value in faults.items()}


class Preloaded:
    """Faults in the calls of one process."""
    fuse = False

    def __init__(self, folder):
        self.place = folder / "lost"
        self.place.mkdir()

    @contextlib.contextmanager
    def at(self, **faults):
        """The environment of a command that meets these."""
        yield os.environ | ({"LD_PRELOAD": FAULTS} | named({"path": self.place, "reads": 1} | faults) if faults else {})


class Mounted:
    """Faults of a file system that is mounted while a command runs."""
    fuse = True

    def __init__(self, folder):
        self.folder, self.place = folder / "server", folder / "lost"
        self.folder.mkdir()
        self.place.mkdir()

    @contextlib.contextmanager
    def at(self, **faults):
        server = subprocess.Popen([FAULTS, self.folder, self.place], env=os.environ | named(faults), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            if server.stdout.readline() != "ready\n":
                raise OSError(server.stderr.read().strip() or "lost_fs ended")
            yield os.environ
        finally:
            end = ["fusermount3", "-uz"] if shutil.which("fusermount3") else ["umount", "-l"]
            subprocess.run([*end, self.place], capture_output=True)
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
            server.stdout.close()
            server.stderr.close()


def run(way, command, after=None, **faults):
    """(exit code, what it printed, what it said); `after` so many seconds it is interrupted"""
    with way.at(**faults) as environment:
        process = subprocess.Popen([MOG, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        if after is not None:
            time.sleep(after)
            process.send_signal(signal.SIGINT)
        printed, said = process.communicate(timeout=120)
    return process.returncode, printed, said


def well(way, command):
    code, printed, said = run(way, command)
    if code != 0:
        raise AssertionError(f"{' '.join(command)}: {said}")
    return printed


class Trial:
    """A command that writes below a folder, how it goes on, and what it is to leave as text."""

    def __init__(self, name, way, command, more, result):
        self.name, self.way, self.command, self.more, self.result = name, way, command, more, result

    def outputs(self):
        return [path for path in self.way.place.iterdir() if path.name.startswith("out")]

    def clear(self):
        with self.way.at():
            for path in self.outputs():
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def calls(self, log, **which):
        log.unlink(missing_ok=True)
        self.clear()
        code, _, said = run(self.way, self.command, log=log, **which)
        assert code == 0, said
        return len(log.read_text().splitlines()) if log.exists() else 0

    def problem(self, wanted, shift=0, hang=0, after=None, **faults):
        """What is wrong after these faults and a server whose clock is `shift` seconds off; empty if nothing is."""
        self.clear()
        began = time.monotonic()
        if hang:
            faults["hang"] = hang
        if self.way.fuse and shift:
            faults["clock"] = shift
        code, _, said = run(self.way, self.command, after, **faults)
        if code not in ({0, 1} if after is None else {0, 1, 130}):
            return f"ended with {code}: {said}"
        if code == 0:
            # What failed was of no account, such as the end of a file that is removed.
            return "" if self.result() == wanted else "it said that all is well, and it is not"
        if time.monotonic() - began < hang / 1000:
            return "the call did not hang: the trial tried nothing"
        if code == 1 and not said.strip():
            return f"ended with {code} without a word"
        if not self.way.fuse:
            for path in self.way.place.rglob("out*"):
                moment = time.time() + shift
                os.utime(path, (moment, moment))
        code, _, again = run(self.way, self.command + self.more)
        if code != 0:
            return f"after {said.strip()!r} going on failed with {code}: {again}"
        return "" if self.result() == wanted else "going on gave something else"


def trials(way):
    place = way.place
    corpus, recording, sums = place / "corpus.txt", place / "out.rec", place / "out.sums"
    table = place / "out.csv"
    source = ["-m", MODEL, "-i", str(corpus), "--batch-tokens", "60"]
    yield Trial("record", way, ["record", *source, "-o", str(recording), "--commit-every", "20", *COMMON], ["--resume"],
                lambda: well(way, ["validate", str(recording), "--quiet"]) and "" or well(way, ["stats", str(recording), "--bootstrap", "5"]))
    yield Trial("stats", way, ["stats", *source, "--quantity", "gate,joins", "--quantiles", "--bootstrap", "5", "--commit-every", "20",
                               "-o", str(sums), *COMMON], ["--resume"], lambda: well(way, ["merge", str(sums)]))
    parts = [place / f"part{part}.sums" for part in (1, 2)]
    for part, path in enumerate(parts, 1):
        well(way, ["stats", *source, "--bootstrap", "5", "--shard", f"{part}/2", "-o", str(path), *COMMON])

    def text():
        with way.at():
            return table.read_text()
    yield Trial("merge", way, ["merge", *map(str, parts), "-o", str(table), "--quiet"], [], text)


def faults_of(trial, every, folder, first):
    """Each with what it is called."""
    log = folder / "log"
    calls = trial.calls(log)
    print(f"{trial.name}: {calls} calls", flush=True)
    own = max(1, min(every, calls // 4))
    for turn, number in enumerate(range(first, calls + 1, own)):
        yield f"call {number} of {calls}", {"at": number, "times": 0, "do": errno.ESTALE, "hang": HANG, "shift": (0, YEARS, -YEARS)[turn % 3]}
    if not trial.way.fuse:
        return
    for kind in SINGLE:
        calls = trial.calls(log, calls=kind)
        for number in range(1, calls + 1, max(1, min(every, calls // 2))):
            yield f"{kind} {number} of {calls}", {"calls": kind, "at": number, "do": errno.EIO}
    calls = trial.calls(log, calls="write")
    if calls > 0:
        yield "interrupted while a write hangs", {"calls": "write", "at": (calls + 1) // 2, "do": errno.EIO, "hang": 2000, "after": 1}


def lost_fs_reason():
    """Why nothing can be mounted; empty if it can."""
    if not FAULTS:
        return "libfuse3 was not there when this was built"
    with scratch() as name:
        try:
            with Mounted(pathlib.Path(name)).at():
                return ""
        except OSError as error:
            return f"a file system of one's own cannot be mounted: {error}"


def main():
    every = int(sys.argv[4]) if len(sys.argv) > 4 else 37
    only = sys.argv[5] if len(sys.argv) > 5 else ""
    first = int(sys.argv[6]) if len(sys.argv) > 6 else 1
    preloaded = FAULTS.endswith(".so")
    if not preloaded and (reason := lost_fs_reason()):
        print(reason)
        return 77
    if not json.loads(subprocess.run([MOG, "doctor", "--json"], capture_output=True, text=True, check=True).stdout)["engine"]:
        print("the engine is not there")
        return 77
    failures = tried = 0
    with scratch() as name:
        folder = pathlib.Path(name)
        way = Preloaded(folder) if preloaded else Mounted(folder)
        draw = random.Random(1)
        with way.at():
            (way.place / "corpus.txt").write_text("".join(" ".join(f"w{draw.randrange(5, 39)}" for _ in range(draw.randint(1, 9))) + "\n" for _ in range(70)))
        well(way, ["corpus", "index", str(way.place / "corpus.txt")])
        for trial in trials(way):
            if only not in ("", trial.name):
                continue
            trial.clear()
            well(way, trial.command)
            wanted = trial.result()
            for what, faults in faults_of(trial, every, folder, first):
                tried += 1
                if wrong := trial.problem(wanted, **faults):
                    failures += 1
                    print(f"{trial.name}, {what}: {wrong}", flush=True)
    print(f"{tried} trials, {failures} failures")
    return 1 if failures or tried < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
