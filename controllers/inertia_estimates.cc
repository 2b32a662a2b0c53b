#include "civita/controllers/inertia_estimates.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "civita/controllers/pseudo_inertia.h"
#include "civita/error.h"
#include "civita/frame_motion.h"
#include "civita/suggest.h"

namespace civita {
namespace {

constexpr int kSignalsPerBody = 4;  // mass, first moment

using Numbers = Eigen::Matrix<double, kNumBodyParameters, 1>;

/// The ten coordinates of U: logarithms of its diagonal, then the entries above it by columns.
Numbers ToNumbers(const Eigen::Matrix4d& U) {
  Numbers x;
  x << U.diagonal().array().log(), U(0, 1), U(0, 2), U(1, 2), U.topRightCorner<3, 1>();
  return x;
}

Eigen::Matrix4d ToFactor(const Numbers& x) {
  Eigen::Matrix4d U = Eigen::Matrix4d::Zero();
  U.diagonal() = x.head<4>().array().exp();
  U(0, 1) = x[4];
  U.block<2, 1>(0, 2) = x.segment<2>(5);
  U.topRightCorner<3, 1>() = x.tail<3>();
  return U;
}

/// The rate of ToNumbers(U).
Numbers RateOfNumbers(const Eigen::Matrix4d& U, const Eigen::Matrix4d& Udot) {
  Numbers xdot;
  xdot << Udot.diagonal().cwiseQuotient(U.diagonal()), Udot(0, 1), Udot(0, 2), Udot(1, 2),
      Udot.topRightCorner<3, 1>();
  return xdot;
}

std::vector<std::string> FrameNames(const Model& model) {
  std::vector<std::string> names;
  for (const Model::NamedFrame& frame : model.frames()) names.push_back(frame.name);
  return names;
}

[[noreturn]] void Refuse(const std::string& what) {
  throw UserError("controller.adapt_bodies: " + what);
}

/// log(det Ĵ/det J) + tr(Ĵ⁻¹J) − 4 for Ĵ = U Uᵀ.
double CalcDivergence(const Eigen::Matrix4d& U, const Eigen::Matrix4d& J) {
  Eigen::Matrix4d U_true;
  if (!CalcUpperFactor(J, &U_true)) return std::numeric_limits<double>::infinity();
  const Eigen::Matrix4d X = U.triangularView<Eigen::Upper>().solve(U_true);
  // The diagonal x = 1 + δ contributes x² − 1 − 2 log x, written in δ so that small errors keep
  // their digits.
  const Eigen::Array4d delta = X.diagonal().array() - 1;
  const Eigen::Matrix4d above = X.triangularView<Eigen::StrictlyUpper>();
  return (delta * (2 + delta) - 2 * delta.log1p()).sum() + above.squaredNorm();
}

}  // namespace

AdaptOptions AdaptOptions::Of(const LawOptions& own) {
  const bool euclidean = own.Text("metric") == "euclidean";
  return {.metric = euclidean ? AdaptMetric::kEuclidean : AdaptMetric::kLogDet,
          .bodies = own.Texts("adapt_bodies"),
          .deadzone = own.Number("deadzone_J")};
}

InertiaEstimates::InertiaEstimates(const Model& model, const AdaptOptions& options)
    : model_(model), options_(options), Y_pi_(Eigen::VectorXd::Zero(model.nv())) {
  const auto& frames = model.frames();
  for (const std::string& name : options_.bodies) {
    const auto named = std::find_if(frames.begin(), frames.end(),
                                    [&name](const auto& frame) { return frame.name == name; });
    if (named == frames.end()) Refuse(UnknownName("body", name, FrameNames(model)));
    AddBody(static_cast<int>(named - frames.begin()));
  }
  if (options_.bodies.empty()) {
    std::vector<bool> taken(model.bodies().size(), false);
    for (size_t f = 0; f < frames.size(); ++f) {
      if (frames[f].body < 0 || taken[static_cast<size_t>(frames[f].body)]) continue;
      taken[static_cast<size_t>(frames[f].body)] = true;
      if (WhyNotPhysical(CalcFrameParameters(model, frames[f])).empty()) {
        AddBody(static_cast<int>(f));
      }
    }
  }
  for (const Body& body : bodies_) frames_.push_back(frames[static_cast<size_t>(body.frame)]);
  pi_error_ = YT_s_ = Eigen::VectorXd::Zero(size());
}

Eigen::Index InertiaEstimates::size() const {
  return kNumBodyParameters * static_cast<Eigen::Index>(bodies_.size());
}

Eigen::Index InertiaEstimates::num_signals() const {
  return kSignalsPerBody * static_cast<Eigen::Index>(bodies_.size()) + 1;
}

std::vector<SignalInfo> InertiaEstimates::Signals() const {
  std::vector<SignalInfo> signals;
  for (const Body& body : bodies_) {
    const std::string group = "/pi_hat/" + model_.frames()[static_cast<size_t>(body.frame)].name;
    signals.push_back({.name = group + "/m", .unit = "kg", .doc = "estimate of the body's mass"});
    signals.push_back({group + "/h", "kg·m", 3, "estimate of its first moment"});
  }
  signals.push_back({.name = "/pi_hat/min_eigenvalue",
                     .doc = "smallest eigenvalue of all estimates' pseudo-inertias"});
  return signals;
}

void InertiaEstimates::AddBody(int frame) {
  const Model::NamedFrame& named = model_.frames()[static_cast<size_t>(frame)];
  if (named.body < 0) Refuse("body " + named.name + " does not move");
  for (const Body& other : bodies_) {
    const Model::NamedFrame& taken = model_.frames()[static_cast<size_t>(other.frame)];
    if (taken.body != named.body) continue;
    if (other.frame == frame) Refuse("body " + named.name + " is named twice");
    Refuse("body " + named.name + " is fixed to body " + taken.name +
           ", so that their inertias cannot be told apart: name one of them");
  }
  Body body;
  body.frame = frame;
  body.pi_0 = CalcFrameParameters(model_, named);
  const std::string why = WhyNotPhysical(body.pi_0);
  if (!why.empty()) {
    Refuse("the initial estimate of body " + named.name + " is not physical: " + why);
  }
  CalcUpperFactor(CalcPseudoInertia(body.pi_0), &body.U_0);
  body.U = body.U_0;
  body.pi_hat = body.pi_0;
  bodies_.push_back(body);
}

std::vector<int> InertiaEstimates::frames() const {
  std::vector<int> frames;
  for (const Body& body : bodies_) frames.push_back(body.frame);
  return frames;
}

BodyParameters InertiaEstimates::EstimateAt(const Eigen::Ref<const Eigen::VectorXd>& x,
                                            int i) const {
  CIVITA_CHECK(i >= 0 && static_cast<size_t>(i) < bodies_.size() && x.size() >= size(),
               "estimate " << i << " of " << bodies_.size() << ", in " << x.size() << " numbers");
  Body body = bodies_[static_cast<size_t>(i)];
  UpdateEstimate(x, i, &body);
  return body.pi_hat;
}

void InertiaEstimates::UpdateEstimate(const Eigen::Ref<const Eigen::VectorXd>& x, int i,
                                      Body* body) const {
  const Numbers numbers = x.segment<kNumBodyParameters>(kNumBodyParameters * i);
  if (options_.metric == AdaptMetric::kEuclidean) {
    body->pi_hat = numbers;
    return;
  }
  body->U = ToFactor(numbers);
  body->pi_hat = CalcBodyParameters(body->U * body->U.transpose());
}

void InertiaEstimates::Reset(Eigen::Ref<Eigen::VectorXd> x) const {
  const bool euclidean = options_.metric == AdaptMetric::kEuclidean;
  for (size_t i = 0; i < bodies_.size(); ++i) {
    x.segment<kNumBodyParameters>(kNumBodyParameters * static_cast<Eigen::Index>(i)) =
        euclidean ? bodies_[i].pi_0 : ToNumbers(bodies_[i].U_0);
  }
}

void InertiaEstimates::Update(const Eigen::Ref<const Eigen::VectorXd>& x) {
  for (size_t i = 0; i < bodies_.size(); ++i) {
    Body& body = bodies_[i];
    UpdateEstimate(x, static_cast<int>(i), &body);
    pi_error_.segment<kNumBodyParameters>(kNumBodyParameters * static_cast<Eigen::Index>(i)) =
        body.pi_hat - body.pi_0;
  }
}

/// Smallest eigenvalue of all pseudo-inertias. A body's eigenvalues are computed only where J − λ1
/// is not positive definite, λ the smallest so far; the loop begins with the last body, usually
/// the lightest, so that this happens seldom.
double InertiaEstimates::CalcSmallestEigenvalue() const {
  double smallest = std::numeric_limits<double>::infinity();
  for (auto body = bodies_.rbegin(); body != bodies_.rend(); ++body) {
    const Eigen::Matrix4d J = CalcPseudoInertia(body->pi_hat);
    if (body != bodies_.rbegin()) {
      const Eigen::LLT<Eigen::Matrix4d> above(J - smallest * Eigen::Matrix4d::Identity());
      if (above.info() == Eigen::Success) continue;
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> solver(J, Eigen::EigenvaluesOnly);
    smallest = std::min(smallest, solver.eigenvalues()[0]);
  }
  return smallest;
}

void InertiaEstimates::FillSignals(Eigen::Ref<Eigen::VectorXd> signals) const {
  Eigen::Index signal = 0;
  for (const Body& body : bodies_) {
    signals.segment<kSignalsPerBody>(signal) = body.pi_hat.head<kSignalsPerBody>();
    signal += kSignalsPerBody;
  }
  signals[signal] = CalcSmallestEigenvalue();
}

void InertiaEstimates::AddTorque(const Factorization& factorization, const Eigen::VectorXd& v_r,
                                 const Eigen::VectorXd& vdot_r, const Eigen::VectorXd& s,
                                 const Eigen::MatrixXd& H, Workspace<double>& workspace,
                                 Eigen::VectorXd& tau) {
  CalcRegressorProducts<double>(model_, factorization, frames_, v_r, vdot_r, pi_error_, s,
                                workspace, Y_pi_, YT_s_);
  tau += Y_pi_;
  for (size_t i = 0; i < bodies_.size(); ++i) {
    bodies_[i].b =
        YT_s_.segment<kNumBodyParameters>(kNumBodyParameters * static_cast<Eigen::Index>(i));
  }
  rho_ = 1;
  if (options_.deadzone > 0) {
    Y_pi_.noalias() = H * s;
    const double E = 0.5 * s.dot(Y_pi_);
    rho_ = E > options_.deadzone ? 1 - std::sqrt(options_.deadzone / E) : 0;
  }
}

void InertiaEstimates::CalcRate(double gamma, Eigen::Ref<Eigen::VectorXd> xdot) const {
  const double rate = rho_ / gamma;
  for (size_t i = 0; i < bodies_.size(); ++i) {
    const Body& body = bodies_[i];
    auto numbers =
        xdot.segment<kNumBodyParameters>(kNumBodyParameters * static_cast<Eigen::Index>(i));
    const Eigen::Matrix4d& U = body.U;
    const Eigen::Matrix4d M = -rate * U.transpose() * CalcPseudoInertiaDual(body.b) * U;
    if (options_.metric == AdaptMetric::kEuclidean) {
      numbers = CalcBodyParameters(U * M * U.transpose());
      continue;
    }
    Eigen::Matrix4d Phi = M.triangularView<Eigen::Upper>();
    Phi.diagonal() *= 0.5;
    numbers = RateOfNumbers(U, U * Phi);
  }
}

void InertiaEstimates::AddStorage(const Model& plant, double gamma, StorageState* storage) const {
  double V = 0;
  for (const Body& body : bodies_) {
    const BodyParameters pi =
        CalcFrameParameters(plant, plant.frames()[static_cast<size_t>(body.frame)]);
    storage->Vdot -= rho_ * body.b.dot(body.pi_hat - pi);
    if (options_.metric == AdaptMetric::kLogDet) {
      V += CalcDivergence(body.U, CalcPseudoInertia(pi));
      continue;
    }
    const auto U = body.U.triangularView<Eigen::Upper>();
    const Eigen::Matrix4d half = U.solve(CalcPseudoInertia(body.pi_hat - pi));
    const Eigen::Matrix4d whole = U.solve(half.transpose());
    V += 0.5 * whole.squaredNorm();
  }
  storage->V_estimation = gamma * V;
  storage->V += storage->V_estimation;
}

void InertiaEstimates::CalcExcess(Workspace<double>& workspace, double* mass,
                                  Eigen::Vector3d* h) const {
  *mass = 0;
  h->setZero();
  for (const Body& body : bodies_) {
    const Pose pose =
        CalcFramePose(model_, model_.frames()[static_cast<size_t>(body.frame)], workspace);
    const BodyParameters pi = body.pi_hat - body.pi_0;
    *mass += pi[0];
    *h += pi[0] * pose.p + pose.R * pi.segment<3>(1);
  }
}

}  // namespace civita
