// What the studio lends to models from elsewhere.
#pragma once

#include <mujoco/mujoco.h>

#include <vector>

#include "app/window/render/framing.h"
#include "app/window/widgets/ui.h"

namespace civita {

/// The sky, floor, lamps and colours of the studio for a model that lacks them: each only where
/// the model has none of its own, so that an author's look stays. Nothing of it enters the model
/// that is simulated. Upload and Release need the OpenGL context.
class Dressing {
 public:
  /// Finds what `model` lacks. A studio model lacks nothing.
  explicit Dressing(const mjModel& model);

  /// Colours shapes without colour, and the headlight if the lamps are lent.
  void Paint(const Theme& theme, mjModel* model) const;
  /// Uploads the textures as additional ones of `context`, or replaces them.
  void Upload(const Theme& theme, mjrContext* context);
  /// Deletes them; before the context is freed.
  void Release(mjrContext* context);
  /// Sets lamps, floor and the visible depth to a robot whose shapes, over its motion, are in
  /// `robot`.
  void Place(const Box3& robot, mjModel* model, mjrContext* context);
  /// Adds floor and lamps to a scene that mjv_updateScene has filled; the robot has moved by
  /// `moved` since Place.
  void AddTo(const Theme& theme, const Point3& moved, mjvScene* scene) const;

 private:
  struct Painted {
    int geom;
    bool is_dark;
  };

  void LayGrid(float gain, float emission, mjvGeom* plane) const;
  double cell() const;  ///< m, side of the grid's squares

  bool lends_sky_ = false, lends_lamps_ = false, lends_floor_ = false, lends_grid_ = false;
  std::vector<Painted> bare_;  ///< shapes without colour
  std::vector<int> planes_;    ///< planes without colour
  unsigned sky_ = 0, grid_ = 0;
  int grid_index_ = -1;  ///< in the context
  Point3 center_ = {};
  double size_ = 1, floor_z_ = 0, reach_ = 30;  ///< m
};

/// The largest of 1·10ᵏ, 2·10ᵏ and 5·10ᵏ that is at most `size` > 0.
double NiceLength(double size);

// The studio: colours, lights and floor of the project's scenes, and substitutes for what other
// models lack.

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
