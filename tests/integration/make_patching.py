"""Writes tests/data/patching/expected.json: activation patching and direct logit attribution of small models by plain PyTorch
hooks, for cli_patch.py and cli_attribute.py; and ablation.json beside it, for cli_ablate.py.

Usage: make_patching.py STACKS ENCODERS OUTPUT     needs torch 2.11, transformers 5.24

Every patched run is a whole run of the model, in float64, one at a time: nothing is shared with what is tested. Sites come as
`mog patch` has them: residual states of layers 0 to L and the outputs of both blocks, each token by token, then heads at all
tokens at once, then heads token by token. Parts of a logit come as `mog attribute` has them.
"""
import json
import pathlib
import sys

import torch
from tokenizers import Tokenizer
from transformers import AutoModel, AutoModelForCausalLM

CLEAN, CORRUPT = "The cats sat on the mat.", "A cat sat on it mat."
ABLATED = ["The cats sat on the mat.", "A dog saw it.", "On the mat a cat sat and the dog sat."]
ANSWER, AGAINST, POSITION = "cat", "mat", 5  # the position counts from 1


def blocks_of(kind, model):
    """(module, side) of: the embedding, and by layer: state, attention, feed-forward, heads. side: in | out."""
    if kind == "gpt2":
        layers = model.transformer.h
        return (layers[0], "in"), [((l, "out"), (l.attn, "out"), (l.mlp, "out"), (l.attn.c_proj, "in")) for l in layers]
    if kind == "llama":
        layers = model.model.layers
        return (layers[0], "in"), [((l, "out"), (l.self_attn, "out"), (l.mlp, "out"), (l.self_attn.o_proj, "in")) for l in layers]
    if kind == "gemma2":
        layers = model.model.layers
        return (layers[0], "in"), [((l, "out"), (l.post_attention_layernorm, "out"), (l.post_feedforward_layernorm, "out"),
                                    (l.self_attn.o_proj, "in")) for l in layers]
    layers = model.encoder.layer  # bert
    return (model.embeddings, "out"), [((l, "out"), (l.attention.output.dense, "out"), (l.output.dense, "out"),
                                        (l.attention.output.dense, "in")) for l in layers]


class Hook:
    """Keeps what passes a place, or puts something else there."""

    def __init__(self, place, change):
        module, side = place
        if side == "in":
            self.handle = module.register_forward_pre_hook(lambda _, args: (change(args[0]), *args[1:]))
        else:
            def out(_, __, result):
                return (change(result[0]), *result[1:]) if isinstance(result, tuple) else change(result)
            self.handle = module.register_forward_hook(out)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.handle.remove()


class Case:
    def __init__(self, folder, kind):
        self.kind = kind
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        loader = AutoModel if kind == "bert" else AutoModelForCausalLM
        self.model = loader.from_pretrained(folder, attn_implementation="eager").double().eval()
        self.heads = self.model.config.num_attention_heads
        self.embedding, self.layers = blocks_of(kind, self.model)
        self.places = {("residual", 0): self.embedding}
        for number, (state, attention, feed_forward, heads) in enumerate(self.layers, 1):
            self.places |= {("residual", number): state, ("attention", number): attention,
                            ("feed_forward", number): feed_forward, ("head", number): heads}

    def ids(self, text):
        return self.tokenizer.encode(text).ids

    def token(self, text):
        return self.tokenizer.token_to_id(text)

    def output(self, ids):
        result = self.model(input_ids=torch.tensor([ids]))
        return result.last_hidden_state[0] if self.kind == "bert" else result.logits[0]

    def kept(self, ids):
        activations, hooks = {}, []
        for name, place in self.places.items():
            def keep(values, name=name):
                if values.requires_grad:
                    values.retain_grad()
                activations[name] = values
                return values
            hooks.append(Hook(place, keep))
        output = self.output(ids)
        for hook in hooks:
            hook.handle.remove()
        return output, activations

    def sites(self, tokens):
        for place in ("residual", "attention", "feed_forward"):
            for layer in range(0 if place == "residual" else 1, len(self.layers) + 1):
                for token in range(tokens):
                    yield place, layer, None, token
        for places in ((None,), range(tokens)):
            for layer in range(1, len(self.layers) + 1):
                for head in range(self.heads):
                    for token in places:
                        yield "head", layer, head, token

    def region(self, site, values):
        """A view of [token, width] of one text."""
        _, _, head, token = site
        values = values if token is None else values[token:token + 1]
        if head is None:
            return values
        width = values.shape[1] // self.heads
        return values[:, head * width:(head + 1) * width]

    def patching(self, token, read):
        """Of both directions: exact values and first-order estimates by site."""
        texts = {"clean": self.ids(CLEAN), "corrupt": self.ids(CORRUPT)}
        assert len(texts["clean"]) == len(texts["corrupt"]), texts
        with torch.no_grad():
            runs = {name: self.kept(ids) for name, ids in texts.items()}
            reading = read(runs["clean"][0])
            found = {"tokens": len(texts["clean"]), "clean": reading(runs["clean"][0]).item(), "corrupt": reading(runs["corrupt"][0]).item()}
        for into, other in (("corrupt", "clean"), ("clean", "corrupt")):
            exact, estimates = [], []
            torch.set_grad_enabled(True)
            output, activations = self.kept(texts[into])
            reading(output).backward()
            torch.set_grad_enabled(False)
            for site in self.sites(len(texts[into])):
                name = site[:2]
                given = runs[other][1][name].detach()

                def put(values):
                    changed = values.clone()
                    self.region(site, changed[0]).copy_(self.region(site, given[0]))
                    return changed
                with Hook(self.places[name], put):
                    exact.append(reading(self.output(texts[into])).item())
                own = activations[name]
                difference = self.region(site, given[0]) - self.region(site, own.detach()[0])
                estimates.append((difference * self.region(site, own.grad[0])).sum().item())
            found[f"into_{into}"] = {"exact": exact, "estimate": estimates}
        return found


    def logit_parts(self, token):
        """Of the difference of two logits behind a token of the clean text, the last norm's scale frozen: the embedding, by layer
        heads (and by source token), bias of the output map and feed-forward, the bias of the last norm. Pre-norm stacks alone."""
        ids, values, blocks = self.ids(CLEAN), {}, self.blocks()
        norm = self.model.transformer.ln_f if self.kind == "gpt2" else self.model.model.norm
        hooks = [Hook((norm, "in"), lambda x: values.setdefault("last", x))]
        for number, block in enumerate(blocks, 1):
            module = block.attn.c_attn if self.kind == "gpt2" else block.self_attn.v_proj
            hooks.append(Hook((module, "out"), lambda x, number=number: values.setdefault(number, x)))
        with torch.no_grad():
            output, activations = self.kept(ids)
            maps = self.model(input_ids=torch.tensor([ids]), output_attentions=True).attentions
        for hook in hooks:
            hook.handle.remove()
        rows = self.model.lm_head.weight.detach()
        direction = rows[self.token(ANSWER)] - rows[self.token(AGAINST)]
        last = values["last"][0, token]
        if self.kind == "gpt2":
            scale = (last.var(unbiased=False) + norm.eps).sqrt()
            through = lambda v: ((v - v.mean()) / scale * norm.weight * direction).sum().item()
            bias = (norm.bias * direction).sum().item()
        else:
            scale = (last.square().mean() + norm.variance_epsilon).sqrt()
            through = lambda v: (v / scale * norm.weight * direction).sum().item()
            bias = None
        found = {"logit": (output[token, self.token(ANSWER)] - output[token, self.token(AGAINST)]).item(),
                 "embedding": through(activations["residual", 0][0, token]), "norm_bias": bias, "layers": []}
        for number, block in enumerate(blocks, 1):
            if self.kind == "gpt2":  # its maps are [in, out]
                out, out_bias, value = block.attn.c_proj.weight.T, block.attn.c_proj.bias, values[number][0].chunk(3, -1)[2]
            else:
                out, out_bias, value = block.self_attn.o_proj.weight, None, values[number][0]
            width = out.shape[1] // self.heads
            value = value.unflatten(-1, (-1, width))
            value = value.repeat_interleave(self.heads // value.shape[1], 1)  # [source, head, width]
            heads = activations["head", number][0, token].unflatten(-1, (self.heads, width))
            own = [out[:, head * width:(head + 1) * width] for head in range(self.heads)]
            found["layers"].append({
                "heads": [through(own[head] @ heads[head]) for head in range(self.heads)],
                "sources": [[through(maps[number - 1][0, head, token, source] * (own[head] @ value[source, head]))
                             for source in range(token + 1)] for head in range(self.heads)],
                "attention_bias": None if out_bias is None else through(out_bias),
                "feed_forward": through(activations["feed_forward", number][0, token])})
        return found

    def ablation(self, texts):
        """Of every cut (its part by layer, or one head), toward zeros and toward the mean over all tokens that are no special
        ones: change and pooled of the last states, and the mean surprisal, as `mog ablate` has them. Means over the texts."""
        encoded = [self.tokenizer.encode(text) for text in texts]
        words = [torch.tensor([special == 0 for special in one.special_tokens_mask]) for one in encoded]
        places = {}
        for number, (_, attention, feed_forward, heads) in enumerate(self.layers, 1):
            module = heads[0]  # its input are the heads, its output is the part
            places |= {("full", number): (module, "out"), ("block", number): attention, ("feed_forward", number): feed_forward,
                       ("head", number): heads}
        last = {"gpt2": lambda m: (m.transformer.ln_f, "out"), "bert": lambda m: (m.encoder.layer[-1], "out")}.get(
            self.kind, lambda m: (m.model.norm, "out"))(self.model)

        def runs(place=None, change=None):
            found = []
            for one in encoded:
                states = []
                hooks = [Hook(last, lambda x: states.append(x[0].detach()) or x)]
                if place is not None:
                    hooks.append(Hook(place, change))
                with torch.no_grad():
                    output = self.output(one.ids)
                for hook in hooks:
                    hook.handle.remove()
                surprisal = None
                if self.kind != "bert":
                    said = torch.log_softmax(output, -1)
                    surprisal = -said[range(len(one.ids) - 1), one.ids[1:]].mean().item()
                found.append((states[0], surprisal))
            return found

        before, rows = runs(), []
        for (part, number), place in places.items():
            kept = []
            runs(place, lambda x: kept.append(x[0]) or x)
            mean = torch.cat([values[own] for values, own in zip(kept, words)]).mean(0)
            width = mean.shape[0] // self.heads
            for head in range(self.heads) if part == "head" else (None,):
                own = slice(None) if head is None else slice(head * width, (head + 1) * width)
                for toward, vector in (("zero", torch.zeros_like(mean)), ("mean", mean)):
                    def put(values):
                        changed = values.clone()
                        changed[..., own] = vector[own]
                        return changed
                    after = runs(place, put)
                    change = [((b - a).norm(dim=1) / a.norm(dim=1))[own_words].mean().item()
                              for (a, _), (b, _), own_words in zip(before, after, words)]
                    pooled = [1 - torch.nn.functional.cosine_similarity(a.mean(0), b.mean(0), dim=0).item()
                              for (a, _), (b, _) in zip(before, after)]
                    average = lambda values: sum(values) / len(values)
                    rows.append({"part": "full" if head is not None else part, "layer": number, "head": None if head is None else head + 1,
                                 "toward": toward, "change": average(change), "pooled": average(pooled),
                                 "surprisal": None if self.kind == "bert" else average([s for _, s in after])})
        return {"surprisal": None if self.kind == "bert" else sum(s for _, s in before) / len(before), "cuts": rows}

    def blocks(self):
        return self.model.transformer.h if self.kind == "gpt2" else self.model.model.layers


def cosine_reading(token):
    def read(clean):
        vector = lambda output: output.mean(0) if token is None else output[token]
        reference = vector(clean.detach())
        return lambda output: torch.nn.functional.cosine_similarity(vector(output), reference, dim=0)
    return read


def logit_reading(case, token):
    answer, against = case.token(ANSWER), case.token(AGAINST)
    return lambda _: lambda output: output[token, answer] - output[token, against]


def rounded(value):
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def main():
    stacks, encoders, output = map(pathlib.Path, sys.argv[1:])
    found = {"clean": CLEAN, "corrupt": CORRUPT, "answer": ANSWER, "against": AGAINST, "position": POSITION, "models": {}}
    for name in ("gpt2", "llama", "gemma2"):
        case = Case(stacks / name, name)
        found["models"][f"stacks/{name}"] = {"logits": case.patching(POSITION - 1, logit_reading(case, POSITION - 1))}
        if name != "gemma2":
            found["models"][f"stacks/{name}"]["parts"] = case.logit_parts(POSITION - 1)
    case = Case(encoders / "bert-tanh", "bert")
    found["models"]["encoders/bert-tanh"] = {"cosine": case.patching(None, cosine_reading(None)),
                                             "cosine_at": case.patching(POSITION - 1, cosine_reading(POSITION - 1))}
    output.write_text(json.dumps(rounded(found)) + "\n")
    ablation = {"texts": ABLATED, "models": {}}
    for folder, name in ((stacks, "gpt2"), (stacks, "llama"), (stacks, "gemma2"), (encoders, "bert-tanh")):
        ablation["models"][f"{folder.name}/{name}"] = Case(folder / name, name.split("-")[0]).ablation(ABLATED)
    (output.parent / "ablation.json").write_text(json.dumps(rounded(ablation)) + "\n")


if __name__ == "__main__":
    main()
