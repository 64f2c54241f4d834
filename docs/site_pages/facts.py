# SPDX-License-Identifier: Apache-2.0
"""Reads the sources of the pages: clauses and cases as the program prints them, and the rulings and
findings of the repository."""

import collections
import html
import json
import pathlib
import re
import subprocess

_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")
_RULING_FIELD = re.compile(r'id: "([^"]+)"|ruling: "(\d{4})"')


class Facts:
    def __init__(self, root: pathlib.Path, program: pathlib.Path) -> None:
        self.root = root
        self._program = program
        self.clauses = self._lines("clauses", "--json")
        self.cases = self._lines("list", "--tier=exhaustive", "--json")
        self.rulings = sorted((root / "spec" / "rulings").glob("[0-9]*.md"))
        self.findings = sorted(
            path.parent for path in (root / "results" / "findings").glob("*/finding.textproto")
        )
        self.ruling_of = self._rulings_of_clauses()
        self.opcodes_of, self.ulps_of = self._functions()
        self.cases_of = collections.defaultdict(list)
        for case in self.cases:
            for clause in case["clauses"]:
                self.cases_of[clause].append(case["case"])

    def _lines(self, *arguments: str) -> list[dict]:
        text = subprocess.run([self._program, *arguments], check=True, capture_output=True,
                              text=True, cwd=self.root).stdout  # fmt: skip
        return [json.loads(line) for line in text.splitlines()]

    def _rulings_of_clauses(self) -> dict[str, str]:
        """Returns the ruling of each clause, because the program does not print it."""
        found: dict[str, str] = {}
        for path in (self.root / "spec" / "clauses").glob("*.textproto"):
            clause = ""
            for match in _RULING_FIELD.finditer(path.read_text()):
                clause = match[1] or clause
                if match[2]:
                    found[clause] = match[2]
        return found

    def _functions(self) -> tuple[dict[str, list[str]], dict[str, str]]:
        """Returns the opcodes whose values each clause defines, and the ulps of real functions."""
        opcodes, ulps = collections.defaultdict(list), {}
        text = (self.root / "spec/clauses/of_opcodes.txt").read_text()
        for opcode, clauses in re.findall(r"(?m)^([^#\s]+) (.+)", text):
            for clause in clauses.split():
                opcodes[clause].append(opcode)
        text = (self.root / "spec/accuracy/function_ulps.inc").read_text()
        for name, row in re.findall(r"(?m)^HLOCTS_FUNCTION\((\w+), (.*)\)", text):
            f64, f32, f16, bf16, _, _, _, _, per_unit, exponent, big = row.split(", ")[:11]
            more = f"; {per_unit} more for each unit of |x|" * (per_unit != "0")
            more += f"; f32 {big} from 2^{exponent} on" * (big != "0")
            opcode = re.sub("(?<=[a-z])(?=[A-Z])", "-", name).lower()
            ulps[opcode] = f"f64 {f64}, f32 {f32}, f16 {f16}, bf16 {bf16}{more}"
        return opcodes, ulps

    def page_of_ruling(self, number: str) -> str:
        return next((path.stem for path in self.rulings if path.stem.startswith(number)), "")

    def title_of_ruling(self, page: pathlib.Path) -> str:
        return page.read_text().split("\n", 1)[0].removeprefix("# ")


def escaped(text: str) -> str:
    """Returns the text with Markdown's special characters escaped."""
    return re.sub(r"([\\`*_{}\[\]()#+!|<>~])", r"\\\1", html.escape(text, quote=False))


def anchor(name: str) -> str:
    """Returns a name as an id that is valid in an address."""
    return re.sub(r"[^A-Za-z0-9.=,-]+", "-", name)


def operation_of(clause: str) -> str:
    return clause.rsplit(".", 1)[0]


def relinked(text: str, origin: str, facts: Facts, up: str) -> str:
    """Returns Markdown of the repository with links that work on the site. Links to other files
    than pages of the site become plain names. `origin` is the directory of the file, `up` the path
    from its page to the top of the site."""

    def link(match: re.Match[str]) -> str:
        title, target = match[1], match[2]
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return match[0]
        path = (facts.root / origin / target.split("#")[0]).resolve()
        page = _page_of(path, facts)
        return f"[{title}]({up}{page})" if page else title

    return _LINK.sub(link, text)


def _page_of(path: pathlib.Path, facts: Facts) -> str:
    if not path.is_relative_to(facts.root):
        return ""
    name = str(path.relative_to(facts.root))
    if name.startswith("spec/rulings/"):
        stem = pathlib.Path(name).stem
        return "rulings/" + ("index.md" if stem in ("INDEX", "rulings") else f"{stem}.md")
    if name.startswith("results/findings"):
        parts = name.split("/")
        return f"findings/{parts[2]}.md" if len(parts) > 2 and parts[2] != "README.md" else (
            "findings/index.md"
        )
    if name.startswith("docs/pages/"):
        return name.removeprefix("docs/pages/")
    known = {"ARCHITECTURE.md": "architecture.md", "CONFORMANCE.md": "conformance.md",
             "docs/TERMS.md": "terms.md", "README.md": "index.md",
             "spec/clauses": "operations/index.md",
             "spec/clauses/README.md": "operations/index.md"}  # fmt: skip
    return known.get(name, "")
