// SPDX-License-Identifier: Apache-2.0
// Reads single values of HLO text, for attributes, headers and the public functions of parser.h.
// Each function reads from the cursor, advances it past the value, and returns false on an error.
#pragma once

#include <vector>

#include "spec/ir/attributes.h"
#include "spec/ir/literal.h"
#include "spec/ir/shape.h"
#include "spec/text/cursor.h"

namespace hlocts {

// Defined in parse_shape.cc.
bool ReadShape(Cursor& in, Shape* shape);  // an array without a layout gets the default layout
// Reads a shape that is followed by elements, so a "{" after a space is not the layout.
bool ReadShapeBeforeLiteral(Cursor& in, Shape* shape);
bool ReadLayout(Cursor& in, Layout* layout);
// Returns true if a shape begins here ("f32[", "("). Does not move the cursor.
bool ShapeAhead(Cursor& in);

// Limits for reading a literal. unwritten_bytes is the remaining budget for elements that the text
// does not contain; reading reduces it. The functions are in parse_literal.cc.
struct LiteralLimits {
  int64_t unwritten_bytes = int64_t{256} << 20;
};
bool ReadLiteral(Cursor& in, const Shape& shape, LiteralLimits& limits, Literal* literal);
// Reads shape, run-time sizes and body.
bool ReadLiteralWithShape(Cursor& in, LiteralLimits& limits, Literal* literal);

// Defined in parse_values.cc.
bool ReadReplicaGroups(Cursor& in, ReplicaGroups* groups);

// Defined in parse_sharding.cc.
bool ReadSharding(Cursor& in, Sharding* sharding);
bool ReadMetadata(Cursor& in, OpMetadata* metadata);
// Reads sizes and an optional permutation, "[4,2]T(1,0)".
bool ReadIota(Cursor& in, std::vector<int64_t>* sizes, std::vector<int64_t>* permutation);
bool ReadDomain(Cursor& in, DomainMetadata* domain);
// Reads "[4,16]T(1,0)" and expands it.
bool ReadExpandedIota(Cursor& in, std::vector<int64_t>* devices);

// Defined in named_sharding.cc. ReadAxisName reads 'x', "x" or, in older text, x.
bool ReadAxisName(Cursor& in, std::string* name);
// Reads "(8,3,7)", "([4,16]T(1,0))" or Shardy's "[8, 3, 7]".
bool ReadDeviceIds(Cursor& in, std::vector<int64_t>* devices);

// Defined in parse_dimensions.cc.
bool ReadIntList(Cursor& in, std::vector<int64_t>* values);
bool ReadWindow(Cursor& in, Window* window);
bool ReadPadding(Cursor& in, PaddingConfig* padding);
bool ReadSliceRanges(Cursor& in, SliceRanges* slice);
bool ReadConvolutionDimensionNumbers(Cursor& in, ConvolutionDimensionNumbers* numbers);
bool ReadShapeIndex(Cursor& in, ShapeIndex* index);

// Defined in parse_values.cc.
bool ReadStringMap(Cursor& in, StringMap* map);
bool ReadStatistics(Cursor& in, Statistics* statistics);
bool ReadOutputOperandAliasing(Cursor& in, std::vector<OutputOperandAlias>* aliases);
// Reads the accuracy that an instruction requests, in XLA's spelling.
bool ReadResultAccuracy(Cursor& in, RawText* accuracy);

}  // namespace hlocts
