// SPDX-License-Identifier: Apache-2.0
// Declares the joint predicate of Fourier transforms whose results are outputs.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "spec/ir/literal.h"
#include "spec/judge/joint.h"

namespace hlocts::reference {

// Computes a 2-norm without overflow or underflow of the squares.
class Norm {
 public:
  void Add(double x) {
    const double square = x * x;
    if ((square > 0x1p-900 && square < 0x1p900) || x == 0) {
      squares_ += square;
    } else {
      far_ = std::hypot(far_, x);
    }
  }
  double Value() const {
    return far_ == 0 ? std::sqrt(squares_) : std::hypot(std::sqrt(squares_), far_);
  }

 private:
  double squares_ = 0, far_ = 0;  // far_: norm of the numbers whose squares leave the range
};

struct TransformBound {
  double bound = 0;     // largest 2-norm of the error; negative: no requirement
  double spread = 0;    // the operand's uncertainty, as a sum of moduli
  double roundoff = 0;  // error of all levels, relative to the length of a level
};

// Requires that the error of each transform, as one vector, is at most its bound (lemma 21).
std::shared_ptr<const JointPredicate> MakeNormwisePredicate(Literal centre,
                                                            std::vector<TransformBound> blocks,
                                                            int64_t length);

}  // namespace hlocts::reference
