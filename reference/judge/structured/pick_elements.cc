// SPDX-License-Identifier: Apache-2.0
// Gathers the sets of moved elements by the element numbers that the evaluator moved.
#include <algorithm>

#include "reference/judge/interpreter/handlers.h"
#include "reference/judge/joint/moved_joint.h"
#include "spec/judge/choices.h"
#include "spec/judge/interval_columns.h"

namespace hlocts::reference {
namespace {

constexpr int64_t kColumnsMin = 64;

// Returns the columns of each source, in the order of `sources`. Returns {} if a source cannot be
// stored as columns, or if the pre-rounding intervals of sources are of different kinds.
std::vector<std::shared_ptr<const IntervalColumns>> SourceColumns(
    absl::Span<const SetArray* const> sources, bool& hull, bool& contractible) {
  std::vector<std::shared_ptr<const IntervalColumns>> all;
  bool other = false;
  hull = contractible = false;
  for (const SetArray* source : sources) {
    std::shared_ptr<const IntervalColumns> columns = ColumnsOf(*source);
    if (columns == nullptr) return {};
    hull = hull || columns->has_pre_rounding();
    if (columns->has_pre_rounding()) (columns->contractible() ? contractible : other) = true;
    all.push_back(std::move(columns));
  }
  if (contractible && other) return {};
  return all;
}

template <typename T>
void Gather(const T* from, const int64_t* at, int64_t count, T* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = from[at[i]];
}

// Copies the elements numbered `at` from the columns of one source. Returns false if the source has
// elements that are not ordinary or a number is out of range.
bool PickAllOrdinary(const IntervalColumns& from, const int64_t* at, IntervalColumns& to) {
  bool inside = from.rest().empty();
  for (int64_t i = 0; i < to.count(); ++i) inside &= (at[i] >= 0) & (at[i] < from.count());
  if (!inside) return false;
  Gather(from.lo(), at, to.count(), to.lo());
  Gather(from.hi(), at, to.count(), to.hi());
  Gather(from.causes(), at, to.count(), to.causes());
  if (!to.has_pre_rounding()) return true;
  Gather(from.rlo(), at, to.count(), to.rlo());
  Gather(from.rhi(), at, to.count(), to.rhi());
  return true;
}

// Gathers by columns. Returns nullptr if that is impossible or not worthwhile.
std::shared_ptr<IntervalColumns> PickColumns(const Literal& numbers, const Shape& shape,
                                             absl::Span<const SetArray* const> sources) {
  int64_t count = numbers.element_count(), total = 0;
  for (const SetArray* source : sources) total += source->element_count();
  if (!IsFloat(shape.element_type()) || count < kColumnsMin || total == 0) return nullptr;
  bool hull, contractible;
  auto columns = SourceColumns(sources, hull, contractible);
  if (columns.empty()) return nullptr;
  auto picked = std::make_shared<IntervalColumns>(count, hull, contractible);
  const int64_t* at = numbers.data<int64_t>().data();
  if (columns.size() == 1 && PickAllOrdinary(*columns[0], at, *picked)) return picked;
  for (int64_t i = 0; i < count; ++i) {
    int64_t from = at[i] < 0 || at[i] >= total ? 0 : at[i];
    size_t source = 0;
    while (from >= columns[source]->count()) from -= columns[source++]->count();
    const IntervalColumns& c = *columns[source];
    if (!c.ordinary(from)) {
      picked->Append(i, c.At(from));
      if (static_cast<int64_t>(picked->rest().size()) > count / 8) return nullptr;
      continue;
    }
    picked->lo()[i] = c.lo()[from];
    picked->hi()[i] = c.hi()[from];
    picked->causes()[i] = c.causes()[from];
    if (!hull) continue;
    picked->rlo()[i] = c.has_pre_rounding() ? c.rlo()[from] : c.lo()[from];
    picked->rhi()[i] = c.has_pre_rounding() ? c.rhi()[from] : c.hi()[from];
  }
  return picked;
}

ChoiceMap PickChoices(const Literal& numbers, absl::Span<const SetArray* const> sources) {
  ChoiceMap map;
  int components = sources[0]->components();
  absl::Span<const int64_t> at = numbers.data<int64_t>();
  for (size_t i = 0; i < at.size(); ++i) {
    int64_t from = at[i];
    size_t source = 0;
    while (source < sources.size() && from >= sources[source]->element_count()) {
      from -= sources[source++]->element_count();
    }
    if (from < 0 || source == sources.size() || sources[source]->choices == nullptr) continue;
    for (int c = 0; c < components; ++c) {
      const auto* choices = sources[source]->choices->Find(from * components + c);
      if (choices != nullptr) map.Put(static_cast<int64_t>(i) * components + c, *choices);
    }
  }
  return map;
}

bool AnyHasChoices(absl::Span<const SetArray* const> sources) {
  return std::any_of(sources.begin(), sources.end(),
                     [](const SetArray* source) { return source->choices != nullptr; });
}

SetArray PickSets(const Literal& numbers, const Shape& shape,
                  absl::Span<const SetArray* const> sources, uint32_t origin);

SetArray PickWithChoices(const Literal& numbers, const Shape& shape,
                         absl::Span<const SetArray* const> sources, uint32_t origin) {
  std::vector<SetArray> plain;
  std::vector<const SetArray*> without;
  for (const SetArray* source : sources) plain.push_back(*source);
  for (SetArray& source : plain) {
    source.choices = nullptr;
    without.push_back(&source);
  }
  SetArray result = PickSets(numbers, shape, without, origin);
  if (!result.exact()) SetChoices(PickChoices(numbers, sources), result);
  return result;
}

// Gathers elements one by one. A number is an index into the sources' concatenated elements.
std::vector<AcceptanceSet> PickOneByOne(const Literal& numbers,
                                        absl::Span<const SetArray* const> sources) {
  const int components = sources[0]->components();
  std::vector<std::vector<AcceptanceSet>> converted(sources.size());
  std::vector<const AcceptanceSet*> data;
  std::vector<int64_t> starts;
  int64_t start = 0;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (sources[i]->exact()) converted[i] = sources[i]->AsSets();
    data.push_back(sources[i]->exact() ? converted[i].data() : sources[i]->sets().data());
    starts.push_back(start);
    start += sources[i]->element_count();
  }
  std::vector<AcceptanceSet> sets;
  sets.reserve(numbers.element_count() * components);
  for (int64_t number : numbers.data<int64_t>()) {
    // Padding beyond a run-time size may contain any number.
    if (number < 0 || number >= start) number = 0;
    size_t source = std::upper_bound(starts.begin(), starts.end(), number) - starts.begin() - 1;
    for (int c = 0; c < components; ++c) {
      sets.push_back(start == 0 ? AcceptanceSet()
                                : data[source][(number - starts[source]) * components + c]);
    }
  }
  return sets;
}

SetArray PickSets(const Literal& numbers, const Shape& shape,
                  absl::Span<const SetArray* const> sources, uint32_t origin) {
  if (AnyHasChoices(sources)) return PickWithChoices(numbers, shape, sources, origin);
  if (std::shared_ptr<IntervalColumns> columns = PickColumns(numbers, shape, sources)) {
    bool points = columns->AllPoints();
    SetArray result(shape, std::shared_ptr<const IntervalColumns>(std::move(columns)));
    if (points) result = SetArray(shape, result.AsSets());
    if (numbers.has_runtime_sizes()) result.runtime_sizes = numbers.runtime_sizes();
    result.origin = origin;
    return points ? Compress(std::move(result)) : result;
  }
  SetArray result(shape, PickOneByOne(numbers, sources));
  if (numbers.has_runtime_sizes()) result.runtime_sizes = numbers.runtime_sizes();
  result.origin = origin;
  return Compress(std::move(result));
}

// Propagates the predicate of a source if the result has all elements that the predicate reads.
void CarryJoints(const Literal& numbers, absl::Span<const SetArray* const> sources,
                 SetArray& result) {
  int64_t start = 0;
  for (const SetArray* source : sources) {
    const int64_t end = start + source->element_count();
    if (source->joint != nullptr) {
      std::vector<int64_t> from;
      for (int64_t number : numbers.data<int64_t>()) {
        from.push_back(number >= start && number < end ? number - start : -1);
      }
      PropagateJoint(*source, from, result);
    }
    start = end;
  }
}

}  // namespace

SetArray PickElements(const Literal& numbers, const Shape& shape,
                      absl::Span<const SetArray* const> sources, uint32_t origin) {
  SetArray result = PickSets(numbers, shape, sources, origin);
  if (!numbers.has_runtime_sizes()) CarryJoints(numbers, sources, result);
  return result;
}

}  // namespace hlocts::reference
