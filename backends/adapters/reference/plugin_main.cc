// SPDX-License-Identifier: Apache-2.0
// The entry point of libhlocts_reference.so, the reference as a PJRT plugin without options.
#include "reference/custom_call.h"
#include "reference/world/world.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "spec/pjrt/table/engine.h"

namespace hlocts::backends {
namespace {

class ReferenceExecutable : public pjrt::Executable {
 public:
  ReferenceExecutable(std::unique_ptr<Module> module, pjrt::LoadOptions options,
                      std::unique_ptr<reference::CustomCallLibrary> custom_calls)
      : module_(std::move(module)),
        options_(std::move(options)),
        custom_calls_(std::move(custom_calls)) {}

  absl::StatusOr<pjrt::ExecuteResult> Execute(const pjrt::ExecuteRequest& request) override {
    std::vector<std::vector<Literal>> arguments;
    for (const std::vector<Literal>& leaves : request.arguments) {
      HLOCTS_ASSIGN_OR_RETURN(std::vector<Literal> nested, NestArguments(*module_, leaves));
      arguments.push_back(std::move(nested));
    }
    reference::EvalOptions eval;
    static_cast<RunSettings&>(eval) = options_;
    eval.custom_calls = custom_calls_.get();
    reference::ReplicatedRunOptions world{
        .replicas = options_.replicas, .partitions = options_.partitions, .infeed = request.infeed};
    HLOCTS_ASSIGN_OR_RETURN(reference::ReplicatedRunResult roots,
                            reference::EvaluateReplicated(*module_, arguments, world, eval));
    pjrt::ExecuteResult result;
    for (const Literal& root : roots.outputs) result.outputs.push_back(FlattenLeaves(root));
    result.outfeed = std::move(roots.outfeeds);
    return result;
  }

 private:
  std::unique_ptr<Module> module_;
  pjrt::LoadOptions options_;
  std::unique_ptr<reference::CustomCallLibrary> custom_calls_;
};

class ReferenceEngine : public pjrt::Engine {
 public:
  std::string Words() override {
    return "execute verify replicas donation infeed custom-call our-parser fact:convert.saturate "
           "fact:integer.division fact:shift.saturate fact:rng.xla_layout";
  }

  absl::StatusOr<std::unique_ptr<pjrt::Executable>> Load(
      const Module& module, const pjrt::LoadOptions& options) override {
    HLOCTS_RETURN_IF_ERROR(VerifyModule(module));
    HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<reference::CustomCallLibrary> custom_calls,
                            reference::CustomCallLibrary::Load(options.custom_calls));
    return std::make_unique<ReferenceExecutable>(module.Clone(), options, std::move(custom_calls));
  }
};

absl::StatusOr<std::unique_ptr<pjrt::Engine>> MakeEngine(pjrt::Options options) {
  HLOCTS_RETURN_IF_ERROR(options.CheckNoUnknownOptions("none"));
  return std::make_unique<ReferenceEngine>();
}

constexpr pjrt::Plugin kPlugin = {"reference", [] { return std::string(); }, MakeEngine};

}  // namespace
}  // namespace hlocts::backends

extern "C" const PJRT_Api* GetPjrtApi() { return hlocts::pjrt::Table(hlocts::backends::kPlugin); }
