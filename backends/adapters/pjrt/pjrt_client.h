// SPDX-License-Identifier: Apache-2.0
// One PJRT client with its devices. It is created for a number of devices, compiles programs and
// transfers arrays.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/adapters/pjrt/compile_options.h"
#include "backends/adapters/pjrt/pjrt_api.h"
#include "spec/ir/literal.h"

namespace hlocts::backends {

// Returns true if PJRT has buffers of the element type; it has none for s1 and u1.
bool HasBufferType(PrimitiveType type);
// Adds "without:TYPE" for each array element type that PJRT does not define.
void AddMissingTypes(std::vector<std::string>& capabilities);
// Returns a row-major layout of host memory that refers to `minor_to_major` (MajorToMinorOrder).
PJRT_Buffer_MemoryLayout RowMajorLayout(const std::vector<int64_t>& minor_to_major);

// Pairs of NAME=VALUE, in the given order.
using PjrtOptions = std::vector<std::pair<std::string, std::string>>;
// Returns the options as named values: integers, true and false as typed values, all others as
// text. The result refers to `options`.
std::vector<PJRT_NamedValue> ToNamedValues(const PjrtOptions& options);
// Returns a program that refers to the serialized HloModuleProto without a copy.
PJRT_Program HloProgram(const std::string& module_proto);
// Returns the optimized module of an executable (after all passes) as a serialized HloModuleProto.
// Returns kUnimplemented if the plugin does not provide it, or provides another form.
absl::StatusOr<std::string> OptimizedModuleOf(const PjrtApi& api, PJRT_Executable* executable);

class PjrtSession {
 public:
  using Options = PjrtOptions;
  static absl::StatusOr<std::unique_ptr<PjrtSession>> Create(const PjrtApi& api,
                                                             const Options& client_options);

  const PjrtApi& api() const { return api_; }
  const std::vector<PJRT_Device*>& devices() const { return devices_; }
  std::string PlatformVersion() const;

  PJRT_Client* client() const { return client_.get(); }
  absl::StatusOr<PjrtLoadedExecutable> Compile(const std::string& module_proto,
                                               const PjrtCompileOptions& options);
  absl::StatusOr<PjrtUnloadedExecutable> Unloaded(PJRT_LoadedExecutable* executable);
  absl::StatusOr<std::string> OptimizedModule(PJRT_LoadedExecutable* executable);
  // Transfers an array leaf (row-major) to a device.
  absl::StatusOr<PjrtBuffer> ToDevice(const Literal& literal, PJRT_Device* device);
  // Waits until the buffers of each device are ready. Does not wait if the plugin has no events.
  absl::Status WaitFor(const std::vector<std::vector<PjrtBuffer>>& buffers);
  // Transfers a buffer to the host. Returns an error unless the buffer has the element type of
  // `expected`, the shape in the module. Dynamic dimensions of `expected` are bounds.
  absl::StatusOr<Literal> ToHost(PJRT_Buffer* buffer, const Shape& expected);
  absl::StatusOr<bool> IsDeleted(PJRT_Buffer* buffer);
  // Functions of the extension that hlocts' plugins have (spec/pjrt/hlocts_extension.h). Words
  // returns facts and capabilities of the client. Feed and Drain transfer the infeed and outfeed of
  // a program on the device with the given index.
  absl::StatusOr<std::string> Words();
  absl::Status Feed(PJRT_LoadedExecutable* executable, size_t device, PJRT_Device* on,
                    const std::vector<Literal>& items);
  absl::StatusOr<std::vector<Literal>> Drain(PJRT_LoadedExecutable* executable, size_t device);
  // Returns the address of a buffer in device memory; 0 if the plugin does not report it.
  uintptr_t Address(PJRT_Buffer* buffer);

 private:
  PjrtSession(const PjrtApi& api, PjrtClient client) : api_(api), client_(std::move(client)) {}
  absl::Status ReadDevices();
  absl::StatusOr<PJRT_Buffer_Type> BufferTypeOf(PrimitiveType type) const;
  absl::Status ReadRuntimeSizes(PJRT_Buffer* buffer, Literal& literal);
  const PjrtApi& api_;
  PjrtClient client_;
  std::vector<PJRT_Device*> devices_;
};

}  // namespace hlocts::backends
