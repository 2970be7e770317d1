#!/usr/bin/env python3
"""`mog train` from outside: a run that is interrupted, killed and resumed is the unbroken one; its model tags.

    cli_train.py MOG ENGINE EXPERIMENT.toml
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from train_runs import MOG, WORDS, metrics, mog

EXPERIMENT = sys.argv[3]

ENTITIES = {"Paris": "B-LOC", "Ann": "B-PER"}
CHANGES = {"merges = 7000": "merges = 30", "batch_tokens = 1500": "batch_tokens = 60", "warmup = 400": "warmup = 5",
           "epochs = 12": "epochs = 6", "log_interval = 50": "log_interval = 1",
           "checkpoint_interval = 200": "checkpoint_interval = 3", "layers = 6": "layers = 2",
           "d_model = 128": "d_model = 16", "attention_dim = 64": "attention_dim = 8", "ffn_dim = 512": "ffn_dim = 32"}
if any(kind in os.path.basename(EXPERIMENT) for kind in ("gru", "lstm")):
    for key in ("layers = 6", "d_model = 128", "attention_dim = 64", "ffn_dim = 512"):
        del CHANGES[key]
    CHANGES.update({"d_model = 256": "d_model = 16", "embedding_dim = 128": "embedding_dim = 12"})


def write_data(folder, part, count, first):
    (folder / "treebanks").mkdir(exist_ok=True)
    (folder / "ner").mkdir(exist_ok=True)
    names = list(WORDS)
    trees, entities = [], []
    for number in range(first, first + count):
        words = [names[(number * 3 + at * at) % len(names)] for at in range(3 + number % 6)]
        head = f"# sent_id = {part}-{number}\n"
        trees.append(head + "".join(
            f"{at + 1}\t{word}\t_\t{WORDS[word]}\t_\t_\t{at}\tdep\t_\t_\n" for at, word in enumerate(words)))
        entities.append(head + "".join(
            f"{at + 1}\t{word}\t{ENTITIES.get(word, 'O')}\t-\t-\n" for at, word in enumerate(words)))
    (folder / "treebanks" / f"en_ewt-{part}.conllu").write_text("\n".join(trees) + "\n")
    (folder / "ner" / f"en_ewt-{part}.iob2").write_text("\n".join(entities) + "\n")


def start_and_signal(arguments, output, lines, number):
    """Starts a run and sends it `number` when metrics.jsonl has so many lines; returns the exit status."""
    run = subprocess.Popen([MOG, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    deadline = time.time() + 240
    file = pathlib.Path(f"{output}.training") / "metrics.jsonl"
    while run.poll() is None and time.time() < deadline:
        if file.exists() and file.read_text().count("\n") >= lines:
            run.send_signal(number)
            break
        time.sleep(0.01)
    message = run.communicate(timeout=240)[1]
    return run.returncode, message


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part, count, first in (("train", 80, 0), ("dev", 20, 500), ("test", 20, 900)):
            write_data(folder, part, count, first)
        text = pathlib.Path(EXPERIMENT).read_text()
        for old, new in CHANGES.items():
            assert old in text, old
            text = text.replace(old, new)
        config = folder / "small.toml"
        config.write_text(text)
        mog("train", config, "--check", "--data", folder)

        whole = folder / "whole"
        mog("train", config, "--data", folder, "-o", whole, "-q")
        card = (whole / "README.md").read_text()
        for part in ("Scores on the test part", "| upos | accuracy |", "| ner | span F1 |", "CC BY-SA 4.0", "sha256"):
            assert part in card, part
        steps = [line["step"] for line in metrics(whole)]
        assert steps == list(range(1, steps[-1] + 1)), steps

        broken = folder / "broken"
        arguments = ["train", config, "--data", folder, "-o", broken, "-q"]
        status, message = start_and_signal(arguments, broken, 5, signal.SIGINT)
        assert status == 130, (status, message)
        assert "--resume" in message, message
        assert not broken.exists()
        assert "--overwrite" in mog(*arguments, expect=2).stderr
        done = len(metrics(broken))
        status, _ = start_and_signal(arguments + ["--resume"], broken, done + 8, signal.SIGKILL)
        assert status == -signal.SIGKILL, status
        assert len(metrics(broken)) < len(metrics(whole))
        mog(*arguments, "--resume")
        assert metrics(broken) == metrics(whole)
        assert (broken / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()
        message = mog("train", config, "--data", folder, "-o", broken, "--resume", "--seed", "7", expect=5).stderr
        assert "the seed is 7 and was 1" in message, message

        (folder / "text.txt").write_text("Ann sees the cat .\n\na dog likes Paris .\n")
        tagged = mog("tag", "-m", whole, "-i", folder / "text.txt", "-q").stdout.splitlines()
        assert tagged[0] == "word\tner\tupos", tagged
        assert [line.split("\t")[0] for line in tagged[1:6]] == ["Ann", "sees", "the", "cat", "."]
        scores = json.loads(mog("evaluate", "-m", whole, "--data", folder, "--conllu", "treebanks/en_ewt-test.conllu",
                                "--iob2", "ner/en_ewt-test.iob2", "--json", "-q").stdout)
        assert {score["task"] for score in scores["scores"]} == {"ner", "upos"}

        mog("train", folder / "absent.toml", expect=2)
        config.write_text(text.replace("warmup = 5", "warmup = 6"))
        line = text[:text.index("warmup = 5")].count("\n") + 1
        message = mog("train", config, "--data", folder, "-o", broken, "--resume", expect=5).stderr
        assert f"training.warmup (line {line}) is 6 and was 5" in message, message
        config.write_text(text)

        # Data that do not belong together: a tag that no head can say, entities of other words.
        dev = folder / "treebanks" / "en_ewt-dev.conllu"
        sound = dev.read_text()
        dev.write_text(sound.replace("\tVERB\t", "\tDOING\t"))
        line = sound[:sound.index("\tVERB\t")].count("\n") + 1
        message = mog("train", config, "--data", folder, "-o", folder / "bad", expect=3).stderr
        assert f"en_ewt-dev.conllu, line {line}: the word" in message and '"DOING"' in message, message
        assert "ADJ" not in message and "DET NOUN NUM PROPN PUNCT VERB" in message, message
        dev.write_text(sound)
        entities = folder / "ner" / "en_ewt-dev.iob2"
        sound = entities.read_text()
        entities.write_text(sound.replace("\tdog\t", "\tcow\t"))
        line = sound[:sound.index("\tdog\t")].count("\n") + 1
        message = mog("train", config, "--data", folder, "-o", folder / "bad", expect=3).stderr
        assert f"en_ewt-dev.iob2, line {line}: sentence dev-" in message, message
        assert "en_ewt-dev.conllu, line " in message and '"cow" there and "dog" in' in message, message
        entities.write_text(sound)
        config.write_text(text.replace("seed = 1", "sede = 1"))
        assert "training.sede" in mog("train", config, expect=3).stderr
    print("ok")


if __name__ == "__main__":
    main()
