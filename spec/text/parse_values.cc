// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/numbers.h"
#include "spec/ir/replica_groups.h"
#include "spec/text/format_number.h"
#include "spec/text/values.h"

namespace hlocts {
namespace {

bool ReadValue(Cursor& in, std::string* text) { return in.QuotedString(text); }
bool ReadValue(Cursor& in, int64_t* number) { return in.Integer(number); }
bool ReadValue(Cursor& in, bool* value) { return in.Bool(value); }
bool ReadValue(Cursor& in, std::vector<int64_t>* list) { return ReadIntList(in, list); }

bool ReadMetadataField(Cursor& in, absl::string_view name, OpMetadata* metadata) {
#define HLOCTS_METADATA(field) \
  if (name == #field) return ReadValue(in, &metadata->field);
#include "spec/ir/metadata_fields.def"
  return in.Fail("text.attribute",
                 absl::StrCat("expected a field of metadata, found '", name, "'"));
}

// Reads replica_groups: lists of ids, an iota, or axes of a mesh.

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

bool ReadStringMap(Cursor& in, StringMap* map) {
  return ReadList(in, '{', '}', [&] {
    std::string key, value;
    if (in.Peek() == '"') {
      if (!in.QuotedString(&key)) return false;
    } else {
      absl::string_view word;
      if (!in.Identifier(&word, "the name of an attribute")) return false;
      key = std::string(word);
    }
    if (!in.Expect('=')) return false;
    bool quoted = in.Peek() == '"';
    if (quoted) {
      if (!in.QuotedString(&value)) return false;
    } else {
      absl::string_view raw;
      if (!in.Balanced(&raw)) return false;
      value = std::string(raw);
    }
    map->entries.emplace_back(std::move(key), std::move(value));
    map->quoted.push_back(quoted);
    return true;
  });
}

bool ReadStatistics(Cursor& in, Statistics* statistics) {
  return ReadList(in, '{', '}', [&] {
    absl::string_view name;
    if (!in.Identifier(&name, "the name of a statistic") || !in.Expect('=')) return false;
    if (name == "visualizing_index") return in.Integer(&statistics->visualized_index);
    Statistic& entry = statistics->entries.emplace_back();
    entry.name = std::string(name);
    return in.Float(&entry.value);
  });
}

bool ReadOutputOperandAliasing(Cursor& in, std::vector<OutputOperandAlias>* aliases) {
  return ReadList(in, '{', '}', [&] {
    OutputOperandAlias& alias = aliases->emplace_back();
    return ReadShapeIndex(in, &alias.output_index) && in.Expect(':') && in.Expect('(') &&
           in.NonNegative(&alias.operand_number) && in.Expect(',') &&
           ReadShapeIndex(in, &alias.operand_index) && in.Expect(')');
  });
}

bool ReadResultAccuracy(Cursor& in, RawText* accuracy) {
  if (!in.Expect('{')) return false;
  if (in.TryWord("mode")) {
    absl::string_view mode;
    if (!in.Expect('=') || !in.Identifier(&mode, "default or highest")) return false;
    if (mode != "default" && mode != "highest") {
      return in.Fail("text.attribute", absl::StrCat("expected default or highest, found ", mode));
    }
    accuracy->text = absl::StrCat("{mode=", mode, "}");
    return in.Expect('}');
  }
  if (!in.ExpectWord("tolerance") || !in.Expect('=')) return false;
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
  if (!ReadList(in, '{', '}', [&] {
        absl::string_view field;
        if (!in.Identifier(&field, "atol, rtol or ulps") || !in.Expect('=')) return false;
        if (field == "atol") return in.Float(&atol);
        if (field == "rtol") return in.Float(&rtol);
        if (field == "ulps") return in.NonNegative(&ulps);
        return in.Fail("text.attribute",
                       absl::StrCat("expected atol, rtol or ulps, found ", field));
      })) {
    return false;
  }
  accuracy->text = absl::StrCat("{tolerance={atol=", FormatShortest(atol),
                                ",rtol=", FormatShortest(rtol), ",ulps=", ulps, "}}");
  return in.Expect('}');
}

bool ReadMetadata(Cursor& in, OpMetadata* metadata) {
  if (!in.Expect('{')) return false;
  while (!in.Try('}')) {
    absl::string_view name;
    if (!in.Identifier(&name, "a field of metadata") || !in.Expect('=')) return false;
    if (!ReadMetadataField(in, name, metadata)) return false;
    in.Try(',');
  }
  return true;
}

bool ReadReplicaGroups(Cursor& in, ReplicaGroups* groups) {
  if (in.Peek() == '[') return ReadIotaGroups(in, groups);
  if (in.PeekIdentifier() == "mesh") return ReadMeshGroups(in, groups);
  if (in.Peek() != '{') {
    return in.Expected("groups of ids, [groups,size]<=[...] or mesh[...]", "text.attribute");
  }
  return ReadList(in, '{', '}', [&] { return ReadIntList(in, &groups->groups.emplace_back()); });
}

}  // namespace hlocts
