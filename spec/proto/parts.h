// SPDX-License-Identifier: Apache-2.0
// Converts the parts of a module that occur in several places: enumerators, indices, shardings,
// metadata, string maps. Internal to this directory.
#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "google/protobuf/repeated_field.h"
#include "spec/ir/attributes.h"
#include "spec/proto/convert.h"
#include "spec/proto/data.pb.h"
#include "spec/proto/hlo.pb.h"

namespace hlocts {

template <typename Int>
std::vector<int64_t> FromRepeated(const google::protobuf::RepeatedField<Int>& field) {
  return {field.begin(), field.end()};
}
template <typename Int>
void ToRepeated(const std::vector<int64_t>& values, google::protobuf::RepeatedField<Int>* field) {
  field->Reserve(static_cast<int>(values.size()));
  for (int64_t value : values) field->AddAlreadyReserved(static_cast<Int>(value));
}

// Convert the permutation of an iota. XLA writes an identity into the proto, but not into text.
std::vector<int64_t> PermutationFromRepeated(
    const google::protobuf::RepeatedField<int32_t>& permutation);
void PermutationToRepeated(const std::vector<int64_t>& permutation, size_t rank,
                           google::protobuf::RepeatedField<int32_t>* out);

absl::StatusOr<PrimitiveType> PrimitiveTypeFromProto(int number);

absl::StatusOr<Sharding> ShardingFromProto(const proto::OpSharding& sharding);
void ShardingToProto(const Sharding& sharding, proto::OpSharding* out);

OpMetadata MetadataFromProto(const proto::OpMetadata& metadata);
void MetadataToProto(const OpMetadata& metadata, proto::OpMetadata* out);

StringMap StringMapFromProto(const proto::FrontendAttributes& attributes);
void StringMapToProto(const StringMap& map, proto::FrontendAttributes* out);

// Returns true for balanced {...} with closed strings, which XLA prints without quotes.
bool IsRawJson(absl::string_view text);

// Reads into `shape`, which must be empty, because a shape is slow to move.
absl::Status ReadShape(const proto::ShapeProto& proto, Malformed malformed, Shape& shape);

// Write in place, because moving a message on an arena copies it.
void ShapeToProto(const Shape& shape, proto::ShapeProto* out);
void LiteralToProto(const Literal& literal, proto::LiteralProto* out);
absl::Status ModuleToProto(const Module& module, proto::HloModuleProto* out);

absl::StatusOr<ProgramShape> ProgramShapeFromProto(const proto::ProgramShapeProto& program,
                                                   Malformed malformed);
void ProgramShapeToProto(const ProgramShape& program, proto::ProgramShapeProto* out);

// The key (KeptText.name) of an instruction's own name if that name is not unique in the module.
inline constexpr absl::string_view kTextName = "name";

}  // namespace hlocts
