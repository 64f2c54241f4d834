# SPDX-License-Identifier: Apache-2.0
"""Copies the repository's pages that the site has unchanged."""

import pathlib

from site_pages.facts import Facts, relinked

def make(facts: Facts, pages: pathlib.Path) -> None:
    for path in ("ARCHITECTURE.md", "CONFORMANCE.md", "docs/TERMS.md"):
        source = facts.root / path
        folder = path.rpartition("/")[0] or "."
        (pages / source.name.lower()).write_text(relinked(source.read_text(), folder, facts, ""))
