// SPDX-License-Identifier: Apache-2.0
// Finds the part of a module that its results depend on.
#pragma once

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "spec/ir/module_fwd.h"

namespace hlocts {

// The instructions and computations that the entry's root needs. In an invalid module, operands may
// be in other computations.
class Needed {
 public:
  explicit Needed(const Module& module);
  bool Has(const Instruction& instruction) const { return instructions_.contains(&instruction); }
  bool Has(const Computation& computation) const { return computations_.contains(&computation); }

 private:
  void Add(const Instruction* instruction);
  void Touch(const Computation& computation);

  absl::flat_hash_set<const Instruction*> instructions_;
  absl::flat_hash_set<const Computation*> computations_;
  std::vector<const Instruction*> open_;
};

}  // namespace hlocts
