// SPDX-License-Identifier: Apache-2.0
// Compares blocks of pads and concatenates with an assembly element by element.
#include "backends/engine/cpu/loops/load_piece.h"

#include <gtest/gtest.h>

#include <random>

namespace hlocts::cpu {
namespace {

using plan::ArrayType;
using plan::Piece;
using plan::TypeOf;
using plan::View;

// Returns the index of the array element at position `at`, or -1 if there is none.
int64_t SourceIndex(const Piece& piece, int64_t at) {
  int64_t element = piece.offset;
  for (size_t d = piece.dimensions.size(); d-- > 0;) {
    const plan::PieceDimension& along = piece.dimensions[d];
    const int64_t beyond = at % along.size - along.low;
    at /= along.size;
    if (beyond < 0 || beyond % along.step != 0 || beyond / along.step >= along.count) return -1;
    element += beyond / along.step * along.stride;
  }
  return element;
}

// Checks that RunInPieces, if it finds a contiguous run, returns the expected elements.
template <typename T>
void CheckRun(const Piece& whole, const std::vector<T>& array, int64_t start, int64_t count) {
  const LoadedPiece pieces[] = {{0, whole.Simplified()}};
  const uint8_t* const arrays[] = {reinterpret_cast<const uint8_t*>(array.data())};
  const uint8_t* run = RunInPieces(pieces, sizeof(T), arrays, start, count);
  bool side_by_side = true;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t from = SourceIndex(whole, start + i);
    side_by_side = side_by_side && from >= 0 && from == SourceIndex(whole, start) + i;
    if (run == nullptr) continue;
    ASSERT_EQ(reinterpret_cast<const T*>(run) + i, array.data() + from) << start << " " << i;
  }
  const Piece simple = whole.Simplified();
  const plan::PieceDimension& inner = simple.dimensions[0];
  const bool one_run = simple.dimensions.size() == 1 && inner.step == 1 && inner.stride == 1;
  ASSERT_TRUE(run != nullptr || !side_by_side || !one_run) << start << " " << count;
}

template <typename T>
void CheckBlocks(const Piece& whole, int64_t elements, int64_t array_elements) {
  std::vector<T> array(array_elements);
  for (int64_t i = 0; i < array_elements; ++i) array[i] = static_cast<T>(i * 7 + 1);
  const Piece piece = whole.Simplified();
  for (int64_t block : {int64_t{1}, int64_t{7}, int64_t{64}, elements}) {
    for (int64_t start = 0; start < elements; start += block) {
      const int64_t count = std::min(block, elements - start);
      CheckRun(whole, array, start, count);
      std::vector<T> out(count, T(0));
      LoadPiece(piece, sizeof(T), reinterpret_cast<const uint8_t*>(array.data()), start, count,
                reinterpret_cast<uint8_t*>(out.data()));
      for (int64_t i = 0; i < count; ++i) {
        const int64_t from = SourceIndex(whole, start + i);
        ASSERT_EQ(out[i], from < 0 ? T(0) : array[from]) << start << " " << i << " " << block;
      }
    }
  }
}

TEST(LoadPieceTest, PadsOfEveryKind) {
  std::mt19937 random(1);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int round = 0; round < 200; ++round) {
    PaddingConfig padding;
    std::vector<int64_t> from, to;
    for (int64_t rank = pick(1, 4); rank > 0; --rank) {
      from.push_back(pick(1, round % 2 == 0 ? 5 : 20));
      padding.dimensions.push_back({pick(-2, 3), pick(-2, 3), pick(0, 3) == 0 ? pick(1, 2) : 0});
      const PaddingDimension& d = padding.dimensions.back();
      to.push_back(
          std::max<int64_t>(0, from.back() + (from.back() - 1) * d.interior + d.low + d.high));
    }
    const ArrayType operand = TypeOf(Shape(PrimitiveType::kF32, from));
    const ArrayType result = TypeOf(Shape(PrimitiveType::kF32, to));
    const Piece piece = plan::PieceOfPad(View::Dense(from), result, padding);
    if (result.elements > 20000) continue;
    CheckBlocks<uint32_t>(piece, result.elements, operand.elements);
    CheckBlocks<uint8_t>(piece, result.elements, operand.elements);
    CheckBlocks<uint64_t>(piece, result.elements, operand.elements);
  }
}

TEST(LoadPieceTest, OperandsOfConcatenates) {
  for (int64_t dimension : {0, 1, 2}) {
    for (int64_t narrow : {1, 3, 9}) {
      std::vector<View> operands;
      std::vector<int64_t> whole = {5, 4, 6};
      whole[dimension] = 0;
      for (int64_t size : {narrow, int64_t{2}, int64_t{20}}) {
        std::vector<int64_t> sizes = whole;
        sizes[dimension] = size;
        operands.push_back(View::Dense(sizes));
      }
      whole[dimension] = narrow + 22;
      const ArrayType result = TypeOf(Shape(PrimitiveType::kU16, whole));
      const std::vector<Piece> pieces = plan::PiecesOfConcatenate(operands, result, dimension);
      for (size_t k = 0; k < pieces.size(); ++k) {
        CheckBlocks<uint16_t>(pieces[k], result.elements, operands[k].elements());
      }
    }
  }
}

// The operands themselves are views: sliced, reversed, transposed or broadcast.
TEST(LoadPieceTest, OperandsThatAreViews) {
  const View dense = View::Dense({9, 8, 40});
  const View cut = plan::Sliced(dense, {{1, 9, 2}, {0, 8, 1}, {3, 39, 1}});
  const View turned =
      plan::Reversed(plan::Sliced(dense, {{0, 4, 1}, {0, 8, 1}, {0, 36, 1}}), {0, 2});
  const View moved =
      plan::Transposed(plan::Sliced(dense, {{0, 8, 1}, {0, 4, 1}, {0, 36, 1}}), {1, 0, 2});
  const View repeated = plan::Broadcast(View::Dense({8}), {4, 8, 36}, {1});
  const std::vector<View> operands = {cut, turned, moved, repeated};
  for (int64_t dimension : {0, 2}) {
    const ArrayType result =
        TypeOf(Shape(PrimitiveType::kF32, dimension == 0 ? std::vector<int64_t>{16, 8, 36}
                                                         : std::vector<int64_t>{4, 8, 144}));
    for (const Piece& piece : plan::PiecesOfConcatenate(operands, result, dimension)) {
      CheckBlocks<uint32_t>(piece, result.elements, dense.elements());
      CheckBlocks<uint8_t>(piece, result.elements, dense.elements());
    }
  }
}

}  // namespace
}  // namespace hlocts::cpu
