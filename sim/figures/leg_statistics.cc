#include "civita/sim/leg_statistics.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "civita/controllers/legs/contact_forces.h"
#include "civita/controllers/legs/leg_kinematics.h"

namespace civita {
namespace {

constexpr double kShortestFlight = 0.02;  // s; a bouncing foot makes no step

double Square(double x) { return x * x; }

}  // namespace

bool DistributesForces(const Scene& scene) {
  return scene.legs != nullptr && scene.controller->FindSignal("/law/unmet/force") >= 0;
}

LegStatistics::LegStatistics(const MetricContext& context)
    : dt_s_(context.dt_s), feet_(context.scene->legs ? context.scene->legs->feet.size() : 0) {
  if (context.scene->legs) {
    LegOptions legs = *context.scene->legs;
    TakeHome(context.scene->control_model, legs.q_home, &legs);
    R_home_ = legs.R_home;
  }
  if (!DistributesForces(*context.scene)) return;
  const Controller& law = *context.scene->controller;
  unmet_force_signal_ = law.FindSignal("/law/unmet/force");
  unmet_moment_signal_ = law.FindSignal("/law/unmet/moment");
  qp_status_signal_ = law.FindSignal("/law/qp/status");
}

void LegStatistics::AddFeet(const LegReading& legs) {
  for (std::size_t i = 0; i < feet_.size(); ++i) {
    FootState& foot = feet_[i];
    const auto column = static_cast<Eigen::Index>(i);
    foot.present = legs.foot_position.col(column).head<2>();
    if (records_ == 0) foot.start = foot.present;
    slip_ += dt_s_ * legs.foot_slip[column];
    if (legs.foot_force[column] > 0) {
      if (static_cast<double>(foot.in_air) * dt_s_ >= kShortestFlight) ++steps_;
      foot.in_air = 0;
    } else {
      ++foot.in_air;
    }
  }
}

void LegStatistics::Add(const StepRecord& record) {
  if (feet_.empty()) return;
  const double tilt = record.legs.tilt;
  tilt_squares_ += tilt * tilt;
  tilt_peak_ = std::max(tilt_peak_, tilt);

  const Eigen::VectorXd &q = record.q, &v = record.v;
  const Eigen::Matrix3d R =
      Eigen::Quaterniond(q[3], q[4], q[5], q[6]).toRotationMatrix() * R_home_.transpose();
  const double heading = std::atan2(R(1, 0), R(0, 0));
  forward_ += std::cos(heading) * v[0] + std::sin(heading) * v[1];
  sideways_ += std::cos(heading) * v[1] - std::sin(heading) * v[0];

  AddFeet(record.legs);
  if (qp_status_signal_ >= 0) {
    unmet_force_ += Square(record.signals[unmet_force_signal_]);
    unmet_moment_ += Square(record.signals[unmet_moment_signal_]);
    const auto status =
        static_cast<ContactForces::Status>(std::lround(record.signals[qp_status_signal_]));
    const bool infeasible = status == ContactForces::Status::kTorqueDropped ||
                            status == ContactForces::Status::kFallback;
    if (infeasible) ++infeasible_steps_;
  }
  qp_us_.Add(1e6 * record.qp_s);
  ++records_;
}

double LegStatistics::feet_moved() const {
  double moved = 0;
  for (const FootState& foot : feet_) {
    const Eigen::Vector2d way = foot.present - foot.start;
    moved += std::hypot(way.x(), way.y());
  }
  return moved;
}

}  // namespace civita
