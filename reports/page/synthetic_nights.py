# SPDX-License-Identifier: Apache-2.0
"""Writes directories of synthetic nightly runs, for tests of the store and the page. All differences
between the runs are known."""

import json
import pathlib

HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>"
MODULE = """HloModule m // %s

ENTRY main {
  %%p = bf16[2]{0} parameter(0)
  %%r = bf16[2]{0} rsqrt(%%p)
  ROOT %%l = bf16[2]{0} log(%%r)
}
""" % HOSTILE
TYPES = ("f32", "bf16", "f16", "s32")
OPERATIONS = ("elementwise/tanh", "elementwise/log", "movement/pad", "dot/dot_general",
              "reduction/reduce")
ULPS = {}  # by engine: distances of its accepted values from the exact ones
WORDS = {"p": "pass", "f": "fail", "u": "unsupported", "c": "crash", "r": "rejected", "x": "crash"}


def addresses(count):
    made = [f"{OPERATIONS[i % len(OPERATIONS)]}:case_{i // 20}:type={TYPES[i // 5 % 4]},n={i}"
            for i in range(count - 1)]
    return made + [f"movement/pad:{HOSTILE.replace('/', '|')}:type=f32"]


def verdict(engine, address, mark, expected):
    record = {"verdict": WORDS[mark], "module": "", "case": address, "backend": engine,
              "backend_version": "1.0", "profile": "default", "seed": None, "replica": 0,
              "reason": "", "elements": 2, "bits_checked_mean": 16.0, "unspecified_elements": 0,
              "first_failure": None, "expected": expected, "seconds": 0.001}
    if address.startswith("elementwise/"):
        function = address.split("/")[1].split(":")[0]
        kind = address.split("type=")[1].split(",")[0]
        if kind != "s32":
            record["worst_ulps"] = [{
                "function": function, "type": kind, "ulps": ULPS.get(engine, 0.5),
                "argument": "0.5", "value": "0.46289062", "rule": "ulp(3)", "elements": 2}]
    if mark == "f":
        record["reason"] = "output 0 at [1]: accepted [1, 1.0078125], found 1.03125 " + HOSTILE
        record["first_failure"] = {
            "output": 0, "index": [1], "actual": "1.03125", "actual_bits": "0x3f84",
            "accepted": "[1, 1.0078125]", "rule": "ulp(3)", "clause": "elementwise_unary",
            "instruction": "l"}
    if mark == "c":
        record["reason"] = "the process ended: Check failed: 7 < 5"
    if mark == "x":
        record["flake"] = "crash, pass, pass"
    return record


def write_run(folder, day, engines, cases, known=()):
    """Writes a run. `engines` has marks by name, one letter per case; 'l' omits the verdict."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    lost = any("l" in marks for marks in engines.values())
    run = {"backends": list(engines), "queries": [], "tier": "nightly", "profile": "default",
           "shard_index": 1, "shard_count": 1, "started": day + "T01:00:00Z",
           "program": "0.2.0-dev", "suite": "0123456789abcdef", "cpu": "a processor", "cores": 2}
    if not lost:
        run["finished"] = day + "T02:00:00Z"
    (folder / "run.json").write_text(json.dumps(run))
    (folder / "selection.txt").write_text("\n".join(cases) + "\n")
    with open(folder / "verdicts.jsonl", "w") as out:
        for engine, marks in engines.items():
            for i, mark in enumerate(marks):
                if mark == "l":
                    continue
                expected = mark in "pu" or i in known
                out.write(json.dumps(verdict(engine, cases[i], mark, expected)) + "\n")
                if mark == "f":
                    files = folder / "cases" / cases[i].replace("/", ".")
                    files.mkdir(parents=True, exist_ok=True)
                    (files / "module.hlo").write_text(MODULE)
    return str(folder)


def write_campaign(folder, engine, buckets):
    """Writes the directory of a campaign that found these buckets."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "state.json").write_text(json.dumps({"seed": 7, "next": 1000, "recipe": "",
                                                    "backends": [engine]}))
    with open(folder / "findings.jsonl", "w") as out:
        for i, bucket in enumerate(buckets):
            bundle = folder / "findings" / str(i)
            bundle.mkdir(parents=True, exist_ok=True)
            (bundle / "module.hlo").write_text(MODULE)
            out.write(json.dumps({
                "backend": engine, "bucket": bucket, "signature": bucket, "folder": str(bundle),
                "origin": f"seed 7, module {i}, stream edge"}) + "\n")
    return str(folder)


def edited(marks, **changes):
    """Returns marks with some letters replaced: edited('ppp', f=[1]) is 'pfp'."""
    letters = list(marks)
    for mark, places in changes.items():
        for i in places:
            letters[i] = mark
    return "".join(letters)
