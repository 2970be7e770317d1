"""seqeval (its default, the rule of conlleval) against the span F1 of `mog evaluate`, on what `mog tag` says of the words."""
import json
import pathlib
import tempfile

from external import Report, arguments, run, skip


def more(parser):
    parser.add_argument("--iob2", type=pathlib.Path, required=True, help="words and their entities")
    parser.add_argument("--tagger", default="tagger-en-distilled", help="by default %(default)s")


options = arguments(__doc__, ["seqeval"], model=False, more=more)
import importlib.metadata

from seqeval.metrics import f1_score

if not options.iob2.is_file():
    skip(f"{options.iob2} is absent")
report = Report("seqeval", importlib.metadata.version("seqeval"))


def iob2_sentences(path):
    """[(words, tags)] of a file of number, word, tag a line."""
    sentences, words, tags = [], [], []
    for line in path.read_text(encoding="utf-8").splitlines() + [""]:
        if line.startswith("#"):
            continue
        fields = line.split("\t")
        if line.strip():
            words.append(fields[1])
            tags.append(fields[2] if fields[2][2:] in ("PER", "LOC", "ORG") else "O")
        elif words:
            sentences.append((words, tags))
            words, tags = [], []
    return sentences


sentences = iob2_sentences(options.iob2)
with tempfile.TemporaryDirectory() as folder:
    words = pathlib.Path(folder) / "words.conllu"
    words.write_text("".join("".join(f"{number}\t{word}" + "\t_" * 4 + f"\t{number - 1}\tdep\t_\t_\n"
                                     for number, word in enumerate(sentence, 1)) + "\n" for sentence, _ in sentences),
                     encoding="utf-8")
    rows = run(options.mog, "tag", "--model", options.tagger, "--input", words).splitlines()
column = rows[0].split("\t").index("ner")
found, sentence = [], []
for row in rows[1:] + [""]:
    if row:
        sentence.append(row.split("\t")[column])
    elif sentence:
        found.append(sentence)
        sentence = []
own = json.loads(run(options.mog, "evaluate", options.tagger, "--iob2", options.iob2, "--json"))
score = next(score for score in own["scores"] if score["task"] == "ner")
report.compare("span F1", [score["value"]], [f1_score([tags for _, tags in sentences], found)], 1e-12)
report.finish()
