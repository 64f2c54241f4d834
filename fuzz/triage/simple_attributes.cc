// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage/simple_attributes.h"

#include "spec/ir/attributes.h"
#include "spec/ir/module.h"

namespace hlocts::fuzz {
namespace {

// Returns an edit that applies `plain` to each dimension of the attribute.
template <typename Value, typename Plain>
std::function<bool(Instruction&)> EachDimension(Attr attr, Plain plain) {
  return [attr, plain](Instruction& instruction) {
    const Value* value = instruction.Get<Value>(attr);
    if (!value) return false;
    Value simple = *value;
    for (auto& dimension : simple.dimensions) plain(dimension);
    if (simple == *value) return false;
    instruction.Set(attr, simple);
    return true;
  };
}

template <typename Plain>
std::function<bool(Instruction&)> EachWindow(Plain plain) {
  return EachDimension<Window>(Attr::kWindow, plain);
}

}  // namespace

const std::vector<SimplifyingEdit>& SimplifyingEdits() {
  static const auto* const kEdits = new std::vector<SimplifyingEdit>{
      {"stride", EachWindow([](WindowDimension& d) { d.stride = 1; })},
      {"padding", EachWindow([](WindowDimension& d) { d.padding_low = d.padding_high = 0; })},
      {"dilation", EachWindow([](WindowDimension& d) { d.window_dilation = d.base_dilation = 1; })},
      {"reversal", EachWindow([](WindowDimension& d) { d.window_reversal = false; })},
      {"interior",
       EachDimension<PaddingConfig>(Attr::kPadding, [](PaddingDimension& d) { d.interior = 0; })},
      {"stride", EachDimension<SliceRanges>(Attr::kSlice, [](SliceRange& d) { d.stride = 1; })},
  };
  return *kEdits;
}

bool HasLayouts(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const Shape& shape = instruction->shape();
      if (shape.WithDefaultLayout() != shape.WithoutLayout().WithDefaultLayout()) return true;
    }
  }
  return false;
}

}  // namespace hlocts::fuzz
