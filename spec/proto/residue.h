// SPDX-License-Identifier: Apache-2.0
// The effect of a message's fields on values, and the residue of a message: the fields that its
// conversion does not read, either unknown or not interpreted.
#pragma once

#include <optional>
#include <string>

#include "google/protobuf/message.h"
#include "spec/base/status.h"

namespace hlocts {

// The effect of a field on values. The rows of fields.def explain the enumerators.
enum class FieldMeaning { kObeyed, kChecked, kNothing, kKept, kRefused };

// Returns the meaning of a field of a module; nullopt if fields.def has no row.
std::optional<FieldMeaning> MeaningOf(const google::protobuf::FieldDescriptor& field);

// Returns an error that names a rejected field in `message`.
absl::Status CheckFields(const google::protobuf::Message& message);

// Returns the serialized residue of `message`, or "" if there is none (the usual case, which needs
// no copy). Merging the residue into the message that is written again restores data that would be
// lost. Nested shapes, layouts, shardings and metadata have separate residues. Unknown fields in
// other repeated messages are dropped, because the elements to which they belong would be unknown.
std::string UninterpretedFieldsOf(const google::protobuf::Message& message);

// Merges a residue back. If the residue does not parse, ignores it; UninterpretedFieldsOf never
// returns such a residue.
void RestoreUninterpretedFields(const std::string& residue, google::protobuf::Message* message);

}  // namespace hlocts
