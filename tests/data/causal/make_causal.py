"""Independent values for cut logit terms, leaving keys and erased tokens: numpy in float64, dense, no code of the project.

Usage: make_causal.py MODELS OUTPUT.json      MODELS: tests/data/engine/models; needs numpy and safetensors
For transformer_post and transformer_pre, sentences s1 and s2 of their sentences.json:
  cut: 1 - cosine of the mean of the output, with terms taken out of the scores of layers first..last and the split
       made anew from the changed states (docs/quantity-names.md, Exact decompositions)
  leaving: [token] mean over d_model and tokens of the output's derivative (central differences, step 1e-6) when token k
       leaves as a key: attention row A becomes A * (1 + c * A_k / (1 - A_k)) for others and A_k * (1 - c), slope in c at 0
  zero: 1 - cosine of the mean of the output with the word embedding of token k as zeros
"""
import json
import pathlib
import sys

import numpy as np
from safetensors.numpy import load_file

TERMS = ["pp", "pi", "ip", "ii", "bp", "bi"]
models, output = map(pathlib.Path, sys.argv[1:])


class Reference:
    def __init__(self, folder):
        self.config = json.loads((folder / "config.json").read_text())["encoder"]
        self.w = {k: v.astype(np.float64) for k, v in load_file(folder / "model.safetensors").items()}
        self.d, self.h = self.config["d_model"], self.config["heads"]
        self.pre = self.config["norm"] == "pre"

    def embed(self, ids, zero=None):
        x = self.w["encoder.embed_tokens.weight"][ids] * np.sqrt(self.d)
        if zero is not None:
            x[zero] = 0
        half = self.d // 2
        freq = np.exp(-np.arange(half) * np.log(10000.0) / (half - 1))
        angle = (np.arange(len(ids)) + 2)[:, None] * freq
        return x + np.concatenate([np.sin(angle), np.cos(angle)], 1)

    def norm(self, name, z):
        """LN(z) and its frozen linear part and offset."""
        g, b = self.w[name + ".weight"], self.w[name + ".bias"]
        s = np.sqrt(z.var(-1, keepdims=True) + self.config["layer_norm_eps"])
        frozen = lambda v: g * (v - v.mean(-1, keepdims=True)) / s
        return frozen(z) + b, frozen, b

    def run(self, ids, cut=(), first=1, last=0, leave=None, zero=None):
        x = self.embed(ids, zero)
        T, dh = len(ids), self.d // self.h
        rp, ri = np.zeros_like(x), x
        heads = lambda v: v.reshape(T, self.h, dh).transpose(1, 0, 2)
        for layer in range(1, self.config["layers"] + 1):
            p = f"encoder.layers.{layer - 1}."
            W = lambda n: self.w[p + n + ".weight"]
            B = lambda n: self.w[p + n + ".bias"]
            if self.pre:
                u, read, beta = self.norm(p + "attn_layer_norm", x)
            else:
                u, read, beta = x, lambda v: v, np.zeros(self.d)
            q = {"p": read(rp) @ W("self_attn.q_proj").T, "i": read(ri) @ W("self_attn.q_proj").T}
            q["b"] = np.broadcast_to(B("self_attn.q_proj") + W("self_attn.q_proj") @ beta, (T, self.d))
            k = {"p": read(rp) @ W("self_attn.k_proj").T, "i": read(ri) @ W("self_attn.k_proj").T}
            score = np.zeros((self.h, T, T))
            for term in TERMS:
                if not (first <= layer <= last and term in cut):
                    score += heads(q[term[0]]) @ heads(k[term[1]]).transpose(0, 2, 1) / np.sqrt(dh)
            A = np.exp(score - score.max(-1, keepdims=True))
            A /= A.sum(-1, keepdims=True)
            if leave is not None:
                token, c = leave
                own = A[:, :, token:token + 1]
                rest = A * (1 + c * own / (1 - own))
                rest[:, :, token] = A[:, :, token] * (1 - c)
                A = rest
            v = heads(u @ W("self_attn.v_proj").T + B("self_attn.v_proj"))
            a = (A @ v).transpose(1, 0, 2).reshape(T, self.d) @ W("self_attn.out_proj").T + B("self_attn.out_proj")
            ffn = lambda y: np.maximum(0, y @ W("fc1").T + B("fc1")) @ W("fc2").T + B("fc2")
            if self.pre:
                y = x + a
                out = y + ffn(self.norm(p + "ffn_layer_norm", y)[0])
                rp = x
            else:
                y, d1, _ = self.norm(p + "attn_layer_norm", x + a)
                out, d2, _ = self.norm(p + "ffn_layer_norm", y + ffn(y))
                rp = d2(d1(x))
            ri = out - rp
            x = out
        return self.norm("encoder.layer_norm", x)[0] if self.pre else x


def effect(before, after):
    p, q = before.mean(0), after.mean(0)
    return 1 - p @ q / np.sqrt((p @ p) * (q @ q))


result = {}
for name in ("transformer_post", "transformer_pre"):
    model = Reference(models / name)
    layers = model.config["layers"]
    cases = []
    for sentence in json.loads((models / name / "sentences.json").read_text())[1:]:
        ids = np.array(sentence["ids"])
        whole = model.run(ids)
        case = {"ids": sentence["ids"], "output_mean": float(whole.mean()), "cut": []}
        for first, last in ((1, 1), (2, 2), (1, layers)):
            for cut in [[t] for t in TERMS] + [["pp", "pi"], ["pi", "ip", "bi"], TERMS]:
                changed = model.run(ids, cut, first, last)
                case["cut"].append({"terms": cut, "first": first, "last": last, "effect": effect(whole, changed)})
        step = 1e-6
        case["leaving"] = [float((model.run(ids, leave=(k, step)) - model.run(ids, leave=(k, -step))).mean() / 2 / step)
                           for k in range(len(ids))]
        case["zero"] = [effect(whole, model.run(ids, zero=k)) for k in range(len(ids))]
        cases.append(case)
    result[name] = cases
output.write_text(json.dumps(result) + "\n")
