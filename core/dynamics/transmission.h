#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <vector>

#include "civita/error.h"
#include "civita/status.h"

namespace civita {

/// How motors act on the joints: τ = B u, with a constant B, by velocity coordinate. A motor of a
/// coordinate's own is a unit column; one on a fixed tendon, say, has the coefficients of its
/// joints. Only the span of B matters here: it is that of the orthonormal columns of Q, those of N
/// are the directions in which no motor acts, and [Q N] is orthogonal. Immutable.
class Transmission {
 public:
  /// A motor for each of nv coordinates.
  explicit Transmission(int nv);
  /// `own`: the coordinates with motors of their own; `shared` (nv × any): the columns of B of the
  /// other motors, dependent or not.
  Transmission(std::vector<bool> own, const Eigen::MatrixXd& shared);

  int nv() const { return static_cast<int>(own_.size()); }  ///< coordinates
  /// Whether coordinate iv has a motor of its own.
  bool is_own(int iv) const { return Of(own_, iv); }
  /// Whether any motor acts on the coordinate.
  bool is_reached(int iv) const { return Of(reached_, iv); }
  /// Number of directions among the coordinates reached in which no motor acts.
  int num_undriven() const { return num_undriven_; }
  /// The coordinates that these directions move.
  std::vector<int> UndrivenCoordinates() const;

  /// Motors in all.
  int num_driven() const { return static_cast<int>(motors_.size() + shared_.cols()); }
  /// Coordinates with motors of their own: the first columns of Q are their unit vectors.
  const std::vector<int>& motors() const { return motors_; }
  /// The other columns of Q, zero in coordinates with motors of their own.
  const Eigen::MatrixXd& shared() const { return shared_; }
  /// nv × k, zero in coordinates with motors of their own.
  const Eigen::MatrixXd& N() const { return N_; }

 private:
  static bool Of(const std::vector<bool>& coordinates, int iv) {
    CIVITA_CHECK(iv >= 0 && static_cast<size_t>(iv) < coordinates.size(), "coordinate " << iv);
    return coordinates[static_cast<size_t>(iv)];
  }

  std::vector<bool> own_, reached_;
  std::vector<int> motors_;
  Eigen::MatrixXd shared_, N_;
  int num_undriven_ = 0;
};

namespace internal {

/// Takes out of forces what acts on the velocities N, of n numbers each. Memory is sized once.
class ForcesBeside {
 public:
  ForcesBeside(Eigen::Index n, Eigen::Index columns);

  /// τ ← τ − H N (NᵀHN)⁻¹Nᵀτ. Allocates nothing. @returns kSingularMassMatrix where NᵀHN
  /// is not positive definite; τ is then as it was.
  Status Project(const Eigen::MatrixXd& H, const Eigen::MatrixXd& N, Eigen::VectorXd& tau);

 private:
  Eigen::MatrixXd HN_, NHN_;
  Eigen::VectorXd y_;
  Eigen::LLT<Eigen::MatrixXd> llt_;
};

}  // namespace internal

/// What the motors of a tree can give of a law's torques. Memory is sized once.
class TorqueFit {
 public:
  explicit TorqueFit(const Transmission& transmission);  ///< allocates for these motors

  /// τ ← B u of least ‖B u − τ‖ in the norm of H⁻¹, H the mass matrix (nv × nv), where torques on
  /// coordinates that no motor reaches are left out before: τ − H N (NᵀHN)⁻¹Nᵀτ. It gives
  /// coordinates with motors of their own the accelerations that τ would. Allocates nothing.
  /// @returns kSingularMassMatrix where NᵀHN has no factor; τ is then not finite or unchanged.
  Status Fit(const Eigen::MatrixXd& H, Eigen::VectorXd& tau);

 private:
  Transmission transmission_;
  internal::ForcesBeside beside_;
};

}  // namespace civita
