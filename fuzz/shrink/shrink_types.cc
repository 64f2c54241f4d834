// SPDX-License-Identifier: Apache-2.0
// Shrinks element types: a failure in any type is tried in f32, or else in s32.
#include "fuzz/shrink/shrinker.h"

namespace hlocts::fuzz {

bool SimplerTypes(Sample& sample, const StillFails& still_fails) {
  bool progress = false;
  for (PrimitiveType from : TypesOf(*sample.module)) {
    for (PrimitiveType to : PlainerThan(from)) {
      if (to == from) continue;
      if (!KeepIfFails(sample, Retyped(sample, from, to), still_fails)) continue;
      progress = true;
      break;
    }
  }
  return progress;
}

}  // namespace hlocts::fuzz
