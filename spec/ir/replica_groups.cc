// SPDX-License-Identifier: Apache-2.0
#include "spec/ir/replica_groups.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace hlocts {

int64_t DeviceProduct(const std::vector<int64_t>& sizes) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return 0;
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size < 0 || size > kMeshDevicesMax || (product *= size) > kMeshDevicesMax)
      return kMeshDevicesMax + 1;
  }
  return product;
}

bool IsPermutation(std::vector<int64_t> ids) {
  std::sort(ids.begin(), ids.end());
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

namespace {

std::string PartText(const MeshAxes& mesh, const MeshAxes::Part& part) {
  const bool known = part.axis >= 0 && part.axis < static_cast<int64_t>(mesh.axes.size());
  std::string text =
      known ? absl::StrCat("'", mesh.axes[part.axis].name, "'") : absl::StrCat("axis ", part.axis);
  if (part.size != 0) absl::StrAppend(&text, ":(", part.pre_size, ")", part.size);
  return text;
}

absl::Status CheckAxes(const MeshAxes& mesh) {
  std::set<std::string> names;
  std::vector<int64_t> sizes;
  for (const MeshAxes::Axis& axis : mesh.axes) {
    const bool plain =
        !axis.name.empty() && std::all_of(axis.name.begin(), axis.name.end(),
                                          [](char c) { return c >= ' ' && c != '\''; });
    if (!plain || !names.insert(axis.name).second) {
      return InvalidInput("expected axes of a mesh with distinct names, found '", axis.name, "'");
    }
    if (axis.size < 1) {
      return InvalidInput("expected at least one device along axis '", axis.name, "', found ",
                          axis.size);
    }
    sizes.push_back(axis.size);
  }
  const int64_t devices = DeviceProduct(sizes);
  if (devices > kMeshDevicesMax) {
    return RuleError("text.limit",
                     absl::StrCat("expected a mesh of at most ", kMeshDevicesMax, " devices"));
  }
  const bool all = static_cast<int64_t>(mesh.device_ids.size()) == devices;
  if (mesh.device_ids.empty() || (all && IsPermutation(mesh.device_ids))) return absl::OkStatus();
  return InvalidInput("expected device_ids with each of 0 to ", devices - 1, " once, found (",
                      absl::StrJoin(mesh.device_ids, ","), ")");
}

// Splits every axis into parts. Appends the sizes of the parts to `sizes`, major first, and sets
// `dimension` to the index in `sizes` of each grouped part.
absl::Status SplitAxes(const MeshAxes& mesh, std::vector<int64_t>* sizes,
                       std::vector<int64_t>* dimension) {
  dimension->resize(mesh.grouped.size());
  for (const MeshAxes::Part& part : mesh.grouped) {
    if (part.axis < 0 || part.axis >= static_cast<int64_t>(mesh.axes.size())) {
      return InvalidInput("expected an axis of the mesh, found ", PartText(mesh, part));
    }
  }
  for (size_t axis = 0; axis < mesh.axes.size(); ++axis) {
    const int64_t whole = mesh.axes[axis].size;
    std::vector<size_t> parts;
    for (size_t i = 0; i < mesh.grouped.size(); ++i) {
      if (mesh.grouped[i].axis == static_cast<int64_t>(axis)) parts.push_back(i);
    }
    std::stable_sort(parts.begin(), parts.end(), [&](size_t a, size_t b) {
      return mesh.grouped[a].pre_size < mesh.grouped[b].pre_size;
    });
    int64_t before = 1;  // the product of the sizes of this axis so far
    for (size_t i : parts) {
      const MeshAxes::Part& part = mesh.grouped[i];
      const int64_t size = part.size == 0 ? whole : part.size;
      const bool fits = part.pre_size >= 1 && part.pre_size <= whole && size >= 1 &&
                        size <= whole / part.pre_size && part.pre_size % before == 0 &&
                        whole % (part.pre_size * size) == 0;
      if (!fits) {
        return InvalidInput("expected parts that divide the ", whole, " devices along axis '",
                            mesh.axes[axis].name, "' and do not overlap, found ",
                            PartText(mesh, part));
      }
      if (part.pre_size > before) sizes->push_back(part.pre_size / before);
      (*dimension)[i] = static_cast<int64_t>(sizes->size());
      sizes->push_back(size);
      before = part.pre_size * size;
    }
    if (before < whole) sizes->push_back(whole / before);
  }
  return absl::OkStatus();
}

void SplitIntoRows(const std::vector<int64_t>& ids, int64_t size, ReplicaGroups* groups) {
  groups->groups.clear();
  for (auto at = ids.begin(); at != ids.end(); at += size)
    groups->groups.emplace_back(at, at + size);
}

absl::Status ExpandMesh(ReplicaGroups* groups) {
  const MeshAxes& mesh = groups->mesh;
  HLOCTS_RETURN_IF_ERROR(CheckAxes(mesh));
  std::vector<int64_t> sizes, grouped, order;
  HLOCTS_RETURN_IF_ERROR(SplitAxes(mesh, &sizes, &grouped));
  int64_t size = 1;
  for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d) {
    const bool in_group = std::find(grouped.begin(), grouped.end(), d) != grouped.end();
    if (in_group) size *= sizes[d];
    if (!in_group) order.push_back(d);
  }
  order.insert(order.end(), grouped.begin(), grouped.end());
  HLOCTS_ASSIGN_OR_RETURN(std::vector<int64_t> ids, ExpandIota(sizes, order));
  if (!mesh.device_ids.empty()) {
    for (int64_t& id : ids) id = mesh.device_ids[id];
  }
  SplitIntoRows(ids, size, groups);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> ExpandIota(const std::vector<int64_t>& sizes,
                                                std::vector<int64_t> permutation) {
  if (permutation.empty()) {
    permutation.resize(sizes.size());
    std::iota(permutation.begin(), permutation.end(), 0);
  }
  const int64_t count = DeviceProduct(sizes);
  if (count > kMeshDevicesMax) {
    return RuleError("text.limit", absl::StrCat("expected at most ", kMeshDevicesMax, " devices"));
  }
  if (permutation.size() != sizes.size() || !IsPermutation(permutation)) {
    return InvalidInput("expected a permutation of ", sizes.size(), " dimensions, found (",
                        absl::StrJoin(permutation, ","), ")");
  }
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * sizes[d];
  std::vector<int64_t> ids(count), index(sizes.size(), 0);
  for (int64_t& id : ids) {
    id = 0;
    for (size_t d = 0; d < permutation.size(); ++d) id += index[d] * strides[permutation[d]];
    for (size_t d = permutation.size(); d-- > 0;) {
      if (++index[d] < sizes[permutation[d]]) break;
      index[d] = 0;
    }
  }
  return ids;
}

absl::Status ExpandReplicaGroups(ReplicaGroups* groups) {
  if (!groups->mesh.axes.empty()) return ExpandMesh(groups);
  if (groups->iota_dimensions.empty()) return absl::OkStatus();
  HLOCTS_ASSIGN_OR_RETURN(std::vector<int64_t> ids, ExpandIota(groups->iota_reshape_dims,
                                                               groups->iota_transpose_permutation));
  const std::vector<int64_t>& table = groups->iota_dimensions;
  if (table.size() != 2 || table[1] <= 0 ||
      DeviceProduct(table) != static_cast<int64_t>(ids.size())) {
    return InvalidInput("expected [groups,size] of ", ids.size(), " devices, found [",
                        absl::StrJoin(table, ","), "]");
  }
  SplitIntoRows(ids, table[1], groups);
  return absl::OkStatus();
}

std::string MeshAxesText(const MeshAxes& mesh) {
  std::string text =
      absl::StrCat("mesh[",
                   absl::StrJoin(mesh.axes, ",",
                                 [](std::string* to, const auto& axis) {
                                   absl::StrAppend(to, "'", axis.name, "'=", axis.size);
                                 }),
                   "]");
  if (!mesh.device_ids.empty()) {
    absl::StrAppend(&text, ", device_ids=(", absl::StrJoin(mesh.device_ids, ","), ")");
  }
  absl::StrAppend(
      &text, " {",
      absl::StrJoin(mesh.grouped, ",",
                    [&](std::string* to, const auto& part) { to->append(PartText(mesh, part)); }),
      "}");
  return text;
}

}  // namespace hlocts
