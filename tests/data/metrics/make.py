"""Writes the texts of this folder and expected.tsv: what sacreBLEU 2.6.0 gives for them.

Usage: make.py NTREX_ENGLISH    (needs sacrebleu; run again only to change the cases)
"""
import os
import pathlib
import random
import sys

from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest

HERE = pathlib.Path(__file__).resolve().parent
LINES = 300
# What tokenizers stumble over: entities, numbers, signs of other scripts, lines of nothing or of one word.
EDGES = [
    "", " ", "one", "&quot;Hi&quot; &amp;amp; &lt;b&gt; &amp;lt; &nbsp; <skipped> end", "3.14 1,000,000 1. a.b ,5 5, 5.",
    "..., .,. ., a.,b 1.,2 -3- 1-2 2-a a-2 --", "100% [x] {y} (z) ~a` ^_@ #$ \\ / * + = | < >", "'s don't 'quoted' O'Neill",
    "U.S. e.g. 10.30 a.m.; no! why? yes: so", "我们在北京。他说:“你好,世界!”", "日本語のテキスト、テスト。 カタカナ", "한국어 문장입니다.",
    "emoji 😀👩‍👩‍👧 🇩🇪 ok", "naïve café Straße «quoted» – dash — more…", "１２３ ½ Ⅳ ४२ ٣٫١٤", "€5 £6 ¥7 10€ ±3 × ÷ ≤ ∞ ©",
    "a\u00a0b\u2003c\u3000d\u2028e", "tab\tand  two   spaces ", "(hi) hi) (hi ((x)) a,b,c", "𝒳 𐍈 math", "x" * 300, "the the the the the",
]


def degrade(line, draw, strength):
    words = line.split(" ")
    result = []
    for word in words:
        chance = draw.random()
        if chance < strength * 0.3:
            continue
        if chance < strength * 0.5 and len(word) > 3:
            result.append(word[:-1])
        elif chance < strength * 0.7:
            result.extend([word, draw.choice(words)])
        else:
            result.append(word)
    if draw.random() < strength and len(result) > 4:
        at = draw.randrange(len(result) - 3)
        result[at:at + 3] = reversed(result[at:at + 3])
    return " ".join(result)


def texts(source):
    draw = random.Random(20)
    lines = [line.rstrip("\n") for line in open(source, encoding="utf-8")][:LINES] + EDGES
    first = [degrade(line, draw, 0.3) for line in lines]
    second = [degrade(line, draw, 0.45) for line in lines]
    other = [degrade(line, draw, 0.15) for line in lines]
    # One of the edges against another line, so that the lines do not only match themselves.
    first[-3], first[-5], first[3] = "entirely different", "", lines[7]
    return {"reference": lines, "reference-2": other, "hypothesis": first, "hypothesis-2": second}


def pair(*values):
    return " ".join(repr(float(value)) for value in values)


def main():
    data = texts(sys.argv[1])
    for name, lines in data.items():
        (HERE / f"{name}.txt").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    hypothesis, references = data["hypothesis"], [data["reference"], data["reference-2"]]
    rows = []

    def row(kind, options, value):
        rows.append("\t".join([kind, *map(str, options), repr(float(value)) if not isinstance(value, str) else value]))

    for tokenize in ("13a", "none", "intl"):
        for smooth in ("exp", "floor", "add-k", "none"):
            for count in (1, 2):
                metric = BLEU(tokenize=tokenize, smooth_method=smooth)
                score = metric.corpus_score(hypothesis, references[:count])
                row("bleu", (tokenize, smooth, count), score.score)
                if smooth == "exp" or count == 1:
                    row("signature", (tokenize, smooth, count), str(metric.get_signature()).rsplit("|version", 1)[0])
                if smooth == "exp":
                    row("details", (tokenize, smooth, count), score._verbose)
        for i, line in enumerate(data["reference"]):
            row("tokens", (tokenize, i), " ".join(BLEU(tokenize=tokenize).tokenizer(line.rstrip()).split()))
    for i, (line, other) in enumerate(zip(hypothesis, references[0])):
        row("sentence", (i,), BLEU(effective_order=True).sentence_score(line, [other]).score)
        row("sentence_chrf", (i,), CHRF().sentence_score(line, [other]).score)
    for smooth in ("exp", "floor", "add-k", "none"):
        for i in range(LINES - 10, len(hypothesis)):
            row("smoothed", (smooth, i), BLEU(smooth_method=smooth).sentence_score(hypothesis[i], [references[0][i]]).score)
    for words in (0, 2):
        for space in (False, True):
            for eps in (False, True):
                for count in (1, 2):
                    metric = CHRF(word_order=words, whitespace=space, eps_smoothing=eps)
                    row("chrf", (words, int(space), int(eps), count), metric.corpus_score(hypothesis, references[:count]).score)
                    row("chrf_signature", (words, int(space), int(eps), count),
                        str(metric.get_signature()).rsplit("|version", 1)[0])
    for metric in (BLEU(), CHRF(), CHRF(word_order=2)):
        score = metric.corpus_score(hypothesis, references[:1], n_bootstrap=200)
        row("bootstrap", (score.name,), pair(score._mean, score._ci))
    for test, trials in (("bs", 300), ("ar", 500)):
        metrics = {"BLEU": BLEU(), "chrF2": CHRF()}
        _, scores = PairedTest([("a", hypothesis), ("b", data["hypothesis-2"])], metrics, references[:1], test, trials)()
        for name in metrics:
            row("paired", (test, trials, name), pair(*(r.score for r in scores[name]), scores[name][1].p_value))
        # Two systems that hardly differ.
        near = hypothesis[:-40] + [degrade(line, random.Random(3), 0.1) for line in hypothesis[-40:]]
        _, scores = PairedTest([("a", hypothesis), ("b", near)], metrics, references[:1], test, trials)()
        for name in metrics:
            row("near", (test, trials, name), pair(*(r.score for r in scores[name]), scores[name][1].p_value))
    (HERE / "near.txt").write_text("".join(line + "\n" for line in near), encoding="utf-8")
    (HERE / "expected.tsv").write_text("".join(line + "\n" for line in rows), encoding="utf-8")


if __name__ == "__main__":
    os.environ.setdefault("SACREBLEU_SEED", "12345")
    main()
