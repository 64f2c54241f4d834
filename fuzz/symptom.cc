#include "fuzz/symptom.h"

#include <cctype>
#include <set>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "spec/ops/opcode.h"

namespace hlocts {
namespace {

constexpr size_t kMessageMax = 80;

// The line that says what happened: a failed check, where there is one, else the first.
absl::string_view TellingLine(absl::string_view message) {
  std::vector<absl::string_view> lines = absl::StrSplit(message, '\n');
  for (const char* telling : {"Check failed", "LLVM ERROR", "error:", "Error"}) {
    for (absl::string_view line : lines) {
      if (absl::StrContains(line, telling)) return line;
    }
  }
  return lines[0];
}

// "%add.7 = add: expected f32[2,3]" and "%p.19 = add: expected bf16[4]" are the same complaint: words
// with digits, names and quoted words go.
std::string WithoutDetails(absl::string_view message) {
  std::string result;
  for (absl::string_view word : absl::StrSplit(TellingLine(message), absl::ByAnyChar(" \t"), absl::SkipEmpty())) {
    bool detail = word.find_first_of("0123456789%'\"`") != absl::string_view::npos;
    if (detail || result.size() + word.size() > kMessageMax) continue;
    absl::StrAppend(&result, result.empty() ? "" : " ", word);
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
  } else if (CountsAsFinding(verdict.kind) && verdict.kind != VerdictKind::kTimeout) {
    symptom.mismatch = WithoutDetails(verdict.reason);
  }
  return symptom;
}

bool CountsAsFinding(VerdictKind kind) {
  return IsFailure(kind) && kind != VerdictKind::kInconclusive;
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
