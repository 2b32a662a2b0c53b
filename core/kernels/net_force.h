#pragma once

#include "civita/spatial.h"

namespace civita::kernels::CIVITA_INSTRUCTION_SET {

/// Net force I a + ξ×* I ξ on a body at pose (R, r) about the reference point, by way of its centre
/// of mass, where it is Newton's and Euler's equations; mass, centre of mass and rotational inertia
/// as in WorldInertia.
template <typename T>
CIVITA_INLINE Force<T> NetForce(const M3<T>& R, const V3<T>& r, const T& m, const V3<T>& com,
                                const S3<T>& I, const Motion<T>& v, const Motion<T>& a) {
  const V3<T> c = r + R * com;
  const V3<T> u = v.u + Cross(v.w, c);
  const V3<T> w_body = TransposeTimes(R, v.w), alpha_body = TransposeTimes(R, a.w);
  const V3<T> f = m * (a.u + Cross(a.w, c) + Cross(v.w, u));
  return {R * (I * alpha_body + Cross(w_body, I * w_body)) + Cross(c, f), f};
}

/// The same with I a + B(ξ, I) ξ_r and B of the family's t:
///   force = m (a + ω_r × u + t (u × ω_r + ω × u_r)),
///   moment = I (α − ω × ω_r) + (½(1 + t) tr(I) ω − I ω) × ω_r + t m u × u_r.
template <typename T>
CIVITA_INLINE Force<T> NetForce(const M3<T>& R, const V3<T>& r, const T& m, const V3<T>& com,
                                const S3<T>& I, const Motion<T>& v, const Motion<T>& a,
                                const Motion<T>& v_r, double t) {
  const V3<T> c = r + R * com;
  const V3<T> u = v.u + Cross(v.w, c), ur = v_r.u + Cross(v_r.w, c);
  const T tt = T{} + t;
  const V3<T> f =
      m * (a.u + Cross(a.w, c) + Cross(v_r.w, u) + tt * (Cross(u, v_r.w) + Cross(v.w, ur)));
  const V3<T> w_body = TransposeTimes(R, v.w), wr_body = TransposeTimes(R, v_r.w);
  const V3<T> alpha_body = TransposeTimes(R, a.w);
  const T half_trace = (0.5 + 0.5 * t) * (I.xx + I.yy + I.zz);
  const V3<T> n_body =
      I * (alpha_body - Cross(w_body, wr_body)) + Cross(half_trace * w_body - I * w_body, wr_body);
  return {R * n_body + (tt * m) * Cross(u, ur) + Cross(c, f), f};
}

}  // namespace civita::kernels::CIVITA_INSTRUCTION_SET
