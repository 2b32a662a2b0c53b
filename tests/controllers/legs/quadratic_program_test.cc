#include "civita/controllers/legs/quadratic_program.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/oracles/linear.h"

namespace civita {
namespace quadratic_program_test {

using Status = QuadraticProgram::Status;

TEST(QuadraticProgramTest, WithoutActiveRowsItIsTheMinimum) {
  QuadraticProgram program(2, 1);
  program.G << 2, 1, 1, 3;
  program.g << -1, 4;
  program.B << 1, 0;
  program.b << 100;
  ASSERT_EQ(program.Solve(), Status::kOptimal);
  EXPECT_LE((program.G * program.x + program.g).norm(), 1e-13);
}

// Karush–Kuhn–Tucker conditions, with multipliers by least squares over the active rows.
TEST(QuadraticProgramTest, SolutionsAreOptimal) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  int active_rows = 0;
  for (int trial = 0; trial < 100; ++trial) {
    QuadraticProgram program(6, 10);
    const Eigen::MatrixXd A = Eigen::MatrixXd::NullaryExpr(6, 6, [&] { return normal(random); });
    program.G = A.transpose() * A + 0.1 * Eigen::MatrixXd::Identity(6, 6);
    program.g = Eigen::VectorXd::NullaryExpr(6, [&] { return 3 * normal(random); });
    program.B = Eigen::MatrixXd::NullaryExpr(10, 6, [&] { return normal(random); });
    program.b = Eigen::VectorXd::NullaryExpr(10, [&] { return 0.1 + std::abs(normal(random)); });
    ASSERT_EQ(program.Solve(), Status::kOptimal);
    const Eigen::VectorXd slack = program.B * program.x + program.b;
    EXPECT_GE(slack.minCoeff(), -1e-9);
    Eigen::MatrixXd N(6, 10);
    Eigen::Index n = 0;
    for (Eigen::Index i = 0; i < 10; ++i) {
      if (slack[i] < 1e-8) N.col(n++) = program.B.row(i).transpose();
    }
    active_rows += static_cast<int>(n);
    const Eigen::VectorXd gradient = program.G * program.x + program.g;
    const Eigen::VectorXd lambda =
        n == 0 ? Eigen::VectorXd() : Eigen::VectorXd(linear::LeastSquares(N.leftCols(n), gradient));
    EXPECT_LE((gradient - N.leftCols(n) * lambda).norm(), 1e-8);
    if (n > 0) {
      EXPECT_GE(lambda.minCoeff(), -1e-8);
    }
  }
  EXPECT_GT(active_rows, 100);
}

TEST(QuadraticProgramTest, SaysWhenThereIsNone) {
  QuadraticProgram program(1, 2);
  program.B << 1, -1;
  program.b << -2, 1;  // x ≥ 2 and x ≤ 1
  EXPECT_EQ(program.Solve(), Status::kInfeasible);
  program.b << -1, 2;
  EXPECT_EQ(program.Solve(), Status::kOptimal);
  EXPECT_NEAR(program.x[0], 1, 1e-12);
}

}  // namespace quadratic_program_test
}  // namespace civita
