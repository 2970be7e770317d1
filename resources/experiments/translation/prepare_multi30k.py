#!/usr/bin/env python3
"""Makes the training, development and test files of the Multi30k translators (multi30k.toml).

    prepare_multi30k.py DATA OUTPUT

DATA holds {train,val,test_2016_flickr}.{de,en} of Multi30k (Elliott, Frank, Sima'an, Specia 2016), which has no licence
for passing its text on: it is not in this project. OUTPUT gets {train,dev,test}.{de,en}: words and signs apart, as the
other translators' text is; and reference.{de,en}: the test part lower-cased and otherwise as it is, for BLEU (13a).
Standard library only; the same DATA gives the same bytes.
"""
import argparse
import pathlib

from prepare_translation_data import fail, tokenise

PARTS = {"train": "train", "val": "dev", "test_2016_flickr": "test"}


def read(path):
    if not path.is_file():
        fail(f"there is no {path}")
    with open(path, encoding="utf-8", newline="\n") as file:
        return [line.strip() for line in file]


def write(path, lines):
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    options = parser.parse_args()
    parts = {}
    for source, name in PARTS.items():
        sides = {language: read(options.data / f"{source}.{language}") for language in ("de", "en")}
        if len(sides["de"]) != len(sides["en"]):
            fail(f"{source}: {len(sides['de'])} German but {len(sides['en'])} English lines")
        parts[name] = sides
    options.output.mkdir(parents=True, exist_ok=True)
    for name, sides in parts.items():
        for language, lines in sides.items():
            write(options.output / f"{name}.{language}", (" ".join(tokenise(line)) for line in lines))
    for language, lines in parts["test"].items():
        write(options.output / f"reference.{language}", (line.lower() for line in lines))
    print(", ".join(f"{name}: {len(sides['de'])} pairs" for name, sides in parts.items()))


if __name__ == "__main__":
    main()
