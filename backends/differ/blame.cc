// SPDX-License-Identifier: Apache-2.0
#include "backends/differ/blame.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "backends/differ/failure_details.h"
#include "spec/ir/index_util.h"
#include "spec/ir/instruction.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "spec/judge/element_text.h"
#include "spec/ops/partitions.h"
#include "spec/text/printer.h"

namespace hlocts::backends {
namespace {

using Clock = PieceRunner::Clock;

// Finds faults that appear only when instructions are compiled together.
class MinimalGroupSearch {
 public:
  // `runner` must have run the module with one operation per piece and found nothing wrong.
  MinimalGroupSearch(const Module& module, PieceRunner& runner, Clock::time_point deadline)
      : module_(module), runner_(runner), deadline_(deadline) {}

  // Returns the smallest wrong piece that the search finds. Find starts with all instructions, then
  // drops as many as possible from the front and from the back, and those not connected to the
  // rest. Returns null if the piece of all instructions is not wrong.
  absl::StatusOr<std::unique_ptr<PieceRun>> Find();

 private:
  using Members = std::vector<const Instruction*>;
  absl::StatusOr<bool> Wrong(const Members& members);
  absl::Status Shrink(bool front);
  absl::Status TryComponents();

  const Module& module_;
  PieceRunner& runner_;
  Clock::time_point deadline_;
  Members members_;  // of the smallest wrong piece so far
  std::unique_ptr<Piece> piece_;
  std::unique_ptr<PieceRun> run_;
};

absl::StatusOr<bool> MinimalGroupSearch::Wrong(const Members& members) {
  if (members.empty() || Clock::now() > deadline_) return false;
  auto piece = CutOut(module_, *module_.entry(), members);
  if (!piece.ok()) return false;  // these members cannot be one piece
  auto kept = std::make_unique<Piece>(*std::move(piece));
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<PieceRun> run, runner_.RunAlone(*kept));
  if (run == nullptr) return false;
  run_ = std::move(run);
  piece_ = std::move(kept);
  members_ = members;
  return true;
}

// Drops chunks of half the instructions, then a quarter, and so on down to one instruction, as long
// as the remaining part stays wrong.
absl::Status MinimalGroupSearch::Shrink(bool front) {
  for (size_t chunk = members_.size() / 2; chunk >= 1; chunk /= 2) {
    bool smaller = true;
    while (smaller && members_.size() > chunk) {
      auto cut = static_cast<std::ptrdiff_t>(chunk);
      Members rest = front ? Members(members_.begin() + cut, members_.end())
                           : Members(members_.begin(), members_.end() - cut);
      HLOCTS_ASSIGN_OR_RETURN(smaller, Wrong(rest));
    }
  }
  return absl::OkStatus();
}

absl::Status MinimalGroupSearch::TryComponents() {
  std::map<const Instruction*, Members> components;  // keyed by the first member
  std::map<const Instruction*, const Instruction*> first_of;
  for (const Instruction* member : members_) {
    std::set<const Instruction*> joined;
    for (const Instruction* operand : member->operands()) {
      auto found = first_of.find(ResolveValue(*operand).instruction);
      if (found != first_of.end()) joined.insert(found->second);
    }
    Members all = {};
    for (const Instruction* first : joined) {
      all.insert(all.end(), components[first].begin(), components[first].end());
      components.erase(first);
    }
    all.push_back(member);
    for (const Instruction* each : all) first_of[each] = all.front();
    components[all.front()] = std::move(all);
  }
  if (components.size() < 2) return absl::OkStatus();
  for (auto& [first, members] : components) {
    std::sort(members.begin(), members.end(),
              [](const Instruction* a, const Instruction* b) { return a->index() < b->index(); });
    HLOCTS_ASSIGN_OR_RETURN(bool wrong, Wrong(members));
    if (wrong) break;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<PieceRun>> MinimalGroupSearch::Find() {
  auto all = CutMembers(*module_.entry());
  if (!all.ok()) return all.status();
  HLOCTS_ASSIGN_OR_RETURN(bool wrong, Wrong(*all));
  if (!wrong) return std::unique_ptr<PieceRun>();
  HLOCTS_RETURN_IF_ERROR(Shrink(true));
  HLOCTS_RETURN_IF_ERROR(Shrink(false));
  HLOCTS_RETURN_IF_ERROR(TryComponents());
  return std::move(run_);
}

constexpr int64_t kPrintedElements = 64;
// The instructions at fault, and the evidence against them.
struct Blame {
  reports::Localisation found;
  reports::Verdict verdict;  // the verdict on the piece
  WrongPiece piece;
};

struct Subject {
  const DiffOptions& options;
  Backend& backend;
  Clock::time_point deadline;
  WrongPiece* hidden;
};

// Returns Localisation::operands.
std::string OperandsRead(const PieceRun& run) {
  bool computed = !run.where.empty();
  for (const CutValue& read : run.piece->inputs)
    computed |= read.instruction->opcode() != Opcode::kParameter;
  return run.piece->inputs.empty() ? "constants" : computed ? "" : "inputs";
}

// Returns the arguments as text: elements, or shape and first element of a large array.
std::string ArgumentsText(const PieceRun& run, size_t device) {
  std::string text;
  for (const Literal& leaf : run.request.arguments[device]) {
    const bool large = leaf.element_count() > kPrintedElements;
    absl::StrAppend(&text, "    ", large ? leaf.shape().ToString() : PrintLiteralWithShape(leaf),
                    large ? " begins with " + hlocts::ElementText(leaf, 0) : "", "\n");
  }
  return absl::StrCat("\n", text.empty() ? "" : "  run on these operands:\n", text);
}

// Returns a sentence on the wrong value of the piece. Sets `set` to the element's acceptance set.
std::string ElementText(const PieceRun& run, const Subject& subject, std::string& set) {
  const auto& failure = run.verdict.first_failure;
  if (!failure) return absl::StrCat("  ", reports::ReasonText(run.verdict), "\n");
  Differ differ(*run.piece->module, run.request, subject.options);
  auto accepted = differ.Acceptance(run.verdict.replica * subject.options.load.partitions,
                                    subject.backend.info().facts);
  if (!accepted.ok() || failure->output >= static_cast<int64_t>((*accepted)->leaves.size())) {
    return "";
  }
  const Shape& shape = (*accepted)->leaves[failure->output].shape;
  int64_t index = LinearIndex(failure->index, RowMajorStrides(shape.dimensions()));
  const ElementExplanation explained = ExplainElement(**accepted, failure->output, index);
  set = explained.accepted + explained.sources;
  return absl::StrCat("  the piece returned ", failure->actual, " (", failure->actual_bits, ")\n  ",
                      explained.element);
}

Blame BlameOf(const PieceRun& run, const Subject& subject) {
  Blame blame;
  for (const Instruction* instruction : run.piece->instructions) {
    blame.found.instructions.push_back(instruction->name());
  }
  blame.found.kind = blame.found.instructions.size() > 1 ? reports::Localisation::Kind::kTogether
                                                         : reports::Localisation::Kind::kAlone;
  blame.found.outcome = run.verdict.kind;
  blame.found.where = run.where;
  blame.found.operands = OperandsRead(run);
  blame.verdict = run.verdict;
  blame.piece = {run.piece->module->Clone(), run.request};
  if (auto& failure = blame.verdict.first_failure) {
    failure->operands = OperandsOf(*run.piece->module, run.request, subject.options.load, *failure);
  }
  size_t device = static_cast<size_t>(run.verdict.replica * subject.options.load.partitions);
  device = std::min(device, run.request.arguments.size() - 1);
  const std::string element = ElementText(run, subject, blame.found.set);
  blame.found.piece =
      absl::StrCat("the piece as a standalone module:\n    ",
                   absl::StrReplaceAll(PrintModule(*run.piece->module, PrintOptions::Short()),
                                       {{"\n", "\n    "}}),
                   ArgumentsText(run, device), element);
  return blame;
}

// Judges each instruction as a separate module. If none is wrong, finds the smallest set of
// instructions that is wrong together.
absl::StatusOr<Blame> Localise(const Module& module, const ExecuteRequest& request,
                               const Subject& subject) {
  CutOptions each;
  each.operations = 1;
  PieceRunner runner(module, request, subject.options, subject.backend, each, subject.deadline);
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<PieceRun> wrong, runner.FindWrong());
  if (wrong != nullptr) return BlameOf(*wrong, subject);
  MinimalGroupSearch search(module, runner, subject.deadline);
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<PieceRun> together, search.Find());
  if (together != nullptr) return BlameOf(*together, subject);
  Blame nothing;
  nothing.found.kind = reports::Localisation::Kind::kNotFound;
  return nothing;
}

// Blames the smallest part of the piece that is wrong in isolation, or else the piece.
absl::StatusOr<Blame> Narrow(const PieceRun& wrong, const Subject& subject) {
  if (wrong.piece->instructions.size() > 1) {
    HLOCTS_ASSIGN_OR_RETURN(Blame inner, Localise(*wrong.piece->module, wrong.request, subject));
    inner.found.where = absl::StrCat(wrong.where, inner.found.where);
    if (inner.found.operands == "inputs") inner.found.operands = OperandsRead(wrong);
    if (!inner.found.instructions.empty()) return inner;
  }
  return BlameOf(wrong, subject);
}

// Names the instructions of the wrong piece, and the source of the first that has one. Pieces have
// no metadata, so the source is looked up in the module.
void NameInstructions(const Module& module, const Blame& blame, reports::VerdictFailure& failure) {
  failure.instruction = reports::NamesText(blame.found.instructions);
  failure.source.clear();
  for (const std::string& name : blame.found.instructions)
    if (failure.source.empty()) failure.source = SourceOf(module, name);
}

// Shows operands of the wrong piece, which the engine itself computed: those of the element to
// which the module's failure leads or, if that is unknown, those of the element that a note names.
void ShowOperands(const Module& module, const Blame& blame, const LoadOptions& load,
                  reports::Verdict& verdict) {
  reports::VerdictFailure at = *blame.verdict.first_failure;
  const auto producer = ProducerOf(*blame.piece.module, at.output);
  if (at.operands.empty() || !producer) return;
  const std::string& name = producer->instruction->name();
  const auto index = TracedIndex(module, *verdict.first_failure, name);
  if (index && *index != at.index) {
    at.index = *index;
    at.operands = OperandsOf(*blame.piece.module, blame.piece.request, load, at);
  }
  if (!index && !at.index.empty())
    verdict.notes.push_back(absl::StrCat("the operands are those of the wrong element ", name, "[",
                                         absl::StrJoin(at.index, ","), "]"));
  verdict.first_failure->operands = std::move(at.operands);
}

// Adds the blame to the failure of a module. The verdict on the module does not change, but its
// first failure then names instructions, source, rule, clause and operands of the wrong piece.
void Explain(const Module& module, const Blame& blame, const LoadOptions& load,
             reports::Verdict& verdict) {
  verdict.localisation = blame.found;
  if (!verdict.first_failure || blame.found.instructions.empty()) return;
  NameInstructions(module, blame, *verdict.first_failure);
  if (blame.verdict.first_failure) {
    verdict.first_failure->rule = blame.verdict.first_failure->rule;
    verdict.first_failure->clause = blame.verdict.first_failure->clause;
    verdict.first_failure->operation = blame.verdict.first_failure->operation;
    verdict.first_failure->type = blame.verdict.first_failure->type;
    verdict.first_failure->tie = blame.verdict.first_failure->tie;
    verdict.first_failure->to_integer = blame.verdict.first_failure->to_integer;
    verdict.first_failure->range = blame.verdict.first_failure->range;
    ShowOperands(module, blame, load, verdict);
  }
}

// Returns the verdict on a wrong piece of a module whose outputs are acceptable.
reports::Verdict PieceVerdict(const Module& module, const reports::Verdict& whole,
                              const Blame& blame) {
  reports::Verdict verdict = whole;
  verdict.kind = blame.verdict.kind;
  verdict.localisation = blame.found;
  verdict.localisation.in_piece = true;
  verdict.reason = blame.verdict.reason;
  verdict.error = blame.verdict.error;
  verdict.replica = blame.verdict.replica;
  verdict.first_failure = blame.verdict.first_failure;
  if (verdict.first_failure) NameInstructions(module, blame, *verdict.first_failure);
  return verdict;
}

std::string Remainder(const CutCounts& counts) {
  std::string text;
  if (counts.inconclusive > 0) {
    absl::StrAppend(&text, ", ", counts.inconclusive, " inconclusive");
    if (!counts.first_inconclusive.empty())
      absl::StrAppend(&text, " (", counts.inconclusive > 1 ? "first " : "",
                      counts.first_inconclusive, ")");
  }
  if (counts.probable > 0)
    absl::StrAppend(&text, " (probable by statistical tests: ", counts.probable, ")");
  if (counts.not_run > 0) absl::StrAppend(&text, ", ", counts.not_run, " not run");
  if (!counts.stopped.empty()) absl::StrAppend(&text, " (", counts.stopped, ")");
  return text;
}

// Returns the verdict on the module if no piece is wrong. If the outputs are inconclusive but all
// pieces are correct, it is a pass, or `probable` if only tests (lemma 44) judge some pieces.
reports::Verdict PassByPieces(reports::Verdict whole, const CutCounts& counts) {
  std::string pieces = absl::StrCat(counts.pieces, counts.pieces == 1 ? " piece" : " pieces",
                                    " judged", Remainder(counts));
  const bool open = whole.kind == Outcome::kInconclusive;
  const bool all = counts.not_run == 0 && counts.checked.elements > 0 && counts.stopped.empty();
  if (open && all && counts.inconclusive == 0) {
    whole.kind = Outcome::kPass;
    reports::VerdictStatistics checked = counts.checked;
    checked.exact_data = whole.exact_data;
    checked.worst_ulps = std::move(whole.worst_ulps);
    static_cast<reports::VerdictStatistics&>(whole) = std::move(checked);
    whole.reason =
        "decided by judging pieces, whose elements are counted; the outputs alone are "
        "inconclusive";
  }
  if (open && !counts.first_suspect.empty()) {
    whole.kind = Outcome::kSuspect;
    whole.reason = absl::StrCat("improbable in isolation, on operands that the engine computed: ",
                                counts.first_suspect);
    whole.statistical = counts.statistical;
    whole.statistical->in_piece = true;
  } else if (open && all && counts.inconclusive > 0 && counts.inconclusive == counts.probable) {
    whole.kind = Outcome::kProbable;
    whole.reason = "decided by judging and testing pieces; the outputs alone are inconclusive";
    whole.statistical = counts.statistical;
    whole.statistical->pieces = counts.pieces;
    whole.statistical->proven = counts.pieces - counts.inconclusive;
    whole.statistical->by_terms = counts.by_terms;
  }
  whole.notes.push_back(pieces);
  return whole;
}

// Returns the constant whose value the first wrong output is, or "".
std::string ConstantOf(const Module& module, const reports::Verdict& verdict) {
  if (!verdict.first_failure) return "";
  const auto producer = ProducerOf(module, verdict.first_failure->output);
  const bool found = producer && producer->instruction->opcode() == Opcode::kConstant;
  return found ? producer->instruction->name() : "";
}

// The number of operations between checkpoints, on a path through the module. Large pieces yield
// the strongest verdicts.
constexpr int64_t kOperationsBetweenCheckpoints = 256;

bool IsUndecided(const reports::Verdict& verdict) {
  return verdict.kind == Outcome::kInconclusive ||
         (verdict.kind == Outcome::kPass && verdict.unspecified_elements > 0);
}

absl::StatusOr<reports::Verdict> Cut(reports::Verdict whole,
                                     const std::vector<std::vector<Literal>>& outputs,
                                     absl::Span<const ModuleAcceptance> sets, const Module& module,
                                     const ExecuteRequest& request, const Subject& subject,
                                     int64_t operations, bool blocks = false) {
  CutOptions cut_options{.operations = operations, .blocks = blocks};
  PieceRunner runner(module, request, subject.options, subject.backend, cut_options,
                     subject.deadline);
  if (whole.kind == Outcome::kPass) runner.Accept(outputs, sets);
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<PieceRun> wrong, runner.FindWrong());
  if (wrong != nullptr) {
    HLOCTS_ASSIGN_OR_RETURN(Blame blame, Narrow(*wrong, subject));
    if (!IsFinding(whole.kind)) {
      blame.piece.name =
          absl::StrCat(blame.found.where, reports::NamesText(blame.found.instructions));
      whole = PieceVerdict(module, whole, blame);
      if (subject.hidden != nullptr) *subject.hidden = std::move(blame.piece);
      return whole;
    }
    Explain(module, blame, subject.options.load, whole);
    return whole;
  }
  if (whole.kind == Outcome::kFail) {
    // Constants are no pieces.
    if (const std::string constant = ConstantOf(module, whole); !constant.empty()) {
      whole.localisation.kind = reports::Localisation::Kind::kAlone;
      whole.localisation.outcome = whole.kind;
      whole.localisation.operands = "constants";
      whole.localisation.instructions = {constant};
      return whole;
    }
    HLOCTS_ASSIGN_OR_RETURN(Blame blame, Localise(module, request, subject));
    // Pieces are judged by their sets, which an output of another shape has not been compared with.
    if (whole.first_failure || !blame.found.instructions.empty())
      Explain(module, blame, subject.options.load, whole);
    return whole;
  }
  bool cut = operations != CutOptions::kOnlyAtJointValues || runner.entry_pieces() > 1 ||
             runner.counts().pieces > 1;
  if (cut && !IsFinding(whole.kind)) return PassByPieces(std::move(whole), runner.counts());
  return whole;
}

}  // namespace

reports::Verdict WithPieces(reports::Verdict whole,
                            const std::vector<std::vector<Literal>>& outputs,
                            absl::Span<const ModuleAcceptance> sets, const Module& module,
                            const ExecuteRequest& request, const DiffOptions& options,
                            Backend& backend, WrongPiece* hidden) {
  const bool suspect = whole.kind == Outcome::kSuspect;
  bool judged =
      IsUndecided(whole) || suspect || whole.kind == Outcome::kPass || IsFinding(whole.kind);
  bool wanted = options.cut > 0 || (options.blame && (suspect || whole.kind == Outcome::kFail)) ||
                (options.cut == 0 && (suspect || IsUndecided(whole)));
  if (!judged || !wanted) return whole;
  // Cutting a wrong module may take long, so the pieces get the time limit of one more module.
  DiffOptions of_pieces = options;
  of_pieces.printed_result.clear();
  of_pieces.suspect = DiffOptions::Suspect::kNot;
  of_pieces.describe = false;  // the blamed piece is described instead
  Subject subject{
      of_pieces, backend,
      Clock::now() + std::chrono::milliseconds(std::llround(options.load.timeout_seconds * 1000)),
      hidden};
  int64_t operations = options.cut > 0 ? options.cut : CutOptions::kOnlyAtJointValues;
  if (options.cut <= 0 && (suspect || whole.kind == Outcome::kFail)) operations = 1;
  auto verdict = Cut(whole, outputs, sets, module, request, subject, operations);
  const bool open = verdict.ok() && verdict->kind == Outcome::kInconclusive;
  if (options.checkpoints && options.cut >= 0 && open) {
    of_pieces.suspect = options.suspect;
    verdict = Cut(whole, outputs, sets, module, request, subject, kOperationsBetweenCheckpoints,
                  /*blocks=*/true);
  }
  if (verdict.ok()) return *std::move(verdict);
  whole.notes.push_back(absl::StrCat("not cut: ", verdict.status().message()));
  return whole;
}

WrongPiece FindHiddenPiece(const Module& module, const ExecuteRequest& request, DiffOptions options,
                           Backend& backend) {
  options.blame = options.checkpoints = true;
  options.describe = options.unusual = options.ulps = false;
  WrongPiece piece;
  const RunOutcome outcome = RunModule(backend, module, options.load, request);
  if (!outcome.has_values()) return piece;
  const auto& outputs = outcome.result.outputs;
  WithPieces(Differ(module, request, options).JudgeOutputs(outputs, backend.info().facts), outputs,
             {}, module, request, options, backend, &piece);
  return piece;
}

void AddPartitioning(const Module& module, const ExecuteRequest& request,
                     const DiffOptions& options, Backend& backend, reports::Verdict& verdict) {
  if (!IsSharded(module)) return;
  verdict.localisation.partitions = module.num_partitions;
  if (!options.blame || !IsFinding(verdict.kind)) return;
  const std::unique_ptr<Module> plain = WithoutShardings(module);
  DiffOptions once = options;
  once.blame = once.unusual = false;
  once.suspect = DiffOptions::Suspect::kNot;
  once.cut = DiffOptions::kNoCut;
  verdict.localisation.unpartitioned = Differ(*plain, request, once).Diff(backend).kind;
}

}  // namespace hlocts::backends
