"""Reads layers.txt and third_party.txt: lines of `names: names`; an indented line goes on."""

from fnmatch import fnmatchcase


def read_rules(text):
    """Yields (line number, names before the colon, names after it)."""
    rules = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].rstrip()
        if not line:
            continue
        if line[0].isspace():
            rules[-1][2].extend(line.split())
            continue
        left, colon, right = line.partition(":")
        if not colon:
            raise ValueError(f"line {number} has no colon: {line}")
        rules.append((number, left.split(), right.split()))
    return rules


def matches(name, patterns):
    return any(fnmatchcase(name, pattern) for pattern in patterns)
