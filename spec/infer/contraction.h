// SPDX-License-Identifier: Apache-2.0
// Helpers that dot and convolution share. Internal to this directory.
#pragma once

#include "spec/infer/rules.h"
#include "spec/ir/attributes.h"

namespace hlocts {

// Returns the result type. The operands have the same type or, in the current text form, are both
// floats or both integers. The result type is the wider of the two, or the type of `result` if that
// is at least as wide. A `result` of type kInvalid states no type.
absl::StatusOr<PrimitiveType> ContractionType(absl::string_view operand_rule, const Shape& lhs,
                                              const Shape& rhs, const Shape& result);

// Expects sizes, strides and dilations of at least 1.
absl::Status ExpectWindow(absl::string_view rule, const std::vector<WindowDimension>& window);

}  // namespace hlocts
