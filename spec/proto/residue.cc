#include "spec/proto/residue.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/unknown_field_set.h"

namespace hlocts {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Known fields that no conversion reads, by full name without the package.
constexpr const char* kNotInterpreted[] = {
    "HloInstructionProto.all_reduce_id",
    "HloInstructionProto.is_cross_program_prefetch",
    "HloInstructionProto.padding_type",
    "HloInstructionProto.conv_kind",
    "HloInstructionProto.mesh_axes_replica_group_list",
    "HloModuleProto.cross_program_prefetches",
    "HloModuleProto.is_dynamic",
    "HloModuleProto.spmd_output_sharding",
    "HloModuleProto.spmd_parameters_shardings",
    "HloModuleProto.use_auto_spmd_partitioning",
    "HloModuleProto.profile_info",
    "HloModuleProto.original_value_recovery_table",
    "OpMetadata.profile_info",
    "OpSharding.tile_shape",
    "OpSharding.named_sharding",
};

// Messages whose own conversion keeps their residue.
constexpr const char* kKeepTheirOwn[] = {
    "ShapeProto",          "LayoutProto", "OpSharding", "OpMetadata", "HloInstructionProto",
    "HloComputationProto",
};

constexpr size_t kPackageSize = sizeof("hlocts.proto.") - 1;

bool NotInterpreted(const FieldDescriptor& field) {
  // Descriptors live as long as the program: each is looked up once.
  static const auto* const fields = [] {
    auto* found = new std::vector<const FieldDescriptor*>();
    for (const char* name : kNotInterpreted) {
      found->push_back(google::protobuf::DescriptorPool::generated_pool()->FindFieldByName(
          std::string("hlocts.proto.") + name));
    }
    return found;
  }();
  return std::find(fields->begin(), fields->end(), &field) != fields->end();
}

bool KeepsItsOwn(const google::protobuf::Descriptor& type) {
  return std::any_of(std::begin(kKeepTheirOwn), std::end(kKeepTheirOwn), [&](const char* name) {
    return type.full_name().compare(kPackageSize, std::string::npos, name) == 0;
  });
}

bool SkippedInside(const FieldDescriptor& field) {
  return field.is_repeated() || field.message_type() == nullptr || KeepsItsOwn(*field.message_type());
}

bool HasResidue(const Message& message) {
  const auto* reflection = message.GetReflection();
  if (!reflection->GetUnknownFields(message).empty()) return true;
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (NotInterpreted(*field)) return true;
    if (!SkippedInside(*field) && HasResidue(reflection->GetMessage(message, field))) return true;
  }
  return false;
}

// Leaves only the residue in `message`.
void Reduce(Message* message) {
  const auto* reflection = message->GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(*message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (NotInterpreted(*field)) continue;
    if (!SkippedInside(*field) && HasResidue(reflection->GetMessage(*message, field))) {
      Reduce(reflection->MutableMessage(message, field));
    } else {
      reflection->ClearField(message, field);
    }
  }
}

}  // namespace

std::string ResidueOf(const Message& message) {
  if (!HasResidue(message)) return "";
  std::unique_ptr<Message> copy(message.New());
  copy->CopyFrom(message);
  Reduce(copy.get());
  return copy->SerializePartialAsString();
}

void RestoreResidue(const std::string& residue, Message* message) {
  if (residue.empty()) return;
  std::unique_ptr<Message> kept(message->New());
  if (kept->ParsePartialFromString(residue)) message->MergeFrom(*kept);
}

}  // namespace hlocts
