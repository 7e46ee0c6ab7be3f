"""The names of C++: types CamelCase, functions snake_case, constants kCamelCase, members with _."""

import re

import cpp
from tree import CPP

_CAMEL = re.compile(r"[A-Z][A-Za-z0-9]*$")
_SNAKE = re.compile(r"~?[a-z][a-z0-9_]*$")
_CONSTANT = re.compile(r"k[A-Z][A-Za-z0-9]*$")
_MACRO = re.compile(r"[A-Z][A-Z0-9_]*$")

_TYPE = re.compile(r"\b(?:class|struct|union|enum(?:\s+class)?)\s+(?:\[\[\w+\]\]\s*)?"
                   r"(?:\w+::)*(\w+)\s*(?:final\s*)?(?=:[^:]|\{)")
_ALIAS = re.compile(r"\busing\s+(\w+)\s*=")
_ENUM = re.compile(r"\benum\b[^{;]*\{([^}]*)\}")
_CONSTEXPR = re.compile(r"^(?:inline\s+|static\s+)*constexpr\s+(?!.*\boperator\b)"
                        r"[\w:<>,*&\s]+?\b(\w+)(?:\[\w*\])*\s*(?:=|\{)", re.MULTILINE)
_DEFINE = re.compile(r"^\s*#\s*define\s+(\w+)", re.MULTILINE)
_SECTION = re.compile(r"\b(public|protected|private):")
_MEMBER = re.compile(r"^[^()]*?[\w>&*\]]\s+[&*]?(\w+)(?:\[\w*\])?(?:\s*(?:=|\{).*)?$", re.DOTALL)
# Names that a library looks up.
_GIVEN = {"value_type", "difference_type", "iterator_category", "iterator_concept", "pointer",
          "reference", "const_iterator", "iterator", "is_transparent", "rep"}
_CALLED = {
    "SetUp", "TearDown", "SetUpTestSuite", "TearDownTestSuite", "PrintTo",  # GoogleTest
    "LLVMFuzzerTestOneInput",
    "Null", "Bool", "String", "RawNumber", "Key", "StartObject", "EndObject", "StartArray",
    "EndArray",  # RapidJSON
    "LogRecordFound", "Name",  # RocksDB
}


def check_names(tree):
    """Types are CamelCase, functions snake_case, constants kCamelCase, private members end in _."""
    problems = []
    for path in tree.paths(*CPP):
        text = tree.text(path)
        for at, problem in sorted(name_problems(text, path.startswith("tests/"))):
            problems.append(f"{path}:{text.count(chr(10), 0, at) + 1}: {problem}")
    return problems


def name_problems(text, is_test=False):
    """Yields (place in the text, what is wrong)."""
    code = cpp.blank_out(text)
    for pattern, names, what in ((_TYPE, _CAMEL, "a type: CamelCase"),
                                 (_ALIAS, _CAMEL, "a type: CamelCase"),
                                 (_CONSTEXPR, _CONSTANT, "a constant: kCamelCase")):
        for match in pattern.finditer(code):
            if not names.match(match.group(1)) and match.group(1) not in _GIVEN:
                yield match.start(1), f"{match.group(1)} is {what}"
    for match in _ENUM.finditer(code):
        for enumerator in re.finditer(r"(?:^|,)\s*(\w+)", match.group(1)):
            if not _CONSTANT.match(enumerator.group(1)):
                yield (match.start(1) + enumerator.start(1),
                       f"{enumerator.group(1)} is a constant: kCamelCase")
    for match in _DEFINE.finditer(text):
        if not _MACRO.match(match.group(1)):
            yield match.start(1), f"{match.group(1)} is a macro: UPPER_CASE"
    yield from function_problems(text)
    # What a fixture has for its tests is protected because GoogleTest derives them from it.
    yield from member_problems(code, ("private",) if is_test else ("private", "protected"))


def function_problems(text):
    line_starts = [0] + [match.end() for match in re.finditer("\n", text)]
    types = set(re.findall(r"\b(?:class|struct)\s+(?:\[\[\w+\]\]\s*)?(?:\w+::)*(\w+)", text))
    for function in cpp.functions(text):
        match = re.search(r"((?:\w+::)*)(~?\w+)\s*\(", function.head)
        if not match or "operator" in function.head or function.head.startswith("TEST"):
            continue
        scope, name = match.groups()
        is_constructor = name.lstrip("~") in types or scope.endswith(f"{name.lstrip('~')}::")
        is_macro = _MACRO.match(name) and len(name) > 1
        if not (_SNAKE.match(name) or is_constructor or is_macro or name in _CALLED):
            yield line_starts[function.first_line - 1], f"{name} is a function: snake_case"


def member_problems(code, sections):
    """Data of these sections of a class; only what stands in the class itself."""
    for match in re.finditer(r"\bclass\s+(?:\[\[\w+\]\]\s*)?\w+[^;{()]*\{", code):
        section, depth, start = "private", 0, match.end()
        i = match.end()
        while i < len(code) and depth >= 0:
            character = code[i]
            if character == "{":
                depth += 1
            elif character == "}":
                depth -= 1
                if depth == 0 and code[i + 1:].lstrip()[:1] not in (";", ","):
                    start = i + 1
            elif character == ";" and depth == 0:
                problem = section in sections and member_problem(code[start:i], section)
                if problem:
                    yield i - 1, problem
                start = i + 1
            elif depth == 0 and (label := _SECTION.match(code, i)):
                section, start = label.group(1), label.end()
                i = label.end()
                continue
            i += 1


def member_problem(statement, section):
    statement = " ".join(statement.split())
    if not statement or re.match(
            r"(?:friend|using|class|struct|enum|union|static|template|constexpr)\b", statement):
        return None
    member = _MEMBER.match(statement)
    if member and not member.group(1).endswith("_"):
        return f"{member.group(1)} is a {section} member: it ends in _"
    return None
