#!/usr/bin/env python3
"""`mog train --watch`: the numbers of every validation are those of `mog stats` and `mog syntax`, a run that is broken
off and resumed has the same ones, and watching changes nothing of the training.

    cli_train_watch.py MOG ENGINE EXPERIMENT.toml
"""
import csv
import io
import json
import pathlib
import signal
import sys
import tempfile

from cli_train import CHANGES, EXPERIMENT, start_and_signal, write_data
from train_runs import metrics, mog


def rows(directory):
    return list(csv.DictReader((pathlib.Path(f"{directory}.training") / "trajectory.csv").open()))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part, count, first in (("train", 80, 0), ("dev", 20, 500), ("test", 20, 900)):
            write_data(folder, part, count, first)
        text = pathlib.Path(EXPERIMENT).read_text()
        for old, new in CHANGES.items():
            text = text.replace(old, new)
        config = folder / "small.toml"
        config.write_text(text)
        corpus = folder / "treebanks" / "en_ewt-dev.conllu"
        watch = ["--watch", corpus, "--watch-sentences", 12]

        plain, whole = folder / "plain", folder / "whole"
        mog("train", config, "--data", folder, "-o", plain, "-q")
        said = mog("train", config, "--data", folder, "-o", whole, *watch).stderr
        assert "Watching took" in said and "mog figure trajectory" in said, said
        assert metrics(plain) == metrics(whole)
        assert (plain / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()

        found = rows(whole)
        validated = [line["step"] for line in metrics(whole) if "dev" in line]
        assert sorted({int(row["update"]) for row in found}) == [0, *validated]
        assert {row["measure"] for row in found} == {"gate", "share", "entropy", "max", "token_cosine", "uuas"}

        # The last count is what the other commands say of the recording that stays.
        training = pathlib.Path(f"{whole}.training")
        last = [row for row in found if int(row["update"]) == validated[-1]]
        table = mog("stats", training / "watched.rec", "--quantity", "gate,entropy", "--by", "layer,length").stdout
        for row in csv.DictReader(io.StringIO(table)):
            same = [one for one in last if all(one[key] == row[key] for key in ("measure", "layer", "part", "bin"))]
            assert len(same) == 1 and same[0]["mean"] == row["mean"] and same[0]["low"] == row["low"], (row, same)
        logged = [line for line in metrics(whole) if "dev" in line][-1]
        cosines = [float(row["mean"]) for row in last if row["measure"] == "token_cosine"]
        assert len(cosines) == len(logged["layers"]["token_cosine"]) and all(0 < one < 1 for one in cosines), cosines
        scores = json.loads(mog("syntax", training / "watched.rec", "--treebank", training / "watched.conllu",
                                "--sources", "attention", "--json", "-q").stdout)
        of_maps = {(str(row["layer"]), row["part"], str(row["head"] or "")): row["uuas"] for row in scores["scores"]
                   if row["source"] == "attention" and row["head_is"] == "query"}
        trees = {(row["layer"], row["part"], row["head"]): float(row["mean"]) for row in last
                 if row["measure"] == "uuas"}
        assert trees and trees == of_maps, (trees, of_maps)

        # Broken off and resumed: the same rows.
        broken = folder / "broken"
        arguments = ["train", config, "--data", folder, "-o", broken, "-q", *watch]
        status, message = start_and_signal(arguments, broken, 5, signal.SIGKILL)
        assert status == -signal.SIGKILL, (status, message)
        mog(*arguments, "--resume")
        assert rows(broken) == found

        # Other sentences than the rows are of: refused, and nothing is lost. --overwrite begins anew.
        status, message = start_and_signal(arguments + ["--overwrite"], broken, 5, signal.SIGKILL)
        assert status == -signal.SIGKILL, (status, message)
        before = rows(broken)
        message = mog("train", config, "--data", folder, "-o", broken, "-q", "--resume", "--watch", corpus,
                      "--watch-sentences", 11, expect=5).stderr
        assert "of other sentences" in message and "--overwrite" in message, message
        assert rows(broken) == before
        mog("train", config, "--data", folder, "-o", broken, "-q", "--overwrite")
        assert not (pathlib.Path(f"{broken}.training") / "trajectory.csv").exists()

        # Plain text, other quantities, and the figure.
        words = folder / "words.txt"
        words.write_text("Ann sees the cat .\n\na dog likes Paris .\n")
        small = folder / "text"
        mog("train", config, "--data", folder, "-o", small, "-q", "--watch", words, "--watch-quantity",
            "gate,leaves,token_cosine")
        assert {row["measure"] for row in rows(small)} == {"gate", "leaves", "token_cosine"}
        picture = folder / "gate.svg"
        mog("figure", "trajectory", training / "trajectory.csv", "--measure", "gate", "-o", picture, "--csv",
            folder / "gate.csv")
        drawn = list(csv.DictReader((folder / "gate.csv").open()))
        assert len(drawn) == len({row["layer"] for row in found if row["measure"] == "gate"}) * (1 + len(validated))

        message = mog("figure", "trajectory", training / "trajectory.csv", "--measure", "gat", "-o", picture,
                      expect=2).stderr
        assert "did you mean gate" in message, message
        message = mog("figure", "trajectory", folder / "gate.csv", "-o", picture, expect=2).stderr
        assert "has no column update" in message and "--watch" in message, message
        for wrong, why in ((["--watch-quantity", "gate"], "give --watch"),
                           (["--watch-sentences", 7], "give --watch"),
                           (["--watch", words, "--watch-quantity", "uuas"], "gold trees"),
                           (["--watch", words, "--watch-quantity", "gaet"], "gate"),
                           (["--watch", folder / "absent.txt"], "absent.txt")):
            for more in ([], ["--check"]):
                message = mog("train", config, "--data", folder, "-o", folder / "none", "-q", *wrong, *more,
                              expect=2).stderr
                assert why in message, (wrong, message)
        assert not (folder / "none").exists()
        empty = folder / "empty.txt"
        empty.write_text("\n \n")
        mog("train", config, "--data", folder, "-o", folder / "none", "-q", "--overwrite", "--watch", empty, expect=3)
    print("ok")


if __name__ == "__main__":
    main()
