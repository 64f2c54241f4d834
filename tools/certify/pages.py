#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a Markdown page of each finding, and an index of the pages.

    pages.py DIR [FRONT]    DIR/NAME.md and DIR/index.md, which begins with the text of FRONT

A page is made from finding.textproto, the module and its inputs. If the records of
tools/certify/records.py are unpacked, it also contains the results of other engines and of JAX
alone, and a mark for each release. Uses the standard library only. docs/build runs it for the site.
"""

import json
import pathlib
import re
import sys
import textwrap

sys.dont_write_bytecode = True
from clauses import quotation_of, sentence_of, source_of
from finding import FINDINGS, Mistake, fields_of, record_of, wanted_text

KINDS = {
    "fail": "wrong value",
    "nan_bits": "bits of a NaN",
    "crash": "ends the process",
    "rejected": "refuses a valid module",
    "accepted": "accepts an invalid module",
    "timeout": "does not end",
}
ON_INVALID = "ends the process on an invalid module"
# The meaning of an engine's verdict on a module on which another engine fails.
ANSWERS = {"pass": "right", "unsupported": "not implemented", "inconclusive": "right or open"}
WIDTH = 120
TRACKERS = ("openxla/xla", "openxla/stablehlo", "jax-ml/jax", "iree-org/iree", "llvm/llvm-project",
            "pytorch/xla", "google-ai-edge/LiteRT")  # fmt: skip
# Longer inputs and outputs are omitted from the page.
INPUTS_SHOWN = 500
STRIP = "oldest release first: X wrong, o right, ? not reached, / no answer"
QUESTIONS = """\
The rulings reject the result, but a careful reader of the documents could call it legal: the page
quotes that reading. These are no defects; expectations call them SPEC_QUESTION."""


def table_of(name):
    """Returns the rows of a table of findings, from name to the rest of the line."""
    path = FINDINGS / name
    lines = path.read_text().splitlines() if path.exists() else []
    rows = (line.split(None, 1) for line in lines if line and not line.startswith("#"))
    return {row[0]: row[1].strip() for row in rows if len(row) == 2}


class Finding:
    """A directory of results/findings: its fields and its unpacked records."""

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
        if self.verdict["verdict"] == "crash" and self.said.get("met_by") == "an invalid module":
            kind = ON_INVALID
        return kind + ", not the same in every run" if self.said.get("differs") else kind

    def seen(self):
        """Returns what the harness observed, e.g. `output 0 at [1]: accepted 1, found 7`. Omits
        directories of an engine's sources."""
        reason = self.verdict.get("reason", "")
        checked = re.search(r"\S+:\d+\] ?(Check failed: .*?)(?: \*\*\*|$)", reason.replace("\n", " "))
        words = checked[1][:160] if checked else reason.split("\n")[0].split(";")[0]
        return re.sub(r"[\w./-]+/(\w+\.(?:cc|cpp|h))", r"\1", words)

    def releases(self):
        said = self.said
        if "first_bad" not in said:
            return said.get("history", "")
        first, good = said["first_bad"], said.get("last_good_before")
        last, again = said["last_bad"], said.get("first_good_after")
        since = f"good in {good}, bad from {first}" if good else f"{first}, the oldest release that runs it,"
        until = f"to {last}, right in {again}" if again else f"to {last}"
        went = "; a release between them is right" if said.get("came_and_went") else ""
        return f"{since} {until}{went}" + (f" `{self.strip}`" if self.strip else "")

    def short_releases(self):
        said = self.said
        again = said.get("first_good_after")
        right = f", right in {again}" if again else ""
        return f"{said['first_bad']} to {said['last_bad']}{right}" if "first_bad" in said else ""

    def certified(self):
        if "certificate" in self.certificate:
            return "none: " + self.certificate["reason"]
        output, index = self.certificate["output"], self.certificate["index"]
        return f"output {output} at {index}, derived again by `check.py`"


def wanted_and_got(finding):
    """Returns two rows: the permitted values of the wrong element, and the engine's outputs."""
    failure = finding.verdict.get("first_failure")
    got = record_of(FINDINGS / finding.name, "actual").strip()
    rows = []
    if failure:
        place = f"output {failure['output']} at {failure['index']}"
        rows.append(("wanted", f"`{wanted_text(failure)}` ({place})"))
    if got and len(got) <= INPUTS_SHOWN:
        rows.append(("got", "<br>".join(f"`{line}`" for line in got.splitlines())))
    elif finding.seen():
        rows.append(("got", f"`{finding.seen()}`"))
    return rows


def in_the_documents(clause):
    """Returns the words of the documents with their address, and which edition decides."""
    words, (address, edition) = quotation_of(clause), source_of(clause)
    said = f"\"{words}\"" if words else sentence_of(clause) + " (our words)"
    return f"{said} [{clause}]({address}), {edition}"


def others(finding):
    """Returns the answers `stablehlo=pass litert=crash` in words. Equal answers are grouped."""
    same = {}
    for answer in finding.answers.split():
        engine, verdict = answer.rsplit("=", 1)
        same.setdefault(ANSWERS.get(verdict, KINDS.get(verdict, verdict)), []).append(engine)
    if finding.said.get("met_by") == "an invalid module":  # jaxlib's parser rejects it first
        for engine in ("iree", "litert", "catalyst"):
            ended = [e for e in same.get(KINDS["crash"], []) if e.startswith(engine)]
            same.setdefault("not reached", []).extend(ended)
            same[KINDS["crash"]] = [e for e in same.get(KINDS["crash"], []) if e not in ended]
    return "; ".join(f"{words}: {', '.join(engines)}" for words, engines in same.items() if engines)


def facts_of(finding):
    open_to_readers = "a question, no defect: " if finding.said.get("question") else ""
    rows = (
        ("engine", finding.said["engine"]),
        ("what", open_to_readers + finding.what()),
        *wanted_and_got(finding),
        ("documents", in_the_documents(finding.said["clause"])),
        ("affected users", finding.said.get("met_by", "")),
        ("report to", finding.said.get("file_at", "")),
        ("where", finding.said.get("where", "")),
        ("releases", " ".join(filter(None, (finding.releases(), finding.said.get("releases"))))),
        ("release marks", STRIP if finding.strip else ""),
        ("answers", others(finding)),
        ("certificate", finding.certified()),
        ("in JAX alone", finding.in_jax),
        ("fixed with", ", ".join(f"`{name}`" for name in finding.said["fixed_with"])),
    )
    lines = [f"| {name} | {text.replace('|', chr(92) + '|')} |" for name, text in rows if text]
    return "| fact | value |\n|---|---|\n" + "\n".join(lines)


def sources_of(folder):
    """Returns the module and, if they are short, the inputs."""
    blocks = [(folder / "module.hlo").read_text().strip("\n")]
    inputs = record_of(folder, "inputs").strip("\n")
    if inputs and len(inputs) <= INPUTS_SHOWN:
        blocks.append(inputs)
    return "\n\n".join("```\n" + block + "\n```" for block in blocks)


def linked(text):
    """Returns the text with thread numbers such as `openxla/xla 48714` as links."""
    for name in ("tensorflow/tensorflow", *TRACKERS):
        pattern = r"(?<![\w/])%s (pull request )?(\d{3,6})" % re.escape(name)
        at = f"https://github.com/{name}"
        text = re.sub(pattern, lambda m: f"[{m[0]}]({at}/{'pull' if m[1] else 'issues'}/{m[2]})", text)
    return text


def script_of(folder):
    """Returns the program that shows the finding with public packages: its own or a general one."""
    own = folder / "repro.py"
    if own.exists():
        return "```python\n" + own.read_text().strip("\n") + "\n```"
    return f"    python3 results/findings/reproduce.py results/findings/{folder.name}"


def wrapped(text):
    if re.search(r"^(\||    |```)", text, re.M):
        return text
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def page_of(finding):
    said = finding.said
    folder = FINDINGS / finding.name
    paragraphs = ["# " + said["title"], script_of(folder), facts_of(finding), sources_of(folder)]
    paragraphs += [wrapped(text) for text in said["text"]]
    if said.get("legal_reading"):
        paragraphs.append(wrapped("**The legal reading.** " + said["legal_reading"]))
    if said.get("guard"):
        paragraphs.append(wrapped("Guard: " + said["guard"]))
    paragraphs.append(wrapped("Public threads: " + linked(said["threads"])))
    folder = "results/findings/" + finding.name
    replay = " ".join(filter(None, ("build/hlocts replay " + folder, said.get("replay"))))
    paragraphs.append(f"    {replay}\n    build/hlocts report-bug {folder}")
    return "\n\n".join(paragraphs) + "\n"


def family_of(finding):
    """Returns XLA:CPU, IREE, ...: the name of the engine without release and build."""
    engine = finding.said["engine"]
    return re.split(r" of |,| \d", engine)[0]


def rows_of(findings, with_engine):
    head = ["finding", "title"] + ["engine"] * with_engine
    head += ["defect", "affected users", "report to", "where", "releases", "clause"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for finding in sorted(findings, key=lambda f: (f.what(), f.name)):
        said = finding.said
        cells = [f"`{finding.name}`", said["title"].replace("|", "\\|")] + [said["engine"]] * with_engine
        cells += [finding.what(), said.get("met_by", ""), said.get("file_at", "")]
        cells += [said.get("where", ""), finding.short_releases(), said["clause"]]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def counts_of(findings, families):
    plain = lambda finding: finding.what().partition(",")[0]
    kinds = sorted(set(map(plain, findings)), key=[*KINDS.values(), ON_INVALID].index)
    lines = ["| engine | " + " | ".join(kinds) + " | all |", "|---|" + "---|" * (len(kinds) + 1)]
    for name, members in [*families.items(), ("all", findings)]:
        counts = [sum(plain(f) == kind for f in members) for kind in kinds]
        lines.append(f"| {name} | " + " | ".join(map(str, counts + [len(members)])) + " |")
    return "\n".join(lines)


def lists_of(findings):
    certain = [f for f in findings if not f.said.get("question")]
    families = {}
    for finding in certain:
        families.setdefault(family_of(finding), []).append(finding)
    families = dict(sorted(families.items(), key=lambda item: -len(item[1])))
    parts = ["## Counts\nQuestions are not counted.", counts_of(certain, families)]
    for name, members in families.items():
        parts += [f"## {name}", rows_of(members, len({f.said["engine"] for f in members}) > 1)]
    questions = [f for f in findings if f.said.get("question")]
    parts += ["## Questions", QUESTIONS, rows_of(questions, with_engine=True)]
    return "\n\n".join(parts) + "\n"


def findings_of(folders):
    tables = {name: table_of(name) for name in ("answers.txt", "in_jax.txt")}
    findings = [Finding(folder, tables) for folder in folders]
    names = {finding.name for finding in findings}
    for finding in findings:
        for name in finding.said["fixed_with"]:
            if name not in names:
                raise Mistake(f"{finding.name}: fixed_with names no finding: {name}")
    return findings


def made(front=""):
    """Yields (name of the page, text) for each finding and for the index."""
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
