// SPDX-License-Identifier: Apache-2.0
// Attributes whose text has a grammar of its own. Internal to this folder.
#ifndef HLOCTS_SPEC_PROTO_ATTRIBUTE_TEXT_H_
#define HLOCTS_SPEC_PROTO_ATTRIBUTE_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "spec/base/status.h"
#include "spec/ir/attributes.h"
#include "spec/proto/hlo.pb.h"

namespace hlocts {

// "{mode=highest}" or "{tolerance={atol=1,rtol=0.5,ulps=2}}"; "" where the proto asks for nothing.
absl::Status ResultAccuracyToProto(absl::string_view text, proto::HloInstructionProto* out);
std::string ResultAccuracyFromProto(const proto::HloInstructionProto& proto);

// "{({"a"}, {"b" {1}})}": for each leaf of an instruction's shape, which value of the program
// before optimisation it holds. False when `text` is no such thing (it is kept as text then).
bool OriginalValueToProto(absl::string_view text, proto::OriginalValueProto* out);
// "" when no text says the same.
std::string OriginalValueFromProto(const proto::OriginalValueProto& proto);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_PROTO_ATTRIBUTE_TEXT_H_
