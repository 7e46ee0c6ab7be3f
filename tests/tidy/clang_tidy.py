#!/usr/bin/env python3
"""Runs clang-tidy, with what .clang-tidy asks for, over C++ sources and the headers they include.

    python3 tests/tidy/clang_tidy.py BUILD_DIR                      every product source
    python3 tests/tidy/clang_tidy.py BUILD_DIR tests worker/engine  those of these folders and files

Prints what clang-tidy finds, each once, and ends with 1 if that is anything. BUILD_DIR is one that
has been built: its compile_commands.json gives the flags, its generated/ the generated headers.

Nearly all of clang-tidy's time goes into the standard library's headers, so many sources go into
one run, each included into one file. Sources that define the same name at the outermost level
never share a run. If a shared run does not compile all the same, its sources get one each.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cpp
from tree import Tree

PROGRAM = "clang-tidy-14"
PRODUCT_FOLDERS = ("protocol", "worker", "companion_sdk", "examples")
SOURCES_AT_ONCE = 40  # bounds what one run holds in memory

_DEFINED = re.compile(r"^(?!namespace\b)[A-Za-z_][^({=;\n]*?(?<!:)\b(\w+)\s*(?:[({=;]|:[^:]|$)",
                      re.MULTILINE)
_TEST = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\((\w+), (\w+)\)", re.MULTILINE)
_FINDING = re.compile(r"^(?=\S.*(?:error|warning): )", re.MULTILINE)  # where one begins
_NOT_COMPILED = "[clang-diagnostic-error"


def flags_of(compile_commands):
    """The flags that say what a source means, of all commands together: they do not conflict."""
    flags = {}
    for entry in compile_commands:
        words = iter(shlex.split(entry["command"]))
        for word in words:
            if word == "-isystem":
                flags[word + next(words)] = None
            elif word.startswith(("-D", "-I", "-std=")):
                flags[word] = None
    return list(flags)


def names_defined(text):
    """Names of the outermost level; some that are not do no harm."""
    code = cpp.blank_out(text)
    names = {match.group(1) for match in _DEFINED.finditer(code)}
    tests = {"_".join(match.groups()) for match in _TEST.finditer(code)}
    return (names | tests) - {"TEST", "TEST_F", "TEST_P", "TYPED_TEST"}


def groups_of(texts):
    """Shares out paths so that no two of a group define the same name."""
    groups = []  # (paths, names)
    for path, text in texts.items():
        names = names_defined(text)
        for paths, taken in groups:
            if len(paths) < SOURCES_AT_ONCE and not names & taken:
                break
        else:
            paths, taken = [], set()
            groups.append((paths, taken))
        paths.append(path)
        taken |= names
    return [paths for paths, _ in groups]


def errors_of(output):
    return "\n".join(line for line in output.splitlines() if _NOT_COMPILED in line)


def lint(root, paths, flags):
    """What clang-tidy says about these sources and their headers, or nothing."""
    with tempfile.NamedTemporaryFile("w", suffix=".cc") as file:
        for path in paths:
            file.write(f'#include "{root / path}"  // NOLINT\n')
        file.flush()
        run = subprocess.run(
            [PROGRAM, "--quiet", f"--config-file={root / '.clang-tidy'}", file.name, "--", *flags],
            cwd=root, capture_output=True, text=True)
    spoilers = [path for path in paths if f"{root / path}:" in errors_of(run.stdout)]
    if len(paths) > 1 and _NOT_COMPILED in run.stdout:
        alone = spoilers or paths
        print(f"clang_tidy: does not compile with others, so alone: {' '.join(alone)}", flush=True)
        rest = [path for path in paths if path not in alone]
        return "".join(lint(root, some, flags) for some in [rest, *([path] for path in alone)]
                       if some)
    if run.returncode != 0 and not run.stdout:
        return f"{PROGRAM} failed: {run.stderr}"
    return run.stdout


def each_once(output):
    """Without the repetitions: a header's finding comes from every run that includes it."""
    return "".join(dict.fromkeys(_FINDING.split(output)))


def main(arguments):
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    root = Path(__file__).resolve().parents[2]
    with open(Path(arguments[0], "compile_commands.json")) as file:
        flags = flags_of(json.load(file))
    wanted = arguments[1:] or PRODUCT_FOLDERS
    tree = Tree.of_repository(str(root))
    texts = {path: tree.text(path) for path in tree.paths(".cc")
             if any(path == one or path.startswith(one.rstrip("/") + "/") for one in wanted)}
    if not texts:
        print(f"clang_tidy: no sources in {' '.join(wanted)}", file=sys.stderr)
        return 2
    # Longest first, so that the last to end is a short one.
    groups = sorted(groups_of(texts), key=len, reverse=True)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        outputs = list(pool.map(lambda paths: lint(root, paths, flags), groups))
    findings = each_once("".join(outputs))
    print(findings, end="")
    print(f"clang_tidy: {len(texts)} sources, {'see above' if findings else 'nothing found'}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
