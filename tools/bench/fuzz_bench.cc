// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/fuzz_bench.h"

#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/backend_list.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/coverage.h"
#include "generators/decision_mutator.h"
#include "generators/op_generators.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "spec/ir/surgery.h"
#include "tools/bench/processor_time.h"

namespace hlocts::tools {
namespace {

bool AsMeant(const generators::Generated& generated) {
  absl::Status verified = VerifyModule(*generated.module);
  return generated.broken_rule.empty() ? verified.ok() : RuleOf(verified) == generated.broken_rule;
}

// The operations and types that occurred in modules, and the pairs of producer and consumer.
class Reach {
 public:
  void Add(const Module& module) {
    fuzz::AddCells(module, cells_);
    for (const auto& computation : module.computations()) {
      for (const auto& instruction : computation->instructions()) AddOne(*instruction);
    }
  }

  ReachRow Row(int64_t modules) const {
    ReachRow row{.modules = modules, .cells = static_cast<int64_t>(cells_.size())};
    CountTyped(row);
    CountPairs(row);
    return row;
  }

 private:
  void CountTyped(ReachRow& row) const {
    for (Opcode opcode : generators::GeneratedOpcodes()) {
      const OpRow& op = RowOf(opcode);
      if (op.weight == 0 || op.family == Family::kCollective) continue;  // it needs replicas
      for (PrimitiveType type : AllPrimitiveTypes()) {
        if (!Contains(generators::GeneratedTypes(opcode), type)) continue;
        ++row.typed_legal;
        bool seen = typed_.count({opcode, type}) > 0;
        row.typed += seen;
        if (!seen)
          absl::StrAppend(&row.typed_missing, " ", OpcodeName(opcode), "/",
                          PrimitiveTypeName(type));
      }
    }
  }
  // Counts pairs of a producer and a consumer. A pair is possible if an operand of the consumer has
  // had a type that the producer has returned.
  void CountPairs(ReachRow& row) const {
    for (const auto& [producer, made] : made_) {
      std::string missing;
      for (const auto& [consumer, taken] : taken_) {
        if ((made & taken) == 0) continue;
        ++row.pairs_possible;
        bool seen = pairs_.count({producer, consumer}) > 0;
        row.pairs += seen;
        if (!seen) absl::StrAppend(&missing, missing.empty() ? "" : ",", OpcodeName(consumer));
      }
      if (!missing.empty())
        absl::StrAppend(&row.pairs_missing, " ", OpcodeName(producer), ":", missing);
    }
  }
  // Returns the shape that determines the type of an instruction. For a random operation this is
  // the shape of the drawn numbers, not that of an operand.
  static const Shape& TypedShape(const Instruction& instruction) {
    const Shape& shape = instruction.shape();
    bool drawn = RowOf(instruction.opcode()).family == Family::kRandom;
    if (drawn) return shape.IsTuple() ? shape.tuple_shapes().back() : shape;
    return instruction.operand_count() > 0 ? instruction.operand(0).shape() : shape;
  }
  void AddOne(const Instruction& instruction) {
    const Shape& shape = TypedShape(instruction);
    if (shape.IsArray()) typed_.insert({instruction.opcode(), shape.element_type()});
    for (const Instruction* operand : instruction.operands()) {
      if (!operand->shape().IsArray()) continue;
      const TypeSet type = TypeBit(operand->shape().element_type());
      taken_[instruction.opcode()] |= type;
      if (IsCarrier(*operand)) continue;
      made_[operand->opcode()] |= type;
      pairs_.insert({operand->opcode(), instruction.opcode()});
    }
  }

  fuzz::Cells cells_;
  std::set<std::pair<Opcode, PrimitiveType>> typed_;
  std::set<std::pair<Opcode, Opcode>> pairs_;
  std::map<Opcode, TypeSet> made_, taken_;  // types of results; types of operands
};

fuzz::CampaignOptions OptionsOf(uint64_t seed) {
  fuzz::CampaignOptions options;
  options.seed = seed;
  options.trial.cut = 4;
  return options;
}

// Returns random decisions, enough for a module of about ten instructions.
std::string FreshDecisions(generators::SplitMix64& random) {
  std::string bytes(64 + random.Below(448), '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.Next());
  return bytes;
}

}  // namespace

RateRow BenchGenerate(uint64_t seed, double seconds, int64_t modules_max) {
  fuzz::CampaignOptions options = OptionsOf(seed);
  RateRow row;
  int64_t instructions = 0;
  double start = OwnSeconds();
  while (row.modules < modules_max && row.seconds < seconds) {
    generators::Generated generated = fuzz::CampaignModule(options, row.modules++);
    row.valid += AsMeant(generated);
    instructions += fuzz::CountInstructions(*generated.module);
    constexpr int kBetweenLooks = 16;  // modules between two checks of the clock
    const bool look = row.modules % kBetweenLooks == 0 || row.modules == modules_max;
    if (look) row.seconds = OwnSeconds() - start;
  }
  row.instructions_mean = static_cast<double>(instructions) / static_cast<double>(row.modules);
  return row;
}

absl::StatusOr<RateRow> BenchDifferential(const std::string& backend, uint64_t seed,
                                          double seconds) {
  const OnOneCore on_one_core;
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<backends::Backend> engine,
                          backends::MakeBackend(backend));
  if (!engine->info().available) return absl::UnavailableError(engine->info().error.Text());
  fuzz::CampaignOptions options = OptionsOf(seed);
  RateRow row;
  int64_t instructions = 0, inconclusive = 0;
  double bits = 0, elements = 0;
  auto now = [] { return OwnSeconds() + WorkerSeconds(); };
  double start = now();
  while (row.seconds < seconds) {
    constexpr int kBetweenLooks = 16;  // modules between two checks of the clock
    for (int i = 0; i < kBetweenLooks; ++i) {
      generators::Generated generated = fuzz::CampaignModule(options, row.modules++);
      row.valid += AsMeant(generated);
      instructions += fuzz::CountInstructions(*generated.module);
      fuzz::Sample sample = {std::move(generated.module), std::move(generated.arguments)};
      fuzz::TrialOptions trial = options.trial;
      trial.invalid = !generated.broken_rule.empty();
      reports::Verdict verdict = fuzz::RunTrial(sample, *engine, trial, false).verdict;
      inconclusive += IsInconclusive(verdict.kind);
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

std::vector<ReachRow> BenchReach(uint64_t seed, const std::vector<double>& marks) {
  fuzz::CampaignOptions options = OptionsOf(seed);
  Reach reach;
  std::vector<ReachRow> rows;
  int64_t modules = 0;
  const double start = OwnSeconds();
  for (double mark : marks) {
    while (OwnSeconds() - start < mark) {
      generators::Generated generated = fuzz::CampaignModule(options, modules++);
      if (generated.broken_rule.empty() && AsMeant(generated)) reach.Add(*generated.module);
    }
    rows.push_back(reach.Row(modules));
  }
  return rows;
}

namespace {

// A method of generating modules, and the time that it has used.
class Arm {
 public:
  Arm(uint64_t seed, bool swarm, bool guided) : options_(OptionsOf(seed)) {
    options_.generator.swarm = swarm;
    if (guided) guide_ = std::make_unique<fuzz::Guide>(options_);
  }

  // Runs for a short time: other load on the machine then affects all methods equally.
  void TakeTurn() {
    constexpr int kModules = 500;
    const double start = OwnSeconds();
    for (int i = 0; i < kModules; ++i) {
      generators::Generated made =
          guide_ ? guide_->Make(number_++) : fuzz::CampaignModule(options_, number_++);
      bool counts = AsMeant(made) && made.broken_rule.empty() && !guide_;
      if (counts) fuzz::AddCells(*made.module, cells_);
    }
    seconds_ += OwnSeconds() - start;
  }
  double seconds() const { return seconds_; }
  int64_t cells() { return guide_ ? guide_->cells() : static_cast<int64_t>(cells_.size()); }

 private:
  fuzz::CampaignOptions options_;
  std::unique_ptr<fuzz::Guide> guide_;
  fuzz::Cells cells_;
  int64_t number_ = 0;
  double seconds_ = 0;
};

}  // namespace

void BenchArms(uint64_t seed, const std::vector<double>& marks,
               const std::function<void(const ArmsRow&)>& at_mark) {
  Arm swarm(seed, true, false), fixed(seed, false, false), guided(seed, true, true);
  for (double mark : marks) {
    bool running = true;
    while (std::exchange(running, false)) {
      for (Arm* arm : {&swarm, &fixed, &guided}) {
        if (arm->seconds() >= mark) continue;
        arm->TakeTurn();
        running = true;
      }
    }
    at_mark({mark, swarm.cells(), fixed.cells(), guided.cells()});
  }
}

double BenchMutatedValid(uint64_t seed, double seconds) {
  constexpr uint64_t kCrossEvery = 4;
  constexpr size_t kCorpusMax = 4096;
  generators::SplitMix64 random(seed);
  std::vector<std::string> corpus = {FreshDecisions(random)};
  int64_t mutated = 0, valid = 0;
  for (double start = OwnSeconds(); OwnSeconds() - start < seconds; ++mutated) {
    const std::string& one = corpus[random.Below(corpus.size())];
    const std::string& other = corpus[random.Below(corpus.size())];
    std::string bytes = random.Below(kCrossEvery) == 0
                            ? generators::CrossOverDecisions(one, other, 1024, random.Next())
                            : generators::MutateDecisions(one, 1024, random.Next());
    valid += AsMeant(generators::GenerateFromBytes(bytes, {}));
    bool keep = corpus.size() < kCorpusMax;
    std::string next = random.Below(8) == 0 ? FreshDecisions(random) : std::move(bytes);
    if (keep) corpus.push_back(std::move(next));
    if (!keep) corpus[random.Below(kCorpusMax)] = std::move(next);
  }
  return static_cast<double>(valid) / static_cast<double>(std::max<int64_t>(mutated, 1));
}

// Measures the work that a campaign does in addition to the engine's worker: generating, verifying,
// sending modules and results, evaluating, judging.

absl::StatusOr<HarnessRow> BenchHarness(const std::string& backend, uint64_t seed,
                                        int64_t modules) {
  HLOCTS_ASSIGN_OR_RETURN(std::unique_ptr<backends::Backend> worker,
                          backends::MakeBackend(backend));
  if (!worker->info().available) return absl::UnavailableError(worker->info().error.Text());
  fuzz::CampaignOptions options;
  options.seed = seed;
  HarnessRow row;
  for (int64_t number = 0; row.modules < modules; ++number) {
    const double own = OwnSeconds(), others = WorkerSeconds();
    generators::Generated generated = fuzz::CampaignModule(options, number);
    if (!generated.broken_rule.empty() || !VerifyModule(*generated.module).ok()) continue;
    const fuzz::Sample sample = {std::move(generated.module), std::move(generated.arguments)};
    const Outcome kind = fuzz::RunTrial(sample, *worker, options.trial, false).verdict.kind;
    // The time of a killed worker is lost, and rejecting a module costs almost nothing.
    if (kind != Outcome::kPass) continue;
    row.own_seconds += OwnSeconds() - own;
    row.worker_seconds += WorkerSeconds() - others;
    ++row.modules;
  }
  return row;
}

}  // namespace hlocts::tools
