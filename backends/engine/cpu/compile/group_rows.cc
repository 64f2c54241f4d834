// SPDX-License-Identifier: Apache-2.0
// Groups steps that can run together on a few rows at a time.
#include <unistd.h>

#include <algorithm>

#include "absl/algorithm/container.h"
#include "backends/engine/cpu/compile/function_builder.h"
#include "backends/engine/cpu/groups/part_group.h"

namespace hlocts::cpu {
namespace {

constexpr int64_t kRowsTogether = 16;             // number that the widest vector reduces at once
constexpr int64_t kGroupedElementsMin = 1 << 14;  // 1 in guard mode

// Returns the number of bytes that the rows of a group may occupy. No result depends on it.
int64_t TileBytes() {
  return std::clamp<int64_t>(sysconf(_SC_LEVEL2_CACHE_SIZE) / 2, 128 << 10, 512 << 10);
}

// Returns true if the step can run on each of `rows` rows separately.
bool WorksOnRows(const RowWork& work, int64_t rows) {
  if (work.is_reduce) return work.rows == rows;
  return work.loop != nullptr && work.elements > 0 && work.elements % rows == 0;
}

}  // namespace

// Merges each reduction of rows with the adjacent drafts that can run row by row.
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

// Returns the number of elements of the buffer, which is an operand of a step with this `work`.
int64_t FunctionBuilder::ElementsOf(int32_t buffer, const RowWork& work, size_t operand) const {
  if (work.is_reduce) return buffers_[buffer].bytes / StorageBytes(work.type);
  const int width = work.loop->WidthOf(static_cast<int>(operand));
  return width == 0 ? 0 : buffers_[buffer].bytes / width;
}

// Returns true if row r of the draft's result depends only on row r of the operand.
bool FunctionBuilder::ReadsOwnRows(const Draft& draft, size_t operand, int64_t rows) const {
  const RowWork& work = draft.step.rows;
  const int64_t elements = ElementsOf(draft.in[operand], work, operand);
  if (work.is_reduce) return operand == 0 && elements == rows * work.size;
  return elements % rows == 0 &&
         ReadsOwnRow(*work.loop, static_cast<int>(operand), work.elements, rows, elements / rows);
}

FunctionBuilder::Draft FunctionBuilder::GroupOf(size_t first, size_t end, int64_t rows) {
  const BufferMapping wiring = BufferMappingOf(first, end);
  std::vector<PartGroup::Member> members;
  std::vector<PartGroup::Internal> internals;
  std::vector<bool> own(wiring.in.size(), true);
  int64_t row_bytes = 0;
  for (size_t d = first; d < end; ++d) {
    const BufferMapping::Member& member = wiring.members[d - first];
    for (size_t k = 0; k < member.in.size(); ++k) {
      if (member.in[k].kind != OperandLocation::Kind::kIn || member.in[k].number < 0) continue;
      own[member.in[k].number] = own[member.in[k].number] && ReadsOwnRows(drafts_[d], k, rows);
    }
    const RowWork& work = drafts_[d].step.rows;
    const bool leaves = absl::c_all_of(member.out, [](const OperandLocation& place) {
      return place.kind == OperandLocation::Kind::kOut;
    });
    members.push_back({PartsOf(work, rows, leaves), member.in, member.out});
    row_bytes = std::max(row_bytes, 4 * (work.is_reduce ? work.size : work.elements / rows));
  }
  for (int32_t buffer : wiring.internal) row_bytes += buffers_[buffer].bytes / rows;
  int64_t at_once = std::max<int64_t>(1, TileBytes() / std::max<int64_t>(row_bytes, 1));
  if (at_once > kRowsTogether) at_once -= at_once % kRowsTogether;
  int64_t working_bytes = 0;
  for (int32_t buffer : wiring.internal) {
    internals.push_back({buffers_[buffer].bytes / rows, working_bytes});
    working_bytes += (internals.back().part_bytes * at_once + 63) / 64 * 64;
  }
  const auto group =
      std::make_shared<PartGroup>(rows, at_once, std::move(members), std::move(internals),
                                  working_bytes, kernels::Parallel(compiler_.options().threads));
  Draft draft;
  draft.in = wiring.in;
  draft.out = wiring.out;
  draft.step.run = [group](Run& run, In in, Out out) { return (*group)(run, in, out); };
  draft.step.parts = [group, own](int64_t parts) -> std::optional<PartitionedStep> {
    if (group->parts() % parts != 0) return std::nullopt;
    const int64_t count = group->parts() / parts;
    return PartitionedStep{own, group->cost_ns() * static_cast<double>(count),
                           [group, count](In in, Out out, int64_t begin, int64_t end) {
                             return group->RunParts(in, out, begin * count, end * count);
                           }};
  };
  return draft;
}

}  // namespace hlocts::cpu
