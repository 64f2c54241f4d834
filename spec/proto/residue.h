// SPDX-License-Identifier: Apache-2.0
// The effect of a message's fields on values, and the residue of a message: the fields that its
// conversion does not read, either unknown or not interpreted.
#pragma once

#include <optional>
#include <string>

#include "google/protobuf/message.h"
#include "spec/base/status.h"

namespace hlocts {

// How a field affects values; the rows of fields.def explain the enumerators.
enum class FieldMeaning { kObeyed, kChecked, kNothing, kKept, kRefused };

// Returns the meaning of a field of a module; nullopt if fields.def has no row.
std::optional<FieldMeaning> MeaningOf(const google::protobuf::FieldDescriptor& field);

// Returns an error that names a rejected field in `message`.
absl::Status CheckFields(const google::protobuf::Message& message);

// Returns the serialized residue of `message`, or "" if there is none (the usual case, which needs
// no copy). Merging it into the message written back restores what would be lost. Nested shapes,
// layouts, shardings and metadata have their own residue. Unknown fields in other repeated messages
// are dropped, because it is not known to which element they belong.
std::string UninterpretedFieldsOf(const google::protobuf::Message& message);

// Merges a residue back. A residue that does not parse is dropped; UninterpretedFieldsOf never
// returns one.
void RestoreUninterpretedFields(const std::string& residue, google::protobuf::Message* message);

}  // namespace hlocts
