// What motors that act on several coordinates can give of a law's torques.
#include "civita/transmission.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/oracles/linear.h"
#include "tests/oracles/random_model.h"

namespace civita {
namespace transmission_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd RandomMatrix(Eigen::Index rows, Eigen::Index columns, std::mt19937* random) {
  return RandomVector(static_cast<int>(rows * columns), random).reshaped(rows, columns);
}

MatrixXd RandomMass(int n, std::mt19937* random) {
  const MatrixXd L = RandomMatrix(n, n, random);
  return L * L.transpose() + 0.1 * MatrixXd::Identity(n, n);
}

/// Seven coordinates: 0 and 3 with motors of their own, 1, 2, 4 and 5 moved by `columns` motors, 6
/// by none.
struct Motors {
  Motors(int columns, std::mt19937* random)
      : own{true, false, false, true, false, false, false},
        shared(RandomMatrix(7, columns, random)) {
    shared.row(6).setZero();
    if (columns > 2) shared.col(2) = shared.col(0) - 2 * shared.col(1);  // adds no direction
    B = MatrixXd::Zero(7, columns + 2);
    B(0, 0) = B(3, 1) = 1;
    B.rightCols(columns) = shared;
  }
  std::vector<bool> own;
  MatrixXd shared, B;
};

TEST(Transmission, SplitsTheCoordinatesIntoDrivenAndUndrivenDirections) {
  std::mt19937 random(1);
  for (const int columns : {0, 1, 2, 3}) {
    SCOPED_TRACE(columns);
    const Motors motors(columns, &random);
    const Transmission transmission(motors.own, motors.shared);
    const int rank = std::min(columns, 2);
    EXPECT_EQ(transmission.num_driven(), 2 + rank);
    EXPECT_EQ(transmission.num_undriven(), columns == 0 ? 0 : 4 - rank);
    EXPECT_EQ(transmission.is_reached(1), columns > 0);
    EXPECT_FALSE(transmission.is_reached(6));
    EXPECT_EQ(transmission.UndrivenCoordinates(),
              columns == 0 ? std::vector<int>() : std::vector<int>({1, 2, 4, 5}));
    MatrixXd Q = MatrixXd::Zero(7, transmission.num_driven());
    Q(0, 0) = Q(3, 1) = 1;
    Q.rightCols(rank) = transmission.shared();
    MatrixXd all(7, 7);
    all << Q, transmission.N();
    EXPECT_LE((all.transpose() * all - MatrixXd::Identity(7, 7)).norm(), 1e-14);
    EXPECT_LE((transmission.N().transpose() * motors.B).norm(), 1e-14);
  }
}

// The minimum of ‖B u − τ‖² in the norm of H⁻¹ has BᵀH⁻¹(B u − τ) = 0.
TEST(Transmission, HasNoOtherCoordinates) {
  const Transmission motors({true, false, true}, Eigen::MatrixXd::Zero(3, 0));
  EXPECT_TRUE(motors.is_own(2) && !motors.is_own(1));
  for (const int iv : {-1, 3, 1000000}) {
    EXPECT_THROW((void)motors.is_own(iv), ContractError);
    EXPECT_THROW((void)motors.is_reached(iv), ContractError);
  }
}

TEST(TorqueFit, IsTheMinimumInTheNormOfTheInverseInertia) {
  std::mt19937 random(2);
  for (const int columns : {1, 2, 3}) {
    const Motors motors(columns, &random);
    TorqueFit fit(Transmission(motors.own, motors.shared));
    for (int i = 0; i < 5; ++i) {
      const MatrixXd H = RandomMass(7, &random);
      VectorXd tau = RandomVector(7, &random);
      const VectorXd wanted = tau;
      ASSERT_TRUE(fit.Fit(H, tau));
      EXPECT_EQ(tau[6], 0);
      VectorXd reached = wanted;
      reached[6] = 0;
      const VectorXd left = linear::SolvePositive(H, tau - reached);
      EXPECT_LE((motors.B.transpose() * left).norm(), 1e-10 * wanted.norm());
      const VectorXd u = linear::LeastSquares(motors.B, tau);
      EXPECT_LE((motors.B * u - tau).norm(), 1e-10 * wanted.norm());
      // Coordinates with motors of their own get the acceleration that τ gives.
      EXPECT_NEAR(left[0], 0, 1e-10);
      EXPECT_GT((tau - reached).norm(), 1e-3);
    }
  }
}

TEST(TorqueFit, LeavesWhatMotorsGiveAsItIs) {
  std::mt19937 random(3);
  const Motors motors(2, &random);
  TorqueFit fit(Transmission(motors.own, motors.shared));
  const VectorXd wanted = motors.B * RandomVector(4, &random);
  VectorXd tau = wanted;
  ASSERT_TRUE(fit.Fit(RandomMass(7, &random), tau));
  EXPECT_LE((tau - wanted).norm(), 1e-12 * wanted.norm());
}

}  // namespace transmission_test
}  // namespace civita
