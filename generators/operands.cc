// SPDX-License-Identifier: Apache-2.0
// Finds operands for ModuleWriter: existing, adapted or new values, clamped if necessary.
#include <cmath>

#include "generators/fact_literals.h"
#include "generators/module_writer.h"
#include "spec/ir/opcode.h"

namespace hlocts::generators {
namespace {

bool Unlimited(const Requirement& demand) {
  return std::isinf(demand.low) && std::isinf(demand.high) && !demand.unique;
}

bool Satisfies(const ValueFacts& facts, const Requirement& demand) {
  return facts.Within(demand.low, demand.high) && (facts.unique || !demand.unique);
}

// Returns the part of the demand that is in the type's range, or the whole range if no part is.
ValueFacts Allowed(PrimitiveType type, const Requirement& demand) {
  ValueFacts whole = WholeRange(type);
  ValueFacts allowed = whole;
  allowed.low = AtLeast(type, std::max(whole.low, demand.low));
  allowed.high = AtMost(type, std::min(whole.high, demand.high));
  return allowed.low <= allowed.high ? allowed : whole;
}

Value* Spread(ModuleWriter& w, Value* scalar, const Dims& dims) {
  Value* spread = w.Emit(Opcode::kBroadcast, Shape(scalar->type(), dims), {scalar}, scalar->facts);
  spread->instruction->Set(Attr::kDimensions, Dims());
  return spread;
}

// Returns an index near the bounds, at a limit of the type, or above the limit of a narrower type.
double EdgeOfIndices(ChoiceSource& choose, PrimitiveType type, int64_t bound) {
  const ValueFacts whole = WholeRange(type);
  const double edges[] = {
      static_cast<double>(bound) + 1, -1,    whole.high, whole.low,  std::floor(whole.high / 2) + 1,
      static_cast<double>(bound) - 1, 0x1p8, 0x1p16 + 1, 0x1p32 + 1, -0x1p32};
  return std::clamp(edges[choose.Below(std::size(edges))], whole.low, whole.high);
}

}  // namespace

double ModuleWriter::Limit(PrimitiveType type) const {
  return plan.exact() ? ExactLimit(type) : MagnitudeLimit(type);
}

ValueFacts ModuleWriter::Satisfy(PrimitiveType type, ValueFacts facts) const {
  if (!plan.checked()) return {};
  ValueFacts whole = WholeRange(type);
  // Doubles cannot represent the limits of 64-bit types, so a value near a limit may be outside.
  const bool inside = BitWidth(type) < 64 ||
                      (facts.high < whole.high && (!IsSigned(type) || facts.low > whole.low));
  bool wraps = !inside || !facts.Within(whole.low, whole.high);
  if (!IsFloat(type) && !IsComplex(type)) return wraps ? whole : facts;
  return facts;
}

Value* ModuleWriter::ScalarConstant(PrimitiveType type, double value) {
  const ValueFacts whole = WholeRange(type);
  // In s1, the number 1 becomes -1.
  if (IsInteger(type) && value > whole.high) value -= whole.high - whole.low + 1;
  value = NearestOf(type, value);
  ValueFacts facts = RangeFacts(value, value, std::floor(value) == value);
  if (IsComplex(type))
    facts = RangeFacts(std::min(value, 0.0), std::max(value, 0.0), facts.integral);
  facts.bits_known = true;
  Value* same = Find([&](const Value& term) {
    return term.instruction->IsConstant() && term.type() == type && term.dims().empty() &&
           term.facts.low == facts.low && term.facts.high == facts.high;
  });
  if (same && !IsComplex(type)) return same;
  Value* constant = Constant(ScalarLiteral(type, value), facts);
  // A float beyond the limit (an identity or a bound) is not drawn as an operand.
  bool floating = IsFloat(type) || IsComplex(type);
  constant->hidden = plan.checked() && floating && std::abs(value) > Limit(type);
  return constant;
}

Value* ModuleWriter::Constant(Literal literal, ValueFacts facts) {
  auto constant =
      std::make_unique<Instruction>(Name("constant"), Opcode::kConstant, literal.shape());
  constant->set_literal(std::move(literal));
  return Add(std::move(constant), facts);
}

// Draws the facts about the elements of a new parameter or constant.
ValueFacts ModuleWriter::DataFacts(PrimitiveType type, const Requirement& demand) {
  ValueFacts facts{.unique = demand.unique, .bits_known = true};
  if (!plan.checked()) return facts;
  static constexpr double kBounds[] = {2, 1, 4, 8, 0.5, 100};
  double bound = kBounds[choose.Below(std::size(kBounds))];
  bool floating = IsFloat(type) || IsComplex(type);
  if (!floating && !plan.exact() && choose.OneIn(3)) bound = INFINITY;
  if (plan.exact()) bound = std::min(std::ceil(bound), std::max(1.0, std::floor(Limit(type) / 4)));
  ValueFacts allowed = Allowed(type, demand);
  facts.low = std::max(allowed.low, choose.OneIn(4) ? 0 : AtLeast(type, -bound));
  facts.high = std::min(allowed.high, AtMost(type, bound));
  facts.integral = plan.exact() || !floating;
  if (facts.low > facts.high || (facts.integral && std::ceil(facts.low) > std::floor(facts.high))) {
    facts.low = allowed.low;
    facts.high = allowed.high;
  }
  if (floating && facts.magnitude() > Limit(type)) {
    const double limit = AtMost(type, Limit(type));
    facts.high = std::min(facts.high, std::max(facts.low, limit));
    facts.low = std::max(facts.low, std::min(facts.high, -limit));
  }
  return facts;
}

Value* ModuleWriter::NewParameter(PrimitiveType type, const Dims& dims, const Requirement& demand) {
  return AddParameter(Shape(type, dims), DataFacts(type, demand));
}

Value* ModuleWriter::AddParameter(const Shape& shape, const ValueFacts& facts) {
  auto parameter = std::make_unique<Instruction>(Name("p"), Opcode::kParameter, shape);
  parameter->set_parameter_number(static_cast<int64_t>(entry_parameters_.size()));
  entry_parameters_.push_back({shape, facts});
  return Add(std::move(parameter), facts);
}

Value* ModuleWriter::DynamicParameter(PrimitiveType type, const Dims& dims,
                                      int64_t dynamic_dimension) {
  Shape shape(type, dims);
  shape.set_dynamic_dimension(dynamic_dimension, true);
  return AddParameter(shape, DataFacts(type, {}));
}

Value* ModuleWriter::NewConstant(PrimitiveType type, const Dims& dims, const Requirement& demand) {
  constexpr int64_t kConstantElementsMax = 64;
  ValueFacts facts = DataFacts(type, demand);
  bool whole = ElementsOf(dims) <= kConstantElementsMax &&
               (dims.empty() || facts.unique || choose.Below(3) != 0);
  Shape shape(type, whole ? dims : Dims());
  Value* constant = Constant(LiteralWithFacts(shape, facts, !plan.checked(), data_), facts);
  if (whole) return constant;
  return Spread(*this, constant, dims);
}

Value* ModuleWriter::MakeNew(PrimitiveType type, const Dims& dims, const Requirement& demand) {
  bool may_add = static_cast<int64_t>(entry_parameters_.size()) < plan.parameters_max;
  if (scope_->is_entry && (may_add || demand.unique) && !choose.OneIn(4)) {
    return NewParameter(type, dims, demand);
  }
  bool counts = !dims.empty() && type != PrimitiveType::kPred && !IsComplex(type) && !IsFloat(type);
  if (counts && Unlimited(demand) && choose.OneIn(3)) {
    int64_t dimension = choose.Range(0, static_cast<int64_t>(dims.size()) - 1);
    double last = static_cast<double>(std::max<int64_t>(dims[dimension] - 1, 0));
    Value* iota =
        Emit(Opcode::kIota, Shape(type, dims), {}, Satisfy(type, RangeFacts(0, last, true)));
    iota->instruction->Set(Attr::kIotaDimension, dimension);
    return iota;
  }
  return NewConstant(type, dims, demand);
}

Value* ModuleWriter::FindOperand(PrimitiveType type, const Dims& dims, const Requirement& demand) {
  constexpr size_t kCandidatesMax = 6;
  Value* candidates[kCandidatesMax];
  int weights[kCandidatesMax];
  size_t count = 0;
  for (auto it = scope_->terms.rbegin(); it != scope_->terms.rend() && count < kCandidatesMax;
       ++it) {
    Value& term = *it;
    if (term.type() != type || term.dims() != dims || term.facts.opaque || term.hidden) continue;
    // An operation on two equal operands rarely shows an error.
    if (&term == last_obtained_ && !choose.OneIn(6)) continue;
    int weight = &term == anchor_ ? 24 : term.uses == 0 ? 6 : 2;
    if (plan.checked() && Satisfies(term.facts, demand)) weight *= 2;
    candidates[count] = &term;
    weights[count++] = weight;
  }
  if (count == 0) return nullptr;
  return candidates[choose.Weighted(absl::MakeSpan(weights, count))];
}

Value* ModuleWriter::Convert(Value* operand, PrimitiveType to) {
  PrimitiveType from = operand->type();
  bool floating = IsFloat(to) || IsComplex(to);
  Requirement demand;
  if (plan.checked() && to != PrimitiveType::kPred) {
    ValueFacts whole = WholeRange(to);
    double bound = floating ? Limit(to) : INFINITY;
    // A conversion to integers may wrap, but floats must stay in range.
    bool from_floating = IsFloat(from);
    if (floating || from_floating) {
      demand.low = std::max(whole.low, -bound);
      demand.high = std::min(whole.high, bound);
    }
  }
  Value* checked = Checked(operand, demand);
  ValueFacts facts = to == PrimitiveType::kPred ? RangeFacts(0, 1, true) : checked->facts;
  if (!floating) facts.integral = true;
  if (!floating && IsFloat(from)) {
    facts.low = std::floor(facts.low);
    facts.high = std::ceil(facts.high);
  }
  // The imaginary part of a converted real number is 0.
  if (IsComplex(to) && !IsComplex(from)) facts = Join(facts, RangeFacts(0, 0, true));
  facts.bits_known = false;
  facts.unique = false;
  return Emit(Opcode::kConvert, Shape(to, operand->dims()), {checked}, Satisfy(to, facts));
}

// Converts, reshapes or broadcasts an existing value. Returns nullptr if none can be adapted.
Value* ModuleWriter::Adapt(PrimitiveType type, const Dims& dims) {
  int64_t elements = ElementsOf(dims);
  bool complex = IsComplex(type);
  Value* found = Find([&](const Value& term) {
    if (!term.shape().IsArray() || term.facts.opaque || term.hidden) return false;
    if (term.dims() == dims && term.type() != type) return complex || !IsComplex(term.type());
    if (scope_->scalars_only || term.type() != type) return false;
    return term.dims() != dims && (term.dims().empty() || ElementsOf(term.dims()) == elements);
  });
  if (!found) return nullptr;
  if (found->type() != type) return Convert(found, type);
  bool same_count =
      ElementsOf(found->dims()) == elements && !(found->dims().empty() && choose.Below(2));
  Opcode opcode = same_count ? Opcode::kReshape : Opcode::kBroadcast;
  ValueFacts facts = found->facts;
  facts.unique = false;
  Value* adapted = Emit(opcode, Shape(type, dims), {found}, facts);
  if (!same_count) adapted->instruction->Set(Attr::kDimensions, Dims());
  return adapted;
}

Value* ModuleWriter::FindOrMake(PrimitiveType type, const Dims& dims, const Requirement& demand) {
  Value* term = nullptr;
  if (!demand.unique && choose.Below(8) != 7) term = FindOperand(type, dims, demand);
  if (!term && !demand.unique && plan.adapts && choose.Below(2) == 0) term = Adapt(type, dims);
  if (!term) term = MakeNew(type, dims, demand);
  last_obtained_ = term;
  return Checked(term, demand);
}

Value* ModuleWriter::Checked(Value* term, const Requirement& demand) {
  PrimitiveType type = term->type();
  if (!plan.checked() || Unlimited(demand) || Satisfies(term->facts, demand)) return term;
  if (type == PrimitiveType::kPred) return term;
  if (demand.unique || IsComplex(type)) return MakeNew(type, term->dims(), demand);
  ValueFacts allowed = Allowed(type, demand);
  ValueFacts facts = term->facts;
  if (IsFloat(type) && plan.exact()) {
    allowed.low = std::ceil(allowed.low);
    allowed.high = std::floor(allowed.high);
  }
  Value* low = ScalarConstant(type, allowed.low);
  Value* high = ScalarConstant(type, allowed.high);
  // The bounds are mostly broadcast to the shape of the operand, as front ends do.
  if (!term->dims().empty() && choose.Below(8) != 7) {
    low = Spread(*this, low, term->dims());
    high = Spread(*this, high, term->dims());
  }
  facts.low = std::clamp(facts.low, allowed.low, allowed.high);
  facts.high = std::clamp(facts.high, allowed.low, allowed.high);
  facts.integral = facts.integral && low->facts.integral && high->facts.integral;
  facts.bits_known = false;
  facts.unique = false;
  return Emit(Opcode::kClamp, Shape(type, term->dims()), {low, term, high}, facts);
}

Value* ModuleWriter::MakeNonConstant(PrimitiveType type, const Dims& dims,
                                     const Requirement& demand) {
  ValueFacts facts = plan.checked() ? DataFacts(type, demand) : RangeFacts(demand.low, demand.high);
  facts.bits_known = true;
  const bool may_add = static_cast<int64_t>(entry_parameters_.size()) < plan.parameters_max;
  if (scope_->is_entry && may_add && !choose.OneIn(4))
    return AddParameter(Shape(type, dims), facts);
  return Constant(LiteralWithFacts(Shape(type, dims), facts, false, data_), facts);
}

Value* ModuleWriter::FindWithoutSpecials(PrimitiveType type, const Dims& dims,
                                         const Requirement& demand, bool ordinary) {
  return plan.checked() || !ordinary ? FindOrMake(type, dims, demand)
                                     : MakeNonConstant(type, dims, demand);
}

Value* ModuleWriter::Index(PrimitiveType type, int64_t bound) {
  Requirement demand;
  // The operations clamp indices, so one index operand in four is not limited to [0, bound].
  if (!choose.OneIn(4)) demand = {0, static_cast<double>(bound), false};
  uint64_t kind = choose.Below(8);
  if (kind < 2) {
    double last = std::min(static_cast<double>(bound), WholeRange(type).high);
    return ScalarConstant(type, static_cast<double>(choose.Below(static_cast<uint64_t>(last) + 1)));
  }
  if (kind == 7) return ScalarConstant(type, EdgeOfIndices(choose, type, bound));
  return FindOrMake(type, {}, demand);
}

}  // namespace hlocts::generators
