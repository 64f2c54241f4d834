// SPDX-License-Identifier: Apache-2.0
// What a failure looks like, without its numbers: which failures are the same one.
//
// A campaign meets one defect many times: each must be reported once, and two must not share a
// bucket. failure_traits.h has properties that a minimised module still needs (a NaN, a subnormal,
// a narrow type); a new trait comes with a pair of faults that it distinguishes.
#ifndef HLOCTS_FUZZ_TRIAGE_FAILURE_SIGNATURE_H_
#define HLOCTS_FUZZ_TRIAGE_FAILURE_SIGNATURE_H_

#include <set>
#include <string>

#include "reports/verdict_fwd.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::fuzz {

struct FailureSignature {
  Outcome kind = Outcome::kPass;
  // Of a fail: "nan", "inf", "zero", "value" or "shape"; otherwise the engine's message without
  // numbers, names and quoted text.
  std::string mismatch;
  bool operator==(const FailureSignature&) const = default;
};
FailureSignature FailureSignatureOf(const reports::Verdict& verdict);
// The same failure on smaller data: a wrong number is a wrong number, whatever it is; NaN has a
// reason of its own.
bool SameFailure(const FailureSignature& a, const FailureSignature& b);
// A crash, a refusal: its message tells what happened, which no operation's name does better.
bool HasMessage(const FailureSignature& signature);
// The same for operations that only move elements: one from elsewhere is another matter than none.
bool AlikeMoved(const FailureSignature& a, const FailureSignature& b);
// The same where NaN is data like others, as for what sorts.
bool AlikeInAnyData(const FailureSignature& a, const FailureSignature& b);

// A verdict that a campaign keeps: neither pass, unsupported nor inconclusive.
bool CountsAsFinding(Outcome kind);

// Opcode of the instruction that the verdict, or cutting, names: "tanh"; of several the last, whose
// value is wrong; empty where none is named.
std::string BlamedOpcode(const reports::Verdict& verdict, const Module& module);
// What a smaller module with the same failure may blame: that opcode and, where it runs
// computations, those of what they do.
std::set<std::string> BlamableOpcodes(const reports::Verdict& verdict, const Module& module);
// The element type that is named has no NaN or no infinity: what is one in other types is a number
// there, or the other way round.
bool LacksSpecials(const reports::Verdict& verdict, const Module& module);
// Opcodes and element type of all that is named, "tanh f32", with what their computations do where
// that is little: "map,negate f32"; where none is named those of the module, sorted; of an invalid
// module the broken rule.
std::string BlamedOperation(const reports::Verdict& verdict, const Module& module);

// What a failure looks like (bucket.h: which are the same one), and what `signature` of an
// expectation matches: "fail tanh f32 value"; of what comes with a message "crash tanh Check
// failed: ...". "scatter(empty)" has an operand without elements, "gather(batched)" batching
// dimensions, "gather(u64)" indices of that type; what is wrong only when compiled together is
// "add,subtract(together)".
std::string SignatureOf(const reports::Verdict& verdict, const Module& module);
// The same as a file name.
std::string FolderNameOf(const std::string& signature);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_FAILURE_SIGNATURE_H_
