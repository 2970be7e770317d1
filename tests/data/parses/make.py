"""Makes expected.tsv: what conll18_ud_eval.py counts for its own files and for parses of perturb.py.

Usage: make.py CONLL18_UD_EVAL SHARED_DIR > expected.tsv    (the script: ufal/conll2018, evaluation_script)

Rows: gold, parse, sha256 of the gold file, measure, correct, of the gold, of the parse, aligned (empty: none). A parse is a file
beside this one, or the seed and the rate of perturb.py.
"""
import hashlib
import importlib.util
import io
import pathlib
import sys

import perturb

HERE = pathlib.Path(__file__).parent
PAIRS = [("case-gold", "case-sys"), ("func-gold", "func-sys"), ("gold", "gold"), ("gold", "sys1"), ("gold", "sys2"),
         ("gold", "sys-space"), *(("pud", f"{seed} {rate}") for seed, rate in ((1, 0.0), (2, 0.05), (3, 0.2), (4, 0.5), (5, 0.9))),
         *((f"data/treebanks/{name}", f"{seed} {rate}") for seed, (name, rate) in
           enumerate([("en_ewt-test", 0.1), ("en_ewt-test", 0.4), ("de_gsd-dev", 0.1), ("de_gsd-dev", 0.7), ("en_pud", 0.3)], 6))]


def path_of(name, shared):
    return (pathlib.Path(shared) if "/" in name else HERE) / f"{name}.conllu"


def parse_of(gold, parse):
    if " " not in parse:
        return path_of(parse, "").read_text(encoding="utf-8")
    seed, rate = parse.split()
    return perturb.perturbed(gold.splitlines(), int(seed), float(rate))


def main():
    spec = importlib.util.spec_from_file_location("script", sys.argv[1])
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    for name, parse in PAIRS:
        data = path_of(name, sys.argv[2]).read_bytes()
        gold = data.decode("utf-8")
        counts = script.evaluate(script.load_conllu(io.StringIO(gold)), script.load_conllu(io.StringIO(parse_of(gold, parse))))
        for measure, score in counts.items():
            row = [name, parse, hashlib.sha256(data).hexdigest(), measure, score.correct, score.gold_total, score.system_total,
                   "" if score.aligned_total is None else score.aligned_total]
            print(*row, sep="\t")


if __name__ == "__main__":
    main()
