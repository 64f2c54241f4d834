// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage/failure_signature.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "backends/differ/failure_details.h"
#include "backends/worker/last_words.h"
#include "reports/verdict.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "spec/ir/surgery.h"
#include "spec/ops/groups.h"
#include "spec/ops/partitions.h"

namespace hlocts::fuzz {
namespace {

constexpr size_t kMessageMax = 80;

// Returns the instructions that the verdict names, or that were found after cutting.
std::vector<const Instruction*> BlamedInstructions(const reports::Verdict& verdict,
                                                   const Module& module) {
  const reports::Localisation& found = verdict.localisation;
  std::vector<std::string> names;
  // If a rejected module has a piece with wrong values, that is a different failure.
  if (verdict.first_failure || (found.outcome == verdict.kind && found.outcome != Outcome::kFail))
    names = found.instructions;
  if (verdict.first_failure && names.empty()) names = {verdict.first_failure->instruction};
  std::vector<const Instruction*> blamed;
  const std::string operation = verdict.first_failure ? verdict.first_failure->operation : "";
  for (const std::string& name : names) {
    if (const Instruction* instruction = backends::FindInstruction(module, name, operation))
      blamed.push_back(instruction);
  }
  return blamed;
}

EngineError WordsOf(const reports::Verdict& verdict) {
  EngineError words = verdict.error;
  if (words.message.empty()) words.message = verdict.reason;
  return words;
}

std::optional<PrimitiveType> TypeOf(const Shape& shape) {
  std::vector<Shape> leaves = LeafShapes(shape);
  if (leaves.empty()) return std::nullopt;
  return leaves[0].element_type();
}

// Ignores instructions that only pass on values.
void AddOperation(const Instruction& instruction, std::set<std::string>& operations) {
  Opcode opcode = instruction.opcode();
  const bool carries = ops::IsGiven(opcode) || ops::IsPacking(opcode);
  if (!carries) operations.insert(std::string(OpcodeName(opcode)));
}

void AddOperations(const Computation& computation, std::set<std::string>& operations) {
  for (const auto& instruction : computation.instructions()) AddOperation(*instruction, operations);
}

constexpr size_t kOperationsMax = 4;

// Returns true for callers that only run their computations. Other callers, such as reduce and
// sort, use a computation as part of an operation.
bool Runs(const Instruction& caller) {
  static constexpr Opcode kRuns[] = {Opcode::kMap, Opcode::kCall, Opcode::kFusion, Opcode::kWhile,
                                     Opcode::kConditional};
  return std::find(std::begin(kRuns), std::end(kRuns), caller.opcode()) != std::end(kRuns);
}

void AddBlamable(const Instruction& instruction, std::set<std::string>& opcodes) {
  opcodes.insert(std::string(OpcodeName(instruction.opcode())));
  if (!Runs(instruction)) return;
  for (const Computation* called : instruction.called_computations()) {
    for (const auto& one : called->instructions()) {
      if (!IsCarrier(*one)) AddBlamable(*one, opcodes);
    }
  }
}

// Adds the operations that a map, call, fusion, loop or branch runs, if there are only a few.
void AddBody(const Instruction& caller, std::set<std::string>& operations) {
  if (!Runs(caller)) return;
  std::set<std::string> with_body = operations;
  for (const Computation* called : caller.called_computations()) AddOperations(*called, with_body);
  if (with_body.size() <= kOperationsMax) operations = with_body;
}

// Returns the traits of an instruction that are part of a signature. For example, a scatter without
// elements, "scatter(empty)", fails for other reasons than one with elements. A gather with u64
// indices, "gather(u64)", fails for other reasons than one with s8 indices.
std::string TraitsOf(const Instruction& instruction) {
  std::string empty, batched, indexed;
  for (const Instruction* operand : instruction.operands()) {
    if (!operand->shape().IsArray() || !instruction.operand(0).shape().IsArray()) continue;
    PrimitiveType type = operand->shape().element_type();
    if (operand->shape().ElementCount() == 0) empty = "(empty)";
    bool indices = IsInteger(type) && type != instruction.operand(0).shape().element_type();
    if (indices && indexed.empty()) indexed = absl::StrCat("(", PrimitiveTypeName(type), ")");
  }
  if (!instruction.IntList(Attr::kOperandBatchingDims).empty() ||
      !instruction.IntList(Attr::kInputBatchingDims).empty()) {
    batched = "(batched)";
  }
  return absl::StrCat(empty, batched, indexed);
}

// Returns the 64-bit FNV-1a hash, which is the same on every machine.
uint64_t HashOf(absl::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

// Removes words with digits, names, shapes or quotes: "%add.7 = add: expected f32[2,3]" and "%p.19
// = add: expected pred[]" become the same message.
std::string NormalizedErrorText(const EngineError& error) {
  if (!error.condition.empty()) return absl::StrCat("Assertion ", error.condition);
  const absl::string_view line = backends::MainErrorLine(error);
  std::string result;
  for (absl::string_view word : absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty())) {
    bool detail = word.find_first_of("0123456789%'\"`[]{}") != absl::string_view::npos;
    if (detail || result.size() + word.size() > kMessageMax) continue;
    absl::StrAppend(&result, result.empty() ? "" : " ", word);
  }
  return result;
}

FailureSignature FailureSignatureOf(const reports::Verdict& verdict) {
  FailureSignature signature;
  signature.kind = verdict.kind;
  if (verdict.kind == Outcome::kFail) {
    signature.mismatch =
        verdict.first_failure ? std::string(WrongValueName(verdict.first_failure->value)) : "shape";
    signature.only_nan = verdict.first_failure && verdict.first_failure->only_nan;
  } else if (CountsAsFinding(verdict.kind) && verdict.kind != Outcome::kTimeout) {
    signature.mismatch = NormalizedErrorText(WordsOf(verdict));
  }
  return signature;
}

bool SameFailure(const FailureSignature& a, const FailureSignature& b) {
  auto number = [](const FailureSignature& s) {
    bool number = s.mismatch == "zero" || s.mismatch == "inf" || s.mismatch == "value";
    return s.kind == Outcome::kFail && number;
  };
  return a == b || (number(a) && number(b) && a.only_nan == b.only_nan);
}

bool HasMessage(const FailureSignature& signature) {
  // Excludes messages that are the same for all engines and do not describe the failure.
  return signature.kind != Outcome::kFail && !signature.mismatch.empty() &&
         !absl::StartsWith(signature.mismatch, "the engine took") &&
         !absl::StartsWith(signature.mismatch, "worker killed");
}

bool SameFailureOfMove(const FailureSignature& a, const FailureSignature& b) {
  if (a.kind != Outcome::kFail || b.kind != Outcome::kFail) return a == b;
  auto shape = [](const FailureSignature& s) { return s.mismatch == "shape"; };
  auto zero = [](const FailureSignature& s) { return s.mismatch == "zero"; };
  return shape(a) == shape(b) && zero(a) == zero(b);
}

bool SameFailureIgnoringNan(const FailureSignature& a, const FailureSignature& b) {
  if (a.kind != Outcome::kFail || b.kind != Outcome::kFail) return a == b;
  return (a.mismatch == "shape") == (b.mismatch == "shape");
}

bool CountsAsFinding(Outcome kind) {
  return IsFailure(kind) && !IsInconclusive(kind) && kind != Outcome::kSuspect;
}

std::string BlamedOpcode(const reports::Verdict& verdict, const Module& module) {
  std::vector<const Instruction*> blamed = BlamedInstructions(verdict, module);
  return blamed.empty() ? "" : std::string(OpcodeName(blamed.back()->opcode()));
}

std::set<std::string> BlamableOpcodes(const reports::Verdict& verdict, const Module& module) {
  std::vector<const Instruction*> blamed = BlamedInstructions(verdict, module);
  std::set<std::string> opcodes;
  if (!blamed.empty()) AddBlamable(*blamed.back(), opcodes);
  return opcodes;
}

std::set<std::string> OperationNamesOf(const Module& module) {
  std::set<std::string> operations;
  for (const auto& computation : module.computations()) AddOperations(*computation, operations);
  return operations;
}

namespace {

// The cause of a failure. For an invalid module, only `rule` is set.
struct Blamed {
  std::string rule;
  std::set<std::string> operations;
  std::string traits;                 // of a single instruction, or "(together)"
  std::string from;                   // operand type of convert and compare
  std::optional<PrimitiveType> type;  // of the last instruction, or of the result

  bool many() const { return operations.size() > kOperationsMax; }
  std::string OperationsText() const {
    if (!rule.empty()) return rule;
    return many() ? "many-operations" : absl::StrCat(absl::StrJoin(operations, ","), traits);
  }
  std::string TypeText() const {
    if (!rule.empty() || many()) return "";
    return absl::StrCat(" ", from.empty() ? "" : absl::StrCat(from, "->"),
                        type ? PrimitiveTypeName(*type) : "()");
  }
};

Blamed BlamedIn(const reports::Verdict& verdict, const Module& module) {
  Blamed result;
  if (absl::Status verified = VerifyModule(module); !verified.ok()) {
    result.rule = RuleOf(verified);
    return result;
  }
  std::vector<const Instruction*> blamed = BlamedInstructions(verdict, module);
  std::set<std::string>& operations = result.operations;
  for (const Instruction* instruction : blamed) AddOperation(*instruction, operations);
  if (operations.empty()) operations = OperationNamesOf(module);
  for (const Instruction* instruction : blamed) AddBody(*instruction, operations);
  // If the module computes nothing, uses the opcode of the returned argument or constant.
  const Instruction& root = *module.entry()->root();
  if (operations.empty() && !root.shape().IsTuple())
    operations.insert(std::string(OpcodeName(root.opcode())));
  // Partitioned modules fail for other reasons than unpartitioned ones.
  const char* const partitioned = IsSharded(module) ? "(partitioned)" : "";
  if (blamed.empty()) {
    result.traits = partitioned;
    result.type = TypeOf(module.EntryProgramShape().result);
    return result;
  }
  const Instruction& last = *blamed.back();
  result.type = TypeOf(last.shape());
  result.traits = absl::StrCat(blamed.size() == 1 ? TraitsOf(last) : "(together)", partitioned);
  if (last.opcode() == Opcode::kConvert || last.opcode() == Opcode::kCompare)
    result.from = std::string(PrimitiveTypeName(*TypeOf(last.operand(0).shape())));
  return result;
}

}  // namespace

std::set<std::string> FailingOperations(const reports::Verdict& verdict, const Module& module) {
  return BlamedIn(verdict, module).operations;
}

bool LacksSpecials(const reports::Verdict& verdict, const Module& module) {
  const Blamed blamed = BlamedIn(verdict, module);
  return !blamed.many() && blamed.type && IsFloat(*blamed.type) &&
         !(FormatOf(*blamed.type).has_infinity() && FormatOf(*blamed.type).has_nan());
}

std::string SignatureOf(const reports::Verdict& verdict, const Module& module) {
  const Blamed blamed = BlamedIn(verdict, module);
  // If there is a message, element types would only divide buckets further.
  return absl::StrCat(OutcomeName(verdict.kind), " ", blamed.OperationsText(),
                      verdict.kind == Outcome::kFail ? blamed.TypeText() : "", " ",
                      FailureSignatureOf(verdict).mismatch);
}

std::string FolderNameOf(const std::string& signature) {
  constexpr size_t kNameMax = 90;
  std::string name;
  for (char c : signature.substr(0, kNameMax)) {
    bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
    if (plain) name.push_back(c);
    if (!plain && !name.empty() && name.back() != '.') name.push_back('.');
  }
  while (!name.empty() && name.back() == '.') name.pop_back();
  // The hash distinguishes signatures with the same first kNameMax characters.
  if (signature.size() > kNameMax)
    absl::StrAppend(&name, ".",
                    absl::Hex(static_cast<uint32_t>(HashOf(signature)), absl::kZeroPad8));
  return name;
}

}  // namespace hlocts::fuzz
