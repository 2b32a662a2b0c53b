// Jacobians, bodies in maximal coordinates, the decoupled centre of mass.

#include <vector>

#include "civita/centroidal.h"
#include "civita/com_decoupled.h"
#include "civita/maximal_coordinates.h"
#include "civita/space_motion.h"
#include "civita/study/evaluate/evaluator.h"
#include "study/evaluate/eval_rows.h"

namespace civita::rows {

using Eigen::MatrixXd;
using enum ReferenceFrame;

RowMajor J(Evaluator& at, const QuantityRequest& request) {
  MatrixXd J(6, at.space.nw());
  CalcFrameJacobian<double>(at.space, *request.frame, kLocalWorldAligned, at.workspace, J);
  return J;
}

RowMajor Jdot(Evaluator& at, const QuantityRequest& request) {
  MatrixXd Jdot(6, at.space.nw());
  CalcFrameJacobianDerivative<double>(at.space, *request.frame, kLocalWorldAligned, at.workspace,
                                      Jdot);
  return Jdot;
}

namespace {

using Blocks = std::vector<Matrix6<double>>;

MatrixXd BlockDiagonal(const Blocks& blocks) {
  const auto n = static_cast<Eigen::Index>(blocks.size());
  MatrixXd matrix = MatrixXd::Zero(6 * n, 6 * n);
  for (Eigen::Index b = 0; b < n; ++b) {
    matrix.block<6, 6>(6 * b, 6 * b) = blocks[static_cast<std::size_t>(b)];
  }
  return matrix;
}

/// C and H of all bodies in their body twists.
std::pair<MatrixXd, MatrixXd> CalcMaximal(Evaluator& at) {
  Blocks C(static_cast<std::size_t>(at.model.num_bodies())), H = C;
  CalcMaximalCoordinates(at.model, at.factorization, TwistFrame::kBody, at.tree(), C, H);
  return {BlockDiagonal(C), BlockDiagonal(H)};
}

/// The stacked Jacobian of all body twists and its rate.
std::pair<MatrixXd, MatrixXd> CalcMaximalJacobians(Evaluator& at) {
  MatrixXd J(6 * at.model.num_bodies(), at.model.nv()), Jdot = J;
  CalcMaximalJacobian(at.model, TwistFrame::kBody, at.tree(), J, Jdot);
  return {J, Jdot};
}

}  // namespace

RowMajor CMax(Evaluator& at, const QuantityRequest&) { return CalcMaximal(at).first; }
RowMajor HMax(Evaluator& at, const QuantityRequest&) { return CalcMaximal(at).second; }

RowMajor JMax(Evaluator& at, const QuantityRequest&) {
  const MatrixXd J = CalcMaximalJacobians(at).first;
  if (at.space.is_tree()) return J;
  return J * at.workspace.map(at.space).A;
}

RowMajor JdotMax(Evaluator& at, const QuantityRequest&) {
  const auto [J, Jdot] = CalcMaximalJacobians(at);
  if (at.space.is_tree()) return Jdot;
  const VelocityMap<double>& map = at.workspace.map(at.space);
  return Jdot * map.A + J * map.Adot;
}

namespace {

/// H and C with the velocity of the centre of mass in place of the base's.
std::pair<MatrixXd, MatrixXd> CalcDecoupled(Evaluator& at) {
  if (!(CalcTotalMass(at.model) > 0)) return {};
  const auto [C, H] = at.CalcMatrices();  // of a tree, as the quantity is
  VelocityMap<double> map(at.model.nv(), at.model.nv());
  SetComVelocities<double>({.C = C, .H = H}, &map);
  MatrixXd H_com(H.rows(), H.cols()), C_com(H.rows(), H.cols());
  CalcComDecoupled<double>(map, {.C = C, .H = H}, {.C = C_com, .H = H_com});
  return {H_com, C_com};
}

}  // namespace

RowMajor HCom(Evaluator& at, const QuantityRequest&) { return CalcDecoupled(at).first; }
RowMajor CCom(Evaluator& at, const QuantityRequest&) { return CalcDecoupled(at).second; }

}  // namespace civita::rows
