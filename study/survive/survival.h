// Repeated pushes of legged robots and their survival: the results.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "civita/sim/trials/survival_trial.h"

namespace civita {

struct Interval {
  double low = 0, high = 1;
};

/// Wilson's score interval of a proportion observed as k out of n, with 95 % confidence (E. B.
/// Wilson, J. Am. Stat. Assoc. 22, 1927). [0, 1] for n = 0.
Interval WilsonInterval(long k, long n);

/// A robot with one variant and one push.
struct SurvivalRow {
  std::string scene;
  std::string variant;                 ///< "as modelled", "all errors, without steps"
  bool gait = false, may_step = true;  ///< which criterion applies
  PushLevel push;
  std::string config;  ///< resolved, as YAML, without the seed
  std::vector<SurvivalTrial> trials;
};

struct SurvivalTable {
  int trials = 0;  ///< of each row, as requested
  int seed = 0;    ///< the first
  bool interrupted = false;
  std::vector<SurvivalRow> rows;
};

/// Content of survival.json; docs/survival.md has the schema.
std::string FormatSurvivalJson(const SurvivalTable& table);

}  // namespace civita
