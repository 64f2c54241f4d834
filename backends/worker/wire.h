// SPDX-License-Identifier: Apache-2.0
// Conversions between literals or statuses and messages of worker.proto.
#pragma once

#include <vector>

#include "backends/worker.pb.h"
#include "backends/worker/shared_memory.h"
#include "spec/ir/literal.h"

namespace hlocts::backends {

// Writes a leaf. If `memory` is null, the message contains all data.
absl::Status LeafToWire(const Literal& leaf, SharedMemory* memory, worker::Value* value);
absl::StatusOr<Literal> LeafFromWire(const worker::Value& value, SharedMemory* memory);

using DeviceValuesField = google::protobuf::RepeatedPtrField<worker::DeviceValues>;
absl::Status DevicesToWire(const std::vector<std::vector<Literal>>& devices, SharedMemory* memory,
                           DeviceValuesField* field);
absl::StatusOr<std::vector<std::vector<Literal>>> DevicesFromWire(const DeviceValuesField& field,
                                                                  SharedMemory* memory);

void StatusToWire(const absl::Status& status, worker::Error* error);
absl::Status StatusFromWire(const worker::Error& error);

}  // namespace hlocts::backends
