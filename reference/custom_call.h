// SPDX-License-Identifier: Apache-2.0
// Handlers of custom-call, by target name (ruling 0069). An unknown target is `unsupported`.
#ifndef HLOCTS_REFERENCE_CUSTOM_CALL_H_
#define HLOCTS_REFERENCE_CUSTOM_CALL_H_

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
  // Buffers are row-major, for any layouts.
  virtual absl::StatusOr<Literal> Call(const Instruction& custom_call,
                                       absl::Span<const Literal> operands) const = 0;
};

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_CUSTOM_CALL_H_
