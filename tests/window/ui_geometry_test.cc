// What the Geometry tab shows: numbers against algorithms of their own, and the tab as a user
// drives it.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <chrono>
#include <cmath>
#include <memory>
#include <numbers>
#include <thread>

#include "app/window/model/geometry_views.h"
#include "app/window/model/mark_arrows.h"
#include "civita/coriolis.h"
#include "civita/factorization_text.h"
#include "civita/kinematics.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_geometry_test {

constexpr double kNoLimit = 1e9;  // s of computing time

/// A session that has taken some steps, and its traces.
struct Stepped {
  Stepped(const std::string& name, long steps, const std::vector<std::string>& set = {})
      : session(LoadScene(ReadConfig(name, set)), true), traces(session) {
    Step(steps);
  }
  void Step(long steps) {
    const long until = session.Latest().step + steps;
    session.Post(command::StepOnce{steps});
    Wait([&] { return session.Latest().step == until; });
  }
  template <typename Done>
  void Wait(const Done& done) {
    for (int tries = 0; tries < 4000 && !done(); ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_TRUE(done());
    traces.Drain(&session);
  }
  Factorization Parse(const std::string& form) const {
    return ParseFactorization(form, session.scene().control_model);
  }
  Eigen::VectorXd q() {
    const Snapshot& snapshot = session.Latest();
    return Eigen::Map<const Eigen::VectorXd>(snapshot.qpos.data(),
                                             session.scene().control_model.nq());
  }

  Session session;
  Traces traces;
};

struct Place {
  bool metric, torsion_free, geodesics;
  bool operator==(const Place&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Place& place) {
  return out << place.metric << place.torsion_free << place.geodesics;
}

Place PlaceOf(const ConnectionView& view) {
  const ConnectionResiduals& rest = view.residuals();
  return {view.IsZero(rest.metric), view.IsZero(rest.torsion), view.IsZero(rest.geodesics)};
}

// On open trees with hinges, ball and free joints, and on closed chains, whose loops a simulation
// closes by soft constraints.
TEST(GeometryTab, PlacesFactorizationsOnTheRoadmap) {
  for (const char* name : {"arm7", "ball_arm", "space_arm", "geared_arm"}) {
    SCOPED_TRACE(name);
    Stepped run(name, 300);
    ConnectionView view(run.session.scene());
    ASSERT_TRUE(view.Update(run.q(), run.Parse("christoffel")));
    EXPECT_EQ(PlaceOf(view), (Place{true, true, true})) << view.residuals().torsion;
    EXPECT_EQ(view.torsion().MaxAbs(), 0);
    ASSERT_TRUE(view.Update(run.q(), run.Parse("t:1")));
    EXPECT_EQ(PlaceOf(view), (Place{true, false, true}));
    ASSERT_TRUE(view.Update(run.q(), run.Parse("alpha:1")));
    EXPECT_EQ(PlaceOf(view), (Place{false, false, true}));
  }
}

TEST(GeometryTab, FewVelocitiesHaveNoTorsion) {
  for (const char* name : {"planar_2r", "four_bar"}) {
    SCOPED_TRACE(name);
    Stepped run(name, 300);
    ConnectionView view(run.session.scene());
    ASSERT_TRUE(view.Update(run.q(), run.Parse("t:1")));
    EXPECT_EQ(PlaceOf(view), (Place{true, true, true})) << view.residuals().torsion;
  }
}

// Of coordinates T_ijk = Γ_ijk − Γ_ikj.
TEST(GeometryTab, TorsionIsThatOfTheCoriolisMatrices) {
  Stepped run("arm7", 300);
  const Model& model = run.session.scene().control_model;
  const Factorization plain = run.Parse("t:1");
  ConnectionView view(run.session.scene());
  ASSERT_TRUE(view.Update(run.q(), plain));
  const int n = model.nv();
  Workspace<double> workspace(model);
  Eigen::MatrixXd C(n, n), H(n, n);
  Tensor3 Gamma(n);
  for (int j = 0; j < n; ++j) {
    UpdateKinematics(model, run.q(), Eigen::VectorXd::Unit(n, j), workspace);
    CalcCoriolisMatrix(model, plain, workspace, {.C = C, .H = H});
    Gamma.Direction(j) = C;
  }
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        const double expected = Gamma(i, j, k) - Gamma(i, k, j);
        EXPECT_NEAR(view.torsion()(i, j, k), expected, 1e-12);
        largest = std::max(largest, std::abs(expected));
      }
    }
  }
  EXPECT_GT(largest, 0.1);
  const TensorIndex at = FindLargest(view.torsion());
  EXPECT_NEAR(std::abs(view.torsion()(at.i, at.j, at.k)), largest, 1e-6 * largest);
}

// C = −5 (v×): T_ijk = −10 ε_ijk.
TEST(GeometryTab, TorsionOfThePointMass) {
  Stepped run("point_mass_5", 1);
  ConnectionView view(run.session.scene());
  ASSERT_TRUE(view.Update(run.q(), run.Parse("joint:-5")));
  EXPECT_NEAR(view.torsion()(0, 1, 2), -10, 1e-12);
  EXPECT_NEAR(view.torsion()(1, 0, 2), 10, 1e-12);
  EXPECT_NEAR(view.torsion().MaxAbs(), 10, 1e-12);
  const TensorIndex at = FindLargest(view.torsion());
  EXPECT_EQ((std::array{at.i, at.j, at.k}), (std::array{0, 1, 2}));
}

/// The law's mass in the scenes of the point mass.
constexpr double kMass = 0.9;

/// Rotation that C = −5 (v×) gives a frame along the recorded path: ẇ = (5/m) v × w.
Eigen::Matrix3d Rotation(const Traces& traces) {
  const TraceBuffer& buffer = traces.buffer();
  const int first = traces.channel(Slot::kA, "/q");
  const auto position = [&](std::int64_t row) {
    return Eigen::Vector3f(buffer.value(row, first), buffer.value(row, first + 1),
                           buffer.value(row, first + 2))
        .cast<double>()
        .eval();
  };
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  for (std::int64_t row = buffer.begin_index(); row + 1 < buffer.end_index(); ++row) {
    const Eigen::Vector3d turn = 5 / kMass * (position(row + 1) - position(row));
    if (turn.norm() > 0) R = Eigen::AngleAxisd(turn.norm(), turn.normalized()) * R;
  }
  return R;
}

TEST(GeometryTab, FramesOfThePointMassTurnWithItsPath) {
  Stepped run("point_mass_5", 0);
  run.Step(401);
  FrameTransport transport(run.session.scene());
  transport.Follow(run.traces, run.Parse("joint:-5"), kNoLimit);
  EXPECT_EQ(transport.stopped(), "");
  const TraceBuffer& buffer = run.traces.buffer();
  EXPECT_EQ(transport.start_t(), buffer.first_time());
  EXPECT_EQ(transport.t(), buffer.last_time());
  const double expected = Eigen::AngleAxisd(Rotation(run.traces)).angle();
  EXPECT_GT(expected, 0.5);
  EXPECT_NEAR(transport.newest_angle(), expected, 1e-3 * expected);
}

TEST(GeometryTab, TheTorsionFreeFrameDoesNotTurnAgainstItself) {
  for (const char* name : {"arm7", "geared_arm", "space_arm"}) {
    SCOPED_TRACE(name);
    Stepped run(name, 401);
    FrameTransport transport(run.session.scene());
    transport.Follow(run.traces, run.Parse("christoffel"), kNoLimit);
    EXPECT_EQ(transport.stopped(), "");
    EXPECT_NEAR(transport.t(), run.traces.buffer().last_time(), 0.02);
    EXPECT_LT(transport.newest_angle(), 1e-6);
    transport.Follow(run.traces, run.Parse("t:5"), kNoLimit);
    EXPECT_GT(transport.newest_angle(), 1e-3) << "another factorization carries anew";
  }
}

// Jacobian J and inverse inertia at the end effector, J H⁻¹ Jᵀ, by MuJoCo.
Eigen::Matrix3d Mobility(const mjModel& m, const Eigen::VectorXd& q) {
  const std::unique_ptr<mjData, MjDataDeleter> data(mj_makeData(&m));
  std::copy(q.begin(), q.end(), data->qpos);
  mj_forward(&m, data.get());
  const int site = FindTrackedPoint(m).site;
  using Rows = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>;
  Rows J(3, m.nv), solved(3, m.nv);
  mj_jacSite(&m, data.get(), J.data(), nullptr, site);
  mj_solveM(&m, data.get(), solved.data(), J.data(), 3);
  return J * solved.transpose();
}

TEST(GeometryTab, VelocitiesOfTheFramesPartWithTorsion) {
  for (const char* name : {"arm7", "geared_arm"}) {
    SCOPED_TRACE(name);
    Stepped run(name, 0);
    const Eigen::VectorXd q = run.q();
    run.Step(1001);
    FrameTransport transport(run.session.scene());
    transport.Follow(run.traces, run.Parse("christoffel"), kNoLimit);
    const auto apart = [&](std::size_t i) {
      const FrameMark& mark = transport.marks()[i];
      return (mark.carried - mark.torsion_free).norm() / mark.torsion_free.norm();
    };
    ASSERT_GE(transport.marks().size(), 5u);
    const std::size_t last = transport.marks().size() - 1;
    for (std::size_t i = 0; i <= last; ++i) EXPECT_LT(apart(i), 1e-6);
    EXPECT_NEAR(transport.marks()[2].t - transport.marks()[1].t, FrameTransport::kMarkPeriod, 1e-2);
    EXPECT_EQ(transport.marks()[last].t, transport.t());

    transport.Follow(run.traces, run.Parse("t:5"), kNoLimit);
    ASSERT_EQ(transport.marks().size(), last + 1);
    EXPECT_EQ(apart(0), 0) << "both begin as one";
    EXPECT_GT(apart(last), 0.01);
    // Both frames stay orthonormal, but for the steps of the integration, hence give the point the
    // same inverse inertia.
    for (const FrameMark& mark : transport.marks()) {
      const Eigen::Matrix3d expected = mark.torsion_free * mark.torsion_free.transpose();
      EXPECT_LT((mark.carried * mark.carried.transpose() - expected).norm(),
                1e-3 * expected.norm());
    }
    if (run.session.scene().closed) continue;
    const FrameMark& first = transport.marks().front();
    const Eigen::Matrix3d expected = Mobility(*run.session.mj(), q);
    EXPECT_LT((first.carried * first.carried.transpose() - expected).norm(),
              1e-5 * expected.norm());
  }
}

TEST(GeometryTab, FramesFollowTheRunInParts) {
  Stepped run("point_mass_5", 0);
  const Factorization factorization = run.Parse("joint:-5");
  FrameTransport at_once(run.session.scene()), in_parts(run.session.scene());
  in_parts.Follow(run.traces, factorization, kNoLimit);
  EXPECT_TRUE(std::isnan(in_parts.newest_angle())) << "no row yet";
  run.Step(201);
  in_parts.Follow(run.traces, factorization, 0);  // at least a step
  EXPECT_TRUE(in_parts.is_behind());
  EXPECT_GT(in_parts.t(), in_parts.start_t());
  EXPECT_LT(in_parts.t(), 0.1);
  run.Step(200);
  in_parts.Follow(run.traces, factorization, kNoLimit);
  at_once.Follow(run.traces, factorization, kNoLimit);
  EXPECT_FALSE(in_parts.is_behind());
  EXPECT_EQ(in_parts.t(), at_once.t());
  EXPECT_EQ(in_parts.marks().size(), at_once.marks().size());
  EXPECT_EQ(in_parts.newest_angle(), at_once.newest_angle());
  EXPECT_EQ(in_parts.angle().size(), at_once.angle().size());

  run.session.Post(command::Reset{});
  run.Wait([&] { return run.session.Latest().step == 0; });
  run.Step(41);
  in_parts.Follow(run.traces, factorization, kNoLimit);
  EXPECT_LT(in_parts.t(), 0.1) << "Reset begins anew";
  EXPECT_LT(in_parts.newest_angle(), 0.3 * at_once.newest_angle());
}

TEST_F(WindowFrames, TheMatrixTabFollowsTheFactorization) {
  Open("arm7");
  const Rect tab = Find({"side tabs", 1, "tab"}, layout().side);
  Click(tab);
  EXPECT_EQ(state_.tab, kMatrixTab);
  const GeometryTab& geometry = state_.scene->geometry;
  EXPECT_FALSE(ShowsFrameArrows(state_)) << "folded";
  size_.y = 1200;  // nothing scrolls
  Click(Find({"frame"}, layout().side));
  ASSERT_TRUE(FramesUntil([&] { return geometry.transport.t() > 0.2; }));
  EXPECT_EQ(geometry.connection.torsion().MaxAbs(), 0);
  EXPECT_LT(geometry.transport.newest_angle(), 1e-6);

  Tuning tuning = state_.scene->tuning().current();
  tuning.factorization = Factorization::Torsion(5);
  state_.scene->tuning().Edit(tuning);
  CommitTuning(&state_);
  EXPECT_TRUE(FramesUntil([&] { return geometry.connection.torsion().MaxAbs() > 0.1; }));
  EXPECT_TRUE(FramesUntil([&] { return geometry.transport.newest_angle() > 0.1; }));

  // The view's arrows: the newest pair has parted, and those of the past are few.
  ASSERT_TRUE(ShowsFrameArrows(state_));
  ASSERT_TRUE(FramesUntil([&] { return geometry.transport.t() > 4; }));
  MarkArrows marks;
  const std::vector<ColoredArrow> arrows = marks.Find(state_, *view_);
  ASSERT_GE(arrows.size(), 4u);
  EXPECT_LE(arrows.size(), 30u);
  const ColoredArrow &torsion_free = arrows[arrows.size() - 2], &carried = arrows.back();
  EXPECT_EQ(torsion_free.color, TorsionFreeColor(state_.ui.theme));
  EXPECT_EQ(carried.color, CarriedColor(state_.ui.theme));
  EXPECT_EQ(torsion_free.point, carried.point);
  EXPECT_NE(torsion_free.way, carried.way);
  for (const ColoredArrow& arrow : arrows) {
    EXPECT_LE(mju_norm3(arrow.way.data()), 0.4 * view_->unit() * (1 + 1e-9));
  }
  state_.scene->geometry.vector = 3;
  EXPECT_NE(marks.Find(state_, *view_).back().way, carried.way);
  state_.tab = kTuneTab;
  EXPECT_TRUE(marks.Find(state_, *view_).empty());
  state_.tab = kMatrixTab;

  const double before = geometry.transport.t();
  ResetRun(&state_);
  EXPECT_TRUE(FramesUntil([&] { return geometry.transport.t() < before; }));
}

}  // namespace ui_geometry_test
}  // namespace civita
