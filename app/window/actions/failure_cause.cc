#include "app/window/actions/failure_cause.h"

#include <optional>
#include <string_view>

#include "base/typeset_number.h"
#include "civita/scenes/plant/stiffness.h"

namespace civita {
namespace {

constexpr double kFast = 0.5;  // of C·dt over the inertia: one step turns v by half a radian

bool IsHeld(const SceneData& scene) { return scene.config.mode == ControlMode::kHeld; }

std::string Rate(const SceneData& scene) {
  return IsHeld(scene) ? Tabular(scene.config.rate_hz) + " Hz"
                       : "steps of " + Short(1000 * ControlStepOf(scene)) + " ms";
}

std::string Finer(const SceneData& scene) {
  return IsHeld(scene) ? "a faster control rate" : "a smaller time step";
}

std::string Damping(const SceneData& scene, const Eigen::VectorXd& K_D, const Stiffness& found) {
  const double grows = GrowsFrom(scene);
  return "K_D is too large for " + Rate(scene) +
         (IsHeld(scene) ? ": held over a step it takes " : ": in a step it takes ") +
         Short(found.factor) + " times the velocity error of " +
         scene.velocity_names[static_cast<std::size_t>(found.velocity)] +
         ", and the error grows from " + Short(grows) + " on. Use K_D below " +
         Short(K_D.maxCoeff() * grows / found.factor, 2) + ", or " + Finer(scene) + ".";
}

// What could not be computed is not said to be harmless.
std::string Unknown(const SceneData& scene, bool damping, bool coriolis) {
  const std::string what = damping && coriolis ? "K_D and C are" : damping ? "K_D is" : "C is";
  const std::string why = scene.closed ? "with closed loops" : "of this law";
  return "Whether " + what + " too stiff for the control step is not computed " + why +
         ": try smaller gains or " + Finer(scene) + ", and look at pushes, contacts and limits.";
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
  const Eigen::VectorXd* K_D = gain("K_D");
  bool knows_damping = K_D == nullptr;
  if (K_D != nullptr) {
    const std::optional<Stiffness> stiffness = CalcDampingStiffness(scene, *K_D, q);
    knows_damping = stiffness.has_value();
    if (stiffness && stiffness->factor > GrowsFrom(scene)) return Damping(scene, *K_D, *stiffness);
  }
  const double dt = ControlStepOf(scene), most = IsHeld(scene) ? 1 : GrowsFrom(scene);
  const Eigen::VectorXd* Lambda = gain("Lambda");
  if (Lambda != nullptr && Lambda->maxCoeff() * dt > most) {
    return "Λ is too large for " + Rate(scene) + ": Λ·dt is " + Short(Lambda->maxCoeff() * dt) +
           ", and position errors " + (IsHeld(scene) ? "overshoot" : "grow") + " from " +
           Short(most) + " on. Use Λ below " + Short(most / dt, 2) + " 1/s, or " + Finer(scene) +
           ".";
  }
  const std::optional<double> found = CalcCoriolisStiffness(scene, factorization, q, v);
  const std::optional<double> plain = CalcCoriolisStiffness(scene, Factorization(), q, v);
  if (found && plain && *found > kFast) {
    const bool torsion = !factorization.torsion_free() && *found > 2 * *plain;
    if (torsion) {
      return "The torsion of C is too large for " + Rate(scene) + ": C·dt is " + Short(*found) +
             " times the inertia, " + Short(*plain) +
             " without torsion. Use a smaller |t| or |β|, or " + Finer(scene) + ".";
    }
    return "The motion is too fast for " + Rate(scene) + ": C·dt is " + Short(*found) +
           " times the inertia. Smaller gains or " + Finer(scene) + " help.";
  }
  const bool knows_coriolis = found || !scene.law->uses_factorization;
  if (!knows_damping || !knows_coriolis) return Unknown(scene, !knows_damping, !knows_coriolis);
  return "Neither K_D, Λ nor C is stiff for the control step: look at pushes, contacts and limits, "
         "or use a smaller time step.";
}

}  // namespace civita
