#include "civita/controllers/tracking_error.h"

#include <Eigen/Geometry>

#include "civita/error.h"
#include "civita/manifold.h"
#include "core/model/internal/normalized.h"

namespace civita {
namespace {

Eigen::Vector4d QuaternionAt(const Eigen::VectorXd& q, int i) {
  return internal::Normalized<double>(q.segment<4>(i));
}

void CalcTranslationError(int iq, int iv, int count, const Eigen::VectorXd& q,
                          const Eigen::VectorXd& v, const ReferenceState& reference,
                          TrackingError& error) {
  error.e.segment(iv, count) = q.segment(iq, count) - reference.q.segment(iq, count);
  error.edot.segment(iv, count) = v.segment(iv, count) - reference.v.segment(iv, count);
  error.v_d.segment(iv, count) = reference.v.segment(iv, count);
  error.vdot_d.segment(iv, count) = reference.vdot.segment(iv, count);
}

void CalcRotationError(int iq, int iv, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                       const ReferenceState& reference, TrackingError& error) {
  const Eigen::Vector4d E =
      QuaternionProduct(QuaternionConjugate(QuaternionAt(reference.q, iq)), QuaternionAt(q, iq));
  const Eigen::Matrix3d R_E = QuaternionToMatrix<double>(E);
  const Eigen::Vector3d e = QuaternionLog(E);
  const Eigen::Vector3d w = v.segment<3>(iv);
  const Eigen::Vector3d w_d = R_E.transpose() * reference.v.segment<3>(iv);
  error.e.segment<3>(iv) = e;
  error.edot.segment<3>(iv) = RightJacobianInverse(e) * (w - w_d);
  error.v_d.segment<3>(iv) = w_d;
  error.vdot_d.segment<3>(iv) = R_E.transpose() * reference.vdot.segment<3>(iv) - w.cross(w_d);
}

}  // namespace

TrackingError::TrackingError(int nv) : e(Eigen::VectorXd::Zero(nv)), edot(e), v_d(e), vdot_d(e) {}

void CheckReference(const Model& model, const ReferenceState& reference) {
  CIVITA_CHECK(reference.q.size() == model.nq() && reference.v.size() == model.nv() &&
                   reference.vdot.size() == model.nv(),
               "the reference has " << reference.q.size() << ", " << reference.v.size() << " and "
                                    << reference.vdot.size() << " numbers, the model has nq = "
                                    << model.nq() << " and nv = " << model.nv());
}

void CalcTrackingError(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                       const ReferenceState& reference, TrackingError& error) {
  CheckReference(model, reference);
  for (const Model::NamedJoint& joint : model.joints()) {
    const int rotation = RotationOffset(joint.type);
    const int translations = rotation < 0 ? NumVelocities(joint.type) : rotation;
    CalcTranslationError(joint.iq, joint.iv, translations, q, v, reference, error);
    if (rotation >= 0) {
      CalcRotationError(joint.iq + rotation, joint.iv + rotation, q, v, reference, error);
    }
  }
}

void CalcErrorForce(const Model& model, const Eigen::VectorXd& e, const Eigen::VectorXd& p,
                    Eigen::VectorXd& force) {
  force = p;
  for (const Model::NamedJoint& joint : model.joints()) {
    const int rotation = RotationOffset(joint.type);
    if (rotation < 0) continue;
    const int iv = joint.iv + rotation;
    const Eigen::Vector3d e_rotation = e.segment<3>(iv);
    const Eigen::Vector3d p_rotation = p.segment<3>(iv);
    force.segment<3>(iv) = RightJacobianInverse(e_rotation).transpose() * p_rotation;
  }
}

}  // namespace civita
