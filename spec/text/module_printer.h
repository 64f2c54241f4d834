// SPDX-License-Identifier: Apache-2.0
// Writes modules, computations and instructions; one object writes one text.
#ifndef HLOCTS_SPEC_TEXT_MODULE_PRINTER_H_
#define HLOCTS_SPEC_TEXT_MODULE_PRINTER_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "spec/ir/module.h"
#include "spec/text/print_values.h"
#include "spec/text/printer.h"

namespace hlocts {

class ModulePrinter {
 public:
  explicit ModulePrinter(const PrintOptions& options) : options_(options) {}

  void PrintModule(const Module& module);
  void PrintComputation(const Computation& computation);
  // One instruction, without indentation.
  void PrintInstruction(const Instruction& instruction);
  std::string Take() { return std::move(out_); }

  // Accessors for the writers of attributes.
  const PrintOptions& options() const { return options_; }
  std::string* out() { return &out_; }
  void AppendName(const Instruction& instruction);
  // Appends the name, or the body in place if the options request that.
  void AppendCalled(const Computation* computation);

 private:
  void PrintHeader(const Module& module);
  void PrintStackFrameTables(const StackFrameIndex& index);
  void PrintBody(const Computation& computation);
  void PrintShape(const Shape& shape, bool with_layout);
  void PrintOperands(const Instruction& instruction);
  void PrintAttributes(const Instruction& instruction);
  // "all-gather" when the async instruction is printed as all-gather-start; else nullptr.
  const Instruction* SugaredOperation(const Instruction& instruction) const;

  const PrintOptions options_;
  std::string out_;
  int indent_ = 0;
  absl::flat_hash_map<const Instruction*, int64_t> canonical_names_;
};

// print_attributes.cc: ", name=value" for each attribute the opcode has, in XLA's order, then the
// common ones.
void AppendOwnAttributes(ModulePrinter& printer, const Instruction& instruction);
void AppendCommonAttributes(ModulePrinter& printer, const Instruction& instruction);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_TEXT_MODULE_PRINTER_H_
