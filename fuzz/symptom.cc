#include "fuzz/symptom.h"

#include <cctype>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "spec/ops/opcode.h"

namespace hlocts {
namespace {

constexpr size_t kMessageMax = 80;

// "%add.7 = f32[2,3] add(...)" and "%mul.9 = f32[] ..." are the same complaint.
std::string WithoutDetails(absl::string_view message) {
  message = message.substr(0, message.find('\n'));
  std::string result;
  bool quoted = false;
  for (size_t i = 0; i < message.size() && result.size() < kMessageMax; ++i) {
    char c = message[i];
    if (c == '\'' || c == '"' || c == '`') quoted = !quoted;
    if (quoted || std::isdigit(static_cast<unsigned char>(c))) continue;
    if (c == '%') {
      while (i + 1 < message.size() && !std::isspace(static_cast<unsigned char>(message[i + 1]))) ++i;
      continue;
    }
    bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (space && (result.empty() || result.back() == ' ')) continue;
    result.push_back(space ? ' ' : c);
  }
  return result;
}

std::string MismatchOf(const VerdictFailure& failure) {
  if (absl::StrContains(failure.actual, "nan")) return "nan";
  if (absl::StrContains(failure.actual, "inf")) return "inf";
  if (failure.actual == "0" || failure.actual == "-0") return "zero";
  return "value";
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

std::string TypeOf(const Shape& shape) {
  std::vector<Shape> leaves = LeafShapes(shape);
  return leaves.empty() ? "()" : std::string(PrimitiveTypeName(leaves[0].element_type()));
}

}  // namespace

Symptom SymptomOf(const Verdict& verdict) {
  Symptom symptom;
  symptom.kind = verdict.kind;
  if (verdict.kind == VerdictKind::kFail) {
    symptom.mismatch = verdict.first_failure ? MismatchOf(*verdict.first_failure) : "shape";
  } else if (IsFinding(verdict.kind) && verdict.kind != VerdictKind::kTimeout) {
    symptom.mismatch = WithoutDetails(verdict.reason);
  }
  return symptom;
}

bool IsFinding(VerdictKind kind) {
  return kind != VerdictKind::kPass && kind != VerdictKind::kUnsupported &&
         kind != VerdictKind::kInconclusive;
}

std::string BlamedOperation(const Verdict& verdict, const Module& module) {
  if (verdict.first_failure) {
    if (const Instruction* blamed = InstructionNamed(module, verdict.first_failure->instruction)) {
      bool converts = blamed->opcode() == Opcode::kConvert || blamed->opcode() == Opcode::kCompare;
      std::string from = converts ? absl::StrCat(TypeOf(blamed->operand(0).shape()), "->") : "";
      return absl::StrCat(OpcodeName(blamed->opcode()), " ", from, TypeOf(blamed->shape()));
    }
  }
  constexpr size_t kOperationsMax = 4;
  std::set<std::string> operations;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      Opcode opcode = instruction->opcode();
      bool carries = opcode == Opcode::kParameter || opcode == Opcode::kConstant ||
                     opcode == Opcode::kTuple || opcode == Opcode::kGetTupleElement;
      if (!carries) operations.insert(std::string(OpcodeName(opcode)));
    }
  }
  if (operations.size() > kOperationsMax) return "many operations";
  return absl::StrCat(absl::StrJoin(operations, ","), " ", TypeOf(module.EntryProgramShape().result));
}

std::string SignatureOf(const Verdict& verdict, const Module& module) {
  Symptom symptom = SymptomOf(verdict);
  return absl::StrCat(VerdictName(verdict.kind), " ", BlamedOperation(verdict, module), " ",
                      symptom.mismatch);
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
  return name;
}

}  // namespace hlocts
