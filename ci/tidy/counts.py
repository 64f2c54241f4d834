# SPDX-License-Identifier: Apache-2.0
"""The counts that results/house.txt keeps. What each means stands beside it."""

from typing import Dict, List, Tuple

from tidy import opcodes
from tidy.functions import functions
from tidy.rules import copies, readmes
from tidy.tree import Tree

ROW_HOMES = ("spec/ops/", "spec/ir/")  # where a row per opcode belongs


def count(tree: Tree) -> List[Tuple[str, str, str]]:
    """Name, number, meaning."""
    long_functions = [f.lines for f in functions(tree)]
    lines = {path: tree.length(path) for path in tree.cxx}
    rooms = readmes.rooms(tree)
    blocks = copies.blocks(tree)
    folders = [folder for folder in tree.folders if folder]
    return [
        ("files", len(tree.paths), "all files of the tree"),
        ("C++ files", len(tree.cxx), ".h .cc .inc .cu .def"),
        ("C++ lines", sum(lines.values()),
         "of these, comments and blank lines too; the licence lines not"),
        ("open switches over opcodes", len(opcodes.open_switches(tree)),
         "no tests; labels are opcodes, and it has a default: or a value is made behind it"),
        ("tables keyed by opcode", len(opcodes.tables(tree, ROW_HOMES)),
         "no tests, not in spec/ops and spec/ir; an initializer or .def with three or more rows "
         "that begin with an opcode, or with a name and an opcode"),
        ("comparisons with an opcode", len(opcodes.comparisons(tree)),
         "no tests; lines of code with == Opcode::k"),
        ("functions over 40 lines", sum(n > 40 for n in long_functions),
         "by universal-ctags, from the line of the name to the closing brace; tests too"),
        ("functions over 70 lines", sum(n > 70 for n in long_functions), "the same"),
        ("C++ files over 300 lines", sum(n > 300 for n in lines.values()), "tests too"),
        ("rooms without README", sum("README.md" not in tree.folders.get(r, []) for r in rooms),
         f"of {len(rooms)} rooms; what a room is says ci/tidy_test --list"),
        ("folders without README", sum("README.md" not in tree.folders[f] for f in folders),
         f"of {len(folders)} folders that hold files, data too"),
        ("lines over 100 columns", sum(len(line) > 100 for path in tree.cxx
                                       for line in tree.lines(path)),
         "of C++, rows of tables and raw strings too"),
        ("copied blocks", len(blocks),
         f"no tests; {copies.LINES} or more lines in a row that stand elsewhere as well"),
        ("copied lines", sum(block[4] for block in blocks), "in these blocks"),
    ]


def lines_by_room(tree: Tree) -> Dict[str, int]:
    """Lines of C++ in and below each folder, three folders deep."""
    found: Dict[str, int] = {}
    for path in tree.cxx:
        folders = path.split("/")[:-1]
        for depth in range(1, min(len(folders), 3) + 1):
            room = "/".join(folders[:depth])
            found[room] = found.get(room, 0) + tree.length(path)
    return found


def report(tree: Tree) -> str:
    rows = [f"{number:8,}  {name}: {meaning}" for name, number, meaning in count(tree)]
    rooms = [f"{lines:8,}  {room}" for room, lines in sorted(lines_by_room(tree).items())]
    return "\n".join(["# Counts of this tree. `ci/count --write` renews them.", *rows, "",
                      "# Lines of C++ in and below each folder", *rooms, ""])
