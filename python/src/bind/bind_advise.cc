#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "civita/scenes/scene.h"
#include "civita/study/advise/advice_text.h"
#include "civita/study/advise/largest_stable_factor.h"
#include "civita/study/open_scene.h"
#include "civita/study/watch.h"
#include "python/src/bind/bind.h"
#include "python/src/bind/long_work.h"
#include "python/src/support/arrays.h"
#include "python/src/support/quiet_mujoco.h"

// The classes of an advice have the names, members and units of study/advise/advice.h.

namespace civita::python {
namespace {

struct AdviceResult : Advice {
  AdviceText text;
  std::vector<std::string> notices;
};

std::unique_ptr<AdviceResult> MakeAdvice(const std::string& scene, const std::string& factorization,
                                         const std::vector<std::string>& overrides, bool remedies,
                                         bool measure_limit, nb::handle progress) {
  LongWork work(progress);
  auto result = std::make_unique<AdviceResult>();
  try {
    const nb::gil_scoped_release release;
    const QuietMujoco quiet;
    const StopScope scope(work.watch());
    const std::unique_ptr<Scene> opened =
        OpenScene(SceneChoice{.scene = scene, .overrides = overrides});
    result->notices = opened->notices;
    AdviceOptions options = ChooseFactorization(
        factorization, *opened, [&](const std::string& note) { result->notices.push_back(note); });
    options.seeks_remedies = remedies;
    static_cast<Advice&>(*result) = Advise(*opened, options);
    if (measure_limit) {
      result->measured_limit =
          MeasureStableFactor(opened->config, *options.factorization, {}, work.watch());
    }
  } catch (const Stopped&) {  // what stopped it is raised
  }
  work.Rethrow();
  result->text = DescribeAdvice(*result);
  return result;
}

using Sentences = std::vector<std::pair<std::string, std::string>>;

Sentences PairsOf(const std::vector<AdviceSentence>& sentences) {
  Sentences pairs;
  for (const AdviceSentence& sentence : sentences) {
    pairs.emplace_back(sentence.text, sentence.formula);
  }
  return pairs;
}

void BindErrorClasses(nb::module_& module) {
  nb::class_<StableFactor>(module, "StableFactor",
                           "Which multiple of a torsion is stable, found by runs.")
      .def_ro("stable", &StableFactor::stable, "The largest with which errors have not grown.")
      .def_ro("grows", &StableFactor::grows, "The least with which they have; infinite: none.")
      .def_ro("predicted", &StableFactor::predicted, "Advice.largest_factor of these starts.")
      .def_ro("duration_s", &StableFactor::duration_s, "Of each run, s.")
      .def_ro("runs", &StableFactor::runs);
  nb::class_<ErrorPart>(module, "ErrorPart",
                        "Some coordinates of the tracking error: a floating base is told apart "
                        "from the joints, rad from m.")
      .def_ro("name", &ErrorPart::name)
      .def_ro("unit", &ErrorPart::unit)
      .def_ro("coordinates", &ErrorPart::coordinates, "Indices in e.");
  nb::class_<ErrorPair>(module, "ErrorPair",
                        "Roots of mean squares of a part of the error with C and with the "
                        "torsion-free C.")
      .def_ro("error", &ErrorPair::error)
      .def_ro("torsion_free", &ErrorPair::torsion_free)
      .def_prop_ro("ratio", &ErrorPair::ratio, "1.05 is 5 % more than with the torsion-free C.");
  nb::class_<PartDecay>(
      module, "PartDecay",
      "√(∫‖P e‖²dt) of one part of the error after velocity errors s(0), from the "
      "error equations.")
      .def_ro("joint", &PartDecay::joint, "Mean over starts of covariance 1.")
      .def_ro("energy", &PartDecay::energy, "Mean over starts of covariance H⁻¹.")
      .def_ro("impulse", &PartDecay::impulse, "Mean over starts of covariance H⁻².")
      .def_ro("noise", &PartDecay::noise, "White noise of the measured velocity.")
      .def_ro("least", &PartDecay::least, "The least ratio of any start in the part.")
      .def_ro("largest", &PartDecay::largest, "The largest.");
  nb::class_<RatioRange>(module, "RatioRange", "Ratios of errors over a set of starts.")
      .def_ro("least", &RatioRange::least)
      .def_ro("mean", &RatioRange::mean)
      .def_ro("largest", &RatioRange::largest);
  nb::class_<PushAnswer>(module, "PushAnswer",
                         "The answer to pushes at a body, over all directions, by part.")
      .def_ro("body", &PushAnswer::body)
      .def_ro("parts", &PushAnswer::parts);
  nb::class_<DecayAdvice>(module, "DecayAdvice", "Errors that start at one time of the reference.")
      .def_ro("from_s", &DecayAdvice::from_s)
      .def_ro("parts", &DecayAdvice::parts)
      .def_ro("pushes", &DecayAdvice::pushes)
      .def_ro("slowest_rate", &DecayAdvice::slowest_rate, "Of the slowest error, 1/s.")
      .def_ro("slowest_rate_torsion_free", &DecayAdvice::slowest_rate_torsion_free, "1/s.");
  nb::class_<OwnStart>(module, "OwnStart",
                       "The scene's own start, as the metric error_rms has it, by part.")
      .def_ro("parts", &OwnStart::parts, "By the law's exact motion.")
      .def_ro("linear", &OwnStart::linear, "By the error equations alone.");
  nb::class_<MassAnswer>(module, "MassAnswer",
                         "The error that a wrong model makes after its first skip_s, by part.")
      .def_ro("scale", &MassAnswer::scale, "Of the plant's inertias; the scene's own plant: NaN.")
      .def_ro("skip_s", &MassAnswer::skip_s)
      .def_ro("parts", &MassAnswer::parts);
}

void BindForms(nb::module_& module) {
  nb::class_<TurningRates>(module, "TurningRates",
                           "How fast the contorsion turns errors along the reference, rad/s.")
      .def_ro("omega_F", &TurningRates::omega_F)
      .def_ro("omega_2", &TurningRates::omega_2)
      .def_ro("omega_2_max", &TurningRates::omega_2_max)
      .def_ro("eta", &TurningRates::eta);
  nb::class_<PartChange>(module, "PartChange",
                         "What K changes of one part of the error, by the closed formulas: 0.05 is "
                         "5 % more.")
      .def_ro("lambda_min", &PartChange::lambda_min, "1/s.")
      .def_ro("lambda_max", &PartChange::lambda_max, "1/s.")
      .def_ro("largest_increase", &PartChange::largest_increase)
      .def_ro("largest_decrease", &PartChange::largest_decrease)
      .def_ro("joint_mean", &PartChange::joint_mean)
      .def_ro("energy_mean", &PartChange::energy_mean)
      .def_ro("impulse_mean", &PartChange::impulse_mean);
  nb::class_<ClosedForms>(module, "ClosedForms",
                          "The closed formulas where K_D + D = k H and Λ is one number.")
      .def_ro("k", &ClosedForms::k, "1/s.")
      .def_ro("Lambda", &ClosedForms::Lambda, "1/s.")
      .def_ro("turning", &ClosedForms::turning, "ln(100) ω_F/k, rad.")
      .def_ro("feedback_torque", &ClosedForms::feedback_torque, "√(1 + ω_F²/k²) − 1.")
      .def_ro("sampling_share", &ClosedForms::sampling_share, "ω₂²(T_d + dt/2)/k.")
      .def_ro("largest_factor", &ClosedForms::largest_factor)
      .def_ro("safe_factor", &ClosedForms::safe_factor)
      .def_ro("parts", &ClosedForms::parts);
  nb::class_<JudgedSetting>(module, "JudgedSetting",
                            "A choice of C and gains, and what the error equations say of it.")
      .def_ro("name", &JudgedSetting::name)
      .def_ro("settings", &JudgedSetting::settings, "Keys of the config.")
      .def_prop_ro(
          "G",
          [](const JudgedSetting& setting) {
            return setting.G.size() > 0 ? ToArray(Eigen::Ref<const Eigen::MatrixXd>(setting.G))
                                        : nb::object(nb::none());
          },
          nb::sig("def G(self) -> Array | None"), "A skew gain that the settings name.")
      .def_ro("joint", &JudgedSetting::joint, "√(∫‖e‖²dt), mean over starts of covariance 1.")
      .def_ro("joint_torsion_free", &JudgedSetting::joint_torsion_free)
      .def_ro("energy", &JudgedSetting::energy)
      .def_ro("slowest_rate", &JudgedSetting::slowest_rate, "1/s.")
      .def_ro("feedback", &JudgedSetting::feedback, "1/s.")
      .def_ro("largest_delay_s", &JudgedSetting::largest_delay_s, "s.");
}

/// What the advice is of.
void BindAssumptions(nb::class_<AdviceResult>& advice) {
  advice.def_ro("scene", &AdviceResult::scene)
      .def_ro("law", &AdviceResult::law)
      .def_ro("factorization", &AdviceResult::factorization, "The C that is judged, as text.")
      .def_ro("is_torsion_free", &AdviceResult::is_torsion_free)
      .def_prop_ro("gain_form",
                   [](const AdviceResult& a) {
                     return a.gain_form == GainForm::kMass ? "mass" : "diagonal";
                   })
      .def_ro("omega_G", &AdviceResult::omega_G, "How fast the skew gain turns errors, rad/s.")
      .def_ro("is_bare_model", &AdviceResult::is_bare_model)
      .def_ro("reference", &AdviceResult::reference)
      .def_ro("Lambda_min", &AdviceResult::Lambda_min, "1/s.")
      .def_ro("Lambda_max", &AdviceResult::Lambda_max, "1/s.")
      .def_ro("K_D_min", &AdviceResult::K_D_min)
      .def_ro("K_D_max", &AdviceResult::K_D_max)
      .def_ro("k_min", &AdviceResult::k_min, "1/s, of H⁻¹(K_D + D).")
      .def_ro("k_max", &AdviceResult::k_max)
      .def_ro("k_mean", &AdviceResult::k_mean)
      .def_ro("from_s", &AdviceResult::from_s)
      .def_ro("to_s", &AdviceResult::to_s)
      .def_ro("period_s", &AdviceResult::period_s)
      .def_ro("delay_s", &AdviceResult::delay_s)
      .def_ro("rests", &AdviceResult::rests)
      .def_ro("e_start", &AdviceResult::e_start, "‖e(0)‖.")
      .def_ro("s_start", &AdviceResult::s_start, "‖s(0)‖.");
}

}  // namespace

void BindAdvise(nb::module_& module) {
  BindErrorClasses(module);
  BindForms(module);
  nb::class_<AdviceResult> advice(
      module, "Advice",
      "What the choice of C does to a scene's tracking error, predicted along "
      "its reference without a run; see civita.advise.");
  BindAssumptions(advice);
  advice.def_prop_ro("verdict", [](const AdviceResult& a) { return a.text.verdict; })
      .def_prop_ro(
          "matters", [](const AdviceResult& a) { return ChoiceMatters(a); },
          "Whether some kind of error changes by more than 1 %.")
      .def_prop_ro(
          "assumptions", [](const AdviceResult& a) { return PairsOf(a.text.assumptions); },
          "Sentences, each with its formula.")
      .def_prop_ro("errors", [](const AdviceResult& a) { return PairsOf(a.text.errors); })
      .def_prop_ro("costs", [](const AdviceResult& a) { return PairsOf(a.text.costs); })
      .def_prop_ro("instead", [](const AdviceResult& a) { return PairsOf(a.text.instead); })
      .def_ro("notices", &AdviceResult::notices)
      .def_ro("parts", &AdviceResult::parts, "By which errors are told apart.")
      .def_ro("left_out", &AdviceResult::left_out)
      .def_ro("rates", &AdviceResult::rates)
      .def_ro("closed_forms", &AdviceResult::closed_forms, "None: see why_no_closed_forms.")
      .def_ro("why_no_closed_forms", &AdviceResult::why_no_closed_forms)
      .def_ro("decay_s", &AdviceResult::decay_s)
      .def_ro("starts", &AdviceResult::starts)
      .def_ro("mean_decay", &AdviceResult::mean_decay, "By part, over `starts`.")
      .def_ro("own", &AdviceResult::own, "None if the scene starts on its reference.")
      .def_ro("masses", &AdviceResult::masses)
      .def_ro("largest_factor", &AdviceResult::largest_factor,
              "On K, with which errors do not grow at the control rate and delay.")
      .def_ro("safe_factor", &AdviceResult::safe_factor)
      .def_ro("measured_limit", &AdviceResult::measured_limit, "None unless it is asked for.")
      .def_ro("largest_delay_s", &AdviceResult::largest_delay_s, "That errors bear anywhere, s.")
      .def_ro("settings", &AdviceResult::settings, "What it is, and what may be done instead.")
      .def_ro("settings_from_s", &AdviceResult::settings_from_s);
  module.def(
      "advise", MakeAdvice, nb::arg("scene"), nb::arg("factorization"), nb::arg("overrides"),
      nb::arg("remedies"), nb::arg("measure_limit"), nb::arg("progress").none(),
      nb::sig("def advise(scene: str, factorization: str, overrides: list[str], remedies: bool, "
              "measure_limit: bool, progress: typing.Any) -> Advice"),
      "See civita.advise.");
}

}  // namespace civita::python
