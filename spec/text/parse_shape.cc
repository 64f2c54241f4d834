// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "spec/text/values.h"

namespace hlocts {
namespace {

constexpr int64_t kRankMax = 256;

bool ReadDimension(Cursor& in, std::vector<int64_t>& sizes, std::vector<bool>& dynamic) {
  if (static_cast<int64_t>(sizes.size()) >= kRankMax) {
    return in.Fail("text.limit", absl::StrCat("expected at most ", kRankMax, " dimensions"));
  }
  if (in.Try('?')) {
    sizes.push_back(kUnboundedSize);
    dynamic.push_back(true);
    return true;
  }
  dynamic.push_back(in.Try("<="));
  int64_t size;
  if (!in.NonNegative(&size, "the size of a dimension")) return false;
  sizes.push_back(size);
  return true;
}

bool ReadTile(Cursor& in, Tile* tile) {
  return ReadList(in, '(', ')', [&] {
    if (in.Try('*')) {
      tile->dimensions.push_back(Tile::kCombine);
      return true;
    }
    return in.NonNegative(&tile->dimensions.emplace_back(), "the size of a tile, or '*'");
  });
}

bool ReadTiles(Cursor& in, Layout* layout) {
  do {
    if (!ReadTile(in, &layout->tiles.emplace_back())) return false;
  } while (in.Peek() == '(');
  return true;
}

// Reads "D,C+", the storage kind of each dimension.
bool ReadDimLevelTypes(Cursor& in, Layout* layout) {
  return ReadList(in, '(', ')', [&] {
    char kind = in.Peek();
    if (kind != 'D' && kind != 'C' && kind != 'S') return in.Expected("D, C or S");
    if (!layout->dim_level_types.empty()) layout->dim_level_types += ',';
    layout->dim_level_types += kind;
    in.Advance(1);
    for (char suffix : {'+', '~'}) {
      if (in.Try(suffix)) layout->dim_level_types += suffix;
    }
    return true;
  });
}

bool ReadSplitConfigs(Cursor& in, Layout* layout) {
  do {
    SplitConfig split;
    if (!in.Expect('(') || !in.NonNegative(&split.dimension) || !in.Expect(':')) return false;
    while (!in.Try(')')) {
      if (!in.NonNegative(&split.split_indices.emplace_back())) return false;
      if (!in.Try(',') && in.Peek() != ')') return in.Expected("',' or ')'");
    }
    layout->split_configs.push_back(std::move(split));
  } while (in.Peek() == '(');
  return true;
}

bool ReadParenthesizedInt(Cursor& in, int64_t* value) {
  return in.Expect('(') && in.NonNegative(value) && in.Expect(')');
}

bool ReadParenthesizedType(Cursor& in, PrimitiveType* type) {
  absl::string_view word;
  if (!in.Expect('(')) return false;
  const char* start = in.Here();
  if (!in.Identifier(&word, "an element type")) return false;
  auto found = PrimitiveTypeFromName(word);
  if (!found) {
    in.GoTo(start);
    return in.Expected("an element type");
  }
  *type = *found;
  return in.Expect(')');
}

bool ReadPhysicalShape(Cursor& in, Layout* layout) {
  Shape shape;
  if (!in.Expect('(') || !ReadShape(in, &shape)) return false;
  layout->physical_shape = std::make_shared<const Shape>(std::move(shape));
  return in.Expect(')');
}

// Reads one item after the ':' of a layout. Its letter selects the kind.
bool ReadLayoutItem(Cursor& in, Layout* layout) {
  if (in.Try('D')) return ReadDimLevelTypes(in, layout);
  if (in.Try('T')) return ReadTiles(in, layout);
  if (in.Try('L')) return ReadParenthesizedInt(in, &layout->tail_padding_alignment_in_elements);
  if (in.Try('#')) return ReadParenthesizedType(in, &layout->index_primitive_type);
  if (in.Try('*')) return ReadParenthesizedType(in, &layout->pointer_primitive_type);
  if (in.Try('E')) return ReadParenthesizedInt(in, &layout->element_size_in_bits);
  if (in.Try("SC")) return ReadSplitConfigs(in, layout);
  if (in.Try('S')) return ReadParenthesizedInt(in, &layout->memory_space);
  if (in.Try('P')) return ReadPhysicalShape(in, layout);
  if (in.Try('M')) return ReadParenthesizedInt(in, &layout->dynamic_shape_metadata_prefix_bytes);
  return in.Expected("one of D T L # * E S SC P M, or '}' at the end of the layout");
}

// Returns true if a '{' after a shape begins its layout, not instructions or elements.
bool LayoutAhead(Cursor& in, int64_t rank, bool elements_may_follow) {
  const char* start = in.raw_position();
  if ((elements_may_follow ? in.Raw() : in.Peek()) != '{') return false;
  in.Advance(1);
  char next = in.Peek();
  in.GoTo(start);
  return (next >= '0' && next <= '9') || next == ':' || (next == '}' && rank == 0);
}

bool ReadArrayShape(Cursor& in, PrimitiveType type, bool elements_may_follow, Shape* shape) {
  std::vector<int64_t> sizes;
  std::vector<bool> dynamic;
  if (!ReadList(in, '[', ']', [&] { return ReadDimension(in, sizes, dynamic); })) return false;
  if (!IsArrayType(type) && !sizes.empty()) {
    return in.Fail("text.syntax", absl::StrCat("expected no dimensions for a ",
                                               PrimitiveTypeName(type), ", found ", sizes.size()));
  }
  int64_t rank = static_cast<int64_t>(sizes.size());
  *shape = Shape(type, std::move(sizes));
  for (int64_t d = 0; d < rank; ++d) {
    if (dynamic[d]) shape->set_dynamic_dimension(d, true);
  }
  if (!IsArrayType(type)) return true;
  Layout layout;
  if (!LayoutAhead(in, rank, elements_may_follow)) {
    layout = DefaultLayout(rank);
  } else {
    const char* start = in.Here();
    if (!ReadLayout(in, &layout)) return false;
    absl::Status valid = ValidateLayout(layout, rank);
    if (!valid.ok()) return in.FailAt(start, RuleOf(valid), valid.message());
  }
  shape->mutable_layout() = std::move(layout);
  return true;
}

// Returns true if b(f32[2]) follows, XLA's type of a buffer that instructions modify.
bool BufferAhead(Cursor& in) { return in.PeekIdentifier() == "b" && in.Raw(1) == '('; }

bool ReadAnyShape(Cursor& in, bool elements_may_follow, Shape* shape);

bool ReadTupleShape(Cursor& in, Shape* shape) {
  std::vector<Shape> elements;
  if (!in.Enter()) return false;
  bool read =
      ReadList(in, '(', ')', [&] { return ReadAnyShape(in, false, &elements.emplace_back()); });
  in.Leave();
  *shape = Shape::Tuple(std::move(elements));
  return read;
}

bool ReadAnyShape(Cursor& in, bool elements_may_follow, Shape* shape) {
  if (in.Peek() == '(') return ReadTupleShape(in, shape);
  if (BufferAhead(in)) {
    return in.Fail("text.syntax",
                   "expected a shape, found a buffer, b(...): no document defines "
                   "buffers, and hlocts does not read them");
  }
  absl::string_view word = in.PeekIdentifier();
  auto type = PrimitiveTypeFromName(word);
  if (!type || *type == PrimitiveType::kTuple) return in.Expected("a shape");
  in.Advance(static_cast<int64_t>(word.size()));
  return ReadArrayShape(in, *type, elements_may_follow, shape);
}

}  // namespace

bool ReadLayout(Cursor& in, Layout* layout) {
  if (!in.Expect('{')) return false;
  while (in.Peek() >= '0' && in.Peek() <= '9') {
    if (!in.NonNegative(&layout->minor_to_major.emplace_back())) return false;
    if (!in.Try(',')) break;
  }
  if (in.Try(':')) {
    while (in.Peek() != '}') {
      if (!ReadLayoutItem(in, layout)) return false;
    }
  }
  return in.Expect('}');
}

bool ShapeAhead(Cursor& in) {
  if (in.Peek() == '(' || BufferAhead(in)) return true;
  absl::string_view word = in.PeekIdentifier();
  return !word.empty() && in.Raw(static_cast<int64_t>(word.size())) == '[';
}

bool ReadShape(Cursor& in, Shape* shape) { return ReadAnyShape(in, false, shape); }

bool ReadShapeBeforeLiteral(Cursor& in, Shape* shape) { return ReadAnyShape(in, true, shape); }

}  // namespace hlocts
