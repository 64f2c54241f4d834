// SPDX-License-Identifier: Apache-2.0
// The subcommand `hlocts compare`: checks whether two modules permit each other's results. The
// reference evaluates both on the same inputs, and the sets of each module judge the outputs of the
// other. If an output is not permitted, names the first value that both modules have (by name and
// shape) and that the sets of the judging module do not permit.
#include <iostream>
#include <map>
#include <set>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/backend_list.h"
#include "fuzz/triage/sample.h"
#include "nlohmann/json.hpp"
#include "spec/base/count_text.h"
#include "spec/base/json_text.h"
#include "spec/ir/module.h"
#include "spec/text/printer.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/judging.h"
#include "tools/cli/load_job.h"
#include "tools/cli/story.h"
#include "tools/commands.h"

namespace hlocts::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kPrintedMax = 3;  // of each direction; the last line counts all

struct CompareOptions {
  CommonOptions common;
  std::vector<std::string> modules;
  std::string inputs, profile = "default";
  std::optional<uint64_t> seed;
  int64_t seeds = 0;  // 0: InputCount
};

// Two modules with the same signature, and their inputs.
struct Pair {
  Job a, b;
  std::string data;
};

absl::Status CheckSameLeaves(const std::string& what, const std::vector<Shape>& a,
                             const std::vector<Shape>& b) {
  const std::string ours = Shape::Tuple(a).ToString(false),
                    theirs = Shape::Tuple(b).ToString(false);
  if (ours == theirs) return absl::OkStatus();
  return InvalidInput("compare: expected the same ", what, " of both modules, found ", ours,
                      " and ", theirs);
}

absl::StatusOr<Pair> LoadPair(const CompareOptions& options, int64_t turn) {
  CommonOptions common = options.common;
  std::optional<uint64_t> seed = options.seed;
  SelectInput(turn, seed, common);
  Pair pair;
  // Even seeds use the constants of B.
  const bool of_b = seed && *seed % 2 == 0 && common.data == kConstantsData;
  const std::string &path = options.modules[of_b], &other_path = options.modules[!of_b];
  HLOCTS_ASSIGN_OR_RETURN(pair.a, LoadJob(path, options.inputs, seed, common));
  HLOCTS_ASSIGN_OR_RETURN(LoadedModule other, OpenModule(other_path));
  HLOCTS_RETURN_IF_ERROR(VerifyOpened(*other.module, other_path));
  pair.b.module = std::move(other.module);
  pair.b.module_name = other_path;
  pair.b.request = pair.a.request;
  pair.b.seed = pair.a.seed;
  pair.data = pair.a.seed ? common.data : "";
  if (of_b) std::swap(pair.a, pair.b);
  HLOCTS_RETURN_IF_ERROR(CheckSameLeaves("arguments", backends::ArgumentLeafShapes(*pair.a.module),
                                         backends::ArgumentLeafShapes(*pair.b.module)));
  HLOCTS_RETURN_IF_ERROR(CheckSameLeaves("outputs", backends::OutputLeafShapes(*pair.a.module),
                                         backends::OutputLeafShapes(*pair.b.module)));
  return pair;
}

// Judges the outputs of the module `given` by the sets of the module `judging`.
absl::StatusOr<reports::Verdict> JudgeBy(const CompareOptions& options, const Job& judging,
                                         const Job& given, backends::Backend& reference) {
  HLOCTS_ASSIGN_OR_RETURN(backends::DiffOptions diff,
                          MakeDiffOptions(judging, options.profile, options.common));
  backends::Differ differ(*judging.module, judging.request, diff);
  backends::RunOutcome ran = RunModule(reference, *given.module,
                                       options.common.ToLoadOptions(*given.module), given.request);
  reports::Verdict verdict =
      ran.has_values() ? differ.JudgeOutputs(ran.result.outputs) : backends::VerdictOf(ran);
  verdict.module = given.module_name;
  verdict.seed = judging.seed;
  verdict.profile = options.profile;
  return verdict;
}

// Returns the name of the first instruction of `judging` whose value in `given` (found by name and
// shape) is not in its set. Returns "" if no names agree or all values are permitted.
absl::StatusOr<std::string> FirstPart(const CompareOptions& options, const Job& judging,
                                      const Job& given, backends::Backend& reference) {
  if (judging.request.arguments.size() != 1) return std::string();
  const fuzz::Sample ours{judging.module->Clone(), judging.request.arguments[0], false};
  const fuzz::Sample theirs{given.module->Clone(), judging.request.arguments[0], false};
  std::map<std::string, Literal> values;
  for (auto& [place, value] : fuzz::EntryValues(theirs, reference, false, {}, true))
    values.emplace(given.module->entry()->instructions()[place]->name(), std::move(value));
  std::vector<int64_t> places;
  const fuzz::Sample all = fuzz::WithAllValues(ours, &places, true);
  HLOCTS_ASSIGN_OR_RETURN(backends::DiffOptions diff,
                          MakeDiffOptions(judging, options.profile, options.common));
  const backends::ExecuteRequest request = all.Request();
  backends::Differ differ(*all.module, request, diff);
  HLOCTS_ASSIGN_OR_RETURN(const ModuleAcceptance* accepted, differ.Acceptance(0));
  for (size_t i = 0; i < places.size() && i < accepted->leaves.size(); ++i) {
    const std::string name = judging.module->entry()->instructions()[places[i]]->name();
    const auto found = values.find(name);
    if (found == values.end() || found->second.shape() != accepted->leaves[i].shape) continue;
    const ModuleAcceptance one{{accepted->leaves[i]}, accepted->origins};
    if (JudgeLeaves(one, absl::MakeConstSpan(&found->second, 1)).outcome == Outcome::kFail)
      return name;
  }
  return std::string();
}

// The results of a direction: verdicts by the sets of one module.
struct Direction {
  OutcomeCounts verdicts;
  std::set<std::string> freedoms;  // of this module's sets
  int64_t failures = 0;
  std::string open;  // text of the first result that is not decided, printed if nothing fails
};

// Prints a failure: the first one of a direction in full, later ones as a line.
void Print(const CompareOptions& options, const Pair& pair, const Job& judging,
           const reports::Verdict& verdict, const std::string& part, Direction& by) {
  if (options.common.json) {
    Json line = ParseJson<Json>(reports::VerdictToJson(verdict));
    line["judged_by"] = judging.module_name;
    line["data"] = pair.data;
    line["first_part"] = part;
    std::cout << JsonText(line) << std::endl;
    return;
  }
  const bool fails = verdict.kind == Outcome::kFail;
  if (verdict.kind == Outcome::kPass || (fails ? ++by.failures > kPrintedMax : !by.open.empty()))
    return;
  const bool of_a = &judging == &pair.b;
  std::string text = of_a ? "outputs of A by the sets of B" : "outputs of B by the sets of A";
  if (verdict.seed) absl::StrAppend(&text, ", seed ", *verdict.seed, ", data ", pair.data);
  const std::string differs =
      part.empty() ? "" : absl::StrCat("the first instruction that differs is ", part, " in both");
  if (fails && by.failures > 1) {
    absl::StrAppend(&text, ": fail", part.empty() ? "" : ", ", differs);
  } else {
    reports::Verdict shown = verdict;
    shown.module = of_a ? "A" : "B";
    absl::StrAppend(
        &text, ":\n",
        VerdictReport(shown, "", false,
                      "--profile=strict, --data=exact (sums without roundings) or "
                      "other inputs (--seeds=N, --inputs=FILE) may make the sets narrower"),
        part.empty() ? "" : "\n    ", differs);
  }
  if (!fails) by.open = text;
  if (fails) std::cout << text << std::endl;
}

// Returns true if the reference does not evaluate the module on these inputs, e.g. because a loop
// does not end. Such inputs are replaced by others, at most --seeds times in all.
bool HasNoOutputs(const reports::Verdict& verdict) {
  return verdict.kind == Outcome::kTimeout || verdict.kind == Outcome::kUnsupported ||
         verdict.kind == Outcome::kError || verdict.kind == Outcome::kRejected;
}

absl::StatusOr<int64_t> WantedInputs(CompareOptions& options) {
  bool has_inputs = true;
  if (!options.seed)
    HLOCTS_RETURN_IF_ERROR(
        LoadJobOr(options.modules[0], options.inputs, {}, options.common, &has_inputs).status());
  if (!has_inputs) options.seed = 1;
  if (!options.seed) return 1;
  if (options.seeds > 0) return options.seeds;
  HLOCTS_ASSIGN_OR_RETURN(const Pair pair, LoadPair(options, 0));
  return InputCount(pair.a, options.common);
}

// Returns the answer to the rewrite into `result`, whose outputs `judged` has judged. The reference
// chooses one of the outputs that `result` may return; `own` has the freedoms of its other choices.
std::string Conclusion(const char* result, const Direction& judged, const Direction& own) {
  if (judged.verdicts.count("fail")) return "not allowed";
  std::vector<std::string> more;
  absl::c_set_difference(own.freedoms, judged.freedoms, std::back_inserter(more));
  std::string text = judged.verdicts.size() == 1 && judged.verdicts.count("pass")
                         ? "no counterexample among these inputs"
                         : "not decided";
  if (!more.empty())
    absl::StrAppend(&text, " (", result, " may return more: freedoms ", absl::StrJoin(more, ", "),
                    ")");
  return text;
}

// Prints the counts of both directions. `none` is the first of `rejected` verdicts without outputs.
void PrintEnd(const std::string& inputs, const Direction (&by)[2], int64_t rejected,
              const reports::Verdict& none) {
  std::cout << inputs
            << "; outputs of B by the sets of A: " << reports::RunCountsText(by[true].verdicts)
            << "; outputs of A by the sets of B: " << reports::RunCountsText(by[false].verdicts)
            << "\n";
  if (rejected > 0)
    std::cout << "the reference has no outputs for " << CountText(rejected, "more input") << ": "
              << reports::FoldedReason(none) << "\n";
  if (none.error.kind == ErrorKind::kNoHandler)
    std::cout << "next: --custom-calls=LIB.so with a handler for " << none.error.target
              << ", or modules from before the pass that makes this call\n";
  std::cout << "rewrite of A into B: " << Conclusion("B", by[true], by[false])
            << "; of B into A: " << Conclusion("A", by[false], by[true]) << "\n";
}

// Returns the canonical text, without the names of the module and its computations if all calls in
// it are inline, which the printer does up to 32 levels and 256 MB.
std::string TextToCompare(const Module& module) {
  PrintOptions canonical = PrintOptions::Canonical();
  canonical.backend_config = true;
  const std::string all = PrintModule(module, canonical);
  if (module.computations().size() > 31 || all.size() > (1 << 20)) return all;
  const std::string entry = PrintComputation(*module.entry(), canonical);
  return all.substr(0, all.find('\n')).erase(0, all.find_first_of(",\n")) +
         entry.substr(entry.find('{'));
}

absl::StatusOr<int> Compare(CompareOptions options) {
  if (options.modules.size() != 2) return InvalidInput("compare: expected two modules");
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<backends::Backend> reference,
                          backends::MakeBackend("reference"));
  HLOCTS_ASSIGN_OR_RETURN(const int64_t wanted, WantedInputs(options));
  int64_t looked_at = 0, rejected = 0;
  reports::Verdict none;
  Direction by[2];  // [true]: by the sets of A
  int status = kExitOk;
  if (!options.common.json)
    std::cout << "A: " << options.modules[0] << "\nB: " << options.modules[1] << std::endl;
  HLOCTS_ASSIGN_OR_RETURN(const Pair start, LoadPair(options, 0));
  if (!options.common.json && TextToCompare(*start.a.module) == TextToCompare(*start.b.module)) {
    std::cout << "rewrite of A into B: no change, the canonical texts are equal\n";
    return kExitOk;
  }
  while (looked_at < wanted && none.error.kind != ErrorKind::kNoHandler && !Interrupted()) {
    HLOCTS_ASSIGN_OR_RETURN(const Pair pair, LoadPair(options, looked_at + rejected));
    reports::Verdict both[2];
    HLOCTS_ASSIGN_OR_RETURN(both[true], JudgeBy(options, pair.a, pair.b, *reference));
    HLOCTS_ASSIGN_OR_RETURN(both[false], JudgeBy(options, pair.b, pair.a, *reference));
    const bool second = both[0].error.kind == ErrorKind::kNoHandler || !HasNoOutputs(both[true]);
    const bool missing = HasNoOutputs(both[!second]);
    if (missing && rejected == 0) none = both[!second];
    if (missing && none.error.kind != ErrorKind::kNoHandler && options.seed && rejected < wanted) {
      ++rejected;
      continue;
    }
    ++looked_at;
    for (const bool first : {true, false}) {
      const Job &judging = first ? pair.a : pair.b, &given = first ? pair.b : pair.a;
      const reports::Verdict& verdict = both[first];
      std::string part;
      if (verdict.kind == Outcome::kFail)
        part = FirstPart(options, judging, given, *reference).value_or("");
      Print(options, pair, judging, verdict, part, by[first]);
      ++by[first].verdicts[std::string(OutcomeName(verdict.kind))];
      by[first].freedoms.insert(verdict.freedoms.begin(), verdict.freedoms.end());
      status = std::max(status, ExitStatusOf(std::vector<reports::Verdict>{verdict}));
    }
  }
  for (const bool first : {true, false})
    if (by[first].failures == 0 && !by[first].open.empty()) std::cout << by[first].open << "\n";
  const std::string kinds = absl::StrJoin(
      kInputKinds, kInputKinds + std::min<int64_t>(looked_at + rejected, std::size(kInputKinds)),
      ", ");
  if (!options.common.json)
    PrintEnd(absl::StrCat(CountText(looked_at, "input"), options.seed && options.common.data.empty()
                                                             ? absl::StrCat(" (", kinds, ")")
                                                             : ""),
             by, rejected, none);
  return status;
}

}  // namespace

Command CompareCommand() {
  return {"compare",
          "judge the outputs of two modules, as the reference evaluates them, by each other's sets",
          [](Flags& flags) {
            auto options = std::make_shared<CompareOptions>();
            flags.Positional("A B", &options->modules,
                             "two modules with the same arguments and outputs; a rewrite of A into "
                             "B is allowed if the outputs of B are in the sets of A; the exit "
                             "status is 0 if both directions pass on all inputs");
            options->common.data.clear();
            options->common.DeclareInputs(
                flags, &options->inputs, &options->seed,
                "seed of random inputs (1, if the module has parameters and no inputs)");
            flags.Add("--seeds", &options->seeds,
                      "number of inputs; without --data, they are in turn random, edge, wide, "
                      "exact, constants (of B for even seeds) and limits, six of each seed "
                      "(default: 12; more for arguments of few elements)",
                      {1, 1'000'000});
            flags.AddProfile(&options->profile);
            options->common.Declare(flags, /*with_batch=*/false);
            return [options] {
              CatchInterrupts();
              auto status = Compare(*options);
              return status.ok() ? *status : Fail(status.status());
            };
          }};
}

}  // namespace hlocts::tools
