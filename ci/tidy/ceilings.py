# SPDX-License-Identifier: Apache-2.0
"""Today's offenders: rows `path measure count` that may only get fewer and smaller."""

from typing import Dict, List, Tuple

from tidy.finding import Finding

Key = Tuple[str, str]  # path and measure
HEAD = """# What the rules of ci/tidy still let pass: path, measure, count. This list only
# shrinks: a new row or a larger number fails, and so does a row that is better than stated.
# `ci/tidy_test --write-ceilings` lowers it.
"""


def parse(text: str) -> Dict[Key, int]:
    rows = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return {(path, measure): int(count) for path, measure, count in rows}


def to_text(ceilings: Dict[Key, int]) -> str:
    return HEAD + "".join(f"{path} {measure} {ceilings[path, measure]}\n"
                          for path, measure in sorted(ceilings))


def measured(findings: List[Finding]) -> Dict[Key, int]:
    counts: Dict[Key, int] = {}
    for finding in findings:
        key = (finding.path, finding.measure)
        counts[key] = counts.get(key, 0) + finding.count
    return counts


def lowered(ceilings: Dict[Key, int], now: Dict[Key, int]) -> Dict[Key, int]:
    return {key: min(count, now[key]) for key, count in ceilings.items() if key in now}


def compare(ceilings: Dict[Key, int], findings: List[Finding]) -> List[Finding]:
    """The findings that no ceiling covers, and the ceilings that are too high."""
    now = measured(findings)
    failures = []
    for finding in findings:
        key = (finding.path, finding.measure)
        allowed = ceilings.get(key, 0)
        if now[key] > allowed:
            past = f" (ceiling {allowed}, now {now[key]})" if key in ceilings else ""
            failures.append(finding._replace(message=finding.message + past))
    for (path, measure), allowed in ceilings.items():
        count = now.get((path, measure), 0)
        if count < allowed:
            failures.append(Finding(path, 0, f"{measure} is {count}, its ceiling {allowed}: "
                                             "lower the ceiling"))
    return failures


def self_test() -> List[str]:
    """What is wrong with compare(); nothing if it keeps its promises."""
    finding = Finding("a.cc", 7, "too long", "file-lines", 310)
    cases = [
        ("a new offender", {}, [finding], "too long"),
        ("a larger number", {("a.cc", "file-lines"): 305}, [finding], "ceiling 305, now 310"),
        ("a smaller number", {("a.cc", "file-lines"): 320}, [finding], "lower the ceiling"),
        ("a row without offender", {("a.cc", "file-lines"): 310}, [], "lower the ceiling"),
        ("the stated number", {("a.cc", "file-lines"): 310}, [finding], ""),
    ]
    wrong = []
    for name, rows, findings, expected in cases:
        said = "; ".join(failure.message for failure in compare(rows, findings))
        if bool(said) != bool(expected) or expected not in said:
            wrong.append(f"ceilings: {name}: expected '{expected}', got '{said}'")
    return wrong
