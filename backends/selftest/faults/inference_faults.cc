// SPDX-License-Identifier: Apache-2.0
// Faults of the shape rules: invalid modules are accepted, or valid ones are rejected.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "backends/selftest/faults/fault.h"
#include "spec/ir/opcode.h"

namespace hlocts::backends {
namespace {

const Window* WindowOf(const Instruction& instruction) {
  return instruction.Get<Window>(Attr::kWindow);
}
bool AnyDimension(const Shape& shape, bool (*holds)(int64_t)) {
  return IsArrayType(shape.element_type()) &&
         std::any_of(shape.dimensions().begin(), shape.dimensions().end(), holds);
}

// Returns true if rounding the number of windows up instead of down yields another shape.
bool WindowsDoNotDivide(const Instruction& instruction) {
  const Window* window = WindowOf(instruction);
  if (window == nullptr || instruction.shape().IsTuple()) return false;
  const auto* numbers = instruction.Get<ConvolutionDimensionNumbers>(Attr::kDimLabels);
  for (size_t d = 0; d < window->dimensions.size(); ++d) {
    const WindowDimension& w = window->dimensions[d];
    int64_t at = numbers == nullptr ? static_cast<int64_t>(d) : numbers->input_spatial[d];
    int64_t size = instruction.operand(0).shape().dimensions()[at];
    int64_t base = size == 0 ? 0 : (size - 1) * w.base_dilation + 1;
    int64_t taken = base + w.padding_low + w.padding_high - ((w.size - 1) * w.window_dilation + 1);
    if (taken > 0 && taken % w.stride != 0) return true;
  }
  return false;
}

struct Refusal {
  const char* id;
  const char* what;
  std::vector<Opcode> opcodes;
  bool (*refuses)(const Instruction&);
};

const Refusal kRefusals[] = {
    {"infer.zero-sized-refused",
     "arrays without elements are rejected",
     {},
     [](const Instruction& i) {
       return AnyDimension(i.shape(), [](int64_t size) { return size == 0; });
     }},
    {"infer.negative-padding-refused",
     "negative edges are rejected",
     {Opcode::kPad},
     [](const Instruction& i) {
       const auto* padding = i.Get<PaddingConfig>(Attr::kPadding);
       return padding != nullptr &&
              std::any_of(padding->dimensions.begin(), padding->dimensions.end(),
                          [](const PaddingDimension& d) { return d.low < 0 || d.high < 0; });
     }},
    {"infer.window-count-rounded-up",
     "the number of windows is rounded up",
     {Opcode::kReduceWindow, Opcode::kConvolution, Opcode::kSelectAndScatter},
     WindowsDoNotDivide},
    {"infer.strided-slice-rounded-down",
     "the size of a strided slice is rounded down",
     {Opcode::kSlice},
     [](const Instruction& i) {
       const auto* ranges = i.Get<SliceRanges>(Attr::kSlice);
       return ranges != nullptr && std::any_of(ranges->dimensions.begin(), ranges->dimensions.end(),
                                               [](const SliceRange& r) {
                                                 return r.stride > 0 &&
                                                        (r.limit - r.start) % r.stride != 0;
                                               });
     }},
    {"infer.loop-state-must-be-tuple",
     "a loop that carries one array is rejected",
     {Opcode::kWhile},
     [](const Instruction& i) { return !i.shape().IsTuple(); }},
    {"infer.scalar-gather-refused",
     "a gather of one element is rejected",
     {Opcode::kGather},
     [](const Instruction& i) { return i.shape().IsScalar(); }},
    {"infer.shift-of-mixed-sign-refused",
     "unsigned shifts are rejected",
     {Opcode::kShiftLeft, Opcode::kShiftRightArithmetic},
     [](const Instruction& i) { return IsUnsigned(i.shape().element_type()); }},
    {"infer.variadic-reduce-of-one-type",
     "reduce of several types is rejected",
     {Opcode::kReduce},
     [](const Instruction& i) {
       return i.operand_count() > 2 &&
              i.operand(0).shape().element_type() != i.operand(1).shape().element_type();
     }},
    {"infer.dot-of-several-contractions-refused",
     "one contracting dimension at most",
     {Opcode::kDot},
     [](const Instruction& i) { return i.IntList(Attr::kLhsContractingDims).size() > 1; }},
    {"infer.four-bit-types-refused",
     "types narrower than a byte are rejected",
     {Opcode::kAdd, Opcode::kMultiply, Opcode::kConvert},
     [](const Instruction& i) { return IsSubByte(i.shape().element_type()); }},
};

// The checks that are omitted: prefixes of rules, each for one documented operation or for one
// sentence about the text.
constexpr const char* kForgotten[] = {"pad.",
                                      "slice.",
                                      "concatenate.",
                                      "dot_general.",
                                      "gather.",
                                      "scatter.",
                                      "reduce.",
                                      "reduce_window.",
                                      "while.",
                                      "conditional.",
                                      "transpose.",
                                      "conv_with_general_padding.",
                                      "dynamic_slice.",
                                      "sort.",
                                      "reshape.",
                                      "broadcast_in_dim.",
                                      "layouts.",
                                      "aliasing.",
                                      "hlo.shape",
                                      "hlo.operand",
                                      "hlo.recursion",
                                      "hlo.result_shape",
                                      "select.",
                                      "map.",
                                      "all_to_all.",
                                      "tuple.",
                                      "bitcast_convert_type."};

}  // namespace

void AddInferenceFaults(std::vector<Fault>& faults) {
  for (const char* rule : kForgotten) {
    Fault fault{absl::StrCat("infer.forgets-", absl::string_view(rule)), FaultClass::kInference,
                "does not check these rules"};
    if (fault.id.back() == '.') fault.id.pop_back();
    fault.skipped_rule = rule;
    faults.push_back(std::move(fault));
  }
  for (const Refusal& row : kRefusals) {
    Fault fault{row.id, FaultClass::kInference, row.what, row.opcodes};
    fault.refuses = row.refuses;
    faults.push_back(std::move(fault));
  }
}

}  // namespace hlocts::backends
