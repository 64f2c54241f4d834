// SPDX-License-Identifier: Apache-2.0
// Implements compare (elementwise_comparison.*), which compares operands and returns pred.
#include "reference/kernels/codec.h"
#include "reference/kernels/loop.h"
#include "reference/ops/families.h"
#include "spec/ir/native.h"
#include "spec/ir/number_type.h"

namespace hlocts::reference {
namespace {

// IEEE comparisons of floats: all but Ne are false for a NaN, and -0 equals +0 (ruling 0060).
struct Eq {
  template <typename T>
  static uint8_t Apply(T x, T y) {
    return x == y;
  }
};
struct Ne {
  template <typename T>
  static uint8_t Apply(T x, T y) {
    return x != y;
  }
};
struct Lt {
  template <typename T>
  static uint8_t Apply(T x, T y) {
    return x < y;
  }
};
struct Le {
  template <typename T>
  static uint8_t Apply(T x, T y) {
    return x <= y;
  }
};
struct Gt {
  template <typename T>
  static uint8_t Apply(T x, T y) {
    return x > y;
  }
};
struct Ge {
  template <typename T>
  static uint8_t Apply(T x, T y) {
    return x >= y;
  }
};

template <typename T>
Kernel Equality(Direction direction) {
  switch (direction) {
    case Direction::kEq:
      return BinaryLoop<Eq, T, uint8_t>;
    case Direction::kNe:
      return BinaryLoop<Ne, T, uint8_t>;
    default:
      return nullptr;
  }
}

template <typename T, typename ForEquality = T>
Kernel OfType(Direction direction) {
  switch (direction) {
    case Direction::kLt:
      return BinaryLoop<Lt, T, uint8_t>;
    case Direction::kLe:
      return BinaryLoop<Le, T, uint8_t>;
    case Direction::kGt:
      return BinaryLoop<Gt, T, uint8_t>;
    case Direction::kGe:
      return BinaryLoop<Ge, T, uint8_t>;
    default:
      return Equality<ForEquality>(direction);
  }
}

// Compares the bits as sign and magnitude: -NaN < -inf < ... < -0 < +0 < ... < NaN (ruling 0059).
template <class F>
void TotalOrderLoop(const ElementwiseOp& op, const void* const* operands, void* result,
                    int64_t count) {
  int64_t x[kBlock], y[kBlock];
  int width = StorageBytes(op.operand_type);
  const uint8_t* lhs = static_cast<const uint8_t*>(operands[0]);
  const uint8_t* rhs = static_cast<const uint8_t*>(operands[1]);
  uint8_t* out = static_cast<uint8_t*>(result);
  for (int64_t at = 0; at < count; at += kBlock) {
    int64_t n = count - at < kBlock ? count - at : kBlock;
    TotalOrderKeys(op.operand_type, lhs + at * width, x, n);
    TotalOrderKeys(op.operand_type, rhs + at * width, y, n);
    for (int64_t i = 0; i < n; ++i) out[at + i] = F::Apply(x[i], y[i]);
  }
}

}  // namespace

Kernel CompareKernel(Direction direction, PrimitiveType type) {
  if (type == PrimitiveType::kC64) return Equality<Complex64>(direction);
  if (type == PrimitiveType::kC128) return Equality<Complex128>(direction);
  return VisitNumberType<Kernel>(PredAsByte(type), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      return OfType<T, std::make_unsigned_t<T>>(direction);
    } else {
      return OfType<T>(direction);
    }
  });
}

Kernel TotalOrderKernel(Direction direction) {
  switch (direction) {
    case Direction::kEq:
      return TotalOrderLoop<Eq>;
    case Direction::kNe:
      return TotalOrderLoop<Ne>;
    case Direction::kLt:
      return TotalOrderLoop<Lt>;
    case Direction::kLe:
      return TotalOrderLoop<Le>;
    case Direction::kGt:
      return TotalOrderLoop<Gt>;
    default:
      return TotalOrderLoop<Ge>;
  }
}

}  // namespace hlocts::reference
