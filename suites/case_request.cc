// SPDX-License-Identifier: Apache-2.0
#include "suites/case_request.h"

#include "spec/ops/partitions.h"

namespace hlocts::suites {

backends::LoadOptions LoadOptionsOf(const Case& one, const Module& module,
                                    backends::LoadOptions load) {
  load.replicas = one.replicas > 0 ? one.replicas : module.replica_count;
  load.partitions = ArgumentPartitions(module);
  return load;
}

namespace {

// Parses a text of literals into leaves per device.
absl::StatusOr<std::vector<std::vector<Literal>>> DeviceLeaves(
    const std::string& text, const std::optional<ExpectedLeaves>& expected,
    const backends::LoadOptions& load) {
  HLOCTS_ASSIGN_OR_RETURN(LiteralsFile file, ParseLiterals(text, expected));
  return LeavesOfDevices(file, load.replicas * load.partitions, load.partitions);
}

}  // namespace

absl::StatusOr<backends::ExecuteRequest> MakeRequest(const Case& one, const Module& module,
                                                     const backends::LoadOptions& load) {
  backends::ExecuteRequest request;
  std::vector<Shape> leaves = backends::ArgumentLeafShapes(module);
  if (one.style) {
    for (int64_t d = 0; d < load.replicas * load.partitions; ++d)
      request.arguments.push_back(
          generators::GenerateArguments(leaves, one.seed + static_cast<uint64_t>(d), *one.style));
  } else if (leaves.empty()) {
    request.arguments.resize(load.replicas * load.partitions);
  } else if (one.inputs_text.empty()) {
    return InvalidInput(one.address, " has no @inputs: expected --inputs or --seed");
  } else {
    HLOCTS_ASSIGN_OR_RETURN(request.arguments, DeviceLeaves(one.inputs_text, leaves, load));
  }
  if (!one.infeed_text.empty()) {
    HLOCTS_ASSIGN_OR_RETURN(request.infeed, DeviceLeaves(one.infeed_text, std::nullopt, load));
  }
  request.donated_leaves = one.donated;
  for (int64_t leaf : one.donated) {
    if (leaf < 0 || leaf >= static_cast<int64_t>(leaves.size()))
      return InvalidInput("@donate ", leaf, ": expected argument leaves below ", leaves.size());
  }
  return request;
}

absl::StatusOr<std::vector<std::vector<Literal>>> ExpectedOutfeed(
    const Case& one, const backends::LoadOptions& load) {
  if (one.outfeed_text.empty()) return std::vector<std::vector<Literal>>();
  return DeviceLeaves(one.outfeed_text, std::nullopt, load);
}

absl::StatusOr<std::vector<std::vector<Literal>>> OutputLeaves(const CaseOutput& output,
                                                               const backends::LoadOptions& load) {
  return DeviceLeaves(output.text, std::nullopt, load);
}

absl::StatusOr<std::vector<std::vector<Literal>>> PrintedResult(const Case& one,
                                                                const Module& module,
                                                                const backends::LoadOptions& load) {
  if (one.expect_text.find_first_not_of(" \n\t") == std::string::npos) {
    return std::vector<std::vector<Literal>>();
  }
  return DeviceLeaves(one.expect_text, backends::OutputLeafShapes(module), load);
}

}  // namespace hlocts::suites
