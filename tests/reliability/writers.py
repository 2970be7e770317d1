"""Two writers of one recording, started at once: one records, the other is refused or goes on; nothing is lost.

Usage: writers.py SAMPLE_TOOL FAULT_LIBRARY [--long]. In most pairs a flush or the lock of one of them is delayed, which
opens the moments in which the other can come between.
"""
import pathlib
import shutil
import sys

from trials import SENTENCES, Recorder, scratch, unfinished

# command of both, delays of the first: which call, which one of them
SCENES = [(command, call, at) for command in ("resume", "write") for call, at in
          [("fsync", 1), ("fsync", 2), ("flock", 1), ("rename", 1), ("open", 1), ("ftruncate", 1), ("mkdir", 1)]]
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
    recorder, rounds = Recorder(sys.argv[1], sys.argv[2]), 25 if "--long" in sys.argv else 1
    failures = 0
    with scratch() as name:
        folder = pathlib.Path(name) / "rec"
        for _ in range(rounds):
            for command, call, at in SCENES:
                wrong = problem(recorder, folder, command, {"calls": call, "at": at})
                if wrong:
                    failures += 1
                    print(f"{command}, {call} {at} delayed: {wrong}")
                shutil.rmtree(folder, ignore_errors=True)
    print(f"{rounds * len(SCENES)} pairs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
