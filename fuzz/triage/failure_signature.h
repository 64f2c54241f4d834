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
  // For a fail: "nan", "inf", "zero", "value" or "shape"; otherwise the engine's message without
  // numbers, names and quoted text.
  std::string mismatch;
  bool operator==(const FailureSignature&) const = default;
};
FailureSignature FailureSignatureOf(const reports::Verdict& verdict);
// The same failure on smaller data: all wrong numbers are alike; NaN has a reason of its own.
bool SameFailure(const FailureSignature& a, const FailureSignature& b);
// A crash or refusal, whose message describes the failure better than an operation's name.
bool HasMessage(const FailureSignature& signature);
// The same for operations that only move elements: an element from elsewhere differs from none.
bool AlikeMoved(const FailureSignature& a, const FailureSignature& b);
// The same where NaN is data like others, as in operations that sort.
bool AlikeInAnyData(const FailureSignature& a, const FailureSignature& b);

// A verdict that a campaign keeps: neither pass, unsupported nor inconclusive.
bool CountsAsFinding(Outcome kind);

// The opcode of the instruction that the verdict, or cutting, names: "tanh"; the last of several,
// whose value is wrong; empty if none is named.
std::string BlamedOpcode(const reports::Verdict& verdict, const Module& module);
// The operations that a smaller module with the same failure may blame: that opcode and those of
// the computations that it runs.
std::set<std::string> BlamableOpcodes(const reports::Verdict& verdict, const Module& module);
// Returns true if the named element type has no NaN or no infinity: such an element of other types
// is a number there, or the other way round.
bool LacksSpecials(const reports::Verdict& verdict, const Module& module);
// Opcodes and element type of all named instructions, "tanh f32", with the operations of their
// computations if these are few: "map,negate f32"; those of the module, sorted, if none is named;
// the broken rule of an invalid module.
std::string BlamedOperation(const reports::Verdict& verdict, const Module& module);

// The description of a failure (bucket.h: which are the same one), matched by `signature` of an
// expectation: "fail tanh f32 value"; with a message "crash tanh Check failed: ...".
// "scatter(empty)" has an operand without elements, "gather(batched)" batching dimensions,
// "gather(u64)" indices of that type; "add,subtract(together)" is wrong only when compiled
// together.
std::string SignatureOf(const reports::Verdict& verdict, const Module& module);
// The signature as a file name.
std::string FolderNameOf(const std::string& signature);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_FAILURE_SIGNATURE_H_
