"""Reads the calls of .cmake/retinue.cmake's vocabulary in a CMakeLists.txt."""

import re
from dataclasses import dataclass, field

_CALL = re.compile(r"^(retinue_(?:library|executable|test|fuzzer))\s*\(([^)]*)\)", re.MULTILINE)
_KEYWORDS = ("NAME", "SOURCES", "DEPS", "EXTERNAL", "LABEL")


@dataclass
class Call:
    function: str
    line: int
    arguments: dict = field(default_factory=dict)

    def values(self, keyword):
        return self.arguments.get(keyword, [])


def calls(text):
    text = re.sub(r"#.*", "", text)
    found = []
    for match in _CALL.finditer(text):
        call = Call(match.group(1), text.count("\n", 0, match.start()) + 1)
        keyword = None
        for word in match.group(2).split():
            if word in _KEYWORDS:
                keyword = word
                call.arguments[keyword] = []
            elif keyword:
                call.arguments[keyword].append(word)
        found.append(call)
    return found
