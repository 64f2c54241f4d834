// SPDX-License-Identifier: Apache-2.0
// Loaded executables over xla::PjRtLoadedExecutable.
#ifndef HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_EXECUTABLE_H_
#define HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_EXECUTABLE_H_

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/adapters/xla/xla_buffer.h"
#include "backends/adapters/xla/xla_flatten.h"
#include "backends/adapters/xla/xla_shared.h"
#include "xla/pjrt/pjrt_client.h"

namespace hlocts::xla_plugin {

class ExecutableImpl : public Executable {
 public:
  // `leaves` is empty when the module was compiled as it was given.
  ExecutableImpl(std::shared_ptr<Shared> shared,
                 std::unique_ptr<xla::PjRtLoadedExecutable> executable,
                 std::vector<ParameterLeaf> leaves)
      : shared_(std::move(shared)),
        executable_(std::move(executable)),
        leaves_(std::move(leaves)) {}
  ~ExecutableImpl() override { executable_.reset(); }

  std::string name() override { return std::string(executable_->name()); }
  int num_replicas() override { return executable_->num_replicas(); }
  int num_partitions() override { return executable_->num_partitions(); }
  std::vector<int> addressable_devices() override;
  Status Outputs(std::vector<int>* element_types,
                 std::vector<std::vector<int64_t>>* dimensions) override;
  Status OutputMemoryKinds(std::vector<std::string>* kinds) override;
  Status GeneratedCodeSize(int64_t* bytes) override;
  Status CostAnalysis(std::vector<Attribute>* properties) override;
  Status GetMemoryStats(MemoryStats* stats) override;
  Status Fingerprint(std::string* fingerprint) override;
  Status OptimizedProgram(std::string* module) override;
  Status Serialize(std::string* bytes) override;
  Status CompileOptions(std::string* proto) override;
  Status DeviceAssignment(std::string* proto) override;
  void Delete() override {
    deleted_ = true;
    executable_->Delete();
  }
  bool IsDeleted() override { return deleted_ || executable_->IsDeleted(); }
  Status Execute(const std::vector<std::vector<Buffer*>>& arguments, const ExecuteOptions& options,
                 const int* device, std::vector<std::vector<std::unique_ptr<Buffer>>>* outputs,
                 std::vector<std::unique_ptr<Event>>* done) override;

 private:
  using Owned = std::vector<std::unique_ptr<xla::PjRtBuffer>>;
  std::vector<std::unique_ptr<Buffer>> Wrap(Owned buffers);
  // The new entry's arguments for a list of leaves; what had to be made for it goes to `made`.
  Status Handles(const std::vector<Buffer*>& leaves, xla::PjRtMemorySpace* memory,
                 std::vector<xla::PjRtBuffer*>* handles, Owned* made);
  // Those of one bounded dynamic leaf: the padded array and its actual sizes.
  Status DynamicHandles(const ParameterLeaf& leaf, const std::string& where, BufferImpl& given,
                        xla::PjRtMemorySpace* memory, Owned* made);
  xla::ExecuteOptions ToXla(const ExecuteOptions& options);
  Status ExecuteOn(xla::PjRtDevice* device, const std::vector<xla::PjRtBuffer*>& arguments,
                   const xla::ExecuteOptions& options,
                   std::vector<std::vector<std::unique_ptr<Buffer>>>* outputs,
                   std::vector<std::unique_ptr<Event>>* done);
  Status ExecuteOnAll(const std::vector<std::vector<xla::PjRtBuffer*>>& arguments,
                      const xla::ExecuteOptions& options,
                      std::vector<std::vector<std::unique_ptr<Buffer>>>* outputs,
                      std::vector<std::unique_ptr<Event>>* done);

  std::shared_ptr<Shared> shared_;
  std::unique_ptr<xla::PjRtLoadedExecutable> executable_;
  const std::vector<ParameterLeaf> leaves_;
  // XLA:CPU's own Delete does nothing, and the C API says that a deleted one does not run.
  std::atomic<bool> deleted_{false};
};

}  // namespace hlocts::xla_plugin

#endif  // HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_EXECUTABLE_H_
