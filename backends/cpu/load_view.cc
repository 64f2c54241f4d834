#include "backends/cpu/load_view.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "absl/container/inlined_vector.h"
#include "backends/cpu/element_width.h"
#include "backends/cpu/elementwise/kernel.h"
#include "backends/cpu/elementwise/strided_run.h"

namespace hlocts::cpu {
namespace {

template <typename T>
void LoadAs(const plan::View& view, const uint8_t* array, int64_t start, int64_t count,
            uint8_t* out) {
  const size_t rank = view.dimensions.size();
  absl::InlinedVector<int64_t, 8> index(rank, 0);
  int64_t at = view.offset, left = start;
  for (size_t d = rank; d-- > 0;) {
    std::tie(left, index[d]) = Divided(left, view.dimensions[d].size);
    at += index[d] * view.dimensions[d].stride;
  }
  const plan::ViewDimension& inner = view.dimensions[rank - 1];
  while (true) {
    const int64_t run = std::min(count, inner.size - index[rank - 1]);
    const uint8_t* from = array + at * static_cast<int64_t>(sizeof(T));
    if (inner.stride == 1) {
      std::memcpy(out, from, static_cast<size_t>(run) * sizeof(T));
    } else if (inner.stride == 0) {
      FillElements(from, sizeof(T), run, out);
    } else {
      CopyStridedRun(from, inner.stride, sizeof(T), run, out);
    }
    count -= run;
    if (count == 0) return;
    out += run * static_cast<int64_t>(sizeof(T));
    at -= index[rank - 1] * inner.stride;
    index[rank - 1] = 0;
    for (size_t d = rank - 1; d-- > 0;) {
      at += view.dimensions[d].stride;
      if (++index[d] < view.dimensions[d].size) break;
      at -= index[d] * view.dimensions[d].stride;
      index[d] = 0;
    }
  }
}

}  // namespace

void Fill(const void* element, int width, int64_t count, uint8_t* out) {
  FillElements(element, width, count, out);
}

int64_t RowStart(const plan::View& view, int64_t number) {
  if (view.dimensions.size() == 2) return view.offset + number * view.dimensions[0].stride;
  int64_t at = view.offset, index = 0;
  for (size_t d = view.dimensions.size() - 1; d-- > 0;) {
    std::tie(number, index) = Divided(number, view.dimensions[d].size);
    at += index * view.dimensions[d].stride;
  }
  return at;
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
  if (view.dimensions.empty()) return Fill(array + view.offset * width, width, count, out);
  VisitWidth(width, [&](auto zero) { LoadAs<decltype(zero)>(view, array, start, count, out); });
}

}  // namespace hlocts::cpu
