// SPDX-License-Identifier: Apache-2.0
// Faults of start indices: clamped wrongly, or read as a number of another type (as in
// openxla/xla#49121, #48718, #48717).
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "backends/selftest/elements.h"
#include "backends/selftest/faults/fault.h"
#include "reference/kernels/gather_scatter.h"
#include "reference/kernels/index_values.h"
#include "spec/ir/index_util.h"
#include "spec/ir/module.h"

namespace hlocts::backends {
namespace {

// One start index: its location, and the dimension that it indexes.
struct Start {
  Literal& literal;
  int64_t at;
  int64_t size;               // the size of the operand's dimension
  int64_t window;             // the number of elements from the start on
  const Instruction& source;  // the operand that contains the index
  bool skips_outside;         // true for scatter

  PrimitiveType type() const { return literal.element_type(); }
  int64_t value() const { return ReadInteger(literal, at); }
  int64_t last() const { return size - window; }
  bool inside() const { return value() >= 0 && value() <= last(); }
  void Set(int64_t value) const { WriteInteger(literal, at, value); }
};

template <typename Visit>
void ForEachSliceStart(FaultSite& site, Visit&& visit) {
  const bool update = site.opcode() == Opcode::kDynamicUpdateSlice;
  const size_t first = update ? 2 : 1;
  const Shape& window = update ? site.operands[1].shape() : site.instruction.shape();
  const Shape& operand = site.operands[0].shape();
  int64_t dimension = 0;
  for (size_t k = first; k < site.operands.size(); ++k) {
    for (int64_t i = 0; i < site.operands[k].element_count(); ++i, ++dimension) {
      if (dimension >= operand.rank()) return;
      visit(Start{site.operands[k], i, operand.dimension(dimension), window.dimensions()[dimension],
                  site.instruction.operand(static_cast<int64_t>(k)), false});
    }
  }
}

reference::WindowsGeometry GeometryOf(const FaultSite& site) {
  const size_t n = site.operands.size() / 2;
  const std::vector<int64_t>& operand = site.operands[0].shape().dimensions();
  if (site.opcode() == Opcode::kGather) {
    return reference::GatherGeometryOf(site.instruction, operand,
                                       site.operands[1].shape().dimensions());
  }
  return reference::ScatterGeometryOf(site.instruction, operand,
                                      site.operands[n].shape().dimensions(),
                                      site.operands[n + 1].shape().dimensions());
}

template <typename Visit>
void ForEachWindowStart(FaultSite& site, Visit&& visit) {
  const bool scatter = site.opcode() == Opcode::kScatter;
  const size_t k = scatter ? site.operands.size() / 2 : 1;
  const reference::WindowsGeometry geometry = GeometryOf(site);
  ForEachIndex(geometry.batch_sizes, [&](absl::Span<const int64_t> batch) {
    int64_t base = LinearIndex(batch, geometry.batch_index_strides);
    for (size_t i = 0; i < geometry.index_map.size(); ++i) {
      int64_t dimension = geometry.index_map[i];
      visit(Start{site.operands[k], base + static_cast<int64_t>(i) * geometry.vector_stride,
                  geometry.operand_dimensions[dimension], geometry.window_sizes[dimension],
                  site.instruction.operand(static_cast<int64_t>(k)), scatter});
    }
  });
}

template <typename Visit>
void ForEachStart(FaultSite& site, Visit&& visit) {
  for (const Literal& operand : site.operands) {
    if (operand.has_runtime_sizes()) return;
  }
  if (site.opcode() == Opcode::kGather || site.opcode() == Opcode::kScatter) {
    ForEachWindowStart(site, visit);
  } else {
    ForEachSliceStart(site, visit);
  }
}

using Edit = void (*)(const Start&);
struct EditRow {
  const char* id;
  FaultClass fault_class;
  const char* what;
  Edit edit;
};

// Sets the start to an index with the effect of `taken`: clamped or, for scatter, out of bounds.
void TakenFor(const Start& start, int64_t taken) {
  if (taken == start.value()) return;
  if (taken >= 0 && taken <= start.last()) return start.Set(taken);
  if (!start.skips_outside) return start.Set(taken < 0 ? 0 : start.last());
  int64_t outside = IsSigned(start.type()) ? -1 : start.last() + 1;
  start.Set(outside);
  if (start.value() != outside) start.Set(INT64_MAX);
}

constexpr EditRow kEdits[] = {
    {"negative-start-wraps", FaultClass::kIndexClamping,
     "a negative start counts from the end instead of being clamped (scatter: skipped)",
     [](const Start& s) {
       if (IsSigned(s.type()) && s.value() < 0) s.Set(s.value() + s.size);
     }},
    {"start-modulo-size", FaultClass::kIndexClamping,
     "an out-of-range start is reduced modulo the dimension",
     [](const Start& s) {
       if (s.inside() || s.size == 0) return;
       s.Set(std::min(s.last(), ((s.value() % s.size) + s.size) % s.size));
     }},
    {"last-start-unreachable", FaultClass::kIndexClamping,
     "the clamp ends one before the last start",
     [](const Start& s) {
       if (s.value() >= s.last() && s.last() > 0) s.Set(s.last() - 1);
     }},
    {"unsigned-read-signed", FaultClass::kIndexType,
     "an unsigned index with its top bit set is read as a negative one",
     [](const Start& s) {
       if (IsUnsigned(s.type())) TakenFor(s, WrapInteger(s.value(), BitWidth(s.type()), true));
     }},
    {"signed-read-unsigned", FaultClass::kIndexType, "a negative index is read as a huge one",
     [](const Start& s) {
       if (IsSigned(s.type()) && s.value() < 0) TakenFor(s, INT64_MAX);
     }},
    {"index-in-8-bits", FaultClass::kIndexType, "indices are computed in 8 bits",
     [](const Start& s) { TakenFor(s, WrapInteger(s.value(), 8, true)); }},
    {"index-in-16-bits", FaultClass::kIndexType, "indices are computed in 16 bits",
     [](const Start& s) { TakenFor(s, WrapInteger(s.value(), 16, true)); }},
    {"index-in-32-bits", FaultClass::kIndexType, "64-bit indices lose their upper half",
     [](const Start& s) {
       if (BitWidth(s.type()) == 64) TakenFor(s, WrapInteger(s.value(), 32, true));
     }},
    {"bound-in-index-type", FaultClass::kIndexType,
     "the bound of the clamp is computed in the index's own type and wraps",
     [](const Start& s) {
       int64_t bound = WrapInteger(s.last(), BitWidth(s.type()), IsSigned(s.type()));
       if (bound == s.last()) return;
       if (s.value() > bound) TakenFor(s, s.skips_outside ? INT64_MAX : bound);
     }},
    {"constant-index-sign-extended", FaultClass::kIndexType,
     "an unsigned index is sign-extended when it is a constant",
     [](const Start& s) {
       if (!s.source.IsConstant() || !IsUnsigned(s.type())) return;
       TakenFor(s, WrapInteger(s.value(), BitWidth(s.type()), true));
     }},
};

void SkippedUpdateIsClamped(FaultSite& site) {
  ForEachStart(site, [](const Start& s) {
    if (!s.inside() && s.last() >= 0) s.Set(std::clamp<int64_t>(s.value(), 0, s.last()));
  });
}

// Fills slices with zeros if their start would be clamped.
void OutsideReadsZero(FaultSite& site) {
  bool outside = false;
  ForEachStart(site, [&](const Start& s) { outside = outside || !s.inside(); });
  if (!outside) return;
  if (site.opcode() == Opcode::kDynamicSlice) {
    *site.result = Literal(site.result->shape());
    return;
  }
  const reference::WindowsGeometry geometry = GeometryOf(site);
  std::vector<int64_t> indices = reference::IndexValues(site.operands[1]);
  std::vector<reference::WindowPlace> places =
      reference::PlacesOf(geometry, indices, /*clamp=*/false);
  for (const reference::WindowPlace& place : places) {
    if (place.inside) continue;
    std::vector<int64_t> sizes, strides;
    for (const reference::CopyDimension& d : geometry.window.dims) {
      sizes.push_back(d.size);
      strides.push_back(d.result_stride);
    }
    ForEachIndex(sizes, [&](absl::Span<const int64_t> index) {
      ZeroElement(*site.result, place.batched_base + LinearIndex(index, strides));
    });
  }
}

void OutsideUpdateDropped(FaultSite& site) {
  bool outside = false;
  ForEachStart(site, [&](const Start& s) { outside = outside || !s.inside(); });
  if (outside) *site.result = site.operands[0];
}

// Applies the components of the start vector to the dimensions in reverse.
void StartsReversed(FaultSite& site) {
  std::vector<int64_t> values;
  ForEachStart(site, [&](const Start& s) { values.push_back(s.value()); });
  size_t next = values.size();
  ForEachStart(site, [&](const Start& s) { s.Set(values[--next]); });
}

// Merges a dynamic-slice of a dynamic-slice into one dynamic-slice. Its starts are the sums of the
// two starts, but the inner start is not clamped.
bool MergeSlices(Instruction& outer) {
  Instruction* inner = outer.operands()[0];
  if (inner->opcode() != Opcode::kDynamicSlice || inner->operand_count() != outer.operand_count()) {
    return false;
  }
  for (int64_t k = 1; k < outer.operand_count(); ++k) {
    if (!(outer.operand(k).shape() == inner->operand(k).shape())) return false;
  }
  for (int64_t k = 1; k < outer.operand_count(); ++k) {
    auto sum = std::make_unique<Instruction>(absl::StrCat(outer.name(), ".merged.", k),
                                             Opcode::kAdd, outer.operand(k).shape());
    sum->mutable_operands() = {inner->operands()[k], outer.operands()[k]};
    outer.mutable_operands()[k] = outer.parent()->Add(std::move(sum));
  }
  outer.mutable_operands()[0] = inner->operands()[0];
  return true;
}

void MergeAllSlices(Module& module) {
  std::vector<Instruction*> slices;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() == Opcode::kDynamicSlice) slices.push_back(instruction.get());
    }
  }
  for (Instruction* slice : slices) {
    if (!MergeSlices(*slice)) continue;
    // Users must come after their operands.
    std::vector<Instruction*> order;
    Computation* computation = slice->parent();
    for (const auto& instruction : computation->instructions()) {
      if (instruction.get() == slice) {
        for (int64_t k = 1; k < slice->operand_count(); ++k) order.push_back(slice->operands()[k]);
      }
      if (instruction->index() < slice->index() || instruction.get() == slice) {
        order.push_back(instruction.get());
      }
    }
    for (const auto& instruction : computation->instructions()) {
      if (std::find(order.begin(), order.end(), instruction.get()) == order.end()) {
        order.push_back(instruction.get());
      }
    }
    computation->Reorder(order);
  }
}

constexpr SiteFault kIndexSites[] = {
    {"scatter.outside-is-clamped", FaultClass::kIndexClamping, Opcode::kScatter,
     "an out-of-range window is moved inside instead of skipped", SkippedUpdateIsClamped, true},
    {"dynamic-slice.outside-reads-zero", FaultClass::kIndexClamping, Opcode::kDynamicSlice,
     "an out-of-range start yields zeros instead of the clamped slice", OutsideReadsZero, false},
    {"gather.outside-reads-zero", FaultClass::kIndexClamping, Opcode::kGather,
     "an out-of-range start yields zeros instead of the clamped slice", OutsideReadsZero, false},
    {"dynamic-update-slice.outside-dropped", FaultClass::kIndexClamping,
     Opcode::kDynamicUpdateSlice,
     "an update with an out-of-range start is dropped instead of clamped", OutsideUpdateDropped,
     false},
    {"dynamic-slice.starts-reversed", FaultClass::kIndexClamping, Opcode::kDynamicSlice,
     "the last start belongs to the first dimension", StartsReversed, true},
    {"dynamic-update-slice.starts-reversed", FaultClass::kIndexClamping,
     Opcode::kDynamicUpdateSlice, "the last start belongs to the first dimension", StartsReversed,
     true},
};

}  // namespace

void AddIndexFaults(std::vector<Fault>& faults) {
  constexpr Opcode kIndexed[] = {Opcode::kDynamicSlice, Opcode::kDynamicUpdateSlice,
                                 Opcode::kGather, Opcode::kScatter};
  for (const EditRow& row : kEdits) {
    for (Opcode opcode : kIndexed) {
      // Scatter skips an update that is out of bounds on either side, so this edit has no effect.
      bool same = opcode == Opcode::kScatter && (row.edit == kEdits[4].edit);
      if (same) continue;
      faults.push_back(
          BeforeFault(absl::StrCat(OpcodeName(opcode), ".", row.id), row.fault_class, opcode,
                      row.what, [edit = row.edit](FaultSite& site) { ForEachStart(site, edit); }));
    }
  }
  for (const SiteFault& row : kIndexSites) faults.push_back(SiteFaultOf(row, row.id));
  faults.push_back(RewriteFault(
      "dynamic-slice.of-slice-adds-starts", FaultClass::kIndexClamping, Opcode::kDynamicSlice,
      "a slice of a slice adds the starts without clamping each", MergeAllSlices));
}

}  // namespace hlocts::backends
