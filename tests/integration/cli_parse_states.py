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

        # A table of 512 positions is read from its third row on. A state of 508 words has the root and two separators
        # more; the sentence itself would fit. Nothing is parsed before that is found.
        learned = STATES.replace("heads = 2", 'heads = 2\nposition = "learned"').replace("epochs = 30", "epochs = 1")
        config.write_text(learned)
        mog("train", config, "--data", folder, "-o", folder / "learned", "-q")
        (folder / "long.txt").write_text("the dog sees a cat\n" + "a " * 508 + "\n")
        end = ("508 words, the root and two separators, 511 tokens, the model's positions end at 510; shorten the "
               "sentence or leave it out")
        message = mog("parse", "-m", folder / "learned", "-i", folder / "long.txt", expect=5)
        assert f"{folder / 'long.txt'}, line 2: " in message.stderr and end in message.stderr, message.stderr
        assert message.stdout == "", message.stdout
        row = "{}\ta\t_\tDET\t_\t_\t{}\tdet\t_\t_\n"
        (folder / "long.conllu").write_text(
            sentence(3) + "".join(row.format(at, at - 1) for at in range(1, 509)) + "\n")
        message = mog("parse", "-m", folder / "learned", "-i", folder / "long.conllu", expect=5).stderr
        line = (folder / "long.conllu").read_text().splitlines().index(row.format(1, 0).strip()) + 1
        assert f"long.conllu, line {line}: " in message and end in message, message
        # In the data of a training.
        config.write_text(learned.replace('"dev.conllu"', '"long.conllu"'))
        message = mog("train", config, "--data", folder, "-o", folder / "refused", expect=5).stderr
        assert f"long.conllu, line {line}: the longest of its parser states has 511 tokens" in message, message
        config.write_text(learned.replace('"train.conllu"', '"long.conllu"') + "max_tokens = 1000\n")
        message = mog("train", config, "--data", folder, "-o", folder / "refused", expect=5).stderr
        assert "set training.max_tokens to 510 or less" in message, message

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
