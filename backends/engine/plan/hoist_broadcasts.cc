// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "backends/engine/plan/fusion.h"
#include "backends/engine/plan/passes.h"

namespace hlocts::plan {
namespace {

// The least number of elements of a result, and of repetitions of each element, for which a
// separate loop saves time.
constexpr int64_t kElementsMin = 64, kTimesMin = 4;

class Once {
 public:
  Once(Graph& graph, bool however_small)
      : graph_(graph),
        elements_min_(however_small ? 2 : kElementsMin),
        times_min_(however_small ? 2 : kTimesMin) {}

  // Returns in ascending order the dimensions along which the elements of the node's result differ,
  // or nullopt if the node should not be changed.
  std::optional<Dimensions> AlongOf(const Node& node) const;
  // Adds the node with only the dimensions `along`, and a broadcast to its original dimensions.
  void Narrow(Node node, const Dimensions& along);

 private:
  // Appends the dimensions along which the value's elements differ. Returns false if the value is
  // not a broadcast, an iota or a scalar.
  bool Collect(ValueId value, Dimensions& along) const;
  ValueId Narrowed(ValueId value, const Dimensions& along);
  ValueId NarrowedBroadcast(const Node& node, const Dimensions& along);
  Shape ShapeAlong(const ArrayType& type, const Dimensions& along) const;

  Graph& graph_;
  int64_t elements_min_, times_min_;
};

bool Once::Collect(ValueId value, Dimensions& along) const {
  const Node& node = graph_.producer(value);
  if (graph_.type(value).dimensions.empty()) return true;
  if (node.opcode == Opcode::kIota) {
    const int64_t d = node.source->IntOr(Attr::kIotaDimension, 0);
    along.push_back(d);
    return graph_.type(value).dimensions[d] > 1;
  }
  if (node.opcode != Opcode::kBroadcast) return false;
  const ArrayType& from = graph_.type(node.operands[0]);
  const std::vector<int64_t>& places = node.source->IntList(Attr::kDimensions);
  for (size_t d = 0; d < places.size(); ++d) {
    if (from.dimensions[d] > 1) along.push_back(places[d]);
  }
  return true;
}

std::optional<Dimensions> Once::AlongOf(const Node& node) const {
  if (node.outputs.size() != 1 || KindOf(graph_, node) != NodeKind::kElementwise) {
    return std::nullopt;
  }
  const ArrayType& type = graph_.type(node.outputs[0]);
  if (type.elements < elements_min_) return std::nullopt;
  Dimensions along;
  for (ValueId operand : node.operands) {
    if (!Collect(operand, along)) return std::nullopt;
  }
  std::sort(along.begin(), along.end());
  along.erase(std::unique(along.begin(), along.end()), along.end());
  int64_t elements = 1;
  for (int64_t d : along) elements *= type.dimensions[d];
  if (elements > type.elements / times_min_) return std::nullopt;
  return along;
}

Shape Once::ShapeAlong(const ArrayType& type, const Dimensions& along) const {
  std::vector<int64_t> sizes;
  for (int64_t d : along) sizes.push_back(type.dimensions[d]);
  return Shape(type.type, sizes);
}

int64_t PlaceIn(const Dimensions& along, int64_t dimension) {
  return std::lower_bound(along.begin(), along.end(), dimension) - along.begin();
}

ValueId Once::NarrowedBroadcast(const Node& node, const Dimensions& along) {
  const ArrayType type = graph_.type(node.outputs[0]);
  const ArrayType& from = graph_.type(node.operands[0]);
  const std::vector<int64_t>& places = node.source->IntList(Attr::kDimensions);
  std::vector<int64_t> sizes, dimensions;  // dimensions of size 1 are omitted
  for (size_t d = 0; d < places.size(); ++d) {
    if (from.dimensions[d] == 1) continue;
    sizes.push_back(from.dimensions[d]);
    dimensions.push_back(PlaceIn(along, places[d]));
  }
  ValueId value = node.operands[0];
  if (sizes.size() != from.dimensions.size()) {
    const Shape shape(from.type, sizes);
    value = graph_.AddMade(Instruction("once", Opcode::kReshape, shape), {value});
  }
  const bool is_whole =
      dimensions.size() == along.size() && std::is_sorted(dimensions.begin(), dimensions.end());
  if (is_whole) return value;
  Instruction broadcast("once", Opcode::kBroadcast, ShapeAlong(type, along));
  broadcast.Set(Attr::kDimensions, dimensions);
  return graph_.AddMade(std::move(broadcast), {value});
}

ValueId Once::Narrowed(ValueId value, const Dimensions& along) {
  const Node node = graph_.producer(value);
  if (graph_.type(value).dimensions.empty()) return value;
  if (node.opcode == Opcode::kBroadcast) return NarrowedBroadcast(node, along);
  Instruction iota("once", Opcode::kIota, ShapeAlong(graph_.type(value), along));
  const int64_t d = node.source->IntOr(Attr::kIotaDimension, 0);
  iota.Set(Attr::kIotaDimension, PlaceIn(along, d));
  return graph_.AddMade(std::move(iota), {});
}

void Once::Narrow(Node node, const Dimensions& along) {
  const ValueId whole = node.outputs[0];
  const ArrayType type = graph_.type(whole);
  for (ValueId& operand : node.operands) operand = Narrowed(operand, along);
  node.outputs.clear();
  const NodeId id = graph_.Add(std::move(node), {TypeOf(ShapeAlong(type, along))});
  Instruction broadcast("repeat", Opcode::kBroadcast, ShapeOf(type));
  broadcast.Set(Attr::kDimensions, std::vector<int64_t>(along.begin(), along.end()));
  Node repeat = graph_.Made(std::move(broadcast), {graph_.nodes[id].outputs[0]});
  repeat.outputs.push_back(whole);
  graph_.AppendNode(std::move(repeat));
}

}  // namespace

void HoistBroadcasts(Graph& graph, const PassContext& context) {
  Once once(graph, context.however_small);
  for (Node& node : graph.ReleaseNodes()) {
    const std::optional<Dimensions> along = node.removed ? std::nullopt : once.AlongOf(node);
    if (along.has_value()) {
      once.Narrow(std::move(node), *along);
    } else {
      graph.AppendNode(std::move(node));
    }
  }
}

}  // namespace hlocts::plan
