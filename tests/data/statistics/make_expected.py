"""Recomputes weight_by_length.csv with numpy: python make_expected.py > weight_by_length.csv

The recording is the one that tests/unit/statistics/weight_by_length_test.cpp builds:
sentence s (from 1) has 1 + (s * 7) % 24 words, every third word two pieces, and a final </s>;
gate[s, layer, token, dimension] = ((s * 7 + layer * 13 + token * 5 + dimension * 3) % 32) / 32.
"""
import numpy as np

SENTENCES, LAYERS, DIMENSIONS, RESAMPLES, SEED = 40, 3, 4, 200, 9
EDGES = [0, 5, 10, 20]
MASK = (1 << 64) - 1


def mixed(state):
    state = (state + 0x9E3779B97F4A7C15) & MASK
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
    return state ^ (state >> 31)


def drawn(items, stream, resample, draw):
    return (mixed(mixed(mixed(mixed(SEED) ^ stream) ^ resample) ^ draw) * items) >> 64


def sentence(s):
    words = 1 + (s * 7) % 24
    tokens = words + words // 3
    token = np.arange(tokens)  # the final </s> is not counted
    layer = np.arange(1, LAYERS + 1)
    dimension = np.arange(DIMENSIONS)
    values = (s * 7 + layer[:, None, None] * 13 + token[None, :, None] * 5 + dimension * 3) % 32 / 32
    return words, values.mean(axis=2)  # [layer, token]


bins = [[] for _ in EDGES]
for s in range(1, SENTENCES + 1):
    words, values = sentence(s)
    bins[np.searchsorted(EDGES, words, side="right") - 1].append(values)

print("average,layer,bin,sentences,tokens,mean,variance,low,high,difference,difference_low,difference_high")
for average in ("micro", "macro"):
    resampled = np.empty((len(EDGES), RESAMPLES, LAYERS))
    for b, group in enumerate(bins):
        means = np.array([g.mean(axis=1) for g in group])
        weights = np.array([g.shape[1] if average == "micro" else 1 for g in group], dtype=float)
        for r in range(RESAMPLES):
            pick = [drawn(len(group), b, r, i) for i in range(len(group))]
            resampled[b, r] = np.average(means[pick], axis=0, weights=weights[pick])
    for layer in range(LAYERS):
        first = None
        for b, group in enumerate(bins):
            values = np.concatenate([g[layer] for g in group]) if average == "micro" else np.array(
                [g[layer].mean() for g in group])
            mean = values.mean()
            first = mean if first is None else first
            low, high = np.quantile(resampled[b, :, layer], [0.025, 0.975])
            d_low, d_high = np.quantile(resampled[b, :, layer] - resampled[0, :, layer], [0.025, 0.975])
            numbers = (mean, values.var(ddof=1), low, high, mean - first, d_low, d_high)
            print(average, layer + 1, b, len(group), sum(g.shape[1] for g in group),
                  *(repr(float(n)) for n in numbers), sep=",")
