"""Encoders and readers from left to right of other programs: every hidden state and every attention map of `mog` against what the program that
the model comes from computed (tests/data/encoders, made by make_encoder_models.py), for the files as they are and
for a converted copy, sentences grouped by length and padded together.

Usage: encoder_parity.py MOG DATA [NAME…]       needs h5py; exit code 77 (skipped) without it or without the engine
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from mog_cli import skip
from parity import TOLERANCE, h5py, np, worst

MOST_ROUNDED = 5e-5  # by a reference in float32, in a value that its layers have made sensitive

MOG, DATA = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])


def mog(*command, **variables):
    result = subprocess.run([MOG, *map(str, command)], capture_output=True, text=True, env={**os.environ, **variables})
    if result.returncode == 1 and "engine" in result.stderr:
        skip(result.stderr.strip())
    assert result.returncode == 0, f"{' '.join(map(str, command))}\n{result.stderr}"
    return result.stdout


def compare(recording, expected):
    greatest = 0.0
    with h5py.File(recording / "recording.h5") as file:
        def block(name, row, shape):
            values = file[f"quantities/{name}"]
            begin, end = file[values.attrs["offsets"]][row:row + 2]
            return values[begin:end].reshape(shape)

        found, at = np.asarray(file["tokens"]["id"]), 0
        for row, ids in enumerate(expected["ids"]):
            ids = ids[ids >= 0]
            assert np.array_equal(found[at:at + len(ids)], ids), f"ids of sentence {row + 1}: {found[at:at + len(ids)]}"
            at += len(ids)
            states, maps = expected.get(f"{row + 1}_states", ()), expected.get(f"{row + 1}_maps", ())
            for layer, state in enumerate(states):
                name = f"encoder.{layer}.output" if layer else "encoder.embedding"
                greatest = max(greatest, worst(block(name, row, state.shape), state))
                if layer:
                    pattern = maps[layer - 1]
                    greatest = max(greatest, worst(block(f"encoder.{layer}.full.attention", row, pattern.shape), pattern))
            next_token = expected.get(f"{row + 1}_next")
            if next_token is not None:  # log-probability and rank (from 0) of each token, entropy behind it
                log, rank, entropy = (block(f"encoder.next_token.{name}", row, next_token[0].shape) for name in ("surprisal", "rank", "entropy"))
                assert np.isnan(log[0]) and np.isnan(rank[0]), "the first token is predicted"
                assert np.array_equal(rank[1:], next_token[1, 1:] + 1), (rank, next_token[1])
                greatest = max(greatest, worst(-log, next_token[0]), worst(entropy, next_token[2]))
                best = block("encoder.next_token.best_probability", row, (len(ids), -1))
                assert np.all(np.diff(best) <= 0) and np.all(best.sum(1) <= 1 + TOLERANCE), best
                last = len(states) - 1
                lens = block(f"encoder.{last}.next_token.surprisal", row, log.shape)
                greatest = max(greatest, worst(lens, log))
            final = expected[f"{row + 1}_final"]
            greatest = max(greatest, worst(block("encoder.output", row, final.shape), final))
        assert at == len(found), "more tokens than expected"
    return greatest


def reference_rounding(folder, out, expected, more):
    """What the reference itself rounds: the difference of a run in float64 from its float32."""
    recording = out / "float64"
    mog("record", "--model", source(folder), "--input", folder / "corpus.txt", "--output", recording, "--capture", "attention,hidden", *more,
        "--store", "float64", "--precision", "float64", "--device", "cpu")
    return compare(recording, expected)


def source(folder):
    files = [path for path in folder.iterdir() if path.suffix == ".pt"]
    return files[0] if files else folder


names = sys.argv[3:] or sorted(path.name for path in DATA.iterdir() if (path / "expected.npz").exists())
assert names, f"{DATA} has no models"
failed = []
with tempfile.TemporaryDirectory() as temporary:
    for name in names:
        folder, out = DATA / name, pathlib.Path(temporary) / name
        with np.load(folder / "expected.npz") as file:
            expected = dict(file)
        mog("convert", source(folder), "--output", out / "converted")
        greatest = 0.0
        more = ["--quantity", "encoder.next_token.*,encoder.*.next_token.surprisal"] if "1_next" in expected else []
        for model, area in ((source(folder), "0"), (out / "converted", "0"), (out / "converted", "1000000")):
            recording = out / f"{model.name}-{area}"
            mog("record", "--model", model, "--input", folder / "corpus.txt", "--output", recording, "--capture",
                "attention,hidden", *more, "--store", "float32", "--device", "cpu", MOG_PADDED_AREA=area)
            greatest = max(greatest, compare(recording, expected))
        if (folder / "greedy.json").exists():
            config = json.loads((out / "converted" / "config.json").read_text())
            vocabulary = (out / "converted" / config["tokenizer"]["target_vocab"]).read_text().split("\n")
            lines = mog("translate", "--model", source(folder), "--input", folder / "corpus.txt", "--beam", 1,
                        "--max-tokens", 8, "--device", "cpu").splitlines()
            for line, ids in zip(lines, json.loads((folder / "greedy.json").read_text()), strict=True):
                assert line.split() == [vocabulary[one] for one in ids[:-1]], (name, line, ids)
        print(f"{name}: greatest difference {greatest:.2e}")
        if not greatest <= TOLERANCE:
            rounded = reference_rounding(folder, out, expected, more)
            print(f"{name}: float64 differs from the reference by {rounded:.2e}, which is what its float32 rounds")
            if not greatest <= rounded <= MOST_ROUNDED:
                failed.append(name)
sys.exit(f"above {TOLERANCE}: {', '.join(failed)}" if failed else 0)
