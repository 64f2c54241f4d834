// SPDX-License-Identifier: Apache-2.0
// Faults that sum in the wrong type or over the wrong terms.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "backends/selftest/elements.h"
#include "backends/selftest/faults/fault.h"
#include "reference/kernels/reduce.h"
#include "spec/infer/dimension_numbers.h"
#include "spec/ir/index_util.h"
#include "spec/ir/module.h"

namespace hlocts::backends {
namespace {

template <typename Edit>
void EditNumbers(Literal& literal, Edit&& edit) {
  if (literal.shape().IsTuple() || !IsArrayType(literal.element_type())) return;
  for (int64_t i = 0; i < NumberCount(literal); ++i) {
    double value = ReadNumber(literal, i), wrong = edit(value);
    if (wrong != value && std::isfinite(value)) WriteNumber(literal, i, wrong);
  }
}

// Rounds the operands (Before) or the result (After) to a narrower float type.
template <PrimitiveType kFrom, PrimitiveType kThrough>
void Before(FaultSite& site) {
  for (Literal& operand : site.operands) {
    if (NumberType(operand) != kFrom) continue;
    EditNumbers(operand, [](double x) { return RoundTo(kThrough, x); });
  }
}
template <PrimitiveType kFrom, PrimitiveType kThrough>
void After(FaultSite& site) {
  if (site.result->shape().IsTuple() || NumberType(*site.result) != kFrom) return;
  EditNumbers(*site.result, [](double x) { return RoundTo(kThrough, x); });
}

// Computes integer sums in 16 bits (WrapTo16) or in f32 (ThroughFloat).
void WrapTo16(FaultSite& site) {
  Literal& result = *site.result;
  if (result.shape().IsTuple() || !IsInteger(result.element_type())) return;
  if (BitWidth(result.element_type()) < 32) return;
  for (int64_t i = 0; i < result.element_count(); ++i) {
    WriteInteger(result, i, WrapInteger(ReadInteger(result, i), 16, true));
  }
}
void ThroughFloat(FaultSite& site) {
  Literal& result = *site.result;
  if (result.shape().IsTuple() || !IsInteger(result.element_type())) return;
  EditNumbers(result, [](double x) { return RoundTo(PrimitiveType::kF32, x); });
}
// Wraps sums of products of 8-bit integers to 8 bits.
void ProductsIn8Bits(FaultSite& site) {
  for (Literal& operand : site.operands) {
    if (!IsInteger(operand.element_type())) return;
  }
  Literal& result = *site.result;
  if (BitWidth(result.element_type()) <= 8) return;
  if (BitWidth(site.operands[0].element_type()) != 8) return;
  for (int64_t i = 0; i < result.element_count(); ++i) {
    WriteInteger(result, i, WrapInteger(ReadInteger(result, i), 8, true));
  }
}

bool ReducesWith(const Instruction& reduce, Opcode opcode) {
  const Computation* body = reduce.CalledComputation(Attr::kToApply);
  return body != nullptr && body->root() != nullptr && body->root()->opcode() == opcode &&
         reduce.operand_count() == 2;
}

// Replaces elements of operand 0 by the init value: the last ones along the first reduced dimension
// that has two or more elements.
void WithoutLast(FaultSite& site) {
  if (site.operands.size() != 2) return;
  Literal& operand = site.operands[0];
  const std::vector<int64_t>& sizes = operand.shape().dimensions();
  const std::vector<int64_t> strides = RowMajorStrides(sizes);
  if (!(operand.element_type() == site.operands[1].element_type())) return;
  for (int64_t d : site.instruction.IntList(Attr::kDimensions)) {
    if (sizes[d] < 2) continue;
    for (int64_t i = 0; i < operand.element_count(); ++i) {
      if (i / strides[d] % sizes[d] == sizes[d] - 1) CopyElement(site.operands[1], 0, operand, i);
    }
    return;
  }
}

void DotWithoutLast(FaultSite& site) {
  DotDimensionNumbers numbers = DotDimensionsOf(site.instruction);
  if (numbers.lhs_contracting.empty()) return;
  Literal& lhs = site.operands[0];
  const std::vector<int64_t>& sizes = lhs.shape().dimensions();
  int64_t d = numbers.lhs_contracting[0];
  if (sizes[d] < 2) return;
  const std::vector<int64_t> strides = RowMajorStrides(sizes);
  for (int64_t i = 0; i < lhs.element_count(); ++i) {
    if (i / strides[d] % sizes[d] == sizes[d] - 1) ZeroElement(lhs, i);
  }
}

// If several dimensions are reduced, reduces only the first completely. Along each other dimension,
// reads only the first element.
void FirstDimensionOnly(FaultSite& site) {
  if (site.operands.size() != 2) return;
  Literal& operand = site.operands[0];
  if (!(operand.element_type() == site.operands[1].element_type())) return;
  const std::vector<int64_t>& sizes = operand.shape().dimensions();
  const std::vector<int64_t> strides = RowMajorStrides(sizes);
  const std::vector<int64_t>& along = site.instruction.IntList(Attr::kDimensions);
  for (size_t k = 1; k < along.size(); ++k) {
    for (int64_t i = 0; i < operand.element_count(); ++i) {
      if (i / strides[along[k]] % sizes[along[k]] != 0) {
        CopyElement(site.operands[1], 0, operand, i);
      }
    }
  }
}

void InitIgnored(FaultSite& site) {
  if (site.operands.size() != 2 || !ReducesWith(site.instruction, Opcode::kAdd)) return;
  site.operands[1] = Literal(site.operands[1].shape());
}

void MaximumFromZero(FaultSite& site) {
  if (!ReducesWith(site.instruction, Opcode::kMaximum)) return;
  Literal& result = *site.result;
  if (!IsRealFloat(result)) return;
  EditNumbers(result, [](double x) { return x < 0 ? 0 : x; });
}

void VarianceOfSample(FaultSite& site) {
  if (!site.result->shape().IsTuple() || site.result->elements().size() != 3) return;
  std::vector<Literal> parts = site.result->elements();
  double n = static_cast<double>(parts[0].element_count()) /
             static_cast<double>(std::max<int64_t>(1, parts[2].element_count()));
  if (n < 2) return;
  EditNumbers(parts[2], [n](double x) { return x * n / (n - 1); });
  *site.result = Literal::Tuple(std::move(parts));
}

void InverseUnscaled(FaultSite& site) {
  absl::string_view type = site.instruction.WordOr(Attr::kFftType, "");
  if (type != "IFFT" && type != "IRFFT") return;
  double n = 1;
  for (int64_t length : site.instruction.IntList(Attr::kFftLength)) n *= double(length);
  EditNumbers(*site.result, [n](double x) { return x * n; });
}

// Applies only the last of several updates of one element.
void LastUpdateOnly(FaultSite& site) {
  if (site.operands.size() != 3 || !ReducesWith(site.instruction, Opcode::kAdd)) {
    const Computation* body = site.instruction.CalledComputation(Attr::kToApply);
    if (body == nullptr || body->root() == nullptr || body->root()->opcode() != Opcode::kAdd)
      return;
  }
  if (site.operands.size() != 3) return;
  // Applies one update at a time to the original operand, and keeps the elements that it changes.
  Literal& updates = site.operands[2];
  if (updates.shape().IsTuple() || NumberCount(updates) > 512) return;
  Literal result = site.operands[0];
  for (int64_t u = 0; u < updates.element_count(); ++u) {
    Literal one(updates.shape());
    CopyElement(updates, u, one, u);
    Literal applied =
        site.Evaluate(site.instruction, {site.operands[0], site.operands[1], one}, result);
    for (int64_t i = 0; i < result.element_count(); ++i) {
      if (!SameElement(applied, i, site.operands[0], i)) CopyElement(applied, i, result, i);
    }
  }
  *site.result = result;
}

using PT = PrimitiveType;
constexpr SiteFault kAccumulateSites[] = {
    {"exponential.f64-in-f32", FaultClass::kAccumulateType, Opcode::kExponential,
     "f64 functions are computed in f32", After<PT::kF64, PT::kF32>, false},
    {"sine.f64-in-f32", FaultClass::kAccumulateType, Opcode::kSine,
     "f64 functions are computed in f32", After<PT::kF64, PT::kF32>, false},
    {"reduce.last-element-left-out", FaultClass::kTripCount, Opcode::kReduce,
     "the loop ends one iteration early", WithoutLast, true},
    {"dot.last-term-left-out", FaultClass::kTripCount, Opcode::kDot,
     "the loop ends one iteration early", DotWithoutLast, true},
    {"reduce.first-dimension-only", FaultClass::kAccumulateType, Opcode::kReduce,
     "only one of several dimensions is reduced", FirstDimensionOnly, true},
    {"reduce.init-ignored", FaultClass::kAccumulateType, Opcode::kReduce,
     "sums start at 0, regardless of the init value", InitIgnored, true},
    {"reduce-window.init-ignored", FaultClass::kAccumulateType, Opcode::kReduceWindow,
     "sums start at 0, regardless of the init value", InitIgnored, true},
    {"reduce.maximum-from-zero", FaultClass::kAccumulateType, Opcode::kReduce,
     "a maximum starts at 0", MaximumFromZero, false},
    {"batch-norm-training.sample-variance", FaultClass::kAccumulateType, Opcode::kBatchNormTraining,
     "the variance is divided by n - 1", VarianceOfSample, false},
    {"fft.inverse-unscaled", FaultClass::kAccumulateType, Opcode::kFft,
     "the inverse is not divided by the length", InverseUnscaled, false},
    {"scatter.last-duplicate-only", FaultClass::kAccumulateType, Opcode::kScatter,
     "only one of several updates to an element counts: no atomic addition", LastUpdateOnly, false},
};

}  // namespace

void AddAccumulateFaults(std::vector<Fault>& faults) {
  auto add = [&](Opcode opcode, absl::string_view suffix, const char* what,
                 void (*site)(FaultSite&), bool before = false) {
    faults.push_back(SiteFaultOf({"", FaultClass::kAccumulateType, opcode, what, site, before},
                                 absl::StrCat(OpcodeName(opcode), suffix)));
  };
  for (Opcode opcode : {Opcode::kDot, Opcode::kConvolution, Opcode::kReduce, Opcode::kReduceWindow,
                        Opcode::kScatter, Opcode::kAllReduce, Opcode::kSelectAndScatter}) {
    add(opcode, ".f32-sums-in-bf16", "f32 sums are kept in bf16", After<PT::kF32, PT::kBF16>);
  }
  for (Opcode opcode : {Opcode::kDot, Opcode::kConvolution, Opcode::kReduce, Opcode::kReduceWindow,
                        Opcode::kFft, Opcode::kCholesky, Opcode::kTriangularSolve}) {
    add(opcode, ".f64-in-f32", "f64 is computed in f32", After<PT::kF64, PT::kF32>);
  }
  for (Opcode opcode : {Opcode::kDot, Opcode::kConvolution}) {
    add(opcode, ".f32-operands-in-bf16", "f32 operands are rounded to bf16",
        Before<PT::kF32, PT::kBF16>, true);
    add(opcode, ".integer-products-in-8-bits", "8-bit products are summed in 8 bits",
        ProductsIn8Bits);
  }
  for (Opcode opcode : {Opcode::kDot, Opcode::kReduce, Opcode::kReduceWindow}) {
    add(opcode, ".integer-sums-in-16-bits", "integer sums are kept in 16 bits", WrapTo16);
    add(opcode, ".integer-sums-in-f32", "integer sums are kept in f32", ThroughFloat);
  }
  for (const SiteFault& row : kAccumulateSites) faults.push_back(SiteFaultOf(row, row.id));
}

}  // namespace hlocts::backends
