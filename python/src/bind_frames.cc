#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "civita/centroidal.h"
#include "civita/dynamics_derivatives.h"
#include "civita/error.h"
#include "civita/geometry/metric.h"
#include "civita/jacobian.h"
#include "civita/passive_forces.h"
#include "civita/regressor.h"
#include "civita/rnea.h"
#include "python/src/bind.h"
#include "python/src/compute.h"
#include "python/src/docs.h"
#include "python/src/keyword_out.h"
#include "python/src/signatures.h"

// Methods of Dynamics about frames, the centre of mass, energy, derivatives and the regressor.

namespace civita::python {
namespace {

using Eigen::Vector3d;
using VectorMap = Eigen::Map<Eigen::VectorXd>;
using MatrixMap = Eigen::Map<Eigen::MatrixXd>;
using Vector6Map = Eigen::Map<Eigen::Matrix<double, 6, 1>>;

const Model::NamedFrame& FrameOf(const Dynamics& d, const std::string& name) {
  try {
    return d.model().FindFrame(name);
  } catch (const UserError& error) {
    throw nb::key_error(error.what());
  }
}

Vector3d PointOf(nb::handle point) {
  return point.is_none() ? Vector3d::Zero() : Vector3d(ReadVector(point, "point", 3));
}

nb::object FramePoseOf(Dynamics& d, nb::handle q, const std::string& name, nb::handle out) {
  const Model::NamedFrame& frame = FrameOf(d, name);
  return AtQ(d, q, {{3, 3}, {3}}, out, [&](Worker& at, const auto& to) {
    const FramePose<double> pose = CalcFramePose(d.model(), frame, at.workspace);
    Eigen::Map<Eigen::Matrix3d>{to[0]} = pose.R.transpose();
    Eigen::Map<Vector3d>{to[1]} = pose.p;
  });
}

nb::object FrameVelocity(Dynamics& d, nb::handle q, nb::handle v, const std::string& name,
                         nb::handle point_in, nb::handle out) {
  const Model::NamedFrame& frame = FrameOf(d, name);
  const Vector3d point = PointOf(point_in);
  return AtQV(d, {q, v}, {{6}}, out, [&](Worker& at, const auto& to, const auto&) {
    Vector6Map{to[0]} = CalcFrameVelocity(d.model(), frame, point, at.workspace);
  });
}

nb::object FrameBiasAcceleration(Dynamics& d, nb::handle q, nb::handle v, const std::string& name,
                                 nb::handle point_in, nb::handle out) {
  const Model::NamedFrame& frame = FrameOf(d, name);
  const Vector3d point = PointOf(point_in);
  return AtQV(d, {q, v}, {{6}}, out, [&](Worker& at, const auto& to, const auto&) {
    Vector6Map{to[0]} = CalcFrameBiasAcceleration(d.model(), frame, point, at.workspace);
  });
}

nb::object Jacobian(Dynamics& d, nb::handle q, const std::string& name, nb::handle point_in,
                    nb::handle out) {
  const Model::NamedFrame& frame = FrameOf(d, name);
  const Vector3d point = PointOf(point_in);
  return AtQ(d, q, {{6, d.nv()}}, out, [&](Worker& at, const auto& to) {
    at.Fill(to[0], 6, d.nv(), [&](Eigen::MatrixXd& J) {
      CalcFrameJacobian<double>(d.model(), frame, point, at.workspace, J);
    });
  });
}

nb::object JacobianDerivative(Dynamics& d, nb::handle q, nb::handle v, const std::string& name,
                              nb::handle point_in, nb::handle out) {
  const Model::NamedFrame& frame = FrameOf(d, name);
  const Vector3d point = PointOf(point_in);
  return AtQV(d, {q, v}, {{6, d.nv()}}, out, [&](Worker& at, const auto& to, const auto&) {
    at.Fill(to[0], 6, d.nv(), [&](Eigen::MatrixXd& Jdot) {
      CalcFrameJacobianDerivative<double>(d.model(), frame, point, at.workspace, Jdot);
    });
  });
}

void CheckMass(const Dynamics& d) {
  if (CalcTotalMass(d.model()) <= 0) {
    throw UserError("the model has no mass that moves, and so no centre of mass");
  }
}

nb::object CenterOfMass(Dynamics& d, nb::handle q, nb::handle out) {
  CheckMass(d);
  return AtQ(d, q, {{3}}, out, [&](Worker& at, const auto& to) {
    Eigen::Map<Vector3d>{to[0]} = CalcCenterOfMass(d.model(), at.workspace);
  });
}

nb::object CenterOfMassJacobian(Dynamics& d, nb::handle q, nb::handle out) {
  CheckMass(d);
  return AtQ(d, q, {{3, d.nv()}}, out, [&](Worker& at, const auto& to) {
    at.Fill(to[0], 3, d.nv(), [&](Eigen::MatrixXd& J) {
      CalcCenterOfMassJacobian<double>(d.model(), at.workspace, J);
    });
  });
}

nb::object CentroidalMomentum(Dynamics& d, nb::handle q, nb::handle v, nb::handle out) {
  CheckMass(d);
  return AtQV(d, {q, v}, {{6}}, out, [&](Worker& at, const auto& to, const auto&) {
    Vector6Map{to[0]} = CalcCentroidalMomentum(d.model(), at.workspace);
  });
}

nb::object CentroidalMomentumMatrix(Dynamics& d, nb::handle q, nb::handle out) {
  CheckMass(d);
  return AtQ(d, q, {{6, d.nv()}}, out, [&](Worker& at, const auto& to) {
    at.Fill(to[0], 6, d.nv(), [&](Eigen::MatrixXd& A) {
      CalcCentroidalMomentumMatrix<double>(d.model(), at.workspace, A);
    });
  });
}

/// An array without dimensions is a number.
nb::object ToNumber(nb::object energy) { return energy[nb::make_tuple()]; }

nb::object KineticEnergy(Dynamics& d, nb::handle q, nb::handle v) {
  return ToNumber(AtQV(d, {q, v}, {{}}, nb::none(), [&](Worker& at, const auto& to, const auto&) {
    *to[0] = CalcKineticEnergy(d.model(), at.workspace);
  }));
}

nb::object PotentialEnergy(Dynamics& d, nb::handle q) {
  return ToNumber(AtQ(d, q, {{}}, nb::none(), [&](Worker& at, const auto& to) {
    *to[0] = CalcPotentialEnergy(d.model(), at.workspace);
  }));
}

nb::object RneaDerivatives(Dynamics& d, nb::handle q, nb::handle v, nb::handle vdot,
                           nb::handle out) {
  const int n = d.nv();
  return AtQV(d, {q, v, {vdot, "vdot"}}, {{n, n}, {n, n}, {n, n}}, out,
              [&](Worker& at, const auto& to, const auto& x) {
                MatrixMap dq(to[0], n, n), dv(to[1], n, n);
                CalcInverseDynamicsDerivatives<double>(d.model(), x[0], at.workspace, dq, dv,
                                                       MatrixMap(to[2], n, n));
                dq.transposeInPlace();
                dv.transposeInPlace();
              });
}

nb::object ForwardDynamicsDerivatives(Dynamics& d, nb::handle q, nb::handle v, nb::handle vdot,
                                      nb::handle out) {
  const int n = d.nv();
  return AtQV(d, {q, v, {vdot, "vdot"}}, {{n, n}, {n, n}, {n, n}}, out,
              [&](Worker& at, const auto& to, const auto& x) {
                MatrixMap dq(to[0], n, n), dv(to[1], n, n);
                MassMatrixCholesky<double> factor(d.model());
                if (!CalcForwardDynamicsDerivatives<double>(d.model(), x[0], at.workspace, factor,
                                                            dq, dv, MatrixMap(to[2], n, n))) {
                  throw UserError("the mass matrix is singular at this state");
                }
                dq.transposeInPlace();
                dv.transposeInPlace();
              });
}

nb::object Regressor(Dynamics& d, nb::handle q, nb::handle v, nb::handle v_r, nb::handle vdot_r,
                     nb::handle out) {
  const int n = d.nv();
  const Index columns = kNumBodyParameters * static_cast<Index>(d.model().frames().size());
  return AtQV(d, {q, v, {v_r, "v_r"}, {vdot_r, "vdot_r"}}, {{n, columns}, {n}}, out,
              [&](Worker& at, const auto& to, const auto& x) {
                at.Fill(to[0], n, columns, [&](Eigen::MatrixXd& Y) {
                  CalcRegressor<double>(d.model(), at.factorization, x[0], x[1], at.workspace, Y,
                                        VectorMap(to[1], n));
                });
              });
}

nb::object PassiveForces(Dynamics& d, nb::handle q_in, nb::handle v_in, double friction_speed) {
  const Eigen::VectorXd q = ReadVector(q_in, "q", d.nq()), v = ReadVector(v_in, "v", d.nv());
  if (!(friction_speed > 0)) throw UserError("friction_speed: not positive");
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(d.nv());
  AddPassiveForces(d.model(), q, v, friction_speed, 1, tau);
  return ToArray(tau);
}

}  // namespace

void BindFrames(nb::class_<Dynamics>& c) {
  const auto q = nb::arg("q"), v = nb::arg("v"), vdot = nb::arg("vdot"), frame = nb::arg("frame");
  const auto point = nb::arg("point") = nb::none();
  constexpr const char* kFrame = "frame: str, point: ArrayLike | None = None";
  constexpr const char* kQVVdot = "q: ArrayLike, v: ArrayLike, vdot: ArrayLike";
  DefWithOut(c, "frame_pose", FramePoseOf, kFramePoseDoc,
             SigTuple("frame_pose", "q: ArrayLike, frame: str", 2), q, frame);
  DefWithOut(c, "frame_velocity", FrameVelocity, kFrameVelocityDoc, SigQV("frame_velocity", kFrame),
             q, v, frame, point);
  DefWithOut(c, "frame_bias_acceleration", FrameBiasAcceleration, kFrameBiasAccelerationDoc,
             SigQV("frame_bias_acceleration", kFrame), q, v, frame, point);
  DefWithOut(c, "jacobian", Jacobian, kJacobianDoc, SigQ("jacobian", kFrame), q, frame, point);
  DefWithOut(c, "jacobian_derivative", JacobianDerivative, kJacobianDerivativeDoc,
             SigQV("jacobian_derivative", kFrame), q, v, frame, point);
  DefWithOut(c, "center_of_mass", CenterOfMass, kCenterOfMassDoc, SigQ("center_of_mass"), q);
  DefWithOut(c, "center_of_mass_jacobian", CenterOfMassJacobian, kCenterOfMassJacobianDoc,
             SigQ("center_of_mass_jacobian"), q);
  DefWithOut(c, "centroidal_momentum", CentroidalMomentum, kCentroidalMomentumDoc,
             SigQV("centroidal_momentum"), q, v);
  DefWithOut(c, "centroidal_momentum_matrix", CentroidalMomentumMatrix,
             kCentroidalMomentumMatrixDoc, SigQ("centroidal_momentum_matrix"), q);
  DefWithOut(c, "rnea_derivatives", RneaDerivatives, kRneaDerivativesDoc,
             SigTuple("rnea_derivatives", kQVVdot, 3), q, v, vdot);
  DefWithOut(c, "forward_dynamics_derivatives", ForwardDynamicsDerivatives,
             kForwardDynamicsDerivativesDoc, SigTuple("forward_dynamics_derivatives", kQVVdot, 3),
             q, v, vdot);
  DefWithOut(
      c, "regressor", Regressor, kRegressorDoc,
      SigTuple("regressor", "q: ArrayLike, v: ArrayLike, v_r: ArrayLike, vdot_r: ArrayLike", 2), q,
      v, nb::arg("v_r"), nb::arg("vdot_r"));
  c.def("kinetic_energy", KineticEnergy, q, v, kKineticEnergyDoc,
        nb::sig("def kinetic_energy(self, q: ArrayLike, v: ArrayLike) -> typing.Any"))
      .def("potential_energy", PotentialEnergy, q, kPotentialEnergyDoc,
           nb::sig("def potential_energy(self, q: ArrayLike) -> typing.Any"))
      .def("passive_forces", PassiveForces, q, v, nb::arg("friction_speed") = 1e-3,
           kPassiveForcesDoc,
           nb::sig("def passive_forces(self, q: ArrayLike, v: ArrayLike, friction_speed: float = "
                   "0.001) -> Array"));
}

}  // namespace civita::python
