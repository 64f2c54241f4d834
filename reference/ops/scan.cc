// SPDX-License-Identifier: Apache-2.0
#include "reference/ops/scan.h"

#include <cstring>
#include <utility>

#include "reference/ops/structured.h"

namespace hlocts::reference {
namespace {

// Returns the part of an array at one position of a dimension, without that dimension.
Literal PartAt(const Literal& array, int64_t dimension, int64_t place) {
  const ScanStrides strides = StridesAround(array.shape(), dimension);
  const int64_t run = strides.inner * StorageBytes(array.element_type());
  const int64_t step = run * array.shape().dimension(dimension);
  Literal part(WithoutDimension(array.shape(), dimension));
  const uint8_t* from = static_cast<const uint8_t*>(array.raw_data()) + place * run;
  uint8_t* to = static_cast<uint8_t*>(part.mutable_raw_data());
  for (int64_t i = 0; i < strides.outer; ++i) std::memcpy(to + i * run, from + i * step, run);
  return part;
}

void PutPart(const Literal& part, int64_t dimension, int64_t place, Literal& array) {
  const ScanStrides strides = StridesAround(array.shape(), dimension);
  const int64_t run = strides.inner * StorageBytes(array.element_type());
  const int64_t step = run * array.shape().dimension(dimension);
  const uint8_t* from = static_cast<const uint8_t*>(part.raw_data());
  uint8_t* to = static_cast<uint8_t*>(array.mutable_raw_data()) + place * run;
  for (int64_t i = 0; i < strides.outer; ++i) std::memcpy(to + i * step, from + i * run, run);
}

}  // namespace

// Ruling 0100: the computation maps a part of each input and the carries to a part of each output
// and the next carries, trip by trip along the dimension, from its end if is_reverse.
absl::StatusOr<Literal> EvaluateScan(EvalContext& context, const Instruction& instruction,
                                     absl::Span<Literal> operands) {
  const ScanPlan plan = ScanPlanOf(instruction);
  HLOCTS_RETURN_IF_ERROR(context.ReserveMemory(instruction.shape()));
  std::vector<Literal> carries(operands.begin() + plan.inputs, operands.end()), outputs;
  for (int64_t i = 0; i < plan.outputs; ++i)
    outputs.emplace_back(instruction.shape().tuple_shapes()[i].WithoutLayout());
  for (int64_t trip = 0; trip < plan.trips; ++trip) {
    HLOCTS_RETURN_IF_ERROR(context.ChargeSteps(1));
    const int64_t place = plan.PlaceOf(trip);
    std::vector<Literal> arguments;
    for (int64_t i = 0; i < plan.inputs; ++i)
      arguments.push_back(PartAt(operands[i], plan.dimension, place));
    for (Literal& carry : carries) arguments.push_back(std::move(carry));
    HLOCTS_ASSIGN_OR_RETURN(Literal results, context.Call(*plan.computation, std::move(arguments)));
    for (int64_t i = 0; i < plan.outputs; ++i)
      PutPart(results.elements()[i], plan.dimension, place, outputs[i]);
    carries.assign(results.elements().begin() + plan.outputs, results.elements().end());
  }
  for (Literal& carry : carries) outputs.push_back(std::move(carry));
  return Literal::Tuple(std::move(outputs));
}

}  // namespace hlocts::reference
