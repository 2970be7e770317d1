"""What the trials of this folder share: a program that records a small sample, and what must hold afterwards."""
import os
import pathlib
import subprocess
import tempfile

SENTENCES, PER_SHARD = 20, 6
JOINED = 80_000  # bytes: two shards, and not a third


def scratch():
    """A folder in memory where that can be had: recordings flush every shard."""
    return tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)


class Recorder:
    """hdf5_sample_tool, which writes recordings as `mog record` does, with faults from the preloaded library."""

    def __init__(self, tool, library, joined=0):
        self.joined = joined  # bytes of a file that shards are joined to; 0: they are not
        self.tool = str(pathlib.Path(tool).resolve())
        self.library = str(pathlib.Path(library).resolve())

    def environment(self, faults):
        return os.environ | {"LD_PRELOAD": self.library} | {f"MOG_FAULT_{k.upper()}": str(v) for k, v in faults.items()}

    def start(self, folder, command="resume", **faults):
        return subprocess.Popen([self.tool, command, folder, str(SENTENCES), str(PER_SHARD),
                                 str(self.joined)], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                env=self.environment(faults) if faults else None)

    def record(self, folder, command="resume", **faults):
        process = self.start(folder, command, **faults)
        output, _ = process.communicate(timeout=120)
        return process.returncode, output

    def read(self, folder, **faults):
        """(exit code, what it says)"""
        done = subprocess.run([self.tool, "read", folder], capture_output=True, text=True, timeout=120, env=self.environment(faults) if faults else None)
        return done.returncode, done.stdout + done.stderr

    def validate(self, folder):
        """(exit code, sentences, what it says)"""
        done = subprocess.run([self.tool, "read", folder], capture_output=True, text=True, timeout=120)
        words = done.stdout.split()
        return done.returncode, int(words[1]) if done.returncode == 0 else 0, done.stdout

    def count(self, folder, log, **faults):
        """How many calls a whole run makes."""
        code, output = self.record(folder, log=log, path=folder, **faults)
        assert code == 0, output
        return len(pathlib.Path(log).read_text().splitlines())


def unfinished(folder):
    return sorted(path.name for path in pathlib.Path(folder).iterdir() if ".part" in path.name)
