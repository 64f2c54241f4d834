// SPDX-License-Identifier: Apache-2.0
// Shrinks the elements of literals and arguments to small numbers.
#include <cstring>

#include "absl/types/span.h"
#include "fuzz/shrink/shrinker.h"
#include "fuzz/triage/simplifications.h"
#include "generators/fact_literals.h"
#include "spec/judge/joint.h"

namespace hlocts::fuzz {
namespace {

// The values to try. If none reproduces the failure, it needs a special value (failure_traits.h).
constexpr double kSimple[] = {0, 1, 2, -1};
// Integers keep their sign, because indices below 0 and beyond the end fail differently.
constexpr double kSimpleAboveZero[] = {0, 1, 2};
constexpr double kSimpleBelowZero[] = {0, -1, -2};

// Returns the values to try, in this order, for the elements from `begin` to `end`.
absl::Span<const double> SimpleValuesFor(const Literal& literal, int64_t begin, int64_t end) {
  bool below_zero = IsInteger(literal.element_type()), above_zero = below_zero;
  for (int64_t i = begin; (below_zero || above_zero) && i < end; ++i) {
    const double value = RealAt(literal, i);
    below_zero = below_zero && value <= 0;
    above_zero = above_zero && value >= 0;
  }
  if (above_zero) return kSimpleAboveZero;
  return below_zero ? absl::Span<const double>(kSimpleBelowZero) : kSimple;
}

using PutLiteral = std::function<void(Sample& sample, Literal literal)>;

bool TryLiteral(Sample& sample, const Literal& now, const Literal& simple, const PutLiteral& put,
                const StillFails& still_fails) {
  if (now.BitwiseEqual(simple)) return false;
  Sample candidate = sample.Clone();
  put(candidate, simple);
  return KeepIfFails(sample, std::move(candidate), still_fails);
}

class Simplifier {
 public:
  Simplifier(Sample& sample, Literal original, const PutLiteral& put, const StillFails& still_fails)
      : sample_(sample), now_(std::move(original)), put_(put), still_fails_(still_fails) {}

  bool Run() {
    for (double value : SimpleValuesFor(now_, 0, now_.element_count())) {
      Literal simple = WithElements(now_, 0, now_.element_count(), value);
      if (now_.BitwiseEqual(simple)) return false;  // no simpler value is possible
      if (TryLiteral(sample_, now_, simple, put_, still_fails_)) return true;
    }
    if (now_.element_count() > kSimplifiedMax) return false;
    return Halve(0, now_.element_count());
  }

 private:
  static constexpr int kTriesMax = 128;

  bool Try(int64_t begin, int64_t end, double value) {
    Literal simple = WithElements(now_, begin, end, value);
    if (tries_ >= kTriesMax || now_.BitwiseEqual(simple)) return false;
    ++tries_;
    if (!TryLiteral(sample_, now_, simple, put_, still_fails_)) return false;
    now_ = std::move(simple);
    return true;
  }
  // Tries zero for all elements of a range, then for its halves, down to single elements.
  bool Halve(int64_t begin, int64_t end) {
    if (begin == end) return false;
    if (end - begin == 1) return OneElement(begin);
    if (Try(begin, end, 0)) return true;
    const int64_t middle = begin + (end - begin) / 2;
    bool first = Halve(begin, middle);
    return Halve(middle, end) || first;
  }
  bool OneElement(int64_t i) {
    for (double value : SimpleValuesFor(now_, i, i + 1)) {
      if (now_.BitwiseEqual(WithElements(now_, i, i + 1, value))) return false;
      if (Try(i, i + 1, value)) return true;
    }
    const double value = RealAt(now_, i);
    return IsFloat(now_.element_type()) && value < 0 && Try(i, i + 1, -value);
  }

  Sample& sample_;
  Literal now_;
  const PutLiteral& put_;
  const StillFails& still_fails_;
  int tries_ = 0;
};

bool SimplifyLiteral(Sample& sample, const Literal& original, const PutLiteral& put,
                     const StillFails& still_fails) {
  if (!original.shape().IsArray() || original.shape().is_dynamic()) return false;
  return Simplifier(sample, original, put, still_fails).Run();
}

}  // namespace

Literal WithElements(const Literal& literal, int64_t begin, int64_t end, double value) {
  Literal changed = literal;
  Literal one = generators::ScalarLiteral(literal.element_type(), value);
  for (int64_t i = begin; i < end; ++i) {
    std::memcpy(changed.mutable_raw_data() + static_cast<size_t>(i) * one.raw_size(),
                one.raw_data(), one.raw_size());
  }
  return changed;
}

void MakeArgumentsDistinct(Sample& sample, const StillFails& still_fails) {
  int64_t next = 0;
  for (size_t a = 0; a < sample.arguments.size(); ++a) {
    const Literal& now = sample.arguments[a];
    if (!now.shape().IsArray() || now.shape().is_dynamic() || BitWidth(now.element_type()) < 8 ||
        now.element_count() > kSimplifiedMax)
      continue;
    Literal counting = now;
    for (int64_t i = 0; i < now.element_count(); ++i)
      counting = WithElements(counting, i, i + 1, static_cast<double>(next++ % 14 + 2));
    TryLiteral(
        sample, now, counting,
        [a](Sample& s, Literal literal) { s.arguments[a] = std::move(literal); }, still_fails);
  }
}

namespace {

bool SimplifyArgument(Sample& sample, size_t a, const StillFails& still_fails) {
  const Literal argument = sample.arguments[a];
  PutLiteral put = [a](Sample& s, Literal simple) { s.arguments[a] = std::move(simple); };
  return SimplifyLiteral(sample, argument, put, still_fails);
}

bool SimplifyConstant(Sample& sample, size_t computation, size_t i, const StillFails& still_fails) {
  PutLiteral put = [computation, i](Sample& s, Literal simple) {
    s.module->computations()[computation]->instructions()[i]->set_literal(std::move(simple));
  };
  const Literal literal = sample.module->computations()[computation]->instructions()[i]->literal();
  return SimplifyLiteral(sample, literal, put, still_fails);
}

}  // namespace

bool SimplifyLiterals(Sample& sample, const StillFails& still_fails) {
  bool progress = false;
  for (size_t a = 0; a < sample.arguments.size(); ++a)
    progress = SimplifyArgument(sample, a, still_fails) || progress;
  for (size_t c = 0; c < sample.module->computations().size(); ++c) {
    for (size_t i = 0; i < sample.module->computations()[c]->instructions().size(); ++i) {
      if (sample.module->computations()[c]->instructions()[i]->has_literal())
        progress = SimplifyConstant(sample, c, i, still_fails) || progress;
    }
  }
  return progress;
}

bool SimplifyIndices(Sample& sample, const StillFails& still_fails) {
  bool progress = false;
  for (size_t c = 0; c < sample.module->computations().size(); ++c) {
    const bool entry = sample.module->computations()[c].get() == sample.module->entry();
    for (size_t i = 0; i < sample.module->computations()[c]->instructions().size(); ++i) {
      const Instruction& leaf = *sample.module->computations()[c]->instructions()[i];
      if (!OnlyIndexes(leaf)) continue;
      const size_t number = static_cast<size_t>(leaf.parameter_number());
      if (leaf.has_literal()) {
        progress = SimplifyConstant(sample, c, i, still_fails) || progress;
      } else if (entry && number < sample.arguments.size() &&
                 sample.arguments[number].shape().CompatibleWith(leaf.shape())) {
        progress = SimplifyArgument(sample, number, still_fails) || progress;
      }
    }
  }
  return progress;
}

}  // namespace hlocts::fuzz
