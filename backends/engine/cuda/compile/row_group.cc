// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/compile/row_group.h"

#include <algorithm>

#include "backends/engine/cuda/compile/held_rows.h"

namespace hlocts::cuda {
namespace {

// A kernel of rows pays off if there are many rows, or so few elements that launches dominate.
constexpr int64_t kRowsLeast = 256, kColumnsLeast = 128, kElementsSmall = 1 << 12;
constexpr int kPackBytes = 16;  // bytes that one load instruction moves

using Sketches = std::vector<std::optional<StepCandidate>>;

struct Group {
  size_t begin = 0, end = 0;
  int64_t rows = 0, columns = 0;
};

int64_t WidthOf(const StepCandidate& s, const Group& g) {
  return s.is_reduce ? 1 : s.elements / g.rows;
}

// Returns true if the view of an array with one value per row repeats value i throughout row i.
bool IsOfRow(const hl::View& view, const Group& g) {
  if (view.offset != 0) return false;
  if (g.rows == 1) return view.rank == 0 || (view.rank == 1 && view.stride[0] == 0);
  return view.rank == 2 && view.size[0] == g.rows && view.stride[0] == 1 &&
         view.size[1] == g.columns && view.stride[1] == 0;
}

bool Fits(const StepCandidate& s, const Step& step, const Group& g) {
  if (!s.may_group || s.array_views.size() > hl::kRowArrays || step.out.size() != 1) return false;
  if (s.is_reduce) return s.rows == g.rows && s.columns == g.columns && s.elements == g.rows;
  return s.elements == g.rows * g.columns || s.elements == g.rows;
}

// Returns true if each row of the step reads values of the group from the same row only.
bool ReadsItsRow(const Function& function, const Sketches& sketches, const Group& g, size_t user) {
  const StepCandidate& s = *sketches[user];
  const Step& step = function.steps[user];
  for (size_t k = 0; k < step.in.size(); ++k) {
    for (size_t p = g.begin; p < user; ++p) {
      if (function.steps[p].out[0] != step.in[k]) continue;
      if (k >= s.array_views.size()) return false;  // operand k is an init value
      const int64_t made = WidthOf(*sketches[p], g);
      // A reduction may read the array in its terms or in its epilogue; the terms are assumed.
      const int64_t read = s.is_reduce ? g.columns : WidthOf(s, g);
      const int view = s.array_views[k];
      if (view == -1 ? made != read : view < 0 || made != 1 || !IsOfRow(s.views[view], g))
        return false;
    }
  }
  return true;
}

// Returns the longest group that contains this reduction.
std::optional<Group> GroupContaining(const Function& function, const Sketches& sketches,
                                     size_t from, size_t reduce) {
  const StepCandidate& r = *sketches[reduce];
  Group g = {from, from, r.rows, r.columns};
  if (!r.may_group || g.columns < 2) return std::nullopt;
  const bool many = g.rows >= kRowsLeast && g.columns >= kColumnsLeast;
  if (!many && g.rows * g.columns > kElementsSmall) return std::nullopt;
  const auto takes = [&](size_t s) {
    return sketches[s].has_value() && Fits(*sketches[s], function.steps[s], g) &&
           ReadsItsRow(function, sketches, g, s);
  };
  g.begin = g.end = reduce;
  while (g.begin > from && reduce - g.begin + 1 < hl::kRowParts &&
         sketches[g.begin - 1].has_value() &&
         Fits(*sketches[g.begin - 1], function.steps[g.begin - 1], g)) {
    --g.begin;
  }
  // The search backwards did not check all readers. Moves g.begin to the first step from which all
  // steps up to the reduction are valid members.
  for (; g.begin <= reduce; ++g.begin) {
    g.end = g.begin;
    while (g.end <= reduce && takes(g.end)) ++g.end;
    if (g.end > reduce) break;
  }
  if (g.begin > reduce) return std::nullopt;
  while (g.end < sketches.size() && g.end - g.begin < hl::kRowParts && takes(g.end)) ++g.end;
  return g.end - g.begin >= 2 ? std::optional<Group>(g) : std::nullopt;
}

// An input array of a part: an operand of the fused step, or the result of another part.
struct RowInput {
  int operand = -1, part = -1;
};
struct RowRun {
  hl::RowArgs args = {};
  int64_t rows = 0, code = -1;
  std::vector<std::vector<RowInput>> arrays;  // the inputs of each part
  std::vector<RowReads> reads;                // the same, for HoldRows
  std::vector<int> init;                      // operand of each part's init value, or -1
  std::vector<int> result;                    // the fused step's result that each part writes
  std::vector<StepCandidate> keep;            // own the programs and views

  absl::Status operator()(Run& run, In in, Out out) const {
    hl::RowArgs now = args;
    for (int p = 0; p < now.parts; ++p) {
      hl::RowPart& part = now.part[p];
      part.out = out[result[p]];
      if (init[p] >= 0) part.init = in[init[p]];
      for (size_t k = 0; k < arrays[p].size(); ++k) {
        const RowInput& from = arrays[p][k];
        part.arrays[k] = from.part >= 0 ? out[result[from.part]] : in[from.operand];
      }
    }
    return run.Launch(hl::kRowBlockKernel, now, rows, code);
  }
};

// Returns true if the caller, or a step from `end` on, reads the slot.
bool IsNeeded(const Function& function, size_t end, int32_t slot) {
  const auto has = [slot](const std::vector<int32_t>& list) {
    return std::find(list.begin(), list.end(), slot) != list.end();
  };
  for (size_t s = end; s < function.steps.size(); ++s) {
    if (has(function.steps[s].in)) return true;
  }
  return has(function.result_slots);
}

// Returns the part that may write its result to the memory of the result of step `made`, or -1. The
// part must be the last reader of that result, read in order, and have elements of the same width.
int LastReaderForReuse(const Function& function, const Sketches& sketches, const Group& g,
                       size_t made) {
  const int32_t slot = function.steps[made].out[0];
  if (sketches[made]->is_reduce || IsNeeded(function, g.end, slot)) return -1;
  for (size_t s = g.end; s-- > made + 1;) {
    const Step& step = function.steps[s];
    const auto at = std::find(step.in.begin(), step.in.end(), slot);
    if (at == step.in.end()) continue;
    const size_t k = static_cast<size_t>(at - step.in.begin());
    const bool in_order = sketches[s]->array_views[k] == -1 && !sketches[s]->is_reduce;
    const bool alike = sketches[s]->elements == sketches[made]->elements &&
                       hl::BytesOf(sketches[s]->type) == hl::BytesOf(sketches[made]->type);
    return in_order && alike ? static_cast<int>(s - g.begin) : -1;
  }
  return -1;
}

// Returns the number of adjacent elements that a thread of a part processes at a time. They fill at
// most 16 bytes in the widest array that is read in order, or written by a loop. The number divides
// the length of a row.
int NeighboursPerThread(const StepCandidate& s, const Group& g) {
  int bytes = s.is_reduce ? 0 : hl::BytesOf(s.type);
  for (const hl::Instr& n : s.terms->instructions) {
    if (n.op == hl::kOpLoad && n.b < 0) bytes = std::max(bytes, hl::BytesOf(n.to));
  }
  if (bytes == 0) return 1;
  int many = std::clamp(kPackBytes / bytes, 1, hl::kRowMany);
  const int64_t width = s.is_reduce ? g.columns : WidthOf(s, g);
  while (width % many != 0) many /= 2;
  return many;
}

hl::RowPart PartOf(const StepCandidate& s, const Group& g) {
  hl::RowPart part = {};
  part.terms = s.terms->code;
  if (s.is_reduce) {
    part.body = s.body->code;
    part.finish = s.finish->code;
  }
  part.views = static_cast<const hl::View*>(s.views_memory->data());
  part.is_reduce = s.is_reduce ? 1 : 0;
  part.init_type = s.init_type;
  part.type = s.type;
  part.width = WidthOf(s, g);
  part.many = NeighboursPerThread(s, g);
  return part;
}

RowText TextOf(const StepCandidate& s, const Group& g) {
  RowText text;
  text.terms = s.terms->instructions;
  if (s.is_reduce) {
    text.body = s.body->instructions;
    text.finish = s.finish->instructions;
  }
  text.views = s.views;
  text.is_reduce = s.is_reduce;
  text.type = s.type;
  text.init_type = s.init_type;
  text.many = NeighboursPerThread(s, g);
  return text;
}

int OperandOf(Step& step, int32_t slot) {
  const auto at = std::find(step.in.begin(), step.in.end(), slot);
  if (at != step.in.end()) return static_cast<int>(at - step.in.begin());
  step.in.push_back(slot);
  return static_cast<int>(step.in.size()) - 1;
}

// Determines which result of the fused step each part writes: its own, or that of the part that
// reuses its memory.
void SetResults(const Function& function, const Sketches& sketches, const Group& g, RowRun& job,
                Step& step) {
  const int parts = static_cast<int>(g.end - g.begin);
  job.result.assign(parts, -1);
  for (int p = parts; p-- > 0;) {
    const int heir = LastReaderForReuse(function, sketches, g, g.begin + p);
    const bool free =
        heir >= 0 && std::count(job.result.begin(), job.result.end(), job.result[heir]) == 1;
    if (free) {
      job.result[p] = job.result[heir];
      continue;
    }
    job.result[p] = static_cast<int>(step.out.size());
    step.out.push_back(function.steps[g.begin + p].out[0]);
    step.out_bytes.push_back(function.steps[g.begin + p].out_bytes[0]);
  }
}

// Adds step s as a part of the job.
void AddPart(const Function& function, const Sketches& sketches, const Group& g, size_t s,
             RowRun& job, Step& step) {
  const StepCandidate& sketch = *sketches[s];
  const Step& alone = function.steps[s];
  const int p = job.args.parts++;
  job.args.first[p] = job.args.phases;
  job.args.phases += sketch.is_reduce ? hl::kRowPhases : 1;
  job.args.part[p] = PartOf(sketch, g);
  std::vector<RowInput>& arrays = job.arrays.emplace_back(sketch.array_views.size());
  RowReads& reads = job.reads.emplace_back();
  reads.wide = sketch.is_reduce || WidthOf(sketch, g) == g.columns;
  reads.needed = IsNeeded(function, g.end, alone.out[0]);
  for (size_t k = 0; k < arrays.size(); ++k) {
    for (size_t q = g.begin; q < s; ++q) {
      if (function.steps[q].out[0] == alone.in[k]) arrays[k].part = static_cast<int>(q - g.begin);
    }
    if (arrays[k].part < 0) arrays[k].operand = OperandOf(step, alone.in[k]);
    reads.arrays.push_back(arrays[k].part >= 0 ? arrays[k].part : kRowOperand + arrays[k].operand);
  }
  job.init.push_back(sketch.is_reduce ? OperandOf(step, alone.in.back()) : -1);
  job.keep.push_back(sketch);
  job.keep.back().finish_ungrouped = nullptr;
}

absl::StatusOr<Step> GroupStep(Compiler& compiler, const Function& function,
                               const Sketches& sketches, const Group& g) {
  RowRun job;
  Step step;
  std::vector<RowText> texts;
  job.rows = g.rows;
  job.args.columns = g.columns;
  SetResults(function, sketches, g, job, step);
  for (size_t s = g.begin; s < g.end; ++s) {
    texts.push_back(TextOf(*sketches[s], g));
    AddPart(function, sketches, g, s, job, step);
  }
  const bool holds = HoldRows(g.columns, job.reads, texts);
  HLOCTS_ASSIGN_OR_RETURN(job.code,
                          compiler.CompileRows(texts, holds ? g.columns : 0, g.rows * g.columns));
  step.work = std::move(job);
  return step;
}

}  // namespace

absl::Status GroupRows(Compiler& compiler, Sketches& sketches, Function& function) {
  std::vector<Step> steps;
  const bool groups = !compiler.options().disabled.contains("rows");
  for (size_t s = 0; s < sketches.size();) {
    // Finds the next reduction that a group from step s on may contain.
    size_t reduce = s;
    while (reduce < sketches.size() && sketches[reduce].has_value() &&
           !sketches[reduce]->is_reduce) {
      ++reduce;
    }
    std::optional<Group> group;
    if (groups && reduce < sketches.size() && sketches[reduce].has_value()) {
      group = GroupContaining(function, sketches, s, reduce);
    }
    const size_t until = group.has_value() ? group->begin : std::min(reduce + 1, sketches.size());
    for (; s < until; ++s) {
      if (sketches[s].has_value())
        HLOCTS_RETURN_IF_ERROR(sketches[s]->finish_ungrouped(function.steps[s]));
      steps.push_back(std::move(function.steps[s]));
    }
    if (!group.has_value()) continue;
    HLOCTS_ASSIGN_OR_RETURN(Step step, GroupStep(compiler, function, sketches, *group));
    steps.push_back(std::move(step));
    s = group->end;
  }
  function.steps = std::move(steps);
  return absl::OkStatus();
}

}  // namespace hlocts::cuda
