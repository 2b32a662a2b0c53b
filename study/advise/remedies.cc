#include "civita/study/advise/remedies.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/number_text.h"
#include "base/text.h"
#include "civita/error.h"

namespace civita {

using Eigen::VectorXd;

namespace {

constexpr int kSamples = 60;  ///< of the reference over the time in which an error decays

/// The least factor on k with which the closed form of the mean change over errors alike in all
/// coordinates, (2k + Λ)η²/(4k²(k + Λ)), is below `change`.
double FindBandwidth(double k, double Lambda, double eta, double change) {
  double factor = 1;
  const auto matters = [&](double x) {
    const double kx = k * x;
    return (2 * kx + Lambda) * eta * eta / (4 * kx * kx * (kx + Lambda)) > change;
  };
  while (matters(factor) && factor < 1e4) factor *= 1.1;
  return factor;
}

/// Judges what may be done instead.
class Remedies {
 public:
  Remedies(const Scene& scene, const ErrorGains& gains, const Factorization& factorization,
           Advice* advice)
      : scene_(scene), gains_(gains), factorization_(factorization), advice_(*advice) {
    double most = -1;
    for (const DecayAdvice& start : advice->starts) {
      const PartDecay& all = start.parts.front();
      const double matters = std::abs(std::log(all.largest)) + std::abs(std::log(all.least));
      if (!(matters > most)) continue;
      most = matters;
      advice->settings_from_s = start.from_s;
    }
    reference_ = SampleReference(scene, advice->settings_from_s,
                                 advice->settings_from_s + advice->decay_s, kSamples);
  }

  void Judge() {
    const Factorization christoffel = Factorization::Christoffel();
    const bool is_free = advice_.is_torsion_free;
    const bool has_one_rate = advice_.k_max <= (1 + TorsionAlongReference::kAlike) * advice_.k_min;
    const bool turns = advice_.rates.omega_2_max > 0;
    if (has_one_rate && !turns) return;
    Add({"as it is"}, factorization_, gains_);
    const std::string of_C = is_free ? "" : "controller.factorization=christoffel";
    if (!is_free) Add({"christoffel", of_C}, christoffel, gains_);
    if (!has_one_rate && !scene_.config.has_own_coordinates()) AddOneRate(of_C);
    if (turns) AddBandwidth();
  }

 private:
  void Add(JudgedSetting setting, const Factorization& factorization, const ErrorGains& gains) {
    const TorsionAlongReference along =
        SampleTorsion(scene_.control_model, scene_.closed.get(), factorization, gains, reference_);
    JudgeSetting(along, &setting);
    advice_.settings.push_back(std::move(setting));
  }

  static std::string With(const std::string& settings, const std::string& more) {
    return settings.empty() ? more : settings + " " + more;
  }

  /// K_D = k H with the mean rate, and a skew gain, both torsion-free.
  void AddOneRate(const std::string& of_C) {
    const std::string k = internal::ShortNumber(advice_.k_mean);
    ErrorGains one = gains_;
    one.form = GainForm::kMass;
    one.K_D = VectorXd::Constant(1, advice_.k_mean);
    one.G.resize(0, 0);
    Add({"K_D = " + k + " H", With(of_C, "controller.gain_form=mass gains.K_D=" + k)},
        Factorization::Christoffel(), one);
    if (scene_.closed || std::ranges::find(scene_.law->parameters, "G", &ParameterInfo::key) ==
                             scene_.law->parameters.end()) {
      return;
    }
    ErrorGains skew = gains_;
    skew.G.resize(0, 0);
    const TorsionAlongReference along =
        SampleTorsion(scene_.control_model, nullptr, Factorization::Christoffel(), skew,
                      std::span(reference_).first(2));
    skew.G = MakeSkewGain(along.samples.front());
    try {
      Add({"skew gain G", With(of_C, "gains.G=…"), skew.G}, Factorization::Christoffel(), skew);
    } catch (const UserError&) {
      // Half as fast as the fastest rate, which joint damping of a light link may make so fast that
      // nothing follows the turning until slow errors are gone: no remedy.
    }
  }

  /// The same C with so much damping that it no longer matters.
  void AddBandwidth() {
    const double Lambda = 0.5 * (advice_.Lambda_min + advice_.Lambda_max);
    constexpr double kDoesNotMatter = 0.01;
    constexpr int kTries = 5;
    const TorsionAlongReference along = SampleTorsion(scene_.control_model, scene_.closed.get(),
                                                      factorization_, gains_, reference_);
    double factor = std::max(
        2.0, FindBandwidth(advice_.k_mean, Lambda, CalcTurningRates(along).eta, kDoesNotMatter));
    // The closed form holds for H and K at rest: more if that is not enough.
    for (int i = 0; i < kTries; ++i, factor *= 1.5) {
      if (i > 0) advice_.settings.pop_back();
      AddDamping(factor);
      const JudgedSetting& judged = advice_.settings.back();
      if (std::abs(judged.joint / judged.joint_torsion_free - 1) < kDoesNotMatter) return;
    }
  }

  void AddDamping(double factor) {
    ErrorGains fast = gains_;
    fast.K_D *= factor;
    std::vector<std::string> K_D;
    for (const double k : fast.K_D) K_D.push_back(internal::ShortNumber(k));
    const bool is_one = fast.K_D.minCoeff() == fast.K_D.maxCoeff();
    const std::string text = is_one ? K_D[0] : "[" + internal::Join(K_D, ",") + "]";
    Add({"K_D × " + internal::General(factor, 3), "gains.K_D=" + text}, factorization_, fast);
  }

  const Scene& scene_;
  const ErrorGains& gains_;
  const Factorization& factorization_;
  Advice& advice_;
  std::vector<ReferenceSample> reference_;
};

}  // namespace

void JudgeSettings(const Scene& scene, const ErrorGains& gains, const Factorization& factorization,
                   Advice* advice) {
  Remedies(scene, gains, factorization, advice).Judge();
}

}  // namespace civita
