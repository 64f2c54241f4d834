// SPDX-License-Identifier: Apache-2.0
// Generates dot with batch, contracting and free dimensions in any order.
#include <cmath>

#include "generators/families/reducers.h"
#include "generators/module_writer.h"
#include "generators/op_generators.h"
#include "spec/ir/attr.h"

namespace hlocts::generators {
namespace {

// The dimensions of one operand of a dot, in random order.
struct Side {
  Dims dims, batch, contracting;
};

Side Arrange(ModuleWriter& w, const Dims& batch, const Dims& contracting, const Dims& free) {
  std::vector<std::pair<int, size_t>> order;  // kind of dimension, index within the kind
  const Dims* sizes[] = {&batch, &contracting, &free};
  for (int kind = 0; kind < 3; ++kind) {
    for (size_t i = 0; i < sizes[kind]->size(); ++i) order.emplace_back(kind, i);
  }
  if (w.choose.Below(2)) {
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[w.choose.Below(i)]);
    // Free dimensions stay in order, because that is their order in the result.
    size_t next = 0;
    for (auto& [kind, number] : order) {
      if (kind == 2) number = next++;
    }
  }
  Side side;
  side.batch.resize(batch.size());
  side.contracting.resize(contracting.size());
  for (auto [kind, number] : order) {
    int64_t at = static_cast<int64_t>(side.dims.size());
    if (kind == 0) side.batch[number] = at;
    if (kind == 1) side.contracting[number] = at;
    side.dims.push_back((*sizes[kind])[number]);
  }
  return side;
}

Dims DrawSizes(ModuleWriter& w, int64_t count) {
  Dims sizes;
  for (int64_t i = 0; i < count; ++i) sizes.push_back(w.DrawSize());
  return sizes;
}

Dims Concatenated(Dims a, const Dims& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void SetUnlessEmpty(Value* term, Attr attr, const Dims& dims) {
  if (!dims.empty()) term->instruction->Set(attr, dims);
}

// Draws the result type: mostly that of the operands, else a wider one (often 32 bits).
PrimitiveType DrawResultType(ModuleWriter& w, PrimitiveType type) {
  if (!w.choose.OneIn(4)) return type;
  PrimitiveType wide = w.DrawType(~TypeSet{0});
  PrimitiveType sum = IsSigned(type) ? PrimitiveType::kS32 : PrimitiveType::kU32;
  if (IsInteger(type) && BitWidth(type) <= 8 && Contains(w.plan.allowed, sum)) wide = sum;
  bool floats = IsFloat(type) && IsFloat(wide), integers = IsInteger(type) && IsInteger(wide);
  if ((!floats && !integers) || BitWidth(wide) <= BitWidth(type)) return type;
  return integers && IsSigned(type) != IsSigned(wide) ? type : wide;
}

}  // namespace

bool GenerateDot(ModuleWriter& w, Opcode) {
  PrimitiveType type = w.DrawType(RowOf(Opcode::kDot).types);
  if (type == PrimitiveType::kInvalid || w.scalars_only()) return false;
  Dims batch = DrawSizes(w, w.choose.OneIn(3) ? w.choose.Range(1, 2) : 0);
  Dims contracting = DrawSizes(w, w.choose.OneIn(4) ? 2 * w.choose.Below(2) : 1);
  Dims left = DrawSizes(w, w.choose.Range(0, 1)), right = DrawSizes(w, w.choose.Range(0, 1));
  Side lhs = Arrange(w, batch, contracting, left), rhs = Arrange(w, batch, contracting, right);
  Dims dims = Concatenated(Concatenated(batch, left), right);
  if (!w.Fits(lhs.dims) || !w.Fits(rhs.dims) || !w.Fits(dims)) return false;
  PrimitiveType result = DrawResultType(w, type);
  bool floating = IsFloat(type) || IsComplex(type);
  double terms = static_cast<double>(std::max<int64_t>(ElementsOf(contracting), 1)) *
                 (IsComplex(type) ? 2 : 1);
  double bound = std::floor(std::sqrt(w.Limit(type) / terms));
  if (IsOpenSum(w, result, terms)) return false;
  Requirement demand;
  if (floating && w.plan.checked()) {
    if (bound < 1) return false;
    demand = SumRequirement(w, result, bound, terms);
  }
  Value* a = w.FindOrMake(type, lhs.dims, demand);
  Value* b = w.FindOrMake(type, rhs.dims, demand);
  double most = terms * a->facts.magnitude() * b->facts.magnitude();
  ValueFacts facts = type == PrimitiveType::kPred
                         ? RangeFacts(0, 1, true)
                         : RangeFacts(-most, most, a->facts.integral && b->facts.integral);
  if (IsUnsigned(type)) facts.low = 0;
  Value* dot = w.Emit(Opcode::kDot, Shape(result, dims), {a, b}, w.Satisfy(result, facts));
  SetUnlessEmpty(dot, Attr::kLhsBatchDims, lhs.batch);
  SetUnlessEmpty(dot, Attr::kLhsContractingDims, lhs.contracting);
  SetUnlessEmpty(dot, Attr::kRhsBatchDims, rhs.batch);
  SetUnlessEmpty(dot, Attr::kRhsContractingDims, rhs.contracting);
  return true;
}

}  // namespace hlocts::generators
