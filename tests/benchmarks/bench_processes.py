#!/usr/bin/env python3
"""One training run by one process and by several, of one thread each, in turn: updates of `mog train` as they are.

    bench_processes.py --mog build/bin/mog --config resources/experiments/tagger-en-graph.toml --data DATA
                       [--processes 2] [--batch-tokens 6000] [--updates 30] [--rounds 3]

Speed is tokens a second over the lines of metrics.jsonl, which the first process writes; processor time is that of all
processes, less that of a run of a third of the updates: reading and learning the tokenizer are in both. On a machine
that others use, too, the ratio of processor times says what the speed on free cores can be at most.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import tempfile

os.environ["OMP_NUM_THREADS"] = "1"


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(options, folder, processes, updates):
    text = pathlib.Path(options.config).read_text()
    text = re.sub(r"(?m)^(epochs|updates|log_interval|checkpoint_interval|validation_interval|twin) *=.*\n", "", text)
    text = re.sub(r"(?m)^batch_tokens *=.*", f"batch_tokens = {options.batch_tokens}", text)
    text = text.replace("[training]\n", f"[training]\nupdates = {updates}\nlog_interval = 5\n"
                        f"validation_interval = {updates}\n")
    config = folder / "config.toml"
    config.write_text(text)
    output = folder / "model"
    before = processor_seconds()
    subprocess.run([options.mog, "train", config, "--data", options.data, "-o", output, "--overwrite", "--quiet",
                    "--device", "cpu", "--threads", "1", "--processes", str(processes)], check=True,
                   stdout=subprocess.DEVNULL)
    lines = [json.loads(line) for line in (folder / "model.training/metrics.jsonl").read_text().splitlines()]
    return processor_seconds() - before, statistics.median(line["tokens_per_second"] for line in lines if "dev" not in line)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mog", required=True)
    parser.add_argument("--config", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--batch-tokens", type=int, default=6000)
    parser.add_argument("--updates", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    found = {1: [], options.processes: []}
    loads = []
    with tempfile.TemporaryDirectory() as name:
        for _ in range(options.rounds):
            for processes in found:
                loads.append(os.getloadavg()[0])
                few, _ = run(options, pathlib.Path(name), processes, options.updates // 3)
                all_of_them, speed = run(options, pathlib.Path(name), processes, options.updates)
                found[processes].append((speed, all_of_them - few))
    one, many = found[1], found[options.processes]
    ratios = sorted(other / alone for (alone, _), (other, _) in zip(one, many))
    costs = sorted(other / alone for (_, alone), (_, other) in zip(one, many))
    print(json.dumps({"processes": options.processes, "load": [min(loads), max(loads)],
                      "tokens_per_second": {str(key): [round(speed) for speed, _ in rows] for key, rows in found.items()},
                      "processor_seconds": {str(key): [round(cost, 2) for _, cost in rows] for key, rows in found.items()},
                      "speed": [round(ratio, 2) for ratio in ratios], "cost": [round(cost, 2) for cost in costs]}))


main()
