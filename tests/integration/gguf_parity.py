"""GGUF files against the Hugging Face folders that they are made of (gguf_files.py): what transformers computed with each family (expected.npz
of tests/data/stacks), and what `mog` records of the same weights in both forms, in float16, and in every quantised type.

Usage: gguf_parity.py MOG DATA [NAME…]      needs h5py, safetensors; exit code 77 (skipped) without them or without the engine
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from mog_cli import skip
from parity import TOLERANCE, h5py, np, worst

try:
    from safetensors.numpy import load_file, save_file
except ImportError as error:
    skip(f"a Python package is absent ({error})")
import gguf_files as gguf

MOG, DATA = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
MODELS = ["bloom", "cohere", "cohere2", "falcon", "falcon-new", "gemma", "glm4", "gpt-bigcode", "gpt-neox", "gpt-neox-sequential",
          "gpt2", "gpt2-bytes", "granite", "llama", "llama-old", "olmo", "olmo2", "olmo3", "phi3", "qwen3", "stablelm", "stablelm-parallel"]
# Folders with what llama.cpp has no word for, which is taken out: windows, norms of queries and keys in Phi, layers that turn nothing, factors of
# scores that are not the width of a head.
WITHOUT = {"gemma2": dict(query_pre_attn_scalar=6), "gemma3": dict(query_pre_attn_scalar=6), "mistral": dict(sliding_window=None), "qwen2": dict(use_sliding_window=False, layer_types=None), "starcoder2": dict(sliding_window=None),
           "smollm3": dict(no_rope_layers=[1, 1]), "phi": dict(qk_layernorm=False)}


def mog(*command):
    result = subprocess.run([MOG, *map(str, command)], capture_output=True, text=True)
    if result.returncode == 1 and "engine" in result.stderr:
        skip(result.stderr.strip())
    assert result.returncode == 0, f"{' '.join(map(str, command))}\n{result.stderr}"


def record(model, corpus, out):
    mog("record", "--model", model, "--input", corpus, "--output", out, "--capture", "attention,hidden", "--quantity", "encoder.next_token.*",
        "--store", "float32", "--device", "cpu")
    with h5py.File(out / "recording.h5") as file:
        values = {name: np.asarray(block) for name, block in file["quantities"].items()}
        return np.asarray(file["tokens"]["id"]), values


def against_transformers(found, expected):
    ids, values = found
    wanted = np.concatenate([row[row >= 0] for row in expected["ids"]])
    assert np.array_equal(ids, wanted), f"ids: {ids} for {wanted}"
    worst_of = 0.0
    layers = len(expected["1_states"])
    for layer in range(layers):
        name = f"encoder.{layer}.output" if layer else "encoder.embedding"
        states = np.concatenate([expected[f"{row + 1}_states"][layer] for row in range(len(expected["ids"]))])
        worst_of = max(worst_of, worst(values[name].reshape(states.shape), states))
        if layer:
            maps = np.concatenate([expected[f"{row + 1}_maps"][layer - 1].ravel() for row in range(len(expected["ids"]))])
            worst_of = max(worst_of, worst(values[f"encoder.{layer}.full.attention"].ravel(), maps))
    return worst_of


def difference(found, wanted):
    assert np.array_equal(found[0], wanted[0]) and found[1].keys() == wanted[1].keys()
    return max(worst(values.astype(np.float64), wanted[1][name].astype(np.float64)) for name, values in found[1].items())


def copy_with(folder, target, weights, **changes):
    """The folder with other weights and other words in its configuration."""
    target.mkdir()
    config = json.loads((folder / "config.json").read_text())
    (target / "config.json").write_text(json.dumps({**config, **changes}))
    (target / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    save_file(weights, target / "model.safetensors")


def families(temporary, names):
    for name in names:
        folder, out = DATA / name, temporary / name
        out.mkdir()
        (out / "model.gguf").write_bytes(gguf.of_folder(folder))
        found = record(out / "model.gguf", folder / "corpus.txt", out / "gguf")
        with np.load(folder / "expected.npz") as file:
            reference = against_transformers(found, dict(file))
        same = difference(found, record(folder, folder / "corpus.txt", out / "same"))
        # Half precision, the folder of the file as the model.
        weights = {key: value.astype(np.float16) if value.ndim > 1 else value for key, value in load_file(folder / "model.safetensors").items()}
        half = {key: value.astype(np.float32) for key, value in weights.items()}
        copy_with(folder, out / "half", half)
        (out / "only").mkdir()
        (out / "only" / "half.gguf").write_bytes(gguf.of_folder(out / "half", "F16"))
        halved = difference(record(out / "only", folder / "corpus.txt", out / "gguf16"), record(out / "half", folder / "corpus.txt", out / "same16"))
        print(f"{name}: {reference:.1e} from transformers, {same:.1e} from the folder, float16 {halved:.1e}")
        yield max(reference, same, halved), name


def without(temporary):
    for name, changes in WITHOUT.items():
        folder, out = DATA / name, temporary / name
        out.mkdir()
        weights = {key: value for key, value in load_file(folder / "model.safetensors").items() if "self_attn.q_layer" not in key and "self_attn.k_layer" not in key}
        copy_with(folder, out / "folder", weights, **changes)
        (out / "model.gguf").write_bytes(gguf.of_folder(out / "folder"))
        same = difference(record(out / "model.gguf", folder / "corpus.txt", out / "gguf"), record(out / "folder", folder / "corpus.txt", out / "same"))
        print(f"{name}, {changes}: {same:.1e} from the folder")
        yield same, name


def quantised(temporary):
    """A Llama with every quantised type in it, and its folder with the values that the blocks stand for."""
    folder, out = DATA / "llama", temporary / "quantised"
    out.mkdir()
    file, config, weights = gguf.quantised_llama(folder)
    copy_with(folder, out / "folder", weights, **config)
    (out / "model.gguf").write_bytes(file)
    greatest = difference(record(out / "model.gguf", folder / "corpus.txt", out / "gguf"), record(out / "folder", folder / "corpus.txt", out / "other"))
    print(f"{', '.join(gguf.QUANTISED)}: {greatest:.1e} from the values of the blocks")
    mog("convert", out / "model.gguf", "--output", out / "converted", "--quiet")
    return greatest, "quantised"


with tempfile.TemporaryDirectory() as folder:
    temporary = pathlib.Path(folder)
    results = [*families(temporary, sys.argv[3:] or MODELS)]
    if not sys.argv[3:]:
        results += [*without(temporary), quantised(temporary)]
failed = [f"{name}: {greatest}" for greatest, name in results if not greatest <= TOLERANCE]
assert not failed, "\n".join(failed)
