"""rouge-score against `mog evaluate`: ROUGE-1, 2 and L with and without stems, each line and their mean, and of two references."""
import importlib.metadata
import json
import pathlib
import random
import tempfile

from external import Report, arguments, run, skip


def more(parser):
    parser.add_argument("--texts", type=pathlib.Path, required=True, help="a text; parts of its lines, shuffled, are summaries")


options = arguments(__doc__, ["rouge_score", "nltk"], model=False, more=more)
from rouge_score import rouge_scorer

if not options.texts.is_file():
    skip(f"{options.texts} is absent")
TYPES = ["rouge1", "rouge2", "rougeL"]
report = Report("rouge-score", importlib.metadata.version("rouge-score"))
draw = random.Random(1)
reference = [line for line in options.texts.read_text(encoding="utf-8").split("\n") if line.strip()][:400]


def shortened(line):
    words = [word for word in line.split(" ") if draw.random() < 0.5]
    if draw.random() < 0.5:
        draw.shuffle(words)
    return " ".join(words + draw.choices(words, k=2) if words else [])


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)

    def file(name, lines):
        (folder / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return folder / name

    def own(hypothesis, references, *options_of_it):
        text = run(options.mog, "evaluate", "--hypothesis", hypothesis, *[part for path in references for part in ("--reference", path)],
                   "--metric", ",".join(TYPES), "--bootstrap", "0", "--json", *options_of_it)
        return [score["value"] for score in json.loads(text)["scores"]]

    summary, second = ([shortened(line) for line in reference] for _ in range(2))
    for name, stems in (("", []), (", stems", ["--stem"])):
        scorer = rouge_scorer.RougeScorer(TYPES, use_stemmer=bool(stems))
        for wanted, others in (("", [reference]), (" of two references", [reference, second])):
            best = [scorer.score_multi(list(of_line), line) for line, *of_line in zip(summary, *others)]
            expected = [100 * sum(scores[kind].fmeasure for scores in best) / len(best) for kind in TYPES]
            paths = [file(f"reference-{at}", lines) for at, lines in enumerate(others)]
            report.compare(f"ROUGE-1, 2, L{name}{wanted}", own(file("summary", summary), paths, *stems), expected, 1e-12)
        for at in range(20):
            scores = scorer.score(reference[at], summary[at])
            found = own(file("line", [summary[at]]), [file("reference", [reference[at]])], *stems)
            report.compare(f"ROUGE-1, 2, L of a line{name}", found, [100 * scores[kind].fmeasure for kind in TYPES], 1e-12, scale=100)
report.finish()
