// SPDX-License-Identifier: Apache-2.0
#include "spec/text/named_sharding.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "spec/text/values.h"

namespace hlocts {

bool ReadAxisName(Cursor& in, std::string* name) {
  const char quote = in.Peek();
  if (quote != '\'' && quote != '"') {
    absl::string_view word;
    if (!in.Identifier(&word, "the name of an axis")) return false;
    *name = std::string(word);
    return true;
  }
  in.Advance(1);
  for (name->clear(); in.Raw() != quote; in.Advance(1)) {
    if (in.Raw() == '\0') return in.Expected("the end of the name of an axis");
    name->push_back(in.Raw());
  }
  in.Advance(1);
  return true;
}

bool ReadDeviceIds(Cursor& in, std::vector<int64_t>* devices) {
  const auto read = [&] { return in.NonNegative(&devices->emplace_back()); };
  if (in.Peek() == '[') return ReadList(in, '[', ']', read);
  if (!in.Expect('(')) return false;
  if (in.Peek() == '[') {
    return ReadExpandedIota(in, devices) && in.Expect(')');
  }
  while (!in.Try(')')) {
    if (!read()) return false;
    if (!in.Try(',')) return in.Expect(')');
  }
  return true;
}

namespace {

// Reads ", device_ids=..." if it follows, otherwise nothing.
bool ReadDeviceIdsIfAny(Cursor& in, Mesh* mesh) {
  const char* start = in.Here();
  if (!in.Try(',') || !in.TryWord("device_ids")) {
    in.GoTo(start);
    return true;
  }
  return in.Expect('=') && ReadDeviceIds(in, &mesh->devices);
}

bool ReadAxes(Cursor& in, Mesh* mesh) {
  return ReadList(in, '[', ']', [&] {
    MeshAxis& axis = mesh->axes.emplace_back();
    return ReadAxisName(in, &axis.name) && in.Expect('=') && in.NonNegative(&axis.size);
  });
}

bool ReadMesh(Cursor& in, const MeshTable& meshes, Mesh* mesh) {
  if (in.Try('@')) {
    std::string name;
    const char* start = in.Here();
    if (!ReadAxisName(in, &name)) return false;
    const auto found = meshes.find(name);
    if (found == meshes.end()) {
      return in.FailAt(start, "text.attribute", absl::StrCat("no mesh is named ", name));
    }
    *mesh = found->second;
    return true;
  }
  if (in.TryWord("single_device") || in.TryWord("maximal_mesh")) {
    return in.Expect('[') && in.ExpectWord("device_id") && in.Expect('=') &&
           in.NonNegative(&mesh->devices.emplace_back()) && in.Expect(']');
  }
  in.TryWord("mesh");
  const bool angle = in.Try('<');
  return ReadAxes(in, mesh) && ReadDeviceIdsIfAny(in, mesh) && (!angle || in.Expect('>'));
}

// Reads an axis "'x'", or a part of it, "'x':(2)4".
bool ReadAxisPart(Cursor& in, const Mesh& mesh, AxisPart* part) {
  std::string name;
  const char* start = in.Here();
  if (!ReadAxisName(in, &name)) return false;
  const auto found = std::find_if(mesh.axes.begin(), mesh.axes.end(),
                                  [&](const MeshAxis& axis) { return axis.name == name; });
  if (found == mesh.axes.end()) {
    return in.FailAt(start, "text.attribute", absl::StrCat("the mesh has no axis ", name));
  }
  part->axis = found - mesh.axes.begin();
  part->size = found->size;
  if (!in.Try(':')) return true;
  return in.Expect('(') && in.NonNegative(&part->pre) && in.Expect(')') &&
         in.NonNegative(&part->size);
}

// Reads "{'x', 'y', ?}" and an optional Shardy priority such as "p4".
bool ReadParts(Cursor& in, const Mesh& mesh, std::vector<AxisPart>* parts) {
  const bool read = ReadList(
      in, '{', '}', [&] { return in.Try('?') || ReadAxisPart(in, mesh, &parts->emplace_back()); });
  if (read && in.Raw() == 'p') in.TryIdentifier();
  return read;
}

std::vector<AxisPart> AllAxes(const Mesh& mesh) {
  std::vector<AxisPart> all;
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    all.push_back({static_cast<int64_t>(i), 1, mesh.axes[i].size});
  }
  return all;
}

// Reads "replicated", "manual={'x'}", "unreduced=max{'x'}" or "metadata={...}".
bool ReadNamedItem(Cursor& in, NamedSharding* named) {
  std::vector<AxisPart> replicated;
  absl::string_view word;
  if (!in.Identifier(&word, "replicated, unreduced, manual or metadata")) return false;
  if (word == "metadata") {
    absl::string_view text;
    return in.Expect('=') && in.Balanced(&text);
  }
  std::vector<AxisPart>* parts = word == "manual"       ? &named->manual
                                 : word == "unreduced"  ? &named->unreduced
                                 : word == "replicated" ? &replicated
                                                        : nullptr;
  if (parts == nullptr) return in.Expected("replicated, unreduced, manual or metadata");
  if (!in.Try('=')) {
    *parts = AllAxes(named->mesh);
    return true;
  }
  in.TryIdentifier();  // the reduction that remains to be done
  return ReadParts(in, named->mesh, parts);
}

std::string Unescaped(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"\\\"", "\""}});
}

absl::Status StatusOf(const Cursor& in, bool read, absl::string_view text) {
  if (read) return absl::OkStatus();
  return in.failed() ? Annotate(in.status(), std::string(text))
                     : InvalidInput("expected a sharding, found ", text);
}

}  // namespace

bool ReadNamedSharding(Cursor& in, const MeshTable& meshes, NamedSharding* named) {
  if (!ReadMesh(in, meshes, &named->mesh)) return false;
  while (in.Try(',')) {
    const bool dimensions = in.Peek() == '[';
    const bool read =
        dimensions
            ? ReadList(
                  in, '[', ']',
                  [&] { return ReadParts(in, named->mesh, &named->dimensions.emplace_back()); })
            : ReadNamedItem(in, named);
    if (!read) return false;
  }
  return true;
}

absl::StatusOr<MeshTable> ParseMeshTable(absl::string_view text) {
  const std::string plain = Unescaped(text);
  Cursor in(plain);
  MeshTable meshes;
  const bool read = ReadList(in, '{', '}', [&] {
    std::string name;
    if (!ReadAxisName(in, &name) || !in.Expect('=') || !in.Expect('#')) return false;
    return in.ExpectWord("sdy.mesh") && ReadMesh(in, {}, &meshes[name]);
  });
  HLOCTS_RETURN_IF_ERROR(StatusOf(in, read && in.AtEnd(), text));
  return meshes;
}

absl::StatusOr<std::vector<NamedSharding>> ParseShardyShardings(absl::string_view text,
                                                                const MeshTable& meshes) {
  const std::string plain = Unescaped(text);
  Cursor in(plain);
  std::vector<NamedSharding> all;
  const auto read_one = [&] {
    return in.Expect('<') && ReadNamedSharding(in, meshes, &all.emplace_back()) && in.Expect('>');
  };
  bool read = in.Expect('#');
  if (read && in.TryWord("sdy.sharding")) {
    read = read_one();
  } else {
    read = read && in.ExpectWord("sdy.sharding_per_value") && in.Expect('<') &&
           ReadList(in, '[', ']', read_one) && in.Expect('>');
  }
  HLOCTS_RETURN_IF_ERROR(StatusOf(in, read && in.AtEnd(), text));
  return all;
}

absl::StatusOr<std::vector<std::string>> ParseManualAxes(absl::string_view text) {
  const std::string plain = Unescaped(text);
  Cursor in(plain);
  std::vector<std::string> axes;
  const bool read =
      in.Expect('#') && in.ExpectWord("sdy") && in.Expect('<') && in.ExpectWord("manual_axes") &&
      ReadList(in, '{', '}', [&] { return ReadAxisName(in, &axes.emplace_back()); }) &&
      in.Expect('>');
  HLOCTS_RETURN_IF_ERROR(StatusOf(in, read && in.AtEnd(), text));
  return axes;
}

}  // namespace hlocts
