// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/groups/row_group.h"

#include <algorithm>

#include "backends/engine/cpu/base/for_ranges.h"
#include "backends/engine/cpu/base/scratch.h"

namespace hlocts::cpu {
namespace {

constexpr int64_t kTileBytes = 32 << 10;  // what the rows in work may take of the cache

// Rows that a reduction takes between two shares of what is fetched.
int64_t RowsOfShare(const RowWork& work) {
  return std::max<int64_t>(1, LoopProgram::kBlock / std::max<int64_t>(work.size, 1));
}

}  // namespace

bool RowGroup::ReadsOwnRow(const LoopProgram& loop, int array, int64_t elements, int64_t rows,
                           int64_t row_elements) {
  for (const plan::View* view : loop.ViewsOf(array)) {
    // An element of the view belongs to the row of its number; only one that is a whole array of
    // the loop's size can be cut into rows.
    if (view == nullptr || view->elements() != elements) return false;
    const auto cut = plan::Reshaped(*view, {rows, elements / rows});
    int64_t first = view->offset, last = view->offset;
    if (cut.has_value()) {
      const plan::ViewDimension& inner = cut->dimensions[1];
      const int64_t reach = (inner.size - 1) * inner.stride;
      first += std::min<int64_t>(reach, 0);
      last += std::max<int64_t>(reach, 0);
      if (rows > 1 && cut->dimensions[0].stride != row_elements) return false;
    } else {
      // Several inner dimensions: the outermost must be the rows themselves.
      if (view->dimensions.empty() || view->dimensions[0].size != rows ||
          view->dimensions[0].stride != row_elements) {
        return false;
      }
      for (size_t d = 1; d < view->dimensions.size(); ++d) {
        const int64_t reach = (view->dimensions[d].size - 1) * view->dimensions[d].stride;
        first += std::min<int64_t>(reach, 0);
        last += std::max<int64_t>(reach, 0);
      }
    }
    if (first < 0 || last >= row_elements) return false;
  }
  return true;
}

RowGroup::RowGroup(int64_t rows, std::vector<Member> members, std::vector<Internal> internals,
                   const kernels::Parallel& parallel)
    : rows_(rows),
      members_(std::move(members)),
      internals_(std::move(internals)),
      parallel_(parallel) {
  int64_t row_bytes = 0;
  for (const Internal& internal : internals_) row_bytes += internal.row_bytes;
  for (const Member& member : members_) {
    const int64_t size = member.work.is_reduce ? member.work.size : member.work.elements / rows;
    row_cost_ +=
        static_cast<double>(size) * (member.work.is_reduce ? 0.1 : member.work.loop->cost_ns());
    row_bytes = std::max(row_bytes, size * 4);
  }
  FindStreams();
  rows_at_once_ = std::max<int64_t>(1, kTileBytes / std::max<int64_t>(row_bytes, 1));
}

absl::Status RowGroup::RunMember(const Member& member, In in, Out out, uint8_t* const* internals,
                                 int64_t begin, int64_t end, LineFetcher& fetcher) const {
  // Internal memory holds rows from `begin` on: its array would begin that much earlier.
  auto array = [&](const GroupPlace& place) -> uint8_t* {
    if (place.kind == GroupPlace::Kind::kOut) return out[place.number];
    return internals[place.number] - begin * internals_[place.number].row_bytes;
  };
  uint8_t* result = array(member.out);
  absl::InlinedVector<const uint8_t*, 8> arrays;
  for (const GroupPlace& place : member.in) {
    arrays.push_back(place.kind == GroupPlace::Kind::kIn ? in[place.number] : array(place));
  }
  const RowWork& work = member.work;
  if (!work.is_reduce) {
    const int64_t size = work.elements / rows_;
    work.loop->Run(arrays.data(), &result, begin * size, end * size, &fetcher);
    return absl::OkStatus();
  }
  const int64_t width = StorageBytes(work.type), step = RowsOfShare(work);
  for (int64_t row = begin; row < end; row += step) {
    fetcher.Share();
    HLOCTS_RETURN_IF_ERROR(
        kernels::RowReduce({work.kind, work.type, std::min(step, end - row), work.size,
                            arrays[0] + row * work.size * width, arrays[1], result + row * width}));
  }
  return absl::OkStatus();
}

// What lies outside and is read or written at the very row in work.
void RowGroup::FindStreams() {
  auto add = [&](const GroupPlace& place, int64_t row_bytes) {
    if (place.kind == GroupPlace::Kind::kInternal) return;
    const Stream stream = {place, row_bytes};
    for (const Stream& known : streams_) {
      if (known.place.kind == place.kind && known.place.number == place.number) return;
    }
    streams_.push_back(stream);
  };
  for (const Member& member : members_) {
    const RowWork& work = member.work;
    const int64_t width = work.is_reduce ? StorageBytes(work.type) : work.width;
    const int64_t row = work.is_reduce ? work.size : work.elements / rows_;
    add(member.out, (work.is_reduce ? 1 : row) * width);
    if (work.is_reduce) add(member.in[0], row * width);
    for (size_t k = 0; !work.is_reduce && k < member.in.size(); ++k) {
      const int in_width = work.loop->StreamWidth(static_cast<int>(k));
      if (in_width > 0) add(member.in[k], row * in_width);
    }
  }
}

// How often the members ask for a share while they run over so many rows.
int64_t RowGroup::SharesOf(int64_t rows) const {
  int64_t shares = 0;
  for (const Member& member : members_) {
    const RowWork& work = member.work;
    shares += work.is_reduce ? (rows + RowsOfShare(work) - 1) / RowsOfShare(work)
                             : work.loop->SharesOf(rows * (work.elements / rows_));
  }
  return shares;
}

// These rows' memory comes while others are computed.
void RowGroup::FetchRows(In in, Out out, int64_t begin, int64_t end, LineFetcher& fetcher) const {
  fetcher.Start(SharesOf(rows_at_once_));
  for (const Stream& stream : streams_) {
    const bool is_in = stream.place.kind == GroupPlace::Kind::kIn;
    const uint8_t* from = is_in ? in[stream.place.number] : out[stream.place.number];
    fetcher.Add(from + begin * stream.row_bytes, (end - begin) * stream.row_bytes);
  }
}

absl::Status RowGroup::RunRows(In in, Out out, int64_t begin, int64_t end) const {
  int64_t bytes = 0;
  const int64_t at_once = std::min(rows_at_once_, end - begin);
  auto aligned = [&](const Internal& internal) {
    return (internal.row_bytes * at_once + 63) / 64 * 64;
  };
  for (const Internal& internal : internals_) bytes += aligned(internal);
  ScratchBuffer scratch(bytes);
  absl::InlinedVector<uint8_t*, 8> internals;
  uint8_t* free = scratch.data();
  for (const Internal& internal : internals_) {
    internals.push_back(free);
    free += aligned(internal);
  }
  LineFetcher fetcher;
  for (int64_t row = begin; row < end; row += at_once) {
    const int64_t stop = std::min(end, row + at_once);
    FetchRows(in, out, stop, std::min(end, stop + at_once), fetcher);
    for (const Member& member : members_) {
      HLOCTS_RETURN_IF_ERROR(RunMember(member, in, out, internals.data(), row, stop, fetcher));
    }
  }
  return absl::OkStatus();
}

absl::Status RowGroup::operator()(Run&, In in, Out out) const {
  return ForRanges(
      parallel_, rows_, row_cost_,
      [&](int64_t begin, int64_t end) { return RunRows(in, out, begin, end); }, rows_at_once_);
}

}  // namespace hlocts::cpu
