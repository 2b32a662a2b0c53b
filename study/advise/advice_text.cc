#include "civita/study/advise/advice_text.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "base/number_text.h"
#include "base/text.h"
#include "civita/factorization_text.h"
#include "civita/scenes/plant/stiffness.h"

namespace civita {
namespace {

using internal::ShortNumber;

/// Of what has no number "–", as in tables.
std::string Number(double x) { return std::isfinite(x) ? internal::General(x, 3) : "–"; }

/// "× 1.05"; of a ratio that reads 1 "unchanged".
std::string Times(double ratio) {
  if (!std::isfinite(ratio)) return "not known";
  const std::string number = Number(ratio);
  return number == "1" ? "unchanged" : "× " + number;
}

/// "× 1.05 in all; × 1.04 in joints": of all coordinates and, with a floating base, of the joints;
/// the table has the other parts.
std::string ByPart(const Advice& advice, const std::vector<double>& ratios) {
  std::string text = Times(ratios.front());
  for (std::size_t i = 1; i < advice.parts.size(); ++i) {
    if (advice.parts[i].name == "joints") {
      text += " in all; " + Times(ratios[i]) + " in joints";
    }
  }
  return text;
}

bool Matters(double ratio) { return std::abs(std::log(ratio)) > std::log1p(kMatters); }

/// A kind of errors: whether it changes by more than kMatters in any part, as far as that is known.
struct JudgedKind {
  const char* name;
  bool matters = false, is_known = true;

  void Add(double ratio) {
    matters = matters || Matters(ratio);
    is_known = is_known && !std::isnan(ratio);
  }
};

constexpr const char* kSingle = "single velocity errors";

std::vector<JudgedKind> JudgeErrors(const Advice& advice) {
  std::vector<JudgedKind> kinds;
  if (advice.own) {
    JudgedKind& kind = kinds.emplace_back(JudgedKind{"the scene's own start"});
    for (const ErrorPair& pair : advice.own->parts) kind.Add(pair.ratio());
  }
  if (advice.mean_decay.empty() || advice.rates.omega_2_max == 0) return kinds;
  JudgedKind mean{"velocity errors on average"}, single{kSingle};
  JudgedKind masses{"wrong masses"};
  for (const PartDecay& part : advice.mean_decay) {
    for (const ErrorPair& pair : {part.joint, part.energy, part.impulse}) mean.Add(pair.ratio());
    for (const double ratio : {part.least, part.largest}) single.Add(ratio);
  }
  for (const MassAnswer& mass : advice.masses) {
    for (const ErrorPair& pair : mass.parts) masses.Add(pair.ratio());
  }
  kinds.insert(kinds.end(), {mean, single, masses});
  return kinds;
}

std::string Verdict(const Advice& advice) {
  if (advice.is_torsion_free) {
    return "The factorization is the torsion-free one: there is nothing to compare";
  }
  if (advice.largest_factor == 0) return "Errors grow at this rate and delay whatever C is";
  if (advice.rates.omega_2_max == 0) {
    return std::string(advice.rests ? "The reference rests, so that K(v_d) = 0"
                                    : "K is zero along this reference") +
           (ChoiceMatters(advice) ? ": the choice of C matters for the scene's own start alone"
                                  : ": any C may be taken");
  }
  if (advice.largest_factor < 1) return "With this C errors grow at this rate and delay";
  std::vector<std::string> matters, rest, unknown;
  for (const JudgedKind& kind : JudgeErrors(advice)) {
    (kind.matters ? matters : kind.is_known ? rest : unknown).emplace_back(kind.name);
  }
  std::string text = "The choice of C ";
  if (matters == std::vector<std::string>{kSingle}) {
    const PartDecay& all = advice.mean_decay.front();
    text +=
        "matters for no error on average, for single velocity errors alone: " + Times(all.least) +
        " to " + Times(all.largest) + " by their direction";
    if (!rest.empty()) text += "; less than 1 % for " + internal::Join(rest, ", ");
  } else if (!matters.empty()) {
    text += "matters for " + internal::Join(matters, ", ");
    if (!rest.empty()) text += "; less than 1 % for " + internal::Join(rest, ", ");
  } else {
    text += unknown.empty() ? "does not matter here: no error changes by more than 1 %"
                            : "changes no error that is known by more than 1 %";
  }
  return unknown.empty() ? text : text + "; not known for " + internal::Join(unknown, ", ");
}

/// The answer to pushes at a body at any of the times from which errors were followed.
RatioRange PushAtAnyTime(const Advice& advice, std::size_t body) {
  RatioRange all = advice.starts.front().pushes[body].parts[0];
  for (const DecayAdvice& start : advice.starts) {
    const RatioRange& range = start.pushes[body].parts[0];
    all.least = std::min(all.least, range.least);
    all.largest = std::max(all.largest, range.largest);
  }
  return all;
}

std::string DescribeTiming(const Advice& advice) {
  if (advice.period_s == 0) return "The law acts at every instant";
  const std::string held = "The torque is held for " + ShortNumber(1e3 * advice.period_s) + " ms";
  return advice.delay_s == 0 ? held + ", without delay"
                             : held + " and " + ShortNumber(1e3 * advice.delay_s) + " ms late";
}

std::string FromTo(double least, double largest) {
  return least == largest ? Number(least) : Number(least) + " to " + Number(largest);
}

/// The form of K_D, and how much of H there is in it.
AdviceSentence DescribeDamping(const Advice& advice) {
  const bool is_mass = advice.gain_form == GainForm::kMass;
  const std::string gain = FromTo(advice.K_D_min, advice.K_D_max);
  std::string text = is_mass ? "K_D = " + gain + " H, gain_form mass"
                             : "K_D = diag(" + gain + "), gain_form diagonal";
  text += "; ";
  if (advice.closed_forms) {
    text += "K_D + D = k H with k = " + Number(advice.k_mean) + " 1/s";
  } else {
    text += advice.why_no_closed_forms + "; closed formulas are withheld";
  }
  text += "; Λ = " + FromTo(advice.Lambda_min, advice.Lambda_max) + " 1/s";
  return {text, "λ of H⁻¹(K_D + D): " + FromTo(advice.k_min, advice.k_max) +
                    " 1/s, D the joints' damping"};
}

/// Over which stretches of the reference the answers hold, as far as that is not the whole of it.
std::optional<AdviceSentence> DescribeStretches(const Advice& advice) {
  if (advice.starts.empty() || advice.rates.omega_2_max == 0) return {};
  const auto from_to = [&](double from_s) {
    return "from " + Number(from_s) + " to " + Number(from_s + advice.decay_s) + " s";
  };
  const bool is_whole = advice.decay_s >= advice.to_s - advice.from_s;
  std::vector<std::string> stretches;
  for (const DecayAdvice& start : advice.starts) stretches.push_back(from_to(start.from_s));
  std::vector<std::string> lines;
  if (!is_whole) {
    lines.push_back("errors are followed until they are gone, " + internal::Join(stretches, ", "));
  }
  if (!advice.masses.empty()) {
    const double from_s = advice.from_s + advice.masses.front().skip_s;
    lines.push_back("errors of wrong masses count from " + Number(from_s) + " s on");
  }
  if (!is_whole && !advice.settings.empty()) {
    lines.push_back("other settings are judged " + from_to(advice.settings_from_s));
  }
  if (lines.empty()) return {};
  lines.front().front() = 'E';
  return AdviceSentence{internal::Join(lines, "; "),
                        is_whole ? "" : "5/min(λ, Λ) each, which leaves less than 1 %"};
}

std::vector<AdviceSentence> DescribeAssumptions(const Advice& advice) {
  std::vector<AdviceSentence> lines;
  if (advice.is_bare_model) {
    lines.push_back({advice.scene +
                     " is a robot alone: law, gains, reference and rate are the defaults of "
                     "civita run; --set changes them"});
  }
  lines.push_back({advice.law + " with " + WithBothNames(advice.factorization) +
                       ", against the torsion-free C_LC",
                   std::string("K = C − C_LC; ė = −Λe + s, H ṡ = −(C_LC + K(v_d) + K_D + ") +
                       (advice.omega_G > 0 ? "G + D)s" : "D)s")});
  lines.push_back(DescribeDamping(advice));
  lines.push_back({"The reference, " + advice.reference + ", from " + ShortNumber(advice.from_s) +
                   " to " + ShortNumber(advice.to_s) + " s"});
  if (auto stretches = DescribeStretches(advice)) lines.push_back(*std::move(stretches));
  lines.push_back({DescribeTiming(advice)});
  if (!advice.starts.empty()) {
    const std::string& unit = advice.parts.front().unit;
    const bool is_mixed = unit == "rad, m";
    lines.push_back(
        {advice.own ? "The scene starts off its reference, ‖e(0)‖ = " + Number(advice.e_start) +
                          (is_mixed ? " rad and m" : " " + unit) + ", ‖s(0)‖ = " +
                          Number(advice.s_start) + (is_mixed ? " rad/s and m/s" : " " + unit + "/s")
                    : "The scene starts on its reference, e(0) = s(0) = 0",
         "s = v − v_d + Λe"});
  }
  std::string exact = "Errors are small and the model is exact";
  if (!advice.left_out.empty()) {
    exact += "; left out: " + internal::List(advice.left_out, advice.left_out.size());
  }
  lines.push_back({std::move(exact)});
  return lines;
}

/// A kind of errors, and by how much those of each part change.
struct ErrorKind {
  std::string name, formula;
  std::vector<double> ratios;
};

std::vector<ErrorKind> ListErrors(const Advice& advice) {
  std::vector<ErrorKind> kinds;
  const std::vector<PartDecay>& decay = advice.mean_decay;
  const auto add = [&](const std::string& name, const char* formula, const auto& ratio) {
    ErrorKind& kind = kinds.emplace_back(ErrorKind{name, formula, {}});
    for (std::size_t i = 0; i < advice.parts.size(); ++i) kind.ratios.push_back(ratio(i));
  };
  if (advice.own) {
    // The exact motion knows of no holding; what that adds is in no row of errors.
    add(advice.period_s == 0 ? "After the scene's own start"
                             : "After the scene's own start, were the law to act at every instant",
        "v̇ = v̇_r − H⁻¹((C + K_D)s + d(v) − d(v_r)), d the damping",
        [&](std::size_t i) { return advice.own->parts[i].ratio(); });
  }
  if (decay.empty() || advice.rates.omega_2_max == 0) return kinds;
  add("Velocity errors alike in all coordinates, mean",
      "√(tr Q / tr Q_0), s(0)ᵀQ s(0) = ∫eᵀe dt, Q_0 with C_LC",
      [&](std::size_t i) { return decay[i].joint.ratio(); });
  add("Errors isotropic in energy, mean", "√(tr QH⁻¹ / tr Q_0H⁻¹)",
      [&](std::size_t i) { return decay[i].energy.ratio(); });
  add("Independent impulses at the joints, mean", "√(tr QH⁻² / tr Q_0H⁻²)",
      [&](std::size_t i) { return decay[i].impulse.ratio(); });
  add("The one velocity error that gains most", "√λ_min(Q, Q_0)",
      [&](std::size_t i) { return decay[i].least; });
  add("The one that loses most", "√λ_max(Q, Q_0)", [&](std::size_t i) { return decay[i].largest; });
  for (const MassAnswer& mass : advice.masses) {
    add(std::isnan(mass.scale) ? "The scene's own model error"
                               : "A plant with × " + Number(mass.scale) + " the masses",
        "H_p ṡ = −(C_p + K + K_D + D)s − ΔH v̇_r − ΔC v_r − Δg, Δ = plant − model",
        [&](std::size_t i) { return mass.parts[i].ratio(); });
  }
  add("Noise of the measured velocity", "s(0) = (H⁻¹(K_D + K − C_LC) + Λ)ν",
      [&](std::size_t i) { return decay[i].noise.ratio(); });
  return kinds;
}

std::vector<AdviceSentence> DescribeErrors(const Advice& advice) {
  std::vector<AdviceSentence> lines;
  for (const ErrorKind& kind : ListErrors(advice)) {
    lines.push_back({kind.name + ": " + ByPart(advice, kind.ratios), kind.formula});
  }
  if (advice.starts.empty() || advice.rates.omega_2_max == 0) return lines;
  for (std::size_t i = 0; i < advice.starts.front().pushes.size(); ++i) {
    const RatioRange range = PushAtAnyTime(advice, i);
    const bool is_known = std::isfinite(range.least) && std::isfinite(range.largest);
    lines.push_back({"A push at " + advice.starts.front().pushes[i].body + ": " +
                         (is_known ? "× " + Number(range.least) + " to × " + Number(range.largest) +
                                         " by its direction and time"
                                   : "not known"),
                     "Q with s(0) = H⁻¹Jᵀp, p its impulse"});
  }
  return lines;
}

/// From which multiple of the torsion on errors grow, as runs have found it.
AdviceSentence DescribeMeasuredLimit(const StableFactor& limit) {
  std::string text = "Measured by " + internal::Count(static_cast<std::size_t>(limit.runs), "run") +
                     " of " + ShortNumber(limit.duration_s) + " s: ";
  if (limit.is_unknown()) {
    text += "nothing, before it was stopped";
  } else if (limit.grows == 0) {
    text += "V grows without torsion, too (by the holding, or to the error that a delay makes)";
  } else if (std::isinf(limit.grows)) {
    text += "errors do not grow up to " + Number(limit.stable) + " times this torsion";
  } else {
    text += "errors grow from " + Number(limit.grows) + " times this torsion on, and not at " +
            Number(limit.stable);
  }
  if (std::isfinite(limit.predicted)) text += "; predicted from there " + Number(limit.predicted);
  if (limit.interrupted) text += "; interrupted";
  return {text, "V = ½ sᵀHs at the end above that at the start, or a failed run"};
}

/// What holding and delay do to errors.
void AddLimits(const Advice& advice, std::vector<AdviceSentence>* lines) {
  const double late_s = LateBy(advice.delay_s, advice.period_s);
  if (late_s > 0 && std::isfinite(advice.largest_delay_s)) {
    lines->push_back({"Errors bear " + Number(1e3 * advice.largest_delay_s) +
                          " ms of delay anywhere, and meet " + Number(1e3 * late_s) + " ms",
                      "min atan2(Re λ, |Im λ|)/|λ| of H⁻¹(K_D + K), T_d + dt/2"});
  }
  if (std::isfinite(advice.largest_factor)) {
    std::string from = "whatever C is";
    if (advice.largest_factor > 0) {
      from = "from " + Number(advice.largest_factor) + " times this torsion on";
      if (advice.delay_s > 0) from += ", told within 15 %";
    }
    lines->push_back({"Errors grow at this rate and delay " + from,
                      advice.period_s > 0 ? "s⁺ = Φs − Ψ(K_D + xK)s of the last period but T_d/dt"
                                          : "the largest rate times the step is above " +
                                                internal::General(kRungeKuttaBound, 4) +
                                                ", the end of RK4's stability"});
  }
}

std::vector<AdviceSentence> DescribeCosts(const Advice& advice) {
  std::vector<AdviceSentence> lines;
  const std::optional<ClosedForms>& forms = advice.closed_forms;
  const bool turns = advice.rates.omega_2_max > 0;
  if (turns && forms) {
    lines.push_back({"K turns an error by " + Number(forms->turning) + " rad until 1 % is left",
                     "ln(100) ω_F/k, ω_F = " + Number(advice.rates.omega_F) + " rad/s"});
    lines.push_back({"Feedback torque: + " + Number(100 * forms->feedback_torque) + " %",
                     "√(1 + ω_F²/k²) − 1"});
    if (advice.period_s > 0) {
      lines.push_back({"Holding and delay take " + Number(100 * forms->sampling_share) +
                           " % of the rate of decay",
                       "ω₂²(T_d + dt/2)/k, ω₂ = " + Number(advice.rates.omega_2) + " rad/s"});
    }
  }
  if (turns || advice.largest_factor == 0) AddLimits(advice, &lines);
  if (advice.measured_limit) lines.push_back(DescribeMeasuredLimit(*advice.measured_limit));
  return lines;
}

/// "× 0.93": of a number that is not 0.
std::string Relative(double value, double of) { return Times(value / of); }

/// "10 1/s rather than 5", "10 1/s as now".
std::string Rather(double value, const char* unit, double now) {
  const std::string number = Number(value), of_now = Number(now);
  return number + unit + (number == of_now ? " as now" : " rather than " + of_now);
}

AdviceSentence DescribeRemedy(const JudgedSetting& other, const JudgedSetting& own,
                              const Advice& advice) {
  const double late_s = LateBy(advice.delay_s, advice.period_s);
  std::string text = other.name;
  if (other.name != other.settings) text += " (" + other.settings + ")";
  if (other.G.size() != 0) text += ", whose numbers --out writes";
  text += ": mean error " + Relative(other.joint, own.joint);
  if (other.joint > (1 + kMatters) * own.joint) text += ", more than now";
  if (other.joint != other.joint_torsion_free) {
    const std::string times = Times(other.joint / other.joint_torsion_free);
    text += times == "unchanged" ? ", C does not change it" : ", C changes it " + times;
  }
  text += "; slowest error " + Rather(other.slowest_rate, " 1/s", own.slowest_rate) +
          "; feedback " + Relative(other.feedback, own.feedback);
  if (late_s > 0) {
    text +=
        "; bears " + Rather(1e3 * other.largest_delay_s, " ms of delay", 1e3 * own.largest_delay_s);
    if (other.largest_delay_s < late_s) {
      text += ", less than the " + Number(1e3 * late_s) + " ms here: errors grow";
    }
  }
  if (other.fastest_rate * advice.step_s > kRungeKuttaBound) {
    text += "; steps of " + Number(1e3 * advice.step_s) + " ms do not follow " +
            Number(other.fastest_rate) + " 1/s: a run fails";
  }
  return {std::move(text), "from t = " + Number(advice.settings_from_s) +
                               " s on √(tr Q / tr Q_now), −ln‖Φ‖_H/T, √tr(H⁻¹MH⁻¹Mᵀ), min atan2(Re "
                               "λ, |Im λ|)/|λ| of H⁻¹M, "
                               "M = K_D + K"};
}

std::vector<AdviceSentence> DescribeRemedies(const Advice& advice) {
  std::vector<AdviceSentence> lines;
  if (advice.settings.empty()) return lines;
  for (const JudgedSetting& other : std::span(advice.settings).subspan(1)) {
    lines.push_back(DescribeRemedy(other, advice.settings.front(), advice));
  }
  return lines;
}

Table::Cell NumberCell(double x) { return {.estimate = {.mean = x}}; }

}  // namespace

AdviceText DescribeAdvice(const Advice& advice) {
  return {Verdict(advice), DescribeAssumptions(advice), DescribeErrors(advice),
          DescribeCosts(advice), DescribeRemedies(advice)};
}

bool ChoiceMatters(const Advice& advice) {
  if (advice.is_torsion_free) return false;
  if (advice.largest_factor > 0 && advice.largest_factor < 1) return true;
  return std::ranges::any_of(JudgeErrors(advice),
                             [](const JudgedKind& kind) { return kind.matters; });
}

Table ErrorsTable(const Advice& advice) {
  Table table;
  table.names.title = "Error, × that of the torsion-free C";
  for (const ErrorPart& part : advice.parts) {
    // A name tells its unit where there are several: "joints, rad".
    const bool tells = part.name.find(", ") != std::string::npos;
    table.columns.push_back({.title = tells ? part.name : part.name + " (" + part.unit + ")"});
  }
  for (const ErrorKind& kind : ListErrors(advice)) {
    Table::Row& row = table.rows.emplace_back(Table::Row{.name = kind.name, .doc = kind.formula});
    for (const double ratio : kind.ratios) {
      row.cells.push_back(NumberCell(ratio));
      row.is_apart = row.is_apart || Matters(ratio);
    }
  }
  table.summary = Verdict(advice);
  return table;
}

Table SettingsTable(const Advice& advice) {
  Table table;
  table.names.title = "Setting";
  for (const char* title : {"mean error, × now", "C changes it, ×", "energy, × now",
                            "slowest error, 1/s", "feedback, 1/s", "largest delay, ms"}) {
    table.columns.push_back({.title = title});
  }
  for (const JudgedSetting& setting : advice.settings) {
    const JudgedSetting& own = advice.settings.front();
    Table::Row row{.name = setting.name, .doc = setting.settings};
    for (const double x : {setting.joint / own.joint, setting.joint / setting.joint_torsion_free,
                           setting.energy / own.energy, setting.slowest_rate, setting.feedback,
                           1e3 * setting.largest_delay_s}) {
      row.cells.push_back(NumberCell(x));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace civita
