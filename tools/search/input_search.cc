// SPDX-License-Identifier: Apache-2.0
#include "tools/search/input_search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>

#include "backends/adapters/reference/reference_run.h"
#include "generators/input_recipes.h"
#include "spec/ir/module.h"
#include "tools/search/regions.h"

namespace hlocts::tools {
namespace {

using Inputs = std::vector<std::vector<Literal>>;  // [device][leaf]

constexpr size_t kKeptMax = 256;
// After this many verdicts, or after a quarter of the time limit, mostly outputs that look wrong
// are judged.
constexpr int64_t kAllJudged = 60;
constexpr int64_t kJudgedPerPass = 8;
constexpr int64_t kStepsMax = 100'000;  // limit of loop iterations for one input

struct Kept {
  Inputs inputs;
  Regions regions;
};

struct Evaluated {
  Inputs outputs;
  Regions regions;
};

bool SameBits(const Inputs& a, const Inputs& b) {
  if (a.size() != b.size()) return false;
  for (size_t d = 0; d < a.size(); ++d) {
    if (a[d].size() != b[d].size()) return false;
    for (size_t i = 0; i < a[d].size(); ++i) {
      if (!a[d][i].BitwiseEqual(b[d][i])) return false;
    }
  }
  return true;
}

bool IsWrong(Outcome kind) {
  switch (kind) {
    case Outcome::kFail:
    case Outcome::kRejected:
    case Outcome::kCrash:
    case Outcome::kTimeout:
      return true;
    default:
      return false;
  }
}

// Returns the midpoint of two literals in the order of the type; `low` if there is none in between.
Literal Halfway(const Literal& low, const Literal& high, bool* moved) {
  Literal middle = low;
  const PrimitiveType type =
      low.shape().IsArray() ? ComponentType(low.element_type()) : PrimitiveType::kInvalid;
  if (type == PrimitiveType::kInvalid || type == PrimitiveType::kPred) return middle;
  const int64_t count = generators::ComponentCount(low);
  uint8_t* to = middle.mutable_raw_data();
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t a = generators::ElementBits(low, i), b = generators::ElementBits(high, i);
    if (a == b) continue;
    if (IsFloat(type) && (IsNanBits(FormatOf(type), a) || IsNanBits(FormatOf(type), b))) continue;
    const __int128 from = generators::PlaceOf(type, a), until = generators::PlaceOf(type, b);
    const __int128 place = from + (until - from) / 2;
    if (place == from) continue;
    *moved = true;
    generators::StoreElementBits(type, generators::BitsAt(type, place),
                                 to + i * StorageBytes(type));
  }
  return middle;
}

// Returns true if all elements are of the same class as expected, and numbers are equal except for
// their last bits. This proves nothing, but the time is then better spent on another input than on
// judging this one.
bool LooksRight(const Literal& found, const Literal& expected) {
  if (!found.shape().IsArray()) return true;
  const PrimitiveType type = ComponentType(expected.element_type());
  if (!IsFloat(type)) return found.BitwiseEqual(expected);
  const FloatFormat& format = FormatOf(type);
  const double near = std::ldexp(1.0, 4 - format.precision());
  for (int64_t i = 0; i < generators::ComponentCount(expected); ++i) {
    const double a = DecodeFloat(format, generators::ElementBits(found, i));
    const double b = DecodeFloat(format, generators::ElementBits(expected, i));
    if (std::isnan(a) && std::isnan(b)) continue;
    const bool same = a == b && std::signbit(a) == std::signbit(b);
    if (!same && !(std::fabs(a - b) <= near * std::fabs(b))) return false;
  }
  return true;
}

bool LooksRight(const Inputs& found, const Inputs& expected) {
  for (size_t d = 0; d < expected.size(); ++d) {
    if (found.size() != expected.size() || found[d].size() != expected[d].size()) return false;
    for (size_t i = 0; i < expected[d].size(); ++i) {
      if (!LooksRight(found[d][i], expected[d][i])) return false;
    }
  }
  return true;
}

class Search {
 public:
  Search(const Module& module, const backends::ExecuteRequest& request,
         const backends::DiffOptions& diff, backends::Backend& backend,
         const SearchOptions& options)
      : module_(module),
        request_(request),
        diff_(diff),
        backend_(backend),
        options_(options),
        recorder_(module),
        recipes_(module, ArgumentLeafShapes(module), options.seed),
        random_(options.seed) {
    diff_.blame = diff_.describe = diff_.unusual = false;
    diff_.load.reuse = true;
    diff_.load.stop = options.stop;
    diff_.load.timeout_seconds = std::min(diff_.load.timeout_seconds, options.seconds_max);
    diff_.load.reference_seconds_max = std::max(1.0, options.seconds_max / 4);
    devices_ = static_cast<size_t>(diff_.load.replicas * diff_.load.partitions);
  }

  SearchResult Run() {
    constexpr uint64_t kRounds = 3;  // rounds of all recipes before regions are used
    for (uint64_t number = 0; !Done(); ++number) {
      if (number < kRounds * generators::InputRecipes::Count() || number % 2 == 0) {
        TryRecipe(recipe_++);
      } else if (number % 4 == 1) {
        TryChange(number);
      } else {
        TryBoundary();
      }
    }
    result_.counts.seconds = Seconds();
    return std::move(result_);
  }

 private:
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  bool Done() const {
    return result_.failed || over_ || Seconds() >= options_.seconds_max ||
           (options_.stop && options_.stop());
  }

  absl::StatusOr<Evaluated> Evaluate(const Inputs& inputs) {
    backends::ExecuteRequest request = request_;
    request.arguments = inputs;
    backends::LoadOptions load = diff_.load;
    load.steps_max = std::min(load.steps_max, kStepsMax);
    auto result = backends::RunReference(module_, load, request, nullptr, &recorder_);
    Regions regions = recorder_.Take();
    HLOCTS_RETURN_IF_ERROR(result.status());
    return Evaluated{std::move(result->outputs), std::move(regions)};
  }

  // Keeps inputs that reach a new region.
  void KeepInterestingInputs(const Inputs& inputs, const Regions& regions) {
    const size_t before = reached_.size();
    reached_.insert(regions.begin(), regions.end());
    if (reached_.size() == before) return;
    result_.counts.regions = static_cast<int64_t>(reached_.size());
    if (kept_.size() < kKeptMax) {
      kept_.push_back({inputs, regions});
    } else {
      kept_[random_.Below(kKeptMax)] = {inputs, regions};
    }
  }

  void Try(const std::string& search, Inputs inputs) {
    auto evaluated = Evaluate(inputs);
    if (evaluated.ok()) {
      KeepInterestingInputs(inputs, evaluated->regions);
    } else {
      ++result_.counts.not_run;
      // If the reference cannot evaluate the module, the engine runs it once, for the verdict.
      over_ = absl::IsUnimplemented(evaluated.status()) ||
              (result_.counts.inputs == 0 && Seconds() >= options_.seconds_max / 2);
      if (!over_ || result_.counts.inputs > 0) return;
    }
    backends::ExecuteRequest request = request_;
    request.arguments = std::move(inputs);
    result_.counts.search = search;
    ++result_.counts.inputs;
    Judge(std::move(request), evaluated.ok() ? &evaluated->outputs : nullptr);
    result_.counts.seconds = Seconds();
    if (options_.progress) options_.progress(result_.counts);
  }

  void Judge(backends::ExecuteRequest request, const Inputs* expected) {
    const backends::RunOutcome outcome =
        backends::RunModule(backend_, module_, diff_.load, request);
    if (options_.stop && options_.stop()) return;
    const bool plain = request.Repeatable() && outcome.result.outfeed.empty();
    // Outputs that equal those of the reference are acceptable; sets are not needed.
    if ((passed_ || judged_ >= kJudgedPerPass) && plain && expected != nullptr &&
        outcome.has_values() && SameBits(outcome.result.outputs, *expected)) {
      ++result_.counts.passed;
      return;
    }
    const bool enough = judged_ >= kAllJudged || judging_seconds_ > options_.seconds_max / 4;
    const bool may_wait = plain && enough && result_.counts.inputs % 8 != 0;
    if (may_wait && expected != nullptr && outcome.has_values() &&
        LooksRight(outcome.result.outputs, *expected)) {
      ++result_.counts.close;
      return;
    }
    const double before = Seconds();
    backends::Differ differ(module_, request, diff_);
    reports::Verdict verdict = differ.DiffOutcome(outcome, backend_);
    judging_seconds_ += Seconds() - before;
    ++judged_;
    // A timeout of the reference says nothing about the engine.
    const bool judged = !outcome.has_values() || verdict.kind != Outcome::kTimeout;
    result_.failed = judged && IsWrong(verdict.kind);
    over_ = over_ || verdict.kind == Outcome::kUnsupported || verdict.kind == Outcome::kError;
    if (IsInconclusive(verdict.kind) || !judged) ++result_.counts.inconclusive;
    const bool passes = verdict.kind == Outcome::kPass;
    if (result_.failed || over_ || (passes && !passed_) || result_.counts.inputs == 1) {
      result_.verdict = std::move(verdict);
      result_.request = std::move(request);
    }
    passed_ = passed_ || passes;
    result_.counts.passed += passes;
  }

  void TryRecipe(uint64_t number) {
    Inputs inputs;
    for (size_t d = 0; d < devices_; ++d)
      inputs.push_back(recipes_.Make(number + d * generators::InputRecipes::Count() * 1'000'000));
    Try(std::string(generators::InputRecipes::NameOf(number)), std::move(inputs));
  }

  void TryChange(uint64_t number) {
    if (kept_.empty()) return;
    Inputs inputs = kept_[random_.Below(kept_.size())].inputs;
    std::vector<Literal>& one = inputs[random_.Below(inputs.size())];
    one = recipes_.Change(one, number);
    Try("change of an input that reached a new region", std::move(inputs));
  }

  // Moves some leaves of an input outside of a region towards those of an input inside the region.
  void TryBoundary() {
    if (kept_.size() < 2) return;
    const Kept& outside = kept_[random_.Below(kept_.size())];
    const Kept& inside = kept_[random_.Below(kept_.size())];
    std::vector<uint64_t> fresh;
    std::set_difference(inside.regions.begin(), inside.regions.end(), outside.regions.begin(),
                        outside.regions.end(), std::back_inserter(fresh));
    if (fresh.empty()) return;
    const uint64_t region = fresh[random_.Below(fresh.size())];
    Inputs low = outside.inputs, high = inside.inputs;
    for (size_t d = 0; d < low.size(); ++d) {
      for (size_t i = 0; i < low[d].size(); ++i) {
        // All other leaves become those of the input inside the region.
        const bool other_sizes = low[d][i].runtime_sizes() != high[d][i].runtime_sizes();
        if (other_sizes || random_.Below(2) == 0) low[d][i] = high[d][i];
      }
    }
    auto start = Evaluate(low);
    if (!start.ok() || start->regions.contains(region)) return;
    for (int step = 0; step < 66 && !Done(); ++step) {
      bool moved = false;
      Inputs middle = low;
      for (size_t d = 0; d < low.size(); ++d) {
        for (size_t i = 0; i < low[d].size(); ++i)
          middle[d][i] = Halfway(low[d][i], high[d][i], &moved);
      }
      if (!moved) break;
      auto evaluated = Evaluate(middle);
      if (!evaluated.ok()) return;
      (evaluated->regions.contains(region) ? high : low) = std::move(middle);
    }
    if (!Done()) Try("boundary of a region, inside", high);
    if (!Done()) Try("boundary of a region, outside", low);
    for (int times = 0; times < 4 && !Done(); ++times) {
      Inputs& near = random_.Below(2) == 0 ? low : high;
      Inputs beside = near;
      for (std::vector<Literal>& leaves : beside) leaves = recipes_.Shift(leaves, random_.Next());
      Try("next to the boundary of a region", std::move(beside));
    }
  }

  const Module& module_;
  const backends::ExecuteRequest& request_;
  backends::DiffOptions diff_;
  backends::Backend& backend_;
  const SearchOptions& options_;
  RegionRecorder recorder_;
  generators::InputRecipes recipes_;
  generators::SplitMix64 random_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  size_t devices_ = 1;
  uint64_t recipe_ = 0;
  bool over_ = false, passed_ = false;
  int64_t judged_ = 0;
  double judging_seconds_ = 0;
  Regions reached_;
  std::vector<Kept> kept_;
  SearchResult result_;
};

}  // namespace

SearchResult SearchInputs(const Module& module, const backends::ExecuteRequest& request,
                          const backends::DiffOptions& diff, backends::Backend& backend,
                          const SearchOptions& options) {
  return Search(module, request, diff, backend, options).Run();
}

}  // namespace hlocts::tools
