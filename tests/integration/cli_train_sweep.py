#!/usr/bin/env python3
"""`mog train` with [sweep]: two axes and two seeds, killed at random moments and resumed, give the table of the
unbroken sweep; parts of a sweep make the whole; wrong keys are named with their line.

    cli_train_sweep.py MOG ENGINE
"""
import csv
import json
import pathlib
import random
import signal
import subprocess
import tempfile
import time

from train_runs import CLOCK, MOG, mog, without_clock

CONFIG = """name = "small"
[model]
architecture = "encoder"
[model.encoder]
kind = "graph_transformer"
layers = 1
d_model = 16
attention_dim = 8
heads = 2
ffn_dim = 32
[tokenizer]
kind = "whitespace"
[data.train]
conllu = "train.conllu"
[data.dev]
conllu = "dev.conllu"
[data.test]
conllu = "dev.conllu"
[tasks.upos]
column = "upos"
[training]
batch_tokens = 60
epochs = 2
warmup = 3
log_interval = 1
checkpoint_interval = 2
learning_rate = 5e-3
[output]
directory = "small"
[sweep]
seeds = [1, 2]
[sweep.axes.variant]
sum = { "model.encoder.fusion" = "sum" }
gate = { "model.encoder.fusion" = "weight_gate" }
[sweep.axes.depth]
L1 = {}
L2 = { "model.encoder.layers" = 2 }
"""
WORDS = ["the", "cat", "sees", "a", "dog", "."]
TAGS = ["DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT"]
RUNS = [f"{variant}-{depth}-s{seed}" for variant in ("sum", "gate") for depth in ("L1", "L2") for seed in (1, 2)]


def runs(directory):
    return without_clock(directory / "sweep.jsonl")


def table(directory):
    with (directory / "sweep.csv").open() as file:
        return [{key: value for key, value in row.items() if not key.startswith(CLOCK)} for row in csv.DictReader(file)]


def progress(directory):
    """Lines of metrics of all runs."""
    return sum(file.read_text().count("\n") for file in directory.glob("*.training/metrics.jsonl"))


def run_with_kills(arguments, directory, targets):
    """Stops (first) or kills (then) the sweep when it has so many lines of metrics, and lets the last one end."""
    killed = 0
    while True:
        run = subprocess.Popen([MOG, *map(str, arguments), "--resume"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
        while killed < len(targets) and run.poll() is None:
            if progress(directory) >= targets[killed]:
                run.send_signal(signal.SIGINT if killed == 0 else signal.SIGKILL)
                break
            time.sleep(0.002)
        message = run.communicate(timeout=240)[1]
        if run.returncode == 0:
            return killed
        assert run.returncode == (130 if killed == 0 else -signal.SIGKILL), (run.returncode, message)
        assert killed > 0 or "--resume" in message, message
        killed += 1


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part, count in (("train", 60), ("dev", 12)):
            (folder / f"{part}.conllu").write_text("\n".join(
                "".join(f"{at + 1}\t{WORDS[(at * n + n) % 6]}\t_\t{TAGS[(at * n + n) % 6]}\t_\t_\t{at}\tdep\t_\t_\n"
                        for at in range(3 + n % 5)) for n in range(count)) + "\n")
        config = folder / "small.toml"
        config.write_text(CONFIG)

        planned = json.loads(mog("train", config, "--check", "--json").stdout)["runs"]
        assert [run["run"] for run in planned] == RUNS, planned
        assert planned[0]["values"] == {"variant": "sum", "depth": "L1"}, planned[0]
        assert planned[4]["inner_parameters"] - planned[0]["inner_parameters"] == 2 * (16 * 16 + 16), planned
        assert "gate-L2-s2" in mog("train", config, "--check").stdout

        whole = folder / "whole"
        printed = mog("train", config, "--data", folder, "-o", whole, "-q").stdout
        assert "test.upos.accuracy" in printed and "| gate    | L2    | 2 " in printed, printed
        rows = table(whole)
        assert [(row["variant"], row["depth"]) for row in rows] == [
            ("sum", "L1"), ("sum", "L2"), ("gate", "L1"), ("gate", "L2")], rows
        scores = [run["scores"]["test.upos.accuracy"] for run in runs(whole)[:2]]
        assert abs(float(rows[0]["test.upos.accuracy"]) - sum(scores) / 2) < 1e-12, (rows[0], scores)
        assert float(rows[0]["test.upos.accuracy.min"]) == min(scores), (rows[0], scores)
        assert all(row["finished"] == "2" and row["failed"] == "0" for row in rows), rows
        assert (whole / "sweep.md").read_text().startswith("# small\n"), whole
        # A run is what its own configuration gives without a sweep.
        alone = folder / "alone"
        mog("train", whole / "gate-L2-s2.training" / "config.toml", "--data", folder, "-o", alone, "-q")
        weights = (alone / "model.safetensors").read_bytes()
        assert weights == (whole / "gate-L2-s2" / "model.safetensors").read_bytes()

        broken = folder / "broken"
        arguments = ["train", config, "--data", folder, "-o", broken, "-q"]
        total = progress(whole)
        targets = sorted(random.Random(20261121).sample(range(2, total - 4), 5))
        killed = run_with_kills(arguments, broken, targets)
        assert killed >= 3, (killed, targets)
        assert runs(broken) == runs(whole)
        assert table(broken) == rows
        for run in RUNS:
            assert (broken / run / "model.safetensors").read_bytes() == (whole / run / "model.safetensors").read_bytes()
        assert "--resume" in mog(*arguments, expect=2).stderr
        before = (broken / "gate-L1-s1" / "model.safetensors").stat().st_mtime_ns
        again = json.loads(mog(*arguments, "--resume", "--json").stdout)
        assert again["missing"] == 0 and len(again["combinations"]) == 4 and len(again["runs"]) == 8, again
        assert (broken / "gate-L1-s1" / "model.safetensors").stat().st_mtime_ns == before

        parts = folder / "parts"
        mog("train", config, "--data", folder, "-o", parts, "-q", "--runs", "sum-*")
        assert [run["status"] for run in runs(parts)] == ["finished"] * 4 + ["missing"] * 4
        assert "4 of 8 runs" in mog("train", config, "-o", parts, "--table").stdout
        mog("train", config, "--data", folder, "-o", parts, "-q", "--resume", "--runs", "2/2", "--runs", "gate-*")
        assert runs(parts) == runs(whole)
        assert "no run" in mog("train", config, "-o", parts, "--runs", "cube-*", expect=2).stderr

        # A run that fails (here: a collapse by definition) is noted; the sweep goes on and ends well.
        config.write_text(CONFIG.replace(
            "L1 = {}", 'L1 = { "training.on_collapse" = "stop", "training.collapse_limit" = 0.0 }'))
        wild = folder / "wild"
        printed = mog("train", config, "--data", folder, "-o", wild, "-q", "--runs", "sum-*-s1").stdout
        assert "0 of 2, 1 failed" in printed and "the encoder has collapsed" in printed, printed
        states = {run["run"]: run["status"] for run in runs(wild)}
        assert states["sum-L1-s1"] == "failed" and states["sum-L2-s1"] == "finished", states
        assert [row["failed"] for row in table(wild)] == ["1", "0", "0", "0"]
        alone = wild / "sum-L1-s1.training" / "config.toml"
        mog("train", alone, "--data", folder, "-o", folder / "collapsed", "-q", expect=5)

        # Wrong keys, by line.
        def refused(old, new, code, *parts):
            assert old in CONFIG, old
            changed = CONFIG.replace(old, new, 1)
            config.write_text(changed)
            line = changed[:changed.index(new)].count("\n") + 1
            message = mog("train", config, "--check", expect=code).stderr
            for part in (*parts, f"line {line}:"):
                assert part in message, (part, message)

        refused('sum = { "model.encoder.fusion"', 'sum = { "model.encoder.fusoin"', 3, "model.encoder.fusoin")
        refused('L2 = { "model.encoder.layers" = 2 }', 'L2 = { "model.encoder.layers" = "two" }', 3, "whole number")
        refused('L2 = { "model.encoder.layers" = 2 }', 'L2 = { "model.encoder.fusion" = "sum" }', 5, "contradict")
        refused('L2 = { "model.encoder.layers" = 2 }', 'L2 = { "distill.hidden" = 2 }', 3, "no section [distill]")
        refused("seeds = [1, 2]", "seed = [1, 2]", 3, "sweep.seed")
        config.write_text(CONFIG)
        assert "sweep.seeds" in mog("train", config, "--check", "--seed", "3", expect=2).stderr
        changed = CONFIG.replace("warmup = 3", "warmup = 4")
        config.write_text(changed)
        message = mog(*arguments, "--resume", expect=5).stderr
        assert "training.warmup is 4 and was 3" in message, message
        config.write_text(CONFIG[:CONFIG.index("[sweep]")])
        assert "no section [sweep]" in mog("train", config, "--table", expect=2).stderr
    print("ok")


if __name__ == "__main__":
    main()
