// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/judging.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <set>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "backends/differ/elements_read.h"
#include "backends/differ/failure_details.h"
#include "fuzz/shrink/shrinker.h"
#include "fuzz/triage/faulty_instructions.h"
#include "fuzz/triage/sample.h"
#include "nlohmann/json.hpp"
#include "reports/finding_file.h"
#include "reports/sentences.h"
#include "reports/verdict.h"
#include "spec/base/count_text.h"
#include "spec/base/json_text.h"
#include "spec/ir/index_util.h"
#include "spec/ir/surgery.h"
#include "spec/judge/element_text.h"
#include "spec/judge/freedoms.h"
#include "spec/ops/kinds.h"
#include "spec/ops/partitions.h"
#include "suites/replay.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/story.h"
#include "tools/cli/terminal.h"

namespace hlocts::tools {
namespace {

// Derives the set of one element, instruction by instruction.

constexpr size_t kStepsShown = 24, kInputsShown = 6;
constexpr size_t kStepsMax = 1000;  // the number of steps that are followed
constexpr int64_t kCallsMax = 64;   // the number of calls of the entry that are inlined

// The acceptance sets of all values of the entry.
struct Values {
  fuzz::Sample all;
  reference::DeviceGrid devices;
  // sets[device][position of the instruction]
  std::vector<std::map<int64_t, const LeafAcceptance*>> sets;
  const std::vector<std::vector<Literal>>* arguments = nullptr;
};

using Element = backends::DeviceElement;

struct InModuleOrder {
  bool operator()(const Element& a, const Element& b) const {
    return std::tuple(a.instruction->index(), a.device, a.element) <
           std::tuple(b.instruction->index(), b.device, b.element);
  }
};

std::string NameOf(const Element& element, bool with_device) {
  const auto& dimensions = element.instruction->shape().dimensions();
  std::string name = ShortName(element.instruction->name());
  if (!dimensions.empty())
    absl::StrAppend(&name, "[", absl::StrJoin(MultiIndex(element.element, dimensions), ","), "]");
  if (with_device) absl::StrAppend(&name, " on device ", element.device);
  return name;
}

std::string SetTextOf(const LeafAcceptance& leaf, int64_t index) {
  std::string text;
  for (int c = 0; c < leaf.set.components(); ++c)
    absl::StrAppend(&text, c > 0 ? " + i * " : "",
                    SetText(leaf.set.At(index, c), ComponentType(leaf.set.element_type())));
  return text;
}

// Returns the value or the set of an element. Arguments are leaves, so their numbers are those of
// the parameters only if no parameter is a tuple.
std::string ValueText(const Element& element, const Values& values) {
  const Instruction& instruction = *element.instruction;
  if (instruction.IsConstant()) return ElementText(instruction.literal(), element.element);
  if (instruction.IsParameter()) {
    size_t number = static_cast<size_t>(instruction.parameter_number());
    const auto& arguments = (*values.arguments)[values.arguments->size() == 1 ? 0 : element.device];
    bool plain = arguments.size() == values.all.module->entry()->parameters().size();
    if (plain && number < arguments.size()) return ElementText(arguments[number], element.element);
    return "an input";
  }
  const auto& sets = values.sets[element.device];
  auto found = sets.find(instruction.index());
  return found == sets.end() ? "" : SetTextOf(*found->second, element.element);
}

// Appends the elements of an operand that `element` reads, on all devices, and their names: of
// unknown elements only the operand's name, of many elements the first four names and the count.
void ReadOperand(const Element& element, size_t operand, const Values& values,
                 std::vector<std::string>& names, std::vector<Element>& read) {
  const Instruction* from = element.instruction->operands()[operand];
  for (const auto& [d, elements] : backends::ReadsOf(element, operand, values.devices)) {
    if (!elements || !from->shape().IsArray()) {
      names.push_back(ShortName(from->name()));
      return;
    }
    for (size_t e = 0; e < elements->size() && e < 4; ++e) {
      read.push_back({from, (*elements)[e], d});
      names.push_back(NameOf(read.back(), d != element.device));
    }
    if (elements->size() > 4) names.push_back(absl::StrCat("... ", elements->size(), " in all"));
  }
}

struct Step {
  Element element;
  std::vector<Element> read;
  std::string text;
  bool shown = false;
};

Step StepOf(const Element& element, const Values& values) {
  const Instruction& instruction = *element.instruction;
  Step step{element};
  std::vector<std::string> names;
  for (size_t i = 0; i < instruction.operands().size(); ++i)
    ReadOperand(element, i, values, names, step.read);
  step.text = absl::StrCat("  ", NameOf(element, values.devices.size() > 1), " = ");
  if (!IsCarrier(instruction))
    absl::StrAppend(&step.text, OpcodeName(instruction.opcode()), "(", absl::StrJoin(names, ", "),
                    "): ");
  absl::StrAppend(&step.text, ValueText(element, values), "\n");
  return step;
}

// Selects the steps to show: the result, the origin of a NaN and the elements that it reads, some
// inputs, and then others from the result backwards. `steps` begins with the result.
void ChooseSteps(const std::optional<Element>& origin, std::vector<Step>& steps) {
  size_t left = kStepsShown, inputs = kInputsShown;
  auto show = [&](Step& step) {
    if (step.shown || left == 0) return;
    step.shown = true;
    --left;
  };
  show(steps.front());
  for (Step& step : steps) {
    if (step.element != origin) continue;
    show(step);
    for (Step& other : steps) {
      for (const Element& read : step.read)
        if (other.element == read) show(other);
    }
  }
  for (auto step = steps.rbegin(); step != steps.rend() && inputs > 0; ++step) {
    if (!step->element.instruction->IsParameter()) continue;
    show(*step);
    --inputs;
  }
  for (Step& step : steps) show(step);
}

std::string Walk(const Element& from, const std::optional<Element>& origin, const Values& values) {
  std::set<Element, InModuleOrder> open = {from};
  std::vector<Step> steps;
  while (!open.empty() && steps.size() < kStepsMax) {
    const Element last = *open.rbegin();  // users have a higher position than their operands
    open.erase(last);
    steps.push_back(StepOf(last, values));
    open.insert(steps.back().read.begin(), steps.back().read.end());
  }
  ChooseSteps(origin, steps);
  std::string text = "step by step, from the inputs:\n";
  size_t omitted = open.size();
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (!step->shown) {
      ++omitted;
      continue;
    }
    if (omitted > 0) absl::StrAppend(&text, "  ... ", CountText(omitted, "more value"), "\n");
    omitted = 0;
    text += step->text;
  }
  return text;
}

// Returns lines that derive an element of an output (by row-major index) from the inputs: each
// instruction of the entry on which it depends, its operands, and the set of the element. Returns
// "" if one instruction computes the element from inputs, or if the sets cannot be computed.
std::string DerivationOf(const Job& job, const std::string& profile,
                         const std::vector<std::string>& facts, const reports::OutputElement& at) {
  if (job.request.arguments.empty()) return "";
  // Inlining removes parameters without users.
  backends::ExecuteRequest request = job.request;
  fuzz::Sample sample;
  for (std::vector<Literal>& leaves : request.arguments) {
    sample = {job.module->Clone(), leaves, false};
    fuzz::InlineCalls(sample, kCallsMax);
    leaves = sample.arguments;
  }
  Values values;
  std::vector<int64_t> places;
  values.all = fuzz::WithAllValues(sample, &places);
  values.arguments = &request.arguments;
  if (places.size() < 2) return "";
  backends::DiffOptions options;
  options.profile = ProfileFromName(profile).value_or(Profile::kDefault);
  options.load.replicas = job.module->replica_count;
  options.load.partitions = ArgumentPartitions(*job.module);
  values.devices = {options.load.replicas, options.load.partitions};
  backends::Differ differ(*values.all.module, request, options);
  for (int64_t d = 0; d < values.devices.size(); ++d) {
    auto accepted = differ.Acceptance(d, facts);
    if (!accepted.ok() || (*accepted)->leaves.size() != places.size()) return "";
    auto& sets = values.sets.emplace_back();
    for (size_t i = 0; i < places.size(); ++i) sets[places[i]] = &(*accepted)->leaves[i];
  }
  // The instruction that computes the output, in the module without calls. In the clone, the root
  // is a tuple of all values.
  const auto producer = backends::ProducerOf(*sample.module, at.output);
  if (!producer || !producer->index.empty()) return "";
  const auto& instructions = values.all.module->entry()->instructions();
  std::optional<Element> origin;
  if (!at.origin.empty()) {
    const auto found = backends::NanOriginOf(*sample.module, request, options.load, at).in_entry;
    if (found.instruction != nullptr)
      origin = {instructions[found.instruction->index()].get(), found.element, found.device};
  }
  return Walk({instructions[producer->instruction->index()].get(), at.index, at.device}, origin,
              values);
}

// Returns the facts of a freedom that may narrow a set which this instruction widened, without
// those in force.
std::vector<std::string> FactsToTry(Freedom freedom, const Instruction& widest,
                                    const std::vector<std::string>& in_force) {
  const bool contracts = ops::IsOneOf(widest.opcode(), {Opcode::kDot, Opcode::kConvolution});
  std::vector<std::string> facts = reports::FactsOfFreedom(FreedomName(freedom));
  std::erase_if(facts, [&](absl::string_view fact) {
    return absl::StartsWith(fact, contracts ? "reduce." : "dot.") ||
           absl::c_any_of(in_force, [&](const std::string& given) {
             return absl::StartsWith(given, fact.substr(0, fact.find('=')));
           });
  });
  return facts;
}

// Returns the element with the widest set.
reports::OutputElement WidestElement(const ModuleAcceptance& accepted) {
  reports::OutputElement widest;
  double widest_bits = 0;
  for (size_t o = 0; o < accepted.leaves.size(); ++o) {
    const LeafAcceptance& leaf = accepted.leaves[o];
    if (leaf.token || leaf.set.element_count() == 0) continue;
    if (widest.output < 0) widest = {static_cast<int64_t>(o), 0};
    if (leaf.set.exact() && !leaf.set.zero_sign_free) continue;
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

// Returns the number of bits that the set of an element leaves open.
double OpenBits(const ModuleAcceptance& accepted, const reports::OutputElement& at) {
  const SetArray& set = accepted.leaves[at.output].set;
  return set.exact() ? 0 : Log2Count(set.At(at.index), ComponentType(set.element_type()));
}

bool IsOpen(const reports::Verdict& verdict) {
  return verdict.kind == Outcome::kInconclusive || verdict.kind == Outcome::kProbable;
}

// Adds to `widest` those of the given facts that leave at least half a bit less of the element open
// (with N = 1, the narrowest) and, for an open verdict, the profile strict if it does. Each
// is tried on the whole module until that has taken two seconds.
void AddNarrowing(const Job& job, backends::DiffOptions options, backends::Differ& differ,
                  const std::vector<std::string>& facts, const std::vector<std::string>& to_try,
                  const reports::OutputElement& at, double bits, reports::Verdict& verdict) {
  const absl::Time end = absl::Now() + absl::Seconds(2);
  const auto narrows = [&](backends::Differ& by, const std::vector<std::string>& in_force) {
    if (absl::Now() > end) return false;
    const auto accepted = by.Acceptance(0, in_force);
    return accepted.ok() && OpenBits(**accepted, at) <= bits - 0.5;
  };
  if (IsOpen(verdict) && verdict.profile != "strict") {
    options.profile = Profile::kStrict;
    backends::Differ strict(*job.module, job.request, options);
    verdict.widest.strict_narrows = narrows(strict, facts);
  }
  for (const std::string& fact : to_try) {
    std::vector<std::string> with = facts;
    with.push_back(absl::StrReplaceAll(fact, {{"=N", "=1"}}));
    if (narrows(differ, with)) verdict.widest.facts.push_back(fact);
  }
}

}  // namespace

std::string PerhapsFixed(const std::string& path) {
  return reports::HasRecordedVerdict(path)
             ? absl::StrCat("; perhaps the engine was fixed: `hlocts history ",
                            suites::ShellQuoted(path), "` finds the releases that fail")
             : "";
}

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

int64_t FlakeRunsOf(const reports::Verdict& recorded) {
  constexpr int64_t kFlakeRunsMin = 10;
  const auto [failed, all] = fuzz::RecordedRunsOf(recorded);
  return std::max({kFlakeRunsMin, all, all > 0 ? reports::RunsUntilSeen(failed, all) : 1});
}

int64_t RunsOf(int64_t given, const reports::Verdict& recorded, bool silent,
               absl::string_view what) {
  if (given > 0 || recorded.flake.empty()) return std::max<int64_t>(given, 1);
  const int64_t runs = FlakeRunsOf(recorded);
  if (!silent)
    std::cout << "the finding was not deterministic (" << recorded.flake << "): " << runs << what
              << "; --repeat=N changes this" << std::endl;
  return runs;
}

std::string JsonLineOf(const reports::Verdict& verdict, const OutcomeCounts& counts) {
  std::string line = reports::VerdictToJson(verdict);
  if (!verdict.first_failure && counts.empty()) return line;
  auto json = ParseJson<nlohmann::ordered_json>(line);
  if (!counts.empty()) json["runs"] = counts;
  if (!verdict.first_failure) return JsonText(json);
  for (const auto& sentence : reports::SentencesOf(verdict))
    json["sentences"].push_back({{"clause", sentence.id},
                                 {"text", sentence.text},
                                 {"source", sentence.source},
                                 {"address", sentence.address},
                                 {"ruling", sentence.ruling}});
  return JsonText(json);
}

absl::StatusOr<backends::DiffOptions> MakeDiffOptions(const Job& job, const std::string& profile,
                                                      const CommonOptions& common) {
  backends::DiffOptions options;
  auto parsed = ProfileFromName(profile);
  if (!parsed)
    return InvalidInput("profile \"", profile, "\": expected strict, default or relaxed");
  options.profile = *parsed;
  options.load = common.ToLoadOptions(*job.module);
  options.printed_result = job.printed_result;
  options.describe = true;
  return options;
}

void Complete(const Job& job, const backends::DiffOptions& options, backends::Differ& differ,
              const std::vector<std::string>& facts, bool explained, reports::Verdict& verdict) {
  verdict.module = job.module_name;
  verdict.seed = job.seed;
  if (!IsOpen(verdict) && (!explained || verdict.first_failure)) return;
  const auto accepted = differ.Acceptance(0, facts);
  if (!accepted.ok()) return;
  const reports::OutputElement at = WidestElement(**accepted);
  if (at.output < 0) return;
  const SetArray& set = (*accepted)->leaves[at.output].set;
  const AcceptanceSet own = set.exact() ? AcceptanceSet() : set.At(at.index);
  const Origin& origin = (*accepted)->OriginOf(own.origin == 0 ? set.origin : own.origin);
  const Instruction* widest =
      backends::FindInstruction(*job.module, origin.instruction, origin.opcode);
  if (widest == nullptr) return;
  Freedom freedom = FreedomOf(own.cause, origin);
  const bool is_open = own.unspecified() && !origin.ruled && freedom == Freedom::kReductionOrder;
  // No fact narrows the order of anything but sums.
  if (freedom == Freedom::kReductionOrder && own.cause != WideningCause::kSum)
    freedom = Freedom::kNone;
  verdict.widest = {origin.instruction,
                    std::string(OpcodeName(widest->opcode())),
                    "",
                    backends::SourceOf(*job.module, origin.instruction, origin.opcode),
                    is_open,
                    {}};
  if (widest->shape().IsArray())
    verdict.widest.type = std::string(PrimitiveTypeName(widest->shape().element_type()));
  if (!is_open)
    AddNarrowing(job, options, differ, facts, FactsToTry(freedom, *widest, facts), at,
                 OpenBits(**accepted, at), verdict);
}

void PrintVerdict(const reports::Verdict& verdict, bool json, const std::string& replay,
                  bool explained) {
  std::cout << (json ? JsonLineOf(verdict) : VerdictReport(verdict, replay, explained))
            << std::endl;
}

namespace {

// An element to explain, and a description.
struct Explained {
  reports::OutputElement element;
  std::string title;
};

// Returns the failing element or, of a pass, a returned NaN, if there is one (one that HLO requires
// before one that it permits), and the element with the widest set.
std::vector<Explained> ElementsToExplain(const ModuleAcceptance& accepted,
                                         const reports::Verdict& verdict) {
  std::vector<Explained> elements;
  if (!verdict.first_failure) {
    if (verdict.nan)
      elements.push_back({*verdict.nan, verdict.nan->certain
                                            ? "The first NaN that HLO itself gives:\n"
                                            : "The first NaN that HLO permits:\n"});
    const reports::OutputElement widest = WidestElement(accepted);
    const bool is_new =
        !verdict.nan || verdict.nan->output != widest.output || verdict.nan->index != widest.index;
    const bool narrows = widest.output >= 0 && !accepted.leaves[widest.output].set.exact();
    if (!verdict.nan || (is_new && narrows))
      elements.push_back({widest, "The element with the widest set:\n"});
    return elements;
  }
  const reports::VerdictFailure& failure = *verdict.first_failure;
  if (failure.output >= static_cast<int64_t>(accepted.leaves.size())) return {};
  const Shape& shape = accepted.leaves[failure.output].shape;
  return {{{failure.output, LinearIndex(failure.index, RowMajorStrides(shape.dimensions()))}, ""}};
}

// Returns the values of an element's set and their sources; for a NaN, also where it originated.
std::string SetOf(const ElementExplanation& explained, const reports::OutputElement& at) {
  if (at.origin.empty() || explained.sources.empty()) return explained.accepted + explained.sources;
  return absl::StrCat(explained.accepted,
                      at.is_an_input ? "  origin:      " : "  instruction: ", at.origin, "\n",
                      explained.exact ? "" : explained.sources);
}

// Prints the freedoms of a verdict that has no wrong element: rulings, sentences and facts.
void PrintFreedoms(const Module& module, const reports::Verdict& verdict) {
  std::set<std::string> opcodes;
  for (const auto& computation : module.computations())
    for (const auto& one : computation->instructions())
      opcodes.insert(std::string(OpcodeName(one->opcode())));
  for (const std::string& freedom : verdict.freedoms) {
    std::cout << "freedom " << WithPaths(reports::FreedomText(freedom));
    for (const std::string& id : reports::ClausesOfFreedom(freedom, opcodes))
      std::cout << ", " << id;
    const bool of_sums = freedom == FreedomName(Freedom::kReductionOrder);
    std::vector<std::string> facts = reports::FactsOfFreedom(freedom);
    const auto& left = verdict.widest.facts;  // those that narrow the widest set
    std::erase_if(facts, [&](auto& fact) { return of_sums && !absl::c_linear_search(left, fact); });
    if (verdict.widest.open_reduction && of_sums)
      std::cout << "; " << OpenReductionText(verdict);
    else if (!facts.empty())
      std::cout << "; narrowed by the fact " << absl::StrJoin(facts, " or ");
    std::cout << "\n";
  }
}

}  // namespace

void PrintExplanation(const Job& job, backends::Differ& differ, const reports::Verdict& verdict,
                      int64_t partitions, const std::vector<std::string>& facts) {
  const std::string explanation = reports::ExplanationText(verdict.localisation);
  if (!explanation.empty()) std::cout << explanation << std::endl;
  if (!verdict.first_failure) PrintFreedoms(*job.module, verdict);
  if (verdict.localisation.in_piece) return;
  const int64_t device =
      verdict.first_failure || !verdict.nan ? verdict.replica * partitions : verdict.nan->device;
  auto accepted = differ.Acceptance(device, facts);
  if (!accepted.ok()) {
    std::fprintf(stderr, "hlocts: no explanation, since the sets cannot be computed: %s\n",
                 std::string(accepted.status().message()).c_str());
    return;
  }
  for (auto& [element, title] : ElementsToExplain(**accepted, verdict)) {
    if (element.output < 0) continue;
    element.device = device;
    // Omits a set that the verdict states for a piece, in which the output may have another number.
    const ElementExplanation explained = ExplainElement(**accepted, element.output, element.index);
    const std::string set = SetOf(explained, element);
    std::cout << title << (set == verdict.localisation.set ? "" : explained.element + set)
              << DerivationOf(job, verdict.profile, facts, element) << std::flush;
  }
}

std::string CaseAddressOf(const std::string& module) {
  std::filesystem::path folder = std::filesystem::absolute(module);
  if (folder.filename() == "module.hlo" || folder.filename() == "control.hlo")
    folder = folder.parent_path();
  if (auto address = suites::AddressOfCaseFolder(folder); address.ok()) return *address;
  const bool is_address = absl::StrContains(module, '/') && !std::filesystem::exists(module);
  return is_address ? module : "";
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
  std::cerr << "hlocts: the outputs show no failure, but the piece " << piece
            << " fails alone: " << next << " this piece instead" << std::endl;
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
    // `unsupported` is a failure here: it is unknown whether the outputs are acceptable.
    const bool failed = verdict.kind == Outcome::kUnsupported || (is_suspect && suspect_fails);
    if (failed || !is_suspect)
      status = std::max(status, failed ? kExitFailed : reports::ExitStatusOf(verdict));
  }
  return status == kExitOk && suspect ? kExitSuspect : status;
}

}  // namespace hlocts::tools
