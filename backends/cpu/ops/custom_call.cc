// custom-call: the function of that name from the library the caller gave, applied to row-major
// buffers; void target(void* out, void** in), a tuple being an array of pointers.
#include <dlfcn.h>

#include <cstring>
#include <deque>

#include "backends/cpu/ops/op_list.h"

namespace hlocts::cpu {
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
  draft.run = [=](Run&, In in, Out out) {
    (void)library;  // keeps it loaded
    // The function could write through its pointers: it gets copies.
    std::deque<std::vector<uint8_t>> copies;
    std::vector<uint8_t*> leaves;
    for (size_t k = 0; k < bytes.size(); ++k) {
      copies.emplace_back(bytes[k] + 1);
      if (bytes[k] > 0) std::memcpy(copies.back().data(), in[k], static_cast<size_t>(bytes[k]));
      leaves.push_back(in[k] == nullptr ? nullptr : copies.back().data());
    }
    for (size_t k = 0; k < out_bytes.size(); ++k) {
      if (out_bytes[k] > 0) std::memset(out[k], 0, static_cast<size_t>(out_bytes[k]));
    }
    PointerTables tables;
    std::vector<void*> arguments;
    uint8_t* const* leaf = leaves.data();
    for (const Shape& operand : operands) arguments.push_back(tables.Of(operand, leaf));
    uint8_t* const* result = out;
    target(tables.Of(shape, result), arguments.data());
    return absl::OkStatus();
  };
  return draft;
}

}  // namespace hlocts::cpu
