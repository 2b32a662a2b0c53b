#include "app/window/render/dressing.h"

#include <GL/gl.h>
#include <GL/glext.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "app/window/render/studio.h"

namespace civita {
namespace {

constexpr int kSkySize = 128, kGridSize = 512;  // pixels
// Directions and highlights of the lamps as in scenes/common/studio.xml.
constexpr std::array<float, 3> kKeyWay = {-0.351f, 0.418f, -0.837f};
constexpr std::array<float, 3> kFillWay = {0.775f, 0.339f, -0.533f};

// Whether the geom has neither material nor colour, hence MuJoCo's grey.
bool IsBare(const mjModel& m, int geom) {
  const float* rgba = m.geom_rgba + 4 * geom;
  return m.geom_matid[geom] < 0 && rgba[0] == 0.5f && rgba[1] == 0.5f && rgba[2] == 0.5f &&
         rgba[3] == 1;
}

bool IsAtRest(const mjModel& m, int geom) { return m.body_weldid[m.geom_bodyid[geom]] == 0; }

// Whether the number of joints between the world and the body is odd, those of the base left out.
bool IsOdd(const mjModel& m, int body) {
  bool odd = false;
  for (; body > 0; body = m.body_parentid[body]) {
    const bool floats = m.body_jntnum[body] > 0 && m.jnt_type[m.body_jntadr[body]] == mjJNT_FREE;
    if (m.body_jntnum[body] > 0 && !floats) odd = !odd;
  }
  return odd;
}

bool HasSky(const mjModel& m) {
  return std::find(m.tex_type, m.tex_type + m.ntex, mjTEXTURE_SKYBOX) != m.tex_type + m.ntex;
}

// A new texture of the context, or 0 when it has no room.
unsigned NewTexture(int type, mjrContext* context) {
  if (context->ntexture >= mjMAXTEXTURE) return 0;
  unsigned texture = 0;
  glGenTextures(1, &texture);
  context->texture[context->ntexture] = texture;
  context->textureType[context->ntexture++] = type;
  return texture;
}

void UploadSky(unsigned texture, const std::vector<unsigned char>& pixels) {
  glBindTexture(GL_TEXTURE_CUBE_MAP, texture);
  for (const GLenum key :
       std::initializer_list<GLenum>{GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER}) {
    glTexParameteri(GL_TEXTURE_CUBE_MAP, key, GL_LINEAR);
  }
  for (const GLenum key :
       std::initializer_list<GLenum>{GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R}) {
    glTexParameteri(GL_TEXTURE_CUBE_MAP, key, GL_CLAMP_TO_EDGE);
  }
  constexpr size_t kFace = static_cast<size_t>(3) * kSkySize * kSkySize;
  for (unsigned face = 0; face < 6; ++face) {
    glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGB, kSkySize, kSkySize, 0, GL_RGB,
                 GL_UNSIGNED_BYTE, pixels.data() + face * kFace);
  }
  glBindTexture(GL_TEXTURE_CUBE_MAP, 0);
}

void UploadGrid(unsigned texture, const std::vector<unsigned char>& pixels) {
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, kGridSize, kGridSize, 0, GL_RGB, GL_UNSIGNED_BYTE,
               pixels.data());
  glGenerateMipmap(GL_TEXTURE_2D);
  glBindTexture(GL_TEXTURE_2D, 0);
}

void AddLamp(const std::array<float, 3>& way, const std::array<float, 3>& diffuse, float specular,
             const Point3& center, double distance, bool casts_shadow, mjvScene* scene) {
  if (scene->nlight >= mjMAXLIGHT) return;
  mjvLight& light = scene->lights[scene->nlight++];
  light = {};
  light.id = -1;
  light.type = mjLIGHT_DIRECTIONAL;
  light.texid = -1;
  light.attenuation[0] = 1;
  light.cutoff = 45;
  light.castshadow = casts_shadow ? 1 : 0;
  light.range = 10 * static_cast<float>(distance);
  for (size_t i = 0; i < 3; ++i) {
    light.dir[i] = way[i];
    light.pos[i] = static_cast<float>(center[i] - distance * way[i]);
    light.diffuse[i] = diffuse[i];
    light.specular[i] = specular;
  }
}

// Light that falls on a horizontal floor, as a share of its colour: all of it, and that of spots,
// which light only a part of the floor.
struct FloorLight {
  float all = 0, spots = 0;
};

FloorLight LightOnFloor(const mjvScene& scene) {
  constexpr float kHeadlightShare = 0.3f;  // it comes from the eye, at a flat angle
  FloorLight light;
  for (int i = 0; i < scene.nlight; ++i) {
    const mjvLight& lamp = scene.lights[i];
    const float cosine = lamp.headlight ? kHeadlightShare : std::max(0.0f, -lamp.dir[2]);
    const float share = lamp.ambient[0] + lamp.diffuse[0] * cosine;
    light.all += share;
    if (!lamp.headlight && lamp.type == mjLIGHT_SPOT) light.spots += share;
  }
  return light;
}

}  // namespace

double NiceLength(double size) {
  const double decade = std::pow(10, std::floor(std::log10(size)));
  for (const double digit : {5.0, 2.0}) {
    if (digit * decade <= size) return digit * decade;
  }
  return decade;
}

Dressing::Dressing(const mjModel& model) : lends_sky_(!HasSky(model)) {
  if (IsStudio(model)) return;
  lends_lamps_ = model.nlight == 0;
  bool has_ground = false;
  for (int g = 0; g < model.ngeom; ++g) {
    const bool plane = model.geom_type[g] == mjGEOM_PLANE;
    const bool ground = plane || model.geom_type[g] == mjGEOM_HFIELD;
    has_ground = has_ground || (ground && IsAtRest(model, g));
    if (!IsBare(model, g)) continue;
    if (plane) {
      planes_.push_back(g);
    } else {
      const bool dark = IsAtRest(model, g) || IsOdd(model, model.geom_bodyid[g]);
      bare_.push_back({g, dark});
    }
  }
  lends_floor_ = lends_sky_ && !has_ground;
  lends_grid_ = lends_floor_ || !planes_.empty();
}

void Dressing::Paint(const Theme& theme, mjModel* model) const {
  for (const Painted& painted : bare_) {
    constexpr float kLighter =
        0.3f;  // large shapes in the joints' colour would be lost in the dark
    const Rgb dark = Mix(theme.joint, theme.shell, kLighter);
    const std::array<float, 3> c = ToFloats(painted.is_dark ? dark : theme.shell);
    std::copy(c.begin(), c.end(), model->geom_rgba + 4 * painted.geom);
  }
  if (lends_lamps_) SetHeadlight(LightOf(theme), model);
}

void Dressing::Upload(const Theme& theme, mjrContext* context) {
  // MuJoCo does this only for a model with textures.
  glActiveTexture(GL_TEXTURE0);
  for (const GLenum axis : std::initializer_list<GLenum>{GL_S, GL_T, GL_R}) {
    glTexGeni(axis, GL_TEXTURE_GEN_MODE, GL_OBJECT_LINEAR);
  }
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  if (lends_sky_) {
    if (sky_ == 0) sky_ = NewTexture(mjTEXTURE_SKYBOX, context);
    if (sky_ != 0) UploadSky(sky_, SkyPixels(theme, kSkySize));
  }
  if (lends_grid_) {
    if (grid_ == 0) {
      grid_index_ = context->ntexture;
      grid_ = NewTexture(mjTEXTURE_2D, context);
    }
    if (grid_ != 0) UploadGrid(grid_, GridPixels(theme, kGridSize));
  }
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
}

void Dressing::Release(mjrContext* context) {
  for (unsigned* texture : {&sky_, &grid_}) {
    if (*texture == 0) continue;
    --context->ntexture;  // owned here, not by the context
    glDeleteTextures(1, texture);
    *texture = 0;
  }
}

void Dressing::Place(const Box3& robot, mjModel* model, mjrContext* context) {
  size_ = std::max(robot.diagonal(), 1e-3);
  center_ = robot.center();
  // The ground is at zero, where a robot stands or hovers a little above it, else below the robot.
  const double lowest = robot.lo[2], tolerance = 0.01 * size_;
  floor_z_ = lowest > -tolerance && lowest < size_ ? std::min(0.0, lowest) : lowest - tolerance;
  // A large shape at rest is a ground, too.
  for (int g = 0; g < model->ngeom; ++g) {
    if (IsAtRest(*model, g) && model->geom_rbound[g] > 1.5 * size_) lends_floor_ = false;
  }
  if (!lends_lamps_) return;
  constexpr double kExtent = 1.15, kShadowed = 0.9;
  model->stat.extent = kExtent * size_;
  std::copy(center_.begin(), center_.end(), model->stat.center);
  model->vis.map.znear = 0.02f;
  model->vis.map.zfar = static_cast<float>(reach_);
  context->shadowClip = static_cast<float>(kShadowed * model->stat.extent);
}

double Dressing::cell() const {
  constexpr double kCell = 0.45;  // of the robot's size
  return NiceLength(kCell * size_);
}

void Dressing::LayGrid(float gain, float emission, mjvGeom* plane) const {
  std::fill_n(plane->rgba, 3, gain);
  plane->rgba[3] = 1;
  plane->emission = emission;
  plane->specular = plane->shininess = plane->reflectance = 0;
  plane->texid = grid_index_;
  plane->matid = 0;  // the renderer asks whether there is one, then takes the texture above
  plane->texuniform = 1;
  // MuJoCo's unit of repetition is two lengths.
  plane->texrepeat[0] = plane->texrepeat[1] = static_cast<float>(2 / cell());
}

void Dressing::AddTo(const Theme& theme, const Point3& moved, mjvScene* scene) const {
  if (lends_lamps_) {
    const StudioLight light = LightOf(theme);
    const double distance = 2 * size_;
    AddLamp(kKeyWay, {light.key, light.key, light.key}, 0.28f, center_, distance, true, scene);
    AddLamp(kFillWay, {0.95f * light.fill, light.fill, 1.06f * light.fill}, 0.1f, center_, distance,
            false, scene);
  }
  if (grid_ == 0) return;
  // Lit so that it melts into the horizon, also beyond the reach of an author's spots.
  constexpr float kSpots = 0.15f;  // share of the floor's brightness that they may have
  const FloorLight light = LightOnFloor(*scene);
  float gain = 1 / std::max(light.all, 1.0f);
  if (light.spots > kSpots) gain = std::min(gain, kSpots / light.spots);
  float emission = std::max(0.0f, 1 / gain - light.all);
  if (lends_lamps_) {
    gain = LightOf(theme).floor_gain;
    emission = 0;
  }
  for (int i = 0; i < scene->ngeom; ++i) {
    mjvGeom& geom = scene->geoms[i];
    if (geom.objtype != mjOBJ_GEOM || geom.type != mjGEOM_PLANE) continue;
    if (std::find(planes_.begin(), planes_.end(), geom.objid) != planes_.end()) {
      LayGrid(gain, emission, &geom);
    }
  }
  if (!lends_floor_ || scene->ngeom >= scene->maxgeom) return;
  mjvGeom* floor = &scene->geoms[scene->ngeom++];
  const mjtNum half = reach_ * size_;
  const std::array<mjtNum, 3> size = {half, half, 0.1 * size_};
  const auto snapped = [this](double way) { return cell() * std::round(way / cell()); };
  const std::array<mjtNum, 3> pos = {center_[0] + snapped(moved[0]), center_[1] + snapped(moved[1]),
                                     floor_z_};
  mjv_initGeom(floor, mjGEOM_PLANE, size.data(), pos.data(), nullptr, nullptr);
  floor->category = mjCAT_DECOR;
  floor->castshadow = 0;
  LayGrid(gain, emission, floor);
}

}  // namespace civita
