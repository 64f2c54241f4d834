#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the records of the findings, which git ignores, and packs them for a release.

    records.py answers [--new] ENGINE...
        writes answers.txt: the verdict of `hlocts replay --backend=ENGINE` on each finding
    records.py jax [--new] PYTHON...
        writes in_jax.txt: the result of `hlocts report-bug --jax` in each PYTHON, which has jax
        installed (pip install jax)
    records.py pack FILE
        FILE (.tar.gz) gets answers.txt, in_jax.txt, campaigns.txt, each history.json (`hlocts history
        --all --keep`), and inputs and outputs as inputs.txt and actual.txt; prints its SHA-256, the
        same for the same records
    records.py unpack FILE
        writes the tables and histories of FILE to results/findings

--new runs only findings without a line in the table. The program is build/hlocts. Findings of an
ENGINE are also replayed on this engine. Lines of findings that no longer exist are removed.
"""

import gzip
import hashlib
import io
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True
from finding import FILES, FINDINGS, ROOT, files_of, verdict_of

HLOCTS = ROOT / "build" / "hlocts"
TABLES = ("answers.txt", "in_jax.txt", "campaigns.txt")
ANSWERS = """\
# tools/certify/records.py answers {engines}
# The verdict of each engine on each finding's module and inputs (default profile): one of
# `hlocts help verdicts`. An engine that rejects a module may lack the operation.
"""
IN_JAX = """\
# tools/certify/records.py jax: `hlocts report-bug --jax FINDING`, a script that needs only
# jax, by release of jax. Not reproduced: the release is correct, or the conversion to
# StableHLO changes the module before the compiler gets it. No answer: the script cannot
# decide. Findings of a GPU, and of engines that JAX does not run, have no line.
"""


def folders():
    return sorted(path for path in FINDINGS.iterdir() if (path / "module.hlo").exists())


def kept_lines(table, only_new):
    """Returns a dictionary from name to line for the findings that need not run again."""
    path = FINDINGS / table
    if not only_new or not path.exists():
        return {}
    names = {folder.name for folder in folders()}
    lines = (line for line in path.read_text().splitlines(keepends=True) if line[0] != "#")
    return {line.split()[0]: line for line in lines if line.split()[0] in names}


def write_lines(table, head, lines):
    (FINDINGS / table).write_text(head + "".join(lines[name] for name in sorted(lines)))


def answers(engines, only_new):
    lines = kept_lines("answers.txt", only_new)
    asked = [folder for folder in folders() if folder.name not in lines]
    said = {folder.name: [] for folder in asked}
    for engine in engines if asked else []:
        command = [HLOCTS, "replay", *asked, f"--backend={engine}", "--json", "--timeout=30s"]
        run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        for line in run.stdout.splitlines():
            verdict = json.loads(line)
            if "verdict" in verdict:
                said[pathlib.Path(verdict["module"]).name].append(f"{engine}={verdict['verdict']}")
        print(f"{engine}: done", file=sys.stderr)
    lines.update({name: f"{name:<48} {' '.join(words)}\n" for name, words in said.items()})
    write_lines("answers.txt", ANSWERS.format(engines=" ".join(engines)), lines)


def needs_gpu(folder):
    return verdict_of(folder)["backend"].startswith("xla_gpu")


def script_of(folder, into):
    if needs_gpu(folder):
        return None
    command = [HLOCTS, "report-bug", "--jax", folder]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return None
    path = pathlib.Path(into) / f"{folder.name}.py"
    path.write_text(run.stdout)
    return path


def release_of(python):
    command = [python, "-c", "import jax; print(jax.__version__)"]
    return "jax " + subprocess.check_output(command, text=True).strip()


def says(python, script):
    run = subprocess.run([python, script], capture_output=True, text=True, check=False)
    if run.stdout.startswith("REPRODUCED"):
        return "reproduced"
    return "not reproduced" if run.returncode == 0 else "no answer"


def in_jax(pythons, only_new):
    lines = kept_lines("in_jax.txt", only_new)
    releases = {python: release_of(python) for python in pythons}
    with tempfile.TemporaryDirectory() as into:
        for folder in folders():
            script = None if folder.name in lines else script_of(folder, into)
            if script is None:
                continue
            words = [f"{release}: {says(python, script)}" for python, release in releases.items()]
            lines[folder.name] = f"{folder.name:<48} {'; '.join(words)}\n"
            print(lines[folder.name].strip(), file=sys.stderr)
    write_lines("in_jax.txt", IN_JAX, lines)


def pack(path):
    """Packs the records with fixed owners, times and order: equal records yield equal bytes."""
    made = [FINDINGS / name for name in TABLES if (FINDINGS / name).exists()]
    files = {str(path.relative_to(FINDINGS)): path.read_bytes()
             for path in (*made, *sorted(FINDINGS.glob("*/history.json")))}
    files.update((f"{folder.name}/{name}", text.encode()) for folder in folders()
                 for name, text in files_of(folder).items() if name.endswith(".txt"))
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    path.write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    print(hashlib.sha256(path.read_bytes()).hexdigest(), path)


def unpack(path):
    """Writes only regular files of existing findings, and no record that finding.textproto has."""
    with tarfile.open(path) as archive:
        for entry in archive.getmembers():
            target = FINDINGS / entry.name
            known = entry.name in TABLES or (
                target.name == "history.json" and (target.parent / "module.hlo").exists())
            if entry.isreg() and known and ".." not in target.parts:
                target.write_bytes(archive.extractfile(entry).read())
            elif target.name not in FILES.values():
                print(f"{path}: omitted {entry.name}: not a record of a finding", file=sys.stderr)


def main(arguments):
    name = arguments[0] if arguments else "--help"
    if name in ("pack", "unpack") and len(arguments) == 2:
        {"pack": pack, "unpack": unpack}[name](pathlib.Path(arguments[1]))
        return 0
    table = {"answers": answers, "jax": in_jax}.get(name)
    if table is None or len(arguments) < 2:
        print(__doc__)
        return 0 if name == "--help" else 2
    table([word for word in arguments[1:] if word != "--new"], "--new" in arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
