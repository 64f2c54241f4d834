// SPDX-License-Identifier: Apache-2.0
// The custom calls with a defined result: placements (ruling 0123) and routines of LAPACK.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/shape.h"

namespace hlocts {

// Returns true if the instruction has an effect other than its result; a custom call states that.
bool HasSideEffect(const Instruction& instruction);

// The custom calls for placements (ruling 0123): annotations of a value's shards, memory or layout,
// and the begin and end of a manual region, in which each device computes on its part.
enum class ShardingCall : uint8_t {
  kAnnotation,   // returns its operands
  kFullToShard,  // returns the device's own tile of each operand
  kShardToFull,  // returns the whole array from the devices' tiles
};
std::optional<ShardingCall> ShardingCallOf(const Instruction& instruction);

// JAX on CPU lowers its dense linear algebra to `lapack_<letter><routine>_ffi`; rulings 0093 and
// 0103 adopt LAPACK's definitions. Operands and results are the logical arrays, whatever their
// layouts; leading dimensions are batches. A new routine needs a value of LapackRoutine and an
// entry of kNames.
//
// Each enumerator names what its routine computes. Its comment has LAPACK's name and the results in
// order.
enum class LapackRoutine {
  kCholesky,          // potrf: factor (the other triangle is unchanged), info
  kLu,                // getrf: L below U, pivot rows from 1, info
  kTriangularSolve,   // trsm: X of op(A) X = B or X op(A) = B
  kQr,                // geqrf: R above the reflectors, their factors tau
  kQrProduct,         // orgqr, ungqr: the first columns of the reflectors' product Q
  kHermitianEigen,    // syevd, heevd: eigenvectors as columns, ascending eigenvalues, info
  kSingularValues,    // gesdd, gesvd: A overwritten, descending singular values, U, V^H, info
  kPivotedQr,         // geqp3: as kQr, with the columns' positions, from 1, before tau
  kQrApply,           // ormqr, unmqr: op(Q) C or C op(Q)
  kHessenberg,        // gehrd: H above the reflectors, their factors tau, info
  kTridiagonal,       // sytrd, hetrd: as kHessenberg, with T's diagonal and off-diagonal before tau
  kTridiagonalSolve,  // gtsv: three diagonals overwritten, X of A X = B, info
  kSchur,  // gees: T, the Schur vectors Z, eigenvalues (two arrays if A is real), sdim, info
  kEigen,  // geev: eigenvalues (two arrays if A is real), left and right vectors, info
};

struct LapackCall {
  LapackRoutine routine = LapackRoutine::kCholesky;
  bool complex = false;
  bool lower = true;         // the lower triangle is read
  bool left = true;          // trsm, ormqr: op(A) or op(Q) is on the left
  bool unit = false;         // trsm: the diagonal is assumed to be ones
  char transpose = 'N';      // trsm, ormqr: N, T or C
  char job = 'V';            // vectors: V or N; gesdd: A (square factors), S (thin factors) or N
  bool left_vectors = true;  // geev: left eigenvectors are computed
  // The sizes of operands and results, separated by `>`, without batches. m x n is the first
  // operand, k the smaller of m and n, h = n - 1, and any other letter is the size at its first
  // occurrence (CheckLapackShapes).
  absl::string_view sizes;
};

// Returns nullopt if the call's target is none of these routines, if the letter in the target does
// not match the operands' type, or if a required attribute is missing or has an unknown value.
std::optional<LapackCall> LapackCallOf(const Instruction& custom_call);

// Returns InvalidArgument, with the expected and the actual shape, if operands or results do not
// have the shapes of the routine.
absl::Status CheckLapackShapes(const LapackCall& call, const Instruction& custom_call);

// Returns the number of leading (batch) dimensions of an operand or result.
int64_t LeadingDimensions(const LapackCall& call, const Shape& first_operand);
// Returns the number of batches, or 0 if the first operand has no elements.
int64_t BatchCount(const LapackCall& call, const Shape& first_operand);

}  // namespace hlocts
