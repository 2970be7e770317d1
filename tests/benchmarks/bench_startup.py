#!/usr/bin/env python3
"""Commands that need no model start within 50 ms (whole process, minimum of five, scaled by calibration).

    python3 tests/benchmarks/bench_startup.py --mog build/bin/mog [--recording REC]
"""
import argparse
import json
import subprocess
import sys
import time

import calibration

LIMIT_MS = 50


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mog", default="build/bin/mog")
    parser.add_argument("--recording", help="also time `mog describe` and `mog trees` of this recording")
    arguments = parser.parse_args()
    commands = [["--version"], ["--help"], ["record", "--help"], ["figure", "list"]]
    if arguments.recording:
        commands += [["describe", arguments.recording], ["trees", arguments.recording, "--sentence", "1", "--top", "3"]]
    factor = calibration.factor()
    rows = []
    for command in commands:
        times = []
        for _ in range(6):
            begin = time.perf_counter()
            subprocess.run([arguments.mog, *command], check=True, stdout=subprocess.DEVNULL)
            times.append((time.perf_counter() - begin) * 1000)
        times = times[1:]
        rows.append({"command": "mog " + " ".join(command[:1] + command[2:]), "min_ms": min(times), "max_ms": max(times),
                     "limit_ms": LIMIT_MS * factor, "ok": min(times) <= LIMIT_MS * factor})
    print(json.dumps({"benchmark": "startup", "calibration_factor": factor, "commands": rows}, indent=1))
    sys.exit(not all(row["ok"] for row in rows))


if __name__ == "__main__":
    main()
