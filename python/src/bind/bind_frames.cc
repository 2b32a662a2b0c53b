#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include <string>
#include <string_view>

#include "civita/centroidal.h"
#include "civita/error.h"
#include "civita/frame_motion.h"
#include "civita/geometry/metric.h"
#include "civita/passive_forces.h"
#include "civita/regressor.h"
#include "civita/rnea.h"
#include "civita/space_dynamics.h"
#include "civita/space_motion.h"
#include "python/src/bind/bind.h"
#include "python/src/bind/docs.h"
#include "python/src/bind/dynamics.h"
#include "python/src/support/arguments.h"
#include "python/src/support/compute.h"
#include "python/src/support/keyword_out.h"
#include "python/src/support/signatures.h"

// Methods of Dynamics about frames and the regressor.

namespace civita::python {
namespace {

using Eigen::Vector3d;
using VectorMap = Eigen::Map<Eigen::VectorXd>;
using MatrixMap = Eigen::Map<Eigen::MatrixXd>;
using Vector6Map = Eigen::Map<Eigen::Matrix<double, 6, 1>>;

nb::object FramePoseOf(Dynamics& d, nb::handle q, std::string_view name, nb::handle out) {
  const Model::NamedFrame& frame = FrameOf(d.model(), name);
  return AtQ(d, q, {{3, 3}, {3}}, out, [&](Worker& at, const auto& to) {
    const Pose pose = CalcFramePose(d.model(), frame, at.tree());
    Eigen::Map<Eigen::Matrix3d>{to[0]} = pose.R.transpose();
    Eigen::Map<Vector3d>{to[1]} = pose.p;
  });
}

nb::object FrameVelocity(Dynamics& d, nb::handle q, nb::handle v, std::string_view name,
                         nb::handle point_in, std::string_view reference_in, nb::handle out) {
  const Model::NamedFrame& frame = FrameOf(d.model(), name);
  const Vector3d point = ReadPoint(point_in);
  const ReferenceFrame reference = ReadReference(reference_in);
  return AtQV(d, {q, v}, {{6}}, out, [&](Worker& at, const auto& to, const auto&) {
    Vector6Map{to[0]} = CalcFrameVelocity(d.model(), {frame, point}, reference, at.tree());
  });
}

/// `is_classical`: of the point, not spatial.
template <bool is_classical>
nb::object FrameAcceleration(Dynamics& d, nb::handle q, nb::handle v, nb::handle vdot,
                             std::string_view name, nb::handle point_in,
                             std::string_view reference_in, nb::handle out) {
  const Model::NamedFrame& frame = FrameOf(d.model(), name);
  const Vector3d point = ReadPoint(point_in);
  const ReferenceFrame reference = ReadReference(reference_in);
  return AtQV(
      d, {q, v, {vdot, "vdot"}}, {{6}}, out, [&](Worker& at, const auto& to, const auto& x) {
        Vector6Map{to[0]} = is_classical
                                ? CalcFrameClassicalAcceleration<double>(
                                      d.space(), {frame, point}, reference, x[0], at.workspace)
                                : CalcFrameAcceleration<double>(d.space(), {frame, point},
                                                                reference, x[0], at.workspace);
      });
}

nb::object FrameBiasAcceleration(Dynamics& d, nb::handle q, nb::handle v, std::string_view name,
                                 nb::handle point_in, nb::handle out) {
  const Model::NamedFrame& frame = FrameOf(d.model(), name);
  const Vector3d point = ReadPoint(point_in);
  return AtQV(d, {q, v}, {{6}}, out, [&](Worker& at, const auto& to, const auto&) {
    if (d.space().is_tree()) {
      Vector6Map{to[0]} = CalcFrameBiasAcceleration(d.model(), {frame, point}, at.tree());
    } else {
      Vector6Map{to[0]} = CalcFrameClassicalAcceleration<double>(
          d.space(), {frame, point}, ReferenceFrame::kLocalWorldAligned,
          Eigen::VectorXd::Zero(d.nw()), at.workspace);
    }
  });
}

/// Of the frame in the world, or relative to a base.
nb::object JacobianOf(Dynamics& d, nb::handle q, const Model::NamedFrame* base,
                      std::string_view name, nb::handle point_in, std::string_view reference_in,
                      nb::handle out) {
  const Model::NamedFrame& frame = FrameOf(d.model(), name);
  const Vector3d point = ReadPoint(point_in);
  const ReferenceFrame reference = ReadReference(reference_in);
  return AtQ(d, q, {{6, d.nw()}}, out, [&](Worker& at, const auto& to) {
    at.Fill(to[0], 6, d.nw(), [&](Eigen::MatrixXd& J) {
      if (base == nullptr) {
        CalcFrameJacobian<double>(d.space(), {frame, point}, reference, at.workspace, J);
      } else {
        CalcRelativeJacobian<double>(d.space(), *base, {frame, point}, reference, at.workspace, J);
      }
    });
  });
}

nb::object JacobianDerivativeOf(Dynamics& d, nb::handle q, nb::handle v,
                                const Model::NamedFrame* base, std::string_view name,
                                nb::handle point_in, std::string_view reference_in,
                                nb::handle out) {
  const Model::NamedFrame& frame = FrameOf(d.model(), name);
  const Vector3d point = ReadPoint(point_in);
  const ReferenceFrame reference = ReadReference(reference_in);
  return AtQV(d, {q, v}, {{6, d.nw()}}, out, [&](Worker& at, const auto& to, const auto&) {
    at.Fill(to[0], 6, d.nw(), [&](Eigen::MatrixXd& Jdot) {
      if (base == nullptr) {
        CalcFrameJacobianDerivative<double>(d.space(), {frame, point}, reference, at.workspace,
                                            Jdot);
      } else {
        CalcRelativeJacobianDerivative<double>(d.space(), *base, {frame, point}, reference,
                                               at.workspace, Jdot);
      }
    });
  });
}

nb::object Jacobian(Dynamics& d, nb::handle q, std::string_view frame, nb::handle point,
                    std::string_view reference, nb::handle out) {
  return JacobianOf(d, q, nullptr, frame, point, reference, out);
}

nb::object JacobianDerivative(Dynamics& d, nb::handle q, nb::handle v, std::string_view frame,
                              nb::handle point, std::string_view reference, nb::handle out) {
  return JacobianDerivativeOf(d, q, v, nullptr, frame, point, reference, out);
}

nb::object RelativeJacobian(Dynamics& d, nb::handle q, std::string_view base,
                            std::string_view frame, nb::handle point, std::string_view reference,
                            nb::handle out) {
  return JacobianOf(d, q, &FrameOf(d.model(), base), frame, point, reference, out);
}

nb::object RelativeJacobianDerivative(Dynamics& d, nb::handle q, nb::handle v,
                                      std::string_view base, std::string_view frame,
                                      nb::handle point, std::string_view reference,
                                      nb::handle out) {
  return JacobianDerivativeOf(d, q, v, &FrameOf(d.model(), base), frame, point, reference, out);
}

nb::object Regressor(Dynamics& d, nb::handle q, nb::handle v, nb::handle v_r, nb::handle vdot_r,
                     nb::handle frames_in, nb::handle out) {
  const int n = d.nw();
  const Frames frames(*d.loaded(), frames_in);
  const int columns = frames.num_parameters();
  return AtQV(d, {q, v, {v_r, "v_r"}, {vdot_r, "vdot_r"}}, {{n, columns}, {n}}, out,
              [&](Worker& at, const auto& to, const auto& x) {
                const VectorMap y_0(to[1], n);
                if (d.space().is_tree()) {
                  CalcTransposedRegressor<double>(d.model(), at.factorization, frames.all(), x[0],
                                                  x[1], at.tree(), MatrixMap(to[0], columns, n),
                                                  y_0);
                  return;
                }
                at.tree_matrix.resize(d.nv(), columns);
                at.Fill(to[0], n, columns, [&](Eigen::MatrixXd& Y) {
                  CalcRegressor<double>(d.space(), at.factorization, frames.all(), x[0], x[1],
                                        at.workspace, at.tree_matrix, Y, y_0);
                });
              });
}

/// Y π, or with kTransposed Yᵀs.
template <bool kTransposed>
nb::object RegressorProduct(Dynamics& d, nb::handle q, nb::handle v, nb::handle v_r,
                            nb::handle vdot_r, nb::handle factor, nb::handle frames_in,
                            nb::handle out) {
  const Frames frames(*d.loaded(), frames_in);
  const int rows = kTransposed ? frames.num_parameters() : d.nw();
  const Extra by = {factor, kTransposed ? "s" : "pi", kTransposed ? -1 : frames.num_parameters()};
  return AtQV(
      d, {q, v, {v_r, "v_r"}, {vdot_r, "vdot_r"}, by}, {{rows}}, out,
      [&](Worker& at, const auto& to, const auto& x) {
        VectorMap product(to[0], rows);
        const Eigen::VectorXd no_argument;
        Eigen::VectorXd no_result;
        if constexpr (kTransposed) {
          CalcRegressorProducts<double>(d.space(), at.factorization, frames.all(), x[0], x[1],
                                        no_argument, x[2], at.workspace, no_result, product);
        } else {
          CalcRegressorProducts<double>(d.space(), at.factorization, frames.all(), x[0], x[1], x[2],
                                        no_argument, at.workspace, product, no_result);
        }
      });
}

nb::object PassiveForces(Dynamics& d, nb::handle q, nb::handle v, double friction_speed,
                         nb::handle full_speeds, nb::handle out) {
  const FrictionSpeeds friction(d.model(), friction_speed, full_speeds);
  return AtQV(d, {q, v}, {{d.nw()}}, out, [&](Worker& at, const auto& to, const auto&) {
    Eigen::VectorXd tau = Eigen::VectorXd::Zero(d.nv());
    AddPassiveForces(d.model(), at.tree().q(), at.tree().v(),
                     {.speed = friction.speed, .full_speeds = friction.full}, 1, tau);
    CalcReducedForces<double>(d.space(), tau, at.workspace, VectorMap(to[0], d.nw()));
  });
}

/// Poses, velocities, accelerations and Jacobians.
void BindMotion(nb::class_<Dynamics>& c) {
  const auto q = nb::arg("q"), v = nb::arg("v"), vdot = nb::arg("vdot"), frame = nb::arg("frame"),
             base = nb::arg("base");
  const auto point = nb::arg("point") = nb::none();
  const auto reference = nb::arg("reference") = "local_world_aligned";
  constexpr const char* kPoint = "frame: str, point: ArrayLike | None = None";
  const std::string kFrame = With(kPoint, "reference: str = 'local_world_aligned'");
  const std::string kAccelerated = With("vdot: ArrayLike", kFrame);
  const std::string kRelative = With("base: str", kFrame);
  DefWithOut(c, "frame_pose", FramePoseOf, kFramePoseDoc,
             SigTuple("frame_pose", "q: ArrayLike, frame: str", 2), q, frame);
  DefWithOut(c, "frame_velocity", FrameVelocity, kFrameVelocityDoc, SigQV("frame_velocity", kFrame),
             q, v, frame, point, reference);
  DefWithOut(c, "frame_acceleration", FrameAcceleration<false>, kFrameAccelerationDoc,
             SigQV("frame_acceleration", kAccelerated), q, v, vdot, frame, point, reference);
  DefWithOut(c, "frame_classical_acceleration", FrameAcceleration<true>,
             kFrameClassicalAccelerationDoc, SigQV("frame_classical_acceleration", kAccelerated), q,
             v, vdot, frame, point, reference);
  DefWithOut(c, "frame_bias_acceleration", FrameBiasAcceleration, kFrameBiasAccelerationDoc,
             SigQV("frame_bias_acceleration", kPoint), q, v, frame, point);
  DefWithOut(c, "jacobian", Jacobian, kJacobianDoc, SigQ("jacobian", kFrame), q, frame, point,
             reference);
  DefWithOut(c, "jacobian_derivative", JacobianDerivative, kJacobianDerivativeDoc,
             SigQV("jacobian_derivative", kFrame), q, v, frame, point, reference);
  DefWithOut(c, "relative_jacobian", RelativeJacobian, kRelativeJacobianDoc,
             SigQ("relative_jacobian", kRelative), q, base, frame, point, reference);
  DefWithOut(c, "relative_jacobian_derivative", RelativeJacobianDerivative,
             kRelativeJacobianDerivativeDoc, SigQV("relative_jacobian_derivative", kRelative), q, v,
             base, frame, point, reference);
}

}  // namespace

void BindFrames(nb::class_<Dynamics>& c) {
  BindMotion(c);
  const auto q = nb::arg("q"), v = nb::arg("v");
  const auto v_r = nb::arg("v_r"), vdot_r = nb::arg("vdot_r");
  const auto frames = nb::arg("frames") = nb::none();
  constexpr const char* kReference = "v_r: ArrayLike, vdot_r: ArrayLike";
  DefWithOut(
      c, "regressor", Regressor, kRegressorDoc,
      SigTuple("regressor", With("q: ArrayLike, v: ArrayLike", With(kReference, kFrames)), 2), q, v,
      v_r, vdot_r, frames);
  DefWithOut(c, "regressor_product", RegressorProduct<false>, kRegressorProductDoc,
             SigQV("regressor_product", With(kReference, With("pi: ArrayLike", kFrames))), q, v,
             v_r, vdot_r, nb::arg("pi"), frames);
  DefWithOut(c, "regressor_transpose_product", RegressorProduct<true>,
             kRegressorTransposeProductDoc,
             SigQV("regressor_transpose_product", With(kReference, With("s: ArrayLike", kFrames))),
             q, v, v_r, vdot_r, nb::arg("s"), frames);
  DefWithOut(c, "passive_forces", PassiveForces, kPassiveForcesDoc,
             SigQV("passive_forces", kFriction), q, v, nb::arg("friction_speed") = 1e-3,
             nb::arg("full_speeds") = nb::none());
}

}  // namespace civita::python
