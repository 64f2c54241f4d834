// SPDX-License-Identifier: Apache-2.0
// Runs element-wise operations over columns, with one loop per operation. If a kernel rejects an
// element, set arithmetic computes it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/judge/elementwise/column_kernels.h"
#include "reference/judge/elementwise/element_op.h"
#include "reference/judge/interpreter/set_value.h"
#include "spec/judge/interval_columns.h"
#include "spec/ops/groups.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {
namespace {

// Reads an array of real floats as columns, one block at a time: from the array's own columns, or
// converted from a literal.

inline constexpr int64_t kColumnBlock = 256;

// A block's ends (NaN if not ordinary) and the causes of their width (nullptr if all are exact).
struct ColumnBlock {
  const double* lo = nullptr;
  const double* hi = nullptr;
  const uint32_t* cause = nullptr;
};

class ColumnReader {
 public:
  // If `contract`, reads values unrounded, as an addition may. `array` must outlive the reader.
  ColumnReader(const SetArray& array, bool contract);
  // Returns true if the array can be read as columns.
  bool usable() const { return usable_; }
  ColumnBlock Read(int64_t first, int64_t count);

 private:
  void Convert(int64_t first, int64_t count);

  const SetArray& array_;
  const FloatFacts& facts_;
  std::shared_ptr<const IntervalColumns> columns_;
  bool usable_ = false, hull_ = false;
  double scratch_[kColumnBlock];
};

// Copies ordinary numbers (interval_columns.h); writes NaN for others. If `zero`, 0 is ordinary.
template <class From>
void PutOrdinary(const From* from, int64_t count, const FloatFacts& facts, bool zero, double* to) {
  const double least = facts.min_normal, most = facts.max;
  constexpr double kOther = std::numeric_limits<double>::quiet_NaN();
  for (int64_t i = 0; i < count; ++i) {
    const double x = from[i], magnitude = std::fabs(x);
    // Uses & because && would branch.
    const bool inside = (magnitude >= least) & (magnitude <= most);
    to[i] = inside | ((magnitude == 0) & zero) ? x : kOther;
  }
}

ColumnReader::ColumnReader(const SetArray& array, bool contract)
    : array_(array), facts_(FactsOf(array.element_type())) {
  if (array.exact()) {
    usable_ = IsFloat(array.element_type()) && BitWidth(array.element_type()) >= 16;
    return;
  }
  columns_ = ColumnsOf(array);
  usable_ = columns_ != nullptr;
  hull_ = usable_ && contract && columns_->has_pre_rounding() && columns_->contractible();
}

ColumnBlock ColumnReader::Read(int64_t first, int64_t count) {
  if (columns_ == nullptr) {
    Convert(first, count);
    return {scratch_, scratch_, nullptr};
  }
  const double* lo = hull_ ? columns_->rlo() : columns_->lo();
  const double* hi = hull_ ? columns_->rhi() : columns_->hi();
  return {lo + first, hi + first, columns_->causes() + first};
}

void ColumnReader::Convert(int64_t first, int64_t count) {
  const Literal& literal = array_.literal();
  // A zero with an unknown sign is not a single value.
  const bool zero = !array_.zero_sign_free;
  if (literal.element_type() == PrimitiveType::kF32) {
    return PutOrdinary(literal.data<float>().data() + first, count, facts_, zero, scratch_);
  }
  if (literal.element_type() == PrimitiveType::kF64) {
    return PutOrdinary(literal.data<double>().data() + first, count, facts_, zero, scratch_);
  }
  for (int64_t i = 0; i < count; ++i) {
    uint16_t bits;
    std::memcpy(&bits, literal.raw_data() + (first + i) * 2, 2);
    scratch_[i] = DecodeNarrow(literal.element_type(), bits);
  }
  PutOrdinary(scratch_, count, facts_, zero, scratch_);
}

// Returns true if the unrounded ends of this result have to be kept.
bool KeepsPreRounding(const ElementOp& op, bool contractible) {
  if (op.hull == kHullAny || (op.hull & kHullWiden)) return true;
  return op.hull == kHullContract && contractible;
}

bool IsCorrectlyRounded(const ElementOp& op) {
  return op.context.rule.rule_class == RuleClass::kCorrectlyRounded &&
         !op.context.rule.Allows(kSkipRounding);
}
bool IsPlainUlp(const ElementOp& op) {
  const Rule& rule = op.context.rule;
  return rule.rule_class == RuleClass::kUlp && !rule.Allows(kSkipRounding) && rule.HasOnlyUlps();
}

class ColumnLoop {
 public:
  ColumnLoop(const ElementOp& op, int64_t count, absl::Span<const SetArray* const> operands)
      : op_(op), count_(count), operands_(operands) {
    contractible_ = ops::IsScaling(op.opcode);
    bool hull = KeepsPreRounding(op, contractible_);
    if (op.opcode == Opcode::kNegate) {  // negate keeps its operand's pre-rounding interval
      std::shared_ptr<const IntervalColumns> from = ColumnsOf(*operands[0]);
      contractible_ = from != nullptr && from->contractible();
      hull = from != nullptr && from->has_pre_rounding() && KeepsPreRounding(op, contractible_);
    }
    columns_ = std::make_shared<IntervalColumns>(count, hull, contractible_);
    lo_ = columns_->lo(), hi_ = columns_->hi();
    rlo_ = columns_->rlo(), rhi_ = columns_->rhi();
    causes_ = columns_->causes();
    const bool ulps = op.context.rule.rule_class == RuleClass::kUlp;
    point_ = IntervalColumns::PackCause(WideningCause::kPoint, op.context.origin);
    own_ = IntervalColumns::PackCause(ulps ? WideningCause::kUlps : WideningCause::kContract,
                                      op.context.origin);
  }

  // Calls kernel(first operand's ends, last operand's ends, result) for each element. If kernel
  // returns false, set arithmetic computes the element. A single operand is passed twice.
  template <class Kernel>
  bool ForEachElement(const Kernel& kernel) {
    const bool contract = ops::IsSum(op_.opcode) && op_.context.rule.Allows(kContract);
    ColumnReader a(*operands_.front(), contract), b(*operands_.back(), contract);
    if (!a.usable() || !b.usable()) return false;
    for (int64_t first = 0; first < count_; first += kColumnBlock) {
      const int64_t size = std::min(kColumnBlock, count_ - first);
      const ColumnBlock x = a.Read(first, size), y = b.Read(first, size);
      for (int64_t i = 0; i < size; ++i) {
        Ends e;
        const bool ordinary = x.lo[i] == x.lo[i] && y.lo[i] == y.lo[i];
        if (ordinary && kernel(x.lo[i], x.hi[i], y.lo[i], y.hi[i], e)) {
          Put(first + i, e, CauseOf(x, y, i, e.lo == e.hi));
        } else if (!ComputeBySetArithmetic(first + i)) {
          return false;
        }
      }
    }
    return true;
  }

  bool Negate() {
    std::shared_ptr<const IntervalColumns> from = ColumnsOf(*operands_[0]);
    if (from == nullptr) return false;
    for (int64_t i = 0; i < count_; ++i) {
      if (from->ordinary(i)) {
        Ends e = {-from->hi()[i], -from->lo()[i], -from->hi()[i], -from->lo()[i]};
        if (columns_->has_pre_rounding()) e.rlo = -from->rhi()[i], e.rhi = -from->rlo()[i];
        Put(i, e, from->causes()[i]);
      } else if (!ComputeBySetArithmetic(i)) {
        return false;
      }
    }
    return true;
  }

  SetArray Finish(const Shape& shape) {
    if (wide_ || columns_->rest().size() == static_cast<size_t>(count_)) {
      return SetArray(shape, std::move(columns_));
    }
    return Compress(SetArray(shape, columns_->ToSets()));
  }

 private:
  [[gnu::always_inline]] void Put(int64_t i, const Ends& e, uint32_t cause) {
    lo_[i] = e.lo;
    hi_[i] = e.hi;
    causes_[i] = cause;
    wide_ |= e.lo != e.hi;
    if (rlo_ == nullptr) return;
    rlo_[i] = e.rlo;
    rhi_[i] = e.rhi;
    wide_ |= e.rlo != e.lo || e.rhi != e.hi;
  }
  // Computes one element by set arithmetic. Returns false if too many elements need it.
  bool ComputeBySetArithmetic(int64_t i) {
    AcceptanceSet s = RealElement(op_, operands_, i);
    DropUnreadPreRounding(s, op_.hull);
    columns_->Append(i, s);
    wide_ = wide_ || !s.IsPoint() || s.Has(AcceptanceSet::kPreRounding);
    return static_cast<int64_t>(columns_->rest().size()) <= 16 + count_ / 8;
  }
  [[gnu::always_inline]] uint32_t CauseOf(const ColumnBlock& x, const ColumnBlock& y, int64_t i,
                                          bool point) const {
    if (point) return point_;
    const uint32_t a = x.cause != nullptr ? x.cause[i] : 0, b = y.cause != nullptr ? y.cause[i] : 0;
    // Chooses the cause of the wider inexact operand, or own_ if both are exact, like WithCause.
    const bool from_a = a >> 24 != 0, from_b = b >> 24 != 0;
    if (from_a && from_b) return x.hi[i] - x.lo[i] >= y.hi[i] - y.lo[i] ? a : b;
    return from_a ? a : from_b ? b : own_;
  }

  const ElementOp& op_;
  int64_t count_;
  absl::Span<const SetArray* const> operands_;
  bool contractible_ = false, wide_ = false;
  std::shared_ptr<IntervalColumns> columns_;
  double *lo_ = nullptr, *hi_ = nullptr, *rlo_ = nullptr, *rhi_ = nullptr;  // in columns_
  uint32_t* causes_ = nullptr;
  uint32_t point_ = 0, own_ = 0;  // causes of a single value and of a set widened here
};

// The operations that run over columns, in addition to functions of one operand.
#define HLOCTS_COLUMN_OPERATIONS(X) \
  X(Add) X(Subtract) X(Multiply) X(Divide) X(Sqrt) X(Maximum) X(Minimum) X(Negate)
HLOCTS_KIND(ColumnOperation, HLOCTS_COLUMN_OPERATIONS)

bool Run(const ElementOp& op, ColumnLoop& loop) {
  const SetContext& context = op.context;
  const FloatFacts& facts = *context.result;
  const RealFunction* function = RealFunctionOf(op.opcode);
  const std::optional<ColumnOperation> operation = ColumnOperationOf(op.opcode);
  if (!operation.has_value()) {
    return function != nullptr && !context.rigorous && IsPlainUlp(op) &&
           loop.ForEachElement([&](double lo, double hi, double, double, Ends& e) {
             return FunctionEnds(*function, lo, hi, context, e);
           });
  }
  switch (*operation) {
    case ColumnOperation::kAdd:
      return IsCorrectlyRounded(op) &&
             loop.ForEachElement([&](double alo, double ahi, double blo, double bhi, Ends& e) {
               return AddEnds(alo, ahi, blo, bhi, facts, e);
             });
    case ColumnOperation::kSubtract:
      return IsCorrectlyRounded(op) &&
             loop.ForEachElement([&](double alo, double ahi, double blo, double bhi, Ends& e) {
               return AddEnds(alo, ahi, -bhi, -blo, facts, e);
             });
    case ColumnOperation::kMultiply:
      return IsCorrectlyRounded(op) &&
             loop.ForEachElement([&](double alo, double ahi, double blo, double bhi, Ends& e) {
               return MultiplyEnds(alo, ahi, blo, bhi, facts, e);
             });
    case ColumnOperation::kDivide:
      return IsPlainUlp(op) &&
             loop.ForEachElement([&](double alo, double ahi, double blo, double bhi, Ends& e) {
               return DivideEnds(alo, ahi, blo, bhi, context, e);
             });
    case ColumnOperation::kSqrt:
      return IsPlainUlp(op) &&
             loop.ForEachElement([&](double lo, double hi, double, double, Ends& e) {
               return SquareRootEnds(lo, hi, context, e);
             });
    case ColumnOperation::kMaximum:
      return !context.rule.Allows(kDropNan) && loop.ForEachElement(MaximumEnds);
    case ColumnOperation::kMinimum:
      return !context.rule.Allows(kDropNan) && loop.ForEachElement(MinimumEnds);
    case ColumnOperation::kNegate:
      return loop.Negate();
  }
  HLOCTS_UNREACHABLE();
}

}  // namespace

std::optional<SetArray> ElementwiseColumns(const ElementOp& op, const Shape& shape,
                                           absl::Span<const SetArray* const> operands) {
  int64_t count = shape.ElementCount();
  bool floats = IsFloat(op.operand_type) && op.operand_type == op.result_type &&
                BitWidth(op.operand_type) >= 16 && operands.size() <= 2;
  // The loops assume that operands are independent. That is correct for a product of equal
  // operands, but too wide for a difference or a quotient of them (lemma 30).
  floats = floats &&
           !(op.equal_operands && (op.opcode == Opcode::kSubtract || op.opcode == Opcode::kDivide));
  if (!floats || count < 4 || op.context.rule.Allows(kSkipRounding)) return std::nullopt;
  for (const SetArray* operand : operands) {
    if (operand->element_count() != count || !operand->runtime_sizes.empty()) return std::nullopt;
  }
  ColumnLoop loop(op, count, operands);
  if (!Run(op, loop)) return std::nullopt;
  return loop.Finish(shape);
}

}  // namespace hlocts::reference
