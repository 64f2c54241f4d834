// SPDX-License-Identifier: Apache-2.0
#include "spec/proto/residue.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/unknown_field_set.h"

namespace hlocts {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr size_t kPackageSize = sizeof("hlocts.proto.") - 1;

struct FieldRow {
  const char* name;  // without the package
  FieldMeaning meaning;
  const char* reason;
};
constexpr FieldRow kFields[] = {
#define HLOCTS_PROTO_FIELD(Message, field, Meaning, reason) \
  {#Message "." #field, FieldMeaning::k##Meaning, reason},
#include "spec/proto/fields.def"
};

const FieldRow* RowOf(const FieldDescriptor& field) {
  const absl::string_view name = absl::string_view(field.full_name()).substr(kPackageSize);
  for (const FieldRow& row : kFields) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

// Messages that keep their own residue when they are converted.
constexpr const char* kMessagesKeepingUnknownFields[] = {
    "ShapeProto", "LayoutProto",         "OpSharding",
    "OpMetadata", "HloInstructionProto", "HloComputationProto",
};

bool KeepsUnknownFields(const Descriptor& type) {
  return std::any_of(std::begin(kMessagesKeepingUnknownFields),
                     std::end(kMessagesKeepingUnknownFields), [&](const char* name) {
                       return type.full_name().compare(kPackageSize, std::string::npos, name) == 0;
                     });
}

// The fields of a message type in which residue may occur, in addition to its unknown fields. They
// are determined once per type, because a message has up to ninety fields and few of them matter
// here.
struct Places {
  std::vector<const FieldDescriptor*> not_interpreted;
  std::vector<const FieldDescriptor*> inside;  // messages whose residue belongs to this message
  std::vector<const FieldDescriptor*> refused;
  bool IsNotInterpreted(const FieldDescriptor* field) const {
    return std::find(not_interpreted.begin(), not_interpreted.end(), field) !=
           not_interpreted.end();
  }
  bool IsInside(const FieldDescriptor* field) const {
    return std::find(inside.begin(), inside.end(), field) != inside.end();
  }
};

Places FindPlaces(const Descriptor& type) {
  Places places;
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    const FieldRow* row = RowOf(*field);
    if (row != nullptr && row->meaning == FieldMeaning::kKept) {
      places.not_interpreted.push_back(field);
    } else if (row != nullptr && row->meaning == FieldMeaning::kRefused) {
      places.refused.push_back(field);
    } else if (!field->is_repeated() && field->message_type() != nullptr &&
               !KeepsUnknownFields(*field->message_type())) {
      places.inside.push_back(field);
    }
  }
  return places;
}

// Caches the results of FindPlaces. Descriptors live as long as the program.
const Places& PlacesOf(const Descriptor& type) {
  thread_local absl::node_hash_map<const Descriptor*, Places> known;
  auto found = known.find(&type);
  if (found == known.end()) found = known.emplace(&type, FindPlaces(type)).first;
  return found->second;
}

bool IsSet(const Message& message, const FieldDescriptor* field) {
  const auto* reflection = message.GetReflection();
  return field->is_repeated() ? reflection->FieldSize(message, field) > 0
                              : reflection->HasField(message, field);
}

bool HasResidue(const Message& message) {
  const auto* reflection = message.GetReflection();
  if (!reflection->GetUnknownFields(message).empty()) return true;
  const Places& places = PlacesOf(*message.GetDescriptor());
  for (const FieldDescriptor* field : places.not_interpreted) {
    if (IsSet(message, field)) return true;
  }
  for (const FieldDescriptor* field : places.inside) {
    if (IsSet(message, field) && HasResidue(reflection->GetMessage(message, field))) return true;
  }
  return false;
}

// Removes everything except the residue from `message`.
void Reduce(Message* message) {
  const auto* reflection = message->GetReflection();
  const Places& places = PlacesOf(*message->GetDescriptor());
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(*message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (places.IsNotInterpreted(field)) continue;
    if (places.IsInside(field) && HasResidue(reflection->GetMessage(*message, field))) {
      Reduce(reflection->MutableMessage(message, field));
    } else {
      reflection->ClearField(message, field);
    }
  }
}

}  // namespace

std::optional<FieldMeaning> MeaningOf(const FieldDescriptor& field) {
  const FieldRow* row = RowOf(field);
  return row == nullptr ? std::nullopt : std::optional(row->meaning);
}

absl::Status CheckFields(const Message& message) {
  for (const FieldDescriptor* field : PlacesOf(*message.GetDescriptor()).refused) {
    if (!IsSet(message, field)) continue;
    return InvalidInput("expected no ", std::string(field->name()),
                        ", found one: ", RowOf(*field)->reason);
  }
  return absl::OkStatus();
}

std::string UninterpretedFieldsOf(const Message& message) {
  if (!HasResidue(message)) return "";
  std::unique_ptr<Message> copy(message.New());
  copy->CopyFrom(message);
  Reduce(copy.get());
  return copy->SerializePartialAsString();
}

void RestoreUninterpretedFields(const std::string& residue, Message* message) {
  if (residue.empty()) return;
  std::unique_ptr<Message> kept(message->New());
  if (kept->ParsePartialFromString(residue)) message->MergeFrom(*kept);
}

}  // namespace hlocts
