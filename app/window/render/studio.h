// The studio: colours, lights and floor of our own scenes, and what robots from elsewhere lack.
#pragma once

#include <mujoco/mujoco.h>

#include <vector>

#include "app/window/ui.h"

namespace civita {

/// True when the model stands in our studio: it has the texture `sky`, the material `floor` and the
/// light `key`. Any other model keeps the look that its author gave it.
bool IsStudio(const mjModel& model);

/// Gives a studio model the colours and lights of the theme, by the names `shell`, `joint`, `ring`,
/// `floor` (materials), `sky`, `grid` (textures), `key`, `fill` (lights) and the headlight;
/// selection and perturbation colours of any model follow the theme, too. Returns the textures
/// whose pixels changed and so must be uploaded again.
std::vector<int> ApplyStudio(const Theme& theme, mjModel* model);

/// Six faces (+x −x +y −y +z −z of an OpenGL cube map, y up, 8-bit RGB, `size` pixels squared each)
/// of the theme's sky: the horizon's colour up to the horizon, then fading to the top's.
std::vector<unsigned char> SkyPixels(const Theme& theme, int size);

}  // namespace civita
