"""A Transformer decoder taken apart, in numpy and float64, dense, with no code of the project.

Contributions are found by superposition: with attention, the layer norms' scales and the slopes of the activation held at
their values, the pass is a program that is run once a source with everything else at zero. ALTI+ follows the formulas of
Ferrando et al. 2022 and of the authors' program (mt-upc/transformer-contributions-nmt): contributions by L1 distance,
rows divided by their sums, rolled out through encoder and decoder.
"""
import json
import math
import pathlib

import numpy as np


def safetensors(path):
    data = pathlib.Path(path).read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + length])
    types = {"F64": np.float64, "F32": np.float32, "I64": np.int64}
    return {name: np.frombuffer(data[8 + length:][slice(*entry["data_offsets"])], types[entry["dtype"]]).reshape(entry["shape"])
            for name, entry in header.items() if name != "__metadata__"}


def write_safetensors(path, tensors):
    header, blocks, at = {}, [], 0
    for name, values in tensors.items():
        block = np.ascontiguousarray(values, np.float32).tobytes()
        header[name] = {"dtype": "F32", "shape": list(np.shape(values)), "data_offsets": [at, at + len(block)]}
        blocks.append(block)
        at += len(block)
    text = json.dumps(header).encode()
    pathlib.Path(path).write_bytes(len(text).to_bytes(8, "little") + text + b"".join(blocks))


ACTIVATIONS = {"relu": lambda u: np.maximum(u, 0), "silu": lambda u: u / (1 + np.exp(-u)),
               "gelu_tanh": lambda u: 0.5 * u * (1 + np.tanh(math.sqrt(2 / math.pi) * (u + 0.044715 * u ** 3))),
               "gelu": lambda u: u * 0.5 * (1 + np.vectorize(math.erf)(u / math.sqrt(2)))}


def slope(activation, u):
    """phi(u) / u."""
    return ACTIVATIONS[activation](u) / u


class Norm:
    def __init__(self, weights, name, config):
        self.rms = config.get("norm_kind") == "rms"
        self.g, self.b, self.eps = weights[name + ".weight"], weights.get(name + ".bias", 0), config["layer_norm_eps"]

    def mean(self, v):
        return 0 if self.rms else v.mean(-1, keepdims=True)

    def freeze(self, z):
        self.scale = np.sqrt(((z - self.mean(z)) ** 2).mean(-1, keepdims=True) + self.eps)

    def linear(self, v):
        return self.g * (v - self.mean(v)) / self.scale

    def __call__(self, v, constant=1):
        return self.linear(v) + constant * self.b


class Stack:
    """One stack, frozen where it ran. `constant` (0 or 1) is what all additive constants are multiplied with."""

    def __init__(self, weights, config, name, memory_width=None):
        self.w, self.c, self.name = weights, config, name
        self.pre = config["norm"] == "pre"
        self.final = config.get("final_norm", self.pre)
        self.blocks = (("self_attn", "attn_layer_norm"),) if name == "encoder" else \
            (("self_attn", "self_attn_layer_norm"), ("cross_attn", "cross_attn_layer_norm"))
        self.norms = [{key: Norm(weights, f"{name}.layers.{i}.{key}", config)
                       for key in [norm for _, norm in self.blocks] + ["ffn_layer_norm"]} for i in range(config["layers"])]
        if self.final:
            self.final_norm = Norm(weights, f"{name}.layer_norm", config)

    def map(self, layer, part, v, constant=1):
        p = f"{self.name}.layers.{layer}.{part}"
        return v @ self.w[p + ".weight"].T + constant * self.w.get(p + ".bias", 0)

    def position_bias(self, length):
        """T5's, [head, query, key]: buckets grow with the distance; a decoder has them for earlier keys alone."""
        table, far = self.w[f"{self.name}.relative_bias.weight"], self.c["relative_distance"]
        buckets = len(table) if self.name == "decoder" else len(table) // 2
        exact = buckets // 2
        bias = np.zeros((table.shape[1], length, length))
        for i in range(length):
            for j in range(length):
                away = max(i - j, 0) if self.name == "decoder" else abs(i - j)
                bucket = away if away < exact else min(
                    buckets - 1, exact + int(math.log(away / exact) / math.log(far / exact) * (buckets - exact)))
                bias[:, i, j] = table[bucket + (buckets if self.name == "encoder" and j > i else 0)]
        return bias

    def inner(self, layer, v):
        """What fc2 reads; keeps the factor that is held."""
        activated = ACTIVATIONS[self.c["activation"]](u := self.map(layer, "fc1", v))
        self.slopes.append(activated if self.c.get("gated_ffn") else slope(self.c["activation"], u))
        return activated * self.map(layer, "fc1_linear", v) if self.c.get("gated_ffn") else activated

    def heads(self, v):
        return v.reshape(len(v), self.c["heads"], -1).transpose(1, 0, 2)

    def embed(self, ids):
        x = self.w[f"{self.name}.embed_tokens.weight"][ids]
        d = x.shape[1]
        if self.c["embed_scale"]:
            x = x * math.sqrt(d)
        if self.c["position"] == "sinusoidal":
            half = d // 2
            angle = (np.arange(len(ids)) + self.c.get("first_position", 2))[:, None] * \
                np.exp(-np.arange(half) * math.log(10000.0) / (half - 1))
            x = x + np.concatenate([np.sin(angle), np.cos(angle)], 1)
        elif self.c["position"] in ("learned", "random", "fixed"):
            x = x + self.w[f"{self.name}.embed_positions.weight"][2:2 + len(ids)]
        if self.c.get("embedding_norm"):
            norm = Norm(self.w, f"{self.name}.embed_layer_norm", self.c)
            norm.freeze(x)
            x = norm(x)
        return x

    def run(self, x, memory=None):
        """The pass; keeps patterns, scales, slopes and states."""
        self.patterns, self.slopes, self.states, self.trace = [], [], [], []
        for layer in range(self.c["layers"]):
            patterns, trace = [], []
            for block, norm in self.blocks:
                frozen = self.norms[layer][norm]
                if self.pre:
                    frozen.freeze(x)
                read = frozen(x) if self.pre else x
                other = memory if block == "cross_attn" else read
                q, k = (self.heads(self.map(layer, f"{block}.{p}", v)) for p, v in (("q_proj", read), ("k_proj", other)))
                score = q @ k.transpose(0, 2, 1) / (math.sqrt(q.shape[-1]) if self.c.get("attention_scale", True) else 1)
                if block == "self_attn" and self.c["position"] == "relative":
                    score = score + self.position_bias(len(x))
                if block == "self_attn" and self.name == "decoder":
                    score = np.where(np.tril(np.ones(score.shape[1:], bool)), score, -np.inf)
                pattern = np.exp(score - score.max(-1, keepdims=True))
                pattern /= pattern.sum(-1, keepdims=True)
                patterns.append(pattern)
                before = x
                added = self.attend(layer, block, pattern, other)
                if not self.pre:
                    frozen.freeze(x + added)
                x = x + added if self.pre else frozen(x + added)
                trace.append((block, norm, pattern, other, before, x))
            frozen = self.norms[layer]["ffn_layer_norm"]
            if self.pre:
                frozen.freeze(x)
            added = self.map(layer, "fc2", self.inner(layer, frozen(x) if self.pre else x))
            if not self.pre:
                frozen.freeze(x + added)
            x = x + added if self.pre else frozen(x + added)
            self.patterns.append(patterns)
            self.trace.append(trace)
            self.states.append(x)
        if self.final:
            self.final_norm.freeze(x)
            x = self.final_norm(x)
        return x

    def attend(self, layer, block, pattern, other, constant=1):
        v = self.heads(self.map(layer, f"{block}.v_proj", other, constant))
        context = (pattern @ v).transpose(1, 0, 2).reshape(pattern.shape[1], -1)
        return self.map(layer, f"{block}.out_proj", context, constant)

    def frozen(self, x, constant, memory=None):
        """The same program with everything frozen: states of the layers and the output."""
        states = []
        for layer in range(self.c["layers"]):
            for (block, norm), pattern in zip(self.blocks, self.patterns[layer]):
                frozen = self.norms[layer][norm]
                read = frozen(x, constant) if self.pre else x
                x = x + self.attend(layer, block, pattern, memory if block == "cross_attn" else read, constant)
                x = x if self.pre else frozen(x, constant)
            frozen = self.norms[layer]["ffn_layer_norm"]
            up = "fc1_linear" if self.c.get("gated_ffn") else "fc1"
            u = self.map(layer, up, frozen(x, constant) if self.pre else x, constant)
            x = x + self.map(layer, "fc2", u * self.slopes[layer], constant)
            x = x if self.pre else frozen(x, constant)
            states.append(x)
        return states, (self.final_norm(x, constant) if self.final else x)

    def near(self, layer, place, residual_apart):
        """Shares by L1 distance of one block, rows to 1; with residual_apart the last column is the residual."""
        block, norm, pattern, other, before, after = self.trace[layer][place]
        v = self.heads(self.map(layer, f"{block}.v_proj", other))
        out = self.w[f"{self.name}.layers.{layer}.{block}.out_proj.weight"].reshape(before.shape[1], self.c["heads"], -1)
        queries, keys = pattern.shape[1:]
        contributions = np.zeros((queries, keys + residual_apart))
        for q in range(queries):
            vectors = [sum(pattern[h, q, k] * out[:, h] @ v[h, k] for h in range(self.c["heads"])) for k in range(keys)]
            if residual_apart:
                vectors.append(before[q])
            else:
                vectors[q] = vectors[q] + before[q]
            if not self.pre:
                frozen = self.norms[layer][norm]
                vectors = [frozen.g * (x - frozen.mean(x)) / frozen.scale[q] for x in vectors]
            for k, vector in enumerate(vectors):
                contributions[q, k] = max(0.0, np.abs(after[q]).sum() - np.abs(after[q] - vector).sum())
        sums = contributions.sum(-1, keepdims=True)
        # Where nothing comes near, the state itself has the whole: the residual, or the token's own place.
        alone = np.zeros_like(contributions)
        alone[np.arange(queries), -1 if residual_apart else np.arange(queries)] = 1
        return np.where(sums > 0, contributions / np.where(sums > 0, sums, 1), alone)


class Reference:
    def __init__(self, folder):
        self.config = json.loads((pathlib.Path(folder) / "config.json").read_text())
        self.w = {name: values.astype(np.float64) for name, values in
                  safetensors(pathlib.Path(folder) / "model.safetensors").items()}
        self.plain = self.config["encoder"]["kind"] == "transformer"
        self.encoder = Stack(self.w, self.config["encoder"], "encoder") if self.plain else None
        self.decoder = Stack(self.w, self.config["decoder"], "decoder")

    def output_map(self):
        shared = self.config["decoder"]["share_output_embedding"]
        weight = self.w["decoder.embed_tokens.weight" if shared else "decoder.output_projection.weight"]
        return weight, self.w.get("decoder.output_projection.bias", np.zeros(len(weight)))

    def quantities(self, source, target, memory=None):
        """{name: values} of every exact decomposition. source, target: ids, target with bos_id first; memory: the
        encoder's output, of encoders that this program does not know."""
        S, T = len(source), len(target)
        x = self.encoder.embed(source) if self.plain else None
        memory = self.encoder.run(x) if self.plain else memory
        y = self.decoder.embed(target)
        output = self.decoder.run(y, memory)
        found = {}

        def contributions(name, memories, constant_memory):
            runs = [self.decoder.frozen(np.zeros_like(y), 0, given) for given in memories]
            for t in range(T):
                alone = np.zeros_like(y)
                alone[t] = y[t]
                runs.append(self.decoder.frozen(alone, 0, np.zeros_like(memory)))
            runs.append(self.decoder.frozen(np.zeros_like(y), 1, constant_memory))
            for layer in range(self.config["decoder"]["layers"]):
                vectors = np.stack([states[layer] for states, _ in runs], 1)
                found[f"decoder.{layer + 1}.{name}"] = vectors
                found[f"decoder.{layer + 1}.{name}.norm"] = np.linalg.norm(vectors, axis=-1)
            last = np.stack([final for _, final in runs], 1)
            found[f"decoder.{name}"] = last
            found[f"decoder.{name}.norm"] = np.linalg.norm(last, axis=-1)
            projection = np.einsum("tcd,td->tc", last, output) / (output ** 2).sum(-1, keepdims=True)
            found[f"decoder.{name}.projection"] = projection
            found[f"decoder.{name}.share"] = np.stack([projection[:, :S].sum(1), projection[:, S:-1].sum(1), projection[:, -1]], 1)
            weight, bias = self.output_map()
            follows = list(target[1:]) + [self.config["eos_id"]]
            logit = np.einsum("tcd,td->tc", last, weight[follows])
            logit[:, -1] += bias[follows]
            found[f"decoder.{name}.logit"] = logit

        if self.plain:
            given = []
            for s in range(S):
                alone = np.zeros_like(x)
                alone[s] = x[s]
                given.append(self.encoder.frozen(alone, 0)[1])
            contributions("contribution", given, self.encoder.frozen(np.zeros_like(x), 1)[1])
        positions = []
        for s in range(S):
            alone = np.zeros_like(memory)
            alone[s] = memory[s]
            positions.append(alone)
        contributions("memory_contribution", positions, np.zeros_like(memory))
        self.alti(found, S, T)
        return found

    def alti(self, found, S, T):
        encoder = np.eye(S)
        if self.plain:
            for layer in range(self.config["encoder"]["layers"]):
                encoder = self.encoder.near(layer, 0, False) @ encoder
        by_token = by_position = np.concatenate([np.zeros((T, S)), np.eye(T)], 1)
        for layer in range(self.config["decoder"]["layers"]):
            cross = self.decoder.near(layer, 1, True)
            own = cross[:, -1:] * self.decoder.near(layer, 0, False)
            found[f"decoder.{layer + 1}.memory_alti"] = np.concatenate([cross[:, :-1], own], 1)
            by_position = np.concatenate([cross[:, :-1], np.zeros((T, T))], 1) + own @ by_position
            by_token = np.concatenate([cross[:, :-1] @ encoder, np.zeros((T, T))], 1) + own @ by_token
            found[f"decoder.{layer + 1}.memory_alti.product"] = by_position
            if self.plain:
                found[f"decoder.{layer + 1}.alti.product"] = by_token
        sides = lambda rolled: np.stack([rolled[:, :S].sum(1), rolled[:, S:].sum(1)], 1)
        found["decoder.memory_alti.share"] = sides(by_position)
        if self.plain:
            found["decoder.alti.share"] = sides(by_token)
