#pragma once

#include "python/src/doc_parts.h"

// Docstrings of evaluate, and of the methods of Dynamics in bind_geometry.cc.

namespace civita::python {

constexpr const char* kGeodesicDoc =
    R"(Geodesic H v̇ + C v = 0 from q with velocity v: the motion without gravity and forces.

Every admissible factorization has the same ones; what they carry along differs by torsion.

Parameters
----------
q : array_like, (nq,)
v : array_like, (nv,)
duration : float
    s.
steps : int
    Of Runge-Kutta, fourth order.
vectors : array_like, (nv,) or (M, nv), optional
    To be transported in parallel along it.

Returns
-------
q : ndarray, (steps + 1, nq)
v : ndarray, (steps + 1, nv)
vectors : ndarray, (steps + 1, M, nv))";

constexpr const char* kTransportDoc =
    R"(Parallel transport H ẇ + C(q,v) w = 0 along a curve, by the factorization's connection.

Parameters
----------
curve : callable
    curve(t) returns (q, v), v the velocity of the curve at t, s.
vectors : array_like, (nv,) or (M, nv)
duration : float
    From t = 0, s.
steps : int
    Of Runge-Kutta, fourth order.

Returns
-------
vectors : ndarray, (steps + 1, M, nv)
    Their products in the metric H stay the same.)";

constexpr const char* kCovariantDerivativeDoc =
    R"(Covariant derivative H⁻¹(H ẇ + C(q,v) w) of a field along a motion ([WES], remark 5).

Parameters
----------
q : array_like, (nq,) or (N, nq)
v, w, wdot : array_like, (nv,) or (N, nv)
    Velocity, the field and its rate.
out : ndarray, optional

Returns
-------
derivative : ndarray, (nv,) or (N, nv))";

constexpr const char* kEvaluateDoc =
    R"(Quantities of `civita eval` at one state, or at a row for each of N states.

`civita.quantities()` lists them; docs/eval.md says what they are. The methods of Dynamics compute the
most important ones faster.

Parameters
----------
model : Model
quantities : str or sequence of str
    Such as "H", "torsion", "J:hand", "Lambda:hand:pose", or "all".
q : array_like, (nq,) or (N, nq), optional
    Default: the model's own configuration.
v, a, v_r, vdot_r, tau : array_like, (nv,) or (N, nv), optional
    Default: zeros; with reduced or coordinates of their velocities, nw numbers.
wrenches : sequence of dict, optional
    Forces from outside at every state: body, point, force, moment, axes ("world" or "body").
factorization : str or Factorization
coordinates : str
    "body_twists", "com_decoupled", "mass_orthonormal", "task:FRAME[:pose]" or a file.
reduced : bool
    Closed loops count, and all is in their independent velocities.
independent : sequence of str
    Names of velocities that are to be independent with reduced.

Returns
-------
dict of str to ndarray
    NaN where a quantity does not exist.

Raises
------
KeyError
    For an unknown quantity or body, with the nearest name.
ValueError
    For anything else, such as loops that cannot be closed at a state.)";

}  // namespace civita::python
