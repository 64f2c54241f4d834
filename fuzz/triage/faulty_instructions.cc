// SPDX-License-Identifier: Apache-2.0
#include "fuzz/triage/faulty_instructions.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "backends/differ/blame.h"
#include "fuzz/triage/failure_signature.h"
#include "spec/infer/verifier.h"
#include "spec/ir/opcode.h"
#include "spec/ir/surgery.h"

namespace hlocts::fuzz {
namespace {

constexpr size_t kFaultyInstructionsMax = 8;

bool SameOnAllDevices(const backends::ExecuteRequest& request, size_t argument) {
  return std::all_of(request.arguments.begin(), request.arguments.end(), [&](const auto& leaves) {
    return leaves[argument].BitwiseEqual(request.arguments[0][argument]);
  });
}

// Replaces a parameter by an array whose elements are the device's number.
void PutDeviceNumber(Module& module, Instruction* parameter) {
  Computation* entry = module.entry();
  auto add = [&](Opcode opcode, Shape shape, std::vector<Instruction*> operands) {
    auto made = std::make_unique<Instruction>(
        absl::StrCat(parameter->name(), ".", OpcodeName(opcode)), opcode, std::move(shape));
    made->mutable_operands() = std::move(operands);
    return entry->Add(std::move(made));
  };
  const Opcode number = module.replica_count > 1 ? Opcode::kReplicaId : Opcode::kPartitionId;
  Instruction* id = add(number, Shape(PrimitiveType::kU32, {}), {});
  Instruction* one = add(Opcode::kConvert, Shape(parameter->shape().element_type(), {}), {id});
  Instruction* all = add(Opcode::kBroadcast, parameter->shape(), {one});
  all->Set(Attr::kDimensions, std::vector<int64_t>{});
  ReplaceUses(parameter, all);
  for (Instruction* made : {all, one, id}) MoveToFront(made);
}

// Converts a piece to a sample. A sample gives all devices the same arguments, so an argument that
// differs between devices is replaced by the device's number. Returns nullopt if there is an
// infeed, or if this replacement is not valid.
std::optional<Sample> SampleOf(backends::WrongPiece wrong) {
  backends::ExecuteRequest& request = wrong.request;
  if (!request.infeed.empty()) return std::nullopt;
  std::vector<Instruction*> parameters = wrong.module->entry()->parameters();
  bool differ = false;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (SameOnAllDevices(request, i)) continue;
    if (parameters[i]->shape().is_dynamic()) return std::nullopt;
    PutDeviceNumber(*wrong.module, parameters[i]);
    differ = true;
  }
  Sample sample = {std::move(wrong.module), std::move(request.arguments[0])};
  if (!differ) return sample;
  sample.module->entry_computation_layout.reset();
  RemoveDeadCode(sample);
  if (!VerifyModule(*sample.module).ok()) return std::nullopt;
  return sample;
}

// Returns a sample whose module returns this argument, or this constant of any computation.
Sample Returned(const Sample& sample, const Instruction& carrier) {
  Sample candidate = sample.Clone();
  Computation* entry = candidate.module->entry();
  if (carrier.parent() == sample.module->entry()) {
    entry->set_root(EntryInstruction(candidate, carrier.index()));
  } else {
    auto constant = std::make_unique<Instruction>(absl::StrCat("returned.", carrier.name()),
                                                  Opcode::kConstant, carrier.shape());
    constant->set_literal(carrier.literal());
    entry->set_root(entry->Add(std::move(constant)));
  }
  candidate.module->entry_computation_layout.reset();
  RemoveDeadCode(candidate);
  return candidate;
}

// Returns true for a value that may be wrong before any instruction uses it.
bool IsSource(const Instruction& instruction) {
  if (!instruction.shape().IsArray()) return false;
  if (instruction.has_literal()) return true;
  const Computation& entry = *instruction.parent()->parent()->entry();
  return instruction.parent() == &entry && entry.root() != &instruction &&
         (IsCarrier(instruction) || IsMadeOfConstants(instruction));
}

}  // namespace

bool IsMadeOfConstants(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  if (opcode == Opcode::kConstant) return true;
  return IsCheapOfConstants(opcode) &&
         std::all_of(instruction.operands().begin(), instruction.operands().end(),
                     [](const Instruction* operand) { return IsMadeOfConstants(*operand); });
}

std::vector<FaultyInstruction> FaultyInstructionsOf(const Sample& sample, backends::Backend& engine,
                                                    const TrialOptions& options) {
  std::vector<FaultyInstruction> faulty;
  if (options.invalid) return faulty;
  backends::DiffOptions diff{.profile = options.profile, .load = DevicesOf(sample, options)};
  const backends::ExecuteRequest request = sample.Request();
  auto pieces =
      backends::FindWrongPieces(*sample.module, request, diff, engine, kFaultyInstructionsMax);
  if (!pieces.ok()) return faulty;
  for (backends::WrongPiece& wrong : *pieces) {
    std::optional<Sample> piece = SampleOf(std::move(wrong));
    if (!piece) continue;
    Sample carrier = WrongSource(*piece, engine, options);
    if (carrier.module) piece = std::move(carrier);
    TrialResult alone = RunTrial(*piece, engine, options, false);
    if (!CountsAsFinding(alone.verdict.kind)) continue;
    faulty.push_back({*std::move(piece), std::move(alone)});
  }
  return faulty;
}

std::string ReplaceByHiddenPiece(Sample& sample, backends::Backend& engine,
                                 const TrialOptions& options) {
  if (options.invalid) return "";
  backends::DiffOptions diff{
      .profile = options.profile, .load = DevicesOf(sample, options), .cut = options.cut};
  diff.suspect = backends::DiffOptions::Suspect::kWhereWide;  // the setting of `hlocts diff`
  backends::WrongPiece hidden =
      backends::FindHiddenPiece(*sample.module, sample.Request(), diff, engine);
  if (hidden.module == nullptr) return "";
  const std::string name = hidden.name;
  std::optional<Sample> piece = SampleOf(std::move(hidden));
  TrialOptions uncut = options;
  uncut.cut = 0;
  if (!piece || !CountsAsFinding(RunTrial(*piece, engine, uncut, false).verdict.kind)) return "";
  sample = *std::move(piece);
  return name;
}

Sample WrongSource(const Sample& sample, backends::Backend& engine, const TrialOptions& options,
                   int* evaluations) {
  if (options.invalid || IsCarrier(*sample.module->entry()->root())) return {};
  for (const auto& computation : sample.module->computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (!IsSource(*instruction)) continue;
      Sample candidate = Returned(sample, *instruction);
      if (evaluations != nullptr) ++*evaluations;
      bool valid = VerifyModule(*candidate.module).ok();
      if (valid && RunTrial(candidate, engine, options, false).verdict.kind == Outcome::kFail)
        return candidate;
    }
  }
  return {};
}

}  // namespace hlocts::fuzz
