// SPDX-License-Identifier: Apache-2.0
// Computes sums as a compiler may: in any order, with any of the products unrounded, in a wider
// type or the given one, with subnormals flushed. The reference's kernels compute such sums if
// their number system is NoiseSystem.
#pragma once

#include <vector>

#include "generators/arguments.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::backends {

enum class SumOrder : uint8_t { kForward, kBackward, kPairs, kLanes, kShuffled, kShuffledTree };
inline constexpr int kSumOrders = 6;

// The precision with which a factor of each product is read: `bits` significant bits and a relative
// error of at most `error`. If `bits` is 0, the factor is read exactly.
struct FactorReading {
  int bits = 0;
  double error = 0;
};

// The way in which one instruction's sums are computed.
struct SumStyle {
  PrimitiveType step = PrimitiveType::kF32;  // type to which partial sums are rounded
  bool multiply = false;                     // a product of the terms instead of a sum
  bool contract = false;                     // products enter a sum unrounded
  bool flush = false;                        // subnormal partial results become zeros
  bool truncate = false;                     // additions round towards zero
  int bits = 0;                              // significant bits of partial sums; 0: all
  SumOrder order = SumOrder::kForward;
  int lanes = 8;
  // The precision of the factors. The errors of a sum's products all have the same sign.
  FactorReading left, right;
};

struct SumTerm {
  double a, b;
};
// Sums the terms a * b. The result is rounded to style.step.
double NoisySum(const SumStyle& style, std::vector<SumTerm> terms, generators::SplitMix64& random);

// Returns a + b rounded to odd, so that another rounding to fewer bits equals a single rounding.
double AddToOdd(double a, double b);

template <typename T>
struct NoiseSystem {
  using Element = T;
  struct Sum {
    const NoiseSystem* system = nullptr;
    std::vector<SumTerm> terms;
    void Add(const T& x) { terms.push_back({static_cast<double>(x), 1}); }
    void AddProduct(const T& x, const T& y) {
      terms.push_back({static_cast<double>(x), static_cast<double>(y)});
    }
    T Finish() const { return static_cast<T>(NoisySum(system->style, terms, *system->random)); }
  };
  Sum NewSum() const { return {this, {}}; }

  SumStyle style;
  generators::SplitMix64* random = nullptr;
};

}  // namespace hlocts::backends
