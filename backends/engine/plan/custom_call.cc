// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/plan/custom_call.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>

#include "backends/engine/plan/shared_steps.h"
#include "spec/ops/custom_calls.h"

namespace hlocts::plan {
namespace {

// Builds the pointers that represent an argument: a pointer to the buffer for an array, a pointer
// to an array of pointers for a tuple.
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
  // Without a slash in the name, dlopen would search the system's directories.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return InvalidInput("custom-call library ", path, ": ", dlerror());
  return std::shared_ptr<void>(handle, [](void* open) { dlclose(open); });
}

// Copies the operands, because the function could write to them. Results are zeros before the call.
absl::StatusOr<SharedStep> CustomCallStep(const Graph& graph, const Node& node,
                                          std::shared_ptr<void> library) {
  const Instruction* source = node.source;
  const std::string* name = source->Get<std::string>(Attr::kCustomCallTarget);
  void* symbol =
      name != nullptr && library != nullptr ? dlsym(library.get(), name->c_str()) : nullptr;
  const std::vector<ArrayType> in_types = OperandTypes(graph, node),
                               out_types = ResultTypes(graph, node);
  const std::optional<ShardingCall> call =
      symbol == nullptr ? ShardingCallOf(*source) : std::nullopt;
  if (call == ShardingCall::kAnnotation && out_types.size() <= in_types.size() &&
      std::equal(out_types.begin(), out_types.end(), in_types.begin())) {
    return [out_types](const Member&, In in, Out out) {
      for (size_t k = 0; k < out_types.size(); ++k) CopyArray(out_types[k], in[k], out[k]);
      return absl::OkStatus();
    };
  }
  if (call.has_value() && call != ShardingCall::kAnnotation)
    return ManualRegionStep(graph, node, call == ShardingCall::kFullToShard);
  if (symbol == nullptr) {
    return Unsupported(source->name(), ": no handler for custom-call target \"",
                       name == nullptr ? "" : *name, "\"");
  }
  const auto target = reinterpret_cast<void (*)(void*, void**)>(symbol);
  std::vector<Shape> operands;
  for (const Instruction* operand : source->operands()) operands.push_back(operand->shape());
  return [=, result = source->shape(), keeps_it_open = std::move(library)](const Member&, In in,
                                                                           Out out) {
    std::vector<std::vector<uint8_t>> copies;
    std::vector<uint8_t*> leaves;
    for (size_t k = 0; k < in_types.size(); ++k) {
      copies.emplace_back(static_cast<size_t>(in_types[k].bytes) + 1);
      if (in_types[k].bytes > 0) {
        std::memcpy(copies[k].data(), in[k], static_cast<size_t>(in_types[k].bytes));
      }
      leaves.push_back(in[k] == nullptr ? nullptr : copies[k].data());
    }
    ZeroArrays(out_types, out);
    PointerTables tables;
    std::vector<void*> arguments;
    uint8_t* const* next = leaves.data();
    for (const Shape& operand : operands) arguments.push_back(tables.Of(operand, next));
    target(tables.Of(result, out), arguments.data());
    return absl::OkStatus();
  };
}

}  // namespace hlocts::plan
