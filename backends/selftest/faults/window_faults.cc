// SPDX-License-Identifier: Apache-2.0
// Faults of padding and windows: edges, holes, dilation, reversal (as in openxla/xla#48715, #48714,
// #48719, #48713, #49123).
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "backends/selftest/elements.h"
#include "backends/selftest/faults/fault.h"
#include "spec/ir/index_util.h"
#include "spec/ir/module.h"

namespace hlocts::backends {
namespace {

using Surgery = bool (*)(Instruction&);
struct SurgeryRow {
  const char* id;
  FaultClass fault_class;
  Opcode opcode;
  const char* what;
  Surgery module_edit;
};

template <typename Edit>
bool EditWindow(Instruction& instruction, Edit&& edit) {
  Window* window = Attribute<Window>(instruction, Attr::kWindow);
  if (window == nullptr) return false;
  for (WindowDimension& dimension : window->dimensions) edit(dimension);
  return true;
}

template <typename Edit>
bool EditPadding(Instruction& instruction, Edit&& edit) {
  PaddingConfig* padding = Attribute<PaddingConfig>(instruction, Attr::kPadding);
  if (padding == nullptr) return false;
  for (PaddingDimension& dimension : padding->dimensions) edit(dimension);
  return true;
}

bool SwapWindowPadding(Instruction& instruction) {
  return EditWindow(instruction,
                    [](WindowDimension& d) { std::swap(d.padding_low, d.padding_high); });
}
bool SwapNegativeWindowPadding(Instruction& instruction) {
  return EditWindow(instruction, [](WindowDimension& d) {
    if (d.padding_low < 0 || d.padding_high < 0) std::swap(d.padding_low, d.padding_high);
  });
}
bool SwapDilations(Instruction& instruction) {
  return EditWindow(instruction,
                    [](WindowDimension& d) { std::swap(d.base_dilation, d.window_dilation); });
}
bool DropReversal(Instruction& instruction) {
  return EditWindow(instruction, [](WindowDimension& d) { d.window_reversal = false; });
}
bool AddReversal(Instruction& instruction) {
  return EditWindow(instruction, [](WindowDimension& d) { d.window_reversal = true; });
}
bool ReverseFirstOnly(Instruction& instruction) {
  Window* window = Attribute<Window>(instruction, Attr::kWindow);
  if (window == nullptr) return false;
  for (size_t d = 1; d < window->dimensions.size(); ++d) {
    window->dimensions[d].window_reversal = window->dimensions[0].window_reversal;
  }
  return true;
}
bool ReverseWindowDimensions(Instruction& instruction) {
  Window* window = Attribute<Window>(instruction, Attr::kWindow);
  if (window == nullptr) return false;
  std::reverse(window->dimensions.begin(), window->dimensions.end());
  return true;
}
bool SwapStrideAndDilation(Instruction& instruction) {
  return EditWindow(instruction,
                    [](WindowDimension& d) { std::swap(d.stride, d.window_dilation); });
}
// Moves one element of the padding to the high side, as other frameworks do for "SAME" padding with
// an odd total.
bool MovePaddingHigh(Instruction& instruction) {
  return EditWindow(instruction, [](WindowDimension& d) {
    if (d.padding_low <= 0) return;
    --d.padding_low;
    ++d.padding_high;
  });
}

constexpr SurgeryRow kSurgeries[] = {
    {"pad.low-high-swapped", FaultClass::kPadding, Opcode::kPad,
     "low and high edge padding are swapped",
     [](Instruction& i) {
       return EditPadding(i, [](PaddingDimension& d) { std::swap(d.low, d.high); });
     }},
    {"pad.negative-edge-crops-other-side", FaultClass::kPadding, Opcode::kPad,
     "a negative edge crops the other side",
     [](Instruction& i) {
       return EditPadding(i, [](PaddingDimension& d) {
         if (d.low < 0 || d.high < 0) std::swap(d.low, d.high);
       });
     }},
    {"pad.negative-edge-off-by-one", FaultClass::kPadding, Opcode::kPad,
     "a negative low edge crops one element too few, the high edge one more",
     [](Instruction& i) {
       return EditPadding(i, [](PaddingDimension& d) {
         if (d.low < 0) ++d.low, --d.high;
       });
     }},
    {"pad.edge-with-interior-off-by-one", FaultClass::kPadding, Opcode::kPad,
     "with interior padding the elements start one later",
     [](Instruction& i) {
       return EditPadding(i, [](PaddingDimension& d) {
         if (d.interior > 0) ++d.low, --d.high;
       });
     }},
    {"pad.dimensions-reversed", FaultClass::kPadding, Opcode::kPad,
     "the padding of the last dimension is the first one's",
     [](Instruction& i) {
       PaddingConfig* padding = Attribute<PaddingConfig>(i, Attr::kPadding);
       if (padding != nullptr) std::reverse(padding->dimensions.begin(), padding->dimensions.end());
       return padding != nullptr;
     }},
    {"reduce-window.padding-swapped", FaultClass::kPadding, Opcode::kReduceWindow,
     "low and high padding of the window are swapped", SwapWindowPadding},
    {"reduce-window.negative-padding-swapped", FaultClass::kPadding, Opcode::kReduceWindow,
     "negative padding crops the other side", SwapNegativeWindowPadding},
    {"convolution.padding-swapped", FaultClass::kPadding, Opcode::kConvolution,
     "low and high padding of the window are swapped", SwapWindowPadding},
    {"convolution.negative-padding-swapped", FaultClass::kPadding, Opcode::kConvolution,
     "negative padding crops the other side", SwapNegativeWindowPadding},
    {"convolution.same-padding-rounded-up", FaultClass::kPadding, Opcode::kConvolution,
     "one of the low padding moves to the high side", MovePaddingHigh},
    {"select-and-scatter.padding-swapped", FaultClass::kPadding, Opcode::kSelectAndScatter,
     "low and high padding of the window are swapped", SwapWindowPadding},
    {"reduce-window.dilations-swapped", FaultClass::kWindow, Opcode::kReduceWindow,
     "base and window dilation are swapped", SwapDilations},
    {"convolution.dilations-swapped", FaultClass::kWindow, Opcode::kConvolution,
     "base and window dilation are swapped", SwapDilations},
    {"convolution.stride-dilation-swapped", FaultClass::kWindow, Opcode::kConvolution,
     "stride and window dilation are swapped", SwapStrideAndDilation},
    {"convolution.reversal-ignored", FaultClass::kWindow, Opcode::kConvolution,
     "window_reversal is ignored", DropReversal},
    {"convolution.always-reversed", FaultClass::kWindow, Opcode::kConvolution,
     "the kernel is always flipped, as in signal processing", AddReversal},
    {"convolution.reversal-of-first-dimension", FaultClass::kWindow, Opcode::kConvolution,
     "the reversal of the first dimension applies to all", ReverseFirstOnly},
    {"convolution.window-dimensions-reversed", FaultClass::kWindow, Opcode::kConvolution,
     "the window's dimensions are read in reverse order", ReverseWindowDimensions},
    {"reduce-window.window-dimensions-reversed", FaultClass::kWindow, Opcode::kReduceWindow,
     "the window's dimensions are read in reverse order", ReverseWindowDimensions},
    {"select-and-scatter.window-dimensions-reversed", FaultClass::kWindow,
     Opcode::kSelectAndScatter, "the window's dimensions are read in reverse order",
     ReverseWindowDimensions},
};

// Uses a zero instead of the padding value, at edges and between elements.
void PaddingIsZero(FaultSite& site) {
  if (site.operands[1].element_count() == 1) {
    site.operands[1] = Literal(site.operands[1].shape());
  }
}

// Fills the holes between elements with the previous element, as if memory had not been written.
void HolesRepeat(FaultSite& site) {
  const PaddingConfig* padding = site.instruction.Get<PaddingConfig>(Attr::kPadding);
  Literal& result = *site.result;
  const std::vector<int64_t>& sizes = result.shape().dimensions();
  if (padding == nullptr || sizes.empty() || padding->dimensions.size() != sizes.size()) return;
  const PaddingDimension& last = padding->dimensions.back();
  if (last.interior <= 0) return;
  for (int64_t i = 1; i < result.element_count(); ++i) {
    int64_t column = i % sizes.back() - last.low;
    bool hole = column > 0 && column % (last.interior + 1) != 0 &&
                i % sizes.back() < sizes.back() - last.high;
    if (hole) CopyElement(result, i - 1, result, i);
  }
}

bool DilatesBase(const Instruction& instruction) {
  const Window* window = instruction.Get<Window>(Attr::kWindow);
  if (window == nullptr) return false;
  return std::any_of(window->dimensions.begin(), window->dimensions.end(),
                     [](const WindowDimension& d) { return d.base_dilation > 1; });
}

// Fills the holes of a dilated base with the previous element instead of the init value. Affects
// windows of width 1 on arrays that are so large that compilers call a library.
template <int64_t kSize>
void DilatedHolesRepeat(FaultSite& site) {
  const Window* window = site.instruction.Get<Window>(Attr::kWindow);
  Literal& result = *site.result;
  if (!DilatesBase(site.instruction) || result.shape().IsTuple()) return;
  if (site.operands[0].element_count() < kSize) return;
  const WindowDimension& last = window->dimensions.back();
  const int64_t columns = result.shape().dimensions().back();
  if (last.size != 1 || last.base_dilation <= 1) return;
  for (int64_t i = 1; i < result.element_count(); ++i) {
    int64_t column = i % columns;
    bool hole = column > 0 && (column * last.stride - last.padding_low) % last.base_dilation != 0;
    if (hole) CopyElement(result, i - 1, result, i);
  }
}

// Merges a pad into the window that reads it, so that the padding value becomes the init value.
void MergePadIntoWindow(Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() != Opcode::kReduceWindow || instruction->operand_count() != 2) {
        continue;
      }
      Instruction* pad = instruction->operands()[0];
      if (pad->opcode() != Opcode::kPad) continue;
      Instruction* init = instruction->operands()[1];
      if (init->index() < pad->index()) pad->mutable_operands()[1] = init;
    }
  }
}

// Returns the features of the first group for every group.
void SecondGroupIsFirst(FaultSite& site) {
  const auto* numbers = site.instruction.Get<ConvolutionDimensionNumbers>(Attr::kDimLabels);
  int64_t groups = site.instruction.IntOr(Attr::kFeatureGroupCount, 1);
  if (numbers == nullptr || groups < 2) return;
  Literal& result = *site.result;
  const Literal right = result;
  const std::vector<int64_t>& sizes = result.shape().dimensions();
  const int64_t features = sizes[numbers->output_feature] / groups;
  const std::vector<int64_t> strides = RowMajorStrides(sizes);
  for (int64_t i = 0; i < result.element_count(); ++i) {
    int64_t feature = i / strides[numbers->output_feature] % sizes[numbers->output_feature];
    int64_t shift = feature - feature % features;
    if (shift > 0) {
      CopyElement(right, i - shift * strides[numbers->output_feature], result, i);
    }
  }
}

bool AddsUp(const Instruction& instruction) {
  const Computation* body = instruction.CalledComputation(Attr::kToApply);
  return body != nullptr && body->root() != nullptr && body->root()->opcode() == Opcode::kAdd;
}

void InitTwice(FaultSite& site) {
  if (!AddsUp(site.instruction)) return;
  Literal& result = *site.result;
  if (result.shape().IsTuple() || site.operands.size() != 2) return;
  const Literal& init = site.operands[1];
  if (!(init.element_type() == result.element_type()) || IsComplex(init.element_type())) return;
  for (int64_t i = 0; i < NumberCount(result); ++i) {
    WriteNumber(result, i, ReadNumber(result, i) + ReadNumber(init, 0));
  }
}

}  // namespace

void AddWindowFaults(std::vector<Fault>& faults) {
  for (const SurgeryRow& row : kSurgeries) {
    faults.push_back(
        ModuleEditFault(row.id, row.fault_class, row.opcode, row.what, row.module_edit));
  }
  auto add = [&](const char* id, FaultClass fault_class, Opcode opcode, const char* what,
                 void (*site)(FaultSite&), bool before) {
    faults.push_back(SiteFaultOf({"", fault_class, opcode, what, site, before}, id));
  };
  add("pad.value-ignored", FaultClass::kPadding, Opcode::kPad,
      "padding is zero, regardless of the value", PaddingIsZero, true);
  add("pad.interior-holes-repeat", FaultClass::kPadding, Opcode::kPad,
      "interior holes repeat the previous element", HolesRepeat, false);
  add("reduce-window.dilated-holes-dropped", FaultClass::kWindow, Opcode::kReduceWindow,
      "1-wide windows over a dilated base: holes repeat the previous element",
      DilatedHolesRepeat<1>, false);
  add("reduce-window.dilated-holes-dropped-from-4096", FaultClass::kWindow, Opcode::kReduceWindow,
      "the same on arrays of 4096 elements and more", DilatedHolesRepeat<4096>, false);
  add("convolution.second-group-is-first", FaultClass::kWindow, Opcode::kConvolution,
      "later feature groups equal the first", SecondGroupIsFirst, false);
  for (Opcode opcode : {Opcode::kReduce, Opcode::kReduceWindow}) {
    faults.push_back(AfterFault(absl::StrCat(OpcodeName(opcode), ".init-twice"),
                                FaultClass::kWindow, opcode, "the init value enters a sum twice",
                                InitTwice));
  }
  faults.push_back(RewriteFault(
      "reduce-window.swallows-pad", FaultClass::kPadding, Opcode::kReduceWindow,
      "a pad before a window is merged into its padding, whatever its value", MergePadIntoWindow));
}

}  // namespace hlocts::backends
