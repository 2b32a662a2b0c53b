#include "civita/scenes/motion/spline.h"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "civita/error.h"
#include "civita/manifold.h"
#include "civita/scenes/motion/moving.h"

namespace civita {
namespace {

using internal::Moving;

// ∫jerk² dx of the quintic on [0, 1] that starts at 0 is yᵀ M y, y = (distance, v0, a0, v1, a1).
Eigen::Matrix<double, 5, 5> JerkEnergy() {
  Eigen::Matrix<double, 3, 5> jerk;  // coefficients of the jerk: of 1, x, x²
  jerk << 60, -36, -9, -24, 3, -360, 192, 36, 168, -24, 360, -180, -30, -180, 30;
  Eigen::Matrix3d gram;  // ∫ x^(i+j) dx
  gram << 1, 1.0 / 2, 1.0 / 3, 1.0 / 2, 1.0 / 3, 1.0 / 4, 1.0 / 3, 1.0 / 4, 1.0 / 5;
  return jerk.transpose() * gram * jerk;
}

// q_{k+1} ⊖ q_k for all pieces, nv × (n − 1).
Eigen::MatrixXd Ways(const Model& model, const Eigen::MatrixXd& q) {
  Eigen::MatrixXd ways(model.nv(), q.cols() - 1);
  for (Eigen::Index k = 0; k < ways.cols(); ++k) {
    DifferencePosition(model, q.col(k + 1), q.col(k), ways.col(k));
  }
  return ways;
}

// Chooses unspecified velocities and accelerations such that the sum of ∫jerk² is minimal.
class LeastJerk {
 public:
  LeastJerk(const Eigen::MatrixXd& ways, Knots* knots)
      : n_(static_cast<Eigen::Index>(knots->t.size())),
        unit_((knots->t.back() - knots->t.front()) / static_cast<double>(n_ - 1)),
        rates_(Eigen::MatrixXd::Zero(2 * n_, ways.rows())),
        slot_(static_cast<size_t>(2 * n_), -1) {
    const bool rest = knots->v.size() == 0;
    for (Eigen::Index k = 0; k < n_; ++k) {
      if (!rest) rates_.row(2 * k) = unit_ * knots->v.col(k).transpose();
      const bool end = k == 0 || k == n_ - 1;
      if (rest && !end) slot_[static_cast<size_t>(2 * k)] = open_++;
      if (!rest || !end) slot_[static_cast<size_t>(2 * k) + 1] = open_++;
    }
    Assemble(ways, knots->t);
    Solve();
    knots->v.resize(ways.rows(), n_);
    knots->vdot.resize(ways.rows(), n_);
    for (Eigen::Index k = 0; k < n_; ++k) {
      knots->v.col(k) = rates_.row(2 * k).transpose() / unit_;
      knots->vdot.col(k) = rates_.row(2 * k + 1).transpose() / (unit_ * unit_);
    }
  }

 private:
  void Assemble(const Eigen::MatrixXd& ways, const std::vector<double>& t) {
    const Eigen::Matrix<double, 5, 5> energy = JerkEnergy();
    right_ = Eigen::MatrixXd::Zero(open_, ways.rows());
    for (Eigen::Index k = 0; k + 1 < n_; ++k) {
      const double T = (t[static_cast<size_t>(k) + 1] - t[static_cast<size_t>(k)]) / unit_;
      const Eigen::Vector<double, 5> scale(1, T, T * T, T, T * T);
      const Eigen::Matrix<double, 5, 5> M =
          std::pow(T, -5) * (scale.asDiagonal() * energy * scale.asDiagonal());
      for (int i = 0; i < 4; ++i) {
        const int row = slot_[static_cast<size_t>(2 * k + i)];
        if (row < 0) continue;
        right_.row(row) -= M(i + 1, 0) * ways.col(k).transpose();
        for (int j = 0; j < 4; ++j) {
          const int column = slot_[static_cast<size_t>(2 * k + j)];
          if (column < 0) {
            right_.row(row) -= M(i + 1, j + 1) * rates_.row(2 * k + j);
          } else {
            entries_.emplace_back(row, column, M(i + 1, j + 1));
          }
        }
      }
    }
  }

  void Solve() {
    if (open_ == 0) return;
    Eigen::SparseMatrix<double> matrix(open_, open_);
    matrix.setFromTriplets(entries_.begin(), entries_.end());
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(matrix);
    CIVITA_CHECK(solver.info() == Eigen::Success, "times that differ too much");
    const Eigen::MatrixXd solution = solver.solve(right_);
    for (Eigen::Index i = 0; i < 2 * n_; ++i) {
      const int slot = slot_[static_cast<size_t>(i)];
      if (slot >= 0) rates_.row(i) = solution.row(slot);
    }
  }

  Eigen::Index n_;
  double unit_;            // s: mean duration of a piece
  Eigen::MatrixXd rates_;  // velocity and acceleration of each knot in that unit, by row
  std::vector<int> slot_;  // by row: index of the unknown, −1: given
  int open_ = 0;
  std::vector<Eigen::Triplet<double>> entries_;
  Eigen::MatrixXd right_;
};

// θ̇ and θ̈ of the rotation vector at the end of a piece, from ω and ω̇ there.
void PullBackRotation(const Eigen::Vector3d& theta, const Eigen::Vector3d& omega,
                      const Eigen::Vector3d& omega_dot, Eigen::Ref<Eigen::VectorXd> rate,
                      Eigen::Ref<Eigen::VectorXd> rate_dot) {
  const Eigen::Matrix3d J_inverse = RightJacobianInverse(theta);
  const Eigen::Vector3d theta_dot = J_inverse * omega;
  Eigen::Vector3d ignored, bias;
  internal::CarryRotation(theta, theta_dot, Eigen::Vector3d::Zero(), &ignored, &bias);
  rate = theta_dot;
  rate_dot = J_inverse * (omega_dot - bias);
}

class Spline final : public Reference {
 public:
  Spline(const Model& model, Knots knots, bool repeat)
      : joints_(model.joints()), t_(knots.t), q_(std::move(knots.q)), repeat_(repeat) {
    const auto n = static_cast<Eigen::Index>(t_.size());
    CIVITA_CHECK(n >= 2 && q_.rows() == model.nq() && q_.cols() == n);
    CIVITA_CHECK(std::adjacent_find(t_.begin(), t_.end(), std::greater_equal<>()) == t_.end(),
                 "times do not grow");
    const Eigen::MatrixXd ways = Ways(model, q_);
    if (knots.v.size() == 0 || knots.vdot.size() == 0) LeastJerk(ways, &knots);
    CIVITA_CHECK(knots.v.rows() == model.nv() && knots.v.cols() == n &&
                 knots.vdot.rows() == model.nv() && knots.vdot.cols() == n);
    for (Eigen::Index k = 0; k + 1 < n; ++k) AddPiece(model, ways.col(k), knots, k);
  }

  void Sample(double t, ReferenceState& state) const override {
    double since = t - t_.front();
    const double length = t_.back() - t_.front();
    double direction = 1;
    if (repeat_ && since > length) {
      since = std::fmod(since, 2 * length);
      if (since > length) {
        since = 2 * length - since;
        direction = -1;
      }
    }
    const bool stands = since < 0 || since > length;
    const double at = t_.front() + std::clamp(since, 0.0, length);
    const auto after = std::upper_bound(t_.begin() + 1, t_.end() - 1, at);
    const auto k = after - t_.begin() - 1;
    const double T = t_[static_cast<size_t>(k) + 1] - t_[static_cast<size_t>(k)];
    const double x = (at - t_[static_cast<size_t>(k)]) / T;
    const Eigen::MatrixXd& c = pieces_[static_cast<size_t>(k)];
    const auto theta = [&](int iv) {
      Moving m;  // Horner's scheme with both derivatives
      for (int power = 4; power >= 0; --power) {
        m.xddot = m.xddot * x + 2 * m.xdot;
        m.xdot = m.xdot * x + m.x;
        m.x = m.x * x + c(iv, power);
      }
      // c holds the coefficients of x … x⁵, so one more step for the zero constant.
      m.xddot = (m.xddot * x + 2 * m.xdot) / (T * T);
      m.xdot = direction * (m.xdot * x + m.x) / T;
      m.x *= x;
      return stands ? Moving{m.x, 0, 0} : m;
    };
    internal::SampleAround(joints_, q_.col(k), theta, state);
  }

 private:
  void AddPiece(const Model& model, const Eigen::VectorXd& way, const Knots& knots,
                Eigen::Index k) {
    Eigen::VectorXd v1 = knots.v.col(k + 1), a1 = knots.vdot.col(k + 1);
    for (const Model::NamedJoint& joint : model.joints()) {
      if (RotationOffset(joint.type) < 0) continue;
      const int iv = joint.iv + RotationOffset(joint.type);
      PullBackRotation(way.segment<3>(iv), knots.v.col(k + 1).segment<3>(iv),
                       knots.vdot.col(k + 1).segment<3>(iv), v1.segment(iv, 3), a1.segment(iv, 3));
    }
    const double T = knots.t[static_cast<size_t>(k) + 1] - knots.t[static_cast<size_t>(k)];
    v1 *= T;
    a1 *= T * T;
    const Eigen::VectorXd v0 = T * knots.v.col(k), a0 = T * T * knots.vdot.col(k);
    Eigen::MatrixXd& c = pieces_.emplace_back(way.size(), 5);
    c.col(0) = v0;
    c.col(1) = 0.5 * a0;
    c.col(2) = 10 * way - 6 * v0 - 4 * v1 - 1.5 * a0 + 0.5 * a1;
    c.col(3) = -15 * way + 8 * v0 + 7 * v1 + 1.5 * a0 - a1;
    c.col(4) = 6 * way - 3 * v0 - 3 * v1 - 0.5 * a0 + 0.5 * a1;
  }

  std::vector<Model::NamedJoint> joints_;
  std::vector<double> t_;
  Eigen::MatrixXd q_;
  std::vector<Eigen::MatrixXd> pieces_;  // nv × 5: coefficients of x … x⁵
  bool repeat_;
};

}  // namespace

std::unique_ptr<Reference> MakeSpline(const Model& model, Knots knots, bool repeat) {
  return std::make_unique<Spline>(model, std::move(knots), repeat);
}

std::optional<Jump> FindJump(const Model& model, const Knots& knots) {
  constexpr double kFastest = 100;  // rad/s or m/s
  const Eigen::MatrixXd ways = Ways(model, knots.q);
  for (Eigen::Index k = 0; k < ways.cols(); ++k) {
    const double T = knots.t[static_cast<size_t>(k) + 1] - knots.t[static_cast<size_t>(k)];
    Eigen::Index iv = 0;
    const double way = ways.col(k).cwiseAbs().maxCoeff(&iv);
    if (way > kFastest * T) return Jump{static_cast<int>(k) + 1, static_cast<int>(iv), ways(iv, k)};
  }
  return std::nullopt;
}

}  // namespace civita
