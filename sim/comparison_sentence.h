#pragma once

#include <string>
#include <vector>

#include "civita/sim/metric_table.h"

namespace civita {

/// One of two compared runs, as a sentence needs it.
struct RunFigures {
  std::string name;  ///< "A (christoffel)"
  const std::vector<MetricInfo>& metrics;
  const std::vector<double>& values;  ///< in their order; NaN: not known yet
  Failure failure = {};
};

/// What differs between two runs, by how much, and why: "A (christoffel) turned s by 0.02 rad, B
/// (t:1) by 0.85 rad, 0.61 of it torsion; tracking errors are alike."
std::string DescribeComparison(const RunFigures& a, const RunFigures& b);

}  // namespace civita
