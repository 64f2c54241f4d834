#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pages of the findings: README.md of each folder of results/findings, and the
lists in its README.md.

    pages.py              makes them
    pages.py --check      says which are not as they would be made (exit 1)

A page is made of finding.textproto (finding.proto has its fields) and of records: the
verdict, history.json, certificate.json, and the lines of blame.txt, answers.txt and in_jax.txt.
Python's standard library only.
"""

import json
import pathlib
import re
import sys
import textwrap

sys.dont_write_bytecode = True
from clauses import sentence_of

FINDINGS = pathlib.Path(__file__).resolve().parents[2] / "results" / "findings"
MADE = "<!-- made by pages.py from here on -->\n"
REPEATED = ("text", "mended_with")
FIELDS = set(
    re.findall(r"^  (?:repeated )?\w+ (\w+) = \d+;", (FINDINGS / "finding.proto").read_text(), re.M)
)
KINDS = {
    "fail": "wrong value",
    "nan_bits": "bits of a NaN",
    "crash": "ends the process",
    "rejected": "refuses a valid module",
    "accepted": "accepts an invalid module",
    "timeout": "does not end",
}
# What an engine says of a module that fails in another one.
ANSWERS = {"pass": "right", "unsupported": "not implemented", "inconclusive": "right or open"}
WIDTH = 120
# Inputs that are longer are left in their file.
INPUTS_SHOWN = 500
STRIP = "oldest release first: X wrong, o right, ? not reached, / no answer"
QUESTIONS = """\
The engine does what the rulings do not accept, and a careful reader of the documents could call it
legal: the page quotes that reading. No defects: expectations call them SPEC_QUESTION."""


class Mistake(Exception):
    """A file that is not as it has to be, with its name and the reason."""


def fields_of(path):
    """The message: a field a line, `name: value`, a value a quoted text or true."""
    found = {name: [] for name in REPEATED}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("#"):
            continue
        match = re.fullmatch(r'(\w+): (".*"|true)', line)
        if match is None or match[1] not in FIELDS:
            raise Mistake(f"{path}:{number}: no field of finding.proto: {line}")
        name, value = match[1], json.loads(match[2])
        if name in REPEATED:
            found[name].append(value)
        elif name in found:
            raise Mistake(f"{path}:{number}: {name} stands twice")
        else:
            found[name] = value
    for name in ("title", "engine", "clause", "threads"):
        if not found.get(name):
            raise Mistake(f"{path}: no {name}")
    return found


def table_of(name):
    """The lines of a table of findings: name, and the rest of the line."""
    path = FINDINGS / name
    lines = path.read_text().splitlines() if path.exists() else []
    rows = (line.split(None, 1) for line in lines if line and not line.startswith("#"))
    return {row[0]: row[1].strip() for row in rows if len(row) == 2}


class Finding:
    """A folder: the words of people, and what the records say."""

    def __init__(self, folder, tables):
        self.name = folder.name
        self.said = fields_of(folder / "finding.textproto")
        self.verdict = json.loads((folder / "verdict.json").read_text().split("\n")[0])
        self.certificate = json.loads((folder / "certificate.json").read_text())
        history = folder / "history.json"
        self.history = json.loads(history.read_text()) if history.exists() else None
        self.blamed = tables["blame.txt"].get(self.name, "")
        self.answers = tables["answers.txt"].get(self.name, "")
        self.in_jax = tables["in_jax.txt"].get(self.name, "")

    def what(self):
        kind = KINDS[self.verdict["verdict"]]
        return kind + ", not the same in every run" if self.said.get("differs") else kind

    def seen(self):
        """What the harness saw: `output 0 at [1]: accepted 1, found 7`. Of an engine's sources the
        names alone."""
        words = self.verdict.get("reason", "").split("\n")[0].split(";")[0]
        return re.sub(r"[\w./-]+/(\w+\.(?:cc|cpp|h))", r"\1", words)

    def where(self):
        """The last words of `fail  pass algsimp  confirmed`; without them, what people say."""
        words = re.split(r"\s{2,}", self.blamed)
        if len(words) < 2:
            return self.said.get("where", "")
        return ", ".join(words[1:]).replace("pass ", "", 1)

    def releases(self):
        if self.history is None:
            return self.said.get("history", "")
        first, good = self.history["first_bad"], self.history["last_good_before"]
        last, again = self.history["last_bad"], self.history["first_good_after"]
        since = (
            f"good in {good}, bad from {first}"
            if good
            else f"{first}, the oldest that says something,"
        )
        until = f"to {last}, right in {again}" if again else f"to {last}"
        went = "" if self.history["monotone"] else "; it came and went"
        return f"{since} {until}{went} `{self.history['strip']}`"

    def short_releases(self):
        if self.history is None:
            return ""
        return f"{self.history['first_bad']} to {self.history['last_bad']}"

    def certified(self):
        if "certificate" in self.certificate:
            return "none: " + self.certificate["reason"]
        output, index = self.certificate["output"], self.certificate["index"]
        return f"output {output} at {index}, derived again by `check.py`"


def others(finding):
    """`stablehlo=pass litert=crash` in words, the same answers together."""
    same = {}
    for answer in finding.answers.split():
        engine, verdict = answer.rsplit("=", 1)
        same.setdefault(ANSWERS.get(verdict, KINDS.get(verdict, verdict)), []).append(engine)
    return "; ".join(f"{words}: {', '.join(engines)}" for words, engines in same.items())


def facts_of(finding):
    clause = finding.said["clause"]
    sentence = sentence_of(clause)
    open_to_readers = "a question, no defect: " if finding.said.get("question") else ""
    rows = (
        ("engine", finding.said["engine"]),
        ("what", open_to_readers + finding.what()),
        ("seen", f"`{finding.seen()}`" if finding.seen() else ""),
        ("clause", f"{clause}: {sentence}"),
        ("where", finding.where()),
        ("releases", " ".join(filter(None, (finding.releases(), finding.said.get("releases"))))),
        ("signs of it", STRIP if finding.history else ""),
        ("answers", others(finding)),
        ("certificate", finding.certified()),
        ("in JAX alone", finding.in_jax),
        ("mended with", ", ".join(f"`{name}`" for name in finding.said["mended_with"])),
    )
    lines = [f"| {name} | {text.replace('|', chr(92) + '|')} |" for name, text in rows if text]
    return "| | |\n|---|---|\n" + "\n".join(lines)


def sources_of(folder):
    """The module and, where they are short, its inputs."""
    blocks = [(folder / "module.hlo").read_text().strip("\n")]
    inputs = (folder / "inputs.txt").read_text().strip("\n")
    if inputs and len(inputs) <= INPUTS_SHOWN:
        blocks.append(inputs)
    return "\n\n".join("```\n" + block + "\n```" for block in blocks)


def wrapped(text):
    plain = not re.search(r"^(\||    |```)", text, re.M)
    return (
        textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)
        if plain
        else text
    )


def page_of(finding):
    said = finding.said
    paragraphs = ["# " + said["title"], facts_of(finding), sources_of(FINDINGS / finding.name)]
    paragraphs += [wrapped(text) for text in said["text"]]
    if said.get("legal_reading"):
        paragraphs.append(wrapped("**The legal reading.** " + said["legal_reading"]))
    if said.get("guard"):
        paragraphs.append(wrapped("Guard: " + said["guard"]))
    paragraphs.append(wrapped("Public threads: " + said["threads"]))
    folder = "results/findings/" + finding.name
    replay = " ".join(filter(None, ("build/hlocts replay " + folder, said.get("replay"))))
    paragraphs.append(f"    {replay}\n    build/hlocts report-bug {folder}")
    return "\n\n".join(paragraphs) + "\n"


def family_of(finding):
    """XLA:CPU, IREE, ...: the engine without its release and build."""
    engine = finding.said["engine"]
    return re.split(r" of |,| \d", engine)[0]


def rows_of(findings, with_engine):
    head = ["finding", "engine"] if with_engine else ["finding"]
    head += ["what", "where", "releases", "clause"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for finding in sorted(findings, key=lambda f: (f.what(), f.name)):
        cells = (
            [f"`{finding.name}`", finding.said["engine"]] if with_engine else [f"`{finding.name}`"]
        )
        cells += [finding.what(), finding.where(), finding.short_releases(), finding.said["clause"]]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def counts_of(findings, families):
    kinds = sorted({KINDS[f.verdict["verdict"]] for f in findings}, key=list(KINDS.values()).index)
    lines = ["| engine | " + " | ".join(kinds) + " | all |", "|---|" + "---|" * (len(kinds) + 1)]
    for name, members in [*families.items(), ("all", findings)]:
        counts = [sum(KINDS[f.verdict["verdict"]] == kind for f in members) for kind in kinds]
        lines.append(f"| {name} | " + " | ".join(map(str, counts + [len(members)])) + " |")
    return "\n".join(lines)


def lists_of(findings):
    certain = [f for f in findings if not f.said.get("question")]
    families = {}
    for finding in certain:
        families.setdefault(family_of(finding), []).append(finding)
    families = dict(sorted(families.items(), key=lambda item: -len(item[1])))
    parts = [MADE.rstrip(), "## How many\nWithout the questions.", counts_of(certain, families)]
    for name, members in families.items():
        parts += [
            f"## {name}",
            rows_of(members, with_engine=len({f.said["engine"] for f in members}) > 1),
        ]
    questions = [f for f in findings if f.said.get("question")]
    parts += [
        "## Questions",
        QUESTIONS,
        rows_of(questions, with_engine=True),
    ]
    return "\n\n".join(parts) + "\n"


def made():
    """Path and text of each page."""
    tables = {name: table_of(name) for name in ("blame.txt", "answers.txt", "in_jax.txt")}
    folders = sorted(path.parent for path in FINDINGS.glob("*/finding.textproto"))
    findings = [Finding(folder, tables) for folder in folders]
    names = {finding.name for finding in findings}
    for finding in findings:
        for name in finding.said["mended_with"]:
            if name not in names:
                raise Mistake(f"{finding.name}: mended_with names no finding: {name}")
        yield FINDINGS / finding.name / "README.md", page_of(finding)
    front = (FINDINGS / "README.md").read_text().partition(MADE)[0]
    yield FINDINGS / "README.md", front + lists_of(findings)


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__)
        return 2
    stale = 0
    try:
        for path, text in made():
            if path.exists() and path.read_text() == text:
                continue
            stale += 1
            if arguments:
                print(f"{path.relative_to(FINDINGS)}: not as pages.py makes it")
            else:
                path.write_text(text)
    except Mistake as mistake:
        print(mistake)
        return 2
    return 1 if stale and arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
