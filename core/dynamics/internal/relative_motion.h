#pragma once

#include "civita/frame_motion.h"
#include "core/dynamics/internal/carrier.h"

// Where the motion of a frame relative to another is taken.

namespace civita::internal {

/// A point, from the reference point of the tree of `body`, or from the world's origin if that is
/// the world (−1).
template <typename T>
struct MovingPoint {
  V3<T> p;
  int body;
};

template <typename T>
MovingPoint<T> PointOn(const FramePoint& at, const Scratch<T>& s) {
  if (const typename Kinematics<T>::Body* carrier = Carrier(at.frame, s))
    return {PointFromReference<T>(at, *carrier), at.frame.body};
  const Eigen::Vector3d point_W = at.frame.X_BF * at.point;
  return {Cast<T>(ToV3(point_W)), -1};
}

/// The point from the reference point of the tree of `body`: the same numbers, but where the point
/// is on another tree or on the world.
template <typename T>
V3<T> FromReference(const Model& model, const MovingPoint<T>& point, int body, Scratch<T>& s) {
  const auto root = [&model](int b) {
    return b < 0 ? -1 : model.bodies()[static_cast<size_t>(b)].root;
  };
  if (root(point.body) == root(body)) return point.p;
  V3<T> apart{};
  if (point.body >= 0) apart = ReferencePoint(model, s, point.body);
  if (body >= 0) apart = apart - ReferencePoint(model, s, body);
  return point.p + apart;
}

/// Rotation R_WF of a frame's axes and their angular velocity, expressed in world axes.
template <typename T>
struct Axes {
  M3<T> R;
  V3<T> w;
};

template <typename T>
Axes<T> AxesOf(const Model::NamedFrame& frame, const Scratch<T>& s) {
  const M3<T> R_BF = ToM3<T>(frame.X_BF.R.template cast<T>());
  const typename Kinematics<T>::Body* carrier = Carrier(frame, s);
  if (carrier == nullptr) return {R_BF, {}};
  return {carrier->R_WB * R_BF, carrier->V.w};
}

template <typename T>
Motion<T> ExpressedIn(const M3<T>& R, const Motion<T>& x) {
  return {TransposeTimes(R, x.w), TransposeTimes(R, x.u)};
}

/// What the motion of B relative to A is measured by.
template <typename T>
struct RelativePlace {
  V3<T> p_A, p_B;  ///< of the point, from the reference points of A's and B's trees
  V3<T> pdot;      ///< velocity of the point
  Axes<T> axes;
};

template <typename T>
RelativePlace<T> PlaceBetween(const Model& model, const Model::NamedFrame& A, const FramePoint& B,
                              ReferenceFrame reference, Scratch<T>& s) {
  const MovingPoint<T> moving =
      reference == ReferenceFrame::kWorld ? PointOn<T>(A, s) : PointOn<T>(B, s);
  const V3<T> pdot = moving.body < 0 ? V3<T>{} : PointVelocity(s.bodies[moving.body].V, moving.p);
  return {FromReference(model, moving, A.body, s), FromReference(model, moving, B.frame.body, s),
          pdot, AxesOf(reference == ReferenceFrame::kLocal ? B.frame : A, s)};
}

}  // namespace civita::internal
