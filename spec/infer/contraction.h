// SPDX-License-Identifier: Apache-2.0
// What dot and convolution share. Internal to this folder.
#ifndef HLOCTS_SPEC_INFER_CONTRACTION_H_
#define HLOCTS_SPEC_INFER_CONTRACTION_H_

#include "spec/infer/rules.h"
#include "spec/ir/attributes.h"

namespace hlocts {

// rhs has lhs's type, or both are floats or both integers of different widths (today's text); the
// stated result type is theirs or one that holds it; unstated (kInvalid), the wider of theirs.
absl::StatusOr<PrimitiveType> ContractionType(absl::string_view operand_rule, const Shape& lhs,
                                              const Shape& rhs, const Shape& result);

// Sizes, strides and dilations of at least 1.
absl::Status ExpectWindow(absl::string_view rule, const std::vector<WindowDimension>& window);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_INFER_CONTRACTION_H_
