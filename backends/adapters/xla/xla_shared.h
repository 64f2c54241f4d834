// SPDX-License-Identifier: Apache-2.0
// What the client, its buffers and its executables share.
#ifndef HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_SHARED_H_
#define HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_SHARED_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "backends/adapters/xla/xla_client.h"
#include "backends/adapters/xla/xla_status.h"
#include "xla/pjrt/pjrt_client.h"
#include "xla/shape.h"

namespace hlocts::xla_plugin {

// A PjRtClient with its devices and memories numbered. Buffers and executables share it, so that
// the order in which the C side destroys things does not matter.
struct Shared {
  std::unique_ptr<xla::PjRtClient> client;
  std::unordered_map<const xla::PjRtDevice*, int> device_index;
  std::unordered_map<const xla::PjRtMemorySpace*, int> memory_index;
  xla::PjRtDevice* device(int index) { return client->devices()[index]; }
  xla::PjRtMemorySpace* memory(int index) { return client->memory_spaces()[index]; }
};

class FutureEvent : public Event {
 public:
  explicit FutureEvent(xla::Future<> future) : future_(std::move(future)) {}
  bool IsReady() override { return future_.IsReady(); }
  Status Await() override { return FromAbsl(future_.Await()); }
  void OnReady(std::function<void(const Status&)> callback) override {
    future_.OnReady([callback](const absl::Status& status) { callback(FromAbsl(status)); });
  }

 private:
  xla::Future<> future_;
};

// A device's or a cost's properties, in the order of their names.
std::vector<Attribute> Attributes(
    const absl::flat_hash_map<std::string, xla::PjRtValueType>& attributes);

inline xla::PrimitiveType Type(int element_type) {
  return static_cast<xla::PrimitiveType>(element_type);
}

// An array shape, row-major unless a layout is given.
xla::Shape MakeShape(int element_type, const std::vector<int64_t>& dimensions,
                     const std::vector<int64_t>* minor_to_major);

}  // namespace hlocts::xla_plugin

#endif  // HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_SHARED_H_
