#pragma once

#include <limits>
#include <string>
#include <vector>

#include "civita/sim/metric_table.h"

namespace civita {

/// One of two compared runs.
struct ComparedSide {
  std::string name;                         ///< "t:1", "A"
  std::vector<double> values;               ///< by metric; NaN if there is none
  std::string fate = {};                    ///< "failed: …" of a run that did not reach the end
  std::vector<std::string> turned_by = {};  ///< TurningCauses of its scene
  /// PredictedError, as far as there is a prediction.
  double predicted_error = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::string> left_out = {};  ///< of the prediction
  bool is_one_of_mean = false;             ///< one run beside a prediction of a mean over noise
  bool is_predicted_linearly = false;      ///< PredictedError::is_linear
  bool is_whole = true;  ///< otherwise it failed or fell, and its values do not count
  std::string law = {};  ///< LawInfo::type: V and s of two laws are not the same quantities
  /// Whether its law damps s in proportion to H (DampsByInertia): otherwise damping turns s, by
  /// more than torsion does.
  bool damps_by_inertia = true;
};

/// What is said where fewer than two runs are whole.
inline constexpr const char* kNoConclusion =
    "The figures of a run that failed or fell tell nothing of its law: no conclusion.";

/// What two runs of a scene differ in, by how much, why, and whether it matters here: sentences of
/// plain text, in order of weight, that the metrics alone decide. `half`, by metric, is that of the
/// confidence interval of the difference b − a of several runs; empty: of one run each, which are
/// compared as they are. Numbers are the same or apart where the whole interval says so; of others
/// the runs do not tell. Where one is not whole, only their fates are told.
std::string CompareInWords(const std::vector<MetricInfo>& metrics, const ComparedSide& a,
                           const ComparedSide& b, const std::vector<double>& half = {});

/// The same for who sees two runs for the first time, in two sentences at most, as far as each is
/// known: of V; of torsion, the tracking error (its RMS) and its prediction.
std::vector<std::string> CompareInShort(const std::vector<MetricInfo>& metrics,
                                        const ComparedSide& a, const ComparedSide& b);

}  // namespace civita
