// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/moves/box_move.h"

#include <algorithm>
#include <cstring>

#include "backends/engine/plan/index_elements.h"

namespace hlocts::cpu {
namespace {

int64_t StartAt(PrimitiveType type, const uint8_t* elements, int64_t i) {
  if (type != PrimitiveType::kS32) return plan::IndexAt(type, elements, i);
  int32_t start;
  std::memcpy(&start, elements + i * 4, sizeof(start));
  return start;
}

// Copies a contiguous slice. Small sizes come first: an HLO `while` loop over single elements makes
// many small copies.
void CopySlice(const uint8_t* from, int64_t bytes, uint8_t* to) {
  switch (bytes) {
    case 4:
      std::memcpy(to, from, 4);
      return;
    case 8:
      std::memcpy(to, from, 8);
      return;
    default:
      std::memcpy(to, from, static_cast<size_t>(bytes));
  }
}

}  // namespace

BoxMove::BoxMove(const OpContext& context, Kind kind)
    : kind_(kind), width_(context.in(0).width()), array_bytes_(context.in(0).bytes) {
  const bool reads = kind == Kind::kRead;
  const plan::Dimensions array = context.in(0).dimensions;
  const plan::ArrayType box_type = reads ? context.out(0) : context.in(1);
  const plan::Dimensions box = box_type.dimensions;
  const Strides outside = RowMajor(array), inside = RowMajor(box);
  for (size_t d = 0; d < box.size(); ++d) {
    copy_.Add(box[d], reads ? outside[d] : inside[d], reads ? inside[d] : outside[d]);
  }
  copy_.Simplify();
  if (copy_.IsOneRun()) run_bytes_ = box_type.elements * width_;
  // The starts are a scalar operand for each dimension or, in modules from 2018, one array.
  size_t d = 0;
  for (size_t k = reads ? 1 : 2; k < context.node.operands.size(); ++k) {
    for (int64_t i = 0; i < context.in(k).elements && d < array.size(); ++i, ++d) {
      if (array[d] == box[d]) continue;
      starts_.push_back({context.in(k).type, k, i, array[d] - box[d], outside[d] * width_});
    }
  }
}

int64_t BoxMove::Offset(In in) const {
  int64_t offset = 0;
  for (const Start& start : starts_) {
    const int64_t at = StartAt(start.type, in[start.operand], start.element);
    offset += std::clamp<int64_t>(at, 0, start.last) * start.stride;
  }
  return offset;
}

void BoxMove::MoveBox(const uint8_t* from, uint8_t* to) const {
  if (run_bytes_ >= 0) return CopySlice(from, run_bytes_, to);
  copy_.Run(width_, from, to);
}

void BoxMove::Run(In in, Out out) const {
  if (kind_ == Kind::kRead) return MoveBox(in[0] + Offset(in), out[0]);
  if (in[0] != out[0] && array_bytes_ > 0) {
    std::memcpy(out[0], in[0], static_cast<size_t>(array_bytes_));
  }
  MoveBox(in[1], out[0] + Offset(in));
}

bool BoxMove::AsElement(In in, Out out, MicroElement& element) const {
  const bool in_place = reads() || in[0] == out[0];
  if (run_bytes_ != width_ || !in_place || starts_.size() > MicroElement::kStartsMax) return false;
  element.array = reads() ? const_cast<uint8_t*>(in[0]) : out[0];
  element.bytes = array_bytes_;
  for (const Start& start : starts_) {
    if (start.type != PrimitiveType::kS32) return false;
    element.starts[element.starts_count++] = {in[start.operand] + start.element * 4, start.last,
                                              start.stride};
  }
  return true;
}

}  // namespace hlocts::cpu
