#!/usr/bin/env python3
"""Every check and benchmark that needs a graphics card, within nine minutes, and one report.

    on_a_card.py BUILD [--output on-a-card.md] [--seconds 540] [--device cuda]

BUILD is a build folder whose kernels and LibTorch are for CUDA. Stages run in the order of their worth, each until a time of its
own (what earlier ones did not use is the next one's); one that fails or runs out of time does not stop the others. Ends with 0 when
all passed, 1 when one did not (its whole output lies beside the report), 77 where no card can be used, with the reason. Needs
nothing but Python.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
NO_CARD = 77


class Stage:
    """One program. share: of the time; read: makes Markdown lines of what it printed."""

    def __init__(self, name, share, command, read, environment=None):
        self.name, self.share, self.command, self.read = name, share, command, read
        self.environment = environment or {}


def tests(output):
    lines = [f"- {line.strip('[] ')}" for line in output.splitlines() if re.match(r"\[  (PASSED|FAILED|SKIPPED) ", line)]
    return lines[:30] + ([f"- and {len(lines) - 30} more"] if len(lines) > 30 else [])


def table(head, rows):
    return ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]]


def number(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def forward(output):
    found = json.loads(output)
    encoders = [(name, found[name]) for name in ("transformer", "graph_transformer")]
    modes = ["forward", "statistics", "statistics_of_maps", "capture"]
    shares = ["peak_share", "statistics_over_forward", "statistics_of_maps_over_forward", "capture_over_forward",
              "pinned_copy_share", "capture_bound_share"]
    lines = ["Tokens a second of the clock, least / median / greatest:", ""]
    lines += table(["encoder", *modes],
                   [[name, *(" / ".join(number(one[mode]["tokens_per_wall_s"][key]) for key in ("min", "median", "max"))
                             for mode in modes)] for name, one in encoders])
    lines += ["", *table(["encoder", *shares, "bytes kept", "pinned copy, bytes a second"],
                         [[name, *(number(one[key]) if key in one else "" for key in shares), number(one.get("captured_bytes", 0)),
                           number(one.get("pinned_copy_bytes_per_s", 0))] for name, one in encoders])]
    one = found["one_sentence"]
    lines += ["", "One sentence of 29 tokens, milliseconds:", ""]
    lines += table(["encoder", *next(iter(one.values()))], [[name, *map(number, times.values())] for name, times in one.items()])
    if "flash_passes" in found:
        columns = ["length", "d_model", "flash_s", "forward_s", "statistics_s", "flash_over_statistics"]
        lines += ["", "Passes of 16,384 tokens in bfloat16 beside LibTorch's with flash attention, seconds:", ""]
        lines += table(columns, [[number(one[key]) for key in columns] for one in found["flash_passes"]])
    columns = ["sentences", "length", "width", "rows_s", "sdpa_s", "sdpa_over_rows", "difference",
               "rows_bfloat16_s", "flash_bfloat16_s", "flash_over_rows", "difference_bfloat16"]
    lines += ["", "Attention with entropy and greatest weight of every row (rows) beside LibTorch's without them (sdpa, and flash in bfloat16):", ""]
    lines += table(columns, [[number(one[key]) if key in one else "" for key in columns] for one in found["attention"]])
    return lines


def stages(build, device):
    binaries = build / "bin"
    on_card = {"MOG_TEST_DEVICE": device}
    gpu = [binaries / "test_engine_gpu"]
    bench = [binaries / "bench_forward", "--device", device, "--sentences", "2000"]
    engine = sorted((build / "lib").glob("libmog_engine.so"))
    loaded = {"MOG_ENGINE": str(engine[0])} if engine else {}
    return [
        Stage("kernels", 20, [*gpu, "--gtest_filter=*Cuda*"], tests, loaded),
        Stage("parity with the processor", 70, [*gpu, "--gtest_filter=-*Cuda*"], tests, loaded),
        Stage("forward pass, float32", 110, [*bench, "--precision", "float32", "--rounds", "3"], forward, loaded),
        Stage("forward pass, bfloat16", 120, [*bench, "--precision", "bfloat16", "--rounds", "3"], forward, loaded),
        Stage("the engine's tests on the card", 150, [binaries / "test_engine"], tests, {**loaded, **on_card}),
        Stage("the trainer's tests on the card", 90, [binaries / "test_train_engine"], tests, {**loaded, **on_card}),
    ]


def first_line(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=20, cwd=ROOT).stdout.strip().partition("\n")[0]
    except (OSError, subprocess.TimeoutExpired):
        return ""


def run(stage, seconds):
    """(outcome, seconds, stdout, stderr)"""
    begin = time.monotonic()
    try:
        process = subprocess.run([str(piece) for piece in stage.command], capture_output=True, text=True, errors="replace",
                                 timeout=max(seconds, 1), env={**os.environ, **stage.environment}, cwd=ROOT)
        outcome = "passed" if process.returncode == 0 else f"failed, exit code {process.returncode}"
        output, errors = process.stdout, process.stderr
    except subprocess.TimeoutExpired as late:
        outcome = "out of time"
        output, errors = ((piece or b"").decode(errors="replace") for piece in (late.stdout, late.stderr))
    except OSError as error:
        outcome, output, errors = f"not run: {error.strerror}", "", ""
    return outcome, time.monotonic() - begin, output, errors


def keep(stage, report, output, errors):
    """The whole output of a stage that did not pass, beside the report."""
    log = report.with_name(f"{report.stem}-{re.sub('[^a-z0-9]+', '-', stage.name.lower())}.log")
    log.write_text(output + errors)


def describe(stage, outcome, output, errors):
    lines = ["", f"## {stage.name}", ""]
    try:
        lines += stage.read(output)
    except (ValueError, KeyError) as error:
        lines.append(f"Its figures cannot be read ({type(error).__name__}: {error}).")
    if outcome != "passed":
        last = (output + errors).splitlines()[-25:]
        lines += ["", f"{outcome}; its last lines:", "", "```", *last, "```"]
    return lines


def head(doctor, device):
    card = first_line(["nvidia-smi", "--query-gpu=name,driver_version,memory.total,compute_cap", "--format=csv,noheader"])
    return ["# On a graphics card", "",
            *table(["", ""], [["date", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")],
                              ["card, driver, memory, compute capability", card or "nvidia-smi is absent"],
                              ["devices", "; ".join(doctor["devices"])], ["used", device],
                              ["mog", doctor["version"]], ["LibTorch", doctor["torch"]],
                              ["source", first_line(["git", "log", "-1", "--format=%h %s"]) or "no repository"],
                              ["processor", f"{os.cpu_count()} cores, {platform.machine()}"]])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("on-a-card.md"))
    parser.add_argument("--seconds", type=float, default=540)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    build = options.build.resolve()
    begin = time.monotonic()
    try:
        doctor = json.loads(subprocess.run([build / "bin/mog", "doctor", "--json"], capture_output=True, text=True, timeout=60).stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        print(f"{build}/bin/mog doctor --json does not answer ({error}): build it first", file=sys.stderr)
        return 1
    if not any(device.startswith("cuda") for device in doctor["devices"]):
        print(f"no card can be used: {doctor['cuda'] or doctor['engine_error']}; nothing was run", file=sys.stderr)
        return NO_CARD

    report, rows, failed, until = head(doctor, options.device), [], False, 0.0
    all_stages = stages(build, options.device)
    whole = sum(stage.share for stage in all_stages)
    details = []
    for stage in all_stages:
        until += options.seconds * stage.share / whole
        outcome, seconds, output, errors = run(stage, until - (time.monotonic() - begin))
        failed |= outcome != "passed"
        if outcome != "passed":
            keep(stage, options.output, output, errors)
        rows.append([stage.name, outcome, f"{seconds:.1f}"])
        details += describe(stage, outcome, output, errors)
        summary = ["", *table(["stage", "outcome", "seconds"], rows)]
        options.output.write_text("\n".join(report + summary + details) + "\n")  # what is known, should the machine go away
        print(f"{stage.name}: {outcome} ({seconds:.1f} s)", flush=True)
    print(f"report: {options.output}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
