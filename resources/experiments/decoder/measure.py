"""What `mog` has no table for, from recordings of a decoder: entropies without the sink, norms, when the lens settles, patching over pairs.

    measure.py sink RECORDING TABLE       row entropies with the first token and without it, by layer
    measure.py norms RECORDING TABLE      norms of the states of first and of other tokens, by layer
    measure.py lens RECORDING TABLE       from which layer on the most probable next token is the final one
    measure.py patch FOLDER PAIRS TABLE   tables of `mog patch` together: by place, layer and role of the position; rank correlations

Means over tokens; 95 % intervals from 1,000 resamples of sentences (patch: of pairs). Needs h5py and numpy.
"""
import csv
import pathlib
import sys

import numpy as np

RESAMPLES = 1000
HEADS = 8  # of each kind and direction, the greatest effects


class Recording:
    """Sentence by sentence, in the order of the rows of a recording that may have several shards."""

    def __init__(self, folder):
        import h5py
        folder = pathlib.Path(folder)
        self.files = [h5py.File(path) for path in sorted(folder.glob("shard-*.h5"))] or [h5py.File(folder / "recording.h5")]

    def sentences(self, name):
        """(tokens, values) of each sentence."""
        for file in self.files:
            values = file[f"quantities/{name}"]
            begins, tokens = file[values.attrs["offsets"]][:], file["offsets/rows/tokens"][:]
            everything = values[:]
            for row in range(len(begins) - 1):
                yield int(tokens[row + 1] - tokens[row]), everything[begins[row]:begins[row + 1]]

    def first_words(self):
        """How many tokens the first word of each sentence has."""
        for file in self.files:
            tokens, words = file["offsets/rows/tokens"][:], file["tokens/word"][:]
            for begin, end in zip(tokens, tokens[1:]):
                yield int((words[begin:end] == words[begin]).sum())


def interval(sums, counts):
    """Mean and 95 % interval of sums [sentence, ...] over counts [sentence] by resampling sentences."""
    random = np.random.default_rng(1)
    weights = random.multinomial(len(sums), np.full(len(sums), 1 / len(sums)), RESAMPLES)
    mean = sums.sum(0) / counts.sum(0)
    drawn = (weights @ sums) / (weights @ counts)
    return mean, *np.quantile(drawn, [0.025, 0.975], axis=0)


def write(path, header, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *([f"{cell:.5g}" if isinstance(cell, float) else cell for cell in row] for row in rows)])


def entropy(rows):
    return -(np.where(rows > 0, rows, 1) * np.log(np.where(rows > 0, rows, 1))).sum(-1)


def sink(recording, table):
    """Rows of the tokens behind the first word that see two tokens more than the first; per head, then the mean over heads. Relative: by ln of the tokens seen."""
    recording = Recording(recording)
    firsts, rows = list(recording.first_words()), []
    layer = 1
    while f"quantities/encoder.{layer}.full.attention" in recording.files[0]:
        sums, counts = [], []
        for (size, values), first in zip(recording.sentences(f"encoder.{layer}.full.attention"), firsts):
            begin = max(first, 2)
            if size <= begin:
                continue
            maps = values.reshape(-1, size, size).astype(np.float64)[:, begin:]
            maps /= maps.sum(-1, keepdims=True)  # float16 in the recording
            seen = np.arange(begin + 1, size + 1)
            left = maps[:, :, 1:] / np.maximum(maps[:, :, 1:].sum(-1, keepdims=True), 1e-12)
            kept, dropped = entropy(maps).mean(0), entropy(left).mean(0)
            sums.append([kept.sum(), dropped.sum(), (kept / np.log(seen)).sum(), (dropped / np.log(seen - 1)).sum()])
            counts.append(size - begin)
        counts = np.array(counts, float)[:, None]
        for name, *cells in zip(("kept", "dropped", "kept, relative", "dropped, relative"), *interval(np.array(sums), counts)):
            rows.append([layer, name, len(sums), *map(float, cells)])
        layer += 1
    write(table, ["layer", "rows", "sentences", "mean", "low", "high"], rows)


def norms(recording, table):
    """Norms of states: the first token's, the others', and how many of the others have more than three times the median of the layer's others."""
    recording, rows = Recording(recording), []
    for layer in range(1, 1000):
        if f"quantities/encoder.{layer}.output" not in recording.files[0]:
            break
        of_text = [np.linalg.norm(values.reshape(size, -1).astype(np.float64), axis=1) for size, values in recording.sentences(f"encoder.{layer}.output")]
        median = np.median(np.concatenate([norm[1:] for norm in of_text]))
        for name, some in (("first token", [norm[:1] for norm in of_text]), ("others", [norm[1:] for norm in of_text]),
                           ("others, share above 3 medians", [(norm[1:] > 3 * median).astype(float) for norm in of_text])):
            cells = interval(np.array([norm.sum() for norm in some])[:, None], np.array([len(norm) for norm in some], float)[:, None])
            rows.append([layer, name, len(of_text), *(float(cell[0]) for cell in cells)])
    write(table, ["layer", "tokens", "sentences", "mean", "low", "high"], rows)


def lens(recording, table):
    """Of each token: does the layer's best equal the final one, does it from there on in every layer, is it the true one; and the final surprisal."""
    recording = Recording(recording)
    layers = sum(f"quantities/encoder.{layer}.next_token.best" in recording.files[0] for layer in range(1, 1000))
    best = [[values.reshape(size, -1)[:, 0] for size, values in recording.sentences(f"encoder.{layer}.next_token.best")] for layer in range(1, layers + 1)]
    same, settled, counts = [], [], []
    for number in range(len(best[0])):
        found = np.stack([best[layer][number] for layer in range(layers)])
        equal = found == found[-1]
        since = np.flip(np.logical_and.accumulate(np.flip(equal, 0), 0), 0)
        same.append(equal.sum(1))
        settled.append(since.sum(1))
        counts.append(found.shape[1])
    counts = np.array(counts, float)[:, None]
    rows = []
    for name, sums in (("equal", same), ("settled", settled)):
        for layer, cells in enumerate(zip(*interval(np.array(sums, float), counts)), 1):
            rows.append([layer, name, len(counts), *map(float, cells)])
    write(table, ["layer", "best_token", "sentences", "mean", "low", "high"], rows)


def patch(folder, pairs, table):
    """What share of the difference of clean and corrupt moves (into the corrupt run: comes back; into the clean one: is lost), by direction, place, layer and
    role of a position: exchanged (the tokens that differ), between, last."""
    with open(pairs, encoding="utf-8", newline="") as file:
        kinds = [row["kind"] for row in csv.DictReader(file)]
    cells, correlations = {}, {}
    for number, kind in enumerate(kinds, 1):
        with open(pathlib.Path(folder) / f"pair-{number}.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        tokens = {int(row["position"]): row["clean_token"] != row["corrupt_token"] for row in rows if row["position"]}
        exchanged, last = [at for at, other in tokens.items() if other], max(tokens)
        best = {}
        for row in rows:
            into, place, effect = row["into"], row["place"], float(row["effect"])
            moved = effect if into == "corrupt" else 1 - effect
            correlations.setdefault((into, place), {}).setdefault(number, []).append((effect, float(row["estimated_effect"])))
            if place == "head":
                best.setdefault(into, {})[int(row["layer"]), int(row["head"])] = moved
                continue
            at = int(row["position"])
            if at < exchanged[0]:  # reads nothing of the exchange
                continue
            role = "exchanged" if at in exchanged else "last" if at == last else "between"
            for of in (kind, "all"):
                cells.setdefault((of, into, place, int(row["layer"]), role), {}).setdefault(number, []).append(moved)
        for into, heads in best.items():
            for (layer, head), moved in heads.items():
                for of in (kind, "all"):
                    cells.setdefault((of, into, f"head {head}", layer, "every"), {}).setdefault(number, []).append(moved)
    rows = []
    for key, values in sorted(cells.items()):
        of_pairs = np.array([sum(of_role) for _, of_role in sorted(values.items())])  # positions of one role together
        drawn = np.random.default_rng(1).choice(of_pairs, (RESAMPLES, len(of_pairs))).mean(1)  # the same draws for every row
        rows.append([*key, len(of_pairs), float(of_pairs.mean()), *map(float, np.quantile(drawn, [0.025, 0.975]))])
    heads = {}
    for row in rows:
        if row[2].startswith("head"):
            heads.setdefault((row[0], row[1]), []).append(row)
    best = [row for some in heads.values() for row in sorted(some, key=lambda row: -row[6])[:HEADS]]
    rows = [row for row in rows if not row[2].startswith("head")] + best
    write(table, ["kind", "into", "place", "layer", "position", "pairs", "mean", "low", "high"], rows)
    rows = []
    for (into, place), values in sorted(correlations.items()):
        of_pairs = np.array([spearman(*np.array(pairs).T) for pairs in values.values()])
        drawn = np.random.default_rng(1).choice(of_pairs, (RESAMPLES, len(of_pairs))).mean(1)  # the same draws for every row
        pearson = np.array([np.corrcoef(*np.array(pairs).T)[0, 1] for pairs in values.values()])
        rows.append([into, place, len(of_pairs), float(of_pairs.mean()), *map(float, np.quantile(drawn, [0.025, 0.975])), float(of_pairs.min()), float(of_pairs.max()), float(pearson.mean()), float(pearson.min())])
    write(pathlib.Path(table).with_name(pathlib.Path(table).stem + "-correlation.csv"), ["into", "place", "pairs", "mean", "low", "high", "least", "greatest", "pearson", "pearson_least"], rows)


def spearman(first, second):
    def ranks(values):
        order = values.argsort()
        result = np.empty(len(values))
        result[order] = np.arange(len(values))
        for value in np.unique(values):
            result[values == value] = result[values == value].mean()
        return result
    return np.corrcoef(ranks(first), ranks(second))[0, 1]


if __name__ == "__main__":
    {"sink": sink, "norms": norms, "lens": lens, "patch": patch}[sys.argv[1]](*sys.argv[2:])
