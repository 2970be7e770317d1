"""Two writers of one recording, started at once: one records, the other is refused or goes on; nothing is lost.

Usage: writers.py SAMPLE_TOOL FAULT_LIBRARY [--long]. In most pairs a flush or the lock of one of them is delayed, which
opens the moments in which the other can come between. All of it with shards that stay and with shards that are joined,
where the journal and its lock change hands.
"""
import pathlib
import shutil
import sys

from trials import JOINED, SENTENCES, Recorder, scratch, unfinished

# command of both, delays of the first: which call, which one of them
SCENES = [(command, call, at) for command in ("resume", "write") for call, at in
          [("fsync", 1), ("fsync", 2), ("flock", 1), ("flock", 2), ("rename", 1), ("rename", 6), ("open", 1),
           ("ftruncate", 1), ("mkdir", 1)]]
REFUSALS = ("another program is recording there", "another program has just recorded there", "is there already and not empty",
            "removes it again and again")


def problem(recorder, folder, command, faults):
    first = recorder.start(folder, command, path=folder.parent, do="wait", **faults)
    second = recorder.start(folder, command)
    outputs = [process.communicate(timeout=120)[0] for process in (first, second)]
    codes = [first.returncode, second.returncode]
    if 0 not in codes:
        return f"both failed: {codes} {outputs}"
    for code, output in zip(codes, outputs):
        if code != 0 and not any(words in output for words in REFUSALS):
            return f"refused with other words: {code} {output}"
    state, kept, words = recorder.validate(folder)
    if state != 0 or kept != SENTENCES or len(words.splitlines()) != 1 or unfinished(folder):
        return f"{codes}: {words} {unfinished(folder)}"
    return ""


def main():
    rounds = 25 if "--long" in sys.argv else 1
    recorders = [Recorder(sys.argv[1], sys.argv[2], joined) for joined in (0, JOINED)]
    failures = 0
    with scratch() as name:
        folder = pathlib.Path(name) / "rec"
        for recorder in recorders * rounds:
            for command, call, at in SCENES:
                wrong = problem(recorder, folder, command, {"calls": call, "at": at})
                if wrong:
                    failures += 1
                    print(f"{command}, {call} {at} delayed{', joining' if recorder.joined else ''}: {wrong}")
                shutil.rmtree(folder, ignore_errors=True)
    print(f"{len(recorders) * rounds * len(SCENES)} pairs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
