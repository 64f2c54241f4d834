// SPDX-License-Identifier: Apache-2.0
// Compiles graphs to functions of steps. Determines the nodes of each loop, the values that are
// uploaded when the module is loaded, and the kernel of each step.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "backends/engine/cuda/base/run.h"
#include "backends/engine/cuda/compile/emit.h"
#include "backends/engine/cuda/compile/program_builder.h"
#include "backends/engine/plan/fusion.h"

namespace hlocts::cuda {

enum class Placement : uint8_t { kAuto, kAlways, kNever };

struct CompileOptions {
  Placement jit = Placement::kAuto;
  Placement libraries = Placement::kAuto;
  bool tf32 = false, fast_math = false;
  hl::Math math = hl::kMathSingle;
  bool deterministic = true;  // every run returns the same bits
  int64_t memory_bytes_max = int64_t{8} << 30;
  std::shared_ptr<void> custom_calls;         // the opened library; may be null
  absl::flat_hash_set<std::string> disabled;  // passes, including "fusion", "in-place" and "rows"
  // If set, receives the source of every kernel that could be compiled, and nothing is compiled.
  std::vector<std::string>* sources = nullptr;
};
// Returns the names of the passes that only this engine has (backends/engine/plan has the others).
absl::Span<const absl::string_view> OwnPasses();

// A program in device memory.
struct Body {
  hl::Interpreted code;
  std::vector<hl::Instr> instructions;  // host copy, for emission
  Buffer memory;
};

// The step that a factory makes from a node. Either `work` or `control` is set.
struct StepDraft {
  Work work;
  Control control;
  std::vector<std::pair<int, int>> in_place;
};

class Compiler {
 public:
  Compiler(Device& device, const CompileOptions& options) : device_(device), options_(options) {}

  absl::StatusOr<const Function*> Compile(plan::Graph& graph);
  // Compiles a computation on scalars. Unless is_on_host(), it must be straight-line code.
  absl::StatusOr<std::shared_ptr<const Body>> CompileElements(plan::Graph& graph);
  // Compiles a computation on scalars to a loop over arrays of these types, read in order.
  absl::StatusOr<std::shared_ptr<const Body>> CompileLoop(plan::Graph& graph,
                                                          absl::Span<const PrimitiveType> types);
  absl::StatusOr<std::shared_ptr<const Body>> UploadProgram(std::vector<hl::Instr> instructions);
  absl::StatusOr<Buffer> Upload(const void* data, int64_t bytes);
  // Compiles a kernel with the program and views of a loop. Returns -1 if it will be interpreted.
  absl::StatusOr<int64_t> CompileKernel(hl::Kernel kernel, const Body& body,
                                        absl::Span<const hl::View> views, int64_t elements,
                                        const KernelFacts& facts = {});
  absl::StatusOr<int64_t> CompileReduce(const ReduceText& text, int64_t elements);
  absl::StatusOr<int64_t> CompileRows(absl::Span<const RowText> parts, int64_t held_columns,
                                      int64_t elements);
  // Returns true if the program of a loop with this number of elements is compiled.
  bool IsCompiled(int64_t elements) const;
  static constexpr int64_t kProductsForLibrary = int64_t{1}
                                                 << 18;  // `least` for dots and convolutions
  // Returns true if a library should do count * each operations (libraries=auto: at least `least`).
  bool ShouldUseLibrary(int64_t count, int64_t each, int64_t least) const;
  // Returns the compiler for steps that run as loops on the host. It may be this compiler.
  Compiler& OnHost();
  bool is_on_host() const { return is_on_host_; }
  const CompileOptions& options() const { return options_; }
  Device& device() { return device_; }

  std::vector<std::unique_ptr<plan::GraphModule>> graphs;  // own the constants

 private:
  void Simplify(plan::Graph& graph);
  absl::StatusOr<int64_t> CompileText(hl::Kernel kernel, std::string text);

  absl::StatusOr<std::shared_ptr<const Body>> CompileProgram(plan::Graph& graph,
                                                             absl::Span<const hl::Instr> sources);

  Device& device_;
  CompileOptions options_;
  bool is_on_host_ = false;
  Buffer empty_buffer_;  // all uploads of 0 bytes share it
  std::unique_ptr<Compiler> on_host_;
  absl::flat_hash_set<const plan::Graph*> simplified_;
  absl::flat_hash_map<const plan::Graph*, std::shared_ptr<const Body>> elements_;
  absl::flat_hash_map<const plan::Graph*, std::unique_ptr<Function>> functions_;
};

// The inputs of the factory of a structured operation.
struct OpContext {
  Compiler& compiler;
  const plan::Graph& graph;
  const plan::Node& node;

  const plan::ArrayType& in(size_t k) const { return graph.type(node.operands[k]); }
  const plan::ArrayType& out(size_t k) const { return graph.type(node.outputs[k]); }
  const Instruction& source() const { return *node.source; }
  const std::string& name() const { return node.source->name(); }
  plan::Graph& called(size_t k) const { return *node.called[k]; }
  // Returns the graph of the computation that the attribute names.
  absl::StatusOr<plan::Graph*> CalledBy(Attr attr) const;
};

// Makes the step of a structured node by the factory of its opcode.
absl::StatusOr<StepDraft> MakeStep(const OpContext& context);

}  // namespace hlocts::cuda
