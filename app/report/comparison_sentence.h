#pragma once

#include <string>
#include <vector>

#include "civita/sim/metric_table.h"

namespace civita {

/// One of two compared runs.
struct ComparedSide {
  std::string name;               ///< "t:1", "A"
  std::vector<double> values;     ///< by metric; NaN if there is none
  std::vector<double> half = {};  ///< of their confidence intervals; empty, or NaN: none
  std::string fate = {};          ///< "failed: …" of a run that did not reach the end
  bool fell_freely = false;       ///< its values tell nothing of the law
};

/// What two runs of a scene differ in, by how much, why, and whether it matters here: sentences of
/// plain text, in order of weight, that the metrics alone decide. A difference within the
/// confidence intervals is none. Of a run that fell freely only its fate is told.
std::string CompareInWords(const std::vector<MetricInfo>& metrics, const ComparedSide& a,
                           const ComparedSide& b);

}  // namespace civita
