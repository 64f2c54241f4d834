// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "spec/text/module_reader.h"

namespace hlocts {
namespace {

bool SameSizes(const Shape& a, const Shape& b) {
  return a.WithStaticDimensions().CompatibleWith(b.WithStaticDimensions());
}

}  // namespace

absl::StatusOr<std::unique_ptr<Module>> ModuleReader::Read() {
  module_ = std::make_unique<Module>("_");
  if (!ReadModule() || !Finish()) return in.status();
  return std::move(module_);
}

// Returns true if an instruction, "name = ...", follows. Anything else is a computation.
bool ModuleReader::InstructionAhead() {
  const char* start = in.Here();
  if (in.TryWord("ENTRY")) return in.GoTo(start), false;
  absl::string_view name;
  bool ahead = in.TryWord("ROOT") ||
               (in.Name(&name, "HloModule, a computation or an instruction") && in.Try('='));
  in.GoTo(start);
  return ahead;
}

bool ModuleReader::ReadModule() {
  bool header = in.TryWord("HloModule");
  if (header && !ReadHeader()) return false;
  if (!header && InstructionAhead()) return ReadBareInstructions();
  if (in.failed()) return false;
  while (!in.AtEnd()) {
    if (!ReadComputation()) return false;
  }
  has_no_header_ = !header;
  return true;
}

// Reads XLA's form for a single instruction, in which undefined operands are parameters.
bool ModuleReader::ReadBareInstructions() {
  const char* start = in.Here();
  Computation* computation = Synthesize("_");
  module_->set_entry(computation);
  module_->is_scheduled = true;
  Scope scope(computation);
  scope.undefined_become_parameters = true;
  while (!in.AtEnd()) {
    if (!ReadInstruction(scope)) return false;
  }
  NameUnnamed(scope);
  if (computation->root() == nullptr) {
    computation->set_root(computation->instructions().back().get());
  }
  return CheckParameterNumbers(*computation, start);
}

Computation* ModuleReader::Synthesize(absl::string_view stem) {
  synthesized_.push_back(module_->Add(std::make_unique<Computation>(std::string(stem))));
  return synthesized_.back();
}

// Is called last, so that generated names do not collide with names in the text.
void ModuleReader::NameSynthesized() {
  absl::flat_hash_map<std::string, int64_t> next_suffix;
  for (Computation* computation : synthesized_) {
    std::string stem = computation->name();
    int64_t& suffix = next_suffix[stem];
    while (!computations_.emplace(computation->name(), computation).second) {
      computation->set_name(absl::StrCat(stem, ".", ++suffix));
    }
  }
}

bool ModuleReader::ReadInlineComputation(std::unique_ptr<Computation>* computation) {
  *computation = std::make_unique<Computation>("_");
  Scope scope(computation->get());
  if (!in.Enter() || !ReadBody(scope)) return false;
  in.Leave();
  const char* comma = in.Here();
  if (in.Try(',') && in.TryWord("execution_thread")) {
    return in.Expect('=') && in.QuotedString(&(*computation)->execution_thread);
  }
  in.GoTo(comma);
  return true;
}

bool ModuleReader::SkipInlineComputation() {
  size_t kept = synthesized_.size();
  std::unique_ptr<Computation> forgotten;
  if (in.Peek() != '{') return in.Expected("an inline computation");
  if (!ReadInlineComputation(&forgotten)) return false;
  absl::flat_hash_set<const Computation*> inner(synthesized_.begin() + kept, synthesized_.end());
  synthesized_.resize(kept);
  module_->RemoveIf([&](const Computation& c) { return inner.contains(&c); });
  return true;
}

bool ModuleReader::ReadComputationName(Computation** computation) {
  if (in.Peek() == '{') {  // an inline computation instead of a name
    std::unique_ptr<Computation> inlined;
    if (!ReadInlineComputation(&inlined)) return false;
    synthesized_.push_back(module_->Add(std::move(inlined)));
    *computation = synthesized_.back();
    return true;
  }
  const char* where = in.Here();
  absl::string_view name;
  if (!in.Name(&name, "the name of a computation")) return false;
  auto found = computations_.find(name);
  if (found != computations_.end()) {
    *computation = found->second;
    return true;
  }
  Pending& pending = pending_[std::string(name)];
  if (pending.computation == nullptr) {
    pending = {std::make_unique<Computation>(std::string(name)), where};
  }
  *computation = pending.computation.get();
  return true;
}

bool ModuleReader::ReadComputation() {
  const char* start = in.Here();
  bool entry = in.TryWord("ENTRY");
  const char* where = in.Here();
  absl::string_view name;
  if (!in.Name(&name, "ENTRY or the name of a computation")) return false;
  if (entry && module_->entry() != nullptr) {
    return in.FailAt(start, "text.name", "expected one ENTRY, found a second");
  }
  Shape result;
  bool has_signature = in.Peek() == '(';
  const char* signature = in.Here();
  if (has_signature && !ReadSignature(&result)) return false;
  // Added after its body, so that the computations that it calls or synthesizes precede it.
  auto pending = pending_.find(name);
  std::unique_ptr<Computation> computation = pending != pending_.end()
                                                 ? std::move(pending->second.computation)
                                                 : std::make_unique<Computation>(std::string(name));
  if (pending != pending_.end()) pending_.erase(pending);
  if (!computations_.emplace(std::string(name), computation.get()).second) {
    return in.FailAt(where, "text.name",
                     absl::StrCat("expected a new name, found the computation ", name, " again"));
  }
  Scope scope(computation.get());
  if (!ReadBody(scope) || !ReadComputationAttributes(computation.get())) return false;
  if (has_signature && !SameSizes(result, computation->root()->shape())) {
    return in.FailAt(
        signature, "text.shape",
        absl::StrCat("expected the shape of the root, ", computation->root()->shape().ToString(),
                     ", after '->', found ", result.ToString()));
  }
  if (entry) module_->set_entry(computation.get());
  module_->Add(std::move(computation));
  return true;
}

bool ModuleReader::ReadSignature(Shape* result) {
  return ReadList(in, '(', ')',
                  [&] {
                    absl::string_view name;
                    Shape shape;
                    return in.Name(&name, "the name of a parameter") && in.Expect(':') &&
                           ReadShape(in, &shape);
                  }) &&
         in.Expect("->") && ReadShape(in, result);
}

bool ModuleReader::ReadBody(Scope& scope) {
  const char* start = in.Here();
  if (!in.Expect('{')) return false;
  while (!in.Try('}')) {
    if (!ReadInstruction(scope)) return false;
  }
  NameUnnamed(scope);
  Computation* computation = scope.computation;
  if (computation->instructions().empty()) {
    return in.FailAt(start, "text.syntax", "expected instructions, found an empty computation");
  }
  // Without a ROOT, the last instruction is the root.
  if (computation->root() == nullptr) {
    computation->set_root(computation->instructions().back().get());
  }
  return CheckParameterNumbers(*computation, start);
}

// Checks that parameters are numbered 0, 1, ... and occur once, which a program shape requires.
bool ModuleReader::CheckParameterNumbers(const Computation& computation, const char* where) {
  int64_t count = 0;
  for (const auto& instruction : computation.instructions()) {
    count += instruction->IsParameter();
  }
  std::vector<Instruction*> parameters = computation.parameters();
  bool dense = static_cast<int64_t>(parameters.size()) == count &&
               std::find(parameters.begin(), parameters.end(), nullptr) == parameters.end();
  return dense || in.FailAt(where, "text.name",
                            absl::StrCat("expected parameters numbered 0 to ", count - 1,
                                         ", each once, in ", computation.name()));
}

bool ModuleReader::ReadComputationAttributes(Computation* computation) {
  while (in.Try(',')) {
    const char* where = in.Here();
    absl::string_view name;
    if (!in.Identifier(&name, "an attribute of the computation") || !in.Expect('=')) return false;
    if (name == "execution_thread") {
      if (!in.QuotedString(&computation->execution_thread)) return false;
      continue;
    }
    StringMap map;
    const char* value = in.Here();
    if (name != "frontend_attributes" || !ReadStringMap(in, &map)) {
      return in.FailAt(
          where, "text.attribute",
          absl::StrCat("expected execution_thread or frontend_attributes, found ", name));
    }
    computation->extra_attributes.emplace_back(std::string(name),
                                               std::string(value, in.raw_position() - value));
  }
  return true;
}

bool ModuleReader::Finish() {
  if (!pending_.empty()) {
    const auto* first = &*pending_.begin();
    for (const auto& entry : pending_) {
      if (entry.second.where < first->second.where) first = &entry;
    }
    return in.FailAt(first->second.where, "text.name",
                     absl::StrCat("expected the name of a computation, found ", first->first,
                                  ", which is not defined"));
  }
  NameSynthesized();
  if (module_->computations().empty()) return in.Expected("a computation");
  // Without an ENTRY, the last computation is the entry, as in XLA.
  if (module_->entry() == nullptr) module_->set_entry(module_->computations().back().get());
  if (has_no_header_) module_->set_name(absl::StrCat("module_", module_->entry()->name()));
  return true;
}

}  // namespace hlocts
