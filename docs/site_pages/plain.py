# SPDX-License-Identifier: Apache-2.0
"""Pages that stand in the repository as they are."""

import pathlib

from site_pages.facts import Facts, relinked

_NO_LEVELS = "# Conformance\n\nThe levels of conformance are not written down yet.\n"


def make(facts: Facts, pages: pathlib.Path) -> None:
    for name in ("ARCHITECTURE.md", "CONFORMANCE.md"):
        path = facts.root / name
        text = relinked(path.read_text(), ".", facts, "") if path.exists() else _NO_LEVELS
        (pages / name.lower()).write_text(text)
