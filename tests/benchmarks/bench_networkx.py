#!/usr/bin/env python3
"""Expected orders and k-best lists in plain Python on a NetworkX graph, against ours on the same grammar.

    pip install networkx==3.6.1          (BSD; only for this script)
    python3 tests/benchmarks/bench_networkx.py [--bench build/bin/bench_kbest] [--layers 6 --words 30 --k 10]

The rules become a bipartite graph (symbol -> rule -> symbols). Expected orders: one pass in topological order.
k best: algorithm 3 of Huang & Chiang with heapq, for every word of the last layer, equal expressions merged. Ours also
computes their masses, orders and kinds. Five rounds in turn after one dropped, processor time; results that differ
fail, and so does a ratio below 100.
"""
import argparse
import heapq
import json
import subprocess
import sys
import tempfile
import time

import networkx

LIMIT = 100


def read_rules(file):
    """[(head, weight, tails)] of lines such as "R[1,1] -> N[0,1] N[0,2]  0.25  h"."""
    rules = []
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            sides, weight = line.rstrip("\n").split("  ")[:2]
            head, tails = sides.split(" ->")
            # Symbols have no spaces but "word 3".
            symbols = tails.replace("word ", "word_").split()
            rules.append((head, float(weight), tuple(symbols)))
    return rules


def build_graph(rules):
    graph = networkx.DiGraph()
    for number, (head, weight, tails) in enumerate(rules):
        graph.add_node(number, weight=weight, tails=tails)
        graph.add_edge(head, number)
        for tail in tails:
            graph.add_edge(number, tail)
    return graph


def expected_orders(graph):
    orders = {}
    for node in reversed(list(networkx.topological_sort(graph))):
        if isinstance(node, int):
            continue
        if node.startswith("word_"):
            orders[node] = 1.0
            continue
        orders[node] = sum(graph.nodes[rule]["weight"] * sum(orders[tail] for tail in graph.nodes[rule]["tails"])
                           for rule in graph.successors(node))
    return orders


class LazySearch:
    """Lists of distinct expressions: numbers, a word's or that of a pair (left, right)."""

    def __init__(self, graph):
        self.graph = graph
        self.found = {}  # symbol -> [(weight, rule, ranks, expression)]
        self.heaps = {}
        self.pushed = {}
        self.seen = {}
        self.last = {}
        self.joins = {}

    def push(self, symbol, rule, ranks):
        if (rule, ranks) in self.pushed[symbol]:
            return
        weight = self.graph.nodes[rule]["weight"]
        expression = None
        for tail, rank in zip(self.graph.nodes[rule]["tails"], ranks):
            best = self.ensure(tail, rank)
            if best is None:
                return
            weight *= best[0]
            expression = best[3] if expression is None else (expression, best[3])
        if isinstance(expression, tuple):
            expression = self.joins.setdefault(expression, -1 - len(self.joins))
        self.pushed[symbol].add((rule, ranks))
        heapq.heappush(self.heaps[symbol], (-weight, rule, ranks, expression))

    def ensure(self, symbol, rank):
        """The expression of this rank; None if there is none."""
        if symbol not in self.found:
            self.found[symbol], self.heaps[symbol], self.pushed[symbol] = [], [], set()
            self.seen[symbol] = set()
            if symbol.startswith("word_"):
                self.found[symbol].append((1.0, None, (), int(symbol[5:])))
            for rule in self.graph.successors(symbol):
                self.push(symbol, rule, (0,) * len(self.graph.nodes[rule]["tails"]))
        found = self.found[symbol]
        while len(found) <= rank:
            if symbol in self.last:  # its successors are asked for only now
                _, rule, ranks, _ = self.last.pop(symbol)
                for i in range(len(ranks)):
                    self.push(symbol, rule, ranks[:i] + (ranks[i] + 1,) + ranks[i + 1:])
            if not self.heaps[symbol]:
                return None
            self.last[symbol] = heapq.heappop(self.heaps[symbol])
            weight, rule, ranks, expression = self.last[symbol]
            if expression not in self.seen[symbol]:
                self.seen[symbol].add(expression)
                found.append((-weight, rule, ranks, expression))
        return found[rank]


def k_best(graph, layers, words, k):
    search = LazySearch(graph)
    weights = []
    for word in range(1, words + 1):
        for rank in range(k):
            entry = search.ensure(f"R[{layers},{word}]", rank)
            if entry is not None:
                weights.append(entry[0])
    return weights


def close(ours, theirs):
    return len(ours) == len(theirs) and all(abs(a - b) <= 1e-9 * abs(b) + 1e-300 for a, b in zip(ours, theirs))


def spread(values):
    values = sorted(values)
    return {"min": values[0], "median": values[len(values) // 2], "max": values[-1]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bench", default="build/bin/bench_kbest")
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--words", type=int, default=30)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    sys.setrecursionlimit(10_000)
    times = {name: {"ours": [], "networkx": []} for name in ("expected_orders", "k_best")}
    agree = True
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        for round_number in range(arguments.rounds + 1):
            sizes = [str(number) for number in (arguments.layers, arguments.words, arguments.k)]
            ours = json.loads(subprocess.run([arguments.bench, "peer", *sizes, file.name], check=True,
                                             capture_output=True).stdout)
            graph = build_graph(read_rules(file.name))
            begin = time.process_time()
            orders = expected_orders(graph)
            between = time.process_time()
            weights = k_best(graph, arguments.layers, arguments.words, arguments.k)
            end = time.process_time()
            last = [orders[f"R[{arguments.layers},{word}]"] for word in range(1, arguments.words + 1)]
            count = len(ours["expected_orders"]) - 1  # TOP is the last symbol
            agree = (agree and close(ours["expected_orders"][count - arguments.words:count], last)
                     and close(ours["weights"], weights))
            if round_number > 0:
                for name, theirs in (("expected_orders", between - begin), ("k_best", end - between)):
                    times[name]["ours"].append(max(ours[f"{name}_ms"], 1e-3))
                    times[name]["networkx"].append(1000 * theirs)
    result = {"benchmark": "networkx", "layers": arguments.layers, "words": arguments.words, "k": arguments.k,
              "results_agree": agree}
    good = agree
    for name, both in times.items():
        ratios = [theirs / ours for ours, theirs in zip(both["ours"], both["networkx"])]
        result[name] = {"ours_ms": spread(both["ours"]), "networkx_ms": spread(both["networkx"]), "ratio": spread(ratios)}
        good = good and result[name]["ratio"]["median"] >= LIMIT
    result["limit"] = LIMIT
    result["ok"] = good
    print(json.dumps(result, indent=1))
    sys.exit(not good)


if __name__ == "__main__":
    main()
