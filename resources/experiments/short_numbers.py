#!/usr/bin/env python3
"""Writes the numbers of CSV files with six digits: more are not the same on the next processor.

    resources/experiments/short_numbers.py FILE...
"""
import csv
import pathlib
import re
import sys

LONG = re.compile(r"-?\d+\.\d{5,}(e[+-]?\d+)?")


def short(cell):
    return f"{float(cell):.6g}" if LONG.fullmatch(cell) else cell


def shorten(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = [[short(cell) for cell in row] for row in csv.reader(file)]
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        shorten(pathlib.Path(name))
