"""Writes reference.npz: what transformers and the package gguf make of SmolLM2-135M-Instruct.Q4_1.gguf, for smollm2_parity.py.

Usage: make_reference.py FILE.gguf      needs torch, transformers (written with 5.24), tokenizers, gguf

Of each text N of corpus.txt (eager attention, float32, one text at a time):
  N.ids                  the tokens, by a tokenizer of the package tokenizers: the vocabulary and merges of the file, single digits, GPT-2's cut
  N.rows                 tokens of which states and rows of maps are kept
  N.states [layer, row, dimension]   states at every 32nd dimension: the embedding, behind each layer, and the last behind the last norm
  N.heads [pair, 2], N.maps [pair, row, token]   maps of some layers and heads, from 1
  N.surprisal, N.entropy, N.rank, N.best        of the next token, from all logits in float64; the first token has no surprisal and rank
  N.lens [layer, token]  surprisal through the last norm and the output map by the states of layers 10, 20, 30
Of each tensor of the file (gguf.quants.dequantize): sum NAME, its sum and its sum of squares in float64.
"""
import pathlib
import sys

import gguf
import numpy as np
import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoModelForCausalLM

HERE = pathlib.Path(__file__).parent
HEADS = [(1, 1), (5, 4), (12, 2), (20, 7), (30, 9)]
LENS = (10, 20, 30)


def tokenizer_of(reader):
    """SmolLM2's own: digits by themselves, then GPT-2's cut, bytes as letters, merges in their order; control tokens whole."""
    tokens = reader.fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(merge.split(" ")) for merge in reader.fields["tokenizer.ggml.merges"].contents()]
    tokenizer = Tokenizer(models.BPE(vocab={token: at for at, token in enumerate(tokens)}, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True),
                                                       pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    tokenizer.decoder = decoders.ByteLevel()
    kinds = reader.fields["tokenizer.ggml.token_type"].contents()
    tokenizer.add_special_tokens([AddedToken(token, normalized=False) for token, kind in zip(tokens, kinds) if kind == 3])
    return tokenizer


def kept_rows(size):
    return np.unique(np.concatenate([[0, 1, 2], np.linspace(3, size - 1, 5).astype(int)]))


def of_text(model, ids):
    with torch.no_grad():
        out = model(torch.tensor([ids]), output_hidden_states=True, output_attentions=True)
        rows = kept_rows(len(ids))
        states = torch.stack(out.hidden_states)[:, 0]  # the last is behind the last norm
        raw = raw_states(model, ids)
        all_states = torch.cat([states[:-1], raw[None], states[-1:]])
        logs = torch.log_softmax(out.logits[0].double(), -1)
        following = torch.tensor(ids[1:])
        chosen = logs[:-1].gather(1, following[:, None])[:, 0]
        rank = 1 + (logs[:-1] > chosen[:, None]).sum(1)
        lens = []
        for layer in LENS:
            seen = torch.log_softmax(model.lm_head(model.model.norm(all_states[layer]))[:-1].double(), -1)
            lens.append(-seen.gather(1, following[:, None])[:, 0])
    return {"ids": np.array(ids, np.int32), "rows": rows.astype(np.int32), "states": all_states[:, rows, ::32].numpy(),
            "heads": np.array(HEADS, np.int32),
            "maps": torch.stack([out.attentions[layer - 1][0, head - 1] for layer, head in HEADS])[:, rows].numpy(),
            "surprisal": -chosen.numpy().astype(np.float32), "rank": rank.numpy().astype(np.int32),
            "entropy": -(logs.exp() * logs).sum(1).numpy().astype(np.float32), "best": logs.argmax(1).numpy().astype(np.int32),
            "lens": torch.stack(lens).numpy().astype(np.float32)}


def raw_states(model, ids):
    """Behind the last layer, before the last norm, which transformers does not list."""
    kept = []
    hook = model.model.norm.register_forward_pre_hook(lambda module, inputs: kept.append(inputs[0][0].clone()))
    model(torch.tensor([ids]))
    hook.remove()
    return kept[0]


def main():
    path = pathlib.Path(sys.argv[1])
    reader = gguf.GGUFReader(path)
    tokenizer = tokenizer_of(reader)
    model = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, attn_implementation="eager", dtype=torch.float32).eval()
    kept = {}
    for number, text in enumerate((HERE / "corpus.txt").read_text(encoding="utf-8").splitlines(), 1):
        kept |= {f"{number}.{name}": value for name, value in of_text(model, tokenizer.encode(text).ids).items()}
        print(number, len(kept[f"{number}.ids"]), "tokens, perplexity", np.exp(kept[f"{number}.surprisal"].mean(dtype=np.float64)))
    for tensor in reader.tensors:
        values = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float64)
        kept[f"sum {tensor.name}"] = np.array([values.sum(), (values**2).sum()])
    names = [name for name in kept if name.startswith("sum ")]
    kept |= {"tensors": np.array([name[4:] for name in names]), "sums": np.stack([kept.pop(name) for name in names])}
    np.savez_compressed(HERE / "reference.npz", **kept)


main()
