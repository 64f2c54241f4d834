#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reduces bundles to the files of a finding: writes the measured fields of finding.textproto.

    fold.py FOLDER...      bundles with a finding.textproto; results/findings/* after `hlocts history`

verdict.json, certificate.json, inputs.txt and actual.txt become fields with the same names,
history.json the fields about releases, and a line of results/findings/blame.txt the field `where`.
The four files and those that any program can make again (expected.jsonl, README.md, case_test.cc,
repro_jax.py) are removed. history.json is kept; git ignores it. Uses the standard library only.
"""

import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
from finding import FIELDS, FILES, REPEATED, Mistake, fields_of

HEAD = "# proto-file: reports/finding.proto\n# proto-message: hlocts.findings.Finding\n"
GONE = (*FILES.values(), "expected.jsonl", "README.md", "case_test.cc", "repro_jax.py")


def line_of(name, value):
    if value is True:
        return f"{name}: true\n"
    if name in ("verdict", "certificate"):  # JSON contains many double quotes
        return "{}: '{}'\n".format(name, value.replace("\\", "\\\\").replace("'", "\\'"))
    quoted = [json.dumps(line, ensure_ascii=False) for line in value.splitlines(keepends=True)]
    return f"{name}:" + "".join((" " if len(quoted) == 1 else "\n  ") + line for line in quoted) + "\n"


def blamed(folder):
    """Returns what follows the verdict in blame.txt, e.g. `algsimp, confirmed`; None if unknown."""
    table = folder.parent / "blame.txt"
    for line in table.read_text().splitlines() if table.exists() else []:
        words = re.split(r"\s{2,}", line.removeprefix(folder.name + " ").strip())
        if line.startswith(folder.name + " ") and len(words) > 1:
            return ", ".join(words[1:]).replace("pass ", "", 1)
    return None


def fold(folder):
    path = folder / "finding.textproto"
    fields = fields_of(path)
    fields.update((name, (folder / file).read_text()) for name, file in FILES.items()
                  if (folder / file).exists())
    fields["verdict"] = fields.get("verdict", "").split("\n")[0]
    if fields.get("certificate"):
        fields["certificate"] = json.dumps(json.loads(fields["certificate"]), ensure_ascii=False)
    if (folder / "history.json").exists():
        history = json.loads((folder / "history.json").read_text())
        for name in ("first_bad", "last_good_before", "last_bad", "first_good_after"):
            fields[name] = history[name]
        fields["came_and_went"] = not history["monotone"]
    fields["where"] = blamed(folder) or fields.get("where")
    lines = [line_of(name, value) for name in FIELDS
             for value in (fields[name] if name in REPEATED else [fields.get(name)]) if value]
    path.write_text(HEAD + "".join(lines))
    for name in GONE:
        (folder / name).unlink(missing_ok=True)


def main(arguments):
    if not arguments or arguments[0].startswith("-"):
        print(__doc__)
        return 0 if arguments == ["--help"] else 2
    for folder in map(pathlib.Path, arguments):
        try:
            fold(folder.resolve())
        except (Mistake, OSError) as mistake:
            print(mistake, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
