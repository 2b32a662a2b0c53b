#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "civita/error.h"
#include "civita/geometry/transport.h"
#include "civita/space_dynamics.h"
#include "python/src/bind/bind.h"
#include "python/src/bind/docs.h"
#include "python/src/bind/dynamics.h"
#include "python/src/support/compute.h"
#include "python/src/support/keyword_out.h"
#include "python/src/support/signal_watch.h"
#include "python/src/support/signatures.h"

// Methods of Dynamics about the geometry of its connection: geodesics and parallel transport.

namespace civita::python {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

void CheckTime(double duration, int steps) {
  if (!(duration > 0)) throw UserError("duration: not positive");
  if (steps < 1) throw UserError("steps: at least 1");
}

/// Vectors to transport, a row each, as columns; none: no columns.
MatrixXd ReadVectors(nb::handle vectors, int nv) {
  if (vectors.is_none()) return MatrixXd(nv, 0);
  const ArrayIn read = ReadArray(vectors, "vectors", nv);
  return read.columns();
}

nb::object Geodesic(Dynamics& d, nb::handle q_in, nb::handle v_in, double duration, int steps,
                    nb::handle vectors) {
  CheckTime(duration, steps);
  d.RequireTree("geodesic", "its steps are along those");
  const int nv = d.nv();
  VectorXd q = ReadVector(q_in, "q", d.nq());
  const VectorXd v = ReadVector(v_in, "v", nv);
  const MatrixXd carried = ReadVectors(vectors, nv);
  const Index count = carried.cols();
  MatrixXd W(nv, 1 + count);
  W << v, carried;
  const ArrayOut path = MakeArray(steps + 1, {d.nq()}), velocities = MakeArray(steps + 1, {nv}),
                 fields = MakeArray(steps + 1, {count, nv});
  SignalWatch watch;
  {
    const nb::gil_scoped_release release;
    const ConnectionFunction connection = ConnectionOf(d.model(), d.factorization());
    for (int step = 0;; ++step) {
      Eigen::Map<VectorXd>(path[step], q.size()) = q;
      Eigen::Map<VectorXd>(velocities[step], nv) = W.col(0);
      Eigen::Map<MatrixXd>(fields[step], nv, count) = W.rightCols(count);
      if (step == steps || watch.raised()) break;
      (void)StepGeodesic(d.model(), connection, duration / steps, q, W);  // NaN: H is singular
    }
  }
  watch.Rethrow();
  return nb::make_tuple(path.object, velocities.object, fields.object);
}

nb::object Transport(Dynamics& d, const nb::callable& curve, nb::handle vectors, double duration,
                     int steps) {
  CheckTime(duration, steps);
  d.RequireTree("transport", "its steps are along those");
  const int nv = d.nv();
  MatrixXd W = ReadVectors(vectors, nv);
  const ArrayOut fields = MakeArray(steps + 1, {W.cols(), nv});
  const ConnectionFunction connection = ConnectionOf(d.model(), d.factorization());
  const CurveFunction at = [&](double t, VectorXd& q, VectorXd& v) {
    const nb::object state = curve(t);
    if (!nb::isinstance<nb::tuple>(state) || nb::len(state) != 2) {
      throw nb::type_error("curve: does not return a tuple (q, v)");
    }
    q = ReadVector(state[0], "q of the curve", d.nq());
    v = ReadVector(state[1], "v of the curve", nv);
  };
  const double dt = duration / steps;
  for (int step = 0;; ++step) {
    Eigen::Map<MatrixXd>(fields[step], nv, W.cols()) = W;
    if (step == steps) break;
    (void)StepTransport(connection, at, {.t = step * dt, .dt = dt}, W);  // NaN: H is singular
  }
  return fields.object;
}

nb::object CovariantDerivativeOf(Dynamics& d, nb::handle q, nb::handle v, nb::handle w,
                                 nb::handle wdot, nb::handle out) {
  const int n = d.nw();
  return AtQV(d, {q, v, {w, "w"}, {wdot, "wdot"}}, {{n}}, out,
              [&](Worker& at, const auto& to, const auto& x) {
                MatrixXd H(n, n), C(n, n);
                CalcCoriolisMatrix<double>(d.space(), at.factorization, at.workspace,
                                           {.C = C, .H = H});
                const Status status =
                    CovariantDerivative({.C = C, .H = H}, x[0], x[1], VectorMap(to[0], n));
                CIVITA_CHECK(status, "H is not positive definite");
              });
}

}  // namespace

void BindGeometry(nb::class_<Dynamics>& c) {
  c.def("geodesic", Geodesic, nb::arg("q"), nb::arg("v"), nb::arg("duration"),
        nb::arg("steps") = 1000, nb::arg("vectors").none() = nb::none(), kGeodesicDoc,
        nb::sig("def geodesic(self, q: ArrayLike, v: ArrayLike, duration: float, steps: int = "
                "1000, vectors: ArrayLike | None = None) -> tuple[Array, Array, Array]"))
      .def("transport", Transport, nb::arg("curve"), nb::arg("vectors"), nb::arg("duration"),
           nb::arg("steps") = 1000, kTransportDoc,
           nb::sig("def transport(self, curve: collections.abc.Callable[[float], "
                   "tuple[ArrayLike, ArrayLike]], vectors: ArrayLike, duration: float, steps: int "
                   "= 1000) -> Array"));
  DefWithOut(c, "covariant_derivative", CovariantDerivativeOf, kCovariantDerivativeDoc,
             SigQV("covariant_derivative", "w: ArrayLike, wdot: ArrayLike"), nb::arg("q"),
             nb::arg("v"), nb::arg("w"), nb::arg("wdot"));
}

}  // namespace civita::python
