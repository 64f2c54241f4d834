# SPDX-License-Identifier: Apache-2.0
"""The verdict on one computation, for people and for tests."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from typing import Any

from hlocts import binary
from hlocts.accepted import AcceptedSet, picture
from hlocts.errors import ConformanceError, NotJudgedError


@dataclass(frozen=True)
class Sentence:
    """A sentence of the documents, its address, and the ruling that interprets it, or ""."""

    clause: str
    text: str
    source: str
    address: str
    ruling: str


@dataclass(frozen=True)
class Operand:
    name: str  # with the index of the element that was read
    value: str


@dataclass(frozen=True)
class Failure:
    """The first element outside of its set."""

    output: int  # index of the leaf
    name: str  # path of the leaf in the function's result, "['logits'][0]"; "" for a single array
    index: tuple[int, ...]
    actual: str
    actual_bits: str
    accepted: AcceptedSet
    ulps: int | None  # distance from the value to the set; None if it is not defined in the format
    rule: str
    clause: str
    instruction: str
    operation: str  # the operation of the wrong instruction
    operands: tuple[Operand, ...]  # operands of the instruction for this element; may be empty
    arguments: tuple[Operand, ...]  # elements at this index of arguments with the output's shape
    distance: str = ""  # distance from the value to the set, in words
    source: str = ""  # file and line of the wrong instruction; "" if the module does not state them
    sentences: tuple[Sentence, ...] = ()  # about the wrong operation
    copies: tuple[Operand, ...] = ()  # values on two devices that differ; then nothing else is wrong


_PROBABLE = ("nothing was shown wrong, but this is no proof and no pass: each piece is proven correct, or "
             "tests find no fault in it")
# Targets of LAPACK in the lowerings of old releases of JAX, and the first release without them.
_OLD, _NEW_JAX = re.compile(r"(lapack|blas)_(?!\w+_ffi$)"), "0.4.38"
__unittest = True  # see errors.py


def nan_text(nan: dict[str, Any]) -> str:
    """Returns a sentence on the field `nan` of a verdict, with the NaN's origin."""
    return f"HLO {'itself gives' if nan.get('certain', True) else 'permits'} NaN: {nan['origin']}"


def deciding_fact(record: dict[str, Any]) -> str:
    """Returns a fact about sums, not in force, that narrows the widest set of a verdict; or ""."""
    facts = [fact for fact in record.get("widest", {}).get("facts", []) if "=" in fact]
    return next((fact for fact in facts if fact.endswith("=f32")), "".join(facts[:1]))


@dataclass(frozen=True)
class Result:
    verdict: str
    module: str
    engine: str
    profile: str
    reason: str
    elements: int  # number of elements that were compared; copies on several devices are one
    bits_checked: float  # mean per element; 32 if an f32 must have one value
    unspecified: int  # number of elements that may have any value
    failure: Failure | None
    custom_calls: tuple[str, ...]  # targets of custom calls in the module
    replay_arguments: tuple[str, ...] = ()  # arguments of the program; () if no files are kept
    record: dict[str, Any] = field(default_factory=dict, repr=False)  # the program's own record
    runs: dict[str, int] = field(default_factory=dict)  # runs by verdict, if there were several
    kept: bool = False  # True: module and arrays outlive this object
    files: Any = field(default=None, repr=False, compare=False)  # owner of files that are not kept
    is_cut: bool = True  # True: no piece is left to be judged
    takes_facts: bool = True  # False: a named engine declares its own facts
    facts: tuple[str, ...] = ()  # the facts given
    fact: str = ""  # the fact that would narrow the widest set, if it is true
    copies: int = 1  # devices that return the whole result
    is_alone: bool = False  # True: only one instruction computes, on parameters and constants

    @property
    def passed(self) -> bool:
        return self.verdict == "pass"

    def __bool__(self) -> bool:
        """Returns True only for a pass. Fail and inconclusive are not a success."""
        return self.passed

    @property
    def replay(self) -> str:
        """Returns a shell command line. Returns "" for a pass whose files were not kept, and for
        copies that differ from device to device: the same call of check repeats that."""
        if not self.replay_arguments or (self.passed and not self.kept) or self._copies():
            return ""
        return binary.shown(self.replay_arguments)

    def _report(self) -> str:
        """Returns the next step from a failure of an engine to a report for its authors."""
        words = self.replay_arguments
        if self.failure is None or not words or self._copies() or words[0] != "diff":
            is_in_process = self.failure and not self.is_cut and not self._copies()
            return ('check(..., engine="jax"), in pytest --hlocts-engine=jax, names a known finding and '
                    "prints the commands for one"
                    if is_in_process else "")
        at = words.index("-o")
        small = words[at + 1].replace("failing.txt", "small")
        shrink = ["shrink", *words[1:at], *words[at + 2:-1], "-o", small]
        return f"{binary.shown(shrink)} && {binary.shown(['report-bug', small])}"

    def explain(self) -> str:
        """Returns the program's detailed explanation: the derivation of the set (for a pass: of the
        first NaN that HLO itself gives or permits, or else of the element with the widest set) and, for an
        engine's failure, the smallest piece that shows it."""
        if not self.replay_arguments:
            return str(self)
        text = binary.run(self.replay_arguments, advice=self._narrower())
        return f"{self}\n\nthe outputs of one device alone:\n{text}" if self._copies() else text

    def raise_for_failure(self) -> Result:
        """Returns this object if it is a pass; otherwise raises. An unjudged result is not a pass."""
        __tracebackhide__ = True  # pytest shows the test instead of this line
        if self.passed:
            return self
        unknown = self.verdict in ("unsupported", "inconclusive", "probable", "suspect")
        # The reference gave up, e.g. at its limit of loop iterations.
        unknown |= self.record.get("cause", {}).get("kind") == "reference"
        kind = NotJudgedError if unknown else ConformanceError
        raise kind(str(self))

    def _copies(self) -> tuple[Operand, ...]:
        return self.failure.copies if self.failure else ()

    def _missing(self) -> str:
        """Returns a sentence about what was not judged."""
        calls = self.custom_calls
        known = f" (custom calls of the module: {', '.join(calls)})" if calls else ""
        if any(target.startswith(("lapack_", "blas_")) for target in calls):
            engines = 'engines with LAPACK: None and "jax" (the jaxlib of this Python), "cpu"'
            known += f"; {self._old_calls() or engines}"
        if not self.takes_facts and "SPMDFullToShardShape" in calls:
            known += "; engine=None runs manual regions (shard_map) on the devices of this JAX"
        return f"{self.reason or 'the program gives no reason'}{known}"

    def _old_calls(self) -> str:
        old = ", ".join(filter(_OLD.match, self.custom_calls))
        return old and f"no ruling describes {old} of an old JAX: jax {_NEW_JAX} and newer have other calls"

    def _narrower(self) -> str:
        if self._old_calls():
            return self._old_calls()
        if self.record.get("widest", {}).get("open_reduction"):
            return (f"no fact and no profile narrows the set of {self.record['widest']['instruction']}: no rule describes "
                    "its computation; in place of compiled HLO give judge jax.jit(f).lower(x).as_text()")  # fmt: skip
        if self.fact and self.takes_facts:
            promise = "sums in f32" if self.fact.endswith("=f32") else "at most N additions in a row"
            facts = ", ".join(f'"{one}"' for one in [*self.facts, self.fact])
            return (f"facts=[{facts}] narrows the widest set, if the engine's authors promise {promise} (unknown "
                    f"for XLA:CPU); {self._usual_narrower()}")  # fmt: skip
        return self._usual_narrower() + ("" if self.is_cut else '; engine="jax" judges pieces of the module')

    def _usual_narrower(self) -> str:
        widest = self.record.get("widest", {})
        options = ['profile="strict"'] * widest.get("strict", False)
        if widest.get("facts") and self.takes_facts and not self.fact:
            options += [f'facts=["{widest["facts"][0]}"], if the engine\'s authors promise it (`hlocts help facts`)']
        narrow = f"{' or '.join(options)} narrows the widest set; " if options else ""
        return f"explain() names the step that widens the sets; {narrow}other inputs may have narrower ones"

    def _checked(self) -> str:
        free = f", {self.unspecified} of them may have any value" if self.unspecified else ""
        each = f" on each of {self.copies} devices" if self.copies > 1 else ""
        in_piece = self.record.get("localisation", {}).get("in_piece")
        what = "the function's outputs, which alone show no failure: " if in_piece else ""
        return (f"{what}{self.elements} elements compared{each}{free}; {self.bits_checked:.1f} bits checked per "
                f"element (mean; explain() prints the median of significant bits); profile {self.profile}")

    def _advice(self) -> list[str]:
        is_open = self.failure is None and self.verdict in ("inconclusive", "probable")
        return [f"next: {self._narrower()}"] if is_open else []

    def _not_judged(self) -> str:
        """Returns, in one line, why a test with this undecided result is skipped."""
        return "; ".join([self._lines()[0].split("\n")[0], *self._advice()])

    def _lines(self) -> list[str]:
        if self.verdict == "unsupported":
            return ["nothing was judged: " + self._missing()]
        if self.failure is None:
            meaning = [_PROBABLE] * (self.verdict == "probable")
            return [*([self.reason] if self.reason else []), *meaning, *self._known(), self._checked(),
                    *self._advice()]  # fmt: skip
        if self._copies():
            return [*_unequal_lines(self.failure), self.reason, self._checked()]
        by = "the strict profile" if self.profile == "strict" else "HLO"
        facts = (self.record.get("first_failure") or {}).get("facts", [])
        return [*_failure_lines(self.failure, by, facts), *self._elsewhere(), self._others(), *self._known(), self._checked()]

    def _elsewhere(self) -> list[str]:
        """Returns a line if only the outputs are known, so that no instruction is known to be wrong."""
        located = self.is_alone or self.record.get("localisation", {}).get("instructions")
        at = self.failure.instruction if self.failure else ""
        return [] if located or not at else [
            f"the rule is that of {at}; the wrong instruction may be an earlier one "
            '(check with engine="jax" locates it in this machine\'s JAX)']  # fmt: skip

    def _known(self) -> list[str]:
        text = self.record.get("known", {}).get("text") or self.record.get("no_entry")
        return [f"known: {text}"] if text else []

    def _others(self) -> str:
        """Returns the statements of the program, with the number of wrong elements in place of the
        statement about the failing element, which is already printed."""
        wrong, own = self.record.get("wrong_elements"), self.record.get("statement")
        if not wrong:
            return self.reason
        others = [one for one in self.record.get("statements", []) if one != own]
        return "; ".join([f"{wrong} of {self.record['elements']} elements are wrong", *others])

    def __str__(self) -> str:
        lines = self._lines()
        if self.runs:
            counts = ", ".join(f"{count} {verdict}" for verdict, count in self.runs.items())
            lines.append(f"runs: {counts}")
        lines += [f"{name}: {said}" for name, said in (("replay", self.replay), ("report", self._report())) if said]
        return "\n".join([f"{self.verdict}: {self.module} on {self.engine}", *("  " + line for line in lines)])

    def _repr_html_(self) -> str:
        svg = picture(self.failure.accepted, self.failure.actual) if self.failure else ""
        return f"<div>{svg}<pre>{html.escape(str(self))}</pre></div>"


def _place(failure: Failure) -> tuple[str, str]:
    """Returns the name of the output and the index as text."""
    index = "[" + ", ".join(map(str, failure.index)) + "]"
    return failure.name or f"output {failure.output}", index


def _unequal_lines(failure: Failure) -> list[str]:
    name, at = _place(failure)
    return [f"{name} at {at} is {failure.actual}",
            "all devices must hold equal copies of an element (`hlocts help sharded-programs`)",
            "a shard_map that promises a replicated result and does not make one is the program's fault "
            "and not JAX's (check_vma=False leaves it unchecked)",
            "a repeated check fails again; `hlocts judge`, which gets only one copy, does not"]  # fmt: skip


def _failure_lines(failure: Failure, by: str, facts: list[str]) -> list[str]:
    name, at = _place(failure)
    far = f"; {failure.distance}" if failure.distance else ""
    bits = f" ({failure.actual_bits})" if failure.actual_bits else ""
    given = f"{by} allows" if not facts else f"with {', '.join(facts)}, {by} allows"
    lines = [f"{name} at {at} is {failure.actual}{bits}; {given} {failure.accepted.text}{far}"]
    if facts:
        lines.append(f"the documents do not exclude this value; a fact of the engine does: {', '.join(facts)}")
    for title, values in (
        (f"operands of {failure.operation or failure.instruction}", failure.operands),
        (f"arguments at {at}", failure.arguments),
    ):
        if values:
            said = ", ".join(f"{value.name} = {value.value}" for value in values)
            lines.append(f"{title}: {said}")
    for sentence in failure.sentences:
        lines.append(f"clause {sentence.clause}: {sentence.text}")
        name = sentence.ruling.rsplit("/", 1)[-1].removesuffix(".md")  # 0087-accuracy
        lines += [f"ruling {name}: `hlocts clauses {name[:4]}` prints it"] if name else []
    if failure.sentences:
        lines.append(f"document: {failure.sentences[0].source}  {failure.sentences[0].address}")
    clause = "" if failure.sentences else failure.clause
    origin = [
        f"{word} {value}"
        for word, value in (("rule", failure.rule), ("clause", clause),
                            ("at", failure.instruction), ("in", failure.source))  # fmt: skip
        if value
    ]
    return [*lines, ", ".join(origin)] if origin else lines
