// SPDX-License-Identifier: Apache-2.0
// Declares handlers of custom-call by target name (ruling 0069). Other targets are `unsupported`.
#pragma once

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/base/status.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::reference {

class CustomCallLibrary {
 public:
  virtual ~CustomCallLibrary() = default;
  virtual bool Has(absl::string_view target) const = 0;
  // Returns the result. Buffers are row-major, regardless of the layouts.
  virtual absl::StatusOr<Literal> Call(const Instruction& custom_call,
                                       absl::Span<const Literal> operands) const = 0;
};

}  // namespace hlocts::reference
