# SPDX-License-Identifier: Apache-2.0
"""Nobody is sent to a page that is not in this tree: what an earlier page said stands in
CONTRACT.md, ARCHITECTURE.md or beside the code, and a standard is named by its title and
edition."""

import re
from typing import List

from tidy.finding import Finding
from tidy.tree import Tree, is_own

NAME = "citations"
CEILING = True
MEASURES = ("cites",)

_PAGES = [  # words to look for first (quick), the page, what is named in its place
    ("contracts.md", re.compile(r"(?<![\w-])contracts\.md"), "contracts.md", "CONTRACT.md"),
    ("design.md", re.compile(r"(?<![\w-])design\.md"), "design.md", "ARCHITECTURE.md"),
    ("acceptance-rules", re.compile(r"(?<![\w-])acceptance-rules"), "acceptance-rules",
     "the rule's number, RULES n"),
    ("style.md", re.compile(r"(?<![\w-])style\.md"), "style.md", "CONTRIBUTING.md"),
    ("editions.md", re.compile(r"(?<![\w-])editions\.md"), "editions.md", "the ruling"),
    (".txt", re.compile(r"_[0-9a-f]{16}\.txt"), "hashed-name",
     "title and edition of the document"),
]

PLANTED = [({"spec/a.h": f"// See {page}.\n"}, page)
           for page in ("contracts.md", "design.md", "acceptance-rules", "style.md", "editions.md")]
PLANTED.append(({"a.textproto": 'file: "000_e2447a0' + '76b143c68.txt"\n'}, "hashed-name"))
CLEAN = {"spec/a.h": "// See CONTRACT.md and 0025-sort-editions.md.\n"}


def findings(tree: Tree) -> List[Finding]:
    found = []
    for path in tree.paths:
        if is_own(path):
            continue
        for word, pattern, page, instead in _PAGES:
            if word not in tree.texts[path] or not pattern.search(tree.texts[path]):
                continue
            for i, line in enumerate(tree.lines(path), 1):
                message = f"cites {page}, which is not in the tree; name {instead}"
                cited = Finding(path, i, message, "cites:" + page)
                found += [cited] * len(pattern.findall(line))
    return found
