// SPDX-License-Identifier: Apache-2.0
// Generates valid modules with arguments, from the decisions of a ChoiceSource.
//
// Result shapes are drawn first, and attributes are derived from them. Operands are existing
// values, adapted ones (by convert, reshape or broadcast) or new ones. Loops count to a constant,
// so every module terminates. The facts about a value (ValueFacts) determine which operations a
// stream may apply to it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "generators/choice_source.h"
#include "generators/value_facts.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"
#include "spec/ops/op_table.h"

namespace hlocts::generators {

enum class Stream : uint8_t {
  kDefined,   // no NaN, infinity, overflow or operation outside of its domain: errors remain small
  kExact,     // small integers, and only operations that keep them exact: one result is correct
  kEdge,      // any operation on any value: special values, out-of-range indices, duplicate keys
  kSizes,     // like kDefined or kExact, with sizes near multiples of tiles and vectors
  kNegative,  // breaks one rule of the documents: an engine must reject the module
};
inline constexpr int kStreamCount = 5;
absl::string_view StreamName(Stream stream);
std::optional<Stream> StreamFromName(absl::string_view name);

// The relative frequencies of opcodes and element types; 0 excludes one.
struct DrawWeights {
  std::vector<int> opcodes = std::vector<int>(AllOpcodes().size());
  std::array<int, 64> types = {};
};
// Returns the opcode weights of spec/ops and, for types, their frequencies in programs.
const DrawWeights& PlainWeights();

struct GeneratorOptions {
  Stream stream = Stream::kDefined;
  // The mean number of instructions without parameters and constants; modules vary by up to 50 %.
  int instructions = 10;
  TypeSet types = ~TypeSet{0};  // allowed element types
  std::vector<Opcode> opcodes;  // empty: all opcodes that have a weight in spec/ops
  bool moves_only = false;      // only combinations of operations that move elements
  std::vector<int64_t> sizes;   // of dimensions, drawn equally often; empty: small sizes
  int64_t elements_max = 64;    // per array; the sizes stream has its own sizes and maximum
  int nesting = 2;              // maximum depth of called computations
  bool swarm = true;            // each module draws its own subset of operations, types and sizes
  // Allows operations whose results are judged as a whole and may only be returned: rng, fft, ...
  bool joint_operations = true;
  int64_t replicas_max = 1;                    // above 1: collectives
  bool dynamic_parameters = true;              // false: only intermediate values have dynamic sizes
  std::shared_ptr<const DrawWeights> weights;  // nullptr: PlainWeights()
};

struct Generated {
  std::unique_ptr<Module> module;
  std::vector<Literal> arguments;  // leaves of the entry's parameters
  std::vector<ValueFacts> facts;   // the generator's facts about each leaf
  Stream stream = Stream::kDefined;
  std::string broken_rule;  // in the negative stream: the rule that the verifier must report
};

// Generates a module. The same decisions give the same module on every machine.
Generated Generate(ChoiceSource& choose, const GeneratorOptions& options);

// Generates module `number` of the campaign with this seed, with a random stream.
Generated GenerateNumbered(uint64_t seed, uint64_t number, GeneratorOptions options);

}  // namespace hlocts::generators
