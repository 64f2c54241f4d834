// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/compile/compiler.h"

#include <cstdio>
#include <mutex>

#include "backends/engine/cuda/compile/function_builder.h"
#include "backends/engine/cuda/compile/host_steps.h"
#include "backends/engine/plan/passes.h"

namespace hlocts::cuda {
namespace {

// Under jit=auto smaller loops are interpreted, because compilation takes longer than they run.
constexpr int64_t kElementsToCompile = int64_t{1} << 16;

}  // namespace

absl::Span<const absl::string_view> OwnPasses() {
  static constexpr absl::string_view kNames[] = {"fusion", "in-place", "rows"};
  return kNames;
}

absl::StatusOr<plan::Graph*> OpContext::CalledBy(Attr attr) const {
  const Computation* wanted = source().CalledComputation(attr);
  const std::vector<Computation*> all = source().called_computations();
  for (size_t k = 0; wanted != nullptr && k < all.size() && k < node.called.size(); ++k) {
    if (all[k] == wanted) return node.called[k];
  }
  return InvalidInput(name(), ": ", AttrName(attr), " is missing");
}

void Compiler::Simplify(plan::Graph& graph) {
  if (simplified_.insert(&graph).second) plan::RunPasses(graph, options_.disabled);
}

absl::StatusOr<Buffer> Compiler::Upload(const void* data, int64_t bytes) {
  if (bytes == 0 && empty_buffer_ != nullptr) return empty_buffer_;
  HLOCTS_ASSIGN_OR_RETURN(Buffer buffer, Memory::New(device_, bytes));
  if (bytes == 0) return empty_buffer_ = std::move(buffer);
  HLOCTS_RETURN_IF_ERROR(device_.Upload(buffer->data(), data, bytes));
  return buffer;
}

absl::StatusOr<std::shared_ptr<const Body>> Compiler::UploadProgram(
    std::vector<hl::Instr> instructions) {
  auto body = std::make_shared<Body>();
  body->instructions = std::move(instructions);
  for (hl::Instr& n : body->instructions) n.math = options_.math;
  HLOCTS_ASSIGN_OR_RETURN(
      body->memory, Upload(body->instructions.data(),
                           static_cast<int64_t>(body->instructions.size() * sizeof(hl::Instr))));
  body->code.code = static_cast<const hl::Instr*>(body->memory->data());
  body->code.count = static_cast<int64_t>(body->instructions.size());
  return std::shared_ptr<const Body>(std::move(body));
}

absl::StatusOr<std::shared_ptr<const Body>> Compiler::CompileProgram(
    plan::Graph& graph, absl::Span<const hl::Instr> sources) {
  if (is_on_host_ && !IsStraightLine(graph)) {
    HLOCTS_ASSIGN_OR_RETURN(const Function* function, Compile(graph));
    HLOCTS_ASSIGN_OR_RETURN(std::vector<hl::Instr> code, CallingProgram(*function, sources));
    return UploadProgram(std::move(code));
  }
  ProgramBuilder builder;
  std::vector<int> arguments;
  for (const hl::Instr& source : sources) arguments.push_back(builder.Add(source));
  HLOCTS_ASSIGN_OR_RETURN(const std::vector<int> results, builder.Inline(graph, arguments));
  HLOCTS_ASSIGN_OR_RETURN(std::vector<hl::Instr> code, builder.Finish(results));
  return UploadProgram(std::move(code));
}

absl::StatusOr<std::shared_ptr<const Body>> Compiler::CompileElements(plan::Graph& graph) {
  auto found = elements_.find(&graph);
  if (found != elements_.end()) return found->second;
  Simplify(graph);
  std::vector<hl::Instr> parameters(graph.parameters.size());
  for (size_t p = 0; p < parameters.size(); ++p) {
    parameters[p].op = hl::kOpParameter;
    parameters[p].a = static_cast<int>(p);
    parameters[p].to = TypeNumber(graph.type(graph.parameters[p]).type);
  }
  HLOCTS_ASSIGN_OR_RETURN(auto body, CompileProgram(graph, parameters));
  return elements_[&graph] = std::move(body);
}

absl::StatusOr<std::shared_ptr<const Body>> Compiler::CompileLoop(
    plan::Graph& graph, absl::Span<const PrimitiveType> types) {
  Simplify(graph);
  std::vector<hl::Instr> loads(types.size());
  for (size_t k = 0; k < loads.size(); ++k) {
    loads[k].op = hl::kOpLoad;
    loads[k].a = static_cast<int>(k);
    loads[k].b = -1;
    loads[k].to = TypeNumber(types[k]);
  }
  return CompileProgram(graph, loads);
}

Compiler& Compiler::OnHost() {
  if (is_on_host_) return *this;
  if (on_host_ == nullptr) {
    CompileOptions options = options_;
    options.jit = Placement::kNever;
    options.libraries = Placement::kNever;
    options.sources = nullptr;
    on_host_ = std::make_unique<Compiler>(SharedHostDevice(), options);
    on_host_->is_on_host_ = true;
  }
  return *on_host_;
}

absl::StatusOr<int64_t> Compiler::CompileText(hl::Kernel kernel, std::string text) {
  if (options_.sources != nullptr) {
    options_.sources->push_back(std::move(text));
    return -1;
  }
  absl::StatusOr<int64_t> code = device_.Compile(kernel, EmitSource(text), options_.fast_math);
  if (code.ok() || options_.jit == Placement::kAlways) return code;
  // Without an NVRTC that supports the GPU, programs are interpreted.
  static std::once_flag said;
  std::call_once(said, [&] {
    std::fprintf(stderr, "hlocts: cuda: kernels are interpreted, not compiled: %s\n",
                 std::string(code.status().message()).c_str());
  });
  return -1;
}

bool Compiler::IsCompiled(int64_t elements) const {
  return options_.sources != nullptr || options_.jit == Placement::kAlways ||
         (options_.jit == Placement::kAuto && elements >= kElementsToCompile);
}

bool Compiler::ShouldUseLibrary(int64_t count, int64_t each, int64_t least) const {
  if (options_.libraries != Placement::kAuto) return options_.libraries == Placement::kAlways;
  return static_cast<double>(count) * static_cast<double>(each) >= static_cast<double>(least);
}

absl::StatusOr<int64_t> Compiler::CompileKernel(hl::Kernel kernel, const Body& body,
                                                absl::Span<const hl::View> views, int64_t elements,
                                                const KernelFacts& facts) {
  if (!IsCompiled(elements)) return -1;
  return CompileText(kernel, EmitKernel(kernel, body.instructions, views, facts));
}

absl::StatusOr<int64_t> Compiler::CompileReduce(const ReduceText& text, int64_t elements) {
  if (!IsCompiled(elements)) return -1;
  return CompileText(hl::kReduceBlockKernel, EmitReduce(text));
}

absl::StatusOr<int64_t> Compiler::CompileRows(absl::Span<const RowText> parts, int64_t held_columns,
                                              int64_t elements) {
  if (!IsCompiled(elements)) return -1;
  return CompileText(hl::kRowBlockKernel, EmitRows(parts, held_columns));
}

absl::StatusOr<const Function*> Compiler::Compile(plan::Graph& graph) {
  auto found = functions_.find(&graph);
  if (found != functions_.end()) return found->second.get();
  Simplify(graph);
  for (const plan::Node& node : graph.nodes) {
    for (plan::Graph* called : node.called) Simplify(*called);
  }
  const bool fuses = !options_.disabled.contains("fusion");
  auto function = std::make_unique<Function>();
  absl::Status built = FunctionBuilder(*this, graph, *function, fuses).Build();
  if (fuses && absl::IsUnimplemented(built)) {
    // A loop with too many values or arrays for a kernel becomes one loop for each operation.
    function = std::make_unique<Function>();
    built = FunctionBuilder(*this, graph, *function, false).Build();
  }
  HLOCTS_RETURN_IF_ERROR(built);
  function->name = graph.name;
  return (functions_[&graph] = std::move(function)).get();
}

}  // namespace hlocts::cuda
