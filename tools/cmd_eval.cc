// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts eval`: runs a module and prints its outputs, one leaf per line.
#include <charconv>
#include <cstdio>
#include <iostream>
#include <map>

#include "absl/strings/str_split.h"
#include "backends/backend_list.h"
#include "nlohmann/json.hpp"
#include "spec/base/json_text.h"
#include "spec/files/literals_file.h"
#include "spec/ir/entry_leaves.h"
#include "spec/ir/module.h"
#include "tools/cli/common.h"
#include "tools/cli/limits.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

using Json = nlohmann::ordered_json;
using Engines = std::map<std::string, std::unique_ptr<backends::Backend>>;

struct EvalOptions {
  CommonOptions common;
  std::string module, inputs, backend = "reference", donate, output;
  std::optional<uint64_t> seed;
};

absl::StatusOr<std::vector<int64_t>> ParseDonated(const std::string& text, size_t leaves) {
  std::vector<int64_t> donated;
  for (absl::string_view part : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    int64_t leaf = 0;
    auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), leaf);
    if (error != std::errc() || end != part.data() + part.size() || leaf < 0 ||
        leaf >= static_cast<int64_t>(leaves)) {
      return InvalidInput("--donate: expected leaf numbers below ", leaves, ", found \"", part,
                          "\"");
    }
    donated.push_back(leaf);
  }
  return donated;
}

// Returns an error unless every argument with a must-alias is donated (aliasing.must_alias).
absl::Status CheckMustAlias(const Module& module, const std::vector<int64_t>& donated) {
  for (const Donation& one : DonationsOf(module)) {
    if (one.must_alias && std::find(donated.begin(), donated.end(), one.argument) == donated.end())
      return RuleError("aliasing.must_alias", absl::StrCat("argument leaf ", one.argument,
                                                           " must alias an output: --donate must "
                                                           "list it"));
  }
  return absl::OkStatus();
}

Json ToJson(const backends::ExecuteResult& result, bool with_arguments) {
  Json outputs = Json::array();
  for (const auto& device : result.outputs)
    for (const Literal& leaf : device) outputs.push_back(FormatLeaf(leaf));
  Json json = {{"outputs", outputs}};
  if (!with_arguments) return json;
  json["arguments"] = Json::array();
  for (const backends::ArgumentState& state : result.arguments) {
    json["arguments"].push_back(
        {{"leaf", state.leaf},
         {"state", state.consumed ? "consumed" : "unchanged"},
         {"aliased_output",
          state.aliased_output < 0 ? Json(nullptr) : Json(state.aliased_output)}});
  }
  return json;
}

struct Evaluation {
  backends::ExecuteResult result;
  int64_t partitions = 1;
};

// The time limit is that of this process. An engine in a worker has its own.
absl::StatusOr<Evaluation> Evaluate(const EvalOptions& options, backends::Backend& backend) {
  const HardLimit limit(HardDeadline(options.common, options.backend == "reference"));
  HLOCTS_ASSIGN_OR_RETURN(Job job,
                          LoadJob(options.module, options.inputs, options.seed, options.common));
  HLOCTS_ASSIGN_OR_RETURN(job.request.donated_leaves,
                          ParseDonated(options.donate, job.request.arguments[0].size()));
  if (options.donate.empty())
    job.request.donated_leaves = backends::DonatedLeaves(*job.module, job.request);
  HLOCTS_RETURN_IF_ERROR(CheckMustAlias(*job.module, job.request.donated_leaves));
  backends::LoadOptions load = options.common.ToLoadOptions(*job.module);
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<backends::Executable> executable,
                          backend.Load(*job.module, load));
  Evaluation evaluation;
  evaluation.partitions = load.partitions;
  HLOCTS_ASSIGN_OR_RETURN(evaluation.result, executable->Execute(job.request));
  if (!options.common.outfeed.empty())
    HLOCTS_RETURN_IF_ERROR(WriteLiterals(FileOfDevices(evaluation.result.outfeed, load.partitions),
                                         LeafRole::kOutput, options.common.outfeed));
  return evaluation;
}

absl::Status WriteOutputs(const Evaluation& evaluation, const std::string& path) {
  return WriteLiterals(FileOfDevices(evaluation.result.outputs, evaluation.partitions),
                       LeafRole::kOutput, path);
}

absl::StatusOr<std::vector<Json>> AnswerEntry(const EvalOptions& options, Engines& engines,
                                              const Json& entry) {
  EvalOptions merged = options;
  merged.module = TextField(entry, "module");
  merged.inputs = TextField(entry, "inputs");
  merged.output = TextField(entry, "output");
  merged.donate = TextField(entry, "donate", options.donate);
  merged.backend = TextField(entry, "backend", options.backend);
  if (entry.value("backend", Json()).is_array())
    return InvalidInput("\"backend\": expected one engine");
  HLOCTS_ASSIGN_OR_RETURN(merged.seed, SeedField(entry, options.seed));
  HLOCTS_ASSIGN_OR_RETURN(merged.common, WithEntry(options.common, entry));
  auto& backend = engines[merged.backend];
  if (!backend) {
    HLOCTS_ASSIGN_OR_RETURN(backend, backends::MakeBackend(merged.backend));
  }
  HLOCTS_ASSIGN_OR_RETURN(const Evaluation evaluation, Evaluate(merged, *backend));
  if (!merged.output.empty()) HLOCTS_RETURN_IF_ERROR(WriteOutputs(evaluation, merged.output));
  Json answer = BatchResult(merged.module, absl::OkStatus());
  answer["output"] = merged.output;
  if (merged.output.empty()) answer.update(ToJson(evaluation.result, !merged.donate.empty()));
  return std::vector<Json>{std::move(answer)};
}

int RunEval(const EvalOptions& options) {
  Engines engines;
  if (!options.common.batch.empty())
    return RunBatch(options.common.batch, options.module + options.inputs + options.output,
                    [&](const Json& entry) { return AnswerEntry(options, engines, entry); },
                    {{"output", ""}, {"outputs", Json::array()}});
  if (options.module.empty()) return Fail(InvalidInput("eval: expected a module or --batch"));
  auto backend = backends::MakeBackend(options.backend);
  if (!backend.ok()) return Fail(backend.status());
  LimitTime();
  const HardLimit limit(HardDeadline(options.common, options.backend == "reference"));
  auto evaluation = Evaluate(options, **backend);
  if (options.common.json) {
    Json answer = BatchResult(options.module, evaluation.status());
    if (evaluation.ok()) answer.update(ToJson(evaluation->result, true));
    std::cout << JsonText(answer) << std::endl;
  }
  if (!evaluation.ok()) return Fail(evaluation.status());
  if (options.common.json && options.output.empty()) return kExitOk;
  absl::Status written = WriteOutputs(*evaluation, options.output.empty() ? "-" : options.output);
  return written.ok() ? kExitOk : Fail(written);
}

}  // namespace

Command EvalCommand() {
  return {"eval", "run a module and print its outputs", [](Flags& flags) {
            auto options = std::make_shared<EvalOptions>();
            flags.Positional("MODULE", &options->module,
                             "file, case address, bundle or case directory (hlocts help modules)");
            options->common.DeclareInputs(flags, &options->inputs, &options->seed);
            flags.Add("--backend", &options->backend, "engine");
            flags.Add("--donate", &options->donate,
                      "argument leaves to donate, e.g. 0,2; unless given, those that must alias an "
                      "output");
            flags.Add("-o,--output", &options->output, "literals file to write");
            flags.AddWatch();
            options->common.Declare(flags, /*with_batch=*/true, /*refused=*/{});
            return [options] { return RunEval(*options); };
          }};
}

}  // namespace hlocts::tools
