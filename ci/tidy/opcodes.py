# SPDX-License-Identifier: Apache-2.0
"""Places where code has a list of opcodes of its own."""

import re
from typing import Iterator, List, NamedTuple, Tuple

from tidy import lexer
from tidy.tree import Tree, is_test

_CASE = re.compile(r"\bcase\s+(?:\w+::)*Opcode::k\w+")
_COMPARISON = re.compile(r"==\s*(?:\w+::)*Opcode::k\w")
# A row begins with an opcode, or with a name and an opcode.
_ROW = re.compile(r"(?:^|[{,(])\s*\{+\s*(?:\"\s*\"\s*,\s*|\.\w+\s*=\s*)?\{?"
                  r"(?:\w+::)*Opcode::k\w+\s*[,}]", re.MULTILINE)
_DEF_ROW = re.compile(r"^HLOCTS_\w+\((\w+)", re.MULTILINE)
# What may stand behind a switch without default: nothing that makes a value.
_NO_VALUE = re.compile(r"\s*(?:\}|HLOCTS_UNREACHABLE|HLOCTS_CHECK|CHECK|LOG\(FATAL|std::abort|"
                       r"abort\(|__builtin_unreachable|std::unreachable|"
                       r"return\s+(?:absl::\w+Error|Unsupported|Unspecified))")


class Place(NamedTuple):
    path: str
    line: int
    rows: int


def open_switches(tree: Tree) -> List[Place]:
    """Switches over opcodes with a default, or behind which code goes on to make a value."""
    return [place for path in _code(tree) for place in _switches(path, tree.views(path).code)]


def tables(tree: Tree, row_homes: Tuple[str, ...]) -> List[Place]:
    """Three or more rows that begin with an opcode, in an initializer or .def outside row_homes."""
    found = []
    names = _opcode_names(tree)
    for path in _code(tree):
        if path.startswith(row_homes):
            continue
        if path.endswith(".def"):
            rows = [name for name in _DEF_ROW.findall(tree.texts[path]) if name in names]
            found += [Place(path, 1, len(rows))] if len(rows) >= 3 else []
        else:
            found += _initializers(path, tree.views(path).code)
    return found


def comparisons(tree: Tree) -> List[Place]:
    """Lines with `== Opcode::k...`."""
    return [Place(path, i, 1) for path in _code(tree)
            for i, line in enumerate(tree.views(path).code.split("\n"), 1)
            if _COMPARISON.search(line)]


def _code(tree: Tree) -> List[str]:
    return [path for path in tree.cxx if not is_test(path)]


def _switches(path: str, code: str) -> Iterator[Place]:
    for match in re.finditer(r"\bswitch\s*\(", code):
        condition = lexer.block_end(code, match.end() - 1)
        brace = code.find("{", condition)
        end = lexer.block_end(code, brace)
        body = _without_inner_switches(code[brace:end])
        cases = len(_CASE.findall(body))
        if cases and (re.search(r"\bdefault\s*:", body) or not _NO_VALUE.match(code, end)):
            yield Place(path, lexer.line_of(code, match.start()), cases)


def _without_inner_switches(body: str) -> str:
    while True:
        inner = re.search(r"\bswitch\s*\(", body)
        if not inner:
            return body
        brace = body.find("{", lexer.block_end(body, inner.end() - 1))
        body = body[:inner.start()] + body[lexer.block_end(body, brace):]


def _initializers(path: str, code: str) -> Iterator[Place]:
    blocks = {}  # the brace around a row -> its rows
    for match in _ROW.finditer(code):
        blocks.setdefault(_brace_around(code, code.rindex("{", 0, match.end())), []).append(match)
    for brace, rows in blocks.items():
        if len(rows) >= 3:
            yield Place(path, lexer.line_of(code, max(brace, 0)), len(rows))


def _brace_around(code: str, position: int) -> int:
    depth = 0
    for i in range(position - 1, -1, -1):
        if code[i] == "}":
            depth += 1
        elif code[i] == "{":
            if depth == 0:
                return i
            depth -= 1
    return -1


def _opcode_names(tree: Tree) -> set:
    """Names in the list of opcodes, wherever it stands."""
    for path in tree.paths:
        if path.endswith("/opcodes.def"):
            return set(_DEF_ROW.findall(tree.texts[path]))
    return set()


def self_test() -> List[str]:
    """What the counts overlook in small examples; nothing if they keep their promises."""
    rows = "  {Opcode::kAdd, 1},\n  {Opcode::kTan, 2},\n  {Opcode::kSin, 3},\n"
    switch = "int F(Opcode o) {\n switch (o) {\n case Opcode::kAdd: return 1;\n %s\n }\n%s}\n"
    cases = [
        ("a default", open_switches, switch % ("default: break;", ""), 1),
        ("a value behind a switch", open_switches, switch % ("", "  return 2;\n"), 1),
        ("a closed switch", open_switches, switch % ("", "  HLOCTS_UNREACHABLE();\n"), 0),
        ("a switch over others", open_switches,
         "switch (a) {\n  default: switch (o) {\n case Opcode::kAdd: return;\n }\n}\n", 0),
        ("a table", lambda t: tables(t, ("spec/ops/",)), "const Row k[] = {\n" + rows + "};\n", 1),
        ("a commented table", lambda t: tables(t, ("spec/ops/",)), "/*" + rows + "*/\n", 0),
        ("a comparison", comparisons, "if (o == Opcode::kAdd || o == Opcode::kTan) {}\n", 1),
        ("a comment", comparisons, "// o == Opcode::kAdd\n", 0),
    ]
    wrong = []
    for name, count, text, expected in cases:
        got = len(count(Tree({"fuzz/a.cc": text})))
        if got != expected:
            wrong.append(f"count: {name}: expected {expected}, got {got}")
    return wrong
