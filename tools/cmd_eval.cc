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
  const ProgramShape program = module.EntryProgramShape();
  for (const InputOutputAlias& alias : module.input_output_alias) {
    if (!alias.must_alias) continue;
    int64_t leaf = LeafNumber(program.parameters, alias.parameter_number, alias.parameter_index);
    if (std::find(donated.begin(), donated.end(), leaf) == donated.end()) {
      return RuleError(
          "aliasing.must_alias",
          absl::StrCat("argument leaf ", leaf, " must alias an output: --donate must list it"));
    }
  }
  return absl::OkStatus();
}

Json ToJson(const backends::ExecuteResult& result, bool with_arguments) {
  Json outputs = Json::array();
  for (const auto& device : result.outputs) {
    for (const Literal& leaf : device) outputs.push_back(FormatLeaf(leaf));
  }
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

// Returns the time limit of this process. An engine in a worker has its own limit.
HardLimit LimitOf(const EvalOptions& options) {
  return HardLimit(HardDeadline(options.common, options.backend == "reference"));
}

absl::StatusOr<Evaluation> Evaluate(const EvalOptions& options, backends::Backend& backend) {
  const HardLimit limit = LimitOf(options);
  HLOCTS_ASSIGN_OR_RETURN(Job job,
                          LoadJob(options.module, options.inputs, options.seed, options.common));
  HLOCTS_ASSIGN_OR_RETURN(job.request.donated_leaves,
                          ParseDonated(options.donate, job.request.arguments[0].size()));
  if (!options.donate.empty()) {
    HLOCTS_RETURN_IF_ERROR(CheckMustAlias(*job.module, job.request.donated_leaves));
  }
  backends::LoadOptions load = options.common.ToLoadOptions(*job.module);
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<backends::Executable> executable,
                          backend.Load(*job.module, load));
  Evaluation evaluation;
  evaluation.partitions = load.partitions;
  HLOCTS_ASSIGN_OR_RETURN(evaluation.result, executable->Execute(job.request));
  if (!options.common.outfeed.empty()) {
    HLOCTS_RETURN_IF_ERROR(WriteLiterals(FileOfDevices(evaluation.result.outfeed, load.partitions),
                                         LeafRole::kOutput, options.common.outfeed));
  }
  return evaluation;
}

absl::Status WriteOutputs(const Evaluation& evaluation, const std::string& path) {
  return WriteLiterals(FileOfDevices(evaluation.result.outputs, evaluation.partitions),
                       LeafRole::kOutput, path);
}

Json AnswerEntry(const EvalOptions& options, backends::Backend& backend, const Json& entry) {
  EvalOptions merged = options;
  merged.module = TextField(entry, "module");
  merged.inputs = TextField(entry, "inputs");
  merged.output = TextField(entry, "output");
  merged.donate = TextField(entry, "donate", options.donate);
  auto seed = SeedField(entry, options.seed);
  auto common = WithEntry(options.common, entry);
  absl::Status status = seed.ok() ? common.status() : seed.status();
  Json outputs;
  if (status.ok()) {
    merged.seed = *seed;
    merged.common = *common;
    auto evaluation = Evaluate(merged, backend);
    status = evaluation.status();
    if (status.ok() && !merged.output.empty()) status = WriteOutputs(*evaluation, merged.output);
    if (status.ok()) outputs = ToJson(evaluation->result, !merged.donate.empty());
  }
  Json answer = BatchResult(merged.module, status);
  answer["output"] = status.ok() ? merged.output : "";
  if (status.ok() && merged.output.empty()) answer.update(outputs);
  return answer;
}

int RunEvalBatch(const EvalOptions& options) {
  std::map<std::string, std::unique_ptr<backends::Backend>> backends;
  return RunBatch(options.common.batch, [&](const Json& entry) {
    std::string name = TextField(entry, "backend", options.backend);
    auto& backend = backends[name];
    if (!backend) {
      auto made = backends::MakeBackend(name);
      if (!made.ok()) {
        Json answer = BatchResult(TextField(entry, "module"), made.status());
        answer["output"] = "";
        return std::vector<Json>{answer};
      }
      backend = *std::move(made);
    }
    return std::vector<Json>{AnswerEntry(options, *backend, entry)};
  });
}

int RunEval(const EvalOptions& options) {
  if (!options.common.batch.empty()) return RunEvalBatch(options);
  if (options.module.empty()) return Fail(InvalidInput("eval: expected a module or --batch"));
  auto backend = backends::MakeBackend(options.backend);
  if (!backend.ok()) return Fail(backend.status());
  LimitTime();
  const HardLimit limit = LimitOf(options);
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
            flags.Add("--inputs", &options->inputs, "literals file (text or .npz)");
            flags.Add("--seed", &options->seed, "seed of random inputs");
            flags.Add("--backend", &options->backend, "engine");
            flags.Add("--donate", &options->donate, "argument leaves to donate, e.g. 0,2");
            flags.Add("-o,--output", &options->output, "literals file to write");
            flags.AddWatch();
            options->common.DeclareData(flags);
            options->common.Declare(flags);
            return [options] { return RunEval(*options); };
          }};
}

}  // namespace hlocts::tools
