#include "tools/bench/fuzz_bench.h"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "backends/backend_list.h"
#include "fuzz/campaign.h"
#include "fuzz/coverage.h"
#include "generators/decision_mutator.h"
#include "generators/op_generators.h"
#include "spec/infer/verifier.h"

namespace hlocts {
namespace {

double OwnSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Of the workers that this process has now.
double WorkerSeconds() {
  double ticks = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream children(task.path() / "children");
    for (std::string pid; children >> pid;) {
      std::ifstream stat(absl::StrCat("/proc/", pid, "/stat"));
      std::string word;
      for (int field = 1; field <= 15 && stat >> word; ++field) {
        if (field >= 14) ticks += std::stod(word);  // user, system
      }
    }
  }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

bool AsMeant(const Generated& generated) {
  absl::Status verified = VerifyModule(*generated.module);
  return generated.broken_rule.empty() ? verified.ok() : RuleOf(verified) == generated.broken_rule;
}

// Operations and types, and who reads whom.
class Reach {
 public:
  void Add(const Module& module) {
    AddCells(module, cells_);
    for (const auto& computation : module.computations()) {
      for (const auto& instruction : computation->instructions()) AddOne(*instruction);
    }
  }

  ReachRow Row(int64_t modules) const {
    constexpr int kNamed = 12;
    ReachRow row;
    row.modules = modules;
    row.cells = static_cast<int64_t>(cells_.size());
    int named = 0;
    for (Opcode opcode : GeneratedOpcodes()) {
      const OpRow& op = RowOf(opcode);
      if (op.weight == 0 || op.family == Family::kCollective) continue;  // one replica
      for (PrimitiveType type : AllPrimitiveTypes()) {
        if (!Contains(op.types, type)) continue;
        ++row.typed_legal;
        bool seen = typed_.count({opcode, type}) > 0;
        row.typed += seen;
        if (!seen && named++ < kNamed) absl::StrAppend(&row.typed_missing, " ", OpcodeName(opcode), "/", PrimitiveTypeName(type));
      }
    }
    row.pairs = static_cast<int64_t>(pairs_.size());
    row.pairs_possible = static_cast<int64_t>(producers_.size() * consumers_.size());
    return row;
  }
  int64_t cells() const { return static_cast<int64_t>(cells_.size()); }

 private:
  void AddOne(const Instruction& instruction) {
    const Shape& shape = instruction.operand_count() > 0 ? instruction.operand(0).shape() : instruction.shape();
    if (shape.IsArray()) typed_.insert({instruction.opcode(), shape.element_type()});
    for (const Instruction* operand : instruction.operands()) {
      bool carries = operand->opcode() == Opcode::kParameter || operand->opcode() == Opcode::kConstant;
      if (carries || !operand->shape().IsArray()) continue;
      pairs_.insert({operand->opcode(), instruction.opcode()});
      producers_.insert(operand->opcode());
      consumers_.insert(instruction.opcode());
    }
  }

  Cells cells_;
  std::set<std::pair<Opcode, PrimitiveType>> typed_;
  std::set<std::pair<Opcode, Opcode>> pairs_;
  std::set<Opcode> producers_, consumers_;
};

CampaignOptions OptionsOf(uint64_t seed) {
  CampaignOptions options;
  options.seed = seed;
  options.trial.cut = 4;
  return options;
}

// Decisions as many as a module of about ten instructions takes.
std::string FreshDecisions(SplitMix64& random) {
  std::string bytes(64 + random.Below(448), '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.Next());
  return bytes;
}

}  // namespace

RateRow BenchGenerate(uint64_t seed, double seconds, int64_t modules_max) {
  CampaignOptions options = OptionsOf(seed);
  RateRow row;
  int64_t instructions = 0;
  double start = OwnSeconds();
  while (row.modules < modules_max && row.seconds < seconds) {
    Generated generated = CampaignModule(options, row.modules++);
    row.valid += AsMeant(generated);
    instructions += CountInstructions(*generated.module);
    row.seconds = OwnSeconds() - start;
  }
  row.instructions_mean = static_cast<double>(instructions) / static_cast<double>(row.modules);
  return row;
}

absl::StatusOr<RateRow> BenchDifferential(const std::string& backend, uint64_t seed, double seconds) {
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<Backend> engine, MakeBackend(backend));
  if (!engine->info().available) return absl::UnavailableError(engine->info().reason);
  CampaignOptions options = OptionsOf(seed);
  RateRow row;
  int64_t instructions = 0, inconclusive = 0;
  double bits = 0, elements = 0;
  auto now = [] { return OwnSeconds() + WorkerSeconds(); };
  double start = now();
  while (row.seconds < seconds) {
    constexpr int kBetweenLooks = 16;  // at the clock
    for (int i = 0; i < kBetweenLooks; ++i) {
      Generated generated = CampaignModule(options, row.modules++);
      row.valid += AsMeant(generated);
      instructions += CountInstructions(*generated.module);
      Sample sample = {std::move(generated.module), std::move(generated.arguments)};
      TrialOptions trial = options.trial;
      trial.invalid = !generated.broken_rule.empty();
      Verdict verdict = RunTrial(sample, *engine, trial, false).verdict;
      inconclusive += verdict.kind == VerdictKind::kInconclusive;
      elements += static_cast<double>(verdict.elements);
      bits += verdict.bits_checked_mean * static_cast<double>(verdict.elements);
    }
    row.seconds = now() - start;
  }
  double modules = static_cast<double>(row.modules);
  row.instructions_mean = static_cast<double>(instructions) / modules;
  row.inconclusive_share = static_cast<double>(inconclusive) / modules;
  row.bits_checked_mean = elements > 0 ? bits / elements : 0;
  return row;
}

ReachRow BenchReach(uint64_t seed, double seconds, bool swarm) {
  CampaignOptions options = OptionsOf(seed);
  options.generator.swarm = swarm;
  Reach reach;
  int64_t modules = 0;
  for (double start = OwnSeconds(); OwnSeconds() - start < seconds;) {
    Generated generated = CampaignModule(options, modules++);
    if (AsMeant(generated)) reach.Add(*generated.module);
  }
  return reach.Row(modules);
}

GuidedRow BenchGuided(uint64_t seed, double seconds) {
  GuidedRow row;
  SplitMix64 random(seed);
  for (bool guided : {false, true}) {
    Reach reach;
    std::vector<std::string> corpus;
    int64_t mutated = 0, valid = 0;
    for (double start = OwnSeconds(); OwnSeconds() - start < seconds;) {
      constexpr uint64_t kFreshEvery = 8, kCrossEvery = 4;
      bool fresh = !guided || corpus.empty() || random.Below(kFreshEvery) == 0;
      std::string bytes;
      if (fresh) {
        bytes = FreshDecisions(random);
      } else {
        const std::string& one = corpus[random.Below(corpus.size())];
        const std::string& other = corpus[random.Below(corpus.size())];
        bytes = random.Below(kCrossEvery) == 0 ? CrossOverDecisions(one, other, 1024, random.Next())
                                               : MutateDecisions(one, 1024, random.Next());
      }
      Generated generated = GenerateFromBytes(bytes, {});
      bool is_valid = AsMeant(generated);
      mutated += !fresh, valid += !fresh && is_valid;
      if (!is_valid) continue;
      int64_t before = reach.cells();
      reach.Add(*generated.module);
      if (guided && reach.cells() > before) corpus.push_back(std::move(bytes));
    }
    (guided ? row.guided : row.unguided) = reach.cells();
    if (guided && mutated > 0) row.guided_valid = static_cast<double>(valid) / static_cast<double>(mutated);
  }
  return row;
}

}  // namespace hlocts
