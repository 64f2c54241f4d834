// SPDX-License-Identifier: Apache-2.0
// Modules that are valid by construction, with arguments for them, out of a ChoiceSource.
//
// Result shapes are drawn first and attributes solved to them; operands are taken from the values
// at hand, adapted (convert, reshape, broadcast) or made. Loops count to a constant, so every
// module ends. What is known about each value (ValueFacts) decides what a stream may do with it.
#ifndef HLOCTS_GENERATORS_MODULE_GENERATOR_H_
#define HLOCTS_GENERATORS_MODULE_GENERATOR_H_

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
  kDefined,  // no NaN, no infinity, no overflow, no promise broken: errors stay small
  kExact,    // small integers, and only operations that keep them exact: one bit pattern is right
  kEdge,     // any operation on any value: special values, indices out of range, duplicate keys
  kSizes,    // as defined or as exact, with sizes at the boundaries of tiles, vectors and libraries
  kNegative,  // one rule of the documents is broken: everybody must refuse
};
inline constexpr int kStreamCount = 5;
absl::string_view StreamName(Stream stream);
std::optional<Stream> StreamFromName(absl::string_view name);

// The relative frequency of an opcode or an element type; 0: never.
struct DrawWeights {
  std::vector<int> opcodes = std::vector<int>(AllOpcodes().size());
  std::array<int, 64> types = {};
};
// The weights of spec/ops, and of types as programs have them.
const DrawWeights& PlainWeights();

struct GeneratorOptions {
  Stream stream = Stream::kDefined;
  // Aimed at; parameters and constants do not count. A module's own aim varies by half of it.
  int instructions = 10;
  TypeSet types = ~TypeSet{0};  // element types that may occur
  std::vector<Opcode> opcodes;  // empty: all with a weight in spec/ops
  int64_t elements_max = 64;    // of one array; the stream of sizes has its own bound
  int nesting = 2;              // computations within computations
  bool swarm = true;            // each module draws its own subset of operations, types, sizes
  // Values whose set is a distribution or a residual: rng, fft, cholesky, ...; outputs only.
  bool joint_operations = true;
  int64_t replicas_max = 1;        // above 1: collectives
  bool dynamic_parameters = true;  // of the entry; else dynamic sizes are set inside only
  std::shared_ptr<const DrawWeights> weights;  // nullptr: the plain ones
};

struct Generated {
  std::unique_ptr<Module> module;
  std::vector<Literal> arguments;  // leaves of the entry's parameters
  std::vector<ValueFacts> facts;   // the generator's facts about each leaf
  Stream stream = Stream::kDefined;
  std::string broken_rule;  // the negative stream: what the verifier must say
};

// The same decisions make the same module on every machine.
Generated Generate(ChoiceSource& choose, const GeneratorOptions& options);

// Module `number` of the campaign with that seed: its stream is drawn as well.
Generated GenerateNumbered(uint64_t seed, uint64_t number, GeneratorOptions options);

}  // namespace hlocts::generators

#endif  // HLOCTS_GENERATORS_MODULE_GENERATOR_H_
