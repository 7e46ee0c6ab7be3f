"""Each violation of the include rules is found, and a tree without one is clean."""

import unittest

import include_checks
from tree import Tree

GOOD = {
    "tests/tidy/layers.txt": "low:\nmiddle: low\nhigh: low\n  middle\ntests/*: *\n",
    "tests/tidy/third_party.txt": "fmt/: *\nuv.h: high\nthread: high\n",
    "low/CMakeLists.txt": "retinue_library(EXTERNAL fmt::fmt)\n",
    "middle/CMakeLists.txt": "retinue_library(DEPS low)\n",
    "high/CMakeLists.txt": "# retinue_library(DEPS x)\nretinue_library(\n  DEPS low\n middle)\n",
    "low/a.h": "#pragma once\n#include <fmt/format.h>\n#include <vector>\n",
    "low/a.cc": '// a\n#include "low/a.h"\n\n#include <vector>\n',
    "middle/b.h": '#pragma once\n#include "low/a.h"\n',
    "high/c.cc": '#include <uv.h>\n#include <thread>\n#include "middle/b.h"\n#include "low/a.h"\n',
    "tests/unit/high/c_test.cc": '#include <uv.h>\n#include "low/a.h"\n#include "middle/b.h"\n',
}


class IncludeChecks(unittest.TestCase):
    def expect(self, check, files, *expected):
        self.assertEqual(check(Tree.of_texts({**GOOD, **files})), list(expected))

    def test_clean(self):
        for check in (include_checks.check_layers, include_checks.check_third_party,
                      include_checks.check_linked, include_checks.check_own_header):
            with self.subTest(check.__name__):
                self.expect(check, {})

    def test_an_edge_that_points_up(self):
        self.expect(include_checks.check_layers,
                    {"low/a.h": '#pragma once\n#  include  "middle/b.h"\n'},
                    "low/a.h:2: low must not include middle")

    def test_an_edge_to_a_lower_folder_that_is_not_listed(self):
        self.expect(include_checks.check_layers,
                    {"tests/tidy/layers.txt": "low:\nmiddle:\nhigh: low middle\ntests/*: *\n"},
                    "middle/b.h:2: middle must not include low")

    def test_a_cycle_in_the_list(self):
        self.expect(include_checks.check_layers,
                    {"tests/tidy/layers.txt": "low: middle\nmiddle: low\nhigh: *\ntests/*: *\n"},
                    "tests/tidy/layers.txt:1: middle is not above low")

    def test_a_folder_without_a_line(self):
        self.expect(include_checks.check_layers, {"other/d.cc": ""},
                    "other/d.cc:1: tests/tidy/layers.txt has no line for other")

    def test_a_line_without_a_folder(self):
        self.expect(include_checks.check_layers,
                    {"tests/tidy/layers.txt": GOOD["tests/tidy/layers.txt"] + "gone: low\n"},
                    "tests/tidy/layers.txt:6: gone is no folder of this repository")

    def test_an_include_that_is_not_from_the_root(self):
        self.expect(include_checks.check_layers, {"low/a.cc": '#include "a.h"\n'},
                    "low/a.cc:1: no file a.h from the root")

    def test_a_generated_header_needs_its_schema(self):
        header = '#include "low/s.capnp.h"\n'
        self.expect(include_checks.check_layers, {"low/d.cc": header, "low/s.capnp": ""})
        self.expect(include_checks.check_layers, {"low/d.cc": header},
                    "low/d.cc:1: no file low/s.capnp.h from the root")

    def test_a_third_party_header_in_the_wrong_folder(self):
        self.expect(include_checks.check_third_party, {"low/d.cc": "#include <uv.h>\n"},
                    "low/d.cc:1: low must not include <uv.h>; tests/tidy/third_party.txt says who "
                    "may")

    def test_a_thread_in_the_wrong_folder(self):
        self.expect(include_checks.check_third_party, {"middle/b.h": "#include <thread>\n"},
                    "middle/b.h:1: middle must not include <thread>; tests/tidy/third_party.txt "
                    "says who may")

    def test_a_header_nobody_named(self):
        self.expect(include_checks.check_third_party,
                    {"low/d.cc": "#include <sys/wait.h>\n#include <map>\n"},
                    "low/d.cc:1: tests/tidy/third_party.txt has no line for <sys/wait.h>")

    def test_a_third_party_line_for_a_folder_that_is_gone(self):
        self.expect(include_checks.check_third_party,
                    {"tests/tidy/third_party.txt": "fmt/: *\nuv.h: high gone\nthread: high\n"},
                    "tests/tidy/third_party.txt:2: gone is no folder of this repository")

    def test_a_dependency_that_is_not_declared(self):
        self.expect(include_checks.check_linked,
                    {"high/CMakeLists.txt": "retinue_library(DEPS middle)\n"},
                    "high/CMakeLists.txt:1: DEPS lacks low, which high/c.cc includes")

    def test_only_the_sources_of_a_program_count(self):
        program = "retinue_executable(NAME p SOURCES {} DEPS middle)\n"
        self.expect(include_checks.check_linked,
                    {"high/CMakeLists.txt": program.format("d.cc"), "high/d.cc": ""})
        self.expect(include_checks.check_linked, {"high/CMakeLists.txt": program.format("c.cc")},
                    "high/CMakeLists.txt:1: DEPS lacks low, which high/c.cc includes")

    def test_a_dependency_that_is_no_library_or_stands_twice(self):
        self.expect(include_checks.check_linked,
                    {"high/CMakeLists.txt": "\nretinue_library(DEPS low low middle / )\n"},
                    "high/CMakeLists.txt:2: DEPS names /, which is no library",
                    "high/CMakeLists.txt:2: DEPS names low twice")

    def test_own_header_not_first(self):
        self.expect(include_checks.check_own_header,
                    {"low/a.cc": '#include <vector>\n#include "low/a.h"\n'},
                    "low/a.cc:1: the first include must be low/a.h")
        self.expect(include_checks.check_own_header, {"low/a.cc": "int a;\n"},
                    "low/a.cc:1: the first include must be low/a.h")

    def test_no_guard(self):
        self.expect(include_checks.check_own_header, {"low/a.h": "// #pragma once\n"},
                    "low/a.h:1: no #pragma once")


if __name__ == "__main__":
    unittest.main()
