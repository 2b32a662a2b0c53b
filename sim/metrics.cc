#include "civita/sim/metrics.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "civita/coriolis.h"
#include "civita/jacobian.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/mass_matrix.h"

namespace civita {
namespace {

struct EndEffectorPoint {
  const Model::NamedFrame* frame;
  Eigen::Vector3d point;  ///< in the frame
};

EndEffectorPoint FindEndEffector(const mjModel& m, const Model& plant) {
  int body = -1, depth = -1;
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  if (const int site = mj_name2id(&m, mjOBJ_SITE, "ee"); site >= 0) {
    body = m.site_bodyid[site];
    point = Eigen::Map<const Eigen::Vector3d>(m.site_pos + 3 * site);
  } else {
    for (int b = 1; b < m.nbody; ++b) {
      int joints = 0;
      for (int a = b; a > 0; a = m.body_parentid[a]) joints += m.body_dofnum[a];
      if (joints <= depth) continue;
      depth = joints;
      body = b;
    }
    point = Eigen::Map<const Eigen::Vector3d>(m.body_ipos + 3 * body);
  }
  const char* name = mj_id2name(&m, mjOBJ_BODY, body);
  const bool named = name != nullptr && *name != '\0';
  return {&plant.FindFrame(named ? name : "body" + std::to_string(body)), point};
}

}  // namespace

TorqueMetrics::TorqueMetrics(int nv, double dt_s)
    : dt_s_(dt_s),
      window_(std::max<Eigen::Index>(2, std::lround(1 / dt_s))),
      samples_(nv, window_),
      hann_(window_),
      cosine_(window_),
      sine_(window_),
      tau_(nv),
      windowed_(window_) {
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
  samples_.col(count_ % window_) = tau;
  ++count_;
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
    for (Eigen::Index i = 0; i < window_; ++i) {
      windowed_[i] = hann_[i] * (samples_(joint, (count_ + i) % window_) - mean);
    }
    all_ += static_cast<double>(window_) * windowed_.squaredNorm();
    for (Eigen::Index k = 0; k <= last_low; ++k) {
      double re = 0, im = 0;
      for (Eigen::Index i = 0; i < window_; ++i) {
        const Eigen::Index angle = i * k % window_;
        re += windowed_[i] * cosine_[angle];
        im += windowed_[i] * sine_[angle];
      }
      const bool alone = k == 0 || 2 * k == window_;
      low_ += (alone ? 1 : 2) * (re * re + im * im);
    }
  }
}

double TorqueMetrics::rate() const {
  return count_ > 1 ? std::sqrt(rate_squares_ / static_cast<double>(count_ - 1)) : kNaN;
}

double TorqueMetrics::high_frequency_share() const {
  if (count_ < window_) return kNaN;
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

MotionMetrics::MotionMetrics(const Scene& scene, Factorization factorization, double dt_s)
    : scene_(scene),
      factorization_(std::move(factorization)),
      dt_s_(dt_s),
      workspace_(scene.plant),
      control_workspace_(scene.control_model),
      lu_(scene.plant.nv()),
      llt_(scene.plant.nv()) {
  const EndEffectorPoint ee = FindEndEffector(*scene.mj, scene.plant);
  ee_frame_ = ee.frame;
  ee_point_ = ee.point;
  const int nv = scene.plant.nv();
  q_ = q_d_ = q_mid_ = Eigen::VectorXd::Zero(scene.plant.nq());
  s_ = v_mid_ = delta_ = half_ = s_mid_ = transported_ = turned_ = Eigen::VectorXd::Zero(nv);
  H_ = C_ = K_ = control_H_ = lhs_ = Eigen::MatrixXd::Zero(nv, nv);
  if (!scene.controller->info().uses_factorization) ideal_turning_ = kNaN;
}

Eigen::Vector3d MotionMetrics::EndEffector(SignalIn q) {
  UpdateKinematics(scene_.plant, q, workspace_);
  const FramePose<double> X = CalcFramePose(scene_.plant, *ee_frame_, workspace_);
  return X.p + X.R * ee_point_;
}

void MotionMetrics::Add(SignalIn q, SignalIn s, SignalIn q_d) {
  const Eigen::Vector3d ee = EndEffector(q), ee_d = EndEffector(q_d);
  if (!first_) {
    ee_path_ += (ee - ee_).norm();
    ee_path_reference_ += (ee_d - ee_d_).norm();
    AddPath(q, q_d);
    AddTurning(s);
  }
  first_ = false;
  ee_ = ee;
  ee_d_ = ee_d;
  q_ = q;
  s_ = s;
  q_d_ = q_d;
}

/// Sets q_mid_ and v_mid_ to the motion at the midpoint.
void MotionMetrics::AddPath(SignalIn q, SignalIn q_d) {
  const Model& plant = scene_.plant;
  const auto length = [&](SignalIn from, SignalIn to) {
    DifferencePosition(plant, to, from, delta_);
    half_ = 0.5 * delta_;
    IntegratePosition<double>(plant, from, half_, 1, q_mid_);
    UpdateKinematics(plant, q_mid_, workspace_);
    CalcMassMatrix(plant, workspace_, H_);
    turned_.noalias() = H_ * delta_;
    return std::sqrt(std::max(0.0, delta_.dot(turned_)));
  };
  path_reference_ += length(q_d_, q_d);
  path_ += length(q_, q);
  v_mid_ = delta_ / dt_s_;
}

void MotionMetrics::AddTurning(SignalIn s) {
  const Model& plant = scene_.plant;
  UpdateKinematics(plant, q_mid_, v_mid_, workspace_);
  CalcCoriolisMatrix(plant, Factorization(), workspace_, C_, H_);
  const auto norm = [this](SignalIn x) {
    turned_.noalias() = H_ * x;
    return std::sqrt(std::max(0.0, x.dot(turned_)));
  };
  const double before = norm(s_), after = norm(s);
  largest_ = std::max({largest_, before, after});
  const double floor = kFloor * largest_;
  if (!(before > floor && after > floor)) return;

  lhs_ = H_ + 0.5 * dt_s_ * C_;
  lu_.compute(lhs_);
  lhs_ = H_ - 0.5 * dt_s_ * C_;
  turned_.noalias() = lhs_ * s_;
  transported_ = lu_.solve(turned_);
  turned_.noalias() = H_ * transported_;
  const double square = transported_.dot(turned_), along = s.dot(turned_);
  half_ = s - transported_ * (along / square);
  twist_ += std::atan2(norm(half_) * std::sqrt(square), along);

  if (std::isnan(ideal_turning_) || factorization_.torsion_free()) return;
  const Model& control = scene_.control_model;
  UpdateKinematics(control, q_mid_, v_mid_, control_workspace_);
  CalcCoriolisMatrix(control, factorization_, control_workspace_, K_, control_H_);
  CalcCoriolisMatrix(control, Factorization(), control_workspace_, C_, control_H_);
  K_ -= C_;
  s_mid_ = 0.5 * (s_ + s);
  const double size = norm(s_mid_);
  llt_.compute(H_);
  half_.noalias() = K_ * s_mid_;
  half_ = llt_.solve(half_);
  turned_.noalias() = H_ * s_mid_;
  half_ -= s_mid_ * (half_.dot(turned_) / (size * size));
  ideal_turning_ += dt_s_ * norm(half_) / size;
}

}  // namespace civita
