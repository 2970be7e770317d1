"""Bidirectional GRU and LSTM of PyTorch, every gate and state of every step: bidirectional.safetensors.

Usage: make_bidirectional.py OUTPUT    (needs torch and safetensors)

Three sentences of 3, 7 and 5 words, packed; 2 layers, input 10, hidden 6 a direction. All weights are float32
numbers; everything else is computed in float64. torch.nn.GRU and torch.nn.LSTM over a packed (and over a padded)
batch give the states; they show no gates, so those come from the equations written out below, whose states are
first compared with torch's. gru_reset and gru_plain are not in torch: their states are the equations' alone.
"""
import sys

import torch
from safetensors.torch import save_file
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

LENGTHS, INPUT, HIDDEN, LAYERS = [3, 7, 5], 10, 6, 2
KINDS = ["gru", "lstm", "gru_reset", "gru_plain"]


def cell(kind, w, u, b, c, x, h, cell_state):
    """One step: the new h and c, and what is recorded."""
    wx, uh = w @ x + b, u @ h + c
    if kind == "lstm":
        i, f, g, o = ((wx + uh)[HIDDEN * k:HIDDEN * (k + 1)] for k in range(4))
        i, f, g, o = torch.sigmoid(i), torch.sigmoid(f), torch.tanh(g), torch.sigmoid(o)
        cell_state = f * cell_state + i * g
        h = o * torch.tanh(cell_state)
        return h, cell_state, {"i": i, "f": f, "g": g, "o": o, "c": cell_state, "h": h}
    r = torch.sigmoid((wx + uh)[:HIDDEN])
    z = torch.sigmoid((wx + uh)[HIDDEN:2 * HIDDEN])
    last = slice(2 * HIDDEN, 3 * HIDDEN)
    if kind == "gru":
        n = torch.tanh(wx[last] + r * uh[last])
        h = (1 - z) * n + z * h
    else:
        n = torch.tanh(wx[last] + u[last] @ (r * h if kind == "gru_reset" else h) + c[last])
        h = (1 - z) * h + z * n
    return h, cell_state, {"r": r, "z": z, "n": n, "h": h}


def carry(shares, backward):
    """Share m_s of step s, times what every step between s and t keeps."""
    steps = len(shares)
    rows = torch.zeros(steps, steps, dtype=torch.float64)
    for t in range(steps):
        for s in (range(t, steps) if backward else range(t + 1)):
            rows[t, s] = shares[s]
            for between in (range(t, s) if backward else range(s + 1, t + 1)):
                rows[t, s] *= 1 - shares[between]
    return rows


def main(output):
    torch.manual_seed(20261122)
    tensors = {"in.x": torch.randn(sum(LENGTHS), INPUT).double()}
    sentences = list(tensors["in.x"].split(LENGTHS))
    for kind in KINDS:
        module = (torch.nn.LSTM if kind == "lstm" else torch.nn.GRU)(
            INPUT, HIDDEN, LAYERS, batch_first=True, bidirectional=True).double()
        for parameter in module.parameters():
            torch.nn.init.normal_(parameter, std=0.6)
            parameter.data = parameter.data.float().double()
            if parameter.dim() == 1:  # sums of two biases are float32 numbers too
                parameter.data = torch.round(parameter.data * 1024) / 1024
        for name, parameter in module.named_parameters():
            tensors[f"in.{kind}.{name}"] = parameter.detach()
        below = sentences
        for layer in range(LAYERS):
            halves = []
            for direction, ending in (("forward", ""), ("backward", "_reverse")):
                w, u, b, c = (getattr(module, f"{name}_l{layer}{ending}").detach()
                              for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
                shown, maps = {}, []
                for sentence in below:
                    h = cell_state = torch.zeros(HIDDEN, dtype=torch.float64)
                    steps = [None] * len(sentence)
                    order = range(len(sentence))
                    for t in (reversed(order) if direction == "backward" else order):
                        h, cell_state, steps[t] = cell(kind, w, u, b, c, sentence[t], h, cell_state)
                    for key in steps[0]:
                        shown.setdefault(key, []).append(torch.stack([step[key] for step in steps]))
                    if kind == "lstm":
                        m = [(step["i"].mean() / (step["i"].mean() + step["f"].mean())).item() for step in steps]
                    else:
                        m = [(1 - step["z"].mean() if kind == "gru" else step["z"].mean()).item() for step in steps]
                    maps.append(carry(m, direction == "backward"))
                for key, values in shown.items():
                    tensors[f"{kind}.l{layer}.{direction}.{key}"] = torch.cat(values)
                for number, rows in enumerate(maps):
                    tensors[f"{kind}.l{layer}.{direction}.carry.{number}"] = rows
                halves.append(shown["h"])
            below = [torch.cat(pair, 1) for pair in zip(*halves)]
        if kind in ("gru", "lstm"):
            padded = pad_sequence(sentences, batch_first=True)
            packed = pack_padded_sequence(padded, LENGTHS, batch_first=True, enforce_sorted=False)
            states = pad_packed_sequence(module(packed)[0], batch_first=True)[0].detach()
            alone = [module(sentence[None])[0][0].detach() for sentence in sentences]
            for number, length in enumerate(LENGTHS):
                assert torch.allclose(states[number, :length], below[number], atol=1e-13), kind
                assert torch.allclose(alone[number], below[number], atol=1e-13), kind
            tensors[f"{kind}.torch"] = torch.cat([states[n, :length] for n, length in enumerate(LENGTHS)])
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, output)


if __name__ == "__main__":
    main(sys.argv[1])
