"""What makes wheels, archives and releases: a bundled tree needs nothing of this machine, versions and licences are read right.

    packaging_test.py MOG BUILD_FOLDER SOURCE_FOLDER

The installation in bare systems is tried by hand: resources/packaging/try-in-chroot.
"""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

BUILD, SOURCE = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
PACKAGING = SOURCE / "resources/packaging"
sys.dont_write_bytecode = True
sys.path.insert(0, str(PACKAGING))
import sbom  # noqa: E402
import tree  # noqa: E402


def script(name, path):
    loader = importlib.machinery.SourceFileLoader(name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="mog-packaging-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, text=""):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


class Bundled(Folder):
    def test_a_bundle_runs_by_itself(self):
        missing = [tool for tool in ("patchelf", "dpkg-query", "ninja", "git", "ldd") if shutil.which(tool) is None]
        if missing:
            self.skipTest(f"{', '.join(missing)}: not there (resources/packages/debian-packaging.txt)")
        if not (BUILD / "bin/mog-workbench").exists() or not (BUILD / "build.ninja").exists():
            self.skipTest("without the desktop program, or not built by Ninja")
        if "MOG_SANITIZE:STRING=\n" not in (BUILD / "CMakeCache.txt").read_text():
            self.skipTest("sanitizers bring libraries that no user has")
        if not (tree.plugin_folder() / "platforms/libqwayland-generic.so").exists():
            self.skipTest("qt6-wayland is not there (resources/packages/debian-packaging.txt)")
        installed = self.folder / "a place/installed"
        tree.install(BUILD, installed)
        copied = tree.bundle(BUILD, installed, ["$ORIGIN/../../../torch/lib"])
        tree.check(installed)
        names = {path.name for path in copied}
        for name in ("libQt6Core.so.6", "libX11.so.6", "libqxcb.so", "libqoffscreen.so"):
            self.assertIn(name, names)
        for name in ("libc.so.6", "libstdc++.so.6", "libtorch_cpu.so"):
            self.assertNotIn(name, names)
        loaded = subprocess.run([installed / "bin/mog", "expr", "(a)->a U (b)->b"], env={"LD_DEBUG": "libs"}, capture_output=True, text=True)
        self.assertEqual(loaded.returncode, 0, loaded.stderr[-2000:])
        for line in loaded.stderr.splitlines():
            if "calling init: " in line and not tree.SYSTEM.match(pathlib.Path(line.split("calling init: ")[1]).name):
                self.assertIn(str(installed), line)
        shown = subprocess.run([installed / "bin/mog-workbench", "--version"], env={"QT_QPA_PLATFORM": "offscreen"}, capture_output=True, text=True)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        sbom.write(BUILD, installed, copied)
        bill = json.loads((installed / "share/doc/mog-workbench/sbom.spdx.json").read_text())
        self.assertEqual({file["fileName"] for file in bill["files"]}, {f"./{path}" for path in copied})
        packages = {package["name"]: package for package in bill["packages"]}
        self.assertIn("LGPL-3.0-only", packages["libqt6core6" if "libqt6core6" in packages else "libqt6core6t64"]["licenseDeclared"])
        self.assertIn("nlohmann-json3-dev", packages)  # headers alone
        known = {licence["licenseId"] for licence in bill["hasExtractedLicensingInfos"]}
        for name, package in packages.items():
            self.assertTrue(name == "mog-workbench" or (installed / f"share/doc/mog-workbench/licences/{name}.txt").exists(), name)
            for term in package["licenseDeclared"].split(" AND "):
                self.assertTrue(not term.startswith("LicenseRef-") or term in known, term)
        identifiers = [entry["SPDXID"] for entry in [*bill["packages"], *bill["files"]]]
        self.assertEqual(len(identifiers), len(set(identifiers)))
        unopened = {package["SPDXID"] for package in bill["packages"] if not package["filesAnalyzed"]}
        files = {file["SPDXID"] for file in bill["files"]}
        for relation in bill["relationships"]:
            self.assertIn(relation["relatedSpdxElement"], identifiers)
            self.assertFalse(relation["spdxElementId"] in unopened and relation["relatedSpdxElement"] in files, relation)
        self.assertLess((installed / "share/doc/mog-workbench/sbom.spdx.json").stat().st_size, 3_000_000)  # texts of licences once

    def test_what_is_not_in_a_tree_is_named(self):
        if shutil.which("readelf") is None:
            self.skipTest("no readelf")
        (self.folder / "bin").mkdir()
        shutil.copy(BUILD / "bin/mog", self.folder / "bin/mog")
        with self.assertRaises(SystemExit) as refused:
            tree.check(self.folder)
        self.assertRegex(str(refused.exception), "which is not in the tree|its run path leads to")


class Licences(unittest.TestCase):
    def test_debian_names_become_those_of_spdx(self):
        for debian, spdx in (("GPL-2+", "GPL-2.0-or-later"), ("GPL-3", "GPL-3.0-only"), ("LGPL-2.1+", "LGPL-2.1-or-later"),
                             ("Expat", "MIT"), ("LGPL-3", "LGPL-3.0-only"), ("BSD-3-clause", "BSD-3-Clause"), ("of-its-own", None)):
            self.assertEqual(sbom.identifier(debian), spdx, debian)

    def test_licences_of_the_work_and_not_of_its_packaging(self):
        text = ("Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\nFiles: *\nCopyright: someone\n"
                "License: LGPL-3 or GPL-2+\n\nFiles: a.c\n b.c\nLicense: Expat\n text of it\n\nFiles: debian/*\nLicense: GPL-3\n\n"
                "License: Expat\n more text\n")
        self.assertEqual(sbom.stated_licences(text), ["LGPL-3", "GPL-2+", "Expat"])
        self.assertEqual(sbom.stated_licences("This package was debianized by someone"), [])

    def test_the_words_of_one_licence(self):
        text = ("Format: x\n\nFiles: *\nCopyright: a\nLicense: Own or GPL-2+\n\nFiles: b\nCopyright: b\nLicense: Other\n Take it.\n .\n All of it.\n\n"
                "License: Own\n  Do as you like,\n  but say so.\n")
        self.assertEqual(sbom.licence_text(text, "Own"), " Do as you like,\n but say so.")
        self.assertEqual(sbom.licence_text(text, "Other"), "Take it.\n\nAll of it.")
        self.assertEqual(sbom.licence_text("All rights reserved.", "package"), "All rights reserved.")


class Versions(Folder):
    def test_a_version_is_that_of_its_tag(self):
        if shutil.which("git") is None:
            self.skipTest("no git")
        self.write("CMakeLists.txt", "project(mog_workbench VERSION 0.7.0 LANGUAGES C CXX)\n")
        git = ["git", "-C", str(self.folder), "-c", "user.name=n", "-c", "user.email=e"]
        source, tree.SOURCE = tree.SOURCE, self.folder
        try:
            self.assertEqual(tree.version(), "0.7.0")
            for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
                subprocess.run([*git, *command], check=True)
            self.assertEqual(tree.version(), "0.7.0")
            subprocess.run([*git, "tag", "v0.8.1"], check=True)
            self.assertEqual(tree.version(), "0.8.1")
            subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "two"], check=True)
            self.assertRegex(tree.version(), r"^0\.8\.1\+1\.g[0-9a-f]{7,}$")
        finally:
            tree.SOURCE = source

    def test_a_release_says_what_is_in_it(self):
        release = script("mog_release", PACKAGING / "release")
        self.write("CHANGELOG.md", "# Changelog\n\n## 0.2.0 (2026-12-01)\nNew.\n\n### A\n- a\n\n## 0.1.0\nOld.\n")
        source, tree.SOURCE = tree.SOURCE, self.folder
        try:
            self.assertEqual(release.changes("0.2.0"), "New.\n\n### A\n- a\n")
            self.assertEqual(release.changes("0.1.0"), "Old.\n")
            self.assertEqual(release.changes("0.2.0+3.gabcdef0"), "New.\n\n### A\n- a\n")
            with self.assertRaises(SystemExit):
                release.changes("0.3.0")
        finally:
            tree.SOURCE = source

    def test_what_is_given_away_has_its_notice_and_bill(self):
        release = script("mog_release", PACKAGING / "release")
        for names, missing in ((["licenses/NOTICE"], "bill of materials"), (["sboms/a.spdx.json", "A-NOTICE"], "NOTICE"), (["licenses/NOTICE", "sboms/a.spdx.json"], None)):
            with zipfile.ZipFile(self.folder / "a.whl", "w") as wheel:
                for name in names:
                    wheel.writestr(f"a.dist-info/{name}", "text")
            if missing is None:
                release.check_inside(self.folder / "a.whl")
            else:
                with self.assertRaisesRegex(SystemExit, f"has no {missing} inside"):
                    release.check_inside(self.folder / "a.whl")

    def test_all_places_have_one_version(self):
        number = tree.re.search(r"VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text().split("project(")[1]).group(1)
        self.assertIn(f'version = "{number}"', (SOURCE / "python/pyproject.toml").read_text())
        self.assertIn(f'__version__ = "{number}"', (SOURCE / "python/mog_workbench/__init__.py").read_text())
        self.assertIn(f"\n## {number}", (SOURCE / "CHANGELOG.md").read_text())


class Launcher(Folder):
    """The program of a wheel is told where torch is, unless it finds it itself."""

    def said(self, *paths, **variables):
        code = "import mog_workbench.launcher as l; print(l.environment().get('MOG_TORCH', ''))"
        done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True,
                              env={"PYTHONPATH": ":".join(map(str, paths)), "PYTHONDONTWRITEBYTECODE": "1", **variables})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_where_torch_is(self):
        shutil.copytree(SOURCE / "python/mog_workbench", self.folder / "one/mog_workbench")
        one, other = self.folder / "one", self.folder / "other"
        self.assertEqual(self.said(one), "")
        self.write("other/torch/__init__.py", "raise SystemExit('it is not imported')")
        self.assertEqual(self.said(one, other), "")  # a torch without its library
        self.write("other/torch/lib/libtorch_cpu.so")
        self.assertEqual(self.said(one, other), str(other / "torch/lib"))
        self.assertEqual(self.said(one, other, MOG_TORCH="/chosen"), "/chosen")
        self.write("one/torch/lib/libtorch_cpu.so")
        self.assertEqual(self.said(one, other), "")

    def test_a_program_starts_without_numpy(self):
        shutil.copytree(SOURCE / "python/mog_workbench", self.folder / "one/mog_workbench")
        program = self.write("one/mog_workbench/bin/mog", "#!/bin/sh\necho \"$0 $*\"\nexit 3\n")
        program.chmod(0o755)
        done = subprocess.run([sys.executable, "-S", "-c", "import mog_workbench.launcher as l; l.mog()", "tag", "a b"], capture_output=True, text=True,
                              env={"PYTHONPATH": str(self.folder / "one"), "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual((done.returncode, done.stdout), (3, f"{program} tag a b\n"), done.stderr)
        program.unlink()
        done = subprocess.run([sys.executable, "-S", "-c", "import mog_workbench.launcher as l; l.mog()"], capture_output=True, text=True,
                              env={"PYTHONPATH": str(self.folder / "one"), "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot be started", done.stderr)


class Scripts(unittest.TestCase):
    def test_shells_read_them(self):
        for path in (SOURCE / "bootstrap", PACKAGING / "try-in-chroot", PACKAGING / "bare-system.sh", PACKAGING / "containers/setup.sh",
                     PACKAGING / "containers/try"):
            done = subprocess.run(["bash", "-n", path], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_bootstrap_knows_its_words(self):
        def said(*words):
            return subprocess.run([SOURCE / "bootstrap", *words], capture_output=True, text=True)
        self.assertIn("--no-gpu", said("--help").stdout)
        self.assertIn('"biuld" is no command', said("biuld").stderr)
        self.assertIn('"--gpus"', said("build", "--gpus").stderr)

    def test_help(self):
        for name in ("wheel", "archive", "release"):
            done = subprocess.run([sys.executable, "-B", PACKAGING / name, "--help"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("--output", done.stdout)

    def test_everything_fetched_is_pinned(self):
        for name in ("libtorch", "cuda", "packaging", "test-oracles"):
            lines = [line for line in (SOURCE / f"resources/packages/{name}.txt").read_text().splitlines() if line and not line.startswith("#")]
            self.assertGreater(len(lines), 2, name)
            for line in lines:
                self.assertRegex(line, r"^[\w-]+==[\w.]+ --hash=sha256:[0-9a-f]{64}$", name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
