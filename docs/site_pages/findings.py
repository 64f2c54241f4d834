# SPDX-License-Identifier: Apache-2.0
"""The findings: the page of each, its module, and the certificate where it has one."""

import json
import pathlib

from site_pages.facts import Facts, relinked

_FILES = (("module.hlo", "Module"), ("inputs.txt", "Inputs"), ("actual.txt", "What came back"))


def _files(finding: pathlib.Path) -> str:
    parts = []
    for name, title in _FILES:
        path = finding / name
        text = path.read_text() if path.exists() else ""
        if text.strip():
            parts.append(f"## {title}\n\n````text\n{text.rstrip()}\n````\n")
    certificate = finding / "certificate.json"
    if certificate.exists():
        text = json.dumps(json.loads(certificate.read_text()), indent=1)
        checker = "Checked by `tools/certify/check.py`, which has none of our code."
        parts.append(f"## Certificate\n\n{checker}\n\n````json\n{text}\n````\n")
    return "\n".join(parts)


def make(facts: Facts, pages: pathlib.Path) -> None:
    folder = pages / "findings"
    folder.mkdir(parents=True, exist_ok=True)
    index = (facts.root / "results" / "findings" / "README.md").read_text()
    for finding in facts.findings:
        text = relinked((finding / "README.md").read_text(), f"results/findings/{finding.name}",
                        facts, "../")  # fmt: skip
        (folder / f"{finding.name}.md").write_text(text + "\n" + _files(finding))
        index = index.replace(f"| `{finding.name}` |", f"| [{finding.name}]({finding.name}.md) |")
    (folder / "index.md").write_text(relinked_index(index, facts))


def relinked_index(text: str, facts: Facts) -> str:
    """Links to pages of this folder are right already."""
    names = {f"{finding.name}.md" for finding in facts.findings}
    kept = {f"]({name})": f"]\0{name}\0" for name in names}
    for link, mark in kept.items():
        text = text.replace(link, mark)
    text = relinked(text, "results/findings", facts, "../")
    for link, mark in kept.items():
        text = text.replace(mark, link)
    return text
