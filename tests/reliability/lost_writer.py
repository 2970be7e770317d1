"""A file system that is lost, at every call, without a model: from the n-th call on whatever hdf5_sample_tool asks of the folder of a recording fails
with ESTALE, also what only looks; or that call alone fails with EIO. Recording, going on and reading end with 1 and say which error it was: never
"damaged", "missing", or somebody else's doing. Nothing that was recorded is lost, and the same command goes on to the whole.

Usage: lost_writer.py TOOL FAULT_LIBRARY [EVERY]    every so many calls are tried, 47 if it is not said; 1: each of them
"""
import errno
import os
import pathlib
import shutil
import sys

from trials import Recorder, SENTENCES, scratch

TOOL, LIBRARY = sys.argv[1:3]
EVERY = int(sys.argv[3]) if len(sys.argv) > 3 else 47
LOST, ONCE = {"do": errno.ESTALE, "times": 0}, {"do": errno.EIO, "times": 1}
SAID = {errno.ESTALE: os.strerror(errno.ESTALE), errno.EIO: os.strerror(errno.EIO)}


class Trial:
    def __init__(self, folder):
        self.recorder, self.folder, self.log = Recorder(TOOL, LIBRARY), folder / "rec", folder / "log"
        self.tried = self.failures = 0

    def whole(self):
        """Begins with an empty place."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, command, **faults):
        if faults:
            faults |= {"path": self.folder, "reads": 1}
        if command == "read":
            return self.recorder.read(self.folder, **faults)
        return self.recorder.record(self.folder, **faults)

    def calls(self, command, **faults):
        self.log.unlink(missing_ok=True)
        code, said = self.run(command, log=self.log, **faults)
        assert code == 0, said
        return self.log.read_text().splitlines()

    def attempt(self, what, command, prepare, kept):
        """Every call of the command; at least `kept` sentences stay."""
        prepare()
        calls = self.calls(command)
        print(f"{what}: {len(calls)} calls", flush=True)
        for faults in (LOST, ONCE):
            for number in range(1, len(calls) + 1, EVERY):
                prepare()
                self.tried += 1
                code, said = self.run(command, at=number, **faults)
                wrong = ""
                if code not in (0, 1):
                    wrong = f"ended with {code}: {said}"
                elif code == 1 and SAID[faults["do"]] not in said:
                    wrong = f"did not say what failed: {said}"
                elif command != "read":
                    code, sentences, said = self.recorder.validate(self.folder)
                    if kept and (code != 0 or sentences < kept):
                        wrong = f"of {kept} sentences {sentences} are left: {said}"
                    else:
                        code, said = self.run("resume")
                        code, sentences, said = self.recorder.validate(self.folder) if code == 0 else (code, 0, said)
                        if code != 0 or sentences != SENTENCES:
                            wrong = f"going on gave {sentences} sentences: {said}"
                if wrong:
                    self.failures += 1
                    print(f"{what}, {calls[number - 1]} ({number}), {SAID[faults['do']]}: {wrong.strip()}", flush=True)


def main():
    with scratch() as name:
        trial = Trial(pathlib.Path(name))
        trial.attempt("recording", "resume", trial.whole, 0)
        # Two shards are in the journal.
        trial.whole()
        calls = trial.calls("resume")
        at = [number for number, call in enumerate(calls, 1) if call.startswith("write ") and call.endswith("journal.jsonl")][2] + 1
        trial.whole()
        trial.run("resume", at=at, do="kill")
        code, kept, said = trial.recorder.validate(trial.folder)
        assert code == 0 and 0 < kept < SENTENCES, said
        begun = pathlib.Path(name) / "begun"
        trial.folder.rename(begun)

        def copied():
            trial.whole()
            shutil.copytree(begun, trial.folder)
        trial.attempt("going on", "resume", copied, kept)
        trial.whole()
        assert trial.run("resume")[0] == 0
        trial.attempt("reading", "read", lambda: None, 0)
    print(f"{trial.tried} trials, {trial.failures} failures")
    return 1 if trial.failures or trial.tried < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
