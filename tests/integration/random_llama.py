"""A random model of Llama's shape, written tensor by tensor, so that it may be larger than memory.

Usage: random_llama.py FOLDER TOKENIZER.json [--dtype bfloat16|float32] [--hidden 2048] [--inner 5632] [--layers 22]
    [--heads 32] [--groups 4] [--vocabulary 32000] [--shards 4]
(the sizes that stand there: 1.1 billion parameters)
"""
import argparse
import json
import pathlib
import shutil

import numpy as np


def shapes(hidden, inner, layers, heads, groups, vocabulary):
    keys = hidden // heads * groups
    yield "model.embed_tokens.weight", (vocabulary, hidden)
    for layer in range(layers):
        name = f"model.layers.{layer}."
        yield name + "input_layernorm.weight", (hidden,)
        yield name + "self_attn.q_proj.weight", (hidden, hidden)
        yield name + "self_attn.k_proj.weight", (keys, hidden)
        yield name + "self_attn.v_proj.weight", (keys, hidden)
        yield name + "self_attn.o_proj.weight", (hidden, hidden)
        yield name + "post_attention_layernorm.weight", (hidden,)
        yield name + "mlp.gate_proj.weight", (inner, hidden)
        yield name + "mlp.up_proj.weight", (inner, hidden)
        yield name + "mlp.down_proj.weight", (hidden, inner)
    yield "model.norm.weight", (hidden,)
    yield "lm_head.weight", (vocabulary, hidden)


def values(random, shape, dtype):
    """Matrices are uniform around 0, norms around 1. bfloat16 is the upper half of float32."""
    around, width = (1, 0.1) if len(shape) == 1 else (0, 0.06)
    numbers = (random.random(shape, dtype=np.float32) - np.float32(0.5)) * np.float32(width) + np.float32(around)
    return (numbers.view(np.uint32) >> 16).astype(np.uint16) if dtype == "bfloat16" else numbers


def write_shard(path, tensors, random, dtype):
    bytes_each = 2 if dtype == "bfloat16" else 4
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for name, shape in tensors:
        end = at + int(np.prod(shape)) * bytes_each
        header[name] = {"dtype": "BF16" if dtype == "bfloat16" else "F32", "shape": list(shape), "data_offsets": [at, end]}
        at = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for _, shape in tensors:
            file.write(values(random, shape, dtype).tobytes())


def write_model(folder, tokenizer, dtype="bfloat16", hidden=2048, inner=5632, layers=22, heads=32, groups=4, vocabulary=32000,
                shards=4, seed=1):
    """Writes the folder and returns the bytes of its weights."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    tensors = list(shapes(hidden, inner, layers, heads, groups, vocabulary))
    random = np.random.default_rng(seed)
    places = {}
    for shard in range(shards):
        name = "model.safetensors" if shards == 1 else f"model-{shard + 1:05}-of-{shards:05}.safetensors"
        some = tensors[len(tensors) * shard // shards:len(tensors) * (shard + 1) // shards]
        write_shard(folder / name, some, random, dtype)
        places.update({tensor: name for tensor, _ in some})
    if shards > 1:
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))
    shutil.copy(tokenizer, folder / "tokenizer.json")
    (folder / "config.json").write_text(json.dumps({
        "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": hidden, "intermediate_size": inner,
        "num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": groups, "vocab_size": vocabulary,
        "max_position_embeddings": 2048, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "hidden_act": "silu",
        "tie_word_embeddings": False, "bos_token_id": 0, "eos_token_id": 1, "torch_dtype": dtype}))
    return sum(int(np.prod(shape)) for _, shape in tensors) * (2 if dtype == "bfloat16" else 4)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("tokenizer")
    parser.add_argument("--dtype", choices=("bfloat16", "float32"), default="bfloat16")
    for name, usual in (("hidden", 2048), ("inner", 5632), ("layers", 22), ("heads", 32), ("groups", 4), ("vocabulary", 32000),
                        ("shards", 4)):
        parser.add_argument("--" + name, type=int, default=usual)
    print(write_model(**vars(parser.parse_args())))
