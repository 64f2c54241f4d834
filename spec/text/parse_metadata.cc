// SPDX-License-Identifier: Apache-2.0
#include "spec/text/values.h"

namespace hlocts {
namespace {

struct MetadataString {
  absl::string_view name;
  std::string OpMetadata::*value;
};
constexpr MetadataString kMetadataStrings[] = {
    {"op_type", &OpMetadata::op_type},
    {"op_name", &OpMetadata::op_name},
    {"source_file", &OpMetadata::source_file},
    {"deduplicated_name", &OpMetadata::deduplicated_name},
    {"scheduling_name", &OpMetadata::scheduling_name},
};
struct MetadataInt {
  absl::string_view name;
  int64_t OpMetadata::*value;
};
constexpr MetadataInt kMetadataInts[] = {
    {"source_line", &OpMetadata::source_line},
    {"source_end_line", &OpMetadata::source_end_line},
    {"source_column", &OpMetadata::source_column},
    {"source_end_column", &OpMetadata::source_end_column},
    {"stack_frame_id", &OpMetadata::stack_frame_id},
    {"size_of_generated_code_in_bytes", &OpMetadata::size_of_generated_code_in_bytes},
    {"size_of_memory_working_set_in_bytes", &OpMetadata::size_of_memory_working_set_in_bytes},
};

bool ReadMetadataField(Cursor& in, absl::string_view name, OpMetadata* metadata) {
  for (const MetadataString& field : kMetadataStrings) {
    if (field.name == name) return in.QuotedString(&(metadata->*field.value));
  }
  for (const MetadataInt& field : kMetadataInts) {
    if (field.name == name) return in.Integer(&(metadata->*field.value));
  }
  if (name == "profile_type") return ReadIntList(in, &metadata->profile_type);
  if (name == "preserve_layout") return in.Bool(&metadata->preserve_layout);
  return in.Fail("text.attribute",
                 absl::StrCat("expected a field of metadata, found '", name, "'"));
}

}  // namespace

bool ReadMetadata(Cursor& in, OpMetadata* metadata) {
  if (!in.Expect('{')) return false;
  while (!in.Try('}')) {
    absl::string_view name;
    if (!in.Identifier(&name, "a field of metadata") || !in.Expect('=')) return false;
    if (!ReadMetadataField(in, name, metadata)) return false;
    in.Try(',');
  }
  return true;
}

}  // namespace hlocts
