// Modules that break one rule of the documents: a valid one with one attribute changed.
#ifndef HLOCTS_GENERATORS_NEGATIVE_H_
#define HLOCTS_GENERATORS_NEGATIVE_H_

#include <string>

#include "generators/choice_source.h"
#include "spec/ir/module.h"

namespace hlocts {

// Breaks a rule at one instruction and returns its id; "" when nothing in the module can be broken
// in a way that is listed here, the module being as it was.
std::string BreakOneRule(ChoiceSource& choose, Module& module);

}  // namespace hlocts

#endif  // HLOCTS_GENERATORS_NEGATIVE_H_
