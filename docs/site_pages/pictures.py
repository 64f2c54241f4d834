# SPDX-License-Identifier: Apache-2.0
"""Draws pictures of acceptance sets with the component that notebooks and the report use."""

import pathlib

from hlocts.accepted import AcceptedSet, picture

from site_pages.facts import Facts

_PICTURES = {
    "count-leading-zeros": ("0", "-32"),
    "exact": ("2.5", "2.5"),
    "interval": ("[7.389055, 7.389058]", "7.38906"),
    "sum": ("[0.9999997, 1.0000003]", "1.0000005"),
    "overflow": ("3.4028235e+38 or inf", "1.7e+38"),
}


def make(facts: Facts | None, pages: pathlib.Path) -> None:
    folder = pages / "assets"
    folder.mkdir(exist_ok=True)
    for name, (accepted, found) in _PICTURES.items():
        (folder / f"{name}.svg").write_text(picture(AcceptedSet.parse(accepted), found))
