#include "reference/judge/handlers.h"
namespace hlocts {
#define PENDING(f) absl::StatusOr<SetValue> f(SetInterpreter& interpreter, const Instruction& instruction, const Shape& shape, absl::Span<const SetValue>) { return UnspecifiedResult(interpreter, instruction, shape, Term::kUnknown); }
PENDING(FftSets) PENDING(CholeskySets) PENDING(TriangularSolveSets)
PENDING(BatchNormTrainingSets) PENDING(BatchNormInferenceSets) PENDING(BatchNormGradSets)
PENDING(RngSets) PENDING(RngBitGeneratorSets) PENDING(RngStateSets) PENDING(StochasticConvertSets)
}
