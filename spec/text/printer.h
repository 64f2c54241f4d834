// SPDX-License-Identifier: Apache-2.0
// Prints a Module as HLO text, byte for byte as XLA prints it with the same options.
#pragma once

#include <string>

#include "spec/ir/attributes.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"

namespace hlocts {

struct PrintOptions {
  bool percent = true;                    // "%" before names of instructions and computations
  bool operand_shapes = false;            // "add(f32[] %a, f32[] %b)"
  bool operand_index_annotations = true;  // "/*index=5*/" before every fifth operand
  bool result_shapes = true;              // the shape between "=" and the opcode
  bool result_layouts = true;             // layouts of instruction shapes
  bool large_constants = true;            // false: "{...}" above ten elements (cannot be parsed)
  bool metadata = true;                   // metadata={...} and the tables of stack frames
  bool backend_config = true;
  bool program_shape = true;  // "(a: f32[]) -> f32[]" after a computation's name
  bool entry_computation_layout = true;
  bool extra_attributes = true;  // sharding, frontend_attributes, statistics, ...
  bool control_dependencies = true;
  bool syntax_sugar_async_ops = true;       // "all-gather-start(...)" for async-start of all-gather
  bool inline_called_computations = false;  // to_apply={ ... } inline, as in XLA's canonical print
  bool canonicalize_names = false;          // names become tmp_0, tmp_1, ...

  static PrintOptions Default();  // XLA's HloPrintOptions::Default
  static PrintOptions Short();    // XLA's ShortParsable: no metadata, no percent, no operand shapes
  static PrintOptions Canonical();  // XLA's Canonical: no names, inline computations
};

std::string PrintModule(const Module& module,
                        const PrintOptions& options = PrintOptions::Default());
std::string PrintComputation(const Computation& computation,
                             const PrintOptions& options = PrintOptions::Default());
std::string PrintInstruction(const Instruction& instruction,
                             const PrintOptions& options = PrintOptions::Default());

// Returns the text between the parentheses of constant(...), as XLA prints it: "{ { 1, 2 }, { 3, 4
// } }". If all elements of a large array except the first are zero, only the first is printed,
// which XLA reads as the array.
std::string PrintLiteralBody(const Literal& literal);
// Returns a leaf of a literals file (see ParseLiteralWithShape): shape with its default layout,
// run-time sizes, and body on one line. Elements are the shortest decimals from which the same bits
// are read; a NaN with payload is nan(0x...), a complex number (re, im), a pred true or false.
std::string PrintLiteralWithShape(const Literal& literal);

std::string PrintSharding(const Sharding& sharding);
std::string PrintWindow(const Window& window);
std::string PrintConvolutionDimensionNumbers(const ConvolutionDimensionNumbers& numbers);
std::string PrintReplicaGroups(const ReplicaGroups& groups);

}  // namespace hlocts
