# SPDX-License-Identifier: Apache-2.0
"""Makes the page of each finding, with its module and, if it has one, its certificate."""

import json
import pathlib

import pages as certify_pages
from finding import record_of

from site_pages.facts import Facts, relinked

_TITLES = {"inputs": "Inputs", "actual": "Outputs of the engine"}


def _records(finding: pathlib.Path) -> str:
    parts = []
    for field, title in _TITLES.items():
        text = record_of(finding, field)
        if text.strip():
            parts.append(f"## {title}\n\n````text\n{text.rstrip()}\n````\n")
    certificate = record_of(finding, "certificate")
    if certificate:
        text = json.dumps(json.loads(certificate), indent=1)
        checker = "Checked by `tools/certify/check.py`, which has none of our code."
        parts.append(f"## Certificate\n\n{checker}\n\n````json\n{text}\n````\n")
    return "\n".join(parts)


def make(facts: Facts, pages: pathlib.Path) -> None:
    folder = pages / "findings"
    front = folder / "index.md"
    for name, text in certify_pages.made(front.read_text() + "\n"):
        if name == "index":
            for finding in facts.findings:
                text = text.replace(f"| `{finding.name}` |",
                                    f"| [{finding.name}]({finding.name}.md) |")  # fmt: skip
        else:
            finding = facts.root / "results" / "findings" / name
            text = relinked(text, f"results/findings/{name}", facts, "../") + "\n" + _records(finding)
        (folder / f"{name}.md").write_text(text)
