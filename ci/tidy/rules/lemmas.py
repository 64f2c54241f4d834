# SPDX-License-Identifier: Apache-2.0
"""A bound of the judge has its proof in the tree: each `RULES n` names a lemma, a heading `## n.`
of a page in spec/judge/rules; each lemma is cited by code, or says why not in a line that begins
with "Not cited because"; and spec/judge/RULES.md names its page."""

import collections
import re
from typing import Dict, Iterator, List, NamedTuple, Set, Tuple

from tidy.finding import Finding
from tidy.tree import Tree, is_own

NAME = "lemmas"
CEILING = False

_INDEX = "spec/judge/RULES.md"
_PAGES = "spec/judge/rules/"
_CITATION = re.compile(r"\bRULES (\d+(?:(?:, | and |-)\d+)*)")
_BOUND = re.compile(r"HLOCTS_BOUND\(\w+, [^,]+, (\d+),")  # a row of spec/judge/bounds.def
_LEMMA = re.compile(r"## (\d+)\. ")
_ROW = re.compile(r"\| ([\d, ]+) \|.*\(rules/([\w.]+)\)")
_EXCUSE = "Not cited because"

_PAGE = {_PAGES + "sums.md": "# Sums\n## 1. Any order\n## 2. Narrow\nNot cited because it is new.\n",
         _INDEX: "| 1, 2 | sums | [sums](rules/sums.md) |\n"}
_CODE = {"spec/a.h": "// In any order (RULES 1).\n"}
PLANTED = [({**_PAGE, "spec/a.h": "// See RULES 1, 3.\n"}, "RULES 3, which is no lemma"),
           ({**_PAGE, "spec/a.h": "// See RULES 1-30.\n"}, "RULES 30, which is no lemma"),
           ({**_PAGE, "spec/judge/bounds.def": "HLOCTS_BOUND(Flushes, 4, 7, \"\")\n"},
            "RULES 7, which is no lemma"),
           (_PAGE, "lemma 1 is cited by no code"),
           ({**_PAGE, "spec/README.md": "See RULES 1.\n"}, "lemma 1 is cited by no code"),
           ({**_PAGE, **_CODE, _PAGES + "more.md": "## 1. Again\n"}, "lemma 1 stands in two places"),
           ({**_PAGE, **_CODE, _INDEX: "| 1 | sums | [sums](rules/sums.md) |\n"},
            "lemma 2, which RULES.md does not name"),
           ({**_PAGE, **_CODE, _INDEX: "| 1, 2 | sums | [sums](rules/gone.md) |\n"},
            "lemma 1, which RULES.md says is in gone.md")]
CLEAN = {**_PAGE, **_CODE, "spec/README.md": "Code cites RULES n.\n"}


class _Lemma(NamedTuple):
    path: str
    line: int
    excused: bool


def findings(tree: Tree) -> List[Finding]:
    lemmas, found = _lemmas(tree)
    cited: Set[int] = set()
    for path, line, number in _citations(tree):
        if number not in lemmas:
            found.append(Finding(path, line, f"cites RULES {number}, which is no lemma of {_PAGES}"))
        if path in tree.sources:
            cited.add(number)
    index = _index(tree)
    for number, lemma in sorted(lemmas.items()):
        if number not in cited and not lemma.excused:
            found.append(Finding(lemma.path, lemma.line, f"lemma {number} is cited by no code; "
                                 f"cite it where it is used, or say '{_EXCUSE} ...'"))
        page = lemma.path[len(_PAGES):]
        if index.get(number) != page:
            where = f"says is in {index[number]}" if number in index else "does not name"
            found.append(Finding(lemma.path, lemma.line, f"lemma {number}, which RULES.md {where}"))
    return found


def _lemmas(tree: Tree) -> Tuple[Dict[int, _Lemma], List[Finding]]:
    places = collections.defaultdict(list)
    for path in tree.paths:
        if not path.startswith(_PAGES):
            continue
        number = 0
        for i, line in enumerate(tree.lines(path), 1):
            if line.startswith("## "):
                heading = _LEMMA.match(line)
                number = int(heading[1]) if heading else 0
                if heading:
                    places[number].append(_Lemma(path, i, False))
            elif number and line.startswith(_EXCUSE):
                places[number][-1] = places[number][-1]._replace(excused=True)
    twice = [Finding(found[1].path, found[1].line, f"lemma {number} stands in two places")
             for number, found in places.items() if len(found) > 1]
    return {number: found[0] for number, found in places.items()}, twice


def _citations(tree: Tree) -> Iterator[Tuple[str, int, int]]:
    for path in tree.paths:
        if is_own(path) or not ("RULES " in tree.texts[path] or path.endswith("/bounds.def")):
            continue
        for i, line in enumerate(tree.lines(path), 1):
            for citation in _CITATION.findall(line) + _BOUND.findall(line):
                for number in re.findall(r"\d+", citation):
                    yield path, i, int(number)


def _index(tree: Tree) -> Dict[int, str]:
    pages = {}
    for line in tree.lines(_INDEX) if _INDEX in tree.texts else []:
        row = _ROW.match(line)
        for number in re.findall(r"\d+", row[1]) if row else []:
            pages[int(number)] = row[2]
    return pages
