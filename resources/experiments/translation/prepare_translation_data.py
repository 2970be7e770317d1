#!/usr/bin/env python3
"""Makes the training, development and test files of the German-English translators.

    prepare_translation_data.py DATA OUTPUT [--test-debian 1000] [--test-ntrex 300] [--dev-debian 300] [--dev-ntrex 150]

DATA holds debian-descriptions/paragraphs.{de,en}, ntrex/newstest2019.{de,en} and flores/dev.{de,en}. OUTPUT gets
{train,dev,test-debian,test-ntrex,low-overlap}.{de,en}, one tokenised sentence a line, and report.json. Standard library
only; the same DATA and --seed give the same bytes.

Package descriptions repeat themselves: "development files for libfoo 3" and "... libfoo 4" are one text. Two pairs
belong to one template when their German or their English sides are equal without digits, case and spacing (and so on,
pair after pair). A template is held out as a whole: one pair of it is tested, none of it is trained on, wherever the
others come from. low-overlap is the part of test-debian of which fewer than a quarter of the English 5-grams occur in
train: there a model cannot score by remembering.
"""
import argparse
import json
import pathlib
import random
import re
import sys

NGRAM = 5
LOW_OVERLAP = 0.25
GREATEST_GROUP = 20  # larger templates are boilerplate: trained on, never tested
SOURCES = {"debian": "debian-descriptions/paragraphs", "ntrex": "ntrex/newstest2019", "flores": "flores/dev"}


def fail(message):
    print(f"prepare_translation_data: {message}", file=sys.stderr)
    sys.exit(3)


def tokenise(line):
    """Words and signs apart; spaces are single."""
    return re.findall(r"\w+|[^\w\s]", line)


def template(line):
    """What is left of a line without digits, case and spacing."""
    return re.sub(r"[\d\s]+", " ", line.lower()).strip()


def read_pairs(data, source):
    sides = []
    for language in ("de", "en"):
        path = data / f"{SOURCES[source]}.{language}"
        if not path.is_file():
            fail(f"there is no {path}")
        with open(path, encoding="utf-8", newline="\n") as file:
            sides.append([line.rstrip("\n") for line in file])
    if len(sides[0]) != len(sides[1]):
        fail(f"{SOURCES[source]}: {len(sides[0])} German but {len(sides[1])} English lines")
    return [{"source": source, "line": number, "de": de, "en": en}
            for number, (de, en) in enumerate(zip(*sides), 1) if de.strip() and en.strip()]


def group(pairs):
    """Sets pair["group"]: the index of the first pair of its template."""
    parent = list(range(len(pairs)))

    def root(at):
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    first = {}
    for at, pair in enumerate(pairs):
        for language in ("de", "en"):
            key = (language, template(pair[language]))
            other = root(first.setdefault(key, at))
            mine = root(at)
            parent[max(mine, other)] = min(mine, other)
    for at, pair in enumerate(pairs):
        pair["group"] = root(at)


def hold_out(pairs, wanted, draw):
    """Name of the part -> its pairs; every group of them is held out."""
    members = {}
    for pair in pairs:
        members.setdefault(pair["group"], []).append(pair)
    parts, taken = {}, set()

    def take(name, candidates):
        parts[name] = []
        for pair in candidates:
            if len(parts[name]) == wanted[name]:
                break
            if pair["group"] not in taken:
                taken.add(pair["group"])
                parts[name].append(pair)
        parts[name].sort(key=lambda pair: (pair["source"], pair["line"]))

    news = [pair for pair in pairs if pair["source"] == "ntrex"]
    take("test-ntrex", reversed(news))
    take("dev-ntrex", reversed(news))
    # One pair a group, the first of the Debian pairs in it; the order of the groups is drawn.
    heads = []
    for group_pairs in members.values():
        own = [pair for pair in group_pairs if pair["source"] == "debian"]
        if own and len(group_pairs) <= GREATEST_GROUP and len(tokenise(own[0]["en"])) >= NGRAM:
            heads.append(own[0])
    draw.shuffle(heads)
    take("test-debian", heads)
    take("dev-debian", heads)
    parts["dev"] = parts.pop("dev-debian") + parts.pop("dev-ntrex")
    parts["train"] = [pair for pair in pairs if pair["group"] not in taken]
    return parts


def ngrams(line):
    tokens = [token.lower() for token in tokenise(line)]
    order = min(NGRAM, len(tokens))
    return [tuple(tokens[at:at + order]) for at in range(len(tokens) - order + 1)] if order else []


def overlap(line, seen):
    """Share of the line's 5-grams (of a shorter line: of the line itself) that were seen."""
    own = ngrams(line)
    return sum(gram in seen for gram in own) / len(own) if own else 1.0


def write(output, name, pairs):
    for language in ("de", "en"):
        with open(output / f"{name}.{language}", "w", encoding="utf-8", newline="\n") as file:
            file.writelines(" ".join(tokenise(pair[language])) + "\n" for pair in pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--test-debian", type=int, default=1000)
    parser.add_argument("--test-ntrex", type=int, default=300)
    parser.add_argument("--dev-debian", type=int, default=300)
    parser.add_argument("--dev-ntrex", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    wanted = {"test-debian": options.test_debian, "test-ntrex": options.test_ntrex,
              "dev-debian": options.dev_debian, "dev-ntrex": options.dev_ntrex}
    pairs = [pair for source in SOURCES for pair in read_pairs(options.data, source)]
    group(pairs)
    parts = hold_out(pairs, wanted, random.Random(options.seed))
    for name, count in (("test-debian", options.test_debian), ("test-ntrex", options.test_ntrex),
                        ("dev", options.dev_debian + options.dev_ntrex)):
        if len(parts[name]) < count:
            fail(f"{name}: {len(parts[name])} templates to hold out, {count} wanted; ask for fewer")
    if not parts["train"]:
        fail("nothing is left to train on; hold out fewer lines")
    seen = {gram for pair in parts["train"] for gram in ngrams(pair["en"])}
    shares = {name: [overlap(pair["en"], seen) for pair in parts[name]] for name in ("test-debian", "test-ntrex")}
    parts["low-overlap"] = [pair for pair, share in zip(parts["test-debian"], shares["test-debian"])
                            if share < LOW_OVERLAP]
    options.output.mkdir(parents=True, exist_ok=True)
    for name in ("train", "dev", "test-debian", "test-ntrex", "low-overlap"):
        write(options.output, name, parts[name])
    used = {name: len(part) for name, part in parts.items()}
    report = {"pairs": len(pairs), "templates": len({pair["group"] for pair in pairs}), **used,
              "not_used": len(pairs) - sum(used[name] for name in ("train", "dev", "test-debian", "test-ntrex")),
              "seed": options.seed,
              "seen_5grams": {name: round(sum(part) / len(part), 4) for name, part in shares.items() if part}}
    (options.output / "report.json").write_text(json.dumps(report, indent=2) + "\n")
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
