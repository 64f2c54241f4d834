// Modules with run-time sizes: instruction by instruction, each compiled for the sizes it meets.
#include <chrono>
#include <cstring>

#include "backends/cpu/dynamic_sizes.h"
#include "backends/cpu/executable.h"
#include "backends/cpu/float_control.h"
#include "backends/cpu/ops/strided.h"

namespace hlocts::cpu {
namespace {

constexpr int64_t kDepthMax = 200;

// One device's evaluation.
class Interpreter {
 public:
  Interpreter(const LoadOptions& load, const CompileOptions& compile, int64_t device, World& world)
      : load_(load), compile_(compile), device_(device), world_(world), state_(nothing_) {
    state_.steps_left = load.steps_max;
    state_.rng_seed = state_.rng_state[0] = load.rng_seed;
  }

  absl::StatusOr<Literal> Call(const Computation& computation, std::vector<Literal> arguments);

 private:
  absl::StatusOr<Literal> Evaluate(const Instruction& instruction,
                                   std::vector<Literal>& operands,
                                   std::vector<Literal>& arguments);
  absl::StatusOr<Literal> While(const Instruction& instruction, Literal state);
  absl::StatusOr<Literal> Conditional(const Instruction& instruction,
                                      std::vector<Literal>& operands);
  absl::StatusOr<Literal> SetSize(const Instruction& instruction, std::vector<Literal>& operands);
  absl::StatusOr<Literal> DynamicReshape(const Instruction& instruction,
                                         std::vector<Literal>& operands);
  absl::StatusOr<Literal> RunStatic(const Instruction& instruction,
                                    std::vector<Literal>& operands);

  const LoadOptions& load_;
  const CompileOptions& compile_;
  int64_t device_;
  World& world_;
  Program nothing_;
  Run state_;  // the counters that instructions share
  int64_t depth_ = 0;
};

absl::StatusOr<Literal> Interpreter::Call(const Computation& computation,
                                          std::vector<Literal> arguments) {
  if (++depth_ > kDepthMax) return absl::ResourceExhaustedError("calls nest too deep");
  absl::flat_hash_map<const Instruction*, Literal> values;
  for (const auto& instruction : computation.instructions()) {
    std::vector<Literal> operands;
    for (const Instruction* operand : instruction->operands()) operands.push_back(values[operand]);
    HLOCTS_ASSIGN_OR_RETURN(values[instruction.get()],
                            Evaluate(*instruction, operands, arguments));
  }
  --depth_;
  return values[computation.root()];
}

absl::StatusOr<Literal> Interpreter::Evaluate(const Instruction& instruction,
                                              std::vector<Literal>& operands,
                                              std::vector<Literal>& arguments) {
  switch (instruction.opcode()) {
    case Opcode::kParameter:
      return arguments[instruction.parameter_number()];
    case Opcode::kConstant:
      return instruction.literal();
    case Opcode::kTuple:
      return Literal::Tuple(operands);
    case Opcode::kGetTupleElement:
      return operands[0].elements()[instruction.IntOr(Attr::kIndex, 0)];
    case Opcode::kCopy:
    case Opcode::kOptBarrier:
    case Opcode::kAddDependency:
    case Opcode::kDomain:
    case Opcode::kAsyncUpdate:
      return operands[0];
    case Opcode::kCopyStart:
      return Literal::Tuple({operands[0], operands[0], Literal(Shape::Scalar(PrimitiveType::kU32))});
    case Opcode::kCopyDone:
      return operands[0].elements()[0];
    case Opcode::kAsyncDone:
      return operands[0].elements()[1];
    case Opcode::kAfterAll:
      return Literal(Shape::Token());
    case Opcode::kCall:
      return Call(*instruction.CalledComputation(Attr::kToApply), operands);
    case Opcode::kFusion:
      return Call(*instruction.CalledComputation(Attr::kCalls), operands);
    case Opcode::kAsyncStart: {
      HLOCTS_ASSIGN_OR_RETURN(Literal result,
                              Call(*instruction.CalledComputation(Attr::kCalls), operands));
      return Literal::Tuple({Literal::Tuple(operands), result,
                             Literal(Shape::Scalar(PrimitiveType::kU32))});
    }
    case Opcode::kWhile:
      return While(instruction, operands[0]);
    case Opcode::kConditional:
      return Conditional(instruction, operands);
    case Opcode::kGetDimensionSize:
      return Literal::Scalar<int32_t>(
          PrimitiveType::kS32, static_cast<int32_t>(operands[0].runtime_size(
                                   instruction.IntList(Attr::kDimensions)[0])));
    case Opcode::kSetDimensionSize:
      return SetSize(instruction, operands);
    case Opcode::kDynamicReshape:
      return DynamicReshape(instruction, operands);
    default:
      return RunStatic(instruction, operands);
  }
}

absl::StatusOr<Literal> Interpreter::While(const Instruction& instruction, Literal state) {
  const Computation& condition = *instruction.CalledComputation(Attr::kCondition);
  const Computation& body = *instruction.CalledComputation(Attr::kBody);
  while (true) {
    HLOCTS_ASSIGN_OR_RETURN(const Literal holds, Call(condition, {state}));
    if (!holds.data<bool>()[0]) return state;
    HLOCTS_RETURN_IF_ERROR(state_.ChargeSteps(1));
    HLOCTS_ASSIGN_OR_RETURN(state, Call(body, {state}));
  }
}

absl::StatusOr<Literal> Interpreter::Conditional(const Instruction& instruction,
                                                 std::vector<Literal>& operands) {
  std::vector<Computation*> branches;
  if (const auto* listed = instruction.Get<std::vector<Computation*>>(Attr::kBranchComputations)) {
    branches = *listed;
  } else {
    branches = {instruction.CalledComputation(Attr::kTrueComputation),
                instruction.CalledComputation(Attr::kFalseComputation)};
  }
  size_t chosen = branches.size() - 1;
  if (operands[0].element_type() == PrimitiveType::kPred) {
    if (operands[0].data<bool>()[0]) chosen = 0;
  } else {
    const int32_t index = operands[0].data<int32_t>()[0];
    if (index >= 0 && static_cast<size_t>(index) < branches.size()) chosen = index;
  }
  return Call(*branches[chosen], {operands[chosen + 1]});
}

// The operand with this run-time size; the bound makes the dimension static again.
absl::StatusOr<Literal> Interpreter::SetSize(const Instruction& instruction,
                                             std::vector<Literal>& operands) {
  const int64_t dimension = instruction.IntList(Attr::kDimensions)[0];
  const int64_t size = IndexAt(operands[1].element_type(), operands[1].raw_data(), 0);
  const int64_t bound = operands[0].shape().dimension(dimension);
  if (size < 0 || size > bound) {
    return InvalidInput(instruction.name(), ": size ", size, " of a dimension bounded by ", bound);
  }
  Literal result = operands[0];
  std::vector<int64_t> sizes = result.runtime_sizes();
  sizes[dimension] = size;
  result.ClearRuntimeSizes();
  for (int64_t d = 0; d < instruction.shape().rank(); ++d) {
    if (sizes[d] < result.shape().dimensions()[d] || instruction.shape().is_dynamic_dimension(d)) {
      result.SetRuntimeSize(d, sizes[d]);
    }
  }
  return result;
}

absl::StatusOr<Literal> Interpreter::DynamicReshape(const Instruction& instruction,
                                                    std::vector<Literal>& operands) {
  const Literal dense = Cut(operands[0]);
  std::vector<int64_t> sizes;
  for (size_t k = 1; k < operands.size(); ++k) {
    for (int64_t i = 0; i < operands[k].element_count(); ++i) {
      sizes.push_back(IndexAt(operands[k].element_type(), operands[k].raw_data(), i));
    }
  }
  const Shape& bounds = instruction.shape();
  bool fits = sizes.size() == bounds.dimensions().size();
  int64_t elements = 1;
  for (size_t d = 0; fits && d < sizes.size(); ++d) {
    fits = sizes[d] >= 0 && sizes[d] <= bounds.dimensions()[d];
    elements *= sizes[d];
  }
  if (!fits || elements != dense.element_count()) {
    return InvalidInput(instruction.name(), ": ", dense.element_count(),
                        " elements do not fit the sizes given");
  }
  return Uncut(dense.WithShape(Shape(dense.element_type(), sizes)), bounds);
}

// The instruction compiled for just these sizes, and run.
absl::StatusOr<Literal> Interpreter::RunStatic(const Instruction& instruction,
                                               std::vector<Literal>& operands) {
  for (Literal& operand : operands) operand = Cut(operand);
  HLOCTS_ASSIGN_OR_RETURN(const CutInstruction cut, CutFor(instruction, operands));
  Program program;
  HLOCTS_ASSIGN_OR_RETURN(plan::GraphModule graphs, plan::BuildGraphsOf(*cut.instruction));
  plan::Graph& graph = *graphs.entry;
  program.graphs.push_back(std::make_unique<plan::GraphModule>(std::move(graphs)));
  Compiler compiler(program, compile_);
  HLOCTS_ASSIGN_OR_RETURN(program.entry, compiler.Compile(graph, {}, Handover::kNone));
  HLOCTS_RETURN_IF_ERROR(compiler.Finish());
  Run run(program);
  HLOCTS_RETURN_IF_ERROR(run.Prepare());
  run.steps_left = state_.steps_left;
  run.rng_seed = state_.rng_seed;
  run.rng_stream = state_.rng_stream;
  std::copy(state_.rng_state, state_.rng_state + 2, run.rng_state);
  run.device = device_;
  run.replica = device_ / load_.partitions;
  run.partition = device_ % load_.partitions;
  run.world = &world_;
  // An operand that is used twice is one parameter.
  absl::flat_hash_map<const Instruction*, bool> seen;
  size_t leaf = 0;
  for (size_t k = 0; k < operands.size(); ++k) {
    if (!seen.emplace(&cut.instruction->operand(k), true).second) continue;
    for (const Literal& part : FlattenLeaves(operands[k])) {
      run.SetParameter(*program.entry, leaf++, const_cast<uint8_t*>(part.raw_data()));
    }
  }
  const Shape& shape = cut.instruction->shape();
  std::vector<Literal> leaves;
  for (const Shape& output : LeafShapes(shape)) leaves.push_back(Literal::Uninitialized(output));
  for (size_t r = 0; r < leaves.size(); ++r) {
    run.SetResult(*program.entry, r, leaves[r].mutable_raw_data());
  }
  HLOCTS_RETURN_IF_ERROR(run.Execute(*program.entry));
  state_.steps_left = run.steps_left;
  state_.rng_stream = run.rng_stream;
  std::copy(run.rng_state, run.rng_state + 2, state_.rng_state);
  HLOCTS_ASSIGN_OR_RETURN(const Literal dense, UnflattenLeaves(shape, std::move(leaves)));
  return Uncut(dense, instruction.shape());
}

class DynamicExecutable : public Executable {
 public:
  DynamicExecutable(const Module& module, const LoadOptions& load, const CompileOptions& compile)
      : module_(module.Clone()),
        load_(load),
        compile_(compile),
        flush_(MayFlush(module, compile)),
        arguments_(ArgumentLeafShapes(module)) {}

  absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest& request) override {
    HLOCTS_RETURN_IF_ERROR(CheckRequest(request, load_, arguments_));
    const auto start = std::chrono::steady_clock::now();
    const int64_t count = load_.replicas * load_.partitions;
    World world(load_.replicas, load_.partitions);
    Feed(request, world);
    ExecuteResult result;
    result.outputs.resize(count);
    HLOCTS_RETURN_IF_ERROR(RunDevices(count, world, [&](int64_t device) -> absl::Status {
      const size_t set = request.arguments.size() == 1 ? 0 : static_cast<size_t>(device);
      HLOCTS_ASSIGN_OR_RETURN(std::vector<Literal> nested,
                              NestArguments(*module_, request.arguments[set]));
      Interpreter interpreter(load_, compile_, device, world);
      const ScopedFlush flush(flush_);
      HLOCTS_ASSIGN_OR_RETURN(const Literal root,
                              interpreter.Call(*module_->entry(), std::move(nested)));
      result.outputs[device] = FlattenLeaves(root);
      return absl::OkStatus();
    }));
    result.outfeed = std::move(world.outfeeds);
    const std::vector<AliasPair> pairs = AliasPairsOf(*module_);
    result.arguments = StatesOf(pairs, DonorsOf(*module_), request.arguments[0].size(),
                                request.donated_leaves);
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  }

 private:
  std::unique_ptr<Module> module_;
  LoadOptions load_;
  CompileOptions compile_;
  bool flush_;
  std::vector<Shape> arguments_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Executable>> MakeDynamicExecutable(const Module& module,
                                                                  const LoadOptions& load,
                                                                  const CompileOptions& compile) {
  return std::unique_ptr<Executable>(std::make_unique<DynamicExecutable>(module, load, compile));
}

}  // namespace hlocts::cpu
