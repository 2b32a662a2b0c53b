// `civita geodesic` and `civita transport` as commands: invariants, holonomy against closed forms,
// and bad input.

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include "tests/app/eval_shell.h"

namespace civita {
namespace geodesic_test {

using testing::AllOf;
using testing::HasSubstr;
using Json = nlohmann::ordered_json;

constexpr double kPi = std::numbers::pi;

/// A point mass on a massless rod of 1 m: longitude and latitude on a sphere.
constexpr const char* kSphere = R"(<mujoco><worldbody><body>
  <inertial pos="1 0 0" mass="2" diaginertia="1e-13 1e-13 1e-13"/>
  <joint name="longitude" axis="0 0 1"/><joint name="latitude" axis="0 -1 0"/>
</body></worldbody></mujoco>)";

/// Two slides that are not at right angles: a flat metric.
constexpr const char* kFlat = R"(<mujoco><worldbody><body>
  <inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>
  <joint name="a" type="slide" axis="1 0 0"/><joint name="b" type="slide" axis="1 2 0"/>
</body></worldbody></mujoco>)";

/// The figures of a command, by factorization.
Json Figures(const Shell& shell, const std::string& verb, const std::string& arguments,
             int code = kExitDone) {
  const ShellResult result = shell.Run("civita " + verb + " " + arguments + " --out out");
  EXPECT_EQ(result.code, code) << arguments << "\n" << result.out << result.err;
  Json json = Json::parse(ReadAll(shell.path() / "out" / (verb + ".json")));
  return json["factorizations"];
}

TEST(GeodesicVerb, FactorizationsShareTheGeodesicAndTurnWhatItCarries) {
  const Shell shell;
  const Json all = Figures(shell, "geodesic",
                           "arm7 --v 1,0.6,-0.4,1,0.8,-0.5,0.3 "
                           "--factorization christoffel,t:1,alpha:0.5");
  ASSERT_EQ(all.size(), 3u);
  for (const Json& one : all) {
    EXPECT_LE(one["energy_drift"], 1e-8) << one;
    EXPECT_LE(one["distance"], 1e-11) << one;
  }
  EXPECT_EQ(all[0]["turn_rad"], 0);
  EXPECT_GE(all[1]["turn_rad"], 0.05);
  EXPECT_LE(all[0]["inner_product_drift"], 1e-8);
  EXPECT_LE(all[1]["inner_product_drift"], 1e-8);
  EXPECT_GE(all[2]["inner_product_drift"], 0.01);
  EXPECT_EQ(all[2]["admissible"], false);
}

TEST(GeodesicVerb, InvariantsDriftByTheFourthPowerOfTheStep) {
  const Shell shell;
  const std::string robot = "ball_arm --duration 0.8 --factorization t:0.7 --step ";
  const Json coarse = Figures(shell, "geodesic", robot + "0.005")[0];
  const Json fine = Figures(shell, "geodesic", robot + "0.0025")[0];
  for (const char* figure : {"energy_drift", "inner_product_drift"}) {
    const double order = std::log2(coarse[figure].get<double>() / fine[figure].get<double>());
    EXPECT_GE(order, 3.5) << figure;
    EXPECT_LE(order, 4.5) << figure;
  }
}

TEST(GeodesicVerb, TurnsAPointMassByTheIntegralOfItsCoefficient) {
  // β = ½ + x on the way x = t of 1 kg: ∫ β dt = 1.
  const Shell shell;
  const Json all = Figures(shell, "geodesic",
                           "point_mass --v 1,0,0 --carry 0,1,0 "
                           "--factorization 'christoffel,joint:{0.5+q[0]}'");
  EXPECT_NEAR(all[1]["w1_turn_rad"].get<double>(), 1, 1e-9);
}

TEST(GeodesicVerb, SaysThatAStepIsTooLong) {
  const Shell shell;
  const ShellResult result = shell.Run("civita geodesic arm7 --v 9,9,9,9,9,9,9 --step 0.1");
  EXPECT_EQ(result.code, kExitFailed);
  EXPECT_THAT(result.out, HasSubstr("take a smaller --step"));
}

TEST(GeodesicVerb, EndsWhereTheMetricDoes) {
  const Shell shell;
  shell.Write("sphere.xml", kSphere);
  // Over the pole, where longitude is none.
  const ShellResult start = shell.Run("civita geodesic sphere.xml --q 0,1.5707963267948966");
  EXPECT_EQ(start.code, kExitBadInput);
  EXPECT_THAT(start.err, AllOf(HasSubstr("--q"), HasSubstr("singular")));
}

TEST(GeodesicVerb, WritesCurvesInThreeFormats) {
  const Shell shell;
  const std::string command =
      "civita geodesic planar_2r --q 0.1,0.5 --v 1,-2 --carry 1,0 --factorization christoffel,t:1 "
      "--duration 0.02 --out out --format ";
  for (const char* format : {"csv", "json", "npz"}) {
    const ShellResult result = shell.Run(command + format);
    EXPECT_EQ(result.code, kExitDone) << result.err;
  }
  const std::string csv = ReadAll(shell.path() / "out/curves.csv");
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "t,q/0/0,q/0/1,q/1/0,q/1/1,v/0/0,v/0/1,v/1/0,v/1/1,W/0/0/0,W/0/1/0,W/1/0/0,W/1/1/0,"
            "turn/0,turn/1");
  const Json json = Json::parse(ReadAll(shell.path() / "out/curves.json"));
  ASSERT_EQ(json["states"].size(), 11u);
  const Json first = json["states"][0];
  EXPECT_EQ(first["q"], Json::parse("[[0.1,0.5],[0.1,0.5]]"));
  EXPECT_EQ(first["v"], Json::parse("[[1,-2],[1,-2]]"));
  EXPECT_NEAR(first["W"][0][0][0].get<double>(), 1, 1e-15);
  EXPECT_NEAR(first["W"][1][1][0].get<double>(), 0, 1e-15);
  // Two dimensions have no three-form: nothing turns.
  EXPECT_LE(json["factorizations"][1]["turn_rad"], 1e-9);
  EXPECT_THAT(ReadAll(shell.path() / "out/report.html"),
              AllOf(HasSubstr("<svg"), HasSubstr("Geodesic of planar_2r")));
}

TEST(TransportVerb, NothingTurnsAroundALoopOfAFlatMetric) {
  const Shell shell;
  shell.Write("flat.xml", kFlat);
  const Json one = Figures(shell, "transport",
                           "flat.xml --waypoint 0,0 --waypoint 1,0 --waypoint 1,2 --loop")[0];
  EXPECT_LE(one["holonomy_1_rad"], 1e-9);
}

TEST(TransportVerb, ALatitudeTurnsByItsSine) {
  const Shell shell;
  shell.Write("sphere.xml", kSphere);
  for (const double latitude : {0.4, -0.2}) {
    std::string arguments = "sphere.xml --factorization christoffel,plain";
    for (int k = 0; k < 4; ++k) {
      std::array<char, 60> waypoint;
      std::snprintf(waypoint.data(), waypoint.size(), " --waypoint %.17g,%g", 2 * kPi * k / 3,
                    latitude);
      arguments += waypoint.data();
    }
    for (const Json& one : Figures(shell, "transport", arguments)) {
      EXPECT_NEAR(one["holonomy_1_rad"].get<double>(), 2 * kPi * std::abs(std::sin(latitude)),
                  1e-7);
    }
  }
}

TEST(TransportVerb, ALoopTurnsByTheCurvatureThatItEncloses) {
  const Shell shell;
  shell.Write("sphere.xml", kSphere);
  std::string csv = "t,/q/0,/q/1\n";
  double enclosed = 0;  // ∮ sin(latitude) d(longitude)
  constexpr int kRows = 400;
  for (int i = 0; i <= kRows; ++i) {
    const double s = 2 * kPi * (i % kRows) / kRows;
    std::array<char, 90> row;
    std::snprintf(row.data(), row.size(), "%g,%.17g,%.17g\n", 0.01 * i, 0.6 * std::sin(s),
                  0.5 + 0.4 * std::cos(s));
    csv += row.data();
    if (i < kRows)
      enclosed += std::sin(0.5 + 0.4 * std::cos(s)) * 0.6 * std::cos(s) * 2 * kPi / kRows;
  }
  shell.Write("loop.csv", csv);
  const Json one = Figures(shell, "transport", "sphere.xml --along loop.csv")[0];
  EXPECT_NEAR(one["holonomy_1_rad"].get<double>(), std::abs(enclosed), 1e-5);
  EXPECT_NEAR(ToMatrix(one["holonomy"]).trace(), 2 * std::cos(enclosed), 1e-5);
}

TEST(TransportVerb, FollowsARun) {
  const Shell shell;
  ASSERT_EQ(shell.Run("civita run arm7 --headless --duration 0.3 --out run").code, kExitDone);
  const Json all = Figures(shell, "transport",
                           "arm7 --along run --factorization christoffel,t:-10 --carry "
                           "0,0,0,0,0,0,1 --carry 1,0,0,0,0,0,0");
  EXPECT_LE(all[1]["inner_product_drift"], 1e-7);
  EXPECT_GE(all[1]["turn_rad"], 1e-3);
  EXPECT_GE(all[1]["w1_turn_rad"].get<double>() + all[1]["w2_turn_rad"].get<double>(), 1e-4);
}

TEST(CarryVerbs, RefuseBadInputInOneLine) {
  const Shell shell;
  const std::pair<const char*, const char*> cases[] = {
      {"geodesic planar_2r --v 1,2,3", "--v has 3 numbers, the model has nv = 2"},
      {"geodesic planar_2r --v 1,x", "--v: 'x' is not a finite number"},
      {"geodesic planar_2r --v 0,0", "--v: all zero"},
      {"geodesic planar_2r --q 1", "--q has 1 number"},
      {"geodesic planar_2r --carry 0,0", "--carry 0,0: the vector is zero"},
      {"geodesic planar_2r --duration 0", "--duration: not a positive number"},
      {"geodesic planar_2r --step -1", "--step: not a positive number"},
      {"geodesic planar_2r --step 1e-9", "more than ten million steps"},
      {"geodesic planar_2r --format xml", "valid: csv, json, npz"},
      {"geodesic planar_2r --factorization twist", "--factorization"},
      {"transport planar_2r", "needs a motion"},
      {"transport planar_2r --waypoint 0,0", "--waypoint twice"},
      {"transport planar_2r --along nowhere.csv", "nowhere.csv: cannot be read"},
  };
  for (const auto& [arguments, error] : cases) {
    const ShellResult result = shell.Run(std::string("civita ") + arguments);
    EXPECT_EQ(result.code, kExitBadInput) << arguments << result.out << result.err;
    EXPECT_THAT(result.err, HasSubstr(error));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

}  // namespace geodesic_test
}  // namespace civita
