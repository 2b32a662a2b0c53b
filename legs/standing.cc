#include "civita/controllers/legs/standing.h"

#include <Eigen/Geometry>
#include <array>
#include <limits>

#include "civita/controllers/controller.h"
#include "civita/controllers/legs/contact_forces.h"
#include "civita/controllers/legs/leg_kinematics.h"
#include "civita/controllers/legs/support.h"
#include "civita/kinematics.h"
#include "civita/passive_forces.h"
#include "civita/rnea.h"

namespace civita {
namespace {

double SupportMargin(const LegKinematics& now) {
  std::array<Point2, SupportPolygon::kMaxPoints> points;
  size_t n = 0;
  for (const FootKinematics& foot : now.feet) {
    for (const Eigen::Vector3d& p : foot.contacts) points[n++] = p.head<2>();
  }
  return SupportPolygon({points.data(), n}).Inside(now.c.head<2>());
}

}  // namespace

Standing CalcStanding(const Model& model, const LegOptions& legs, const Eigen::VectorXd& q) {
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(model.nv());
  Workspace<double> workspace(model);
  LegKinematics now(model, legs);
  UpdateKinematics<double>(model, q, rest, workspace);
  UpdateLegKinematics(model, legs, workspace, now);
  Eigen::VectorXd W(model.nv());
  CalcGravityForces<double>(model, workspace, W);
  AddPassiveForces(model, q, rest, {.speed = kFrictionVelocity}, -1, W);

  // The base's rows are [force, world axes; moment about its origin, its own axes].
  Eigen::Matrix<double, 6, 1> wrench;
  wrench.head<3>() = W.head<3>();
  wrench.tail<3>() = now.R_base * W.segment<3>(3) - (now.c - now.p_base).cross(W.head<3>());
  const Eigen::VectorXd load = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(legs.feet.size()));
  Standing standing;
  const auto hold = [&](const LegOptions& options) {
    ContactForces forces(model, options);
    forces.Distribute(now, wrench, load, W);
    Eigen::VectorXd tau = W - forces.joint_forces();
    tau.head<6>().setZero();
    const double weight = now.mass * model.gravity().norm();
    const double height = now.c.z() - now.feet.front().p.z();
    standing.unmet_force = forces.unmet().head<3>().norm() / weight;
    standing.unmet_moment = forces.unmet().tail<3>().norm() / (weight * height);
    return tau;
  };
  LegOptions unlimited = legs;
  unlimited.tau_max.setConstant(std::numeric_limits<double>::infinity());
  standing.tau_free = hold(unlimited);
  standing.tau = hold(legs);
  standing.margin = SupportMargin(now);
  return standing;
}

}  // namespace civita
