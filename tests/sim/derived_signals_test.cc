// Curves that are computed from recorded signals.
#include "civita/sim/derived_signals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace derived_signals_test {

using testing::Contains;
using testing::Not;

constexpr float kNaNf = std::numeric_limits<float>::quiet_NaN();

// The curves of a scene over rows that a test writes.
class Curves {
 public:
  explicit Curves(const std::string& scene)
      : scene_(LoadScene(ReadConfig(scene, {}))),
        table_(*scene_),
        curves_(*scene_, table_),
        row_(table_.width()),
        out_(curves_.width()) {}

  float& number(const std::string& signal, std::size_t i = 0) {
    return row_[table_.Find(signal)->column + i];
  }
  void Fill() { curves_.Fill(row_, out_); }
  float operator[](const std::string& name) const {
    const Signal* found = curves_.Find(name);
    return found == nullptr ? -1 : out_[found->column];
  }
  const Signal* Find(const std::string& name) const { return curves_.Find(name); }
  const SignalTable& table() const { return table_; }
  DerivedSignals& curves() { return curves_; }
  const std::vector<float>& row() const { return row_; }
  const std::vector<float>& filled() const { return out_; }

 private:
  std::unique_ptr<Scene> scene_;
  SignalTable table_;
  DerivedSignals curves_;
  std::vector<float> row_, out_;
};

// A base's first three coordinates are distances, the next three and the joints angles.
TEST(DerivedSignals, AnglesAndDistancesAreMeasuredApart) {
  Curves curves("quadruped");
  for (std::size_t i = 0; i < 18; ++i) curves.number("/e", i) = 0;
  curves.number("/e", 0) = 3;
  curves.number("/e", 2) = -4;
  curves.number("/e", 3) = 5;
  curves.number("/e", 17) = -12;
  curves.Fill();
  EXPECT_EQ(curves["/e/norm"], 13);
  EXPECT_EQ(curves["/e/largest"], 12);
  EXPECT_EQ(curves["/e/distances/norm"], 5);
  EXPECT_EQ(curves["/e/distances/largest"], 4);
  EXPECT_EQ(curves["/trunk/position"], 5);
  EXPECT_EQ(curves["/trunk/rotation"], 5);
  EXPECT_EQ(curves.Find("/trunk/position")->info.unit, "m");
  EXPECT_EQ(curves.Find("/trunk/rotation")->info.unit, "rad");
  EXPECT_EQ(curves.Find("/tau/distances/norm")->info.unit, "N");
  curves.number("/e", 5) = kNaNf;
  curves.Fill();
  EXPECT_TRUE(std::isnan(curves["/e/norm"]));
  EXPECT_TRUE(std::isnan(curves["/e/largest"]));
  EXPECT_EQ(curves["/e/distances/largest"], 4);
}

TEST(DerivedSignals, ASceneHasThoseOfItsNumbers) {
  const Curves arm("planar_2r"), mass("point_mass");
  EXPECT_NE(arm.Find("/s/norm"), nullptr);
  EXPECT_EQ(arm.Find("/s/distances/norm"), nullptr) << "it has hinges alone";
  EXPECT_EQ(arm.Find("/trunk/position"), nullptr);
  EXPECT_EQ(arm.Find("/qp_us/p50"), nullptr);
  EXPECT_EQ(mass.Find("/s/norm"), nullptr) << "it has slides alone";
  EXPECT_NE(mass.Find("/s/distances/norm"), nullptr);
}

TEST(DerivedSignals, PercentilesAreThoseOfTheLastSecond) {
  Curves curves("quadruped");
  const auto add = [&curves](float us, float matrices) {
    curves.number("/control_us") = us;
    curves.number("/kinematics_us") = us;
    curves.number("/matrices_us") = matrices;
    curves.Fill();
  };
  for (int i = 1; i < 200; ++i) add(static_cast<float>(i), 1000);
  EXPECT_TRUE(std::isnan(curves["/control_us/p99"])) << "of 199 steps";
  EXPECT_EQ(curves["/control_us/p50"], 100);
  EXPECT_EQ(curves["/dynamics_us/p50"], 1100) << "the sum's";
  for (int i = 200; i <= 1500; ++i) add(static_cast<float>(i), 1000);
  EXPECT_NEAR(curves["/control_us/p50"], 1000.5, 0.6) << "of 501 … 1500";
  EXPECT_NEAR(curves["/control_us/p99"], 1490, 1);
  curves.curves().Clear();
  add(7, 1);
  EXPECT_EQ(curves["/control_us/p50"], 7);
  EXPECT_TRUE(std::isnan(curves["/control_us/p99"]));
}

TEST(DerivedSignals, TurningCountsFromTheLastThrow) {
  Curves curves("planar_2r");
  const auto turned = [&curves](float twist, bool thrown) {
    curves.number("/twist") = twist;
    curves.number("/thrown") = thrown ? 1 : 0;
    curves.Fill();
    return curves["/twist/since_throw"];
  };
  EXPECT_EQ(turned(4, false), 0) << "the first row";
  EXPECT_EQ(turned(4.5, false), 0.5);
  const std::vector<float> row = curves.row(), filled = curves.filled();
  EXPECT_EQ(turned(5, true), 0);
  EXPECT_EQ(turned(7, false), 2);
  EXPECT_EQ(turned(8, true), 0);
  curves.curves().Resume(row, filled);
  EXPECT_EQ(turned(5.5, false), 1.5) << "the throws are void";
  curves.curves().Clear();
  EXPECT_EQ(turned(3, false), 0);
}

TEST(DerivedSignals, NamesAreNoSignalsAndNoFileHasThem) {
  std::set<std::string> names;
  for (const DerivedRow& row : DerivedRows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
  }
  for (const char* scene : {"quadruped", "planar_2r"}) {
    const Curves curves(scene);
    for (const std::string& name : names) {
      EXPECT_THAT(curves.table().columns(), Not(Contains(name)));
      EXPECT_EQ(curves.table().Find(name), nullptr);
    }
  }
}

TEST(DerivedSignals, TheDocumentListsThem) {
  std::string rows = "\n\n| curve | is |\n|---|---|\n";
  for (const DerivedRow& row : DerivedRows()) {
    rows += "| `" + std::string(row.name) + "` | " + row.doc + " |\n";
  }
  std::ifstream file(CIVITA_SOURCE_DIR "/docs/signals.md", std::ios::binary);
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(document.find(rows), std::string::npos) << "docs/signals.md is to say:" << rows;
}

}  // namespace derived_signals_test
}  // namespace civita
