"""As much of C++ as the checks need: includes, and where functions begin and end."""

import re
from dataclasses import dataclass

_INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
_RAW_STRING = re.compile(r'R"([^()\\\s]{0,16})\(')
_CONTAINER = re.compile(r'^(?:inline\s+|typedef\s+|static\s+|\[\[\w+\]\]\s*)*'
                        r'(?:namespace|class|struct|union|enum|extern\s+")')


@dataclass
class Include:
    line: int
    path: str
    quoted: bool


@dataclass
class Function:
    head: str
    first_line: int
    last_line: int

    def length(self):
        return self.last_line - self.first_line + 1


def includes(text):
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        match = _INCLUDE.match(line)
        if match:
            quoted, angled = match.groups()
            found.append(Include(number, quoted or angled, bool(quoted)))
    return found


def blank_out(text):
    """The text with comments, literals and preprocessor lines as blanks; line breaks stay."""
    out = []
    i = 0

    def blank(end):
        nonlocal i
        out.append(re.sub(r"[^\n]", " ", text[i:end]))
        i = end

    def past(marker, start):
        end = text.find(marker, start)
        return len(text) if end < 0 else end + len(marker)

    while i < len(text):
        raw = _RAW_STRING.match(text, i)
        previous = text[i - 1] if i else "\n"
        if text.startswith("//", i):
            end = text.find("\n", i)
            blank(len(text) if end < 0 else end)
        elif text.startswith("/*", i):
            blank(past("*/", i + 2))
        elif raw:
            blank(past(f'){raw.group(1)}"', raw.end()))
        elif text[i] == '"' or (text[i] == "'" and not previous.isalnum()):
            end = i + 1
            while end < len(text) and text[end] not in (text[i], "\n"):
                end += 2 if text[end] == "\\" else 1
            blank(min(end + 1, len(text)))
        elif text[i] == "#" and not text[text.rfind("\n", 0, i) + 1:i].strip():
            end = i
            while True:
                line_end = text.find("\n", end)
                if line_end < 0 or text[line_end - 1] != "\\":
                    break
                end = line_end + 1
            blank(len(text) if line_end < 0 else line_end)
        else:
            out.append(text[i])
            i += 1
    return "".join(out)


def _without_template(head):
    while head.startswith("template"):
        depth = 0
        for i, character in enumerate(head):
            depth += {"<": 1, ">": -1}.get(character, 0)
            if character == ">" and depth == 0:
                head = head[i + 1:].lstrip()
                break
        else:
            break
    return head


def functions(text):
    """Every function with a body, outermost only: what a function holds belongs to its length.

    A brace opens a function if it stands in namespaces and types only and its head (what is before
    it, back to the last `;` or brace) has parentheses, all closed, and begins no namespace or type.
    """
    code = blank_out(text)
    found = []
    stack = []  # (kind, where its head begins)
    head_start = 0
    for i, character in enumerate(code):
        if character == ";":
            head_start = i + 1
        elif character == ":" and code[head_start:i].strip() in ("public", "private", "protected"):
            head_start = i + 1
        elif character == "{":
            head = _without_template(code[head_start:i].strip())
            inside_containers = all(kind == "container" for kind, _ in stack)
            if _CONTAINER.match(head):
                kind = "container"
            elif inside_containers and 0 < head.count("(") == head.count(")"):
                kind = "function"
            else:
                kind = "block"
            if kind == "block" and inside_containers and head.count("(") > head.count(")"):
                kind = "argument"
            stack.append((kind, head_start))
            head_start = i + 1
        elif character == "}":
            kind, start = stack.pop() if stack else ("block", head_start)
            after = code[i + 1:].lstrip()[:1]
            # After an argument in braces, or a member initialized by braces, the head goes on.
            goes_on = kind == "argument" or (kind == "function" and after in (",", "{"))
            head_start = start if goes_on else i + 1
            if kind != "function" or goes_on:
                continue
            first = start + len(code[start:i]) - len(code[start:i].lstrip())
            found.append(Function(" ".join(code[first:code.index("{", first)].split()),
                                  code.count("\n", 0, first) + 1, code.count("\n", 0, i) + 1))
    return found
