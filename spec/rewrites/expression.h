// SPDX-License-Identifier: Apache-2.0
// Parses the expressions of rewrites.def: "multiply(a,rsqrt(b))".
#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"
#include "spec/ir/opcode.h"

namespace hlocts {

struct Expression {
  enum class Kind : uint8_t { kOperation, kValue, kNumber, kLiteral };
  Kind kind = Kind::kValue;
  Opcode opcode = Opcode::kParameter;  // kOperation
  std::vector<Expression> operands;
  char letter = 0;   // kValue: a, b or c; kNumber: k or l
  double value = 0;  // kLiteral
};

absl::StatusOr<Expression> ParseExpression(absl::string_view text);

}  // namespace hlocts
