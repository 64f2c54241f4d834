// SPDX-License-Identifier: Apache-2.0
// Converts attributes with a special grammar to protos and back. Internal to this directory.
#pragma once

#include <string>

#include "spec/base/status.h"
#include "spec/ir/attributes.h"
#include "spec/proto/hlo.pb.h"

namespace hlocts {

// Convert text such as "{mode=highest}" or "{tolerance={atol=1,rtol=0.5,ulps=2}}" to the proto and
// back. The text is "" if the proto requests nothing.
absl::Status ResultAccuracyToProto(absl::string_view text, proto::HloInstructionProto* out);
std::string ResultAccuracyFromProto(const proto::HloInstructionProto& proto);

// Converts text such as "{({"a"}, {"b" {1}})}", which names, for each leaf of an instruction's
// shape, the value of the unoptimized program to which the leaf is equal. Returns false if `text`
// has another form; the attribute then remains text.
bool OriginalValueToProto(absl::string_view text, proto::OriginalValueProto* out);
// Returns "" if no text expresses the proto completely.
std::string OriginalValueFromProto(const proto::OriginalValueProto& proto);

}  // namespace hlocts
