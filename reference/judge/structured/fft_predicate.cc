// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/structured/fft_predicate.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "reference/judge/joint/joint_numbers.h"

namespace hlocts::reference {
namespace {

// Returns |z|. Uses std::abs, which is slower, only if squares may leave the range.
double Magnitude(Complex z) {
  const double square = std::norm(z);
  return square > 0x1p-900 && square < 0x1p900 ? std::sqrt(square) : std::abs(z);
}

class NormwisePredicate : public JointPredicate {
 public:
  NormwisePredicate(Literal centre, std::vector<TransformBound> blocks, int64_t length)
      : centre_(std::move(centre)), blocks_(std::move(blocks)), length_(length) {}
  std::string kind() const override { return "normwise"; }
  int slot_count() const override { return 1; }
  Verdict Check(absl::Span<const Literal* const> slots) const override {
    Verdict verdict;
    verdict.checked = slots[0] != nullptr;
    if (!verdict.checked) return verdict;
    for (size_t b = 0; b < blocks_.size(); ++b) {
      if (blocks_[b].bound < 0) continue;
      Norm sum;
      double worst = -1;
      int64_t at = 0;
      for (int64_t i = b * length_; i < static_cast<int64_t>(b + 1) * length_; ++i) {
        double error = Magnitude(ElementAt(*slots[0], i) - ElementAt(centre_, i));
        if (std::isnan(error)) error = HUGE_VAL;
        sum.Add(error);
        if (error > worst) worst = error, at = i;
      }
      if (sum.Value() <= blocks_[b].bound) continue;
      verdict.ok = false;
      verdict.index = at;
      verdict.expected = absl::StrFormat("2-norm of the transform's error at most %g, found %g",
                                         blocks_[b].bound, sum.Value());
      return verdict;
    }
    return verdict;
  }
  std::string ParametersJson() const override {
    double least = HUGE_VAL, most = 0;
    for (const TransformBound& block : blocks_) {
      least = std::min(least, block.bound);
      most = std::max(most, block.bound);
    }
    std::string text =
        absl::StrFormat("\"transform_length\":%d,\"bound_least\":%.17g,\"bound_most\":%.17g",
                        length_, std::isinf(least) ? 0 : least, most);
    if (!FitsInFile(centre_)) return text;
    // Each transform has a bound; a negative bound means no requirement.
    std::string bounds;
    for (const TransformBound& block : blocks_) {
      absl::StrAppendFormat(&bounds, "%s%.17g", bounds.empty() ? "" : ",", block.bound);
    }
    return absl::StrCat(text, ",\"bounds\":[", bounds, "]", NumbersMember("centre", centre_));
  }

 private:
  Literal centre_;
  std::vector<TransformBound> blocks_;
  int64_t length_;
};

}  // namespace

std::shared_ptr<const JointPredicate> MakeNormwisePredicate(Literal centre,
                                                            std::vector<TransformBound> blocks,
                                                            int64_t length) {
  return std::make_shared<NormwisePredicate>(std::move(centre), std::move(blocks), length);
}

}  // namespace hlocts::reference
