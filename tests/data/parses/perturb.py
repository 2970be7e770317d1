"""Parses made from a treebank by mistakes of every kind: heads, relations, tags, lemmas, features; words split and joined,
multiword tokens made and taken apart, sentences cut and joined. The text stays, and every Python draws the same.

Usage: perturb.py TREEBANK SEED RATE > parse.conllu
"""
import random
import sys

WRONG = {2: ["_", "be", "x"], 3: ["NOUN", "VERB", "PUNCT"], 4: ["_", "NN"], 5: ["_", "Case=Nom|Foo=Bar", "Number=Sing"]}


class Draw:
    """By random.random() alone, which all versions draw alike."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, rate):
        return self.random.random() < rate

    def below(self, count):
        return int(self.random.random() * count)

    def one(self, things):
        return things[self.below(len(things))]


class Word:
    def __init__(self, columns):
        self.columns, self.head = columns, None  # head: a Word, or the root

    @property
    def form(self):
        return self.columns[1]


class Token:
    def __init__(self, form, words, multiword):
        self.form, self.words, self.multiword = form, words, multiword


def finished(tokens):
    words = [word for token in tokens for word in token.words]
    for word in words:
        head = int(word.columns[6])
        word.head = words[head - 1] if head else None
    return tokens


def sentences(lines):
    tokens, inside = [], 0
    for line in lines:
        columns = line.rstrip("\n").split("\t")
        if columns == [""]:
            if tokens:
                yield finished(tokens)
            tokens = []
        elif line.startswith("#") or "." in columns[0]:
            continue
        elif "-" in columns[0]:
            first, last = map(int, columns[0].split("-"))
            tokens.append(Token(columns[1], [], True))
            inside = last - first + 1
        elif inside:
            tokens[-1].words.append(Word(columns))
            inside -= 1
        else:
            tokens.append(Token(columns[1], [Word(columns)], False))


def is_below(word, other):
    while word is not None and word is not other:
        word = word.head
    return word is other


def change_columns(draw, words, rate, relations):
    for word in words:
        if draw.chance(rate):
            head = draw.one(words)
            if word.head is not None and not is_below(head, word):
                word.head = head
        if draw.chance(rate):
            word.columns[7] = draw.one(relations)
        for column, values in WRONG.items():
            if draw.chance(rate / 2):
                word.columns[column] = draw.one(values)


def retokenized(draw, tokens, rate):
    result = []
    for token in tokens:
        kind, first = draw.below(4), token.words[0]
        if not draw.chance(rate):
            result.append(token)
        elif kind < 2 and not token.multiword and len(token.form) > 1:
            cut = 1 + draw.below(len(token.form) - 1)
            rest = Word(["0", token.form[cut:], "_", "X", "_", "_", "0", "dep", "_", "_"])
            rest.head = first
            first.columns[1] = token.form[:cut]
            if kind == 0:
                result.append(Token(token.form, [first, rest], True))
            else:
                result += [Token(first.form, [first], False), Token(rest.form, [rest], False)]
        elif kind < 3 and token.multiword and "".join(word.form for word in token.words) == token.form:
            result += [Token(word.form, [word], False) for word in token.words]
        elif kind == 3 and result:
            before = result.pop()
            result.append(Token(before.form + token.form, before.words + token.words, True))
        else:
            result.append(token)
    return result


def written(tokens):
    words = [word for token in tokens for word in token.words]
    number = {word: at + 1 for at, word in enumerate(words)}
    roots = [word for word in words if word.head not in number]
    text, at = "", 0
    for token in tokens:
        if token.multiword:
            text += f"{at + 1}-{at + len(token.words)}\t{token.form}" + "\t_" * 8 + "\n"
        for word in token.words:
            at += 1
            head = number[word.head] if word.head in number else 0 if word is roots[0] else number[roots[0]]
            text += "\t".join([str(at), *word.columns[1:6], str(head), *word.columns[7:]]) + "\n"
    return text + "\n"


def perturbed(lines, seed, rate):
    draw, result, kept = Draw(seed), [], []
    everything = list(sentences(lines))
    relations = sorted({word.columns[7] for tokens in everything for token in tokens for word in token.words})
    for tokens in everything:
        change_columns(draw, [word for token in tokens for word in token.words], rate, relations)
        tokens = retokenized(draw, tokens, rate / 3)
        cut = 1 + draw.below(len(tokens) - 1) if len(tokens) > 3 and draw.chance(rate / 3) else len(tokens)
        for part in (tokens[:cut], tokens[cut:]):
            kept += part
            if kept and not draw.chance(rate / 6):
                result.append(written(kept))
                kept = []
    return "".join(result) + (written(kept) if kept else "")


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as treebank:
        sys.stdout.write(perturbed(treebank, int(sys.argv[2]), float(sys.argv[3])))
