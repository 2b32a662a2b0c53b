// The worked examples of [LP]'s functions to the printed digits, laws between them, closed forms,
// and screws of all kinds against independent exponentials.

#include "civita/product_of_exponentials.h"

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "civita/error.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/core_dynamics.h"
#include "tests/oracles/linear.h"

namespace civita::poe {
namespace product_of_exponentials_test {

using Eigen::Matrix4d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Vector6d = Vector6<double>;

/// The first three links of a UR5 as in [LP]. S₁ has ‖ω‖ = √2.
Lists ThreeLinks() {
  Lists lists;
  lists.M_list.resize(4);
  lists.M_list[0] << 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.089159, 0, 0, 0, 1;
  lists.M_list[1] << 0, 0, 1, 0.28, 0, 1, 0, 0.13585, -1, 0, 0, 0, 0, 0, 0, 1;
  lists.M_list[2] << 1, 0, 0, 0, 0, 1, 0, -0.1197, 0, 0, 1, 0.395, 0, 0, 0, 1;
  lists.M_list[3] << 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.14225, 0, 0, 0, 1;
  for (const Vector6d& G : {Vector6d(0.010267, 0.010267, 0.00666, 3.7, 3.7, 3.7),
                            Vector6d(0.22689, 0.22689, 0.0151074, 8.393, 8.393, 8.393),
                            Vector6d(0.0494433, 0.0494433, 0.004095, 2.275, 2.275, 2.275)}) {
    lists.G_list.emplace_back(G.asDiagonal());
  }
  lists.S_list.resize(6, 3);
  lists.S_list << 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, -0.089, -0.089, 1, 0, 0, 0, 0, 0.425;
  return lists;
}

class ThreeLinkTest : public testing::Test {
 protected:
  const Robot robot{ThreeLinks(), Vector3d(0, 0, -9.8)};
  Workspace<double> workspace{robot.model()};
  const Vector3d theta{0.1, 0.1, 0.1}, dtheta{0.1, 0.2, 0.3}, ddtheta{2, 1.5, 1};
  const Vector6d ones = Vector6d::Ones();
  Vector3d out = Vector3d::Constant(NAN);
};

/// Tolerance for numbers printed in full by a program with another order of summation.
constexpr double kPrinted = 1e-13;

TEST(ProductOfExponentialsTest, LieBracket) {
  Vector6d V;
  V << 1, 2, 3, 4, 5, 6;
  Matrix6<double> expected;
  expected << 0, -3, 2, 0, 0, 0, 3, 0, -1, 0, 0, 0, -2, 1, 0, 0, 0, 0, 0, -6, 5, 0, -3, 2, 6, 0, -4,
      3, 0, -1, -5, 4, 0, -2, 1, 0;
  EXPECT_EQ(ad(V), expected);
}

TEST_F(ThreeLinkTest, InverseDynamicsRnea) {
  InverseDynamicsRnea<double>(robot, theta, dtheta, ddtheta, ones, workspace, out);
  EXPECT_LE(
      RelativeError(out, Vector3d(74.6961615528745, -33.067660158514585, -3.2305731379014246)),
      kPrinted);
}

TEST_F(ThreeLinkTest, EndEffectorForces) {
  EndEffectorForces<double>(robot, theta, ones, workspace, out);
  EXPECT_LE(RelativeError(out, Vector3d(1.4095460782639782, 1.8577149723180628, 1.392409)),
            kPrinted);
}

TEST_F(ThreeLinkTest, GravityForces) {
  GravityForces<double>(robot, theta, workspace, out);
  EXPECT_LE(
      RelativeError(out, Vector3d(28.40331261821983, -37.64094817177068, -5.4415891999683605)),
      kPrinted);
}

TEST_F(ThreeLinkTest, VelocityQuadraticForces) {
  VelocityQuadraticForces<double>(robot, theta, dtheta, workspace, out);
  EXPECT_LE(
      RelativeError(out, Vector3d(0.26453118054501235, -0.0550515682891655, -0.006891320068248912)),
      1e-15);
}

TEST_F(ThreeLinkTest, MassMatrix) {
  Eigen::Matrix3d expected, M;
  expected << 22.5433, -0.307147, -0.00718426, -0.307147, 1.96851, 0.432157, -0.00718426, 0.432157,
      0.191631;
  MassMatrixCrba<double>(robot, theta, workspace, M);
  // Six digits of each.
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(M(i) / expected(i), 1, 3e-6) << i;
  MatrixXd of_rnea(3, 3);
  MassMatrixRnea<double>(robot, theta, workspace, of_rnea);
  EXPECT_LE(RelativeError(of_rnea, M), 1e-15);
}

TEST_F(ThreeLinkTest, ForwardDynamics) {
  const Vector3d tau(0.5, 0.6, 0.7);
  const Vector3d expected(-0.9739290670855625, 25.584667840340547, -32.91499212478147);
  MassMatrixCholesky<double> factor(robot.model());
  ASSERT_TRUE(ForwardDynamicsCrba<double>(robot, theta, dtheta, tau, ones, workspace, factor, out));
  EXPECT_LE(RelativeError(out, expected), kPrinted);
  out.setConstant(NAN);
  ForwardDynamicsAba<double>(robot, theta, dtheta, tau, ones, workspace, out);
  EXPECT_LE(RelativeError(out, expected), kPrinted);
  out.setConstant(NAN);
  ForwardDynamicsRnea<double>(robot, theta, dtheta, tau, ones, workspace, out);
  EXPECT_LE(RelativeError(out, expected), kPrinted);
}

TEST_F(ThreeLinkTest, EulerStep) {
  Vector3d position = theta, velocity = dtheta;
  EulerStep(ddtheta, 0.1, position, velocity);
  EXPECT_EQ(position, Vector3d(0.11000000000000001, 0.12000000000000001, 0.13));
  EXPECT_EQ(velocity, Vector3d(0.30000000000000004, 0.35000000000000003, 0.4));
}

TEST_F(ThreeLinkTest, InverseDynamicsTrajectory) {
  Eigen::Matrix3d motion, expected;
  motion << 0, 0, 0, 0.5, 0.5, 0.5, 1, 1, 1;
  expected << 23.7113, -35.2321, -3.87345, 105.336, -27.6441, -1.41169, 129.143, -17.3084, 2.30991;
  MatrixXd tau(3, 3);
  InverseDynamicsTrajectory<double>(robot, motion, motion, Eigen::Matrix3d::Constant(0.5),
                                    MatrixXd::Ones(3, 6), workspace, tau);
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(tau(i) / expected(i), 1, 5e-6) << i;
}

TEST_F(ThreeLinkTest, ForwardDynamicsTrajectory) {
  Eigen::Matrix3d torques, expected;
  torques << 3.63, -6.58, -5.57, 3.74, -5.55, -5.5, 4.31, -0.68, -5.19;
  expected << 0.1, 0.1, 0.1, 0.106431, 0.2626, -0.226649, 0.10198, 0.715813, -1.22522;
  MatrixXd position(3, 3), velocity(3, 3);
  ForwardDynamicsTrajectory<double>(robot, theta, dtheta, torques, MatrixXd::Ones(3, 6), 0.1, 8,
                                    workspace, position, velocity);
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(position(i) / expected(i), 1, 5e-6) << i;
  EXPECT_EQ(velocity.row(0), dtheta.transpose());
}

TEST_F(ThreeLinkTest, TermsAddUp) {
  Vector3d c, g, tip, tau;
  Eigen::Matrix3d M;
  MassMatrixCrba<double>(robot, theta, workspace, M);
  VelocityQuadraticForces<double>(robot, theta, dtheta, workspace, c);
  GravityForces<double>(robot, theta, workspace, g);
  EndEffectorForces<double>(robot, theta, ones, workspace, tip);
  InverseDynamicsRnea<double>(robot, theta, dtheta, ddtheta, ones, workspace, tau);
  EXPECT_LE(RelativeError(M * ddtheta + c + g + tip, tau), 1e-15);
  ForwardDynamicsAba<double>(robot, theta, dtheta, tau, ones, workspace, out);
  EXPECT_LE(RelativeError(out, ddtheta), 1e-12);
}

/// A twist as the 4 × 4 matrix [V].
Matrix4d Bracket(const Vector6d& V) {
  Matrix4d m = Matrix4d::Zero();
  m.topLeftCorner<3, 3>() = Skew<double>(V.head<3>());
  m.topRightCorner<3, 1>() = V.tail<3>();
  return m;
}

Matrix6<double> Ad(const Matrix4d& T) {
  const Eigen::Matrix3d R = T.topLeftCorner<3, 3>();
  Matrix6<double> m;
  m << R, Eigen::Matrix3d::Zero(), Skew<double>(T.topRightCorner<3, 1>()) * R, R;
  return m;
}

Matrix4d TipPose(const Robot& robot, const VectorXd& theta) {
  Workspace<double> workspace(robot.model());
  UpdateKinematics(robot.model(), theta, workspace);
  const Pose pose = CalcFramePose(robot.model(), robot.tip(), workspace);
  Matrix4d T = Matrix4d::Identity();
  T.topLeftCorner<3, 3>() = pose.R;
  T.topRightCorner<3, 1>() = pose.p;
  return T;
}

/// The tip's twist in its own axes.
Vector6d TipTwist(const Robot& robot, const VectorXd& theta, const VectorXd& dtheta) {
  Workspace<double> workspace(robot.model());
  UpdateKinematics(robot.model(), theta, dtheta, workspace);
  const Eigen::Matrix3d R = CalcFramePose(robot.model(), robot.tip(), workspace).R;
  const Vector6d V = CalcFrameVelocity(robot.model(), robot.tip(), workspace);
  Vector6d twist;
  twist << R.transpose() * V.head<3>(), R.transpose() * V.tail<3>();
  return twist;
}

/// d/dt Ad_T = Ad_T ad_V with the body twist V, along a motion of the tip.
TEST_F(ThreeLinkTest, RateOfTheAdjoint) {
  const double h = 1e-4;
  const auto at = [&](double t) -> Matrix6<double> {
    return Ad(TipPose(robot, theta + t * dtheta));
  };
  const Matrix6<double> rate = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
  const Matrix6<double> law = at(0) * ad(TipTwist(robot, theta, dtheta));
  EXPECT_GT(law.norm(), 0.3);
  EXPECT_LE(RelativeError(rate, law), 1e-11);
}

/// Screws of any length and pitch, one of them prismatic, links with their mass off the frames.
Lists RandomLists(std::mt19937* random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto number = [&](auto...) { return uniform(*random); };
  const auto pose = [&]() -> Matrix4d {
    return linear::Exp(Bracket(Vector6d::NullaryExpr(number)));
  };
  constexpr int kLinks = 5;
  Lists lists;
  lists.S_list = lists.S_list.NullaryExpr(6, kLinks, number);  // helical
  lists.S_list.col(1).head<3>().setZero();                     // prismatic
  const Vector3d w = lists.S_list.col(2).head<3>();            // revolute
  lists.S_list.col(2).tail<3>() = w.cross(Vector3d(lists.S_list.col(2).tail<3>()));
  for (int i = 0; i < kLinks; ++i) {
    const Matrix6<double> moved = Ad(pose());
    Vector6d G;
    G << 0.3, 0.4, 0.5, Vector3d::Constant(1.5 + number());
    lists.M_list.push_back(pose());
    lists.G_list.emplace_back(moved.transpose() * G.asDiagonal() * moved);
  }
  lists.M_list.push_back(pose());
  return lists;
}

TEST(ProductOfExponentialsTest, TipIsTheProductOfExponentials) {
  std::mt19937 random(3);
  const Lists lists = RandomLists(&random);
  const Robot robot(lists, Vector3d(1, 2, -9));
  const std::vector<JointType> types = {JointType::kHelical, JointType::kSlide, JointType::kHinge};
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(robot.model().joints()[i].type, types[i]);
  VectorXd theta(5);
  theta << 0.4, -1.2, 2.1, -0.3, 1.7;
  Matrix4d T = Matrix4d::Identity();
  for (int i = 0; i < 5; ++i) T = T * linear::Exp(Bracket(lists.S_list.col(i)) * theta[i]);
  for (const Matrix4d& M : lists.M_list) T = T * M;
  EXPECT_LE(RelativeError(TipPose(robot, theta), T), 1e-14);
}

/// [LP] section 8.3 as written, with link frames: a slow, independent inverse dynamics.
VectorXd TextbookInverseDynamics(const Lists& lists, const Vector3d& gravity, const VectorXd& theta,
                                 const VectorXd& dtheta, const VectorXd& ddtheta,
                                 const Vector6d& F_tip) {
  const int n = static_cast<int>(lists.S_list.cols());
  MatrixXd V = MatrixXd::Zero(6, n + 1), Vdot = V, A(6, n);
  Vdot.col(0).tail<3>() = -gravity;
  std::vector<Matrix6<double>> AdT;  // Ad of T_{i,i−1}
  Matrix4d M_0i = Matrix4d::Identity();
  for (int i = 0; i < n; ++i) {
    const Matrix4d& M = lists.M_list[static_cast<size_t>(i)];
    M_0i = M_0i * M;
    A.col(i) = Ad(M_0i.inverse()) * lists.S_list.col(i);
    AdT.push_back(Ad(linear::Exp(Bracket(A.col(i)) * -theta[i]) * M.inverse()));
    V.col(i + 1) = AdT.back() * V.col(i) + A.col(i) * dtheta[i];
    Vdot.col(i + 1) = AdT.back() * Vdot.col(i) + ad<double>(V.col(i + 1)) * A.col(i) * dtheta[i] +
                      A.col(i) * ddtheta[i];
  }
  AdT.push_back(Ad(lists.M_list.back().inverse()));
  VectorXd tau(n);
  Vector6d F = F_tip;
  for (int i = n; i-- > 0;) {
    const Matrix6<double>& G = lists.G_list[static_cast<size_t>(i)];
    F = (AdT[static_cast<size_t>(i) + 1].transpose() * F + G * Vdot.col(i + 1) -
         ad<double>(V.col(i + 1)).transpose() * G * V.col(i + 1))
            .eval();
    tau[i] = F.dot(A.col(i));
  }
  return tau;
}

TEST(ProductOfExponentialsTest, RandomScrewsAgreeWithTheTextbooksRecursion) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Lists lists = RandomLists(&random);
    const Vector3d gravity(1, 2, -9);
    const Robot robot(lists, gravity);
    Workspace<double> workspace(robot.model());
    std::uniform_real_distribution<double> uniform(-2, 2);
    const auto number = [&](auto...) { return uniform(random); };
    const VectorXd theta = VectorXd::NullaryExpr(5, number), dtheta = theta.NullaryExpr(5, number),
                   ddtheta = theta.NullaryExpr(5, number);
    const Vector6d F_tip = Vector6d::NullaryExpr(number);
    VectorXd tau(5), back(5);
    InverseDynamicsRnea<double>(robot, theta, dtheta, ddtheta, F_tip, workspace, tau);
    EXPECT_LE(
        RelativeError(tau, TextbookInverseDynamics(lists, gravity, theta, dtheta, ddtheta, F_tip)),
        1e-13);
    ForwardDynamicsAba<double>(robot, theta, dtheta, tau, F_tip, workspace, back);
    EXPECT_LE(RelativeError(back, ddtheta), 1e-11);
    // Laws of C in these coordinates.
    const CoreDynamics d = CalcCoreDynamics(robot.model(), theta, dtheta);
    EXPECT_LE(RelativeError(d.C + d.C.transpose(), d.Hdot), 1e-13);
    EXPECT_LE(RelativeError(d.C * dtheta + d.g, d.bias), 1e-13);
  }
}

/// Links of lengths l₁, l₂ along x at home, point masses m₁, m₂ at their ends and moments of
/// inertia I₁, I₂ about these, gravity γ along −y. With x₁ = l₁e(θ₁), x₂ = x₁ + l₂e(θ₁ + θ₂),
///   ½|ẋ₂|² = ½l₁²θ̇₁² + ½l₂²(θ̇₁ + θ̇₂)² + l₁l₂ cos θ₂ θ̇₁(θ̇₁ + θ̇₂),
/// so the kinetic energy m₁½|ẋ₁|² + m₂½|ẋ₂|² + ½I₁θ̇₁² + ½I₂(θ̇₁ + θ̇₂)² is ½θ̇ᵀMθ̇ with
///   M₁₁ = I₁ + I₂ + (m₁ + m₂)l₁² + m₂l₂² + 2k cos θ₂,  k = m₂l₁l₂,
///   M₁₂ = I₂ + m₂l₂² + k cos θ₂,  M₂₂ = I₂ + m₂l₂².
/// Only ∂₂M₁₁ = −2k sin θ₂ and ∂₂M₁₂ = −k sin θ₂ are not zero, hence with s = k sin θ₂ and
/// Γ_ijk = ½(∂_kM_ij + ∂_jM_ik − ∂_iM_jk): Γ₁₁₁ = 0, Γ₁₁₂ = Γ₁₂₁ = −s, Γ₁₂₂ = −s, Γ₂₁₁ = s,
/// Γ₂₁₂ = Γ₂₂₁ = Γ₂₂₂ = 0, and
///   C = [−s θ̇₂, −s(θ̇₁ + θ̇₂); s θ̇₁, 0].
/// From the potential energy γ(m₁ + m₂)l₁ sin θ₁ + γm₂l₂ sin(θ₁ + θ₂),
///   g = γ[(m₁ + m₂)l₁ cos θ₁ + m₂l₂ cos(θ₁ + θ₂); m₂l₂ cos(θ₁ + θ₂)].
TEST(ProductOfExponentialsTest, PlanarArmHasItsClosedForms) {
  const double l1 = 0.7, l2 = 0.4, m1 = 1.3, m2 = 2.1, I1 = 0.11, I2 = 0.05, gamma = 9.81;
  Lists lists;
  lists.M_list.assign(3, Matrix4d::Identity());
  lists.M_list[0](0, 3) = l1;
  lists.M_list[1](0, 3) = l2;
  Vector6d G1, G2;
  G1 << 1, 1, I1, m1, m1, m1;
  G2 << 1, 1, I2, m2, m2, m2;
  lists.G_list = {G1.asDiagonal(), G2.asDiagonal()};
  lists.S_list.setZero(6, 2);
  lists.S_list.row(2).setOnes();
  lists.S_list(4, 1) = -l1;
  const Robot robot(lists, Vector3d(0, -gamma, 0));

  const Eigen::Vector2d theta(0.6, 1.1), dtheta(0.8, -1.7);
  const double k = m2 * l1 * l2, cosine = k * std::cos(theta[1]), s = k * std::sin(theta[1]);
  Eigen::Matrix2d M, C;
  M << I1 + I2 + (m1 + m2) * l1 * l1 + m2 * l2 * l2 + 2 * cosine, I2 + m2 * l2 * l2 + cosine,
      I2 + m2 * l2 * l2 + cosine, I2 + m2 * l2 * l2;
  C << -s * dtheta[1], -s * dtheta.sum(), s * dtheta[0], 0;
  const double g2 = gamma * m2 * l2 * std::cos(theta.sum());
  const Eigen::Vector2d g(gamma * (m1 + m2) * l1 * std::cos(theta[0]) + g2, g2);

  const CoreDynamics d = CalcCoreDynamics(robot.model(), theta, dtheta);
  EXPECT_LE(RelativeError(d.C, C), 1e-15);
  Workspace<double> workspace(robot.model());
  MatrixXd mass(2, 2);
  Eigen::Vector2d out;
  MassMatrixCrba<double>(robot, theta, workspace, mass);
  EXPECT_LE(RelativeError(mass, M), 1e-15);
  VelocityQuadraticForces<double>(robot, theta, dtheta, workspace, out);
  EXPECT_LE(RelativeError(out, C * dtheta), 1e-15);
  GravityForces<double>(robot, theta, workspace, out);
  EXPECT_LE(RelativeError(out, g), 1e-15);
}

std::string ErrorOf(const Lists& lists) {
  try {
    const Robot robot(lists, Vector3d::Zero());
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(ProductOfExponentialsTest, BadListsAreNamed) {
  using testing::HasSubstr;
  Lists lists = ThreeLinks();
  lists.M_list.pop_back();
  EXPECT_THAT(ErrorOf(lists), HasSubstr("S_list has n = 3, M_list must have n + 1 entries, not 3"));
  lists = ThreeLinks();
  lists.M_list[1](0, 0) = 0.5;
  EXPECT_THAT(ErrorOf(lists), HasSubstr("M_list: entry 2 is no rigid transform"));
  lists = ThreeLinks();
  lists.G_list[2](5, 5) = 1;
  EXPECT_THAT(ErrorOf(lists), HasSubstr("G_list: entry 3 is no body's"));
  lists = ThreeLinks();
  lists.G_list[0](0, 3) = lists.G_list[0](3, 0) = 1;
  EXPECT_THAT(ErrorOf(lists), HasSubstr("G_list: entry 1 is no body's"));
  lists = ThreeLinks();
  lists.S_list.col(1).setZero();
  EXPECT_THAT(ErrorOf(lists), HasSubstr("S_list: entry 2 must be finite and not zero"));
}

TEST(ProductOfExponentialsTest, ScaleOfAJointIsPositiveAndOfOneCoordinate) {
  const auto add = [](JointType type, double scale) {
    ModelBuilder builder;
    builder.AddJoint(builder.AddBody("b", ModelBuilder::kWorld, {}, {}), type,
                     {.name = "j", .scale = scale});
  };
  for (const double scale : {0.0, -1.0, static_cast<double>(NAN)}) {
    EXPECT_THROW(add(JointType::kHinge, scale), UserError);
  }
  EXPECT_THROW(add(JointType::kBall, 2), UserError);
  EXPECT_NO_THROW(add(JointType::kHelical, 2));
}

TEST_F(ThreeLinkTest, WrongSizesAreRefused) {
  EXPECT_THROW(InverseDynamicsRnea<double>(robot, theta, dtheta, ddtheta, theta, workspace, out),
               ContractError);
  MatrixXd position(3, 3), velocity(3, 3);
  EXPECT_THROW(
      ForwardDynamicsTrajectory<double>(robot, theta, dtheta, position, MatrixXd::Ones(3, 6), 0.1,
                                        0, workspace, position, velocity),
      ContractError);
}

}  // namespace product_of_exponentials_test
}  // namespace civita::poe
