#!/usr/bin/env python3
"""`mog train --processes`: the run of one process, by more of them; stopped, killed and resumed in other numbers.

    cli_train_processes.py MOG ENGINE
"""
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time

from train_runs import MOG, WORDS, metrics, mog

# No dropout: what numbers of processes have in common is the arithmetic. A line of metrics an update.
CONFIG = """
name = "small"
[model]
architecture = "encoder"
[model.encoder]
kind = "graph_transformer"
layers = 2
d_model = 16
attention_dim = 8
ffn_dim = 32
heads = 2
fusion = "weight_gate"
[tokenizer]
kind = "whitespace"
[data.train]
conllu = "train.conllu"
[data.dev]
conllu = "dev.conllu"
[data.test]
conllu = "test.conllu"
[tasks.upos]
column = "upos"
[training]
batch_tokens = 40
accumulate = 2
updates = 200
learning_rate = 2e-3
warmup = 20
dropout = 0.0
clip_norm = 1.0
log_interval = 1
checkpoint_interval = 20
"""
LAUNCHERS = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT", "OMPI_COMM_WORLD_RANK",
             "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "SLURM_PROCID")
for name in LAUNCHERS:
    os.environ.pop(name, None)
PATIENCE = 240  # seconds, of a machine that does other things, too


def write_data(folder, part, count, first):
    names = list(WORDS)
    lines = []
    for number in range(first, first + count):
        words = [names[(number * 3 + at * at) % len(names)] for at in range(3 + number % 6)]
        lines.append(f"# sent_id = {part}-{number}\n" + "".join(
            f"{at + 1}\t{word}\t_\t{WORDS[word]}\t_\t_\t{at}\tdep\t_\t_\n" for at, word in enumerate(words)))
    (folder / f"{part}.conllu").write_text("\n".join(lines) + "\n")


def start(arguments, environment=None):
    return subprocess.Popen([MOG, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=os.environ | (environment or {}))


def wait_for_lines(run, output, lines):
    file = pathlib.Path(f"{output}.training") / "metrics.jsonl"
    deadline = time.time() + PATIENCE
    while run.poll() is None and time.time() < deadline:
        if file.exists() and file.read_text().count("\n") >= lines:
            return
        time.sleep(0.01)
    raise AssertionError((lines, run.poll(), run.communicate()[1]))


def children(process):
    return [int(child) for child in pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def start_each(arguments, count, changes=()):
    """A process for each rank, as a loop of a script starts them; `changes`: further arguments by rank."""
    port = free_port()
    return [start([*arguments, "--processes", "auto", *dict(changes).get(rank, ())],
                  {"RANK": str(rank), "WORLD_SIZE": str(count), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)})
            for rank in range(count)]


def ends(runs):
    said = [run.communicate(timeout=PATIENCE) for run in runs]
    return [run.returncode for run in runs], [out for out, _ in said], [err for _, err in said]


def same(found, expected, tolerance=1e-5):
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), (found, expected)
        for key in expected:
            same(found[key], expected[key], tolerance)
    elif isinstance(expected, list):
        assert len(found) == len(expected), (found, expected)
        for one, other in zip(found, expected):
            same(one, other, tolerance)
    elif isinstance(expected, float):
        assert abs(found - expected) <= tolerance * (abs(expected) + 1e-3), (found, expected)
    else:
        assert found == expected, (found, expected)


def check_losses(train, folder):
    whole = folder / "whole"
    mog(*train(whole))
    lines = metrics(whole)
    assert [line["step"] for line in lines] == list(range(1, 201)), lines[-1]
    assert lines[-1]["loss"] < 0.7 * lines[0]["loss"]
    for count in (2, 3):
        output = folder / f"of-{count}"
        done = mog(*train(output), "--processes", count)
        assert done.stdout.count("dev upos.accuracy") == 1 and done.stderr == "", done
        same(metrics(output), lines)
        assert (output / "model.safetensors").exists()
    return lines


def check_ends(train, folder, lines):
    """Stopped by a signal to one, killed, and resumed by 2, 3 and 1 processes."""
    output = folder / "broken"
    run = start([*train(output), "--processes=2"])
    wait_for_lines(run, output, 30)
    run.send_signal(signal.SIGTERM)
    codes, _, messages = ends([run])
    assert codes == [130] and messages[0].count("go on with --resume") == 1, (codes, messages)
    stopped = len(metrics(output))

    run = start([*train(output), "--resume", "--processes", "3"])
    wait_for_lines(run, output, stopped + 30)
    lost = children(run)
    assert len(lost) == 2, lost
    os.kill(lost[0], signal.SIGKILL)
    codes, _, messages = ends([run])
    assert codes == [1], (codes, messages)
    assert "process 1 of 3: another process of the run was lost" in messages[0] and "--resume" in messages[0], messages
    assert "you like. Process 2 was ended by signal 9 (" in messages[0], messages

    run = start([*train(output), "--resume", "--processes", "3"])
    wait_for_lines(run, output, len(metrics(output)) + 5)
    run.kill()
    codes, _, messages = ends([run])  # the pipe is closed when the others have ended, too
    assert codes == [-signal.SIGKILL] and messages[0].count("another process of the run was lost") == 2, messages

    runs = start_each([*train(output), "--resume"], 2)
    wait_for_lines(runs[0], output, len(metrics(output)) + 10)
    runs[1].send_signal(signal.SIGINT)
    codes, printed, messages = ends(runs)
    assert codes == [130, 130] and "go on with --resume" in messages[0], (codes, messages)
    assert printed == ["", ""] and messages[1] == "", (printed, messages)

    mog(*train(output), "--resume")
    same(metrics(output), lines)
    again = mog(*train(output), "--resume", "--processes", "2")  # a finished run is scored again
    assert "200 updates" in again.stdout, again


def check_refusals(train, folder):
    """What is said about variables that do not fit, before anything is begun."""
    fine = {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}
    for changed, words in (({"WORLD_SIZE": ""}, "RANK is set, but WORLD_SIZE is not"),
                           ({"RANK": ""}, "WORLD_SIZE is set, but RANK is not"),
                           ({"RANK": "2"}, "RANK is 2 and WORLD_SIZE is 2"),
                           ({"MASTER_ADDR": ""}, "MASTER_ADDR is not set"),
                           ({"MASTER_PORT": ""}, "MASTER_PORT is not set"),
                           ({"MASTER_PORT": "99999"}, 'MASTER_PORT is "99999"; expected a whole number from 1 to 65535'),
                           ({"LOCAL_RANK": "2"}, 'LOCAL_RANK is "2"; expected a whole number from 0 to 1'),
                           ({"RANK": "", "WORLD_SIZE": ""}, "nothing says which process this is")):
        codes, _, messages = ends([start([*train(folder / "never"), "--processes", "auto"], fine | changed)])
        assert codes == [2] and "--processes auto: " in messages[0] and words in messages[0], (changed, codes, messages)
    for number in ("0", "-1", "257", "two"):
        assert f"--processes {number}: expected" in mog(*train(folder / "never"), f"--processes={number}", expect=2).stderr
    assert not (folder / "never.training").exists()

    alone = start([*train(folder / "alone"), "--processes", "auto"], {"RANK": "0", "WORLD_SIZE": "1"})
    wait_for_lines(alone, folder / "alone", 1)
    alone.kill()
    alone.communicate()

    codes, _, messages = ends(start_each(train(folder / "other"), 2, {1: ["--seed", "7"]}))
    assert codes == [5, 5] and messages[0] == "", (codes, messages)
    assert "process 2 of 2: its configuration, data or models are others" in messages[1], messages


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part, count, first in (("train", 80, 0), ("dev", 20, 500), ("test", 20, 900)):
            write_data(folder, part, count, first)
        config = folder / "small.toml"
        config.write_text(CONFIG)

        def train(output):
            return ["train", config, "--data", folder, "-o", output, "-q", "--precision", "float64", "--device", "cpu"]

        lines = check_losses(train, folder)
        check_ends(train, folder, lines)
        check_refusals(train, folder)
        config.write_text(CONFIG + "\n[sweep]\nseeds = [1, 2]\n")
        assert "is a sweep" in mog(*train(folder / "sweep"), "--processes", "2", expect=2).stderr


main()
