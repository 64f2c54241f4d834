// SPDX-License-Identifier: Apache-2.0
// Attributes whose text has its own grammar. Internal to this directory.
#ifndef HLOCTS_SPEC_PROTO_ATTRIBUTE_TEXT_H_
#define HLOCTS_SPEC_PROTO_ATTRIBUTE_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "spec/base/status.h"
#include "spec/ir/attributes.h"
#include "spec/proto/hlo.pb.h"

namespace hlocts {

// "{mode=highest}" or "{tolerance={atol=1,rtol=0.5,ulps=2}}"; "" if the proto requests nothing.
absl::Status ResultAccuracyToProto(absl::string_view text, proto::HloInstructionProto* out);
std::string ResultAccuracyFromProto(const proto::HloInstructionProto& proto);

// "{({"a"}, {"b" {1}})}": for each leaf of an instruction's shape, the value of the program before
// optimisation that it holds. False if `text` has another form (it is kept as text then).
bool OriginalValueToProto(absl::string_view text, proto::OriginalValueProto* out);
// "" if no text expresses it completely.
std::string OriginalValueFromProto(const proto::OriginalValueProto& proto);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_PROTO_ATTRIBUTE_TEXT_H_
