// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/loops/load_view.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "absl/container/inlined_vector.h"
#include "backends/engine/cpu/elementwise/kernel.h"
#include "spec/ir/element_width.h"

namespace hlocts::cpu {
namespace {

// The position of an iteration over the rows of a view.
struct Place {
  absl::InlinedVector<int64_t, 8> index;  // one index for each dimension of the view
  int64_t at;                             // offset in the array, in elements

  Place(const plan::View& view, int64_t start) : index(view.dimensions.size(), 0), at(view.offset) {
    for (size_t d = index.size(); d-- > 0;) {
      std::tie(start, index[d]) = Divided(start, view.dimensions[d].size);
      at += index[d] * view.dimensions[d].stride;
    }
  }
  // Advances by `rows` rows, which must not pass the end of the second innermost dimension.
  void NextRow(const plan::View& view, int64_t rows) {
    const size_t rank = index.size();
    at -= index[rank - 1] * view.dimensions[rank - 1].stride;
    index[rank - 1] = 0;
    for (size_t d = rank - 1; d-- > 0; rows = 1) {
      at += rows * view.dimensions[d].stride;
      index[d] += rows;
      if (index[d] < view.dimensions[d].size) break;
      at -= index[d] * view.dimensions[d].stride;
      index[d] = 0;
    }
  }
};

// Returns how many complete rows can be copied together, from this position to the end of the
// second innermost dimension. Returns 0 if rows are long.
int64_t ShortRowsAt(const plan::View& view, int width, const Place& place, int64_t count) {
  const size_t rank = place.index.size();
  const auto [size, stride] = view.dimensions[rank - 1];
  const bool is_short = size <= kShortRow || (stride == 0 && width == 1);  // memset fills any row
  if (rank < 2 || !is_short || place.index[rank - 1] != 0) return 0;
  return std::min(count / size, view.dimensions[rank - 2].size - place.index[rank - 2]);
}

void CopyRun(const uint8_t* from, int64_t stride, int width, int64_t count, uint8_t* out) {
  if (stride == 0) return FillElements(from, width, count, out);
  if (stride == 1) return static_cast<void>(std::memcpy(out, from, count * width));
  VisitWidth(width, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < count; ++i) {
      reinterpret_cast<T*>(out)[i] = reinterpret_cast<const T*>(from)[i * stride];
    }
  });
}

// Copies `rows` rows of dimension `inner`. Adjacent rows are `outer.stride` apart. If that stride
// is 0, copies one row from the array, then repeats the copy.
void CopyRows(const uint8_t* from, int64_t rows, const plan::ViewDimension& outer,
              const plan::ViewDimension& inner, int width, uint8_t* out) {
  const int64_t bytes = inner.size * width;
  if (outer.stride == 0 && rows > 1) {
    CopyRun(from, inner.stride, width, inner.size, out);
    for (int64_t done = 1; done < rows; done *= 2) {
      std::memcpy(out + done * bytes, out, std::min(done, rows - done) * bytes);
    }
    return;
  }
  VisitWidth(width, [&](auto zero) {
    using T = decltype(zero);
    const T* row = reinterpret_cast<const T*>(from);
    T* to = reinterpret_cast<T*>(out);
    for (int64_t r = 0; r < rows; ++r, row += outer.stride, to += inner.size) {
      if (inner.stride == 1) {
        std::memcpy(to, row, bytes);
      } else if (inner.stride == 0) {
        std::fill_n(to, inner.size, *row);
      } else {
        for (int64_t i = 0; i < inner.size; ++i) to[i] = row[i * inner.stride];
      }
    }
  });
}

}  // namespace

int64_t RowStart(const plan::View& view, int64_t number) {
  int64_t at = view.offset, index = 0;
  for (size_t d = view.dimensions.size() - 1; d-- > 1;) {
    std::tie(number, index) = Divided(number, view.dimensions[d].size);
    at += index * view.dimensions[d].stride;
  }
  return at + (view.dimensions.size() > 1 ? number * view.dimensions[0].stride : 0);
}

const uint8_t* RunIn(const plan::View& view, int width, const uint8_t* array, int64_t start,
                     int64_t count) {
  const plan::ViewDimension& inner = view.dimensions.back();
  if (inner.stride != 1 || inner.size < count) return nullptr;
  const auto [left, index] = Divided(start, inner.size);
  if (inner.size - index < count) return nullptr;
  return array + (RowStart(view, left) + index) * width;
}

void LoadView(const plan::View& view, int width, const uint8_t* array, int64_t start, int64_t count,
              uint8_t* out) {
  if (count <= 0) return;
  if (view.dimensions.empty()) return FillElements(array + view.offset * width, width, count, out);
  const plan::ViewDimension& inner = view.dimensions.back();
  Place place(view, start);
  while (true) {
    const uint8_t* from = array + place.at * width;
    const int64_t rows = ShortRowsAt(view, width, place, count);
    int64_t run = rows * inner.size;
    if (rows > 1) {
      const plan::ViewDimension& outer = view.dimensions[view.dimensions.size() - 2];
      CopyRows(from, rows, outer, inner, width, out);
    } else {
      run = std::min(count, inner.size - place.index.back());
      CopyRun(from, inner.stride, width, run, out);
    }
    count -= run;
    if (count == 0) return;
    out += run * width;
    place.NextRow(view, std::max<int64_t>(rows, 1));
  }
}

}  // namespace hlocts::cpu
