// SPDX-License-Identifier: Apache-2.0
// Helpers shared by dot and convolution. Internal to this directory.
#ifndef HLOCTS_SPEC_INFER_CONTRACTION_H_
#define HLOCTS_SPEC_INFER_CONTRACTION_H_

#include "spec/infer/rules.h"
#include "spec/ir/attributes.h"

namespace hlocts {

// The result type. rhs has lhs's type, or both are floats or both integers of different widths
// (current text form). A stated result type is theirs or a wider one; unstated (kInvalid), it is
// the wider of theirs.
absl::StatusOr<PrimitiveType> ContractionType(absl::string_view operand_rule, const Shape& lhs,
                                              const Shape& rhs, const Shape& result);

// Expects sizes, strides and dilations of at least 1.
absl::Status ExpectWindow(absl::string_view rule, const std::vector<WindowDimension>& window);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_INFER_CONTRACTION_H_
