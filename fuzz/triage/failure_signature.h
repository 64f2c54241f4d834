// SPDX-License-Identifier: Apache-2.0
// Signatures describe failures without their numbers: equal failures have equal signatures.
//
// A campaign meets one defect many times but must report it once, and two defects must not share a
// bucket. failure_traits.h lists properties that a minimised module still needs (a NaN, a
// subnormal, a narrow type). A new trait needs a test with two faults that only it distinguishes.
#pragma once

#include <set>
#include <string>

#include "reports/verdict_fwd.h"
#include "spec/base/engine_error.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::fuzz {

// Extracts the part of an engine's message that does not depend on the module.

// Returns the condition of a failed assertion, or else the line that describes the error: a failed
// check or the first line. Omits numbers, names, shapes and quoted words. The result has at most
// about 80 characters.
std::string NormalizedErrorText(const EngineError& error);

struct FailureSignature {
  Outcome kind = Outcome::kPass;
  // For a fail: "nan", "inf", "zero", "value" or "shape". For other outcomes: the engine's message
  // without numbers, names and quoted text.
  std::string mismatch;
  bool only_nan = false;  // a number was returned where only NaN is accepted
  bool operator==(const FailureSignature&) const = default;
};
FailureSignature FailureSignatureOf(const reports::Verdict& verdict);
// Returns true if both may be the same failure on different data: they are equal, or both are wrong
// numbers and `only_nan` is equal.
bool SameFailure(const FailureSignature& a, const FailureSignature& b);
// Returns true for a crash or rejection whose message is more specific than an opcode.
bool HasMessage(const FailureSignature& signature);
// Like SameFailure, for operations that only move elements: a zero is not equal to another element.
bool SameFailureOfMove(const FailureSignature& a, const FailureSignature& b);
// Like SameFailure, for operations that treat NaN like other data, such as sort.
bool SameFailureIgnoringNan(const FailureSignature& a, const FailureSignature& b);

// Returns true if a campaign stores failures of this kind: not pass, unsupported or inconclusive.
bool CountsAsFinding(Outcome kind);

// Returns the opcode, such as "tanh", of the instruction that the verdict or the cut blames: the
// last if there are several, "" if there is none.
std::string BlamedOpcode(const reports::Verdict& verdict, const Module& module);
// Returns the operations that may be blamed for the same failure in a smaller module: the blamed
// opcode, and the opcodes in the computations that it runs.
std::set<std::string> BlamableOpcodes(const reports::Verdict& verdict, const Module& module);
// Returns the operations that the signature of a failure names: those blamed, or all of the module.
// Omits parameters, constants and tuples.
std::set<std::string> FailingOperations(const reports::Verdict& verdict, const Module& module);
// Returns the operations of a module, with the same omissions.
std::set<std::string> OperationNamesOf(const Module& module);
// Returns true if the blamed element type lacks NaN or infinity. A wrong number in this type may
// correspond to a NaN in another type.
bool LacksSpecials(const reports::Verdict& verdict, const Module& module);
// Returns the signature of a failure, with which the field `signature` of an expectation is
// compared: "fail tanh f32 value", or with a message "crash tanh Check failed: ...". In
// parentheses: "empty", an operand without elements; "batched", batching dimensions; "u64", type of
// indices; "together", wrong only if compiled together; "partitioned", a module with shardings.
std::string SignatureOf(const reports::Verdict& verdict, const Module& module);
// Returns the signature as a file name.
std::string FolderNameOf(const std::string& signature);

}  // namespace hlocts::fuzz
