#include "civita/study/compare/comparison_sentence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "civita/sim/metrics.h"
#include "civita/study/advise/advice.h"
#include "civita/study/advise/predicted_error.h"
#include "study/typeset_number.h"

namespace civita {
namespace {

constexpr double kSame = 0.01;       // relative difference up to which numbers are called the same
constexpr double kTurns = 0.01;      // rad: a smaller twist is not worth a sentence
constexpr double kExplained = 0.05;  // of the twist, that the ideal turning may miss
constexpr double kMatters = 0.1;     // relative difference from which it matters
constexpr double kVanished = 1e-3;   // of the largest storage: below it a mark says nothing
constexpr double kResolved = 10;     // times what is rounding, above which a number is told
constexpr double kLarge = 0.1;       // rad, m: errors beyond which linear equations miss
constexpr std::size_t kMostNamed = 3;

/// Metrics that a user of the robot feels, the heaviest first.
constexpr std::array kFelt = {
    "task_error_rms_m", "task_error_rms_rad", "error_rms", "forward_m_s",   "ee_path_m",
    "torque_rms",       "torque_rate",        "energy_J",  "tilt_peak_rad", "slip_m"};

/// "rad, m" joins angles and lengths.
std::string WithUnit(double value, std::string unit) {
  const std::size_t comma = unit.find(", ");
  if (comma != unit.npos) unit.replace(comma, 2, " and ");
  return unit.empty() ? Short(value) : Short(value) + " " + unit;
}

std::string Angle(double rad) { return Fixed(rad * 180 / std::numbers::pi, 0) + "°"; }

/// "tracking error, RMS" as within a sentence: "RMS tracking error".
std::string InProse(const std::string& label) {
  const std::size_t comma = label.rfind(", ");
  if (comma == label.npos) return label;
  return label.substr(comma + 2) + " " + label.substr(0, comma);
}

std::string TypesetPercent(double ratio) {
  return ratio < 1e-3 ? Scientific(ratio) : Short(100 * ratio, 2) + " %";
}

/// The two runs' values of the metrics.
class Words {
 public:
  Words(const std::vector<MetricInfo>& metrics, const ComparedSide& a, const ComparedSide& b,
        const std::vector<double>& half)
      : metrics_(metrics), a_(a), b_(b), half_(half) {}

  std::string Text() const {
    if (!a_.is_whole || !b_.is_whole) return Fates() + " " + kNoConclusion;
    std::vector<std::string> sentences;
    for (const std::string& sentence :
         {Fates(), Turns() ? Turning() : "", Storage(), Matter(), Prediction()}) {
      if (!sentence.empty()) sentences.push_back(sentence);
    }
    return internal::Join(sentences, " ");
  }

  std::vector<std::string> Lines() const {
    if (!a_.is_whole || !b_.is_whole) return {Fates()};
    std::vector<std::string> lines;
    if (const std::optional<StorageDifference> storage = FindStorageDifference()) {
      lines.push_back(storage->is_same
                          ? "Two controllers with the same energy V."
                          : "V differs by up to " + TypesetPercent(storage->relative) + ".");
    }
    if (const std::vector<std::size_t> trees = Trees(); !trees.empty()) {
      std::vector<std::string> changes;
      for (const std::size_t tree : trees) {
        const double ratio = b_.values[tree] / a_.values[tree];
        if (std::isfinite(ratio)) changes.push_back(metrics_[tree].label + " " + Change(ratio));
      }
      if (!changes.empty()) {
        lines.push_back("With " + b_.name + ": " + internal::Join(changes, ", ") + ".");
      }
      return lines;
    }
    const ComparedSide* turned = FindTurnedByTorsion();
    const ComparedSide& told = turned != nullptr ? *turned : b_;
    const std::string error = ErrorInShort(told, &told == &b_ ? a_ : b_);
    if (turned != nullptr) {
      lines.push_back("Torsion sends " + told.name + " another way" +
                      (error.empty() ? "." : ": " + error + "."));
    } else if (!error.empty()) {
      lines.push_back(told.name + ": " + error + ".");
    }
    return lines;
  }

 private:
  std::optional<std::size_t> Find(std::string_view key) const {
    const auto at = std::ranges::find(metrics_, key, &MetricInfo::key);
    if (at == metrics_.end()) return std::nullopt;
    return static_cast<std::size_t>(at - metrics_.begin());
  }
  static double Of(const ComparedSide& side, std::optional<std::size_t> metric) {
    return metric ? side.values[*metric] : kNaN;
  }
  /// Of the confidence interval of the difference; infinite where several runs do not give one.
  double Half(std::size_t metric) const {
    const double half = metric < half_.size() ? half_[metric] : 0;
    return std::isnan(half) ? HUGE_VAL : half;
  }
  /// Relative; NaN if one has no value.
  double Difference(std::size_t metric) const {
    return RelativeDifference(metrics_[metric], a_.values[metric], b_.values[metric]);
  }
  /// Whether the difference is at most kSame wherever in its interval it is.
  bool IsSame(std::size_t metric) const {
    const MetricInfo& info = metrics_[metric];
    const double a = a_.values[metric], b = b_.values[metric], half = Half(metric);
    return RelativeDifference(info, a, b - half) <= kSame &&
           RelativeDifference(info, a, b + half) <= kSame;
  }
  /// Whether zero is not in the interval.
  bool IsResolved(std::size_t metric) const {
    return std::abs(a_.values[metric] - b_.values[metric]) > Half(metric);
  }
  bool IsApart(std::size_t metric) const {
    return Difference(metric) > kSame && IsResolved(metric);
  }

  /// The errors of several mechanisms, of which what is of all together tells nothing.
  std::vector<std::size_t> Trees() const {
    std::vector<std::size_t> trees;
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
      if (metrics_[i].tree >= 0) trees.push_back(i);
    }
    return trees;
  }
  /// kFelt, with the error of each of several mechanisms in place of that of all.
  std::vector<std::size_t> Felt() const {
    std::vector<std::size_t> felt;
    for (const std::string_view key : kFelt) {
      std::vector<std::size_t> trees = key == "error_rms" ? Trees() : std::vector<std::size_t>();
      const std::optional<std::size_t> metric = Find(key);
      if (trees.empty() && metric) trees.push_back(*metric);
      felt.insert(felt.end(), trees.begin(), trees.end());
    }
    return felt;
  }
  /// Whether how far s turns tells of torsion: of one law whose damping does not turn it.
  bool Turns() const {
    return Trees().empty() && a_.law == b_.law && a_.damps_by_inertia && b_.damps_by_inertia;
  }
  /// Whether both values are no more than rounding.
  bool IsRounding(std::size_t metric) const {
    return std::fmax(std::abs(a_.values[metric]), std::abs(b_.values[metric])) <=
           kResolved * metrics_[metric].floor;
  }

  /// The side that torsion turns by more than the other one; null: torsion makes no difference that
  /// is seen.
  const ComparedSide* FindTurnedByTorsion() const {
    constexpr double kSeen = 0.1;  // rad
    const std::optional<std::size_t> ideal = Find("ideal_turning_rad");
    const double difference = Of(b_, ideal) - Of(a_, ideal);
    if (!Turns() || !(std::abs(difference) > kSeen)) return nullptr;
    return difference > 0 ? &b_ : &a_;
  }

  /// "78 % more error, as predicted": of a side beside the other; empty if that is not known.
  std::string ErrorInShort(const ComparedSide& side, const ComparedSide& other) const {
    const std::optional<std::size_t> task = Find("task_error_rms_m");
    const bool has_task = std::isfinite(Of(side, task)) && std::isfinite(Of(other, task));
    const std::optional<std::size_t> error = has_task ? task : Find("error_rms");
    const double measured = Of(side, error) / Of(other, error);
    if (!std::isfinite(measured) || IsRounding(*error)) return "";
    const double predicted = has_task ? kNaN : side.predicted_error / other.predicted_error;
    const std::string text = MoreOrLess(measured);
    if (!std::isfinite(predicted)) return text;
    if (IsAsPredicted(measured, predicted)) return text + ", as predicted";
    return text + ", predicted " + MoreOrLess(predicted);
  }
  static std::string MoreOrLess(double ratio) {
    if (std::abs(ratio - 1) <= kSame) return "the same error within 1 %";
    if (ratio > 2) return Short(ratio, 2) + " times the error";
    return TypesetPercent(std::abs(ratio - 1)) + (ratio > 1 ? " more error" : " less error");
  }

  std::string Fates() const {
    std::string text;
    const std::optional<std::size_t> fall = Find("fall_s");
    for (const ComparedSide* side : {&a_, &b_}) {
      const double t = Of(*side, fall);
      std::string fate = side->fate;
      if (fate.empty() && !std::isnan(t)) fate = "falls at t = " + Tabular(t) + " s";
      if (!fate.empty()) text += (text.empty() ? "" : " ") + side->name + " " + fate + ".";
    }
    const bool one = fall && std::isnan(Of(a_, fall)) != std::isnan(Of(b_, fall));
    if (one && a_.fate.empty() && b_.fate.empty()) {
      text += " " + (std::isnan(Of(a_, fall)) ? a_ : b_).name + " stays on its feet.";
    }
    return text;
  }

  /// What turns s beside the torsion: of the two scenes and runs, or all that can where nothing is
  /// told.
  std::string Others(const std::string& verb) const {
    std::vector<std::string> causes = a_.turned_by;
    for (const std::string& cause : b_.turned_by) {
      if (std::ranges::find(causes, cause) == causes.end()) causes.push_back(cause);
    }
    const std::optional<std::size_t> limited = Find("saturated_steps");
    const bool is_limited = Of(a_, limited) > 0 || Of(b_, limited) > 0;
    if (is_limited && std::ranges::find(causes, "torque limits") == causes.end()) {
      causes.emplace_back("torque limits");
    }
    if (causes.empty()) {
      return "damping not proportional to H, pushes, limits, contacts or a wrong model " + verb;
    }
    const std::string& first = causes.front();
    const bool is_one = causes.size() == 1 && !first.ends_with('s') && !first.starts_with("gains");
    return List(std::move(causes)) + " " + verb + (is_one ? "s" : "");
  }

  /// How far s turns, and how much of it the torsion explains.
  std::string Turning() const {
    const std::optional<std::size_t> metric = Find("twist_rad");
    if (!metric) return "";
    if (Difference(*metric) <= kApart) return TurningAlike(*metric);
    if (std::isnan(Difference(*metric)) || !IsResolved(*metric)) return "";
    const bool b_more = b_.values[*metric] > a_.values[*metric];
    const ComparedSide &more = b_more ? b_ : a_, &less = b_more ? a_ : b_;
    const double most = Of(more, metric), least = Of(less, metric);
    if (most < kTurns) return "";
    std::string text = "With " + more.name + ", s turns by " + Angle(most) +
                       " on its way to zero, with " + less.name + " ";
    text += least < 1e-3 * most ? "not at all" : "by " + Angle(least);
    const std::optional<std::size_t> ideal = Find("ideal_turning_rad");
    const double most_ideal = Of(more, ideal), least_ideal = Of(less, ideal);
    if (std::isnan(most_ideal) || std::isnan(least_ideal)) return text + ".";
    const double missed =
        std::max(std::abs(most - most_ideal), std::abs(least - least_ideal)) / most;
    if (missed <= kExplained) return text + ": the torsion of C, and nothing else, turns it.";
    const double share = (most_ideal - least_ideal) / (most - least);
    if (share < kExplained) {
      return text + ", which the torsion of C does not explain: " + Others("turn") + " it.";
    }
    const double by_torsion = most_ideal - least_ideal;
    return text + ", a difference of " + Angle(most - least) +
           ": the torsion of C alone would make " + Angle(by_torsion) + ", and " + Others("make") +
           " the other " + Angle(most - least - by_torsion) + ".";
  }

  /// Whose turning is torsion, of two that are the same.
  std::string TurningAlike(std::size_t metric) const {
    const double twist = std::max(Of(a_, metric), Of(b_, metric));
    const std::optional<std::size_t> ideal = Find("ideal_turning_rad");
    const double a = Of(a_, ideal), b = Of(b_, ideal);
    if (twist < kTurns || !(std::abs(a - b) > kExplained * twist)) return "";
    const auto share = [&](const ComparedSide& side) {
      const double own = Of(side, ideal);
      return (own < 1e-3 * twist ? "none of it" : Angle(own)) + " with " + side.name;
    };
    return "s turns alike, by " + Angle(twist) +
           ", but not for the same reason: the torsion of C alone would make " + share(a_) +
           " and " + share(b_) + "; " + Others("make") + " the difference.";
  }

  /// The largest relative difference of V at the marks, and where; none of two laws, whose V
  /// differ.
  struct StorageDifference {
    double relative, t;
    bool is_same;  ///< at all marks
  };
  std::optional<StorageDifference> FindStorageDifference() const {
    if (a_.law != b_.law) return std::nullopt;
    const std::optional<std::size_t> error = Find("error_rms");
    if (error && IsRounding(*error)) return std::nullopt;  // and so is s
    double largest = 0, difference = -1, mark = 0;
    bool is_same = true, is_resolved = true;
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
      if (metrics_[i].mark_s) largest = std::fmax(largest, std::fmax(a_.values[i], b_.values[i]));
    }
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
      const double size = std::fmax(a_.values[i], b_.values[i]);
      const bool tells =
          metrics_[i].mark_s && *metrics_[i].mark_s > 0 && size > kVanished * largest;
      if (!tells || std::isnan(Difference(i))) continue;
      is_same = is_same && IsSame(i);
      if (!(Difference(i) > difference)) continue;
      difference = Difference(i);
      mark = *metrics_[i].mark_s;
      is_resolved = IsResolved(i);
    }
    if (difference < 0 || !(is_same || (difference > kSame && is_resolved))) return std::nullopt;
    return StorageDifference{difference, mark, is_same};
  }

  std::string Storage() const {
    const std::optional<StorageDifference> found = FindStorageDifference();
    if (!found) return "";
    const auto& [difference, mark, is_same] = *found;
    if (difference == 0) return "V falls alike: passivity does not tell the two apart.";
    if (is_same) {
      return "V falls alike, within " + TypesetPercent(difference) +
             ": passivity does not tell the two apart.";
    }
    return "V differs by up to " + TypesetPercent(difference) + ", at t = " + Tabular(mark) + " s.";
  }

  /// "RMS tracking error is 17 % higher with t:1 (0.22 rad rather than 0.188)"
  std::string Contrast(std::size_t metric) const {
    const MetricInfo& info = metrics_[metric];
    const double a = a_.values[metric], b = b_.values[metric];
    const double ratio = std::abs(b) / std::abs(a);
    std::string how;
    if (!std::isfinite(ratio) || a * b <= 0) {
      how = "differs";
    } else if (ratio > 2) {
      how = "is " + Short(ratio, 2) + " times as high";
    } else {
      how = "is " + TypesetPercent(std::abs(ratio - 1)) + (ratio > 1 ? " higher" : " lower");
    }
    return InProse(info.label) + " " + how + " with " + b_.name + " (" + WithUnit(b, info.unit) +
           " rather than " + Short(a) + ")";
  }

  std::string Matter() const {
    std::vector<std::size_t> apart;
    std::vector<std::string> same, open;
    for (const std::size_t metric : Felt()) {
      if (std::isnan(Difference(metric))) continue;
      if (IsApart(metric)) {
        apart.push_back(metric);
      } else {
        (IsSame(metric) ? same : open).push_back(InProse(metrics_[metric].label));
      }
    }
    if (same.empty() && open.empty() && apart.empty()) return "";
    const std::string alike =
        same.empty() ? ""
                     : List(same) + (same.size() > 1 ? " are" : " is") + " the same within 1 %";
    if (apart.empty() && open.empty()) return "Here it does not matter: " + alike + ".";
    const std::string not_told =
        open.empty() ? ""
                     : "of " + List(open) +
                           " the difference is within its 95 % confidence interval or near to it";
    if (apart.empty()) {
      return "So few runs do not tell whether it matters here: " + not_told +
             (alike.empty() ? "." : "; " + alike + ".");
    }
    const auto larger = [this](std::size_t i, std::size_t j) {
      return Difference(i) > Difference(j);
    };
    std::ranges::stable_sort(apart, larger);
    const bool much = Difference(apart.front()) > kMatters;
    apart.resize(std::min(apart.size(), kMostNamed));
    std::vector<std::string> contrasts;
    for (const std::size_t metric : apart) contrasts.push_back(Contrast(metric));
    std::string text =
        (much ? "It matters here: " : "Here it matters little: ") + internal::Join(contrasts, ", ");
    for (const std::string& rest : {alike, not_told}) {
      if (!rest.empty()) text += "; " + rest;
    }
    return text + ".";
  }

  /// "17 % higher", "2.1 times as high", "the same within 1 %"
  static std::string Change(double ratio) {
    if (std::abs(ratio - 1) <= kSame) return "the same within 1 %";
    if (ratio > 2) return Short(ratio, 2) + " times as high";
    return TypesetPercent(std::abs(ratio - 1)) + (ratio > 1 ? " higher" : " lower");
  }

  /// Whether a ratio of errors is near to its prediction.
  static bool IsNear(double measured, double predicted) {
    return std::abs(std::log(predicted / measured)) <= std::log1p(kPredictionAccuracy);
  }
  /// Whether the change itself is predicted, too: a small one may have been told with another sign.
  static bool IsAsPredicted(double measured, double predicted) {
    constexpr double kOfChange = 0.2;
    const double missed = std::abs(std::log(predicted / measured));
    return IsNear(measured, predicted) && (Change(measured) == Change(predicted) ||
                                           missed <= kOfChange * std::abs(std::log(measured)));
  }

  /// The largest of both sides; 0: none has it.
  double Largest(std::string_view key) const {
    const std::optional<std::size_t> metric = Find(key);
    return std::fmax(0, std::fmax(Of(a_, metric), Of(b_, metric)));
  }
  /// Why the prediction may miss: what was measured to be out of its range, then what it leaves
  /// out.
  std::string LikelyReason() const {
    if (Largest("saturated_steps") > 0) return "likely as torque limits were reached";
    const std::optional<std::size_t> constrained = Find("constrained_steps");
    if (Largest("constrained_steps") > 0) return "likely as joint stops or contacts acted";
    const double peak = Largest("error_peak");
    if (peak > kLarge && (a_.is_predicted_linearly || b_.is_predicted_linearly)) {
      return "likely as errors, up to " + WithUnit(peak, metrics_[*Find("error_peak")].unit) +
             ", are too large for equations that are linear in them";
    }
    std::vector<std::string> left_out = a_.left_out;
    for (const std::string& what : b_.left_out) {
      if (std::ranges::find(left_out, what) == left_out.end()) left_out.push_back(what);
    }
    std::erase(left_out, kTorqueLimits);  // which were not reached
    if (constrained) {
      std::erase(left_out, kContacts);
      std::erase(left_out, kJointLimits);
    }
    if (!left_out.empty()) return "likely as it leaves out " + List(std::move(left_out));
    if (a_.is_one_of_mean || b_.is_one_of_mean) {
      return "likely as it is a mean over noise, of which this is one seed";
    }
    return "for no reason that was measured";
  }

  /// What the reference alone tells of the tracking error, beside what is measured.
  std::string Prediction() const {
    const std::optional<std::size_t> metric = Find("error_rms");
    const double measured = Of(b_, metric) / Of(a_, metric);
    const double predicted = b_.predicted_error / a_.predicted_error;
    if (!std::isfinite(measured) || !std::isfinite(predicted) || !(measured > 0)) return "";
    if (IsRounding(*metric) || !Trees().empty()) return "";
    std::string text =
        "Without a run, the error with " + b_.name + " is predicted to be " + Change(predicted);
    if (IsAsPredicted(measured, predicted)) return text + ", as it is.";
    text += ", and is " + Change(measured);
    const std::string near = TypesetPercent(kPredictionAccuracy);
    if (IsNear(measured, predicted)) return text + ": the two are within " + near + ".";
    const double half = Half(*metric) / Of(a_, metric);
    if (std::abs(std::log(predicted / measured)) <= half) {
      return text + ": the difference is within the confidence interval.";
    }
    return text + ": more than " + near + " off, " + LikelyReason() + ".";
  }

  /// "a, b and c"
  static std::string List(std::vector<std::string> items) {
    if (items.size() == 1) return items.front();
    const std::string last = items.back();
    items.pop_back();
    return internal::Join(items, ", ") + " and " + last;
  }

  const std::vector<MetricInfo>& metrics_;
  const ComparedSide &a_, &b_;
  const std::vector<double>& half_;
};

}  // namespace

std::string CompareInWords(const std::vector<MetricInfo>& metrics, const ComparedSide& a,
                           const ComparedSide& b, const std::vector<double>& half) {
  return Words(metrics, a, b, half).Text();
}

std::vector<std::string> CompareInShort(const std::vector<MetricInfo>& metrics,
                                        const ComparedSide& a, const ComparedSide& b) {
  return Words(metrics, a, b, {}).Lines();
}

}  // namespace civita
