"""Writes rouge.tsv: what rouge-score 0.1.2 and NLTK 3.10's PorterStemmer give for the texts of this folder.

Usage: make_rouge.py    (needs rouge-score and nltk; run again only to change the cases)
"""
import pathlib

import numpy
from nltk.stem.porter import PorterStemmer
from rouge_score import rouge_scorer, tokenize

HERE = pathlib.Path(__file__).resolve().parent
TYPES = ["rouge1", "rouge2", "rougeL"]
SEED, RESAMPLES = 12345, 200
# Every rule of every step, met and not met, and what NLTK adds.
WORDS = """
skies sky dying lying tying news innings inning outings cannings howe proceed exceed succeed a as ion y yy yyyy
caresses ponies ties dies flies caress cats gas bus this miss feed agreed eed freed plastered bled motoring sing king
conflated troubled sized hopping tanned falling hissing fizzed failing filing spied died tied cried happy enjoy fly spy
say toy syzygy relational conditional rational valenci hesitanci digitizer conformabli radicalli differentli vileli
analogousli vietnamization predication operator feudalism decisiveness hopefulness callousness formaliti sensitiviti
sensibiliti hopefulli archaeologi theologi geologi logi internationalli nationalli ralli triplicate formative formalize
electriciti electrical hopeful goodness revival allowance inference airliner gyroscopic adjustable defensible irritant
replacement adjustment dependent adoption opinion homologou communism activate angulariti homologous effective
bowdlerize probate rate cease controll roll controlling rolling generalizations oscillators abilities 2021 mp3 3ds h264
utf8 4ing 0ed 11ing bring aging eying using used owed added ing ed eding inged ally rally usually really actually eel
oe ate are ie able sses ies ss logy apologies apology queue oxen oxes boxes abcy ay ey oy bbing llss yed ying eyed
""".split()
TEXTS = ["İstanbul and \u212aelvin", "Xİ", "İ", "naïve café", "don't t-shirt foo_bar 3.14", " a  b ", "", "日本語 ok", "A\u00a0B", "ẞ ﬁ ½ ²"]


def numbers(values):
    return " ".join(f"{float(value):.13g}" for value in values)


def main():
    hypothesis, reference, second = ((HERE / f"{name}.txt").read_text(encoding="utf-8").split("\n")[:-1]
                                     for name in ("hypothesis", "reference", "reference-2"))
    stemmer = PorterStemmer()
    rows = [("stem", word, stemmer.stem(word)) for word in
            sorted(set(WORDS) | {word for line in reference for word in tokenize.tokenize(line, None) if len(word) > 7})]
    rows += [("words", stem, text, " ".join(tokenize.tokenize(text, stemmer if stem else None))) for text in TEXTS for stem in (0, 1)]
    for stem in (0, 1):
        scorer = rouge_scorer.RougeScorer(TYPES, use_stemmer=bool(stem))
        found = [scorer.score(right, left) for left, right in zip(hypothesis, reference)]
        for at, scores in enumerate(found):
            rows.append(("pair", stem, at, numbers(value for kind in TYPES for value in scores[kind])))
        best = [scorer.score_multi(list(right), left) for left, *right in zip(hypothesis, reference, second)]
        for kind in TYPES:
            rows.append(("corpus", stem, kind, 1, numbers(100 * numpy.mean([s[kind] for s in found], axis=0))))
            rows.append(("corpus", stem, kind, 2, numbers(100 * numpy.mean([s[kind] for s in best], axis=0))))
            scores = numpy.array([s[kind].fmeasure for s in found])
            draws = numpy.random.default_rng(SEED).choice(len(scores), size=(RESAMPLES, len(scores)), replace=True)
            means = numpy.sort(100 * scores[draws].mean(axis=1))
            rows.append(("bootstrap", stem, kind, RESAMPLES,
                         numbers([means.mean(), means[RESAMPLES // 40], means[-RESAMPLES // 40 - 1]])))
    (HERE / "rouge.tsv").write_text("".join("\t".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
