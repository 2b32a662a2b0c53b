// Copies of objects with scratch memory, each in a thread of its own.

#include <functional>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "civita/coordinates.h"
#include "civita/geometry/transport.h"
#include "civita/kinematics.h"
#include "gtest/gtest.h"

namespace civita {
namespace copies_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// So many that threads meet, also where they take turns on one core.
constexpr int kRounds = 20000;

Model MakeArm() {
  ModelBuilder builder;
  int parent = ModelBuilder::kWorld;
  for (int i = 0; i < 7; ++i) {
    Eigen::Vector3d axis = Eigen::Vector3d::Zero();
    axis[i % 3] = 1;
    parent = builder.AddBody(
        "b" + std::to_string(i), parent,
        {Eigen::Matrix3d::Identity(), Eigen::Vector3d(0.1, 0.05, 0.2)},
        {1.0 + i, Eigen::Vector3d(0.02, 0, 0.1), 0.01 * Eigen::Matrix3d::Identity()});
    builder.AddJoint(parent, JointType::kHinge, {.name = "j" + std::to_string(i), .axis = axis});
  }
  return builder.Build();
}

/// Runs f(0) and f(1) in two threads, from one moment on; each returns how many of its results were
/// wrong.
int WrongOf(const std::function<int(int)>& f) {
  int wrong[2] = {};
  std::latch both(2);
  const auto run = [&](int thread) {
    both.arrive_and_wait();
    wrong[thread] = f(thread);
  };
  std::thread other([&] { run(1); });
  run(0);
  other.join();
  return wrong[0] + wrong[1];
}

VectorXd StateOf(int thread, double first) { return VectorXd::LinSpaced(7, first, 1.5 - thread); }

TEST(Copies, CoordinatesDoNotShareScratch) {
  const Model model = MakeArm();
  const VectorXd q = StateOf(0, -0.7);
  for (const Coordinates& made : {TaskCoordinates(model, model.FindFrame("b6"), false, q),
                                  MassOrthonormalCoordinates(model)}) {
    SCOPED_TRACE(made.text);
    const Coordinates copies[2] = {made, made};
    const int wrong = WrongOf([&](int thread) {
      const Coordinates& own = copies[thread];
      Workspace<double> workspace(model);
      UpdateKinematics(model, StateOf(thread, -0.7), StateOf(thread, 1), workspace);
      VelocityMap<double> first(7, 7), next(7, 7);
      Coordinates alone = MassOrthonormalCoordinates(model);
      if (own.text != alone.text) alone = TaskCoordinates(model, model.FindFrame("b6"), false, q);
      EXPECT_TRUE(alone.update(workspace, first));
      int different = 0;
      for (int round = 0; round < kRounds; ++round) {
        const bool done = own.update(workspace, next).ok();
        different += !done || next.A != first.A || next.Adot != first.Adot ? 1 : 0;
      }
      return different;
    });
    EXPECT_EQ(wrong, 0);
  }
}

TEST(Copies, ConnectionsDoNotShareScratch) {
  const Model model = MakeArm();
  const ConnectionFunction made = ConnectionOf(model, Factorization::Torsion(0.4));
  const ConnectionFunction copies[2] = {made, made};
  const int wrong = WrongOf([&](int thread) {
    const ConnectionFunction alone = ConnectionOf(model, Factorization::Torsion(0.4));
    MatrixXd C(7, 7), H(7, 7), right(7, 7);
    const VectorXd q = StateOf(thread, -0.7), v = StateOf(thread, 1);
    alone(q, v, {.C = right, .H = H});
    int different = 0;
    for (int round = 0; round < 10 * kRounds; ++round) {
      copies[thread](q, v, {.C = C, .H = H});
      different += C != right ? 1 : 0;
    }
    return different;
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace copies_test
}  // namespace civita
