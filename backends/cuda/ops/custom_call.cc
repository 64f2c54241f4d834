// custom-call: the host function of that name from the library the caller gave, on host copies of
// row-major buffers; void target(void* out, void** in), a tuple being an array of pointers.
#include <dlfcn.h>

#include <algorithm>
#include <deque>

#include "backends/cuda/ops/op_list.h"

namespace hlocts::cuda {
namespace {

using Target = void (*)(void* out, void** in);

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

absl::StatusOr<StepDraft> MakeCustomCall(const OpContext& context) {
  const std::string* name = context.source().Get<std::string>(Attr::kCustomCallTarget);
  const std::shared_ptr<void> library = context.compiler.options().custom_calls;
  void* symbol = name != nullptr && library != nullptr ? dlsym(library.get(), name->c_str()) : nullptr;
  if (symbol == nullptr) {
    return Unsupported(context.name(), ": no handler for custom-call target \"",
                       name == nullptr ? "" : *name, "\"");
  }
  const Target target = reinterpret_cast<Target>(symbol);
  const Shape shape = context.source().shape();
  std::vector<Shape> operands;
  for (const Instruction* operand : context.source().operands()) operands.push_back(operand->shape());
  std::vector<int64_t> bytes, out_bytes;
  for (size_t k = 0; k < context.node.operands.size(); ++k) bytes.push_back(context.in(k).bytes);
  for (size_t k = 0; k < context.node.outputs.size(); ++k) out_bytes.push_back(context.out(k).bytes);
  StepDraft draft;
  draft.work = [=](Run& run, In in, Out out) -> absl::Status {
    (void)library;  // keeps it loaded
    std::vector<std::vector<uint8_t>> copies(bytes.size()), results;
    std::vector<uint8_t*> leaves, result_leaves;
    for (size_t k = 0; k < bytes.size(); ++k) {
      if (in[k] != nullptr) {
        HLOCTS_ASSIGN_OR_RETURN(copies[k], ToHost(run, in[k], bytes[k]));
      }
      leaves.push_back(in[k] == nullptr ? nullptr : copies[k].data());
    }
    for (int64_t size : out_bytes) results.emplace_back(static_cast<size_t>(size) + 1);
    for (std::vector<uint8_t>& result : results) result_leaves.push_back(result.data());
    PointerTables tables;
    std::vector<void*> arguments;
    uint8_t* const* leaf = leaves.data();
    for (const Shape& operand : operands) arguments.push_back(tables.Of(operand, leaf));
    uint8_t* const* result = result_leaves.data();
    target(tables.Of(shape, result), arguments.data());
    for (size_t k = 0; k < results.size(); ++k) {
      if (out[k] == nullptr) continue;
      HLOCTS_RETURN_IF_ERROR(run.device().Upload(out[k], results[k].data(), out_bytes[k]));
    }
    return absl::OkStatus();
  };
  return draft;
}

}  // namespace hlocts::cuda
