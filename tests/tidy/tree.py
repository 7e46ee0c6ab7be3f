"""The files a check looks at: what git tracks or would track, as it is in the working tree."""

import posixpath
import subprocess
from pathlib import Path

CPP = (".h", ".cc")


class Tree:
    """Paths from the repository root, with forward slashes, and their contents."""

    def __init__(self, contents):
        self._contents = contents

    @classmethod
    def of_repository(cls, root):
        listed = subprocess.run(
            ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            check=True, capture_output=True).stdout.decode()
        contents = {}
        for path in sorted(set(filter(None, listed.split("\0")))):
            file = Path(root, path)
            if file.is_file():
                contents[path] = file.read_bytes()
        return cls(contents)

    @classmethod
    def of_texts(cls, texts):
        return cls({path: text.encode() for path, text in texts.items()})

    def paths(self, *endings):
        return [path for path in self._contents if not endings or path.endswith(endings)]

    def size(self, path):
        return len(self._contents[path])

    def text(self, path):
        return self._contents[path].decode(errors="replace")

    def lines(self, path):
        return self.text(path).splitlines()

    def has(self, path):
        return path in self._contents

    def folders(self, *endings):
        return sorted({folder_of(path) for path in self.paths(*endings)})

    def exists(self, path):
        """Whether `path` is a file or a folder that holds one."""
        path = posixpath.normpath(path)
        prefix = path + "/"
        return path == "." or self.has(path) or any(p.startswith(prefix) for p in self._contents)


def folder_of(path):
    return posixpath.dirname(path)
