// SPDX-License-Identifier: Apache-2.0
// Reads replica_groups: lists of ids, an iota, or axes of a mesh.
#include "absl/strings/numbers.h"
#include "spec/ir/replica_groups.h"
#include "spec/text/values.h"

namespace hlocts {
namespace {

bool Passed(Cursor& in, const char* start, const absl::Status& status) {
  const std::string rule = RuleOf(status);
  return status.ok() || in.FailAt(start, rule.empty() ? "text.attribute" : rule, status.message());
}

bool ReadIotaGroups(Cursor& in, ReplicaGroups* groups) {
  const char* start = in.Here();
  return ReadList(in, '[', ']',
                  [&] { return in.NonNegative(&groups->iota_dimensions.emplace_back()); }) &&
         in.Expect("<=") &&
         ReadIota(in, &groups->iota_reshape_dims, &groups->iota_transpose_permutation) &&
         Passed(in, start, ExpandReplicaGroups(groups));
}

// Finds the axis with that name, otherwise the axis with that number.
bool FindAxis(const MeshAxes& mesh, absl::string_view name, int64_t* axis) {
  const int64_t count = static_cast<int64_t>(mesh.axes.size());
  for (*axis = 0; *axis < count; ++*axis) {
    if (mesh.axes[*axis].name == name) return true;
  }
  return absl::SimpleAtoi(name, axis) && *axis >= 0 && *axis < count;
}

// Reads "'x'", "'1'" or "'x':(2)4".
bool ReadPart(Cursor& in, MeshAxes* mesh) {
  const char* start = in.Here();
  MeshAxes::Part& part = mesh->grouped.emplace_back();
  std::string name;
  if (!ReadAxisName(in, &name)) return false;
  if (!FindAxis(*mesh, name, &part.axis)) {
    return in.FailAt(start, "text.attribute",
                     absl::StrCat("expected an axis of the mesh, found '", name, "'"));
  }
  if (!in.Try(':')) return true;
  const char* size = nullptr;
  if (!in.Expect('(') || !in.NonNegative(&part.pre_size) || !in.Expect(')')) return false;
  size = in.Here();
  if (!in.NonNegative(&part.size)) return false;
  return part.size > 0 || in.FailAt(size, "text.attribute", "expected a positive size, found 0");
}

// Reads "mesh['x'=2,'y'=8], device_ids=(...) {'x','y':(2)4}".
bool ReadMeshGroups(Cursor& in, ReplicaGroups* groups) {
  const char* start = in.Here();
  MeshAxes& mesh = groups->mesh;
  if (!in.ExpectWord("mesh") || !ReadList(in, '[', ']', [&] {
        MeshAxes::Axis& axis = mesh.axes.emplace_back();
        return ReadAxisName(in, &axis.name) && in.Expect('=') && in.NonNegative(&axis.size);
      })) {
    return false;
  }
  if (mesh.axes.empty()) return in.FailAt(start, "text.attribute", "expected axes of the mesh");
  if (in.Try(',') &&
      (!in.ExpectWord("device_ids") || !in.Expect('=') || !ReadDeviceIds(in, &mesh.device_ids))) {
    return false;
  }
  return ReadList(in, '{', '}', [&] { return ReadPart(in, &mesh); }) &&
         Passed(in, start, ExpandReplicaGroups(groups));
}

}  // namespace

bool ReadReplicaGroups(Cursor& in, ReplicaGroups* groups) {
  if (in.Peek() == '[') return ReadIotaGroups(in, groups);
  if (in.PeekIdentifier() == "mesh") return ReadMeshGroups(in, groups);
  if (in.Peek() != '{') {
    return in.Expected("groups of ids, [groups,size]<=[...] or mesh[...]", "text.attribute");
  }
  return ReadList(in, '{', '}', [&] { return ReadIntList(in, &groups->groups.emplace_back()); });
}

}  // namespace hlocts
