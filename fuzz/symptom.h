// What a failure looks like, without its numbers: which failures are the same one.
#ifndef HLOCTS_FUZZ_SYMPTOM_H_
#define HLOCTS_FUZZ_SYMPTOM_H_

#include <string>

#include "reports/verdict.h"
#include "spec/ir/module.h"

namespace hlocts {

struct Symptom {
  VerdictKind kind = VerdictKind::kPass;
  // Of a fail: "nan", "inf", "zero", "value" or "shape"; otherwise the engine's message without
  // numbers, names and quoted text.
  std::string mismatch;
  bool operator==(const Symptom&) const = default;
};
Symptom SymptomOf(const Verdict& verdict);

// A verdict that a campaign keeps: neither pass, unsupported nor inconclusive.
bool CountsAsFinding(VerdictKind kind);

// Opcode and element type of the instruction that the verdict names: "tanh f32"; of a verdict that
// names none the operations of the module, sorted: "add,dot f32".
std::string BlamedOperation(const Verdict& verdict, const Module& module);

// "fail tanh f32 value": the bucket of a failure, and what `signature` of an expectation matches.
std::string SignatureOf(const Verdict& verdict, const Module& module);
// The same as a file name.
std::string FolderNameOf(const std::string& signature);

}  // namespace hlocts

#endif  // HLOCTS_FUZZ_SYMPTOM_H_
