"""Learns and applies byte-pair codes with text_tool and with subword-nmt 0.3.8 and compares every byte.

Usage: bpe_against_subword_nmt.py TEXT_TOOL SHARED_DIR (or MOG_SHARED_DIR in the environment)
Exit code 77 (skipped) when subword-nmt or the texts are absent.
"""
import argparse
import io
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    from subword_nmt import apply_bpe, get_vocab, learn_bpe
except ImportError as error:
    print(f"skipped: subword-nmt is absent ({error})")
    sys.exit(77)

arguments = argparse.ArgumentParser()
arguments.add_argument("tool")
arguments.add_argument("shared", type=pathlib.Path)
arguments = arguments.parse_args()
DATA = pathlib.Path(os.environ.get("MOG_SHARED_DIR", arguments.shared)) / "data"
SOURCES = [(DATA / "flores" / f"dev.{language}", 997) for language in ("en", "de", "fr", "ro")]
SOURCES += [(DATA / "ntrex" / f"newstest2019.{language}", 1997) for language in ("en", "de")]
SOURCES += [(DATA / "debian-descriptions" / f"paragraphs.{language}", 1010) for language in ("en", "de")]
for source, _ in SOURCES:
    if not source.exists():
        print(f"skipped: {source} is absent; set MOG_SHARED_DIR")
        sys.exit(77)

# Words that are hard for an implementation: repeated letters, the end-of-word mark in the text, odd spaces.
HARD = ["xxxx xxxxx aaa aaaa abababab", "a</w> </w> a</w>b <w> </w></w>", "no\u00a0break\u00a0space b\u00a0reak a\u00a0b",
        "ﬁ Straße İstanbul ΑΣ e\u0301e\u0301", "  two  spaces  ", "x", "", "\U0001f600\U0001f600 \U00020000",
        "don\\t back\\slash \\1 (par) [br] a.b a|b", "@@ a@@ @@b a@@b"] * 3


def lines():
    result = list(HARD)
    for source, count in SOURCES:
        with open(source, encoding="utf-8", newline="\n") as file:
            for _, line in zip(range(count), file):
                result.append(line.rstrip("\r\n"))
    return result


failures = 0


def compare(what, ours, theirs):
    global failures
    ours, theirs = ours.split("\n"), theirs.split("\n")
    wrong = [i for i in range(max(len(ours), len(theirs)))
             if i >= len(ours) or i >= len(theirs) or ours[i] != theirs[i]]
    print(f"{what}: {len(theirs) - 1} lines, {len(wrong)} differ")
    for i in wrong[:3]:
        print(f"  line {i + 1}\n    ours   {ours[i] if i < len(ours) else None!r}"
              f"\n    theirs {theirs[i] if i < len(theirs) else None!r}")
    failures += bool(wrong)


def run(*command):
    subprocess.run([arguments.tool, *map(str, command)], check=True)


def learn(corpus, folder, symbols, **options):
    theirs = io.StringIO()
    stderr, sys.stderr = sys.stderr, io.StringIO()
    try:
        learn_bpe.learn_bpe(corpus, theirs, symbols, **options)
    finally:
        sys.stderr = stderr
    flags = ["--total-symbols"] if options.get("total_symbols") else []
    if "min_frequency" in options:
        flags += ["--min-frequency", options["min_frequency"]]
    run("learn", folder / "corpus", symbols, folder / "codes", *flags)
    compare(f"learn {symbols} {options}", (folder / "codes").read_text(encoding="utf-8"), theirs.getvalue())
    return theirs.getvalue()


def apply(corpus, folder, codes, name, merges=-1, glossaries=None, vocabulary=None, threshold=0):
    (folder / "codes").write_text(codes, encoding="utf-8", newline="\n")
    flags = ["--merges", merges]
    for glossary in glossaries or []:
        flags += ["--glossary", glossary]
    words = None
    if vocabulary is not None:
        (folder / "vocabulary").write_text(vocabulary, encoding="utf-8", newline="\n")
        flags += ["--vocabulary", folder / "vocabulary", threshold]
        words = apply_bpe.read_vocabulary(io.StringIO(vocabulary, newline="\n"), threshold)
    bpe = apply_bpe.BPE(io.StringIO(codes, newline="\n"), merges, "@@", words, glossaries)
    theirs = "".join(bpe.segment(line) + "\n" for line in corpus)
    run("apply", folder / "codes", folder / "corpus", folder / "output", *flags)
    compare(f"apply {name}", (folder / "output").read_text(encoding="utf-8"), theirs)
    return theirs


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    corpus = lines()
    print(f"{len(corpus)} lines, of them {len(HARD)} made by hand")
    (folder / "corpus").write_text("".join(line + "\n" for line in corpus), encoding="utf-8", newline="\n")
    codes = learn(corpus, folder, 6000)
    learn(corpus, folder, 300)
    learn(corpus, folder, 1500, min_frequency=10)
    learn(corpus, folder, 1000, total_symbols=True)
    half = corpus[::2]
    (folder / "corpus").write_text("".join(line + "\n" for line in half), encoding="utf-8", newline="\n")
    learn(half, folder, 2000)
    (folder / "corpus").write_text("".join(line + "\n" for line in corpus), encoding="utf-8", newline="\n")
    segmented = apply(corpus, folder, codes, "6000 merges")
    apply(corpus, folder, codes, "first 1000 merges", merges=1000)
    old = "".join(f"{left} {right}\n" for left, right in
                  (line.split(" ") for line in codes.splitlines()[1:] if not line.endswith("</w>")))
    old += "n </w>\ne r\ner </w>\nt h\nth e\nthe </w>\n"
    apply(corpus, folder, old, "version 0.1")
    repeated = codes + "".join(line + "\n" for line in reversed(codes.splitlines()[1:500]))
    apply(corpus, folder, repeated, "repeated and reordered merges")
    apply(corpus, folder, "#version: 0.2\n" + "".join(line + "\n" for line in reversed(codes.splitlines()[1:])),
          "merges in reverse order")
    apply(corpus, folder, codes, "glossaries", glossaries=["USA", "der", r"\d+", "San|Los", r"</?[a-z]+>", r"wo\w*"])
    counts = io.StringIO()
    get_vocab.get_vocab(io.StringIO(segmented), counts)
    for threshold in (1, 20, 200):
        apply(corpus, folder, codes, f"vocabulary threshold {threshold}", vocabulary=counts.getvalue(),
              threshold=threshold)

sys.exit(bool(failures))
