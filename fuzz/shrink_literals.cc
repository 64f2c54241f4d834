// Shrinking data: literals and arguments to small numbers.
#include <cmath>
#include <cstring>

#include "fuzz/shrinker.h"
#include "generators/fact_literals.h"
#include "spec/judge/joint.h"

namespace hlocts {
namespace {

// What stays otherwise is needed: a value below zero, one that is not a number (remains.h).
constexpr double kSimple[] = {0, 1, 2, -1};

using PutLiteral = std::function<void(Sample& sample, Literal literal)>;

bool TryLiteral(Sample& sample, const Literal& now, const Literal& simple, const PutLiteral& put,
                const StillFails& still_fails) {
  if (now.BitwiseEqual(simple)) return false;
  Sample candidate = sample.Clone();
  put(candidate, simple);
  return KeepIfFails(sample, std::move(candidate), still_fails);
}

// One literal of a sample, made simple in place.
class Simplifier {
 public:
  Simplifier(Sample& sample, Literal original, const PutLiteral& put, const StillFails& still_fails)
      : sample_(sample), now_(std::move(original)), put_(put), still_fails_(still_fails) {}

  bool Run() {
    for (double value : kSimple) {
      Literal simple = WithElements(now_, 0, now_.element_count(), value);
      if (now_.BitwiseEqual(simple)) return false;  // as simple as it gets
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
  // Zeros where they do, down to single elements where they do not.
  bool Halve(int64_t begin, int64_t end) {
    if (begin == end) return false;
    if (end - begin == 1) return OneElement(begin);
    if (Try(begin, end, 0)) return true;
    const int64_t middle = begin + (end - begin) / 2;
    bool first = Halve(begin, middle);
    return Halve(middle, end) || first;
  }
  bool OneElement(int64_t i) {
    const double without_sign = std::abs(RealAt(now_, i));
    for (double value : {kSimple[0], kSimple[1], kSimple[2], kSimple[3], without_sign}) {
      if (now_.BitwiseEqual(WithElements(now_, i, i + 1, value))) return false;
      if (Try(i, i + 1, value)) return true;
    }
    return false;
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
  Literal one = ScalarLiteral(literal.element_type(), value);
  for (int64_t i = begin; i < end; ++i) {
    std::memcpy(changed.mutable_raw_data() + static_cast<size_t>(i) * one.raw_size(),
                one.raw_data(), one.raw_size());
  }
  return changed;
}

bool SimplifyLiterals(Sample& sample, const StillFails& still_fails) {
  bool progress = false;
  for (size_t a = 0; a < sample.arguments.size(); ++a) {
    Literal argument = sample.arguments[a];
    PutLiteral put = [a](Sample& s, Literal literal) { s.arguments[a] = std::move(literal); };
    progress = SimplifyLiteral(sample, argument, put, still_fails) || progress;
  }
  for (size_t c = 0; c < sample.module->computations().size(); ++c) {
    for (size_t i = 0; i < sample.module->computations()[c]->instructions().size(); ++i) {
      const Instruction& constant = *sample.module->computations()[c]->instructions()[i];
      if (!constant.has_literal()) continue;
      Literal literal = constant.literal();
      PutLiteral put = [c, i](Sample& s, Literal simple) {
        s.module->computations()[c]->instructions()[i]->set_literal(std::move(simple));
      };
      progress = SimplifyLiteral(sample, literal, put, still_fails) || progress;
    }
  }
  return progress;
}

}  // namespace hlocts
