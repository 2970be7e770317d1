#!/usr/bin/env python3
"""Attachment scores of every layer and head of a recorded treebank: ours, and plain Python with NetworkX.

Ours:  mog syntax RECORDING --treebank T --sources attention (and with the expected joins), two threads
Peer:  h5py reads the maps, NumPy merges pieces to words, networkx.maximum_spanning_arborescence finds the
       trees, Python counts: the first sentences only (it takes seconds each), its time scaled to all words
Both score the same maps; heads and pairs that are found must agree on those sentences, else the benchmark
fails. One JSON document on stdout.

    python3 tests/benchmarks/bench_syntax.py --mog build/bin/mog --model M --treebank en_pud.conllu

Needs h5py, numpy, networkx; --recording R (of the same treebank) saves the run of the model.
"""
import argparse
import csv
import io
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time


def children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(*arguments):
    """Seconds by the clock, CPU seconds, peak memory (MB, of all children so far), standard output."""
    before, start = children(), time.monotonic()
    result = subprocess.run([str(argument) for argument in arguments], check=True, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL)
    return (time.monotonic() - start, children() - before,
            resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, result.stdout)


def read_gold(path):
    sentences, heads = [], []
    for line in path.read_text(encoding="utf-8").splitlines() + [""]:
        if not line:
            if heads:
                sentences.append(heads)
            heads = []
        elif line[0] != "#" and line.split("\t")[0].isdigit():
            heads.append(int(line.split("\t")[6]))
    return sentences


def first_sentences(path, count, output):
    blocks = [block for block in path.read_text(encoding="utf-8").split("\n\n") if block.strip()]
    output.write_text("\n\n".join(blocks[:count]) + "\n\n", encoding="utf-8")


def peer(folder, gold, sentences):
    """Seconds and, for every map and direction, [words with their head, pairs found]."""
    import h5py
    import networkx
    import numpy as np
    found = {}
    start = time.process_time()
    file = h5py.File(folder / "recording.h5")
    names = sorted(name for name in file["quantities"] if name.startswith("encoder.") and name.endswith(".attention"))
    for place in range(sentences):
        tokens = int(file["sentences/tokens"][place])
        begin, end = file["offsets/rows/tokens"][place:place + 2]
        word_of = file["tokens/word"][begin:end]
        words = int(word_of.max()) + 1
        pieces = np.zeros((words, tokens))
        for token, word in enumerate(word_of):
            if word >= 0:
                pieces[word, token] = 1
        for name in names:
            layer, part = name.split(".")[1:3]
            if layer == "1" and part.startswith("middle"):
                continue
            dataset = file["quantities"][name]
            at, to = file[dataset.attrs["offsets"]][place:place + 2]
            maps = dataset[at:to].astype(float).reshape(-1, tokens, tokens)
            for head in range(maps.shape[0] + 1):
                one = maps.mean(0) if head == 0 else maps[head - 1]
                merged = (pieces @ one @ pieces.T) / pieces.sum(1, keepdims=True)
                merged /= merged.sum(1, keepdims=True)
                for key_is_head in (False, True):
                    weights = np.log(np.maximum(merged.T if key_is_head else merged, 1e-12))
                    graph = networkx.DiGraph()
                    low = -1e4  # one root: its edges are dear
                    for dependent in range(words):
                        graph.add_edge(-1, dependent, weight=low)
                        for source in range(words):
                            if source != dependent:
                                graph.add_edge(source, dependent, weight=weights[source, dependent])
                    tree = networkx.maximum_spanning_arborescence(graph)
                    heads = [0] * words
                    for source, dependent in tree.edges():
                        heads[dependent] = source + 1
                    count = found.setdefault((layer, part, str(head) if head else "", "key" if key_is_head else "query"),
                                             [0, 0])
                    for word, right in enumerate(gold[place]):
                        count[0] += heads[word] == right
                        count[1] += right > 0 and (heads[word] == right or heads[right - 1] == word + 1)
    return time.process_time() - start, found


def compare(mog, folder, treebank, gold, found):
    """Maps whose counts differ, and how many there are."""
    table = folder / "few.csv"
    run(mog, "syntax", folder / "few.rec", "--treebank", treebank, "--sources", "attention", "--bootstrap", 0,
        "--output", table)
    words = sum(map(len, gold))
    rows = [row for row in csv.DictReader(io.StringIO(table.read_text())) if row["source"] == "attention"]
    differ = []
    for row in rows:
        key = (row["layer"], row["part"], row["head"], row["head_is"])
        ours = [round(float(row["uas"]) * words), round(float(row["uuas"]) * (words - len(gold)))]
        if ours != found[key]:
            differ.append([key, ours, found[key]])
    return differ, len(rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mog", required=True)
    parser.add_argument("--model", default="tagger-en-graph")
    parser.add_argument("--treebank", type=pathlib.Path, required=True)
    parser.add_argument("--recording", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--peer-sentences", type=int, default=3)
    arguments = parser.parse_args()
    gold = read_gold(arguments.treebank)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        recording = arguments.recording
        if recording is None:
            recording = folder / "all.rec"
            run(arguments.mog, "record", "-m", arguments.model, "-i", arguments.treebank, "-o", recording, "--capture",
                "attention,gates")
        result = {"sentences": len(gold), "words": sum(map(len, gold)), "threads": arguments.threads,
                  "cores": os.cpu_count(), "limit_s": 10}
        for label, sources in (("attention", "attention"), ("attention_and_joins", "attention,joins")):
            rounds = [run(arguments.mog, "syntax", recording, "--treebank", arguments.treebank, "--sources", sources,
                          "--threads", arguments.threads, "--json") for _ in range(arguments.rounds)]
            result[label] = {"clock_s": sorted(round(one[0], 2) for one in rounds),
                             "cpu_s": sorted(round(one[1], 2) for one in rounds)}
            if recording == arguments.recording:
                result[label]["peak_mb"] = round(max(one[2] for one in rounds))
            if len({one[3] for one in rounds}) != 1:
                sys.exit("the rounds differ")
        if arguments.peer_sentences > 0:
            few = folder / "few.conllu"
            first_sentences(arguments.treebank, arguments.peer_sentences, few)
            run(arguments.mog, "record", "-m", arguments.model, "-i", few, "-o", folder / "few.rec", "--capture",
                "attention")
            gold_few = gold[:arguments.peer_sentences]
            seconds, found = peer(folder / "few.rec", gold_few, arguments.peer_sentences)
            differ, maps = compare(arguments.mog, folder, few, gold_few, found)
            scaled = seconds * result["words"] / sum(map(len, gold_few))
            ours = result["attention"]["cpu_s"]
            result["networkx"] = {"sentences": arguments.peer_sentences, "cpu_s": round(seconds, 1),
                                  "cpu_s_of_all": round(scaled), "ratio": round(scaled / ours[len(ours) // 2]),
                                  "maps": maps, "maps_that_differ": differ}
            if differ:
                print(json.dumps(result, indent=1))
                sys.exit("trees of the two differ")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
