#!/usr/bin/env python3
"""Warm start and distillation from outside, on a teacher of two layers: learns, resumes bit for bit after SIGKILL
at random moments (with accumulation and averaged weights), is scored against its teacher; bad input is named.

    cli_train_distill.py MOG ENGINE
"""
import json
import pathlib
import random
import signal
import subprocess
import tempfile
import time

from train_runs import MOG, WORDS, metrics, mog

TEACHER = """name = "teacher"
[model]
architecture = "encoder"
[model.encoder]
kind = "transformer"
layers = 2
d_model = 16
heads = 4
ffn_dim = 32
[tokenizer]
kind = "whitespace"
[data.train]
conllu = "train.conllu"
[data.dev]
conllu = "dev.conllu"
[tasks.upos]
column = "upos"
[training]
batch_tokens = 60
epochs = 3
warmup = 5
learning_rate = 5e-3
[output]
directory = "teacher"
weights = "float16"
"""

STUDENT = """name = "student"
[model]
architecture = "encoder"
[model.encoder]
kind = "graph_transformer"
layers = 2
d_model = 16
attention_dim = 8
heads = 2
ffn_dim = 32
[tokenizer]
model = "TEACHER"
[start]
model = "TEACHER"
heads = "fit"
sample_tokens = 1000
[distill]
teacher = "TEACHER"
state_loss = "relative"
[[distill.stage]]
updates = 4
layerwise = true
hidden = 1.0
tasks = 0.0
[[distill.stage]]
hidden = 1.0
last = 1.0
sentence = 1.0
attention = 0.1
tasks = 0.5
[data.train]
conllu = "train.conllu"
text = "train.txt"
[data.dev]
conllu = "dev.conllu"
text = "dev.txt"
[data.test]
conllu = "dev.conllu"
[tasks.upos]
column = "upos"
[training]
batch_tokens = 60
accumulate = 2
epochs = 4
warmup = 2
learning_rate = 2e-3
dropout = 0.1
word_dropout = 0.05
clip_norm = 1.0
average_decay = 0.9
average_last = 2
log_interval = 1
checkpoint_interval = 3
validation_interval = 7
[output]
directory = "student"
weights = "float16"
"""


def write_data(folder):
    names = list(WORDS)
    for part, count, first in (("train", 120, 0), ("dev", 20, 500)):
        trees, lines = [], []
        for number in range(first, first + count):
            words = [names[(number * 3 + at * at) % len(names)] for at in range(3 + number % 6)]
            trees.append(f"# sent_id = {number}\n" + "".join(
                f"{at + 1}\t{word}\t_\t{WORDS[word]}\t_\t_\t{at}\tdep\t_\t_\n" for at, word in enumerate(words)))
            lines.append(" ".join(reversed(words)))
        (folder / f"{part}.conllu").write_text("\n".join(trees) + "\n")
        (folder / f"{part}.txt").write_text("\n".join(lines) + "\n")


def written_lines(directory):
    file = pathlib.Path(f"{directory}.training") / "metrics.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0


def run_with_kills(directory, arguments, kills, rng):
    """Resumes until the run ends; each of the first `kills` runs is killed at a random moment after some more lines of
    metrics than the last one had, however fast the machine is. Returns how many were killed."""
    killed = target = 0
    resume = []
    while True:
        target += rng.randrange(2, 7)
        run = subprocess.Popen([MOG, *map(str, arguments), "-o", str(directory), *resume], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
        if killed < kills:
            while run.poll() is None and written_lines(directory) < target:
                time.sleep(0.001)
            time.sleep(rng.uniform(0, 0.01))
            run.send_signal(signal.SIGKILL)
        message = run.communicate(timeout=240)[1]
        if run.returncode == 0:
            return killed
        if run.returncode != -signal.SIGKILL:
            # Killed before its first checkpoint: start anew.
            assert run.returncode == 2 and "no checkpoint" in message, (run.returncode, message)
            resume = ["--overwrite"]
            continue
        killed += 1
        resume = ["--resume"]


def main():
    rng = random.Random(20261121)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_data(folder)
        (folder / "teacher.toml").write_text(TEACHER)
        teacher = folder / "teacher"
        mog("train", folder / "teacher.toml", "--data", folder, "-o", teacher, "-q")

        config = folder / "student.toml"
        text = STUDENT.replace("TEACHER", str(teacher))
        config.write_text(text)
        whole = folder / "whole"
        mog("train", config, "--data", folder, "-o", whole, "-q")
        lines = metrics(whole)
        assert set(lines[0]["distillation"]) == {"hidden"}, lines[0]
        assert set(lines[8]["distillation"]) == {"hidden", "last", "attention", "sentence"}, lines[8]
        validations = [line for line in lines if "dev" in line]
        assert len(validations[0]["layers"]["token_cosine"]) == 2
        assert len(validations[0]["layers"]["state_cosine"]) == 2
        first, last = validations[0]["dev"], validations[-1]["dev"]
        assert last["teacher.sentence_cosine"] > 0.9, (first, last)
        assert not list(pathlib.Path(f"{whole}.training").glob("last-*"))

        broken = folder / "broken"
        killed = run_with_kills(broken, ["train", config, "--data", folder, "-q"], 5, rng)
        assert killed >= 2, killed
        assert metrics(broken) == lines
        assert (broken / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()

        # Against the teacher; the teacher against itself is 1.
        scores = json.loads(mog("evaluate", "-m", whole, "--teacher", teacher, "--text", folder / "dev.txt", "--json",
                                "-q").stdout)
        assert scores["sentences"] == 20 and scores["sentences_cut_alike"] == 20, scores
        cosine = scores["sentence_cosine"]
        assert 0.8 < cosine["low"] <= cosine["value"] <= cosine["high"] <= 1.0, scores
        assert len(scores["layers"]) == 2
        same = json.loads(mog("evaluate", "-m", teacher, "--teacher", teacher, "--text", folder / "dev.conllu", "--json",
                              "-q").stdout)
        assert abs(same["sentence_cosine"]["value"] - 1.0) < 1e-6 and same["layers"][1]["state_mse"] < 1e-9, same
        none = ("evaluate", "-m", teacher, "--teacher", teacher, "--text", folder / "dev.conllu", "--bootstrap", 0, "-q")
        assert json.loads(mog(*none, "--json").stdout)["sentence_cosine"]["low"] is None
        assert "mean cosine 1.0000\n" in mog(*none).stdout

        # A checkpoint of another configuration, and of another teacher.
        config.write_text(text.replace("dropout = 0.1", "dropout = 0.2"))
        assert "configuration" in mog("train", config, "--data", folder, "-o", broken, "--resume", expect=5).stderr
        config.write_text(text)
        assert "configuration" in mog("train", config, "--data", folder, "-o", broken, "--resume", "--teacher", whole,
                                      "--start", teacher, expect=5).stderr

        def refused(old, new, code, *parts):
            assert old in text, old
            changed = text.replace(old, new, 1)
            config.write_text(changed)
            if code == 3:  # the line of the fault
                first = [at for at, (a, b) in enumerate(zip(text.splitlines(), changed.splitlines())) if a != b][0]
                parts += (f"line {first + 1 if new else first}",)
            message = mog("train", config, "--data", folder, "-o", folder / "refused", expect=code).stderr
            for part in parts:
                assert part in message, (part, message)

        refused("attention = 0.1", "atention = 0.1", 3, "distill.stage.atention")
        refused('state_loss = "relative"', 'state_loss = "relative"\nhidden = 1.0', 5, "distill.hidden", "contradict")
        refused("updates = 4\n", "", 3, "distill.stage.updates is missing")
        refused(f'[tokenizer]\nmodel = "{teacher}"', f'[tokenizer]\nmodel = "{teacher}"\nkind = "bpe"', 5,
                "tokenizer.kind", "contradict")
        refused("ffn_dim = 32", "ffn_dim = 48", 5, "encoder.ffn_dim is 48 here and 32 there")
        refused("attention_dim = 8\nheads = 2", "attention_dim = 8\nheads = 4", 5, "heads of the source's width 4")
        refused("d_model = 16", "d_model = 24", 5, "d_model")
        refused(f'[distill]\nteacher = "{teacher}"', f'[distill]\nteacher = "{folder}/absent"', 2, "absent")
        (folder / "none.toml").write_text(text[:text.index("[start]")] + text[text.index("[data.train]"):])
        assert "needs [distill]" in mog("train", folder / "none.toml", "--data", folder, expect=5).stderr
        assert "no section [distill]" in mog("train", folder / "teacher.toml", "--data", folder, "--teacher", teacher,
                                             expect=2).stderr
    print("ok")


if __name__ == "__main__":
    main()
