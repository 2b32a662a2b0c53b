#include "civita/sim/error_causes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/number_text.h"
#include "base/text.h"
#include "civita/sim/scene_unit.h"

namespace civita {
namespace {

constexpr double kOnReference = 0.01;  // rad or m
constexpr double kOnTask = 1e-3;       // m

std::string Share(long part, long all) {
  return internal::General(100 * static_cast<double>(part) / static_cast<double>(all), 3) + " %";
}

}  // namespace

ErrorCauses::ErrorCauses(const Scene& scene)
    : scene_(&scene),
      applies_(!scene.legs && (scene.law->FollowsReference(scene.config.law_options) ||
                               TaskStatistics::Applies(scene))),
      task_(*scene.controller),
      at_limit_(static_cast<std::size_t>(scene.plant.nv()), 0),
      error_(Eigen::VectorXd::Zero(scene.plant.nv())),
      largest_tau_(error_) {}

void ErrorCauses::Add(const StepRecord& record) {
  if (!applies_) return;
  ++steps_;
  error_ = record.e;
  largest_tau_ = largest_tau_.cwiseMax(record.tau.cwiseAbs());
  if (task_.m >= 0) {
    error_m_ = record.signals[task_.m];
    error_rad_ = task_.rad >= 0 ? record.signals[task_.rad] : 0;
    if (record.signals[task_.damped] > 0) ++damped_;
  }
  if (record.constrained) ++constrained_;
  if (!record.saturated) return;
  ++limited_;
  const Actuation& actuation = scene_->actuation;
  for (Eigen::Index i = 0; i < record.tau.size(); ++i) {
    const double tau = record.tau[i];
    const bool at = tau <= actuation.lower()[i] || tau >= actuation.upper()[i];
    if (at && !actuation.is_passive(static_cast<int>(i))) ++at_limit_[static_cast<std::size_t>(i)];
  }
}

std::string ErrorCauses::DescribeLimits() const {
  std::vector<std::size_t> order(at_limit_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [this](auto i, auto j) { return at_limit_[i] > at_limit_[j]; });
  std::vector<std::string> joints;
  for (const std::size_t i : order) {
    if (at_limit_[i] == 0) break;
    joints.push_back(scene_->velocity_names[i] + " " + Share(at_limit_[i], steps_));
  }
  std::string text = "torque limits act in " + Share(limited_, steps_) + " of the steps";
  if (!joints.empty()) text += " (" + internal::List(joints) + ")";
  return text;
}

/// How far the last record is off, `worst` the coordinate with the largest error; empty: little.
std::string ErrorCauses::DescribeError(Eigen::Index worst) const {
  const std::string begin = "the run ends ";
  if (task_.m >= 0) {
    if (!(error_m_ > kOnTask) && !(error_rad_ > kOnReference)) return "";
    const std::string turned =
        task_.rad >= 0 ? " and " + internal::General(error_rad_, 3) + " rad" : "";
    return begin + internal::General(error_m_, 3) + " m" + turned + " off its task";
  }
  const double most = std::abs(error_[worst]);
  if (!(most > kOnReference)) return "";
  return begin + internal::General(most, 3) + " " + UnitAlong(scene_->plant, worst) +
         " off its reference at " + scene_->velocity_names[static_cast<std::size_t>(worst)];
}

std::string ErrorCauses::Describe() const {
  Eigen::Index worst = 0;
  if (steps_ == 0 || error_.size() == 0) return "";
  error_.cwiseAbs().maxCoeff(&worst);
  const std::string error = DescribeError(worst);
  if (error.empty()) return "";
  std::vector<std::string> causes;
  const auto add = [&](const std::string& what, long steps) {
    if (steps > 0) causes.push_back(what + " in " + Share(steps, steps_) + " of the steps");
  };
  add("near singularities the law damps the task", damped_);
  if (limited_ > 0) causes.push_back(DescribeLimits());
  add("joint limits or contacts act", constrained_);
  int passive = 0;
  const int nv = scene_->plant.nv();
  for (int iv = 0; iv < nv; ++iv) {
    const bool follows = scene_->closed && scene_->closed->dependent(iv);
    if (scene_->actuation.is_passive(iv) && !follows) ++passive;
  }
  for (const LooseJoint& joint : scene_->free_parts.loose) passive -= joint.nv;
  if (passive > 0) {
    causes.push_back("nothing drives " + std::to_string(passive) + " of " + std::to_string(nv) +
                     " coordinates");
  }
  if (const int undriven = scene_->controller->undriven().number; undriven > 0) {
    causes.push_back("motors leave " +
                     internal::Count(static_cast<std::size_t>(undriven), "undriven direction"));
  }
  const double friction = scene_->plant.frictionloss()[worst];
  if (largest_tau_[worst] > 0 && friction > 0.5 * largest_tau_[worst]) {
    causes.push_back("dry friction is " +
                     internal::General(100 * friction / largest_tau_[worst], 3) +
                     " % of the largest torque there");
  }
  if (causes.empty()) return "";
  return error + ": " + internal::Join(causes, "; ");
}

}  // namespace civita
