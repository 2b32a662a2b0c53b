#pragma once

#include <string>
#include <vector>

#include "civita/study/advise/advice.h"
#include "civita/study/table.h"

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

/// Whether some kind of error changes by more than kMatters.
bool ChoiceMatters(const Advice& advice);

/// By how much errors of each kind change, a column for each part of the error; each row's `doc` is
/// its formula.
Table ErrorsTable(const Advice& advice);
/// Advice::settings, a row each.
Table SettingsTable(const Advice& advice);

/// Contents of advice.json; docs/advise.md has the schema. `command` reproduces it.
std::string FormatAdviceJson(const Advice& advice, const std::string& command);

}  // namespace civita
