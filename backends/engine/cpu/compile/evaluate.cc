// SPDX-License-Identifier: Apache-2.0
// Folds constants with the engine's own kernels: compiles the graph to a program, and runs the
// program once.

#include "backends/engine/cpu/base/float_control.h"
#include "backends/engine/cpu/compile/compiler.h"

namespace hlocts::cpu {

absl::StatusOr<std::vector<Literal>> Evaluate(plan::Graph& closed, CompileOptions options) {
  options.disabled.insert("constant-folding");  // folding must not call itself
  Program program;
  Compiler compiler(program, options);
  HLOCTS_ASSIGN_OR_RETURN(const Function* function, compiler.Compile(closed, {}, AliasMode::kNone));
  HLOCTS_RETURN_IF_ERROR(compiler.Finish());
  Run run(program);
  HLOCTS_RETURN_IF_ERROR(run.Prepare());
  std::vector<Literal> results;
  for (size_t r = 0; r < function->result_types.size(); ++r) {
    const plan::ArrayType& type = function->result_types[r];
    results.push_back(Literal::Uninitialized(plan::ShapeOf(type)));
    run.SetResult(*function, r, results.back().mutable_raw_data());
  }
  const ScopedFlush flush(options.flush);
  HLOCTS_RETURN_IF_ERROR(run.Execute(*function));
  return results;
}

}  // namespace hlocts::cpu
