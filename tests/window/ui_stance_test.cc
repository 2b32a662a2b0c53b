// The window's marks of a legged robot's stance, against the simulator's own numbers.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

#include "app/window/render/gl_objects.h"
#include "app/window/render/stance.h"
#include "app/window/render/view3d.h"

namespace civita {
namespace ui_stance_test {

/// A session that has taken some steps, and its traces.
struct Stepped {
  Stepped(const std::string& name, long steps) : session(LoadScene(ReadConfig(name)), true) {
    session.Post(command::StepOnce{steps});
    for (int tries = 0; tries < 2000 && session.Latest().step < steps; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    snapshot = &session.Latest();
    EXPECT_EQ(snapshot->step, steps);
    traces.emplace(session);
    traces->Drain(&session);
  }
  StanceMarks Find() { return Stance(session.scene()).Find(*snapshot, *traces); }

  Session session;
  const Snapshot* snapshot = nullptr;
  std::optional<Traces> traces;
};

struct Simulated {
  explicit Simulated(const Stepped& run) : m(run.session.mj()), d(mj_makeData(m)) {
    std::copy(run.snapshot->qpos.begin(), run.snapshot->qpos.end(), d->qpos);
    std::copy(run.snapshot->qvel.begin(), run.snapshot->qvel.end(), d->qvel);
    mj_forward(m, d);
  }
  ~Simulated() { mj_deleteData(d); }

  const mjModel* m;
  mjData* d;
};

double Area(const std::vector<Point3>& polygon) {
  double twice = 0;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const Point3 &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    twice += a[0] * b[1] - a[1] * b[0];
  }
  return 0.5 * twice;
}

double Distance(const Point3& a, const Point3& b) { return std::hypot(a[0] - b[0], a[1] - b[1]); }

TEST(Stance, OfAStandingQuadruped) {
  Stepped run("quadruped", 300);
  const Simulated sim(run);
  const StanceMarks marks = run.Find();
  const mjtNum* com = sim.d->subtree_com + 3 * sim.m->jnt_bodyid[0];
  ASSERT_TRUE(marks.com && marks.dcm && marks.pressure);
  EXPECT_NEAR((*marks.com)[0], com[0], 1e-9);
  EXPECT_NEAR((*marks.com)[1], com[1], 1e-9);
  EXPECT_LT(Distance(*marks.dcm, *marks.com), 2e-3);
  EXPECT_LT(Distance(*marks.pressure, *marks.com), 5e-3);

  // Corners of the support are the points where the feet's spheres touch the floor.
  ASSERT_EQ(marks.support.size(), 4u);
  EXPECT_EQ(sim.d->ncon, 4);
  for (int i = 0; i < sim.d->ncon; ++i) {
    const mjtNum* p = sim.d->contact[i].pos;
    const Point3 touch = {p[0], p[1], p[2]};
    double nearest = 1;
    for (const Point3& corner : marks.support) nearest = std::min(nearest, Distance(corner, touch));
    EXPECT_LT(nearest, 1e-3);
  }
  for (const Point3& corner : marks.support) {  // visible, although the feet sink in
    EXPECT_GT(corner[2], 1e-3);
    EXPECT_LT(corner[2], 0.01);
  }
  EXPECT_GT(Area(marks.support), 0.05);

  // The arrows together carry the weight, each equal to the ground's force on its foot.
  ASSERT_EQ(marks.forces.size(), 4u);
  double normal[4], length[4], sum = 0;
  for (int i = 0; i < 4; ++i) {
    mjtNum force[6];
    mj_contactForce(sim.m, sim.d, i, force);
    normal[i] = force[0];
    length[i] = marks.forces[static_cast<size_t>(i)].way[2];
    sum += length[i];
    EXPECT_EQ(marks.forces[static_cast<size_t>(i)].way[0], 0);
  }
  const double height = com[2];
  EXPECT_NEAR(sum / 4, 0.3 * height, 0.02 * height);
  const double total = std::accumulate(normal, normal + 4, 0.0);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(length[i] / sum, normal[i] / total, 0.02);
}

TEST(Stance, OfFlatFeetIsTheHullOfTheirSoles) {
  Stepped run("biped", 300);
  const StanceMarks marks = run.Find();
  EXPECT_EQ(marks.forces.size(), 2u);
  EXPECT_GE(marks.support.size(), 4u);
  const Simulated sim(run);
  double low[2] = {1, 1}, high[2] = {-1, -1};
  for (int i = 0; i < sim.d->ncon; ++i) {
    for (int k = 0; k < 2; ++k) {
      low[k] = std::min(low[k], sim.d->contact[i].pos[k]);
      high[k] = std::max(high[k], sim.d->contact[i].pos[k]);
    }
  }
  EXPECT_NEAR(Area(marks.support), (high[0] - low[0]) * (high[1] - low[1]), 1e-3);
}

TEST(Stance, BeforeTheFirstStepTellsOfNoForces) {
  Stepped run("quadruped", 0);
  const StanceMarks marks = run.Find();
  EXPECT_TRUE(marks.com);
  EXPECT_EQ(marks.support.size(), 4u);
  EXPECT_TRUE(marks.forces.empty());
  EXPECT_FALSE(marks.dcm || marks.pressure);
}

class StanceView : public testing::Test {
 protected:
  StanceView()
      : scene_(LoadScene(ReadConfig("quadruped"))),
        q_(scene_->q_start.begin(), scene_->q_start.end()),
        view_(*scene_->mj, kDarkTheme,
              {.samples = 0,
               .shadow_size = 256,
               .reflection = false,
               .moving_passes = 1,
               .still_passes = 1}) {
    view_.Resize(300, 240);
    view_.SetState(0, q_);
  }

  // Walks for two seconds at 1 m/s.
  void Walk() {
    for (int i = 0; i < 100; ++i) {
      t_ += 0.02;
      q_[0] += 0.02;
      ASSERT_TRUE(view_.SetState(t_, q_));
    }
  }
  // The picture's vertical centre line, since one can see through between the legs.
  int BodyInTheMiddle() {
    view_.Render();
    for (const double y : {0.3, 0.4, 0.5, 0.6, 0.7}) {
      view_.SelectAt(0.5, y);
      if (view_.selected_body() > 0) break;
    }
    return view_.selected_body();
  }

  OffscreenContext context_;
  std::unique_ptr<Scene> scene_;
  std::vector<double> q_;
  View3d view_;
  double t_ = 0;
};

TEST_F(StanceView, TheCameraFollowsUntilItIsPanned) {
  EXPECT_GT(BodyInTheMiddle(), 0);
  Walk();
  view_.MoveCamera(mjMOUSE_ROTATE_H, 0.1, 0);  // orbiting changes nothing
  Walk();
  EXPECT_GT(BodyInTheMiddle(), 0);
  view_.MoveCamera(mjMOUSE_MOVE_H, 0.001, 0);
  EXPECT_GT(BodyInTheMiddle(), 0);
  Walk();
  EXPECT_EQ(BodyInTheMiddle(), 0);
  // Back at the start at once, and selected again.
  view_.FrameAll();
  EXPECT_GT(BodyInTheMiddle(), 0);
  q_[0] -= 6;
  ASSERT_TRUE(view_.SetState(0, q_));
  EXPECT_GT(BodyInTheMiddle(), 0);
}

TEST_F(StanceView, MarksAreDrawnAndTakenAway) {
  const auto count_green = [&] {
    view_.RenderStill();
    const Image image = view_.Snapshot();
    int found = 0;
    for (int y = 0; y < image.height; ++y) {
      for (int x = 0; x < image.width; ++x) {
        const uint8_t* p = image.pixel(x, y);
        found += p[1] > p[0] + 40 && p[1] > p[2] + 10;
      }
    }
    return found;
  };
  EXPECT_EQ(count_green(), 0);
  StanceMarks marks;
  marks.forces.push_back({{0.1, -0.25, 0}, {0, 0, 0.25}});
  view_.SetStance(marks);
  EXPECT_TRUE(view_.has_stance());
  EXPECT_GT(count_green(), 20);
  view_.SetStance(std::nullopt);
  EXPECT_EQ(count_green(), 0);
}

}  // namespace ui_stance_test
}  // namespace civita
