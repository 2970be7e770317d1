"""sacreBLEU against `mog evaluate`: BLEU with three tokenisations, chrF2 and chrF2++, paired bootstrap and its p value."""
import json
import pathlib
import random
import tempfile

from external import Report, arguments, run, skip


def more(parser):
    parser.add_argument("--texts", type=pathlib.Path, required=True, help="a text; half of its words are changed as hypotheses")


options = arguments(__doc__, ["sacrebleu"], model=False, more=more)
import sacrebleu
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest

if not options.texts.is_file():
    skip(f"{options.texts} is absent")
report = Report("sacreBLEU", sacrebleu.__version__)
draw = random.Random(1)
reference = [line for line in options.texts.read_text(encoding="utf-8").splitlines() if line.strip()][:400]


def changed(share):
    words = " ".join(reference).split()
    return [" ".join(word if draw.random() > share else draw.choice(words) for word in line.split()) for line in reference]


systems = [changed(0.2), changed(0.3)]
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    for name, lines in (("reference", reference), ("one", systems[0]), ("two", systems[1])):
        (folder / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")

    def own(*more):
        return json.loads(run(options.mog, "evaluate", "--hypothesis", folder / "one", "--reference", folder / "reference", "--json", *more))

    def score(document, metric, system=0):
        entries = [entry for entry in document["scores"] if entry["measure"].lower().startswith(metric)]
        return entries[system]

    for tokenizer in ("13a", "intl", "none"):
        expected = BLEU(tokenize=tokenizer).corpus_score(systems[0], [reference]).score
        found = score(own("--metric", "bleu", "--tokenize", tokenizer, "--bootstrap", "0"), "bleu")["value"]
        report.compare("BLEU " + tokenizer, [found], [expected], 1e-9)
    for metric, order in (("chrf", 0), ("chrf++", 2)):
        expected = CHRF(word_order=order).corpus_score(systems[0], [reference]).score
        report.compare(metric, [score(own("--metric", metric, "--bootstrap", "0"), "chrf")["value"]], [expected], 1e-9)
    test = PairedTest([("one", systems[0]), ("two", systems[1])], {"BLEU": BLEU()}, [reference], test_type="bs", n_samples=1000)
    expected = test()[1]["BLEU"][1]
    found = score(own("--metric", "bleu", "--other", folder / "two"), "bleu", 1)
    report.compare("p value", [found["p"]], [expected.p_value], 1e-9, scale=1.0)
report.finish()
