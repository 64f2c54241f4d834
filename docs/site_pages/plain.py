# SPDX-License-Identifier: Apache-2.0
"""Copies pages of the repository that appear unchanged on the site."""

import pathlib

from site_pages.facts import Facts, relinked

def make(facts: Facts, pages: pathlib.Path) -> None:
    for path in ("ARCHITECTURE.md", "CONFORMANCE.md", "docs/TERMS.md"):
        source = facts.root / path
        folder = path.rpartition("/")[0] or "."
        (pages / source.name.lower()).write_text(relinked(source.read_text(), folder, facts, ""))
