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

// The motion at rest at q, and the joint forces W that gravity and springs ask for.
Eigen::VectorXd CalcRest(const Model& model, const LegOptions& legs, const Eigen::VectorXd& q,
                         LegKinematics& now) {
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(model.nv());
  Workspace<double> workspace(model);
  UpdateKinematics<double>(model, q, rest, workspace);
  UpdateLegKinematics(model, legs, workspace, now);
  Eigen::VectorXd W(model.nv());
  CalcGravityForces<double>(model, workspace, W);
  AddPassiveForces(model, q, rest, {.speed = kFrictionVelocity}, -1, W);
  return W;
}

}  // namespace

Standing CalcStanding(const Model& model, const LegOptions& legs, const Eigen::VectorXd& q) {
  LegKinematics now(model, legs);
  const Eigen::VectorXd W = CalcRest(model, legs, q, now);

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

Eigen::VectorXd CalcOnOneFoot(const Model& model, const LegOptions& legs, const Eigen::VectorXd& q,
                              size_t foot) {
  LegKinematics now(model, legs);
  const Eigen::VectorXd W = CalcRest(model, legs, q, now);
  const FootKinematics& stance = now.feet[foot];
  Eigen::Vector3d across = now.feet[0].p - now.feet[1].p, below = now.c - stance.p;
  across.z() = below.z() = 0;
  const Eigen::Vector3d F(0, 0, now.mass * model.gravity().norm());
  const auto tau = [&](const Eigen::Vector3d& r) -> Eigen::VectorXd {
    Eigen::Matrix<double, 6, 1> wrench;
    wrench << r.cross(F), F;
    return W - stance.J.transpose() * wrench;
  };
  const Eigen::VectorXd a = tau(below);
  const Eigen::VectorXd b = tau(below - across * (across.dot(below) / across.squaredNorm()));
  Eigen::VectorXd least = (a.array().abs() < b.array().abs()).select(a, b);
  for (int iv = 6; iv < model.nv(); ++iv) {
    if (stance.J.col(iv).isZero(0)) least[iv] = 0;
  }
  return least;
}

}  // namespace civita
