#include "tests/oracles/dense_chain.h"

#include <cmath>
#include <optional>
#include <utility>

#include "civita/christoffel.h"
#include "civita/error.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "tests/oracles/linear.h"

namespace civita {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

double Evaluate(const std::array<double, 5>& polynomial, double x) {
  double sum = 0;
  for (size_t n = polynomial.size(); n-- > 0;) sum = sum * x + polynomial[n];
  return sum;
}

double EvaluateSlope(const std::array<double, 5>& polynomial, double x) {
  double sum = 0;
  for (size_t n = polynomial.size(); n-- > 1;) {
    sum = sum * x + static_cast<double>(n) * polynomial[n];
  }
  return sum;
}

}  // namespace

MatrixXd DenseChain::K(const VectorXd& q) const {
  const Model& tree = model_.tree();
  const int nv = tree.nv();
  Workspace<double> workspace(tree);
  UpdateKinematics(tree, q, workspace);
  MatrixXd K(0, nv), J(6, nv);
  const auto add = [&K](const MatrixXd& rows) {
    K.conservativeResize(K.rows() + rows.rows(), Eigen::NoChange);
    K.bottomRows(rows.rows()) = rows;
  };
  const auto jacobian = [&](const Model::NamedFrame& frame, const Eigen::Vector3d& point) {
    CalcFrameJacobian(tree, {frame, point}, workspace, J);
    return J;
  };
  for (const RigidConstraint& loop : loops_.rigid) {
    const MatrixXd rows = jacobian(loop.A, loop.point_A) - jacobian(loop.B, loop.point_B);
    add(rows.bottomRows(3));
    if (loop.fixes_rotation) add(rows.topRows(3));
  }
  for (const JointConstraint& gear : loops_.joints) {
    MatrixXd row = MatrixXd::Zero(1, nv);
    row(0, tree.joints()[static_cast<size_t>(gear.joint)].iv) = 1;
    if (gear.leader >= 0) {
      const Model::NamedJoint& leader = tree.joints()[static_cast<size_t>(gear.leader)];
      row(0, leader.iv) -= EvaluateSlope(gear.polynomial, q[leader.iq] - gear.leader_reference);
    }
    add(row);
  }
  return K;
}

/// [K; S] A = [0; 1], S the rows of the identity at independent coordinates.
MatrixXd DenseChain::A(const VectorXd& q) const {
  const MatrixXd K = this->K(q);
  const Eigen::Index rows = K.rows(), nw = model_.nw();
  MatrixXd system = MatrixXd::Zero(rows + nw, K.cols()), right = MatrixXd::Zero(rows + nw, nw);
  system.topRows(rows) = K;
  for (Eigen::Index a = 0; a < nw; ++a) {
    system(rows + a, model_.independent()[static_cast<size_t>(a)]) = right(rows + a, a) = 1;
  }
  return linear::LeastSquares(system, right);
}

template <typename Matrix>
MatrixXd DenseChain::RateOf(const VectorXd& q, const VectorXd& v, Matrix matrix) const {
  const double h = 1e-3 / std::max(1.0, v.norm());
  const auto at = [&](double t) {
    VectorXd moved = q;
    IntegratePosition<double>(model_.tree(), q, v, t, moved);
    return MatrixXd((this->*matrix)(moved));
  };
  return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
}

MatrixXd DenseChain::RateOfA(const VectorXd& q, const VectorXd& v) const {
  return RateOf(q, v, &DenseChain::A);
}

MatrixXd DenseChain::RateOfK(const VectorXd& q, const VectorXd& v) const {
  return RateOf(q, v, &DenseChain::K);
}

DenseChain::Equations DenseChain::Calc(const VectorXd& q, const VectorXd& w,
                                       const Factorization& factorization) const {
  const Model& tree = model_.tree();
  Equations e;
  e.A = A(q);
  e.v = e.A * w;
  e.Adot = RateOfA(q, e.v);
  const CoreDynamics d = CalcCoreDynamics(tree, q, e.v, factorization);
  e.H = e.A.transpose() * d.H * e.A;
  e.C = e.A.transpose() * (d.C * e.A + d.H * e.Adot);
  e.g = e.A.transpose() * d.g;
  e.bias = e.A.transpose() * CalcCoreInverseDynamics(tree, q, e.v, e.Adot * w);
  return e;
}

std::vector<MatrixXd> DenseChain::CalcSymbols(const VectorXd& q) const {
  const Model& tree = model_.tree();
  const int nv = tree.nv(), nw = model_.nw();
  const MatrixXd A = this->A(q);
  const MatrixXd H = CalcCoreDynamics(tree, q, VectorXd::Zero(nv)).H;
  Workspace<double> workspace(tree);
  UpdateKinematics(tree, q, workspace);
  std::vector<double> Gamma(ChristoffelIndex(nv, 0, 0, nv));
  CalcChristoffelSymbols<double>(tree, workspace, Gamma);
  std::vector<MatrixXd> slices;
  for (int b = 0; b < nw; ++b) {
    MatrixXd along(nv, nv);
    for (int i = 0; i < nv; ++i) {
      for (int k = 0; k < nv; ++k) {
        along(i, k) = 0;
        for (int j = 0; j < nv; ++j) along(i, k) += Gamma[ChristoffelIndex(nv, i, j, k)] * A(j, b);
      }
    }
    slices.push_back(A.transpose() * (along * A + H * RateOfA(q, A.col(b))));
  }
  return slices;
}

namespace {

/// A loop of two frames where they are.
RigidConstraint MakeLoop(const Case& c, Workspace<double>& workspace, bool fixes_rotation,
                         std::mt19937* random) {
  const std::vector<Model::NamedFrame>& frames = c.model.frames();
  std::uniform_int_distribution<int> any(-1, static_cast<int>(frames.size()) - 1);
  const auto frame = [&] {
    const int index = any(*random);
    return index < 0 ? Model::NamedFrame{} : frames[static_cast<size_t>(index)];
  };
  RigidConstraint loop{.name = "loop", .fixes_rotation = fixes_rotation};
  loop.A = frame();
  loop.B = frame();
  loop.point_A = 0.3 * RandomVector(3, random);
  const Pose X_A = CalcFramePose(c.model, loop.A, workspace);
  const Pose X_B = CalcFramePose(c.model, loop.B, workspace);
  loop.point_B = X_B.R.transpose() * (X_A.R * loop.point_A + X_A.p - X_B.p);
  loop.axes_B = X_B.R.transpose() * X_A.R;
  return loop;
}

/// A joint of one coordinate that follows another from where they are, if there are two.
std::optional<JointConstraint> MakeFollower(const Case& c, std::mt19937* random) {
  std::vector<int> joints;
  for (size_t j = 0; j < c.model.joints().size(); ++j) {
    if (NumVelocities(c.model.joints()[j].type) == 1) joints.push_back(static_cast<int>(j));
  }
  if (joints.size() < 2) return std::nullopt;
  std::shuffle(joints.begin(), joints.end(), *random);
  JointConstraint gear{.name = "gear", .joint = joints[0], .leader = joints[1]};
  const Eigen::VectorXd numbers = RandomVector(5, random);
  for (size_t n = 0; n < 5; ++n) gear.polynomial[n] = numbers[static_cast<Eigen::Index>(n)];
  gear.leader_reference = 0.2;
  const auto position = [&](int joint) {
    return c.q[c.model.joints()[static_cast<size_t>(joint)].iq];
  };
  gear.reference = position(gear.joint) - Evaluate(gear.polynomial, position(gear.leader) - 0.2);
  return gear;
}

}  // namespace

RandomChain MakeRandomChain(unsigned seed) {
  std::mt19937 random(seed + 300);
  const auto one_of = [&random](int n) {
    return std::uniform_int_distribution<int>(0, n - 1)(random);
  };
  while (true) {  // until the loops leave some motion and are not singular
    const bool bushy = one_of(2) == 0;
    Case c = MakeCase(seed, {.bodies = 9, .bushy = bushy});
    Workspace<double> workspace(c.model);
    UpdateKinematics(c.model, c.q, workspace);
    Constraints loops;
    const int rigid = one_of(3), followers = one_of(3);
    for (int i = 0; i < rigid; ++i) {
      loops.rigid.push_back(MakeLoop(c, workspace, one_of(4) == 0, &random));
    }
    for (int i = 0; i < followers; ++i) {
      if (const auto gear = MakeFollower(c, &random)) loops.joints.push_back(*gear);
    }
    try {
      VelocitySpace model(c.model, loops, {.start = c.q});
      if (model.nw() < 2 || model.nw() == model.nv()) continue;
      return {std::move(c), std::move(loops), model};
    } catch (const UserError&) {
      continue;
    }
  }
}

}  // namespace civita
