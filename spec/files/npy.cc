// SPDX-License-Identifier: Apache-2.0
// Reads and writes one .npy member. It consists of a magic string, a version, a Python dictionary
// with three keys, and the elements.
#include <algorithm>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/files/npz.h"
#include "spec/ir/index_util.h"

namespace hlocts {
namespace {

constexpr absl::string_view kMagic = "\x93NUMPY";

// Returns the text after 'key': in the dictionary, or "" if the key is missing.
absl::string_view ValueOf(absl::string_view dictionary, absl::string_view key) {
  size_t at = dictionary.find(absl::StrCat("'", key, "'"));
  if (at == absl::string_view::npos) return "";
  dictionary.remove_prefix(at + key.size() + 2);
  dictionary = absl::StripLeadingAsciiWhitespace(dictionary);
  if (!absl::ConsumePrefix(&dictionary, ":")) return "";
  return absl::StripLeadingAsciiWhitespace(dictionary);
}

absl::Status ParseType(absl::string_view value, NpyHeader& header) {
  absl::string_view descr = value.substr(0, value.find_first_of(",}"));
  absl::string_view text = absl::StripAsciiWhitespace(descr);
  bool quoted = absl::ConsumePrefix(&text, "'") && absl::ConsumeSuffix(&text, "'");
  if (!quoted || text.size() < 3) {
    return InvalidInput("expected an element type such as '<f4', found ", descr);
  }
  if (text[0] == '>') return InvalidInput("expected little-endian elements, found ", text);
  header.kind = text[1];
  if (!absl::SimpleAtoi(text.substr(2), &header.bytes) || header.bytes <= 0) {
    return InvalidInput("expected an element type such as '<f4', found '", text, "'");
  }
  return absl::OkStatus();
}

absl::Status ParseShapeTuple(absl::string_view value, NpyHeader& header) {
  size_t close = value.find(')');
  if (!absl::ConsumePrefix(&value, "(") || close == absl::string_view::npos) {
    return InvalidInput("expected a shape tuple, found ", value.substr(0, 20));
  }
  for (absl::string_view size : absl::StrSplit(value.substr(0, close - 1), ',')) {
    size = absl::StripAsciiWhitespace(size);
    if (size.empty()) continue;  // "()", or after the comma of "(3,)"
    int64_t dimension;
    if (!absl::SimpleAtoi(size, &dimension) || dimension < 0) {
      return InvalidInput("expected the size of a dimension, found '", size, "'");
    }
    header.dimensions.push_back(dimension);
  }
  return absl::OkStatus();
}

struct StorageForm {
  absl::string_view kinds;  // numpy's kinds that are read as this type; the first is written
  int bytes;
};

// Returns the form in which numpy stores and names an element type. V is numpy's kind for types
// that it does not define, such as ml_dtypes' bfloat16.
StorageForm FormOf(PrimitiveType type) {
  int bytes = StorageBytes(type);
  switch (TypeClassOf(type)) {
    case TypeClass::kPred:
      return {"b", 1};
    case TypeClass::kSigned:
      return {IsSubByte(type) ? "iV" : "i", bytes};
    case TypeClass::kUnsigned:
      return {IsSubByte(type) ? "uV" : "u", bytes};
    case TypeClass::kComplex:
      return {"c", bytes};
    default:
      break;
  }
  bool native = type == PrimitiveType::kF16 || bytes >= 4;
  return {native ? "f" : "uV", bytes};
}

absl::Status CheckHeader(const NpyHeader& header, const Shape& expected) {
  StorageForm form = FormOf(expected.element_type());
  const std::string sizes = absl::StrCat("[", absl::StrJoin(header.dimensions, ","), "]");
  if (form.kinds.find(header.kind) == absl::string_view::npos || header.bytes != form.bytes) {
    return InvalidInput("expected numpy type ", form.kinds.substr(0, 1), form.bytes, " for ",
                        expected.ToString(false), ", found ", std::string(1, header.kind),
                        header.bytes, sizes);
  }
  bool fits = static_cast<int64_t>(header.dimensions.size()) == expected.rank();
  for (int64_t d = 0; fits && d < expected.rank(); ++d) {
    fits = expected.is_dynamic_dimension(d) ? header.dimensions[d] <= expected.dimension(d)
                                            : header.dimensions[d] == expected.dimension(d);
  }
  if (!fits) {
    return InvalidInput("expected ", expected.ToString(false), ", found ",
                        PrimitiveTypeName(expected.element_type()), sizes);
  }
  return absl::OkStatus();
}

// Checks that each byte of a sub-byte type is a valid code of that type.
absl::Status CheckCodes(const Literal& literal) {
  PrimitiveType type = literal.element_type();
  int bits = type == PrimitiveType::kPred ? 1 : BitWidth(type);
  if (bits >= 8) return absl::OkStatus();
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    uint8_t byte = literal.raw_data()[i];
    int value = IsSigned(type) ? static_cast<int8_t>(byte) : byte;
    int low = IsSigned(type) ? -(1 << (bits - 1)) : 0;
    int high = IsSigned(type) ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    if (value < low || value > high) {
      return InvalidInput("element ", i, ": ", value, " is out of range of ",
                          PrimitiveTypeName(type));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<NpyHeader> ParseNpyHeader(absl::string_view content) {
  if (!absl::StartsWith(content, kMagic) || content.size() < 10) {
    return InvalidInput("expected a .npy array, found other data");
  }
  NpyHeader header;
  int version = static_cast<uint8_t>(content[6]);
  size_t length_bytes = version == 1 ? 2 : 4;
  if (version < 1 || version > 3 || content.size() < 8 + length_bytes) {
    return InvalidInput("expected .npy version 1, 2 or 3, found ", version);
  }
  size_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i) {
    length |= size_t{static_cast<uint8_t>(content[8 + i])} << (8 * i);
  }
  header.data_offset = 8 + length_bytes + length;
  if (header.data_offset > content.size()) return InvalidInput("the .npy header is truncated");
  absl::string_view dictionary = content.substr(8 + length_bytes, length);
  HLOCTS_RETURN_IF_ERROR(ParseType(ValueOf(dictionary, "descr"), header));
  HLOCTS_RETURN_IF_ERROR(ParseShapeTuple(ValueOf(dictionary, "shape"), header));
  absl::string_view order = ValueOf(dictionary, "fortran_order");
  header.fortran_order = absl::StartsWith(order, "True");
  if (!header.fortran_order && !absl::StartsWith(order, "False")) {
    return InvalidInput("expected fortran_order True or False, found '", order.substr(0, 10), "'");
  }
  return header;
}

absl::StatusOr<Literal> LiteralFromNpy(absl::string_view content, const Shape& expected) {
  HLOCTS_ASSIGN_OR_RETURN(NpyHeader header, ParseNpyHeader(content));
  HLOCTS_RETURN_IF_ERROR(CheckHeader(header, expected));
  absl::string_view data = content.substr(header.data_offset);
  Shape found(expected.element_type(), header.dimensions);
  if (static_cast<int64_t>(data.size()) != found.StorageSizeBytes()) {
    return InvalidInput("expected ", found.StorageSizeBytes(), " bytes of elements, found ",
                        data.size());
  }
  Layout order = DefaultLayout(found.rank());
  if (header.fortran_order) std::reverse(order.minor_to_major.begin(), order.minor_to_major.end());
  HLOCTS_ASSIGN_OR_RETURN(Literal array, Literal::FromBytesInLayout(found, order, data));
  HLOCTS_RETURN_IF_ERROR(CheckCodes(array));
  if (!expected.is_dynamic()) return array.WithShape(expected);
  Literal literal(expected);
  size_t width = StorageBytes(expected.element_type());
  std::vector<int64_t> strides = RowMajorStrides(expected.dimensions());
  uint8_t* out = literal.mutable_raw_data();
  const uint8_t* in = array.raw_data();
  ForEachIndex(header.dimensions, [&](absl::Span<const int64_t> index) {
    std::memcpy(out + LinearIndex(index, strides) * width, in, width);
    in += width;
  });
  for (int64_t d = 0; d < expected.rank(); ++d) {
    if (expected.is_dynamic_dimension(d)) literal.SetRuntimeSize(d, header.dimensions[d]);
  }
  return literal;
}

std::string NpyFromLiteral(const Literal& array) {
  PrimitiveType type = array.element_type();
  StorageForm form = FormOf(type);
  std::vector<int64_t> sizes = array.runtime_sizes();
  std::string header =
      absl::StrCat("{'descr': '", form.bytes == 1 ? "|" : "<", form.kinds.substr(0, 1), form.bytes,
                   "', 'fortran_order': False, 'shape': (", absl::StrJoin(sizes, ", "),
                   sizes.size() == 1 ? "," : "", "), }");
  // The elements begin at a multiple of 64; the header ends in a line break.
  size_t fixed = kMagic.size() + 4;
  header.append(63 - (fixed + header.size()) % 64, ' ');
  header += "\n";
  std::string out(kMagic);
  out += std::string("\x01\x00", 2);
  out.push_back(static_cast<char>(header.size() & 0xff));
  out.push_back(static_cast<char>(header.size() >> 8));
  out += header;
  size_t width = StorageBytes(type);
  std::vector<int64_t> strides = RowMajorStrides(array.shape().dimensions());
  const char* data = reinterpret_cast<const char*>(array.raw_data());
  if (sizes == array.shape().dimensions()) return out.append(data ? data : "", array.raw_size());
  ForEachIndex(sizes, [&](absl::Span<const int64_t> index) {
    out.append(data + LinearIndex(index, strides) * width, width);
  });
  return out;
}

}  // namespace hlocts
