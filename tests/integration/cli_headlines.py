"""Summaries: data preparation from Debian package lists, ROUGE, `mog summarize`, and the configuration trained for a few steps.

Usage: cli_headlines.py MOG EXPERIMENTS_DIR METRICS_DATA MODELS_DIR    (what runs a model skips when the engine is not there)
"""
import hashlib
import json
import lzma
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

MOG, EXPERIMENTS, METRICS, MODELS = (pathlib.Path(path).resolve() for path in sys.argv[1:5])
PREPARE = EXPERIMENTS / "prepare_headlines.py"
SMALL = ["--test", "6", "--dev", "4", "--words", "20"]
SUITE = "dists/bookworm/main"
TRANSLATOR = MODELS / "half_weight_gate"
THINGS = "house tree dog cat book river mountain forest town road stone bird fish star moon day night table chair garden".split()
TOOLS = THINGS + "key bell rope lamp".split()
LANGUAGES = "German French Dutch Danish Polish Czech Latin Irish".split()


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600)


def mog(*command):
    return run(MOG, *command)


def packages():
    """Name, source package, synopsis, further lines of every package."""
    for thing in THINGS:  # two versions of a source package, with a second package each
        for version in ("1", "22"):
            about = f" The {thing} of version {version} keeps a list of things.\n .\n  * of a kind\n It is made for {thing}s. And so on"
            yield f"lib{thing}{version}", f"lib{thing}-{version}", f"keeps lists of every {thing}", about
            yield f"lib{thing}{version}-doc", f"lib{thing}-{version}", f"manual of the {thing}", about + ".\n .\n Its manual."
    for language in LANGUAGES:  # equal but for a capitalised word, which is in no package's name
        yield (f"words-{language[:2].lower()}", f"words-{language[:2].lower()}", f"list of {language} words for use in games and such",
               f" A list of the words of {language} that are used most, for games.")
    for at, thing in enumerate(TOOLS):  # one sentence of many source packages
        yield f"tool-{thing}", f"tool-{thing}", f"tool number {'x' * at} for a {thing}", (
            f" Turns the {thing} {'i' * at} times.\n .\n This is a part of the large and well known collection of small tools for everybody.")
    yield "empty", "empty", "a package without more words", ""


def stanza(fields):
    return "".join(f"{name}: {value}\n" for name, value in fields.items()) + "\n"


def lists():
    """Packages and Translation-en."""
    ours, theirs = "", ""
    for name, source, synopsis, more in packages():
        description = synopsis + ("\n" + more if more else "")
        digest = hashlib.md5((description + "\n").encode()).hexdigest()
        fields = {"Package": name, "Version": "1", "Description": synopsis, "Description-md5": digest}
        ours += stanza(fields if source == name else {**fields, "Source": source + " (1.2)"})
        theirs += stanza({"Package": name, "Description-md5": digest, "Description-en": description})
    return {"binary-amd64/Packages": ours, "i18n/Translation-en": theirs}


def mirror(folder):
    release = "Suite: oldstable\nSHA256:\n"
    for name, text in lists().items():
        data = lzma.compress(text.encode())
        path = folder / SUITE / (name + ".xz")
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        release += f" {hashlib.sha256(data).hexdigest()} {len(data)} main/{name}.xz\n"
    (folder / "dists/bookworm/Release").write_text(release)
    return folder.as_uri()


def apt_lists(folder):
    folder.mkdir()
    for name, text in lists().items():
        (folder / f"deb.example.org_dists_bookworm_main_{name.replace('/', '_')}").write_text(text)
    return folder


def lines(folder, name):
    return (folder / name).read_text(encoding="utf-8").splitlines()


class Fixture(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.work = pathlib.Path(temporary.name)

    def prepare(self, output, *more):
        return run(sys.executable, PREPARE, self.work / output, "--components", "main", *SMALL, *more)

    def prepared(self, output="pairs"):
        result = self.prepare(output, "--lists", apt_lists(self.work / f"lists-{output}"))
        self.assertEqual(result.returncode, 0, result.stderr)
        return self.work / output

    def refused(self, code, words, result):
        self.assertEqual(result.returncode, code, result.stderr)
        for word in words if isinstance(words, (list, tuple)) else [words]:
            self.assertIn(word, result.stderr)


class Preparation(Fixture):
    def test_no_template_is_both_tested_and_trained(self):
        pairs = self.prepared()
        report = json.loads((pairs / "report.json").read_text())
        # The package without a text is left out.
        self.assertEqual((report["packages"], report["pairs"]), (4 * 20 + 8 + 24 + 1, 4 * 20 + 8 + 24))
        # Each thing's four packages are one template, the lists of words are another; the tools have none in common.
        self.assertEqual(report["templates"], 20 + 1 + 24)
        self.assertEqual(report["largest_template"], 8)
        self.assertEqual(report["train"] + report["not_used"] + 10, report["pairs"])
        for name, count in (("test", 6), ("dev", 4), ("train", report["train"])):
            for side in ("text", "headline"):
                self.assertEqual(len(lines(pairs, f"{name}.{side}")), count, name)

        def kinds(part):
            for headline, text in zip(lines(pairs, f"{part}.headline"), lines(pairs, f"{part}.text")):
                thing = next((thing for thing in TOOLS if thing in headline), "words")
                yield ("tool " if text.startswith("Turns") else "") + thing
        held = [kind for part in ("test", "dev") for kind in kinds(part)]
        self.assertEqual(len(set(held)), len(held), held)
        self.assertFalse(set(held) & set(kinds("train")))

    def test_near_pairs_by_hand(self):
        sys.path.insert(0, str(EXPERIMENTS))
        sys.dont_write_bytecode = True
        import prepare_headlines as prepare

        def pair(words):
            return {"headline": words[:1], "text": " ".join(words[1:])}
        trained = [pair("abcdefghij"), pair("klmnopqrst")]
        # 7 of 10 words; 7 of 11; all of them; none.
        tested = [pair("abcdefg"), pair("abcdefgz"), pair("tsrqponmlk"), pair("uvwxyz")]
        self.assertEqual([prepare.near_pairs([one], trained) for one in tested], [1, 0, 1, 0])
        self.assertEqual(prepare.near_pairs(tested, trained), 2)

    def test_texts_are_cut_and_the_first_words_are_those_of_the_text(self):
        pairs = self.prepared()
        texts = lines(pairs, "test.text") + lines(pairs, "train.text")
        self.assertEqual(max(len(text.split()) for text in texts), 20)
        joined = next(text for text in texts if " of version 1 keeps" in text)
        thing = joined.split()[1]
        self.assertEqual(joined, f"The {thing} of version 1 keeps a list of things . * of a kind It is made for {thing}s")
        for text, lead, sentence in zip(*(lines(pairs, name) for name in ("test.text", "lead.headline", "sentence.headline"))):
            self.assertEqual(lead.split(), text.split()[:8])
            self.assertEqual(sentence, text[:text.index(" .") + 2])

    def test_a_mirror_and_apts_lists_give_the_same_bytes(self):
        self.prepared("one")
        result = self.prepare("two", "--mirror", mirror(self.work / "mirror"))
        self.assertEqual(result.returncode, 0, result.stderr)
        result = self.prepare("three", "--mirror", (self.work / "mirror").as_uri(), "--seed", "2")
        self.assertEqual(result.returncode, 0, result.stderr)
        for path in sorted((self.work / "one").iterdir()):
            self.assertEqual(path.read_bytes(), (self.work / "two" / path.name).read_bytes(), path.name)
        self.assertNotEqual(lines(self.work / "one", "test.text"), lines(self.work / "three", "test.text"))

    def test_lists_that_do_not_match(self):
        folder = apt_lists(self.work / "lists")
        packages_list, translation = sorted(folder.iterdir())
        text, descriptions = packages_list.read_text(), translation.read_text()

        def after(path, changed):
            kept = path.read_text()
            path.write_text(changed)
            result = self.prepare("x", "--lists", folder)
            path.write_text(kept)
            return result
        self.refused(3, ["libhouse1", "MD5"], after(translation, descriptions.replace("keeps lists", "kept lists", 1)))
        self.refused(3, ["libhouse1", "Translation-en lacks"], after(translation, descriptions[descriptions.index("\n\n") + 2:]))
        self.refused(3, ["libhouse1", "kept lists"], after(packages_list, text.replace("keeps lists", "kept lists", 1)))
        self.refused(3, "ask for fewer", self.prepare("x", "--lists", folder, "--test", "200"))
        packages_list.unlink()
        self.refused(3, ["binary-amd64_Packages", "apt-get update"], self.prepare("x", "--lists", folder))
        address = mirror(self.work / "mirror")
        path = self.work / "mirror" / SUITE / "i18n/Translation-en.xz"
        path.write_bytes(path.read_bytes() + b" ")
        self.refused(3, ["Translation-en.xz", "SHA-256"], self.prepare("x", "--mirror", address))
        self.refused(3, "Release names no contrib", self.prepare("x", "--mirror", address, "--components", "contrib"))
        self.refused(3, "nowhere", self.prepare("x", "--mirror", (self.work / "nowhere").as_uri()))
        self.assertFalse((self.work / "x").exists())

    def test_the_configuration_reads_what_was_prepared(self):
        result = mog("train", EXPERIMENTS / "headlines.toml", "--check", "--data", self.prepared())
        self.assertEqual(result.returncode, 0, result.stderr)


class Scores(unittest.TestCase):
    """What rouge-score says of the texts of tests/data/metrics is in rouge.tsv."""
    HYPOTHESIS, OTHER, REFERENCE = (METRICS / f"{name}.txt" for name in ("hypothesis", "hypothesis-2", "reference"))

    def scores(self, *options):
        result = mog("evaluate", "--hypothesis", self.HYPOTHESIS, "--reference", self.REFERENCE, "--json", *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)["scores"]

    def test_rouge_is_that_of_rouge_score(self):
        rows = [line.split("\t") for line in (METRICS / "rouge.tsv").read_text(encoding="utf-8").split("\n")]
        for stem, options in (("0", []), ("1", ["--stem"])):
            found = self.scores("--metric", "rouge1,rouge2,rougeL", "--bootstrap", "0", *options)
            self.assertEqual([score["measure"] for score in found], ["ROUGE-1", "ROUGE-2", "ROUGE-L"])
            for score, kind in zip(found, ("rouge1", "rouge2", "rougeL")):
                precision, recall, f1 = next(map(float, row[4].split()) for row in rows if row[:4] == ["corpus", stem, kind, "1"])
                self.assertAlmostEqual(score["value"], f1, places=9)
                self.assertEqual(score["details"], f"P = {precision:.2f} R = {recall:.2f}")
                self.assertIn(f"type:{kind}|case:lc|tok:rouge-score|stem:{'porter' if stem == '1' else 'no'}", score["signature"])

    def test_rouge_beside_bleu_with_a_paired_test(self):
        found = self.scores("--metric", "bleu,rougeL", "--other", self.OTHER, "--trials", "50")
        self.assertEqual([score["measure"] for score in found], ["BLEU"] * 2 + ["ROUGE-L"] * 2)
        first, second = found[2:]
        self.assertAlmostEqual(second["difference"], second["value"] - first["value"])
        self.assertLess(second["p"], 0.05)
        self.assertTrue(first["low"] < first["value"] < first["high"])
        text = mog("evaluate", "--hypothesis", self.HYPOTHESIS, "--reference", self.REFERENCE, "--metric", "rouge2").stdout
        self.assertRegex(text, r"ROUGE-2  63\.47  \[\S+ \S+\]  P = 64\.12 R = 63\.33")

    def test_what_is_refused(self):
        for options, words in ((["--metric", "rouge3"], ["rouge1, rouge2 and rougeL"]), (["--metric", "bleu", "--stem"], ["--stem", "rouge1"])):
            result = mog("evaluate", "--hypothesis", self.HYPOTHESIS, "--reference", self.REFERENCE, *options)
            self.assertEqual(result.returncode, 2, result.stderr)
            for word in words:
                self.assertIn(word, result.stderr)


class Models(Fixture):
    def setUp(self):
        super().setUp()
        doctor = json.loads(mog("doctor", "--json").stdout)
        if not doctor["engine"]:
            self.skipTest("the engine is not there: " + doctor["engine_error"])

    def test_summarize_is_translate_in_other_words(self):
        text = self.work / "text"
        text.write_text("w22 w39 w38 w33\nw5 w6\n")
        for options in ([], ["--n-best", "2"], ["--json", "--n-best", "2"]):
            both = [mog(command, TRANSLATOR, text, "--max-tokens", "8", *options).stdout for command in ("translate", "summarize")]
            self.assertEqual(both[0].replace("translation", "summary"), both[1])
            self.assertTrue(both[0])
        for command, words in (("translate", ["Translate text", "translation"]), ("summarize", ["Summarize", "summary"])):
            said = mog(command, "--help").stdout
            for word in words:
                self.assertIn(word, said)
        self.assertNotIn("ranslat", mog("summarize", "--help").stdout)
        text.write_text("")
        self.refused(3, "summarizing", mog("summarize", TRANSLATOR, text))

    def test_a_small_model_is_trained_and_scored(self):
        pairs = self.prepared()
        plan = (EXPERIMENTS / "headlines.toml").read_text()
        for key, value in (("layers", 1), ("d_model", 16), ("attention_dim", 8), ("ffn_dim", 24), ("merges", 60), ("epochs", 8),
                           ("warmup", 4), ("learning_rate", 0.01), ("log_interval", 1), ("batch_tokens", 400), ("validation_rouge", 4)):
            plan, found = re.subn(rf"^{key} = \S+$", f"{key} = {value}", plan, flags=re.M)
            self.assertTrue(found, key)
        (self.work / "plan.toml").write_text(plan)
        result = mog("train", self.work / "plan.toml", "--data", pairs, "--output", self.work / "models", "--runs", "half-gate-s1", "--quiet")
        self.assertEqual(result.returncode, 0, result.stderr)
        model = self.work / "models" / "half-gate-s1"
        written = self.work / "out"
        result = mog("summarize", model, pairs / "test.text", "-o", written, "--max-tokens", "6", "--quiet")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(lines(self.work, "out")), 6)
        of_model, of_file = (json.loads(mog("evaluate", *source, "--reference", pairs / "test.headline", "--metric", "rouge1", "--json").stdout)
                             for source in ((model, "--source", pairs / "test.text", "--max-tokens", "6"), ("--hypothesis", written)))
        self.assertEqual(of_model["scores"][0]["value"], of_file["scores"][0]["value"])
        # Validation, the test part and the card score as `mog evaluate` does.
        log = [json.loads(line) for line in lines(self.work / "models", "half-gate-s1.training/metrics.jsonl")]
        validated = [line["dev"] for line in log if "dev" in line]
        self.assertEqual([set(scores) & {"bleu", "rouge1", "rouge2", "rougeL"} for scores in validated],
                         [{"rouge1", "rouge2", "rougeL"}] * 8)
        scores = json.loads(mog("evaluate", model, "--source", pairs / "test.text", "--reference", pairs / "test.headline", "--beam", "1",
                                "--metric", "rouge1,rouge2,rougeL", "--json").stdout)["scores"]
        self.assertGreater(scores[0]["value"], 0)
        said = ", ".join(f"{score['value']:.2f}" for score in scores)
        self.assertIn(f"ROUGE-1, 2, L (F1, no stems): {said}.", (model / "README.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
