// Which steps of a function run row by row together.
#include <algorithm>

#include "backends/cpu/function_builder.h"

namespace hlocts::cpu {
namespace {

constexpr int64_t kGroupedElementsMin = 1 << 14;  // with guards: any

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
  const int64_t elements_min = compiler_.options().guard ? 1 : kGroupedElementsMin;
  std::vector<Draft> grouped;
  size_t begin = 0;  // first draft that is in no group yet
  for (size_t a = 0; a < drafts_.size(); ++a) {
    const RowWork& anchor = drafts_[a].step.rows;
    if (!anchor.is_reduce || anchor.rows * anchor.size < elements_min || a < begin) continue;
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

// Elements of the operand that a member reads.
int64_t FunctionBuilder::ElementsOf(int32_t buffer, const RowWork& work, size_t operand) const {
  if (work.is_reduce) return buffers_[buffer].bytes / StorageBytes(work.type);
  const int width = work.loop->WidthOf(static_cast<int>(operand));
  return width == 0 ? 0 : buffers_[buffer].bytes / width;
}

// Whether row r of the result needs row r of the operand and nothing else of it.
bool FunctionBuilder::ReadsOwnRows(const Draft& draft, size_t operand, int64_t rows) const {
  const RowWork& work = draft.step.rows;
  const int64_t elements = ElementsOf(draft.in[operand], work, operand);
  if (work.is_reduce) return operand == 0 && elements == rows * work.size;
  return elements % rows == 0 && RowGroup::ReadsOwnRow(*work.loop, static_cast<int>(operand),
                                                       work.elements, rows, elements / rows);
}

FunctionBuilder::Draft FunctionBuilder::GroupOf(size_t first, size_t end, int64_t rows) {
  const Wiring wiring = WiringOf(first, end);
  std::vector<RowGroup::Member> members;
  std::vector<RowGroup::Internal> internals;
  std::vector<bool> own(wiring.in.size(), true);
  for (size_t d = first; d < end; ++d) {
    const std::vector<GroupPlace>& in = wiring.members[d - first].in;
    for (size_t k = 0; k < in.size(); ++k) {
      if (in[k].kind != GroupPlace::Kind::kIn || in[k].number < 0) continue;
      own[in[k].number] = own[in[k].number] && ReadsOwnRows(drafts_[d], k, rows);
    }
    members.push_back({drafts_[d].step.rows, in, wiring.members[d - first].out[0]});
  }
  for (int32_t buffer : wiring.internal) internals.push_back({buffers_[buffer].bytes / rows});
  const auto group =
      std::make_shared<const RowGroup>(rows, std::move(members), std::move(internals),
                                       kernels::Parallel(compiler_.options().threads));
  Draft draft;
  draft.in = wiring.in;
  draft.out = wiring.out;
  draft.step.run = [group](Run& run, In in, Out out) { return (*group)(run, in, out); };
  draft.step.parts = [group, own](int64_t parts) -> std::optional<PartWork> {
    if (group->rows() % parts != 0) return std::nullopt;
    const int64_t count = group->rows() / parts;
    return PartWork{own, group->row_cost() * static_cast<double>(count),
                    [group, count](In in, Out out, int64_t part) {
                      return group->RunRows(in, out, part * count, (part + 1) * count);
                    }};
  };
  return draft;
}

}  // namespace hlocts::cpu
