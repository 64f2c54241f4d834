// SPDX-License-Identifier: Apache-2.0
// The choices available to one module: the swarm's draw out of everything.
#ifndef HLOCTS_GENERATORS_PLAN_H_
#define HLOCTS_GENERATORS_PLAN_H_

#include <vector>

#include "generators/module_generator.h"

namespace hlocts::generators {

using Dims = std::vector<int64_t>;

struct ModulePlan {
  Stream stream = Stream::kDefined;
  TypeSet types = 0;
  std::vector<PrimitiveType> type_draw;  // as often as its weight
  std::vector<Opcode> opcodes;
  std::vector<int> weights;  // of each of `opcodes`
  std::vector<int64_t> sizes;
  std::vector<Dims> palette;  // shapes that come again and again
  int64_t elements_max = 64;
  int64_t rank_min = 0, rank_max = 4;  // of arrays that are free otherwise
  int instructions = 10;
  int nesting = 2;
  int64_t parameters_max = 5;
  int64_t replicas = 1;
  bool joint_operations = true;
  bool exact_data = false;
  bool dynamic_parameters = true;
  TypeSet allowed = 0;            // of the options: what accumulators may have beside `types`
  bool idioms = true;             // operations that meet as front ends write them
  bool adapts = true;             // existing values are converted, reshaped, broadcast to fit
  bool layouts = false;           // other layouts than the default one
  bool numbers_shuffled = false;  // parameters are not in the order of their numbers

  // Fragile operations get operands that their facts license.
  bool checked() const { return stream != Stream::kEdge; }
  // Small integers, and only operations that keep them exact.
  bool exact() const { return exact_data; }
};

ModulePlan DrawPlan(ChoiceSource& choose, const GeneratorOptions& options);

}  // namespace hlocts::generators

#endif  // HLOCTS_GENERATORS_PLAN_H_
