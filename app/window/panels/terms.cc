#include <algorithm>

#include "app/window/panels/panels.h"
#include "app/window/widgets/draw.h"
#include "civita/sim/metric_table.h"

namespace civita {
namespace {

// clang-format off: a row for each term.
constexpr Term kTerms[] = {
    {"s", "The velocity error that the law drives to zero, along which V is measured.",
     "s = v − v_r, v_r = v_d − Λ (q ⊖ q_d)"},
    {"Lyapunov V",
     "The law's storage: energy of the error. The law promises that it falls, not how.",
     "V = ½ sᵀH s + …"},
    {"P", "Dissipation that the law promises.", "\uE000 = −P, P = sᵀK_D s + …"},
    {"Turning of s",
     "How far the error s has turned on its way to zero, which V does not see. Torsion turns it; "
     "joint damping, limits, pushes and gains not proportional to H do, too.",
     "∫ |rate of the direction of s| dt, against parallel transport, angles as H measures them",
     "twist_rad"},
    {"turning by torsion", "How far the torsion of C alone turns s.",
     "∫ |H⁻¹K(v)s| / |s| dt, K = C − C_christoffel, sizes as H measures them", "ideal_turning_rad"},
    {"energy balance", "Zero for an exact model and law, whatever the factorization.",
     "V − V(0) + ∫ (P − P_ext) dt", "energy_balance_peak"},
    {"|\uE000 + P|", "How exactly V falls as promised at this moment.",
     "|\uE000 + P|, \uE000 with the plant's \uE001"},
    {"passivity residual", "How exactly V falls as promised along the run.", "",
     "passivity_residual"},
    {"torsion", "What of the connection C turns vectors that it carries, apart from the metric.",
     "T(x, y) = ∇_x y − ∇_y x − [x, y]"},
    {"torsion-free", "C does not turn the error s.", "C_ij = Σ_k Γ_ijk v_k"},
    {"with torsion", "V falls by the same proof as without it, but C turns the error s on its way.",
     "C = C_christoffel + K, K = −Kᵀ, K v = 0"},
    {"not admissible", "No proof says that V falls.", "Ḣ ≠ C + Cᵀ"},
    {"t",
     "How much torsion C has: 0 is christoffel, without it; 1 is plain, the C of the Newton–Euler "
     "order; −1 is other, the opposite order.",
     "B = ½(B_L + B_R) + ½t (B_L − B_R)"},
    {"β", "Injects torsion at a body or over the joints; C v stays as it is.",
     "C + β Sᵀ((S v)×) S"},
    {"Tracking error", "How far the robot is from its reference.", "e = q ⊖ q_d"},
    {"Velocity error s", "The velocity error that the law drives to zero.", "s = v − v_r"},
    {"Path of the error",
     "The error of the two joints that moved most since the throw, one over the other: V falls "
     "alike, the paths part.",
     "e_j over e_i, e = q ⊖ q_d"},
    {"Torque", "What reached the joints, after limits and delay.",
     "τ = H \uE001_r + C v_r + g − K_D s"},
    {"Energy balance", "Zero for an exact model and law, whatever the factorization.",
     "V − V(0) + ∫ (P − P_ext) dt"},
    {"DCM", "Divergent component of motion: steps begin where it leaves the support.",
     "ξ = c + ċ/ω, ω² = g/z"},
    {"DCM margin", "Distance of the DCM from the edge of the support, inward.",
     "ξ = c + ċ/ω, ω² = g/z"},
    {"Contacts", "Normal forces of the ground, and what the law asked of the feet and did not get.",
     "unmet = ‖W_wanted − W_given‖"},
    {"unmet", "What the law asked of the feet and did not get.", "", "unmet_force_N"},
    {"anchors", "Points of the feet that the law holds where they were set down.",
     "p_foot − p_anchor → 0"},
};
// clang-format on

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & '\x80') != 0;
}

bool HasWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !IsLetter(text[at - 1]);
    if (begins && (end == text.size() || !IsLetter(text[end]))) return true;
  }
  return false;
}

std::string FormulaOf(const Term& term) {
  if (!term.formula.empty()) return std::string(term.formula);
  for (const Metric* metric : Metrics()) {
    if (term.metric == metric->key) return ShownText(metric->doc);
  }
  return "";
}

std::string TextOfTerm(const Term& term) { return std::string(term.line) + "\n" + FormulaOf(term); }

}  // namespace

std::span<const Term> Terms() { return kTerms; }

std::string Explain(std::string_view name) {
  const auto found = std::ranges::find(kTerms, name, &Term::name);
  return found == std::end(kTerms) ? "" : TextOfTerm(*found);
}

const Term* FindTermOfMetric(std::string_view key) {
  const auto found = std::ranges::find(kTerms, key, &Term::metric);
  return found == std::end(kTerms) ? nullptr : &*found;
}

std::string ExplainWordsOf(std::string_view text, std::size_t most) {
  std::string all;
  for (const Term& term : kTerms) {
    if (term.name.size() < 3 || !HasWord(text, term.name)) continue;
    if (!all.empty()) all += "\n\n";
    all += std::string(term.name) + ": " + TextOfTerm(term);
    if (--most == 0) break;
  }
  return all;
}

}  // namespace civita
