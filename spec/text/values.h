// SPDX-License-Identifier: Apache-2.0
// Readers of single values of HLO text, shared by attributes, headers and the public functions of
// parser.h. Each starts at the cursor, leaves it after the value, and returns false on an error.
#ifndef HLOCTS_SPEC_TEXT_VALUES_H_
#define HLOCTS_SPEC_TEXT_VALUES_H_

#include <vector>

#include "spec/ir/attributes.h"
#include "spec/ir/literal.h"
#include "spec/ir/shape.h"
#include "spec/text/cursor.h"

namespace hlocts {

// parse_shape.cc
bool ReadShape(Cursor& in, Shape* shape);  // arrays without a layout get the default one
// The same where elements may follow: "{" after a space is theirs, not the layout's.
bool ReadShapeBeforeLiteral(Cursor& in, Shape* shape);
bool ReadLayout(Cursor& in, Layout* layout);
// Returns true if a shape begins here ("f32[", "("); does not move the cursor.
bool ShapeAhead(Cursor& in);

// parse_literal.cc. unwritten_bytes: the remaining budget for elements that the text does not spell
// out; reduced by use.
struct LiteralLimits {
  int64_t unwritten_bytes = int64_t{256} << 20;
};
bool ReadLiteral(Cursor& in, const Shape& shape, LiteralLimits& limits, Literal* literal);
// Shape, run-time sizes, body.
bool ReadLiteralWithShape(Cursor& in, LiteralLimits& limits, Literal* literal);

// parse_groups.cc
bool ReadReplicaGroups(Cursor& in, ReplicaGroups* groups);

// parse_sharding.cc
bool ReadSharding(Cursor& in, Sharding* sharding);
bool ReadMetadata(Cursor& in, OpMetadata* metadata);
// "[4,2]T(1,0)": sizes and an optional permutation.
bool ReadIota(Cursor& in, std::vector<int64_t>* sizes, std::vector<int64_t>* permutation);
bool ReadDomain(Cursor& in, DomainMetadata* domain);
// "[4,16]T(1,0)", expanded.
bool ReadExpandedIota(Cursor& in, std::vector<int64_t>* devices);

// named_sharding.cc
// 'x', "x" or, in older text, x.
bool ReadAxisName(Cursor& in, std::string* name);
// "(8,3,7)", "([4,16]T(1,0))", and Shardy's "[8, 3, 7]".
bool ReadDeviceIds(Cursor& in, std::vector<int64_t>* devices);

// parse_dimensions.cc
bool ReadIntList(Cursor& in, std::vector<int64_t>* values);
bool ReadWindow(Cursor& in, Window* window);
bool ReadPadding(Cursor& in, PaddingConfig* padding);
bool ReadSliceRanges(Cursor& in, SliceRanges* slice);
bool ReadConvolutionDimensionNumbers(Cursor& in, ConvolutionDimensionNumbers* numbers);
bool ReadShapeIndex(Cursor& in, ShapeIndex* index);

// parse_values.cc
bool ReadStringMap(Cursor& in, StringMap* map);
bool ReadStatistics(Cursor& in, Statistics* statistics);
bool ReadOutputOperandAliasing(Cursor& in, std::vector<OutputOperandAlias>* aliases);
// The accuracy that an instruction requests, in XLA's spelling.
bool ReadResultAccuracy(Cursor& in, RawText* accuracy);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_TEXT_VALUES_H_
