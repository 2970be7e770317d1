"""Groups of files that are compiled as one (resources/cmake/unity_groups.py): what is meant stays what it was.

    unity_groups_test.py SOURCE_FOLDER
"""
import pathlib
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "resources/cmake"))
import unity_groups  # noqa: E402


class Groups(unittest.TestCase):
    def made(self, **texts):
        """The groups of files `folder__name` → `folder/name.cpp`, by their names; a header ends in `_h`."""
        with tempfile.TemporaryDirectory(prefix="mog-groups-") as folder:
            root, files = pathlib.Path(folder), []
            for name, text in texts.items():
                path = root / (name.replace("__", "/").removesuffix("_h") + (".h" if name.endswith("_h") else ".cpp"))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
                if path.suffix == ".cpp":
                    files.append(str(path))
            return [[pathlib.Path(file).stem for file in group] for group in unity_groups.groups(root, files)]

    def test_files_that_share_no_name_are_one_group(self):
        self.assertEqual(self.made(app__a="namespace { int one() { return 1; } }", app__b="namespace { int two() { return 2; } }"), [["a", "b"]])

    def test_a_name_that_two_have_for_themselves_parts_them(self):
        for own in ("struct Options { int step; };", "constexpr int Options = 3;", "template <class T> T Options(T x) { return x; }",
                    "enum class Options { a };", "using Options = int;", "const std::array<int, 2> Options{1, 2};"):
            self.assertEqual(self.made(app__a="namespace {\n" + own + "\n}", app__b="namespace {\nint first() { return 1; }\n" + own + "\n}"), [], own)

    def test_who_says_a_name_is_apart_from_who_has_it(self):
        own = "namespace { double scale(double x) { return x; } }"
        self.assertEqual(self.made(app__a=own, app__b="double f(int x) { return scale(x); }"), [])
        self.assertEqual(self.made(app__a="double f(int x) { return scale(x); }", app__b=own), [])

    def test_a_header_says_names_too(self):
        own = "namespace { int width = 1; }"
        headers = {"app__inner_h": "inline int twice(int width) { return 2 * width; }", "app__outer_h": '#include "app/inner.h"\n'}
        self.assertEqual(self.made(app__a=own, app__b='#include "app/outer.h"\nint g() { return twice(1); }', **headers), [])

    def test_members_and_qualified_names_are_somebody_elses(self):
        own = "namespace { int size() { return 1; } }"
        self.assertEqual(self.made(app__a=own, app__b="int f(V v, V* w) { return v.size() + w->size() + std::size(v); }"), [["a", "b"]])

    def test_comments_and_texts_say_nothing(self):
        own = "namespace { int size() { return 1; } }"
        self.assertEqual(self.made(app__a=own, app__b='// size\nconst char* f() { return "size"; } /* size */'), [["a", "b"]])

    def test_macros_aliases_and_static_functions_are_names(self):
        for own in ("#define LIMIT 3", "namespace fs = std::filesystem;", "using std::swap;", "static int LIMIT(int x) { return x; }"):
            self.assertEqual(self.made(app__a=own, app__b="int f() { return LIMIT + fs + swap; }"), [], own)

    def test_a_namespace_that_is_opened_is_in_no_group(self):
        self.assertEqual(self.made(app__a="using namespace std;", app__b="int one();", app__c="int two();"), [["b", "c"]])

    def test_a_group_is_of_one_folder_and_in_io_of_one_room(self):
        self.assertEqual(self.made(io__hdf5__a="int a();", io__text__b="int b();", app__c="int c();"), [])
        self.assertEqual(self.made(io__text__a="int a();", io__text__words__b="int b();"), [["a", "b"]])

    def test_a_group_has_an_upper_size(self):
        sizes = [len(group) for group in self.made(**{f"app__f{i:02}": f"int f{i}();" for i in range(30)})]
        self.assertEqual(sum(sizes), 30)
        self.assertLessEqual(max(sizes), unity_groups.MOST)

    def test_the_same_files_make_the_same_groups(self):
        files = sorted(str(path) for path in (SOURCE / "analysis").rglob("*.cpp"))
        self.assertEqual(unity_groups.groups(SOURCE, files), unity_groups.groups(SOURCE, files[::-1]))
        self.assertGreater(sum(map(len, unity_groups.groups(SOURCE, files))), len(files) // 2)


if __name__ == "__main__":
    unittest.main()
