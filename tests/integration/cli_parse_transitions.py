#!/usr/bin/env python3
"""A transition parser from data to trees, with and without graph input: `mog train`, `mog parse --trace`.

    cli_parse_transitions.py MOG ENGINE
"""
import json
import pathlib
import tempfile

from cli_parse import CONFIG, rows_of, sentence
from train_runs import mog

TRANSITIONS = CONFIG.replace("refinements = 2\n", "").replace(
    'kind = "dependencies"\n', 'kind = "dependencies"\nparser = "sentence_transitions"\n').replace(
        "epochs = 40", "epochs = 15")
INPUT = '[graph.input]\nform = "three_term"\n'


def crossing(number):
    """A word between a noun and its adjective belongs to the verb: arcs cross."""
    noun = ["cat", "dog", "bird"][number % 3]
    rows = [("the", "DET", 2, "det"), (noun, "NOUN", 4, "nsubj"), ("now", "ADV", 4, "advmod"),
            ("sleeps", "VERB", 0, "root"), ("big", "ADJ", 2, "amod")]
    text = "".join(f"{at}\t{form}\t_\t{tag}\t_\t_\t{head}\t{label}\t_\t_\n"
                   for at, (form, tag, head, label) in enumerate(rows, 1))
    return f"# sent_id = c{number}\n{text}\n"


def check_trace(path, parsed):
    """Replays the transitions: their states are those that the trace shows, and their end is the tree."""
    for line, text in zip(path.read_text().splitlines(), parsed.split("\n\n")):
        trace = json.loads(line)
        words = len(trace["words"])
        stack, buffer, arcs = [0], list(range(1, words + 1)), []
        for step in trace["transitions"]:
            assert (step["stack"], step["buffer"]) == (stack, buffer), step
            assert step["arcs"] == arcs, step
            assert abs(sum(step["probabilities"].values()) - 1.0) < 1e-3, step
            action = step["action"]
            if action == "SHIFT":
                stack.append(buffer.pop(0))
            elif action == "SWAP":
                buffer.insert(0, stack.pop(-2))
            else:
                word = stack.pop(-2 if action == "LEFTARC" else -1)
                arcs.append([stack[-1], word, step["label"]])
        assert stack == [0] and not buffer
        heads = {word: (str(head), label) for head, word, label in arcs}
        assert [heads[word + 1] for word in range(words)] == [(row[6], row[7]) for row in rows_of(text)]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part, numbers in (("train", range(0, 60)), ("dev", range(60, 75)), ("test", range(70, 90))):
            text = "".join(map(sentence, numbers)) + "".join(map(crossing, list(numbers)[:9]))
            (folder / f"{part}.conllu").write_text(text)
        config = folder / "parser.toml"

        for reads in (True, False):
            config.write_text(TRANSITIONS if reads else TRANSITIONS.replace(INPUT, ""))
            model = folder / f"model-{reads}"
            result = json.loads(mog("train", config, "--data", folder, "-o", model, "--json", "-q").stdout)
            assert result["test"]["las"] > 0.9 and result["dev"]["uas"] > 0.9, result
            card = (model / "README.md").read_text()
            assert "by transitions with swap" in card and "% (LAS)" in card, card
            graph = json.loads((model / "config.json").read_text())["graph"]
            assert graph["parser"] == "sentence_transitions" and "refinements" not in graph, graph

            mog("parse", "-m", model, "-i", folder / "test.conllu", "-o", folder / "out.conllu", "--trace",
                folder / "steps.jsonl", "-q")
            gold = rows_of((folder / "test.conllu").read_text())
            found = rows_of((folder / "out.conllu").read_text())
            right = sum(g[6] == f[6] and g[7].split(":")[0] == f[7] for g, f in zip(gold, found))
            assert abs(right / len(gold) - result["test"]["las"]) < 1e-9, (right, len(gold), result)
            check_trace(folder / "steps.jsonl", (folder / "out.conllu").read_text())
            assert "SWAP" in (folder / "steps.jsonl").read_text()
            scores = mog("evaluate", "--hypothesis", folder / "out.conllu", "--reference", folder / "test.conllu",
                         "--metric", "uas,las", "--json", "-q").stdout
            las = [row for row in json.loads(scores)["scores"] if row["measure"] == "LAS"]
            assert len(las) == 1 and abs(las[0]["value"] / 100 - right / len(gold)) < 1e-6, scores
            mog("parse", "-m", model, "-i", folder / "test.conllu", "-o", folder / "flat.conllu", "--projective",
                "--trace", folder / "flat.jsonl", "-q")
            assert '"action":"SWAP"' not in (folder / "flat.jsonl").read_text()
            line = json.loads(mog("parse", "-m", model, "-i", folder / "test.conllu", "--max-sentences", 1, "--json",
                                  "-q").stdout)
            assert line["transitions"] >= 2 * len(line["words"]) and "rounds" not in line, line
            message = mog("parse", "-m", model, "-i", folder / "test.conllu", "--refinements", 0, expect=2).stderr
            assert "builds its tree by transitions" in message and "leave out --refinements" in message, message

        def refused(code, changed, *parts):
            config.write_text(changed)
            message = mog("train", config, "--data", folder, "-o", folder / "refused", expect=code).stderr
            for part in parts:
                assert part in message, (part, message)

        def line_of(text, part):
            return f"line {[part in line for line in text.splitlines()].index(True) + 1}:"

        refining = TRANSITIONS.replace("dropout = 0.1", "dropout = 0.1\nrefinements = 1")
        refused(5, refining, line_of(refining, "refinements"), 'graph.refinements belongs to parser = "pairs"')
        mistyped = TRANSITIONS.replace("sentence_transitions", "transitions")
        refused(3, mistyped, line_of(mistyped, "parser ="), "graph.parser", "sentence_transitions")
        settings = json.loads((folder / "model-True" / "config.json").read_text())
        settings["graph"]["refinements"] = 2
        (folder / "model-True" / "config.json").write_text(json.dumps(settings))
        message = mog("parse", "-m", folder / "model-True", "-i", folder / "test.conllu", expect=3).stderr
        assert "refinements belongs to parser = pairs" in message, message


if __name__ == "__main__":
    main()
