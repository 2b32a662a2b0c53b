#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include <cmath>
#include <optional>

#include "civita/error.h"
#include "civita/manifold.h"
#include "python/src/bind/bind.h"
#include "python/src/support/arrays.h"
#include "python/src/support/compute.h"
#include "python/src/support/keyword_out.h"
#include "python/src/support/loaded_model.h"
#include "python/src/support/signatures.h"

// Methods of Model about its configuration manifold.

namespace civita::python {
namespace {

constexpr const char* kIntegrateJacobiansDoc =
    R"(Jacobians of integrate_position in the tangent spaces of q and of q_next = q ⊕ v·dt.

(q ⊕ δ) ⊕ (v + η)·dt = q_next ⊕ (J_q δ + J_v η) to first order, at any q.

Parameters
----------
v : array_like, (nv,) or (N, nv)
dt : float
    s; 1 for a v that is a tangent vector.
out : tuple of ndarray, optional
    Two arrays for the results.

Returns
-------
J_q, J_v : ndarray, (nv, nv) or (N, nv, nv) each)";

constexpr const char* kDifferenceJacobiansDoc =
    R"(Jacobians of difference_position e = q ⊖ q_d in the tangent spaces of q and q_d.

(q ⊕ δ) ⊖ (q_d ⊕ η) = e + J_q δ + J_q_d η to first order.

Parameters
----------
q, q_d : array_like, (nq,) or (N, nq)
out : tuple of ndarray, optional
    Two arrays for the results.

Returns
-------
J_q, J_q_d : ndarray, (nv, nv) or (N, nv, nv) each
    At half a turn, where e jumps, those of the e that difference_position returns.)";

using VectorMap = Eigen::Map<Eigen::VectorXd>;
using MatrixMap = Eigen::Map<Eigen::MatrixXd>;

/// What calc(state, to) makes of each state, without the GIL; `to` are the addresses of its
/// results.
template <std::size_t outputs, typename Calc>
nb::object AtStates(std::optional<Index> count, const Shape (&shapes)[outputs], nb::handle out,
                    std::initializer_list<const ArrayIn*> arguments, const Calc& calc) {
  const Results<outputs> results(count, shapes, out, arguments);
  {
    const nb::gil_scoped_release release;
    for (Index s = 0; s < count.value_or(1); ++s) calc(s, results[s]);
  }
  return results.ToPython();
}

nb::object Integrate(const LoadedModel& self, nb::handle q_in, nb::handle v_in, double dt,
                     nb::handle out) {
  const Model& model = self.model;
  if (!std::isfinite(dt)) throw UserError("dt: not finite");
  ArrayIn q = ReadArray(q_in, "q", model.nq()), v = ReadArray(v_in, "v", model.nv());
  return AtStates(CountOf({&q, &v}), {{model.nq()}}, out, {&q, &v}, [&](Index s, const auto& to) {
    IntegratePosition<double>(model, q[s], v[s], dt, VectorMap(to[0], model.nq()));
  });
}

nb::object Difference(const LoadedModel& self, nb::handle q_in, nb::handle q_d_in, nb::handle out) {
  const Model& model = self.model;
  ArrayIn q = ReadArray(q_in, "q", model.nq()), q_d = ReadArray(q_d_in, "q_d", model.nq());
  return AtStates(CountOf({&q, &q_d}), {{model.nv()}}, out, {&q, &q_d},
                  [&](Index s, const auto& to) {
                    DifferencePosition(model, q[s], q_d[s], VectorMap(to[0], model.nv()));
                  });
}

/// What calc(state, first, second) makes: two matrices, nv × nv each.
template <typename Calc>
nb::object TwoJacobians(const Model& model, std::optional<Index> count, nb::handle out,
                        std::initializer_list<const ArrayIn*> arguments, const Calc& calc) {
  const int n = model.nv();
  return AtStates(count, {{n, n}, {n, n}}, out, arguments, [&](Index s, const auto& to) {
    MatrixMap first(to[0], n, n), second(to[1], n, n);
    calc(s, first, second);
    first.transposeInPlace();
    second.transposeInPlace();
  });
}

nb::object IntegrateJacobians(const LoadedModel& self, nb::handle v_in, double dt, nb::handle out) {
  const Model& model = self.model;
  if (!std::isfinite(dt)) throw UserError("dt: not finite");
  const ArrayIn v = ReadArray(v_in, "v", model.nv());
  return TwoJacobians(model, v.count, out, {&v}, [&](Index s, auto& J_q, auto& J_v) {
    CalcIntegratePositionJacobians(model, v[s], dt, J_q, J_v);
  });
}

nb::object DifferenceJacobians(const LoadedModel& self, nb::handle q_in, nb::handle q_d_in,
                               nb::handle out) {
  const Model& model = self.model;
  ArrayIn q = ReadArray(q_in, "q", model.nq()), q_d = ReadArray(q_d_in, "q_d", model.nq());
  return TwoJacobians(model, CountOf({&q, &q_d}), out, {&q, &q_d},
                      [&](Index s, auto& J_q, auto& J_q_d) {
                        CalcDifferencePositionJacobians(model, q[s], q_d[s], J_q, J_q_d);
                      });
}

nb::object Interpolate(const LoadedModel& self, nb::handle q_0_in, nb::handle q_1_in, double u,
                       nb::handle out) {
  const Model& model = self.model;
  if (!std::isfinite(u)) throw UserError("u: not finite");
  ArrayIn q_0 = ReadArray(q_0_in, "q_0", model.nq()), q_1 = ReadArray(q_1_in, "q_1", model.nq());
  return AtStates(CountOf({&q_0, &q_1}), {{model.nq()}}, out, {&q_0, &q_1},
                  [&](Index s, const auto& to) {
                    InterpolatePosition(model, q_0[s], q_1[s], u, VectorMap(to[0], model.nq()));
                  });
}

nb::object NeutralPositionOf(const LoadedModel& self) {
  Eigen::VectorXd q(self.model.nq());
  NeutralPosition(self.model, q);
  return ToArray(q);
}

nb::object RandomPositionOf(const LoadedModel& self, int seed, std::optional<Index> count) {
  if (count && *count < 0) throw UserError("count: negative");
  const ArrayOut q = MakeArray(count, {self.model.nq()});
  for (Index s = 0; s < count.value_or(1); ++s) {
    RandomPosition(self.model, seed + static_cast<int>(s), VectorMap(q[s], self.model.nq()));
  }
  return q.object;
}

/// exp of a twist: the rotation's exponential, and J_l(ω) u = J_r(−ω) u.
nb::object Exp6(nb::handle twist_in) {
  const Eigen::VectorXd twist = ReadVector(twist_in, "twist", 6);
  const Eigen::Vector3d w = twist.head<3>();
  const Eigen::MatrixXd R = QuaternionToMatrix(QuaternionExp<double>(w));
  return nb::make_tuple(ToArray(Eigen::Ref<const Eigen::MatrixXd>(R)),
                        ToArray(Eigen::VectorXd(RightJacobian(-w) * twist.tail<3>())));
}

nb::object Log6(nb::handle rotation, nb::handle position) {
  const Pose X = ReadPose(position, rotation);
  Eigen::VectorXd twist(6);
  twist.head<3>() = RotationLog(X.R);
  twist.tail<3>() = RightJacobianInverse(-twist.head<3>()) * X.p;
  return ToArray(twist);
}

}  // namespace

void BindRigidMotions(nb::module_& module) {
  module.def(
      "exp6", Exp6, nb::arg("twist"), nb::sig("def exp6(twist: ArrayLike) -> tuple[Array, Array]"),
      "The rigid motion that a constant twist makes in one second.\n\n"
      "Parameters\n----------\ntwist : array_like, (6,)\n    [angular; linear], rad and m, in "
      "axes that move along.\n\nReturns\n-------\nR, p : ndarray, (3, 3) and (3,)\n    As of "
      "`Dynamics.frame_pose`: X_WB ← X_WB (R, p) turns and moves by it.");
  module.def("log6", Log6, nb::arg("R"), nb::arg("p"),
             nb::sig("def log6(R: ArrayLike, p: ArrayLike) -> Array"),
             "The twist [angular; linear], (6,), whose `exp6` is R, p: its rotation is at most π.");
}

void BindPositions(nb::class_<LoadedModel>& c) {
  c.def_prop_ro("neutral_position", NeutralPositionOf,
                nb::sig("def neutral_position(self) -> Array"),
                "Angles and distances nearest to zero within their limits, rotations the "
                "identity, free bodies at the origin, (nq,).")
      .def("random_position", RandomPositionOf, nb::arg("seed"), nb::arg("count") = nb::none(),
           nb::sig("def random_position(self, seed: int, count: int | None = None) -> Array"),
           "A random configuration within the limits, or one for each of the seeds seed, …, "
           "seed + count - 1.\n\nAngles and distances are uniform, without limits in an interval "
           "of 2π rad or 2 m about the default position or\nfrom the only limit on, rotations "
           "uniform in SO(3). The same seed gives the same bits everywhere.\n\nReturns\n-------\n"
           "q : ndarray, (nq,) or (count, nq)");
  DefWithOut(c, "integrate_position", Integrate,
             "q ⊕ v·dt on the configuration manifold: rotations by the exponential, in body axes.",
             nb::sig("def integrate_position(self, q: ArrayLike, v: ArrayLike, dt: float = 1.0, *, "
                     "out: Array | None = None) -> Array"),
             nb::arg("q"), nb::arg("v"), nb::arg("dt") = 1.0);
  DefWithOut(c, "difference_position", Difference, "q ⊖ q_d, the e with q = q_d ⊕ e, (nv,).",
             nb::sig("def difference_position(self, q: ArrayLike, q_d: ArrayLike, *, out: Array | "
                     "None = None) -> Array"),
             nb::arg("q"), nb::arg("q_d"));
  DefWithOut(c, "integrate_position_jacobians", IntegrateJacobians, kIntegrateJacobiansDoc,
             SigTuple("integrate_position_jacobians", "v: ArrayLike, dt: float = 1.0", 2),
             nb::arg("v"), nb::arg("dt") = 1.0);
  DefWithOut(c, "difference_position_jacobians", DifferenceJacobians, kDifferenceJacobiansDoc,
             SigTuple("difference_position_jacobians", "q: ArrayLike, q_d: ArrayLike", 2),
             nb::arg("q"), nb::arg("q_d"));
  DefWithOut(
      c, "interpolate_position", Interpolate,
      "q_0 ⊕ u (q_1 ⊖ q_0), (nq,): q_0 at u = 0, q_1 at u = 1, each rotation about one axis, "
      "the shorter way round.",
      nb::sig("def interpolate_position(self, q_0: ArrayLike, q_1: ArrayLike, u: float, *, "
              "out: Array | None = None) -> Array"),
      nb::arg("q_0"), nb::arg("q_1"), nb::arg("u"));
}

}  // namespace civita::python
