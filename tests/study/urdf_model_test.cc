// A URDF's model without MuJoCo is the one that MuJoCo compiles.

#include "civita/scenes/plant/urdf_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/json/model_json.h"
#include "civita/mujoco/constraints.h"
#include "civita/mujoco/convert.h"
#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/scene_list.h"
#include "civita/study/model/load_model.h"
#include "tests/oracles/random_urdf.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace urdf_model_test {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kSame = 1e-15;

/// The largest number that `x` or `y` has.
double Scale(const json& x, const json& y) {
  double scale = 1;
  for (const json* each : {&x, &y}) {
    if (each->is_number()) scale = std::max(scale, std::abs(each->get<double>()));
    if (!each->is_array()) continue;
    for (const json& part : *each) scale = std::max(scale, Scale(part, part));
  }
  return scale;
}

/// Texts, keys and lengths are equal, numbers to rounding by the largest of their array.
void ExpectSame(const json& x, const json& y, double scale, const std::string& where) {
  ASSERT_EQ(x.type_name(), std::string(y.type_name())) << where;
  if (x.is_number()) {
    EXPECT_NEAR(x.get<double>(), y.get<double>(), kSame * scale) << where;
  } else if (x.is_object()) {
    std::set<std::string> keys;
    for (const json* each : {&x, &y}) {
      for (const auto& [key, value] : each->items()) keys.insert(key);
    }
    for (const std::string& key : keys) {
      ASSERT_TRUE(x.contains(key) && y.contains(key)) << where << "." << key;
      ExpectSame(x[key], y[key], Scale(x[key], y[key]), where + "." + key);
    }
  } else if (x.is_array()) {
    ASSERT_EQ(x.size(), y.size()) << where;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double of_entry = x[i].is_object() ? 1 : scale;
      ExpectSame(x[i], y[i], of_entry, where + "[" + std::to_string(i) + "]");
    }
  } else {
    EXPECT_EQ(x, y) << where;
  }
}

struct Read {
  json model;
  std::vector<std::string> notices;
};

/// The first body on the world floats.
void FreeFirst(mjSpec* spec, bool /*urdf*/) {
  mjsBody* base = mjs_asBody(mjs_firstChild(mjs_findBody(spec, "world"), mjOBJ_BODY, 0));
  mjsJoint* joint = mjs_addFreeJoint(base);
  joint->align = mjALIGNFREE_FALSE;
  mjs_setName(joint->element, "root_joint");
}

/// As MuJoCo compiles it; nullopt if it is refused.
std::optional<Read> Compile(const std::string& file, bool free_base) {
  Read read;
  try {
    ModelReading reading;
    reading.simulated = false;
    if (free_base) reading.edit = FreeFirst;
    const MjModelPtr m = LoadModelFile(file, reading, &read.notices);
    const Model model = BuildModel(*m);
    read.model = json::parse(WriteModelJson(model, ReadConstraints(*m, model)));
  } catch (const UserError&) {
    return std::nullopt;
  }
  return read;
}

/// @returns whether the file has a model without MuJoCo.
bool ExpectOneModel(const std::string& file, bool free_base = false) {
  SCOPED_TRACE(file);
  const std::optional<Read> compiled = Compile(file, free_base);
  Read read;
  std::optional<UrdfModel> urdf;
  try {
    urdf = LoadUrdfModel(file, free_base, &read.notices);
  } catch (const UserError&) {
    EXPECT_FALSE(compiled);
    return false;
  }
  if (!urdf) {
    EXPECT_TRUE(read.notices.empty());
    return false;
  }
  EXPECT_TRUE(compiled);
  if (!compiled) return false;
  read.model = json::parse(WriteModelJson(urdf->model, urdf->loops));
  ExpectSame(read.model, compiled->model, 1, "");
  EXPECT_EQ(read.notices, compiled->notices);
  return true;
}

TEST(UrdfModel, IsTheOneThatMujocoCompiles) {
  int without = 0, all = 0;
  for (const fs::path& folder :
       {fs::path(CIVITA_TEST_DATA_DIR) / "robots", fs::path(CIVITA_SOURCE_DIR) / "examples",
        DataDirectory() / ".deps/example-robot-data", DataDirectory() / ".cache/pinocchio"}) {
    if (!fs::exists(folder)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".urdf") continue;
      without += ExpectOneModel(entry.path().string()) ? 1 : 0;
      ++all;
    }
  }
  EXPECT_GT(without, 10) << all;
}

TEST(UrdfModel, IsTheOneThatMujocoCompilesOfRandomFiles) {
  const TemporaryFolder folder;
  int without = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const std::string file = folder.Write("m.urdf", MakeRandomUrdf(seed, seed % 2 == 0).text);
    without += ExpectOneModel(file) ? 1 : 0;
  }
  EXPECT_GE(without, 20);
}

constexpr const char* kInertial =
    "<inertial><origin xyz='0.1 0 0.2' rpy='0.3 0.1 -1'/><mass value='2'/>"
    "<inertia ixx='0.3' iyy='0.4' izz='0.5' ixy='0.01' ixz='0.02' iyz='0.03'/></inertial>";

std::string Link(const std::string& name, const std::string& inertial = kInertial) {
  return "<link name='" + name + "'>" + inertial + "</link>\n";
}

std::string Joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& more = "") {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent +
         "'/><child link='" + child + "'/><origin xyz='0 0.1 1' rpy='1 2 3'/><axis xyz='1 2 0'/>" +
         more + "</joint>\n";
}

/// Whether links and joints have a model without MuJoCo, which is then that of MuJoCo.
bool IsWithout(const std::string& elements, bool free_base = false) {
  const TemporaryFolder folder;
  return ExpectOneModel(folder.Write("m.urdf", "<robot name='r'>\n" + elements + "</robot>"),
                        free_base);
}

// Orders of links and joints, limits that do not count, mimics, rotors and floating bases.
TEST(UrdfModel, HasWhatAFileHas) {
  const std::string links = Link("c") + Link("base", "") + Link("b") + Link("a");
  const std::string more =
      "<dynamics damping='0.2' friction='0.3'/><limit lower='-1' upper='2' effort='3' "
      "velocity='4'/>";
  const std::string joints =
      Joint("to_c", "continuous", "a", "c", more) + Joint("to_b", "prismatic", "base", "b", more) +
      Joint("to_a", "revolute", "base", "a", more + "<mimic joint='to_b' multiplier='-2'/>");
  const std::string rotor =
      "<transmission><joint name='to_a'/><actuator><drake:rotor_inertia value='0.01'/>"
      "<drake:gear_ratio value='3'/></actuator></transmission>";
  for (const bool free_base : {false, true})
    EXPECT_TRUE(IsWithout(links + joints + rotor, free_base));
  const std::string world = Joint("stand", "fixed", "world", "base");
  for (const bool free_base : {false, true})
    EXPECT_TRUE(IsWithout(links + joints + world, free_base));
  EXPECT_TRUE(IsWithout(joints + Link("world") + links + world));
}

// What takes MuJoCo.
TEST(UrdfModel, IsNoneWhereMujocoDecides) {
  const std::string links = Link("base", "") + Link("a"),
                    swing = Joint("j", "revolute", "base", "a");
  EXPECT_TRUE(IsWithout(links + swing));
  EXPECT_FALSE(IsWithout(links + Joint("j", "planar", "base", "a")));
  EXPECT_FALSE(IsWithout(links + Joint("j", "floating", "base", "a")));
  EXPECT_FALSE(IsWithout(links + Joint("j", "fixed", "base", "a")));
  EXPECT_FALSE(IsWithout(links + Joint("root_joint", "revolute", "base", "a")));
  EXPECT_FALSE(IsWithout(links + Joint("j", "revolute", "base", "a", "<dynamics damping='-1'/>")));
  EXPECT_FALSE(IsWithout(Link("base") + Link("a", "") + swing));
  EXPECT_FALSE(IsWithout("<mujoco><option gravity='0 0 -1'/></mujoco>" + links + swing));
  EXPECT_FALSE(IsWithout(links + Link("b") + swing + Joint("k", "revolute", "world", "b"), true));
}

}  // namespace urdf_model_test
}  // namespace civita
