// SPDX-License-Identifier: Apache-2.0
// Where an operation gives many neighbours the same set: a function outside its domain or where it
// overflows, a conversion to a narrow type. Half of all bit patterns are such for many functions,
// and a sweep meets them in long runs.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference/judge/elementwise/element_op.h"
#include "reference/judge/interpreter/set_value.h"
#include "spec/judge/interval_columns.h"

namespace hlocts::reference {
namespace {

// Shorter runs are not worth the look.
constexpr int64_t kRunMin = 4096;
constexpr uint32_t kMagnitude = 0x7fffffffu, kInfinityBits = 0x7f800000u,
                   kLeastNormal = 0x00800000u;

// The least and the largest magnitude of a run of one sign.
struct UniformRun {
  uint32_t least = kMagnitude, most = 0, sign = 0;
  bool all_nan = false;
};

// nullopt: both signs, or zeros, subnormals, infinities, or NaN beside numbers.
std::optional<UniformRun> RunOf(const Literal& literal, int64_t first, int64_t end) {
  const uint32_t* bits = reinterpret_cast<const uint32_t*>(literal.raw_data());
  UniformRun run;
  uint32_t both = ~0u, some = 0;
  for (int64_t i = first; i < end; ++i) {
    uint32_t magnitude = bits[i] & kMagnitude;
    run.least = magnitude < run.least ? magnitude : run.least;
    run.most = magnitude > run.most ? magnitude : run.most;
    both &= bits[i];
    some |= bits[i];
  }
  run.all_nan = run.least > kInfinityBits;
  if (run.all_nan) return run;
  bool one_sign = ((both ^ some) & ~kMagnitude) == 0;
  if (!one_sign || run.least < kLeastNormal || run.most >= kInfinityBits) return std::nullopt;
  run.sign = some & ~kMagnitude;
  return run;
}

double ValueOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

bool SameValues(const AcceptanceSet& a, const AcceptanceSet& b) {
  if (a.flags != b.flags || a.Has(AcceptanceSet::kHull)) return false;
  if (a.integer()) return a.ilo == b.ilo && a.ihi == b.ihi;
  return !a.finite() || (a.lo == b.lo && a.hi == b.hi);
}

// On one side of zero: both ends of many periods of a wave say nothing about what lies between.
bool IsMonotone(Opcode opcode) {
  const RealFunction* function = RealFunctionOf(opcode);
  if (function == nullptr) return opcode == Opcode::kConvert || opcode == Opcode::kReducePrecision;
  return function->monotone == Monotone::kIncreasing ||
         function->monotone == Monotone::kDecreasing || function->monotone == Monotone::kEven;
}

AcceptanceSet SetOf(const ElementOp& op, const AcceptanceSet& operand) {
  SetArray one(Shape(op.operand_type, {1}), std::vector<AcceptanceSet>{operand});
  const SetArray* operands[] = {&one};
  AcceptanceSet s = RealElement(op, operands, 0);
  DropUnusedHull(s, op.hull);
  return s;
}

// The set of both ends, if it is the set of the whole interval: what lies between lies between the
// sets of the ends.
std::optional<AcceptanceSet> SetOfRun(const ElementOp& op, const UniformRun& run) {
  if (run.all_nan) {
    if (RealFunctionOf(op.opcode) == nullptr) return std::nullopt;  // its bits may be kept
    return SetOf(op, AcceptanceSet::Float(std::nan("")));
  }
  if (!IsMonotone(op.opcode)) return std::nullopt;
  double a = ValueOf(run.sign | run.least), b = ValueOf(run.sign | run.most);
  AcceptanceSet at_a = SetOf(op, AcceptanceSet::Float(a));
  if (a == b || !SameValues(at_a, SetOf(op, AcceptanceSet::Float(b)))) return std::nullopt;
  AcceptanceSet whole = SetOf(op, AcceptanceSet::Interval(std::min(a, b), std::max(a, b)));
  if (!SameValues(at_a, whole)) return std::nullopt;
  return at_a;
}

// A point as often as there are elements, without a set for each.
SetArray Repeated(const SetArray& point, const Shape& shape) {
  Literal all(shape);
  const int bytes = StorageBytes(shape.element_type());
  uint8_t* out = all.mutable_raw_data();
  for (int64_t i = 0; i < shape.ElementCount(); ++i, out += bytes) {
    std::memcpy(out, point.literal().raw_data(), bytes);
  }
  SetArray result(std::move(all));
  result.nan_bits_free = point.nan_bits_free;
  result.zero_sign_free = point.zero_sign_free;
  return result;
}

bool IsEligible(const ElementOp& op, const Shape& shape,
                absl::Span<const SetArray* const> operands) {
  return operands.size() == 1 && op.operand_type == PrimitiveType::kF32 &&
         !IsComplex(op.result_type) && !op.context.rigorous && shape.ElementCount() >= kRunMin &&
         operands[0]->exact() && operands[0]->runtime_sizes.empty() &&
         (RealFunctionOf(op.opcode) != nullptr || IsMonotone(op.opcode));
}

}  // namespace

std::optional<SetArray> UniformPoints(const ElementOp& op, const Shape& shape,
                                      absl::Span<const SetArray* const> operands) {
  if (!IsEligible(op, shape, operands)) return std::nullopt;
  const Literal& literal = operands[0]->literal();
  std::optional<UniformRun> run = RunOf(literal, 0, literal.element_count());
  if (!run.has_value()) return std::nullopt;
  std::optional<AcceptanceSet> set = SetOfRun(op, *run);
  if (!set.has_value()) return std::nullopt;
  SetArray point = Compress(SetArray(Shape(op.result_type, {1}), std::vector<AcceptanceSet>{*set}));
  if (!point.exact()) return std::nullopt;
  return Repeated(point, shape);
}

std::optional<SetArray> UniformBlocks(const ElementOp& op, const Shape& shape,
                                      absl::Span<const SetArray* const> operands) {
  if (!IsEligible(op, shape, operands)) return std::nullopt;
  const Literal& literal = operands[0]->literal();
  const int64_t count = literal.element_count();
  std::vector<std::optional<AcceptanceSet>> blocks;
  int64_t uniform = 0;
  for (int64_t first = 0; first < count; first += kRunMin) {
    std::optional<UniformRun> run = RunOf(literal, first, std::min(first + kRunMin, count));
    blocks.push_back(run.has_value() ? SetOfRun(op, *run) : std::nullopt);
    uniform += blocks.back().has_value();
  }
  if (uniform * 2 < static_cast<int64_t>(blocks.size())) return std::nullopt;
  std::vector<AcceptanceSet> sets;
  sets.reserve(count);
  for (int64_t i = 0; i < count; ++i) {
    if (const auto& block = blocks[i / kRunMin]) {
      sets.push_back(*block);
    } else {
      sets.push_back(RealElement(op, operands, i));
      DropUnusedHull(sets.back(), op.hull);
    }
  }
  SetArray result = Compress(SetArray(shape, std::move(sets)));
  if (result.exact() || !IsFloat(op.result_type)) return result;
  auto columns = ColumnsOf(result);
  return columns == nullptr ? result : SetArray(shape, std::move(columns));
}

}  // namespace hlocts::reference
