#!/usr/bin/env python3
"""Makes pictures of every view of the window, in every theme, size and scale, and contact sheets of them.

    tests/gui/screenshots.py BIN_DIR OUTPUT [--cases TEXT] [--themes light,dark] [--scales 1,1.5,2]
                             [--sizes 1024x768,1440x900,3840x2160] [--sentences TEXT] [--languages en,de]
                             [--model MODEL] [--jobs N]

BIN_DIR holds mog-workbench, mog and make_recording (a target of the tests: a recording of the fake model, whose
tokens are the words as they are typed, in any script); with --model the sentences are recorded by that one. Needs
no display; needs NumPy. Sizes are those of the window in logical pixels, but of a 4K screen: there the window gets
smaller when the scale grows.

To be looked at by people after every change of the surface: nothing clipped, nothing on top of something else,
everything readable. Fonts for all scripts come from the system (fontconfig).
"""
import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy

SENTENCES = {
    "plain": "The committee that met yesterday quickly approved the new budget for the old library .",
    "long": "Die Donaudampfschifffahrtsgesellschaftskapitänswitwenversicherung und die "
            "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetze sind "
            "pneumonoultramicroscopicsilicovolcanoconiosis",
    "arabic": "اللغة العربية من أجمل اللغات التي يتحدث بها الناس في العالم",
    "hebrew": "הספרייה הישנה קיבלה אתמול תקציב חדש מן הוועדה",
    "mixed": "The word سلام means peace and שלום does too , 123 times out of ٤٥٦ .",
    "cjk": "委员会 昨天 很快 批准 了 旧 图书馆 的 新 预算 。 図書館 は 予算 を もらった 도서관이 예산을 받았다",
    "emoji": "I 👩‍👩‍👧 love 🇩🇪 and 🏳️‍🌈 n̈ a̐éö̲ 👍🏽 very 🎉🎉 much",
    "one": "Yes",
    "sixty": " ".join("the of and committee to a in that budget it library was".split() * 5),
    "many": " ".join(f"w{i}" for i in range(120)),
}

# What a session says of the views, which dock is in front, what is selected.
CASES = {
    "both": {},
    "matrix": {"views": {"attention.show": "matrix"}, "selection": {"head": 1, "token": 3}},
    "arcs": {"views": {"attention.show": "arcs", "attention.special": "both"}, "selection": {"token": 2}},
    "threshold": {"views": {"attention.threshold": 0.2, "attention.heads_off": [2], "attention.pieces": False}},
    "dimensions": {"views": {"gates.show": "dimensions"}, "view": "gates"},
    "weights": {"view": "weights"},
    "weights-layer": {"view": "weights", "views": {"weights.show": "layer", "weights.measure": "entropy"}},
    "graphs-arcs": {"view": "trees", "views": {"graphs.show": "arcs"}, "selection": {"token": 2}},
    "graphs-best": {"view": "trees", "views": {"graphs.list": "best"}, "selection": {"token": 1}},
    "flow": {"view": "flow"},
    "flow-into": {"view": "flow", "views": {"flow.state": "ancestors 3@2"}},
    "decomposition": {"view": "decomposition", "selection": {"token": 3, "key": 2, "head": 1}},
    "gold": {"gold": True, "views": {"attention.show": "arcs"}, "selection": {"part": "high", "token": 3}},
    "gold-graph": {"gold": True, "view": "trees", "views": {"graphs.show": "arcs"}, "selection": {"token": 3}},
    "found": {"view": "model"},
    "compare": {"view": "compare"},
    "compare-change": {"view": "compare", "typed": True},
    "compare-held": {"view": "compare", "held": True},
    "compare-corpus": {"view": "compare", "held": True, "views": {"compare.what": "corpus", "compare.measure": "share"}},
    "changes": {"view": "changes"},
    "changes-typed": {"view": "changes", "typed": True},
    "jobs": {"view": "jobs"},
    "figure-orders": {"view": "figures"},
    "figure-map": {"view": "figures", "views": {"figures.kind": "quantity-map"}},
    "figure-forest": {"view": "figures", "views": {"figures.kind": "forest"}},
    "figure-joins": {"view": "figures", "views": {"figures.kind": "posterior-arcs"}},
    **{f"workspace-{name}": {"arguments": ["--workspace", name]}
       for name in ("read", "graphs", "attention", "corpus", "compare")},
    **{f"show-{name}": {"arguments": ["--show", name]} for name in ("tour", "guide", "keys", "batch")},
}


def write_png(path, pixels):
    """pixels: [row, column, RGB], 8 bits."""
    height, width, _ = pixels.shape
    rows = numpy.zeros((height, width * 3 + 1), numpy.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)) + chunk(b"IEND", b""))


def read_ppm(path):
    data = path.read_bytes()
    fields = data[:64].split(maxsplit=4)
    width, height = int(fields[1]), int(fields[2])
    return numpy.frombuffer(data[-width * height * 3:], numpy.uint8).reshape(height, width, 3)


def shrunk(pixels, width):
    """By averages of whole blocks, then by picking."""
    factor = max(1, pixels.shape[1] // width)
    height = pixels.shape[0] // factor * factor
    pixels = pixels[:height, :pixels.shape[1] // factor * factor].astype(numpy.uint16)
    pixels = pixels.reshape(height // factor, factor, -1, factor, 3).mean(axis=(1, 3)).astype(numpy.uint8)
    if pixels.shape[1] > width:
        step = pixels.shape[1] / width
        columns = (numpy.arange(width) * step).astype(int)
        lines = (numpy.arange(int(pixels.shape[0] / step)) * step).astype(int)
        pixels = pixels[lines][:, columns]
    return pixels


def contact_sheet(path, shots, width=640, columns=3):
    tiles = [shrunk(read_ppm(shot), width) for shot in shots]
    rows = []
    for first in range(0, len(tiles), columns):
        line = tiles[first:first + columns]
        height = max(tile.shape[0] for tile in line)
        row = numpy.full((height + 8, columns * (width + 8), 3), 128, numpy.uint8)
        for place, tile in enumerate(line):
            left = place * (width + 8)
            row[:tile.shape[0], left:left + tile.shape[1]] = tile
        rows.append(row)
    write_png(path, numpy.concatenate(rows))


def gold_text():
    """A tree for every sentence: each word hangs on the one before it, every third on the one two before."""
    lines = []
    for text in SENTENCES.values():
        for number, word in enumerate(text.split(), 1):
            head = max(number - (2 if number % 3 == 0 else 1), 0)
            lines.append(f"{number}\t{word}\t_\tX\t_\t_\t{head}\t{'dep' if head else 'root'}\t_\t_")
        lines.append("")
    return "\n".join(lines) + "\n"


def session_text(recording, model, case, sentence):
    selection = {"item": 1, "sentence": list(SENTENCES).index(sentence) + 1, "layer": 2, "part": "all", "head": 0}
    selection.update(case.get("selection", {}))
    item = {"recording": str(recording)}
    if case.get("typed"):  # run by the model, then once more with a word masked
        text = SENTENCES[sentence]
        item = {"model": 1, "sentences": [{"text": text},
                                          {"text": text, "parent": 1, "edits": [{"edit": "mask", "token": 2}]}]}
        selection["sentence"] = 2
    return json.dumps({"format": "mog-workbench session", "version": 1, "models": [str(model)] if model else [],
                       # Held is a sentence of the same recording, opened once more.
                       **({"items": [item, item], "held": {"item": 2, "sentence": 1}} if case.get("held") else {"items": [item]}),
                       "selection": selection,
                       "views": case.get("views", {}), "find": "",
                       "gold": str(recording.parent / "gold.conllu") if case.get("gold") else ""})


def shoot(workbench, target, arguments, scale, size, theme):
    width, height = (int(side) for side in size.split("x"))
    if width >= 3840:
        width, height = int(width / scale), int(height / scale)
    environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", QT_SCALE_FACTOR=str(scale))
    command = [workbench, *arguments, "--theme", theme, "--size", f"{width}x{height}", "--screenshot", target]
    done = subprocess.run([str(part) for part in command], env=environment, capture_output=True, text=True,
                          timeout=180, check=False)
    if done.returncode != 0 or not target.exists():
        return f"{target.name}: exit {done.returncode}: {done.stderr[-400:]}"
    return None


def record(bin_dir, work, model):
    corpus = work / "corpus.txt"
    corpus.write_text("".join(line + "\n" for line in SENTENCES.values()), encoding="utf-8")
    (work / "gold.conllu").write_text(gold_text(), encoding="utf-8")
    recording = work / "scripts.rec"
    if model:
        subprocess.run([bin_dir / "mog", "record", "--model", model, "--input", corpus, "--output", recording,
                        "--capture", "summary,attention,gates,shares", "--quiet"], check=True)
    else:
        subprocess.run([bin_dir / "make_recording", corpus, recording, "1", "1", "4"], check=True)
    return recording


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin_dir", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--sentences", default="plain")
    parser.add_argument("--themes", default="light,dark,high-contrast")
    parser.add_argument("--scales", default="1,1.5,2")
    parser.add_argument("--sizes", default="1024x768,1440x900,3840x2160")
    parser.add_argument("--languages", default="en")
    parser.add_argument("--model")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    bin_dir = options.bin_dir.resolve()
    wanted = list(SENTENCES) if options.sentences == "all" else options.sentences.split(",")
    cases = [name for name in options.cases.split(",") if options.model or not CASES[name].get("typed")]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        recording = record(bin_dir, work, options.model)
        waiting, sheets = [], {}
        for theme, size, scale, language in itertools.product(
                *(getattr(options, name).split(",") for name in ("themes", "sizes", "scales", "languages"))):
            for case, sentence in itertools.product(cases, wanted):
                session = work / f"{case}-{sentence}.mog-session"
                session.write_text(session_text(recording, options.model, CASES[case], sentence))
                name = f"{theme}-{size}-{scale}x-{language}"
                target = work / f"{case}-{sentence}-{name}.ppm"
                arguments = [session, "--language", language, *CASES[case].get("arguments", [])]
                if "view" in CASES[case]:
                    arguments += ["--view", CASES[case]["view"]]
                waiting.append((bin_dir / "mog-workbench", target, arguments, float(scale), size, theme))
                sheets.setdefault(name, []).append(target)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            problems = [problem for problem in pool.map(lambda one: shoot(*one), waiting) if problem]
        for name, shots in sheets.items():
            there = [shot for shot in shots if shot.exists()]
            for shot in there:
                write_png(options.output / (shot.stem + ".png"), read_ppm(shot))
            if there:
                contact_sheet(options.output / f"sheet-{name}.png", there)
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(waiting)} pictures in {options.output}, {len(problems)} could not be made")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
