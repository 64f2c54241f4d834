#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a page of each finding and their index, as Markdown.

    pages.py DIR [FRONT]    DIR/NAME.md and DIR/index.md, which begins with the text of FRONT

A page is made of finding.textproto, the module and its inputs. Where the records
of tools/certify/records.py are unpacked, it also says what other engines and JAX alone do, and has a
mark for each release. Python's standard library only; docs/build runs it for the site.
"""

import json
import pathlib
import re
import sys
import textwrap

sys.dont_write_bytecode = True
from clauses import sentence_of
from finding import FINDINGS, Mistake, fields_of

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


def table_of(name):
    """The lines of a table of findings: name, and the rest of the line."""
    path = FINDINGS / name
    lines = path.read_text().splitlines() if path.exists() else []
    rows = (line.split(None, 1) for line in lines if line and not line.startswith("#"))
    return {row[0]: row[1].strip() for row in rows if len(row) == 2}


class Finding:
    """A directory of results/findings: its fields, and its unpacked records."""

    def __init__(self, folder, tables):
        self.name = folder.name
        self.said = fields_of(folder / "finding.textproto")
        self.verdict = json.loads(self.said["verdict"])
        self.certificate = json.loads(self.said["certificate"])
        history = folder / "history.json"
        self.strip = json.loads(history.read_text())["strip"] if history.exists() else ""
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

    def releases(self):
        said = self.said
        if "first_bad" not in said:
            return said.get("history", "")
        first, good = said["first_bad"], said.get("last_good_before")
        last, again = said["last_bad"], said.get("first_good_after")
        since = (
            f"good in {good}, bad from {first}"
            if good
            else f"{first}, the oldest that gives an answer,"
        )
        until = f"to {last}, right in {again}" if again else f"to {last}"
        went = "; it came and went" if said.get("came_and_went") else ""
        return f"{since} {until}{went}" + (f" `{self.strip}`" if self.strip else "")

    def short_releases(self):
        if "first_bad" not in self.said:
            return ""
        return f"{self.said['first_bad']} to {self.said['last_bad']}"

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
        ("where", finding.said.get("where", "")),
        ("releases", " ".join(filter(None, (finding.releases(), finding.said.get("releases"))))),
        ("signs of it", STRIP if finding.strip else ""),
        ("answers", others(finding)),
        ("certificate", finding.certified()),
        ("in JAX alone", finding.in_jax),
        ("fixed with", ", ".join(f"`{name}`" for name in finding.said["mended_with"])),
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
        cells += [finding.what(), finding.said.get("where", ""), finding.short_releases(), finding.said["clause"]]
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
    parts = ["## How many\nWithout the questions.", counts_of(certain, families)]
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


def findings_of(folders):
    tables = {name: table_of(name) for name in ("answers.txt", "in_jax.txt")}
    findings = [Finding(folder, tables) for folder in folders]
    names = {finding.name for finding in findings}
    for finding in findings:
        for name in finding.said["mended_with"]:
            if name not in names:
                raise Mistake(f"{finding.name}: mended_with names no finding: {name}")
    return findings


def made(front=""):
    """(name of the page, text) of each finding, and of the index."""
    findings = findings_of(sorted(path.parent for path in FINDINGS.glob("*/finding.textproto")))
    for finding in findings:
        yield finding.name, page_of(finding)
    yield "index", front + lists_of(findings)


def main(arguments):
    if len(arguments) not in (1, 2) or arguments[0].startswith("-"):
        print(__doc__)
        return 0 if arguments == ["--help"] else 2
    out = pathlib.Path(arguments[0])
    try:
        front = pathlib.Path(arguments[1]).read_text() if len(arguments) > 1 else "# Findings\n\n"
        out.mkdir(parents=True, exist_ok=True)
        for name, text in made(front):
            (out / f"{name}.md").write_text(text)
    except (Mistake, OSError) as mistake:
        print(mistake, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
