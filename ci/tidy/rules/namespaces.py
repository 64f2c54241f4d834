# SPDX-License-Identifier: Apache-2.0
"""A file's namespace begins with that of its room: hlocts, and in it the name of a folder on the
file's path (hlocts::cuda in backends/engine/cuda; hlocts::xla_plugin begins with xla). The
language itself, spec, may stand in hlocts. A file may say something in a namespace of others (a
declaration, a specialisation): its own is the longest."""

import re
from typing import List, Optional, Tuple

from tidy import lexer
from tidy.finding import Finding
from tidy.tree import Tree

NAME = "namespaces"
CEILING = True
MEASURES = ("namespace",)
PROJECT = "hlocts"
WHOLE_PROJECT = ("spec",)  # top-level folders whose namespace is the project's
DEVICE = "hl"  # code compiled at run time for a device, where nothing else is linked

_OPEN = re.compile(r"^[ \t]*(?:inline[ \t]+)?namespace[ \t]+([A-Za-z_][\w:]*)\s*\{", re.MULTILINE)

PLANTED = [({"fuzz/a.cc": "namespace hlocts {\nint x;\n}\n"}, "namespace hlocts"),
           ({"fuzz/a.cc": "namespace hlocts::cuda {\nint x;\n}\n"}, "namespace hlocts::cuda"),
           ({"spec/a.h": "namespace other {\nint x;\n}\n"}, "namespace other"),
           ({"fuzz/a.h": "namespace hlocts {\nint x;\nint y;\n}\nnamespace hlocts::fuzz {\n}\n"},
            "namespace hlocts")]
CLEAN = {"spec/a.h": "namespace hlocts {\nint x;\n}\n",
         "backends/engine/cuda/run/a.cc": "namespace hlocts::cuda {\nnamespace {\nint x;\n}\n}\n",
         "backends/engine/cuda/device/a.h": "namespace hl {\nint x;\n}\n",
         "fuzz/a.cc": "namespace hlocts {\nclass A;\n}\nnamespace hlocts::fuzz {\nint x;\n\n\n}\n",
         "fuzz/b.cc": "namespace hlocts {\nnamespace fuzz {\nint x;\n}\n}\n",
         "tools/main.cc": "int main() {}\n"}


def findings(tree: Tree) -> List[Finding]:
    found = []
    for path in tree.cxx:
        own = namespace_of(tree.views(path).code)
        if own is not None and not _fits(path, own[0]):
            name, line = own
            found.append(Finding(path, line, f"namespace {name} is not that of its room; expected "
                                             f"{_expected(path)}", "namespace"))
    return found


def namespace_of(code: str) -> Optional[Tuple[str, int]]:
    """The longest outermost named namespace, with what alone is nested in it, and its line."""
    blocks, behind = [], 0
    for match in _OPEN.finditer(code):
        if match.start() < behind:
            continue
        behind = lexer.block_end(code, match.end() - 1)
        blocks.append((code.count("\n", match.start(), behind), match, behind))
    if not blocks:
        return None
    _, match, behind = max(blocks, key=lambda block: block[0])
    name, inner = match[1], _OPEN.match(code, match.end() + _blank(code, match.end()))
    if name == PROJECT and inner:
        name += "::" + inner[1]
    return name, lexer.line_of(code, match.start())


def _blank(code: str, at: int) -> int:
    """How many lines without content follow."""
    return re.compile(r"(?:[ \t]*\n)*").match(code, at).end() - at


def _fits(path: str, name: str) -> bool:
    folders, parts = path.split("/")[:-1], name.split("::")
    if parts[0] == DEVICE and "device" in folders:
        return True
    if parts[0] != PROJECT:
        return False
    if folders and folders[0] in WHOLE_PROJECT:
        return True
    return len(parts) > 1 and any(parts[1] == folder or parts[1].startswith(folder + "_")
                                  for folder in folders)


def _expected(path: str) -> str:
    folders = path.split("/")[:-1]
    if folders and folders[0] in WHOLE_PROJECT:
        return PROJECT
    return " or ".join(f"{PROJECT}::{folder}" for folder in folders)
