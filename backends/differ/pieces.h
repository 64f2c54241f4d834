// SPDX-License-Identifier: Apache-2.0
// Runs the pieces of a cut module on an engine and judges each as a separate module. A piece gets
// the bits that the engine itself computed in earlier pieces.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/differ/differ.h"
#include "reports/verdict.h"
#include "spec/cut/cut.h"

namespace hlocts::backends {

struct PieceRun {
  const Piece* piece = nullptr;
  ExecuteRequest request;
  reports::Verdict verdict;
  std::string where;  // "" in the entry, else "while.3, trip 2: "
};

struct CutCounts {
  int64_t pieces = 0;        // executions judged, and pieces that accepted outputs judge
  int64_t inconclusive = 0;  // those that are inconclusive
  int64_t probable = 0;      // inconclusive pieces that the tests of lemma 44 find probable
  int64_t by_terms = 0;      // probable pieces that pass by the test "terms"
  int64_t not_run = 0;       // pieces with missing inputs, or unsupported by the engine
  reports::VerdictStatistics checked;  // the sums over the pieces
  std::string stopped;                 // why cutting stopped: time, trips, ...
  std::string first_inconclusive;      // "while.3, trip 2: add.4", "" if there is none
  // The first piece that is improbable by the tests of lemma 44, and their result on it. If there
  // is none, the result on the tested piece with the largest deviation.
  std::string first_suspect;
  std::optional<reports::Statistical> statistical;
};

class PieceRunner {
 public:
  using Clock = std::chrono::steady_clock;
  // All references must outlive the runner, which stops at the first finding or at `deadline`.
  PieceRunner(const Module& module, const ExecuteRequest& request, const DiffOptions& options,
              Backend& backend, CutOptions cut, Clock::time_point deadline);

  // Uses outputs of the module ([device][leaf]), all of which `sets` (one per device) accept, to
  // avoid runs. A piece whose results are all outputs is not run if it reads only arguments, or if
  // the sets of these outputs have one value per element (RULES 3): the outputs already judge it.
  // The outputs must outlive the runner.
  void Accept(const std::vector<std::vector<Literal>>& outputs,
              absl::Span<const ModuleAcceptance> sets);
  // Returns the first wrong piece in the order of execution; a crash, a hang or a rejection also
  // makes a piece wrong. If a loop, branch or call is wrong, returns the first wrong piece inside
  // it. Returns null if none is wrong.
  absl::StatusOr<std::unique_ptr<PieceRun>> FindWrong();
  // Returns the first `most` wrong pieces, at most one per instruction. Pieces whose inputs come
  // from a wrong piece are included.
  absl::StatusOr<std::vector<std::unique_ptr<PieceRun>>> FindAllWrong(size_t most);
  // Runs one more piece of the entry computation on the values from FindWrong. Returns null if the
  // piece is not wrong, or needs a value that was not computed.
  absl::StatusOr<std::unique_ptr<PieceRun>> RunAlone(const Piece& piece);
  const CutCounts& counts() const { return counts_; }
  // Returns the number of pieces of the entry computation, known after FindWrong.
  size_t entry_pieces() const { return entry_pieces_; }

 private:
  using Values = std::map<CutValue, std::vector<Literal>>;  // per device
  absl::Status RunComputation(const Computation& computation, Values& values,
                              const std::string& where);
  bool IsAccepted(const Piece& piece) const;
  absl::Status RunPiece(const Piece& piece, Values& values, const std::string& where);
  absl::StatusOr<reports::Verdict> Judge(const Piece& piece, const ExecuteRequest& request,
                                         RunOutcome& outcome);
  // Cuts an inconclusive piece and judges the smaller pieces. Returns false if there are none.
  absl::StatusOr<bool> Refine(const Piece& piece, const ExecuteRequest& request,
                              const std::string& where);
  // Applies the tests of lemma 44 to an inconclusive piece that cannot be cut, and notes its name.
  void NoteInconclusive(const Piece& piece, const ExecuteRequest& request,
                        const RunOutcome& outcome, const std::string& where,
                        const reports::Verdict& verdict);
  std::optional<ExecuteRequest> RequestFor(const Piece& piece, const Values& values) const;
  absl::Status RunInside(const Instruction& instruction, const Values& values,
                         const std::string& where);
  absl::Status RunWhile(const Instruction& instruction, Values state, const std::string& where,
                        int64_t trip = 0);
  absl::StatusOr<Piece*> BlockOf(const Instruction& loop);
  // Returns false if the loop cannot be run in blocks.
  absl::StatusOr<bool> RunBlocks(const Instruction& loop, Values state, const std::string& where);
  absl::Status RunBranch(const Instruction& instruction, const Values& values,
                         const std::string& where);
  std::optional<Values> Arguments(const Computation& callee,
                                  const std::vector<const Instruction*>& operands,
                                  const Values& values) const;
  const std::vector<Literal>* Find(const Instruction& instruction, const ShapeIndex& index,
                                   const Values& values) const;
  std::optional<int64_t> Selector(const Instruction& selector, const Values& values) const;
  // Adds a verdict to the counts `times` times; -1 subtracts it.
  void Count(const reports::Verdict& verdict, int times = 1);
  void DeferToInnerPieces(const reports::Verdict& verdict, const CutCounts& before);
  bool Stop(const std::string& why);

  const Module& module_;
  const ExecuteRequest& request_;
  const DiffOptions options_;  // without tests of lemma 44
  const bool tests_;           // true to apply these tests to inconclusive pieces
  Backend& backend_;
  std::vector<std::string> facts_;
  CutOptions cut_;
  Clock::time_point deadline_;
  std::map<const Computation*, CutComputation> computations_;
  std::map<const Instruction*, Piece> blocks_;  // blocks of trips, by loop
  mutable std::map<const Instruction*, std::vector<Literal>> constants_;
  Values entry_values_;
  const std::vector<std::vector<Literal>>* accepted_ = nullptr;  // outputs of the module
  struct AcceptedLeaf {
    size_t leaf = 0;
    bool one_value = true;  // each element has one accepted value, on each device
  };
  std::map<CutValue, AcceptedLeaf> accepted_leaves_;
  bool HasEnoughWrongPieces() const { return wrong_.size() >= wrong_max_; }
  std::vector<std::unique_ptr<PieceRun>> wrong_;
  std::vector<std::unique_ptr<PieceRunner>> inner_;  // the runners that own pieces of wrong_
  size_t wrong_max_ = 1;
  CutCounts counts_;
  size_t entry_pieces_ = 0;
};

// A piece that is wrong in isolation, as a module with its arguments.
struct WrongPiece {
  std::unique_ptr<Module> module;
  ExecuteRequest request;
  std::string name = "";  // if the piece fails: its place and its instructions
};
// Returns at most `most` instructions that are wrong in isolation, with arguments that the engine
// itself computed. The search stops at the time limit of one module.
absl::StatusOr<std::vector<WrongPiece>> FindWrongPieces(const Module& module,
                                                        const ExecuteRequest& request,
                                                        const DiffOptions& options,
                                                        Backend& backend, size_t most);

// Returns true for fail, crash, timeout and rejected, which are faults of the engine.
bool IsFinding(Outcome kind);

}  // namespace hlocts::backends
