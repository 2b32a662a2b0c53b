#pragma once

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "civita/centroidal.h"
#include "civita/christoffel.h"
#include "civita/constrained_dynamics.h"
#include "civita/coriolis.h"
#include "civita/dynamics_derivatives.h"
#include "civita/error.h"
#include "civita/external_forces.h"
#include "civita/factorization_text.h"
#include "civita/forward_dynamics.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/passivity_rnea.h"
#include "civita/regressor.h"
#include "civita/rnea.h"
#include "core/dynamics/internal/serve.h"
#include "core/kernels/plan.h"
#include "core/spatial/internal/access.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"

// All that kernels compute, of a state, and how near it has to be to what the plain algorithms do.

namespace civita {
namespace kernels_laws_test {

inline constexpr double kTolerance =
    1e-12;  // relative; inertias are shifted to centres of mass and back
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// v̇, λ, v⁺ and Λ under constraints of each rank.
struct ConstrainedResults {
  Eigen::MatrixXd J;
  Eigen::VectorXd error, Jv, baumgarte, vdot, JTlambda, v_after, JTLambda;
  int rank = 0;
  double condition = 0;
};

struct Arguments {
  Eigen::VectorXd q, v, v_r, vdot;
};

/// Two forces on the last body, one on the first and one on the world.
inline std::vector<ExternalForce<double>> SomeForces(const Model& model) {
  const int last = static_cast<int>(model.bodies().size()) - 1;
  std::vector<ExternalForce<double>> forces;
  for (const int body : {last, -1, 0, last}) {
    if (body > last) continue;  // a model without bodies
    const auto x = static_cast<double>(forces.size() + 1);
    forces.push_back({body, {0.1 * x, -0.2, 0.3}, {2, -x, 1}, {-3, 5, 7 * x}});
  }
  return forces;
}

/// All results, initialized to NaN.
struct Results {
  Eigen::MatrixXd H, Hdot, C, H_of_C, dtau_dq, dtau_dv, H_of_derivatives, dtau_r_dq, dtau_r_dv,
      dCw_dq, dCw_dv, dvdot_dq, dvdot_dv, dvdot_dtau, H_inverse, solutions, Y, YT;
  Eigen::VectorXd g, bias, tau, tau_r, packed, Gamma, vdot, solution, other_solution, y_0,
      y_0_of_YT, Yx, YTs, Yx_alone, YTs_alone;
  // Of each frame in all reference frames, one below the other.
  Eigen::MatrixXd J, Jdot, motions;
  Eigen::MatrixXd A, Adot, J_c, Jdot_c, dhdot_dq, dhdot_dv, dhdot_dvdot;
  Eigen::VectorXd c, h;
  std::vector<ConstrainedResults> constrained;  ///< where H is regular
  /// Else v̇ and its three derivatives, H⁻¹, the two of H⁻¹ v̇, by the factor that they left and by
  /// that of H alone, and those of more columns are undefined.
  bool is_regular = false;
};

inline std::span<double> Span(Eigen::VectorXd& x) {
  return {x.data(), static_cast<size_t>(x.size())};
}

inline void CalcFrameMotions(const Model& model, const Eigen::VectorXd& vdot,
                             Workspace<double>& workspace, Results* r) {
  using enum ReferenceFrame;
  std::vector<Model::NamedFrame> frames = model.frames();
  frames.push_back({.name = "world", .body = -1, .X_BF = {}});
  r->J = r->Jdot =
      Eigen::MatrixXd::Constant(18 * static_cast<Eigen::Index>(frames.size()), model.nv(), kNan);
  r->motions = Eigen::MatrixXd::Constant(r->J.rows(), 4, kNan);
  Eigen::Index row = 0;
  for (const Model::NamedFrame& frame : frames) {
    const FramePoint at(frame, {0.3, -0.7, 0.5});
    for (const ReferenceFrame reference : {kWorld, kLocal, kLocalWorldAligned}) {
      // The second by a matrix of its own, without gaps between the columns.
      CalcFrameJacobian<double>(model, at, reference, workspace, r->J.middleRows(row, 6));
      Eigen::MatrixXd Jdot = Eigen::MatrixXd::Constant(6, model.nv(), kNan);
      CalcFrameJacobianDerivative<double>(model, at, reference, workspace, Jdot);
      r->Jdot.middleRows(row, 6) = Jdot;
      r->motions.middleRows(row, 6) << CalcFrameVelocity<double>(model, at, reference, workspace),
          CalcFrameAcceleration<double>(model, at, reference, vdot, workspace),
          CalcFrameClassicalAcceleration<double>(model, at, reference, vdot, workspace),
          CalcFrameBiasAcceleration<double>(model, at, workspace);
      row += 6;
    }
  }
}

inline void CalcCentroidal(const Model& model, const Eigen::VectorXd& vdot,
                           Workspace<double>& workspace, Results* r) {
  const Eigen::Index n = model.nv();
  r->A = r->Adot = Eigen::MatrixXd::Constant(6, n, kNan);
  r->dhdot_dq = r->dhdot_dv = r->dhdot_dvdot = r->A;
  r->J_c = r->Jdot_c = Eigen::MatrixXd::Constant(3, n, kNan);
  r->c = CalcCenterOfMass(model, workspace);
  r->h = CalcCentroidalMomentum(model, workspace);
  CalcCentroidalMomentumMatrix<double>(model, workspace, r->A);
  CalcCentroidalMomentumMatrixDerivative<double>(model, workspace, r->Adot);
  CalcCenterOfMassJacobian<double>(model, workspace, r->J_c);
  CalcCenterOfMassJacobianDerivative<double>(model, workspace, r->Jdot_c);
  CalcCentroidalMomentumRateDerivatives<double>(model, vdot, workspace, r->dhdot_dq, r->dhdot_dv,
                                                r->dhdot_dvdot);
}

/// Frames held in the world and to each other, and a joint that another one drives.
inline std::vector<Constraints> ConstraintsOf(const Model& model) {
  const std::vector<Model::NamedFrame>& frames = model.frames();
  const Eigen::Vector3d point(0.1, -0.2, 0.3);
  RigidConstraint held = {.B = frames.back(), .point_B = point, .stiffness = 3, .damping = 2};
  const RigidConstraint pose = {.B = frames.back(), .point_B = point, .fixes_rotation = true};
  RigidConstraint between = {.A = frames[frames.size() / 2], .B = frames.back(), .point_A = point};
  between.fixes_rotation = frames.size() % 2 == 0;
  held.axes_A = Eigen::AngleAxisd(0.4, point.normalized()).toRotationMatrix();
  std::vector<Constraints> all = {
      {.rigid = {held}}, {.rigid = {pose}}, {.rigid = {between}}, {.rigid = {held, between, pose}}};
  std::vector<int> of_one;
  for (size_t j = 0; j < model.joints().size(); ++j) {
    const JointType type = model.joints()[j].type;
    if (type == JointType::kHinge || type == JointType::kSlide)
      of_one.push_back(static_cast<int>(j));
  }
  if (of_one.size() > 1) {
    const JointConstraint follows = {.joint = of_one.back(),
                                     .leader = of_one.front(),
                                     .polynomial = {0.1, 2, 0.3},
                                     .stiffness = 5};
    all.push_back({.rigid = {held}, .joints = {follows}});
  }
  return all;
}

inline std::vector<ConstrainedResults> CalcConstrained(const Model& model, const Arguments& at,
                                                       Workspace<double>& workspace) {
  std::vector<ConstrainedResults> results;
  for (const Constraints& constraints : ConstraintsOf(model)) {
    for (const double damping : {0.0, 0.1}) {
      ConstrainedDynamics dynamics(model, constraints, at.q);
      ConstrainedResults& r = results.emplace_back();
      EXPECT_TRUE(dynamics.Update(workspace, damping).ok());
      r.J = dynamics.J();
      r.error = dynamics.error();
      r.Jv = dynamics.J_rate_v();
      r.baumgarte = dynamics.baumgarte();
      r.rank = dynamics.rank();
      r.condition = dynamics.condition();
      r.vdot = r.v_after = Eigen::VectorXd::Constant(model.nv(), kNan);
      Eigen::VectorXd lambda(dynamics.num_rows());
      EXPECT_TRUE(dynamics.CalcForwardDynamics(at.vdot, workspace, r.vdot, lambda).ok());
      r.JTlambda = r.J.transpose() * lambda;
      EXPECT_TRUE(dynamics.CalcImpulse(at.v_r, 0.5, r.v_after, lambda).ok());
      r.JTLambda = r.J.transpose() * lambda;
    }
  }
  return results;
}

inline Results Calc(const Model& model, const std::string& instruction_set,
                    const Factorization& factorization, const Arguments& at,
                    bool with_constraints = false) {
  Workspace<double> workspace(model, instruction_set);
  EXPECT_EQ(workspace.instruction_set(), instruction_set);
  const ChristoffelLayout layout(model);
  const Eigen::Index n = model.nv();
  Results r;
  r.H = r.Hdot = r.C = r.H_of_C = Eigen::MatrixXd::Constant(n, n, kNan);
  r.dtau_dq = r.dtau_dv = r.H_of_derivatives = r.H;
  r.dtau_r_dq = r.dtau_r_dv = r.dCw_dq = r.dCw_dv = r.H;
  r.dvdot_dq = r.dvdot_dv = r.dvdot_dtau = r.H;
  r.g = r.bias = r.tau = r.tau_r = Eigen::VectorXd::Constant(n, kNan);
  r.packed.setConstant(static_cast<Eigen::Index>(layout.size()), kNan);
  r.Gamma.setConstant(n * n * n, kNan);
  UpdateKinematics(model, at.q, workspace);
  CalcMassMatrix(model, workspace, r.H);
  CalcPackedChristoffelSymbols(model, layout, workspace, Span(r.packed));
  CalcChristoffelSymbols(model, workspace, Span(r.Gamma));
  CalcGravityForces(model, workspace, r.g);
  UpdateKinematics(model, at.q, at.v, workspace);
  CalcMassMatrixDerivative(model, workspace, r.Hdot);
  CalcCoriolisMatrix(model, factorization, workspace, {.C = r.C, .H = r.H_of_C});
  CalcBiasForces(model, workspace, r.bias);
  CalcInverseDynamics(model, at.vdot, workspace, r.tau);
  CalcPassivityInverseDynamics(model, factorization, at.v_r, at.vdot, workspace, r.tau_r);
  CalcInverseDynamicsDerivatives(model, at.vdot, workspace, r.dtau_dq, r.dtau_dv,
                                 r.H_of_derivatives);
  CalcPassivityInverseDynamicsDerivatives(model, factorization, at.v_r, at.vdot, workspace,
                                          r.dtau_r_dq, r.dtau_r_dv);
  CalcCoriolisProductDerivatives(model, factorization, at.v_r, workspace, r.dCw_dq, r.dCw_dv);
  CalcFrameMotions(model, at.vdot, workspace, &r);
  CalcCentroidal(model, at.vdot, workspace, &r);
  // All frames, of which some share a body and some are in the world.
  const std::vector<Model::NamedFrame>& frames = model.frames();
  const auto columns = kNumBodyParameters * static_cast<Eigen::Index>(frames.size());
  r.Y.setConstant(n, columns, kNan);
  r.YT.setConstant(columns, n, kNan);
  r.y_0 = r.y_0_of_YT = r.Yx = r.Yx_alone = Eigen::VectorXd::Constant(n, kNan);
  r.YTs = r.YTs_alone = Eigen::VectorXd::Constant(columns, kNan);
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(columns, -1, 2), s = at.v_r - at.v;
  Eigen::VectorXd none;
  CalcRegressor(model, factorization, frames, at.v_r, at.vdot, workspace, r.Y, r.y_0);
  CalcTransposedRegressor(model, factorization, frames, at.v_r, at.vdot, workspace, r.YT,
                          r.y_0_of_YT);
  CalcRegressorProducts(model, factorization, frames, at.v_r, at.vdot, x, s, workspace, r.Yx,
                        r.YTs);
  CalcRegressorProducts(model, factorization, frames, at.v_r, at.vdot, x, none, workspace,
                        r.Yx_alone, none);
  CalcRegressorProducts(model, factorization, frames, at.v_r, at.vdot, none, s, workspace, none,
                        r.YTs_alone);
  MassMatrixCholesky<double> factor(model);
  r.is_regular = CalcForwardDynamicsDerivatives(model, at.vdot, workspace, factor, r.dvdot_dq,
                                                r.dvdot_dv, r.dvdot_dtau)
                     .ok();
  r.vdot = r.solution = r.other_solution = at.vdot;
  CalcForwardDynamics(model, r.vdot, workspace, r.vdot, SomeForces(model));
  if (r.is_regular) factor.SolveInPlace(r.solution);
  MassMatrixCholesky<double> other(model);
  EXPECT_EQ(other.Compute(workspace).ok(), r.is_regular);
  if (!r.is_regular) return r;
  other.SolveInPlace(r.other_solution);
  r.H_inverse = Eigen::MatrixXd::Constant(n, n, kNan);
  other.CalcInverse(r.H_inverse);
  constexpr int kColumns = 11;  // more than any solution takes at once, and not a multiple of it
  r.solutions = at.vdot * Eigen::RowVectorXd::LinSpaced(kColumns, -1, 1) +
                at.v * Eigen::RowVectorXd::LinSpaced(kColumns, 1, 2);
  other.SolveInPlace(r.solutions);
  if (with_constraints) r.constrained = CalcConstrained(model, at, workspace);
  return r;
}

template <typename Derived>
void ExpectNear(const Eigen::MatrixBase<Derived>& ours, const Eigen::MatrixBase<Derived>& plain,
                const char* what) {
  EXPECT_LE((ours - plain).norm(), kTolerance * (1 + plain.norm())) << what;
}

/// Solutions x of H x = b, whose H x are near.
template <typename Derived>
void ExpectNearSolution(const Eigen::MatrixXd& H, const Eigen::MatrixBase<Derived>& ours,
                        const Eigen::MatrixBase<Derived>& plain, const char* what) {
  EXPECT_LE((H * (ours - plain)).norm(), kTolerance * (1 + H.norm() * plain.norm())) << what;
}

inline void ExpectSameUnderConstraints(const Results& ours, const Results& plain) {
  ASSERT_EQ(ours.constrained.size(), plain.constrained.size());
  for (size_t c = 0; c < ours.constrained.size(); ++c) {
    SCOPED_TRACE("constraints " + std::to_string(c));
    const ConstrainedResults &x = ours.constrained[c], &y = plain.constrained[c];
    ExpectNear(x.J, y.J, "J");
    ExpectNear(x.error, y.error, "e");
    ExpectNear(x.Jv, y.Jv, "J̇ v");
    ExpectNear(x.baumgarte, y.baumgarte, "Baumgarte");
    EXPECT_EQ(x.rank, y.rank);
    if (y.rank == y.J.rows()) {  // else it depends on which of the rows come first
      EXPECT_LE(std::abs(x.condition - y.condition), 1e-6 * y.condition);
    }
    // Rows that nearly depend on others amplify rounding by the condition and that of H.
    const Eigen::VectorXd sizes = plain.H.diagonal().cwiseSqrt();
    const double tolerance =
        1e-10 * y.condition * y.condition * sizes.maxCoeff() / sizes.minCoeff();
    EXPECT_LE((plain.H * (x.vdot - y.vdot)).norm(),
              tolerance * (1 + plain.H.norm() * y.vdot.norm()))
        << "v̇, condition " << y.condition;
    EXPECT_LE((plain.H * (x.v_after - y.v_after)).norm(),
              tolerance * (1 + plain.H.norm() * y.v_after.norm()))
        << "v⁺, condition " << y.condition;
    EXPECT_LE((x.JTlambda - y.JTlambda).norm(), tolerance * (1 + plain.H.norm() * y.vdot.norm()));
    EXPECT_LE((x.JTLambda - y.JTLambda).norm(),
              tolerance * (1 + plain.H.norm() * y.v_after.norm()));
  }
}

inline void ExpectSame(const Results& ours, const Results& plain) {
  ExpectNear(ours.H, plain.H, "H");
  ExpectNear(ours.Hdot, plain.Hdot, "Hdot");
  ExpectNear(ours.C, plain.C, "C");
  ExpectNear(ours.H_of_C, plain.H_of_C, "H with C");
  ExpectNear(ours.g, plain.g, "g");
  ExpectNear(ours.bias, plain.bias, "C v + g");
  ExpectNear(ours.tau, plain.tau, "tau");
  ExpectNear(ours.tau_r, plain.tau_r, "H v̇_r + C v_r + g");
  ExpectNear(ours.dtau_dq, plain.dtau_dq, "dtau/dq");
  ExpectNear(ours.dtau_dv, plain.dtau_dv, "dtau/dv");
  ExpectNear(ours.H_of_derivatives, plain.H_of_derivatives, "H with derivatives");
  ExpectNear(ours.dtau_r_dq, plain.dtau_r_dq, "d(H v̇_r + C v_r + g)/dq");
  ExpectNear(ours.dtau_r_dv, plain.dtau_r_dv, "d(H v̇_r + C v_r + g)/dv");
  ExpectNear(ours.dCw_dq, plain.dCw_dq, "d(C w)/dq");
  ExpectNear(ours.dCw_dv, plain.dCw_dv, "d(C w)/dv");
  ExpectNear(ours.Y, plain.Y, "Y");
  ExpectNear(ours.YT, plain.YT, "Yᵀ");
  ExpectNear(ours.y_0, plain.y_0, "y_0");
  ExpectNear(ours.y_0_of_YT, plain.y_0, "y_0 with Yᵀ");
  ExpectNear(ours.Yx, plain.Yx, "Y x");
  ExpectNear(ours.YTs, plain.YTs, "Yᵀs");
  ExpectNear(ours.Yx_alone, plain.Yx, "Y x alone");
  ExpectNear(ours.YTs_alone, plain.YTs, "Yᵀs alone");
  ExpectNear(ours.J, plain.J, "Jacobians");
  ExpectNear(ours.Jdot, plain.Jdot, "rates of Jacobians");
  ExpectNear(ours.motions, plain.motions, "motions of frames");
  ExpectNear(ours.c, plain.c, "c");
  ExpectNear(ours.h, plain.h, "h_G");
  ExpectNear(ours.A, plain.A, "A_G");
  ExpectNear(ours.Adot, plain.Adot, "rate of A_G");
  ExpectNear(ours.J_c, plain.J_c, "dċ/dv");
  ExpectNear(ours.Jdot_c, plain.Jdot_c, "rate of dċ/dv");
  ExpectNear(ours.dhdot_dq, plain.dhdot_dq, "dḣ_G/dq");
  ExpectNear(ours.dhdot_dv, plain.dhdot_dv, "dḣ_G/dv");
  ExpectNear(ours.dhdot_dvdot, plain.dhdot_dvdot, "dḣ_G/dv̇");
  ExpectNear(ours.packed, plain.packed, "packed symbols");
  ExpectNear(ours.Gamma, plain.Gamma, "symbols");
  EXPECT_EQ(ours.is_regular, plain.is_regular);
  if (!ours.is_regular || !plain.is_regular) return;
  ExpectNearSolution(plain.H, ours.vdot, plain.vdot, "v̇");
  ExpectNearSolution(plain.H, ours.dvdot_dq, plain.dvdot_dq, "dv̇/dq");
  ExpectNearSolution(plain.H, ours.dvdot_dv, plain.dvdot_dv, "dv̇/dv");
  ExpectNearSolution(plain.H, ours.dvdot_dtau, plain.dvdot_dtau, "dv̇/dtau");
  ExpectNearSolution(plain.H, ours.solution, plain.solution, "solution by the factor");
  ExpectNearSolution(plain.H, ours.other_solution, plain.other_solution, "by that of H alone");
  ExpectNearSolution(plain.H, ours.H_inverse, plain.H_inverse, "inverse of H");
  ExpectNearSolution(plain.H, ours.solutions, plain.solutions, "solutions of more columns");
  ExpectSameUnderConstraints(ours, plain);
}

}  // namespace kernels_laws_test
}  // namespace civita
