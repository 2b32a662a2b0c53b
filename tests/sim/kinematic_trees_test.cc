#include "civita/sim/kinematic_trees.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "civita/sim/run_summary.h"
#include "tests/sim/sim_fixtures.h"

namespace civita::kinematic_trees_test {

TEST(KinematicTrees, EachMechanismOfTheGalleryIsOne) {
  const Simulation gallery = MakeSimulation("torsion_gallery");
  const std::vector<KinematicTree> trees = FindKinematicTrees(gallery.scene().plant);
  ASSERT_EQ(trees.size(), 3u);
  EXPECT_EQ(trees[0].name, "cost");
  EXPECT_EQ(trees[1].velocities, (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(trees[2].name, "planar");
}

TEST(KinematicTrees, BranchesOfOneRobotAreOne) {
  const Simulation tree = MakeSimulation("tree20");
  EXPECT_EQ(FindKinematicTrees(tree.scene().plant).size(), 1u);
}

TEST(KinematicTrees, TheirErrorsAreTheWholesInParts) {
  const Simulation gallery = MakeSimulation("torsion_gallery");
  RunStatistics statistics(gallery);
  StepRecord record(gallery.scene());
  for (int k = 0; k <= 1000; ++k) {
    record.t = k / 1000.0;
    for (int i = 0; i < 8; ++i) record.e[i] = (i + 1) * record.t;
    statistics.Add(record);
  }
  const RunSummary summary = statistics.Summarize();
  const double mean_square = 1.0 / 3;  // of t
  EXPECT_NEAR(summary.value("error_rms_of_cost"), std::sqrt((1 + 4 + 9) * mean_square), 1e-5);
  EXPECT_NEAR(summary.value("error_rms_of_gain"), std::sqrt((16 + 25 + 36) * mean_square), 1e-5);
  EXPECT_NEAR(summary.value("error_rms_of_planar"), std::sqrt((49 + 64) * mean_square), 1e-5);
  EXPECT_TRUE(std::isnan(summary.value("error_rms_of_base")));
}

}  // namespace civita::kinematic_trees_test
