#include "civita/sim/metrics.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"

namespace civita {
namespace {

struct EndEffectorPoint {
  const Model::NamedFrame* frame;
  Eigen::Vector3d point;  ///< in the frame
};

EndEffectorPoint FindEndEffector(const Scene& scene) {
  const Model& plant = scene.plant;
  for (const auto* frames : {&plant.frames(), &plant.added_frames()}) {
    const auto found = std::ranges::find(*frames, "ee", &Model::NamedFrame::name);
    if (found != frames->end()) return {&*found, Eigen::Vector3d::Zero()};
  }
  const mjModel& m = *scene.mj;
  int body = 0, depth = -1;
  for (int b = 1; b < m.nbody; ++b) {
    if (scene.free_parts.is_loose[static_cast<size_t>(b)]) continue;
    int joints = 0;
    for (int a = b; a > 0; a = m.body_parentid[a]) joints += m.body_dofnum[a];
    if (joints <= depth) continue;
    depth = joints;
    body = b;
  }
  return {&plant.frames()[static_cast<size_t>(body) - 1],
          Eigen::Map<const Eigen::Vector3d>(m.body_ipos + 3 * body)};
}

/// Samples in one second; 0, without a spectrum, where its window would fill the memory.
Eigen::Index WindowOf(double dt_s) {
  constexpr double kMost = 1 << 20;
  return 1 / dt_s <= kMost ? std::max<Eigen::Index>(2, std::lround(1 / dt_s)) : 0;
}

}  // namespace

TorqueMetrics::TorqueMetrics(int nv, double dt_s)
    : dt_s_(dt_s),
      window_(WindowOf(dt_s)),
      samples_(nv, window_),
      hann_(window_),
      cosine_(window_),
      sine_(window_),
      tau_(nv),
      windowed_(window_),
      block_(decltype(block_)::Zero(kTogether, window_)),
      power_at_(kTogether, window_) {
  for (Eigen::Index i = 0; i < window_; ++i) {
    const double angle =
        2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(window_);
    cosine_[i] = std::cos(angle);
    sine_[i] = std::sin(angle);
    hann_[i] = 0.5 - 0.5 * cosine_[i];
  }
}

void TorqueMetrics::Add(SignalIn tau, SignalIn v) {
  double power = 0;
  for (Eigen::Index i = 0; i < tau.size(); ++i) power += std::abs(tau[i] * v[i]);
  if (count_ > 0) {
    rate_squares_ += (tau - tau_).squaredNorm() / (dt_s_ * dt_s_);
    energy_ += 0.5 * dt_s_ * (power_ + power);
  }
  power_ = power;
  tau_ = tau;
  ++count_;
  if (window_ == 0) return;
  samples_.col((count_ - 1) % window_) = tau;
  if (count_ >= window_ && (count_ - window_) % (window_ / 2) == 0) AddWindow();
}

/// Power up to the cut-off from the definition of the transform, total power by Parseval's
/// theorem.
void TorqueMetrics::AddWindow() {
  const Eigen::Index last_low =
      std::min(window_ / 2,
               static_cast<Eigen::Index>(kCutoffHz * static_cast<double>(window_) * dt_s_ + 1e-9));
  for (Eigen::Index joint = 0; joint < samples_.rows(); ++joint) {
    const double mean = samples_.row(joint).mean();
    for (Eigen::Index i = 0, at = count_ % window_; i < window_; ++i) {
      windowed_[i] = hann_[i] * (samples_(joint, at) - mean);
      if (++at == window_) at = 0;
    }
    all_ += static_cast<double>(window_) * windowed_.squaredNorm();
    block_.row(joint % kTogether) = windowed_;
    const bool ends = joint % kTogether == kTogether - 1 || joint == samples_.rows() - 1;
    if (ends) AddSpectra(joint % kTogether + 1, last_low);
  }
}

/// Adds the power of the first joints of block_: a sum for each, which do not wait for each other.
void TorqueMetrics::AddSpectra(Eigen::Index joints, Eigen::Index last_low) {
  using Numbers = Eigen::Array<double, kTogether, 1>;
  for (Eigen::Index k = 0; k <= last_low; ++k) {
    Numbers re = Numbers::Zero(), im = Numbers::Zero();
    for (Eigen::Index i = 0, angle = 0; i < window_; ++i) {
      const Numbers x = block_.col(i);
      re += x * cosine_[angle];
      im += x * sine_[angle];
      angle += k;
      if (angle >= window_) angle -= window_;
    }
    const bool alone = k == 0 || 2 * k == window_;
    power_at_.col(k) = (alone ? 1.0 : 2.0) * (re * re + im * im);
  }
  for (Eigen::Index joint = 0; joint < joints; ++joint) {
    for (Eigen::Index k = 0; k <= last_low; ++k) low_ += power_at_(joint, k);
  }
}

double TorqueMetrics::rate() const {
  return count_ > 1 ? std::sqrt(rate_squares_ / static_cast<double>(count_ - 1)) : kNaN;
}

double TorqueMetrics::high_frequency_share() const {
  if (window_ == 0 || count_ < window_) return kNaN;
  return all_ > 0 ? std::clamp(1 - low_ / all_, 0.0, 1.0) : 0;
}

void PassivityResidual::Add(double V, double P, bool marked) {
  P_max_ = std::max(P_max_, std::abs(P));
  if (marked) ++marked_;
  if (rows_ >= 2 && !mark_[0] && !mark_[1]) {
    const double residual = (V - V_[0]) / (2 * dt_s_) + (P_[0] + 4 * P_[1] + P) / 6;
    largest_ = std::max(largest_, std::abs(residual));
    ++counted_;
  }
  ++rows_;
  V_[0] = V_[1];
  P_[0] = P_[1];
  mark_[0] = mark_[1];
  V_[1] = V;
  P_[1] = P;
  mark_[1] = marked;
}

double PassivityResidual::relative() const {
  return counted_ > 0 && P_max_ > 0 ? largest_ / P_max_ : kNaN;
}

MotionMetrics::MotionMetrics(const Scene& scene)
    : scene_(scene), workspace_(scene.plant), geometry_(scene.plant, scene.closed.get()) {
  const EndEffectorPoint ee = FindEndEffector(scene);
  ee_frame_ = ee.frame;
  ee_point_ = ee.point;
  q_ = q_d_ = q_mid_ = Eigen::VectorXd::Zero(scene.plant.nq());
  tangent_ = half_tangent_ = Eigen::VectorXd::Zero(scene.plant.nv());
  const int n = geometry_.size();
  delta_ = H_delta_ = Eigen::VectorXd::Zero(n);
  H_ = Eigen::MatrixXd::Zero(n, n);
}

Eigen::Vector3d MotionMetrics::EndEffector(SignalIn q) {
  UpdateKinematics(scene_.plant, q, workspace_);
  const Pose X = CalcFramePose(scene_.plant, *ee_frame_, workspace_);
  return X.p + X.R * ee_point_;
}

void MotionMetrics::Add(const StepRecord& record) {
  if (first_) {
    twist_from_ = record.twist;
    ideal_turning_from_ = record.ideal_turning;
  }
  twist_ = record.twist;
  ideal_turning_ = record.ideal_turning;
  // Loose objects move in its metric, and do not count here.
  Add(record.q, record.q_d, scene_.free_parts.loose.empty() ? record.step_length : kNaN);
}

void MotionMetrics::Add(SignalIn q, SignalIn q_d, double step_length) {
  const bool rests = !first_ && q_d == q_d_;  // the reference, often
  const Eigen::Vector3d ee = EndEffector(q), ee_d = rests ? ee_d_ : EndEffector(q_d);
  if (!first_) {
    ee_path_ += (ee - ee_).norm();
    ee_path_reference_ += (ee_d - ee_d_).norm();
    if (!rests) AddPath(q_d_, q_d, &path_reference_);
    if (std::isnan(step_length)) {
      AddPath(q_, q, &path_);
    } else {
      path_ += step_length;
    }
  }
  first_ = false;
  ee_ = ee;
  ee_d_ = ee_d;
  q_ = q;
  q_d_ = q_d;
}

/// Adds the distance of two samples in the metric at their midpoint.
void MotionMetrics::AddPath(SignalIn from, SignalIn to, double* length) {
  DifferencePosition(scene_.plant, to, from, tangent_);
  for (const LooseJoint& joint : scene_.free_parts.loose) {
    tangent_.segment(joint.iv, joint.nv).setZero();
  }
  half_tangent_ = 0.5 * tangent_;
  IntegratePosition<double>(scene_.plant, from, half_tangent_, 1, q_mid_);
  if (!geometry_.Update(q_mid_, tangent_)) return;
  geometry_.CalcMassMatrix(H_);
  geometry_.Select(tangent_, delta_);
  H_delta_.noalias() = H_ * delta_;
  *length += std::sqrt(std::max(0.0, delta_.dot(H_delta_)));
}

}  // namespace civita
