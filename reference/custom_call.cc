// SPDX-License-Identifier: Apache-2.0
#include "reference/custom_call.h"

#include <dlfcn.h>

#include <deque>
#include <vector>

#include "spec/ir/instruction.h"

namespace hlocts::reference {
namespace {

using Function = void (*)(void* out, void** in);

// Pointers to the leaves of literals, and an array of pointers for each tuple. The arrays live as
// long as this object.
class PointerTables {
 public:
  void* Of(Literal& literal) {
    if (literal.shape().IsToken()) return nullptr;
    if (!literal.shape().IsTuple()) return literal.mutable_raw_data();
    std::vector<void*> pointers;
    for (Literal& element : literal.mutable_elements()) pointers.push_back(Of(element));
    tables_.push_back(std::move(pointers));
    return tables_.back().data();
  }

 private:
  std::deque<std::vector<void*>> tables_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<CustomCallLibrary>> CustomCallLibrary::Load(
    const std::string& path) {
  if (path.empty()) return nullptr;
  // dlopen would search the system's directories for a name without a slash.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return InvalidInput("custom-call library ", path, ": ", dlerror());
  return std::unique_ptr<CustomCallLibrary>(new CustomCallLibrary(handle));
}

CustomCallLibrary::~CustomCallLibrary() { dlclose(handle_); }

bool CustomCallLibrary::Has(absl::string_view target) const {
  return dlsym(handle_, std::string(target).c_str()) != nullptr;
}

absl::StatusOr<Literal> CustomCallLibrary::Call(const Instruction& custom_call,
                                                absl::Span<const Literal> operands) const {
  const std::string& target = *custom_call.Get<std::string>(Attr::kCustomCallTarget);
  auto function = reinterpret_cast<Function>(dlsym(handle_, target.c_str()));
  if (function == nullptr) return Unsupported("the library has no target \"", target, "\"");
  // The function receives copies: it could write through the pointers, and a value that other
  // instructions use must not change.
  std::vector<Literal> arguments(operands.begin(), operands.end());
  PointerTables tables;
  std::vector<void*> in;
  for (Literal& argument : arguments) in.push_back(tables.Of(argument));
  Literal out(custom_call.shape());
  function(tables.Of(out), in.data());
  return out;
}

}  // namespace hlocts::reference
