// SPDX-License-Identifier: Apache-2.0
// ModulePrinter: prints a module, computation or instruction. An object prints one text.
#pragma once

#include <string>

#include "absl/container/flat_hash_map.h"
#include "spec/ir/module.h"
#include "spec/text/print_values.h"
#include "spec/text/printer.h"

namespace hlocts {

// A longer text has names instead of further inline bodies. Each call repeats a body, so inline
// bodies can need more memory than there is.
inline constexpr size_t kInlineBytesMax = size_t{256} << 20;

class ModulePrinter {
 public:
  explicit ModulePrinter(const PrintOptions& options) : options_(options) {}

  void PrintModule(const Module& module);
  void PrintComputation(const Computation& computation);
  // Prints one instruction without indentation.
  void PrintInstruction(const Instruction& instruction);
  std::string Take() { return std::move(out_); }

  // Accessors for the functions that print attributes.
  const PrintOptions& options() const { return options_; }
  std::string* out() { return &out_; }
  void AppendName(const Instruction& instruction);
  void AppendName(const Computation& computation);
  // Appends the computation's name, or its body if the options request inline bodies.
  void AppendCalled(const Computation* computation);

 private:
  void PrintHeader(const Module& module);
  void PrintStackFrameTables(const StackFrameIndex& index);
  void PrintBody(const Computation& computation);
  void PrintShape(const Shape& shape, bool with_layout);
  void PrintOperands(const Instruction& instruction);
  void PrintAttributes(const Instruction& instruction);
  // Returns the operation that the async instruction runs (custom-call) if it is printed in the
  // short form (custom-call-start), otherwise nullptr.
  const Instruction* SugaredOperation(const Instruction& instruction) const;

  const PrintOptions options_;
  std::string out_;
  int indent_ = 0;
  absl::flat_hash_map<const Instruction*, int64_t> canonical_names_;
};

// Append ", name=value" for each own or common attribute, in XLA's order (print_attributes.cc).
void AppendOwnAttributes(ModulePrinter& printer, const Instruction& instruction);
void AppendCommonAttributes(ModulePrinter& printer, const Instruction& instruction);

}  // namespace hlocts
