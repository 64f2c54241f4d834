// SPDX-License-Identifier: Apache-2.0
// Shrinks element types: tries f32, then s32 and a few others.
#include "fuzz/shrink/shrinker.h"

namespace hlocts::fuzz {

bool SimplerTypes(Sample& sample, const StillFails& still_fails) {
  bool progress = false;
  for (PrimitiveType from : TypesOf(*sample.module)) {
    for (PrimitiveType to : SimplerTypesThan(from)) {
      if (to == from) continue;
      if (!KeepIfFails(sample, Retyped(sample, from, to), still_fails)) continue;
      progress = true;
      break;
    }
  }
  return progress;
}

}  // namespace hlocts::fuzz
