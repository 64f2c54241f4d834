// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/judging.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/differ/elements_read.h"
#include "backends/differ/failure_details.h"
#include "fuzz/shrink/shrinker.h"
#include "fuzz/triage/faulty_instructions.h"
#include "fuzz/triage/sample.h"
#include "nlohmann/json.hpp"
#include "reports/finding_file.h"
#include "reports/verdict.h"
#include "spec/base/json_text.h"
#include "spec/cut/cut.h"
#include "spec/ir/index_util.h"
#include "spec/ir/surgery.h"
#include "spec/judge/element_text.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/story.h"
#include "tools/cli/terminal.h"

namespace hlocts::tools {
namespace {

// Derives the set of one element, instruction by instruction.

constexpr size_t kStepsMax = 24;
constexpr int64_t kCallsMax = 64;  // of the entry that are followed

// The acceptance sets of all values of the entry computation, by the instruction's position.
struct Values {
  fuzz::Sample all;
  std::vector<int64_t> places;
  std::map<int64_t, const LeafAcceptance*> sets;
  const std::vector<Literal>* arguments = nullptr;
};

struct Element {
  const Instruction* instruction;
  int64_t index;
  bool operator<(const Element& other) const {
    return std::pair(instruction->index(), index) <
           std::pair(other.instruction->index(), other.index);
  }
};

std::string NameOf(const Element& element) {
  const auto& dimensions = element.instruction->shape().dimensions();
  if (dimensions.empty()) return element.instruction->name();
  return absl::StrCat(element.instruction->name(), "[",
                      absl::StrJoin(MultiIndex(element.index, dimensions), ","), "]");
}

std::string SetTextOf(const LeafAcceptance& leaf, int64_t index) {
  std::string text;
  for (int c = 0; c < leaf.set.components(); ++c) {
    absl::StrAppend(&text, c > 0 ? " + i * " : "",
                    SetText(leaf.set.At(index, c), ComponentType(leaf.set.element_type())));
  }
  return text;
}

// The value or set of an element. Parameters are flattened: if none is a tuple, each is one leaf.
std::string ValueText(const Element& element, const Values& values) {
  const Instruction& instruction = *element.instruction;
  if (instruction.IsConstant()) return ElementText(instruction.literal(), element.index);
  if (instruction.IsParameter()) {
    size_t number = static_cast<size_t>(instruction.parameter_number());
    bool plain = values.arguments->size() == values.all.module->entry()->parameters().size();
    if (plain && number < values.arguments->size())
      return ElementText((*values.arguments)[number], element.index);
    return "an input";
  }
  auto found = values.sets.find(instruction.index());
  return found == values.sets.end() ? "" : SetTextOf(*found->second, element.index);
}

std::string StepText(const Element& element, const Values& values, std::set<Element>& next) {
  const Instruction& instruction = *element.instruction;
  std::vector<std::string> read;
  const auto index = MultiIndex(element.index, instruction.shape().dimensions());
  for (size_t i = 0; i < instruction.operands().size(); ++i) {
    const Instruction* operand = instruction.operands()[i];
    auto elements = backends::ElementsRead(instruction, i, index);
    if (!elements || !operand->shape().IsArray()) {
      read.push_back(operand->name());
      continue;
    }
    for (size_t e = 0; e < elements->size() && e < 4; ++e) {
      Element one{operand, (*elements)[e]};
      read.push_back(NameOf(one));
      next.insert(one);
    }
    if (elements->size() > 4) read.push_back(absl::StrCat("... ", elements->size(), " in all"));
  }
  std::string text = absl::StrCat("  ", NameOf(element), " = ");
  if (!IsCarrier(instruction))
    absl::StrAppend(&text, OpcodeName(instruction.opcode()), "(", absl::StrJoin(read, ", "), "): ");
  return absl::StrCat(text, ValueText(element, values), "\n");
}

std::string Walk(const Element& from, const Values& values) {
  std::set<Element> open = {from};
  std::vector<std::string> lines;
  while (!open.empty() && lines.size() < kStepsMax) {
    Element last = *open.rbegin();  // users come after their operands
    open.erase(last);
    lines.push_back(StepText(last, values, open));
  }
  std::string text = "step by step, from the inputs:\n";
  if (!open.empty()) absl::StrAppend(&text, "  ... ", open.size(), " more values\n");
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) text += *line;
  return text;
}

// Returns lines that derive element `index` (row-major) of output `output` from the inputs: each
// instruction of the entry that contributes to it, its operands, and the set of its element.
// Returns "" if a single instruction computes the element from inputs, if more than one device
// runs, or if the sets cannot be computed.
std::string DerivationOf(const Job& job, const std::string& profile,
                         const std::vector<std::string>& facts, int64_t output, int64_t index) {
  if (job.request.arguments.size() != 1) return "";
  Values values;
  fuzz::Sample sample{job.module->Clone(), job.request.arguments[0], false};
  fuzz::InlineCalls(sample, kCallsMax);
  values.all = fuzz::WithAllValues(sample, &values.places);
  values.arguments = &sample.arguments;
  if (values.places.size() < 2) return "";
  backends::DiffOptions options;
  options.profile = ProfileFromName(profile).value_or(Profile::kDefault);
  backends::ExecuteRequest request = job.request;
  request.arguments = {sample.arguments};
  backends::Differ differ(*values.all.module, request, options);
  auto accepted = differ.Acceptance(0, facts);
  if (!accepted.ok() || (*accepted)->leaves.size() != values.places.size()) return "";
  for (size_t i = 0; i < values.places.size(); ++i)
    values.sets[values.places[i]] = &(*accepted)->leaves[i];
  // The instruction of the module without calls that computes the output. In the clone, the root is
  // a tuple of all values.
  std::optional<CutValue> producer;
  int64_t leaf = 0;
  const Instruction& root = *sample.module->entry()->root();
  ForEachLeaf(root.shape(), [&](const Shape&, const ShapeIndex& path) {
    if (leaf++ == output) producer = ResolveValue(root, path);
  });
  if (!producer || !producer->index.empty()) return "";
  const auto& instructions = values.all.module->entry()->instructions();
  return Walk({instructions[producer->instruction->index()].get(), index}, values);
}

// The element with the widest set.
reports::OutputElement WidestElement(const ModuleAcceptance& accepted) {
  reports::OutputElement widest;
  double widest_bits = 0;
  for (size_t o = 0; o < accepted.leaves.size(); ++o) {
    const LeafAcceptance& leaf = accepted.leaves[o];
    if (leaf.token || leaf.set.element_count() == 0) continue;
    if (widest.output < 0) widest = {static_cast<int64_t>(o), 0};
    if (leaf.set.exact()) continue;
    PrimitiveType component = ComponentType(leaf.set.element_type());
    for (int64_t i = 0; i < leaf.set.element_count(); ++i) {
      double bits = Log2Count(leaf.set.At(i), component);
      if (bits <= widest_bits) continue;
      widest = {static_cast<int64_t>(o), i};
      widest_bits = bits;
    }
  }
  return widest;
}

}  // namespace

void AddRepeat(Flags& flags, int64_t* runs) {
  flags.Add("--repeat", runs, "number of runs of each module; the first failure is reported", {1});
}

RepeatedRun RunRepeatedly(
    int64_t runs, const std::function<backends::RunOutcome()>& run,
    const std::function<reports::Verdict(const backends::RunOutcome&)>& judge) {
  RepeatedRun kept{run(), {}};
  if (runs <= 1) return kept;
  CatchInterrupts();
  StatusLine line;
  bool failed = false;
  for (int64_t i = 0; i < runs && !Interrupted(); ++i) {
    backends::RunOutcome again;
    if (i > 0) again = run();
    const backends::RunOutcome& outcome = i > 0 ? again : kept.outcome;
    const Outcome kind = judge(outcome).kind;
    ++kept.counts[std::string(OutcomeName(kind))];
    line.Show(absl::StrCat("run ", i + 1, " of ", runs, ": ", reports::RunCountsText(kept.counts)));
    if (failed || !IsFailure(kind) || IsInconclusive(kind)) continue;
    failed = true;
    if (i > 0) kept.outcome = std::move(again);
  }
  line.Clear();
  return kept;
}

void RecordRunCounts(const OutcomeCounts& counts, reports::Verdict& verdict) {
  if (counts.size() < 2) return;
  verdict.runs = counts;
  verdict.flake = reports::RunCountsText(counts);
}

RecordedRuns RecordedRunsOf(const reports::Verdict& verdict) {
  RecordedRuns runs;
  for (const auto& [outcome, count] : verdict.runs) {
    runs.all += count;
    if (outcome == OutcomeName(verdict.kind)) runs.failed += count;
  }
  return runs;
}

std::string JsonLineOf(const reports::Verdict& verdict, const OutcomeCounts& counts) {
  std::string line = reports::VerdictToJson(verdict);
  if (!verdict.first_failure && counts.empty()) return line;
  auto json = ParseJson<nlohmann::ordered_json>(line);
  if (!counts.empty()) json["runs"] = counts;
  if (!verdict.first_failure) return JsonText(json);
  for (const Sentence& sentence : SentencesOf(verdict)) {
    json["sentences"].push_back({{"clause", sentence.id},
                                 {"text", sentence.text},
                                 {"source", sentence.source},
                                 {"address", sentence.address},
                                 {"ruling", sentence.ruling}});
  }
  return JsonText(json);
}

absl::StatusOr<backends::DiffOptions> MakeDiffOptions(const Job& job, const std::string& profile,
                                                      const CommonOptions& common) {
  backends::DiffOptions options;
  auto parsed = ProfileFromName(profile);
  if (!parsed) {
    return InvalidInput("profile \"", profile, "\": expected strict, default or relaxed");
  }
  options.profile = *parsed;
  options.load = common.ToLoadOptions(*job.module);
  options.printed_result = job.printed_result;
  options.describe = true;
  return options;
}

void Complete(const Job& job, reports::Verdict& verdict) {
  verdict.module = job.module_name;
  verdict.seed = job.seed;
}

void AddWidest(const Job& job, backends::Differ& differ, const std::vector<std::string>& facts,
               reports::Verdict& verdict) {
  const auto accepted = differ.Acceptance(0, facts);
  if (verdict.kind != Outcome::kInconclusive || !accepted.ok()) return;
  const reports::OutputElement at = WidestElement(**accepted);
  if (at.output < 0) return;
  const SetArray& set = (*accepted)->leaves[at.output].set;
  const uint32_t own = set.exact() ? 0 : set.At(at.index).origin;
  const std::string name = (*accepted)->OriginOf(own == 0 ? set.origin : own).instruction;
  const Instruction* widest = backends::FindInstruction(*job.module, name);
  if (widest == nullptr) return;
  const Shape& shape = widest->shape();
  verdict.widest = {name, std::string(OpcodeName(widest->opcode())),
                    shape.IsArray() ? std::string(PrimitiveTypeName(shape.element_type())) : "",
                    backends::SourceOf(*job.module, name)};
}

void PrintVerdict(const reports::Verdict& verdict, bool json, const std::string& replay,
                  const OutcomeCounts& counts) {
  std::cout << (json ? JsonLineOf(verdict, counts) : VerdictReport(verdict, replay)) << std::endl;
}

namespace {

// The element to explain and its description: the failing one or, for a pass, a NaN that HLO itself
// gives or else the element with the widest set.
struct Explained {
  reports::OutputElement element;
  std::string title;
};

Explained ElementToExplain(const ModuleAcceptance& accepted, const reports::Verdict& verdict) {
  if (!verdict.first_failure) {
    if (verdict.nan) return {*verdict.nan, "The first NaN that HLO itself gives:\n"};
    return {WidestElement(accepted), "The element with the widest set:\n"};
  }
  const reports::VerdictFailure& failure = *verdict.first_failure;
  if (failure.output >= static_cast<int64_t>(accepted.leaves.size())) return {};
  const Shape& shape = accepted.leaves[failure.output].shape;
  return {{failure.output, LinearIndex(failure.index, RowMajorStrides(shape.dimensions()))}, ""};
}

// Returns true if the texts are equal except for the first line, which names the output. A piece
// that computes the output has the same set, but may give the output another number.
bool SameSet(absl::string_view a, absl::string_view b) {
  return a.substr(reports::FirstLine(a).size()) == b.substr(reports::FirstLine(b).size());
}

}  // namespace

void PrintExplanation(const Job& job, backends::Differ& differ, const reports::Verdict& verdict,
                      int64_t partitions, const std::vector<std::string>& facts) {
  const std::string explanation = reports::ExplanationText(verdict.localisation);
  if (!explanation.empty()) std::cout << explanation << std::endl;
  if (verdict.localisation.in_piece) return;
  auto accepted = differ.Acceptance(verdict.replica * partitions, facts);
  if (!accepted.ok()) {
    std::fprintf(stderr, "hlocts: nothing to explain: %s\n",
                 std::string(accepted.status().message()).c_str());
    return;
  }
  const auto& [element, title] = ElementToExplain(**accepted, verdict);
  if (element.output < 0) return;
  const std::string set = ExplainElement(**accepted, element.output, element.index);
  std::cout << title << (SameSet(set, verdict.localisation.set) ? "" : set)
            << DerivationOf(job, verdict.profile, facts, element.output, element.index)
            << std::flush;
}

absl::StatusOr<fuzz::Bundle> LoadSubject(const std::string& path, const std::string& inputs,
                                         std::optional<uint64_t> seed, const std::string& profile,
                                         const CommonOptions& options) {
  if (reports::HasRecordedVerdict(path)) return fuzz::ReadBundle(path);
  HLOCTS_ASSIGN_OR_RETURN(Job job, LoadJob(path, inputs, seed, options));
  HLOCTS_ASSIGN_OR_RETURN(const backends::DiffOptions diff, MakeDiffOptions(job, profile, options));
  fuzz::Bundle bundle;
  bundle.options.profile = diff.profile;
  bundle.sample.module = std::move(job.module);
  if (!job.request.arguments.empty()) bundle.sample.arguments = job.request.arguments[0];
  bundle.origin = path;
  return bundle;
}

void SayPiece(const std::string& piece, absl::string_view next) {
  std::cerr << "hlocts: the outputs do not show it; piece " << piece << " fails by itself: " << next
            << " that" << std::endl;
}

std::string ContinueWithPiece(fuzz::Sample& sample, backends::Backend& engine,
                              const fuzz::TrialOptions& options, absl::string_view next) {
  std::string piece = fuzz::ReplaceByHiddenPiece(sample, engine, options);
  if (!piece.empty()) SayPiece(piece, next);
  return piece;
}

void AddSuspectFlag(Flags& flags, std::string& suspect) {
  flags.AddChoice("--suspect", &suspect, {"off", "look", "fail"},
                  "look: report `suspect` (exit status 4) for outputs that are in their sets but "
                  "very unlikely; fail: exit status 1; off: no test");
}

backends::DiffOptions::Suspect SuspectOf(const std::string& suspect) {
  using Suspect = backends::DiffOptions::Suspect;
  return suspect == "off" ? Suspect::kNot : Suspect::kWhereWide;
}

int ExitStatusOf(const std::vector<reports::Verdict>& verdicts, bool suspect_fails) {
  int status = kExitOk;
  bool suspect = false;
  for (const reports::Verdict& verdict : verdicts) {
    const bool is_suspect = verdict.kind == Outcome::kSuspect && !verdict.expected;
    suspect = suspect || is_suspect;
    // Unsupported counts as failed: it is unknown if the module's outputs are acceptable.
    const bool failed = verdict.kind == Outcome::kUnsupported || (is_suspect && suspect_fails);
    if (failed || !is_suspect)
      status = std::max(status, failed ? kExitFailed : reports::ExitStatusOf(verdict));
  }
  return status == kExitOk && suspect ? kExitSuspect : status;
}

}  // namespace hlocts::tools
