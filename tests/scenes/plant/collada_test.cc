#include "civita/scenes/plant/collada.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/LU>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "civita/error.h"
#include "civita/scenes/plant/model_file.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace collada_test {

using testing::HasSubstr;

// A tetrahedron with corners 0, 3x, 2y and 1z in a file with these parts.
struct Parts {
  std::string asset = "<unit meter='0.5'/><up_axis>Z_UP</up_axis>";
  std::string array = "0 0 0 3 0 0 0 2 0 0 0 1", stride = "3";
  std::string faces =
      "<triangles><input semantic='NORMAL' source='#n' offset='1'/><input semantic='VERTEX' "
      "source='#v' offset='0'/><p>0 9 2 9 1 9 0 9 1 9 3 9 0 9 3 9 2 9 1 9 2 9 3 9</p></triangles>";
  std::string nodes = "<node><instance_geometry url='#g'/></node>";
};

std::string Text(const Parts& parts) {
  return "<COLLADA><asset>" + parts.asset +
         "</asset><library_geometries><geometry id='g'><mesh><source id='p'><float_array>" +
         parts.array + "</float_array><technique_common><accessor stride='" + parts.stride +
         "'/></technique_common></source><vertices id='v'><input semantic='POSITION' "
         "source='#p'/></vertices>" +
         parts.faces +
         "</mesh></geometry></library_geometries><library_nodes><node id='part'>"
         "<translate>0 0 10</translate><instance_geometry url='#g'/></node></library_nodes>"
         "<library_visual_scenes><visual_scene id='s'>" +
         parts.nodes +
         "</visual_scene></library_visual_scenes><scene><instance_visual_scene "
         "url='#s'/></scene></COLLADA>";
}

class Collada : public testing::Test {
 protected:
  internal::Triangles Read(const Parts& parts) {
    return internal::ReadCollada(folder_.Write("m.dae", Text(parts)));
  }
  Eigen::Matrix3Xd Vertices(const Parts& parts) {
    const internal::Triangles read = Read(parts);
    return Eigen::Map<const Eigen::Matrix3Xf>(read.vertices.data(), 3,
                                              static_cast<Eigen::Index>(read.vertices.size() / 3))
        .cast<double>();
  }
  std::string Refusal(const Parts& parts) {
    try {
      Read(parts);
    } catch (const UserError& error) {
      return folder_.WithoutPath(error.what());
    }
    return "";
  }
  // Six times the volume that the triangles enclose: positive where they turn outward.
  static double SixVolumes(const internal::Triangles& read) {
    double sum = 0;
    for (size_t f = 0; f < read.faces.size(); f += 3) {
      Eigen::Matrix3d M;
      for (Eigen::Index k = 0; k < 3; ++k) {
        const auto at = 3 * static_cast<size_t>(read.faces[f + static_cast<size_t>(k)]);
        M.col(k) << read.vertices[at], read.vertices[at + 1], read.vertices[at + 2];
      }
      sum += M.determinant();
    }
    return sum;
  }
  TemporaryFolder folder_;
};

TEST_F(Collada, UnitsAndAxesOfTheFile) {
  Eigen::Matrix3Xd expected(3, 4);
  expected << 0, 1.5, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.5;
  EXPECT_LT((Vertices({}) - expected).norm(), 1e-7);
  EXPECT_NEAR(SixVolumes(Read({})), 0.75, 1e-6);
  // y upward, which is the default: x stays, y becomes z, z becomes −y.
  for (const char* axis : {"<up_axis>Y_UP</up_axis>", ""}) {
    expected << 0, 3, 0, 0, 0, 0, 0, -1, 0, 0, 2, 0;
    EXPECT_LT((Vertices({.asset = axis}) - expected).norm(), 1e-6);
  }
  // x upward: y stays, x becomes z, z becomes −x.
  expected << 0, 0, 0, -1, 0, 0, 2, 0, 0, 3, 0, 0;
  EXPECT_LT((Vertices({.asset = "<up_axis>X_UP</up_axis>"}) - expected).norm(), 1e-6);
}

// Steps of a node act in their order, and nodes within nodes; by hand: R_z(90°) (2 x + t).
TEST_F(Collada, NodesPlaceTheGeometry) {
  const Parts parts = {.asset = "<up_axis>Z_UP</up_axis>",
                       .nodes =
                           "<node><rotate>0 0 2 90</rotate><node><translate>5 0 0</translate>"
                           "<scale>2 2 2</scale><instance_geometry url='#g'/></node></node>"
                           "<node><matrix>0 -1 0 7 1 0 0 0 0 0 1 0 0 0 0 1</matrix>"
                           "<instance_node url='#part'/></node>"};
  const Eigen::Matrix3Xd read = Vertices(parts);
  ASSERT_EQ(read.cols(), 8);
  Eigen::Matrix3Xd expected(3, 8);
  expected << 0, 0, -4, 0, 7, 7, 5, 7, 5, 11, 5, 5, 0, 3, 0, 0, 0, 0, 0, 2, 10, 10, 10, 11;
  EXPECT_LT((read - expected).norm(), 1e-5);
  // A mirror turns no surface inside out.
  EXPECT_GT(SixVolumes(
                Read({.nodes = "<node><scale>-1 1 1</scale><instance_geometry url='#g'/></node>"})),
            0);
}

TEST_F(Collada, PolygonsAreFans) {
  const std::string input = "<input semantic='VERTEX' source='#v' offset='0'/>";
  const internal::Triangles list =
      Read({.faces = "<polylist>" + input + "<vcount>4 3</vcount><p>0 1 3 2 0 2 1</p></polylist>"});
  EXPECT_THAT(list.faces, testing::ElementsAre(0, 1, 3, 0, 3, 2, 0, 2, 1));
  const internal::Triangles polygons =
      Read({.faces = "<polygons>" + input + "<p>0 1 3 2</p><p>0 2 1</p></polygons>"});
  EXPECT_EQ(polygons.faces, list.faces);
  EXPECT_EQ(Vertices({.array = "0 0 0 7 3 0 0 7 0 2 0 7 0 0 1 7", .stride = "4"}), Vertices({}));
}

TEST_F(Collada, WhatIsWrongIsToldWithItsLine) {
  const std::string input = "<input semantic='VERTEX' source='#v'/>";
  const std::vector<std::pair<Parts, std::string>> wrong = {
      {{.faces = "<triangles>" + input + "<p>0 1 4</p></triangles>"}, "is not there"},
      {{.faces = "<triangles>" + input + "<p>0 1 -1</p></triangles>"}, "is not there"},
      {{.faces = "<triangles>" + input + "<p>0 1</p></triangles>"}, "ends within a polygon"},
      {{.faces = "<triangles>" + input + "<p>0 1 x</p></triangles>"}, "is no number"},
      {{.faces = "<polylist>" + input + "<p>0 1 2</p></polylist>"}, "vcount does not fit"},
      {{.faces = "<lines>" + input + "<p>0 1</p></lines>"}, "no triangles"},
      {{.nodes = ""}, "no triangles"},
      {{.nodes = "<node><instance_geometry url='other.dae#g'/></node>"}, "no triangles"},
      {{.array = "0 0 0 1e999 0 0"}, "is no number"},
      {{.array = "0 0 nan 1 0 0 0 0 1 1 1 1"}, "not finite"},
      {{.stride = "1"}, "stride of 3"},
      {{.asset = "<unit meter='0'/>"}, "meter"},
      {{.nodes = "<node id='n'><instance_node url='#n'/></node>"}, "without end"},
      {{.nodes = "<node><matrix>1 0 0</matrix></node>"}, "16 numbers"}};
  for (const auto& [parts, told] : wrong) {
    EXPECT_THAT(Refusal(parts), testing::StartsWith("m.dae:1"));
    EXPECT_THAT(Refusal(parts), HasSubstr(told));
  }
  // Nodes of which each names the next one twice.
  std::string doubling;
  for (int i = 0; i < 60; ++i) {
    const std::string next = "<instance_node url='#n" + std::to_string(i + 1) + "'/>";
    doubling += "<node id='n" + std::to_string(i) + "'>" + next + next + "</node>";
  }
  EXPECT_THAT(Refusal({.nodes = doubling}), HasSubstr("without end"));
}

// As a mesh of a URDF, and where the URDF's name is a link in another folder.
TEST_F(Collada, IsTheMeshOfARobot) {
  folder_.Write("kit/robot/meshes/a.dae", Text({}));
  const std::string urdf = folder_.Write("kit/robot/urdf/r.urdf", R"(<robot name="r">
    <link name="base"/>
    <joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>
    <link name="arm"><inertial><mass value="1"/><inertia ixx=".1" ixy="0" ixz="0" iyy=".1" iyz="0"
    izz=".1"/></inertial><collision><geometry><mesh filename="package://robot/meshes/a.dae"
    scale="2 2 2"/></geometry></collision></link></robot>)");
  const std::filesystem::path link = folder_.path() / "elsewhere.urdf";
  std::filesystem::create_symlink(urdf, link);
  for (const std::filesystem::path& file : {std::filesystem::path(urdf), link}) {
    std::vector<std::string> notices;
    const MjModelPtr m = LoadModelFile(file, {}, &notices);
    EXPECT_THAT(notices, testing::Not(testing::Contains(HasSubstr("left out"))));
    ASSERT_EQ(m->nmesh, 1);
    EXPECT_EQ(m->mesh_vertnum[0], 4);
    // The volume's middle is a quarter of the corners' sum, with the URDF's scale.
    EXPECT_NEAR(m->geom_pos[3 * (m->ngeom - 1)], 2 * 0.25 * 1.5, 1e-6);
    EXPECT_NEAR(m->geom_pos[3 * (m->ngeom - 1) + 1], 2 * 0.25 * 1.0, 1e-6);
    EXPECT_NEAR(m->geom_pos[3 * (m->ngeom - 1) + 2], 2 * 0.25 * 0.5, 1e-6);
  }
  folder_.Write("kit/robot/meshes/a.dae", Text({.nodes = ""}));
  std::vector<std::string> notices;
  LoadModelFile(urdf, {}, &notices);
  EXPECT_THAT(notices, testing::Contains(
                           HasSubstr("geometry left out: 1 geom whose mesh cannot be read: ")));
}

}  // namespace collada_test
}  // namespace civita
