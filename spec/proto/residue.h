// SPDX-License-Identifier: Apache-2.0
// The meaning of a message's fields for values, and the fields that its conversion does not read:
// unknown ones, and known ones that are not interpreted.
#ifndef HLOCTS_SPEC_PROTO_RESIDUE_H_
#define HLOCTS_SPEC_PROTO_RESIDUE_H_

#include <optional>
#include <string>

#include "google/protobuf/message.h"
#include "spec/base/status.h"

namespace hlocts {

// The meaning of a field for values: the rows of fields.def, which explains the words.
enum class FieldMeaning { kObeyed, kChecked, kNothing, kKept, kRefused };

// The meaning of a field of a module; none where fields.def has no row.
std::optional<FieldMeaning> MeaningOf(const google::protobuf::FieldDescriptor& field);

// An error that names a refused field which `message` has.
absl::Status CheckFields(const google::protobuf::Message& message);

// Serialized residue of `message`, "" when there is none (the usual case, found without a copy).
// Merging it into the message written back restores what would be lost. Shapes, layouts, shardings
// and metadata inside have a residue of their own, and unknown fields in a repeated message other
// than those are dropped: nothing says which element they would belong to.
std::string ResidueOf(const google::protobuf::Message& message);

// Merges a residue back. A residue that no longer parses (never one of ResidueOf) is dropped.
void RestoreResidue(const std::string& residue, google::protobuf::Message* message);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_PROTO_RESIDUE_H_
