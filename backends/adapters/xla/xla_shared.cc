// SPDX-License-Identifier: Apache-2.0
// Shapes and attributes, between XLA and our own words.
#include "backends/adapters/xla/xla_shared.h"

#include <algorithm>
#include <variant>

#include "xla/layout_util.h"
#include "xla/shape_util.h"

namespace hlocts::xla_plugin {

std::vector<Attribute> Attributes(
    const absl::flat_hash_map<std::string, xla::PjRtValueType>& attributes) {
  std::vector<Attribute> copies;
  for (const auto& [name, value] : attributes) {
    Attribute& copy = copies.emplace_back(name, false);
    std::visit([&](const auto& v) { copy.second = v; }, value);
  }
  std::sort(copies.begin(), copies.end(),
            [](const Attribute& a, const Attribute& b) { return a.first < b.first; });
  return copies;
}

xla::Shape MakeShape(int element_type, const std::vector<int64_t>& dimensions,
                     const std::vector<int64_t>* minor_to_major) {
  if (element_type == xla::TOKEN) return xla::ShapeUtil::MakeTokenShape();
  xla::Shape shape = xla::ShapeUtil::MakeShape(Type(element_type), dimensions);
  if (minor_to_major != nullptr) {
    *shape.mutable_layout() = xla::LayoutUtil::MakeLayout(*minor_to_major);
  }
  return shape;
}

}  // namespace hlocts::xla_plugin
