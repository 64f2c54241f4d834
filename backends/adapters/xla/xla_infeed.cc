// SPDX-License-Identifier: Apache-2.0
// Infeed and outfeed for a PJRT device, which the PJRT C API has no entry for.
#include <cstdlib>
#include <cstring>
#include <string>

#include "backends/adapters/xla/pjrt_objects.h"
#include "backends/adapters/xla/xla_c_api.h"

namespace {

using hlocts::xla_plugin::Status;

void Give(const std::string& text, hlocts_xla_bytes* out) {
  if (out == nullptr) return;
  out->data = static_cast<char*>(malloc(text.size() + 1));
  out->size = text.size();
  memcpy(out->data, text.c_str(), text.size() + 1);
}

hlocts_xla_status Answer(const Status& status, hlocts_xla_bytes* error) {
  if (status.ok()) return HLOCTS_XLA_OK;
  Give(status.message, error);
  if (status.code == hlocts::xla_plugin::kUnimplemented) return HLOCTS_XLA_UNIMPLEMENTED;
  return status.code == hlocts::xla_plugin::kInvalidArgument ? HLOCTS_XLA_ARGUMENT_ERROR
                                                             : HLOCTS_XLA_EXECUTE_ERROR;
}

}  // namespace

hlocts_xla_status hlocts_xla_transfer_to_infeed(void* device, hlocts_xla_view literal,
                                                hlocts_xla_bytes* error) {
  if (error != nullptr) *error = {nullptr, 0};
  Status status = hlocts::xla_plugin::CheckPointer(device, "device");
  if (!status.ok()) return Answer(status, error);
  auto* target = static_cast<PJRT_Device*>(device);
  return Answer(
      target->client->client->TransferToInfeed(target->index, {literal.data, literal.size}), error);
}

hlocts_xla_status hlocts_xla_transfer_from_outfeed(void* device, hlocts_xla_view shape,
                                                   hlocts_xla_bytes* literal,
                                                   hlocts_xla_bytes* error) {
  if (error != nullptr) *error = {nullptr, 0};
  if (literal != nullptr) *literal = {nullptr, 0};
  Status status = hlocts::xla_plugin::CheckPointer(device, "device");
  if (!status.ok()) return Answer(status, error);
  auto* source = static_cast<PJRT_Device*>(device);
  std::string bytes;
  status =
      source->client->client->TransferFromOutfeed(source->index, {shape.data, shape.size}, &bytes);
  if (status.ok()) Give(bytes, literal);
  return Answer(status, error);
}
