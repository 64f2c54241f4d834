#include "suites/runner.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "backends/backend_list.h"
#include "spec/files/literals_file.h"
#include "spec/infer/verifier.h"
#include "spec/text/parser.h"

namespace hlocts {
namespace {

Verdict ErrorVerdict(absl::string_view reason) {
  Verdict verdict;
  verdict.kind = VerdictKind::kError;
  verdict.reason = std::string(reason);
  return verdict;
}

LoadOptions LoadOptionsOf(const Case& one, const Module& module, LoadOptions load) {
  load.replicas = one.replicas > 0 ? one.replicas : module.replica_count;
  load.partitions = module.num_partitions;
  return load;
}

// Blocks of a literals text as leaves per device.
absl::StatusOr<std::vector<std::vector<Literal>>> DeviceLeaves(
    const std::string& text, const std::optional<ExpectedLeaves>& expected,
    const LoadOptions& load) {
  HLOCTS_ASSIGN_OR_RETURN(LiteralsFile file, ParseLiterals(text, expected));
  std::vector<std::vector<Literal>> devices;
  for (int64_t d = 0; d < load.replicas * load.partitions; ++d) {
    const auto* leaves = file.LeavesOf(d / load.partitions, d % load.partitions);
    if (!leaves) return InvalidInput("no leaves for device ", d);
    devices.push_back(*leaves);
  }
  return devices;
}

absl::StatusOr<ExecuteRequest> MakeRequest(const Case& one, const Module& module,
                                           const LoadOptions& load) {
  ExecuteRequest request;
  std::vector<Shape> leaves = ArgumentLeafShapes(module);
  if (one.style) {
    for (int64_t d = 0; d < load.replicas * load.partitions; ++d) {
      request.arguments.push_back(
          GenerateArguments(leaves, one.seed + static_cast<uint64_t>(d), *one.style));
    }
  } else if (leaves.empty()) {
    request.arguments.resize(load.replicas * load.partitions);
  } else {
    HLOCTS_ASSIGN_OR_RETURN(request.arguments, DeviceLeaves(one.inputs_text, leaves, load));
  }
  if (!one.infeed_text.empty()) {
    HLOCTS_ASSIGN_OR_RETURN(request.infeed, DeviceLeaves(one.infeed_text, std::nullopt, load));
  }
  return request;
}

// A leaf as text with every NaN written "nan".
std::string WithPlainNans(std::string text) {
  for (size_t at; (at = text.find("nan(")) != std::string::npos;) {
    text.erase(at + 3, text.find(')', at) + 1 - (at + 3));
  }
  for (size_t at; (at = text.find("-nan")) != std::string::npos;) text.erase(at, 1);
  return text;
}

// The same bits; a "nan" without sign and payload stands for any NaN.
bool IsExpected(const Literal& expected, const Literal& actual) {
  if (expected.BitwiseEqual(actual)) return true;
  std::string text = FormatLeaf(expected);
  return text == WithPlainNans(text) && text == WithPlainNans(FormatLeaf(actual));
}

bool HasExpected(const Case& one) {
  return one.expect_text.find_first_not_of(" \n\t") != std::string::npos;
}

// The documents print a result: what the engine returned must be it, bit for bit.
absl::Status CheckExpected(const Case& one, const Module& module, const LoadOptions& load,
                           const std::vector<std::vector<Literal>>& outputs) {
  if (!HasExpected(one)) return absl::OkStatus();
  HLOCTS_ASSIGN_OR_RETURN(auto expected,
                          DeviceLeaves(one.expect_text, OutputLeafShapes(module), load));
  for (size_t d = 0; d < expected.size() && d < outputs.size(); ++d) {
    for (size_t i = 0; i < expected[d].size() && i < outputs[d].size(); ++i) {
      if (IsExpected(expected[d][i], outputs[d][i])) continue;
      return absl::FailedPreconditionError(
          absl::StrCat("output ", i, " of device ", d, " is ", FormatLeaf(outputs[d][i]),
                       ", the documents say ", FormatLeaf(expected[d][i])));
    }
  }
  return absl::OkStatus();
}

Verdict RunValid(const Case& one, const Module& module, Backend& backend, DiffOptions options) {
  options.load = LoadOptionsOf(one, module, options.load);
  auto request = MakeRequest(one, module, options.load);
  if (!request.ok()) return ErrorVerdict(absl::StrCat("inputs: ", request.status().message()));
  BackendInfo info = backend.info();
  RunOutcome outcome = RunModule(backend, module, options.load, *request);
  Differ differ(module, *request, options);
  Verdict verdict;
  if (outcome.kind == OutcomeKind::kValues) {
    verdict = differ.JudgeOutputs(outcome.result.outputs, info.facts);
    absl::Status expected = CheckExpected(one, module, options.load, outcome.result.outputs);
    if (!expected.ok()) {
      if (absl::IsInvalidArgument(expected)) return ErrorVerdict(expected.message());
      verdict.kind = VerdictKind::kFail;
      verdict.reason = std::string(expected.message());
    } else if (HasExpected(one) && verdict.kind == VerdictKind::kInconclusive) {
      // The sets say nothing, but the printed result does, of every element.
      verdict.kind = VerdictKind::kPass;
      verdict.reason = "the result the documents print; the acceptance sets alone say nothing";
    }
  } else {
    verdict = VerdictOf(outcome);
  }
  verdict.seconds = outcome.load_seconds + outcome.result.seconds;
  return verdict;
}

// A reject case proves something only if the control, one edit away, is taken.
Verdict RunReject(const Case& one, const Module& module, Backend& backend,
                  const DiffOptions& base) {
  DiffOptions options = base;
  options.load = LoadOptionsOf(one, module, options.load);
  if (one.control_text.empty()) return ErrorVerdict("a @reject case without @control");
  auto control = ParseModule(one.control_text);
  if (!control.ok()) {
    return ErrorVerdict(absl::StrCat("control: ", control.status().message()));
  }
  absl::Status valid = VerifyModule(**control);
  if (!valid.ok()) return ErrorVerdict(absl::StrCat("control: ", valid.message()));
  auto executable = backend.Load(**control, options.load);
  if (!executable.ok()) {
    RunOutcome outcome;
    outcome.kind = OutcomeOf(executable.status());
    outcome.reason = absl::StrCat("the control was not taken: ", executable.status().message());
    return VerdictOf(outcome);
  }
  return DiffInvalidModule(module, backend, options);
}

// Text that no Module can hold is refused before an engine sees it: a pass of an engine that reads
// with our parser, and nothing that could be carried to any other.
Verdict RefusedAsText(const BackendInfo& info, const absl::Status& refusal) {
  bool ours = std::find(info.capabilities.begin(), info.capabilities.end(), "our-parser") !=
              info.capabilities.end();
  Verdict verdict;
  verdict.kind = ours ? VerdictKind::kPass : VerdictKind::kUnsupported;
  verdict.elements = ours ? 1 : 0;
  verdict.reason = absl::StrCat(ours ? "" : "a text that cannot be sent as a module: ",
                                refusal.message());
  return verdict;
}

}  // namespace

Verdict RunCase(const Case& one, Backend& backend, const DiffOptions& options) {
  Verdict verdict;
  auto module = ParseModule(one.module_text);
  if (!module.ok() && !one.reject_rule.empty()) {
    verdict = RefusedAsText(backend.info(), module.status());
  } else if (!module.ok()) {
    verdict = ErrorVerdict(absl::StrCat(one.place.file, ":", one.place.line, ": module: ",
                                        module.status().message()));
  } else {
    absl::Status valid = VerifyModule(**module);
    if (one.reject_rule.empty() && !valid.ok()) {
      verdict = ErrorVerdict(absl::StrCat("module: ", valid.message()));
    } else if (!one.reject_rule.empty() && valid.ok()) {
      verdict = ErrorVerdict("our own verifier accepts the module of a @reject case");
    } else {
      verdict = one.reject_rule.empty() ? RunValid(one, **module, backend, options)
                                        : RunReject(one, **module, backend, options);
    }
  }
  BackendInfo info = backend.info();
  verdict.module = one.place.file;
  verdict.case_address = one.address;
  verdict.backend = info.name;
  verdict.backend_version = info.version;
  verdict.profile = std::string(ProfileName(options.profile));
  if (one.style) verdict.seed = one.seed;
  return verdict;
}

absl::Status WriteCase(const Case& one, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return absl::InternalError(absl::StrCat(folder, ": ", error.message()));
  std::ofstream(folder + "/module.hlo") << one.module_text;
  auto module = ParseModule(one.module_text);
  if (!module.ok()) return absl::OkStatus();
  auto request = MakeRequest(one, **module, LoadOptionsOf(one, **module, {}));
  if (!request.ok() || request->arguments.empty()) return absl::OkStatus();
  LiteralsFile file;
  for (size_t d = 0; d < request->arguments.size(); ++d) {
    LiteralsBlock block;
    block.leaves = request->arguments[d];
    if (request->arguments.size() > 1) {
      block.replica = static_cast<int64_t>(d) / (*module)->num_partitions;
      block.partition = static_cast<int64_t>(d) % (*module)->num_partitions;
    }
    file.blocks.push_back(std::move(block));
  }
  return WriteLiterals(file, LeafRole::kArgument, folder + "/inputs.txt");
}

namespace {

// Work of all jobs: (case, engine) pairs, engines apart so that each job keeps one of each.
class Queue {
 public:
  explicit Queue(size_t count) : count_(count) {}
  std::optional<size_t> Next() {
    size_t next = next_.fetch_add(1);
    return next < count_ ? std::optional<size_t>(next) : std::nullopt;
  }

 private:
  std::atomic<size_t> next_{0};
  size_t count_;
};

}  // namespace

absl::Status RunCases(const std::vector<Case>& cases, const std::vector<std::string>& backends,
                      const RunnerOptions& options, const VerdictSink& sink) {
  Queue queue(cases.size());
  std::mutex mutex;
  absl::Status failed;
  auto work = [&] {
    std::vector<std::unique_ptr<Backend>> engines;
    for (const std::string& name : backends) {
      auto engine = MakeBackend(name);
      absl::Status status = engine.status();
      if (status.ok() && !(*engine)->info().available) {
        status = absl::UnavailableError(absl::StrCat(name, ": ", (*engine)->info().reason));
      }
      if (!status.ok()) {
        std::lock_guard<std::mutex> lock(mutex);
        failed.Update(status);
        return;
      }
      engines.push_back(*std::move(engine));
    }
    while (auto next = queue.Next()) {
      if (options.stop()) return;
      for (auto& engine : engines) {
        Verdict verdict = RunCase(cases[*next], *engine, options.diff);
        std::lock_guard<std::mutex> lock(mutex);
        sink(cases[*next], verdict);
      }
    }
  };
  std::vector<std::thread> threads;
  for (int job = 0; job < options.jobs; ++job) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  return failed;
}

}  // namespace hlocts
