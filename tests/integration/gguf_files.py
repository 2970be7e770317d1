"""GGUF files as llama.cpp's convert_hf_to_gguf.py makes them of Hugging Face folders, for tests: a writer, the names of tensors, what is
reordered, and the tokenizer. tests/data/weights/make_gguf.py checks names, bytes and blocks against the package gguf.

What the conversion changes:
- Llama, SmolLM 3, Granite, OLMo: the rows of queries and keys of each head, d of half p, become row 2 d + p, for rotary pairs of neighbours.
- Gemma: norms are stored with the 1 that Hugging Face adds to them.
- GPT-2: maps are [out, in].
- GPT-NeoX, BLOOM: rows [head][q, k, v] become [q, k, v][head]; Falcon: rows [group][queries, k, v] become all queries, all keys, all values.
- StableLM: the norms of the heads are one tensor. Phi 3, GLM 4: fused maps stay fused; what gate and up share is called ffn_up.
- llama3 scaling becomes divisors of the frequencies (rope_freqs), longrope two lists of them.
"""
import json
import math
import struct

import numpy as np

TYPES = {"F32": (0, 1, 4), "F16": (1, 1, 2), "Q4_0": (2, 32, 18), "Q4_1": (3, 32, 20), "Q5_0": (6, 32, 22), "Q5_1": (7, 32, 24),
         "Q8_0": (8, 32, 34), "Q4_K": (12, 256, 144), "Q5_K": (13, 256, 176), "Q6_K": (14, 256, 210), "BF16": (30, 1, 2)}
QUANTISED = [name for name in TYPES if name.startswith("Q")]


# ---- the file

def text(value):
    data = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(data)) + data


def value(thing):
    """Type and bytes of the value of a key; of lists those of their elements."""
    if isinstance(thing, bool):
        return 7, struct.pack("<?", thing)
    if isinstance(thing, int):
        return (4, struct.pack("<I", thing)) if 0 <= thing < 1 << 32 else (11, struct.pack("<q", thing))
    if isinstance(thing, float):
        return 6, struct.pack("<f", thing)
    if isinstance(thing, (str, bytes)):
        return 8, text(thing)
    kinds = [value(one) for one in thing]
    kind = 6 if any(isinstance(one, float) for one in thing) else 5 if kinds and kinds[0][0] == 4 else kinds[0][0] if kinds else 4
    form = {5: "<i", 6: "<f"}.get(kind)
    return 9, struct.pack("<IQ", kind, len(kinds)) + b"".join(struct.pack(form, one) if form else data for one, (_, data) in zip(thing, kinds))


def packed(name, shape, kind, offset):
    return text(name) + struct.pack("<I", len(shape)) + b"".join(struct.pack("<Q", size) for size in reversed(shape)) + struct.pack(
        "<IQ", TYPES[kind][0], offset)


def whole(keys, tensors, alignment=32):
    """Bytes of a file. `tensors`: name → (type, shape, bytes)."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys))
    for name, thing in keys.items():
        kind, data = value(thing)
        head += text(name) + struct.pack("<I", kind) + data
    data = b""
    for name, (kind, shape, values) in tensors.items():
        head += packed(name, shape, kind, len(data))
        data += values + bytes(-len(values) % alignment)
    return head + bytes(-len(head) % alignment) + data


def stored(array, kind="F32"):
    array = np.ascontiguousarray(array, np.float32)
    if kind == "F16":
        return kind, array.shape, array.astype("<f2").tobytes()
    if kind == "BF16":
        return kind, array.shape, (array.view(np.uint32) >> 16).astype("<u2").tobytes()
    return "F32", array.shape, array.astype("<f4").tobytes()


# ---- blocks

def random_blocks(kind, shape, random, scale=0.02):
    """Bytes of blocks with any numbers and sane scales."""
    _, elements, size = TYPES[kind]
    count = math.prod(shape) // elements
    blocks = random.integers(0, 256, (count, size), dtype=np.uint8)
    least = kind.endswith("_1") or kind in ("Q4_K", "Q5_K")
    halves = (random.uniform(0.5, 1.5, (count, 2)) * scale / (1 if kind.endswith("_0") or kind.endswith("_1") else 30)).astype("<f2")
    at = 208 if kind == "Q6_K" else 0
    wide = 2 if least else 1
    blocks[:, at:at + 2 * wide] = halves[:, :wide].copy().view(np.uint8)
    return blocks.tobytes()


def dequantised(kind, shape, data):
    """float32, by the formulas of ggml."""
    _, elements, size = TYPES[kind]
    b = np.frombuffer(data, np.uint8).reshape(-1, size)
    half = lambda at: b[:, at:at + 2].copy().view("<f2").astype(np.float32)
    f = lambda x: x.astype(np.float32)
    nibbles = lambda at: np.concatenate([b[:, at:at + 16] & 15, b[:, at:at + 16] >> 4], 1)
    fifth = lambda at: np.unpackbits(b[:, at:at + 4], axis=1, bitorder="little") << 4
    if kind == "Q8_0":
        values = f(b[:, 2:].view(np.int8)) * half(0)
    elif kind == "Q4_0":
        values = half(0) * f(nibbles(2).astype(np.int8) - np.int8(8))
    elif kind == "Q4_1":
        values = half(0) * f(nibbles(4)) + half(2)
    elif kind == "Q5_0":
        values = half(0) * f((nibbles(6) | fifth(2)).astype(np.int8) - np.int8(16))
    elif kind == "Q5_1":
        values = half(0) * f(nibbles(8) | fifth(4)) + half(2)
    elif kind in ("Q4_K", "Q5_K"):
        s = b[:, 4:16]
        scales = np.concatenate([s[:, :4] & 63, s[:, 8:] & 15 | s[:, :4] >> 2 & 48], 1)
        leasts = np.concatenate([s[:, 4:8] & 63, s[:, 8:] >> 4 | s[:, 4:8] >> 2 & 48], 1)
        low = b[:, 16:144] if kind == "Q4_K" else b[:, 48:176]
        low = low.reshape(-1, 4, 1, 32) >> np.array([0, 4], np.uint8).reshape(1, 1, 2, 1)
        numbers = (low & 15).reshape(-1, 8, 32)
        if kind == "Q5_K":
            numbers = numbers | (b[:, 16:48].reshape(-1, 1, 32) >> np.arange(8, dtype=np.uint8).reshape(1, 8, 1) & 1) << 4
        values = (half(0) * f(scales))[:, :, None] * f(numbers) - (half(2) * f(leasts))[:, :, None]
    else:
        low = b[:, :128].reshape(-1, 2, 1, 64) >> np.array([0, 4], np.uint8).reshape(1, 1, 2, 1)
        high = b[:, 128:192].reshape(-1, 2, 1, 32) >> np.array([0, 2, 4, 6], np.uint8).reshape(1, 1, 4, 1)
        numbers = (low & 15).reshape(-1, 8, 32) | (high & 3).reshape(-1, 8, 32) << 4
        numbers = f(numbers.astype(np.int8) - np.int8(32)).reshape(-1, 16, 16)
        values = (half(208) * f(b[:, 192:208].view(np.int8)))[:, :, None] * numbers
    return values.reshape(shape)


# ---- names

LLAMA = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output", "input_layernorm": "attn_norm",
         "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
         "post_attention_layernorm": "ffn_norm", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
         "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm"}
SANDWICH = {"post_attention_layernorm": "post_attention_norm", "pre_feedforward_layernorm": "ffn_norm",
            "post_feedforward_layernorm": "post_ffw_norm"}
STEPS = {"mlp.dense_h_to_4h": "ffn_up", "mlp.dense_4h_to_h": "ffn_down", "post_attention_layernorm": "ffn_norm", "lm_head": "output"}
GPT2 = {"transformer.wte": "token_embd", "transformer.wpe": "position_embd", "transformer.ln_f": "output_norm", "ln_1": "attn_norm",
        "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output", "ln_2": "ffn_norm", "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down", "lm_head": "output"}
BERT = {"embeddings.word_embeddings": "token_embd", "embeddings.position_embeddings": "position_embd",
        "embeddings.token_type_embeddings": "token_types", "embeddings.LayerNorm": "token_embd_norm", "attention.self.query": "attn_q",
        "attention.self.key": "attn_k", "attention.self.value": "attn_v", "attention.output.dense": "attn_output",
        "attention.output.LayerNorm": "attn_output_norm", "intermediate.dense": "ffn_up", "output.dense": "ffn_down", "output.LayerNorm": "layer_output_norm"}
BLOOM = {**STEPS, "transformer.word_embeddings": "token_embd", "transformer.ln_f": "output_norm", "input_layernorm": "attn_norm",
         "self_attention.query_key_value": "attn_qkv", "self_attention.dense": "attn_output",
         "transformer.word_embeddings_layernorm": "token_embd_norm"}
# model_type → architecture and names
FAMILIES = {
    "llama": ("llama", LLAMA), "mistral": ("llama", LLAMA), "smollm3": ("smollm3", LLAMA), "granite": ("granite", LLAMA), "olmo": ("olmo", LLAMA),
    "qwen2": ("qwen2", LLAMA), "qwen3": ("qwen3", LLAMA), "gemma": ("gemma", LLAMA), "gemma2": ("gemma2", {**LLAMA, **SANDWICH}),
    "gemma3_text": ("gemma3", {**LLAMA, **SANDWICH}), "cohere": ("command-r", LLAMA), "cohere2": ("cohere2", LLAMA),
    "olmo2": ("olmo2", {**LLAMA, **SANDWICH}), "olmo3": ("olmo2", {**LLAMA, **SANDWICH}), "stablelm": ("stablelm", LLAMA),
    "starcoder2": ("starcoder2", {**LLAMA, "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down"}),
    "phi": ("phi2", {**LLAMA, "model.final_layernorm": "output_norm", "self_attn.dense": "attn_output", "mlp.fc1": "ffn_up", "mlp.fc2": "ffn_down"}),
    "phi3": ("phi3", {**LLAMA, "self_attn.qkv_proj": "attn_qkv", "mlp.gate_up_proj": "ffn_up"}),
    "glm4": ("glm4", {**LLAMA, "post_self_attn_layernorm": "post_attention_norm", "post_mlp_layernorm": "post_ffw_norm", "mlp.gate_up_proj": "ffn_up"}),
    "gpt2": ("gpt2", GPT2), "gpt_bigcode": ("starcoder", GPT2), "bloom": ("bloom", BLOOM), "bert": ("bert", BERT),
    "gpt_neox": ("gptneox", {**STEPS, "gpt_neox.embed_in": "token_embd", "gpt_neox.final_layer_norm": "output_norm", "embed_out": "output",
                             "input_layernorm": "attn_norm", "attention.query_key_value": "attn_qkv", "attention.dense": "attn_output"}),
    "falcon": ("falcon", {**BLOOM, "ln_mlp": "attn_norm", "ln_attn": "attn_norm_2"}),
}


def own_name(name, names):
    """llama.cpp's name of a tensor, None where it has none."""
    stem, dot, ending = name.rpartition(".")
    parts = stem.split(".")
    for at, part in enumerate(parts):
        if part.isdigit():
            rest = ".".join(parts[at + 1:])
            return f"blk.{part}.{names[rest]}{dot}{ending}" if rest in names else None
    for whole_name in (stem, "model." + stem, "transformer." + stem, "gpt_neox." + stem, stem.removeprefix("bert.")):
        if whole_name in names:
            return names[whole_name] + dot + ending
    return None


# ---- tensors and keys

def first(config, *keys, otherwise=None):
    return next((config[key] for key in keys if config.get(key) is not None), otherwise)


def rows_of_heads(array, heads):
    """LlamaModel.permute."""
    return array.reshape(heads, 2, array.shape[0] // heads // 2, *array.shape[1:]).swapaxes(1, 2).reshape(array.shape)


def stacked(array, groups, queries, head):
    """Rows [group][queries, k, v] as all queries, all keys, all values."""
    parts = array.reshape(groups, queries + 2, head, *array.shape[1:])
    return np.concatenate([part.reshape(-1, *array.shape[1:]) for part in (parts[:, :-2], parts[:, -2:-1], parts[:, -1:])])


def scaling_keys(architecture, rope, head, keys, tensors):
    """What stands for rope_parameters; `head`: dimensions that are turned."""
    kind = rope.get("rope_type", rope.get("type", "default"))
    if kind in ("linear", "yarn"):
        keys[f"{architecture}.rope.scaling.type"] = kind
        keys[f"{architecture}.rope.scaling.factor"] = float(rope["factor"])
        if kind == "yarn":
            keys[f"{architecture}.rope.scaling.original_context_length"] = rope["original_max_position_embeddings"]
    elif kind == "llama3":
        base, factor, old = rope.get("rope_theta", 10000.0), rope["factor"], rope["original_max_position_embeddings"]
        low, high = old / rope["low_freq_factor"], old / rope["high_freq_factor"]
        divisors = []
        for frequency in 1.0 / base ** (np.arange(0, head, 2, dtype=np.float32) / head):
            wave = 2 * math.pi / frequency
            smooth = (old / wave - rope["low_freq_factor"]) / (rope["high_freq_factor"] - rope["low_freq_factor"])
            divisors.append(1.0 if wave < high else factor if wave > low else 1 / ((1 - smooth) / factor + smooth))
        tensors["rope_freqs.weight"] = stored(np.array(divisors))
    elif kind == "longrope":
        for length in ("short", "long"):
            tensors[f"rope_factors_{length}.weight"] = stored(np.array(rope[f"{length}_factor"]))
        keys[f"{architecture}.rope.scaling.original_context_length"] = rope["original_max_position_embeddings"]


def converted(config, weights, kind="F32"):
    """Keys and tensors of a model: config.json and name → array."""
    model = config["model_type"]
    architecture, names = FAMILIES[model]
    a = architecture + "."
    layers = first(config, "num_hidden_layers", "n_layer", "num_layers")
    width = first(config, "hidden_size", "n_embd", "n_embed")
    heads = first(config, "num_attention_heads", "n_head")
    groups = first(config, "num_key_value_heads", otherwise=1 if model == "gpt_bigcode" else heads)
    if model == "falcon":
        groups = config["num_kv_heads"] if config.get("new_decoder_architecture") else 1 if config.get("multi_query", True) else heads
    head = first(config, "head_dim", otherwise=width // heads)
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    local = rope.get("sliding_attention")
    rope = rope.get("full_attention", rope)
    part = first(config, "partial_rotary_factor", "rotary_pct", otherwise=rope.get("partial_rotary_factor", 1.0))
    rms = model in ("llama", "mistral", "smollm3", "granite", "qwen2", "qwen3", "gemma", "gemma2", "gemma3_text", "phi3", "olmo2", "olmo3", "glm4")
    epsilon = first(config, "rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "norm_epsilon", otherwise=1e-5)
    keys = {"general.architecture": architecture, "general.name": "small", a + "block_count": layers, a + "embedding_length": width,
            a + "feed_forward_length": first(config, "intermediate_size", "n_inner", "ffn_hidden_size", otherwise=4 * width),
            a + "context_length": first(config, "max_position_embeddings", "n_positions", otherwise=2048), a + "attention.head_count": heads,
            a + ("attention.layer_norm_rms_epsilon" if rms else "attention.layer_norm_epsilon"): float(epsilon)}
    tensors = {}
    if model not in ("gpt2", "bloom", "bert"):
        keys[a + "attention.head_count_kv"] = groups
    if model not in ("gpt2", "gpt_bigcode", "bloom", "bert"):
        keys[a + "rope.freq_base"] = float(first(config, "rope_theta", "rotary_emb_base", otherwise=rope.get("rope_theta", 10000.0)))
        keys[a + "rope.dimension_count"] = int(head * part)
        scaling_keys(architecture, rope, int(head * part), keys, tensors)
    if head * heads != width:
        keys[a + "attention.key_length"] = keys[a + "attention.value_length"] = head
    if config.get("sliding_window") and model in ("gemma2", "gemma3_text", "phi3", "cohere2", "olmo3"):
        keys[a + "attention.sliding_window"] = config["sliding_window"]
        if model in ("gemma3_text", "cohere2", "olmo3"):
            keys[a + "attention.sliding_window_pattern"] = [kind == "sliding_attention" for kind in config["layer_types"]]
    if local:
        keys[a + "rope.freq_base_swa"] = float(local["rope_theta"])
    for ours, theirs in (("embedding_multiplier", "embedding_scale"), ("residual_multiplier", "residual_scale"), ("attention_multiplier", "attention.scale"),
                         ("logits_scaling", "logit_scale"), ("logit_scale", "logit_scale"), ("attn_logit_softcapping", "attn_logit_softcapping"),
                         ("final_logit_softcapping", "final_logit_softcapping"), ("use_parallel_residual", "use_parallel_residual")):
        if config.get(ours) is not None and not (ours == "use_parallel_residual" and model != "gpt_neox"):
            keys[a + theirs] = config[ours]
    if model == "bert":
        keys[a + "attention.causal"] = False
    norms = {}
    tied = config.get("tie_word_embeddings", model in ("gpt2", "gpt_bigcode", "bloom", "falcon", "gemma", "gemma2", "gemma3_text"))
    for name, array in sorted(weights.items()):
        array = np.asarray(array, np.float32)
        stem = name.rpartition(".")[0]
        if model == "stablelm" and ".norms." in name:
            norms.setdefault(name[:name.index("_layernorm")], {})[int(stem.rpartition(".")[2])] = array
            continue
        own = own_name(name, names)
        if own is None or (tied and own.startswith("output.")):
            continue
        if model in ("llama", "mistral", "smollm3", "granite", "olmo") and (".attn_q." in own or ".attn_k." in own):
            array = rows_of_heads(array, heads if ".attn_q." in own else groups)
        if model.startswith("gemma") and own.endswith("norm.weight"):
            array = array + np.float32(1)
        if model == "gpt2" and own.startswith("blk.") and array.ndim == 2:
            array = array.T
        if ".attn_qkv." in own and model in ("gpt_neox", "bloom"):
            array = stacked(array, heads, 1, head)
        if ".attn_qkv." in own and model == "falcon":
            array = stacked(array, groups, heads // groups, head)
        tensors[own] = stored(array, kind if array.ndim > 1 else "F32")
    for prefix, rows in norms.items():
        layer = next(part for part in prefix.split(".") if part.isdigit())
        tensors[f"blk.{layer}.attn_{prefix[-1]}_norm.weight"] = stored(np.stack([rows[i] for i in range(len(rows))]))
    return keys, tensors


# ---- tokenizers

def word_piece_keys(tokenizer):
    """tokenizer.json of BERT's form."""
    tokens = [token for token, _ in sorted(tokenizer["model"]["vocab"].items(), key=lambda entry: entry[1])]
    special = lambda token: token.startswith("[") and token.endswith("]")
    role = lambda name: tokens.index(name)
    return {"tokenizer.ggml.model": "bert",
            "tokenizer.ggml.tokens": [token if special(token) else token[2:] if token.startswith("##") else "\u2581" + token for token in tokens],
            "tokenizer.ggml.token_type": [3 if special(token) else 1 for token in tokens], "tokenizer.ggml.unknown_token_id": role("[UNK]"),
            "tokenizer.ggml.cls_token_id": role("[CLS]"), "tokenizer.ggml.seperator_token_id": role("[SEP]"),
            "tokenizer.ggml.padding_token_id": role("[PAD]")}


def byte_pair_keys(tokenizer, pre="gpt-2"):
    tokens = [token for token, _ in sorted(tokenizer["model"]["vocab"].items(), key=lambda entry: entry[1])]
    special = {token["content"] for token in tokenizer["added_tokens"]}
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in tokenizer["model"]["merges"]]
    return {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": pre, "tokenizer.ggml.tokens": tokens,
            "tokenizer.ggml.token_type": [3 if token in special else 1 for token in tokens], "tokenizer.ggml.merges": merges}


def quantised_llama(folder, layers=2, inner=256, seed=3):
    """Of the shape of a small Llama's folder, with every quantised type: bytes of the file, and configuration and tensors of a folder with the
    values that its blocks stand for."""
    random = np.random.default_rng(seed)
    config, tokenizer = (json.loads((folder / name).read_text()) for name in ("config.json", "tokenizer.json"))
    width, rows = 256, len(tokenizer["model"]["vocab"])
    config |= dict(hidden_size=width, intermediate_size=inner, num_hidden_layers=layers, num_attention_heads=4, num_key_value_heads=2, head_dim=64)
    shapes = {"model.embed_tokens": (rows, width), "lm_head": (rows, width)}
    for layer in range(layers):
        shapes |= {f"model.layers.{layer}.self_attn.{part}_proj": (width // 2 if part in "kv" else width, width) for part in "qkvo"}
        shapes |= {f"model.layers.{layer}.mlp.{part}_proj": (inner, width) for part in ("gate", "up")}
        shapes |= {f"model.layers.{layer}.mlp.down_proj": (width, inner)}
    weights = {name + ".weight": random.uniform(0.5, 1.5, width).astype(np.float32) for name in ["model.norm"] + [
        f"model.layers.{layer}.{part}_layernorm" for layer in range(layers) for part in ("input", "post_attention")]}
    keys, tensors = converted(config, weights)
    for at, (name, shape) in enumerate(shapes.items()):
        kind = QUANTISED[at % len(QUANTISED)]
        data = random_blocks(kind, shape, random)
        own = own_name(name + ".weight", LLAMA)
        tensors[own] = (kind, shape, data)
        values = dequantised(kind, shape, data)
        if ".attn_q." in own or ".attn_k." in own:  # rows as they are in the folder
            values = values.reshape(shape[0] // 64, 32, 2, width).swapaxes(1, 2).reshape(shape)
        weights[name + ".weight"] = np.ascontiguousarray(values)
    return whole(keys | word_piece_keys(tokenizer), tensors), config, weights


def of_folder(folder, kind="F32", load=None):
    """Bytes of the GGUF file of a Hugging Face folder."""
    if load is None:
        from safetensors.numpy import load_file as load
    config = json.loads((folder / "config.json").read_text())
    keys, tensors = converted(config, load(folder / "model.safetensors"), kind)
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    keys |= word_piece_keys(tokenizer) if tokenizer["model"]["type"] == "WordPiece" else byte_pair_keys(tokenizer)
    for role in ("bos", "eos", "pad"):
        if isinstance(config.get(role + "_token_id"), int):
            keys[f"tokenizer.ggml.{'padding' if role == 'pad' else role}_token_id"] = config[role + "_token_id"]
    return whole(keys, tensors)
