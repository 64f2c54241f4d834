// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/joint/derived_draws.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "reference/eval_hook.h"
#include "spec/ir/index_util.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "spec/judge/joint.h"

namespace hlocts::reference {
namespace {

constexpr int kSamples = 24;
// If random draws change fewer elements than this, the test is not applied.
constexpr int64_t kElementsMin = 64;
// A sum of independent deviations exceeds this many standard deviations with probability 10^-15.
constexpr double kDrawSigmas = 8;

// Returns true if the documents let the engine choose the draws and no fact fixes them.
bool IsFree(const Instruction& instruction, const TargetFacts& facts) {
  if (instruction.opcode() == Opcode::kRng) return true;
  if (instruction.opcode() != Opcode::kRngBitGenerator) return false;
  return instruction.WordOr(Attr::kAlgorithm, "rng_default") == "rng_default" ||
         !facts.rng_xla_layout;
}

bool DrawsFreely(const Module& module, const TargetFacts& facts) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (IsFree(*instruction, facts)) return true;
    }
  }
  return false;
}

// Replaces the bits that rng-bit-generator draws. Other draws of rng follow from another rng_seed.
class OtherBits : public EvalHook {
 public:
  OtherBits(uint64_t seed, const TargetFacts& facts) : word_(seed), facts_(facts) {}
  absl::Status BeforeInstruction(EvalContext&, const Instruction&, absl::Span<Literal>) override {
    return absl::OkStatus();
  }
  absl::Status AfterInstruction(EvalContext&, const Instruction& instruction,
                                absl::Span<const Literal>, Literal& result) override {
    if (instruction.opcode() != Opcode::kRngBitGenerator || !IsFree(instruction, facts_))
      return absl::OkStatus();
    std::vector<Literal> parts =
        result.shape().IsTuple() ? result.elements() : std::vector<Literal>{result};
    Literal& bits = parts.back();
    if (BitWidth(bits.element_type()) < 8)
      return absl::UnimplementedError("random bits narrower than a byte are not supported");
    uint8_t* to = bits.mutable_raw_data();
    for (size_t i = 0; i < bits.raw_size(); ++i) to[i] = static_cast<uint8_t>(Next());
    result = result.shape().IsTuple() ? Literal::Tuple(std::move(parts)) : std::move(parts[0]);
    return absl::OkStatus();
  }

 private:
  // Returns the next bits from the mixing function of SplitMix64 (Steele, Lea, Flood, 2014).
  uint64_t Next() {
    uint64_t z = word_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) >> 32;
  }
  uint64_t word_;
  const TargetFacts& facts_;
};

void AppendLeaves(const Literal& literal, std::vector<Literal>& leaves) {
  if (!literal.shape().IsTuple()) return leaves.push_back(literal);
  for (const Literal& element : literal.elements()) AppendLeaves(element, leaves);
}

// Returns the real parts of the elements, with 0 for a NaN.
std::vector<double> NumbersOf(const Literal& literal) {
  constexpr double kMost = 1e30;
  const bool real = IsFloat(literal.element_type()) || IsComplex(literal.element_type());
  std::vector<double> numbers;
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    const double x = real ? RealAt(literal, i) : static_cast<double>(PointOf(literal, i).ilo);
    numbers.push_back(std::isnan(x) ? 0 : std::clamp(x, -kMost, kMost));
  }
  return numbers;
}

class DerivedDraws : public JointPredicate {
 public:
  DerivedDraws(const std::vector<std::vector<double>>& samples, const Shape& shape)
      : lags_({0, 1}) {
    for (int64_t stride : RowMajorStrides(shape.dimensions())) lags_.push_back(stride);
    const size_t count = samples[0].size();
    mean_.assign(count, 0), deviation_.assign(count, 0);
    for (const auto& sample : samples) {
      for (size_t i = 0; i < count; ++i) mean_[i] += sample[i] / kSamples;
    }
    double squares = 0;
    for (size_t i = 0; i < count; ++i) {
      double square = 0;
      for (const auto& sample : samples) square += std::pow(sample[i] - mean_[i], 2);
      deviation_[i] = std::sqrt(square / (kSamples - 1));
      squares += deviation_[i] * deviation_[i] / static_cast<double>(count);
      varying_ += deviation_[i] > 0;
    }
    for (double& d : deviation_) d = std::max(d, std::sqrt(squares) / 2);
    for (const auto& sample : samples) of_samples_.push_back(SumsOf(sample));
  }
  int64_t varying() const { return varying_; }
  std::string kind() const override { return "draws"; }
  int slot_count() const override { return 1; }
  // Leaves the outputs unchecked if the draws are improbable; this is not a failure.
  Verdict Check(absl::Span<const Literal* const> slots) const override {
    Verdict verdict;
    verdict.checked = true;
    if (slots[0] == nullptr) return verdict;
    const std::vector<double> sums = SumsOf(NumbersOf(*slots[0]));
    for (size_t k = 0; k < sums.size() && verdict.checked; ++k) {
      double mean = 0, square = 0;
      for (const auto& of : of_samples_) mean += of[k] / kSamples;
      for (const auto& of : of_samples_) square += std::pow(of[k] - mean, 2) / (kSamples - 1);
      const double off = std::fabs(sums[k] - mean) / std::max(1.0, std::sqrt(square));
      verdict.checked = off <= kDrawSigmas;
      if (verdict.checked) continue;
      verdict.expected =
          absl::StrFormat("its random draws are improbable: %s by %.1f standard deviations",
                          k == 0 ? "its mean is off" : "its elements are correlated", off);
    }
    return verdict;
  }

 private:
  // Returns a sum for each lag. For lag 0 it is the sum of the elements' deviations, for other lags
  // the sum of products of two deviations. Each is divided by the root of its number of terms.
  std::vector<double> SumsOf(const std::vector<double>& numbers) const {
    std::vector<double> z, sums;
    for (size_t i = 0; i < numbers.size(); ++i) {
      z.push_back(deviation_[i] == 0 ? 0 : (numbers[i] - mean_[i]) / deviation_[i]);
    }
    for (int64_t lag : lags_) {
      const size_t step = static_cast<size_t>(lag);
      double sum = 0;
      for (size_t i = 0; i + step < z.size(); ++i) sum += step == 0 ? z[i] : z[i] * z[i + step];
      const double count = static_cast<double>(z.size() - std::min(step, z.size()));
      sums.push_back(count == 0 ? 0 : sum / std::sqrt(count));
    }
    return sums;
  }

  std::vector<int64_t> lags_;
  std::vector<double> mean_, deviation_;
  std::vector<std::vector<double>> of_samples_;
  int64_t varying_ = 0;
};

bool IsDerived(const LeafAcceptance& leaf) {
  if (leaf.token || leaf.set.exact() || leaf.set.joint != nullptr) return false;
  if (!leaf.set.runtime_sizes.empty() || leaf.set.element_count() < kElementsMin) return false;
  const auto sets = leaf.set.sets();
  return std::any_of(sets.begin(), sets.end(),
                     [](const AcceptanceSet& s) { return !s.unspecified(); });
}

}  // namespace

void JudgeDerivedDraws(const Module& module, absl::Span<const Literal> arguments,
                       const JudgeOptions& options, absl::Span<LeafAcceptance> leaves) {
  if (!DrawsFreely(module, options.facts)) return;
  if (!std::any_of(leaves.begin(), leaves.end(), IsDerived)) return;
  std::vector<std::vector<Literal>> runs;
  for (uint64_t seed = 1; seed <= kSamples; ++seed) {
    OtherBits hook(seed, options.facts);
    EvalOptions evaluation = options;
    evaluation.rng_seed = seed;
    evaluation.hook = &hook;
    const absl::StatusOr<Literal> result = Evaluate(module, arguments, evaluation);
    if (!result.ok()) return;
    runs.emplace_back();
    AppendLeaves(*result, runs.back());
  }
  for (size_t k = 0; k < leaves.size(); ++k) {
    if (!IsDerived(leaves[k])) continue;
    std::vector<std::vector<double>> samples;
    for (const auto& run : runs) samples.push_back(NumbersOf(run[k]));
    auto draws = std::make_shared<DerivedDraws>(samples, leaves[k].shape);
    if (draws->varying() >= kElementsMin) leaves[k].set.joint = std::move(draws);
  }
}

}  // namespace hlocts::reference
