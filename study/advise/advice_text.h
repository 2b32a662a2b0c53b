#pragma once

#include <string>
#include <vector>

#include "civita/study/advise/advice.h"

namespace civita {

/// One sentence of an advice: what it says, without a stop, and the formula of its number.
struct AdviceSentence {
  std::string text;
  std::string formula = {};
};

/// An advice in words, in the order in which it is read.
struct AdviceText {
  std::string verdict;                      ///< whether the choice of C matters here
  std::vector<AdviceSentence> assumptions;  ///< what it holds for
  std::vector<AdviceSentence> errors;       ///< for which errors, and by how much
  std::vector<AdviceSentence> costs;        ///< of torque, noise, holding and delay
  std::vector<AdviceSentence> instead;      ///< what to do; may be empty
};

/// A change of an error by less than this does not matter.
inline constexpr double kMatters = 0.01;

AdviceText DescribeAdvice(const Advice& advice);

}  // namespace civita
