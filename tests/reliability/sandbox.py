"""Where the kernel refuses filters of system calls, the user is told and may demand them.

Usage: sandbox.py MOG NO_SECCOMP WEIGHTS SAMPLE_TOOL   (WEIGHTS: a sound safetensors file)
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

MOG, NO_SECCOMP, WEIGHTS, SAMPLE_TOOL = sys.argv[1:]
WARNING = "does not let mog-loader restrict its system calls"


def run(*words, refused=False, **environment):
    started = ([NO_SECCOMP] if refused else []) + [MOG, *words]
    return subprocess.run(started, capture_output=True, text=True, env={**os.environ, **environment})


def doctor(refused):
    done = run("doctor", "--json", refused=refused)
    assert done.returncode == 0, done
    return json.loads(done.stdout)


def main():
    os.environ.pop("MOG_REQUIRE_SANDBOX", None)
    here = doctor(refused=False)
    if not here["sandbox"]:
        print(f"skipped: mog-loader is not restricted here: {here['sandbox_error']}")
        return 77
    there = doctor(refused=True)
    assert there["sandbox"] is False and there["sandbox_error"], there
    assert there["sandbox_error"] in run("doctor", refused=True).stdout

    with tempfile.TemporaryDirectory() as folder:
        recording = pathlib.Path(folder) / "sample.rec"
        subprocess.run([SAMPLE_TOOL, "write", recording, "4", "2"], check=True)
        reads(["describe", WEIGHTS], os.path.basename(WEIGHTS))
        reads(["validate", str(recording)], "sample.rec")
        reads(["validate", str(recording / "recording.h5")], "recording.h5")
    return 0


def reads(command, file):
    """A command that has one file of other people read."""
    plain = run(*command)
    assert plain.returncode == 0 and WARNING not in plain.stderr, plain
    for options in ([], ["--quiet"]):
        told = run(*command, *options, refused=True)
        assert told.returncode == 0 and told.stderr.count(WARNING) == 1, told
        assert plain.stdout == told.stdout, (plain, told)
    for words, environment in (["--require-sandbox"], {}), ([], {"MOG_REQUIRE_SANDBOX": "1"}):
        demanded = run(*command, *words, refused=True, **environment)
        assert demanded.returncode == 1 and not demanded.stdout, demanded
        assert "--require-sandbox" in demanded.stderr and file in demanded.stderr, demanded
        kept = run(*command, *words, **environment)
        assert kept.returncode == 0 and kept.stdout == plain.stdout, kept


if __name__ == "__main__":
    sys.exit(main())
