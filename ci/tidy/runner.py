# SPDX-License-Identifier: Apache-2.0
"""Runs the rules: first on their planted examples, then on the tree."""

import argparse
import concurrent.futures
import importlib
import pathlib
import pkgutil
import sys
from typing import Dict, List

from tidy import ceilings, opcodes, rules
from tidy.finding import Finding
from tidy.rules import format as format_rule
from tidy.tree import Tree

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = pathlib.Path(__file__).resolve().parent / "ceilings.txt"


def all_rules() -> List:
    """A file in rules/ is a rule; nothing else lists them."""
    names = sorted(module.name for module in pkgutil.iter_modules(rules.__path__))
    return [importlib.import_module("tidy.rules." + name) for name in names]


def self_test(rule) -> List[str]:
    """What the rule overlooks or sees wrongly in its own examples."""
    wrong = []
    for files, expected in rule.PLANTED:
        said = [finding.message for finding in rule.findings(Tree(files))]
        if not any(expected in message for message in said) and not getattr(rule, "skipped", ""):
            wrong.append(f"{rule.NAME}: does not say '{expected}' of its planted example {files}")
    wrong += [f"{rule.NAME}: says '{finding.message}' of its clean example {finding.path}"
              for finding in rule.findings(Tree(rule.CLEAN))]
    return wrong


def check(tree: Tree, chosen: List) -> Dict[str, List[Finding]]:
    """The findings of each rule. Programs of others run beside our own."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        waiting = {rule: pool.submit(rule.findings, tree) for rule in chosen
                   if getattr(rule, "ASIDE", False)}
        found = {rule.NAME: rule.findings(tree) for rule in chosen if rule not in waiting}
        found.update({rule.NAME: future.result() for rule, future in waiting.items()})
    return found


def main(arguments: List[str]) -> int:
    options = _options(arguments)
    known = all_rules()
    if options.list:
        for rule in known:
            print(f"{rule.NAME}{' (ceilings)' if rule.CEILING else ''}\n  {rule.__doc__.strip()}\n")
        return 0
    chosen = [rule for rule in known if not options.rule or rule.NAME in options.rule]
    unknown = set(options.rule + ([options.fix] if options.fix else [])) - {r.NAME for r in known}
    if unknown:
        print(f"tidy: no rule {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    tree = Tree.of_folder(ROOT)
    if options.fix:
        return _fix(tree, next(rule for rule in known if rule.NAME == options.fix))
    # Before the cache of clean files is known: the examples are none of its business.
    wrong = ceilings.self_test() + opcodes.self_test()
    wrong += [line for rule in chosen for line in self_test(rule)]
    for line in wrong:
        print("self-test: " + line)
    format_rule.cache_folder = options.cache
    found = check(tree, chosen)
    if options.write_ceilings:
        _write(chosen, found, options.accept)
    return _report(tree, chosen, found, wrong)


def _options(arguments: List[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="ci/tidy_test", description="Checks the tree against the rules in ci/tidy/rules.")
    parser.add_argument("--rule", action="append", default=[], help="only this rule; repeatable")
    parser.add_argument("--list", action="store_true", help="what each rule says")
    parser.add_argument("--fix", metavar="RULE", help="mends what the rule can mend (format, spdx)")
    parser.add_argument("--write-ceilings", action="store_true", help="lowers ceilings.txt")
    parser.add_argument("--accept", action="store_true", help="with --write-ceilings: adds "
                        "rows and raises numbers as well (after a move of files, never else)")
    parser.add_argument("--cache", type=pathlib.Path, help="folder outside the sources")
    return parser.parse_args(arguments)


def _fix(tree: Tree, rule) -> int:
    if not hasattr(rule, "fix"):
        print(f"tidy: {rule.NAME} has nothing that mends", file=sys.stderr)
        return 2
    fixed = rule.fix(tree)
    for path, text in fixed.items():
        (ROOT / path).write_text(text, encoding="utf-8")
    print(f"{rule.NAME}: {len(fixed)} files changed")
    return 0


def _split(rows, chosen: List):
    """Rows of the chosen rules, and the others."""
    prefixes = set(m for rule in chosen if rule.CEILING for m in rule.MEASURES)
    own = {key: count for key, count in rows.items() if key[1].split(":")[0] in prefixes}
    return own, {key: count for key, count in rows.items() if key not in own}


def _write(chosen: List, found: Dict[str, List[Finding]], accept: bool) -> None:
    own, others = _split(ceilings.parse(_text_of_list()), chosen)
    now = ceilings.measured([f for rule in chosen if rule.CEILING for f in found[rule.NAME]])
    LIST.write_text(ceilings.to_text({**others, **(now if accept else ceilings.lowered(own, now))}))


def _text_of_list() -> str:
    return LIST.read_text() if LIST.exists() else ""


def _report(tree: Tree, chosen: List, found: Dict[str, List[Finding]], wrong: List[str]) -> int:
    rows, _ = _split(ceilings.parse(_text_of_list()), chosen)
    failures = []
    for rule in chosen:
        own, _ = _split(rows, [rule])
        open_ = found[rule.NAME]
        for failure in ceilings.compare(own, open_) if rule.CEILING else open_:
            failures.append(failure)
            print(f"{failure.path}:{failure.line}: {failure.message} [{rule.NAME}]")
    if format_rule.skipped and format_rule in chosen:
        print(format_rule.skipped)
    print(f"tidy: {len(chosen)} rules with {sum(len(r.PLANTED) for r in chosen)} planted examples, "
          f"{len(tree.paths)} files, {len(rows)} ceilings: "
          + (f"{len(failures)} findings, {len(wrong)} wrong self-tests" if failures or wrong
             else "clean"))
    return 1 if failures or wrong else 0
