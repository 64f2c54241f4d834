// SPDX-License-Identifier: Apache-2.0
// Random arguments for the engines' own tests.
#pragma once

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "spec/ir/literal.h"

namespace hlocts::plan {

// Returns random multiples of 1/16 of both signs for f32, c64 and f64, random bits for other types.
inline Literal RandomArgument(const Shape& shape, std::mt19937_64& random) {
  Literal literal(shape);
  const auto number = [&] { return static_cast<int8_t>(random()) / 16.0; };
  if (shape.element_type() == PrimitiveType::kF32 || shape.element_type() == PrimitiveType::kC64) {
    std::vector<float> numbers(literal.raw_size() / sizeof(float));
    for (float& one : numbers) one = static_cast<float>(number());
    if (!numbers.empty())
      std::memcpy(literal.mutable_raw_data(), numbers.data(), literal.raw_size());
  } else if (shape.element_type() == PrimitiveType::kF64) {
    for (double& one : literal.mutable_data<double>()) one = number();
  } else if (literal.raw_size() > 0) {
    const int kept = shape.element_type() == PrimitiveType::kPred ? 1 : 0xff;
    uint8_t* bytes = literal.mutable_raw_data();
    for (size_t i = 0; i < literal.raw_size(); ++i)
      bytes[i] = static_cast<uint8_t>(random() & kept);
  }
  return literal;
}

inline std::vector<Literal> RandomArguments(const std::vector<Shape>& shapes, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Literal> arguments;
  for (const Shape& shape : shapes) arguments.push_back(RandomArgument(shape, random));
  return arguments;
}

}  // namespace hlocts::plan
