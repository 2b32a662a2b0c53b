#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "civita/centroidal.h"
#include "civita/dynamics_derivatives.h"
#include "civita/error.h"
#include "civita/frame_motion.h"
#include "civita/passive_forces.h"
#include "civita/regressor.h"
#include "civita/space_derivatives.h"
#include "civita/space_dynamics.h"
#include "python/src/bind/bind.h"
#include "python/src/bind/derivatives_docs.h"
#include "python/src/bind/dynamics.h"
#include "python/src/support/arguments.h"
#include "python/src/support/compute.h"
#include "python/src/support/keyword_out.h"
#include "python/src/support/signatures.h"

// Methods of Dynamics that are derivatives of others.

namespace civita::python {
namespace {

using Eigen::MatrixXd;

/// calc(worker, matrices, v̇, forces) of three matrices, nw × nw each.
template <typename Calc>
nb::object MatricesUnderForces(Dynamics& d, nb::handle q, nb::handle v, nb::handle vdot,
                               nb::handle forces, nb::handle out, const Calc& calc) {
  const int n = d.nw();
  return UnderForces<3>(d, {q, v, {vdot, "vdot"}}, forces, {{n, n}, {n, n}, {n, n}}, out,
                        [&](Worker& at, const auto& to, const auto& x, const auto& f) {
                          at.Fill(to, n, n, [&](auto& M) { calc(at, M, x, f); });
                        });
}

nb::object RneaDerivatives(Dynamics& d, nb::handle q, nb::handle v, nb::handle vdot,
                           nb::handle forces, nb::handle out) {
  return MatricesUnderForces(
      d, q, v, vdot, forces, out, [&](Worker& at, auto& M, const auto& a, const auto& f) {
        CalcInverseDynamicsDerivatives<double>(d.space(), a, at.workspace, M[0], M[1], M[2], f);
      });
}

nb::object ForwardDynamicsDerivatives(Dynamics& d, nb::handle q, nb::handle v, nb::handle vdot,
                                      nb::handle forces, nb::handle out) {
  return MatricesUnderForces(d, q, v, vdot, forces, out,
                             [&](Worker& at, auto& M, const auto& a, const auto& f) {
                               RefuseSingular(CalcForwardDynamicsDerivatives<double>(
                                   d.space(), a, at.workspace, M[0], M[1], M[2], f));
                             });
}

nb::object ForwardDynamicsParameterDerivatives(Dynamics& d, nb::handle q, nb::handle v,
                                               nb::handle vdot, nb::handle frames_in,
                                               nb::handle out) {
  const int n = d.nw();
  const Frames frames(*d.loaded(), frames_in);
  const int columns = frames.num_parameters();
  return AtQV(d, {q, v, {vdot, "vdot"}}, {{n, columns}}, out,
              [&](Worker& at, const auto& to, const auto& x) {
                at.tree_matrix.resize(d.nv(), columns);
                at.Fill(to[0], n, columns, [&](MatrixXd& M) {
                  RefuseSingular(CalcForwardDynamicsParameterDerivatives<double>(
                      d.space(), frames.all(), x[0], at.workspace, at.tree_matrix, M));
                });
              });
}

nb::object PassiveForceDerivatives(Dynamics& d, nb::handle q, nb::handle v, double friction_speed,
                                   nb::handle full_speeds, nb::handle out) {
  d.RequireTree("passive_force_derivatives", "A turns the forces with q, too");
  const FrictionSpeeds friction(d.model(), friction_speed, full_speeds);
  return MatricesAtQV<2>(d, {q, v}, d.nw(), out, [&](Worker& at, auto& M, const auto&) {
    M[0].setZero();
    M[1].setZero();
    AddPassiveForceDerivatives(d.model(), at.tree().q(), at.tree().v(),
                               {.speed = friction.speed, .full_speeds = friction.full}, 1, M[0],
                               M[1]);
  });
}

nb::object CoriolisProductDerivatives(Dynamics& d, nb::handle q, nb::handle v, nb::handle w,
                                      nb::handle out) {
  return MatricesAtQV<2>(d, {q, v, {w, "w"}}, d.nw(), out, [&](Worker& at, auto& M, const auto& x) {
    CalcCoriolisProductDerivatives<double>(d.space(), at.factorization, x[0], at.workspace, M[0],
                                           M[1]);
  });
}

nb::object PassivityRneaDerivatives(Dynamics& d, nb::handle q, nb::handle v, nb::handle v_r,
                                    nb::handle vdot_r, nb::handle out) {
  return MatricesAtQV<2>(d, {q, v, {v_r, "v_r"}, {vdot_r, "vdot_r"}}, d.nw(), out,
                         [&](Worker& at, auto& M, const auto& x) {
                           CalcPassivityInverseDynamicsDerivatives<double>(
                               d.space(), at.factorization, x[0], x[1], at.workspace, M[0], M[1]);
                         });
}

nb::object FrameVelocityDerivatives(Dynamics& d, nb::handle q, nb::handle v, std::string_view name,
                                    nb::handle point_in, std::string_view reference_in,
                                    nb::handle out) {
  const Model::NamedFrame& frame = FrameOf(d.model(), name);
  const Eigen::Vector3d point = ReadPoint(point_in);
  const ReferenceFrame reference = ReadReference(reference_in);
  return MatricesAtQV<2>(d, {q, v}, 6, out, [&](Worker& at, auto& M, const auto&) {
    CalcFrameVelocityDerivatives<double>(d.space(), {frame, point}, reference, at.workspace, M[0],
                                         M[1]);
  });
}

/// `is_classical`: of the point, not spatial.
template <bool is_classical>
nb::object FrameAccelerationDerivatives(Dynamics& d, nb::handle q, nb::handle v, nb::handle vdot,
                                        std::string_view name, nb::handle point_in,
                                        std::string_view reference_in, nb::handle out) {
  const Model::NamedFrame& frame = FrameOf(d.model(), name);
  const Eigen::Vector3d point = ReadPoint(point_in);
  const ReferenceFrame reference = ReadReference(reference_in);
  return MatricesAtQV<3>(
      d, {q, v, {vdot, "vdot"}}, 6, out, [&](Worker& at, auto& M, const auto& x) {
        if constexpr (is_classical) {
          CalcFrameClassicalAccelerationDerivatives<double>(d.space(), {frame, point}, reference,
                                                            x[0], at.workspace, M[0], M[1], M[2]);
        } else {
          CalcFrameAccelerationDerivatives<double>(d.space(), {frame, point}, reference, x[0],
                                                   at.workspace, M[0], M[1], M[2]);
        }
      });
}

nb::object CentroidalMomentumDerivatives(Dynamics& d, nb::handle q, nb::handle v, nb::handle out) {
  CheckMass(d.model());
  return MatricesAtQV<2>(d, {q, v}, 6, out, [&](Worker& at, auto& M, const auto&) {
    CalcCentroidalMomentumDerivatives<double>(d.space(), at.workspace, M[0], M[1]);
  });
}

nb::object CentroidalMomentumRateDerivatives(Dynamics& d, nb::handle q, nb::handle v,
                                             nb::handle vdot, nb::handle out) {
  CheckMass(d.model());
  return MatricesAtQV<3>(d, {q, v, {vdot, "vdot"}}, 6, out,
                         [&](Worker& at, auto& M, const auto& x) {
                           CalcCentroidalMomentumRateDerivatives<double>(
                               d.space(), x[0], at.workspace, M[0], M[1], M[2]);
                         });
}

}  // namespace

void BindDerivatives(nb::class_<Dynamics>& c) {
  const auto q = nb::arg("q"), v = nb::arg("v"), vdot = nb::arg("vdot"), frame = nb::arg("frame");
  const auto point = nb::arg("point") = nb::none(), forces = nb::arg("forces") = nb::none();
  const auto reference = nb::arg("reference") = "local_world_aligned";
  constexpr const char *kQV = "q: ArrayLike, v: ArrayLike",
                       *kQVVdot = "q: ArrayLike, v: ArrayLike, vdot: ArrayLike",
                       *kFrame =
                           "frame: str, point: ArrayLike | None = None, reference: str = "
                           "'local_world_aligned'";
  const std::string under_forces = With(kQVVdot, "forces: Wrenches | None = None");
  DefWithOut(c, "rnea_derivatives", RneaDerivatives, kRneaDerivativesDoc,
             SigTuple("rnea_derivatives", under_forces, 3), q, v, vdot, forces);
  DefWithOut(c, "forward_dynamics_derivatives", ForwardDynamicsDerivatives,
             kForwardDynamicsDerivativesDoc,
             SigTuple("forward_dynamics_derivatives", under_forces, 3), q, v, vdot, forces);
  DefWithOut(c, "forward_dynamics_parameter_derivatives", ForwardDynamicsParameterDerivatives,
             kForwardDynamicsParameterDerivativesDoc,
             SigQV("forward_dynamics_parameter_derivatives", With("vdot: ArrayLike", kFrames)), q,
             v, vdot, nb::arg("frames") = nb::none());
  DefWithOut(c, "passive_force_derivatives", PassiveForceDerivatives, kPassiveForceDerivativesDoc,
             SigTuple("passive_force_derivatives", With(kQV, kFriction), 2), q, v,
             nb::arg("friction_speed") = 1e-3, nb::arg("full_speeds") = nb::none());
  DefWithOut(
      c, "coriolis_product_derivatives", CoriolisProductDerivatives, kCoriolisProductDerivativesDoc,
      SigTuple("coriolis_product_derivatives", With(kQV, "w: ArrayLike"), 2), q, v, nb::arg("w"));
  DefWithOut(
      c, "passivity_rnea_derivatives", PassivityRneaDerivatives, kPassivityRneaDerivativesDoc,
      SigTuple("passivity_rnea_derivatives", With(kQV, "v_r: ArrayLike, vdot_r: ArrayLike"), 2), q,
      v, nb::arg("v_r"), nb::arg("vdot_r"));
  DefWithOut(
      c, "frame_velocity_derivatives", FrameVelocityDerivatives, kFrameVelocityDerivativesDoc,
      SigTuple("frame_velocity_derivatives", With(kQV, kFrame), 2), q, v, frame, point, reference);
  DefWithOut(c, "frame_acceleration_derivatives", FrameAccelerationDerivatives<false>,
             kFrameAccelerationDerivativesDoc,
             SigTuple("frame_acceleration_derivatives", With(kQVVdot, kFrame), 3), q, v, vdot,
             frame, point, reference);
  DefWithOut(c, "frame_classical_acceleration_derivatives", FrameAccelerationDerivatives<true>,
             kFrameClassicalAccelerationDerivativesDoc,
             SigTuple("frame_classical_acceleration_derivatives", With(kQVVdot, kFrame), 3), q, v,
             vdot, frame, point, reference);
  DefWithOut(c, "centroidal_momentum_derivatives", CentroidalMomentumDerivatives,
             kCentroidalMomentumDerivativesDoc, SigTuple("centroidal_momentum_derivatives", kQV, 2),
             q, v);
  DefWithOut(c, "centroidal_momentum_rate_derivatives", CentroidalMomentumRateDerivatives,
             kCentroidalMomentumRateDerivativesDoc,
             SigTuple("centroidal_momentum_rate_derivatives", kQVVdot, 3), q, v, vdot);
}

}  // namespace civita::python
