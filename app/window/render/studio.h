// The studio: colours, lights and floor of the project's scenes, and substitutes for what other
// models lack.
#pragma once

#include <mujoco/mujoco.h>

#include <vector>

#include "app/window/widgets/ui.h"

namespace civita {

/// Whether the model uses the studio: it has the texture `sky`, the material `floor` and the light
/// `key`. Any other model keeps its author's look.
bool IsStudio(const mjModel& model);

/// Sets a studio model's colours and lights to the theme's, by the names `shell`, `joint`, `ring`,
/// `floor`, `ground` (materials), `sky`, `grid` (textures), `key`, `fill` (lights) and the
/// headlight; also the selection and perturbation colours of any model. Returns the textures whose
/// pixels changed and must be uploaded again.
std::vector<int> ApplyStudio(const Theme& theme, mjModel* model);

/// Brightness of the studio's lamps in a theme.
struct StudioLight {
  float ambient, headlight, key, fill, reflectance;
  float floor_gain;  ///< matches the lit floor to the horizon's colour
};
StudioLight LightOf(const Theme& theme);
void SetHeadlight(const StudioLight& light, mjModel* model);

/// A square of floor with a line along its edge, 8-bit RGB, `size` × `size` pixels, to be lit with
/// the gain of StudioLight.
std::vector<unsigned char> GridPixels(const Theme& theme, int size);

/// Six faces (+x −x +y −y +z −z of an OpenGL cube map, y up, 8-bit RGB, `size` × `size` pixels
/// each) of the theme's sky: the horizon's colour up to the horizon, then fading to the top's.
std::vector<unsigned char> SkyPixels(const Theme& theme, int size);

}  // namespace civita
