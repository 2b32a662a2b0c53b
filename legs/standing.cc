#include "civita/controllers/legs/standing.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "civita/controllers/controller.h"
#include "civita/controllers/legs/contact_forces.h"
#include "civita/controllers/legs/leg_kinematics.h"
#include "civita/controllers/legs/quadratic_program.h"
#include "civita/controllers/legs/support.h"
#include "civita/kinematics.h"
#include "civita/passive_forces.h"
#include "civita/rnea.h"
#include "civita/spatial.h"

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

// The programme of CalcPushCeiling in x = [d/h; forces/(m g) of the contacts].
class CeilingProgram {
 public:
  CeilingProgram(const Model& model, const LegOptions& legs, const Eigen::VectorXd& q,
                 const Point2& u)
      : now_(model, legs), W_(CalcRest(model, legs, q, now_)), u_(u.x(), u.y(), 0), legs_(legs) {
    weight_ = now_.mass * model.gravity().norm();
    for (const FootKinematics& foot : now_.feet) {
      height_ += (now_.c.z() - foot.p.z()) / static_cast<double>(now_.feet.size());
      for (const Eigen::Vector3d& p : foot.contacts) contacts_.push_back({&foot, p});
    }
    for (int iv = 6; iv < model.nv(); ++iv) {
      const auto carries = [iv](const FootKinematics& foot) { return !foot.J.col(iv).isZero(0); };
      if (!std::isfinite(legs.tau_max[iv])) continue;
      if (std::any_of(now_.feet.begin(), now_.feet.end(), carries)) limited_.push_back(iv);
    }
  }

  PushCeiling Solve() {
    if (!(weight_ > 0) || !(height_ > 0)) return {};
    constexpr double kRegularization = 1e-6;  // lowers d/h by half of it, times the forces' squares
    constexpr double kBounds = 0.01;          // of d, per relative change of a limit that bounds it
    const auto n = static_cast<int>(contacts_.size());
    QuadraticProgram program(1 + 3 * n, 4 * n + 2 * static_cast<int>(limited_.size()), 6, 10000);
    program.G *= kRegularization;
    program.g[0] = -1;
    Fill(program);
    if (program.Solve() != QuadraticProgram::Status::kOptimal || program.x[0] <= 0) return {};
    PushCeiling ceiling;
    ceiling.distance = program.x[0] * height_;
    ceiling.impulse = now_.mass * std::sqrt(weight_ / now_.mass / height_) * ceiling.distance;
    double largest = kBounds * program.x[0];
    for (size_t i = 0; i < 2 * limited_.size(); ++i) {
      const int iv = limited_[i / 2];
      const double gain =
          program.multiplier(4 * n + static_cast<int>(i)) * legs_.tau_max[iv] / weight_;
      if (gain > largest) ceiling.joint = iv;
      largest = std::max(largest, gain);
    }
    ceiling.by_friction = ceiling.joint < 0 && program.x[0] > (1 - kBounds) * legs_.friction;
    return ceiling;
  }

 private:
  struct Contact {
    const FootKinematics* foot;
    Eigen::Vector3d p;
  };

  void Fill(QuadraticProgram& program) const {
    program.A.block<3, 1>(0, 0) = u_;
    program.a[2] = -1;
    const Eigen::Vector3d across(-u_.y(), u_.x(), 0),
        up = legs_.friction * Eigen::Vector3d::UnitZ();
    for (size_t k = 0; k < contacts_.size(); ++k) {
      const auto x = 1 + 3 * static_cast<Eigen::Index>(k), row = 4 * static_cast<Eigen::Index>(k);
      program.A.block<3, 3>(0, x).setIdentity();
      program.A.block<3, 3>(3, x) = Skew<double>((contacts_[k].p - now_.c) / height_);
      program.B.block<4, 3>(row, x) << (up + u_).transpose(), (up - u_).transpose(),
          (up + across).transpose(), (up - across).transpose();
    }
    auto row = 4 * static_cast<Eigen::Index>(contacts_.size());
    for (const int iv : limited_) {  // τ_max ± τ ≥ 0, τ = W − m g d/h J_comᵀu − Σ Jᵀf
      program.B(row, 0) = -now_.J_com.col(iv).dot(u_);
      for (size_t k = 0; k < contacts_.size(); ++k) {
        const auto& [foot, p] = contacts_[k];
        const Eigen::Vector3d w = foot->J.col(iv).head<3>();
        const Eigen::Vector3d J = foot->J.col(iv).tail<3>() + w.cross(p - foot->p);
        program.B.block<1, 3>(row, 1 + 3 * static_cast<Eigen::Index>(k)) = -J.transpose();
      }
      program.B.row(row + 1) = -program.B.row(row);
      program.b[row] = (legs_.tau_max[iv] + W_[iv]) / weight_;
      program.b[row + 1] = (legs_.tau_max[iv] - W_[iv]) / weight_;
      row += 2;
    }
  }

  LegKinematics now_;
  Eigen::VectorXd W_;
  Eigen::Vector3d u_;
  const LegOptions& legs_;
  double weight_ = 0, height_ = 0;
  std::vector<Contact> contacts_;
  std::vector<int> limited_;
};

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

PushCeiling CalcPushCeiling(const Model& model, const LegOptions& legs, const Eigen::VectorXd& q,
                            const Point2& u) {
  return CeilingProgram(model, legs, q, u).Solve();
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
