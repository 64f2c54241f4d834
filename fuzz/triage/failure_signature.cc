// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage/failure_signature.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "backends/differ/blame.h"
#include "fuzz/triage/telling_words.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "spec/ir/surgery.h"
#include "spec/ops/groups.h"

namespace hlocts::fuzz {
namespace {

// A type without zero holds the bits of one where nothing was written.
bool IsZero(const reports::VerdictFailure& failure) {
  for (const char* zero : {"0", "-0", "false", "(0, 0)"})
    if (failure.actual == zero) return true;
  return !failure.actual_bits.empty() &&
         failure.actual_bits.find_first_not_of("0x") == failure.actual_bits.npos;
}

std::string MismatchOf(const reports::VerdictFailure& failure) {
  // Of a complex number one part may be NaN rightly.
  const bool in_part =
      absl::StartsWith(failure.actual, "(") && absl::StrContains(failure.accepted, "nan");
  if (absl::StrContains(failure.actual, "nan") && !in_part) return "nan";
  if (absl::StrContains(failure.actual, "inf")) return "inf";
  return IsZero(failure) ? "zero" : "value";
}

const Instruction* InstructionNamed(const Module& module, absl::string_view name) {
  if (name.empty()) return nullptr;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->name() == name) return instruction.get();
    }
  }
  return nullptr;
}

// What cutting found, as the differ puts it into the reason: "rejected by itself, ...: fusion.35".
absl::string_view FindingOf(const reports::Verdict& verdict) {
  absl::string_view reason = verdict.reason;
  for (const char* mark : {" by itself, fed with ", backends::kTogether, "not localised: "}) {
    size_t at = reason.find(mark);
    if (at == reason.npos) continue;
    size_t begin = reason.rfind("; ", at), end = reason.find_first_of(";(", at);
    begin = begin == reason.npos ? 0 : begin + 2;
    return absl::StripTrailingAsciiWhitespace(reason.substr(begin, end - begin));
  }
  return "";
}

// The engine's own words: the reason without what cutting found, which stands before or after it.
absl::string_view MessageOf(const reports::Verdict& verdict) {
  absl::string_view message = verdict.reason, finding = FindingOf(verdict);
  if (finding.empty()) return message;
  size_t after = message.find("; ", finding.size());
  if (absl::StartsWith(message, finding))
    return after == message.npos ? "" : message.substr(after + 2);
  return message.substr(0, message.find(absl::StrCat("; ", finding)));
}

// The instructions that the verdict, or what cutting found, names: "add.7" or "{add.7, mul.8}".
std::vector<const Instruction*> BlamedInstructions(const reports::Verdict& verdict,
                                                   const Module& module) {
  absl::string_view names = FindingOf(verdict);
  // A refused module may hold a piece that is wrong: that is another matter.
  absl::ConsumePrefix(&names, "only ");
  bool same = absl::StartsWith(names, reports::VerdictName(verdict.kind));
  names = same ? names.substr(names.rfind(": ") + 2) : "";
  if (verdict.first_failure) names = verdict.first_failure->instruction;
  std::vector<const Instruction*> blamed;
  for (absl::string_view name : absl::StrSplit(names, absl::ByAnyChar("{}, "), absl::SkipEmpty())) {
    if (const Instruction* instruction = InstructionNamed(module, name))
      blamed.push_back(instruction);
  }
  return blamed;
}

std::string TypeOf(const Shape& shape) {
  std::vector<Shape> leaves = LeafShapes(shape);
  return leaves.empty() ? "()" : std::string(PrimitiveTypeName(leaves[0].element_type()));
}

// Instructions that only carry values say nothing.
void AddOperation(const Instruction& instruction, std::set<std::string>& operations) {
  Opcode opcode = instruction.opcode();
  const bool carries = ops::IsGiven(opcode) || ops::IsPacking(opcode);
  if (!carries) operations.insert(std::string(OpcodeName(opcode)));
}

void AddOperations(const Computation& computation, std::set<std::string>& operations) {
  for (const auto& instruction : computation.instructions()) AddOperation(*instruction, operations);
}

constexpr size_t kOperationsMax = 4;

// Runs computations as they are; a combiner or comparator only goes with its operation.
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

// What the computations of a map, call, fusion, loop or branch do, where that is little.
void AddBody(const Instruction& caller, std::set<std::string>& operations) {
  if (!Runs(caller)) return;
  std::set<std::string> with_body = operations;
  for (const Computation* called : caller.called_computations()) AddOperations(*called, with_body);
  if (with_body.size() <= kOperationsMax) operations = with_body;
}

// What sets an instruction apart: "scatter(empty)" fails for another reason than a scatter, and
// "gather(u64)", with indices of that type, for another than "gather(s8)".
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

// The same on every machine.
uint64_t HashOf(absl::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

FailureSignature FailureSignatureOf(const reports::Verdict& verdict) {
  FailureSignature signature;
  signature.kind = verdict.kind;
  if (verdict.kind == reports::VerdictKind::kFail) {
    signature.mismatch = verdict.first_failure ? MismatchOf(*verdict.first_failure) : "shape";
  } else if (CountsAsFinding(verdict.kind) && verdict.kind != reports::VerdictKind::kTimeout) {
    signature.mismatch = TellingWords(MessageOf(verdict));
  }
  return signature;
}

bool SameFailure(const FailureSignature& a, const FailureSignature& b) {
  auto number = [](const FailureSignature& s) {
    bool number = s.mismatch == "zero" || s.mismatch == "inf" || s.mismatch == "value";
    return s.kind == reports::VerdictKind::kFail && number;
  };
  return a == b || (number(a) && number(b));
}

bool HasMessage(const FailureSignature& signature) {
  // What every engine says in such a case says nothing.
  return signature.kind != reports::VerdictKind::kFail && !signature.mismatch.empty() &&
         !absl::StartsWith(signature.mismatch, "the engine took") &&
         !absl::StartsWith(signature.mismatch, "worker killed");
}

bool AlikeMoved(const FailureSignature& a, const FailureSignature& b) {
  if (a.kind != reports::VerdictKind::kFail || b.kind != reports::VerdictKind::kFail) return a == b;
  auto shape = [](const FailureSignature& s) { return s.mismatch == "shape"; };
  auto zero = [](const FailureSignature& s) { return s.mismatch == "zero"; };
  return shape(a) == shape(b) && zero(a) == zero(b);
}

bool AlikeInAnyData(const FailureSignature& a, const FailureSignature& b) {
  if (a.kind != reports::VerdictKind::kFail || b.kind != reports::VerdictKind::kFail) return a == b;
  return (a.mismatch == "shape") == (b.mismatch == "shape");
}

bool CountsAsFinding(reports::VerdictKind kind) {
  return reports::IsFailure(kind) && kind != reports::VerdictKind::kInconclusive;
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

std::string BlamedOperation(const reports::Verdict& verdict, const Module& module) {
  if (absl::Status verified = VerifyModule(module); !verified.ok()) return RuleOf(verified);
  std::vector<const Instruction*> blamed = BlamedInstructions(verdict, module);
  std::set<std::string> operations;
  for (const Instruction* instruction : blamed) AddOperation(*instruction, operations);
  bool unnamed = operations.empty();
  for (const auto& computation : module.computations()) {
    if (unnamed) AddOperations(*computation, operations);
  }
  for (const Instruction* instruction : blamed) AddBody(*instruction, operations);
  // Nothing is computed at all: an argument or a constant is returned.
  const Instruction& root = *module.entry()->root();
  if (operations.empty() && !root.shape().IsTuple())
    operations.insert(std::string(OpcodeName(root.opcode())));
  if (operations.size() > kOperationsMax) return "many-operations";
  std::string names = absl::StrJoin(operations, ",");
  if (blamed.empty()) return absl::StrCat(names, " ", TypeOf(module.EntryProgramShape().result));
  const Instruction& last = *blamed.back();
  bool converts = last.opcode() == Opcode::kConvert || last.opcode() == Opcode::kCompare;
  return absl::StrCat(names, blamed.size() == 1 ? TraitsOf(last) : "(together)", " ",
                      converts ? absl::StrCat(TypeOf(last.operand(0).shape()), "->") : "",
                      TypeOf(last.shape()));
}

bool LacksSpecials(const reports::Verdict& verdict, const Module& module) {
  const std::string operation = BlamedOperation(verdict, module);
  auto type = PrimitiveTypeFromName(operation.substr(operation.find_last_of(" >") + 1));
  return type && IsFloat(*type) && !(FormatOf(*type).has_infinity() && FormatOf(*type).has_nan());
}

std::string SignatureOf(const reports::Verdict& verdict, const Module& module) {
  std::string operation = BlamedOperation(verdict, module);
  // A message says what is wrong; each type of element would be one more bucket.
  if (verdict.kind != reports::VerdictKind::kFail)
    operation = operation.substr(0, operation.find(' '));
  return absl::StrCat(reports::VerdictName(verdict.kind), " ", operation, " ",
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
  // What was cut off may be all that tells two apart.
  if (signature.size() > kNameMax)
    absl::StrAppend(&name, ".",
                    absl::Hex(static_cast<uint32_t>(HashOf(signature)), absl::kZeroPad8));
  return name;
}

}  // namespace hlocts::fuzz
