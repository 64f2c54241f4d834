// Modules that XLA:CPU's PJRT client refuses as they are, made acceptable without changing them.
#ifndef HLOCTS_BACKENDS_XLA_XLA_FLATTEN_H_
#define HLOCTS_BACKENDS_XLA_XLA_FLATTEN_H_

#include "absl/status/statusor.h"
#include "xla/service/hlo.pb.h"

namespace hlocts::xla_plugin {

// Whether the entry computation has a tuple parameter or a nested tuple result.
bool NeedsFlattening(const xla::HloModuleProto& module);

// The same module behind a new entry computation whose parameters and results are the leaves of the
// old ones, depth first: it builds the tuples, calls the old entry and takes the result apart.
// input_output_alias, buffer_donor, shardings and parameter replication follow their leaves.
absl::StatusOr<xla::HloModuleProto> FlattenEntry(const xla::HloModuleProto& module);

}  // namespace hlocts::xla_plugin

#endif  // HLOCTS_BACKENDS_XLA_XLA_FLATTEN_H_
