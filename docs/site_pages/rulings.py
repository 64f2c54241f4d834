# SPDX-License-Identifier: Apache-2.0
"""Makes the pages of rulings, with links from the clauses and cases that they name."""

import pathlib
import re

from site_pages.facts import Facts, anchor, operation_of, relinked

_CODE = re.compile(r"`([^`\s]+)`")


def _linked(text: str, facts: Facts, clauses: set[str], cases: set[str]) -> str:
    def link(match: re.Match[str]) -> str:
        name = match[1]
        if name in clauses:
            return f"[`{name}`](../operations/{operation_of(name)}.md#{name})"
        if name in cases:
            return f"[`{name}`](../operations/cases.md#{anchor(name)})"
        return match[0]

    return _CODE.sub(link, text)


def make(facts: Facts, pages: pathlib.Path) -> None:
    folder = pages / "rulings"
    folder.mkdir(parents=True, exist_ok=True)
    clauses = {clause["id"] for clause in facts.clauses}
    cases = {case["case"] for case in facts.cases}
    rows = []
    for page in facts.rulings:
        text = relinked(page.read_text(), "spec/rulings", facts, "../")
        (folder / page.name).write_text(_linked(text, facts, clauses, cases))
        number, title = facts.title_of_ruling(page).split(". ", 1)
        rows.append(f"| {number} | [{title}]({page.name}) |")
    (folder / "index.md").write_text(
        "# Rulings\n\nReadings of sentences of the documents that are unclear, wrong or "
        "contradictory, with reasons.\n\n| page | decision |\n|---|---|\n" + "\n".join(rows) + "\n"
    )
