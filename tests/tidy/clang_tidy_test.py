"""Sources share runs of clang-tidy safely, and what clang-tidy finds in them is shown."""

import tempfile
import unittest
from pathlib import Path

from clang_tidy import each_once, flags_of, groups_of, lint, names_defined

ROOT = Path(__file__).resolve().parents[2]


class Groups(unittest.TestCase):
    def test_names_of_the_outermost_level(self):
        names = names_defined("namespace a {\nconstexpr int kOne = 1;\n"
                              "int f(int x) {\n  int y;\n}\n"
                              "class Thing : public Base {\n};\nvoid Thing::g() {}\n"
                              "TEST(Suite, Case) {}\n}\n")
        self.assertLessEqual({"kOne", "f", "Thing", "Suite_Case"}, names)
        self.assertFalse({"g", "x", "y", "a", "TEST"} & names)

    def test_the_same_name_keeps_sources_apart(self):
        groups = groups_of({"a.cc": "int f() {\n}\n", "b.cc": "int f() {\n}\n",
                            "c.cc": "int g;\n"})
        self.assertEqual(groups, [["a.cc", "c.cc"], ["b.cc"]])

    def test_flags_are_those_that_give_meaning(self):
        command = "c++ -DA=1 -I/x -isystem /y -O2 -Wall -Werror -std=c++20 -o a.o -c a.cc"
        self.assertEqual(flags_of([{"command": command}, {"command": "c++ -DB -DA=1 -c b.cc"}]),
                         ["-DA=1", "-I/x", "-isystem/y", "-std=c++20", "-DB"])

    def test_a_finding_is_shown_once(self):
        one = "/a.h:1:2: error: bad [check]\n  int bad;\n      ^\n"
        other = "/b.h:1:2: error: bad [check]\n  int bad;\n      ^\n"
        self.assertEqual(each_once(one + other + one), one + other)


class Planted(unittest.TestCase):
    def lint(self, texts):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "worker").mkdir()
            paths = [f"{folder}/worker/{name}" for name in texts]
            for path, text in zip(paths, texts.values()):
                Path(path).write_text(text)
            return lint(ROOT, paths, ["-std=c++20"])

    def test_clean(self):
        self.assertEqual(self.lint({"a.cc": "int good_name() { return 1; }\n"}), "")

    def test_a_wrong_name_and_a_bug(self):
        found = self.lint({"a.cc": "int badName() { return 1; }\n",
                           "b.cc": "double half(int x) { return x / 2; }\n"})
        self.assertRegex(found, "worker/a.cc:1:5: error: .* for function 'badName'")
        self.assertRegex(found, r"worker/b.cc:1:\d+: error: .*bugprone-integer-division")

    def test_sources_that_do_not_compile_as_one_run_alone(self):
        self.assertEqual(self.lint({"a.cc": "static int f() { return 1; }\n",
                                    "b.cc": "static int f() { return 2; }\n"}), "")

    def test_a_source_that_does_not_compile(self):
        self.assertIn("clang-diagnostic-error", self.lint({"a.cc": "int f( { }\n"}))


if __name__ == "__main__":
    unittest.main()
