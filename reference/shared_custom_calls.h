// SPDX-License-Identifier: Apache-2.0
// Declares custom-call handlers from shared libraries. The symbol with the target's name has the C
// signature void target(void* out, void** in) (custom_call.3, .7; --custom-calls names the
// library).
#pragma once

#include <memory>
#include <string>

#include "reference/custom_call.h"

namespace hlocts::reference {

// A loaded library of handlers. in[i] is operand i: a row-major buffer, or for a tuple an array of
// pointers to its elements, which are again buffers or arrays. `out` has the same form for the
// result. Sub-byte elements occupy a byte each; tokens are null pointers. The function must be
// pure; it may be called more than once (ruling 0069).
class SharedCustomCalls : public CustomCallLibrary {
 public:
  // Returns nullptr for "", and InvalidArgument with the loader's message if `path` cannot be loaded.
  static absl::StatusOr<std::unique_ptr<SharedCustomCalls>> Load(const std::string& path);
  ~SharedCustomCalls() override;
  SharedCustomCalls(const SharedCustomCalls&) = delete;
  SharedCustomCalls& operator=(const SharedCustomCalls&) = delete;

  bool Has(absl::string_view target) const override;
  absl::StatusOr<Literal> Call(const Instruction& custom_call,
                               absl::Span<const Literal> operands) const override;

 private:
  explicit SharedCustomCalls(void* handle) : handle_(handle) {}
  void* handle_;
};

}  // namespace hlocts::reference
