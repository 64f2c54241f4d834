// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/pjrt/compile_options.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "spec/ir/module.h"
#include "spec/ir/shape.h"

namespace hlocts::backends {
namespace {

// Field numbers of CompileOptionsProto.
constexpr int kParameterIsTupledArguments = 2;
constexpr int kExecutableBuildOptions = 3;
constexpr int kEnvOptionOverrides = 7;
// Field numbers of ExecutableBuildOptionsProto.
constexpr int kDeviceOrdinal = 1;
constexpr int kNumReplicas = 4;
constexpr int kNumPartitions = 5;
constexpr int kUseSpmdPartitioning = 6;
constexpr int kDeviceAssignment = 9;
constexpr int kUseShardyPartitioner = 19;
// Field numbers of DeviceAssignmentProto and its ComputationDevice.
constexpr int kReplicaCount = 1;
constexpr int kComputationCount = 2;
constexpr int kComputationDevices = 3;
constexpr int kReplicaDeviceIds = 1;
// Field numbers of OptionOverrideProto.
constexpr int kStringField = 1;
constexpr int kBoolField = 2;
constexpr int kIntField = 3;
constexpr int kDoubleField = 4;

void AppendVarint(uint64_t value, std::string& out) {
  while (value > 0x7f) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

void AppendInt(int field, int64_t value, std::string& out) {
  AppendVarint(static_cast<uint64_t>(field) << 3, out);
  AppendVarint(static_cast<uint64_t>(value), out);
}

void AppendBytes(int field, const std::string& bytes, std::string& out) {
  AppendVarint(static_cast<uint64_t>(field) << 3 | 2, out);
  AppendVarint(bytes.size(), out);
  out += bytes;
}

void AppendDouble(int field, double value, std::string& out) {
  AppendVarint(static_cast<uint64_t>(field) << 3 | 1, out);
  char raw[8];
  std::memcpy(raw, &value, sizeof(raw));
  out.append(raw, sizeof(raw));
}

template <typename Number>
bool ParsesWhole(const std::string& text, Number& number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

std::string OverrideValue(const std::string& text) {
  std::string out;
  int64_t integer = 0;
  double number = 0;
  if (text == "true" || text == "false") {
    AppendInt(kBoolField, text == "true", out);
  } else if (ParsesWhole(text, integer)) {
    AppendInt(kIntField, integer, out);
  } else if (ParsesWhole(text, number)) {
    AppendDouble(kDoubleField, number, out);
  } else {
    AppendBytes(kStringField, text, out);
  }
  return out;
}

// Returns the device assignment: partition p of replica r runs on device r * partitions + p.
std::string DeviceAssignment(int64_t replicas, int64_t partitions) {
  std::string out;
  AppendInt(kReplicaCount, replicas, out);
  AppendInt(kComputationCount, partitions, out);
  for (int64_t p = 0; p < partitions; ++p) {
    std::string ids, devices;
    for (int64_t r = 0; r < replicas; ++r)
      AppendVarint(static_cast<uint64_t>(r * partitions + p), ids);
    AppendBytes(kReplicaDeviceIds, ids, devices);
    AppendBytes(kComputationDevices, devices, out);
  }
  return out;
}

}  // namespace

bool TakesOneTuple(const Module& module) {
  const std::vector<Instruction*> parameters = module.entry()->parameters();
  if (parameters.size() != 1 || !parameters[0]->shape().IsTuple()) return false;
  const std::vector<Shape>& elements = parameters[0]->shape().tuple_shapes();
  return std::all_of(elements.begin(), elements.end(), [](const Shape& s) { return s.IsArray(); });
}

std::string SerializeCompileOptions(const PjrtCompileOptions& options) {
  std::string build;
  AppendInt(kDeviceOrdinal, -1, build);
  AppendInt(kNumReplicas, options.num_replicas, build);
  AppendInt(kNumPartitions, options.num_partitions, build);
  if (options.partitioner != Partitioner::kNone) {
    AppendInt(kUseSpmdPartitioning, 1, build);
    AppendBytes(kDeviceAssignment, DeviceAssignment(options.num_replicas, options.num_partitions),
                build);
  }
  if (options.partitioner == Partitioner::kShardy) AppendInt(kUseShardyPartitioner, 1, build);
  std::string out;
  if (options.one_tuple) AppendInt(kParameterIsTupledArguments, 1, out);
  AppendBytes(kExecutableBuildOptions, build, out);
  for (const auto& [name, value] : options.overrides) {
    std::string entry;  // a map entry: key 1, value 2
    AppendBytes(1, name, entry);
    AppendBytes(2, OverrideValue(value), entry);
    AppendBytes(kEnvOptionOverrides, entry, out);
  }
  return out;
}

}  // namespace hlocts::backends
