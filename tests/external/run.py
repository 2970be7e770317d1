#!/usr/bin/env python3
"""Runs every comparison of this folder and prints the table of docs/testing.md.

    run.py --mog build/bin/mog --model MINILM --codes FOLDER --data FOLDER

FOLDER of codes holds checkouts by their names (DecompX, GlobEnc, norm-analysis-of-transformer, transformer-contributions,
attention_flow) and conll18_ud_eval.py; that of data treebanks/ and ner/ of EWT and a text flores/dev.en. What is absent is
skipped and said. Needs torch, transformers 4, h5py, networkx, captum, transformer-lens 2, pyyaml, seqeval, sacrebleu,
rouge-score.
"""
import argparse
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
for name, meaning in (("mog", "the program that is compared"), ("model", "folder of all-MiniLM-L6-v2"),
                      ("codes", "folder of the checkouts"), ("data", "folder of treebanks, entities and a text")):
    parser.add_argument("--" + name, type=pathlib.Path, required=True, help=meaning)
given = parser.parse_args()
given = argparse.Namespace(**{name: path.resolve() for name, path in vars(given).items()})
treebank, entities = given.data / "treebanks" / "en_ewt-test.conllu", given.data / "ner" / "en_ewt-test.iob2"
model = ["--model", given.model]
comparisons = [
    ("decompx.py", *model, "--code", given.codes / "DecompX"),
    ("globenc.py", *model, "--code", given.codes / "GlobEnc"),
    ("kobayashi.py", *model, "--code", given.codes / "norm-analysis-of-transformer"),
    ("alti.py", *model, "--code", given.codes / "transformer-contributions"),
    ("attention_flow.py", *model, "--code", given.codes / "attention_flow"),
    ("transformerlens.py", *model),
    ("captum_gradients.py", *model),
    ("conll2018.py", "--code", given.codes / "conll18_ud_eval.py", "--conllu", treebank),
    ("seqeval_spans.py", "--iob2", entities),
    ("sacrebleu_scores.py", "--texts", given.data / "flores" / "dev.en"),
    ("rouge_scores.py", "--texts", given.data / "flores" / "dev.en"),
]
failed = False
print("| program | version | value of ours | greatest difference | limit |\n|---|---|---|---|---|")
for script, *more in comparisons:
    result = subprocess.run([sys.executable, HERE / script, "--mog", given.mog, *more], capture_output=True, text=True)
    lines = result.stdout.strip().splitlines()
    if result.returncode == 77 and lines:
        print(f"| {script} | {lines[-1]} | | | |")
    elif not lines or not lines[-1].startswith("{"):
        failed = True
        print(f"| {script} | failed | | | |\n{result.stdout}{result.stderr}", file=sys.stderr)
    else:
        failed |= result.returncode != 0
        line = json.loads(lines[-1])
        for name, entry in line["differences"].items():
            print(f"| {line['program']} | {line['version']} | {name} | {entry['greatest']:.1e} | {entry['limit']:.0e} |")
        for name, entry in line["by_definition"].items():
            print(f"| {line['program']} | {line['version']} | {name} | {entry['greatest']:.1e} | by definition: {entry['reason']} |")
sys.exit(1 if failed else 0)
