// SPDX-License-Identifier: Apache-2.0
// Signatures, which describe failures without their numbers, so that equal failures are recognised.
//
// A campaign finds one defect many times: it must be reported once, and two defects must not share
// a bucket. failure_traits.h lists properties that a minimised module still needs (a NaN, a
// subnormal, a narrow type). A new trait needs a test with a pair of faults that it distinguishes.
#pragma once

#include <set>
#include <string>

#include "reports/verdict_fwd.h"
#include "spec/base/engine_error.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::fuzz {

// Extracts the part of an engine's message that does not change from one module to the next.

// Returns the condition of a failed assertion, or else the line that describes the error: a failed
// check or the first line. Omits numbers, names, shapes and quoted words. It has about 80
// characters at most.
std::string NormalizedErrorText(const EngineError& error);

struct FailureSignature {
  Outcome kind = Outcome::kPass;
  // For a fail: "nan", "inf", "zero", "value" or "shape"; else the engine's message without
  // numbers, names and quoted text.
  std::string mismatch;
  bool only_nan = false;  // a number, where only NaN is accepted
  bool operator==(const FailureSignature&) const = default;
};
FailureSignature FailureSignatureOf(const reports::Verdict& verdict);
// Returns true if failures may be the same on smaller data. Wrong values except NaN count as equal
// if NaN is the only accepted value for both or for neither.
bool SameFailure(const FailureSignature& a, const FailureSignature& b);
// Returns true for a crash or rejection whose message describes the failure better than an opcode.
bool HasMessage(const FailureSignature& signature);
// Like SameFailure, for operations that only move elements: zero differs from another element.
bool SameFailureOfMove(const FailureSignature& a, const FailureSignature& b);
// Like SameFailure, for operations that treat NaN like other data, such as sort.
bool SameFailureIgnoringNan(const FailureSignature& a, const FailureSignature& b);

// Returns true if a campaign stores the verdict: not for pass, unsupported or inconclusive.
bool CountsAsFinding(Outcome kind);

// Returns the opcode, such as "tanh", that the verdict or the cut names. Returns the last if there
// are several, and "" if there is none.
std::string BlamedOpcode(const reports::Verdict& verdict, const Module& module);
// Returns the operations that may be blamed for the same failure in a smaller module: the blamed
// opcode, and those of the computations that it runs.
std::set<std::string> BlamableOpcodes(const reports::Verdict& verdict, const Module& module);
// Returns true if the blamed element type lacks NaN or infinity. A wrong number in this type may
// then correspond to a NaN in another type.
bool LacksSpecials(const reports::Verdict& verdict, const Module& module);
// Returns the signature of a failure, to which the field `signature` of an expectation is compared:
// "fail tanh f32 value", or with a message "crash tanh Check failed: ...". "scatter(empty)" has an
// operand without elements, "gather(batched)" has batching dimensions, "gather(u64)" has indices of
// that type, and "add,subtract(together)" is wrong only when compiled together.
std::string SignatureOf(const reports::Verdict& verdict, const Module& module);
// Returns the signature as a file name.
std::string FolderNameOf(const std::string& signature);

}  // namespace hlocts::fuzz
