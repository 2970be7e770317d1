"""Random trees and the derivations that build them: what is planted into an encoder.

A tree has words 1..n and a head for each (0 for the root). A derivation says in which order each head takes its
dependents and in which layer each join is made; from both follows one multi-order-graph expression. Nothing here
calls the program under test.
"""
import dataclasses
import sys

sys.setrecursionlimit(10000)


@dataclasses.dataclass(frozen=True)
class Join:
    """Head -> dependent, made in a layer of an encoder from operands that the layers below made."""
    source: int
    target: int
    layer: int
    part: str  # h, m1, m2 of a Graph-Transformer, f of a Transformer
    left_layer: int  # of the operands' own last joins; 0: an atom
    right_layer: int
    order: int  # words of the subgraph that it makes


@dataclasses.dataclass(frozen=True)
class Planted:
    """One tree over one sentence, its joins in post-order, and its expression in canonical text."""
    shape: str
    words: tuple
    heads: tuple  # of word 1, 2, ..., n; 0: root
    order: str
    joins: tuple
    text: str

    @property
    def root(self):
        return self.heads.index(0) + 1

    @property
    def depth(self):
        return max((join.layer for join in self.joins), default=0)

    @property
    def projective(self):
        return is_projective(self.heads)


# ---- shapes: parents of nodes 0..n-1, -1 for the root ----------------------------------------------------------

def recursive_tree(n, draw):
    """Each node hangs on one of the earlier ones, all equally likely."""
    return [-1] + [draw.randrange(i) for i in range(1, n)]


def uniform_tree(n, draw):
    """One of the n^(n-2) labelled trees, all equally likely (Prüfer), with a uniform root."""
    if n < 3:
        return recursive_tree(n, draw)
    code = [draw.randrange(n) for _ in range(n - 2)]
    degree = [1 + code.count(i) for i in range(n)]
    neighbours = [[] for _ in range(n)]
    for node in code:
        leaf = next(i for i in range(n) if degree[i] == 1)
        for a, b in ((leaf, node), (node, leaf)):
            neighbours[a].append(b)
        degree[leaf] -= 1
        degree[node] -= 1
    a, b = (i for i in range(n) if degree[i] == 1)
    neighbours[a].append(b)
    neighbours[b].append(a)
    parents = [-1] * n
    seen = [draw.randrange(n)]
    for node in seen:
        for other in neighbours[node]:
            if other != parents[node]:
                parents[other] = node
                seen.append(other)
    return parents


def chain(n, draw):
    return [i - 1 for i in range(n)]


def star(n, draw):
    return [-1] + [0] * (n - 1)


def balanced_tree(n, draw):
    arity = draw.choice((2, 3))
    return [(i - 1) // arity if i else -1 for i in range(n)]


def caterpillar(n, draw):
    spine = max(2, n // draw.randint(2, 4))
    return [i - 1 if i < spine else draw.randrange(spine) for i in range(n)]


def spider(n, draw):
    legs = draw.randint(2, 5)
    return [-1] + [0 if i <= legs else i - legs for i in range(1, n)]


def binomial_tree(n, draw):
    """As full as layers allow: after layer l it has 2^l nodes (cut at n)."""
    parents = [-1]
    while len(parents) < n:
        size = len(parents)
        parents += list(range(min(size, n - size)))
    return parents


SHAPES = {"recursive": recursive_tree, "uniform": uniform_tree, "chain": chain, "star": star,
          "balanced": balanced_tree, "caterpillar": caterpillar, "spider": spider, "binomial": binomial_tree}
ORDERS = ("balanced", "nearest-first", "left-to-right", "random")


def children_of(parents):
    result = [[] for _ in parents]
    for node, parent in enumerate(parents):
        if parent >= 0:
            result[parent].append(node)
    return result


def positions(parents, projective, draw):
    """A place in the sentence for every node; projective: no edge crosses another or covers the root."""
    n = len(parents)
    if not projective:
        return draw.sample(range(1, n + 1), n)
    children = children_of(parents)

    def line(node):
        blocks = [[node]] + [line(child) for child in children[node]]
        draw.shuffle(blocks)
        return [place for block in blocks for place in block]

    places = [0] * n
    for place, node in enumerate(line(parents.index(-1)), 1):
        places[node] = place
    return places


def heads_of(parents, places):
    heads = [0] * len(parents)
    for node, parent in enumerate(parents):
        heads[places[node] - 1] = places[parent] if parent >= 0 else 0
    return tuple(heads)


def is_projective(heads):
    for word, head in enumerate(heads, 1):
        low, high = min(word, head), max(word, head)
        for between in range(low + 1, high):
            above = between
            while above not in (0, head) and head != 0:
                above = heads[above - 1]
            if head != 0 and above != head:
                return False
    return True


# ---- derivations -----------------------------------------------------------------------------------------------

def part_of(layer, left, right):
    """The part whose operands were last joined in layers `left` and `right` (0: atoms)."""
    if left == layer - 1 and right == layer - 1:
        return "h"
    return "m1" if left == layer - 1 else "m2"


def order_dependents(order, head, dependents, needed, draw):
    nearest = sorted(dependents, key=lambda c: (abs(c - head), c))
    if order == "balanced":
        return sorted(nearest, key=lambda c: needed[c])
    if order == "nearest-first":
        return nearest
    if order == "left-to-right":
        return sorted(dependents)
    return draw.sample(dependents, len(dependents))


def plant(shape, heads, names, order, draw, layers=None):
    """The joins of a tree. Each is made as soon as its operands are there (the only layer in which a
    Graph-Transformer makes it without self entries); with `layers` in a random later one (Transformer)."""
    n = len(heads)
    dependents = [[] for _ in range(n + 1)]
    for word, head in enumerate(heads, 1):
        dependents[head].append(word)
    needed = [0] * (n + 1)
    chosen = [[] for _ in range(n + 1)]
    reached = []

    def measure(word):
        for child in dependents[word]:
            measure(child)
        chosen[word] = order_dependents(order, word, dependents[word], needed, draw)
        for child in chosen[word]:
            needed[word] = max(needed[word], needed[child]) + 1

    root = heads.index(0) + 1
    measure(root)
    if layers is not None and needed[root] > layers:
        return None, needed[root]
    latest = {}  # word -> the last layer in which it may make its last join

    def times(word):
        """Layers of the joins of `word`, ascending, the last at most latest[word]."""
        least, time = [], 0
        for child in chosen[word]:
            time = max(time, needed[child]) + 1
            least.append(time)
        if layers is None:
            return least
        result, limit = [], latest[word]
        for low in reversed(least):
            result.append(draw.randint(low, limit))
            limit = result[-1] - 1
        return result[::-1]

    def build(word):
        text, left, size = names[word - 1], 0, 1
        for child, layer in zip(chosen[word], times(word)):
            latest[child] = layer - 1
            right_text, right, more = build(child)
            size += more
            part = "f" if layers is not None else part_of(layer, left, right)
            reached.append(Join(word, child, layer, part, left, right, size))
            text, left = f"({text})->{names[word - 1]} U ({right_text})->{names[child - 1]}", layer
        return text, left, size

    latest[root] = layers
    text, _, _ = build(root)
    return Planted(shape, tuple(names), tuple(heads), order, tuple(reached), text), needed[root]


def random_trees(count, layers, draw, prefix, delayed=False, least=5, most=40):
    """`count` trees of `least` to `most` words that `layers` layers can build: every shape in turn, every second
    one projective, every order of dependents. Sentences share no word, so that one model can hold them all."""
    result = []
    shapes = list(SHAPES)
    while len(result) < count:
        index = len(result)
        shape = shapes[index % len(shapes)]
        while True:
            n = draw.randint(least, most)
            if shape in ("chain", "star"):
                n = min(n, layers + 1)
            if n < least:
                raise ValueError(f"{layers} layers build no {shape} of {least} words")
            parents = SHAPES[shape](n, draw)
            heads = heads_of(parents, positions(parents, (index // len(shapes)) % 2 == 0, draw))
            names = [f"{prefix}{index + 1}w{place}" for place in range(1, n + 1)]
            planted, depth = plant(shape, heads, names, draw.choice(ORDERS), draw, layers if delayed else None)
            if depth <= layers:
                result.append(planted)
                break
    return result
