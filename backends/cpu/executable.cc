#include "backends/cpu/executable.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <new>
#include <thread>

#include "absl/strings/match.h"
#include "backends/cpu/float_control.h"
#include "backends/cpu/world.h"
#include "spec/ir/float_format.h"
#include "spec/ops/op_table.h"

namespace hlocts::cpu {
namespace {

constexpr int64_t kDevicesMax = 1024;  // each is a thread

// Number of the leaf at `index` of the shape `number`, counted over all shapes; -1: no leaf.
int64_t LeafNumber(absl::Span<const Shape> shapes, int64_t number, const ShapeIndex& index) {
  int64_t before = 0, found = -1;
  for (int64_t i = 0; i < number; ++i) before += plan::LeafCount(shapes[i]);
  ForEachLeaf(shapes[number], [&](const Shape&, const ShapeIndex& path) {
    if (path == index) found = before;
    ++before;
  });
  return found;
}

bool IsDonated(absl::Span<const int64_t> donated, int64_t leaf) {
  return std::find(donated.begin(), donated.end(), leaf) != donated.end();
}

}  // namespace

bool IsDynamic(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->shape().is_dynamic() || instruction->opcode() == Opcode::kSetDimensionSize ||
          instruction->opcode() == Opcode::kDynamicReshape) {
        return true;
      }
    }
  }
  return false;
}

bool MayFlush(const Module& module, const CompileOptions& compile) {
  if (compile.math.strict) return false;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const Shape& shape = instruction->shape();
      if (!shape.IsArray() || !IsFloat(shape.element_type())) continue;
      if (shape.element_type() == PrimitiveType::kF8E8M0FNU) return false;
      // Decoding tables are made when first used: not while subnormals are flushed.
      if (BitWidth(shape.element_type()) <= 16) DecodeNarrow(shape.element_type(), 0);
    }
  }
  return true;
}

absl::Status CheckRequest(const ExecuteRequest& request, const LoadOptions& load,
                          absl::Span<const Shape> arguments) {
  const int64_t devices = load.replicas * load.partitions;
  if (load.replicas < 1 || load.partitions < 1 || load.replicas > kDevicesMax ||
      load.partitions > kDevicesMax || devices > kDevicesMax) {
    return InvalidInput("replicas x partitions: expected 1 to ", kDevicesMax, " devices, found ",
                        load.replicas, " x ", load.partitions);
  }
  const int64_t sets = static_cast<int64_t>(request.arguments.size());
  if (sets != 1 && sets != devices) {
    return InvalidInput("expected arguments for 1 or ", devices, " devices, found ", sets);
  }
  const size_t fed = request.infeed.size();
  if (fed > 1 && static_cast<int64_t>(fed) != devices) {
    return InvalidInput("infeed: expected none, one, or one for each of ", devices,
                        " devices, found ", fed);
  }
  for (const std::vector<Literal>& leaves : request.arguments) {
    if (leaves.size() != arguments.size()) {
      return InvalidInput("expected ", arguments.size(), " argument leaves, found ", leaves.size());
    }
    for (size_t i = 0; i < leaves.size(); ++i) {
      const bool same = leaves[i].element_type() == arguments[i].element_type() &&
                        leaves[i].shape().dimensions() == arguments[i].dimensions();
      if (!same) {
        return InvalidInput("argument leaf ", i, ": expected ", arguments[i].ToString(false),
                            ", found ", leaves[i].shape().ToString(false));
      }
    }
  }
  return absl::OkStatus();
}

void Feed(const ExecuteRequest& request, World& world) {
  for (size_t d = 0; d < world.infeeds.size() && !request.infeed.empty(); ++d) {
    for (const Literal& item : request.infeed[request.infeed.size() == 1 ? 0 : d]) {
      for (Literal& leaf : FlattenLeaves(item)) world.infeeds[d].push_back(std::move(leaf));
    }
  }
}

absl::Status RunDevices(int64_t count, World& world,
                        const std::function<absl::Status(int64_t device)>& one) {
  std::vector<absl::Status> statuses(count);
  auto run = [&](int64_t device) {
    try {
      statuses[device] = one(device);
    } catch (const std::bad_alloc&) {
      statuses[device] = absl::ResourceExhaustedError("out of memory");
    }
    world.End(device);
  };
  std::vector<std::thread> threads;
  for (int64_t d = 1; d < count; ++d) threads.emplace_back(run, d);
  run(0);
  for (std::thread& thread : threads) thread.join();
  // A device that waited for one that failed only says so.
  const absl::Status* first = nullptr;
  for (const absl::Status& status : statuses) {
    if (status.ok()) continue;
    const bool consequence = absl::StartsWith(status.message(), "deadlock");
    if (first == nullptr || !consequence) first = &status;
    if (!consequence) break;
  }
  return first == nullptr ? absl::OkStatus() : *first;
}

std::vector<AliasPair> AliasPairsOf(const Module& module) {
  std::vector<AliasPair> pairs;
  const ProgramShape program = module.EntryProgramShape();
  for (const InputOutputAlias& alias : module.input_output_alias) {
    const int64_t argument =
        LeafNumber(program.parameters, alias.parameter_number, alias.parameter_index);
    const int64_t output = LeafNumber({program.result}, 0, alias.output_index);
    if (argument >= 0 && output >= 0) pairs.push_back({argument, output});
  }
  return pairs;
}

std::vector<int64_t> DonorsOf(const Module& module) {
  std::vector<int64_t> donors;
  const ProgramShape program = module.EntryProgramShape();
  for (const BufferDonor& donor : module.buffer_donor) {
    donors.push_back(LeafNumber(program.parameters, donor.parameter_number, donor.parameter_index));
  }
  return donors;
}

std::vector<ArgumentState> StatesOf(absl::Span<const AliasPair> pairs,
                                    absl::Span<const int64_t> donors, size_t arguments,
                                    absl::Span<const int64_t> donated) {
  std::vector<ArgumentState> states(arguments);
  for (size_t i = 0; i < arguments; ++i) states[i].leaf = static_cast<int64_t>(i);
  for (const AliasPair& pair : pairs) {
    if (!IsDonated(donated, pair.argument)) continue;
    states[pair.argument].consumed = true;
    states[pair.argument].aliased_output = pair.output;
  }
  for (int64_t donor : donors) {
    if (donor >= 0 && IsDonated(donated, donor)) states[donor].consumed = true;
  }
  return states;
}

namespace {

class StaticExecutable : public Executable {
 public:
  StaticExecutable(const Module& module, const LoadOptions& load)
      : load_(load),
        arguments_(ArgumentLeafShapes(module)),
        aliases_(AliasPairsOf(module)),
        donors_(DonorsOf(module)) {
    for (const Shape& leaf : OutputLeafShapes(module)) {
      outputs_.push_back(std::make_shared<const Shape>(leaf));
    }
    for (const auto& computation : module.computations()) {
      for (const auto& instruction : computation->instructions()) {
        const Family family = RowOf(instruction->opcode()).family;
        needs_world_ = needs_world_ || family == Family::kCollective || family == Family::kChannel;
      }
    }
  }

  absl::Status Compile(const Module& module, const CompileOptions& options) {
    flush_ = MayFlush(module, options);
    HLOCTS_ASSIGN_OR_RETURN(plan::GraphModule graphs, plan::BuildGraphs(module));
    plan::Graph& entry = *graphs.entry;
    program_.graphs.push_back(std::make_unique<plan::GraphModule>(std::move(graphs)));
    std::vector<std::pair<int, int>> aliases;
    for (const AliasPair& pair : aliases_) {
      aliases.push_back({static_cast<int>(pair.argument), static_cast<int>(pair.output)});
    }
    Compiler compiler(program_, options);
    HLOCTS_ASSIGN_OR_RETURN(program_.entry, compiler.Compile(entry, aliases, Handover::kAnyLeaf));
    return compiler.Finish();
  }

  absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest& request) override;

 private:
  struct Device {
    std::unique_ptr<Run> run;
    std::vector<Literal> last;  // outputs of the last execution, taken again when nobody has them
  };

  absl::Status RunOne(const ExecuteRequest& request, int64_t device, World* world,
                      std::vector<Literal>& outputs);
  Literal OutputFor(Device& device, size_t leaf);
  absl::Status CheckMemory() const;

  LoadOptions load_;
  std::vector<Shape> arguments_;
  std::vector<std::shared_ptr<const Shape>> outputs_;
  std::vector<AliasPair> aliases_;
  std::vector<int64_t> donors_;
  bool needs_world_ = false, flush_ = false;
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
      return absl::ResourceExhaustedError(absl::StrCat(
          "outputs and temporaries need more than the budget of ", load_.memory_bytes_max, " bytes"));
    }
    bytes += more;
  }
  return absl::OkStatus();
}

absl::Status StaticExecutable::RunOne(const ExecuteRequest& request, int64_t number, World* world,
                                      std::vector<Literal>& outputs) {
  Device& device = devices_[number];
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
  const std::vector<Literal>& arguments =
      request.arguments[request.arguments.size() == 1 ? 0 : static_cast<size_t>(number)];
  const Function& entry = *program_.entry;
  for (size_t i = 0; i < arguments.size(); ++i) {
    run.SetParameter(entry, i, const_cast<uint8_t*>(arguments[i].raw_data()));
  }
  outputs.resize(outputs_.size());
  absl::InlinedVector<bool, 8> owned(outputs_.size(), false);
  for (size_t r = 0; r < outputs_.size(); ++r) {
    const int32_t source = entry.result_source[r];
    const bool in_place = source >= 0 && entry.result_slots[r] >= 0;
    if (source >= 0 && !in_place) {
      outputs[r] = arguments[source].shape() == *outputs_[r] ? arguments[source]
                                                             : arguments[source].WithShape(*outputs_[r]);
      continue;
    }
    const bool donated = in_place && IsDonated(request.donated_leaves, source) &&
                         arguments[source].UniqueStorage();
    if (donated) {
      outputs[r] = arguments[source];
      continue;
    }
    outputs[r] = OutputFor(device, r);
    owned[r] = true;
    uint8_t* data = outputs[r].mutable_raw_data();
    run.SetResult(entry, r, data);
    if (!in_place) continue;
    // Copy protection: the caller's argument stays as it is.
    std::memcpy(data, arguments[source].raw_data(), arguments[source].raw_size());
    run.SetParameter(entry, static_cast<size_t>(source), data);
  }
  {
    const ScopedFlush flush(flush_);
    HLOCTS_RETURN_IF_ERROR(run.Execute(entry));
  }
  for (size_t r = 0; r < outputs.size(); ++r) {
    if (owned[r]) device.last[r] = outputs[r];
  }
  return absl::OkStatus();
}

absl::StatusOr<ExecuteResult> StaticExecutable::Execute(const ExecuteRequest& request) {
  HLOCTS_RETURN_IF_ERROR(CheckRequest(request, load_, arguments_));
  HLOCTS_RETURN_IF_ERROR(CheckMemory());
  std::lock_guard<std::mutex> lock(mutex_);
  const auto start = std::chrono::steady_clock::now();
  const int64_t count = load_.replicas * load_.partitions;
  devices_.resize(count);
  ExecuteResult result;
  result.outputs.resize(count);
  result.outfeed.resize(count);
  if (count == 1 && !needs_world_) {
    try {
      HLOCTS_RETURN_IF_ERROR(RunOne(request, 0, nullptr, result.outputs[0]));
    } catch (const std::bad_alloc&) {
      return absl::ResourceExhaustedError("out of memory");
    }
  } else {
    World world(load_.replicas, load_.partitions);
    Feed(request, world);
    HLOCTS_RETURN_IF_ERROR(RunDevices(
        count, world, [&](int64_t d) { return RunOne(request, d, &world, result.outputs[d]); }));
    result.outfeed = std::move(world.outfeeds);
  }
  result.arguments =
      StatesOf(aliases_, donors_, request.arguments[0].size(), request.donated_leaves);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Executable>> MakeStaticExecutable(const Module& module,
                                                                 const LoadOptions& load,
                                                                 const CompileOptions& compile) {
  auto executable = std::make_unique<StaticExecutable>(module, load);
  HLOCTS_RETURN_IF_ERROR(executable->Compile(module, compile));
  return std::unique_ptr<Executable>(std::move(executable));
}

}  // namespace hlocts::cpu
