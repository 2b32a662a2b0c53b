#include "civita/study/identify/momentum_windows.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/decompositions.h"
#include "base/random.h"
#include "civita/coriolis.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/passive_forces.h"

namespace civita {
namespace {

using Eigen::Index;
using Kind = IdentifiedParameter::Kind;

/// What a sample adds to the equation: rows of parameters of p = H v and of g − Cᵀv and friction,
/// and what of them the model knows.
class MomentumTerms {
 public:
  MomentumTerms(const Model& model, const std::vector<IdentifiedParameter>& parameters)
      : model_(model),
        parameters_(parameters),
        frames_(BodyFrames(model)),
        pi_(CalcModelParameters(model, frames_)),
        workspace_(model),
        zero_(Eigen::VectorXd::Zero(model.nv())) {
    const Index nv = model.nv();
    YT_.resize(pi_.size(), nv);
    gT_.resize(pi_.size(), nv);
    YTs_.resize(pi_.size());
    H_.resize(nv, nv);
    C_.resize(nv, nv);
    p_0 = f_0 = zero_;
    PT = FT = Eigen::MatrixXd::Zero(static_cast<Index>(parameters.size()), nv);
  }

  void Update(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    const Index size = pi_.size();
    UpdateKinematics<double>(model_, q, v, workspace_);
    Calc(zero_, zero_, &gT_, &f_0);
    Calc(zero_, v, &YT_, &p_0);
    PT.topRows(size) = YT_ - gT_;
    p_0 -= f_0;
    FT.topRows(size) = gT_;
    AddPassiveForces(model_, q, zero_, {.speed = 1}, -1, f_0);  // springs
    CalcCoriolisMatrix<double>(model_, factorization_, workspace_, {.C = C_, .H = H_});
    f_0 -= C_.transpose() * v;
    for (Index i = 0; i < v.size(); ++i) {
      // vᵀC e_i + vᵀg by the regressor at v_r = e_i.
      CalcRegressorProducts<double>(model_, factorization_, frames_,
                                    Eigen::VectorXd::Unit(v.size(), i), zero_, no_numbers_, v,
                                    workspace_, no_numbers_, YTs_);
      YTs_ -= gT_ * v;
      FT.col(i).head(size) -= YTs_;
      f_0[i] += YTs_.dot(pi_);
    }
    for (Index c = size; c < FT.rows(); ++c) {
      const auto& [name, unit, kind, i, armature] = parameters_[static_cast<size_t>(c)];
      if (kind == Kind::kArmature) p_0[i] -= armature * v[i];
      if (kind == Kind::kArmature) PT(c, i) = v[i];
      if (kind == Kind::kViscous) FT(c, i) = v[i];
      if (kind == Kind::kDry) FT(c, i) = v[i] > 0 ? 1 : v[i] < 0 ? -1 : 0;
    }
  }

  Eigen::MatrixXd PT, FT;    ///< parameters × nv
  Eigen::VectorXd p_0, f_0;  ///< nv

 private:
  void Calc(const Eigen::VectorXd& v_r, const Eigen::VectorXd& vdot_r, Eigen::MatrixXd* YT,
            Eigen::VectorXd* y) {
    CalcTransposedRegressor<double>(model_, factorization_, frames_, v_r, vdot_r, workspace_, *YT,
                                    *y);
  }

  const Model& model_;
  const std::vector<IdentifiedParameter>& parameters_;
  const Factorization factorization_ = Factorization::Christoffel();
  std::vector<Model::NamedFrame> frames_;
  Eigen::VectorXd pi_;  ///< the model's
  Workspace<double> workspace_;
  Eigen::VectorXd zero_, no_numbers_, YTs_;
  Eigen::MatrixXd YT_, gT_, H_, C_;
};

}  // namespace

std::vector<IdentifiedParameter> IdentifiedParameters(const Model& model, bool armature) {
  static constexpr const char* kNames[] = {"m",   "h_x", "h_y", "h_z", "Ixx",
                                           "Iyy", "Izz", "Ixy", "Ixz", "Iyz"};
  static constexpr const char* kUnits[] = {"kg", "kg·m", "kg·m²"};
  std::vector<IdentifiedParameter> parameters;
  const std::vector<Model::NamedFrame> frames = BodyFrames(model);
  const Eigen::VectorXd pi = CalcModelParameters(model, frames);
  for (Index k = 0; k < pi.size(); ++k) {
    const Index of = k % kNumBodyParameters;
    const Kind kind = of == 0 ? Kind::kMass : of < 4 ? Kind::kMoment : Kind::kInertia;
    parameters.push_back(
        {frames[static_cast<size_t>(k / kNumBodyParameters)].name + "." + kNames[of],
         kUnits[static_cast<int>(kind)], kind, static_cast<int>(k), pi[k]});
  }
  const auto add = [&](Kind kind, const char* what, const char* of_hinge, const char* of_slide,
                       const Eigen::VectorXd& values) {
    for (const Model::NamedJoint& joint : model.joints()) {
      if (joint.type != JointType::kHinge && joint.type != JointType::kSlide) continue;
      parameters.push_back({joint.name + what,
                            joint.type == JointType::kHinge ? of_hinge : of_slide, kind, joint.iv,
                            values[joint.iv]});
    }
  };
  add(Kind::kViscous, ".viscous", "N·m·s/rad", "N·s/m", model.damping());
  add(Kind::kDry, ".dry", "N·m", "N", model.frictionloss());
  if (armature) add(Kind::kArmature, ".armature", "kg·m²", "kg", model.armature());
  return parameters;
}

MomentumWindows CalcMomentumWindows(const Model& model,
                                    const std::vector<IdentifiedParameter>& parameters,
                                    const std::vector<int>& columns, const MotionSamples& samples,
                                    double T) {
  const Eigen::VectorXd& t = samples.t;
  const double hop = T / (MomentumWindows::kOverlap + 1);
  const Index N = t.size(), nv = model.nv();
  const auto count = static_cast<Index>(std::floor((t[N - 1] - t[0] - T) / hop + 1e-9)) + 1;
  if (count < 1) throw UserError(samples.name + " is shorter than a window");
  Eigen::MatrixXd XT = Eigen::MatrixXd::Zero(static_cast<Index>(parameters.size()), count * nv);
  Eigen::VectorXd y = Eigen::VectorXd::Zero(count * nv);
  std::vector<bool> is_whole(static_cast<size_t>(count), true);
  Eigen::VectorXd norm = Eigen::VectorXd::Zero(count);
  MomentumTerms terms(model, parameters);
  for (Index k = 0; k < N; ++k) {
    const double before = k > 0 ? t[k] - t[k - 1] : 0, after = k + 1 < N ? t[k + 1] - t[k] : 0;
    const double dt = 0.5 * (before + after);
    const bool is_bad = (!samples.excluded.empty() && samples.excluded[static_cast<size_t>(k)]) ||
                        std::max(before, after) > T / 8;
    terms.Update(samples.q.col(k), samples.v.col(k));
    const auto last = std::min(count - 1, static_cast<Index>((t[k] - t[0]) / hop));
    for (Index j = std::max<Index>(0, last - MomentumWindows::kOverlap - 1); j <= last; ++j) {
      const double x = (t[k] - t[0] - static_cast<double>(j) * hop) / T;
      if (x < 0 || x > 1) continue;
      const auto w_at = [](double at) {
        return at < 1 ? std::pow(std::sin(std::numbers::pi * at), 4) : 0;
      };
      const double s = std::sin(std::numbers::pi * x), c = std::cos(std::numbers::pi * x);
      const double w = w_at(x) * dt, dw = 4 * std::numbers::pi / T * s * s * s * c * dt;
      const double w_tau =
          samples.torque_is_held ? 0.5 * after * (w_at(x) + w_at(x + after / T)) : w;
      if (is_bad) is_whole[static_cast<size_t>(j)] = false;
      XT.middleCols(j * nv, nv) += w * terms.FT - dw * terms.PT;
      y.segment(j * nv, nv) += w_tau * samples.tau.col(k) - w * terms.f_0 + dw * terms.p_0;
      norm[j] += w * w;
    }
  }
  MomentumWindows windows;
  std::vector<Index> rows;
  bool follows = false;
  for (Index j = 0; j < count; ++j) {
    const double scale = 1 / std::sqrt(norm[j]);
    const bool is_kept = is_whole[static_cast<size_t>(j)] && std::isfinite(scale);
    if (is_kept && !follows) windows.stretches.push_back(static_cast<Index>(rows.size()) / nv);
    follows = is_kept;
    if (!is_kept) continue;
    XT.middleCols(j * nv, nv) *= scale;
    y.segment(j * nv, nv) *= scale;
    for (Index i = 0; i < nv; ++i) rows.push_back(j * nv + i);
  }
  if (rows.empty()) {
    throw UserError(samples.name + ": no window without gaps, contacts, limits and pushes");
  }
  windows.stretches.push_back(static_cast<Index>(rows.size()) / nv);
  windows.X = XT(columns, rows).transpose();
  windows.y = y(rows);
  return windows;
}

IndependentColumns FindIndependentColumns(const Eigen::MatrixXd& A, double threshold) {
  // Gram and Schmidt's method in the order of the columns, twice for each.
  constexpr double kNothing = 1e-7;  // a column of rounding
  const double largest = A.cols() == 0 ? 0 : A.colwise().norm().maxCoeff();
  IndependentColumns found;
  Eigen::MatrixXd Q(A.rows(), std::min(A.rows(), A.cols()));
  for (Index c = 0; c < A.cols() && static_cast<Index>(found.kept.size()) < Q.cols(); ++c) {
    const auto done = Q.leftCols(static_cast<Index>(found.kept.size()));
    Eigen::VectorXd rest = A.col(c);
    for (int twice = 0; twice < 2; ++twice) rest -= done * (done.transpose() * rest);
    if (rest.norm() <= threshold * std::max(A.col(c).norm(), kNothing / threshold * largest))
      continue;
    Q.col(static_cast<Index>(found.kept.size())) = rest.normalized();
    found.kept.push_back(static_cast<int>(c));
  }
  if (found.kept.empty()) return {{}, Eigen::MatrixXd::Zero(0, A.cols())};
  constexpr double kRounding = 1e-9;
  found.B = internal::SolveLeastSquares(A(Eigen::all, found.kept), A);
  found.B = (found.B.array().abs() < kRounding).select(0, found.B);
  return found;
}

IndependentColumns FindBaseParameters(const Model& model,
                                      const std::vector<IdentifiedParameter>& parameters) {
  constexpr double kThreshold = 1e-8;
  const auto count = static_cast<Index>(parameters.size()), nv = Index{model.nv()};
  const Index states = 3 * count / nv + 10;
  Eigen::MatrixXd A(2 * states * nv, count);
  MomentumTerms terms(model, parameters);
  Eigen::VectorXd q(model.nq()), v(nv);
  Random random(1, Random::Stream::kTrials);
  for (Index k = 0; k < states; ++k) {
    RandomPosition(model, static_cast<int>(k), q);
    for (double& x : v) x = random.Normal();
    terms.Update(q, v);
    A.middleRows(2 * k * nv, 2 * nv) << terms.PT.transpose(), terms.FT.transpose();
  }
  return FindIndependentColumns(A, kThreshold);
}

}  // namespace civita
