// SPDX-License-Identifier: Apache-2.0
// Shrinks an invalid module to the called computation that breaks the rule.
#include "backends/backend.h"
#include "fuzz/shrink/shrinker.h"
#include "spec/infer/infer.h"
#include "spec/infer/verifier.h"
#include "spec/ir/surgery.h"

namespace hlocts::fuzz {

bool KeepIfFails(Sample& sample, Sample candidate, const StillFails& still_fails) {
  if (!still_fails(candidate)) return false;
  sample = std::move(candidate);
  return true;
}
namespace {

// Returns zero arguments, or none if shapes have no data: an invalid module is not run.
std::vector<Literal> ZerosFor(const Module& module) {
  std::vector<Literal> zeros;
  for (const Shape& shape : backends::ArgumentLeafShapes(module)) {
    if (!VerifyShape(shape).ok()) return {};
    zeros.emplace_back(shape);
  }
  return zeros;
}

bool TryEntry(Sample& sample, size_t computation, const StillFails& still_fails) {
  Sample candidate = sample.Clone();
  Module& module = *candidate.module;
  Computation* entry = module.computations()[computation].get();
  if (entry == module.entry() || entry->root() == nullptr) return false;
  module.set_entry(entry);
  module.entry_computation_layout.reset();
  module.input_output_alias.clear();
  module.buffer_donor.clear();
  candidate.arguments = ZerosFor(module);
  RemoveDeadCode(candidate);
  return KeepIfFails(sample, std::move(candidate), still_fails);
}

}  // namespace

bool PromoteCalledToEntry(Sample& sample, const StillFails& still_fails) {
  if (VerifyModule(*sample.module).ok()) return false;
  // Callees come first, so that this finds the innermost computation.
  for (size_t c = 0; c < sample.module->computations().size(); ++c)
    if (TryEntry(sample, c, still_fails)) return true;
  return false;
}

}  // namespace hlocts::fuzz
