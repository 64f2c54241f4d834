// SPDX-License-Identifier: Apache-2.0
// What an executable says of itself.
#include "backends/adapters/xla/xla_executable.h"

#include "xla/service/hlo.pb.h"
#include "xla/shape.h"

namespace hlocts::xla_plugin {

std::vector<int> ExecutableImpl::addressable_devices() {
  std::vector<int> indices;
  for (xla::PjRtDevice* device : executable_->addressable_devices()) {
    indices.push_back(shared_->device_index[device]);
  }
  return indices;
}

Status ExecutableImpl::Outputs(std::vector<int>* element_types,
                               std::vector<std::vector<int64_t>>* dimensions) {
  auto shapes = executable_->GetOutputShapes();
  HLOCTS_RETURN_IF_ERROR(shapes.status());
  element_types->clear();
  dimensions->clear();
  if (shapes->empty()) return {};
  const xla::Shape& result = shapes->front();
  auto add = [&](const xla::Shape& leaf) {
    element_types->push_back(leaf.element_type());
    dimensions->emplace_back();
    if (!leaf.IsArray()) return;
    dimensions->back().assign(leaf.dimensions().begin(), leaf.dimensions().end());
  };
  if (!result.IsTuple()) {
    add(result);
  } else {
    for (const xla::Shape& leaf : result.tuple_shapes()) add(leaf);
  }
  return {};
}

// XLA:CPU does not say, and has one answer: every output is in its device's default memory.
Status ExecutableImpl::OutputMemoryKinds(std::vector<std::string>* kinds) {
  std::vector<int> types;
  std::vector<std::vector<int64_t>> dimensions;
  if (Status status = Outputs(&types, &dimensions); !status.ok()) return status;
  auto memory = shared_->client->devices().front()->default_memory_space();
  HLOCTS_RETURN_IF_ERROR(memory.status());
  kinds->assign(types.size(), std::string((*memory)->kind()));
  return {};
}

Status ExecutableImpl::GeneratedCodeSize(int64_t* bytes) {
  *bytes = executable_->SizeOfGeneratedCodeInBytes();
  return {};
}

Status ExecutableImpl::CostAnalysis(std::vector<Attribute>* properties) {
  auto costs = executable_->GetCostAnalysis();
  HLOCTS_RETURN_IF_ERROR(costs.status());
  *properties = Attributes(*costs);
  return {};
}

Status ExecutableImpl::GetMemoryStats(MemoryStats* stats) {
  auto found = executable_->GetCompiledMemoryStats();
  HLOCTS_RETURN_IF_ERROR(found.status());
  stats->generated_code = found->generated_code_size_in_bytes;
  stats->argument = found->argument_size_in_bytes;
  stats->output = found->output_size_in_bytes;
  stats->alias = found->alias_size_in_bytes;
  stats->temp = found->temp_size_in_bytes;
  stats->peak = found->peak_memory_in_bytes;
  stats->total = found->total_size_in_bytes;
  stats->host_generated_code = found->host_generated_code_size_in_bytes;
  stats->host_argument = found->host_argument_size_in_bytes;
  stats->host_output = found->host_output_size_in_bytes;
  stats->host_alias = found->host_alias_size_in_bytes;
  stats->host_temp = found->host_temp_size_in_bytes;
  return {};
}

Status ExecutableImpl::Fingerprint(std::string* fingerprint) {
  auto found = executable_->FingerprintExecutable();
  HLOCTS_RETURN_IF_ERROR(found.status());
  *fingerprint = *std::move(found);
  return {};
}

Status ExecutableImpl::OptimizedProgram(std::string* module) {
  auto modules = executable_->GetHloModules();
  HLOCTS_RETURN_IF_ERROR(modules.status());
  if (modules->size() != 1) {
    return {kUnimplemented,
            "OptimizedProgram: expected one module, found " + std::to_string(modules->size())};
  }
  modules->front()->ToProto().SerializeToString(module);
  return {};
}

Status ExecutableImpl::Serialize(std::string* bytes) {
  auto found = executable_->SerializeExecutable();
  HLOCTS_RETURN_IF_ERROR(found.status());
  *bytes = *std::move(found);
  return {};
}

Status ExecutableImpl::CompileOptions(std::string* proto) {
  auto options = executable_->GetCompileOptions();
  HLOCTS_RETURN_IF_ERROR(options.status());
  auto found = options->ToProto();
  HLOCTS_RETURN_IF_ERROR(found.status());
  found->SerializeToString(proto);
  return {};
}

Status ExecutableImpl::DeviceAssignment(std::string* proto) {
  xla::DeviceAssignmentProto assignment;
  executable_->device_assignment().Serialize(&assignment);
  assignment.SerializeToString(proto);
  return {};
}

}  // namespace hlocts::xla_plugin
