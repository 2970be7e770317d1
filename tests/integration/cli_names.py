"""Recordings can be told apart: names in tables, figures and facts; one recording given twice is refused.

Usage: cli_names.py MOG MAKE_RECORDING
"""
import csv
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from mog_cli import MogCase

MAKE = os.path.abspath(sys.argv[2])
TEXTS = [" ".join(f"w{(line * 7 + word) % 50}" for word in range(1 + line * 5 % 13)) for line in range(20)]


class Names(MogCase):
    mog = os.path.abspath(sys.argv[1])

    def setUp(self):
        super().setUp()
        self.corpus = self.write("corpus.txt", "\n".join(TEXTS) + "\n")
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)

    def record(self, path, name="", seed=1, shard=(1, 1), layers=3):
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([MAKE, self.corpus, path, str(shard[0]), str(shard[1]), str(layers), str(seed), name], check=True)
        return path

    def rows(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.run_well("stats", *arguments))))

    def column(self, *arguments, column="recording"):
        return list(dict.fromkeys(row[column] for row in self.rows(*arguments)))

    def panels(self, kind, *arguments):
        self.run_well("figure", kind, *arguments, "-o", "f.svg", "--csv", "f.csv")
        with open("f.csv", encoding="utf-8", newline="") as file:
            return list(dict.fromkeys(row["panel_title"] for row in csv.DictReader(file)))

    def test_tables_name_each_recording(self):
        a, b = self.record("a.rec", "news, old"), self.record("b.rec", "novels", seed=2)
        for options in ([], ["--trend", "--minimum", "1"], ["--dimensions", "--minimum", "1"], ["--relative"],
                        ["--quantity", "leaves"], ["--quantity", "joins"], ["--quantity", "encoder.*.high.attention.row_entropy", "--by", "layer"]):
            with self.subTest(options=options):
                self.assertEqual(self.column(a, b, *options), ["news, old", "novels"])
        lines = [json.loads(line) for line in self.run_well("stats", a, b, "--json").splitlines()]
        self.assertEqual({line["recording"] for line in lines}, {"news, old", "novels"})

    def test_one_recording_alone_has_the_table_of_before(self):
        self.assertEqual(list(self.rows(self.record("a.rec", "news"))[0])[:2], ["model", "corpus"])

    def test_without_names_the_model_and_the_folder_tell(self):
        self.record("one/a.rec"), self.record("two/a.rec", seed=2), self.record("b.rec", seed=3)
        model = self.rows("b.rec")[0]["model"]
        self.assertEqual(self.column("one/a.rec", "b.rec"), [f"{model} (a.rec)", f"{model} (b.rec)"])
        self.assertEqual(self.column("one/a.rec", self.folder / "two/a.rec"),
                         [f"{model} (one/a.rec)", f"{model} (two/a.rec)"])
        self.assertEqual(self.column("one/a.rec/recording.h5", "b.rec"), [f"{model} (a.rec)", f"{model} (b.rec)"])

    def test_equal_names_are_told_apart_by_their_paths(self):
        self.record("one/a.rec", "news"), self.record("two/a.rec", "news", seed=2), self.record("c.rec", "novels", seed=3)
        self.assertEqual(self.column("one/a.rec", "two/a.rec", "c.rec"), ["news (one/a.rec)", "news (two/a.rec)", "novels"])

    def test_parts_of_a_run_have_one_name(self):
        for part in (1, 2):
            self.record(f"part{part}", "news", shard=(part, 2))
        self.record("b.rec", "novels", seed=2)
        self.assertEqual(self.column("part1", "part2", "b.rec"), ["news", "novels"])
        self.assertNotIn("recording", self.rows("part1", "part2")[0])

    def test_differences_name_both(self):
        a, b = self.record("a.rec", "old"), self.record("b.rec", "new", seed=2)
        c = self.record("c.rec", seed=3)
        self.assertEqual({(row["recording"], row["against"]) for row in self.rows(b, "--against", a)}, {("new", "old")})
        self.assertEqual(self.column(b, c, "--against", a), ["new", self.rows(c)[0]["model"]])
        self.run_well("figure", "corpus-difference", a, b, "-o", "d.svg", "--caption", "full")
        text = pathlib.Path("d.svg").read_text(encoding="utf-8")
        self.assertIn("&quot;new&quot; less", text)
        for kind, options in (("attention-difference", ["--layer", "2", "--part", "high"]), ("gate-difference", [])):
            titles = self.panels(kind, a, b, "-n", "3", *options)
            self.assertEqual(titles[:2], ["old, sentence 3", "new, sentence 3"])

    def test_panels_are_named(self):
        a, b, c = self.record("a.rec", "news"), self.record("b.rec", "novels", seed=2), self.record("c.rec", seed=3)
        model = self.rows(c)[0]["model"]
        for kind in ("weight-panels", "weight-panels-difference", "order-by-layer", "order-distribution", "joins-by-part", "order-bands"):
            with self.subTest(kind=kind):
                self.assertEqual(list(dict.fromkeys(title.split(",")[0] for title in self.panels(kind, a, b, c))),
                                 ["news", "novels", model])
        d = self.record("d.rec", seed=4)
        self.assertEqual(self.panels("weight-panels", c, d), [f"{model} (c.rec)", f"{model} (d.rec)"])
        self.assertEqual(self.panels("weight-panels", c, self.record("e.rec", layers=4)), ["3 layers", "4 layers"])
        self.assertEqual(self.panels("weight-panels", a, self.record("f.rec", "deep", layers=4)), ["news", "deep"])

    def test_one_recording_twice_is_refused(self):
        a, b = self.record("a.rec", "news"), self.record("b.rec", "novels", seed=2)
        os.symlink("a.rec", "link")
        shutil.copytree(a, "hard", copy_function=os.link)
        said = "the same recording"
        for other in (a, "./a.rec", self.folder / "a.rec", "b.rec/../a.rec", "a.rec/recording.h5", "a.rec/shard-00001.h5", "link",
                      "link/recording.h5", "hard"):
            with self.subTest(other=other):
                self.expect(2, said, "stats", a, b, other)
                self.expect(2, said, "stats", a, "--against", other)
                for kind, of_sentence in (("weight-panels", []), ("order-by-layer", []), ("corpus-difference", []),
                                          ("attention-difference", ["-n", "3"]), ("gate-difference", ["-n", "3"])):
                    self.expect(2, said, "figure", kind, a, other, *of_sentence, "-o", "f.svg")
        self.expect(2, said, "stats", b, "--against", a, "--against", "link")
        shutil.copytree(a, "copy.rec")
        self.assertEqual(self.column(a, "copy.rec"), ["news (a.rec)", "news (copy.rec)"])
        # Two sentences of one recording are one recording, named once.
        self.run_well("figure", "gate-difference", a, "-n", "3", "--other", "4", "-o", "f.svg")

    def test_describe_and_validate_show_it(self):
        named, plain = self.record("a.rec", "news \u00e9"), self.record("b.rec")
        self.assertRegex(self.run_well("describe", named), r"(?m)^name +news \u00e9$")
        self.assertNotRegex(self.run_well("describe", plain), r"(?m)^name ")
        self.assertIn('a.rec ("news \u00e9"): sound', self.run_well("validate", named))
        for command in ("describe", "validate"):
            self.assertEqual([json.loads(self.run_well(command, path, "--json"))["name"] for path in (named, plain)],
                             ["news \u00e9", None])

    def test_a_name_from_elsewhere_is_checked(self):
        for name in ("x\u001b[31m", "x" * 81, "x ", "\u202ex", ""):
            with self.subTest(name=name):
                path = pathlib.Path("a.rec")
                shutil.rmtree(path, ignore_errors=True)
                self.record(path, "news")
                manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
                manifest["provenance"]["name"] = name
                manifest.update(version="1.0")
                manifest.pop("sha256"), manifest.pop("files")
                (path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
                self.expect(3, '"name": it', "describe", path)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
