// SPDX-License-Identifier: Apache-2.0
// Host functions that stand behind custom-calls: void target(void* out, void** in), each argument a
// row-major buffer or, of a tuple, an array of pointers.
#ifndef HLOCTS_BACKENDS_ENGINE_PLAN_CUSTOM_CALL_H_
#define HLOCTS_BACKENDS_ENGINE_PLAN_CUSTOM_CALL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "spec/base/status.h"
#include "spec/ir/module.h"

namespace hlocts::plan {

// The library of handlers at `path`, closed with its last owner; null for an empty path.
absl::StatusOr<std::shared_ptr<void>> OpenCustomCalls(const std::string& path);

class CustomCallTarget {
 public:
  // kUnimplemented when the library has no function of that name.
  static absl::StatusOr<CustomCallTarget> Of(const Instruction& instruction,
                                             std::shared_ptr<void> library);
  // Leaves of all operands and of the result, in order. The function may write through all of them.
  void Call(uint8_t* const* operands, uint8_t* const* results) const;

 private:
  std::shared_ptr<void> library_;  // keeps it loaded
  void (*target_)(void* out, void** in) = nullptr;
  Shape result_;
  std::vector<Shape> operands_;
};

}  // namespace hlocts::plan

#endif  // HLOCTS_BACKENDS_ENGINE_PLAN_CUSTOM_CALL_H_
