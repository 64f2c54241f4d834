// SPDX-License-Identifier: Apache-2.0
// Which steps of a function run row by row together.
#include <algorithm>

#include "backends/engine/cpu/compile/function_builder.h"

namespace hlocts::cpu {
namespace {

constexpr int64_t kGroupedElementsMin = 1 << 14;  // with guards: any

// Whether the step works on `rows` rows.
bool WorksOnRows(const RowWork& work, int64_t rows) {
  if (work.is_reduce) return work.rows == rows;
  return work.loop != nullptr && work.elements > 0 && work.elements % rows == 0;
}

}  // namespace

// The drafts around a reduction of rows that can run row by row with it become one.
void FunctionBuilder::GroupRows() {
  const int64_t elements_min = compiler_.options().guard ? 1 : kGroupedElementsMin;
  Gather({[&](size_t a) {
            const RowWork& work = drafts_[a].step.rows;
            return work.is_reduce && work.rows * work.size >= elements_min ? work.rows : 0;
          },
          [&](size_t d, int64_t rows) { return WorksOnRows(drafts_[d].step.rows, rows); },
          [&](size_t d, size_t k, int64_t rows) { return ReadsOwnRows(drafts_[d], k, rows); },
          [&](size_t first, size_t end, int64_t rows) -> std::optional<Draft> {
            return GroupOf(first, end, rows);
          }});
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
