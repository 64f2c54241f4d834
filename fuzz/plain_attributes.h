// What an instruction says beyond the plainest: strides, paddings, dilations... each as an edit
// that takes it away.
#ifndef HLOCTS_FUZZ_PLAIN_ATTRIBUTES_H_
#define HLOCTS_FUZZ_PLAIN_ATTRIBUTES_H_

#include <functional>
#include <vector>

#include "spec/ir/module.h"

namespace hlocts {

struct PlainEdit {
  const char* name;                                   // of what it takes away: "stride"
  std::function<bool(Instruction& instruction)> run;  // false: there was none
};
const std::vector<PlainEdit>& PlainEdits();

}  // namespace hlocts

#endif  // HLOCTS_FUZZ_PLAIN_ATTRIBUTES_H_
