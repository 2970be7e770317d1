#!/usr/bin/env python3
"""A parser that reads states from data to trees: with graph input; with composition, history and one token to choose by.

    cli_parse_states.py MOG ENGINE
"""
import json
import pathlib
import tempfile

from cli_parse import rows_of, sentence
from cli_parse_transitions import INPUT, TRANSITIONS, check_trace, crossing
from train_runs import mog

STATES = TRANSITIONS.replace("sentence_transitions", "state_transitions").replace(
    "batch_tokens = 300", "batch_tokens = 600").replace("epochs = 15", "epochs = 30")
COMPOSED = STATES.replace(INPUT, "").replace(
    "dropout = 0.1", 'dropout = 0.1\nclassifier = "cls"\ncomposition = "recursive"\nhistory = 12')


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part, numbers in (("train", range(0, 60)), ("dev", range(60, 75)), ("test", range(70, 90))):
            text = "".join(map(sentence, numbers)) + "".join(map(crossing, list(numbers)[:9]))
            (folder / f"{part}.conllu").write_text(text)
        config = folder / "parser.toml"

        for variant, text in (("graph", STATES), ("composed", COMPOSED)):
            config.write_text(text)
            model = folder / variant
            result = json.loads(mog("train", config, "--data", folder, "-o", model, "--json", "-q").stdout)
            assert result["test"]["las"] > 0.9, (variant, result)
            graph = json.loads((model / "config.json").read_text())["graph"]
            assert graph["parser"] == "state_transitions" and "link_pieces" not in graph, graph
            card = (model / "README.md").read_text()
            assert "every state is a text of its own" in card, card
            assert ("its first token and the transitions before (width 12)" in card) == (variant == "composed"), card

            # What it has learnt from, it parses without an error.
            mog("parse", "-m", model, "-i", folder / "train.conllu", "-o", folder / "out.conllu", "--trace",
                folder / "steps.jsonl", "-q")
            gold = rows_of((folder / "train.conllu").read_text())
            found = rows_of((folder / "out.conllu").read_text())
            wrong = [(g, f) for g, f in zip(gold, found) if (g[3], g[6], g[7].split(":")[0]) != (f[3], f[6], f[7])]
            assert not wrong, (variant, wrong[:3])
            check_trace(folder / "steps.jsonl", (folder / "out.conllu").read_text())
            assert '"action":"SWAP"' in (folder / "steps.jsonl").read_text()
            # Alone as among others.
            one = json.loads(mog("parse", "-m", model, "-i", folder / "train.conllu", "--max-sentences", 1, "--json",
                                 "-q").stdout)
            assert [str(head) for head in one["heads"]] == [row[6] for row in found[:len(one["heads"])]], one

        def refused(code, changed, *parts):
            config.write_text(changed)
            message = mog("train", config, "--data", folder, "-o", folder / "refused", expect=code).stderr
            for part in parts:
                assert part in message, (part, message)

        refused(3, STATES.replace("width = 24", 'width = 24\ncomposition = "all"'), "graph.composition", "last_dependent")
        refused(3, STATES.replace("width = 24", "width = 24\nlink_pieces = true"), "graph.link_pieces")
        refused(3, TRANSITIONS.replace("width = 24", "width = 24\nhistory = 4"), "graph.history")
        settings = json.loads((folder / "composed" / "config.json").read_text())
        settings["graph"]["link_pieces"] = True
        (folder / "composed" / "config.json").write_text(json.dumps(settings))
        message = mog("parse", "-m", folder / "composed", "-i", folder / "test.conllu", expect=3).stderr
        assert "link_pieces to the parsers that read sentences" in message, message


if __name__ == "__main__":
    main()
