"""How long files, functions and lines may be, and how large a file."""

import re

import cpp
from tree import CPP

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 70
LINE_CHARACTERS_MAX = 100
FILE_BYTES_MAX = 1 << 20

# What people write and read as code. Markdown is exempt: its tables and links cannot be broken, and
# its readers see it rendered. Data (golden vectors, corpora, example input) is exempt as well.
CODE = CPP + (".py", ".sh", ".cmake", ".capnp", "CMakeLists.txt", "CMakePresets.json", ".yml")
CODE_NAMES = (".ci/run",)


def code_paths(tree):
    return [path for path in tree.paths() if path.endswith(CODE) or path in CODE_NAMES]


def check_file_length(tree):
    problems = []
    for path in code_paths(tree):
        length = len(tree.lines(path))
        if length > FILE_LINES_MAX:
            problems.append(f"{path}:{FILE_LINES_MAX}: {length} lines, {FILE_LINES_MAX} are "
                            "allowed: split it by meaning")
    return problems


def check_function_length(tree):
    problems = []
    for path in tree.paths(*CPP):
        for function in cpp.functions(tree.text(path)):
            if function.length() > FUNCTION_LINES_MAX:
                problems.append(f"{path}:{function.first_line}: {function.length()} lines, "
                                f"{FUNCTION_LINES_MAX} are allowed: {function.head[:60]}")
    return problems


def check_line_length(tree):
    """A line may be longer when it is one word that cannot be broken, such as an address."""
    problems = []
    for path in code_paths(tree):
        for number, line in enumerate(tree.lines(path), 1):
            unbreakable = re.fullmatch(r"\W*\S+", line)
            if len(line) > LINE_CHARACTERS_MAX and not unbreakable:
                problems.append(f"{path}:{number}: {len(line)} characters, "
                                f"{LINE_CHARACTERS_MAX} are allowed")
    return problems


def check_file_size(tree):
    return [f"{path}:1: {tree.size(path)} bytes, {FILE_BYTES_MAX} are allowed"
            for path in tree.paths() if tree.size(path) > FILE_BYTES_MAX]
