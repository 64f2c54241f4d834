// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "spec/infer/rules.h"
#include "spec/infer/verifier_parts.h"
#include "spec/ops/groups.h"
#include "spec/ops/kinds.h"
#include "spec/ops/op_table.h"

namespace hlocts {
namespace {

// A start and the two opcodes that its only user may have. The user is a tuple in a pipelined loop,
// in which the done is in the next iteration.
struct PairRow {
  Opcode start;
  Opcode user;
  Opcode other_user;
  absl::string_view rule;
};
constexpr PairRow kPairs[] = {
    {Opcode::kAsyncStart, Opcode::kAsyncDone, Opcode::kAsyncUpdate, "hlo.async"},
    {Opcode::kAsyncUpdate, Opcode::kAsyncDone, Opcode::kAsyncUpdate, "hlo.async"},
    {Opcode::kCopyStart, Opcode::kCopyDone, Opcode::kCopyDone, "hlo.async"},
    {Opcode::kAllGatherStart, Opcode::kAllGatherDone, Opcode::kAllGatherDone, "hlo.async"},
    {Opcode::kAllReduceStart, Opcode::kAllReduceDone, Opcode::kAllReduceDone, "hlo.async"},
    {Opcode::kCollectivePermuteStart, Opcode::kCollectivePermuteDone,
     Opcode::kCollectivePermuteDone, "hlo.async"},
    {Opcode::kSend, Opcode::kSendDone, Opcode::kTuple, "send.11"},
    {Opcode::kRecv, Opcode::kRecvDone, Opcode::kTuple, "recv.12"},
};

const PairRow* PairOf(Opcode opcode) {
  static const auto* const kTable = [] {
    auto* table = new std::array<const PairRow*, kOpcodeCount>{};
    for (const PairRow& row : kPairs) (*table)[static_cast<size_t>(row.start)] = &row;
    return table;
  }();
  return (*kTable)[static_cast<size_t>(opcode)];
}

struct Users {
  int64_t count = 0;
  const Instruction* last = nullptr;
};

absl::Status CheckUsers(const PairRow& row, const Users& users) {
  HLOCTS_EXPECT(users.count == 1, row.rule, absl::StrCat("one user, a ", OpcodeName(row.user)),
                absl::StrCat(users.count));
  Opcode opcode = users.last->opcode();
  HLOCTS_EXPECT(opcode == row.user || opcode == row.other_user, row.rule,
                absl::StrCat("a ", OpcodeName(row.user), " as the user"), NameOf(*users.last));
  return absl::OkStatus();
}

absl::Status CheckPairs(const Computation& computation) {
  absl::flat_hash_map<const Instruction*, Users> users;
  for (const auto& instruction : computation.instructions()) {
    if (PairOf(instruction->opcode())) users[instruction.get()];
  }
  if (users.empty()) return absl::OkStatus();
  for (const auto& instruction : computation.instructions()) {
    for (const Instruction* operand : instruction->operands()) {
      auto found = users.find(operand);
      if (found == users.end() || found->second.last == instruction.get()) continue;
      ++found->second.count;
      found->second.last = instruction.get();
    }
  }
  for (const auto& instruction : computation.instructions()) {
    const PairRow* row = PairOf(instruction->opcode());
    if (!row) continue;
    absl::Status status = CheckUsers(*row, users[instruction.get()]);
    if (!status.ok()) return Named(status, *instruction);
  }
  return absl::OkStatus();
}

// Checks that each infeed depends on the preceding infeed, through operands or control predecessors
// (infeed.7, ruling 0066). Instructions follow their dependences in the text, so if there is a
// total order, it is the order of the text.
absl::Status CheckInfeedOrder(const Computation& computation) {
  auto is_infeed = [](const auto& one) { return one->opcode() == Opcode::kInfeed; };
  if (absl::c_none_of(computation.instructions(), is_infeed)) return absl::OkStatus();
  std::vector<int64_t> latest(computation.instructions().size(), 0);  // number of preceding infeeds
  int64_t infeeds = 0;
  const Instruction* previous = nullptr;
  for (const auto& instruction : computation.instructions()) {
    int64_t& passed = latest[instruction->index()];
    for (const Instruction* operand : instruction->operands()) {
      passed = std::max(passed, latest[operand->index()]);
    }
    using Instructions = std::vector<Instruction*>;
    if (auto* before = instruction->Get<Instructions>(Attr::kControlPredecessors)) {
      for (const Instruction* one : *before) passed = std::max(passed, latest[one->index()]);
    }
    if (instruction->opcode() != Opcode::kInfeed) continue;
    if (passed != infeeds) {
      return Named(Broken("infeed.7", absl::StrCat("an infeed ordered after %", previous->name()),
                          "no dependence between them"),
                   *instruction);
    }
    passed = ++infeeds;
    previous = instruction.get();
  }
  return absl::OkStatus();
}

// Checks that called computations run on the caller's thread, or on the thread of the async-start.
absl::Status CheckThreads(const Instruction& instruction) {
  if (RowOf(instruction.opcode()).family == Family::kAsync) {
    if (instruction.opcode() != Opcode::kAsyncStart) return absl::OkStatus();
    const std::string* stated = instruction.Get<std::string>(Attr::kAsyncExecutionThread);
    const Computation* called = instruction.CalledComputation(Attr::kCalls);
    HLOCTS_EXPECT(!stated || called->execution_thread == *stated, "hlo.execution_thread",
                  absl::StrCat("%", called->name(), " on thread ", stated ? *stated : ""),
                  called->execution_thread);
    return absl::OkStatus();
  }
  const std::string& thread = instruction.parent()->execution_thread;
  for (const Computation* called : instruction.called_computations()) {
    HLOCTS_EXPECT(called->execution_thread == thread, "hlo.execution_thread",
                  absl::StrCat("%", called->name(), " on thread ", thread),
                  called->execution_thread);
  }
  return absl::OkStatus();
}

// The users of each channel: any number of collectives (ruling 0131), or at most one send, one
// recv, one send-done and one recv-done.
class Channels {
 public:
  absl::Status Add(const Instruction& instruction) {
    const int64_t* id = instruction.Get<int64_t>(Attr::kChannelId);
    if (!id || *id <= 0) return absl::OkStatus();  // 0 means no channel
    std::vector<const Instruction*>& users = users_[*id];
    for (const Instruction* other : users) {
      const Opcode mine = ops::SynchronousOpcode(instruction.opcode());
      const Opcode theirs = ops::SynchronousOpcode(other->opcode());
      const bool is_step = ops::IsChannelStep(mine);
      HLOCTS_EXPECT(
          is_step == ops::IsChannelStep(theirs), "hlo.channel_id",
          absl::StrCat("channel ", *id, " used by collectives only, or by send and recv only"),
          NameOf(*other));
      HLOCTS_EXPECT(!is_step || mine != theirs, "send.3",
                    absl::StrCat("only one ", OpcodeName(mine), " on channel ", *id),
                    NameOf(*other));
    }
    // Collectives may share a channel, so recording one of them is enough.
    if (users.empty() || ops::IsChannelStep(instruction.opcode())) users.push_back(&instruction);
    return absl::OkStatus();
  }

 private:
  absl::flat_hash_map<int64_t, std::vector<const Instruction*>> users_;
};

}  // namespace

absl::Status VerifyInteraction(const Module& module) {
  Channels channels;
  for (const auto& computation : module.computations()) {
    HLOCTS_RETURN_IF_ERROR(CheckPairs(*computation));
    HLOCTS_RETURN_IF_ERROR(CheckInfeedOrder(*computation));
    for (const auto& instruction : computation->instructions()) {
      absl::Status status = CheckThreads(*instruction);
      if (status.ok()) status = channels.Add(*instruction);
      if (!status.ok()) return Named(status, *instruction);
    }
  }
  return absl::OkStatus();
}

}  // namespace hlocts
