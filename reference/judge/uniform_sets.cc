// A function where it gives every element the same set: outside its domain, where it overflows or
// underflows, where it is saturated. Half of all bit patterns are such for many functions, and a
// sweep meets them in long runs.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference/judge/element_op.h"
#include "reference/judge/set_value.h"

namespace hlocts {
namespace {

// Shorter arrays are not worth the look.
constexpr int64_t kRunMin = 4096;
constexpr uint32_t kMagnitude = 0x7fffffffu, kInfinityBits = 0x7f800000u, kLeastNormal = 0x00800000u;

// The least and the largest magnitude of a run of one sign.
struct Run {
  uint32_t least = kMagnitude, most = 0, sign = 0;
  bool all_nan = false;
};

// nullopt: both signs, or zeros, subnormals, infinities, or NaN beside numbers.
std::optional<Run> RunOf(const Literal& literal) {
  const uint32_t* bits = reinterpret_cast<const uint32_t*>(literal.raw_data());
  const int64_t count = literal.element_count();
  Run run;
  uint32_t both = ~0u, some = 0;
  for (int64_t i = 0; i < count; ++i) {
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
  return !a.finite() || (a.lo == b.lo && a.hi == b.hi);
}

// The set of both ends, if it is the set of the whole interval: on one side of zero the function is
// monotone, and what lies between lies between the sets of the ends.
std::optional<AcceptanceSet> SetOfRun(const ElementOp& op, const Run& run) {
  auto set_of = [&](const AcceptanceSet& operand) {
    AcceptanceSet s = UnaryFloat(op.opcode, operand, op.context);
    DropUnusedHull(s, op.hull);
    return s;
  };
  if (run.all_nan) return set_of(AcceptanceSet::Float(std::nan("")));
  Monotone monotone = RealFunctionOf(op.opcode)->monotone;
  if (monotone != Monotone::kIncreasing && monotone != Monotone::kDecreasing &&
      monotone != Monotone::kEven) {
    return std::nullopt;  // both ends of many periods say nothing about what lies between
  }
  double a = ValueOf(run.sign | run.least), b = ValueOf(run.sign | run.most);
  AcceptanceSet at_a = set_of(AcceptanceSet::Float(a));
  if (!SameValues(at_a, set_of(AcceptanceSet::Float(b)))) return std::nullopt;
  AcceptanceSet whole = set_of(AcceptanceSet::Interval(std::min(a, b), std::max(a, b)));
  if (!SameValues(at_a, whole)) return std::nullopt;
  return at_a;
}

SetArray Repeated(const AcceptanceSet& set, const Shape& shape) {
  SetArray one = Compress(SetArray(Shape(shape.element_type(), {1}), {set}));
  if (!one.exact()) {
    return SetArray(shape, std::vector<AcceptanceSet>(shape.ElementCount(), set));
  }
  Literal all(shape);
  uint32_t bits = one.literal().data<uint32_t>()[0];
  for (uint32_t& element : all.mutable_data<uint32_t>()) element = bits;
  SetArray result(std::move(all));
  result.nan_bits_free = one.nan_bits_free;
  result.zero_sign_free = one.zero_sign_free;
  return result;
}

}  // namespace

std::optional<SetArray> ElementwiseUniform(const ElementOp& op, const Shape& shape,
                                           absl::Span<const SetArray* const> operands) {
  if (operands.size() != 1 || op.operand_type != PrimitiveType::kF32 ||
      op.result_type != PrimitiveType::kF32 || op.context.rigorous ||
      RealFunctionOf(op.opcode) == nullptr || shape.ElementCount() < kRunMin) {
    return std::nullopt;
  }
  const SetArray& operand = *operands[0];
  if (!operand.exact() || !operand.runtime_sizes.empty()) return std::nullopt;
  std::optional<Run> run = RunOf(operand.literal());
  if (!run.has_value()) return std::nullopt;
  std::optional<AcceptanceSet> set = SetOfRun(op, *run);
  if (!set.has_value()) return std::nullopt;
  return Repeated(*set, shape);
}

}  // namespace hlocts
