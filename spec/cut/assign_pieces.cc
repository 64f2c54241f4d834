// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "spec/cut/placing.h"
#include "spec/ir/surgery.h"
#include "spec/ops/kinds.h"
#include "spec/ops/op_table.h"

namespace hlocts {
namespace {

struct PlaceRow {
  AccuracyRule rule;
  Place place;
  bool joint;  // elements cannot be judged one by one
};
constexpr PlaceRow kPlaces[] = {
    {AccuracyRule::kExact, Place::kFree, false},
    {AccuracyRule::kCompare, Place::kCounts, false},
    {AccuracyRule::kSignBit, Place::kCounts, false},
    {AccuracyRule::kRoundToIntegral, Place::kCounts, false},
    {AccuracyRule::kMinMax, Place::kCounts, false},
    {AccuracyRule::kRemainder, Place::kCounts, false},
    {AccuracyRule::kAddSubtract, Place::kCounts, false},
    {AccuracyRule::kMultiply, Place::kCounts, false},
    {AccuracyRule::kDivide, Place::kCounts, false},
    {AccuracyRule::kSquareRoot, Place::kCounts, false},
    {AccuracyRule::kFunction, Place::kCutAfter, false},
    {AccuracyRule::kPower, Place::kCutAfter, false},
    {AccuracyRule::kConvert, Place::kCounts, false},
    {AccuracyRule::kReducePrecision, Place::kCounts, false},
    {AccuracyRule::kStochasticConvert, Place::kAlone, true},
    {AccuracyRule::kReduction, Place::kCutAfter, false},
    {AccuracyRule::kSelectAndScatter, Place::kAlone, false},
    {AccuracyRule::kScatter, Place::kAlone, false},
    {AccuracyRule::kContraction, Place::kCutAfter, false},
    {AccuracyRule::kOrdering, Place::kAlone, true},
    {AccuracyRule::kBatchNorm, Place::kAlone, false},
    {AccuracyRule::kFft, Place::kAlone, true},
    {AccuracyRule::kCholesky, Place::kAlone, true},
    {AccuracyRule::kTriangularSolve, Place::kAlone, true},
    {AccuracyRule::kRandom, Place::kAlone, true},
    {AccuracyRule::kRandomBits, Place::kAlone, true},
    {AccuracyRule::kCalled, Place::kAlone, false},
    {AccuracyRule::kCollectiveReduction, Place::kCutAfter, false},
    {AccuracyRule::kUnknown, Place::kAlone, true},
};

const PlaceRow& PlaceOf(AccuracyRule rule) {
  for (const PlaceRow& row : kPlaces) {
    if (row.rule == rule) return row;
  }
  return kPlaces[0];
}

bool HoldsFloats(const Shape& shape) {
  bool found = false;
  ForEachLeaf(shape, [&](const Shape& leaf, const ShapeIndex&) {
    found = found || IsFloat(leaf.element_type()) || IsComplex(leaf.element_type());
  });
  return found;
}

bool IsJoint(const Instruction& instruction) {
  if (PlaceOf(RowOf(instruction.opcode()).accuracy).joint) return true;
  for (const Computation* called : instruction.called_computations()) {
    for (const auto& inner : called->instructions()) {
      if (IsJoint(*inner)) return true;
    }
  }
  return false;
}

// A union-find structure over the indices of instructions.
class Groups {
 public:
  explicit Groups(size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), int64_t{0});
  }
  int64_t Find(int64_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void Unite(int64_t a, int64_t b) {
    a = Find(a), b = Find(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<int64_t> parent_;
};

// The depth that a path through the computation has reached. Bands are groups of pieces; bands run
// one after another. `band` is the last band on the path, and `used` is the number of the path's
// operations in that band. `begun` is true if the path has any instruction in that band.
struct Depth {
  int64_t band = 0;
  int64_t used = 0;
  bool begun = false;
  bool operator<(const Depth& other) const {
    return std::tie(band, used, begun) < std::tie(other.band, other.used, other.begun);
  }
};

class Placer {
 public:
  Placer(const Computation& computation, const CutOptions& options)
      : computation_(computation),
        options_(options),
        groups_(computation.instructions().size()),
        live_(computation.instructions().size(), false),
        band_(computation.instructions().size(), 0) {}

  absl::StatusOr<Placing> Run() {
    MarkLive(*computation_.root());
    HLOCTS_RETURN_IF_ERROR(Check());
    FindCopied();
    CollectEdges();
    UniteUncuttableValues();
    MergeCycles();
    AssignBands();
    return Collect();
  }

 private:
  void MarkLive(const Instruction& root);
  absl::Status Check() const;
  void FindCopied();
  bool IsMember(const Instruction& i) const {
    return live_[i.index()] && !IsTupleOrGetTupleElement(i) && !i.IsParameter() &&
           !placing_.copied.contains(&i);
  }
  void CollectEdges();
  void UniteUncuttableValues();
  void MergeCycles();
  void AssignBands();
  Depth After(const Depth& before, Place place, int64_t count, int64_t& band) const;
  Placing Collect();
  std::vector<int64_t> GroupOrder();

  const Computation& computation_;
  const CutOptions& options_;
  Groups groups_;
  std::vector<bool> live_;
  std::vector<int64_t> band_;                       // indexed by the representative of a group
  std::vector<std::pair<int64_t, int64_t>> edges_;  // producer, user
  Placing placing_;
};

void Placer::MarkLive(const Instruction& root) {
  std::vector<const Instruction*> todo = {&root};
  // Omits instructions that the root does not need, such as outfeeds. The operands of an outfeed
  // are judged in the pieces that compute them.
  while (!todo.empty()) {
    const Instruction* next = todo.back();
    todo.pop_back();
    if (live_[next->index()]) continue;
    live_[next->index()] = true;
    todo.insert(todo.end(), next->operands().begin(), next->operands().end());
  }
}

absl::Status Placer::Check() const {
  for (const auto& instruction : computation_.instructions()) {
    if (!live_[instruction->index()]) continue;
    const Opcode opcode = instruction->opcode();
    const bool paired =
        ops::IsTransfer(opcode) && !ops::IsOneOf(opcode, {Opcode::kInfeed, Opcode::kOutfeed});
    if (paired) {
      return Unsupported(instruction->name(), ": a module with ", OpcodeName(opcode),
                         " cannot be cut");
    }
    bool opaque = false;
    ForEachLeaf(instruction->shape(), [&](const Shape& leaf, const ShapeIndex&) {
      opaque = opaque || (!leaf.IsArray() && !leaf.IsToken());
    });
    if (opaque) return Unsupported(instruction->name(), ": opaque values cannot be cut");
  }
  return absl::OkStatus();
}

// Finds the instructions that are copied into pieces. A producer of the root must be an output of a
// piece, so it is copied only if it is a constant.
void Placer::FindCopied() {
  absl::flat_hash_set<const Instruction*> roots;
  ForEachProducer(*computation_.root(), [&](const Instruction& i) { roots.insert(&i); });
  for (const auto& instruction : computation_.instructions()) {
    Opcode opcode = instruction->opcode();
    bool copied = opcode == Opcode::kConstant;
    if (options_.operations > 1 && !roots.contains(instruction.get())) {
      const auto& operands = instruction->operands();
      const bool of_copied = std::all_of(
          operands.begin(), operands.end(),
          [&](const Instruction* operand) { return placing_.copied.contains(operand); });
      copied = copied || (IsCheapOfConstants(opcode) && of_copied);
    }
    if (copied) placing_.copied.insert(instruction.get());
  }
}

void Placer::CollectEdges() {
  for (const auto& user : computation_.instructions()) {
    if (!IsMember(*user)) continue;
    for (const Instruction* operand : user->operands()) {
      ForEachProducer(*operand, [&](const Instruction& producer) {
        if (IsMember(producer)) edges_.push_back({producer.index(), user->index()});
      });
    }
  }
}

void Placer::UniteUncuttableValues() {
  for (auto [from, to] : edges_) {
    if (MustShareAPiece(*computation_.instructions()[from], *computation_.instructions()[to])) {
      groups_.Unite(from, to);
    }
  }
}

// Merges strongly connected groups (Kosaraju's algorithm), so that no two groups depend on each
// other. Explicit stacks suffice, since the graphs are small.
void Placer::MergeCycles() {
  int64_t count = static_cast<int64_t>(computation_.instructions().size());
  std::vector<std::vector<int64_t>> forward(count), backward(count);
  for (auto [from, to] : edges_) {
    int64_t a = groups_.Find(from), b = groups_.Find(to);
    if (a == b) continue;
    forward[a].push_back(b);
    backward[b].push_back(a);
  }
  std::vector<int64_t> finished;
  std::vector<uint8_t> seen(count, 0);
  for (int64_t start = 0; start < count; ++start) {
    std::vector<std::pair<int64_t, bool>> stack = {{start, false}};
    while (!stack.empty()) {
      auto [node, done] = stack.back();
      stack.pop_back();
      if (done) finished.push_back(node);
      if (done || seen[node]) continue;
      seen[node] = 1;
      stack.push_back({node, true});
      for (int64_t next : forward[node]) stack.push_back({next, false});
    }
  }
  std::fill(seen.begin(), seen.end(), 0);
  for (auto it = finished.rbegin(); it != finished.rend(); ++it) {
    std::vector<int64_t> stack = {*it};
    while (!stack.empty()) {
      int64_t node = stack.back();
      stack.pop_back();
      if (seen[node]) continue;
      seen[node] = 1;
      groups_.Unite(node, *it);
      stack.insert(stack.end(), backward[node].begin(), backward[node].end());
    }
  }
}

// Returns the representatives of the groups that have members, producers before users.
std::vector<int64_t> Placer::GroupOrder() {
  std::map<int64_t, int64_t> waiting;  // group -> edges from groups not yet in order
  for (const auto& instruction : computation_.instructions()) {
    if (IsMember(*instruction)) waiting[groups_.Find(instruction->index())] = 0;
  }
  std::map<int64_t, std::vector<int64_t>> users;
  for (auto [from, to] : edges_) {
    int64_t a = groups_.Find(from), b = groups_.Find(to);
    if (a == b) continue;
    users[a].push_back(b);
    ++waiting[b];
  }
  std::vector<int64_t> order;
  for (auto [group, count] : waiting) {
    if (count == 0) order.push_back(group);
  }
  for (size_t i = 0; i < order.size(); ++i) {
    for (int64_t user : users[order[i]]) {
      if (--waiting[user] == 0) order.push_back(user);
    }
  }
  return order;
}

Depth Placer::After(const Depth& before, Place place, int64_t count, int64_t& band) const {
  Depth now = before;
  bool each = options_.operations == 1;
  bool full = count > 0 && now.used > 0 && now.used + count > options_.operations;
  if (now.begun && (place == Place::kAlone || full)) now = {now.band + 1, 0, false};
  band = now.band;
  if (each || place == Place::kAlone || place == Place::kCutAfter) return {band + 1, 0, false};
  return {band, now.used + count, true};
}

void Placer::AssignBands() {
  std::map<int64_t, std::pair<Place, int64_t>> groups;  // the largest Place, operations
  for (const auto& instruction : computation_.instructions()) {
    if (!IsMember(*instruction)) continue;
    auto& [place, count] =
        groups.try_emplace(groups_.Find(instruction->index()), Place::kFree, 0).first->second;
    Place own = PlaceOf(*instruction, options_);
    place = std::max(place, own);
    count += own != Place::kFree;
  }
  std::map<int64_t, std::vector<int64_t>> producers;
  for (auto [from, to] : edges_) {
    int64_t a = groups_.Find(from), b = groups_.Find(to);
    if (a != b) producers[b].push_back(a);
  }
  std::map<int64_t, Depth> after;
  for (int64_t group : GroupOrder()) {
    Depth before;
    for (int64_t producer : producers[group]) before = std::max(before, after[producer]);
    auto [place, count] = groups[group];
    after[group] = After(before, place, count, band_[group]);
  }
}

// Returns the pieces, which are the connected components of each band.
Placing Placer::Collect() {
  Groups pieces(computation_.instructions().size());
  auto band = [&](int64_t i) { return band_[groups_.Find(i)]; };
  for (auto [from, to] : edges_) {
    if (band(from) == band(to)) pieces.Unite(from, to);
  }
  std::map<std::pair<int64_t, int64_t>, std::vector<const Instruction*>> ordered;
  for (const auto& instruction : computation_.instructions()) {
    if (!IsMember(*instruction)) continue;
    int64_t group = groups_.Find(instruction->index());
    pieces.Unite(instruction->index(), group);
  }
  for (const auto& instruction : computation_.instructions()) {
    if (!IsMember(*instruction)) continue;
    int64_t i = instruction->index();
    ordered[{band(i), pieces.Find(i)}].push_back(instruction.get());
  }
  for (auto& [key, members] : ordered) placing_.pieces.push_back(std::move(members));
  return std::move(placing_);
}

}  // namespace

Place PlaceOf(const Instruction& instruction, const CutOptions& options) {
  const PlaceRow& row = PlaceOf(RowOf(instruction.opcode()).accuracy);
  if (options.operations == CutOptions::kOnlyAtJointValues) {
    return IsJoint(instruction) ? Place::kAlone : Place::kFree;
  }
  if (row.place == Place::kAlone) return row.place;
  bool floats = HoldsFloats(instruction.shape());
  for (const Instruction* operand : instruction.operands()) {
    floats = floats || HoldsFloats(operand->shape());
  }
  return floats ? row.place : Place::kFree;
}

bool IsTupleOrGetTupleElement(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kTuple || instruction.opcode() == Opcode::kGetTupleElement;
}

bool HoldsToken(const Shape& shape) {
  bool found = false;
  ForEachLeaf(shape,
              [&](const Shape& leaf, const ShapeIndex&) { found = found || leaf.IsToken(); });
  return found;
}

bool MustShareAPiece(const Instruction& producer, const Instruction& user) {
  bool pending = RowOf(producer.opcode()).family == Family::kAsync &&
                 RowOf(user.opcode()).family == Family::kAsync && user.operand_count() == 1;
  return pending || producer.shape().is_dynamic();
}

void ForEachProducer(const Instruction& operand,
                     const std::function<void(const Instruction&)>& visit) {
  CutValue value = ResolveValue(operand);
  if (value.instruction->opcode() != Opcode::kTuple) return visit(*value.instruction);
  for (const Instruction* element : value.instruction->operands()) ForEachProducer(*element, visit);
}

absl::StatusOr<Placing> PlaceInstructions(const Computation& computation,
                                          const CutOptions& options) {
  if (options.operations < 1) {
    return InvalidInput("cut: expected at least 1 operation per piece, found ", options.operations);
  }
  return Placer(computation, options).Run();
}

}  // namespace hlocts
