"""C++ files are as clang-format writes them."""

import os
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tree import CPP

PROGRAM = "clang-format-14"
FILES_AT_ONCE = 100


def check_format(tree):
    with tempfile.TemporaryDirectory() as folder:
        paths = tree.paths(*CPP)
        # A copy: what is checked is the tree that was read, whatever happens to its files.
        for path in [*paths, ".clang-format"]:
            file = Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(tree.text(path))
        chunks = [paths[i:i + FILES_AT_ONCE] for i in range(0, len(paths), FILES_AT_ONCE)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return sorted(sum(pool.map(lambda chunk: unformatted(folder, chunk), chunks), []))


def unformatted(folder, paths):
    run = subprocess.run([PROGRAM, "--dry-run", "--Werror", *paths], cwd=folder, text=True,
                         capture_output=True)
    places = re.findall(r"^([^\s:]+):(\d+):\d+: error:", run.stderr, re.MULTILINE)
    if run.returncode != 0 and not places:
        return [f"{paths[0]}:1: {PROGRAM} failed: {run.stderr.strip()}"]
    first = {}
    for path, line in places:
        first.setdefault(path, line)
    return [f"{path}:{line}: not formatted: {PROGRAM} -i {path}" for path, line in first.items()]
