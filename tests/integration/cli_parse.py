#!/usr/bin/env python3
"""A parser from data to trees: `mog train` with [graph], `mog parse`; and what each refuses.

    cli_parse.py MOG ENGINE
"""
import json
import pathlib
import subprocess
import tempfile

from train_runs import MOG, mog

CONFIG = """name = "parser"

[model]
architecture = "encoder"

[model.encoder]
kind = "transformer"
layers = 2
d_model = 32
ffn_dim = 64
heads = 2

[tokenizer]
kind = "bpe"
merges = 10

[graph]
kind = "dependencies"
width = 24
label_width = 12
refinements = 2
dropout = 0.1

[graph.input]
form = "three_term"

[tasks.upos]
column = "upos"

[data.train]
conllu = "train.conllu"
[data.dev]
conllu = "dev.conllu"
[data.test]
conllu = "test.conllu"

[training]
batch_tokens = 300
epochs = 40
learning_rate = 5e-3
warmup = 10
dropout = 0.0
label_smoothing = 0.0
clip_norm = 1.0
log_interval = 10
"""

# A determiner hangs on its noun, the subject and the object on the verb, which is the root.
NOUNS = ["cat", "dog", "bird", "horse", "unicornlike"]
VERBS = ["sees", "likes", "hears"]


def sentence(number):
    subject, verb, thing = NOUNS[number % 5], VERBS[number // 5 % 3], NOUNS[number // 15 % 5]
    rows = [("the", "DET", 2, "det"), (subject, "NOUN", 3, "nsubj"), (verb, "VERB", 0, "root"),
            ("a", "DET", 5, "det"), (thing, "NOUN", 3, "obj:big")]
    if number % 2:
        rows.append(("today", "ADV", 3, "advmod"))
    if number % 3 == 0:
        rows = rows[:2] + [("tall", "ADJ", 2, "amod")] + rows[2:]
        rows = [(form, tag, head + (head > 2), label) for form, tag, head, label in rows]
    text = "".join(f"{at}\t{form}\t{form}!\t{tag}\t_\t_\t{head}\t{label}\t_\t_\n"
                   for at, (form, tag, head, label) in enumerate(rows, 1))
    return f"# sent_id = s{number}\n{text}\n"


def rows_of(text):
    return [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part, numbers in (("train", range(0, 60)), ("dev", range(60, 75)), ("test", range(70, 90))):
            (folder / f"{part}.conllu").write_text("".join(map(sentence, numbers)))
        config = folder / "parser.toml"
        config.write_text(CONFIG)
        model = folder / "model"
        result = json.loads(mog("train", config, "--data", folder, "-o", model, "--json", "-q").stdout)
        assert result["test"]["las"] > 0.9 and result["dev"]["uas"] > 0.9, result
        card = (model / "README.md").read_text()
        assert "% (LAS)" in card and "Predicts dependency trees of 6 labels" in card, card
        settings = json.loads((model / "config.json").read_text())
        assert settings["graph"]["labels"] == ["advmod", "amod", "det", "nsubj", "obj", "root"], settings
        assert settings["encoder"]["graph_input"]["relations"] == 2 * 7 + 1, settings

        # The scores of the card are those of the trees that are written.
        mog("parse", "-m", model, "-i", folder / "test.conllu", "-o", folder / "out.conllu", "--trace",
            folder / "rounds.jsonl", "-q")
        gold, found = rows_of((folder / "test.conllu").read_text()), rows_of((folder / "out.conllu").read_text())
        assert [row[1:3] for row in gold] == [row[1:3] for row in found]  # forms and lemmas are kept
        right = sum(g[6] == f[6] and g[7].split(":")[0] == f[7] for g, f in zip(gold, found))
        assert abs(right / len(gold) - result["test"]["las"]) < 1e-9, (right, len(gold), result)
        assert all("HeadProb=" in row[9] for row in found)
        assert "# sent_id = s70" in (folder / "out.conllu").read_text()
        rounds = [json.loads(line) for line in (folder / "rounds.jsonl").read_text().splitlines()]
        assert len(rounds) == 20 and all(1 < len(line["rounds"]) <= 3 for line in rounds), rounds[0]
        for line, parsed in zip(rounds, (folder / "out.conllu").read_text().split("\n\n")):
            assert line["rounds"][-1]["heads"] == [int(row[6]) for row in rows_of(parsed)]
        once = mog("parse", "-m", model, "-i", folder / "test.conllu", "--refinements", 0, "--json", "-q").stdout
        assert all(json.loads(line)["rounds"] == 1 for line in once.splitlines())

        # Plain text, from standard input.
        done = subprocess.run([MOG, "parse", "-m", str(model), "-i", "-", "-q"], input="the dog sees a cat\n",
                              capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        assert [row[6] for row in rows_of(done.stdout)] == ["2", "3", "0", "5", "3"], done.stdout

        # Arcs that are set hold in every round; a picture of each, and its numbers.
        def of_one(*options, text="the dog sees a cat\n"):
            return subprocess.run([MOG, "parse", "-m", str(model), "-i", "-", "-q", *map(str, options)], input=text,
                                  capture_output=True, text=True, timeout=300)

        done = of_one("--force", "2:5", "--forbid", "5:3", "--trace", folder / "set.jsonl")
        assert done.returncode == 0, done.stderr
        heads = [row[6] for row in rows_of(done.stdout)]
        assert heads[1] == "5" and heads[4] != "3", heads
        for one in json.loads((folder / "set.jsonl").read_text())["rounds"]:
            assert one["heads"][1] == 5 and one["heads"][4] != 3, one
        done = of_one("--force", "2:5", "--step", 1, "--svg", folder / "tree.svg", "--csv", folder / "tree.csv")
        assert done.returncode == 0, done.stderr
        assert all(part in (folder / "tree.svg").read_text() for part in (">root<", "set by hand"))
        assert "arcs set by hand: 2:5" in (folder / "tree.csv").read_text()
        done = of_one("--draw", "matrix", "--svg", folder / "matrix.pdf")
        assert done.returncode == 0 and (folder / "matrix.pdf").stat().st_size > 1000, done.stderr
        for options, part in ((("--force", "2"), "WORD:HEAD"), (("--force", "9:1"), "5 words"),
                              (("--force", "2:2"), "itself"), (("--force", "2:1", "--force", "1:2"), "No tree obeys"),
                              (("--step", 1), "--svg"), (("--step", 9, "--svg", folder / "no.svg"), "round"),
                              (("--draw", "tree", "--svg", folder / "no.svg"), "arcs")):
            done = of_one(*options)
            assert done.returncode == 2 and part in done.stderr, (options, done)
        done = of_one("--forbid", "2:1", text="the dog sees a cat\nthe cat\n")
        assert done.returncode == 2 and "one sentence" in done.stderr, done
        assert not (folder / "no.svg").exists()

        # Blank lines and characters that the tokenizer drops; a parse that is parsed again; both outputs in one place.
        (folder / "odd.txt").write_text("the dog sees a cat\n\n   \nthe cat likes a dog\n", encoding="utf-8")
        odd = mog("parse", "-m", model, "-i", folder / "odd.txt", "-q").stdout
        assert odd.count("# sent_id") == 2, odd
        again = mog("parse", "-m", model, "-i", folder / "out.conllu", "-q").stdout
        assert again == (folder / "out.conllu").read_text(), again
        bare = "".join("\t".join(row[:6] + ["_", "_"] + row[8:]) + "\n" for row in rows_of(sentence(70)))
        (folder / "bare.conllu").write_text(bare + "\n")
        assert [row[6] for row in rows_of(mog("parse", "-m", model, "-i", folder / "bare.conllu", "-q").stdout)] == \
            [row[6] for row in found[:len(rows_of(bare))]]
        same = ("-o", folder / "same", "--trace", folder / "same")
        assert "same place" in mog("parse", "-m", model, "-i", folder / "odd.txt", *same, expect=2).stderr
        assert "same place" in mog("parse", "-m", model, "-i", folder / "odd.txt", "--trace", "-", expect=2).stderr

        # The graph that is read and its terms are recorded.
        names = json.loads(mog("describe", model, "--json", "-q").stdout)
        text = json.dumps(names)
        for quantity in ("heads.arcs.pair_scores", "heads.labels.pair_scores", "encoder.graph",
                         "encoder.1.full.graph_terms.covariance"):
            assert quantity in text, quantity

        def refused(code, *parts, **changes):
            changed = CONFIG
            for old, new in changes.items():
                assert old in changed, old
                changed = changed.replace(old, new)
            config.write_text(changed)
            message = mog("train", config, "--data", folder, "-o", folder / "refused", expect=code).stderr
            for part in parts:
                assert part in message, (part, message)

        refused(5, "graph.refinements needs [graph.input]", **{'[graph.input]\nform = "three_term"\n': ""})
        refused(5, "[graph.input] is for an encoder of kind transformer",
                **{'kind = "transformer"': 'kind = "graph_transformer"'})
        refused(3, "graph.input.form", "two_term", **{"three_term": "three_terms"})
        refused(3, "graph.kind", **{'kind = "dependencies"': 'kind = "dependency"'})

        # Sentences of many lengths, everything that there is.
        recording = folder / "all.rec"
        mog("record", "-m", model, "-i", folder / "test.conllu", "-o", recording, "--capture", "all", "-q")
        mog("validate", recording, "-q")
        # What relations do, by relation; a round of its own reads another graph.
        def relations(*options):
            mog("record", "-m", model, "-i", folder / "test.conllu", "-o", folder / "terms.rec", "--overwrite", "--quantity",
                "encoder.graph,encoder.*.full.graph_terms", *options, "-q")
            text = mog("stats", folder / "terms.rec", "--quantity", "relations", "--by", "layer", "--json", "-q").stdout
            return [json.loads(line) for line in text.splitlines()]

        rows = relations()
        found = {(row["relation"], row["direction"]) for row in rows}
        assert ("det", "to the head") in found and ("nsubj", "to the dependent") in found, found
        for row in rows:
            assert 0 <= row["share_low"] <= row["share"] <= row["share_high"] <= 1, row
            assert abs(row["weight"] - row["without"] - row["difference"]) < 1e-9, row
        arcs = sum(row["pairs"] for row in rows if row["layer"] == 1 and row["direction"] == "to the head" and
                   row["relation"] != "piece of a word")
        assert arcs == len(gold), (arcs, len(gold))
        mog("stats", folder / "terms.rec", "--quantity", "relations", "--by", "layer,length,head", "--bootstrap", 10, "-o",
            folder / "relations.csv", "-q")
        mog("figure", "relation-effects", folder / "relations.csv", "-o", folder / "relations.svg", "-q")
        for options in (("--trend",), ("--by", "layer,position"), ("--average", "macro")):
            mog("stats", folder / "terms.rec", "--quantity", "relations", *options, expect=2)
        message = mog("stats", recording, "--quantity", "gate,relations", expect=2).stderr
        assert "table of their own" in message, message
        empty = relations("--round", 0)
        assert {row["relation"] for row in empty} <= {"none", "piece of a word"}, empty
        assert relations("--round", 1) and relations("--round", 2)
        graph = ("figure", "attention", recording, "--sentence", 1, "--layer", 1, "--graph", "--csv", "-", "-o",
                 folder / "map.svg")
        assert "sure" in mog(*graph).stdout

        # Cuts of such a model: tags and trees before are those of tag and parse, and cuts change them.
        def effects(*options, **expected):
            text = mog("ablate", model, "--conllu", folder / "test.conllu", *options, "--json", "-q", **expected).stdout
            return [json.loads(line) for line in text.splitlines()]

        rows = effects("--graph-terms", "all,graph,relation_key+relation_value", "--bootstrap", 0)
        assert [row["part"] for row in rows[:6]] == [
            "content", "relation_key", "relation_query", "relation_value",
            "relation_key+relation_query+relation_value", "relation_key+relation_value"], rows
        assert len(rows) == 12 and {row["layer"] for row in rows} == {1, 2}, rows
        for row in rows:
            assert abs(row["arcs_before"] - result["test"]["las"]) < 1e-9, row
            assert abs(row["heads_before"] - result["test"]["uas"]) < 1e-9, row
            assert row["change"] > 0 and row["heads_kl"] > 0 and row["arcs_kl"] >= row["heads_kl"] - 1e-6, row
            assert row["head"] is None and 0 <= row["heads_changed"] <= row["arcs_changed"] <= 1, row
        assert rows[0]["change"] > rows[1]["change"], rows
        each = effects("--graph-terms", "graph", "--each-head", "--layers", 2, "--bootstrap", 0)
        assert [row["head"] for row in each] == [1, 2] and all(row["change"] > 0 for row in each), each
        joined = effects("--graph-terms", "graph", "--together", "--bootstrap", 0)
        assert len(joined) == 1 and joined[0]["last_layer"] == 2, joined
        assert [row["head"] for row in effects("--heads", "--layers", 1, "--bootstrap", 0)] == [1, 2]
        assert effects("--parts", "block", "--bootstrap", 0)[0]["upos_before"] > 0.9
        message = mog("ablate", model, "--input", folder / "odd.txt", "--graph-terms", "relation_keys", expect=2).stderr
        assert "did you mean relation_key" in message, message
        message = mog("ablate", model, "--input", folder / "odd.txt", "--heads", "--each-head", expect=2).stderr
        assert "--graph-terms" in message, message

        # Erasures and derivatives of such a model, of states, tags and heads.
        def faithful(target, *options, **expected):
            text = mog("faithfulness", model, "--input", folder / "odd.txt", "--target", target, *options,
                       "--json", "-q", **expected).stdout
            return {(row["attribution"], row["measure"]): row["mean"] for row in map(json.loads, text.splitlines())}

        for target in ("pooled", "word:2", "tag:upos:2", "head:2"):
            found = faithful(target)
            assert abs(found["leave-one-out", "spearman"] - 1) < 1e-9, (target, found)
            named = {attribution for attribution, _ in found}
            assert {"alti", "propagation-norm", "gradient-norm", "integrated-presence", "removal"} <= named, named
            assert ("propagation-removal" in named) == (target in ("pooled", "word:2")), named
        assert faithful("word:2", "--erase", "remove", "--attributions", "alti")
        assert faithful("head:-1", "--erase", "unk", "--attributions", "gradient-input")
        for options, words in ((("head:2", "--erase", "remove"), "takes away"),
                               (("head:2", "--attributions", "propagation-removal"), "scores of heads")):
            message = mog("faithfulness", model, "--input", folder / "odd.txt", "--target", *options, expect=2).stderr
            assert words in message, message

        # A biaffine parser reads no graph; a tagger is no parser.
        config.write_text(CONFIG.replace("refinements = 2\n", "").replace('[graph.input]\nform = "three_term"\n', "")
                          .replace("epochs = 40", "epochs = 1"))
        plain = folder / "plain"
        mog("train", config, "--data", folder, "-o", plain, "-q")
        message = mog("parse", "-m", plain, "-i", folder / "test.conllu", "--refinements", 1, expect=2).stderr
        assert "reads no graph" in message, message
        message = mog("ablate", plain, "--input", folder / "odd.txt", "--graph-terms", "all", expect=2).stderr
        assert "reads none" in message, message
        mog("parse", "-m", plain, "-i", folder / "test.conllu", "-o", folder / "plain.conllu", "-q")
        start, end = CONFIG.index("[graph]"), CONFIG.index("[tasks.upos]")
        config.write_text((CONFIG[:start] + CONFIG[end:]).replace("epochs = 40", "epochs = 1"))
        tagger = folder / "tagger"
        mog("train", config, "--data", folder, "-o", tagger, "-q")
        message = mog("parse", "-m", tagger, "-i", folder / "test.conllu", expect=2).stderr
        assert "predicts no dependencies" in message, message
        message = mog("record", "-m", tagger, "-i", folder / "odd.txt", "-o", folder / "x.rec", "--round", 1, expect=2).stderr
        assert "graph of its own" in message, message
        message = mog("faithfulness", tagger, "--input", folder / "odd.txt", "--target", "head:1", expect=2).stderr
        assert "no heads of words" in message, message

        # A graph whose labels were changed by hand does not fit the weights.
        settings["graph"]["labels"].append("more")
        (model / "config.json").write_text(json.dumps(settings))
        message = mog("parse", "-m", model, "-i", folder / "test.conllu", expect=5).stderr
        assert "encoder.graph_input.relations = 15" in message and "17" in message, message


if __name__ == "__main__":
    main()
