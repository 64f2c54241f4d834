// SPDX-License-Identifier: Apache-2.0
// The random subset of choices that one module uses (swarm testing).
#pragma once

#include <vector>

#include "generators/module_generator.h"

namespace hlocts::generators {

using Dims = std::vector<int64_t>;

struct ModulePlan {
  Stream stream = Stream::kDefined;
  TypeSet types = 0;
  std::vector<PrimitiveType> type_draw;  // types, repeated according to their weights
  std::vector<Opcode> opcodes;
  std::vector<int> weights;  // weights of the elements of `opcodes`
  std::vector<int64_t> sizes;
  std::vector<Dims> common_shapes;  // dimensions that several values have
  int64_t elements_max = 64;
  int64_t rank_min = 0, rank_max = 4;  // unless an operation requires another rank
  int instructions = 10;
  int nesting = 2;
  int64_t parameters_max = 5;
  int64_t replicas = 1;
  bool joint_operations = true;
  bool exact_data = false;
  bool dynamic_parameters = true;
  TypeSet allowed = 0;            // all types of the options; accumulators may use these
  bool idioms = true;             // emit combinations of operations as in front ends
  bool moves_only = false;        // emit only combinations of operations that move elements
  bool adapts = true;             // convert, reshape or broadcast existing values to get operands
  bool layouts = false;           // use layouts other than the default
  bool numbers_shuffled = false;  // parameters are not in the order of their numbers

  // Returns true if operands are in the domains of their operations, according to the facts.
  bool checked() const { return stream != Stream::kEdge; }
  // Returns true if all data are small integers and operations keep them exact.
  bool exact() const { return exact_data; }
};

ModulePlan DrawPlan(ChoiceSource& choose, const GeneratorOptions& options);

}  // namespace hlocts::generators
