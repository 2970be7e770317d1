"""Links that somebody put where a program writes: nothing behind them is changed.

Usage: links.py SAMPLE_TOOL FAULT_LIBRARY MOG. For every name that is written or removed in a recording's folder, a symbolic and
a hard link to a victim, a link into nowhere, a pipe and a folder; then a run with --resume, in an empty folder, in one
that a kill left, in a complete one. Then the files that `mog` writes where a person says.
"""
import os
import pathlib
import shutil
import stat
import subprocess
import sys

from trials import SENTENCES, Recorder, scratch

NAMES = ["journal.jsonl", "manifest.json", "manifest.json.part", "manifest.json.part-1-2-3", "recording.h5",
         "recording.h5.part", "shard-00001.h5", "shard-00001.h5.part", "shard-00002.h5", "shard-00002.h5.part",
         "shard-00005.h5", "shard-00005.h5.part"]
VICTIM = "{\"crc32\":\"a file of somebody else\n"
failures = []
tried = 0


def symbolic(path, victim):
    path.symlink_to(victim)


def hard(path, victim):
    os.link(victim, path)


def nowhere(path, victim):
    path.symlink_to(victim.parent / "not-there")


def pipe(path, _):
    os.mkfifo(path)


def folder_there(path, _):
    path.mkdir()
    (path / "file").write_text(VICTIM)


def unchanged(victim, path):
    return (victim.read_text() == VICTIM and stat.S_ISREG(victim.lstat().st_mode)
            and not (victim.parent / "not-there").exists()
            and (not path.is_dir() or (path / "file").read_text() == VICTIM))


def check(what, condition, output=""):
    global tried
    tried += 1
    if not condition:
        failures.append(what)
        print("FAILED:", what, output)


def recordings(recorder, scene):
    """Name → a folder as the trial finds it."""
    states = {"empty": scene / "empty", "begun": scene / "begun", "complete": scene / "complete"}
    states["empty"].mkdir()
    recorder.record(states["begun"], path=states["begun"], calls="rename", at=3, do="kill")
    recorder.record(states["complete"])
    return states


def in_recordings(recorder, scene):
    for state, prepared in recordings(recorder, scene).items():
        for name in NAMES:
            for plant in (symbolic, hard, nowhere, pipe, folder_there):
                folder, victim = scene / "rec", scene / "victim"
                shutil.copytree(prepared, folder)
                victim.write_text(VICTIM)
                path = folder / name
                if path.exists():
                    path.unlink()
                plant(path, victim)
                code, output = recorder.record(folder)
                what = f"{state}, {name}, {plant.__name__}: {code}"
                check(what, unchanged(victim, path), output)
                check(what, code in (0, 1, 2, 3), output)
                if code == 0:  # a finished file that is somebody's now is damage, which validate() finds
                    ok, kept, words = recorder.validate(folder)
                    sound = ok == 0 and kept == SENTENCES and not path.is_symlink()
                    check(what, sound or (plant is hard and state != "empty" and name in words), words)
                shutil.rmtree(folder)
                victim.unlink()


def mog(program, *arguments, text=""):
    return subprocess.run([program, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=120)


def in_outputs(program, recorder, scene):
    """A link as the output itself is the user's wish; those beside it, with names of unfinished files, are not."""
    recorder.record(scene / "rec")
    figure = ["figure", "attention", scene / "rec", "--sentence", "4", "--layer", "1", "--part", "middle1"]
    numbers = ["stats", scene / "rec"]
    for name, arguments in {"map.svg": figure, "map.png": figure, "map.h5": figure, "map.csv": figure,
                            "table.csv": numbers}.items():
        for suffix in (".part", ""):
            victim, output = scene / "victim", scene / "out" / name
            (scene / "out").mkdir()
            victim.write_text(VICTIM)
            (scene / "out" / (name + suffix)).symlink_to(victim)
            done = mog(program, *arguments, "--output", output)
            what = f"{name}, link at {name + suffix}: {done.returncode}"
            check(what, done.returncode in (0, 2), done.stderr)
            check(what, bool(suffix) <= (victim.read_text() == VICTIM), done.stderr)
            shutil.rmtree(scene / "out")


def main():
    recorder = Recorder(sys.argv[1], sys.argv[2])
    with scratch() as name:
        scene = pathlib.Path(name)
        in_recordings(recorder, scene)
        in_outputs(sys.argv[3], recorder, scene)
    print(f"{tried} checks, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
