// Repeated pushes of legged robots and their survival: the results.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "civita/sim/trials/survival_trial.h"
#include "civita/study/table.h"

namespace civita {

struct Interval {
  double low = 0, high = 1;
};

/// Wilson's score interval of a proportion observed as k out of n, with 95 % confidence (E. B.
/// Wilson, J. Am. Stat. Assoc. 22, 1927). [0, 1] for n = 0.
Interval WilsonInterval(long k, long n);

/// Of a trial: true or false, a count, a number in SI units, a text.
using TrialValue = std::variant<bool, long, double, std::string>;

/// The figures of a trial by the names of docs/survival.md; with `gait`, whether the robot walks,
/// also those of its end where it did not fall.
std::vector<std::pair<const char*, TrialValue>> FiguresOf(const SurvivalTrial& trial,
                                                          std::optional<bool> gait);

/// A robot with one variant and one push.
struct SurvivalRow {
  std::string scene;
  std::string variant;                 ///< "as modelled", "all errors, without steps"
  bool gait = false, may_step = true;  ///< which criterion applies
  PushLevel push;
  std::string config;  ///< resolved, as YAML, without the seed
  std::vector<SurvivalTrial> trials;

  long num_survived() const;
  long num_fallen() const;
  /// WilsonInterval of the survived ones.
  Interval interval() const;
};

struct SurvivalTable {
  int trials = 0;  ///< of each row, as requested
  int seed = 0;    ///< the first
  bool interrupted = false;
  std::vector<SurvivalRow> rows;
};

/// A row for each robot, variant and push.
Table PushesTable(const SurvivalTable& survival);

/// Markdown: the definitions, then a row for each robot, variant and push.
std::string FormatSurvival(const SurvivalTable& table);

/// Contents of survival.json; docs/survival.md has the schema.
std::string FormatSurvivalJson(const SurvivalTable& table);

/// Reads a survival.json of this version of the program. @throws UserError.
SurvivalTable ReadSurvivalJson(const std::filesystem::path& file);

}  // namespace civita
