#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "civita/regressor.h"
#include "civita/space_derivatives.h"
#include "civita/space_dynamics.h"
#include "python/src/arguments.h"
#include "python/src/bind.h"
#include "python/src/closed_chain_derivatives_docs.h"
#include "python/src/closed_chain_dynamics.h"
#include "python/src/compute.h"
#include "python/src/keyword_out.h"
#include "python/src/signatures.h"
#include "python/src/wrenches.h"

// Methods of ClosedChainDynamics that are derivatives of others.

namespace civita::python {
namespace {

using Chains = ClosedChainDynamics;
using At = ClosedChainWorker;
using Eigen::MatrixXd;

nb::object TreeMotionDerivatives(Chains& d, nb::handle q, nb::handle w, nb::handle wdot,
                                 nb::handle out) {
  return MatricesAtQV<3>(
      d, {q, w, {wdot, "wdot"}}, d.nv(), out, [&](At& at, auto& M, const auto& x) {
        CalcTreeMotionDerivatives<double>(d.chain(), x[0], at.workspace, M[0], M[1], M[2]);
      });
}

nb::object ReducedForcesDerivative(Chains& d, nb::handle q_in, nb::handle tau_in, nb::handle out) {
  const int n = d.nw();
  const ArrayIn q = ReadArray(q_in, "q", d.nq()), tau = ReadArray(tau_in, "tau", d.nv());
  const std::optional<Index> count = CountOf({&q, &tau}, {"q", "tau"});
  const Results<1> results(count, {{n, n}}, out, {&q, &tau});
  d.ForEachState(count, [&](At& at, Index s) {
    d.Update(at, s, q[s]);
    at.Fill(results[s][0], n, n, [&](MatrixXd& M) {
      CalcReducedForcesDerivative<double>(d.chain(), tau[s], at.workspace, M);
    });
  });
  return results.ToPython();
}

/// calc(worker, matrices, ẇ, forces) of three matrices, nw × nw each.
template <typename Calc>
nb::object MatricesUnderForces(Chains& d, nb::handle q_in, nb::handle w_in, nb::handle wdot_in,
                               nb::handle forces_in, nb::handle out, const Calc& calc) {
  const int n = d.nw();
  const ArrayIn q = ReadArray(q_in, "q", d.nq()), w = ReadArray(w_in, "w", n),
                wdot = ReadArray(wdot_in, "wdot", n);
  const std::optional<Index> count = CountOf({&q, &w, &wdot}, {"q", "w", "wdot"});
  const Results<3> results(count, {{n, n}, {n, n}, {n, n}}, out, {&q, &w, &wdot});
  const Wrenches forces(d.model(), forces_in, count);
  d.ForEachState(count, [&](At& at, Index s) {
    d.Update(at, s, q[s], w[s]);
    at.Fill(results[s], n, n, [&](auto& M) { calc(at, M, wdot[s], forces.At(s)); });
  });
  return results.ToPython();
}

nb::object RneaDerivatives(Chains& d, nb::handle q, nb::handle w, nb::handle wdot,
                           nb::handle forces, nb::handle out) {
  return MatricesUnderForces(
      d, q, w, wdot, forces, out, [&](At& at, auto& M, const auto& x, const auto& f) {
        CalcInverseDynamicsDerivatives<double>(d.chain(), x, at.workspace, M[0], M[1], M[2], f);
      });
}

nb::object ForwardDynamicsDerivatives(Chains& d, nb::handle q, nb::handle w, nb::handle wdot,
                                      nb::handle forces, nb::handle out) {
  return MatricesUnderForces(d, q, w, wdot, forces, out,
                             [&](At& at, auto& M, const auto& x, const auto& f) {
                               RefuseSingular(CalcForwardDynamicsDerivatives<double>(
                                   d.chain(), x, at.workspace, M[0], M[1], M[2], f));
                             });
}

nb::object ForwardDynamicsParameterDerivatives(Chains& d, nb::handle q, nb::handle w,
                                               nb::handle wdot, nb::handle frames_in,
                                               nb::handle out) {
  const int n = d.nw();
  const Frames frames(*d.loaded(), frames_in);
  const int columns = frames.num_parameters();
  return AtQV(d, {q, w, {wdot, "wdot"}}, {{n, columns}}, out,
              [&](At& at, const auto& to, const auto& x) {
                at.tree_matrix.resize(d.nv(), columns);
                at.Fill(to[0], n, columns, [&](MatrixXd& M) {
                  RefuseSingular(CalcForwardDynamicsParameterDerivatives<double>(
                      d.chain(), frames.all(), x[0], at.workspace, at.tree_matrix, M));
                });
              });
}

nb::object CoriolisProductDerivatives(Chains& d, nb::handle q, nb::handle w, nb::handle x,
                                      nb::handle out) {
  return MatricesAtQV<2>(d, {q, w, {x, "x"}}, d.nw(), out, [&](At& at, auto& M, const auto& y) {
    CalcCoriolisProductDerivatives<double>(d.chain(), at.factorization, y[0], at.workspace, M[0],
                                           M[1]);
  });
}

nb::object PassivityRneaDerivatives(Chains& d, nb::handle q, nb::handle w, nb::handle w_r,
                                    nb::handle wdot_r, nb::handle out) {
  return MatricesAtQV<2>(d, {q, w, {w_r, "w_r"}, {wdot_r, "wdot_r"}}, d.nw(), out,
                         [&](At& at, auto& M, const auto& x) {
                           CalcPassivityInverseDynamicsDerivatives<double>(
                               d.chain(), at.factorization, x[0], x[1], at.workspace, M[0], M[1]);
                         });
}

nb::object FrameVelocityDerivatives(Chains& d, nb::handle q, nb::handle w, const std::string& name,
                                    nb::handle point_in, const std::string& reference_in,
                                    nb::handle out) {
  const Model::NamedFrame& frame = FrameOf(d.model(), name);
  const Eigen::Vector3d point = ReadPoint(point_in);
  const ReferenceFrame reference = ReadReference(reference_in);
  return MatricesAtQV<2>(d, {q, w}, 6, out, [&](At& at, auto& M, const auto&) {
    CalcFrameVelocityDerivatives<double>(d.chain(), {frame, point}, reference, at.workspace, M[0],
                                         M[1]);
  });
}

/// `is_classical`: of the point, not spatial.
template <bool is_classical>
nb::object FrameAccelerationDerivatives(Chains& d, nb::handle q, nb::handle w, nb::handle wdot,
                                        const std::string& name, nb::handle point_in,
                                        const std::string& reference_in, nb::handle out) {
  const Model::NamedFrame& frame = FrameOf(d.model(), name);
  const Eigen::Vector3d point = ReadPoint(point_in);
  const ReferenceFrame reference = ReadReference(reference_in);
  return MatricesAtQV<3>(d, {q, w, {wdot, "wdot"}}, 6, out, [&](At& at, auto& M, const auto& x) {
    if constexpr (is_classical) {
      CalcFrameClassicalAccelerationDerivatives<double>(d.chain(), {frame, point}, reference, x[0],
                                                        at.workspace, M[0], M[1], M[2]);
    } else {
      CalcFrameAccelerationDerivatives<double>(d.chain(), {frame, point}, reference, x[0],
                                               at.workspace, M[0], M[1], M[2]);
    }
  });
}

nb::object CentroidalMomentumDerivatives(Chains& d, nb::handle q, nb::handle w, nb::handle out) {
  CheckMass(d.model());
  return MatricesAtQV<2>(d, {q, w}, 6, out, [&](At& at, auto& M, const auto&) {
    CalcCentroidalMomentumDerivatives<double>(d.chain(), at.workspace, M[0], M[1]);
  });
}

nb::object CentroidalMomentumRateDerivatives(Chains& d, nb::handle q, nb::handle w, nb::handle wdot,
                                             nb::handle out) {
  CheckMass(d.model());
  return MatricesAtQV<3>(d, {q, w, {wdot, "wdot"}}, 6, out, [&](At& at, auto& M, const auto& x) {
    CalcCentroidalMomentumRateDerivatives<double>(d.chain(), x[0], at.workspace, M[0], M[1], M[2]);
  });
}

constexpr const char *kQW = "q: ArrayLike, w: ArrayLike",
                     *kQWWdot = "q: ArrayLike, w: ArrayLike, wdot: ArrayLike";

/// Those of dynamics.
void BindOfDynamics(nb::class_<Chains>& c) {
  const auto q = nb::arg("q"), w = nb::arg("w"), wdot = nb::arg("wdot");
  const auto forces = nb::arg("forces") = nb::none();
  const std::string under_forces = With(kQWWdot, "forces: Wrenches | None = None");
  DefWithOut(c, "tree_motion_derivatives", TreeMotionDerivatives, kTreeMotionDerivativesDoc,
             SigTuple("tree_motion_derivatives", kQWWdot, 3), q, w, wdot);
  DefWithOut(c, "reduced_forces_derivative", ReducedForcesDerivative, kReducedForcesDerivativeDoc,
             SigQ("reduced_forces_derivative", "tau: ArrayLike"), q, nb::arg("tau"));
  DefWithOut(c, "rnea_derivatives", RneaDerivatives, kClosedRneaDerivativesDoc,
             SigTuple("rnea_derivatives", under_forces, 3), q, w, wdot, forces);
  DefWithOut(c, "forward_dynamics_derivatives", ForwardDynamicsDerivatives,
             kClosedForwardDynamicsDerivativesDoc,
             SigTuple("forward_dynamics_derivatives", under_forces, 3), q, w, wdot, forces);
  DefWithOut(c, "forward_dynamics_parameter_derivatives", ForwardDynamicsParameterDerivatives,
             kClosedForwardDynamicsParameterDerivativesDoc,
             SigQW("forward_dynamics_parameter_derivatives", With("wdot: ArrayLike", kFrames)), q,
             w, wdot, nb::arg("frames") = nb::none());
  DefWithOut(c, "coriolis_product_derivatives", CoriolisProductDerivatives,
             kClosedCoriolisProductDerivativesDoc,
             SigTuple("coriolis_product_derivatives", With(kQW, "x: ArrayLike"), 2), q, w,
             nb::arg("x"));
  DefWithOut(
      c, "passivity_rnea_derivatives", PassivityRneaDerivatives, kClosedPassivityRneaDerivativesDoc,
      SigTuple("passivity_rnea_derivatives", With(kQW, "w_r: ArrayLike, wdot_r: ArrayLike"), 2), q,
      w, nb::arg("w_r"), nb::arg("wdot_r"));
}

}  // namespace

void BindClosedChainDerivatives(nb::class_<Chains>& c) {
  BindOfDynamics(c);
  const auto q = nb::arg("q"), w = nb::arg("w"), wdot = nb::arg("wdot"), frame = nb::arg("frame");
  const auto point = nb::arg("point") = nb::none();
  const auto reference = nb::arg("reference") = "local_world_aligned";
  constexpr const char* kFrame =
      "frame: str, point: ArrayLike | None = None, reference: str = 'local_world_aligned'";
  DefWithOut(
      c, "frame_velocity_derivatives", FrameVelocityDerivatives, kClosedFrameVelocityDerivativesDoc,
      SigTuple("frame_velocity_derivatives", With(kQW, kFrame), 2), q, w, frame, point, reference);
  DefWithOut(c, "frame_acceleration_derivatives", FrameAccelerationDerivatives<false>,
             kClosedFrameAccelerationDerivativesDoc,
             SigTuple("frame_acceleration_derivatives", With(kQWWdot, kFrame), 3), q, w, wdot,
             frame, point, reference);
  DefWithOut(c, "frame_classical_acceleration_derivatives", FrameAccelerationDerivatives<true>,
             kClosedFrameClassicalAccelerationDerivativesDoc,
             SigTuple("frame_classical_acceleration_derivatives", With(kQWWdot, kFrame), 3), q, w,
             wdot, frame, point, reference);
  DefWithOut(c, "centroidal_momentum_derivatives", CentroidalMomentumDerivatives,
             kClosedCentroidalMomentumDerivativesDoc,
             SigTuple("centroidal_momentum_derivatives", kQW, 2), q, w);
  DefWithOut(c, "centroidal_momentum_rate_derivatives", CentroidalMomentumRateDerivatives,
             kClosedCentroidalMomentumRateDerivativesDoc,
             SigTuple("centroidal_momentum_rate_derivatives", kQWWdot, 3), q, w, wdot);
}

}  // namespace civita::python
