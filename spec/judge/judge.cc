// SPDX-License-Identifier: Apache-2.0
#include "spec/judge/judge.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "spec/ir/index_util.h"
#include "spec/ir/literal.h"
#include "spec/judge/choices.h"
#include "spec/judge/effective_bits.h"
#include "spec/judge/element_text.h"
#include "spec/judge/freedoms.h"
#include "spec/judge/joint.h"
#include "spec/judge/real.h"

namespace hlocts {
namespace {

// The outputs of a module in the form in which the joint predicates read them.
class JointValues {
 public:
  // Keeps references to both arguments. `actual` has one output per leaf.
  JointValues(const ModuleAcceptance& accepted, absl::Span<const Literal> actual);

  using Slots = std::map<const JointPredicate*, std::vector<const Literal*>>;
  const Slots& slots() const { return slots_; }
  // Returns the output that is value `slot` of the predicate, else the predicate's first output.
  int64_t OutputOf(const JointPredicate& predicate, int slot) const;
  // Returns the position in the output of element `index` of the predicate's value.
  static int64_t PlaceOf(const SetArray& set, int64_t index);

 private:
  Slots slots_;
  std::map<std::pair<const JointPredicate*, int>, int64_t> outputs_;
  std::deque<Literal> moved_back_;
};

// Reconstructs the value that the predicate reads from the array. Missing elements are zero.
Literal MovedBack(const MovedJoint& moved, const Literal& array) {
  Literal value(moved.shape);
  const int64_t bytes = StorageBytes(moved.shape.element_type());
  for (size_t i = 0; i < moved.places.size(); ++i) {
    if (moved.places[i] < 0) continue;
    std::memcpy(value.mutable_raw_data() + static_cast<int64_t>(i) * bytes,
                array.raw_data() + moved.places[i] * bytes, static_cast<size_t>(bytes));
  }
  return value;
}

JointValues::JointValues(const ModuleAcceptance& accepted, absl::Span<const Literal> actual) {
  for (size_t i = 0; i < accepted.leaves.size(); ++i) {
    const SetArray& set = accepted.leaves[i].set;
    if (set.joint == nullptr) continue;
    const Literal* value = &actual[i];
    if (set.joint_moved) value = &moved_back_.emplace_back(MovedBack(*set.joint_moved, actual[i]));
    std::vector<const Literal*>& values = slots_[set.joint.get()];
    values.resize(set.joint->slot_count());
    values[set.joint_slot] = value;
    outputs_[{set.joint.get(), set.joint_slot}] = static_cast<int64_t>(i);
  }
}

int64_t JointValues::OutputOf(const JointPredicate& predicate, int slot) const {
  auto found = outputs_.find({&predicate, slot});
  if (found == outputs_.end()) found = outputs_.lower_bound({&predicate, 0});
  return found->second;
}

int64_t JointValues::PlaceOf(const SetArray& set, int64_t index) {
  if (set.joint_moved == nullptr) return index;
  return std::max<int64_t>(0, set.joint_moved->places[index]);
}

// The verdict is inconclusive if a leaf has fewer checked bits per element than kBitsOfLeaf (one
// bit is only the sign), or if more than kNearlyUnspecifiedShare of its elements have wide sets.
constexpr double kBitsOfLeaf = 1, kNearlyUnspecifiedShare = 0.25;

// Returns true if the set of a part of the complex number has NaN, but does not accept every value.
bool NanBelongs(const SetArray& set, int64_t index) {
  if (set.components() != 2 || set.joint != nullptr) return false;
  for (int64_t at : {2 * index, 2 * index + 1}) {
    for (const AcceptanceSet& one : ChoicesAt(set, at)) {
      const bool nan = one.Has(AcceptanceSet::kNan) || one.Has(AcceptanceSet::kBitsKnown);
      if (nan && !one.unspecified()) return true;
    }
  }
  return false;
}

WrongValue ValueOf(const Literal& actual, int64_t index, bool nan_belongs) {
  const PrimitiveType type = actual.element_type();
  const int components = IsComplex(type) ? 2 : 1;
  bool nan = false, infinite = false;
  for (int c = 0; c < components; ++c) {
    const AcceptanceSet point = PointOf(actual, index, c);
    if (point.integer()) continue;
    nan = nan || point.Has(AcceptanceSet::kNan);
    infinite = infinite || point.Has(AcceptanceSet::kPosInf) || point.Has(AcceptanceSet::kNegInf);
  }
  if (nan && !nan_belongs) return WrongValue::kNan;
  if (infinite) return WrongValue::kInfinity;
  const uint8_t* bytes = actual.raw_data() + index * StorageBytes(type);
  const bool no_bit =
      std::all_of(bytes, bytes + StorageBytes(type), [](uint8_t b) { return b == 0; });
  const bool zero = components == 1 && !nan && RealAt(actual, index, 0) == 0;
  return no_bit || zero ? WrongValue::kZero : WrongValue::kNumber;
}

// Counts a failed element and keeps the most informative failure. nan_bits: the element is a NaN,
// but a NaN of another payload or sign is expected.
void RecordFailure(const ModuleAcceptance& accepted, int64_t output, const Literal& actual,
                   int64_t index, std::string expected, uint32_t origin, Tally& tally,
                   bool nan_bits = false) {
  if (tally.by_joint.contains({output, index})) return;  // already counted
  ++tally.failed;
  tally.nan_bits += nan_bits;
  // A wrong value is more informative than wrong bits of a NaN.
  if (tally.first.has_value() && (nan_bits || !tally.first_is_nan_bits)) return;
  tally.first_is_nan_bits = nan_bits;
  FirstFailure failure{
      .output = output,
      .index = MultiIndex(index, actual.shape().dimensions()),
      .actual = ElementText(actual, index),
      .actual_bits = ElementBits(actual, index),
      .accepted = std::move(expected),
      .value = ValueOf(actual, index, NanBelongs(accepted.leaves[output].set, index))};
  const Origin& from = accepted.OriginOf(origin);
  failure.rule = from.rule;
  failure.clause = from.clause;
  failure.instruction = from.instruction;
  tally.first = std::move(failure);
}

// Returns true if a document or a rule leaves the value open (a freedom, a flush, random draws).
// Returns false if the judge could not bound it.
bool IsUnspecifiedByRule(const AcceptanceSet& s) {
  constexpr WideningCause kAllowed[] = {WideningCause::kFreedom, WideningCause::kUnderflow,
                                        WideningCause::kZeroSign, WideningCause::kFormat,
                                        WideningCause::kJoint};
  return std::find(std::begin(kAllowed), std::end(kAllowed), s.cause) != std::end(kAllowed);
}

}  // namespace

void JudgeElement(const ModuleAcceptance& accepted, int64_t output, const Literal& actual,
                  int64_t index, const FloatFacts* facts, double rms, Tally& tally) {
  const SetArray& set = accepted.leaves[output].set;
  ++tally.elements;
  bool ok = true, unspecified = false, nan_bits = true;
  uint32_t origin = set.origin;
  int components = set.components();
  for (int c = 0; c < components; ++c) {
    const AcceptanceSet s = set.At(index, c);
    const std::vector<AcceptanceSet>* choices =
        set.choices == nullptr ? nullptr : set.choices->Find(index * components + c);
    const double bits = FullBits(ComponentType(set.element_type())) -
                        (choices == nullptr ? Log2Count(s, set.element_type())
                                            : Log2CountOf(*choices, set.element_type()));
    tally.bits += bits;
    unspecified = unspecified || s.unspecified();
    if (facts == nullptr) {
      const double least = std::min(kBitsOfLeaf, FullBits(set.element_type()) / 2);
      tally.open +=
          !IsUnspecifiedByRule(s) && !tally.draws && std::max(bits, tally.joint_bits) < least;
    } else {
      const double effective = choices == nullptr ? EffectiveBitsOf(s, *facts, rms)
                                                  : EffectiveBitsOfChoices(*choices, *facts, rms);
      if (s.unspecified() && tally.joint_bits == 0) {
        tally.AddUnspecified(facts->p);
      } else {
        tally.AddEffective(effective, facts->p);
      }
      if (!IsUnspecifiedByRule(s)) tally.AddCheckedBits(effective, facts->p);
    }
    if (AcceptsChoice(set, s, actual, index, c)) continue;
    ok = false;
    nan_bits = nan_bits && IsNanOfOtherBits(set, actual, index, c);
    origin = s.origin != 0 ? s.origin : set.origin;
  }
  tally.unspecified += unspecified;
  if (!ok) {
    RecordFailure(accepted, output, actual, index, ElementSetText(set, index), origin, tally,
                  nan_bits);
  }
}

namespace {

// Calls visit(linear index) for the elements inside the run-time sizes.
template <typename Visit>
void ForEachLive(const Literal& actual, const Visit& visit) {
  if (!actual.has_runtime_sizes()) {
    for (int64_t i = 0; i < actual.element_count(); ++i) visit(i);
    return;
  }
  std::vector<int64_t> strides = RowMajorStrides(actual.shape().dimensions());
  ForEachIndex(actual.runtime_sizes(),
               [&](absl::Span<const int64_t> index) { visit(LinearIndex(index, strides)); });
}

// Returns true if all elements have equal bits, counting any two NaNs as equal.
bool SameButNans(const Literal& expected, const Literal& actual) {
  constexpr uint32_t kMagnitude = 0x7fffffffu, kInfinityBits = 0x7f800000u;
  const uint32_t* e = reinterpret_cast<const uint32_t*>(expected.raw_data());
  const uint32_t* a = reinterpret_cast<const uint32_t*>(actual.raw_data());
  uint32_t different = 0;
  for (int64_t i = 0; i < expected.element_count(); ++i) {
    uint32_t nans = ((e[i] & kMagnitude) > kInfinityBits) & ((a[i] & kMagnitude) > kInfinityBits);
    different |= (e[i] != a[i]) & (nans ^ 1);
  }
  return different == 0;
}

// Judges an exact leaf by comparing bits, the fast path for nearly all exact leaves. Returns false
// if the leaf must be judged element by element.
bool SettledByBits(const SetArray& set, const Literal& actual, Tally& tally) {
  if (!set.exact() || actual.has_runtime_sizes()) return false;
  const Literal& expected = set.literal();
  if (expected.raw_size() != actual.raw_size()) return false;
  PrimitiveType type = set.element_type();
  bool any_nan = set.nan_bits_free && type == PrimitiveType::kF32;
  if (std::memcmp(expected.raw_data(), actual.raw_data(), actual.raw_size()) != 0 &&
      !(any_nan && SameButNans(expected, actual))) {
    return false;
  }
  int64_t count = actual.element_count();
  tally.elements += count;
  tally.bits += FullBits(type) * static_cast<double>(count);
  if (IsFloat(type) || IsComplex(type)) {
    int precision = FactsOf(type).p;
    tally.effective.Add(precision, precision, count * set.components());
  }
  return true;
}

std::string ShapeProblem(const LeafAcceptance& leaf, const Literal& actual) {
  if (leaf.token) return actual.shape().IsToken() ? "" : "expected a token";
  const Shape& expected = leaf.set.shape();
  if (actual.element_type() != expected.element_type() ||
      actual.shape().dimensions() != expected.dimensions()) {
    return absl::StrCat("expected shape ", expected.ToString(false), ", found ",
                        actual.shape().ToString(false));
  }
  // A dynamic array of unspecified sets has unspecified sizes as well.
  if (leaf.shape.is_dynamic() && leaf.set.runtime_sizes.empty() && !leaf.set.exact() &&
      absl::c_all_of(leaf.set.sets(), [](const AcceptanceSet& s) { return s.unspecified(); })) {
    return "";
  }
  std::vector<int64_t> sizes =
      leaf.set.runtime_sizes.empty() ? expected.dimensions() : leaf.set.runtime_sizes;
  if (actual.runtime_sizes() == sizes) return "";
  return absl::StrCat("expected run-time sizes (", absl::StrJoin(sizes, ","), "), found (",
                      absl::StrJoin(actual.runtime_sizes(), ","), ")");
}

// Checks each predicate once on the outputs that are its values.
absl::flat_hash_map<const JointPredicate*, JointPredicate::Verdict> CheckJoint(
    const ModuleAcceptance& accepted, absl::Span<const Literal> actual, Tally& tally) {
  const JointValues values(accepted, actual);
  absl::flat_hash_map<const JointPredicate*, JointPredicate::Verdict> verdicts;
  for (const auto& [joint, slots] : values.slots()) {
    JointPredicate::Verdict verdict = joint->Check(slots);
    if (verdict.checked && !verdict.ok) {
      const int64_t output = values.OutputOf(*joint, verdict.slot);
      const SetArray& set = accepted.leaves[output].set;
      const int64_t place = JointValues::PlaceOf(set, verdict.index);
      RecordFailure(accepted, output, actual[output], place,
                    joint->kind() + ": " + verdict.expected, set.origin, tally, verdict.nan_bits);
      tally.by_joint.emplace(output, place);
    }
    verdicts[joint] = std::move(verdict);
  }
  return verdicts;
}

// Returns the widest set of a leaf as text: "[16.375, 41.5] at [0,1]".
std::string WidestSetText(const SetArray& set, absl::Span<const int64_t> dimensions) {
  int64_t widest = 0;
  double widest_bits = -1;
  for (int64_t i = 0; i < set.element_count(); ++i) {
    const double bits = Log2Count(set.At(i), ComponentType(set.element_type()));
    if (bits > widest_bits) widest = i, widest_bits = bits;
  }
  return absl::StrCat(ElementSetText(set, widest), " at [",
                      absl::StrJoin(MultiIndex(widest, dimensions), ","), "]");
}

// Records a leaf of which too little was checked. The criterion is the share of the type's values
// that the sets reject, so that a set of all numbers of one sign does not count as checked. A
// majority of well-checked elements does not compensate for hardly checked ones.
void RecordBarelyCheckedLeaf(const LeafAcceptance& leaf, int64_t output, const Tally& before,
                             Tally& tally) {
  const SetArray& set = leaf.set;
  PrimitiveType type = set.element_type();
  const int64_t parts = (tally.elements - before.elements) * set.components();
  if (parts == 0 || !tally.barely_checked.empty()) return;
  const double bits = (tally.bits - before.bits) / static_cast<double>(parts);
  if (bits < kBitsOfLeaf && (IsFloat(type) || IsComplex(type))) {
    tally.barely_checked =
        absl::StrFormat("output %d: only %.2f bits per element are checked", output, bits);
  } else if (static_cast<double>(tally.open) >
             kNearlyUnspecifiedShare * static_cast<double>(parts)) {
    tally.barely_checked = absl::StrFormat(
        "%d of %d elements of output %d have sets of over %s of the type's values; the widest: %s",
        tally.open, parts, output, IsFloat(type) || IsComplex(type) ? "a quarter" : "half",
        WidestSetText(set, leaf.shape.dimensions()));
  }
}

void JudgeLeaf(const ModuleAcceptance& accepted, int64_t output, const Literal& actual,
               const JointPredicate::Verdict* joint, Tally& tally) {
  const SetArray& set = accepted.leaves[output].set;
  if (SettledByBits(set, actual, tally)) return;
  PrimitiveType type = set.element_type();
  const FloatFacts* facts = IsFloat(type) || IsComplex(type) ? &FactsOf(type) : nullptr;
  Tally before = {};
  before.unspecified = tally.unspecified;
  before.elements = tally.elements;
  before.bits = tally.bits;
  tally.joint_bits = joint != nullptr && joint->checked ? joint->bits_per_element : 0;
  tally.draws = set.joint != nullptr && set.joint->draws();
  tally.open = 0;
  if (!JudgedByIntervals(accepted, output, actual, tally)) {
    double rms = set.exact() || facts == nullptr ? 0 : RootMeanSquare(set);
    ForEachLive(actual, [&](int64_t index) {
      JudgeElement(accepted, output, actual, index, facts, rms, tally);
    });
  }
  if (joint != nullptr && joint->checked && joint->bits_per_element > 0) {
    // Counts what the predicate has checked, even if the sets of the single elements are wide.
    int64_t count = tally.elements - before.elements;
    tally.bits = before.bits + std::max(tally.bits - before.bits, joint->bits_per_element * count);
    tally.unspecified = before.unspecified;
  }
  RecordBarelyCheckedLeaf(accepted.leaves[output], output, before, tally);
  const bool improbable = joint != nullptr && !joint->checked && !joint->expected.empty();
  if (improbable) tally.barely_checked = absl::StrCat("output ", output, ": ", joint->expected);
  tally.draws = false;
}

JudgeResult Failed(std::string reason) {
  return {.outcome = Outcome::kFail, .reason = std::move(reason)};
}

JudgeResult Conclude(const ModuleAcceptance& accepted, Tally& tally, bool only_tokens) {
  JudgeResult result{.elements = tally.elements,
                     .unspecified_elements = tally.unspecified,
                     .failed_elements = tally.failed,
                     .only_nan_bits = tally.failed > 0 && tally.nan_bits == tally.failed};
  if (tally.elements > 0) result.bits_checked_mean = tally.bits / tally.elements;
  result.effective = tally.effective.Summarize();
  result.effective.draws = tally.draw_count;
  if (tally.failed == 0) result.freedoms = FreedomsOf(accepted);
  result.first_failure = std::move(tally.first);
  if (tally.failed > 0) {
    result.outcome = Outcome::kFail;
    const FirstFailure& f = *result.first_failure;
    result.reason = absl::StrCat("output ", f.output, " at [", absl::StrJoin(f.index, ","),
                                 "]: accepted ", f.accepted, ", found ", f.actual, " (",
                                 tally.failed, " of ", tally.elements, " elements)");
  } else if (tally.elements == 0 && !only_tokens && tally.empty_leaves == 0) {
    result.outcome = Outcome::kError;
    result.reason = "no element of the outputs was compared";
  } else if (tally.elements > 0 && (tally.unspecified == tally.elements || tally.bits <= 0)) {
    result.outcome = Outcome::kInconclusive;
    result.reason = "every element may have any value";
  } else if (!tally.barely_checked.empty() || result.effective.mostly_below_two_bits) {
    result.outcome = Outcome::kInconclusive;
    result.too_few_bits = true;
    result.reason = tally.barely_checked;
    if (result.reason.empty()) {
      result.reason = absl::StrFormat(
          "most floating-point elements are checked to fewer than 2 significant bits (median %.2f)",
          result.effective.median);
    }
  } else {
    result.outcome = Outcome::kPass;
  }
  return result;
}

}  // namespace

JudgeResult JudgeLeaves(const ModuleAcceptance& accepted, absl::Span<const Literal> actual) {
  if (accepted.leaves.size() != actual.size()) {
    return Failed(
        absl::StrCat("expected ", accepted.leaves.size(), " outputs, found ", actual.size()));
  }
  bool only_tokens = true;  // stays true for an empty tuple, which has nothing to compare
  for (size_t i = 0; i < actual.size(); ++i) {
    std::string problem = ShapeProblem(accepted.leaves[i], actual[i]);
    if (!problem.empty()) return Failed(absl::StrCat("output ", i, ": ", problem));
    only_tokens = only_tokens && accepted.leaves[i].token;
  }
  Tally tally;
  auto joint = CheckJoint(accepted, actual, tally);
  for (size_t i = 0; i < actual.size(); ++i) {
    const LeafAcceptance& leaf = accepted.leaves[i];
    if (leaf.token) continue;
    if (actual[i].element_count() == 0) ++tally.empty_leaves;
    auto found = joint.find(leaf.set.joint.get());
    JudgeLeaf(accepted, static_cast<int64_t>(i), actual[i],
              found == joint.end() ? nullptr : &found->second, tally);
  }
  return Conclude(accepted, tally, only_tokens);
}

}  // namespace hlocts
