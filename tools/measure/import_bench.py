#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the import of many verdicts. A synthetic run has a verdict for each of its cases; every
fiftieth is a failure with a module. The run is imported into an empty store, and once more as the
next nightly run.

  import_bench.py HLOCTS [VERDICTS]     a million; about 1 GB below $TMPDIR

Exit status 1: an import takes more than 60 s or 500 MB, or the file is larger than 500 MB."""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "reports" / "page"))
import synthetic_nights as nights  # noqa: E402

SECONDS_ASKED, MB_ASKED = 60, 500
FAILS_EVERY = 50


def write_run(folder, count):
    marks = ("p" * (FAILS_EVERY - 1) + "f") * (count // FAILS_EVERY + 1)
    nights.write_run(folder, "2026-01-01", {"engine": marks[:count]}, nights.addresses(count))


def move_to_day(folder, day):
    path = pathlib.Path(folder, "run.json")
    run = json.loads(path.read_text())
    run.update(started=day + "T01:00:00Z", finished=day + "T02:00:00Z")
    path.write_text(json.dumps(run))


def timed_import(hlocts, run, store):
    """Returns wall seconds, processor seconds, and the maximum memory in MB."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([hlocts, "store", "import", run, f"--store={store}"], check=True)
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, processor, after.ru_maxrss / 1024


def main():
    hlocts, count = sys.argv[1], int((sys.argv[2:] or ["1000000"])[0])
    missed = 0
    with tempfile.TemporaryDirectory(prefix="hlocts-import-") as folder:
        run, store = f"{folder}/run", f"{folder}/store.db"
        write_run(run, count)
        for day in ("2026-01-01", "2026-01-02"):
            move_to_day(run, day)
            load = os.getloadavg()[0]
            wall, processor, memory = timed_import(hlocts, run, store)
            size = sum(path.stat().st_size for path in pathlib.Path(folder).glob("store.db*")) / 1e6
            print(f"{count} verdicts: {wall:.1f} s wall, {processor:.1f} s of processor time, "
                  f"{memory:.0f} MB of memory, store {size:.0f} MB; load before it {load:.1f}",
                  flush=True)
            missed |= wall > SECONDS_ASKED or max(memory, size) > MB_ASKED
    return int(missed)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        sys.exit(0 if len(sys.argv) > 1 else 2)
    sys.exit(main())
