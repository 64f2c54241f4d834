// SPDX-License-Identifier: Apache-2.0
// Converts attributes to and from the fields of HloInstructionProto. Internal to this directory.
#pragma once

#include <functional>

#include "absl/types/span.h"
#include "spec/base/status.h"
#include "spec/ir/module_fwd.h"
#include "spec/proto/hlo.pb.h"

namespace hlocts {

// Functions that look up the ids in an instruction's attributes. `computation` returns the
// computation with an id, or nullptr if there is none; `instruction` does so for instructions of
// the same computation. The rest of the instruction, including its operands, must already be read.
struct ProtoIds {
  std::function<Computation*(int64_t id)> computation;
  std::function<Instruction*(int64_t id)> instruction;
};
absl::Status AttributesFromProto(const proto::HloInstructionProto& proto, const ProtoIds& ids,
                                 Instruction* instruction);

struct IdsOfModule {
  std::function<absl::StatusOr<int64_t>(const Computation*)> computation;
  std::function<absl::StatusOr<int64_t>(const Instruction*)> instruction;
};
absl::Status AttributesToProto(const Instruction& instruction, const IdsOfModule& ids,
                               proto::HloInstructionProto* out);

// Returns the attributes of an opcode that name computations, in the order of
// called_computation_ids. An attribute that is a list (branch_computations, called_computations)
// takes all remaining ids.
absl::Span<const Attr> CalledComputationAttributes(const Instruction& instruction);

}  // namespace hlocts
