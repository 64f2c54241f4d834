// SPDX-License-Identifier: Apache-2.0
// The reference evaluator as a Backend.
#include "backends/adapters/reference/reference_run.h"
#include "backends/backend.h"
#include "backends/backend_list.h"
#include "reference/custom_call.h"
#include "spec/base/version.h"
#include "spec/infer/verifier.h"
#include "spec/ir/entry_leaves.h"
#include "spec/ir/module.h"

namespace hlocts::backends {
namespace {

class ReferenceExecutable : public Executable {
 public:
  ReferenceExecutable(std::unique_ptr<Module> module, const LoadOptions& options,
                      std::unique_ptr<reference::CustomCallLibrary> custom_calls)
      : module_(std::move(module)), options_(options), custom_calls_(std::move(custom_calls)) {}

  absl::StatusOr<ExecuteResult> Execute(const ExecuteRequest& request) override {
    HLOCTS_ASSIGN_OR_RETURN(
        ExecuteResult result,
        RunReference(*module_, options_, request, custom_calls_.get(), /*hook=*/nullptr));
    result.arguments = AliasingOf(*module_, request);
    return result;
  }

 private:
  // Returns the argument states that ruling 0068 requires of engines. The reference itself donates
  // no buffers. A donated argument with an alias is consumed, and the aliased output uses its
  // memory. A donor is consumed. Other arguments are unchanged.
  static std::vector<ArgumentState> AliasingOf(const Module& module, const ExecuteRequest& request);

  std::unique_ptr<Module> module_;
  LoadOptions options_;
  std::unique_ptr<reference::CustomCallLibrary> custom_calls_;
};

std::vector<ArgumentState> ReferenceExecutable::AliasingOf(const Module& module,
                                                           const ExecuteRequest& request) {
  std::vector<ArgumentState> states;
  if (request.arguments.empty()) return states;
  for (size_t i = 0; i < request.arguments[0].size(); ++i) {
    states.push_back({static_cast<int64_t>(i), false, -1});
  }
  ProgramShape program = module.EntryProgramShape();
  auto donated = [&](int64_t leaf) {
    for (int64_t d : request.donated_leaves) {
      if (d == leaf) return true;
    }
    return false;
  };
  for (const InputOutputAlias& alias : module.input_output_alias) {
    int64_t leaf = LeafNumber(program.parameters, alias.parameter_number, alias.parameter_index);
    if (leaf < 0 || leaf >= static_cast<int64_t>(states.size()) || !donated(leaf)) continue;
    states[leaf].consumed = true;
    states[leaf].aliased_output = LeafNumber({program.result}, 0, alias.output_index);
  }
  for (const BufferDonor& donor : module.buffer_donor) {
    int64_t leaf = LeafNumber(program.parameters, donor.parameter_number, donor.parameter_index);
    if (leaf >= 0 && leaf < static_cast<int64_t>(states.size()) && donated(leaf)) {
      states[leaf].consumed = true;
    }
  }
  return states;
}

class ReferenceBackend : public Backend {
 public:
  explicit ReferenceBackend(std::string name) : name_(std::move(name)) {}

  BackendInfo info() override {
    BackendInfo info{.name = name_, .version = kVersion};
    info.capabilities = {"execute", "verify",      "replicas",   "donation",
                         "infeed",  "custom-call", "our-parser", "partitions"};
    info.facts = ReferenceFacts();
    return info;
  }

  absl::StatusOr<std::unique_ptr<Executable>> Load(const Module& module,
                                                   const LoadOptions& options) override {
    HLOCTS_RETURN_IF_ERROR(VerifyModule(module));
    HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<reference::CustomCallLibrary> custom_calls,
                            reference::CustomCallLibrary::Load(options.custom_calls));
    return std::unique_ptr<Executable>(
        std::make_unique<ReferenceExecutable>(module.Clone(), options, std::move(custom_calls)));
  }

 private:
  std::string name_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Backend>> MakeReferenceBackend(BackendName name) {
  if (!name.options.empty()) {
    return InvalidInput("backend \"", name.text, "\": reference has no options");
  }
  return std::unique_ptr<Backend>(std::make_unique<ReferenceBackend>(std::move(name.text)));
}

}  // namespace hlocts::backends
