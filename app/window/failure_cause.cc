#include "app/window/failure_cause.h"

#include <optional>
#include <string_view>

#include "app/style/format.h"
#include "civita/scenes/plant/stiffness.h"

namespace civita {
namespace {

constexpr double kFast = 0.5;  // of C·dt over the inertia: one step turns v by half a radian

std::string Rate(const SceneData& scene) { return Tabular(scene.config.rate_hz) + " Hz"; }

std::string Damping(const SceneData& scene, const Eigen::VectorXd& K_D, const Stiffness& found) {
  return "K_D is too large for " + Rate(scene) + ": held over a step it takes " +
         Short(found.factor) + " times the velocity error of " +
         scene.velocity_names[static_cast<std::size_t>(found.velocity)] +
         ", and the error grows from " + Short(kGrows) + " on. Use K_D below " +
         Short(K_D.maxCoeff() * kGrows / found.factor, 2) + ", or a faster control rate.";
}

}  // namespace

std::string DescribeCause(const SceneData& scene, const std::vector<Eigen::VectorXd>& gains,
                          const Factorization& factorization, const Eigen::VectorXd& q,
                          const Eigen::VectorXd& v) {
  const auto gain = [&](std::string_view key) -> const Eigen::VectorXd* {
    for (std::size_t i = 0; i < gains.size(); ++i) {
      if (scene.law->parameters[i].key == key) return &gains[i];
    }
    return nullptr;
  };
  if (const Eigen::VectorXd* K_D = gain("K_D")) {
    const std::optional<Stiffness> found = CalcDampingStiffness(scene, *K_D, q);
    if (found && found->factor > kGrows) return Damping(scene, *K_D, *found);
  }
  const double dt = 1 / scene.config.rate_hz;
  const Eigen::VectorXd* Lambda = gain("Lambda");
  if (Lambda != nullptr && Lambda->maxCoeff() * dt > 1) {
    return "Λ is too large for " + Rate(scene) + ": Λ·dt is " + Short(Lambda->maxCoeff() * dt) +
           ", and position errors overshoot from 1 on. Use Λ below " + Short(1 / dt, 2) +
           " 1/s, or a faster control rate.";
  }
  const std::optional<double> found = CalcCoriolisStiffness(scene, factorization, q, v);
  const std::optional<double> plain = CalcCoriolisStiffness(scene, Factorization(), q, v);
  if (found && plain && *found > kFast) {
    const bool torsion = !factorization.torsion_free() && *found > 2 * *plain;
    if (torsion) {
      return "The torsion of C is too large for " + Rate(scene) + ": C·dt is " + Short(*found) +
             " times the inertia, " + Short(*plain) +
             " without torsion. Use a smaller |t| or |β|, or a faster control rate.";
    }
    return "The motion is too fast for " + Rate(scene) + ": C·dt is " + Short(*found) +
           " times the inertia. A faster control rate, or smaller gains, help.";
  }
  return "Neither K_D, Λ nor C is stiff for the control step: look at pushes, contacts and limits, "
         "or use a smaller time step.";
}

}  // namespace civita
