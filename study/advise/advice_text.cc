#include "civita/study/advise/advice_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number_text.h"
#include "base/text.h"

namespace civita {
namespace {

using internal::ShortNumber;

std::string Number(double x) { return internal::General(x, 3); }

/// "× 1.05"; of a ratio that is 1 to a thousandth "unchanged".
std::string Times(double ratio) {
  return std::abs(ratio - 1) < 1e-3 ? "unchanged" : "× " + Number(ratio);
}

/// "1.05 in all (rad, m), 1.04 in joints (rad)": of each part.
template <typename Ratio>
std::string ByPart(const Advice& advice, const Ratio& ratio) {
  std::string text;
  for (std::size_t i = 0; i < advice.parts.size(); ++i) {
    const ErrorPart& part = advice.parts[i];
    text += text.empty() ? "" : "; ";
    text += Times(ratio(i));
    if (advice.parts.size() > 1) text += " in " + part.name;
  }
  return text;
}

bool Matters(double ratio) { return std::abs(std::log(ratio)) > std::log1p(kMatters); }

/// Kinds of errors, and whether each changes by more than kMatters in any part.
std::vector<std::pair<const char*, bool>> JudgeErrors(const Advice& advice) {
  std::vector<std::pair<const char*, bool>> kinds;
  const auto judge = [&](const char* kind, const auto& range, const auto& matters) {
    kinds.emplace_back(kind, std::ranges::any_of(range, matters));
  };
  const auto differs = [](const ErrorPair& pair) { return Matters(pair.ratio()); };
  if (advice.own) judge("the scene's own start", advice.own->parts, differs);
  if (advice.mean_decay.empty()) return kinds;
  judge("velocity errors on average", advice.mean_decay, [](const PartDecay& part) {
    return Matters(part.joint.ratio()) || Matters(part.energy.ratio()) ||
           Matters(part.impulse.ratio());
  });
  judge("single velocity errors", advice.mean_decay,
        [](const PartDecay& part) { return Matters(part.least) || Matters(part.largest); });
  judge("wrong masses", advice.masses,
        [&](const MassAnswer& mass) { return std::ranges::any_of(mass.parts, differs); });
  return kinds;
}

bool AnyErrorMatters(const Advice& advice) {
  return std::ranges::any_of(JudgeErrors(advice), [](const auto& kind) { return kind.second; });
}

std::string Verdict(const Advice& advice) {
  if (advice.is_torsion_free) {
    return "The factorization is the torsion-free one: there is nothing to compare";
  }
  if (advice.rates.omega_2_max == 0) {
    return advice.rests ? "The reference rests, so that K(v_d) = 0: any C may be taken"
                        : "K is zero along this reference: any C may be taken";
  }
  std::vector<std::string> matters, rest;
  for (const auto& [kind, does] : JudgeErrors(advice)) (does ? matters : rest).emplace_back(kind);
  if (matters.empty()) {
    return "The choice of C does not matter here: no error changes by more than 1 %";
  }
  std::string text = "The choice of C matters for " + internal::Join(matters, ", ");
  if (!rest.empty()) {
    text += "; less than 1 % for " + internal::Join(rest, ", ");
  }
  return text;
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
  return "The torque is held for " + ShortNumber(1e3 * advice.period_s) + " ms and " +
         ShortNumber(1e3 * advice.delay_s) + " ms late";
}

std::vector<AdviceSentence> DescribeAssumptions(const Advice& advice) {
  std::vector<AdviceSentence> lines;
  lines.push_back({advice.law + " with " + advice.factorization + ", against the torsion-free C"});
  lines.push_back({advice.closed_forms
                       ? "K_D + D = k H with k = " + Number(advice.k_mean) +
                             " 1/s, Λ = " + Number(advice.Lambda_min) + " 1/s"
                       : advice.why_no_closed_forms + "; closed formulas are withheld"});
  lines.push_back({"The reference from " + ShortNumber(advice.from_s) + " to " +
                   ShortNumber(advice.to_s) + " s"});
  lines.push_back({DescribeTiming(advice)});
  lines.push_back({advice.own ? "The scene starts off its reference"
                              : "The scene starts on its reference, e(0) = s(0) = 0"});
  std::string exact = "Errors are small and the model is exact";
  if (!advice.left_out.empty()) {
    exact += "; left out: " + internal::List(advice.left_out, advice.left_out.size());
  }
  lines.push_back({std::move(exact)});
  return lines;
}

std::vector<AdviceSentence> DescribeErrors(const Advice& advice) {
  std::vector<AdviceSentence> lines;
  if (advice.rates.omega_2_max == 0 && !advice.own) return lines;
  const std::vector<PartDecay>& decay = advice.mean_decay;
  const auto add = [&](const std::string& text, const auto& ratio, const char* formula) {
    lines.push_back({text + ByPart(advice, ratio), formula});
  };
  if (advice.own) {
    add(
        "After the scene's own start: ",
        [&](std::size_t i) { return advice.own->parts[i].ratio(); },
        "v̇ = v̇_r − H⁻¹((C + K_D)s + d(v) − d(v_r)) from the start");
  }
  if (decay.empty()) return lines;
  add(
      "Velocity errors alike in all coordinates, mean: ",
      [&](std::size_t i) { return decay[i].joint.ratio(); }, "√(tr G / tr G_0)");
  add(
      "Errors isotropic in energy, mean: ", [&](std::size_t i) { return decay[i].energy.ratio(); },
      "√(tr GH⁻¹ / tr G_0H⁻¹)");
  add(
      "Independent impulses at the joints, mean: ",
      [&](std::size_t i) { return decay[i].impulse.ratio(); }, "√(tr GH⁻² / tr G_0H⁻²)");
  add(
      "The one velocity error that gains most: ", [&](std::size_t i) { return decay[i].least; },
      "√λ_min(G, G_0)");
  add(
      "The one that loses most: ", [&](std::size_t i) { return decay[i].largest; },
      "√λ_max(G, G_0)");
  for (std::size_t i = 0; i < advice.starts.front().pushes.size(); ++i) {
    const RatioRange range = PushAtAnyTime(advice, i);
    lines.push_back({"A push at " + advice.starts.front().pushes[i].body + ": × " +
                         Number(range.least) + " to × " + Number(range.largest) +
                         " by its direction and time",
                     "G with s(0) = H⁻¹Jᵀp"});
  }
  for (const MassAnswer& mass : advice.masses) {
    const bool own = std::isnan(mass.scale);
    add(
        own ? "The scene's own model error: "
            : "A plant with × " + Number(mass.scale) + " the masses: ",
        [&](std::size_t i) { return mass.parts[i].ratio(); },
        "H_p ṡ = −(C + K_D + D)s − ΔH v̇_r − ΔC v_r − Δg");
  }
  return lines;
}

std::vector<AdviceSentence> DescribeCosts(const Advice& advice) {
  std::vector<AdviceSentence> lines;
  if (advice.rates.omega_2_max == 0) return lines;
  if (const std::optional<ClosedForms>& forms = advice.closed_forms) {
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
  if (!advice.mean_decay.empty()) {
    lines.push_back(
        {"The error that noise of the velocity makes: " +
             ByPart(advice, [&](std::size_t i) { return advice.mean_decay[i].noise.ratio(); }),
         "s(0) = (H⁻¹(K_D + K) + Λ)ν"});
  }
  if (std::isfinite(advice.largest_factor)) {
    lines.push_back({"Errors grow at this rate and delay from " + Number(advice.largest_factor) +
                         " times this torsion on",
                     "s⁺ = Φs − Ψ(K_D + xK)s of the last period but T_d/dt"});
  }
  return lines;
}

std::vector<AdviceSentence> DescribeRemedies(const Advice& advice) {
  std::vector<AdviceSentence> lines;
  if (advice.is_torsion_free || advice.starts.empty()) return lines;
  if (advice.k_max > 1.02 * advice.k_min) {
    const DecayAdvice& start = advice.starts.front();
    lines.push_back({"The slowest error decays at " + Number(start.slowest_rate) +
                         " 1/s, torsion-free at " + Number(start.slowest_rate_torsion_free) +
                         " 1/s; gain_form mass with K_D = " + Number(advice.k_mean) +
                         " 1/s has this rate for all, and costs no torsion",
                     "λ of H⁻¹(K_D + D): " + Number(advice.k_min) + " to " + Number(advice.k_max) +
                         " 1/s, mean " + Number(advice.k_mean)});
  }
  if (AnyErrorMatters(advice)) {
    lines.push_back(
        {"christoffel has the largest margins of holding and delay and the least "
         "feedback torque; whether its errors are the smallest is what stands above"});
  }
  return lines;
}

}  // namespace

AdviceText DescribeAdvice(const Advice& advice) {
  return {Verdict(advice), DescribeAssumptions(advice), DescribeErrors(advice),
          DescribeCosts(advice), DescribeRemedies(advice)};
}

}  // namespace civita
