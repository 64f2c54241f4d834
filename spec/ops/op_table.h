// SPDX-License-Identifier: Apache-2.0
// A table with one row per opcode, which has all properties of the opcode as data. The parser reads
// the attributes and the arity, the verifier the types, the generator the weight, the judge the
// accuracy rule, and the coverage matrix the documented name. Rows do not name evaluators or
// engines, because spec must not depend on their directories.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/ir/opcode_fwd.h"
#include "spec/ir/primitive_type.h"

namespace hlocts {

enum class AttributeKind : uint8_t;  // spec/ir/attributes.h

enum class Family : uint8_t {
  kLeaf,               // parameter, constant, iota and other sources without operands
  kElementwiseUnary,   // one operand, element by element
  kElementwiseBinary,  // two operands of the same shape
  kElementwiseOther,   // clamp, select, convert, compare, ...
  kMovement,           // moves elements without changing them
  kContraction,        // dot, convolution
  kReduction,          // reduce, reduce-window, select-and-scatter, map, scan
  kOrdering,           // sort, topk
  kIndexing,           // gather, scatter, dynamic-slice, dynamic-update-slice
  kLinearAlgebra,      // cholesky, triangular-solve, fft
  kNormalization,      // batch-norm-*
  kRandom,
  kTuple,
  kControlFlow,  // call, while, conditional, fusion, custom-call, opt-barrier
  kCollective,
  kChannel,  // send, recv, infeed, outfeed, after-all
  kAsync,    // *-start, *-update, *-done
  kDynamicSize,
};

// The kind of acceptance rule for the result (spec/judge/RULES.md). The bounds of the rule for each
// type and profile are in spec/accuracy.
enum class AccuracyRule : uint8_t {
  kExact,            // moves, integer and logical operations
  kCompare,          // exact, except that subnormals may compare as zero
  kSignBit,          // abs, negate
  kRoundToIntegral,  // sign, floor, ceil, round-*
  kMinMax,           // maximum, minimum, clamp
  kRemainder,
  kAddSubtract,  // correctly rounded
  kMultiply,     // correctly rounded
  kDivide,
  kSquareRoot,
  kFunction,  // n ulps of a real or complex function
  kPower,
  kConvert,
  kReducePrecision,
  kStochasticConvert,
  kReduction,  // the rule of the called computation
  kSelectAndScatter,
  kScatter,
  kContraction,  // a sum with the unit roundoff of the accumulator
  kOrdering,
  kBatchNorm,
  kFft,
  kCholesky,
  kTriangularSolve,
  kRandom,
  kRandomBits,
  kCalled,  // the rules of the called computations
  kCollectiveReduction,
  kUnknown,  // custom-call, infeed: no rule is known
};

// Freedoms that the documents leave to the implementation; each has a ruling.
enum class Freedom : uint8_t {
  kNone,
#define HLOCTS_FREEDOM(symbol, name, ruling, facts) symbol,
#include "spec/ops/freedoms.def"
#undef HLOCTS_FREEDOM
};
absl::string_view FreedomName(Freedom freedom);  // "reduce-order"; "" for kNone

// A set of element types, with a bit per PrimitiveType number.
using TypeSet = uint64_t;
constexpr TypeSet TypeBit(PrimitiveType type) { return TypeSet{1} << static_cast<int>(type); }
inline bool Contains(TypeSet set, PrimitiveType type) { return (set & TypeBit(type)) != 0; }

struct AttributeUse {
  Attr attr{};
  bool required = false;
};

inline constexpr int kVariadic = -1;
inline constexpr int kAttributesMax = 14;

struct OpRow {
  Opcode opcode;
  Family family;
  int arity_min;
  int arity_max;  // kVariadic: no upper bound
  // Permitted element types of operand 0, or of the result if there are no operands. Other
  // constraints on types (equal types, pred condition, integral indices) are in spec/infer.
  TypeSet types;
  AccuracyRule accuracy;
  Freedom freedom;
  int weight;                       // frequency in the generator; 0: never generated
  absl::string_view documented_as;  // name in the documents; "" if undocumented
  absl::string_view clauses;        // file of spec/clauses, "" when undocumented
  int attribute_count;
  AttributeUse attributes[kAttributesMax];

  absl::Span<const AttributeUse> attribute_uses() const {
    return {attributes, static_cast<size_t>(attribute_count)};
  }
  bool Takes(Attr attr) const;
};

const OpRow& RowOf(Opcode opcode);
// Returns the number of operands: "1 operand", "at least 2 operands", "1 to 3 operands".
std::string ArityText(const OpRow& row);

// Attributes that every instruction may have.
absl::Span<const Attr> CommonAttributes();

struct AttrRow {
  Attr attr;
  absl::string_view text;
  AttributeKind kind;
};
const AttrRow& RowOf(Attr attr);
// Returns the attribute with that name: one of the opcode's attributes or a common attribute.
std::optional<Attr> AttributeFromText(Opcode opcode, absl::string_view text);

// Returns the words that an attribute of kind kWord may have; empty if any word is permitted.
absl::Span<const absl::string_view> AllowedWords(Attr attr);

// A documented operation that is not a single opcode of the same name (spec/ops/aliases.def).
struct AliasRow {
  absl::string_view operation;  // name in the documents
  absl::string_view lowers_to;  // opcodes, comma-separated
  absl::string_view edition;    // "current", "2018", "both"
  absl::string_view clauses;    // file of spec/clauses
};
absl::Span<const AliasRow> AllAliases();

}  // namespace hlocts
