// Which steps of a function run row by row together.
#include <algorithm>

#include "backends/cpu/function_builder.h"

namespace hlocts::cpu {
namespace {

constexpr int64_t kGroupedElementsMin = 1 << 14;

// Whether the step works on `rows` rows.
bool WorksOnRows(const RowWork& work, int64_t rows) {
  if (work.is_reduce) return work.rows == rows;
  return work.loop != nullptr && work.elements > 0 && work.elements % rows == 0;
}

int64_t RowElements(const RowWork& work, int64_t rows) {
  return work.is_reduce ? 1 : work.elements / rows;
}

}  // namespace

// Whether draft `d` may join the drafts from `first` on, which hand it rows of `rows`.
bool FunctionBuilder::JoinsRows(size_t first, size_t d, int64_t rows) const {
  const RowWork& work = drafts_[d].step.rows;
  if (!WorksOnRows(work, rows)) return false;
  for (size_t m = first; m < d; ++m) {
    const int32_t made = drafts_[m].out[0];
    const int64_t row_elements = RowElements(drafts_[m].step.rows, rows);
    for (size_t k = 0; k < drafts_[d].in.size(); ++k) {
      if (drafts_[d].in[k] != made) continue;
      if (work.is_reduce) {
        if (k != 0 || row_elements != work.size) return false;
      } else if (!RowGroup::ReadsOwnRow(*work.loop, static_cast<int>(k), work.elements, rows,
                                        row_elements)) {
        return false;
      }
    }
  }
  return true;
}

// The drafts around a reduction of rows that can run row by row with it become one.
void FunctionBuilder::GroupRows() {
  std::vector<Draft> grouped;
  size_t begin = 0;  // first draft that is in no group yet
  for (size_t a = 0; a < drafts_.size(); ++a) {
    const RowWork& anchor = drafts_[a].step.rows;
    if (!anchor.is_reduce || anchor.rows * anchor.size < kGroupedElementsMin || a < begin) continue;
    size_t first = a;
    while (first > begin && WorksOnRows(drafts_[first - 1].step.rows, anchor.rows)) --first;
    for (size_t d = first + 1; d <= a; ++d) {
      if (!JoinsRows(first, d, anchor.rows)) first = d;
    }
    size_t end = a + 1;
    while (end < drafts_.size() && JoinsRows(first, end, anchor.rows)) ++end;
    for (size_t d = begin; d < first; ++d) grouped.push_back(std::move(drafts_[d]));
    if (end - first > 1) {
      grouped.push_back(GroupOf(first, end, anchor.rows));
    } else {
      grouped.push_back(std::move(drafts_[a]));
    }
    begin = end;
  }
  for (size_t d = begin; d < drafts_.size(); ++d) grouped.push_back(std::move(drafts_[d]));
  drafts_ = std::move(grouped);
}

// Whether a draft outside [first, end) reads the buffer, or the caller does.
bool FunctionBuilder::IsReadOutside(int32_t buffer, size_t first, size_t end) const {
  if (buffers_[buffer].result >= 0) return true;
  for (size_t d = end; d < drafts_.size(); ++d) {
    const std::vector<int32_t>& in = drafts_[d].in;
    if (std::find(in.begin(), in.end(), buffer) != in.end()) return true;
  }
  return false;
}

FunctionBuilder::Draft FunctionBuilder::GroupOf(size_t first, size_t end, int64_t rows) {
  using Place = RowGroup::Place;
  Draft draft;
  std::vector<RowGroup::Member> members;
  std::vector<RowGroup::Internal> internals;
  std::vector<std::pair<int32_t, Place>> made;
  for (size_t d = first; d < end; ++d) {
    RowGroup::Member member;
    member.work = drafts_[d].step.rows;
    for (int32_t buffer : drafts_[d].in) {
      auto own = std::find_if(made.begin(), made.end(),
                              [&](const auto& entry) { return entry.first == buffer; });
      if (own != made.end()) {
        member.in.push_back(own->second);
        continue;
      }
      auto found = std::find(draft.in.begin(), draft.in.end(), buffer);
      if (found == draft.in.end()) found = draft.in.insert(found, buffer);
      member.in.push_back({Place::Kind::kIn, static_cast<int32_t>(found - draft.in.begin())});
    }
    const int32_t buffer = drafts_[d].out[0];
    if (IsReadOutside(buffer, first, end)) {
      member.out = {Place::Kind::kOut, static_cast<int32_t>(draft.out.size())};
      draft.out.push_back(buffer);
    } else {
      member.out = {Place::Kind::kInternal, static_cast<int32_t>(internals.size())};
      internals.push_back({buffers_[buffer].bytes / rows});
    }
    made.push_back({buffer, member.out});
    members.push_back(std::move(member));
  }
  draft.step.run = RowGroup(rows, std::move(members), std::move(internals),
                            kernels::Parallel(compiler_.options().threads));
  return draft;
}

}  // namespace hlocts::cpu
