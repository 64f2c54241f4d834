// SPDX-License-Identifier: Apache-2.0
// What a message holds beyond what its conversion reads: unknown fields, and known ones that are
// not interpreted.
#ifndef HLOCTS_SPEC_PROTO_RESIDUE_H_
#define HLOCTS_SPEC_PROTO_RESIDUE_H_

#include <string>

#include "google/protobuf/message.h"

namespace hlocts {

// Serialized residue of `message`, "" when there is none (the usual case, found without a copy).
// Merging it into the message written back restores what would be lost. Shapes, layouts, shardings
// and metadata inside have a residue of their own, and unknown fields in a repeated message other
// than those are dropped: nothing says which element they would belong to.
std::string ResidueOf(const google::protobuf::Message& message);

// Merges a residue back. A residue that no longer parses (never one of ResidueOf) is dropped.
void RestoreResidue(const std::string& residue, google::protobuf::Message* message);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_PROTO_RESIDUE_H_
