"""Makes blocks.gguf with the package gguf, and blocks.safetensors, the values that it gives for it; and checks tests/integration/gguf_files.py
against that package: bytes, blocks, names.

Usage: make_gguf.py [OUTPUT]        needs gguf 0.17, safetensors, numpy
"""
import json
import pathlib
import sys
import tempfile

import gguf
import numpy as np
from safetensors.numpy import load_file, save_file

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "integration"))
import gguf_files as ours  # noqa: E402

OUTPUT = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
SHAPE = (2, 256)


def blocks():
    random = np.random.default_rng(5)
    writer, expected, mine = gguf.GGUFWriter(OUTPUT / "blocks.gguf", "llama"), {}, {}
    words, scores = ["\u2581the", "a", "", "\U0001f431"], [0.5, -1.0, 2.25, 0.0]
    writer.add_uint32("llama.block_count", 1)
    writer.add_float32("llama.rope.freq_base", 10000.0)
    writer.add_bool("tokenizer.ggml.add_bos_token", True)
    writer.add_array("tokenizer.ggml.tokens", words)
    writer.add_array("tokenizer.ggml.scores", scores)
    texts = "".join(words).encode()
    expected["key:tokenizer.ggml.tokens"] = np.frombuffer(texts, np.uint8)
    expected["ends:tokenizer.ggml.tokens"] = np.cumsum([len(word.encode()) for word in words]).astype(np.int64)
    expected["key:tokenizer.ggml.scores"] = np.array(scores, np.float32)
    for name in ours.TYPES:
        kind = gguf.GGMLQuantizationType[name]
        if name in ours.QUANTISED:
            data = ours.random_blocks(name, SHAPE, random)
            # All of the numbers that a block may hold, with a scale of any size.
            raw = np.frombuffer(data, np.uint8).reshape(SHAPE[0], -1)
            values = gguf.dequantize(raw, kind).reshape(SHAPE)
            assert np.array_equal(values, ours.dequantised(name, SHAPE, data)), name
            writer.add_tensor(name, raw.copy(), raw_dtype=kind)
            mine[name] = (name, SHAPE, data)
        else:
            values = random.standard_normal(SHAPE).astype(np.float32)
            if name == "F16":
                values = values.astype(np.float16)
                writer.add_tensor(name, values)
            elif name == "BF16":
                values = (values.view(np.uint32) >> 16).astype(np.uint16)
                writer.add_tensor(name, values.view(np.uint8), raw_dtype=kind)
            else:
                writer.add_tensor(name, values)
            mine[name] = (name, SHAPE, values.tobytes())
        expected[name] = values
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    bfloat = expected.pop("BF16")
    save_file(expected, OUTPUT / "blocks.safetensors")
    add_bfloat16(OUTPUT / "blocks.safetensors", bfloat)
    keys = {"general.architecture": "llama", "llama.block_count": 1, "llama.rope.freq_base": 10000.0, "tokenizer.ggml.add_bos_token": True,
            "tokenizer.ggml.tokens": words, "tokenizer.ggml.scores": scores}
    assert ours.whole(keys, mine) == (OUTPUT / "blocks.gguf").read_bytes(), "bytes of the writer"


def add_bfloat16(path, values):
    """NumPy has no bfloat16."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + length])
    end = len(data) - 8 - length
    header["BF16"] = {"dtype": "BF16", "shape": list(SHAPE), "data_offsets": [end, end + values.nbytes]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data[8 + length:] + values.tobytes())


def names():
    """Of every tensor of tests/data/stacks whose family is known."""
    count = 0
    for folder in sorted((HERE.parent / "stacks").iterdir()):
        config = json.loads((folder / "config.json").read_text())
        if config["model_type"] not in ours.FAMILIES or config.get("position_embedding_type") == "alibi":
            continue
        architecture, own = ours.FAMILIES[config["model_type"]]
        arch = next(key for key, value in gguf.MODEL_ARCH_NAMES.items() if value == architecture)
        table = gguf.get_tensor_name_map(arch, 8)
        for name in load_file(folder / "model.safetensors"):
            if ".norms." in name:
                continue
            name = name.removeprefix("transformer.") if architecture == "bloom" else name  # as the converter does
            theirs, mine = table.get_name(name, try_suffixes=(".weight", ".bias")), ours.own_name(name, own)
            assert theirs == mine, (folder.name, name, theirs, mine)
            count += 1
    print(count, "names")


blocks()
names()
with tempfile.TemporaryDirectory() as temporary:
    file = pathlib.Path(temporary) / "llama.gguf"
    file.write_bytes(ours.of_folder(HERE.parent / "stacks" / "llama"))
    reader = gguf.GGUFReader(file)
    print(len(reader.fields), "keys,", len(reader.tensors), "tensors")
