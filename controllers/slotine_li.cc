#include "civita/controllers/slotine_li.h"

#include <algorithm>

#include "civita/controllers/kinetic_storage.h"

namespace civita {

constinit const LawInfo kSlotineLiLaw = {
    .type = "slotine_li",
    .title = "Passivity-based tracking",
    .law = "τ = H v̇_r + C v_r + g − (K_D + G) s",
    .parameters = kSlotineLiParameters,
    .make = &MakeLaw<SlotineLi>,
    .damping = DampingForm::kInertia,
    .uses_factorization = true,
    .knows_loops = true,
    .knows_coordinates = true,
};

SlotineLi::SlotineLi(const Model& model, const ControllerOptions& options)
    : SlotineLi(model, kSlotineLiLaw, options) {}

SlotineLi::SlotineLi(const Model& model, const LawInfo& info, const ControllerOptions& options)
    : Controller(model, info, options),
      error_(model.nv()),
      v_r_(Eigen::VectorXd::Zero(model.nv())),
      K_D_s_(v_r_),
      G_s_(v_r_),
      scratch_(v_r_) {
  const auto skew = std::ranges::find(parameters(), GainShape::kSkew, &ParameterInfo::shape);
  if (skew != parameters().end()) skew_gain_ = static_cast<int>(skew - parameters().begin());
  if (options.coordinates) change_.emplace(model.nv());
  if (loops_) loop_damping_.emplace(*loops_);
}

SlotineLi::Change::Change(int nv)
    : map(nv, nv),
      A_lu(nv),
      unit(Eigen::MatrixXd::Identity(nv, nv)),
      inverse(unit),
      H(unit),
      products(unit),
      x(Eigen::VectorXd::Zero(nv)) {
  s = K_D_s = scratch = x;
}

void SlotineLi::Change::ToNew(Eigen::VectorXd& x_old, Eigen::VectorXd& xdot_old) {
  x.noalias() = inverse * x_old;
  scratch = xdot_old;
  scratch.noalias() -= map.Adot * x;
  xdot_old.noalias() = inverse * scratch;
  x_old = x;
}

/// Sets A, Ȧ and H in w. @returns false where A is singular.
bool SlotineLi::UpdateChange() {
  VelocityMap<double>& map = change_->map;
  if (!options_.coordinates->update(workspace_, map)) return false;
  change_->A_lu.compute(map.A);
  const auto pivots = change_->A_lu.matrixLU().diagonal().cwiseAbs();
  if (!(pivots.minCoeff() > 1e-9 * pivots.maxCoeff())) return false;
  for (Eigen::Index c = 0; c < map.A.cols(); ++c) {
    change_->inverse.col(c) = change_->A_lu.solve(change_->unit.col(c));
  }
  ChangeMassMatrix<double>(map, H_, change_->products, change_->H);
  return true;
}

/// Sets K_D_s_.
void SlotineLi::CalcDamping(const Eigen::VectorXd& s) {
  const Eigen::VectorXd& k = gain(kKD);
  if (loops_) return loop_damping_->CalcForce(*loops_, gain_form(), k, s, K_D_s_);
  if (!change_) return CalcDampingForce(gain_form(), k, H_, s, scratch_, K_D_s_);
  Change& w = *change_;
  w.s.noalias() = w.inverse * s;
  CalcDampingForce(gain_form(), k, w.H, w.s, w.scratch, w.K_D_s);
  K_D_s_.noalias() = w.inverse.transpose() * w.K_D_s;
}

/// Sets G_s_.
void SlotineLi::CalcSkewForce(const Eigen::VectorXd& s) {
  const Eigen::Index nv = s.size();
  if (skew_gain_ < 0 || gain(skew_gain_).size() != nv * nv) {
    G_s_.setZero();
    return;
  }
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Rows> G(gain(skew_gain_).data(), nv, nv);
  if (loops_) {
    scratch_ = loops_->independent().cwiseProduct(s);
    G_s_.noalias() = G * scratch_;
    G_s_.array() *= loops_->independent().array();
  } else if (change_) {
    change_->s.noalias() = change_->inverse * s;
    scratch_.noalias() = G * change_->s;
    G_s_.noalias() = change_->inverse.transpose() * scratch_;
  } else {
    G_s_.noalias() = G * s;
  }
}

ControlStatus SlotineLi::CalcControl(const Measurement& measured, const ReferenceState& reference,
                                     ControlOutput& output) {
  const ControlStatus status = CalcTorque(measured, reference, output);
  return status == ControlStatus::kOk ? FinishControl(output) : status;
}

void SlotineLi::CalcReferenceVelocity(const Eigen::VectorXd& /*v*/,
                                      const ReferenceState& /*reference*/, ControlOutput& output) {
  const Eigen::VectorXd& Lambda = gain(kLambda);
  if (change_) {
    change_->ToNew(error_.v_d, error_.vdot_d);
    change_->ToNew(error_.e, error_.edot);
  }
  v_r_ = error_.v_d - Lambda.cwiseProduct(error_.e);
  output.sdot_ref = error_.vdot_d - Lambda.cwiseProduct(error_.edot);
  if (!change_) return;
  const VelocityMap<double>& map = change_->map;
  ChangeAcceleration<double>(map, v_r_, output.sdot_ref, scratch_);
  output.sdot_ref = scratch_;
  ChangeVelocity<double>(map, v_r_, scratch_);
  v_r_ = scratch_;
}

ControlStatus SlotineLi::CalcTorque(const Measurement& measured, const ReferenceState& reference,
                                    ControlOutput& output) {
  const Eigen::VectorXd& q = measured.q;
  const Eigen::VectorXd& v = measured.v;
  UpdateDynamics(q, v, output);
  CalcTrackingError(model_, q, v, reference, error_);
  output.e = error_.e;
  if (change_ && !UpdateChange()) return FailControl(ControlStatus::kSingular, output);
  CalcReferenceVelocity(v, reference, output);
  if (loops_) loops_->CloseMotion(v_r_, output.sdot_ref);
  output.s = v - v_r_;
  CalcDamping(output.s);
  CalcSkewForce(output.s);

  output.tau = g_ - K_D_s_ - G_s_;
  output.tau.noalias() += H_ * output.sdot_ref;
  output.tau.noalias() += C_ * v_r_;
  AddPassiveForces(q, v_r_, output.tau);
  return ControlStatus::kOk;
}

StorageState SlotineLi::CalcStorage(const PlantState& plant, const ControlOutput& output) {
  const Eigen::VectorXd& s = output.s;
  StorageState storage = CalcKineticStorage(plant, output, scratch_);
  storage.P = s.dot(K_D_s_) + CalcPassiveDissipation(v_r_, s);
  return storage;
}

}  // namespace civita
