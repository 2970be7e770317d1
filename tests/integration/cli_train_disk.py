#!/usr/bin/env python3
"""A training run whose disk fills up during a checkpoint: exit 4, the last good checkpoint stays, and the run that
goes on from it is the unbroken one; a second process in the same folder is refused. The full disk is played by a
limit on the size of a file.

    cli_train_disk.py MOG ENGINE
"""
import fcntl
import pathlib
import resource
import signal
import subprocess
import tempfile
import time

from train_runs import MOG, metrics

CONFIG = """name = "small"
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
kind = "whitespace"
[data.train]
conllu = "train.conllu"
[data.dev]
conllu = "train.conllu"
[tasks.upos]
column = "upos"
[training]
batch_tokens = 40
epochs = 8
warmup = 5
log_interval = 1
checkpoint_interval = 4
average_last = 3
[output]
directory = "small"
"""


def small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))  # a state is larger, everything else smaller


def run(*arguments, limited=False):
    return subprocess.run([MOG, *map(str, arguments)], capture_output=True, text=True, timeout=300,
                          preexec_fn=small_files if limited else None)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        words = ["the", "cat", "sees", "a", "dog", "."]
        tags = ["DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT"]
        (folder / "train.conllu").write_text("\n".join(
            "".join(f"{at + 1}\t{words[(at * n + n) % 6]}\t_\t{tags[(at * n + n) % 6]}\t_\t_\t{at}\tdep\t_\t_\n"
                    for at in range(3 + n % 5)) for n in range(60)) + "\n")
        config = folder / "small.toml"
        config.write_text(CONFIG)
        whole = folder / "whole"
        done = run("train", config, "--data", folder, "-o", whole, "-q")
        assert done.returncode == 0, done.stderr

        broken = folder / "broken"
        arguments = ["train", config, "--data", folder, "-o", broken, "-q"]
        going = subprocess.Popen([MOG, *map(str, arguments)], stderr=subprocess.PIPE, text=True)
        file = pathlib.Path(f"{broken}.training") / "metrics.jsonl"
        deadline = time.time() + 120
        while going.poll() is None and time.time() < deadline:
            if file.exists() and file.read_text().count("\n") >= 6:
                going.send_signal(signal.SIGINT)
                break
            time.sleep(0.005)
        message = going.communicate(timeout=120)[1]
        assert going.returncode == 130, (going.returncode, message)
        checkpoint = (pathlib.Path(f"{broken}.training") / "checkpoint.json").read_bytes()
        states = sorted(path.name for path in pathlib.Path(f"{broken}.training").glob("state-*"))
        assert len(states) == 1, states

        full = run(*arguments, "--resume", limited=True)
        assert full.returncode == 4, (full.returncode, full.stderr)
        assert "state-" in full.stderr and "space" in full.stderr, full.stderr
        assert (pathlib.Path(f"{broken}.training") / "checkpoint.json").read_bytes() == checkpoint
        assert sorted(path.name for path in pathlib.Path(f"{broken}.training").glob("state-*")) == states

        with (pathlib.Path(f"{broken}.training") / "lock").open() as held:  # another process trains there
            fcntl.flock(held, fcntl.LOCK_EX)
            second = run(*arguments, "--resume")
        assert second.returncode == 1 and "another process trains there" in second.stderr, second.stderr
        assert (pathlib.Path(f"{broken}.training") / "checkpoint.json").read_bytes() == checkpoint

        again = run(*arguments, "--resume")
        assert again.returncode == 0, again.stderr
        assert metrics(broken) == metrics(whole)
        assert (broken / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()
    print("ok")


if __name__ == "__main__":
    main()
