# SPDX-License-Identifier: Apache-2.0
"""Makes a page for each file of clauses, with anchors for its sentences and its cases."""

import collections
import pathlib

from site_pages.facts import Facts, anchor, escaped, operation_of

_STATES = {
    "tested": "tested",
    "freedom": "left to the engine",
    "untestable": "cannot be tested from outside",
    "open": "not tested yet",
}


def _clause(clause: dict, facts: Facts, shown: set[str]) -> str:
    opcodes = facts.opcodes_of[clause["id"]]
    title = f'{", ".join(opcodes[:3])}: {clause["id"]}' if opcodes else clause["id"]
    lines = [f'### {title} {{ #{clause["id"]} }}', "", escaped(clause["text"]), ""]
    lines += [f"Largest error in the default profile, in ulps: {escaped(facts.ulps_of[opcode])}.\n"
              for opcode in opcodes if opcode in facts.ulps_of]  # fmt: skip
    state = _STATES.get(clause["state"], clause["state"])
    source = escaped(clause["source"])
    lines.append(f'*{state}* · [{source}]({clause["address"]})')
    ruling = facts.page_of_ruling(facts.ruling_of.get(clause["id"], "none"))
    if ruling:
        lines.append(f" · [ruling {ruling[:4]}](../rulings/{ruling}.md)")
    cases = facts.cases_of[clause["id"]]
    if cases:
        first = ", ".join(_case_link(case, shown) for case in cases[:3])
        more = f" and {len(cases) - 3} more" if len(cases) > 3 else ""
        lines.append(f" · cases: {first}{more}")
    return "\n".join(lines) + "\n"


def _case_link(case: str, shown: set[str]) -> str:
    page = "" if case in shown else "cases.md"
    return f"[`{case}`]({page}#{anchor(case)})"


def _cases(cases: list[dict]) -> str:
    rows = ["| case | tier |", "|---|---|"]
    rows += [
        f'| <a id="{anchor(case["case"])}"></a>`{case["case"]}` | {case["tier"]} |'
        for case in cases
    ]
    return "\n".join(rows) + "\n"


def make(facts: Facts, pages: pathlib.Path) -> None:
    folder = pages / "operations"
    folder.mkdir(parents=True, exist_ok=True)
    by_operation = collections.defaultdict(list)
    for clause in facts.clauses:
        by_operation[operation_of(clause["id"])].append(clause)
    # A case appears once, on the page of the first operation that it cites.
    cases_on = collections.defaultdict(list)
    for case in facts.cases:
        names = [operation_of(clause) for clause in case["clauses"]]
        cases_on[names[0] if names else ""].append(case)
    index = ["# Operations", "",
             "Every normative sentence of the documents has an id that never changes.", "",
             "| operation | sentences | tested | cases |", "|---|---|---|---|"]  # fmt: skip
    for name, clauses in sorted(by_operation.items()):
        cases = cases_on[name]
        shown = {case["case"] for case in cases}
        text = [f"# {name.replace('_', ' ')}", "", "## Documents", ""]
        text += [_clause(clause, facts, shown) for clause in clauses]
        if cases:
            text += ["## Cases", "", _cases(cases)]
        (folder / f"{name}.md").write_text("\n".join(text))
        tested = sum(clause["state"] == "tested" for clause in clauses)
        index.append(f"| [{name.replace('_', ' ')}]({name}.md) | {len(clauses)} | {tested} | "
                     f"{len(cases)} |")
    index += ["", "[All cases by address](cases.md)"]
    (folder / "index.md").write_text("\n".join(index) + "\n")
    (folder / "cases.md").write_text("# Cases\n\n" + _cases(facts.cases))
