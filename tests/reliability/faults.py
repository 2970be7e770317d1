"""The n-th system call of a recording fails, is cut short, or is the last: nothing that was promised is lost.

Usage: faults.py SAMPLE_TOOL FAULT_LIBRARY [EVERY]. Every so many calls are tried, 41 if it is not said; 1: each of them.
After each trial what stands there must be sound and hold what was recorded before, and a run with --resume must complete
it. All of it with shards that stay as they are, and with shards that are joined.
"""
import errno
import pathlib
import shutil
import sys

from trials import JOINED, PER_SHARD, SENTENCES, Recorder, scratch, unfinished

# action, how many calls in a row (0: all that follow)
ACTIONS = [("kill", 1), ("short", 1), (errno.EIO, 1), (errno.EIO, 2), (errno.EIO, 0), (errno.ENOSPC, 0)]
ERRORS = {1, 4}  # another failure; no space


def problem(recorder, folder, code, output, action, recorded):
    """What is wrong after a trial, before which so many sentences were recorded; empty if nothing is."""
    if code not in ({-9} if action == "kill" else set()) | ERRORS | {0}:
        return f"ended with {code}: {output}"
    if (folder / "manifest.json").exists():
        state, kept, words = recorder.validate(folder)
        if state != 0:
            return f"what it left is not sound: {words}"
    else:
        kept = 0
    if kept < recorded:
        return f"{recorded} sentences were recorded, {kept} are left"
    if code == 0 and kept != SENTENCES:
        return f"it said that all is well and kept {kept} sentences"
    before = shards(folder)
    code, output = recorder.record(folder)
    if code != 0:
        return f"--resume failed: {output}"
    state, whole, words = recorder.validate(folder)
    if state != 0 or whole != SENTENCES or len(words.splitlines()) != 1:
        return f"after --resume: {words}"
    if unfinished(folder):
        return f"left behind: {unfinished(folder)}"
    if kept and any(shards(folder).get(name) != bytes_ for name, bytes_ in named(folder, before).items()):
        return "a shard that was recorded was written again"
    return ""


def shards(folder):
    return {path.name: path.read_bytes() for path in folder.glob("shard-*.h5")} if folder.exists() else {}


def named(folder, before):
    """Those of `before` that are still there under the same size: what --resume removed was not recorded."""
    return {name: data for name, data in before.items() if (folder / name).exists()
            and (folder / name).stat().st_size == len(data)}


def trial(recorder, scene, prepared, recorded, number, action, times):
    """One run with a fault, in a new folder or in a copy of one that was begun."""
    folder = scene / "rec"
    if prepared:
        shutil.copytree(prepared, folder)
    code, output = recorder.record(folder, path=folder, at=number, do=action, times=times)
    wrong = problem(recorder, folder, code, output, action, recorded)
    shutil.rmtree(folder, ignore_errors=True)
    return wrong


def begun(recorder, scene):
    """A recording that was killed in its middle, with everything that a kill may leave."""
    folder = scene / f"begun-{recorder.joined}"
    recorder.record(folder, path=folder, calls="rename", at=4, do="kill")
    (folder / "shard-00009.h5").write_bytes(b"an orphan")
    (folder / "manifest.json.part-1-2-3").write_text("{")
    (folder / "recording.h5.part").write_bytes(b"x")
    return folder


def try_all(recorder, scene, prepared, every):
    """Trials, failures: in a new folder, or going on with `prepared`."""
    kind = f"{'going on' if prepared else 'new folder'}{', joining' if recorder.joined else ''}"
    start = scene / "count"
    recorded = 0
    if prepared:
        shutil.copytree(prepared, start)
        recorded = recorder.validate(prepared)[1]
    calls = recorder.count(start, scene / f"log of {kind}")
    written = len(list(start.glob("shard-*.h5")))
    shutil.rmtree(start)
    if recorder.joined and written >= SENTENCES / PER_SHARD:
        print(f"{kind}: nothing was joined")
        return 0, 1
    tried = failures = 0
    for at, (action, times) in enumerate(ACTIONS):
        for number in range(1 + at, calls + 1, every):
            tried += 1
            wrong = trial(recorder, scene, prepared, recorded, number, action, times)
            if wrong:
                failures += 1
                print(f"{kind}: call {number} of {calls}, {action} × {times}: {wrong}")
    print(f"{kind}: {calls} calls, {tried} trials")
    return tried, failures


def no_room_for_joining(recorder, scene):
    """A disk that has room for every shard but for no join: the run ends well, with the shards as they were."""
    folder, log = scene / "room", scene / "log of room"
    calls = recorder.count(folder, log, calls="fallocate")
    joined = len(list(folder.glob("shard-*.h5")))
    shutil.rmtree(folder)
    kept = []
    for number in range(1, calls + 1):
        code, output = recorder.record(folder, path=folder, calls="fallocate", at=number, do=errno.ENOSPC)
        if code == 0:
            state, whole, words = recorder.validate(folder)
            if state != 0 or whole != SENTENCES:
                print(f"no room for call {number} of {calls}: {words}")
                return 1
            kept.append(len(list(folder.glob("shard-*.h5"))))
        elif code not in ERRORS:
            print(f"no room for call {number} of {calls}: ended with {code}: {output}")
            return 1
        shutil.rmtree(folder, ignore_errors=True)
    if not any(shards > joined for shards in kept):
        print(f"no room for joining: no run of {calls} went on with more than {joined} shards ({kept})")
        return 1
    return 0


def main():
    every = int(sys.argv[3]) if len(sys.argv) > 3 else 41
    tried = failures = 0
    with scratch() as name:
        scene = pathlib.Path(name)
        for joined in (0, JOINED):
            recorder = Recorder(sys.argv[1], sys.argv[2], joined)
            for prepared in (None, begun(recorder, scene)):
                more = try_all(recorder, scene, prepared, every)
                tried, failures = tried + more[0], failures + more[1]
        failures += no_room_for_joining(Recorder(sys.argv[1], sys.argv[2], JOINED), scene)
    print(f"{tried} trials, {failures} failures")
    return 1 if failures or tried < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
