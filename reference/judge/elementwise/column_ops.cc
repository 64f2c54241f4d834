// SPDX-License-Identifier: Apache-2.0
// Element-wise operations over columns: a loop per operation; what a kernel turns down goes through
// the set arithmetic, element by element.
#include <algorithm>
#include <cmath>

#include "reference/judge/elementwise/block_kernels.h"
#include "reference/judge/elementwise/column_kernels.h"
#include "reference/judge/elementwise/column_reader.h"
#include "reference/judge/elementwise/element_op.h"
#include "reference/judge/interpreter/set_value.h"
#include "spec/judge/interval_columns.h"
#include "spec/ops/groups.h"
#include "spec/ops/kinds.h"

namespace hlocts::reference {
namespace {

// Whether the unrounded ends of this result have to be kept.
bool KeepsHull(const ElementOp& op, bool contractible) {
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
    bool hull = KeepsHull(op, contractible_);
    if (op.opcode == Opcode::kNegate) {  // passes its operand's hull on
      std::shared_ptr<const IntervalColumns> from = ColumnsOf(*operands[0]);
      contractible_ = from != nullptr && from->contractible();
      hull = from != nullptr && from->has_hull() && KeepsHull(op, contractible_);
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

  // kernel(alo, ahi, blo, bhi, ends); block: the same of a whole block, if it has nothing special.
  template <class Kernel, class Block = NoBlocks>
  bool Binary(const Kernel& kernel, const Block& block = {}) {
    bool contract = ops::IsSum(op_.opcode) && op_.context.rule.Allows(kContract);
    ColumnReader a(*operands_[0], contract), b(*operands_[1], contract);
    if (!a.usable() || !b.usable()) return false;
    for (int64_t first = 0; first < count_; first += kColumnBlock) {
      int64_t size = std::min(kColumnBlock, count_ - first);
      ColumnBlock x = a.Read(first, size), y = b.Read(first, size);
      if (block(x, y, size, BlockAt(first))) {
        FinishBlock(x, y, first, size);
        continue;
      }
      for (int64_t i = 0; i < size; ++i) {
        Ends e;
        bool ordinary = x.lo[i] == x.lo[i] && y.lo[i] == y.lo[i];
        if (ordinary && kernel(x.lo[i], x.hi[i], y.lo[i], y.hi[i], e)) {
          Put(first + i, e, CauseOf(x, y, i, e.lo == e.hi));
        } else if (!PutSlowly(first + i)) {
          return false;
        }
      }
    }
    return true;
  }

  // kernel(lo, hi, ends).
  template <class Kernel>
  bool Unary(const Kernel& kernel) {
    ColumnReader a(*operands_[0], false);
    if (!a.usable()) return false;
    const ColumnBlock none;
    for (int64_t first = 0; first < count_; first += kColumnBlock) {
      int64_t size = std::min(kColumnBlock, count_ - first);
      ColumnBlock x = a.Read(first, size);
      for (int64_t i = 0; i < size; ++i) {
        Ends e;
        if (x.lo[i] == x.lo[i] && kernel(x.lo[i], x.hi[i], e)) {
          Put(first + i, e, CauseOf(x, none, i, e.lo == e.hi));
        } else if (!PutSlowly(first + i)) {
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
        if (columns_->has_hull()) e.rlo = -from->rhi()[i], e.rhi = -from->rlo()[i];
        Put(i, e, from->causes()[i]);
      } else if (!PutSlowly(i)) {
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
  BlockEnds BlockAt(int64_t first) const {
    if (rlo_ == nullptr) return {lo_ + first, hi_ + first, nullptr, nullptr};
    return {lo_ + first, hi_ + first, rlo_ + first, rhi_ + first};
  }
  // The causes of a block, and whether something of it is open.
  void FinishBlock(const ColumnBlock& x, const ColumnBlock& y, int64_t first, int64_t size) {
    const BlockEnds ends = BlockAt(first);
    PutBlockCauses(x, y, size, ends, {point_, own_, causes_ + first});
    const bool hull = ends.rlo != nullptr;
    wide_ = wide_ || SomeOpen(hull ? ends.rlo : ends.lo, hull ? ends.rhi : ends.hi, size);
  }
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
  // False when that has become the rule.
  bool PutSlowly(int64_t i) {
    AcceptanceSet s = RealElement(op_, operands_, i);
    DropUnusedHull(s, op_.hull);
    columns_->Append(i, s);
    wide_ = wide_ || !s.IsPoint() || s.Has(AcceptanceSet::kHull);
    return static_cast<int64_t>(columns_->rest().size()) <= 16 + count_ / 8;
  }
  [[gnu::always_inline]] uint32_t CauseOf(const ColumnBlock& x, const ColumnBlock& y, int64_t i,
                                          bool point) const {
    if (point) return point_;
    const uint32_t a = x.cause != nullptr ? x.cause[i] : 0, b = y.cause != nullptr ? y.cause[i] : 0;
    const bool both = x.cause != nullptr && y.cause != nullptr;
    return WiderCause(a, b, both && x.hi[i] - x.lo[i] >= y.hi[i] - y.lo[i], own_);
  }

  const ElementOp& op_;
  int64_t count_;
  absl::Span<const SetArray* const> operands_;
  bool contractible_ = false, wide_ = false;
  std::shared_ptr<IntervalColumns> columns_;
  double *lo_ = nullptr, *hi_ = nullptr, *rlo_ = nullptr, *rhi_ = nullptr;  // of columns_
  uint32_t* causes_ = nullptr;
  uint32_t point_ = 0, own_ = 0;  // causes of a point, and of what this operation made wide
};

// What has columns; functions of one operand besides.
#define HLOCTS_COLUMN_OPERATIONS(X) \
  X(Add) X(Subtract) X(Multiply) X(Divide) X(Sqrt) X(Maximum) X(Minimum) X(Negate)
HLOCTS_KIND(ColumnOperation, HLOCTS_COLUMN_OPERATIONS)

// add, subtract and multiply, rounded by `round`.
template <class Round, class Block>
bool Rounded(const ElementOp& op, ColumnLoop& loop, const Round& round, const Block& block) {
  const FloatFacts& facts = *op.context.result;
  if (op.opcode == Opcode::kMultiply) {
    return loop.Binary([&](double alo, double ahi, double blo, double bhi,
                           Ends& e) { return MultiplyEnds(alo, ahi, blo, bhi, facts, round, e); },
                       block);
  }
  const std::optional<ops::Sum> sum = ops::SumOf(op.opcode);
  HLOCTS_CHECK(sum.has_value());
  if (*sum == ops::Sum::kAdd) {
    return loop.Binary([&](double alo, double ahi, double blo, double bhi,
                           Ends& e) { return AddEnds(alo, ahi, blo, bhi, facts, round, e); },
                       block);
  }
  return loop.Binary([&](double alo, double ahi, double blo, double bhi,
                         Ends& e) { return AddEnds(alo, ahi, -bhi, -blo, facts, round, e); },
                     block);
}

bool Arithmetic(const ElementOp& op, ColumnLoop& loop) {
  const FloatFacts& facts = *op.context.result;
  if (!IsCorrectlyRounded(op)) return false;
  if (facts.is_f64) return Rounded(op, loop, RoundToF64(), NoBlocks());
  if (facts.p != 24) return Rounded(op, loop, RoundTo16{facts}, NoBlocks());
  const ops::FieldOperation operation = *ops::FieldOperationOf(op.opcode);
  return Rounded(op, loop, RoundToF32(), F32Blocks{operation});
}

bool Function(const ElementOp& op, ColumnLoop& loop) {
  const RealFunction* function = RealFunctionOf(op.opcode);
  if (function == nullptr || op.context.rigorous || !IsPlainUlp(op)) {
    return false;
  }
  return loop.Unary([&](double lo, double hi, Ends& e) {
    return FunctionEnds(*function, lo, hi, op.context, e);
  });
}

bool Run(const ElementOp& op, ColumnLoop& loop) {
  const std::optional<ColumnOperation> operation = ColumnOperationOf(op.opcode);
  if (!operation.has_value()) return Function(op, loop);
  switch (*operation) {
    case ColumnOperation::kAdd:
    case ColumnOperation::kSubtract:
    case ColumnOperation::kMultiply:
      return Arithmetic(op, loop);
    case ColumnOperation::kDivide:
      return IsPlainUlp(op) &&
             loop.Binary([&](double alo, double ahi, double blo, double bhi, Ends& e) {
               return DivideEnds(alo, ahi, blo, bhi, op.context, e);
             });
    case ColumnOperation::kSqrt:
      return IsPlainUlp(op) && loop.Unary([&](double lo, double hi, Ends& e) {
        return SquareRootEnds(lo, hi, op.context, e);
      });
    case ColumnOperation::kMaximum:
      return !op.context.rule.Allows(kDropNan) &&
             loop.Binary([](double alo, double ahi, double blo, double bhi,
                            Ends& e) { return MaximumEnds(alo, ahi, blo, bhi, e); },
                         MaximumBlock);
    case ColumnOperation::kMinimum:
      return !op.context.rule.Allows(kDropNan) &&
             loop.Binary([](double alo, double ahi, double blo, double bhi,
                            Ends& e) { return MinimumEnds(alo, ahi, blo, bhi, e); },
                         MinimumBlock);
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
  // A product of ordinary numbers with themselves is their square; not so these two (RULES 30).
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
