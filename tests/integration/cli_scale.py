"""Many tasks and one corpus: `--shard auto`, `mog corpus index`, `mog launch slurm` and `mog status` with a queue that is made up.

Usage: cli_scale.py MOG MODELS_DIR    (recording and translating are left out without the engine)
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time
import unittest

from mog_cli import MogCase

MOG, MODELS = (os.path.abspath(path) for path in sys.argv[1:3])
MODEL = os.path.join(MODELS, "half_weight_gate")
ENGINE = json.loads(subprocess.run([MOG, "doctor", "--json"], capture_output=True, check=True).stdout)["engine"]
YEARS = 10 * 365 * 86400
LAUNCHERS = ("SLURM_", "OMPI_", "PMI_", "RANK", "WORLD_SIZE")

# sbatch: keeps what it was asked, and runs the tasks of the array, but those in `lose` (never seen again) and in
# `hold` (they stay in the queue) and `stuck` (there, too, and Slurm does not try again; scontrol lets them go). squeue: the tasks
# of these, those in `run`, which it says run, and Slurm's own error where there are none.
FAKE = r"""#!{python}
import json, os, pathlib, subprocess, sys
home = pathlib.Path({home!r})
def numbers(name):
    path = home / name
    return set(path.read_text().split()) if path.exists() else set()
words = sys.argv[1:]
if (home / "broken").exists() and pathlib.Path(sys.argv[0]).name == "sbatch":
    sys.exit("made up: error: Batch job submission failed: Invalid partition name specified")
if pathlib.Path(sys.argv[0]).name == "squeue":
    silent = home / "silent"  # so often it does not answer
    if silent.exists() and (left := int(silent.read_text())) > 0:
        silent.write_text(str(left - 1))
        sys.exit("slurm_load_jobs error: Unable to contact slurm controller (connect failure)")
    if not numbers("hold") | numbers("stuck") | numbers("run"):
        sys.exit("slurm_load_jobs error: Invalid job id specified")
    for name, state in (("hold", "PENDING|Priority"), ("stuck", "PENDING|launch failed requeued held"), ("run", "RUNNING|None")):
        print("".join(task + "|4711|" + state + "\n" for task in sorted(numbers(name))), end="")
    sys.exit(0)
if pathlib.Path(sys.argv[0]).name == "scontrol":
    assert words[0] == "release" and words[1].startswith("4711_"), words
    (home / "stuck").write_text(" ".join(numbers("stuck") - set([words[1][5:]])))
    (home / "hold").write_text(" ".join(numbers("hold") | set([words[1][5:]])))
    sys.exit(0)
with open(home / "asked", "a") as asked:
    asked.write(json.dumps(words) + "\n")
array = next(word for word in words if word.startswith("--array=")).split("=")[1].split("%")[0]
log = next(word for word in words if word.startswith("--output=")).split("=", 1)[1]
for piece in array.split(","):
    first, _, last = piece.partition("-")
    for task in map(str, range(int(first), int(last or first) + 1)):
        if task not in numbers("lose") | numbers("hold") | numbers("stuck"):
            with open(log.replace("%a", task).replace("%%", "%"), "a") as out:
                subprocess.run(["/bin/sh", words[-1]], env=dict(os.environ, SLURM_ARRAY_TASK_ID=task), stdout=out, stderr=out)
print("4711;cluster")
"""


def environment(**more):
    """Without what a launcher left in it, which may have started this test."""
    return {key: value for key, value in os.environ.items() if not key.startswith(LAUNCHERS)} | more


class Scale(MogCase):
    mog = MOG

    def run_mog(self, *arguments, stdin=None, **more):
        return subprocess.run([MOG, *map(str, arguments)], capture_output=True, input=stdin, timeout=300, env=environment(**more))

    def corpus(self, lines=50, name="corpus.txt"):
        draw = random.Random(1)
        words = [f"w{i}" for i in range(5, 39)]
        return self.write(name, "".join(" ".join(draw.choices(words, k=draw.randint(1, 12))) + "\n" for _ in range(lines)))

    def table(self, *recordings):
        return self.run_well("stats", *recordings, "--quantity", "gate", "--bootstrap", 0)

    def sentences(self, *recordings):
        return [json.loads(line)["sentence"] for line in self.run_well("sentences", *recordings, "--json").splitlines()]


class Shards(Scale):
    def test_an_index_is_made_once_and_found_again(self):
        corpus = self.corpus(2500)
        said = json.loads(self.run_well("corpus", "index", corpus, "--json"))
        self.assertEqual(said["sentences"], 2500)
        self.assertTrue(pathlib.Path(said["path"]).exists())
        self.assertIn("2,500 sentences", self.run_well("corpus", "index", corpus))
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        there = json.loads(self.run_well("corpus", "index", corpus, "--index", elsewhere, "--json"))
        self.assertEqual(pathlib.Path(there["path"]).read_bytes(), pathlib.Path(said["path"]).read_bytes())
        self.expect(2, "index", "corpus", "indx", corpus)
        self.expect(2, "standard input", "corpus", "index", "-")

    @unittest.skipUnless(ENGINE, "the engine is not there")
    def test_a_loop_of_tasks_records_the_whole(self):
        corpus = self.corpus()
        self.run_well("record", "-m", MODEL, "-i", corpus, "-o", self.folder / "whole")
        tasks = [subprocess.Popen([MOG, "record", "-m", MODEL, "-i", corpus, "-o", self.folder / "part-{part}", "--shard", "auto"],
                                  env=environment(RANK=str(rank), WORLD_SIZE="3"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                 for rank in range(3)]
        for rank, task in enumerate(tasks):
            _, said = task.communicate(timeout=300)
            self.assertEqual(task.returncode, 0, said.decode())
            self.assertIn(f"part {rank + 1} of 3 (RANK)", said.decode())
        parts = [self.folder / f"part-{part}" for part in (1, 2, 3)]
        self.assertEqual(self.sentences(*parts), list(range(1, 51)))
        self.assertEqual(len(self.table(*parts).splitlines()), len(self.table(self.folder / "whole").splitlines()))
        self.assertEqual([path.name for path in self.folder.glob("*.mogindex*")], ["corpus.txt.mogindex"])

    @unittest.skipUnless(ENGINE, "the engine is not there")
    def test_parts_may_have_no_sentence(self):
        corpus = self.corpus(2)
        for part in (1, 2, 3):
            shard = ("--shard", f"{part}/3")
            self.run_well("record", "-m", MODEL, "-i", corpus, "-o", self.folder / f"r{part}", *shard)
            self.run_well("parse", "-m", "parser-en", "--quiet", "-i", corpus, "-o", self.folder / f"p{part}", *shard)
            self.run_well("translate", MODEL, corpus, "--beam", 1, "--max-tokens", 4, "-o", self.folder / f"t{part}", *shard)
        self.assertEqual(self.sentences(*(self.folder / f"r{part}" for part in (1, 2, 3))), [1, 2])
        self.expect(3, "no sentences with a word", "record", "-m", MODEL, "-i", self.write("none.txt", "\n"), "-o", self.folder / "none")

    @unittest.skipUnless(ENGINE, "the engine is not there")
    def test_missing_parts_are_said(self):
        corpus = self.corpus(9)
        parts = [self.folder / f"m{part}" for part in (1, 2, 3)]
        for part, output in enumerate(parts, 1):
            self.run_well("record", "-m", MODEL, "-i", corpus, "-o", output, "--shard", f"{part}/3")
        some = self.run_mog("stats", parts[0], parts[2], "--by", "layer")
        self.assertEqual(some.returncode, 0)
        self.assertIn("1 of 3 parts of corpus.txt are not among the recordings (2)", some.stderr.decode())
        self.assertNotIn("not among", self.run_mog("stats", *parts, "--by", "layer").stderr.decode())

    @unittest.skipUnless(ENGINE, "the engine is not there")
    def test_other_activations_are_another_model(self):
        corpus, other = self.corpus(6), self.folder / "other"
        shutil.copytree(MODEL, other)
        config = other / "config.json"
        config.write_text(config.read_text().replace('"relu"', '"gelu"'))
        for part, model in ((1, MODEL), (2, other)):
            self.run_well("stats", "-m", model, "-i", corpus, "-o", self.folder / f"{part}.sums", "--shard", f"{part}/2")
        self.expect(5, "configuration", "merge", self.folder / "1.sums", self.folder / "2.sums")

    @unittest.skipUnless(ENGINE, "the engine is not there")
    def test_parts_of_translations_are_the_whole(self):
        corpus = self.corpus(12)
        options = ("--beam", 1, "--max-tokens", 8)
        whole = self.run_well("translate", MODEL, corpus, "--json", *options)
        parts = "".join(self.run_well("translate", MODEL, corpus, "--json", *options, "--shard", f"{part}/3") for part in (1, 2, 3))
        fields = ("sentence", "text", "ids")
        self.assertEqual(*([[document[field] for field in fields] for document in map(json.loads, text.splitlines())]
                           for text in (parts, whole)))
        recorded = self.folder / "two.rec"
        second = self.run_well("translate", MODEL, corpus, *options, "--shard", "2/3", "--record", recorded)
        self.assertEqual(len(second.splitlines()), 4)
        self.assertEqual(self.sentences(recorded), [5, 6, 7, 8])
        again = ("translate", MODEL, corpus, *options, "--shard", "2/3", "--record", recorded)
        self.expect(2, "--overwrite", *again)
        self.run_well(*again, "--overwrite")
        self.assertEqual(self.sentences(recorded), [5, 6, 7, 8])

    @unittest.skipUnless(ENGINE, "the engine is not there")
    def test_parts_of_parses_are_the_whole(self):
        text = self.write("text.txt", "The dog sleeps.\n\nShe gave him a book.\nNo.\nWhy did they go?\n")
        parse = ("parse", "-m", "parser-en", "--quiet")
        whole = self.run_well(*parse, "-i", text)
        for source, name in ((text, "p{part}.conllu"), (self.write("whole.conllu", whole), "q{part}.conllu")):
            for part in (1, 2):
                self.run_well(*parse, "-i", source, "-o", self.folder / name, "--shard", f"{part}/2")
            parts = "".join((self.folder / name.format(part=part)).read_text() for part in (1, 2))
            # Probabilities may differ in the last digit: sentences share other batches.
            self.assertEqual(*([line.split("\t")[:8] for line in lines.splitlines()] for lines in (parts, whole)))

    @unittest.skipUnless(ENGINE, "the engine is not there")
    def test_given_translations_are_cut_as_their_corpus(self):
        corpus, target = self.corpus(9), self.corpus(9, "target.txt")
        words = target.read_text().replace("w", "v")
        target.write_text(words)
        parts = [self.folder / f"{part}.rec" for part in (1, 2)]
        for part, output in enumerate(parts, 1):
            self.run_well("record", "-m", MODEL, "-i", corpus, "--target", target, "-o", output, "--shard", f"{part}/2")
        self.assertEqual(self.sentences(*parts), list(range(1, 10)))
        # A sample ends where its last line is, not its corpus; nor does one whose last line is left out.
        for seed in (1, 2, 3, 4):
            drawn = self.folder / f"drawn-{seed}"
            self.run_well("record", "-m", MODEL, "-i", corpus, "--target", target, "-o", drawn, "--sample", 3, "--seed", seed)
            self.assertEqual(len(self.sentences(drawn)), 3)
        broken = self.write("broken.txt", corpus.read_bytes() + b"\xff\n")
        longer = self.write("longer.txt", words + "v v\n")
        self.run_well("record", "-m", MODEL, "-i", broken, "--target", longer, "-o", self.folder / "skipped", "--invalid-utf8", "skip")
        short = self.write("short.txt", "\n".join(words.splitlines()[:8]) + "\n")
        self.expect(3, "aligned line by line", "record", "-m", MODEL, "-i", corpus, "--target", short, "-o", self.folder / "no",
                    "--shard", "1/2")

    @unittest.skipUnless(ENGINE, "the engine is not there")
    def test_what_cannot_be_cut_is_refused(self):
        corpus = self.corpus()
        record = ("record", "-m", MODEL, "-o", self.folder / "r")
        self.expect(2, "SLURM_ARRAY_TASK_ID", *record, "-i", corpus, "--shard", "auto")
        said = self.run_mog(*record, "-i", corpus, "--shard", "auto", RANK="0", WORLD_SIZE="2")
        self.assertEqual(said.returncode, 2)
        self.assertIn("put {part} into the name", said.stderr.decode())
        self.expect(2, "wanted is i/n", *record, "-i", corpus, "--shard", "4")
        self.expect(2, "give --shard, too", *record, "-i", corpus, "--index", self.folder)
        self.expect(2, "compressed", *record, "-i", self.write("c.gz", b"\x1f\x8b\x08\0"), "--shard", "1/2")
        self.expect(2, "standard input", *record, "-i", "-", "--shard", "1/2", stdin=b"w5\n")
        self.expect(1, "--index", *record, "-i", corpus, "--shard", "1/2", "--index", self.folder / "no" / "folder")
        self.run_well("corpus", "index", corpus)
        corpus.write_text(corpus.read_text() + "w5\n")
        self.expect(3, "mog corpus index", *record, "-i", corpus, "--shard", "1/2")
        self.assertFalse((self.folder / "r").exists())


@unittest.skipUnless(ENGINE, "the engine is not there")
class PartsOfMeasurements(Scale):
    """What keeps values of sentences: parts add up to the table of one run, byte for byte."""
    tagger = os.path.join(MODELS, "tagger_half_weight_gate")

    def parts(self, *command, count=3):
        for part in range(1, count + 1):
            self.run_well(*command, "--shard", f"{part}/{count}", "-o", self.folder / "part-{part}.sums")
        return [self.folder / f"part-{part}.sums" for part in range(1, count + 1)]

    def test_faithfulness(self):
        corpus = self.corpus(40)
        command = ("faithfulness", "-m", self.tagger, "-i", corpus, "--attributions", "random,gradient-norm,leave-one-out", "--against",
                   "random", "--bootstrap", 50)
        whole = self.run_well(*command)
        parts = self.parts(*command)
        self.assertEqual(self.run_well("merge", *parts), whole)
        self.expect(2, "of 3 parts 2 is missing", "merge", parts[0], parts[2])
        two = self.folder / "two.sums"
        self.run_well("merge", parts[2], parts[0], "--allow-missing", "-o", two)
        self.assertEqual(self.run_well("merge", parts[1], two), whole)
        self.assertEqual(self.run_well("merge", self.whole(command)), whole)  # one file of everything
        self.run_well(*command, "--seed", 2, "--shard", "2/3", "-o", parts[1])
        self.expect(2, "the same options", "merge", *parts)

    def whole(self, command):
        path = self.folder / "whole.sums"
        self.run_well(*command, "-o", path)
        return path

    def test_ablation_of_a_text(self):
        # Parts of 4,000 sentences and more begin where batches do.
        corpus = self.corpus(8200)
        command = ("ablate", "-m", self.tagger, "-i", corpus, "--layers", 1, "--parts", "high,gate", "--bootstrap", 20)
        whole = self.run_well(*command)
        parts = self.parts(*command, count=2)
        self.assertEqual(self.run_well("merge", *parts), whole)

    def test_ablation_with_gold_tags(self):
        draw = random.Random(4)
        tags = ("B-LOC", "O", "B-PER", "I-PER")
        sentences = ["".join(f"{at}\tw{draw.randrange(5, 39)}\t{tags[at % 4]}\n" for at in range(1, draw.randint(3, 12))) for _ in range(30)]
        gold = self.write("gold.iob2", "\n".join(sentences) + "\n")
        config = json.loads((pathlib.Path(self.tagger) / "config.json").read_text())
        if not any(tag.startswith("B-") for tags in config["tasks"].values() for tag in tags):
            self.skipTest("the tagger has no spans")
        command = ("ablate", "-m", self.tagger, "--iob2", gold, "--layers", 2, "--bootstrap", 20, "--json")
        whole = [json.loads(line) for line in self.run_well(*command).splitlines()]
        merged = [json.loads(line) for line in self.run_well("merge", *self.parts(*command), "--json").splitlines()]
        self.assertEqual([row.keys() for row in merged], [row.keys() for row in whole])
        for row, wanted in zip(merged, whole):
            for key, value in wanted.items():
                if isinstance(value, float):
                    self.assertAlmostEqual(row[key], value, delta=1e-5, msg=key)  # batches are others
                else:
                    self.assertEqual(row[key], value, key)

    def test_what_cannot_be_a_part_is_refused(self):
        corpus = self.corpus(10)
        text = ("-m", self.tagger, "-i", corpus)
        for command in (("faithfulness", *text, "--attributions", "random"), ("ablate", *text)):
            self.expect(2, "ends in .sums", *command, "--shard", "1/2", "-o", self.folder / "x.csv")
            self.expect(2, "--sentences", *command, "--sentences", 3, "--shard", "1/2", "-o", self.folder / "x.sums")
        self.run_well("ablate", *text, "--shard", "1/2", "-o", self.folder / "a.sums")
        self.run_well("faithfulness", *text, "--attributions", "random", "--shard", "2/2", "-o", self.folder / "f.sums")
        self.expect(2, "do not add up", "merge", self.folder / "a.sums", self.folder / "f.sums")


class Launch(Scale):
    def setUp(self):
        super().setUp()
        self.fake = self.folder / "fake"
        self.fake.mkdir()
        for name in ("sbatch", "squeue", "scontrol"):
            (self.fake / name).write_text(FAKE.format(python=sys.executable, home=str(self.fake)))
            (self.fake / name).chmod(0o755)
        self.run_folder = self.folder / "a run, 100 % o'clock"

    def run_mog(self, *arguments, stdin=None, **more):
        return super().run_mog(*arguments, stdin=stdin, PATH=f"{self.fake}:{os.environ['PATH']}", **more)

    def launch(self, *more, command=()):
        return ("launch", "slurm", self.run_folder, "--tasks", 4, *more, "--",
                *(command or ("record", "-m", MODEL, "-i", self.folder / "corpus.txt")))

    def status(self, *more):
        return json.loads(self.run_well("status", self.run_folder, "--json", *more))

    def asked(self):
        return [json.loads(line) for line in (self.fake / "asked").read_text().splitlines()]

    def test_the_script_is_written_and_nothing_submitted(self):
        self.corpus()
        self.run_well(*self.launch("--dry-run", "--partition", "gpu", "--time", "2:00:00", "--gpus", "a100:1", "--cpus", 4,
                                   "--memory", "16G"))
        script = self.run_folder / "task.sh"
        subprocess.run(["sh", "-n", script], check=True)
        lines = script.read_text().splitlines()
        for option in ("--partition=gpu", "--time=2:00:00", "--gpus-per-task=a100:1", "--cpus-per-task=4", "--mem=16G", "--ntasks=1"):
            self.assertIn("#SBATCH " + option, lines)
        self.assertTrue((self.folder / "corpus.txt.mogindex").exists())
        self.assertFalse((self.fake / "asked").exists())
        self.assertEqual(self.status()["idle"], [1, 2, 3, 4])

    @unittest.skipUnless(ENGINE, "the engine is not there")
    def test_a_run_is_watched_and_what_failed_is_submitted_again(self):
        corpus = self.corpus()
        blocked = self.run_folder / "part-2.rec"
        (self.fake / "lose").write_text("3")
        (self.fake / "hold").write_text("4")
        self.run_well(*self.launch("--dry-run"))
        blocked.write_text("no folder")  # the task cannot write there
        self.assertEqual(self.status("--resubmit")["resubmitted"], [1, 2, 3, 4])
        self.assertEqual(self.asked()[0][1], "--array=1-4")
        status = self.status()
        self.assertEqual([status[state] for state in ("done", "failed", "lost", "waiting", "running")], [[1], [2], [3], [4], []])
        self.assertEqual(status["sentences"], 50)
        self.assertEqual(status["recorded"], len(self.sentences(self.run_folder / "part-1.rec")))
        text = self.run_well("status", self.run_folder)
        self.assertIn("4 tasks: 1 done, 1 waiting, 1 failed, 1 lost", text)
        self.assertIn("task 2 failed, exit 2", text)
        self.assertIn("it is a file", (self.run_folder / "logs" / "2.log").read_text())
        blocked.unlink()
        (self.fake / "lose").unlink()
        self.assertEqual(self.status("--resubmit")["resubmitted"], [2, 3])
        self.assertEqual(self.asked()[1][1], "--array=2-3")
        self.assertEqual(self.status()["done"], [1, 2, 3])
        (self.fake / "hold").unlink()  # the queue forgot it
        self.assertEqual(self.status()["lost"], [4])
        self.assertIn("submitted again: 4", self.run_well("status", self.run_folder, "--resubmit"))
        self.assertIn("4 tasks: 4 done\n50 of 50 sentences\nnothing to submit again",
                      self.run_well("status", self.run_folder, "--resubmit"))
        self.assertEqual(len(self.asked()), 3)
        parts = sorted(self.run_folder.glob("part-*.rec"))
        self.assertEqual(self.sentences(*parts), list(range(1, 51)))
        self.run_well("record", "-m", MODEL, "-i", corpus, "-o", self.folder / "whole")
        self.assertEqual(len(self.table(*parts).splitlines()), len(self.table(self.folder / "whole").splitlines()))

    @unittest.skipUnless(ENGINE, "the engine is not there")
    def test_a_queue_that_does_not_answer_makes_nothing_lost(self):
        self.corpus()
        (self.fake / "lose").write_text("3")
        self.run_well(*self.launch())
        (self.fake / "silent").write_text("2")
        status = self.status()
        self.assertEqual([status[state] for state in ("done", "lost", "unknown")], [[1, 2, 4], [], [3]])
        self.assertIn("Unable to contact", status["queue_problem"])
        self.expect(2, "nobody knows which of them run", "status", self.run_folder, "--resubmit")
        (self.fake / "silent").write_text("2")  # the watch asks again
        result = self.run_mog("status", self.run_folder, "--watch", "--every", 0.1, "--json")
        self.assertEqual(result.returncode, 1)
        self.assertIn("1 of 4 tasks did not end well", result.stderr.decode())
        self.assertEqual(json.loads(result.stdout.splitlines()[0])["lost"], [3])

    @unittest.skipUnless(ENGINE, "the engine is not there")
    def test_clocks_of_other_machines_change_nothing(self):
        """Files of tasks and the corpus are stamped hours and years off: nothing is lost, done twice or sooner."""
        for name, command, output, written in (("record", ("--commit-every", 5), "part-1.rec", "part-1.rec/journal.jsonl"),
                                               ("stats", ("--quantity", "gate", "--bootstrap", 0), "part-1.sums", "part-1.sums")):
            self.run_folder = self.folder / f"run of {name}"
            corpus = self.corpus(name=f"{name}.txt")
            os.utime(corpus, (0, os.stat(corpus).st_mtime + YEARS))
            (self.fake / "lose").write_text("1 2 3 4")
            (self.fake / "run").write_text("1 2 3")
            self.run_well(*self.launch(command=(name, "-m", MODEL, "-i", corpus, *command)))
            self.run_well(name, "-m", MODEL, "-i", corpus, *command, "--shard", "1/4", "-o", self.run_folder / output)
            begun, kept = self.run_folder / "state" / "1.start", self.run_folder / written
            for shift in (0, 5 * 3600, -5 * 3600, YEARS, -YEARS):
                moment = time.time() + shift
                for task in (1, 2):
                    start = self.run_folder / "state" / f"{task}.start"
                    start.write_text(f"{moment:.0f}\n")
                    os.utime(start, (moment, moment))
                os.utime(kept, (moment + 10, moment + 10))
                status = self.status()
                self.assertEqual([status[state] for state in ("running", "lost", "done", "failed")], [[1, 2, 3], [4], [], []])
                self.assertAlmostEqual(status["sentences_per_s"], status["recorded"] / 10, places=3)
                self.assertAlmostEqual(status["left_s"], (50 - status["recorded"]) / (status["recorded"] / 10), places=1)
                self.assertIn(f"{status['recorded']} of 50 sentences, ", self.run_well("status", self.run_folder))
            os.utime(begun, (moment + 3600, moment + 3600))  # its clock was put back
            status = self.status()
            self.assertEqual((status["running"], status["sentences_per_s"], status["left_s"]), ([1, 2, 3], 0, None))
            self.assertEqual(self.status("--resubmit")["resubmitted"], [4])
            for task, code, shift in ((1, 0, YEARS), (2, 3, -YEARS)):
                (self.fake / "run").write_text("3")
                end = self.run_folder / "state" / f"{task}.exit"
                end.write_text(f"{code}\n")
                os.utime(end, (moment + shift, moment + shift))
            status = self.status()
            self.assertEqual([status[state] for state in ("done", "failed", "running", "lost")], [[1], [2], [3], [4]])
            # What was recorded is not recorded again, and the rest is.
            (self.fake / "lose").unlink()
            (self.fake / "run").unlink()
            self.assertEqual(self.status("--resubmit")["resubmitted"], [2, 3, 4])
            self.assertEqual(self.status()["done"], [1, 2, 3, 4])
            parts = sorted(self.run_folder.glob("part-*"))
            if name == "record":
                self.assertEqual(self.sentences(*parts), list(range(1, 51)))
            else:
                merged = self.run_mog("merge", *parts, "-o", self.folder / "all.csv")
                self.assertIn("50 sentences of 4 files", merged.stderr.decode() + merged.stdout.decode())

    def test_a_task_that_slurm_holds_is_let_go(self):
        self.corpus()
        (self.fake / "stuck").write_text("1 2 3 4")
        self.run_well(*self.launch())
        self.assertEqual(self.status()["held"], [1, 2, 3, 4])
        self.assertIn("task 3 is held", self.run_well("status", self.run_folder))
        self.assertEqual(self.run_mog("status", self.run_folder, "--watch").returncode, 1)  # nobody will start them
        status = self.status("--resubmit")
        self.assertEqual(status["resubmitted"], [1, 2, 3, 4])
        self.assertEqual(self.status()["waiting"], [1, 2, 3, 4])
        self.assertEqual(len(self.asked()), 1)  # they are in the queue already
        # Held again and again: a release is an attempt.
        (self.fake / "hold").unlink()
        (self.fake / "stuck").write_text("1 2 3 4")
        self.assertEqual(self.run_mog("status", self.run_folder, "--watch", "--resubmit", "--every", 0.1, "--attempts", 2).returncode, 1)

    @unittest.skipUnless(ENGINE, "the engine is not there")
    def test_a_queue_that_refuses_loses_no_attempt_and_no_exit_code(self):
        self.corpus()
        self.run_well(*self.launch("--dry-run"))
        (self.run_folder / "part-2.rec").write_text("no folder")
        self.status("--resubmit")
        self.assertEqual(self.status()["failed"], [2])
        (self.fake / "broken").touch()
        self.expect(2, "Invalid partition name", "status", self.run_folder, "--resubmit")
        self.expect(2, "Invalid partition name", "status", self.run_folder, "--watch", "--resubmit", "--every", 0.1)
        self.assertIn("task 2 failed, exit 2: ", self.run_well("status", self.run_folder))
        (self.fake / "broken").unlink()
        # A task that waits again is not submitted a second time, whatever it ended with before.
        (self.fake / "hold").write_text("2")
        status = self.status("--resubmit")
        self.assertEqual((status["waiting"], status["resubmitted"]), ([2], []))

    @unittest.skipUnless(ENGINE, "the engine is not there")
    def test_a_watch_submits_again_until_all_is_done(self):
        self.corpus()
        self.run_well(*self.launch("--dry-run"))
        (self.run_folder / "part-2.rec").write_text("no folder")
        watch = ("status", self.run_folder, "--watch", "--resubmit", "--every", 0.1, "--attempts", 2)
        result = self.run_mog(*watch)
        self.assertEqual(result.returncode, 1)
        self.assertEqual([words[1] for words in self.asked()], ["--array=1-4", "--array=2"])
        self.assertIn("4 tasks: 3 done, 1 failed", result.stdout.decode())
        (self.run_folder / "part-2.rec").unlink()
        self.assertEqual(self.run_mog(*watch[:-1], 3).returncode, 0)
        self.assertEqual(self.status()["done"], [1, 2, 3, 4])

    @unittest.skipUnless(ENGINE, "the engine is not there")
    def test_a_launch_submits_all_tasks(self):
        self.corpus()
        said = json.loads(self.run_well(*self.launch("--at-once", 2, "--json")))
        self.assertEqual((said["task_count"], said["job_ids"]), (4, [4711]))
        self.assertEqual(self.asked()[0][1], "--array=1-4%2")
        self.assertEqual(self.status()["done"], [1, 2, 3, 4])

    def test_what_cannot_be_launched_is_refused(self):
        corpus = self.corpus()
        record = ("record", "-m", MODEL, "-i", corpus)
        for word, command in (("behind --", [""]), ("has no --shard", ["validate", "x.rec"]), (".sums", ["stats", "-m", MODEL, "-i", corpus, "-o", "x-{part}.csv"]),
                              ("--trace", ["parse", "-i", corpus, "--trace", "t.jsonl"]), ("--input", record[:3]),
                              ("its own --shard", [*record, "--shard", "1/2"]), ("its own --shard", [*record, "--shard=1/2"]),
                              ("{part}", [*record, "-o", "x.rec"])):
            self.expect(2, word, *self.launch(command=command) if command != [""] else self.launch()[:5])
            self.assertFalse(self.run_folder.exists())
        self.expect(2, "slurm", "launch", "slrm", self.run_folder, "--tasks", 1, "--", *record)
        self.expect(2, "without spaces", *self.launch("--partition", "a b"))
        self.expect(2, "no run of tasks", "status", self.folder)
        (self.fake / "broken").touch()
        self.expect(2, "Invalid partition name", *self.launch())
        (self.fake / "broken").unlink()
        self.expect(2, "not empty", *self.launch())
        self.assertEqual(self.status()["idle"], [1, 2, 3, 4])  # it can still be submitted

    def test_a_sweep_is_launched_without_a_corpus(self):
        self.run_well(*self.launch("--dry-run", command=("train", "sweep.toml", "-o", "many")))
        self.assertIn('train sweep.toml -o many --resume --quiet --shard "$task/4"', (self.run_folder / "task.sh").read_text())
        self.assertEqual(self.status()["sentences"], 0)
        single = self.write("single.toml", "name = 'x'\n")
        self.expect(2, "no section [sweep]", "train", single, "--shard", "1/2")

    def test_a_damaged_run_is_refused(self):
        self.corpus()
        self.run_well(*self.launch("--dry-run"))
        path = self.run_folder / "run.json"
        sound = path.read_text()
        for text in ("{", "[]", "{}", sound.replace('"version": 1', '"version": 2'), sound.replace('"tasks": 4', '"tasks": -4'),
                     sound.replace('"tasks": 4', '"tasks": "four"'), sound.replace('"jobs": []', '"jobs": [[]]')):
            path.write_text(text)
            self.expect(3, "run.json", "status", self.run_folder)

    def test_without_slurm_it_says_so(self):
        self.corpus()
        result = subprocess.run([MOG, *map(str, self.launch())], capture_output=True, env=environment(PATH=str(self.folder)))
        self.assertEqual(result.returncode, 2)
        self.assertIn("sbatch: there is no such program", result.stderr.decode())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
