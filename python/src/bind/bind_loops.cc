#include <nanobind/nanobind.h>

#include <optional>

#include "civita/space_derivatives.h"
#include "civita/space_dynamics.h"
#include "python/src/bind/bind.h"
#include "python/src/bind/dynamics.h"
#include "python/src/bind/loop_docs.h"
#include "python/src/support/compute.h"
#include "python/src/support/keyword_out.h"
#include "python/src/support/signatures.h"

// Methods of Dynamics about its velocities: loops, A of v = A w, and what the tree does.

namespace civita::python {
namespace {

using VectorMap = Eigen::Map<Eigen::VectorXd>;

nb::object Close(Dynamics& d, nb::handle q_in, nb::handle out) {
  const ArrayIn q = ReadArray(q_in, "q", d.nq());
  const Results<1> results(q.count, {{d.nq()}}, out, {&q});
  d.ForEachState(q.count, [&](Worker& at, Index s) {
    Eigen::VectorXd closed = q[s];
    if (d.space().has_loops()) d.Check(CloseLoops(d.space(), at.workspace, closed), s);
    VectorMap(results[s][0], d.nq()) = closed;
  });
  return results.ToPython();
}

nb::object Condition(Dynamics& d, nb::handle q_in) {
  const ArrayIn q = ReadArray(q_in, "q", d.nq());
  const Results<1> results(q.count, {{}}, nb::none(), {&q});
  d.ForEachState(q.count, [&](Worker& at, Index s) {
    *results[s][0] = UpdateKinematics<double>(d.space(), q[s], at.workspace).condition;
  });
  return results.ToPython();
}

nb::object VelocityMapOf(Dynamics& d, nb::handle q, nb::handle out) {
  return MatrixAtQ(d, q, d.nv(), out, [&](Worker& at, Eigen::MatrixXd& A) {
    CalcVelocityMap<double>(d.space(), at.workspace, A);
  });
}

nb::object VelocityMapDerivative(Dynamics& d, nb::handle q, nb::handle w, nb::handle out) {
  return MatrixAtQV(d, q, w, d.nv(), out, [&](Worker& at, Eigen::MatrixXd& Adot) {
    if (d.space().is_tree()) {
      Adot.setZero();
    } else {
      Adot = at.workspace.map(d.space()).Adot;
    }
  });
}

nb::object TreeVelocity(Dynamics& d, nb::handle q, nb::handle w, nb::handle out) {
  return AtQV(d, {q, w}, {{d.nv()}}, out, [&](Worker& at, const auto& to, const auto&) {
    VectorMap(to[0], d.nv()) = at.workspace.tree().v();
  });
}

nb::object TreeAcceleration(Dynamics& d, nb::handle q_in, nb::handle w_in, nb::handle wdot_in,
                            nb::handle out) {
  ArrayIn q = ReadArray(q_in, "q", d.nq()), w = ReadArray(w_in, "v", d.nw()),
          wdot = ReadArray(wdot_in, "vdot", d.nw());
  const std::optional<Index> count = CountOf({&q, &w, &wdot});
  const Results<1> results(count, {{d.nv()}}, out, {&q, &w, &wdot});
  d.ForEachState(count, [&](Worker& at, Index s) {
    d.Update(at, s, q[s], w[s]);
    CalcTreeAcceleration<double>(d.space(), w[s], wdot[s], at.workspace,
                                 VectorMap(results[s][0], d.nv()));
  });
  return results.ToPython();
}

nb::object ReducedForces(Dynamics& d, nb::handle q_in, nb::handle tau_in, nb::handle out) {
  ArrayIn q = ReadArray(q_in, "q", d.nq()), tau = ReadArray(tau_in, "tau", d.nv());
  const std::optional<Index> count = CountOf({&q, &tau});
  const Results<1> results(count, {{d.nw()}}, out, {&q, &tau});
  d.ForEachState(count, [&](Worker& at, Index s) {
    d.Update(at, s, q[s]);
    CalcReducedForces<double>(d.space(), tau[s], at.workspace, VectorMap(results[s][0], d.nw()));
  });
  return results.ToPython();
}

nb::object TreeMotionDerivatives(Dynamics& d, nb::handle q, nb::handle w, nb::handle wdot,
                                 nb::handle out) {
  return MatricesAtQV<3>(
      d, {q, w, {wdot, "vdot"}}, d.nv(), out, [&](Worker& at, auto& M, const auto& x) {
        CalcTreeMotionDerivatives<double>(d.space(), x[0], at.workspace, M[0], M[1], M[2]);
      });
}

nb::object ReducedForcesDerivative(Dynamics& d, nb::handle q_in, nb::handle tau_in,
                                   nb::handle out) {
  const int n = d.nw();
  ArrayIn q = ReadArray(q_in, "q", d.nq()), tau = ReadArray(tau_in, "tau", d.nv());
  const std::optional<Index> count = CountOf({&q, &tau});
  const Results<1> results(count, {{n, n}}, out, {&q, &tau});
  d.ForEachState(count, [&](Worker& at, Index s) {
    d.Update(at, s, q[s]);
    at.Fill(results[s][0], n, n, [&](Eigen::MatrixXd& M) {
      CalcReducedForcesDerivative<double>(d.space(), tau[s], at.workspace, M);
    });
  });
  return results.ToPython();
}

}  // namespace

void BindLoops(nb::class_<Dynamics>& c) {
  const auto q = nb::arg("q"), v = nb::arg("v"), vdot = nb::arg("vdot");
  DefWithOut(c, "close", Close, kCloseDoc, SigQ("close"), q);
  c.def("condition", Condition, q, kConditionDoc,
        nb::sig("def condition(self, q: ArrayLike) -> typing.Any"));
  DefWithOut(c, "velocity_map", VelocityMapOf, kVelocityMapDoc, SigQ("velocity_map"), q);
  DefWithOut(c, "velocity_map_derivative", VelocityMapDerivative, kVelocityMapDerivativeDoc,
             SigQV("velocity_map_derivative"), q, v);
  DefWithOut(c, "tree_velocity", TreeVelocity, kTreeVelocityDoc, SigQV("tree_velocity"), q, v);
  DefWithOut(c, "tree_acceleration", TreeAcceleration, kTreeAccelerationDoc,
             SigQV("tree_acceleration", "vdot: ArrayLike"), q, v, vdot);
  DefWithOut(c, "reduced_forces", ReducedForces, kReducedForcesDoc,
             SigQ("reduced_forces", "tau: ArrayLike"), q, nb::arg("tau"));
  DefWithOut(c, "tree_motion_derivatives", TreeMotionDerivatives, kTreeMotionDerivativesDoc,
             SigTuple("tree_motion_derivatives", "q: ArrayLike, v: ArrayLike, vdot: ArrayLike", 3),
             q, v, vdot);
  DefWithOut(c, "reduced_forces_derivative", ReducedForcesDerivative, kReducedForcesDerivativeDoc,
             SigQ("reduced_forces_derivative", "tau: ArrayLike"), q, nb::arg("tau"));
}

}  // namespace civita::python
