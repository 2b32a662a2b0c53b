#include "civita/sim/leg_probe.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "civita/error.h"
#include "civita/scenes/plant/coupling.h"
#include "civita/scenes/plant/legs.h"
#include "civita/scenes/plant/model_file.h"

namespace civita {
namespace {

using Matrix3RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

constexpr double kMinLoad = 1;  // N; a smaller force counts as unloaded

Eigen::Map<const Eigen::Vector3d> AsVector3(const mjtNum* x) {
  return Eigen::Map<const Eigen::Vector3d>(x);
}

// The foot's body and the mean of its balls' centres, in the body's axes.
std::pair<int, Eigen::Vector3d> FindFoot(const mjModel& m, const Foot& foot) {
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  for (const Eigen::Vector3d& point : foot.points) middle += point;
  middle /= static_cast<double>(foot.points.size());
  const auto [body, X_BF] = FindMujocoFrame(m, foot.frame.name);
  CIVITA_CHECK(body > 0, "no frame '" << foot.frame.name << "'");
  return {body, X_BF.R * middle + X_BF.p};
}

}  // namespace

LegProbe::LegProbe(const mjModel& m, const LegOptions& legs, const Eigen::VectorXd& q_home)
    : middles_(Eigen::Matrix3Xd::Zero(3, static_cast<Eigen::Index>(legs.feet.size()))),
      owner_(static_cast<size_t>(m.ngeom), kOther),
      ground_(m) {
  CIVITA_CHECK(m.njnt > 0 && m.jnt_type[0] == mjJNT_FREE, "a legged robot without a free joint");
  base_ = m.jnt_bodyid[0];
  for (const Foot& foot : legs.feet) {
    const auto [body, middle] = FindFoot(m, foot);
    middles_.col(static_cast<Eigen::Index>(feet_.size())) = middle;
    feet_.push_back(body);
  }
  for (int geom = 0; geom < m.ngeom; ++geom) {
    const int body = m.geom_bodyid[geom];
    int& owner = owner_[static_cast<size_t>(geom)];
    if (m.body_weldid[body] == 0) owner = kGround;
    for (size_t i = 0; i < feet_.size(); ++i) {
      if (IsFixedTo(m, body, feet_[i])) owner = static_cast<int>(i);
    }
  }
  const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(&m));
  std::copy_n(q_home.data(), q_home.size(), d->qpos);
  mj_kinematics(&m, d.get());
  nominal_height_ = CalcBaseHeight(m, *d);
  const mjtNum* const R = d->xmat + 9 * base_;
  up_home_ = {R[6], R[7], R[8]};
}

double LegProbe::CalcBaseHeight(const mjModel& m, const mjData& d) const {
  return ground_.HeightOf(m, d, AsVector3(d.xpos + 3 * base_));
}

void LegProbe::ReadContacts(const mjModel& m, const mjData& d, LegReading* reading) const {
  reading->foot_force.setZero();
  reading->foot_slip.setZero();
  for (int i = 0; i < d.ncon; ++i) {
    const mjContact& contact = d.contact[i];
    if (contact.geom[0] < 0 || contact.geom[1] < 0) continue;
    const int a = owner_[static_cast<size_t>(contact.geom[0])];
    const int b = owner_[static_cast<size_t>(contact.geom[1])];
    if ((a != kGround || b < 0) && (b != kGround || a < 0)) continue;
    const int foot = std::max(a, b);
    mjtNum force[6];
    mj_contactForce(&m, &d, i, force);
    const Eigen::Map<const Eigen::Vector3d> normal(contact.frame);
    mjtNum V[6];  // [angular; linear of the body's origin], world axes
    const int body = m.geom_bodyid[contact.geom[a >= 0 ? 0 : 1]];
    mj_objectVelocity(&m, &d, mjOBJ_XBODY, body, V, 0);
    const Eigen::Vector3d arm = AsVector3(contact.pos) - AsVector3(d.xpos + 3 * body);
    Eigen::Vector3d v = AsVector3(V + 3) + AsVector3(V).cross(arm);
    v -= normal.dot(v) * normal;
    reading->foot_force[foot] += force[0];
    // Weighted by force, so that a sole's unloaded points count little; normalized below.
    reading->foot_slip[foot] += force[0] * v.norm();
  }
  for (Eigen::Index i = 0; i < middles_.cols(); ++i) {
    double& slip = reading->foot_slip[i];
    const double force = reading->foot_force[i];
    slip = force > kMinLoad ? slip / force : 0;
  }
}

void LegProbe::Read(const mjModel& m, const mjData& d, LegReading* reading) const {
  ReadContacts(m, d, reading);
  for (Eigen::Index i = 0; i < middles_.cols(); ++i) {
    const int body = feet_[static_cast<size_t>(i)];
    const Eigen::Map<const Matrix3RowMajor> R_foot(d.xmat + 9 * body);
    reading->foot_position.col(i) = AsVector3(d.xpos + 3 * body) + R_foot * middles_.col(i);
  }
  reading->base_height = CalcBaseHeight(m, d);
  const mjtNum* const R = d.xmat + 9 * base_;
  const double cosine = Eigen::Vector3d(R[6], R[7], R[8]).dot(up_home_);
  reading->tilt = std::acos(std::clamp(cosine, -1.0, 1.0));
}

}  // namespace civita
