"""Documents name what exists: links, paths, error pages. And what the top level may hold."""

import posixpath
import re

from tree import folder_of

ERROR_HEADER = "protocol/base/error.h"
ERROR_SOURCE = "protocol/base/error.cc"
ERROR_PAGES = "docs/errors"
TOP_LEVEL = {
    "CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE",
    "protocol", "worker", "companion_sdk", "bindings", "examples", "tests", "docs",
}

_FENCE = re.compile(r"^\s*(```|~~~)")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
_SPAN = re.compile(r"`([^`]+)`")
_PATH = re.compile(r"[\w.+-]+(?:/[\w.+-]+)+/?$")
_OUTSIDE = re.compile(r"^(?:[a-z][a-z+.-]*:|//)")


def check_documents(tree):
    """Links of *.md lead to files and headings; paths in code spans exist."""
    problems = []
    for path in tree.paths(".md"):
        for number, line in prose(tree.text(path)):
            for target in _LINK.findall(line):
                problem = broken_link(tree, path, target)
                if problem:
                    problems.append(f"{path}:{number}: {problem}")
            for span in _SPAN.findall(line):
                if looks_like_path(span) and not (
                        tree.exists(span) or tree.exists(posixpath.join(folder_of(path), span))):
                    problems.append(f"{path}:{number}: no file {span}")
    return problems


def prose(text):
    """(line number, line) of what is outside fenced code."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def broken_link(tree, path, target):
    if _OUTSIDE.match(target):
        return None
    file, _, anchor = target.partition("#")
    file = posixpath.normpath(posixpath.join(folder_of(path), file)) if file else path
    if not tree.exists(file):
        return f"dead link {target}"
    if anchor and file.endswith(".md") and anchor not in anchors(tree.text(file)):
        return f"no heading for {target}"
    return None


def anchors(text):
    """The anchors that GitHub gives the headings of a document."""
    found = set()
    for _, line in prose(text):
        heading = re.match(r"#+\s+(.*)", line)
        if not heading:
            continue
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).strip().lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        repeated, count = anchor, 0
        while repeated in found:
            count += 1
            repeated = f"{anchor}-{count}"
        found.add(repeated)
    return found


def looks_like_path(span):
    return span.split("/")[0] in TOP_LEVEL and bool(_PATH.match(span))


def check_error_pages(tree):
    """Every error code has a page and a place in the index, and every page has its code."""
    codes = re.findall(r"^\s*(k\w+)\s*=\s*\d+", tree.text(ERROR_HEADER), re.MULTILINE)
    names = dict(re.findall(r'ErrorCode::(k\w+),\s*"([\w-]+)"', tree.text(ERROR_SOURCE)))
    problems = []
    if not codes:
        problems.append(f"{ERROR_HEADER}:1: no error codes found")
    index = f"{ERROR_PAGES}/README.md"
    linked = set(_LINK.findall(tree.text(index))) if tree.has(index) else set()
    pages = {f"{ERROR_PAGES}/README.md"}
    for code in codes:
        if code not in names:
            problems.append(f"{ERROR_SOURCE}:1: {code} has no name")
            continue
        page = f"{ERROR_PAGES}/{names[code]}.md"
        pages.add(page)
        if not tree.has(page):
            problems.append(f"{ERROR_HEADER}:1: {code} has no page {page}")
        elif tree.lines(page)[:1] != [f"# {names[code]}"]:
            problems.append(f"{page}:1: the first line must be `# {names[code]}`")
        if f"{names[code]}.md" not in linked:
            problems.append(f"{index}:1: no link to {names[code]}.md")
    for page in tree.paths(".md"):
        if folder_of(page) == ERROR_PAGES and page not in pages:
            problems.append(f"{page}:1: no error code has this name")
    return problems


def check_top_level(tree):
    """The top level is fixed; dot-files and dot-folders configure tools."""
    top = {path.split("/")[0] for path in tree.paths()}
    return [f"{name}:1: not allowed at the top level" for name in sorted(top - TOP_LEVEL)
            if not name.startswith(".")]
