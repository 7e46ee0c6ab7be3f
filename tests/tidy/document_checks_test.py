"""Dead links, missing pages and strangers at the top level are found."""

import unittest

import document_checks
from tree import Tree


class Documents(unittest.TestCase):
    def problems(self, text):
        return document_checks.check_documents(Tree.of_texts({
            "docs/a.md": text,
            "docs/b.md": "# Top\n## The `parts`, two\n## Again\n## Again\n```\n# no heading\n```\n",
            "worker/log/log.h": "",
            "README.md": "",
        }))

    def test_clean(self):
        self.assertEqual(self.problems(
            "# Here\n[b](b.md) [top](b.md#top) [parts](b.md#the-parts-two) [2](b.md#again-1) "
            "[self](#here) [up](../README.md \"title\") [folder](../worker/log) "
            "[w](https://x.y/z)\n"
            "`worker/log/log.h` `worker/log/` `docs/a.md` `N/A` `docs/*.md` `protocol ← worker`\n"
            "```\n[dead](gone.md) `worker/gone.h`\n```\n"), [])

    def test_dead_links(self):
        self.assertEqual(self.problems("\n[x](gone.md) and [y](../docs/c/)\n"),
                         ["docs/a.md:2: dead link gone.md", "docs/a.md:2: dead link ../docs/c/"])

    def test_dead_headings(self):
        self.assertEqual(self.problems("[x](b.md#no-heading) [y](#gone)"),
                         ["docs/a.md:1: no heading for b.md#no-heading",
                          "docs/a.md:1: no heading for #gone"])

    def test_dead_paths(self):
        self.assertEqual(self.problems("see `worker/log/gone.h`"),
                         ["docs/a.md:1: no file worker/log/gone.h"])


class ErrorPages(unittest.TestCase):
    GOOD = {
        "protocol/base/error.h": "enum class C {\n  kBadInput = 1,  // x\n  kIoError = 2,\n};",
        "protocol/base/error.cc":
            '{ErrorCode::kBadInput, "bad-input"},\n{ErrorCode::kIoError, "io-error"}',
        "docs/errors/README.md": "[bad-input](bad-input.md) [io-error](io-error.md)",
        "docs/errors/bad-input.md": "# bad-input\n",
        "docs/errors/io-error.md": "# io-error\n",
    }

    def problems(self, changes):
        texts = {path: text for path, text in {**self.GOOD, **changes}.items() if text is not None}
        return document_checks.check_error_pages(Tree.of_texts(texts))

    def test_clean(self):
        self.assertEqual(self.problems({}), [])

    def test_no_page(self):
        self.assertEqual(self.problems({"docs/errors/io-error.md": None}),
                         ["protocol/base/error.h:1: kIoError has no page docs/errors/io-error.md"])

    def test_a_page_without_a_code(self):
        self.assertEqual(self.problems({"docs/errors/old.md": "# old\n"}),
                         ["docs/errors/old.md:1: no error code has this name"])

    def test_a_page_with_another_title(self):
        self.assertEqual(self.problems({"docs/errors/io-error.md": "# I/O error\n"}),
                         ["docs/errors/io-error.md:1: the first line must be `# io-error`"])

    def test_not_in_the_index(self):
        self.assertEqual(self.problems({"docs/errors/README.md": "[bad-input](bad-input.md)"}),
                         ["docs/errors/README.md:1: no link to io-error.md"])

    def test_a_code_without_a_name(self):
        problems = self.problems({"protocol/base/error.cc": 'ErrorCode::kBadInput, "bad-input"'})
        self.assertIn("protocol/base/error.cc:1: kIoError has no name", problems)

    def test_no_codes(self):
        self.assertIn("protocol/base/error.h:1: no error codes found",
                      self.problems({"protocol/base/error.h": ""}))


class TopLevel(unittest.TestCase):
    def test_strangers(self):
        tree = Tree.of_texts(dict.fromkeys(
            ["README.md", "worker/a.h", ".ci/run", ".gitignore", "notes.txt", "src/a.h"], ""))
        self.assertEqual(document_checks.check_top_level(tree),
                         ["notes.txt:1: not allowed at the top level",
                          "src:1: not allowed at the top level"])


if __name__ == "__main__":
    unittest.main()
