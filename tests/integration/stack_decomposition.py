"""One stack: every identity of the exact decompositions holds for the small models of tests/data/stacks, what is not seen has
no weight, and the perplexity of their texts is that of the log-probabilities that transformers gave.

Usage: stack_decomposition.py MOG DATA [NAME…]       exit code 77 (skipped) without h5py or the engine
"""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from mog_cli import skip
from parity import h5py, np

MOG, DATA = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
# Of each family of identities one quantity; all are computed and checked with --check whatever is kept.
KEPT = "encoder.*.full.logit_terms,encoder.*.full.attention,encoder.*.full.aumann_shapley,encoder.*.alti,encoder.propagation.norm"


def mog(*command):
    result = subprocess.run([MOG, *map(str, command)], capture_output=True, text=True, timeout=600)
    if result.returncode == 1 and "engine" in result.stderr:
        skip(result.stderr.strip())
    assert result.returncode == 0, f"{' '.join(map(str, command))}\n{result.stderr[-3000:]}"
    return result.stdout


def blocks(file, name, shape):
    values = file[f"quantities/{name}"]
    offsets = file[values.attrs["offsets"]][:]
    return [values[begin:end].reshape(shape(row)) for row, (begin, end) in enumerate(zip(offsets[:-1], offsets[1:]))]


def check(name):
    folder = DATA / name
    with np.load(folder / "expected.npz") as expected:
        lengths = [int((ids >= 0).sum()) for ids in expected["ids"]]
        heads = expected["1_maps"].shape[1]
        layers = expected["1_maps"].shape[0]
        hidden = [expected[f"{row + 1}_maps"] == 0 for row in range(len(lengths))]
        next_tokens = [expected[f"{row + 1}_next"] for row in range(len(lengths))] if "1_next" in expected else []
    with tempfile.TemporaryDirectory() as temporary:
        out = pathlib.Path(temporary) / "recording"
        mog("record", "--model", folder, "--input", folder / "corpus.txt", "--output", out, "--quantity", KEPT, "--check",
            "--precision", "float64", "--store", "float32", "--device", "cpu")
        with h5py.File(out / "recording.h5") as file:
            for layer in range(1, layers + 1):
                square = lambda row: (heads, -1, lengths[row], lengths[row])
                maps = blocks(file, f"encoder.{layer}.full.attention", square)
                effects = blocks(file, f"encoder.{layer}.full.aumann_shapley", square)
                for row, (pattern, effect) in enumerate(zip(maps, effects)):
                    unseen = hidden[row][layer - 1]
                    assert np.all(pattern[:, 0][unseen] == 0), (name, layer, "weight on what is not seen")
                    assert np.all(effect.sum(1)[unseen] == 0), (name, layer, "an effect on what is not seen")
                    seen = 1.0 / (~unseen).sum(-1, keepdims=True)
                    assert np.allclose(effect.sum(1) + np.where(unseen, 0, seen), pattern[:, 0], atol=2e-6), (name, layer)
    if next_tokens:
        logs = np.concatenate([tokens[0, 1:] for tokens in next_tokens])
        found = json.loads(mog("evaluate", folder, "--perplexity", folder / "corpus.txt", "--json", "--device", "cpu"))
        assert found["tokens"] == len(logs) and found["texts"] + found["left_out"] == len(lengths), found
        wanted = math.exp(-logs.mean())
        assert abs(found["perplexity"] / wanted - 1) < 1e-5, (name, found["perplexity"], wanted)


names = sys.argv[3:] or sorted(path.name for path in DATA.iterdir() if (path / "expected.npz").exists())
assert names, f"{DATA} has no models"
failed = []
for model in names:
    try:
        check(model)
        print(f"{model}: holds")
    except AssertionError as error:
        failed.append(model)
        print(f"{model}: {str(error)[-1500:]}")
sys.exit(f"failed: {', '.join(failed)}" if failed else 0)
