// SPDX-License-Identifier: Apache-2.0
#include "backends/differ/pieces.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "reports/effective_bits.h"
#include "spec/cut/loop_block.h"
#include "spec/infer/verifier.h"
#include "spec/ir/opcode.h"

namespace hlocts::backends {
namespace {

// The number of loop trips to run one by one, from the first. A fault in a later trip is found only
// if the loop is judged as one piece.
constexpr int64_t kTripsMax = 16;
// The sets of a block of this many trips are little wider than those of one trip.
constexpr int64_t kBlockTrips = 16;
// An inconclusive piece is cut into pieces whose number of operations is smaller by this factor.
constexpr int64_t kRefinement = 16;

// Returns true if exactly one bit pattern is accepted for each element.
bool HasOneValueEach(const SetArray& set) {
  return set.exact() && !set.nan_bits_free && !set.zero_sign_free && set.choices == nullptr &&
         set.joint == nullptr && set.runtime_sizes.empty();
}

DiffOptions WithoutTests(DiffOptions options) {
  options.suspect = DiffOptions::Suspect::kNot;
  return options;
}

void AddTest(const std::string& suspect, const std::optional<reports::Statistical>& test,
             CutCounts& into) {
  if (!into.first_suspect.empty() || !test) return;
  const bool farther = !into.statistical ||
                       test->most / test->limit > into.statistical->most / into.statistical->limit;
  if (!suspect.empty() || farther) into.statistical = test;
  into.first_suspect = suspect;
}

void Add(const CutCounts& from, CutCounts& into) {
  into.pieces += from.pieces;
  into.inconclusive += from.inconclusive;
  into.probable += from.probable;
  into.by_terms += from.by_terms;
  into.not_run += from.not_run;
  reports::AddCounts(from.checked, 1, into.checked);
  if (into.stopped.empty()) into.stopped = from.stopped;
  if (into.first_inconclusive.empty()) into.first_inconclusive = from.first_inconclusive;
  AddTest(from.first_suspect, from.statistical, into);
}

}  // namespace

bool IsFinding(Outcome kind) {
  return kind == Outcome::kFail || kind == Outcome::kCrash || kind == Outcome::kTimeout ||
         kind == Outcome::kRejected;
}

PieceRunner::PieceRunner(const Module& module, const ExecuteRequest& request,
                         const DiffOptions& options, Backend& backend, CutOptions cut,
                         Clock::time_point deadline)
    : module_(module),
      request_(request),
      options_(WithoutTests(options)),
      tests_(cut.blocks && options.suspect != DiffOptions::Suspect::kNot),
      backend_(backend),
      facts_(backend.info().facts),
      cut_(cut),
      deadline_(deadline) {}

absl::StatusOr<std::unique_ptr<PieceRun>> PieceRunner::FindWrong() {
  HLOCTS_ASSIGN_OR_RETURN(auto wrong, FindAllWrong(1));
  return wrong.empty() ? nullptr : std::move(wrong[0]);
}

absl::StatusOr<std::vector<std::unique_ptr<PieceRun>>> PieceRunner::FindAllWrong(size_t most) {
  wrong_max_ = most;
  Values& values = entry_values_;
  std::vector<Instruction*> parameters = module_.entry()->parameters();
  for (const std::vector<Literal>& leaves : request_.arguments) {
    HLOCTS_ASSIGN_OR_RETURN(std::vector<Literal> nested, NestArguments(module_, leaves));
    for (size_t p = 0; p < parameters.size(); ++p) {
      std::vector<Literal> flat = FlattenLeaves(nested[p]);
      size_t leaf = 0;
      ForEachLeaf(parameters[p]->shape(), [&](const Shape&, const ShapeIndex& index) {
        values[{parameters[p], index}].push_back(flat[leaf++]);
      });
    }
  }
  HLOCTS_RETURN_IF_ERROR(RunComputation(*module_.entry(), values, ""));
  return std::move(wrong_);
}

bool PieceRunner::Stop(const std::string& why) {
  if (counts_.stopped.empty()) counts_.stopped = why;
  return true;
}

absl::Status PieceRunner::RunComputation(const Computation& computation, Values& values,
                                         const std::string& where) {
  auto found = computations_.find(&computation);
  if (found == computations_.end()) {
    HLOCTS_ASSIGN_OR_RETURN(CutComputation cut, CutIntoPieces(module_, computation, cut_));
    found = computations_.emplace(&computation, std::move(cut)).first;
  }
  if (&computation == module_.entry()) entry_pieces_ = found->second.pieces.size();
  for (const Piece& piece : found->second.pieces) {
    if (HasEnoughWrongPieces()) return absl::OkStatus();
    if (Clock::now() > deadline_) {
      Stop("the time limit was reached");
      return absl::OkStatus();
    }
    HLOCTS_RETURN_IF_ERROR(RunPiece(piece, values, where));
  }
  return absl::OkStatus();
}

// Returns the request for a piece, from the known values; nullopt if a value is missing.
std::optional<ExecuteRequest> PieceRunner::RequestFor(const Piece& piece,
                                                      const Values& values) const {
  ExecuteRequest request;
  request.arguments.resize(request_.arguments.size());
  for (const CutValue& input : piece.inputs) {
    auto found = values.find(input);
    if (found == values.end()) return std::nullopt;
    for (size_t d = 0; d < found->second.size(); ++d) {
      request.arguments[d].push_back(found->second[d]);
    }
  }
  for (const std::vector<Literal>& fed : request_.infeed) {
    int64_t size = static_cast<int64_t>(fed.size());
    int64_t begin = std::min(piece.infeed_begin, size);
    int64_t end = std::min(begin + piece.infeed_count, size);
    request.infeed.emplace_back(fed.begin() + begin, fed.begin() + end);
  }
  if (piece.infeed_count == 0) request.infeed.clear();
  return request;
}

void PieceRunner::Count(const reports::Verdict& verdict, int times) {
  counts_.pieces += times;
  counts_.inconclusive += verdict.kind == Outcome::kInconclusive ? times : 0;
  reports::AddCounts(verdict, times, counts_.checked);
}

// If the pieces inside a called computation were judged, their verdicts replace an inconclusive
// verdict on the call, which is subtracted from the counts.
void PieceRunner::DeferToInnerPieces(const reports::Verdict& verdict, const CutCounts& before) {
  const bool judged = counts_.pieces > before.pieces && counts_.not_run == before.not_run &&
                      counts_.stopped == before.stopped;
  if (judged && verdict.kind == Outcome::kInconclusive) Count(verdict, -1);
}

absl::StatusOr<reports::Verdict> PieceRunner::Judge(const Piece& piece,
                                                    const ExecuteRequest& request,
                                                    RunOutcome& outcome) {
  absl::Status valid = VerifyModule(*piece.module);
  if (!valid.ok())
    return absl::InternalError(absl::StrCat("a piece is invalid: ", valid.message()));
  outcome = RunModule(backend_, *piece.module, options_.load, request);
  Differ differ(*piece.module, request, options_);
  return outcome.has_values() ? differ.JudgeOutputs(outcome.result.outputs, facts_)
                              : VerdictOf(outcome);
}

absl::StatusOr<bool> PieceRunner::Refine(const Piece& piece, const ExecuteRequest& request,
                                         const std::string& where) {
  CutOptions smaller = cut_;
  for (size_t pieces = 1; pieces == 1;) {
    if (smaller.operations == 1) return false;
    smaller.operations = std::max<int64_t>(smaller.operations / kRefinement, 1);
    HLOCTS_ASSIGN_OR_RETURN(CutComputation cut,
                            CutIntoPieces(*piece.module, *piece.module->entry(), smaller));
    pieces = cut.pieces.size();
  }
  DiffOptions options = options_;
  if (tests_) options.suspect = DiffOptions::Suspect::kWhereInconclusive;
  auto inner =
      std::make_unique<PieceRunner>(*piece.module, request, options, backend_, smaller, deadline_);
  HLOCTS_ASSIGN_OR_RETURN(auto wrong, inner->FindAllWrong(wrong_max_ - wrong_.size()));
  CutCounts counts = inner->counts();
  for (std::string* name : {&counts.first_inconclusive, &counts.first_suspect}) {
    if (!name->empty()) name->insert(0, where);
  }
  Add(counts, counts_);
  if (wrong.empty()) return true;
  for (auto& run : wrong) {
    run->where.insert(0, where);
    wrong_.push_back(std::move(run));
  }
  inner_.push_back(std::move(inner));
  return true;
}

void PieceRunner::NoteInconclusive(const Piece& piece, const ExecuteRequest& request,
                                   const RunOutcome& outcome, const std::string& where,
                                   const reports::Verdict& verdict) {
  const std::string name = absl::StrCat(where, piece.instructions[0]->name());
  if (counts_.first_inconclusive.empty()) counts_.first_inconclusive = name;
  if (!tests_ || !outcome.has_values()) return;
  DiffOptions options = options_;
  options.suspect = DiffOptions::Suspect::kWhereInconclusive;
  reports::Verdict tested = verdict;
  Differ(*piece.module, request, options).AddStatistical(outcome.result.outputs, facts_, tested);
  if (!tested.statistical) return;
  const bool suspect = tested.kind == Outcome::kSuspect;
  const bool by_terms = tested.statistical->test == "terms";
  counts_.probable += !suspect && (by_terms || tested.statistical->bits > 0);
  counts_.by_terms += by_terms;
  AddTest(suspect ? name : "", tested.statistical, counts_);
}

absl::StatusOr<std::unique_ptr<PieceRun>> PieceRunner::RunAlone(const Piece& piece) {
  std::unique_ptr<PieceRun> run;
  std::optional<ExecuteRequest> request = RequestFor(piece, entry_values_);
  if (!request) return run;
  RunOutcome outcome;
  HLOCTS_ASSIGN_OR_RETURN(reports::Verdict verdict, Judge(piece, *request, outcome));
  if (IsFinding(verdict.kind)) {
    run = std::make_unique<PieceRun>(PieceRun{&piece, *std::move(request), verdict, ""});
  }
  return run;
}

void PieceRunner::Accept(const std::vector<std::vector<Literal>>& outputs,
                         absl::Span<const ModuleAcceptance> sets) {
  if (outputs.size() != request_.arguments.size()) return;
  accepted_ = &outputs;
  size_t leaf = 0;
  const Instruction& root = *module_.entry()->root();
  ForEachLeaf(root.shape(), [&](const Shape&, const ShapeIndex& index) {
    AcceptedLeaf& accepted = accepted_leaves_[ResolveValue(root, index)];
    accepted.leaf = leaf++;
    accepted.one_value = !sets.empty() && absl::c_all_of(sets, [&](const ModuleAcceptance& s) {
      return HasOneValueEach(s.leaves[accepted.leaf].set);
    });
  });
}

// Returns true for a piece of the entry that the accepted outputs judge in full.
bool PieceRunner::IsAccepted(const Piece& piece) const {
  const bool of_arguments = absl::c_all_of(
      piece.inputs, [](const CutValue& input) { return input.instruction->IsParameter(); });
  return !piece.outputs.empty() && absl::c_all_of(piece.outputs, [&](const CutValue& output) {
    const auto found = accepted_leaves_.find(output);
    return found != accepted_leaves_.end() && (of_arguments || found->second.one_value);
  });
}

absl::Status PieceRunner::RunPiece(const Piece& piece, Values& values, const std::string& where) {
  // A failure inside a computation is more precise than that of its caller.
  const bool single = piece.instructions.size() == 1 && CanCutInside(*piece.instructions[0]);
  if (IsAccepted(piece)) {
    ++counts_.pieces;
    for (const CutValue& output : piece.outputs) {
      for (const std::vector<Literal>& device : *accepted_)
        values[output].push_back(device[accepted_leaves_.at(output).leaf]);
    }
    return single ? RunInside(*piece.instructions[0], values, where) : absl::OkStatus();
  }
  std::optional<ExecuteRequest> request = RequestFor(piece, values);
  if (!request) {
    ++counts_.not_run;
    return absl::OkStatus();
  }
  RunOutcome outcome;
  HLOCTS_ASSIGN_OR_RETURN(reports::Verdict verdict, Judge(piece, *request, outcome));
  if (verdict.kind == Outcome::kError || verdict.kind == Outcome::kUnsupported) {
    ++counts_.not_run;
    Stop(verdict.reason);
  } else {
    bool refined = false;
    if (verdict.kind == Outcome::kInconclusive && !single) {
      if (cut_.blocks) {
        HLOCTS_ASSIGN_OR_RETURN(refined, Refine(piece, *request, where));
      }
      if (!refined) NoteInconclusive(piece, *request, outcome, where, verdict);
    }
    if (!refined) Count(verdict);
  }
  const size_t before = wrong_.size();
  const CutCounts counts_before = counts_;
  if (single) HLOCTS_RETURN_IF_ERROR(RunInside(*piece.instructions[0], values, where));
  DeferToInnerPieces(verdict, counts_before);
  // If operands were copied into the caller's piece, their values are unknown outside of it, so the
  // piece itself is cut.
  const bool unseen = single && counts_.pieces == counts_before.pieces;
  if (unseen && cut_.blocks && verdict.kind == Outcome::kInconclusive) {
    HLOCTS_ASSIGN_OR_RETURN(const bool refined, Refine(piece, *request, where));
    if (refined) Count(verdict, -1);
  }
  // A piece inside a loop runs in each trip, but is recorded only once.
  bool known = std::any_of(wrong_.begin(), wrong_.end(),
                           [&](const auto& run) { return run->piece == &piece; });
  if (wrong_.size() == before && !known && IsFinding(verdict.kind)) {
    wrong_.push_back(std::make_unique<PieceRun>(PieceRun{&piece, *request, verdict, where}));
  }
  if (!outcome.has_values()) return absl::OkStatus();
  for (const std::vector<Literal>& device : outcome.result.outputs) {
    if (device.size() != piece.outputs.size()) return absl::OkStatus();
    for (size_t i = 0; i < device.size(); ++i) values[piece.outputs[i]].push_back(device[i]);
  }
  return absl::OkStatus();
}

const std::vector<Literal>* PieceRunner::Find(const Instruction& instruction,
                                              const ShapeIndex& index, const Values& values) const {
  CutValue value = ResolveValue(instruction, index);
  if (value.instruction->IsConstant()) {
    auto& constant = constants_[value.instruction];
    constant.assign(request_.arguments.size(), value.instruction->literal());
    return value.index.empty() ? &constant : nullptr;
  }
  auto found = values.find(value);
  return found == values.end() ? nullptr : &found->second;
}

// Returns the values of the callee's parameters.
std::optional<PieceRunner::Values> PieceRunner::Arguments(
    const Computation& callee, const std::vector<const Instruction*>& operands,
    const Values& values) const {
  Values arguments;
  std::vector<Instruction*> parameters = callee.parameters();
  bool complete = parameters.size() == operands.size();
  for (size_t p = 0; p < parameters.size() && complete; ++p) {
    ForEachLeaf(parameters[p]->shape(), [&](const Shape& leaf, const ShapeIndex& index) {
      if (!leaf.IsArray()) return;
      const std::vector<Literal>* value = Find(*operands[p], index, values);
      complete = complete && value != nullptr;
      if (complete) arguments[{parameters[p], index}] = *value;
    });
  }
  if (!complete) return std::nullopt;
  return arguments;
}

// Returns the predicate or branch index if it is the same on all devices.
std::optional<int64_t> PieceRunner::Selector(const Instruction& selector,
                                             const Values& values) const {
  const std::vector<Literal>* literals = Find(selector, {}, values);
  if (literals == nullptr || literals->empty()) return std::nullopt;
  std::optional<int64_t> agreed;
  for (const Literal& literal : *literals) {
    int64_t value = literal.element_type() == PrimitiveType::kPred ? literal.data<bool>()[0]
                                                                   : literal.data<int32_t>()[0];
    if (agreed && *agreed != value) return std::nullopt;
    agreed = value;
  }
  return agreed;
}

absl::Status PieceRunner::RunBranch(const Instruction& instruction, const Values& values,
                                    const std::string& where) {
  std::optional<int64_t> selected = Selector(*instruction.operands()[0], values);
  std::vector<Computation*> branches = instruction.branches();
  int64_t last = static_cast<int64_t>(branches.size()) - 1;
  if (!selected) {
    Stop("branches that differ between devices are not analysed");
    return absl::OkStatus();
  }
  int64_t branch = *selected < 0 || *selected > last ? last : *selected;
  if (instruction.operands()[0]->shape().element_type() == PrimitiveType::kPred) {
    branch = 1 - *selected;  // branch 0 is true_computation
  }
  auto arguments = Arguments(*branches[branch], {instruction.operands()[1 + branch]}, values);
  if (!arguments) return absl::OkStatus();
  return RunComputation(*branches[branch], *arguments,
                        absl::StrCat(where, instruction.name(), ", branch ", branch, ": "));
}

absl::StatusOr<Piece*> PieceRunner::BlockOf(const Instruction& loop) {
  auto found = blocks_.find(&loop);
  if (found != blocks_.end()) return &found->second;
  Piece block;
  HLOCTS_ASSIGN_OR_RETURN(block.module, LoopBlock(module_, loop));
  block.instructions = {&loop};
  const Instruction* parameter = loop.CalledComputation(Attr::kBody)->parameters()[0];
  ForEachLeaf(loop.shape(), [&](const Shape&, const ShapeIndex& index) {
    block.inputs.push_back({parameter, index});
  });
  return &blocks_.emplace(&loop, std::move(block)).first->second;
}

// Runs the loop in blocks of trips; each block gets the results of the previous one. An
// inconclusive block is halved, and an inconclusive trip is cut into pieces.
absl::StatusOr<bool> PieceRunner::RunBlocks(const Instruction& loop, Values state,
                                            const std::string& where) {
  auto block = BlockOf(loop);
  if (!block.ok()) return false;
  const Computation& body = *loop.CalledComputation(Attr::kBody);
  int64_t trips = kBlockTrips;
  for (int64_t first = 0; !HasEnoughWrongPieces();) {
    if (Clock::now() > deadline_) return Stop("the time limit was reached");
    std::optional<ExecuteRequest> request = RequestFor(**block, state);
    if (!request) return false;
    Literal most(Shape::Scalar(PrimitiveType::kS32));
    most.mutable_data<int32_t>()[0] = static_cast<int32_t>(trips);
    for (std::vector<Literal>& device : request->arguments) device.push_back(most);
    const std::string at = absl::StrCat(where, loop.name(), ", trip ", first, ": ");
    RunOutcome outcome;
    HLOCTS_ASSIGN_OR_RETURN(reports::Verdict verdict, Judge(**block, *request, outcome));
    if (!outcome.has_values() && !IsFinding(verdict.kind)) return false;
    if (verdict.kind == Outcome::kInconclusive && trips > 1) {
      trips /= 2;
      continue;
    }
    const size_t before = wrong_.size();
    if (IsFinding(verdict.kind)) {
      HLOCTS_RETURN_IF_ERROR(RunWhile(loop, state, where, first));
      if (wrong_.size() == before)
        wrong_.push_back(std::make_unique<PieceRun>(PieceRun{*block, *request, verdict, at}));
      return true;
    }
    const CutCounts counts_before = counts_;
    Count(verdict);
    if (verdict.kind == Outcome::kInconclusive) {
      Values in_trip = state;
      HLOCTS_RETURN_IF_ERROR(RunComputation(body, in_trip, at));
      DeferToInnerPieces(verdict, counts_before);
    }
    first += trips;
    bool again = false;
    for (size_t i = 0; i < (*block)->inputs.size(); ++i) {
      std::vector<Literal>& literals = state[(*block)->inputs[i]];
      for (size_t d = 0; d < literals.size(); ++d) literals[d] = outcome.result.outputs[d][i];
    }
    for (const std::vector<Literal>& device : outcome.result.outputs)
      again = again || device.back().data<bool>()[0];
    if (!again) return true;
  }
  return true;
}

absl::Status PieceRunner::RunWhile(const Instruction& instruction, Values state,
                                   const std::string& where, int64_t trip) {
  const Computation& condition = *instruction.CalledComputation(Attr::kCondition);
  const Computation& body = *instruction.CalledComputation(Attr::kBody);
  const Instruction* in_condition = condition.parameters()[0];
  const Instruction* in_body = body.parameters()[0];
  for (const int64_t end = trip + kTripsMax; !HasEnoughWrongPieces(); ++trip) {
    std::string at = absl::StrCat(where, instruction.name(), ", trip ", trip, ": ");
    Values in_test, in_trip;
    for (const auto& [value, literals] : state) {
      in_test[{in_condition, value.index}] = literals;
      in_trip[{in_body, value.index}] = literals;
    }
    HLOCTS_RETURN_IF_ERROR(RunComputation(condition, in_test, at));
    std::optional<int64_t> again = Selector(*condition.root(), in_test);
    if (!again.has_value()) {
      Stop("loops with trip counts that differ between devices are not analysed");
      return absl::OkStatus();
    }
    if (*again == 0 || HasEnoughWrongPieces()) return absl::OkStatus();
    if (trip == end) {
      Stop(absl::StrCat(instruction.name(), ": iterations from ", end, " on are not analysed"));
      return absl::OkStatus();
    }
    HLOCTS_RETURN_IF_ERROR(RunComputation(body, in_trip, at));
    auto next = Arguments(body, {body.root()}, in_trip);
    if (!next) return absl::OkStatus();
    state = *std::move(next);
  }
  return absl::OkStatus();
}

absl::Status PieceRunner::RunInside(const Instruction& instruction, const Values& values,
                                    const std::string& where) {
  if (instruction.opcode() == Opcode::kConditional) return RunBranch(instruction, values, where);
  std::vector<const Instruction*> operands(instruction.operands().begin(),
                                           instruction.operands().end());
  const Computation* callee = instruction.opcode() == Opcode::kWhile
                                  ? instruction.CalledComputation(Attr::kBody)
                                  : instruction.called_computations()[0];
  std::optional<Values> arguments = Arguments(*callee, operands, values);
  if (!arguments) return absl::OkStatus();
  if (instruction.opcode() == Opcode::kWhile) {
    if (cut_.blocks) {
      HLOCTS_ASSIGN_OR_RETURN(const bool done, RunBlocks(instruction, *arguments, where));
      if (done) return absl::OkStatus();
    }
    return RunWhile(instruction, *std::move(arguments), where);
  }
  return RunComputation(*callee, *arguments, absl::StrCat(where, instruction.name(), ": "));
}

}  // namespace hlocts::backends
