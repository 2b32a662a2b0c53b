// Legged robots pushed over and over, and how many of them survived: what `civita survive` computes
// and writes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "civita/sim/trials/survival_trial.h"

namespace civita {

struct Interval {
  double low = 0, high = 1;
};

/// Wilson's score interval of a share of which k out of n were seen, with 95 % confidence
/// (E. B. Wilson, J. Am. Stat. Assoc. 22, 1927). [0, 1] for n = 0.
Interval WilsonInterval(long k, long n);

/// A robot under one variant and one push.
struct SurvivalRow {
  std::string scene;
  std::string variant;                 ///< "as modelled", "all errors, without steps"
  bool gait = false, may_step = true;  ///< which criterion holds
  PushLevel push;
  std::string config;  ///< resolved, as YAML, but for the seed
  std::vector<SurvivalTrial> trials;
};

struct SurvivalTable {
  int trials = 0;  ///< of each row, as asked for
  int seed = 0;    ///< the first
  bool interrupted = false;
  std::vector<SurvivalRow> rows;
};

/// In Markdown: the definitions, then a row a robot, variant and push.
std::string FormatSurvival(const SurvivalTable& table);

/// survival.json; docs/survival.md has the schema.
std::string FormatSurvivalJson(const SurvivalTable& table);

}  // namespace civita
