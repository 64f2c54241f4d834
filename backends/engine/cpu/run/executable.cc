// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/run/executable.h"

#include <cstring>
#include <mutex>
#include <new>

#include "backends/engine/cpu/base/float_control.h"
#include "spec/ir/float_format.h"
#include "spec/ir/module.h"
#include "spec/ops/op_table.h"

namespace hlocts::cpu {

bool MayFlush(const Module& module, const CompileOptions& compile) {
  if (compile.math.strict) return false;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const Shape& shape = instruction->shape();
      if (!shape.IsArray() || !IsFloat(shape.element_type())) continue;
      if (shape.element_type() == PrimitiveType::kF8E8M0FNU) return false;
      // Builds the decoding tables now: they must not be built while subnormals are flushed.
      if (BitWidth(shape.element_type()) <= 16) DecodeNarrow(shape.element_type(), 0);
    }
  }
  return true;
}

namespace {

// Returns true for operations that communicate. kAsync includes asynchronous collectives such as
// all-gather-start.
bool CommunicatesWithDevices(Family family) {
  return family == Family::kCollective || family == Family::kChannel || family == Family::kAsync;
}

class StaticExecutable : public pjrt::Executable {
 public:
  StaticExecutable(const Module& module, const pjrt::LoadOptions& load)
      : load_(load), arguments_(ArgumentLeafShapes(module)), aliases_(AliasesOf(module)) {
    for (const Shape& leaf : OutputLeafShapes(module)) {
      outputs_.push_back(std::make_shared<const Shape>(leaf));
    }
    for (const auto& computation : module.computations()) {
      for (const auto& instruction : computation->instructions()) {
        const Family family = RowOf(instruction->opcode()).family;
        needs_communicator_ =
            needs_communicator_ || CommunicatesWithDevices(family) ||
            instruction->opcode() == Opcode::kCustomCall;  // e.g. the end of a manual region
      }
    }
  }

  absl::Status Compile(const Module& module, CompileOptions options) {
    flush_ = options.flush = MayFlush(module, options);
    HLOCTS_ASSIGN_OR_RETURN(plan::GraphModule graphs, plan::BuildGraphs(module));
    plan::Graph& entry = *graphs.entry;
    program_.graphs.push_back(std::make_unique<plan::GraphModule>(std::move(graphs)));
    std::vector<std::pair<int, int>> aliases;
    for (const Donation& pair : aliases_) {
      aliases.push_back({static_cast<int>(pair.argument), static_cast<int>(pair.output)});
    }
    Compiler compiler(program_, options);
    HLOCTS_ASSIGN_OR_RETURN(program_.entry, compiler.Compile(entry, aliases, AliasMode::kAnyLeaf));
    return compiler.Finish();
  }

  absl::StatusOr<pjrt::ExecuteResult> Execute(const pjrt::ExecuteRequest& request) override;

 private:
  struct Device {
    std::unique_ptr<Run> run;
    // The outputs of the last execution. Their memory is reused if the caller has released them.
    std::vector<Literal> last;
  };

  absl::Status RunAll(const pjrt::ExecuteRequest& request, pjrt::ExecuteResult& result);
  absl::Status RunOne(const pjrt::ExecuteRequest& request, int64_t device, Communicator* world,
                      std::vector<Literal>& outputs);
  absl::StatusOr<Run*> Prepared(Device& device, int64_t number, Communicator* world);
  Literal OutputFor(Device& device, size_t leaf);
  bool PlaceOutput(const pjrt::ExecuteRequest& request, const std::vector<Literal>& arguments,
                   size_t leaf, Device& device, Literal& output);
  absl::Status CheckMemory() const;

  pjrt::LoadOptions load_;
  std::vector<Shape> arguments_;
  std::vector<std::shared_ptr<const Shape>> outputs_;
  std::vector<Donation> aliases_;
  bool needs_communicator_ = false, flush_ = false;
  Program program_;
  std::mutex mutex_;
  std::vector<Device> devices_;
};

Literal StaticExecutable::OutputFor(Device& device, size_t leaf) {
  Literal& last = device.last[leaf];
  if (last.UniqueStorage() && !last.has_runtime_sizes()) return std::move(last);
  return Literal::Uninitialized(outputs_[leaf]);
}

absl::Status StaticExecutable::CheckMemory() const {
  int64_t bytes = program_.arena_bytes;
  for (const auto& shape : outputs_) {
    const int64_t more = shape->StorageSizeBytes();
    if (more > load_.memory_bytes_max - bytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat("outputs and temporaries need more than the budget of ",
                       load_.memory_bytes_max, " bytes"));
    }
    bytes += more;
  }
  return absl::OkStatus();
}

// Returns the run of a device, reset to its initial state.
absl::StatusOr<Run*> StaticExecutable::Prepared(Device& device, int64_t number,
                                                Communicator* world) {
  if (device.run == nullptr) {
    device.run = std::make_unique<Run>(program_);
    device.last.resize(outputs_.size());
  }
  Run& run = *device.run;
  HLOCTS_RETURN_IF_ERROR(run.Prepare());
  run.steps_left = load_.steps_max;
  run.rng_seed = load_.rng_seed;
  run.rng_stream = 0;
  run.rng_state[0] = load_.rng_seed;
  run.rng_state[1] = 0;
  run.device = number;
  run.replica = number / load_.partitions;
  run.partition = number % load_.partitions;
  run.world = world;
  return &run;
}

// Determines the memory of an output leaf: that of an argument, or new memory. Returns true if the
// memory is new.
bool StaticExecutable::PlaceOutput(const pjrt::ExecuteRequest& request,
                                   const std::vector<Literal>& arguments, size_t leaf,
                                   Device& device, Literal& output) {
  Run& run = *device.run;
  const Function& entry = *program_.entry;
  const int32_t source = entry.result_source[leaf];
  const bool in_place = source >= 0 && entry.result_slots[leaf] >= 0;
  if (source >= 0 && !in_place) {
    const bool same = arguments[source].shape() == *outputs_[leaf];
    output = same ? arguments[source] : arguments[source].WithShape(*outputs_[leaf]);
    return false;
  }
  if (in_place && IsDonated(request.donated_leaves, source) && arguments[source].UniqueStorage()) {
    output = arguments[source];
    return false;
  }
  output = OutputFor(device, leaf);
  uint8_t* data = output.mutable_raw_data();
  run.SetResult(entry, leaf, data);
  if (!in_place) return true;
  // The argument is not donated, so the program changes a copy.
  std::memcpy(data, arguments[source].raw_data(), arguments[source].raw_size());
  run.SetParameter(entry, static_cast<size_t>(source), data);
  return true;
}

absl::Status StaticExecutable::RunOne(const pjrt::ExecuteRequest& request, int64_t number,
                                      Communicator* world, std::vector<Literal>& outputs) {
  Device& device = devices_[number];
  HLOCTS_ASSIGN_OR_RETURN(Run* const run, Prepared(device, number, world));
  const std::vector<Literal>& arguments =
      request.arguments[request.arguments.size() == 1 ? 0 : static_cast<size_t>(number)];
  const Function& entry = *program_.entry;
  for (size_t i = 0; i < arguments.size(); ++i) {
    run->SetParameter(entry, i, const_cast<uint8_t*>(arguments[i].raw_data()));
  }
  outputs.resize(outputs_.size());
  absl::InlinedVector<bool, 8> owned(outputs_.size(), false);
  for (size_t r = 0; r < outputs_.size(); ++r) {
    owned[r] = PlaceOutput(request, arguments, r, device, outputs[r]);
  }
  {
    const ScopedFlush flush(flush_);
    HLOCTS_RETURN_IF_ERROR(run->Execute(entry));
  }
  for (size_t r = 0; r < outputs.size(); ++r) {
    if (owned[r]) device.last[r] = outputs[r];
  }
  return absl::OkStatus();
}

absl::Status StaticExecutable::RunAll(const pjrt::ExecuteRequest& request,
                                      pjrt::ExecuteResult& result) {
  const int64_t count = load_.replicas * load_.partitions;
  devices_.resize(count);
  result.outputs.resize(count);
  result.outfeed.resize(count);
  if (count == 1 && !needs_communicator_) {
    try {
      return RunOne(request, 0, nullptr, result.outputs[0]);
    } catch (const std::bad_alloc&) {
      return absl::ResourceExhaustedError("out of memory");
    }
  }
  Communicator world(load_.replicas, load_.partitions);
  Feed(request, world);
  HLOCTS_RETURN_IF_ERROR(RunDevices(
      count, world, [&](int64_t d) { return RunOne(request, d, &world, result.outputs[d]); }));
  result.outfeed = std::move(world.outfeeds);
  return absl::OkStatus();
}

absl::StatusOr<pjrt::ExecuteResult> StaticExecutable::Execute(const pjrt::ExecuteRequest& request) {
  HLOCTS_RETURN_IF_ERROR(CheckRequest(request, load_, arguments_));
  HLOCTS_RETURN_IF_ERROR(CheckMemory());
  std::lock_guard<std::mutex> lock(mutex_);
  pjrt::ExecuteResult result;
  HLOCTS_RETURN_IF_ERROR(RunAll(request, result));
  return result;
}

}  // namespace

absl::StatusOr<std::unique_ptr<pjrt::Executable>> MakeStaticExecutable(
    const Module& module, const pjrt::LoadOptions& load, const CompileOptions& compile) {
  auto executable = std::make_unique<StaticExecutable>(module, load);
  HLOCTS_RETURN_IF_ERROR(executable->Compile(module, compile));
  return std::unique_ptr<pjrt::Executable>(std::move(executable));
}

}  // namespace hlocts::cpu
