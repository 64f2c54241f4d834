// SPDX-License-Identifier: Apache-2.0
// Gives access to the constants of bounds.def by name, e.g. bounds.DeviationUlps().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hlocts {

class Bounds {
 public:
  enum class Constant : uint8_t {
#define HLOCTS_BOUND(Name, ...) k##Name,
#include "spec/judge/bounds.def"
  };
  struct Row {
    const char* name;
    double value;
    int lemma;  // of spec/judge/rules
  };
  static constexpr Row kRows[] = {
#define HLOCTS_BOUND(Name, value, lemma, ...) {#Name, value, lemma},
#include "spec/judge/bounds.def"
  };

  constexpr Bounds() {
    for (size_t row = 0; row < values_.size(); ++row) values_[row] = kRows[row].value;
  }
  // Returns a mutant in which one constant is halved.
  static constexpr Bounds WithHalf(size_t row) {
    Bounds bounds;
    bounds.values_[row] /= 2;
    return bounds;
  }

  constexpr double Of(Constant constant) const { return values_[static_cast<size_t>(constant)]; }
#define HLOCTS_BOUND(Name, ...) \
  constexpr double Name() const { return Of(Constant::k##Name); }
#include "spec/judge/bounds.def"

 private:
  std::array<double, std::size(kRows)> values_ = {};
};

// The proved constants. Only bounds_test.cc uses others.
inline constexpr Bounds kBounds;

}  // namespace hlocts
