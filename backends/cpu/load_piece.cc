#include "backends/cpu/load_piece.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "backends/cpu/load_view.h"

namespace hlocts::cpu {
namespace {

using plan::Piece;
using plan::PieceDimension;

struct SixteenBytes {
  uint64_t low, high;
};

template <typename T>
void CopyStrided(const uint8_t* from, int64_t stride, int64_t count, int64_t step, uint8_t* to) {
  const T* x = reinterpret_cast<const T*>(from);
  T* r = reinterpret_cast<T*>(to);
  if (stride == 1 && step == 1) {
    std::memcpy(r, x, static_cast<size_t>(count) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < count; ++i) r[i * step] = x[i * stride];
}

// Which row of the array a row of the whole shows, its rows being the innermost dimension.
class RowWalk {
 public:
  RowWalk(const Piece& piece, int64_t row) : piece_(piece), index_(piece.dimensions.size() - 1) {
    for (size_t d = index_.size(); d-- > 0;) {
      std::tie(row, index_[d]) = Divided(row, piece.dimensions[d].size);
    }
  }
  void Next() {
    for (size_t d = index_.size(); d-- > 0;) {
      if (++index_[d] < piece_.dimensions[d].size) return;
      index_[d] = 0;
    }
  }
  // The row's first element; -1 where it shows none.
  int64_t Start() const {
    int64_t at = piece_.offset;
    for (size_t d = 0; d < index_.size(); ++d) {
      const PieceDimension& dimension = piece_.dimensions[d];
      const int64_t beyond = index_[d] - dimension.low;
      if (beyond < 0) return -1;
      const auto [number, rest] = Divided(beyond, dimension.step);
      if (rest != 0 || number >= dimension.count) return -1;
      at += number * dimension.stride;
    }
    return at;
  }

 private:
  const Piece& piece_;
  absl::InlinedVector<int64_t, 6> index_;
};

// Whether places [start, start + count) are all before or all behind what the array shows.
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
  constexpr auto kWidth = static_cast<int64_t>(sizeof(T));
  const PieceDimension& inner = piece.dimensions.back();
  auto [row, column] = Divided(start, inner.size);
  RowWalk walk(piece, row);
  for (int64_t run; count > 0; count -= run, out += run * kWidth, column = 0, walk.Next()) {
    run = std::min(count, inner.size - column);
    const int64_t at = walk.Start();
    if (at < 0) continue;
    // Its elements at places [column, column + run).
    const auto number_from = [&](int64_t place) {
      const int64_t beyond = std::max<int64_t>(place - inner.low, 0) + inner.step - 1;
      return std::min(Divided(beyond, inner.step).first, inner.count);
    };
    const int64_t first = number_from(column), end = number_from(column + run);
    if (first >= end) continue;
    CopyStrided<T>(array + (at + first * inner.stride) * kWidth, inner.stride, end - first,
                   inner.step, out + (inner.low + first * inner.step - column) * kWidth);
  }
}

}  // namespace

void LoadPiece(const Piece& piece, int width, const uint8_t* array, int64_t start, int64_t count,
               uint8_t* out) {
  if (count <= 0 || piece.IsEmpty() || IsOutside(piece, start, count)) return;
  switch (width) {
    case 1:
      return LoadPieceAs<uint8_t>(piece, array, start, count, out);
    case 2:
      return LoadPieceAs<uint16_t>(piece, array, start, count, out);
    case 4:
      return LoadPieceAs<uint32_t>(piece, array, start, count, out);
    case 8:
      return LoadPieceAs<uint64_t>(piece, array, start, count, out);
    default:
      return LoadPieceAs<SixteenBytes>(piece, array, start, count, out);
  }
}

}  // namespace hlocts::cpu
