// SPDX-License-Identifier: Apache-2.0
// Faults of partitioners. Each device computes its tile of the result from tiles of the operands.
// It reads wrong rows of another tile, or combines the parts of a sum wrongly (as in
// openxla/xla#49118, jax-ml/jax#39301).
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "backends/selftest/elements.h"
#include "backends/selftest/faults/fault.h"
#include "backends/selftest/partition.h"
#include "spec/ir/index_util.h"

namespace hlocts::backends {
namespace {

constexpr int64_t kZeroRow = -1, kPaddingRow = -2;

// A dimension that is split into tiles of ceil(size / tiles) rows; this device has tile `own`.
struct CutRows {
  int64_t size, tiles, own;
  int64_t Each() const { return (size + tiles - 1) / tiles; }
  int64_t Clamped(int64_t row) const { return row < size ? row : kPaddingRow; }
};
// Returns the row of the array that is read instead of `row`.
using ReadRow = int64_t (*)(const CutRows&, int64_t row);

int64_t DropsHalo(const CutRows& cut, int64_t row) {
  return row / cut.Each() == cut.own ? row : kZeroRow;
}
int64_t ReadsNextShard(const CutRows& cut, int64_t row) {
  const int64_t owner = row / cut.Each();
  if (owner == cut.own) return row;
  return cut.Clamped((owner + 1) % cut.tiles * cut.Each() + row % cut.Each());
}
int64_t ReadsPadding(const CutRows& cut, int64_t row) {
  return cut.Clamped(row + cut.Each() * cut.tiles - cut.size);
}
// Finds the owner of a row as if tiles had floor(size / tiles) rows.
int64_t MiscomputesOwner(const CutRows& cut, int64_t row) {
  const int64_t each = std::max<int64_t>(1, cut.size / cut.tiles);
  const int64_t owner = std::min(row / each, cut.tiles - 1);
  return cut.Clamped(owner * cut.Each() + row - owner * each);
}
bool OnlyUneven(ReadRow read) { return read == ReadsPadding || read == MiscomputesOwner; }

int64_t LargestDimension(const Shape& shape) {
  const auto& sizes = shape.dimensions();
  return std::max_element(sizes.begin(), sizes.end()) - sizes.begin();
}

Literal WithRows(const Literal& array, int64_t dimension, const CutRows& cut, ReadRow read) {
  Literal changed = array;
  const std::vector<int64_t> strides = RowMajorStrides(array.shape().dimensions());
  int64_t at = 0;
  ForEachIndex(array.shape().dimensions(), [&](absl::Span<const int64_t> index) {
    const int64_t row = index[dimension], from = read(cut, row);
    if (from >= 0) {
      CopyElement(array, at + (from - row) * strides[dimension], changed, at);
    } else {
      ZeroElement(changed, at);
      const int64_t numbers = NumberCount(array) / array.element_count();
      for (int64_t n = 0; from == kPaddingRow && n < numbers; ++n) {
        WriteNumber(changed, at * numbers + n, 77);
      }
    }
    ++at;
  });
  return changed;
}

// Replaces the rows of tile `cut.own` by those of `other`.
void TakeTile(const Literal& other, int64_t dimension, const CutRows& cut, Literal& result) {
  int64_t at = 0;
  ForEachIndex(result.shape().dimensions(), [&](absl::Span<const int64_t> index) {
    if (index[dimension] / cut.Each() == cut.own) CopyElement(other, at, result, at);
    ++at;
  });
}

bool Readable(const FaultSite& site) {
  for (const Literal& operand : site.operands) {
    if (!IsStoredArray(operand) || operand.has_runtime_sizes()) return false;
  }
  return IsStoredArray(*site.result) && !site.result->has_runtime_sizes() &&
         site.result->element_count() > 0 && site.operands[0].shape().rank() > 0;
}

// Returns the number of tiles in the annotation; without an annotation, 2, or 1 if the size is less
// than 2. If the fault only affects padding but that number of tiles needs no padding, returns the
// least number from 2 to 4 that needs padding, or 1.
int64_t TilesFor(const Instruction& instruction, size_t operand, int64_t dimension, int64_t size,
                 ReadRow read) {
  const int64_t annotated = AnnotatedTiles(instruction, {{operand, dimension}});
  if (annotated > 1 && (!OnlyUneven(read) || size % annotated != 0)) return annotated;
  if (!OnlyUneven(read)) return size < 2 ? 1 : 2;
  for (int64_t tiles = 2; tiles <= 4; ++tiles) {
    if (size > 1 && size % tiles != 0) return tiles;
  }
  return 1;
}

// Returns the number of the operand that is split into tiles.
size_t MovedOperand(Opcode opcode) {
  return opcode == Opcode::kScatter ? 2 : opcode == Opcode::kDynamicUpdateSlice ? 1 : 0;
}

template <ReadRow read>
void ReadWrongRows(FaultSite& site) {
  if (!Readable(site)) return;
  const size_t moved = MovedOperand(site.opcode());
  const Shape& given = site.operands[moved].shape();
  if (given.rank() == 0) return;
  const int64_t dimension = LargestDimension(given), size = given.dimension(dimension);
  const int64_t tiles = TilesFor(site.instruction, moved, dimension, size, read);
  if (tiles < 2) return;
  const Shape made = site.result->shape();
  const int64_t made_dimension = made.rank() == 0 ? 0 : LargestDimension(made);
  const Literal right = *site.result;
  for (int64_t device = 0; device < (made.rank() == 0 ? 1 : tiles); ++device) {
    std::vector<Literal> operands(site.operands.begin(), site.operands.end());
    const bool all = site.opcode() == Opcode::kConcatenate;
    for (size_t k = moved; k < (all ? operands.size() : moved + 1); ++k) {
      const int64_t rows = operands[k].shape().dimension(dimension);
      if (operands[k].element_count() == 0) continue;
      operands[k] = WithRows(operands[k], dimension, {rows, tiles, device}, read);
    }
    const Literal wrong = site.Evaluate(site.instruction, std::move(operands), right);
    if (made.rank() == 0) {
      *site.result = wrong;
    } else {
      TakeTile(wrong, made_dimension, {made.dimension(made_dimension), tiles, device},
               *site.result);
    }
  }
}

// Splits sums along the first of ContractedDimensions. Returns the results of nonempty tiles.
std::vector<Literal> PartsOf(FaultSite& site, int64_t tiles) {
  std::vector<Literal> parts;
  if (!Readable(site)) return parts;
  const std::vector<Contracted> choices = ContractedDimensions(site.instruction, site.operands);
  for (int64_t tile = 0; !choices.empty() && tile < tiles; ++tile) {
    auto operands = OperandsOfPart(site.instruction, site.operands, choices[0], tile, tiles);
    if (!operands.has_value()) continue;
    Instruction part(site.instruction.name(), site.opcode(), site.instruction.shape());
    part.mutable_attributes() = site.instruction.attributes();
    parts.push_back(site.Evaluate(part, *std::move(operands), *site.result));
  }
  return parts;
}
void Combine(FaultSite& site, const Literal& a, const Literal& b) {
  absl::StatusOr<Literal> both = CombineParts(site.context, site.instruction, a, b);
  if (both.ok()) *site.result = *std::move(both);
}

// Adds the part of a replica instead of the part of another tile.
void CombinesReplicas(FaultSite& site) {
  const std::vector<Literal> parts = PartsOf(site, 2);
  if (parts.size() == 2) Combine(site, parts[0], parts[0]);
}
void CombinesNothing(FaultSite& site) {
  const std::vector<Literal> parts = PartsOf(site, 2);
  if (parts.size() == 2) *site.result = parts[0];
}
// Combines only three of four tiles.
void ForgetsLastTile(FaultSite& site) {
  const std::vector<Literal> parts = PartsOf(site, 4);
  if (parts.size() < 3) return;
  *site.result = parts[0];
  for (size_t i = 1; i + 1 < parts.size(); ++i) Combine(site, *site.result, parts[i]);
}
// Sums over devices a value that every device already has in full.
void CountsTwice(FaultSite& site) {
  if (!PartsOf(site, 2).empty()) Combine(site, Literal(*site.result), Literal(*site.result));
}

struct FlawRow {
  const char* name;
  const char* what;
  void (*site)(FaultSite&);
  std::vector<Opcode> opcodes;
};

const std::vector<FlawRow>& Flaws() {
  static const std::vector<FlawRow>* rows = new std::vector<FlawRow>{
      {"drops-halo",
       "rows of other devices are zeros",
       ReadWrongRows<DropsHalo>,
       {Opcode::kSlice, Opcode::kPad, Opcode::kConcatenate, Opcode::kReverse, Opcode::kConvolution,
        Opcode::kReduceWindow, Opcode::kSelectAndScatter, Opcode::kDynamicSlice,
        Opcode::kDynamicUpdateSlice, Opcode::kGather, Opcode::kReshape}},
      {"reads-next-shard",
       "rows of other devices are those of the next device",
       ReadWrongRows<ReadsNextShard>,
       {Opcode::kSlice, Opcode::kPad, Opcode::kConcatenate, Opcode::kReverse, Opcode::kConvolution,
        Opcode::kReduceWindow, Opcode::kSelectAndScatter, Opcode::kDynamicSlice,
        Opcode::kDynamicUpdateSlice, Opcode::kGather, Opcode::kReshape}},
      {"padding-is-visible",
       "padding of uneven shards is read as if it were the array's front",
       ReadWrongRows<ReadsPadding>,
       {Opcode::kSlice, Opcode::kPad, Opcode::kConcatenate, Opcode::kReverse, Opcode::kConvolution,
        Opcode::kReduceWindow, Opcode::kSelectAndScatter, Opcode::kReduce, Opcode::kDot,
        Opcode::kScatter, Opcode::kGather}},
      {"mistakes-owner",
       "the owner of a row is that of shards without padding",
       ReadWrongRows<MiscomputesOwner>,
       {Opcode::kSlice, Opcode::kPad, Opcode::kConcatenate, Opcode::kDynamicSlice,
        Opcode::kDynamicUpdateSlice, Opcode::kGather, Opcode::kScatter, Opcode::kReverse}},
      {"sums-replicas",
       "parts of a sum are combined over the wrong axis of the mesh",
       CombinesReplicas,
       {Opcode::kReduce, Opcode::kDot, Opcode::kConvolution, Opcode::kScatter}},
      {"sums-nothing",
       "parts of a sum are not combined",
       CombinesNothing,
       {Opcode::kReduce, Opcode::kDot, Opcode::kConvolution, Opcode::kScatter}},
      {"sums-all-but-one",
       "the last part of a sum is omitted",
       ForgetsLastTile,
       {Opcode::kReduce, Opcode::kDot, Opcode::kConvolution, Opcode::kScatter}},
      {"sums-twice",
       "a sum that is complete is summed over the devices",
       CountsTwice,
       {Opcode::kReduce, Opcode::kDot, Opcode::kConvolution, Opcode::kScatter}},
  };
  return *rows;
}

}  // namespace

void AddPartitionFaults(std::vector<Fault>& faults) {
  for (const FlawRow& row : Flaws()) {
    for (Opcode opcode : row.opcodes) {
      faults.push_back(AfterFault(absl::StrCat(OpcodeName(opcode), ".partition-", row.name),
                                  FaultClass::kPartition, opcode, row.what, row.site));
    }
  }
}

}  // namespace hlocts::backends
