# SPDX-License-Identifier: Apache-2.0
"""Defines the steps of a nightly run. Each step returns None or an error message."""

import datetime
import hashlib
import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import time

from night.night import (ROOT, SECONDS_OF_A_REPORT, SHARES, TIME_OVER, Cut, NoEngine, Plan, file_name,
                         json_lines, label_of, name_of, run, say)

OURS = ("cpu", "cuda-host", "reference", "xla", "hlo-evaluator")
RECORDED = ROOT / "results/findings"
REPEATS = 2  # further runs of a regression
CASES_OF_A_PART = 20  # of the regressions on an engine
NOTES_IN_MARKDOWN = 3  # kNamed in summary.cc
MARGIN = 1.25  # factor for an estimated budget
TIDY_FOLDERS = ("spec/ir", "spec/text", "spec/infer", "spec/judge", "reference", "generators",
                "reports", "backends", "suites", "fuzz", "tools")


def described(program, engines):
    """Returns each engine's name in records, availability, and the reason if it is not available."""
    named = [f"--backend={engine}" for engine in engines]
    done = subprocess.run([program, "backends", "--json", *named], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    return json_lines(done.stdout)


def absent(program, engines):
    """Returns {engine: reason} of the engines that cannot run, e.g. as they are not installed."""
    said = zip(engines, described(program, engines))
    return {engine: one["reason"] for engine, one in said if not one["available"]}


def parts_of(engine):
    """Splits an engine's name into its label and kind, and the path (or name) with options."""
    return re.fullmatch(r"((?:[^/=]*=)?(?:pjrt:|exec:)?)(.*)", engine).groups()


def with_absolute_path(engine):
    """Returns an engine's name with the path of its plugin or program, if any, made absolute."""
    prefix, path = parts_of(engine)
    file = re.split("[? ]", path)[0]
    # A name may contain "/" after its kind: canary:pad/operand-zero/1.
    is_path = ("/" in file and ":" not in file.split("/")[0]) or prefix.endswith("pjrt:") and os.path.isfile(file)
    return prefix + os.path.abspath(path) if is_path else engine


def hashes(engines):
    """Returns the hash of each engine's file. Engines without a path are fixed by their release."""
    paths = {engine: pathlib.Path(re.split("[? ]", parts_of(engine)[1])[0]) for engine in engines}
    return {engine: hashlib.sha256(path.read_bytes()).hexdigest()
            for engine, path in paths.items() if path.is_absolute() and path.is_file()}


def identities(night):
    """Returns version and hashes of file and known failures of each engine, by its name in records. The version of an engine
    without a file includes the engine's name, which a label may hide."""
    files = hashes(night.state["engines"])
    said = zip(night.state["engines"], described(night.options.hlocts, night.state["engines"]))
    return {one["name"]: {"file": files.get(engine, "")[:12], "version": one["version"] if engine in files
                          else f"{parts_of(engine)[1]}, {one['version']}", "list": known_failures(night, engine)}
            for engine, one in said if one["available"]}


def known_failures(night, engine):
    """Returns the hash of the engine's list of known failures, or "" if it has none."""
    name = label_of(engine) or re.split("[@:?]", engine)[0]
    named = night.options.expectations.get(name_of(engine))
    path = ROOT / (named or f"suites/expectations/{name}.textproto")
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12] if path.is_file() else ""


def has_report(folder):
    """Returns True if the run wrote a report and no suite failed, except for a missing engine."""
    if (folder / "finished").exists() or not (folder / "night.json").exists():
        return (folder / "night.json").exists()
    problems = json.loads((folder / "state.json").read_text())["problems"]
    return not any(step.startswith("suite ") for step in problems)


def without_report(night, is_stored):
    """Returns the other runs without a report whose verdicts are in the store, or are not, as they ended before
    their import."""
    _, text = night.hlocts("store", "list", "--json", f"--store={night.options.store}")
    stored = {one.get("night") for one in json_lines(text)}
    return sorted(path.parent.name for path in night.options.out.glob("*/state.json")
                  if path.parent != night.folder and (path.parent.name in stored) == is_stored
                  and not has_report(path.parent))


def not_compared(night, is_whole):
    """Returns the options that make the program skip runs without a report, also this one unless
    `is_whole`. The store records them: the program decides which run is the base."""
    return [f"--without={name}" for name in without_report(night, True) + ([] if is_whole else [night.name])]


def never_imported(night):
    """Returns a note on each run since the base that ended before its import."""
    return [f"run {name} ended before its import: {night.options.out / name} has its results, and no page has them"
            for name in without_report(night, False) if name > night.state.get("since", "")]


def earlier_identities(night):
    """Returns {engine: (run, identity)} of the newest run up to the base in which the engine gave verdicts."""
    found = {}
    for path in sorted(night.options.out.glob("*/state.json")):
        if path.parent.name <= night.state.get("since", "") and has_report(path.parent):
            said = next(iter(json_lines((path.parent / "night.json").read_text())), {})
            known = json.loads(path.read_text()).get("identities", {})
            found |= {name: (path.parent.name, known[name]) for name in known if name not in said.get("dead", [])}
    return found


def exchanged(night):
    """Returns a note on each engine with another version, file or list of known failures than in the
    run whose verdicts it is compared with, and on each label that had other options since then."""
    before, notes = earlier_identities(night), []
    gone = sorted(before.keys() - night.state["identities"].keys())
    for name, now in night.state["identities"].items():
        label, _, options = name.partition("?")
        last, old = before.get(name, ("", now))
        others = [(before[one][0], one) for one in gone if one.split("?")[0] == label and before[one][0] > last]
        notes += [f"{label} had other options in run {run}: {other.partition('?')[2] or 'none'} → {options or 'none'}; "
                  + (f"it is compared with run {last}" if last else "its verdicts begin a new comparison")
                  for run, other in others if run == max(others)[0]]
        sets = ([set(one["version"].split(", ")), {"file " + one["file"]}] for one in (old, now))
        said = ", ".join(f"{', '.join(sorted(was - to)) or 'nothing'} → {', '.join(sorted(to - was)) or 'nothing'}"
                         for was, to in zip(*sets) if was != to)
        notes += [f"{name} has changed since run {last}: {said}"] if said else []
        if old.get("list", now.get("list")) != now.get("list"):
            notes.append(f"the list of known failures of {name} has changed since run {last}")
    return notes


def changed(night):
    """Returns the engines whose files have changed since the run began."""
    now = hashes(night.state["engines"])
    return [engine for engine, hash in night.state.setdefault("files", now).items()
            if hash != now.get(engine)]


def begun_with_others(night):
    """Returns a message if a user continues a run with other engines or changed files, else ""."""
    engines = night.state["engines"]
    if night.options.engine and engines_of(night) != engines:
        said = f"the engines {' '.join(engines)}: name these to continue the run"
    elif files := changed(night):
        said = f"another file of {', '.join(files)}: restore the file to continue the run"
    else:
        return ""
    return (f"{night.name} began with {said}, begin another run with --night={night.name}.02 or any other "
            f"new name, or delete the directory {night.folder}, which discards {night.name}")


def unknown_engine(program, engine):
    """Returns the program's message if no engine can have this name, else ""."""
    if "exec:" in engine:  # `hlocts worker` does not serve exec: engines
        return ""
    done = subprocess.run([program, "worker", f"--backend={engine}"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    return done.stderr.strip().removeprefix("hlocts: ") if done.returncode == 2 else ""


def engines_of(night):
    """Returns our engines that can run here, and the installed releases."""
    if night.options.engine:
        return night.options.engine
    _, ours = night.hlocts("backends", "--json")
    available = {one["name"] for one in json_lines(ours) if one.get("available")}
    _, releases = night.hlocts("engines", "list", "--json")
    installed = [one["name"] for one in json_lines(releases)
                 if one["state"] == "installed" and one["reach"] != "BUILD"
                 and not {one["name"], one["alias"]} & set(OURS)]
    return [name for name in OURS if name in available] + installed


def by_engine(given, engines, names):
    """Returns the files of --expectations by label, or by name for an engine without one, and given
    names that match no engine. Users give labels or names in records, with or without options."""
    files, known, given = dict(given), set(), dict(given)
    for engine, name in zip(engines or [], names):
        of = [key for key in (name, label_of(engine), name.split("?")[0]) if key in given]
        files |= {name_of(engine): given[key] for key in of[:1]}
        known.update(of)
    return files, [key for key in given if key not in known]


def expected(night, engine):
    """Returns the option with the known failures that --expectations names for this engine."""
    file = night.options.expectations.get(name_of(engine))
    return [f"--expectations={file}"] if file else []


def suite_folder(night, engine):
    return night.folder / "suite" / file_name(engine)


def run_suite(night, engine, limit):
    """Runs the cases that have no verdict yet. Returns None only if each case has a verdict of any
    kind: an exit status alone does not make a suite done."""
    folder = suite_folder(night, engine)
    problem = run_cases(night, engine, limit)
    if night.status == 2 and cases_of(folder)[0]:
        # The program continues only a run of the same cases and plugin.
        other = night.folder / "other request" / file_name(engine)
        shutil.rmtree(other, ignore_errors=True)
        other.parent.mkdir(exist_ok=True)
        folder.rename(other)
        say(f"suite {name_of(engine)}: the earlier verdicts are of another request (log.txt); the suite starts again")
        problem = run_cases(night, engine, limit)
    cut = night.state["cut"] = [one for one in night.state.get("cut", []) if one != engine]
    if is_whole(folder):
        night.state["problems"].pop(f"suite {engine}, the rest", None)
        return None
    done, cases = cases_of(folder)
    if problem == TIME_OVER:
        cut.append(engine)
        return Cut(f"cut after {done} of {cases or 'all'} cases")
    problem = night.state["absent"].get(engine) or problem or f"{done} of {cases} cases have a verdict"
    return NoEngine(problem) if night.status == 3 else problem


def run_cases(night, engine, limit):
    started, folder = time.monotonic(), suite_folder(night, engine)
    done, cases = cases_of(folder)
    if done:
        say(f"suite {name_of(engine)}: continues after {done} of {cases} cases")

    night.status = None
    try:
        problem, _ = night.hlocts("run", f"--backend={engine}", f"--tier={night.state['tier']}",
                                  f"--out={folder}", "--resume", *expected(night, engine), limit=limit,
                                  tick=lambda: say(f"suite {name_of(engine)}: {progress(folder)}"))
    finally:  # also counts the time of a run that is stopped and continued
        add_seconds(night, "suite", engine, started)
    return problem


def add_seconds(night, part, engine, started):
    took = night.state.setdefault(f"{part} seconds", {})
    took[engine] = took.get(engine, 0) + time.monotonic() - started
    night.save()


def cases_of(folder):
    """Returns the number of cases with a verdict in a run's directory, and the number of all cases."""
    if not (folder / "verdicts.jsonl").exists():
        return 0, 0
    done = {one["case"] for one in json_lines((folder / "verdicts.jsonl").read_text())}
    return len(done), len((folder / "selection.txt").read_text().splitlines())


def progress(folder):
    done, cases = cases_of(folder)
    return f"{100 * done // cases}%, {done} of {cases} cases" if cases else "starting"


def is_whole(folder):
    """Returns True if the run ended and each case has a verdict."""
    done, cases = cases_of(folder)
    return 0 < cases == done and bool(json.loads((folder / "run.json").read_text()).get("finished"))


def rates(night, part):
    """Returns the seconds per case or finding on each engine: the median of the last runs of its tier
    that were complete, or else the largest rate, because the slowest cases come first. A run with less
    than a tenth of the cases or findings has no rate."""
    found = {}
    states = sorted(night.options.out.glob("*/state.json"))[-14:]
    for path in {night.state_path, *states}:
        state = night.state if path == night.state_path else json.loads(path.read_text())
        if state.get("tier") != night.state.get("tier"):
            continue
        for engine, took in state.get(f"{part} seconds", {}).items():
            done, asked = (cases_of(path.parent / "suite" / file_name(engine)) if part == "suite"
                           else state.get("replayed", {}).get(engine, (0, 0)))
            if done and done >= asked / 10:
                found.setdefault(name_of(engine), ([], []))[done >= asked].append(took / done)
    return {name: statistics.median(whole or [max(cut)]) for name, (cut, whole) in found.items()}


def cut_by_the_budget(night):
    """Returns a note on cases and findings that have no verdict because the budget was too short,
    and an estimate of a sufficient budget."""
    said, unknown, seconds = [], {}, {"suite": {}, "findings": {}}
    suites = {engine: cases_of(suite_folder(night, engine)) for engine in night.state["engines"]}
    asked = {"suite": suites, "findings": night.state.get("replayed", {})}
    texts = {"suite": "{0} was cut after {1} of {2} cases", "findings": "{3} findings not replayed on {0}"}
    for part, counts in asked.items():
        known = rates(night, part)
        for engine, (done, all_of_them) in counts.items():
            name = name_of(engine)
            if not suites[engine][0]:
                continue  # the engine gave no verdict
            if done < all_of_them and (part != "suite" or engine in night.state.get("cut", [])):
                said.append(texts[part].format(name, done, all_of_them, all_of_them - done))
            seconds[part][engine] = MARGIN * known.get(name, 0) * all_of_them
            if name not in known:
                unknown.setdefault("cases" if part == "suite" else part, []).append(name)
    if not said:
        return []
    first = least = math.ceil(MARGIN * night.options.budget / 60)
    while not suffices(60 * least, seconds):
        least += 1
    # Names the tier, since a larger budget may select a tier with more cases.
    text = f"about --tier={night.state['tier']} --budget={least}m is needed"
    if unknown:
        names = " and ".join(f"{part} on {', '.join(engines)}" for part, engines in unknown.items())
        without = f"; without these, {text}" if least > first else ", so the needed budget is not known"
        text = f"the time of {names} is not known yet{without}"
    return [f"the budget was too short: {'; '.join(said)}; {text}"]


def suffices(budget, seconds):
    """Returns True if a run with this budget finishes suite and findings that take these seconds by
    engine. Follows the steps of `whole_night`; campaigns take all of their time."""
    engines = list(seconds["suite"])
    suites, findings = ({engine: seconds[part].get(engine, 0) for engine in engines} for part in seconds)
    plan = Plan(engines, budget)
    for engine in engines:
        plan.use(suites, engine, suite_limit(plan, engine, engines))
    cut = [engine for engine in engines if suites[engine] > 0]
    for engine in cut:
        plan.use(suites, engine, rest_limit(plan, engine, cut))
    for engine in engines:
        plan.use(findings, engine, fair(plan, "findings", engine, engines, 30))
    plan.state["cut findings"] = [engine for engine in engines if findings[engine] > 0]
    plan.now += time_of_campaigns(plan)
    for engine in engines:
        plan.use(findings, engine, budget)
    return not any([*suites.values(), *findings.values()])


def fair(night, part, engine, engines, least):
    """Returns the limit of a step, so that a slow engine leaves its share to each that follows."""
    share, free = night.options.budget * SHARES[part] / len(engines), night.free()
    following = len(engines) - 1 - engines.index(engine)
    return min(max(2 * share, least), max(free - following * share, free / (1 + following)))


def suite_limit(night, engine, engines):
    return fair(night, "suite", engine, engines, max(night.left() / 2, 60))


def suite(night, engine, engines):
    return run_suite(night, engine, suite_limit(night, engine, engines))


def rest_of_suite(night, engine, cut):
    """Continues one of the interrupted suites after all suites."""
    return run_suite(night, engine, rest_limit(night, engine, cut))


def rest_limit(night, engine, cut):
    """Returns the limit of the rest of a suite. Findings and campaigns get the time that suites leave."""
    return night.free() / (len(cut) - cut.index(engine))


def findings(night, engine, engines):
    problem = replay(night, engine, engines, fair(night, "findings", engine, engines, 30))
    cut = night.state["cut findings"] = [one for one in night.state.get("cut findings", []) if one != engine]
    if problem and problem.startswith(TIME_OVER):
        cut.append(engine)
        return Cut(problem)
    return problem


def replay(night, engine, engines, limit):
    """Replays the findings without a recorded verdict."""
    log = night.folder / "findings" / file_name(engine) / "history.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    known = json_lines(log.read_text()) if log.exists() else []
    log.write_text("".join(json.dumps(one) + "\n" for one in known))  # drops an incomplete line
    done = {one["module"] for one in known}
    bundles = sorted(str(path.parent.relative_to(ROOT))
                     for path in RECORDED.glob("*/finding.textproto")
                     if concerns(path.parent.name, night, engines))
    replayed = last_replays(night, engine)
    left = sorted((bundle for bundle in bundles if bundle not in done), key=lambda one: replayed.get(one, ""))
    problem, started = None, time.monotonic()
    if left:
        problem, _ = night.hlocts("replay", *left, f"--backend={engine}", "--json", limit=limit,
                                  log=log, mode="a", good=(0, 1, 3))
    done = len(json_lines(log.read_text()))
    add_seconds(night, "findings", engine, started)
    night.state.setdefault("replayed", {})[engine] = [done, len(bundles)]
    if problem == TIME_OVER:
        return f"{TIME_OVER}, {done} of {len(bundles)} findings were replayed"
    return problem or (None if done else f"no finding was replayed; see {night.folder}/log.txt")


def rest_of_findings(night, engine, limit):
    """Continues interrupted replays. A note on the budget counts what is left."""
    before = night.state.get("replayed", {}).get(engine)
    problem = replay(night, engine, night.state["engines"], limit)
    if problem and problem.startswith(TIME_OVER):
        same = before == night.state["replayed"][engine]
        return Cut(f"{TIME_OVER}, no other finding was replayed" if same else problem)
    night.state["cut findings"].remove(engine)
    return problem


def rest_of_all_findings(night, last):
    """Continues replays, if there is time until the `last` seconds. Returns True if there are new results."""
    before = dict(night.state.get("replayed", {}))
    for engine in list(night.state.get("cut findings", [])):
        limit = night.left() - last
        if limit > 1:
            night.step(f"findings {engine}, the rest", lambda: rest_of_findings(night, engine, limit))
    return before != night.state.get("replayed", {})


def last_replays(night, engine):
    """Returns {finding: name of the last run that replayed it} of earlier runs, so that a run whose time
    does not suffice begins with those that waited longest."""
    logs = sorted(night.options.out.glob(f"*/findings/{file_name(engine)}/history.jsonl"))
    return {one["module"]: path.parents[2].name for path in logs[-14:] if not path.is_relative_to(night.folder)
            for one in json_lines(path.read_text())}


def concerns(finding, night, engines):
    """Returns False for a finding of a family of engines (iree-..., litert-...) if no engine of the
    family runs."""
    if "families" not in night.state:
        _, listed = night.hlocts("engines", "list", "--json")
        night.state["families"] = sorted({one["name"].split("@")[0] for one in json_lines(listed)})
    mine = [one for one in night.state["families"] if finding.startswith(one + "-")]
    tonight = {re.split("[@?]", engine)[0] for engine in engines}
    return not mine or bool(tonight & set(mine)) or mine[0] in ("jaxlib", "xla")


def found_by(night, engine):
    """Returns the number of buckets that campaigns found on this engine; its share depends on it."""
    folders = night.options.out.glob(f"*/fuzz/{file_name(engine)}")
    return sum(len(lasting(folder)) for folder in folders)


def modules_of_today(night, engine):
    """Returns the number of modules of earlier nightly runs of this day, which have the same seed."""
    counts = [0]
    for path in night.options.out.glob(f"{night.name[:10]}*/fuzz/{file_name(engine)}/state.json"):
        if path.is_relative_to(night.folder) or not (path.parents[2] / "finished").exists():
            continue
        state = json.loads(path.read_text())
        counts.append(state["next"] + len(state["done"]))
    return max(counts)


def lasting(out):
    """Returns the lines of findings.jsonl without those of known and cut failures, and without those
    of unshrunk ones that a later line replaces (LastingFindings in reports/store)."""
    lines, path = [], out / "findings.jsonl"
    for one in json_lines(path.read_text()) if path.exists() else []:
        def replaced(other):
            return ("to_shrink" in other and other.get("met_as") == one.get("met_as")
                    and ("to_shrink" in one or one.get("module", other["to_shrink"]) == other["to_shrink"]))
        lines = [other for other in lines if not replaced(other)]
        if not (one.get("known") or one.get("cut")):
            lines.append(one)
    return lines


def not_small_yet(out):
    """Returns failures that the campaign had no time to minimise."""
    return [one for one in lasting(out) if "to_shrink" in one]


def time_of_campaigns(night):
    """Returns the seconds of all campaigns, which leave half of the time to findings that wait."""
    return min(night.options.budget * SHARES["fuzz"], night.left() / (2 if night.state.get("cut findings") else 1))


def fuzz(night, engine, time_s):
    out = night.folder / "fuzz" / file_name(engine)
    time_s = int(max(5, min(time_s, night.left())))
    seed = night.name[:10].replace("-", "") if re.match(r"\d{4}-\d\d-\d\d", night.name) else "1"
    modules = modules_of_today(night, engine)

    def campaign(time_s, modules):
        resume = ["--resume"] if (out / "state.json").exists() else []
        problem, text = night.hlocts("fuzz", f"--backend={engine}", f"--seed={seed}",
                                  f"--time={time_s}s", f"--out={out}", *expected(night, engine),
                                  *([f"--modules={modules}"] if modules else []), *resume,
                                  limit=2 * time_s + 120)
        with open(night.folder / "log.txt", "a") as log:
            log.writelines(text.splitlines(keepends=True)[:1])  # the counts
        return problem

    problem = campaign(time_s, modules)
    if problem is None and not_small_yet(out):
        # A failure is named by its minimised module; the name shows if the failure is known.
        done = json.loads((out / "state.json").read_text())["next"]
        again = min(max(120, time_s), int(night.left()))
        if again < 5:
            night.state["notes"].append(f"time ran out before all findings on {name_of(engine)} were minimised")
            return None
        problem = campaign(again, done)
    return problem


def news(night):
    """Returns the changed cases that may be flakes. Until there is a report, the store has the run as
    one without a complete report."""
    command = ("report", f"--store={night.options.store}", f"--night={night.name}", "--json",
               *not_compared(night, is_whole=False))
    _, text = night.hlocts(*command)
    said = json_lines(text)
    asked = said[0]["regressed"] + said[0]["first_run"] + said[0]["changed"] if said else []
    night.state["since"] = said[0]["since"] if said else ""
    night.hlocts(*command, f"--not-repeated={len(asked)}")
    return asked


def repeat(night):
    """Runs regressions again. Those that do not repeat are flakes of this nightly run."""
    asked, cases = news(night), {}
    for one in asked[:200]:
        cases.setdefault(one["engine"], []).append(one)
    named, repeated, problem = named_as_given(night), 0, None
    shutil.rmtree(night.folder / "repeat", ignore_errors=True)  # left by a stopped run
    night.begin_repetitions()
    # In parts: when the time runs out, the finished parts count.
    for engine, mine in cases.items():
        for first in range(0, len(mine), CASES_OF_A_PART):
            part = mine[first:first + CASES_OF_A_PART]
            out = night.folder / "repeat" / f"{file_name(engine)}.{first}"
            failed = repeat_on(night, named.get(engine, engine), part, out)
            repeated += 0 if failed else len(part)
            problem = problem or failed
    night.state["not repeated"] = len(asked) - repeated
    return (import_all(night, "repeat") if repeated else None) or problem


def repeat_on(night, engine, changes, out):
    """Runs the cases of some changes again. Leaves the records of the last repetition, in which a case
    whose verdicts differ is a flake."""
    seen = {one["case"]: [one["now"]] for one in changes}
    for _ in range(REPEATS):
        shutil.rmtree(out, ignore_errors=True)
        problem, _ = night.hlocts("run", *seen, f"--backend={engine}", *expected(night, engine),
                                  "--tier=exhaustive", f"--out={out}", limit=night.left())
        if problem:
            shutil.rmtree(out, ignore_errors=True)  # incomplete repetitions must not be imported
            return problem
        records = json_lines((out / "verdicts.jsonl").read_text())
        for one in records:
            seen[one["case"]].append(one["verdict"])
    for one in records:
        if len(set(seen[one["case"]])) > 1:
            one["flake"] = ", ".join(seen[one["case"]])
    (out / "verdicts.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    return None


def named_as_given(night):
    """Returns {name in records: name as given}, since names in records have no paths."""
    named = {}
    for engine in night.state["engines"]:
        record = night.folder / "suite" / file_name(engine) / "run.json"
        if record.exists():
            named |= dict.fromkeys(json.loads(record.read_text())["backends"], engine)
    return named


def import_all(night, *parts):
    records = ("run.json", "state.json", "history.jsonl")
    folders = [str(path.parent) for part in parts for name in records
               for path in sorted((night.folder / part).glob(f"*/{name}"))]
    if not folders:
        return "there is nothing to import"
    if "findings" in parts:  # adds results of other releases (records.py unpack), passes at fault
        folders += [str(path.parent) for path in sorted(RECORDED.glob("*/history.json"))]
    problem, _ = night.hlocts("store", "import", *dict.fromkeys(folders), "--incomplete",
                              f"--night={night.name}", f"--store={night.options.store}", good=(0,))
    return problem


def import_first(night):
    problem = import_all(night, "suite", "findings", "fuzz")
    if not problem:
        news(night)
    return problem


def retention(night):
    """Deletes the verdicts of old nightly runs, but not their counts. Does nothing if no run is old."""
    problem, text = night.hlocts("store", "list", "--json", f"--store={night.options.store}",
                                 good=(0,))
    nights = {one["night"] for one in json_lines(text) if not one.get("pruned")}
    if problem or len(nights) <= night.options.keep:
        return problem
    problem, _ = night.hlocts("store", "prune", f"--keep={night.options.keep}",
                              f"--store={night.options.store}", good=(0,))
    return problem


def check_store(night):
    """Moves a damaged store aside and recovers it before anything is added."""
    store = night.options.store
    if not store.exists():
        return None
    # Status 1 means damage. The import reports any other problem, such as a full disk.
    problem, _ = night.hlocts("store", "check", f"--store={store}", good=(0, 2, 3))
    if problem:
        problem, text = night.hlocts("store", "recover", f"--store={store}", good=(0,))
        night.state["notes"].append("the run store was damaged: " + text.strip())
    return problem


def selfcheck(night):
    limit = night.share("selfcheck")
    record = night.folder / "selfcheck.jsonl"
    problem, _ = night.hlocts("selfcheck", "faults", "--fault=swapped-operands", "--json",
                              f"--time={int(limit)}s", limit=2 * limit + 60, log=record)
    # Only notes a seeded fault that was not detected, because it may have had no effect.
    night.state["notes"] += [f"selfcheck: {one['fault']} is not detected: {one['reason']}"
                             for one in json_lines(record.read_text()) if not one["killed"]]
    return problem


def bench(night):
    record = night.folder / "bench.jsonl"
    problem, _ = night.hlocts("bench", "--quick", "--json", limit=3 * night.share("bench"),
                              log=record)
    night.state["notes"] += [f"bench: {one['benchmark']} misses its goal, see {record}"
                             for one in json_lines(record.read_text()) if not one.get("kept", True)]
    return problem


def clang_tidy(night):
    """Checks one directory per nightly run, in turn, because all directories take hours."""
    day = datetime.datetime.now(datetime.timezone.utc).toordinal()
    folder = TIDY_FOLDERS[day % len(TIDY_FOLDERS)]
    with open(night.folder / "clang-tidy.txt", "w") as out:
        status, _ = run(["ci/clang-tidy", folder], out, out, night.share("clang-tidy"))
    last = (night.folder / "clang-tidy.txt").read_text().strip().splitlines()[-1:]
    night.state["notes"].append(f"clang-tidy of {folder}: " + (
        "time ran out" if status == TIME_OVER else "".join(last)))
    return None if status in (0, TIME_OVER) else f"exit status {status}"


def hook(night, problem=""):
    """Runs the user's command with the summary of the nightly run, or the problem that stopped it."""
    night.is_reported = True
    environment = {**os.environ, "HLOCTS_NIGHT": night.name,
                   "HLOCTS_PAGE": "" if problem else str((night.folder / "page.html").resolve())}
    text = problem or "\n".join((f"red: nightly run {night.name}", "", (night.folder / "night.md").read_text(),
                                 environment["HLOCTS_PAGE"]))
    done = subprocess.run(night.options.hook, shell=True, input=text + "\n", text=True, env=environment,
                          check=False)
    return f"exit status {done.returncode}" if done.returncode else None


def notes_of(night):
    """Returns the notes of the report: those of dead engines first, as the Markdown has few notes."""
    problems = {step: f"{step}: {problem}" for step, problem in night.state["problems"].items()}
    dead = [problems.pop(step) for step in list(problems) if step in night.without_engine]
    return [night.short(note) for note in (*dead, *exchanged(night), *never_imported(night), *cut_by_the_budget(night),
                                           *night.state["notes"], *problems.values())]


def report(night):
    """Writes the page and the other reports. Returns the exit status of `hlocts report`."""
    folder, notes = night.folder, notes_of(night)
    command = [night.options.hlocts, "report", f"--store={night.options.store}", f"--night={night.name}",
               f"--html={folder}/page.html", f"--markdown={folder}/night.md", f"--badge={folder}/badge.svg",
               f"--summary={folder}/night.json", f"--text={folder}/night.txt",
               f"--not-repeated={night.state.get('not repeated', 0)}",
               *not_compared(night, not any(one.startswith("suite ") for one in night.failed_steps())),
               *(f"--note={note}" for note in notes)]
    status = subprocess.run(command, cwd=ROOT, check=False).returncode
    if status in (0, 1):
        for note in json.loads((folder / "night.json").read_text())["notes"][NOTES_IN_MARKDOWN:]:
            print(note)  # the program printed the first ones
    say(f"page: {folder}/page.html")
    return status
