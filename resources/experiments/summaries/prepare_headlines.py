#!/usr/bin/env python3
"""Makes the training, development and test files of the headline models (headlines.toml) from Debian's package lists.

    prepare_headlines.py OUTPUT [--mirror https://deb.debian.org/debian] [--suite bookworm] [--components main,contrib]
    prepare_headlines.py OUTPUT --lists FOLDER

Every package has a description of some paragraphs and a synopsis of one line: text and headline. Each description is under
its package's own free licence; nothing of them is in this project. The lists come from --mirror and are compared with the
sums of its Release file (whose signature is not checked), or from FOLDER as apt keeps them (apt-get update -o
Acquire::Languages=en fills /var/lib/apt/lists). Every description must have the MD5 sum that its entry says.

OUTPUT gets {train,dev,test}.{text,headline}: words and signs apart, one package a line, texts cut after --words of them;
lead.headline and sentence.headline, the first words and the first sentence of each test text, which are what a model has to
beat; and report.json. Equal pairs are taken once. Standard library only; the same lists and --seed give the same bytes.

Packages repeat each other, so templates are held out as a whole: two packages belong to one template when they are made from
one source package (versions in its name do not count), or when their headlines, texts or first sentences are equal without
digits, capitalised words and words of the packages' names (and so on, package after package). One pair of a held-out
template is tested, none of it is trained on. Templates of more than 20 pairs are boilerplate: trained on, never tested.
"""
import argparse
import bz2
import collections
import gzip
import hashlib
import json
import lzma
import math
import pathlib
import random
import re
import subprocess
import sys
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "translation"))
from prepare_translation_data import GREATEST_GROUP, template, tokenise  # noqa: E402

UNPACK = {".xz": lzma.decompress, ".gz": gzip.decompress, ".bz2": bz2.decompress}
APT_HELPER = pathlib.Path("/usr/lib/apt/apt-helper")  # unpacks lz4
LEAD = 8  # words of the baseline lead.headline
SHORTEST = {"headline": 2, "text": 5}  # words of a pair that is taken
SHORTEST_SKELETON = 5  # words; shorter ones would join packages that have nothing in common
NEAR = 0.7  # share of words from which on two pairs count as near in the report
SHORTEST_SENTENCE = 8  # of its skeleton; shorter ones are in texts of any kind


def fail(message):
    print(f"prepare_headlines: {message}", file=sys.stderr)
    sys.exit(3)


# The lists.

def fetch(url):
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return answer.read()
    except (urllib.error.URLError, OSError) as error:
        fail(f"{url}: {error}")


def sums_of(release):
    """Name of a file -> its SHA-256, of a Release file."""
    section = re.search(r"^SHA256:\n((?: .*\n)+)", release, flags=re.M)
    return {name: digest for digest, _, name in (line.split() for line in section.group(1).splitlines())} if section else {}


def from_mirror(options, parts):
    """[part] text of the list, from the mirror."""
    folder = f"{options.mirror.rstrip('/')}/dists/{options.suite}"
    sums = sums_of(fetch(f"{folder}/Release").decode())
    texts = []
    for part in parts:
        name = next((part + ending for ending in UNPACK if part + ending in sums), None)
        if name is None:
            fail(f"{folder}/Release names no {part}{'|'.join(UNPACK)}")
        data = fetch(f"{folder}/{name}")
        if hashlib.sha256(data).hexdigest() != sums[name]:
            fail(f"{folder}/{name} has another SHA-256 than Release says: the mirror is being updated, or the file is damaged")
        texts.append(UNPACK[name[name.rindex("."):]](data).decode())
    return texts


def from_lists(options, parts):
    """[part] text of the list, from a folder as apt keeps it."""
    texts = []
    for part in parts:
        wanted = f"_dists_{options.suite}_{part.replace('/', '_')}"
        found = sorted(path for path in options.lists.glob("*") if re.search(re.escape(wanted) + r"(\.\w+)?$", path.name))
        if len(found) != 1:
            fail(f"{options.lists}: {len(found)} files are called …{wanted}, expected one; run apt-get update -o Acquire::Languages=en")
        path = found[0]
        if path.suffix == ".lz4":
            if not APT_HELPER.exists():
                fail(f"{path}: lz4 needs {APT_HELPER}; unpack it with lz4 -d")
            texts.append(subprocess.run([APT_HELPER, "cat-file", path], capture_output=True, check=True).stdout.decode())
        else:
            texts.append(UNPACK.get(path.suffix, bytes)(path.read_bytes()).decode())
    return texts


def entries(text):
    """The stanzas of a list: name of a field -> its value, further lines with the space before them."""
    for stanza in text.split("\n\n"):
        fields = re.findall(r"^([^\s:]+): ?(.*(?:\n[ \t].*)*)", stanza, flags=re.M)
        if fields:
            yield dict(fields)


def descriptions_of(texts):
    """MD5 sum -> description."""
    result = {}
    for text in texts:
        for entry in entries(text):
            description = entry.get("Description-en", "")
            digest = hashlib.md5((description + "\n").encode()).hexdigest()
            if digest != entry.get("Description-md5"):
                fail(f"the description of {entry.get('Package')} has the MD5 sum {digest}, its entry says "
                     f"{entry.get('Description-md5')}: the list is damaged")
            result[digest] = description
    return result


def packages_of(texts, descriptions):
    """Packages with their descriptions, in the order of their names."""
    result = {}
    for text in texts:
        for entry in entries(text):
            name, digest = entry.get("Package"), entry.get("Description-md5")
            if digest not in descriptions:
                fail(f"the package {name} has a description ({digest}) that Translation-en lacks: lists of different days")
            headline, _, text_lines = descriptions[digest].partition("\n")
            if headline != entry.get("Description", "").partition("\n")[0]:
                fail(f"the package {name} is \"{entry.get('Description')}\" in Packages and \"{headline}\" in Translation-en")
            source = entry.get("Source", name).split(" ")[0]
            result[name] = {"package": name, "source": source, "synopsis": headline, "paragraphs": paragraphs(text_lines)}
    return [result[name] for name in sorted(result)]


def paragraphs(lines):
    """Of the further lines of a description: a line " ." is an empty one, all others are text."""
    blocks = re.split(r"^ \.[ \t]*$", lines, flags=re.M)
    return [text for block in blocks if (text := " ".join(block.split()))]


# Pairs.

def sentences(paragraph):
    return re.split(r"(?<=[.!?])\s+(?=[^a-z])", paragraph)


def make_pairs(packages, words):
    """Equal pairs once, with all source packages that have them."""
    pairs = {}
    for package in packages:
        headline, text = tokenise(package["synopsis"]), tokenise(" ".join(package["paragraphs"]))[:words]
        if len(headline) < SHORTEST["headline"] or len(text) < SHORTEST["text"]:
            continue
        key = (" ".join(headline), " ".join(text))
        pair = pairs.setdefault(key, {"headline": key[0], "text": key[1], "sources": set(), "names": set(),
                                      "sentences": [line for block in package["paragraphs"] for line in sentences(block)]})
        pair["sources"].add(package["source"])
        pair["names"] |= set(re.findall(r"[a-z]+", f"{package['package']} {package['source']}"))
    return list(pairs.values())


def skeleton(line, names):
    """Words of a line without digits, capitalised words and words of the packages' names."""
    return [word for word in re.findall(r"[^\W\d_]+", line) if word[0].islower() and word not in names]


def keys_of(pair):
    """What the pairs of one template share one of."""
    keys = {("source", template(source)) for source in pair["sources"]}
    for kind, line in (("headline", pair["headline"]), ("text", pair["text"]), ("first", pair["sentences"][0])):
        words = skeleton(line, pair["names"])
        keys |= {(kind, template(line)), (kind, " ".join(words) if len(words) >= SHORTEST_SKELETON else template(line))}
    for line in pair["sentences"]:
        if len(words := skeleton(line, pair["names"])) >= SHORTEST_SENTENCE:
            keys.add(("any", " ".join(words)))
    return keys


def group(pairs):
    """Sets pair["group"]: the index of the first pair of its template."""
    parent = list(range(len(pairs)))

    def root(at):
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    sharing = collections.defaultdict(list)
    for at, pair in enumerate(pairs):
        for key in keys_of(pair):
            sharing[key].append(at)
    for (kind, _), places in sharing.items():
        # A sentence of many source packages says what they belong to: "Node.js is a JavaScript engine."
        if kind != "any" or len({source for at in places for source in pairs[at]["sources"]}) <= GREATEST_GROUP:
            for at in places[1:]:
                other, mine = root(places[0]), root(at)
                parent[max(mine, other)] = min(mine, other)
    for at, pair in enumerate(pairs):
        pair["group"] = root(at)


def hold_out(pairs, wanted, draw):
    """Name of the part -> its pairs; every template of dev and test is held out."""
    members = collections.defaultdict(list)
    for pair in pairs:
        members[pair["group"]].append(pair)
    small = [group_pairs for group_pairs in members.values() if len(group_pairs) <= GREATEST_GROUP]
    draw.shuffle(small)
    if len(small) < sum(wanted.values()):
        fail(f"{len(small)} templates to hold out, {sum(wanted.values())} wanted; ask for fewer")
    parts, held = {}, set()
    for name, count in wanted.items():
        chosen, small = small[:count], small[count:]
        parts[name] = [draw.choice(group_pairs) for group_pairs in chosen]
        held |= {pair["group"] for pair in parts[name]}
    parts["train"] = [pair for pair in pairs if pair["group"] not in held]
    draw.shuffle(parts["train"])
    return parts


def near_pairs(tested, trained):
    """How many tested pairs share NEAR of their words with a trained one: words of both divided by words of either.

    Two such sets of words share one of the first n - ⌈NEAR · n⌉ + 1 words of either, the rarest first; only pairs that do are
    compared."""
    rank = collections.Counter(word for pair in trained for word in words_of(pair))

    def first(words):
        ordered = sorted(words, key=lambda word: (rank[word], word))
        return ordered[:len(words) - math.ceil(NEAR * len(words) - 1e-9) + 1]

    places = collections.defaultdict(list)
    for words in map(words_of, trained):
        for word in first(words):
            places[word].append(words)
    return sum(any(len(words & other) >= NEAR * len(words | other) for word in first(words) for other in places[word])
               for words in map(words_of, tested))


def words_of(pair):
    return frozenset(re.findall(r"[^\W\d_]+", f"{pair['headline']} {pair['text']}".lower()))


def write(path, lines):
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--mirror", default="https://deb.debian.org/debian", help="URL of a Debian mirror")
    parser.add_argument("--lists", type=pathlib.Path, help="folder of lists as apt keeps them, in the place of a mirror")
    parser.add_argument("--suite", default="bookworm", help="Debian 12")
    parser.add_argument("--components", default="main,contrib")
    parser.add_argument("--architecture", default="amd64")
    parser.add_argument("--words", type=int, default=80, help="words and signs of the longest text; longer ones are cut")
    parser.add_argument("--test", type=int, default=2000)
    parser.add_argument("--dev", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    read = from_lists if options.lists else from_mirror
    components = options.components.split(",")
    descriptions = descriptions_of(read(options, [f"{name}/i18n/Translation-en" for name in components]))
    packages = packages_of(read(options, [f"{name}/binary-{options.architecture}/Packages" for name in components]), descriptions)
    pairs = make_pairs(packages, options.words)
    group(pairs)
    parts = hold_out(pairs, {"test": options.test, "dev": options.dev}, random.Random(options.seed))
    if not parts["train"]:
        fail("nothing is left to train on; hold out fewer templates")
    options.output.mkdir(parents=True, exist_ok=True)
    for name, part in parts.items():
        for side in ("text", "headline"):
            write(options.output / f"{name}.{side}", (pair[side] for pair in part))
    write(options.output / "lead.headline", (" ".join(pair["text"].split()[:LEAD]) for pair in parts["test"]))
    write(options.output / "sentence.headline", (" ".join(tokenise(pair["sentences"][0])[:options.words]) for pair in parts["test"]))
    sizes = collections.Counter(pair["group"] for pair in pairs)
    report = {"packages": len(packages), "pairs": len(pairs), "templates": len(sizes), "largest_template": max(sizes.values()),
              **{name: len(part) for name, part in parts.items()}, "not_used": len(pairs) - sum(map(len, parts.values())),
              "words": {side: round(sum(len(pair[side].split()) for pair in pairs) / len(pairs), 1) for side in ("text", "headline")},
              "test_near_train": near_pairs(parts["test"], parts["train"]),
              "cut_texts": sum(len(pair["text"].split()) == options.words for pair in pairs), "seed": options.seed}
    (options.output / "report.json").write_text(json.dumps(report, indent=2) + "\n")
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
