// SPDX-License-Identifier: Apache-2.0
#include "spec/text/values.h"

namespace hlocts {
namespace {

bool ReadValue(Cursor& in, std::string* text) { return in.QuotedString(text); }
bool ReadValue(Cursor& in, int64_t* number) { return in.Integer(number); }
bool ReadValue(Cursor& in, bool* value) { return in.Bool(value); }
bool ReadValue(Cursor& in, std::vector<int64_t>* list) { return ReadIntList(in, list); }

bool ReadMetadataField(Cursor& in, absl::string_view name, OpMetadata* metadata) {
#define HLOCTS_METADATA(field) \
  if (name == #field) return ReadValue(in, &metadata->field);
#include "spec/ir/metadata_fields.def"
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
