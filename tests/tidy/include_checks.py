"""Who includes whom: layers, third-party libraries, what is linked, and the order of includes."""

import posixpath

import cmake
import cpp
from rules import matches, read_rules
from tree import CPP, folder_of

LAYERS = "tests/tidy/layers.txt"
THIRD_PARTY = "tests/tidy/third_party.txt"
GENERATED = ".capnp.h"


def check_layers(tree):
    """Every edge between folders is allowed by layers.txt; every quoted include names a file."""
    problems = []
    allowed = {}
    for number, names, targets in read_rules(tree.text(LAYERS)):
        for target in targets:
            if target != "*" and not matches(target, allowed):
                problems.append(f"{LAYERS}:{number}: {target} is not above {names[0]}")
        for name in names:
            if not matches_folder(tree, name):
                problems.append(f"{LAYERS}:{number}: {name} is no folder of this repository")
            allowed[name] = targets
    for path in tree.paths(*CPP):
        folder = folder_of(path)
        # The first pattern that fits rules, so tests/* leaves room for a line of its own above it.
        name = next((name for name in allowed if matches(folder, [name])), None)
        if name is None:
            problems.append(f"{path}:1: {LAYERS} has no line for {folder}")
            continue
        for include in cpp.includes(tree.text(path)):
            if not include.quoted:
                continue
            target = folder_of(include.path)
            source = include.path.removesuffix(".h") if include.path.endswith(GENERATED) else None
            if not tree.has(source or include.path):
                problems.append(f"{path}:{include.line}: no file {include.path} from the root")
            elif target != folder and not matches(target, allowed[name]):
                problems.append(f"{path}:{include.line}: {folder} must not include {target}")
    return problems


def matches_folder(tree, pattern):
    return tree.exists(pattern.removesuffix("/*"))


def check_third_party(tree):
    """Third-party and system headers show only in the folders of third_party.txt."""
    problems = []
    allowed = {}
    for number, names, folders in read_rules(tree.text(THIRD_PARTY)):
        for folder in folders:
            if folder != "*" and not tree.exists(folder):
                problems.append(f"{THIRD_PARTY}:{number}: {folder} is no folder of this repository")
        for name in names:
            allowed[name] = folders
    for path in tree.paths(*CPP):
        folder = folder_of(path)
        if folder.startswith("tests/"):
            continue
        for include in cpp.includes(tree.text(path)):
            if include.quoted:
                continue
            name = next((n for n in allowed if include.path == n or
                         (n.endswith("/") and include.path.startswith(n))), None)
            if name is None:
                if "." in include.path or "/" in include.path:
                    problems.append(f"{path}:{include.line}: {THIRD_PARTY} has no line for "
                                    f"<{include.path}>")
            elif not matches(folder, allowed[name]):
                problems.append(f"{path}:{include.line}: {folder} must not include "
                                f"<{include.path}>; {THIRD_PARTY} says who may")
    return problems


def check_linked(tree):
    """A library or program declares in DEPS every folder that it includes from, and each once."""
    problems = []
    for path in tree.paths("CMakeLists.txt"):
        folder = folder_of(path)
        for call in cmake.calls(tree.text(path)):
            where = f"{path}:{call.line}"
            declared = call.values("DEPS")
            for dependency in declared:
                if not tree.has(f"{dependency}/CMakeLists.txt"):
                    problems.append(f"{where}: DEPS names {dependency}, which is no library")
            for twice in sorted({d for d in declared if declared.count(d) > 1}):
                problems.append(f"{where}: DEPS names {twice} twice")
            # Tests name the library under test and reach what it declares.
            if call.function not in ("retinue_library", "retinue_executable") or (
                    folder.startswith("tests/")):
                continue
            needs = included_folders(tree, folder, call.values("SOURCES"))
            for needed, by in sorted(needs.items()):
                if needed not in declared:
                    problems.append(f"{where}: DEPS lacks {needed}, which {by} includes")
    return problems


def included_folders(tree, folder, sources):
    found = {}
    for path in tree.paths(*CPP):
        if folder_of(path) != folder or (sources and posixpath.basename(path) not in sources):
            continue
        for include in cpp.includes(tree.text(path)):
            target = folder_of(include.path)
            if include.quoted and target != folder:
                found.setdefault(target, path)
    return found


def check_own_header(tree):
    """foo.cc includes foo.h first, which proves that it compiles alone; headers say #pragma once.

    The headers without a .cc are compiled alone by the target headers_alone.
    """
    problems = []
    for path in tree.paths(".h"):
        if "#pragma once" not in tree.lines(path):
            problems.append(f"{path}:1: no #pragma once")
    for path in tree.paths(".cc"):
        header = path.removesuffix(".cc") + ".h"
        if not tree.has(header):
            continue
        first = next(iter(cpp.includes(tree.text(path))), None)
        if first is None or first.path != header:
            line = first.line if first else 1
            problems.append(f"{path}:{line}: the first include must be {header}")
    return problems
