#include "civita/scenes/plant/plant_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/scenes/scene.h"

namespace civita {
namespace plant_errors_test {

std::unique_ptr<Scene> Load(const std::vector<std::string>& overrides) {
  return LoadScene(ReadConfig("quadruped", overrides));
}

Eigen::VectorXd MassesOf(const mjModel& m) {
  return Eigen::Map<const Eigen::VectorXd>(m.body_mass, m.nbody);
}

std::vector<double> MassesOf(const Model& model) {
  std::vector<double> masses;
  for (const auto& body : model.bodies()) masses.push_back(body.mass.mass);
  return masses;
}

TEST(PlantErrors, ScaleIsOfThePlantAlone) {
  const auto nominal = Load({});
  const auto heavy = Load({"plant.mass_scale=1.2"});
  EXPECT_LE((MassesOf(*heavy->mj) - 1.2 * MassesOf(*nominal->mj)).norm(), 1e-12);
  EXPECT_NEAR(heavy->mj->body_subtreemass[1], 1.2 * nominal->mj->body_subtreemass[1], 1e-9);
  for (int i = 0; i < 3 * heavy->mj->nbody; ++i) {
    EXPECT_NEAR(heavy->mj->body_inertia[i], 1.2 * nominal->mj->body_inertia[i], 1e-12);
  }
  EXPECT_EQ(MassesOf(heavy->control_model), MassesOf(nominal->plant));
  EXPECT_NEAR(MassesOf(heavy->plant)[0], 1.2 * MassesOf(nominal->plant)[0], 1e-12);
}

TEST(PlantErrors, EachBodyHasItsOwnWithinTheBound) {
  const auto nominal = Load({});
  Eigen::VectorXd first;
  double most = 0, least = 0;
  for (const char* seed : {"1", "2", "3"}) {
    const auto scene = Load({"plant.mass_error=0.2", std::string("seed=") + seed});
    const Eigen::VectorXd u =
        MassesOf(*scene->mj).cwiseQuotient(MassesOf(*nominal->mj)).array() - 1;
    const Eigen::VectorXd bodies = u.tail(u.size() - 1);  // 0 is the world
    EXPECT_LE(bodies.cwiseAbs().maxCoeff(), 0.2);
    most = std::max(most, bodies.maxCoeff());
    least = std::min(least, bodies.minCoeff());
    if (first.size() == 0) first = bodies;
    for (int i = 1; i < scene->mj->nbody; ++i) {
      EXPECT_NEAR(scene->mj->body_inertia[3 * i], (1 + u[i]) * nominal->mj->body_inertia[3 * i],
                  1e-12);
    }
    EXPECT_EQ(MassesOf(scene->control_model), MassesOf(nominal->plant));
    const auto again = Load({"plant.mass_error=0.2", std::string("seed=") + seed});
    EXPECT_EQ(MassesOf(*again->mj), MassesOf(*scene->mj));
  }
  EXPECT_GT(most, 0.15);
  EXPECT_LT(least, -0.15);
  const auto other = Load({"plant.mass_error=0.2", "seed=9"});
  EXPECT_GT(std::abs(MassesOf(*other->mj)[1] / MassesOf(*nominal->mj)[1] - 1 - first[0]), 1e-6);
}

TEST(PlantErrors, RefusesAMassOfNothing) {
  try {
    Load({"plant.mass_error=1"});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "--set plant.mass_error: plant.mass_error = 1: below 1, else a mass could be 0");
  }
}

}  // namespace plant_errors_test
}  // namespace civita
