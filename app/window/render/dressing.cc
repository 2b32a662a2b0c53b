#include "app/window/render/dressing.h"

#include <GL/gl.h>
#include <GL/glext.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

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

int Find(const mjModel& model, mjtObj type, const char* name) {
  return mj_name2id(&model, type, name);
}

void SetRgb(Rgb color, float* rgb) {
  const std::array<float, 3> c = ToFloats(color);
  std::copy(c.begin(), c.end(), rgb);
}

void SetMaterial(mjModel* model, const char* name, Rgb color) {
  const int id = Find(*model, mjOBJ_MATERIAL, name);
  if (id >= 0) SetRgb(color, model->mat_rgba + 4 * id);
}

void SetLight(mjModel* model, const char* name, std::array<float, 3> diffuse) {
  const int id = Find(*model, mjOBJ_LIGHT, name);
  if (id >= 0) std::copy(diffuse.begin(), diffuse.end(), model->light_diffuse + 3 * id);
}

unsigned char* TexturePixels(mjModel* model, int id) {
  return model->tex_data + model->tex_adr[id];
}

void PaintGrid(const Theme& theme, mjModel* model, int id) {
  const int width = model->tex_width[id];
  if (model->tex_height[id] != width || model->tex_nchannel[id] != 3) return;
  std::vector<unsigned char> pixels = GridPixels(theme, width);
  const float gain = LightOf(theme).floor_gain;
  for (unsigned char& pixel : pixels) {
    pixel = static_cast<unsigned char>(std::lround(gain * static_cast<float>(pixel)));
  }
  std::copy(pixels.begin(), pixels.end(), TexturePixels(model, id));
}

// Terrain has the floor's texture, but must differ from the floor behind it.
void PaintGround(const Theme& theme, mjModel* model) {
  const int id = Find(*model, mjOBJ_MATERIAL, "ground");
  if (id < 0) return;
  model->mat_emission[id] = theme.dark ? 0.45f : 0;
  std::fill_n(model->mat_rgba + 4 * id, 3, theme.dark ? 1.0f : 0.88f);
}

bool PaintSky(const Theme& theme, mjModel* model, int id) {
  const int size = model->tex_width[id];
  if (model->tex_height[id] != 6 * size || model->tex_nchannel[id] != 3) return false;
  const std::vector<unsigned char> pixels = SkyPixels(theme, size);
  std::copy(pixels.begin(), pixels.end(), TexturePixels(model, id));
  return true;
}

void SetHelperColors(const Theme& theme, mjModel* model) {
  mjVisual& visual = model->vis;
  SetRgb(theme.push, visual.rgba.force);
  SetRgb(theme.accent, visual.rgba.selectpoint);
  SetRgb(theme.accent, visual.rgba.connect);
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

bool IsStudio(const mjModel& model) {
  return Find(model, mjOBJ_TEXTURE, "sky") >= 0 && Find(model, mjOBJ_MATERIAL, "floor") >= 0 &&
         Find(model, mjOBJ_LIGHT, "key") >= 0;
}

StudioLight LightOf(const Theme& theme) {
  return theme.dark ? StudioLight{0.36f, 0.14f, 0.50f, 0.16f, 0.07f, 0.955f}
                    : StudioLight{0.40f, 0.13f, 0.50f, 0.13f, 0.05f, 0.996f};
}

void SetHeadlight(const StudioLight& light, mjModel* model) {
  std::fill_n(model->vis.headlight.ambient, 3, light.ambient);
  std::fill_n(model->vis.headlight.diffuse, 3, light.headlight);
  std::fill_n(model->vis.headlight.specular, 3, 0.06f);
}

std::vector<unsigned char> GridPixels(const Theme& theme, int size) {
  std::vector<unsigned char> pixels;
  pixels.reserve(static_cast<size_t>(3) * static_cast<size_t>(size) * static_cast<size_t>(size));
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      const bool edge = x == 0 || y == 0 || x == size - 1 || y == size - 1;
      const Rgb color = edge ? theme.floor_line : theme.floor;
      for (const int shift : {16, 8, 0}) {
        pixels.push_back(static_cast<unsigned char>(color >> shift));
      }
    }
  }
  return pixels;
}

std::vector<unsigned char> SkyPixels(const Theme& theme, int size) {
  const std::array<float, 3> top = ToFloats(theme.view_top), low = ToFloats(theme.view_horizon);
  std::vector<unsigned char> pixels;
  pixels.reserve(static_cast<size_t>(18) * static_cast<size_t>(size) * static_cast<size_t>(size));
  // Half a level of noise with a fixed seed: smooth gradients would show bands without it.
  unsigned noise = 12345;
  for (int face = 0; face < 6; ++face) {
    for (int row = 0; row < size; ++row) {
      for (int column = 0; column < size; ++column) {
        const float u = 2 * (static_cast<float>(column) + 0.5f) / static_cast<float>(size) - 1;
        const float v = 2 * (static_cast<float>(row) + 0.5f) / static_cast<float>(size) - 1;
        const float y = face == 2 ? 1.0f : face == 3 ? -1.0f : -v;
        const float norm = face == 2 || face == 3 ? u * u + v * v + 1 : u * u + y * y + 1;
        const float t = std::clamp(y / std::sqrt(norm) / 0.62f, 0.0f, 1.0f);
        const float blend = t * t * (3 - 2 * t);
        for (size_t c = 0; c < 3; ++c) {
          noise = noise * 1664525u + 1013904223u;
          const float dither = static_cast<float>(noise >> 8) / static_cast<float>(1u << 24);
          const float level = 255 * (low[c] + (top[c] - low[c]) * blend) + dither;
          pixels.push_back(static_cast<unsigned char>(std::clamp(level, 0.0f, 255.0f)));
        }
      }
    }
  }
  return pixels;
}

std::vector<int> ApplyStudio(const Theme& theme, mjModel* model) {
  SetHelperColors(theme, model);
  std::vector<int> changed;
  if (!IsStudio(*model)) return changed;
  const StudioLight light = LightOf(theme);
  SetHeadlight(light, model);
  SetLight(model, "key", {light.key, light.key, light.key});
  SetLight(model, "fill", {0.95f * light.fill, light.fill, 1.06f * light.fill});
  SetMaterial(model, "shell", theme.shell);
  SetMaterial(model, "joint", theme.joint);
  SetMaterial(model, "ring", theme.accent);
  PaintGround(theme, model);
  model->mat_reflectance[Find(*model, mjOBJ_MATERIAL, "floor")] = light.reflectance;
  SetRgb(theme.view_horizon, model->vis.rgba.haze);
  const int sky = Find(*model, mjOBJ_TEXTURE, "sky"), grid = Find(*model, mjOBJ_TEXTURE, "grid");
  if (PaintSky(theme, model, sky)) changed.push_back(sky);
  if (grid >= 0) {
    PaintGrid(theme, model, grid);
    changed.push_back(grid);
  }
  return changed;
}

}  // namespace civita
