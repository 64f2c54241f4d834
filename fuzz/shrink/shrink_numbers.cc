// SPDX-License-Identifier: Apache-2.0
// Shrinks the numbers in attributes: windows, paddings, slices, sizes.
#include <set>
#include <tuple>

#include "fuzz/shrink/size_edits.h"
#include "spec/ir/attributes.h"

namespace hlocts::fuzz {
namespace {

// A number of an attribute and its simplest value.
struct Number {
  int64_t* value;
  int64_t simplest;
};

// Returns pointers to the numbers in the attribute `value`, with their simplest values.
std::vector<Number> NumbersOf(Attr attr, AttributeValue& value) {
  std::vector<Number> numbers;
  if (Window* window = std::get_if<Window>(&value)) {
    for (WindowDimension& d : window->dimensions) {
      for (int64_t* one : {&d.size, &d.stride, &d.window_dilation, &d.base_dilation})
        numbers.push_back({one, 1});
      for (int64_t* one : {&d.padding_low, &d.padding_high}) numbers.push_back({one, 0});
    }
  } else if (PaddingConfig* padding = std::get_if<PaddingConfig>(&value)) {
    for (PaddingDimension& d : padding->dimensions) {
      for (int64_t* one : {&d.low, &d.high, &d.interior}) numbers.push_back({one, 0});
    }
  } else if (SliceRanges* slice = std::get_if<SliceRanges>(&value)) {
    for (SliceRange& d : slice->dimensions) {
      numbers.push_back({&d.start, 0});
      numbers.push_back({&d.limit, d.start + 1});
      numbers.push_back({&d.stride, 1});
    }
  } else if (attr == Attr::kDynamicSliceSizes || attr == Attr::kSliceSizes ||
             attr == Attr::kFftLength) {
    for (int64_t& size : std::get<std::vector<int64_t>>(value)) numbers.push_back({&size, 1});
  } else if (attr == Attr::kK || attr == Attr::kFeatureGroupCount ||
             attr == Attr::kBatchGroupCount) {
    numbers.push_back({&std::get<int64_t>(value), 1});
  }
  return numbers;
}

// The position of a number of an attribute.
struct Place {
  size_t computation, instruction, attribute, number;
};

AttributeValue* AttributeAt(Sample& sample, const Place& place) {
  auto& computations = sample.module->computations();
  if (place.computation >= computations.size()) return nullptr;
  auto& instructions = computations[place.computation]->instructions();
  if (place.instruction >= instructions.size()) return nullptr;
  auto& attributes = instructions[place.instruction]->mutable_attributes();
  return place.attribute < attributes.size() ? &attributes[place.attribute].second : nullptr;
}

bool TryNumber(Sample& sample, Attr attr, const Place& place, int64_t to,
               const StillFails& still_fails) {
  const SampleEdit put = [&](Sample& s) {
    *NumbersOf(attr, *AttributeAt(s, place))[place.number].value = to;
  };
  return TryEdit(sample, put, still_fails);
}

// Tries the simplest number and its neighbour, then moves towards the simplest one in halved steps.
bool Approach(Sample& sample, Attr attr, const Place& place, const StillFails& still_fails) {
  auto now = [&] { return NumbersOf(attr, *AttributeAt(sample, place))[place.number]; };
  int64_t value = *now().value, simplest = now().simplest;
  if (value == simplest) return false;
  int64_t towards = value > simplest ? -1 : 1;
  if (TryNumber(sample, attr, place, simplest, still_fails)) return true;
  if (simplest - towards == value) return false;
  if (TryNumber(sample, attr, place, simplest - towards, still_fails)) return true;
  bool progress = false;
  for (int64_t step = std::abs(value - simplest) / 2; step > 0;) {
    bool taken = TryNumber(sample, attr, place, value + towards * step, still_fails);
    progress = progress || taken;
    if (taken) value += towards * step;
    if (!taken || step >= std::abs(value - simplest)) step /= 2;
  }
  return progress;
}

struct SimplerNumbers {
  Attr attr;
  Place place;
  int64_t way;  // distance from the simplest number
};

// Returns the places of all numbers that can be simpler. Accepted edits do not change the places.
std::vector<SimplerNumbers> PlacesOf(const Sample& sample) {
  std::vector<SimplerNumbers> places;
  const auto& computations = sample.module->computations();
  for (size_t c = 0; c < computations.size(); ++c) {
    for (size_t i = 0; i < computations[c]->instructions().size(); ++i) {
      const auto& attributes = computations[c]->instructions()[i]->attributes();
      for (size_t a = 0; a < attributes.size(); ++a) {
        auto [attr, copy] = attributes[a];
        const std::vector<Number> numbers = NumbersOf(attr, copy);
        for (size_t n = 0; n < numbers.size(); ++n) {
          const int64_t way = numbers[n].simplest - *numbers[n].value;
          if (way != 0) places.push_back({attr, {c, i, a, n}, way});
        }
      }
    }
  }
  return places;
}

// Moves each number of the attribute one step towards its simplest value.
void StepAll(Sample& sample, Attr attr, const Place& place) {
  for (const Number& number : NumbersOf(attr, *AttributeAt(sample, place))) {
    const int64_t way = number.simplest - *number.value;
    *number.value += (way > 0) - (way < 0);
  }
}

}  // namespace

bool ShrinkNumbers(Sample& sample, const StillFails& still_fails) {
  bool progress = false;
  for (const auto& [attr, place, way] : PlacesOf(sample))
    progress = Approach(sample, attr, place, still_fails) || progress;
  return progress;
}

std::vector<SampleEdit> NumberEdits(const Sample& sample) {
  std::vector<SampleEdit> edits;
  std::set<std::tuple<size_t, size_t, size_t>> attributes;
  for (const auto& [attr, place, way] : PlacesOf(sample)) {
    if (attributes.insert({place.computation, place.instruction, place.attribute}).second)
      edits.push_back([attr = attr, place = place](Sample& s) { StepAll(s, attr, place); });
    for (int64_t step : std::set<int64_t>{(way > 0) - (way < 0), way / 2, way}) {
      if (step == 0) continue;
      edits.push_back([attr = attr, place = place, step](Sample& s) {
        *NumbersOf(attr, *AttributeAt(s, place))[place.number].value += step;
      });
    }
  }
  return edits;
}

}  // namespace hlocts::fuzz
