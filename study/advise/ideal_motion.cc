#include "civita/study/advise/ideal_motion.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "civita/controllers/damping_force.h"
#include "civita/controllers/tracking_error.h"
#include "civita/coriolis.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/passive_forces.h"

namespace civita {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// The closed loop of an exact model.
class ExactLaw {
 public:
  ExactLaw(const SceneData& scene, const ErrorGains& gains, const Factorization& factorization)
      : scene_(scene),
        model_(scene.control_model),
        gains_(gains),
        factorization_(factorization),
        workspace_(model_),
        error(model_.nv()),
        reference_{scene.q_start, VectorXd::Zero(model_.nv()), VectorXd::Zero(model_.nv())},
        C_(model_.nv(), model_.nv()),
        H_(C_) {}

  /// Sets the members below, at a time and a state.
  void Update(double t, const VectorXd& q, const VectorXd& v) {
    scene_.reference->Sample(t, reference_);
    CalcTrackingError(model_, q, v, reference_, error);
    v_r = error.v_d - gains_.Lambda.cwiseProduct(error.e);
    vdot_r = error.vdot_d - gains_.Lambda.cwiseProduct(error.edot);
    UpdateKinematics<double>(model_, q, v, workspace_);
    CalcCoriolisMatrix<double>(model_, factorization_, workspace_, C_, H_);
    const VectorXd s = v - v_r;
    CalcDampingForce(gains_.form, gains_.K_D, H_, s, scratch_, force_);
    if (gains_.G.size() != 0) force_.noalias() += gains_.G * s;
    force_ = -force_;
    force_.noalias() -= C_ * s;
    AddDampingForces(model_, v, 1, force_);
    AddDampingForces(model_, v_r, -1, force_);
    vdot = vdot_r + llt_.compute(H_).solve(force_);
  }

 private:
  const SceneData& scene_;
  const Model& model_;
  const ErrorGains& gains_;
  const Factorization& factorization_;
  Workspace<double> workspace_;

 public:
  TrackingError error;
  VectorXd v_r, vdot_r, vdot;

 private:
  ReferenceState reference_;
  MatrixXd C_, H_;
  VectorXd scratch_, force_;
  Eigen::LLT<MatrixXd> llt_;
};

}  // namespace

IdealMotion FollowIdealMotion(const SceneData& scene, const ErrorGains& gains,
                              const Factorization& factorization,
                              const std::vector<ErrorPart>& parts, double fastest_rate,
                              double duration_s, int samples) {
  if (scene.closed) throw UserError("the ideal motion is of open trees");
  const Model& model = scene.control_model;
  ExactLaw law(scene, gains, factorization);
  const auto steps = std::max(1L, std::lround(std::ceil(20 * fastest_rate * duration_s)));
  const long stride = std::max(1L, steps / std::max(1, samples - 1));
  const double h = duration_s / static_cast<double>(steps);
  IdealMotion motion;
  motion.squares.assign(parts.size(), 0.0);
  VectorXd q = scene.q_start, v = scene.v_start, q_middle = q, v_middle = v;
  for (long i = 0; i <= steps; ++i) {
    const double t = h * static_cast<double>(i);
    law.Update(t, q, v);
    const double weight = i == 0 || i == steps ? 0.5 * h : h;
    const VectorXd square = law.error.e.cwiseAbs2();
    for (std::size_t part = 0; part < parts.size(); ++part) {
      motion.squares[part] += weight * parts[part].mask.dot(square);
    }
    if (i % stride == 0) motion.nominal.push_back({t, q, law.v_r, law.vdot_r});
    if (i == steps) break;
    IntegratePosition<double>(model, q, v, 0.5 * h, q_middle);
    v_middle = v + 0.5 * h * law.vdot;
    law.Update(t + 0.5 * h, q_middle, v_middle);
    IntegratePosition<double>(model, q, v_middle, h, q);
    v += h * law.vdot;
    if (!v.allFinite()) {
      throw UserError("the law's own motion becomes infinite at t = " + internal::ShortNumber(t) +
                      " s");
    }
  }
  return motion;
}

}  // namespace civita
