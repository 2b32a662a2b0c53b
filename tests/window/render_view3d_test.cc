#include <gtest/gtest.h>
#include <stb/stb_image.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "app/window/render/dressing.h"
#include "app/window/render/gl_objects.h"
#include "app/window/render/view3d.h"
#include "civita/error.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace render_view3d_test {

using ModelPtr = std::unique_ptr<mjModel, decltype(&mj_deleteModel)>;

ModelPtr LoadFile(const std::string& path) {
  char error[1000] = "";
  ModelPtr model(mj_loadXML(path.c_str(), nullptr, error, sizeof error), &mj_deleteModel);
  EXPECT_NE(model, nullptr) << error;
  return model;
}

ModelPtr LoadText(const std::string& xml) {
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(xml.c_str(), nullptr, error, sizeof error);
  EXPECT_NE(spec, nullptr) << error;
  ModelPtr model(mj_compile(spec, nullptr), &mj_deleteModel);
  mj_deleteSpec(spec);
  return model;
}

constexpr char kStrangerXml[] =
    "<mujoco><worldbody><light pos='0 0 3'/><body name='b' pos='0 0 1'><freejoint/>"
    "<geom type='box' size='.2 .2 .2' rgba='1 0 0 1'/></body></worldbody></mujoco>";

const RenderQuality kQuick{.samples = 0,
                           .shadow_size = 512,
                           .reflection = false,
                           .slices = 20,
                           .moving_passes = 1,
                           .still_passes = 3};

class View3dTest : public testing::Test {
 protected:
  View3dTest() : arm_(LoadFile(CIVITA_SOURCE_DIR "/scenes/arm7/scene.xml")) {
    home_.assign(arm_->key_qpos, arm_->key_qpos + arm_->nq);
  }

  std::unique_ptr<View3d> MakeArmView(const Theme& theme, int width = 200, int height = 240) {
    auto view = std::make_unique<View3d>(*arm_, theme, kQuick);
    view->Resize(width, height);
    view->SetState(0, home_);
    return view;
  }

  static int Distance(const uint8_t* pixel, Rgb color) {
    const int c[3] = {static_cast<int>(color >> 16), static_cast<int>(color >> 8 & 255),
                      static_cast<int>(color & 255)};
    int distance = 0;
    for (int i = 0; i < 3; ++i) distance = std::max(distance, std::abs(pixel[i] - c[i]));
    return distance;
  }

  OffscreenContext context_;
  ModelPtr arm_;
  std::vector<double> home_;
};

TEST_F(View3dTest, FloorMeltsIntoTheHorizonInBothThemesAndLive) {
  auto view = MakeArmView(kDarkTheme);
  for (const Theme* theme : {&kDarkTheme, &kLightTheme, &kDarkTheme}) {
    view->SetTheme(*theme);
    view->RenderStill();
    const Image image = view->Snapshot();
    EXPECT_LE(Distance(image.pixel(2, 30), theme->view_horizon), 6);   // sky
    EXPECT_LE(Distance(image.pixel(2, 110), theme->view_horizon), 6);  // floor
    int robot = 0;
    for (int y = 0; y < image.height; ++y) {
      for (int x = 0; x < image.width; ++x) {
        robot += Distance(image.pixel(x, y), theme->view_horizon) > 25;
      }
    }
    EXPECT_GT(robot, 200 * 240 / 25);
  }
}

TEST_F(View3dTest, RendersOnlyWhatIsDue) {
  auto view = MakeArmView(kDarkTheme);
  EXPECT_TRUE(view->wants_render());
  view->Render();
  EXPECT_TRUE(view->wants_render());  // still to be refined
  view->Render();
  view->Render();
  EXPECT_FALSE(view->wants_render());
  const unsigned texture = view->texture();
  EXPECT_TRUE(view->SetState(0, home_));
  EXPECT_FALSE(view->wants_render());  // nothing new
  home_[1] += 0.1;
  EXPECT_TRUE(view->SetState(0.01, home_));
  EXPECT_TRUE(view->wants_render());
  view->Resize(123, 77);
  view->Render();
  EXPECT_EQ(view->texture(), texture);
  EXPECT_EQ(view->Snapshot().width, 123);
}

TEST_F(View3dTest, KeepsTheLastFinitePicture) {
  auto view = MakeArmView(kDarkTheme);
  view->RenderStill();
  home_[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(view->SetState(1, home_));
  EXPECT_FALSE(view->wants_render());
  EXPECT_THROW(view->SetState(1, std::vector<double>(3)), ContractError);
}

TEST_F(View3dTest, AGhostShowsThroughAndGoes) {
  const auto view = MakeArmView(kDarkTheme);
  view->RenderStill();
  const Image alone = view->Snapshot();
  std::vector<double> turned = home_;
  turned[0] += 1;
  turned[3] += 0.5;
  view->SetGhost(turned);
  view->RenderStill();
  const Image both = view->Snapshot();
  // Where it is in front of the floor its colour is mixed in; it does not hide the robot.
  int tinted = 0;
  for (size_t i = 0; i + 2 < alone.rgb.size(); i += 3) {
    const int red = both.rgb[i] - alone.rgb[i];
    const int blue = both.rgb[i + 2] - alone.rgb[i + 2];
    if (red > 15 && red > blue) ++tinted;
  }
  EXPECT_GT(tinted, 500);
  EXPECT_LT(tinted, view->width() * view->height() / 2);
  view->SetGhost(std::vector<double>(home_.size(), std::nan("")));  // keeps the last one
  EXPECT_FALSE(view->wants_render());
  view->SetGhost({});
  view->RenderStill();
  EXPECT_EQ(view->Snapshot().rgb, alone.rgb);
}

TEST_F(View3dTest, SelectsPullsAndTurns) {
  const ModelPtr box = LoadText(kStrangerXml);
  View3d view(*box, kDarkTheme, kQuick);
  view.Resize(200, 200);
  view.SetState(0, std::vector<double>(box->qpos0, box->qpos0 + box->nq));
  view.SelectAt(0.02, 0.02);
  EXPECT_EQ(view.selected_body(), 0);
  view.SelectAt(0.5, 0.5);
  EXPECT_EQ(view.selected_body(), 1);
  view.StartPerturb(mjPERT_TRANSLATE);
  ASSERT_TRUE(view.perturbing());
  view.MovePerturb(mjMOUSE_MOVE_V, 0, -0.2);  // up on the screen
  const std::array<double, 6> wrench = view.PerturbWrench();
  EXPECT_GT(wrench[2], 0.1);
  EXPECT_GT(wrench[2], 3 * std::abs(wrench[0]));
  view.StopPerturb();
  EXPECT_EQ(view.PerturbWrench()[2], 0);
  view.ClearSelection();
  view.StartPerturb(mjPERT_ROTATE);
  EXPECT_FALSE(view.perturbing());
}

TEST_F(View3dTest, CamerasCanBeChosen) {
  auto view = MakeArmView(kDarkTheme);
  const std::vector<CameraChoice>& cameras = view->cameras();
  ASSERT_GE(cameras.size(), 5u);
  for (int i = 0; i < static_cast<int>(cameras.size()); ++i) {
    view->SetCamera(i);
    EXPECT_EQ(view->camera_choice(), i);
    view->Render();
  }
  view->CycleCamera(1);
  EXPECT_EQ(view->camera_choice(), 0);
  view->CycleCamera(-1);
  view->MoveCamera(mjMOUSE_ROTATE_V, 0.1, 0.1);
  EXPECT_EQ(view->camera_choice(), 0);  // no longer a named direction
  view->SetCamera(99);
  EXPECT_EQ(view->camera_choice(), 0);
  view->FrameAll();
  const auto tracks = [&] {
    return cameras[static_cast<size_t>(view->camera_choice())].kind ==
           CameraChoice::Kind::kTracking;
  };
  for (double x = 0.2; x < 0.8 && !tracks(); x += 0.05) view->TrackAt(x, 0.5);
  EXPECT_TRUE(tracks());
  view->TrackAt(0.01, 0.01);  // the sky
  EXPECT_EQ(view->camera_choice(), 0);
}

// Frames without margin, and checks with MuJoCo's projection that every corner is visible.
TEST_F(View3dTest, FramingShowsAllOfTheRobot) {
  std::unique_ptr<mjData, decltype(&mj_deleteData)> data(mj_makeData(arm_.get()), &mj_deleteData);
  std::copy(home_.begin(), home_.end(), data->qpos);
  mj_kinematics(arm_.get(), data.get());
  mjvOption options;
  mjv_defaultOption(&options);
  mjvCamera camera;
  mjv_defaultFreeCamera(arm_.get(), &camera);
  for (const double aspect : {0.4, 0.8, 2.5}) {
    for (const double elevation : {-80.0, -13.0, 20.0}) {
      camera.elevation = elevation;
      const CameraPose pose = FramePoints(RobotCorners(*arm_, *data, options), camera.azimuth,
                                          elevation, arm_->vis.global.fovy, aspect, 1.0);
      std::copy_n(pose.lookat, 3, camera.lookat);
      camera.distance = pose.distance;
      const mjvGLCamera gl = mjv_camera2GLCamera(arm_.get(), data.get(), &camera);
      double largest = 0;
      for (int g = 0; g < arm_->ngeom; ++g) {
        if (arm_->geom_rbound[g] <= 0) continue;
        double p[3], x = 0, y = 0, z = 0;
        for (int i = 0; i < 3; ++i) {
          p[i] = data->geom_xpos[3 * g + i] - gl.pos[i];
          z += p[i] * gl.forward[i];
          y += p[i] * gl.up[i];
        }
        const double right[3] = {gl.forward[1] * gl.up[2] - gl.forward[2] * gl.up[1],
                                 gl.forward[2] * gl.up[0] - gl.forward[0] * gl.up[2],
                                 gl.forward[0] * gl.up[1] - gl.forward[1] * gl.up[0]};
        for (int i = 0; i < 3; ++i) x += p[i] * right[i];
        const double half = z * gl.frustum_top / gl.frustum_near;
        EXPECT_LT(std::abs(y), half);
        EXPECT_LT(std::abs(x), half * aspect);
        largest = std::max({largest, std::abs(y) / half, std::abs(x) / (half * aspect)});
      }
      EXPECT_GT(largest, 0.5);  // and not from too far away
    }
  }
}

// With the usual margin, as what is nearer than the middle is moved further.
TEST_F(View3dTest, TheRobotIsInThePartOfThePictureThatIsFree) {
  View3d view(*arm_, kDarkTheme, kQuick);
  view.Resize(800, 400);
  view.SetState(0, home_);
  for (const PicturePart& part :
       {PicturePart{.left = 0.6, .top = 0.1}, PicturePart{.top = 0.1, .bottom = 0.6},
        PicturePart{.right = 0.4}}) {
    view.SetPart(part);
    view.Render();
    double least = 1, most = 0;
    for (int b = 1; b < arm_->nbody; ++b) {
      const mjtNum* x = view.data().xpos + 3 * b;
      const auto place = view.PlaceOf({x[0], x[1], x[2]});
      ASSERT_TRUE(place);
      EXPECT_GT((*place)[0], part.left);
      EXPECT_LT((*place)[0], part.right);
      EXPECT_GT((*place)[1], part.top);
      EXPECT_LT((*place)[1], part.bottom);
      least = std::min(least, (*place)[1]);
      most = std::max(most, (*place)[1]);
    }
    EXPECT_GT(most - least, 0.4 * std::min(part.bottom - part.top, 2 * (part.right - part.left)));
  }
}

TEST_F(View3dTest, ModelsFromElsewhereKeepTheirLookButGetASky) {
  const ModelPtr box = LoadText(kStrangerXml);
  EXPECT_FALSE(IsStudio(*box));
  EXPECT_TRUE(IsStudio(*arm_));
  View3d view(*box, kLightTheme, kQuick);
  EXPECT_EQ(view.model().geom_rgba[0], 1.0f);
  EXPECT_EQ(view.model().vis.headlight.ambient[0], box->vis.headlight.ambient[0]);
  view.Resize(100, 100);
  view.RenderStill();
  const Image image = view.Snapshot();
  EXPECT_GT(image.pixel(2, 2)[0], 150);  // light sky instead of black
  const uint8_t* middle = image.pixel(50, 50);
  EXPECT_GT(middle[0], 3 * middle[1]);
}

// A two-link arm of `size` m on a column, without lights, floor and colours.
ModelPtr LoadBareArm(double size) {
  const auto number = [size](double x) { return std::to_string(x * size) + " "; };
  const std::string link =
      "<geom type='capsule' size='" + number(0.06) + "' fromto='0 0 0 0 0 " + number(0.5) + "'/>";
  return LoadText("<mujoco><worldbody><body><geom type='cylinder' size='" + number(0.1) +
                  number(0.02) + "'/><body><joint type='hinge' axis='0 1 0'/>" + link +
                  "<body pos='0 0 " + number(0.5) + "'><joint type='hinge' axis='0 1 0'/>" + link +
                  "</body></body></body></worldbody></mujoco>");
}

// From a toy to a crane, with the same picture: the studio's horizon above, its floor below, and a
// bright robot between.
TEST_F(View3dTest, BareModelsOfAnySizeStandInTheStudio) {
  for (const Theme* theme : {&kDarkTheme, &kLightTheme}) {
    std::vector<double> shares;
    for (const double size : {0.05, 1.0, 30.0}) {
      const ModelPtr arm = LoadBareArm(size);
      View3d view(*arm, *theme, kQuick);
      view.Resize(200, 240);
      view.SetState(0, std::vector<double>{0.3, 0.9});
      view.RenderStill();
      const Image image = view.Snapshot();
      EXPECT_LE(Distance(image.pixel(2, 30), theme->view_horizon), 6) << size;   // sky
      EXPECT_LE(Distance(image.pixel(2, 180), theme->view_horizon), 8) << size;  // floor
      int robot = 0, bright = 0;
      for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x) {
          robot += Distance(image.pixel(x, y), theme->view_horizon) > 25;
          bright += Distance(image.pixel(x, y), theme->shell) < 60;
        }
      }
      EXPECT_GT(bright, 200) << size;
      shares.push_back(robot / (200.0 * 240));
      EXPECT_GT(shares.back(), 0.03) << size;
      EXPECT_NEAR(shares.back(), shares.front(), 0.02) << size;
    }
  }
}

TEST_F(View3dTest, AnAuthorsLampsFloorAndColoursStay) {
  const ModelPtr room = LoadText(
      "<mujoco><visual><headlight ambient='.2 .2 .2'/></visual><asset>"
      "<texture name='s' type='skybox' builtin='flat' rgb1='0 .8 0' width='32' height='32'/>"
      "<material name='mat' rgba='0 0 1 1'/></asset><worldbody><light pos='0 0 4'/>"
      "<geom type='plane' size='0 0 1' rgba='.8 0 0 1'/><body pos='0 0 1'>"
      "<joint type='hinge'/><geom size='.3' material='mat'/></body></worldbody></mujoco>");
  View3d view(*room, kDarkTheme, kQuick);
  view.Resize(200, 200);
  view.RenderStill();
  const Image image = view.Snapshot();
  const uint8_t *sky = image.pixel(100, 2), *floor = image.pixel(100, 197);
  const uint8_t* ball = image.pixel(100, 100);
  EXPECT_GT(sky[1], 150);
  EXPECT_LT(sky[0] + sky[2], 40);
  EXPECT_GT(floor[0], 4 * floor[1] + 20);
  EXPECT_GT(ball[2], 4 * ball[1] + 20);
  EXPECT_FLOAT_EQ(view.model().vis.headlight.ambient[0], 0.2f);
}

// Places the robot where its motion leads: its box is in the picture at both ends of the motion.
TEST_F(View3dTest, TheCameraShowsTheWholeMotion) {
  const ModelPtr slider = LoadText(
      "<mujoco><worldbody><body pos='0 0 1'><joint type='slide' axis='0 1 0'/>"
      "<geom type='box' size='.1 .1 .1'/></body></worldbody></mujoco>");
  View3d view(*slider, kDarkTheme, kQuick);
  view.Resize(200, 200);
  const auto shown = [&](double q) {
    view.SetState(0, std::vector<double>{q});
    view.RenderStill();
    int pixels = 0;
    const Image image = view.Snapshot();
    for (int y = 0; y < image.height; ++y) {
      for (int x = 0; x < image.width; ++x) {
        pixels += Distance(image.pixel(x, y), kDarkTheme.shell) < 60 ||
                  Distance(image.pixel(x, y), kDarkTheme.joint) < 12;
      }
    }
    return pixels;
  };
  view.SetMotion(std::vector<std::vector<double>>{{-2}, {2}});
  EXPECT_GT(shown(-2), 20);
  EXPECT_GT(shown(2), 20);
}

TEST_F(View3dTest, AFloatingBaseStaysInThePicture) {
  const ModelPtr box = LoadText(kStrangerXml);
  View3d view(*box, kDarkTheme, kQuick);
  view.Resize(100, 100);
  std::vector<double> q(box->qpos0, box->qpos0 + box->nq);
  for (int i = 0; i <= 50; ++i) {
    q[0] = 0.1 * i;
    view.SetState(0.1 * i, q);
  }
  view.RenderStill();
  const Image picture = view.Snapshot();
  const uint8_t* middle = picture.pixel(50, 50);
  EXPECT_GT(middle[0], 3 * middle[1]);
}

TEST_F(View3dTest, TheFirstCameraComesBack) {
  auto view = MakeArmView(kDarkTheme);
  view->RenderStill();
  const Image first = view->Snapshot();
  view->MoveCamera(mjMOUSE_ROTATE_V, 0.3, 0.1);
  view->MoveCamera(mjMOUSE_MOVE_V, 0.3, 0.1);
  view->ZoomCamera(5);
  view->RenderStill();
  EXPECT_NE(view->Snapshot().rgb, first.rgb);
  view->FrameAll();
  view->RenderStill();
  const Image again = view->Snapshot();
  for (size_t i = 0; i < first.rgb.size(); ++i) EXPECT_NEAR(again.rgb[i], first.rgb[i], 2) << i;
}

// No pixel of an empty floor may shade itself.
TEST_F(View3dTest, TheFloorHasNoSpeckles) {
  auto view = MakeArmView(kLightTheme, 300, 200);
  view->RenderStill();
  const Image image = view->Snapshot();
  for (int y = 120; y < 200; ++y) {
    for (int x = 0; x < 40; ++x) {
      EXPECT_LE(Distance(image.pixel(x, y), kLightTheme.view_horizon), 20) << x << ", " << y;
    }
  }
}

TEST_F(View3dTest, TrailFollowsTheEndEffectorAndGoesBackWithTime) {
  auto view = MakeArmView(kDarkTheme);
  const Point3 start = view->TrackedPointAt(home_);
  const int site = mj_name2id(arm_.get(), mjOBJ_SITE, "ee");
  ASSERT_GE(site, 0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(start[static_cast<size_t>(i)], view->data().site_xpos[3 * site + i], 1e-12);
  }
  Trail trail;
  for (int i = 0; i <= 600; ++i) trail.Append(0.01 * i, {0.01 * i, 0, 0});
  EXPECT_NEAR(trail.points().front().t, 6 - Trail::kLength, 0.03);
  EXPECT_EQ(trail.points().back().t, 6);
  EXPECT_LE(trail.points().size(), 133u);
  for (size_t i = 1; i + 1 < trail.points().size(); ++i) {
    EXPECT_GE(trail.points()[i].t - trail.points()[i - 1].t, 0.019);
  }
  trail.Append(5, {0, 0, 0});
  EXPECT_EQ(trail.points().back().t, 5);
}

// Ten states a second on a circle still give a smooth trail; a reset leaves a gap.
TEST(TrailTest, IsSmoothAtLowFrameRatesAndBreaksAtJumps) {
  Trail trail;
  for (int i = 0; i <= 10; ++i) {
    const double angle = 0.3 * i;
    trail.Append(0.1 * i, {std::cos(angle), std::sin(angle), 0});
  }
  mjvScene scene;
  mjv_defaultScene(&scene);
  mjv_makeScene(nullptr, &scene, 500);
  AddTrail(trail, 0xFF0000, 0x000000, 1, &scene);
  EXPECT_GE(scene.ngeom, 30);
  for (int i = 0; i < scene.ngeom; ++i) {
    const float* p = scene.geoms[i].pos;  // centre of a piece
    EXPECT_NEAR(std::hypot(p[0], p[1]), 1, 0.02);
  }
  const int round = scene.ngeom;
  scene.ngeom = 0;
  trail.Append(1.1, {-1, -3, 0});
  AddTrail(trail, 0xFF0000, 0x000000, 1, &scene);
  EXPECT_EQ(scene.ngeom, round);
  mjv_freeScene(&scene);
}

TEST_F(View3dTest, ThumbnailOutlivesItsView) {
  const RenderTarget thumbnail = RenderThumbnail(*arm_, {}, kLightTheme, 96, 60);
  ASSERT_NE(thumbnail.texture(), 0u);
  const Image image = ReadPixels(thumbnail.framebuffer(), 96, 60);
  const auto [darkest, brightest] = std::minmax_element(image.rgb.begin(), image.rgb.end());
  EXPECT_GT(*brightest - *darkest, 100);
}

TEST(ImageTest, PngKeepsEveryPixel) {
  Image image{3, 2, {}};
  for (int i = 0; i < 18; ++i) image.rgb.push_back(static_cast<uint8_t>(13 * i));
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "image.png").string();
  WritePng(path, image);
  int width = 0, height = 0, channels = 0;
  unsigned char* pixels = stbi_load(path.c_str(), &width, &height, &channels, 3);
  ASSERT_NE(pixels, nullptr);
  EXPECT_EQ(width, 3);
  EXPECT_EQ(height, 2);
  EXPECT_TRUE(std::equal(image.rgb.begin(), image.rgb.end(), pixels));
  stbi_image_free(pixels);
}

TEST(ImageTest, PathThatCannotBeWrittenIsTheUsersError) {
  const Image image{1, 1, {0, 0, 0}};
  try {
    WritePng("/nonexistent/folder/x.png", image);
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("/nonexistent/folder/x.png"), std::string::npos);
  }
}

}  // namespace render_view3d_test
}  // namespace civita
