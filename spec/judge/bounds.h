// SPDX-License-Identifier: Apache-2.0
// The constants of bounds.def by name: bounds::DeviationUlps(). They are variables for one test's
// sake, which halves each.
#ifndef HLOCTS_SPEC_JUDGE_BOUNDS_H_
#define HLOCTS_SPEC_JUDGE_BOUNDS_H_

#include <cstddef>
#include <cstdint>

namespace hlocts::bounds {

enum class Constant : uint8_t {
#define HLOCTS_BOUND(Name, ...) k##Name,
#include "spec/judge/bounds.def"
};

struct BoundRow {
  const char* name;
  double value;
  int lemma;           // of spec/judge/rules
  const char* reason;  // why half of it refuses no execution that is kept; "" where it does
};
inline constexpr BoundRow kRows[] = {
#define HLOCTS_BOUND(Name, value, lemma, reason) {#Name, value, lemma, reason},
#include "spec/judge/bounds.def"
};
inline constexpr size_t kCount = sizeof(kRows) / sizeof(kRows[0]);

inline double values[] = {
#define HLOCTS_BOUND(Name, value, ...) value,
#include "spec/judge/bounds.def"
};

inline double Of(Constant bound) { return values[static_cast<size_t>(bound)]; }
#define HLOCTS_BOUND(Name, ...) \
  inline double Name() { return Of(Constant::k##Name); }
#include "spec/judge/bounds.def"

// While it lives the constant is half of what the table says. Before threads are started.
class Halved {
 public:
  explicit Halved(size_t row) : row_(row) { values[row_] = kRows[row_].value / 2; }
  ~Halved() { values[row_] = kRows[row_].value; }
  Halved(const Halved&) = delete;
  Halved& operator=(const Halved&) = delete;

 private:
  size_t row_;
};

}  // namespace hlocts::bounds

#endif  // HLOCTS_SPEC_JUDGE_BOUNDS_H_
