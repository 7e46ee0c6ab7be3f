"""The command itself: the format check, the files of a repository, and the exit codes."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import format_check
import tidy
from tree import Tree


class Format(unittest.TestCase):
    def problems(self, text):
        return format_check.check_format(Tree.of_texts(
            {".clang-format": "BasedOnStyle: Google\n", "a/b.cc": text, "a/c.h": "int c;\n"}))

    def test_clean(self):
        self.assertEqual(self.problems("int main() { return 0; }\n"), [])

    def test_unformatted(self):
        self.assertEqual(self.problems("int b;\nint  main() {return 0;}\nint  c;\n"),
                         ["a/b.cc:2: not formatted: clang-format-14 -i a/b.cc"])


class Repository(unittest.TestCase):
    def test_tracked_and_new_files_but_not_ignored_ones(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["git", "init", "-q", folder], check=True)
            for path, text in {".gitignore": "/build/\n", "tracked.h": "1", "new.h": "2",
                               "gone.h": "3", "build/x.h": "4"}.items():
                Path(folder, path).parent.mkdir(exist_ok=True)
                Path(folder, path).write_text(text)
            subprocess.run(["git", "-C", folder, "add", "tracked.h", "gone.h"], check=True)
            Path(folder, "gone.h").unlink()
            tree = Tree.of_repository(folder)
            self.assertEqual(tree.paths(), [".gitignore", "new.h", "tracked.h"])


class Command(unittest.TestCase):
    def run_tidy(self, *arguments):
        return subprocess.run([sys.executable, tidy.__file__, *arguments], capture_output=True,
                              text=True)

    def test_an_unknown_check(self):
        run = self.run_tidy("layers", "nonsense")
        self.assertEqual(run.returncode, 2)
        self.assertIn("no check nonsense", run.stderr)

    def test_the_list(self):
        run = self.run_tidy("--list")
        self.assertEqual([line.split()[0] for line in run.stdout.splitlines()], list(tidy.CHECKS))

    def test_a_problem_ends_with_1(self):
        tidy.CHECKS["planted"] = lambda tree: ["a:1: planted"]
        try:
            self.assertEqual(tidy.main(["planted"]), 1)
        finally:
            del tidy.CHECKS["planted"]


if __name__ == "__main__":
    unittest.main()
