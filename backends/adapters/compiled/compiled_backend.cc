// SPDX-License-Identifier: Apache-2.0
#include "backends/adapters/compiled/compiled_backend.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/adapters/compiled/meanings.h"
#include "backends/adapters/pjrt/partitioned_form.h"
#include "backends/adapters/pjrt/spread.h"
#include "spec/infer/verifier.h"
#include "spec/ir/entry_leaves.h"
#include "spec/ir/module.h"
#include "spec/proto/convert.h"

namespace hlocts::backends {
namespace {

// Returns the status of a module that the reference cannot evaluate. Reports count such modules by
// the reason; they are neither passes nor failures of the compiler.
absl::Status NotEvaluated(const absl::Status& status) {
  return absl::UnimplementedError(absl::StrCat("not evaluated: ", status.message()));
}

// Removes aliases of buffers whose sizes are equal only due to padding. Aliases affect no value.
void DropAliasesOfPadding(Module& module) {
  const ProgramShape program = module.EntryProgramShape();
  const std::vector<Shape> arguments = ArgumentLeafShapes(module),
                           results = OutputLeafShapes(module);
  std::erase_if(module.input_output_alias, [&](const InputOutputAlias& alias) {
    const int64_t from =
        LeafNumber(program.parameters, alias.parameter_number, alias.parameter_index);
    const int64_t to = LeafNumber({program.result}, 0, alias.output_index);
    return from >= 0 && to >= 0 && from < static_cast<int64_t>(arguments.size()) &&
           to < static_cast<int64_t>(results.size()) &&
           arguments[from].StorageSizeBytes() != results[to].StorageSizeBytes();
  });
}

class CompiledExecutable : public Executable {
 public:
  // `evaluated` is the optimized module as the evaluator loaded it, or the reason for a failure.
  CompiledExecutable(std::string optimized, absl::StatusOr<std::unique_ptr<Executable>> evaluated)
      : optimized_(std::move(optimized)), evaluated_(std::move(evaluated)) {}

  absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest& request) override {
    if (!evaluated_.ok()) return NotEvaluated(evaluated_.status());
    absl::StatusOr<ExecuteResult> result = (*evaluated_)->Execute(request);
    if (!result.ok() && !absl::IsDeadlineExceeded(result.status()))
      return NotEvaluated(result.status());
    return result;
  }
  absl::StatusOr<std::string> OptimizedModule() override { return optimized_; }

 private:
  std::string optimized_;
  absl::StatusOr<std::unique_ptr<Executable>> evaluated_;
};

class CompiledBackend : public Backend {
 public:
  CompiledBackend(std::unique_ptr<Backend> compiler, std::unique_ptr<Backend> evaluator)
      : compiler_(std::move(compiler)), evaluator_(std::move(evaluator)) {}

  BackendInfo info() override {
    BackendInfo info = compiler_->info();
    std::replace(info.capabilities.begin(), info.capabilities.end(), std::string("compile-only"),
                 std::string("compiled-form"));
    return info;
  }

  absl::StatusOr<std::unique_ptr<Executable>> Load(const Module& module,
                                                   const LoadOptions& options) override {
    HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Executable> compiled, compiler_->Load(module, options));
    HLOCTS_ASSIGN_OR_RETURN(std::string optimized, compiled->OptimizedModule());
    auto evaluated = Evaluated(module, optimized, options);
    return std::make_unique<CompiledExecutable>(std::move(optimized), std::move(evaluated));
  }

 private:
  absl::StatusOr<std::unique_ptr<Executable>> Evaluated(const Module& module,
                                                        const std::string& optimized,
                                                        const LoadOptions& options) {
    HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Module> made, ParseSerializedModule(optimized));
    HLOCTS_RETURN_IF_ERROR(LowerLibraryCalls(*made));
    DropAliasesOfPadding(*made);
    HLOCTS_RETURN_IF_ERROR(VerifyModule(*made));
    const size_t wanted = OutputLeafShapes(module).size(), found = OutputLeafShapes(*made).size();
    if (wanted != found)
      return InvalidInput("expected ", wanted, " outputs of the optimized module, found ", found);
    made->replica_count = module.replica_count;
    made->num_partitions = module.num_partitions;
    return NeedsPartitioner(module, options.partitions)
               ? LoadPartitioned(module, *made, optimized, options, *evaluator_)
               : evaluator_->Load(*made, options);
  }

  std::unique_ptr<Backend> compiler_, evaluator_;
};

}  // namespace

std::unique_ptr<Backend> MakeCompiledBackend(std::unique_ptr<Backend> compiler,
                                             std::unique_ptr<Backend> evaluator) {
  return std::make_unique<CompiledBackend>(std::move(compiler), std::move(evaluator));
}

}  // namespace hlocts::backends
