"""What `cmake --install` puts into a folder works from there, wherever the folder is moved to.

    install_test.py MOG BUILD_FOLDER SOURCE_FOLDER
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, SOURCE = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="mog-install-"))
        first = cls.folder / "first"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", first], check=True, capture_output=True, timeout=600)
        cls.root = cls.folder / "a place" / "moved"
        cls.root.parent.mkdir()
        first.rename(cls.root)
        cls.home = cls.folder / "home"
        cls.home.mkdir()

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def run_it(self, program, *arguments, **variables):
        """Without anything of this build's surroundings."""
        environment = {"HOME": str(self.home), "PATH": "/usr/bin:/bin", "QT_QPA_PLATFORM": "offscreen",
                       "XDG_RUNTIME_DIR": str(self.home), "LANG": "C.UTF-8", **variables}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
            if name in os.environ:
                environment[name] = os.environ[name]
        return subprocess.run([self.root / "bin" / program, *map(str, arguments)], capture_output=True, timeout=300,
                              cwd=self.home, env=environment)

    def commands(self):
        pages = sorted(path.stem for path in (self.root / "share/man/man1").glob("mog-*.1"))
        return [page.removeprefix("mog-") for page in pages if page != "mog-workbench"]

    def test_resources_and_programs_are_its_own(self):
        result = self.run_it("mog", "doctor", "--json")
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        doctor = json.loads(result.stdout)
        self.assertEqual(doctor["resources"], str(self.root / "share/mog-workbench"))
        listed = self.run_it("mog", "describe", "tagger-en-distilled")
        self.assertEqual(listed.returncode, 0, listed.stderr.decode())
        # mog-loader is started from its private folder.
        self.assertFalse((self.root / "bin/mog-loader").exists())
        self.assertNotIn("cannot be started", doctor["sandbox_error"])

    def test_a_sentence_becomes_a_picture(self):
        if not json.loads(self.run_it("mog", "doctor", "--json").stdout)["engine"]:
            self.skipTest("without LibTorch")
        drawn = self.run_it("mog", "figure", "tree", "--text", "The plan would never work .", "--output", "tree.svg")
        self.assertEqual(drawn.returncode, 0, drawn.stderr.decode())
        self.assertIn(b"<svg", (self.home / "tree.svg").read_bytes())

    def test_links_of_the_documents_lead_somewhere(self):
        documents = self.root / "share/doc/mog-workbench"
        pages = sorted(documents.rglob("*.md"))
        self.assertGreater(len(pages), 50)
        links = 0
        for page in pages:
            for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
                if "://" not in target and not target.startswith("#"):
                    links += 1
                    self.assertTrue((page.parent / target.split("#")[0]).exists(), (page.relative_to(documents), target))
        self.assertGreater(links, 200)

    def test_a_wrong_folder_of_resources_is_named(self):
        for wrong, why in ((self.home / "none", "is no folder"), (self.home, "has no folder `models`")):
            doctor = json.loads(self.run_it("mog", "doctor", "--json", MOG_RESOURCES=str(wrong)).stdout)
            self.assertEqual(doctor["resources"], "")
            self.assertIn(f"MOG_RESOURCES is {wrong}, which {why}", doctor["resources_error"])

    def test_libtorch_is_taken_from_where_it_is_said_to_be(self):
        if not json.loads(self.run_it("mog", "doctor", "--json").stdout)["engine"]:
            self.skipTest("without LibTorch")
        text = (BUILD / "CMakeCache.txt").read_text()
        real = pathlib.Path(re.search(r"^MOG_TORCH_CPU:\w+=(.*)$", text, re.MULTILINE).group(1)).parent
        other = self.folder / "other torch"
        other.mkdir(exist_ok=True)
        (other / "lib").symlink_to(real)
        doctor = json.loads(self.run_it("mog", "doctor", "--json", MOG_TORCH=str(other)).stdout)
        self.assertTrue(doctor["engine"], doctor["engine_error"])
        mapped = self.run_it("mog", "doctor", "--json", MOG_TORCH=str(other), LD_DEBUG="files").stderr.decode()
        self.assertIn(f"calling init: {other}/lib/libtorch_cpu.so", mapped)
        # What is started from it does not inherit the path.
        shown = self.run_it("mog", "doctor", "--json", MOG_TORCH=str(other), LD_LIBRARY_PATH="/nowhere")
        self.assertEqual(shown.returncode, 0, shown.stderr.decode())

    def test_a_wrong_libtorch_is_named_and_never_opened(self):
        if not (self.root / "lib/mog-workbench/libmog_engine.so").exists():
            self.skipTest("without the engine")
        wrong = self.folder / "torch of another version"
        (wrong / "lib").mkdir(parents=True, exist_ok=True)
        (wrong / "lib/libtorch_cpu.so").write_text("no library")
        (wrong / "version.py").write_text("__version__ = '2.8.0+cu126'\n")
        for place, said in ((wrong, "has version 2.8.0+cu126, the engine needs 2.11"), (self.home, "where libtorch_cpu.so is not")):
            failed = self.run_it("mog", "trees", "--text", "The plan would never work .", MOG_TORCH=str(place))
            self.assertEqual(failed.returncode, 1, failed.stderr.decode())
            self.assertIn(said, failed.stderr.decode())
            doctor = json.loads(self.run_it("mog", "doctor", "--json", MOG_TORCH=str(place)).stdout)
            self.assertIn(said, doctor["engine_error"])

    def test_nothing_leads_back_to_the_build(self):
        for file in [*(self.root / "bin").iterdir(), *(self.root / "lib/mog-workbench").glob("*mog*")]:
            found = subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=True).stdout
            for paths in re.findall(r"R(?:UN)?PATH\)\s+Library \w+: \[(.*)\]", found):
                self.assertNotIn(str(BUILD), paths, file)
                self.assertTrue(paths.startswith("$ORIGIN"), (file, paths))

    def test_every_command_has_a_page(self):
        help_text = self.run_it("mog", "--help").stdout.decode()
        listed = re.findall(r"^  ([a-z]+)  +\S", help_text.split("Subcommands:")[1], re.MULTILINE)
        self.assertEqual(self.commands(), sorted(listed))
        for command in listed:
            page = (self.root / f"share/man/man1/mog-{command}.1").read_text()
            said = self.run_it("mog", command, "--help").stdout.decode()
            usage = re.search(r"^Usage: mog \w+ \[OPTIONS\]([^\n]*)", said, re.MULTILINE).group(1)
            synopsis = re.search(r"^\.SH SYNOPSIS\n(.*)$", page, re.MULTILINE).group(1)
            for name in re.findall(r"[A-Z][A-Z_]+", usage):
                self.assertIn(name, synopsis, command)
            for option in re.findall(r"^  (?:-\w,)?(--[a-z][a-z0-9-]*)", said, re.MULTILINE):
                self.assertIn(option.replace("-", "\\-"), page, command)

    def test_pages_have_no_mistakes(self):
        if shutil.which("man") is None:
            self.skipTest("no man")
        for page in sorted((self.root / "share/man/man1").glob("*.1")):
            shown = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", page], capture_output=True, text=True,
                                   env={**os.environ, "MANWIDTH": "100", "LANG": "C.UTF-8"})
            self.assertEqual((shown.returncode, shown.stderr), (0, ""), page)
            self.assertIn("SYNOPSIS", re.sub(".\b", "", shown.stdout))

    def test_the_page_of_the_window_names_its_options(self):
        if not (self.root / "bin/mog-workbench").exists():
            self.skipTest("without the desktop program")
        page = (self.root / "share/man/man1/mog-workbench.1").read_text().replace("\\-", "-")
        said = self.run_it("mog-workbench", "--help").stdout.decode()
        options = re.findall(r"^  (?:-\w, )?(--[a-z-]+)", said, re.MULTILINE)
        self.assertGreater(len(options), 15)
        for option in options:
            self.assertIn(option, page)
        for names in re.findall(r"(?:front|page|workspace): ([a-z, \n]+)\.", said):
            for name in re.findall(r"[a-z]+", names):
                self.assertIn(name, page)

    def completed(self, *words):
        script = self.root / "share/bash-completion/completions/mog"
        quoted = " ".join("'" + word + "'" for word in words)
        code = f"source '{script}'; COMP_WORDS=({quoted}); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1)); _mog; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        result = subprocess.run(["bash", "--norc", "-c", code], capture_output=True, text=True, cwd=self.home)
        self.assertEqual(result.stderr, "")
        return result.stdout.split()

    def test_bash_completes(self):
        self.assertEqual(self.completed("mog", "rec"), ["record"])
        self.assertEqual(set(self.commands()), set(self.completed("mog", "")))
        self.assertEqual(self.completed("mog", "record", "--mod"), ["--model"])
        self.assertIn("tagger-en-distilled", self.completed("mog", "record", "--model", ""))
        self.assertEqual(self.completed("mog", "record", "--capture", "summary,at"), ["summary,attention"])
        self.assertEqual(self.completed("mog", "stats", "--quantity", "gate,sh"), ["gate,share"])
        self.assertIn("encoder.*.gate.mean", self.completed("mog", "record", "--quantity", "encoder."))
        self.assertIn("tree", self.completed("mog", "figure", ""))
        self.assertIn("--heads", self.completed("mog", "figure", "tree", "--"))
        self.assertNotIn("--heads", self.completed("mog", "figure", "weight-by-length", "--"))
        self.assertEqual(self.completed("mog", "--thr"), ["--threads"])  # before a command
        self.assertEqual(self.completed("mog", "--device", ""), ["auto", "cpu", "cuda"])
        self.assertEqual(self.completed("mog", "--threads", "4", "--json", "rec"), ["record"])
        self.assertEqual(self.completed("mog", "--json", "record", "--mod"), ["--model"])
        self.assertIn("--heads", self.completed("mog", "-q", "figure", "tree", "--"))
        self.assertIn("tree", self.completed("mog", "--json", "figure", ""))
        self.assertEqual(self.completed("mog", "--device", "=", "cpu", "recor"), ["record"])  # as bash cuts --device=cpu
        self.assertIn("heads-and-syntax", self.completed("mog", "examples", ""))
        self.assertEqual(self.completed("mog", "trees", "some.rec", ""), [])  # files, which the shell knows
        (self.home / "my-model").mkdir(exist_ok=True)
        self.assertEqual(self.completed("mog", "record", "--model", "my"), ["my-model"])

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish_completes(self):
        script = self.root / "share/fish/vendor_completions.d/mog.fish"

        def completed(line):
            code = f"set -x PATH {self.root}/bin $PATH; source {script}; complete -C '{line}'"
            code = code.replace(str(self.root), "'" + str(self.root) + "'")
            result = subprocess.run(["fish", "--no-config", "-c", code], capture_output=True, text=True, cwd=self.home,
                                    env={**os.environ, "HOME": str(self.home)})
            return [found.split("\t")[0] for found in result.stdout.splitlines()]
        self.assertEqual(completed("mog rec"), ["record"])
        self.assertIn("tagger-en-graph", completed("mog record --model ta"))
        self.assertIn("summary,attention", completed("mog record --capture summary,at"))
        self.assertIn("tree", completed("mog figure tr"))
        self.assertIn("--layer", completed("mog figure attention --la"))
        self.assertNotIn("--heads", completed("mog figure weight-by-length --he"))
        self.assertIn("--threads", completed("mog --th"))
        self.assertEqual(completed("mog --threads 4 rec"), ["record"])
        self.assertIn("tagger-en-graph", completed("mog --json record --model ta"))
        self.assertIn("--layer", completed("mog -q figure attention --la"))

    def test_what_is_completed_is_taken(self):
        for name in self.completed("mog", "record", "--precision", ""):
            result = self.run_it("mog", "record", "--precision", name, "--input", "none.txt", "--output", "r")
            self.assertNotIn("--precision", result.stderr.decode().split("use --device")[0].replace("--precision int8", ""))
        for name in self.completed("mog", "record", "--capture", ""):
            self.assertNotIn("--capture", self.run_it("mog", "record", "--capture", name, "--input", "none.txt", "--output",
                                                      "r").stderr.decode())

    def test_other_shells_read_their_scripts(self):
        for shell, file in (("zsh", "zsh/site-functions/_mog"), ("fish", "fish/vendor_completions.d/mog.fish")):
            if shutil.which(shell):
                checked = subprocess.run([shell, "-n", self.root / "share" / file], capture_output=True, text=True)
                self.assertEqual((checked.returncode, checked.stderr), (0, ""), shell)
        refused = self.run_it("mog", "completion", "fihs")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("did you mean fish", refused.stderr.decode())

    def test_the_desktop_can_show_it(self):
        share = self.root / "share"
        if not (share / "applications").exists():
            self.skipTest("without the desktop program")
        for size in (16, 22, 24, 32, 48, 64, 128, 256):
            png = (share / f"icons/hicolor/{size}x{size}/apps/mog-workbench.png").read_bytes()
            self.assertEqual(int.from_bytes(png[16:20], "big"), size)
        for tool, arguments, file in (("desktop-file-validate", [], "applications/mog-workbench.desktop"),
                                      ("appstreamcli", ["validate", "--no-net"],
                                       "metainfo/org.mog_workbench.mog_workbench.metainfo.xml")):
            if shutil.which(tool):
                checked = subprocess.run([tool, *arguments, share / file], capture_output=True, text=True)
                self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        if shutil.which("desktop-file-validate"):
            self.assertEqual(checked.stderr, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
