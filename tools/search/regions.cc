// SPDX-License-Identifier: Apache-2.0
#include "tools/search/regions.h"

#include <algorithm>
#include <cmath>

#include "generators/input_recipes.h"
#include "reference/eval_hook.h"
#include "spec/ir/float_format.h"
#include "spec/ir/module.h"
#include "spec/ops/op_facts.h"

namespace hlocts::tools {
namespace {

constexpr int64_t kElementsLookedAt = 1024;

// The class of a number. Ordinary numbers have the classes from kOther on, by sign and by quarter
// of the type's range.
enum Class : uint64_t { kNan, kInfinity, kZero, kSubnormal, kMost, kOne, kOther = 8 };
constexpr uint64_t kNegative = 16;

uint64_t ClassOfFloat(PrimitiveType type, uint64_t bits) {
  const FloatFormat& format = FormatOf(type);
  const uint64_t sign = (bits & format.sign_mask()) != 0 ? kNegative : 0;
  if (IsNanBits(format, bits)) return kNan;
  if (IsInfinityBits(format, bits)) return kInfinity | sign;
  const double magnitude = std::fabs(DecodeFloat(format, bits));
  if (magnitude == 0) return kZero | sign;
  if (magnitude < format.min_normal()) return kSubnormal | sign;
  if (magnitude == format.max_finite()) return kMost | sign;
  if (magnitude == 1) return kOne | sign;
  const double exponent = std::log2(magnitude), range = std::log2(format.max_finite());
  const uint64_t quarter = exponent < -range / 2  ? 0
                           : exponent < 0         ? 1
                           : exponent < range / 2 ? 2
                                                  : 3;
  return kOther | quarter | sign;
}

uint64_t ClassOf(PrimitiveType type, uint64_t bits) {
  if (IsFloat(type)) return ClassOfFloat(type, bits);
  const int width = BitWidth(type);
  const __int128 value = generators::PlaceOf(type, bits);
  if (value == 0) return kZero;
  if (value == 1) return kOne;
  if (value == -1) return kOne | kNegative;
  const int digits = width - (IsSigned(type) ? 1 : 0);
  const __int128 most = (static_cast<__int128>(1) << digits) - 1;
  if (value == most) return kMost;
  if (value == -most - 1) return kMost | kNegative;
  const double size = std::log2(std::fabs(static_cast<double>(value))) / digits;
  return kOther | static_cast<uint64_t>(std::min(3.0, size * 4)) | (value < 0 ? kNegative : 0);
}

// Returns the bits of element `i` of an array; a scalar has the same element for every `i`.
uint64_t BitsOf(const Literal& literal, int64_t i) {
  return generators::ElementBits(literal, generators::ComponentCount(literal) == 1 ? 0 : i);
}

enum Kind : uint64_t {
  kResult = 1 << 24,
  kOperands = 2 << 24,
  kOrder = 3 << 24,
  kLost = 4 << 24,
  kStart = 5 << 24
};

// Adds the regions that one execution of an instruction reaches.
class Adder {
 public:
  Adder(uint64_t number, Regions& regions) : number_(number << 32), regions_(regions) {}

  void AddElements(absl::Span<const Literal> operands, const Literal& result) {
    const PrimitiveType type = ComponentType(result.element_type());
    const int64_t count = generators::ComponentCount(result);
    std::vector<const Literal*> beside;
    for (const Literal& operand : operands) {
      const int64_t size = operand.shape().IsArray() ? generators::ComponentCount(operand) : 0;
      if (beside.size() < 3 && (size == count || size == 1)) beside.push_back(&operand);
    }
    const int64_t step = std::max<int64_t>(1, count / kElementsLookedAt);
    for (int64_t i = 0; i < count; i += step) {
      const uint64_t bits = generators::ElementBits(result, i);
      const uint64_t of_result = ClassOf(type, bits);
      regions_.insert(number_ | kResult | of_result);
      uint64_t classes = 0;
      for (const Literal* operand : beside) {
        classes =
            classes << 5 | ClassOf(ComponentType(operand->element_type()), BitsOf(*operand, i));
      }
      if (!beside.empty()) regions_.insert(number_ | kOperands | classes);
      if (beside.size() == 2) AddPair(*beside[0], *beside[1], i, type, bits);
    }
  }

  // Adds the order of two operands, and by how much the result is smaller than the larger operand.
  void AddPair(const Literal& a, const Literal& b, int64_t i, PrimitiveType type, uint64_t result) {
    const PrimitiveType operand = ComponentType(a.element_type());
    if (operand != ComponentType(b.element_type())) return;
    const __int128 x = generators::PlaceOf(operand, BitsOf(a, i));
    const __int128 y = generators::PlaceOf(operand, BitsOf(b, i));
    regions_.insert(number_ | kOrder |
                    (x < y   ? 0
                     : x > y ? 1
                             : 2) |
                    (x == -y ? 4 : 0) | (x - y == 1 || y - x == 1 ? 8 : 0));
    if (operand != type || !IsFloat(type)) return;
    const FloatFormat& format = FormatOf(type);
    const double larger = std::max(std::fabs(DecodeFloat(format, BitsOf(a, i))),
                                   std::fabs(DecodeFloat(format, BitsOf(b, i))));
    const double lost = std::log2(larger) - std::log2(std::fabs(DecodeFloat(format, result)));
    if (std::isfinite(lost) && lost > 1)
      regions_.insert(number_ | kLost | static_cast<uint64_t>(std::min(lost / 4, 255.0)));
  }

  // Adds the positions of integers that are indices: below the range, at the first index, inside,
  // at the last index, above the range.
  void AddStarts(const Instruction& instruction, absl::Span<const Literal> operands) {
    for (size_t k = 1; k < operands.size(); ++k) {
      if (!IsIndexOperand(instruction, static_cast<int64_t>(k))) continue;
      const PrimitiveType type = operands[k].element_type();
      const int64_t count = std::min(generators::ComponentCount(operands[k]), kElementsLookedAt);
      for (int64_t i = 0; i < count; ++i) {
        const __int128 start = generators::PlaceOf(type, generators::ElementBits(operands[k], i));
        for (int64_t d = 0; d < operands[0].shape().rank() && d < 8; ++d) {
          const int64_t size = operands[0].shape().dimension(d);
          const uint64_t where = start < 0           ? 0
                                 : start == 0        ? 1
                                 : start < size - 1  ? 2
                                 : start == size - 1 ? 3
                                 : start == size     ? 4
                                                     : 5;
          regions_.insert(number_ | kStart | k << 8 | static_cast<uint64_t>(d) << 4 | where);
        }
      }
    }
  }

 private:
  uint64_t number_;
  Regions& regions_;
};

}  // namespace

RegionRecorder::RegionRecorder(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions())
      numbers_.emplace(instruction.get(), numbers_.size());
  }
}

absl::Status RegionRecorder::AfterInstruction(reference::EvalContext&,
                                              const Instruction& instruction,
                                              absl::Span<const Literal> operands, Literal& result) {
  std::lock_guard<std::mutex> lock(mutex_);
  Adder adder(numbers_.at(&instruction), regions_);
  if (result.shape().IsArray()) adder.AddElements(operands, result);
  adder.AddStarts(instruction, operands);
  return absl::OkStatus();
}

}  // namespace hlocts::tools
