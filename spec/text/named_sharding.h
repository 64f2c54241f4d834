// SPDX-License-Identifier: Apache-2.0
// Reads shardings by the names of mesh axes: HLO's "{mesh['x'=2], [{'x'}, {?}], manual={'y'}}" and
// Shardy's attributes as strings, "#sdy.sharding<@mesh, [{\"x\"}]>".
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/ir/sharding.h"
#include "spec/text/cursor.h"

namespace hlocts {

using MeshTable = std::map<std::string, Mesh, std::less<>>;

// Reads from the mesh to the brace that closes the sharding. "@name" refers to `meshes`.
bool ReadNamedSharding(Cursor& in, const MeshTable& meshes, NamedSharding* named);

// Parses the module's frontend attribute xla.sdy.meshes: "{mesh = #sdy.mesh<[\"x\"=2]>}".
absl::StatusOr<MeshTable> ParseMeshTable(absl::string_view text);
// Parses one sharding, "#sdy.sharding<...>", or one for each value,
// "#sdy.sharding_per_value<[<...>, <...>]>".
absl::StatusOr<std::vector<NamedSharding>> ParseShardyShardings(absl::string_view text,
                                                                const MeshTable& meshes);
// Parses "#sdy<manual_axes{\"x\", \"y\"}>".
absl::StatusOr<std::vector<std::string>> ParseManualAxes(absl::string_view text);

}  // namespace hlocts
