// SPDX-License-Identifier: Apache-2.0
// The meaning of a message's fields for values, and its residue: the fields that its conversion
// does not read, either unknown or not interpreted.
#ifndef HLOCTS_SPEC_PROTO_RESIDUE_H_
#define HLOCTS_SPEC_PROTO_RESIDUE_H_

#include <optional>
#include <string>

#include "google/protobuf/message.h"
#include "spec/base/status.h"

namespace hlocts {

// The meaning of a field for values, as in the rows of fields.def.
enum class FieldMeaning { kObeyed, kChecked, kNothing, kKept, kRefused };

// The meaning of a field of a module; nullopt if fields.def has no row.
std::optional<FieldMeaning> MeaningOf(const google::protobuf::FieldDescriptor& field);

// An error that names a refused field which `message` has.
absl::Status CheckFields(const google::protobuf::Message& message);

// Serialized residue of `message`, "" when there is none (the usual case, found without a copy).
// Merging it into the message written back restores what would be lost. Nested shapes, layouts,
// shardings and metadata have their own residue. Unknown fields in other repeated messages are
// dropped, since their element is not known.
std::string ResidueOf(const google::protobuf::Message& message);

// Merges a residue back. A residue that no longer parses (never one of ResidueOf) is dropped.
void RestoreResidue(const std::string& residue, google::protobuf::Message* message);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_PROTO_RESIDUE_H_
