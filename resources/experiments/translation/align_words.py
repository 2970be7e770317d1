#!/usr/bin/env python3
"""Word alignments of parallel text from how its words occur together: what stands in for gold links where nobody drew any.

    align_words.py SOURCE TARGET OUTPUT [--train SOURCE TARGET]... [--iterations 5]

IBM Model 1 for two iterations, then Model 2 with a diagonal prior (Dyer et al. 2013: p(i | j) ~ exp(-4 |i/n - j/m|), nothing with
chance .08), in both directions on all the text; words are lower-cased and what spaces separate. OUTPUT has a line of each pair of SOURCE
and TARGET for `mog align --gold`: links of both directions are sure (0-0), those of one are possible (0p1). Some minutes for 30,000
captions. Standard library only.
"""
import argparse
import collections
import functools
import math
import pathlib

TENSION, NOTHING, UNSEEN = 4.0, 0.08, 1e-7


def read(path):
    return [line.lower().split() for line in path.read_text(encoding="utf-8").splitlines()]


@functools.cache
def prior(place, length, sources):
    """Of each source word, for the target word at `place`; with NOTHING they sum to 1."""
    weights = [math.exp(-TENSION * abs((at + 1) / sources - (place + 1) / length)) for at in range(sources)]
    return [(1 - NOTHING) * weight / sum(weights) for weight in weights]


def learn(pairs, iterations):
    """(source word or None, target word) -> probability of the target word."""
    table = None
    for iteration in range(iterations):
        counts, totals = collections.Counter(), collections.Counter()
        for source, target in pairs:
            flat = [(1 - NOTHING) / max(1, len(source))] * len(source)
            for place, word in enumerate(target):
                priors = prior(place, len(target), len(source)) if iteration >= 2 else flat
                chances = [(of, p * (table.get((of, word), UNSEEN) if table else 1.0)) for of, p in zip(source, priors)]
                chances.append((None, NOTHING * (table.get((None, word), UNSEEN) if table else 1.0)))
                whole = sum(chance for _, chance in chances)
                for of, chance in chances:
                    counts[of, word] += chance / whole
                    totals[of] += chance / whole
        table = {key: count / totals[key[0]] for key, count in counts.items()}
    return table


def links(table, source, target):
    found = set()
    for place, word in enumerate(target):
        chances = [(p * table.get((of, word), UNSEEN), at)
                   for at, (of, p) in enumerate(zip(source, prior(place, len(target), len(source)) if source else []))]
        best = max(chances, default=(0.0, -1), key=lambda one: one[0])
        if best[0] > NOTHING * table.get((None, word), UNSEEN):
            found.add((best[1], place))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--train", nargs=2, type=pathlib.Path, action="append", default=[], metavar=("SOURCE", "TARGET"))
    parser.add_argument("--iterations", type=int, default=5)
    options = parser.parse_args()
    texts = []
    for files in [(options.source, options.target), *options.train]:
        source, target = map(read, files)
        if len(source) != len(target):
            parser.error(f"{files[0]} has {len(source)} lines, {files[1]} has {len(target)}")
        texts.append(list(zip(source, target)))
    pairs = [pair for text in texts for pair in text]
    forward = learn(pairs, options.iterations)
    backward = learn([(target, source) for source, target in pairs], options.iterations)
    lines = []
    for source, target in texts[0]:
        one = links(forward, source, target)
        other = {(at, of) for of, at in links(backward, target, source)}
        lines.append(" ".join([f"{s}-{t}" for s, t in sorted(one & other)] + [f"{s}p{t}" for s, t in sorted(one ^ other)]))
    options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
