// SPDX-License-Identifier: Apache-2.0
// Declares the custom-call handlers of a shared library, by target name (ruling 0069). The symbol
// with the target's name has the C signature void target(void* out, void** in) (custom_call.3, .7).
// --custom-calls names the library. Other targets are `unsupported`.
#pragma once

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/base/status.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::reference {

// A loaded library of handlers. in[i] is operand i: a row-major buffer, or for a tuple an array of
// pointers to its elements, which are again buffers or arrays. `out` has the same form for the
// result. Sub-byte elements occupy a byte each; tokens are null pointers. The function must be
// pure; it may be called more than once (ruling 0069).
class CustomCallLibrary {
 public:
  // Returns nullptr for "", and InvalidArgument with the loader's message if `path` does not load.
  static absl::StatusOr<std::unique_ptr<CustomCallLibrary>> Load(const std::string& path);
  ~CustomCallLibrary();
  CustomCallLibrary(const CustomCallLibrary&) = delete;
  CustomCallLibrary& operator=(const CustomCallLibrary&) = delete;

  bool Has(absl::string_view target) const;
  // Returns the result. Buffers are row-major, regardless of the layouts.
  absl::StatusOr<Literal> Call(const Instruction& custom_call,
                               absl::Span<const Literal> operands) const;

 private:
  explicit CustomCallLibrary(void* handle) : handle_(handle) {}
  void* handle_;
};

}  // namespace hlocts::reference
