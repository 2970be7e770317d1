"""Encoders whose weights are constructed so that their attention joins words along planted trees.

The state. Every word w has one vector u(w) with entries +1 and -1: logical channels c as pairs (c, -c), so that
its mean is 0 and its variance 1 and layer norms keep it. The channels say, for each layer, whom the word attends
to, by which part it is joined to its head, and whether it joins nobody:

    own code [K] | layer 1: target code [K], joined by h, m1, m2, idle | layer 2: ... | two waste channels, 0

The query map of layer l reads the target code of layer l, the key map the own code; codes of two positions differ
in at least 4 of K = 12 places, so the logit of the right key stands out by at least `sharpness`. A word that does
not join in a layer attends to itself. One model holds many sentences, because the tree stands in the words.

Graph-Transformer. Values read "joined by p in layer l" from the key: the contribution i_p is large where the key
is joined by part p, along the waste channels (+, -)/sqrt(2); the low contribution is large where the word itself is
idle. Hence the self-gate puts its mass on the planted part or on low; the weight-gate opens or stays shut. The
layer norms lose the waste (gain 0) and rescale the rest to f_l = 2, 1, 2, 1, ..., so that full = f_l u, previous
P = f_{l-2} u, incremental I = (f_{l-1} - f_{l-2}) u are multiples of u with known factors (P = 0 in layer 1).

Transformer. The output map is 0: the state stays u.
"""
import dataclasses
import json
import math
import pathlib
import struct

import numpy as np

K = 12


@dataclasses.dataclass(frozen=True)
class Design:
    kind: str = "graph_transformer"  # or "transformer"
    fusion: str = "self_gate"  # or "weight_gate"
    layers: int = 6
    sharpness: float = 16  # least difference between the logits of the right key and of any other
    gate_sharpness: float = 12  # the same of the gate: ln of planted against other part, logit of the weight-gate
    noise: float = 0  # standard deviation of what is added to every weight
    heads: int = 2


def position_codes(count):
    """`count` words of K bits, each two with distance 4 or more (greedy), as +1 and -1."""
    chosen = []
    for number in range(1 << K):
        if all((number ^ other).bit_count() >= 4 for other in chosen):
            chosen.append(number)
            if len(chosen) == count:
                return np.array([[1 if number >> bit & 1 else -1 for bit in range(K)] for number in chosen], np.float64)
    raise ValueError(f"there are no {count} codes of {K} bits")


class Channels:
    """Where the logical channels lie; each is a pair of columns."""

    def __init__(self, layers, graph):
        self.flags = 4 if graph else 0
        self.block = K + self.flags
        self.pairs = K + layers * self.block
        self.width = 2 * self.pairs + (2 if graph else 0)
        self.waste = 2 * self.pairs

    def own(self, bit):
        return bit

    def target(self, layer, bit):
        return K + (layer - 1) * self.block + bit

    def flag(self, layer, name):
        return K + (layer - 1) * self.block + K + ("h", "m1", "m2", "idle").index(name)

    def spread(self, logical):
        """[..., pairs] -> [..., width]"""
        result = np.zeros((*logical.shape[:-1], self.width))
        result[..., 0:2 * self.pairs:2] = logical
        result[..., 1:2 * self.pairs:2] = -logical
        return result

    def read(self, channel, scale=1.0):
        """The row that reads a channel from u: scale * c."""
        row = np.zeros(self.width)
        row[2 * channel], row[2 * channel + 1] = scale / 2, -scale / 2
        return row


def logical_states(trees, layers, channels, graph):
    """The channels of every word of every tree, and of </s> in the last row."""
    codes = position_codes(max(len(tree.words) for tree in trees) + 1)
    rows = []
    for tree in trees:
        n = len(tree.words)
        state = -np.ones((n, channels.pairs))
        state[:, :K] = codes[:n]
        target = np.tile(np.arange(n), (layers, 1))
        for join in tree.joins:
            target[join.layer - 1, join.source - 1] = join.target - 1
            if graph:
                state[join.target - 1, channels.flag(join.layer, join.part)] = 1
        for layer in range(1, layers + 1):
            first = channels.target(layer, 0)
            state[:, first:first + K] = codes[target[layer - 1]]
            if graph:
                state[:, channels.flag(layer, "idle")] = np.where(target[layer - 1] == np.arange(n), 1, -1)
        rows.append(state)
    end = -np.ones((1, channels.pairs))
    end[0, :K] = codes[-1]
    for layer in range(1, layers + 1):
        first = channels.target(layer, 0)
        end[0, first:first + K] = codes[-1]
        if graph:
            end[0, channels.flag(layer, "idle")] = 1
    return np.concatenate([*rows, end])


def full_scale(layer):
    """f_l: the full representation behind layer l is f_l * u."""
    return 2.0 if layer % 2 else 1.0


def query_key(design, channels, layer, query_scale, key_scale, width):
    """[width, d] each: every head reads the target code and the own code, logits K-fold sharpened."""
    query, key = np.zeros((width, channels.width)), np.zeros((width, channels.width))
    size = width // design.heads
    # Codes differ in 4 places at least: 8 less in q·k, which attention divides by sqrt(size).
    factor = design.sharpness * math.sqrt(size) / 8
    for head in range(design.heads):
        for bit in range(K):
            query[head * size + bit] = channels.read(channels.target(layer, bit), factor * query_scale)
            key[head * size + bit] = channels.read(channels.own(bit), key_scale)
    return query, key


def contribution_sizes(design, layer):
    """(large, small, low of layer 1) in units of sqrt(d).

    Self-gate: row i of S is softmax over j of size_i * size_j. With small = large / 2 the planted part leads by
    large^2 / 4 in the rows of the others, and by more in its own; in layer 1 the low contribution is constant and
    lies between them."""
    if design.fusion == "weight_gate":
        return 1.0, 0.002, 0.0
    unit = math.sqrt(design.gate_sharpness)
    return (2 * unit if layer > 1 else 3 * unit), unit, 2 * unit


def graph_layer(design, channels, layer, tensors):
    d, a = channels.width, design.heads * K
    root = math.sqrt(d)
    weighted = design.fusion == "weight_gate"
    large, small, low_one = contribution_sizes(design, layer)
    previous = full_scale(layer - 2) if layer > 1 else 0.0
    incremental = full_scale(layer - 1) - previous
    read_i = 1 / incremental
    read_p = 1 / previous if previous else 0.0
    name = f"encoder.layers.{layer - 1}."
    waste = np.zeros(d)
    waste[channels.waste], waste[channels.waste + 1] = 1 / math.sqrt(2), -1 / math.sqrt(2)

    for part, short, query_scale, key_scale in (("high", "h", read_i, read_i), ("middle1", "m1", read_i, read_p),
                                                ("middle2", "m2", read_p, read_i)):
        query, key = query_key(design, channels, layer, query_scale, key_scale, a)
        value, bias = np.zeros((a, d)), np.zeros(a)
        # (flag = 1): large; (flag = -1): small. In units of `large`, scaled up by the output map.
        middle, half = (1 + small / large) / 2, (1 - small / large) / 2
        if layer > 1 or part == "high":
            value[0], bias[0] = channels.read(channels.flag(layer, short), half * key_scale), middle
        else:
            bias[0] = small / large
        out = np.zeros((d, a))
        out[:, 0] = large * root * waste
        tensors[f"{name}{part}.q_proj.weight"], tensors[f"{name}{part}.q_proj.bias"] = query, np.zeros(a)
        tensors[f"{name}{part}.k_proj.weight"], tensors[f"{name}{part}.k_proj.bias"] = key, np.zeros(a)
        tensors[f"{name}{part}.v_proj.weight"], tensors[f"{name}{part}.v_proj.bias"] = value, bias
        tensors[f"{name}{part}.out_proj.weight"], tensors[f"{name}{part}.out_proj.bias"] = out, np.zeros(d)

    low, low_bias = np.zeros((d, d)), np.zeros(d)
    if not weighted:
        if layer == 1:
            low_bias = low_one * root * waste
        else:
            middle, half = (large + small) / 2, (large - small) / 2
            low = root * np.outer(waste, channels.read(channels.flag(layer, "idle"), half * read_p))
            low_bias = middle * root * waste
    tensors[f"{name}low.weight"], tensors[f"{name}low.bias"] = low, low_bias
    if weighted:
        # n·waste / sqrt(d) is large + 2 small where the word joins, 3 small where it is idle.
        slope = 2 * design.gate_sharpness / (large - small)
        tensors[f"{name}gate.new.weight"] = slope * np.outer(np.ones(d), waste) / root
        tensors[f"{name}gate.new.bias"] = np.full(d, -slope * (large + 5 * small) / 2)
        tensors[f"{name}gate.low.weight"], tensors[f"{name}gate.low.bias"] = np.zeros((d, d)), np.zeros(d)


def norms(channels, layer, graph, tensors):
    name, d = f"encoder.layers.{layer - 1}.", channels.width
    keep = np.ones(d)
    if graph:
        keep[channels.waste:] = 0
    tensors[name + "attn_layer_norm.weight"] = keep
    tensors[name + "ffn_layer_norm.weight"] = keep * (full_scale(layer) if graph else 1)
    for norm in ("attn", "ffn"):
        tensors[f"{name}{norm}_layer_norm.bias"] = np.zeros(d)
    tensors[name + "fc1.weight"], tensors[name + "fc1.bias"] = np.zeros((1, d)), np.zeros(1)
    tensors[name + "fc2.weight"], tensors[name + "fc2.bias"] = np.zeros((d, 1)), np.zeros(d)


def encoder_tensors(trees, design):
    """All tensors of the encoder in float64, without noise, and its width."""
    graph = design.kind == "graph_transformer"
    channels = Channels(design.layers, graph)
    if not graph:  # the width is a multiple of the heads
        channels.width += -channels.width % (2 * design.heads)
    states = channels.spread(logical_states(trees, design.layers, channels, graph))
    if graph or channels.width == 2 * channels.pairs:
        fill = states
    else:  # unused channels keep the variance at 1
        fill = states.copy()
        fill[:, 2 * channels.pairs::2], fill[:, 2 * channels.pairs + 1::2] = 1, -1
    tensors = {"encoder.embed_tokens.weight": np.concatenate([np.zeros((2, channels.width)), fill[-1:],
                                                              np.zeros((1, channels.width)), fill[:-1]])}
    for layer in range(1, design.layers + 1):
        name = f"encoder.layers.{layer - 1}."
        if graph:
            graph_layer(design, channels, layer, tensors)
        else:
            d = channels.width
            query, key = query_key(design, channels, layer, 1.0, 1.0, d)
            for map_name, value in (("q", query), ("k", key), ("v", np.zeros((d, d))), ("out", np.zeros((d, d)))):
                tensors[f"{name}self_attn.{map_name}_proj.weight"] = value
                tensors[f"{name}self_attn.{map_name}_proj.bias"] = np.zeros(d)
        norms(channels, layer, graph, tensors)
    return tensors, channels.width


def config_of(design, width, vocabulary):
    graph = design.kind == "graph_transformer"
    encoder = {"kind": design.kind, "layers": design.layers, "d_model": width, "heads": design.heads,
               "attention_dim": design.heads * K if graph else width, "ffn_dim": 1, "activation": "relu",
               "layer_norm_eps": 1e-9, "norm": "post", "position": "none", "embed_scale": False}
    if graph:
        encoder |= {"fusion": design.fusion, "gate_form": "linear2", "share_qkv": False,
                    "first_layer": "incremental", "self_gate_scale": "d", "residual": "full"}
    return {"format": "mog-model", "format_version": 1, "architecture": "encoder", "encoder": encoder,
            "tokenizer": {"kind": "whitespace", "lowercase": False, "vocab": "vocab.txt"},
            "vocab_size": vocabulary, "pad_id": 1, "bos_id": 2, "eos_id": 2, "unk_id": 3}


def write_safetensors(path, tensors):
    header, offset = {}, 0
    for name, value in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [offset, offset + 4 * value.size]}
        offset += 4 * value.size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for value in tensors.values():
            file.write(np.ascontiguousarray(value, "<f4").tobytes())


def write_model(folder, trees, design, seed=0):
    """A model directory that joins the words of all `trees` (which share no word) along them."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tensors, width = encoder_tensors(trees, design)
    if design.noise > 0:
        draw = np.random.Generator(np.random.PCG64(seed))
        for name, value in tensors.items():
            tensors[name] = value + design.noise * draw.standard_normal(value.shape)
        tensors["encoder.embed_tokens.weight"][1] = 0  # padding
    words = ["<s>", "<pad>", "</s>", "<unk>"] + [word for tree in trees for word in tree.words]
    (folder / "vocab.txt").write_text("".join(word + "\n" for word in words))
    (folder / "config.json").write_text(json.dumps(config_of(design, width, len(words)), indent=2) + "\n")
    write_safetensors(folder / "model.safetensors", tensors)
    (folder / "README.md").write_text(
        f"# Planted {design.kind}\n\nConstructed, not trained: {len(trees)} trees in {design.layers} layers, sharpness "
        f"{design.sharpness:g}, noise {design.noise:g}. See resources/experiments/planted.\n")
    return folder
