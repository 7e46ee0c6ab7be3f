#!/usr/bin/env python3
"""Holds the tree to its own rules.

    python3 tests/tidy/tidy.py             every check
    python3 tests/tidy/tidy.py layers ...  these
    python3 tests/tidy/tidy.py --list      what there is

Prints a line a problem, `path:line: what is wrong`, and ends with 1 if there was one.
"""

import sys
from pathlib import Path

import document_checks
import format_check
import include_checks
import name_check
import size_checks
from tree import Tree

CHECKS = {
    "layers": include_checks.check_layers,
    "third_party": include_checks.check_third_party,
    "linked": include_checks.check_linked,
    "own_header": include_checks.check_own_header,
    "file_length": size_checks.check_file_length,
    "function_length": size_checks.check_function_length,
    "line_length": size_checks.check_line_length,
    "file_size": size_checks.check_file_size,
    "names": name_check.check_names,
    "documents": document_checks.check_documents,
    "error_pages": document_checks.check_error_pages,
    "top_level": document_checks.check_top_level,
    "format": format_check.check_format,
}


def main(arguments):
    if arguments == ["--list"]:
        for name, check in CHECKS.items():
            print(f"{name:16} {check.__doc__.splitlines()[0] if check.__doc__ else ''}".rstrip())
        return 0
    unknown = [name for name in arguments if name not in CHECKS]
    if unknown:
        print(f"tidy: no check {', '.join(unknown)} (known: {', '.join(CHECKS)})", file=sys.stderr)
        return 2
    tree = Tree.of_repository(str(Path(__file__).resolve().parents[2]))
    if not tree.paths():
        print("tidy: no files", file=sys.stderr)
        return 2
    problems = [problem for name in arguments or CHECKS for problem in CHECKS[name](tree)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
