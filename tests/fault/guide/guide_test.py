"""Installs the build and does what docs/guide/writing-a-companion.md says, outside of the tree."""

import os
import pathlib
import re
import subprocess
import tempfile

SOURCE = pathlib.Path(os.environ["RETINUE_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["RETINUE_BINARY_DIR"])
FILE = re.compile(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```\n", re.DOTALL)
EXPECTED = '{"text":"no disk","nth":1}\n{"text":"still no disk","nth":2}\n'

with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder) / "work"
    work.mkdir()
    prefix = pathlib.Path(folder) / "prefix"
    subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix, "--strip"], check=True,
                   stdout=subprocess.DEVNULL)
    page = (SOURCE / "docs/guide/writing-a-companion.md").read_text(encoding="utf-8")
    for name, text in FILE.findall(page):
        (work / name).write_text(text, encoding="utf-8")
    subprocess.run(["bash", "-euo", "pipefail", "run.sh"], cwd=work, check=True,
                   env=os.environ | {"PREFIX": str(prefix)})
    errors = (work / "errors.jsonl").read_text(encoding="utf-8")
    if errors != EXPECTED:
        raise SystemExit(f"the guide's pipeline wrote\n{errors}\nexpected\n{EXPECTED}")
