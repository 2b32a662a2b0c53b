#include "app/window/render/studio.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace civita {
namespace {

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
