"""The evaluation script of the CoNLL 2018 shared task (conll18_ud_eval.py) against `mog evaluate` (UPOS accuracy on the
treebank's words) and `mog syntax` (UAS of the trees that it writes)."""
import csv
import importlib.util
import io
import json
import pathlib
import subprocess
import tempfile

from external import Report, arguments, run, skip


def more(parser):
    parser.add_argument("--conllu", type=pathlib.Path, required=True, help="a treebank")
    parser.add_argument("--tagger", default="tagger-en-distilled", help="by default %(default)s")


options = arguments(__doc__, code="conll18_ud_eval.py", model=False, more=more)
if not options.conllu.is_file():
    skip(f"{options.conllu} is absent")
spec = importlib.util.spec_from_file_location("conll18_ud_eval", options.code)
official = importlib.util.module_from_spec(spec)
spec.loader.exec_module(official)
report = Report("conll18_ud_eval", "2018")


def blocks(text):
    return [block.splitlines() for block in text.split("\n\n") if block.strip()]


def official_scores(gold, system):
    """The gold file as it is, and as a system's output."""
    scores = official.evaluate(official.load_conllu(io.StringIO(gold)), official.load_conllu(io.StringIO(system)))
    return {name: scores[name].f1 for name in ("Words", "UPOS", "UAS")}


def plain(text):
    """Trees of words alone: no ranges of multiword tokens, no empty nodes; the official script asks for one root a tree."""
    lines = []
    for block in blocks(text):
        lines += [line for line in block if not line.startswith("#") and line.split("\t")[0].isdigit()] + [""]
    return "\n".join(lines) + "\n"


gold = plain(options.conllu.read_text(encoding="utf-8"))
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    tagged = run(options.mog, "tag", "--model", options.tagger, "--input", options.conllu)
    header, *rows = tagged.splitlines()
    column = header.split("\t").index("upos")
    tags = iter(row.split("\t")[column] for row in rows if row)
    system = [line if not line else "\t".join([*line.split("\t")[:3], next(tags), *line.split("\t")[4:]])
              for line in gold.splitlines()]
    scores = official_scores(gold, "\n".join(system) + "\n")
    own = json.loads(run(options.mog, "evaluate", options.tagger, "--conllu", options.conllu, "--json"))
    upos = next(score for score in own["scores"] if score["task"] == "upos")
    report.compare("UPOS", [upos["value"]], [scores["UPOS"]], 1e-12)

    short = folder / "short.conllu"
    short.write_text("\n\n".join("\n".join(block) for block in blocks(gold)[:200]) + "\n\n", encoding="utf-8")
    run(options.mog, "record", "--model", options.tagger, "--input", short, "--output", folder / "rec", "--capture",
        "summary,attention,gates")
    for source in ("attention:2:high:1:query", "joins:key"):
        table = folder / "table.csv"
        run(options.mog, "syntax", folder / "rec", "--treebank", short, "--bootstrap", "0", "--trees", folder / "trees.conllu",
            "--tree-of", source, "--output", table)
        scores = official_scores(plain(short.read_text(encoding="utf-8")), plain((folder / "trees.conllu").read_text(encoding="utf-8")))
        with open(table, encoding="utf-8") as file:
            named = [row for row in csv.DictReader(file)
                     if [row[column] for column in ("source", "layer", "part", "head", "head_is") if row[column]] == source.split(":")]
        report.compare("UAS of " + source, [float(named[0]["uas"])], [scores["UAS"]], 1e-9)
report.finish()
