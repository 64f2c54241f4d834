// SPDX-License-Identifier: Apache-2.0
// Building blocks for the rows of attribute_table.cc: a writer and a reader of one instruction, and
// functions for rows that no macro describes, by file.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "spec/ir/comparison_type.h"
#include "spec/proto/attribute_proto.h"
#include "spec/proto/convert.h"
#include "spec/proto/parts.h"

namespace hlocts {
namespace attribute_rows {

using P = proto::HloInstructionProto;
using google::protobuf::RepeatedField;

struct Writer {
  const Instruction& instruction;
  const IdsOfModule& ids;
  P* proto;
  absl::Status status = absl::OkStatus();
};

struct Reader {
  const Instruction& instruction;
  const ProtoIds& ids;
  const P& proto;
  absl::Status status = absl::OkStatus();
  // Set by the read function if the value is the default, which the text omits.
  bool is_default = false;

  template <typename T>
  AttributeValue Value(T value, bool says_nothing) {
    is_default = says_nothing;
    return AttributeValue(std::move(value));
  }
  AttributeValue Absent() { return Value(false, true); }
  AttributeValue Fail(absl::Status error) {
    status = std::move(error);
    return Absent();
  }
};

struct AttributeRow {
  Attr attr;
  void (*write)(Writer& w, const AttributeValue& value);
  AttributeValue (*read)(Reader& r);
};

template <typename T>
const T& As(const AttributeValue& value) {
  const T* held = std::get_if<T>(&value);
  HLOCTS_CHECK(held != nullptr);  // attributes.def determines the alternative of an attribute
  return *held;
}

using Ints = std::vector<int64_t>;

// Returns the word of the text for an enumerator: lower case, without the `prefix` of the proto.
inline std::string WordOf(const std::string& enumerator, absl::string_view prefix) {
  return absl::AsciiStrToLower(absl::StripPrefix(enumerator, prefix));
}
inline std::string EnumeratorOf(absl::string_view word, absl::string_view prefix) {
  return absl::StrCat(prefix, absl::AsciiStrToUpper(word));
}
inline absl::Status UnknownWord(absl::string_view field, absl::string_view word) {
  return InvalidInput("expected a word that the proto form of ", field, " has, found ", word);
}
inline absl::Status UnknownEnumerator(absl::string_view field, int number) {
  return InvalidInput("expected an enumerator of ", field, ", found ", number);
}

// Returns nullptr if the proto form has no field for the attribute, which is then written as text.
const AttributeRow* RowFor(Attr attr);

PrimitiveType FirstOperandType(const Instruction& instruction);
// Return the dimension numbers of a dot, which are nested in those of a ragged-dot.
proto::DotDimensionNumbers* MutableDot(Writer& w);
const proto::DotDimensionNumbers& Dot(const Reader& r);

// attribute_operations.cc
void WriteControlPredecessors(Writer& w, const AttributeValue& v);
AttributeValue ReadControlPredecessors(Reader& r);
void WriteWindow(Writer& w, const AttributeValue& v);
AttributeValue ReadWindow(Reader& r);
void WritePadding(Writer& w, const AttributeValue& v);
AttributeValue ReadPadding(Reader& r);
void WriteSlice(Writer& w, const AttributeValue& v);
AttributeValue ReadSlice(Reader& r);
void WriteDimLabels(Writer& w, const AttributeValue& v);
AttributeValue ReadDimLabels(Reader& r);
void WriteOperandPrecision(Writer& w, const AttributeValue& v);
AttributeValue ReadOperandPrecision(Reader& r);
void WriteAlgorithm(Writer& w, const AttributeValue& v);
AttributeValue ReadAlgorithm(Reader& r);
AttributeValue ReadDistribution(Reader& r);
void WriteDistribution(Writer& w, const AttributeValue& v);
AttributeValue ReadComparisonType(Reader& r);
void WriteLower(Writer& w, const AttributeValue& v);
AttributeValue ReadLower(Reader& r);
void WriteTransposeA(Writer& w, const AttributeValue& v);
AttributeValue ReadTransposeA(Reader& r);
void WriteIndexVectorDim(Writer& w, const AttributeValue& v);
AttributeValue ReadIndexVectorDim(Reader& r);

// attribute_collectives.cc
void WriteReplicaGroups(Writer& w, const AttributeValue& v);
AttributeValue ReadReplicaGroups(Reader& r);
void WriteChannelId(Writer& w, const AttributeValue& v);
void WriteSourceTargetPairs(Writer& w, const AttributeValue& v);
AttributeValue ReadSourceTargetPairs(Reader& r);
void WritePermuteSliceSizes(Writer& w, const AttributeValue& v);
AttributeValue ReadPermuteSliceSizes(Reader& r);

// attribute_common.cc
AttributeValue ReadSharding(Reader& r);
AttributeValue ReadDomain(Reader& r);
void WriteDomain(Writer& w, const AttributeValue& v);
AttributeValue ReadMetadata(Reader& r);
void WriteStatistics(Writer& w, const AttributeValue& v);
AttributeValue ReadStatistics(Reader& r);
void WriteAliasing(Writer& w, const AttributeValue& v);
AttributeValue ReadAliasing(Reader& r);
AttributeValue ReadParameterReplication(Reader& r);
void WriteParameterReplication(Writer& w, const AttributeValue& v);
void WriteOperandLayoutConstraints(Writer& w, const AttributeValue& v);
AttributeValue ReadOperandLayoutConstraints(Reader& r);
AttributeValue ReadOutfeedShape(Reader& r);
AttributeValue ReadCustomCallLiteral(Reader& r);
void WriteKept(Writer& w, Attr attr, const RawText& raw);
void WriteOriginalValue(Writer& w, const AttributeValue& v);
AttributeValue ReadOrigin(Reader& r);
AttributeValue ReadOneDimension(Reader& r);
AttributeValue ReadTriState(Reader& r);

}  // namespace attribute_rows
}  // namespace hlocts
