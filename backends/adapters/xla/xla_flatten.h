// SPDX-License-Identifier: Apache-2.0
// Modules that XLA:CPU's PJRT client refuses as they are, made acceptable without changing them.
#ifndef HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_FLATTEN_H_
#define HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_FLATTEN_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape.h"

namespace hlocts::xla_plugin {

// How one leaf of the old parameters reaches the new entry computation.
struct ParameterLeaf {
  // An array is one parameter. A token is none: the entry makes its own. An array with bounded
  // dynamic dimensions is one parameter of the bounds' size, then an s32[] size per dynamic one.
  enum Kind { kArray, kToken, kDynamic } kind = kArray;
  int64_t parameter = 0;  // The (first) new parameter; the next one for a token.
  xla::Shape shape;
};

struct FlatEntry {
  xla::HloModuleProto module;
  std::vector<ParameterLeaf> leaves;  // Depth first, in parameter order.
};

// Whether the entry computation has a tuple, token or dynamic parameter, or a nested tuple result.
bool NeedsFlattening(const xla::HloModuleProto& module);

// The same module behind a new entry computation whose parameters and results are the leaves of the
// old ones, depth first: it builds the tuples, calls the old entry and takes the result apart.
// input_output_alias, buffer_donor, shardings and parameter replication follow their leaves; a
// may-alias of a dynamic parameter is dropped, a must-alias is unimplemented.
absl::StatusOr<FlatEntry> FlattenEntry(const xla::HloModuleProto& module);

}  // namespace hlocts::xla_plugin

#endif  // HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_FLATTEN_H_
