# SPDX-License-Identifier: Apache-2.0
"""No block of code stands twice: eight or more lines in a row that are equal once comments and
blanks are gone and every number and string is the same word. Lines of brackets, includes and lone
words count for nothing, and rows of a table (files of tests, .def, .inc) may be alike."""

import collections
import re
from typing import Dict, Iterator, List, Tuple

from tidy.finding import Finding
from tidy.tree import Tree, is_test

NAME = "copies"
CEILING = True
MEASURES = ("copied-lines",)
LINES = 8

_LITERAL = re.compile(r'"\s*"|\b[0-9][\w.]*')
_FOUR_LETTERS = re.compile(r"\w\W*\w\W*\w\W*\w")
_BLOCK = "".join(f"  int value_{i} = Function{i}(first, second);\n" for i in range(12))
PLANTED = [({"spec/a.cc": "int a;\n" + _BLOCK, "fuzz/b.cc": _BLOCK + "int b;\n"}, "12 lines"),
           ({"spec/a.cc": _BLOCK + "int b;\n" + _BLOCK}, "12 lines"),
           ({"spec/a.cc": _BLOCK, "fuzz/b.cc": _BLOCK.replace(";\n", ";  // Why.\n\n")},
            "12 lines")]
CLEAN = {"spec/a.cc": _BLOCK, "fuzz/b.cc": _BLOCK.replace("Function5", "Other"),
         "spec/b_test.cc": _BLOCK}

Line = Tuple[int, str]  # number in the file, and what is compared
Block = Tuple[str, int, str, int, int]  # path and line, path and line, lines


def findings(tree: Tree) -> List[Finding]:
    return [Finding(path, line, f"{lines} lines equal those from {other}:{there}",
                    "copied-lines:" + other, lines)
            for path, line, other, there, lines in blocks(tree)]


def blocks(tree: Tree) -> List[Block]:
    """Every longest pair of equal blocks, the first in the order of paths as `other`."""
    files = {path: list(_lines(tree, path)) for path in tree.cxx
             if not is_test(path) and not path.endswith((".def", ".inc"))}
    found = []
    for (path, other), pairs in sorted(_equal_windows(files).items()):
        found += _grow(files, path, other, pairs)
    return found


def _lines(tree: Tree, path: str) -> Iterator[Line]:
    for i, line in enumerate(tree.views(path).code.split("\n"), 1):
        text = "".join(_LITERAL.sub("0", line).split())
        if _FOUR_LETTERS.search(text) and not text.startswith("#include"):
            yield i, text


def _equal_windows(files: Dict[str, List[Line]]) -> Dict[Tuple[str, str], set]:
    places = collections.defaultdict(list)
    for path, lines in files.items():
        texts = [text for _, text in lines]
        for i in range(len(texts) - LINES + 1):
            places[hash(tuple(texts[i:i + LINES]))].append((path, i))
    pairs = collections.defaultdict(set)
    for where in places.values():
        # Of many equal blocks each is compared with the first: a clique would be counted n² times.
        for path, i in where[1:]:
            pairs[path, where[0][0]].add((i, where[0][1]))
    return pairs


def _grow(files, path: str, other: str, pairs: set) -> Iterator[Block]:
    behind = -1  # a line of `path` is counted once for each other file
    for i, j in sorted(pairs):
        if i < behind:
            continue
        length = LINES
        while (i + length - LINES + 1, j + length - LINES + 1) in pairs:
            length += 1
        if path == other and i < j + length:
            length = i - j
        if length < LINES:
            continue
        behind = i + length
        yield path, files[path][i][0], other, files[other][j][0], length
