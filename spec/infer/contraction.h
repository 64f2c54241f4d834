// SPDX-License-Identifier: Apache-2.0
// Helpers that dot and convolution share. Internal to this directory.
#pragma once

#include "spec/infer/rules.h"
#include "spec/ir/attributes.h"

namespace hlocts {

// Returns the result type. The operands have the same type or, in the current text form, are both
// floats or both integers. The result has the wider of their types, or the type of `result` if it
// is at least as wide; kInvalid means that no type is stated.
absl::StatusOr<PrimitiveType> ContractionType(absl::string_view operand_rule, const Shape& lhs,
                                              const Shape& rhs, const Shape& result);

// Expects sizes, strides and dilations of at least 1.
absl::Status ExpectWindow(absl::string_view rule, const std::vector<WindowDimension>& window);

}  // namespace hlocts
