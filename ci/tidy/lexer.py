# SPDX-License-Identifier: Apache-2.0
"""C++ text in two views: code without comments and strings, and the comments."""

import re
from typing import List, NamedTuple, Tuple

_TOKEN = re.compile(
    r"""(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
      |(?P<raw>R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
      |(?P<string>"(?:\\.|[^"\\\n])*")
      |(?P<number>(?<!\w)[0-9](?:'?[\w.])*)
      |(?P<char>'(?:\\.|[^'\\\n])*')""", re.DOTALL | re.VERBOSE)
_NOT_NEWLINE = re.compile(r"[^\n]")


class Views(NamedTuple):
    code: str  # as long as the text; comments and what stands in strings are blanks
    comments: List[Tuple[int, str]]  # line and text, one per line of comment
    raw_lines: frozenset  # lines that lie wholly or partly inside a raw string


def split(text: str) -> Views:
    parts, comments, raw_lines = [], [], set()
    at, line = 0, 1
    for match in _TOKEN.finditer(text):
        token = match.group()
        between = text[at:match.start()]
        parts.append(between)
        line += between.count("\n")
        at = match.end()
        kind = match.lastgroup if match.lastgroup != "mark" else "raw"
        if kind == "comment":
            comments += [(line + i, part) for i, part in enumerate(token.split("\n"))]
            parts.append(_NOT_NEWLINE.sub(" ", token))
        elif kind == "number":
            parts.append(token)
        else:
            if kind == "raw":
                raw_lines.update(range(line, line + token.count("\n") + 1))
            parts.append(token[0] + _NOT_NEWLINE.sub(" ", token[1:-1]) + token[-1])
        line += token.count("\n")
    parts.append(text[at:])
    return Views("".join(parts), comments, frozenset(raw_lines))


def block_end(code: str, start: int) -> int:
    """Behind the bracket that closes the one at `start`."""
    pairs = {"(": ")", "{": "}"}
    depth, opening, closing = 0, code[start], pairs[code[start]]
    for match in re.compile("[" + re.escape(opening + closing) + "]").finditer(code, start):
        depth += 1 if match.group() == opening else -1
        if depth == 0:
            return match.end()
    return len(code)


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
