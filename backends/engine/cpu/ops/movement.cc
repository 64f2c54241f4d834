// SPDX-License-Identifier: Apache-2.0
// Data movement other than views: pads, concatenates, dynamic slices and bitcasts.
#include <algorithm>
#include <cstring>

#include "backends/engine/cpu/compile/op_list.h"
#include "backends/engine/cpu/loops/load_piece.h"
#include "backends/engine/cpu/moves/box_move.h"
#include "backends/engine/cpu/moves/strided.h"
#include "backends/engine/plan/segments.h"

namespace hlocts::cpu {

// Returns a step that assembles a pad or a concatenate, one block at a time.
absl::StatusOr<StepDraft> MakeAssembled(const OpContext& context) {
  // A block is so small that its filling is still in the cache when pieces are copied.
  constexpr int64_t kBlock = 4096;
  constexpr double kElementNs = 0.3;
  const bool is_pad = context.node.opcode == Opcode::kPad;
  if (is_pad && context.source().Get<PaddingConfig>(Attr::kPadding) == nullptr) {
    return InvalidInput(context.name(), ": expected padding, found none");
  }
  const plan::Assembly assembly = plan::AssemblyOf(context.fusion, context.graph, context.node);
  std::vector<LoadedPiece> pieces;
  for (const plan::Piece& piece : assembly.pieces) {
    pieces.push_back({static_cast<int>(pieces.size()), piece.Simplified()});
  }
  const kernels::Parallel parallel(context.compiler.options().threads);
  const int width = context.out(0).width();
  const int64_t elements = context.out(0).elements;
  StepDraft draft;
  draft.run = [=, filling = assembly.filling](Run&, In in, Out out) {
    parallel.For(
        elements, kElementNs,
        [&](int64_t begin, int64_t end) {
          for (int64_t start = begin; start < end; start += kBlock) {
            const int64_t count = std::min(kBlock, end - start);
            Assemble(filling, pieces, width, in, start, count, out[0] + start * width);
          }
        },
        kBlock);
    return absl::OkStatus();
  };
  return draft;
}

absl::StatusOr<StepDraft> MakeDynamicSlice(const OpContext& context) {
  StepDraft draft;
  draft.box = std::make_shared<const BoxMove>(context, BoxMove::Kind::kRead);
  draft.run = [box = draft.box](Run&, In in, Out out) {
    return box->Run(in, out), absl::OkStatus();
  };
  return draft;
}

absl::StatusOr<StepDraft> MakeDynamicUpdateSlice(const OpContext& context) {
  StepDraft draft;
  draft.in_place = {{0, 0}};
  draft.box = std::make_shared<const BoxMove>(context, BoxMove::Kind::kWrite);
  draft.run = [box = draft.box](Run&, In in, Out out) {
    return box->Run(in, out), absl::OkStatus();
  };
  return draft;
}

namespace {

// Packs the bits of elements in order. The first element is in the lowest bits.
void Pack(PrimitiveType type, const uint8_t* elements, int64_t count, uint8_t* packed) {
  const int bits = BitWidth(type);
  if (bits >= 8) {
    std::memcpy(packed, elements, static_cast<size_t>(count * StorageBytes(type)));
    return;
  }
  std::memset(packed, 0, static_cast<size_t>((count * bits + 7) / 8));
  const uint8_t mask = static_cast<uint8_t>((1 << bits) - 1);
  for (int64_t i = 0; i < count; ++i) {
    packed[i * bits / 8] |= static_cast<uint8_t>((elements[i] & mask) << (i * bits % 8));
  }
}

void Unpack(PrimitiveType type, const uint8_t* packed, int64_t count, uint8_t* elements) {
  const int bits = BitWidth(type);
  if (type == PrimitiveType::kPred) {
    for (int64_t i = 0; i < count; ++i) elements[i] = packed[i] != 0;
    return;
  }
  if (bits >= 8) {
    std::memcpy(elements, packed, static_cast<size_t>(count * StorageBytes(type)));
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const uint8_t shifted =
        static_cast<uint8_t>(packed[i * bits / 8] >> (i * bits % 8) << (8 - bits));
    elements[i] = IsSigned(type) ? static_cast<uint8_t>(static_cast<int8_t>(shifted) >> (8 - bits))
                                 : static_cast<uint8_t>(shifted >> (8 - bits));
  }
}

}  // namespace

// Reinterprets the packed bits of the elements, in order, as elements of the result's type.
absl::StatusOr<StepDraft> MakeBitcastConvert(const OpContext& context) {
  const plan::ArrayType in_type = context.in(0), out_type = context.out(0);
  StepDraft draft;
  draft.run = [in_type, out_type](Run&, In in, Out out) {
    if (out_type.elements == 0) return absl::OkStatus();
    std::vector<uint8_t> packed((in_type.elements * BitWidth(in_type.type) + 7) / 8 + 1);
    Pack(in_type.type, in[0], in_type.elements, packed.data());
    Unpack(out_type.type, packed.data(), out_type.elements, out[0]);
    return absl::OkStatus();
  };
  return draft;
}

// Writes the operand's bytes in the order of its layout, and reads them in the order of the
// result's layout.
absl::StatusOr<StepDraft> MakeBitcast(const OpContext& context) {
  const Shape from = context.source().operand(0).shape(), to = context.source().shape();
  if (context.in(0).bytes != context.out(0).bytes || !from.IsArray() || !to.IsArray()) {
    return Unsupported(context.name(), ": cannot bitcast ", from.ToString(), " to ", to.ToString());
  }
  const Layout from_layout = from.layout() ? *from.layout() : DefaultLayout(from.rank());
  const Layout to_layout = to.layout() ? *to.layout() : DefaultLayout(to.rank());
  const bool plain = from_layout.IsMajorToMinor() && to_layout.IsMajorToMinor();
  const size_t bytes = static_cast<size_t>(context.out(0).bytes);
  StepDraft draft;
  draft.run = [=](Run&, In in, Out out) -> absl::Status {
    if (bytes == 0) return absl::OkStatus();
    if (plain) {
      std::memcpy(out[0], in[0], bytes);
      return absl::OkStatus();
    }
    Literal operand = Literal::Uninitialized(from);
    std::memcpy(operand.mutable_raw_data(), in[0], bytes);
    HLOCTS_ASSIGN_OR_RETURN(
        const Literal result,
        Literal::FromBytesInLayout(to, to_layout, operand.BytesInLayout(from_layout)));
    std::memcpy(out[0], result.raw_data(), bytes);
    return absl::OkStatus();
  };
  return draft;
}

}  // namespace hlocts::cpu
