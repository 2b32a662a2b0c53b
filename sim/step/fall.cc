#include "civita/sim/fall.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/number_text.h"
#include "civita/sim/simulation.h"

namespace civita {
namespace {

constexpr double kLowest = 0.6;                     // of the nominal height
constexpr double kSteepest = std::numbers::pi / 3;  // rad
constexpr double kLeastHeight = 0.05;               // m; a base on the floor cannot be lower
constexpr double kLeastSunk = 0.01;                 // m

using Matrix3RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

Eigen::Vector3d PositionOf(const mjData& d, int body) {
  return Eigen::Map<const Eigen::Vector3d>(d.xpos + 3 * body);
}
Eigen::Matrix3d RotationOf(const mjData& d, int body) {
  return Eigen::Map<const Matrix3RowMajor>(d.xmat + 9 * body);
}

/// Of the body's origin, world axes, m/s.
Eigen::Vector3d VelocityOf(const mjModel& m, const mjData& d, int body) {
  mjtNum V[6];
  mj_objectVelocity(&m, &d, mjOBJ_XBODY, body, V, 0);
  return Eigen::Map<const Eigen::Vector3d>(V + 3);
}

/// m/s²
Eigen::Vector3d GravityOf(const mjModel& m) {
  if ((m.opt.disableflags & mjDSBL_GRAVITY) != 0) return Eigen::Vector3d::Zero();
  return Eigen::Map<const Eigen::Vector3d>(m.opt.gravity);
}

bool HasContacts(const Scene& scene) {
  return scene.config.mode == ControlMode::kHeld &&
         (scene.mj->opt.disableflags & (mjDSBL_CONTACT | mjDSBL_CONSTRAINT)) == 0;
}

}  // namespace

void FallWatch::AddAbove(double t, double height, double nominal_height, double tilt) {
  const bool up = height >= kLowest * nominal_height && tilt <= kSteepest;
  if (fall_.fallen) {
    if (fall_.freely) return;
    if (!up) fall_.up_t = std::numeric_limits<double>::quiet_NaN();
    if (up && std::isnan(fall_.up_t)) fall_.up_t = t;
    return;
  }
  if (up) return;
  fall_.nominal_height = nominal_height;
  fall_.fallen = true;
  fall_.t = t;
  fall_.height = height;
  fall_.tilt = tilt;
}

void FallWatch::AddSunk(double t, double sunk, double gravity) {
  if (fall_.fallen || sunk < kLeastSunk || sunk < 0.25 * gravity * t * t) return;
  fall_.fallen = fall_.freely = true;
  fall_.t = t;
  fall_.sunk = sunk;
}

std::string Describe(const Fall& fall) {
  const auto number = [](double x) { return internal::General(x, 3); };
  const std::string t = internal::General(fall.t, 4) + " s";
  if (fall.freely) {
    return "fell freely: nothing holds the base, " + number(fall.sunk) +
           " m below its start at t = " + t;
  }
  if (fall.tilt > kSteepest) {
    constexpr double kDegrees = 180 / std::numbers::pi;
    return "fell at t = " + t + ": the base tilted by " + number(fall.tilt * kDegrees) +
           "°, beyond " + number(kSteepest * kDegrees) + "°";
  }
  return "fell at t = " + t + ": the base at " + number(fall.height) + " m, below " +
         number(100 * kLowest) + " % of " + number(fall.nominal_height) + " m";
}

bool CanFall(const Scene& scene) {
  return scene.legs != nullptr ||
         (!scene.free_parts.bases.empty() && GravityOf(*scene.mj).norm() > 0);
}

FallProbe::FallProbe(const Scene& scene) : scene_(scene), ground_(*scene.mj) {
  if (scene.legs || !CanFall(scene)) return;
  const mjModel& m = *scene.mj;
  const Eigen::Vector3d gravity = GravityOf(m);
  gravity_ = gravity.norm();
  up_ = -gravity / gravity_;
  data_.reset(mj_makeData(&m));
  std::copy_n(scene.q_start.data(), m.nq, data_->qpos);
  std::copy_n(scene.v_start.data(), m.nv, data_->qvel);
  mj_fwdPosition(&m, data_.get());
  mj_fwdVelocity(&m, data_.get());
  for (const FloatingBase& floating : scene.free_parts.bases) {
    Base base;
    base.body = floating.body;
    base.p_start = PositionOf(*data_, base.body);
    base.v_start = VelocityOf(m, *data_, base.body);
    base.up = RotationOf(*data_, base.body).transpose() * up_;
    const double height = ground_.HeightOf(m, *data_, base.p_start);
    base.on_floor = HasContacts(scene) && floating.meets_floor && std::isfinite(height);
    base.nominal_height = height > kLeastHeight ? height : 0;
    bases_.push_back(base);
  }
}

void FallProbe::Add(const StepRecord& record, FallWatch* watch) {
  if (scene_.legs) {
    watch->Add(record.t, record.legs.base_height, record.legs.tilt);
    return;
  }
  if (bases_.empty() || watch->fall().fallen) return;
  const mjModel& m = *scene_.mj;
  std::copy_n(record.q.data(), m.nq, data_->qpos);
  mj_kinematics(&m, data_.get());
  for (const Base& base : bases_) {
    const Eigen::Vector3d p = PositionOf(*data_, base.body);
    if (base.on_floor) {
      const double height = base.nominal_height > 0 ? ground_.HeightOf(m, *data_, p) : 0;
      const double cosine = up_.dot(RotationOf(*data_, base.body) * base.up);
      watch->AddAbove(record.t, height, base.nominal_height,
                      std::acos(std::clamp(cosine, -1.0, 1.0)));
    } else {
      watch->AddSunk(record.t, up_.dot(base.p_start + record.t * base.v_start - p), gravity_);
    }
  }
}

}  // namespace civita
