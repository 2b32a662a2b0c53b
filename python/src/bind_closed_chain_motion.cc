#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "civita/centroidal.h"
#include "civita/rnea.h"
#include "civita/space_motion.h"
#include "python/src/arguments.h"
#include "python/src/bind.h"
#include "python/src/closed_chain_docs.h"
#include "python/src/closed_chain_dynamics.h"
#include "python/src/compute.h"
#include "python/src/keyword_out.h"
#include "python/src/signatures.h"

// Methods of ClosedChainDynamics about frames, the centre of mass and energy.

namespace civita::python {
namespace {

using Chains = ClosedChainDynamics;
using At = ClosedChainWorker;
using Vector6Map = Eigen::Map<Eigen::Matrix<double, 6, 1>>;

nb::object FrameVelocity(Chains& d, nb::handle q, nb::handle w, const std::string& name,
                         nb::handle point_in, const std::string& reference_in, nb::handle out) {
  const Model::NamedFrame& frame = FrameOf(d.model(), name);
  const Eigen::Vector3d point = ReadPoint(point_in);
  const ReferenceFrame reference = ReadReference(reference_in);
  return AtQV(d, {q, w}, {{6}}, out, [&](At& at, const auto& to, const auto&) {
    Vector6Map{to[0]} =
        CalcFrameVelocity(d.model(), {frame, point}, reference, at.workspace.tree());
  });
}

/// `is_classical`: of the point, not spatial.
template <bool is_classical>
nb::object FrameAcceleration(Chains& d, nb::handle q, nb::handle w, nb::handle wdot,
                             const std::string& name, nb::handle point_in,
                             const std::string& reference_in, nb::handle out) {
  const Model::NamedFrame& frame = FrameOf(d.model(), name);
  const Eigen::Vector3d point = ReadPoint(point_in);
  const ReferenceFrame reference = ReadReference(reference_in);
  return AtQV(d, {q, w, {wdot, "wdot"}}, {{6}}, out, [&](At& at, const auto& to, const auto& x) {
    Vector6Map{to[0]} = is_classical ? CalcFrameClassicalAcceleration<double>(
                                           d.chain(), {frame, point}, reference, x[0], at.workspace)
                                     : CalcFrameAcceleration<double>(d.chain(), {frame, point},
                                                                     reference, x[0], at.workspace);
  });
}

nb::object Jacobian(Chains& d, nb::handle q, const std::string& name, nb::handle point_in,
                    const std::string& reference_in, nb::handle out) {
  const Model::NamedFrame& frame = FrameOf(d.model(), name);
  const Eigen::Vector3d point = ReadPoint(point_in);
  const ReferenceFrame reference = ReadReference(reference_in);
  return MatrixAtQ(d, q, 6, out, [&](At& at, Eigen::MatrixXd& J) {
    CalcFrameJacobian<double>(d.chain(), {frame, point}, reference, at.workspace, J);
  });
}

nb::object JacobianDerivative(Chains& d, nb::handle q, nb::handle w, const std::string& name,
                              nb::handle point_in, const std::string& reference_in,
                              nb::handle out) {
  const Model::NamedFrame& frame = FrameOf(d.model(), name);
  const Eigen::Vector3d point = ReadPoint(point_in);
  const ReferenceFrame reference = ReadReference(reference_in);
  return MatrixAtQV(d, q, w, 6, out, [&](At& at, Eigen::MatrixXd& Jdot) {
    CalcFrameJacobianDerivative<double>(d.chain(), {frame, point}, reference, at.workspace, Jdot);
  });
}

nb::object RelativeJacobian(Chains& d, nb::handle q, const std::string& base_in,
                            const std::string& name, nb::handle point_in,
                            const std::string& reference_in, nb::handle out) {
  const Model::NamedFrame &base = FrameOf(d.model(), base_in), &frame = FrameOf(d.model(), name);
  const Eigen::Vector3d point = ReadPoint(point_in);
  const ReferenceFrame reference = ReadReference(reference_in);
  return MatrixAtQ(d, q, 6, out, [&](At& at, Eigen::MatrixXd& J) {
    CalcRelativeJacobian<double>(d.chain(), base, {frame, point}, reference, at.workspace, J);
  });
}

nb::object RelativeJacobianDerivative(Chains& d, nb::handle q, nb::handle w,
                                      const std::string& base_in, const std::string& name,
                                      nb::handle point_in, const std::string& reference_in,
                                      nb::handle out) {
  const Model::NamedFrame &base = FrameOf(d.model(), base_in), &frame = FrameOf(d.model(), name);
  const Eigen::Vector3d point = ReadPoint(point_in);
  const ReferenceFrame reference = ReadReference(reference_in);
  return MatrixAtQV(d, q, w, 6, out, [&](At& at, Eigen::MatrixXd& Jdot) {
    CalcRelativeJacobianDerivative<double>(d.chain(), base, {frame, point}, reference, at.workspace,
                                           Jdot);
  });
}

nb::object CenterOfMassJacobian(Chains& d, nb::handle q, nb::handle out) {
  CheckMass(d.model());
  return MatrixAtQ(d, q, 3, out, [&](At& at, Eigen::MatrixXd& J) {
    CalcCenterOfMassJacobian<double>(d.chain(), at.workspace, J);
  });
}

nb::object CentroidalMomentum(Chains& d, nb::handle q, nb::handle w, nb::handle out) {
  CheckMass(d.model());
  return AtQV(d, {q, w}, {{6}}, out, [&](At& at, const auto& to, const auto&) {
    Vector6Map{to[0]} = CalcCentroidalMomentum(d.model(), at.workspace.tree());
  });
}

nb::object CentroidalMomentumMatrix(Chains& d, nb::handle q, nb::handle out) {
  CheckMass(d.model());
  return MatrixAtQ(d, q, 6, out, [&](At& at, Eigen::MatrixXd& A) {
    CalcCentroidalMomentumMatrix<double>(d.chain(), at.workspace, A);
  });
}

nb::object KineticEnergy(Chains& d, nb::handle q, nb::handle w) {
  return ToNumber(AtQV(d, {q, w}, {{}}, nb::none(), [&](At& at, const auto& to, const auto&) {
    *to[0] = CalcKineticEnergy(d.model(), at.workspace.tree());
  }));
}

}  // namespace

void BindClosedChainMotion(nb::class_<Chains>& c) {
  const auto q = nb::arg("q"), w = nb::arg("w"), wdot = nb::arg("wdot"), frame = nb::arg("frame"),
             base = nb::arg("base");
  const auto point = nb::arg("point") = nb::none();
  const auto reference = nb::arg("reference") = "local_world_aligned";
  const std::string kFrame =
      "frame: str, point: ArrayLike | None = None, reference: str = 'local_world_aligned'";
  const std::string kAccelerated = With("wdot: ArrayLike", kFrame);
  const std::string kRelative = With("base: str", kFrame);
  DefWithOut(c, "frame_velocity", FrameVelocity, kClosedFrameVelocityDoc,
             SigQW("frame_velocity", kFrame), q, w, frame, point, reference);
  DefWithOut(c, "frame_acceleration", FrameAcceleration<false>, kClosedFrameAccelerationDoc,
             SigQW("frame_acceleration", kAccelerated), q, w, wdot, frame, point, reference);
  DefWithOut(c, "frame_classical_acceleration", FrameAcceleration<true>,
             kClosedFrameClassicalAccelerationDoc,
             SigQW("frame_classical_acceleration", kAccelerated), q, w, wdot, frame, point,
             reference);
  DefWithOut(c, "jacobian", Jacobian, kClosedJacobianDoc, SigQ("jacobian", kFrame), q, frame, point,
             reference);
  DefWithOut(c, "jacobian_derivative", JacobianDerivative, kClosedJacobianDerivativeDoc,
             SigQW("jacobian_derivative", kFrame), q, w, frame, point, reference);
  DefWithOut(c, "relative_jacobian", RelativeJacobian, kClosedRelativeJacobianDoc,
             SigQ("relative_jacobian", kRelative), q, base, frame, point, reference);
  DefWithOut(c, "relative_jacobian_derivative", RelativeJacobianDerivative,
             kClosedRelativeJacobianDerivativeDoc, SigQW("relative_jacobian_derivative", kRelative),
             q, w, base, frame, point, reference);
  DefWithOut(c, "center_of_mass_jacobian", CenterOfMassJacobian, kClosedCenterOfMassJacobianDoc,
             SigQ("center_of_mass_jacobian"), q);
  DefWithOut(c, "centroidal_momentum", CentroidalMomentum, kClosedCentroidalMomentumDoc,
             SigQW("centroidal_momentum"), q, w);
  DefWithOut(c, "centroidal_momentum_matrix", CentroidalMomentumMatrix,
             kClosedCentroidalMomentumMatrixDoc, SigQ("centroidal_momentum_matrix"), q);
  c.def("kinetic_energy", KineticEnergy, q, w, kClosedKineticEnergyDoc,
        nb::sig("def kinetic_energy(self, q: ArrayLike, w: ArrayLike) -> typing.Any"));
}

}  // namespace civita::python
