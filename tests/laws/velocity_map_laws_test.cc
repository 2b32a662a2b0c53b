// Changes of frame v = A(q) w: body twists of free joints, arbitrary frames and submanifolds, task
// space with its null space, the centre of mass as a floating base's position.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <fstream>
#include <nlohmann/json.hpp>

#include "civita/centroidal.h"
#include "civita/christoffel.h"
#include "civita/com_decoupled.h"
#include "civita/dual.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/frame_motion.h"
#include "civita/geometry/connection.h"
#include "civita/manifold.h"
#include "civita/task_space.h"
#include "civita/velocity_map.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/linear.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/reference_model.h"
#include "tests/oracles/seeds.h"

namespace civita {
namespace velocity_map_laws_test {

const unsigned kSeeds = Seeds(12);
constexpr double kExact = 1e-12;

/// Workspaces at a state, and in dual numbers along a motion from there with v.
template <typename T>
Workspace<T> MakeWorkspace(const Model& model, const VectorX<T>& q, const Eigen::VectorXd& v) {
  Workspace<T> workspace(model);
  UpdateKinematics<T>(model, q, v.template cast<T>(), workspace);
  return workspace;
}
VectorX<Dual> Moving(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  VectorX<Dual> moving(q.size());
  IntegratePosition<Dual>(model, q.cast<Dual>(), v.cast<Dual>(), Dual(0, 1), moving);
  return moving;
}

Tensor3 Symbols(const Model& model, const Eigen::VectorXd& q) {
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, workspace);
  Tensor3 Gamma(model.nv());
  CalcChristoffelSymbols(model, workspace, Gamma);
  return Gamma;
}

Eigen::MatrixXd RandomMatrix(Eigen::Index rows, Eigen::Index cols, std::mt19937* random) {
  Eigen::MatrixXd m(rows, cols);
  for (Eigen::Index c = 0; c < cols; ++c) m.col(c) = RandomVector(static_cast<int>(rows), random);
  return m;
}

/// A frame of nw fields with arbitrary values and derivatives at a point.
struct RandomFrame {
  VelocityMap<double> map;
  std::vector<Eigen::MatrixXd> dA;  ///< rates of A along its columns
  Eigen::VectorXd w, v;

  RandomFrame(const Case& c, int nw, unsigned seed) : map(c.model.nv(), nw) {
    std::mt19937 random(seed);
    const int nv = c.model.nv();
    map.A = RandomMatrix(nv, nw, &random);
    std::vector<Eigen::MatrixXd> along_old;
    for (int j = 0; j < nv; ++j) along_old.push_back(RandomMatrix(nv, nw, &random));
    const auto rate = [&](const Eigen::VectorXd& direction) {
      Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(nv, nw);
      for (int j = 0; j < nv; ++j) sum += along_old[static_cast<size_t>(j)] * direction[j];
      return sum;
    };
    for (int b = 0; b < nw; ++b) dA.push_back(rate(map.A.col(b)));
    w = RandomVector(nw, &random);
    v = map.A * w;
    map.Adot = rate(v);
  }
  int nw() const { return static_cast<int>(w.size()); }
  Eigen::VectorXd Field(int b, int c) const { return dA[static_cast<size_t>(b)].col(c); }
};

template <typename F>
void ForEachFrame(F f) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = MakeCase(seed);
    for (const int nw : {c.model.nv(), 3}) {
      SCOPED_TRACE("nw " + std::to_string(nw));
      RandomFrame frame(c, nw, seed);
      f(c, frame);
    }
  }
}

TEST(ChangeOfCoordinates, KeepsWhatMakesCPassive) {
  ForEachFrame([](const Case& c, RandomFrame& frame) {
    for (const Factorization& factorization : AllFactorizations(c, 1)) {
      const CoreDynamics d = CalcCoreDynamics(c.model, c.q, frame.v, factorization);
      Eigen::MatrixXd products, H(frame.nw(), frame.nw()), C(frame.nw(), frame.nw());
      Eigen::VectorXd force(frame.nw());
      ChangeMassMatrix(frame.map, d.H, products, H);
      ChangeCoriolisMatrix(frame.map, {.C = d.C, .H = d.H}, products, C);
      const Eigen::MatrixXd &A = frame.map.A, &Adot = frame.map.Adot;
      const Eigen::MatrixXd half = A.transpose() * d.H * Adot;
      EXPECT_LE(RelativeError(H, A.transpose() * d.H * A), kExact);
      EXPECT_LE(
          RelativeError(C + C.transpose(), A.transpose() * d.Hdot * A + half + half.transpose()),
          kExact);
      // A ẇ + Ȧ w is v̇: C̄ w is the RNEA at ẇ = 0 without gravity.
      const Eigen::VectorXd tau =
          CalcCoreInverseDynamics(c.model, c.q, frame.v, Adot * frame.w) - d.g;
      ChangeForces(frame.map, tau, force);
      EXPECT_LE((C * frame.w - force).norm(), kExact * (C.norm() * frame.w.norm() + 1));
    }
  });
}

TEST(ChangeOfCoordinates, SymbolsBelongToCAndInheritTorsion) {
  ForEachFrame([](const Case& c, RandomFrame& frame) {
    const int nw = frame.nw(), nv = c.model.nv();
    const CoreDynamics d = CalcCoreDynamics(c.model, c.q, frame.v);
    const Tensor3 Gamma_w = ProjectConnection(Symbols(c.model, c.q), d.H, frame.map.A, frame.dA);
    Eigen::MatrixXd products, C(nw, nw), C_of_Gamma = Eigen::MatrixXd::Zero(nw, nw);
    ChangeCoriolisMatrix(frame.map, {.C = d.C, .H = d.H}, products, C);
    const Eigen::MatrixXd& A = frame.map.A;
    double torsion = 0, scale = 1;
    for (int b = 0; b < nw; ++b) {
      for (int k = 0; k < nw; ++k) {
        Eigen::VectorXd bracket = frame.Field(b, k) - frame.Field(k, b);
        for (int l = 0; l < nv; ++l) {
          if (c.model.rotation_triple(l) != l) continue;
          const Eigen::Vector3d x = A.col(b).segment<3>(l), y = A.col(k).segment<3>(l);
          bracket.segment<3>(l) += x.cross(y);
        }
        const Eigen::VectorXd expected = A.transpose() * d.H * bracket;
        for (int a = 0; a < nw; ++a) {
          const double symbol = Gamma_w(a, b, k);
          C_of_Gamma(a, k) += symbol * frame.w[b];
          scale = std::max(scale, std::abs(symbol));
          torsion = std::max(torsion, std::abs(symbol - Gamma_w(a, k, b) - expected[a]));
        }
      }
    }
    EXPECT_LE(RelativeError(C_of_Gamma, C), kExact);
    EXPECT_LE(torsion, kExact * scale);
  });
}

// What is known to be zero is not multiplied, but nothing else differs.
TEST(VelocityMap, SupportChangesNothing) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const int nv = 9, nw = 6;
    std::vector<std::vector<int>> rows(nv);
    VelocityMap<double> dense(nv, nw);
    for (int k = 0; k < nv; ++k) {
      for (int p = 0; p < nw; ++p) {
        if (random() % 3 != 0) continue;
        rows[static_cast<size_t>(k)].push_back(p);
        dense.A(k, p) = RandomVector(1, &random)[0];
        dense.Adot(k, p) = RandomVector(1, &random)[0];
      }
    }
    VelocityMap<double> map(std::make_shared<const RowSupport>(rows, nw));
    ASSERT_EQ(map.A, Eigen::MatrixXd::Zero(nv, nw));
    map.A = dense.A;
    map.Adot = dense.Adot;
    const Eigen::MatrixXd H = RandomMatrix(nv, nv, &random), C = RandomMatrix(nv, nv, &random),
                          J = RandomMatrix(4, nv, &random), Jdot = RandomMatrix(4, nv, &random);
    const Eigen::VectorXd w = RandomVector(nw, &random), wdot = RandomVector(nw, &random),
                          p = RandomVector(nv, &random), pdot = RandomVector(nv, &random);
    const auto results = [&](const VelocityMap<double>& of) {
      Eigen::MatrixXd all(nv, 0), products;
      const auto add = [&](int rows_of_result, int columns, auto calc) {
        Eigen::MatrixXd result = Eigen::MatrixXd::Constant(rows_of_result, columns, NAN);
        calc(result);
        all.conservativeResize(Eigen::NoChange, all.cols() + columns);
        all.rightCols(columns).setZero();
        all.topRightCorner(rows_of_result, columns) = result;
      };
      using M = Eigen::MatrixXd;
      add(nv, 1, [&](M& x) { ChangeVelocity(of, w, x.col(0)); });
      add(nv, 1, [&](M& x) { ChangeAcceleration(of, w, wdot, x.col(0)); });
      add(nw, 1, [&](M& x) { ChangeForces(of, p, x.col(0)); });
      add(nw, 1, [&](M& x) { ChangeMomentumRate(of, p, pdot, x.col(0)); });
      add(4, nw, [&](M& x) { ChangeJacobian(of, J, x); });
      add(4, nw, [&](M& x) { ChangeJacobianRate(of, J, Jdot, x); });
      add(nw, nw, [&](M& x) { ChangeMassMatrix(of, H, products, x); });
      add(nw, nw, [&](M& x) { ChangeMassMatrixRate(of, H, C, products, x); });
      add(nw, nw, [&](M& x) { ChangeCoriolisMatrix(of, {.C = C, .H = H}, products, x); });
      return all;
    };
    const Eigen::MatrixXd &A = dense.A, &Adot = dense.Adot, by_support = results(map);
    EXPECT_LE(RelativeError(by_support, results(dense)), kExact);
    const Eigen::MatrixXd half = A.transpose() * H * Adot;
    Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(nv, by_support.cols());
    expected.leftCols(2) << A * w, A * wdot + Adot * w;
    expected.block(0, 2, nw, 2) << A.transpose() * p, A.transpose() * pdot + Adot.transpose() * p;
    expected.block(0, 4, 4, 2 * nw) << J * A, Jdot * A + J * Adot;
    expected.block(0, 4 + 2 * nw, nw, 3 * nw) << A.transpose() * H * A,
        A.transpose() * (0.5 * (C + C.transpose())) * A + half + half.transpose(),
        A.transpose() * C * A + half;
    EXPECT_LE(RelativeError(by_support, expected), kExact);
  }
}

TEST(BodyTwists, ThereAndBackIsTheSame) {
  int free_joints = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = MakeCase(seed);
    for (const Model::NamedJoint& joint : c.model.joints()) {
      free_joints += joint.type == JointType::kFree ? 1 : 0;
    }
    const int nv = c.model.nv();
    Workspace<double> workspace = MakeWorkspace<double>(c.model, c.q, c.v);
    VelocityMap<double> from(nv, nv), to(nv, nv);
    SetFromBodyTwists(c.model, workspace, &from);
    to.A = linear::Inverse(from.A);
    to.Adot = -to.A * from.Adot * to.A;
    const CoreDynamics d = CalcCoreDynamics(c.model, c.q, c.v, Factorization::Torsion(0.4));
    Eigen::MatrixXd products, H(nv, nv), C(nv, nv), H_back(nv, nv), C_back(nv, nv);
    ChangeMassMatrix(from, d.H, products, H);
    ChangeCoriolisMatrix(from, {.C = d.C, .H = d.H}, products, C);
    ChangeMassMatrix(to, H, products, H_back);
    ChangeCoriolisMatrix(to, {.C = C, .H = H}, products, C_back);
    EXPECT_LE(RelativeError(H_back, d.H), kExact);
    EXPECT_LE(RelativeError(C_back, d.C), kExact);
    // Ȧ is the rate of A.
    Workspace<Dual> moving = MakeWorkspace<Dual>(c.model, Moving(c.model, c.q, c.v), c.v);
    VelocityMap<Dual> dual(nv, nv);
    SetFromBodyTwists(c.model, moving, &dual);
    EXPECT_LE(RelativeError(from.Adot, Derivatives(dual.A)), kExact);
  }
  EXPECT_GT(free_joints, 3);
}

/// The reference files use body twists; their numbers are compared without conversion.
class BodyTwistReference : public testing::TestWithParam<std::string> {};

TEST_P(BodyTwistReference, DynamicsAndSymbolsAgree) {
  const std::string directory = CIVITA_TEST_DATA_DIR "/reference";
  const ReferenceModel reference = LoadReferenceModel(directory, GetParam());
  std::ifstream stream(directory + "/" + GetParam() + ".json");
  const nlohmann::json file = nlohmann::json::parse(stream);
  const Model model = BuildTree(reference.spec);
  const int nv = model.nv();
  int symbols = 0;
  for (size_t s = 0; s < reference.states.size(); ++s) {
    SCOPED_TRACE("state " + std::to_string(s));
    const nlohmann::json& state = file.at("states").at(s);
    const Eigen::VectorXd q = reference.states[s].at("q"), v = reference.states[s].at("v");
    VelocityMap<double> map(nv, nv);
    Workspace<double> workspace = MakeWorkspace<double>(model, q, v);
    SetFromBodyTwists(model, workspace, &map);
    const CoreDynamics d = CalcCoreDynamics(model, q, v);
    Eigen::MatrixXd products, H(nv, nv), C(nv, nv), H_file(nv, nv), C_file(nv, nv);
    ChangeMassMatrix(map, d.H, products, H);
    ChangeCoriolisMatrix(map, {.C = d.C, .H = d.H}, products, C);
    for (int i = 0; i < nv; ++i) {
      for (int k = 0; k < nv; ++k) {
        H_file(i, k) = state.at("M").at(i).at(k);
        C_file(i, k) = state.at("C").at(i).at(k);
      }
    }
    EXPECT_LE(RelativeError(H, H_file), 1e-11);
    EXPECT_LE(RelativeError(C, C_file), 1e-11);
    if (state.at("Gamma").is_null()) continue;
    ++symbols;
    std::vector<Eigen::MatrixXd> dA;  // Ȧ at w = e_b
    VelocityMap<double> along(nv, nv);
    for (int b = 0; b < nv; ++b) {
      UpdateKinematics(model, q, map.A.col(b), workspace);
      SetFromBodyTwists(model, workspace, &along);
      dA.push_back(along.Adot);
    }
    const Tensor3 Gamma = ProjectConnection(Symbols(model, q), d.H, map.A, dA);
    for (int i = 0; i < nv; ++i) {
      for (int j = 0; j < nv; ++j) {
        for (int k = 0; k < nv; ++k) {
          EXPECT_NEAR(Gamma(i, j, k), state.at("Gamma").at(i).at(j).at(k).get<double>(), 1e-11);
        }
      }
    }
  }
  EXPECT_GT(symbols, 0);
}
INSTANTIATE_TEST_SUITE_P(Models, BodyTwistReference, testing::Values("free1", "fbmix", "biped12"));

/// A position task of the outermost frame, at a state of a random mechanism.
template <typename T>
struct Task {
  MatrixX<T> H, C, J, Jdot;

  Task(const Case& c, const Factorization& factorization, Workspace<T>& workspace) {
    const Model& model = c.model;
    const int nv = model.nv();
    H = C = MatrixX<T>::Zero(nv, nv);
    CalcCoriolisMatrix<T>(model, factorization, workspace, {.C = C, .H = H});
    const Model::NamedFrame* deepest = nullptr;
    int depth = 0;
    for (const Model::NamedFrame& frame : model.frames()) {
      if (frame.body < 0) continue;
      const Model::Body& body = model.bodies()[static_cast<size_t>(frame.body)];
      if (body.depth + body.nv > depth) deepest = &frame;
      depth = std::max(depth, body.depth + body.nv);
    }
    MatrixX<T> J6(6, nv), Jdot6(6, nv);
    const Eigen::Vector3d point(0.1, -0.2, 0.3);
    CalcFrameJacobian<T>(model, {*deepest, point}, workspace, J6);
    CalcFrameJacobianDerivative<T>(model, {*deepest, point}, workspace, Jdot6);
    J = J6.bottomRows(3);
    Jdot = Jdot6.bottomRows(3);
  }
};

TEST(TaskSpace, IsTheChangeOfFrameWithItsNullSpace) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = MakeCase(seed);
    const int nv = c.model.nv(), nn = nv - 3;
    for (const double t : {0.0, 1.0}) {
      Workspace<double> workspace = MakeWorkspace<double>(c.model, c.q, c.v);
      const Task<double> task(c, Factorization::Torsion(t), workspace);
      TaskSpace<double> space(c.model, task.J);
      ASSERT_EQ(space.Update({.C = task.C, .H = task.H}, task.J, task.Jdot), Status::kOk);
      EXPECT_LE((task.J * space.null_space.A).cwiseAbs().maxCoeff(), 1e-11);
      EXPECT_LE(RelativeError(task.J * space.A_x, Eigen::MatrixXd::Identity(3, 3)), 1e-11);

      Workspace<Dual> moving = MakeWorkspace<Dual>(c.model, Moving(c.model, c.q, c.v), c.v);
      const Task<Dual> moving_task(c, Factorization::Torsion(t), moving);
      TaskSpace<Dual> rates(c.model, task.J);
      ASSERT_EQ(
          rates.Update({.C = moving_task.C, .H = moving_task.H}, moving_task.J, moving_task.Jdot),
          Status::kOk);
      VelocityMap<double> map(nv, nv);
      map.A << space.A_x, space.null_space.A;
      map.Adot << Derivatives(rates.A_x), Derivatives(rates.null_space.A);
      Eigen::MatrixXd products, H(nv, nv), C(nv, nv), H_blocks(nv, nv), C_blocks(nv, nv);
      ChangeMassMatrix(map, task.H, products, H);
      ChangeCoriolisMatrix(map, {.C = task.C, .H = task.H}, products, C);
      H_blocks << space.Lambda, Eigen::MatrixXd::Zero(3, nn), Eigen::MatrixXd::Zero(nn, 3),
          space.H_nn;
      C_blocks << space.C_xx, space.C_xn, space.C_nx, space.C_nn;
      EXPECT_LE(RelativeError(H_blocks, H), 1e-10);
      EXPECT_LE(RelativeError(C_blocks, C), 1e-9);
      EXPECT_LE(RelativeError(space.null_space.Adot, Derivatives(rates.null_space.A)), 1e-10);
      EXPECT_LE(RelativeError(space.C_xx + space.C_xx.transpose(), Derivatives(rates.Lambda)),
                1e-9);
      EXPECT_LE(RelativeError(space.C_nn + space.C_nn.transpose(), Derivatives(rates.H_nn)), 1e-9);

      Eigen::VectorXd w(nv);
      space.CalcVelocity(c.v, w);
      EXPECT_LE(RelativeError(map.A * w, c.v), 1e-11);
      Eigen::VectorXd in_place = c.v;
      space.CalcVelocity(in_place, in_place);
      EXPECT_EQ(in_place, w);
      EXPECT_LE(
          RelativeError(w.tail(nn), linear::SolvePositive(
                                        space.H_nn, space.null_space.A.transpose() * task.H * c.v)),
          1e-10);
    }
  }
}

TEST(TaskSpace, SingularJacobiansAreReported) {
  const Case c = MakeCase(3);
  const int nv = c.model.nv();
  Workspace<double> workspace = MakeWorkspace<double>(c.model, c.q, c.v);
  const Task<double> task(c, {}, workspace);
  TaskSpace<double> space(c.model, task.J);
  Eigen::MatrixXd dependent_rows = task.J;
  dependent_rows.row(2) = 2 * dependent_rows.row(0) - dependent_rows.row(1);
  EXPECT_EQ(space.Update({.C = task.C, .H = task.H}, dependent_rows, task.Jdot),
            Status::kSingularTask);
  EXPECT_THROW(TaskSpace<double>(c.model, dependent_rows), UserError);
  EXPECT_THROW(TaskSpace<double>(c.model, Eigen::MatrixXd::Identity(nv, nv)), UserError);
  Eigen::MatrixXd other = task.J;  // full rank, but in other columns than those chosen
  other.setZero();
  for (int r = 0; r < 3; ++r) other(r, space.independent[static_cast<size_t>(r)]) = 1;
  EXPECT_EQ(space.Update({.C = task.C, .H = task.H}, other, task.Jdot), Status::kSingularBasis);
  EXPECT_EQ(space.Update({.C = task.C, .H = Eigen::MatrixXd::Zero(nv, nv)}, task.J, task.Jdot),
            Status::kSingularMassMatrix);
  EXPECT_EQ(space.Update({.C = task.C, .H = task.H}, task.J, task.Jdot), Status::kOk);
}

/// Random mechanisms on one free joint without armature.
std::vector<Case> FloatingCases() {
  std::vector<Case> cases;
  for (unsigned seed = 0; seed < 400 && cases.size() < 8; ++seed) {
    const Case drawn = MakeCase(seed);
    TreeSpec spec = drawn.spec;
    std::vector<TreeSpec::Joint>& joints = spec.bodies.front().joints;
    if (joints.empty() || joints.front().type != JointType::kFree) continue;
    joints.front().properties.armature = 0;
    Case c = {spec, BuildTree(spec), drawn.q, drawn.v};
    try {
      CheckComDecoupling(c.model, {});
    } catch (const UserError&) {
      continue;  // several trees
    }
    cases.push_back(std::move(c));
  }
  return cases;
}

TEST(ComDecoupled, IsTheChangeOfFrameToTheCentreOfMass) {
  const std::vector<Case> cases = FloatingCases();
  ASSERT_GE(cases.size(), 4U);
  for (const Case& c : cases) {
    const int nv = c.model.nv();
    const double m = CalcTotalMass(c.model);
    const std::string body = c.model.frames().back().name;
    for (const std::string& text : {std::string("christoffel"), "body:" + body + ":ang:0.8"}) {
      SCOPED_TRACE(text);
      const Factorization factorization = ParseFactorization(text, c.model);
      const CoreDynamics d = CalcCoreDynamics(c.model, c.q, c.v, factorization);
      VelocityMap<double> map(nv, nv);
      SetComVelocities<double>({.C = d.C, .H = d.H}, &map);
      Eigen::MatrixXd products, H(nv, nv), C(nv, nv), H_generic(nv, nv), C_generic(nv, nv),
          J(3, nv);
      CalcComDecoupled(map, {.C = d.C, .H = d.H}, {.C = C, .H = H});
      ChangeMassMatrix(map, d.H, products, H_generic);
      ChangeCoriolisMatrix(map, {.C = d.C, .H = d.H}, products, C_generic);
      EXPECT_LE(RelativeError(H, H_generic), kExact);
      EXPECT_LE(RelativeError(C, C_generic), kExact);
      EXPECT_LE(RelativeError(Eigen::Matrix3d(H.topLeftCorner<3, 3>()),
                              Eigen::Matrix3d(m * Eigen::Matrix3d::Identity())),
                kExact);

      // w is as defined: J_com A = [1 0], and A, Ȧ are consistent.
      Workspace<double> workspace = MakeWorkspace<double>(c.model, c.q, c.v);
      CalcCenterOfMassJacobian(c.model, workspace, J);
      EXPECT_LE(RelativeError(J * map.A, Eigen::MatrixXd::Identity(3, nv)), kExact);
      Workspace<Dual> moving = MakeWorkspace<Dual>(c.model, Moving(c.model, c.q, c.v), c.v);
      MatrixX<Dual> H_moving(nv, nv), C_moving(nv, nv), H_w(nv, nv), C_w(nv, nv);
      CalcCoriolisMatrix<Dual>(c.model, factorization, moving, {.C = C_moving, .H = H_moving});
      VelocityMap<Dual> moving_map(nv, nv);
      SetComVelocities<Dual>({.C = C_moving, .H = H_moving}, &moving_map);
      EXPECT_LE(RelativeError(map.Adot, Derivatives(moving_map.A)), kExact);
      CalcComDecoupled(moving_map, {.C = C_moving, .H = H_moving}, {.C = C_w, .H = H_w});
      EXPECT_LE(RelativeError(C + C.transpose(), Derivatives(H_w)), kExact);

      Eigen::VectorXd g(nv), expected = Eigen::VectorXd::Zero(nv);
      expected.head<3>() = -m * c.model.gravity();
      ChangeForces(map, d.g, g);
      EXPECT_LE(RelativeError(g, expected), kExact);
    }
  }
}

std::string MessageOfCheck(const Model& model, const Factorization& factorization) {
  try {
    CheckComDecoupling(model, factorization);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(ComDecoupled, WhatIsInTheWayIsNamed) {
  const Case c = FloatingCases().front();
  EXPECT_THAT(MessageOfCheck(c.model, Factorization::Torsion(0.1)), testing::HasSubstr("torsion"));
  TreeSpec heavy = c.spec;
  heavy.bodies.front().joints.front().properties.armature = 0.1;
  EXPECT_THAT(MessageOfCheck(BuildTree(heavy), {}), testing::HasSubstr("armature"));
  TreeSpec fixed;
  fixed.AddBody("arm", ModelBuilder::kWorld, Pose{},
                {1, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Identity()});
  fixed.AddJoint(0, JointType::kHinge, {.name = "hinge"});
  EXPECT_THAT(MessageOfCheck(BuildTree(fixed), {}), testing::HasSubstr("'arm' hangs on a hinge"));
  // With torsion C does act on the centre of mass, and the test detects it.
  const CoreDynamics d = CalcCoreDynamics(c.model, c.q, c.v, Factorization::Torsion(0.1));
  VelocityMap<double> map(c.model.nv(), c.model.nv());
  EXPECT_THROW(SetComVelocities<double>({.C = d.C, .H = d.H}, &map), ContractError);
}

}  // namespace velocity_map_laws_test
}  // namespace civita
