// SPDX-License-Identifier: Apache-2.0
// Faults of a module parser: attributes are read wrongly, ignored or given the wrong default; names
// and layouts are resolved wrongly.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "backends/selftest/elements.h"
#include "backends/selftest/faults/fault.h"
#include "spec/ir/module.h"

namespace hlocts::backends {
namespace {

bool RemoveAttribute(Instruction& instruction, Attr attr) {
  if (!instruction.Has(attr)) return false;
  instruction.Remove(attr);
  return true;
}
bool ReverseList(Instruction& instruction, Attr attr) {
  auto* list = Attribute<std::vector<int64_t>>(instruction, attr);
  if (list == nullptr || list->size() < 2) return false;
  std::reverse(list->begin(), list->end());
  return true;
}
bool FlipBool(Instruction& instruction, Attr attr) {
  instruction.Set(attr, !instruction.BoolOr(attr, false));
  return true;
}
bool OtherWord(Instruction& instruction, Attr attr, absl::string_view from, absl::string_view to) {
  if (instruction.WordOr(attr, "") != from) return false;
  instruction.Set(attr, Word{std::string(to)});
  return true;
}
bool ReverseSpatial(Instruction& convolution,
                    std::vector<int64_t> ConvolutionDimensionNumbers::*which) {
  auto* numbers = Attribute<ConvolutionDimensionNumbers>(convolution, Attr::kDimLabels);
  if (numbers == nullptr || (numbers->*which).size() < 2) return false;
  std::reverse((numbers->*which).begin(), (numbers->*which).end());
  return true;
}

struct TextRow {
  const char* id;
  Opcode opcode;
  const char* what;
  bool (*module_edit)(Instruction&);
};
constexpr TextRow kTextRows[] = {
    {"text.get-tuple-element-index-0", Opcode::kGetTupleElement, "index is always read as 0",
     [](Instruction& i) {
       i.Set(Attr::kIndex, int64_t{0});
       return true;
     }},
    {"text.slice-dimensions-reversed", Opcode::kSlice, "the ranges are read in reverse order",
     [](Instruction& i) {
       auto* ranges = Attribute<SliceRanges>(i, Attr::kSlice);
       if (ranges == nullptr) return false;
       std::reverse(ranges->dimensions.begin(), ranges->dimensions.end());
       return true;
     }},
    {"text.slice-start-0", Opcode::kSlice, "a start that is written is read as 0",
     [](Instruction& i) {
       auto* ranges = Attribute<SliceRanges>(i, Attr::kSlice);
       if (ranges == nullptr) return false;
       for (SliceRange& range : ranges->dimensions) {
         range.limit -= range.start;
         range.start = 0;
       }
       return true;
     }},
    {"text.pad-interior-read-as-high", Opcode::kPad,
     "low_high_interior is read as low_interior_high",
     [](Instruction& i) {
       auto* padding = Attribute<PaddingConfig>(i, Attr::kPadding);
       if (padding == nullptr) return false;
       for (PaddingDimension& d : padding->dimensions) std::swap(d.high, d.interior);
       return true;
     }},
    {"text.lower-lost", Opcode::kCholesky, "lower has the other default",
     [](Instruction& i) { return FlipBool(i, Attr::kLower); }},
    {"text.solve-lower-lost", Opcode::kTriangularSolve, "lower is read inverted",
     [](Instruction& i) { return FlipBool(i, Attr::kLower); }},
    {"text.unit-diagonal-lost", Opcode::kTriangularSolve, "unit_diagonal is not read",
     [](Instruction& i) { return RemoveAttribute(i, Attr::kUnitDiagonal); }},
    {"text.left-side-flipped", Opcode::kTriangularSolve, "left_side is read inverted",
     [](Instruction& i) { return FlipBool(i, Attr::kLeftSide); }},
    {"text.transpose-a-lost", Opcode::kTriangularSolve, "transpose_a is not read",
     [](Instruction& i) { return OtherWord(i, Attr::kTransposeA, "TRANSPOSE", "NO_TRANSPOSE"); }},
    {"text.adjoint-read-transpose", Opcode::kTriangularSolve, "ADJOINT does not conjugate",
     [](Instruction& i) { return OtherWord(i, Attr::kTransposeA, "ADJOINT", "TRANSPOSE"); }},
    {"text.fft-direction-lost", Opcode::kFft, "IFFT is read as FFT",
     [](Instruction& i) { return OtherWord(i, Attr::kFftType, "IFFT", "FFT"); }},
    {"text.epsilon-lost", Opcode::kBatchNormInference, "epsilon is 0",
     [](Instruction& i) {
       i.Set(Attr::kEpsilon, 0.0);
       return true;
     }},
    {"text.feature-index-0", Opcode::kBatchNormTraining, "feature_index is always 0",
     [](Instruction& i) {
       i.Set(Attr::kFeatureIndex, int64_t{0});
       return true;
     }},
    {"text.exponent-mantissa-swapped", Opcode::kReducePrecision,
     "exponent_bits and mantissa_bits are swapped",
     [](Instruction& i) {
       int64_t exponent = i.IntOr(Attr::kExponentBits, 8);
       i.Set(Attr::kExponentBits, i.IntOr(Attr::kMantissaBits, 23));
       i.Set(Attr::kMantissaBits, exponent);
       return true;
     }},
    {"text.start-index-map-reversed", Opcode::kGather, "start_index_map is read in reverse order",
     [](Instruction& i) { return ReverseList(i, Attr::kStartIndexMap); }},
    {"text.offset-dims-shifted", Opcode::kGather, "offset_dims are one lower",
     [](Instruction& i) {
       auto* dims = Attribute<std::vector<int64_t>>(i, Attr::kOffsetDims);
       if (dims == nullptr) return false;
       for (int64_t& d : *dims) --d;
       return true;
     }},
    {"text.scatter-dims-reversed", Opcode::kScatter,
     "scatter_dims_to_operand_dims is read in reverse order",
     [](Instruction& i) { return ReverseList(i, Attr::kScatterDimsToOperandDims); }},
    {"text.inserted-dimension-moved", Opcode::kScatter, "another dimension is inserted",
     [](Instruction& i) {
       auto* dims = Attribute<std::vector<int64_t>>(i, Attr::kInsertedWindowDims);
       if (dims == nullptr) return false;
       for (int64_t& d : *dims) d = i.operand(0).shape().rank() - 1 - d;
       std::sort(dims->begin(), dims->end());
       return true;
     }},
    {"text.index-vector-dim-0", Opcode::kGather, "index_vector_dim is read as 0",
     [](Instruction& i) {
       i.Set(Attr::kIndexVectorDim, int64_t{0});
       return true;
     }},
    {"text.contracting-dims-reversed", Opcode::kDot,
     "lhs_contracting_dims are read in reverse order, those of rhs are not",
     [](Instruction& i) { return ReverseList(i, Attr::kLhsContractingDims); }},
    {"text.rhs-contracting-flipped", Opcode::kDot, "the other dimension of rhs is contracted",
     [](Instruction& i) {
       auto* dims = Attribute<std::vector<int64_t>>(i, Attr::kRhsContractingDims);
       if (dims == nullptr || dims->size() != 1) return false;
       (*dims)[0] = i.operand(1).shape().rank() - 1 - (*dims)[0];
       return true;
     }},
    {"text.batch-dims-reversed", Opcode::kDot, "rhs_batch_dims are read in reverse order",
     [](Instruction& i) { return ReverseList(i, Attr::kRhsBatchDims); }},
    {"text.kernel-spatial-reversed", Opcode::kConvolution,
     "the kernel's spatial dimensions are read in reverse order",
     [](Instruction& i) {
       return ReverseSpatial(i, &ConvolutionDimensionNumbers::kernel_spatial);
     }},
    {"text.input-spatial-reversed", Opcode::kConvolution,
     "the input's spatial dimensions are read in reverse order",
     [](Instruction& i) { return ReverseSpatial(i, &ConvolutionDimensionNumbers::input_spatial); }},
    {"text.kernel-features-swapped", Opcode::kConvolution,
     "the kernel's input and output features are swapped",
     [](Instruction& i) {
       auto* numbers = Attribute<ConvolutionDimensionNumbers>(i, Attr::kDimLabels);
       if (numbers == nullptr) return false;
       std::swap(numbers->kernel_input_feature, numbers->kernel_output_feature);
       return true;
     }},
    {"text.batch-feature-swapped", Opcode::kConvolution,
     "the input's batch and feature dimensions are swapped",
     [](Instruction& i) {
       auto* numbers = Attribute<ConvolutionDimensionNumbers>(i, Attr::kDimLabels);
       if (numbers == nullptr) return false;
       std::swap(numbers->input_batch, numbers->input_feature);
       return true;
     }},
    {"text.branches-reversed", Opcode::kConditional,
     "branch_computations are read in reverse order",
     [](Instruction& i) {
       auto* branches = Attribute<std::vector<Computation*>>(i, Attr::kBranchComputations);
       if (branches == nullptr) return false;
       std::reverse(branches->begin(), branches->end());
       return true;
     }},
    {"text.rng-distribution-lost", Opcode::kRng, "the distribution is always uniform",
     [](Instruction& i) { return OtherWord(i, Attr::kDistribution, "rng_normal", "rng_uniform"); }},
    {"text.rng-algorithm-lost", Opcode::kRngBitGenerator, "Philox is read as ThreeFry",
     [](Instruction& i) { return OtherWord(i, Attr::kAlgorithm, "rng_philox", "rng_three_fry"); }},
    {"text.compare-direction-lost", Opcode::kCompare, "NE is read as EQ",
     [](Instruction& i) { return OtherWord(i, Attr::kDirection, "NE", "EQ"); }},
    {"text.sort-dimension-0", Opcode::kSort, "the dimension is read as 0",
     [](Instruction& i) {
       i.Set(Attr::kDimensions, std::vector<int64_t>{0});
       return i.operand(0).shape().rank() > 1;
     }},
};

bool SameProgram(const Computation& a, const Computation& b) {
  ProgramShape x = a.ComputeProgramShape(), y = b.ComputeProgramShape();
  if (x.parameters.size() != y.parameters.size() || !x.result.CompatibleWith(y.result))
    return false;
  for (size_t i = 0; i < x.parameters.size(); ++i) {
    if (!x.parameters[i].CompatibleWith(y.parameters[i])) return false;
  }
  return true;
}

// Resolves a called computation to the first one with the same signature, like a parser that
// compares only the first letters of names.
bool FirstOfSignature(Instruction& instruction) {
  bool changed = false;
  const Module& module = *instruction.parent()->parent();
  for (auto& [name, value] : instruction.mutable_attributes()) {
    Computation** called = std::get_if<Computation*>(&value);
    if (called == nullptr || *called == nullptr) continue;
    for (const auto& other : module.computations()) {
      if (other.get() == *called) break;
      if (!SameProgram(*other, **called)) continue;
      *called = other.get();
      changed = true;
      break;
    }
  }
  return changed;
}

// Resolves %add.1 to %add if there is one.
bool NumberOfNameIgnored(Instruction& instruction) {
  bool changed = false;
  for (Instruction*& operand : instruction.mutable_operands()) {
    std::string stem = operand->name().substr(0, operand->name().find_last_of("._"));
    for (const auto& other : instruction.parent()->instructions()) {
      if (other->name() != stem || other->index() >= instruction.index()) continue;
      if (!other->shape().CompatibleWith(operand->shape()) || other.get() == operand) continue;
      operand = other.get();
      changed = true;
    }
  }
  return changed;
}

// Numbers parameters by their order in the text. The layout in the header lists parameters by
// number, so it is dropped.
void ParametersInOrderOfText(Module& module) {
  module.entry_computation_layout.reset();
  for (const auto& computation : module.computations()) {
    int64_t next = 0;
    for (const auto& instruction : computation->instructions()) {
      if (instruction->IsParameter()) instruction->set_parameter_number(next++);
    }
  }
}
void RootIsLast(Module& module) {
  for (const auto& computation : module.computations()) {
    if (computation->instructions().empty()) continue;
    Instruction* last = computation->instructions().back().get();
    if (last->shape().CompatibleWith(computation->root()->shape())) computation->set_root(last);
  }
}
void EntryIsFirst(Module& module) {
  Computation* first = module.computations().front().get();
  if (SameProgram(*first, *module.entry())) module.set_entry(first);
}

// Reads memory in the given layout as if it were in the default one.
void ReadInDefaultLayout(const Shape& shape, Literal& value) {
  if (!IsArrayType(value.element_type()) || !shape.layout() || value.has_runtime_sizes()) return;
  if (static_cast<int64_t>(shape.layout()->minor_to_major.size()) != value.shape().rank()) return;
  if (shape.layout()->minor_to_major == DefaultLayout(value.shape().rank()).minor_to_major) return;
  Layout layout;
  layout.minor_to_major = shape.layout()->minor_to_major;
  auto wrong = Literal::FromBytesInLayout(value.shape(), DefaultLayout(value.shape().rank()),
                                          value.BytesInLayout(layout));
  if (wrong.ok()) value = *std::move(wrong);
}

}  // namespace

void AddTextFaults(std::vector<Fault>& faults) {
  constexpr FaultClass kClass = FaultClass::kText;
  for (const TextRow& row : kTextRows) {
    faults.push_back(ModuleEditFault(row.id, kClass, row.opcode, row.what, row.module_edit));
  }
  Fault callee{"text.callee-by-signature", kClass, "the first computation that fits is called"};
  callee.module_edit = FirstOfSignature;
  faults.push_back(std::move(callee));
  Fault name{"text.number-of-name-ignored", kClass, "%x.1 is read as %x"};
  name.module_edit = NumberOfNameIgnored;
  faults.push_back(std::move(name));
  auto rewrite = [&](const char* id, const char* what, void (*change)(Module&)) {
    Fault fault{id, kClass, what};
    fault.rewrite = change;
    faults.push_back(std::move(fault));
  };
  rewrite("text.parameters-in-order-of-text", "parameter numbers are not read",
          ParametersInOrderOfText);
  rewrite("text.root-is-last", "ROOT is not read: the last instruction counts", RootIsLast);
  rewrite("text.entry-is-first", "ENTRY is not read: the first computation counts", EntryIsFirst);
  for (Opcode opcode : {Opcode::kParameter, Opcode::kConstant, Opcode::kCopy, Opcode::kReshape,
                        Opcode::kBitcastConvert, Opcode::kTranspose}) {
    faults.push_back(AfterFault(
        absl::StrCat("text.", OpcodeName(opcode), "-layout-misread"), kClass, opcode,
        "its layout is ignored when its memory is read",
        [](FaultSite& site) { ReadInDefaultLayout(site.instruction.shape(), *site.result); }));
  }
}

}  // namespace hlocts::backends
