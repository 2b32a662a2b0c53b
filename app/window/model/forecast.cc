#include "app/window/model/forecast.h"

#include <cctype>
#include <exception>
#include <memory>

#include "civita/manifold.h"
#include "civita/scenes/scene.h"
#include "civita/study/advise/advice.h"
#include "civita/study/advise/advice_text.h"

namespace civita {
namespace {

constexpr double kMostSeconds = 3;

// A sentence within another one; a symbol, as K, keeps its letter.
std::string LowerFirst(std::string text) {
  const bool is_word = text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0;
  if (is_word) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

TuneVerdict Judge(Scene& scene) {
  if (EstimateAdviceTime(scene) > kMostSeconds) {
    return {.text = "It would take some seconds: civita advise makes it"};
  }
  const Advice advice = Advise(scene, {.seeks_remedies = false});
  TuneVerdict verdict{.is_known = true,
                      .turning = advice.rates.omega_F / advice.k_mean,
                      .margin = LateBy(advice.delay_s, advice.period_s) / advice.largest_delay_s};
  if (!advice.is_torsion_free) {
    verdict.text = DescribeAdvice(advice).verdict;
    verdict.matters = ChoiceMatters(advice);
    return verdict;
  }
  // As the verb does, what torsion would do is judged.
  AdviceOptions other = ChooseFactorization("", scene, [](const std::string&) {});
  other.seeks_remedies = false;
  const Advice of_other = Advise(scene, other);
  verdict.matters = ChoiceMatters(of_other);
  verdict.text = "C is torsion-free; with " + of_other.factorization + " in its place " +
                 LowerFirst(DescribeAdvice(of_other).verdict);
  return verdict;
}

}  // namespace

TuneVerdict JudgeConfig(const SceneConfig& config) {
  try {
    return Judge(*LoadScene(config));
  } catch (const std::exception& error) {
    return {.text = error.what()};
  }
}

PredictedError PredictConfig(SceneConfig config, const std::optional<RunStart>& start,
                             double to_s) {
  PredictedError none;
  try {
    config.duration_s = to_s;
    if (start) config.thrown.at_s.reset();
    const std::unique_ptr<Scene> scene = LoadScene(config);
    if (EstimatePredictionTime(*scene) > kMostSeconds) {
      none.why_not = "it would take some seconds: civita compare makes it";
      return none;
    }
    if (!start) return PredictError(*scene);
    const Model& model = scene->control_model;
    if (start->e.size() == model.nv()) {  // otherwise it is refused, with the reason
      ReferenceState reference{scene->q_start, Eigen::VectorXd::Zero(model.nv()),
                               Eigen::VectorXd::Zero(model.nv())};
      scene->reference->Sample(start->t, reference);
      IntegratePosition<double>(model, reference.q, start->e, 1, scene->q_start);
      scene->v_start = start->v;
    }
    return PredictError(*scene, start->t);
  } catch (const std::exception& error) {
    none.why_not = error.what();
    return none;
  }
}

}  // namespace civita
