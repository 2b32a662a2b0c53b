#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "civita/error.h"
#include "civita/scenes/plant/model_assets.h"
#include "civita/scenes/plant/model_file.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace model_looks_test {

using testing::HasSubstr;
using testing::StartsWith;

struct Loaded {
  MjModelPtr m;
  std::string notices, error;
};

/// A pendulum whose body holds `in_body`.
Loaded Load(const std::string& in_body, const std::string& before = "",
            const std::string& after = "") {
  const TemporaryFolder folder;
  folder.Write("dent.stl", "no mesh at all");
  const std::string file =
      folder.Write("pendulum.xml", "<mujoco>" + before +
                                       "\n<worldbody><body name='rod'><joint axis='0 1 0'/>"
                                       "<geom name='bob' size='.1' pos='.3 0 0' mass='2'/>\n" +
                                       in_body + "</body></worldbody>" + after + "</mujoco>");
  Loaded loaded;
  std::vector<std::string> notices;
  try {
    loaded.m = LoadModelFile(file, {}, &notices);
  } catch (const UserError& error) {
    loaded.error = folder.WithoutPath(error.what());
  }
  loaded.notices = folder.WithoutPath(internal::Join(notices, "\n"));
  return loaded;
}

/// Loads, with one notice, the pendulum and nothing more.
void ExpectLeftOut(const Loaded& loaded, const std::string& notice) {
  EXPECT_EQ(loaded.error, "");
  EXPECT_THAT(loaded.notices, HasSubstr(notice));
  ASSERT_TRUE(loaded.m);
  EXPECT_EQ(loaded.m->ngeom, 1);
  EXPECT_DOUBLE_EQ(loaded.m->body_mass[1], 2);
}

TEST(ModelLooks, ShapesWithoutExtent) {
  for (const std::string shape : {"type='sphere' size='0'", "type='box' size='.1 0 .1'",
                                  "type='cylinder' size='.1'", "type='ellipsoid' size='.1 .1 -1'",
                                  "type='capsule' size='.1' fromto='0 0 1 0 0 1'", "size='nan'"}) {
    ExpectLeftOut(Load("<geom name='cap' contype='0' conaffinity='0' " + shape + "/>"),
                  "geometry left out: 1 shape without extent: geom 'cap' of body 'rod'");
  }
  ExpectLeftOut(Load("<geom name='a' size='0'/><geom name='b' type='box' size='0 0 0'/>"),
                "2 shapes without extent: geom 'a' of body 'rod', geom 'b' of body 'rod'");
  ExpectLeftOut(Load("<site name='tip' size='0'/>"), "site 'tip' of body 'rod'");
  // One with mass counts.
  EXPECT_THAT(Load("<geom size='0' mass='1'/>").error,
              StartsWith("pendulum.xml:3: Error: size 0 must be positive in geom"));
}

TEST(ModelLooks, MaterialsAndTextures) {
  const Loaded pendulum = Load("<geom size='.1' mass='0' material='chrome'/>");
  EXPECT_EQ(pendulum.notices, "materials left out that are not there: chrome");
  EXPECT_EQ(pendulum.m->ngeom, 2);
  ExpectLeftOut(Load("", "<asset><material name='wood' texture='oak'/></asset>"),
                "textures left out that are not there: oak");
  ExpectLeftOut(Load("",
                     "<asset><texture name='flat' type='2d' builtin='flat' width='0' "
                     "height='8'/><material name='wood' texture='flat'/></asset>"),
                "texture 'flat' left out: Invalid width of builtin texture");
  ExpectLeftOut(Load("<light name='sun' dir='0 0 0'/>"),
                "light 'sun' left out: zero direction in light");
  ExpectLeftOut(Load("", "", "<deformable><skin name='coat'/></deformable>"),
                "skin 'coat' left out: ");
}

TEST(ModelLooks, MeshesOfVisualShapes) {
  const std::string meshes =
      "<asset><mesh file='dent.stl'/><mesh name='flat' vertex='0 0 0 1 0 0 0 1 0'/></asset>";
  const std::string visual = "<geom contype='0' conaffinity='0' mass='0' type='mesh' mesh='";
  ExpectLeftOut(Load(visual + "flat'/>", "<asset><mesh name='flat' vertex='0 0 0 1 0 0'/></asset>"),
                "geometry left out, its mesh cannot be used: ");
  ExpectLeftOut(Load(visual + "dent'/>", "<asset><mesh name='dent' file='dent.stl'/></asset>"),
                "geometry left out, its mesh cannot be used: ");
  ExpectLeftOut(Load(visual + "none'/>"), "mesh 'none' not found in geom");
  // What may touch others, or has mass, is needed.
  EXPECT_THAT(Load("<geom type='mesh' mass='0' mesh='none'/>").error,
              StartsWith("pendulum.xml:3:"));
  EXPECT_THAT(Load("<geom contype='0' conaffinity='0' type='mesh' mesh='flat'/>", meshes).error,
              HasSubstr("pendulum.xml:"));
}

TEST(ModelLooks, InertiasThatNoBodyHasAreRefusedInOneLine) {
  for (const std::string inertia :
       {"mass='1' pos='0 0 0' fullinertia='1 1 1 2 0 0'",
        "mass='1' pos='0 0 0' diaginertia='1 1 3'", "mass='1' pos='0 0 0' diaginertia='0 1 1'",
        "mass='-1' pos='0 0 0' diaginertia='1 1 1'"}) {
    const std::string error = Load("<body><joint/><inertial " + inertia + "/></body>").error;
    EXPECT_THAT(error, StartsWith("pendulum.xml:3: "));
    EXPECT_EQ(error.find('\n'), error.npos);
  }
}

TEST(ModelLooks, NamesOfAnyLengthAreInAMessage) {
  const std::string longest(300'000, 'n');
  EXPECT_THAT(Load("<body><joint name='" + longest + "' limited='true' range='1 0'/>" +
                   "<geom size='0.1'/></body>")
                  .error,
              StartsWith("pendulum.xml: Error: range[0] should be smaller"));
  const Loaded other =
      Load("<geom size='0.1' mass='0' contype='0' conaffinity='0' material='" + longest + "'/>");
  EXPECT_NE(other.error + other.notices, "");
}

}  // namespace model_looks_test
}  // namespace civita
