// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/plan/custom_call.h"

#include <dlfcn.h>

#include <deque>
#include <utility>

namespace hlocts::plan {
namespace {

// Pointers to leaves in the nesting of a shape.
class PointerTables {
 public:
  void* Of(const Shape& shape, uint8_t* const*& leaves) {
    if (!shape.IsTuple()) return *leaves++;
    std::vector<void*> pointers;
    for (const Shape& element : shape.tuple_shapes()) pointers.push_back(Of(element, leaves));
    tables_.push_back(std::move(pointers));
    return tables_.back().data();
  }

 private:
  std::deque<std::vector<void*>> tables_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<void>> OpenCustomCalls(const std::string& path) {
  if (path.empty()) return std::shared_ptr<void>();
  // A name without a slash would be looked for in the system's folders.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return InvalidInput("custom-call library ", path, ": ", dlerror());
  return std::shared_ptr<void>(handle, [](void* open) { dlclose(open); });
}

absl::StatusOr<CustomCallTarget> CustomCallTarget::Of(const Instruction& instruction,
                                                      std::shared_ptr<void> library) {
  const std::string* name = instruction.Get<std::string>(Attr::kCustomCallTarget);
  void* symbol =
      name != nullptr && library != nullptr ? dlsym(library.get(), name->c_str()) : nullptr;
  if (symbol == nullptr) {
    return Unsupported(instruction.name(), ": no handler for custom-call target \"",
                       name == nullptr ? "" : *name, "\"");
  }
  CustomCallTarget target;
  target.library_ = std::move(library);
  target.target_ = reinterpret_cast<void (*)(void*, void**)>(symbol);
  target.result_ = instruction.shape();
  for (const Instruction* operand : instruction.operands()) {
    target.operands_.push_back(operand->shape());
  }
  return target;
}

void CustomCallTarget::Call(uint8_t* const* operands, uint8_t* const* results) const {
  PointerTables tables;
  std::vector<void*> arguments;
  for (const Shape& operand : operands_) arguments.push_back(tables.Of(operand, operands));
  target_(tables.Of(result_, results), arguments.data());
}

}  // namespace hlocts::plan
