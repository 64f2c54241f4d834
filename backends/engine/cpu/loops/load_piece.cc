// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/loops/load_piece.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <tuple>

#include "backends/engine/cpu/elementwise/kernel.h"
#include "backends/engine/cpu/loops/load_view.h"
#include "spec/ir/element_width.h"

namespace hlocts::cpu {
namespace {

using plan::Piece;
using plan::PieceDimension;

template <typename T>
void CopyStrided(const T* from, int64_t stride, int64_t count, int64_t step, T* to) {
  if (step == 1 && stride == 0) return FillElements(from, sizeof(T), count, to);
  if (step == 1 && stride == 1) {
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < count; ++i) to[i * step] = from[i * stride];
}

// Copies rows of kElements elements, which are too short for a call for each row.
template <typename T, int kElements>
void CopyFewOfEach(const T* from, int64_t from_row, int64_t rows, int64_t to_row, T* to) {
  for (; rows > 0; --rows, from += from_row, to += to_row) {
    std::memcpy(to, from, kElements * sizeof(T));
  }
}

// Copies `count` elements of each row. Adjacent elements of a row are `stride` apart in the source
// and `step` apart in the result.
template <typename T>
void CopyNarrowRows(const T* from, int64_t from_row, int64_t stride, int64_t rows, int64_t count,
                    T* to, int64_t to_row, int64_t step) {
  using Copy = void (*)(const T*, int64_t, int64_t, int64_t, T*);
  static constexpr Copy kShort[] = {CopyFewOfEach<T, 1>, CopyFewOfEach<T, 2>, CopyFewOfEach<T, 3>,
                                    CopyFewOfEach<T, 4>};
  const int64_t together = stride == 1 && step == 1 ? static_cast<int64_t>(std::size(kShort)) : 1;
  for (int64_t i = 0, run; i < count; i += run) {
    run = std::min(together, count - i);
    kShort[run - 1](from + i * stride, from_row, rows, to_row, to + i * step);
  }
}

// Iterates over the rows of an assembled array. A row extends along the innermost dimension. A
// plane is the set of rows along the second innermost dimension.
class RowWalk {
 public:
  RowWalk(const Piece& piece, int64_t row)
      : piece_(piece), index_(std::max<size_t>(piece.dimensions.size(), 2) - 1) {
    for (size_t d = index_.size(); d-- > 0;) std::tie(row, index_[d]) = Divided(row, Of(d).size);
  }
  int64_t row() const { return index_.back(); }
  const PieceDimension& plane() const { return Of(index_.size() - 1); }
  // Returns the number of rows from this one to the end of the plane.
  int64_t Left() const { return plane().size - row(); }
  // Advances by `rows` rows, which must be at most Left().
  void Advance(int64_t rows) {
    index_.back() += rows;
    for (size_t d = index_.size() - 1; d > 0 && index_[d] == Of(d).size; --d) {
      index_[d] = 0;
      ++index_[d - 1];
    }
  }
  // Returns the offset of the plane's elements in the piece's array, or -1 if the plane contains no
  // element of the piece.
  int64_t PlaneStart() const {
    int64_t at = piece_.offset;
    for (size_t d = 0; d + 1 < index_.size(); ++d) {
      const PieceDimension& dimension = Of(d);
      const int64_t beyond = index_[d] - dimension.low;
      if (beyond < 0) return -1;
      const auto [number, rest] = Divided(beyond, dimension.step);
      if (rest != 0 || number >= dimension.count) return -1;
      at += number * dimension.stride;
    }
    return at;
  }

 private:
  const PieceDimension& Of(size_t d) const {
    static constexpr PieceDimension kOneRow;
    return piece_.dimensions.size() > 1 ? piece_.dimensions[d] : kOneRow;
  }

  const Piece& piece_;
  absl::InlinedVector<int64_t, 6> index_;
};

// Returns the index, in the piece, of the first element at position `place` or after it.
int64_t NumberFrom(const PieceDimension& along, int64_t place) {
  const int64_t beyond = std::max<int64_t>(place - along.low, 0) + along.step - 1;
  return std::min(Divided(beyond, along.step).first, along.count);
}

// Copies positions [column, column + run) of `rows` rows of a plane, beginning with walk.row().
// `out` is the address of the first position.
template <typename T>
void LoadRows(const PieceDimension& inner, const RowWalk& walk, const T* array, int64_t rows,
              int64_t column, int64_t run, T* out) {
  constexpr int64_t kNarrow = 16;  // rows with fewer elements are copied by columns
  const int64_t at = walk.PlaneStart();
  if (at < 0) return;
  const PieceDimension& plane = walk.plane();
  const int64_t row = NumberFrom(plane, walk.row()), row_end = NumberFrom(plane, walk.row() + rows);
  const int64_t first = NumberFrom(inner, column), end = NumberFrom(inner, column + run);
  if (row >= row_end || first >= end) return;
  const int64_t from_row = plane.stride, to_row = plane.step * inner.size;
  const T* from = array + at + row * from_row + first * inner.stride;
  T* to = out + (plane.low + row * plane.step - walk.row()) * inner.size +
          (inner.low + first * inner.step - column);
  if (end - first < kNarrow && row_end - row > end - first) {
    return CopyNarrowRows(from, from_row, inner.stride, row_end - row, end - first, to, to_row,
                          inner.step);
  }
  for (int64_t r = row; r < row_end; ++r, from += from_row, to += to_row) {
    CopyStrided(from, inner.stride, end - first, inner.step, to);
  }
}

// Returns true if positions [start, start + count) are all before or all after the piece.
bool IsOutside(const Piece& piece, int64_t start, int64_t count) {
  const PieceDimension& outer = piece.dimensions[0];
  int64_t inner = 1;
  for (size_t d = 1; d < piece.dimensions.size(); ++d) inner *= piece.dimensions[d].size;
  const int64_t last = outer.low + (outer.count - 1) * outer.step;
  return start + count <= outer.low * inner || start >= (last + 1) * inner;
}

template <typename T>
void LoadPieceAs(const Piece& piece, const uint8_t* array, int64_t start, int64_t count,
                 uint8_t* out) {
  const PieceDimension& inner = piece.dimensions.back();
  auto [row, column] = Divided(start, inner.size);
  RowWalk walk(piece, row);
  const T* from = reinterpret_cast<const T*>(array);
  T* to = reinterpret_cast<T*>(out);
  while (count > 0) {
    const bool whole = column == 0 && count >= inner.size;
    const int64_t rows = whole ? std::min(walk.Left(), Divided(count, inner.size).first) : 1;
    const int64_t run = whole ? inner.size : std::min(count, inner.size - column);
    LoadRows(inner, walk, from, rows, column, run, to);
    to += rows * run;
    count -= rows * run;
    column = 0;
    walk.Advance(rows);
  }
}

}  // namespace

void LoadPiece(const Piece& piece, int width, const uint8_t* array, int64_t start, int64_t count,
               uint8_t* out) {
  if (count <= 0 || piece.IsEmpty() || IsOutside(piece, start, count)) return;
  VisitWidth(width,
             [&](auto zero) { LoadPieceAs<decltype(zero)>(piece, array, start, count, out); });
}

namespace {

bool CoversAll(const PieceDimension& along, int64_t place, int64_t count) {
  return along.step == 1 && along.stride == 1 && place >= along.low &&
         place + count <= along.low + along.count;
}

// Returns the address of positions [start, start + count), which must be in one row, if they are
// contiguous in the piece's array. Returns null otherwise.
const uint8_t* RunInPiece(const Piece& piece, int width, const uint8_t* array, int64_t start,
                          int64_t count) {
  const PieceDimension& inner = piece.dimensions.back();
  const auto [row, column] = Divided(start, inner.size);
  if (!CoversAll(inner, column, count) || column + count > inner.size) return nullptr;
  const RowWalk walk(piece, row);
  const int64_t plane = walk.PlaneStart();
  const int64_t number = NumberFrom(walk.plane(), walk.row());
  const bool shown = plane >= 0 && number < NumberFrom(walk.plane(), walk.row() + 1);
  if (!shown) return nullptr;
  return array + (plane + number * walk.plane().stride + column - inner.low) * width;
}

}  // namespace

const uint8_t* RunInPieces(absl::Span<const LoadedPiece> pieces, int width,
                           const uint8_t* const* arrays, int64_t start, int64_t count) {
  for (const LoadedPiece& loaded : pieces) {
    if (loaded.piece.IsEmpty() || IsOutside(loaded.piece, start, count)) continue;
    const uint8_t* run = RunInPiece(loaded.piece, width, arrays[loaded.array], start, count);
    if (run != nullptr) return run;
  }
  return nullptr;
}

void Assemble(int filling, absl::Span<const LoadedPiece> pieces, int width,
              const uint8_t* const* arrays, int64_t start, int64_t count, uint8_t* out) {
  if (filling >= 0) FillElements(arrays[filling], width, count, out);
  for (const LoadedPiece& loaded : pieces) {
    LoadPiece(loaded.piece, width, arrays[loaded.array], start, count, out);
  }
}

}  // namespace hlocts::cpu
