// SPDX-License-Identifier: Apache-2.0
// Declarations that the shape rules share. Internal to this directory.
//
// A rule reads an instruction's operands and attributes and returns the shape of the result,
// without a layout. If only the text states the shape (constant, convert, custom-call), the rule
// checks that shape and returns it. infer.cc has already checked arity, required attributes,
// attribute kinds and the element type of operand 0.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "spec/base/count_text.h"
#include "spec/base/status.h"
#include "spec/ir/instruction.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/primitive_type.h"
#include "spec/ir/shape.h"

namespace hlocts {

// Returns the error "expected X, found Y" with the id of the rule: a clause of spec/clauses, or
// hlo.* for requirements of the text form itself (listed in RULE_IDS.md).
absl::Status Broken(absl::string_view rule, absl::string_view expected, absl::string_view found);

#define HLOCTS_EXPECT(condition, rule, expected, found)       \
  do {                                                        \
    if (!(condition)) return Broken((rule), expected, found); \
  } while (false)

std::string ListText(absl::Span<const int64_t> values);  // "{0,1}"
inline std::string ShapeText(const Shape& shape) { return shape.ToString(/*with_layout=*/false); }
inline std::string TypeText(PrimitiveType type) { return std::string(PrimitiveTypeName(type)); }

// Returns true if element types and sizes agree. Layouts and dynamic flags are ignored, and an
// unknown size ("?") agrees with any.
bool Compatible(const Shape& a, const Shape& b);
bool CompatibleSize(int64_t a, int64_t b);
bool CompatibleDimensions(const Shape& a, const Shape& b);

// Expects `dimensions` in [0, rank), each at most once.
absl::Status ExpectDimensions(absl::string_view rule, absl::string_view what,
                              absl::Span<const int64_t> dimensions, int64_t rank);
absl::Status ExpectDimension(absl::string_view rule, absl::string_view what, int64_t dimension,
                             int64_t rank);
absl::Status ExpectAscending(absl::string_view rule, absl::string_view what,
                             absl::Span<const int64_t> dimensions);
absl::Status ExpectArray(absl::string_view rule, absl::string_view what, const Shape& shape);
absl::Status ExpectCompatible(absl::string_view rule, absl::string_view what, const Shape& expected,
                              const Shape& found);

// Appends dimension `from` of `source`, including its dynamic flag, to `shape`.
void AppendDimension(Shape& shape, const Shape& source, int64_t from);
void AppendSize(Shape& shape, int64_t size, bool is_dynamic = false);
// Returns a tuple of the shapes, or the shape itself if there is only one.
Shape OneOrTuple(std::vector<Shape> shapes);

// The parameter and result shapes of a called computation, looked up once per computation.
struct Signature {
  std::vector<const Shape*> parameters;  // nullptr only if the module is not verified
  const Shape* result = nullptr;
};
class Signatures {
 public:
  const Signature& Of(const Computation& computation);

 private:
  absl::flat_hash_map<const Computation*, std::unique_ptr<Signature>> cache_;
};
std::string SignatureText(const Signature& signature);  // "(f32[], f32[]) -> f32[]"

// Expects the computation to have exactly these parameters and this result.
absl::Status ExpectSignature(absl::string_view rule, const Computation& computation,
                             const std::vector<Shape>& parameters, const Shape& result,
                             Signatures& signatures);
// Returns the called computation that `attr` names, or an error with the rule hlo.attribute.
absl::StatusOr<const Computation*> Called(const Instruction& instruction, Attr attr);
// Expects a computation (T_0, ..., T_0, ...) -> T_0 or (T_0, ...), as in reduce, reduce-window and
// scatter. Returns the types of its first parameters, which are also the types of the results.
absl::StatusOr<std::vector<PrimitiveType>> ReducerTypes(absl::string_view rule,
                                                        const Instruction& instruction, Attr attr,
                                                        int64_t count, Signatures& signatures);

// The clauses that ExpectFolded checks for operand i, its init value and the corresponding
// parameter of the computation. The operand is an array with the dimensions of operand 0 and the
// type of the parameter (types[i], from ReducerTypes). The init value is a scalar of that type.
struct FoldClauses {
  absl::string_view array, dimensions, computation, init;
};
absl::Status ExpectFolded(const FoldClauses& clauses, const Instruction& fold, int64_t i,
                          const std::vector<PrimitiveType>& types);
// Checks the batching dimensions of a gather or scatter: operand and indices have equally many, of
// equal sizes, and index_vector_dim is not one of them. `what` names the attribute of the indices.
absl::Status ExpectBatching(absl::string_view rule, absl::string_view what, const Shape& operand,
                            absl::Span<const int64_t> in_operand, const Shape& indices,
                            const std::vector<int64_t>& in_indices, int64_t index_vector_dim);

using ShapeRule = absl::StatusOr<Shape> (*)(const Instruction& instruction, Signatures& signatures);

#define HLOCTS_SHAPE_RULE(Name) absl::StatusOr<Shape> Name(const Instruction&, Signatures&);
HLOCTS_SHAPE_RULE(InferParameter)
HLOCTS_SHAPE_RULE(InferConstant)
HLOCTS_SHAPE_RULE(InferIota)
HLOCTS_SHAPE_RULE(InferUnary)
HLOCTS_SHAPE_RULE(InferComponent)  // abs, real, imag
HLOCTS_SHAPE_RULE(InferIsFinite)
HLOCTS_SHAPE_RULE(InferBinary)
HLOCTS_SHAPE_RULE(InferComplex)
HLOCTS_SHAPE_RULE(InferCompare)
HLOCTS_SHAPE_RULE(InferClamp)
HLOCTS_SHAPE_RULE(InferSelect)
HLOCTS_SHAPE_RULE(InferConvert)
HLOCTS_SHAPE_RULE(InferBitcastConvert)
HLOCTS_SHAPE_RULE(InferReducePrecision)
HLOCTS_SHAPE_RULE(InferStochasticConvert)
HLOCTS_SHAPE_RULE(InferBroadcast)
HLOCTS_SHAPE_RULE(InferReshape)
HLOCTS_SHAPE_RULE(InferDynamicReshape)
HLOCTS_SHAPE_RULE(InferBitcast)
HLOCTS_SHAPE_RULE(InferSameAsOperand)  // copy, opt-barrier, domain, ...
HLOCTS_SHAPE_RULE(InferTranspose)
HLOCTS_SHAPE_RULE(InferReverse)
HLOCTS_SHAPE_RULE(InferSlice)
HLOCTS_SHAPE_RULE(InferPad)
HLOCTS_SHAPE_RULE(InferConcatenate)
HLOCTS_SHAPE_RULE(InferDynamicSlice)
HLOCTS_SHAPE_RULE(InferDynamicUpdateSlice)
HLOCTS_SHAPE_RULE(InferGather)
HLOCTS_SHAPE_RULE(InferScatter)
HLOCTS_SHAPE_RULE(InferGetDimensionSize)
HLOCTS_SHAPE_RULE(InferSetDimensionSize)
HLOCTS_SHAPE_RULE(InferDot)
HLOCTS_SHAPE_RULE(InferRaggedDot)
HLOCTS_SHAPE_RULE(InferScaledDot)
HLOCTS_SHAPE_RULE(InferConvolution)
HLOCTS_SHAPE_RULE(InferReduce)
HLOCTS_SHAPE_RULE(InferReduceWindow)
HLOCTS_SHAPE_RULE(InferSelectAndScatter)
HLOCTS_SHAPE_RULE(InferMap)
HLOCTS_SHAPE_RULE(InferScan)
HLOCTS_SHAPE_RULE(InferSort)
HLOCTS_SHAPE_RULE(InferTopk)
HLOCTS_SHAPE_RULE(InferCholesky)
HLOCTS_SHAPE_RULE(InferTriangularSolve)
HLOCTS_SHAPE_RULE(InferFft)
HLOCTS_SHAPE_RULE(InferBatchNormTraining)
HLOCTS_SHAPE_RULE(InferBatchNormInference)
HLOCTS_SHAPE_RULE(InferBatchNormGrad)
HLOCTS_SHAPE_RULE(InferRng)
HLOCTS_SHAPE_RULE(InferRngBitGenerator)
HLOCTS_SHAPE_RULE(InferRngGetAndUpdateState)
HLOCTS_SHAPE_RULE(InferTuple)
HLOCTS_SHAPE_RULE(InferGetTupleElement)
HLOCTS_SHAPE_RULE(InferCall)
HLOCTS_SHAPE_RULE(InferWhile)
HLOCTS_SHAPE_RULE(InferConditional)
HLOCTS_SHAPE_RULE(InferFusion)
HLOCTS_SHAPE_RULE(InferCustomCall)
HLOCTS_SHAPE_RULE(InferAllGather)
HLOCTS_SHAPE_RULE(InferAllReduce)
HLOCTS_SHAPE_RULE(InferAllToAll)
HLOCTS_SHAPE_RULE(InferRaggedAllToAll)
HLOCTS_SHAPE_RULE(InferCollectivePermute)
HLOCTS_SHAPE_RULE(InferCollectiveBroadcast)
HLOCTS_SHAPE_RULE(InferReduceScatter)
HLOCTS_SHAPE_RULE(InferDeviceId)  // replica-id, partition-id
HLOCTS_SHAPE_RULE(InferAfterAll)
HLOCTS_SHAPE_RULE(InferAddDependency)
HLOCTS_SHAPE_RULE(InferInfeed)
HLOCTS_SHAPE_RULE(InferOutfeed)
HLOCTS_SHAPE_RULE(InferSend)
HLOCTS_SHAPE_RULE(InferSendDone)
HLOCTS_SHAPE_RULE(InferRecv)
HLOCTS_SHAPE_RULE(InferRecvDone)
HLOCTS_SHAPE_RULE(InferAsyncStart)
HLOCTS_SHAPE_RULE(InferAsyncUpdate)
HLOCTS_SHAPE_RULE(InferAsyncDone)
HLOCTS_SHAPE_RULE(InferCopyStart)
HLOCTS_SHAPE_RULE(InferCopyDone)
HLOCTS_SHAPE_RULE(InferAllGatherStart)
HLOCTS_SHAPE_RULE(InferAllGatherDone)
HLOCTS_SHAPE_RULE(InferAllReduceDone)
HLOCTS_SHAPE_RULE(InferCollectivePermuteStart)
HLOCTS_SHAPE_RULE(InferCollectivePermuteDone)
#undef HLOCTS_SHAPE_RULE

}  // namespace hlocts
