"""Writes coreference.tsv: what two other programs give for small key and response chains.

Usage: make_coreference.py SCORER COVAL    (the folders of conll/reference-coreference-scorers 8.01, a Perl program, and of
ns-moosavi/coval; run again only to change the cases)

The named cases are those of the scorer's own tests, a letter a mention: "a|bc" are two chains. The others are random. A row is
case, key, response, metric, and sums: recall found and whole, precision found and whole, of BLANC for coreference links and
for the others. The case "all" is a file of the other cases in one.
"""
import ast
import pathlib
import random
import string
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PERL = ["muc", "bcub", "ceafm", "ceafe", "blanc"]
THREE = "a|bc|def"
SIX, ALONE = "abcdef", "a|b|c|d|e|f"
CASES = {
    "A1": (THREE, THREE), "A2": (THREE, "a|de"), "A3": (THREE, "a|bcx|defy|z"), "A4": (THREE, "a|bcx|dy|z"),
    "A5": (THREE, "a|bcxB|dy|z"), "A6": (THREE, "a|bcx|dy|Bz"), "A7": (THREE, "a|bcxb|dy|z"), "A8": (THREE, "a|bcx|dy|bz"),
    "A9": (THREE, "a|bcx|dy|bbbbbbbbbbz"), "A10": (THREE, ALONE), "A11": (THREE, SIX), "A12": (THREE, "a|x|y|c|d|e|z"),
    "A13": (THREE, "axycdez"), "B1": ("ab|cde", "bcx|de"), "C1": ("ab|cde|fg", "bcx|de|fg"),
    "D1": ("12345|67|89ABC", "12345|6789ABC"), "E1": ("12345|67|89ABC", "1234589ABC|67"), "F1": ("ABCD", "AB|CD"),
    "G1": ("AB|CD", "ABCD"), "H1": ("ABCD", "ABCD"), "I1": ("ABCD", "AB|CD"), "J1": ("ABC", "AC"),
    "K1": ("BCDEGHJ", "ABC|DEF|GHI"), "L1": ("ABC|DEFG", "AB|CD|FGH"), "M1": (SIX, SIX), "M2": (SIX, ALONE),
    "M3": (SIX, "ab|cde|f"), "M4": (SIX, "abcxyz"), "M5": (SIX, "a|b|c|x|y|z"), "M6": (SIX, "ab|cxy|z"), "N1": (ALONE, ALONE),
    "N2": (ALONE, SIX), "N3": (ALONE, "ab|cde|f"), "N4": (ALONE, "a|b|c|x|y|z"), "N5": (ALONE, "abcxyz"),
    "N6": (ALONE, "ab|cxy|z"),
}
LETTERS = string.ascii_letters + string.digits


def random_chains(rng, mentions, chains):
    names = rng.sample(LETTERS, mentions)
    groups = [[] for _ in range(chains)]
    for name in names:
        rng.choice(groups).append(name)
    return "|".join("".join(group) for group in groups if group)


def document(name, chains):
    """Tokens are the letters; of a mention that is said twice both stand at its letter."""
    cells = {letter: [] for letter in LETTERS}
    for number, chain in enumerate(chains.split("|") if chains else []):
        for letter in chain:
            cells[letter].append(f"({number})")
    rows = "".join(f"{name}\t0\t{at}\t{letter}\t{'|'.join(cell) or '-'}\n" for at, (letter, cell) in enumerate(cells.items()))
    return f"#begin document ({name}); part 000\n{rows}\n#end document\n"


def of_scorer(folder, metric, key, response):
    program = f"""BEGIN {{ unshift @INC, "{folder}/lib"; }} use CorScorer;
        open(my $out, ">&STDOUT"); open(STDOUT, ">/dev/null");
        print $out join(" ", CorScorer::Score("{metric}", "{key}", "{response}"));"""
    result = subprocess.run(["perl", "-e", program], capture_output=True, text=True, check=True).stdout
    return result.split("\n")[-1].split()


def function_of(folder, name):
    """One function of its evaluator, whose module wants scipy for others."""
    source = pathlib.Path(folder, "coval/eval/evaluator.py").read_text()
    tree = ast.parse(source)
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    names = {}
    exec(compile(tree, "evaluator.py", "exec"), names)
    return names[name]


def of_lea(lea, key, response):
    key, response = ([list(chain) for chain in chains.split("|") if chain] for chains in (key, response))
    in_key, in_response = ({m: at for at, chain in enumerate(chains) for m in chain} for chains in (key, response))
    return [f"{value:.15g}" for value in (*lea(key, response, in_response), *lea(response, key, in_key))]


def main():
    scorer, coval = sys.argv[1:]
    lea = function_of(coval, "lea")
    rng = random.Random(20)
    cases = dict(CASES)
    for number in range(24):
        mentions = rng.randint(1, 40)
        cases[f"R{number + 1}"] = (random_chains(rng, mentions, rng.randint(1, 1 + mentions // 2)),
                                   random_chains(rng, rng.randint(0, 40), rng.randint(1, 15)))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder, name) for name in ("key.conll", "response.conll")]

        def add(case, texts, shown):
            for path, text in zip(paths, texts):
                path.write_text(text)
            rows.extend((case, *shown, metric, *of_scorer(scorer, metric, *paths)) for metric in PERL)

        for case, chains in cases.items():
            add(case, [document("d", text) for text in chains], chains)
            if case not in ("A7", "A8", "A9"):  # mentions said twice
                rows.append((case, *chains, "lea", *of_lea(lea, *chains)))
        several = [chains for case, chains in cases.items() if case != "A9"]
        add("all", ["".join(document(f"d{at}", chains[side]) for at, chains in enumerate(several)) for side in (0, 1)], ("", ""))
    (HERE / "coreference.tsv").write_text("".join("\t".join(row) + "\n" for row in rows))


if __name__ == "__main__":
    main()
