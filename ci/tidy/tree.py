# SPDX-License-Identifier: Apache-2.0
"""The tree that the rules read: paths and texts, from the disk or planted by a self-test."""

import functools
import os
import pathlib
import subprocess
import tempfile
from typing import Dict, Iterator, List, Optional, Tuple

from tidy import lexer

CXX = (".h", ".cc", ".inc", ".cu", ".def")
LICENCE = "SPDX-License-" "Identifier: Apache-2.0"
OTHER_SOURCES = (".py", ".sh", ".proto", ".cmake")


def outside_fences(lines: List[str]) -> Iterator[Tuple[int, str]]:
    """(number, line) of the lines of a page that stand in no fenced block."""
    fenced = False
    for number, line in enumerate(lines, 1):
        fence = line.lstrip().startswith("```")
        fenced ^= fence
        if not fenced and not fence:
            yield number, line


class Tree:
    """Files by path, relative to the root, with `/` between folders."""

    def __init__(self, texts: Dict[str, str], root: Optional[pathlib.Path] = None):
        self.texts = texts
        self.paths = sorted(texts)
        self._root = root
        self._views: Dict[str, lexer.Views] = {}

    @classmethod
    def of_folder(cls, root: pathlib.Path) -> "Tree":
        texts = {}
        for path in _names_below(root):
            if (root / path).is_file():
                texts[path] = (root / path).read_text(encoding="utf-8", errors="replace")
        return cls(texts, root)

    @property
    def root(self) -> pathlib.Path:
        """A folder with these files; for programs that read files themselves."""
        if self._root is None:
            # Kept until the process ends: the planted trees are small and few.
            self._holder = tempfile.TemporaryDirectory(prefix="tidy-")
            self._root = pathlib.Path(self._holder.name)
            for path, text in self.texts.items():
                (self._root / path).parent.mkdir(parents=True, exist_ok=True)
                (self._root / path).write_text(text, encoding="utf-8")
        return self._root

    def lines(self, path: str) -> List[str]:
        # Not splitlines(): it also splits at form feeds and at U+2028.
        lines = self.texts[path].split("\n")
        return lines[:-1] if lines[-1] == "" else lines

    def length(self, path: str) -> int:
        """In lines; the line that names the licence is nobody's work to read."""
        return sum(LICENCE not in line for line in self.lines(path))

    def views(self, path: str) -> lexer.Views:
        """Code and comments of a C++ file apart."""
        if path not in self._views:
            self._views[path] = lexer.split(self.texts[path])
        return self._views[path]

    @functools.cached_property
    def cxx(self) -> List[str]:
        return [path for path in self.paths if path.endswith(CXX)]

    @functools.cached_property
    def sources(self) -> List[str]:
        """Everything that a compiler, an interpreter or CMake reads."""
        return [path for path in self.paths if self.is_source(path)]

    def is_source(self, path: str) -> bool:
        name = path.rsplit("/", 1)[-1]
        if path.endswith(CXX + OTHER_SOURCES) or name == "CMakeLists.txt":
            return True
        return "." not in name and self.texts[path].startswith("#!")

    @functools.cached_property
    def readmes(self) -> List[str]:
        return [path for path in self.paths if path.rsplit("/", 1)[-1] == "README.md"]

    @functools.cached_property
    def folders(self) -> Dict[str, List[str]]:
        """The files that stand in each folder itself; the root is the empty name."""
        found: Dict[str, List[str]] = {}
        for path in self.paths:
            folder, _, name = path.rpartition("/")
            found.setdefault(folder, []).append(name)
        return found

    @functools.cached_property
    def top(self) -> List[str]:
        """The names of the top-level folders."""
        return sorted({path.split("/")[0] for path in self.paths if "/" in path})


def is_test(path: str) -> bool:
    return path.endswith(("_test.cc", "_test.py"))


def is_own(path: str) -> bool:
    """The rules themselves: they must name what they forbid."""
    return path.startswith("ci/tidy/")


def _names_below(root: pathlib.Path) -> List[str]:
    if (root / ".git").exists():
        command = ["git", "-C", str(root), "ls-files", "-z", "-co", "--exclude-standard"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return [name for name in done.stdout.split("\0") if name]
    names = []
    for folder, folders, files in os.walk(root):
        # A source archive: what .gitignore names is left out by hand.
        folders[:] = [f for f in folders if f not in ("out", "__pycache__")
                      and not f.startswith("build") and (f == ".ci" or not f.startswith("."))]
        names += [os.path.relpath(os.path.join(folder, name), root) for name in files]
    return names
