// The 3-D view: MuJoCo's renderer, drawing offscreen into a texture that the window shows.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/window/render/decor.h"
#include "app/window/render/dressing.h"
#include "app/window/render/framing.h"
#include "app/window/render/gl_objects.h"
#include "app/window/widgets/ui.h"
#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/plant/payload.h"

namespace civita {

/// Rendering effort. A picture is the mean of several passes with the lamp and the pixel grid
/// moved slightly, which softens shadows and edges.
struct RenderQuality {
  int samples = 4;         // in each pass
  int shadow_size = 4096;  // pixels of the shadow map along each side
  bool reflection = true;
  int slices = 64;        // maximum, around a round geom
  int moving_passes = 4;  // maximum while the picture changes; fewer on a slow machine
  int still_passes = 24;  // in total, one for each frame, while nothing moves

  /// Full quality, or low quality when OpenGL renders on the CPU.
  static RenderQuality ForRenderer(bool software);
};

/// A selectable camera.
struct CameraChoice {
  enum class Kind {
    kFree,
    kTracking,   // follows body `id`
    kFixed,      // the model's own camera `id`
    kDirection,  // the free camera, showing the robot from a direction
  };
  Kind kind = Kind::kFree;
  int id = -1;
  double azimuth = 0, elevation = 0;  // degrees, of kDirection
  std::string name;
};

/// Shows a model at given states. Holds copies of the model and its data, so that simulation and
/// view never share memory. Construction, destruction, SetTheme and Render need the OpenGL context
/// in which it was created; nothing else draws.
class View3d {
 public:
  View3d(const mjModel& model, const Theme& theme, const RenderQuality& quality);
  ~View3d();
  View3d(const View3d&) = delete;
  View3d& operator=(const View3d&) = delete;

  const mjModel& model() const { return *model_; }
  const mjData& data() const { return *data_; }

  /// Applies colours and lights of the theme at once. Models outside the studio keep theirs.
  void SetTheme(const Theme& theme);
  /// Sets the size of the picture in pixels; at least 1 × 1.
  void Resize(int width, int height);
  int width() const { return width_; }
  int height() const { return height_; }

  /// Shows the state at time `t` (s): `qpos` has nq numbers, `qvel` nv or none (used only to damp
  /// the pull of the mouse). Adds the tracked point to the trail, which is shortened if time goes
  /// back. Returns false, and keeps the last picture, when a number is not finite.
  bool SetState(double t, std::span<const double> qpos, std::span<const double> qvel = {});
  void ClearTrail();

  /// Shows a second, translucent robot at `qpos` (nq) and the time of the state, with its own
  /// trail; keeps the last picture when a number is not finite. An empty `qpos` removes it and its
  /// trail.
  void SetGhost(std::span<const double> qpos);

  /// Shows another translucent robot where the reference is, in the reference's colour; an empty
  /// `qpos` removes it.
  void SetReferenceGhost(std::span<const double> qpos);
  bool has_reference_ghost() const { return reference_ghost_.is_shown; }
  /// Sets further arrows.
  void SetArrows(std::vector<ColoredArrow> arrows);

  /// World position of the end effector at `qpos` (nq), for reference paths; the picture does not
  /// change.
  Point3 TrackedPointAt(std::span<const double> qpos);
  /// Sets the points of the future reference, 20 ms apart; empty hides it.
  void SetReferencePath(std::vector<Point3> path);
  /// Sets the active push; nullopt hides the arrow.
  void SetPush(const std::optional<PushArrow>& push);
  /// Sets the stance of a legged robot; nullopt hides the marks.
  void SetStance(const std::optional<StanceMarks>& stance);
  bool has_stance() const { return stance_.has_value(); }

  /// Whether Render would change the picture.
  bool wants_render() const { return dirty_ || pass_ < quality_.still_passes; }
  /// Draws what is due: a few passes after a change, else one more pass of the still picture.
  void Render();
  /// Draws all passes of the still picture, for screenshots.
  void RenderStill();
  /// OpenGL name of the picture's texture (first row at the bottom), constant for the view's life.
  /// The texture is empty before the first Render.
  unsigned texture() const { return picture_.texture(); }
  /// Transfers ownership of the picture, which outlives the view.
  RenderTarget TakePicture();
  /// Copies the present picture.
  Image Snapshot() const;

  // ---- camera
  const std::vector<CameraChoice>& cameras() const { return cameras_; }
  int camera_choice() const { return camera_choice_; }
  /// Selects cameras()[choice]; ignored if out of range.
  void SetCamera(int choice);
  /// Selects the next (+1) or previous (−1) camera.
  void CycleCamera(int step);
  /// Sets configurations (nq each) between which the robot will move, so that the camera shows all
  /// of them; without any, it leaves room around the present one.
  void SetMotion(std::span<const std::vector<double>> configurations);
  /// Of the picture, what nothing covers: there the free camera shows the robot, until it is moved.
  void SetPart(const PicturePart& part);
  /// Selects the free camera in its first direction and shows the whole robot, also after changes
  /// of the size, until it is moved. The free camera follows a floating base smoothly, until it is
  /// panned or centred on something, and again when it is selected anew.
  void FrameAll();

  /// Where the user put the free camera: azimuth and elevation (°), distance (m), and the point it
  /// looks at (m), from the body that it follows; nullopt while it frames the robot by itself, or
  /// another camera is selected.
  std::optional<std::array<double, 6>> PlacedCamera() const;
  void PlaceCamera(const std::array<double, 6>& place);

  // ---- mouse; positions and motions are fractions of the picture's height, y downwards
  /// Moves the camera by MuJoCo's action.
  void MoveCamera(mjtMouse action, double dx, double dy);
  /// Zooms by `notches` of the wheel; positive: closer.
  void ZoomCamera(double notches);
  /// Selects the body at (x, y) in [0, 1]², from the upper left; none if there is no body.
  void SelectAt(double x, double y);
  /// Selects a body, to be pulled at its centre of mass.
  void SelectBody(int body);
  /// Centres the free camera on the point at (x, y).
  void LookAt(double x, double y);
  /// Follows the body at (x, y) with the tracking camera; on the ground it selects the free
  /// camera.
  void TrackAt(double x, double y);
  /// Where a point of the world is in the last picture, in [0, 1]² from the upper left if it is
  /// inside; none behind the camera.
  std::optional<std::array<double, 2>> PlaceOf(const Point3& point) const;
  int selected_body() const { return perturb_.select; }
  void ClearSelection();

  /// Starts to pull (mjPERT_TRANSLATE) or rotate (mjPERT_ROTATE) the selected body; no effect
  /// without one.
  void StartPerturb(mjtPertBit kind);
  void MovePerturb(mjtMouse action, double dx, double dy);
  void StopPerturb();
  bool perturbing() const { return perturb_.active != 0; }
  /// The perturbation in MuJoCo's terms, for mjv_applyPerturbForce on the simulated data.
  const mjvPerturb& perturb() const { return perturb_; }
  /// Force and torque (N, N·m, world, at the body's centre of mass) on `selected_body` for the
  /// shown state.
  std::array<double, 6> PerturbWrench() const;

  /// Kinds of frames and labels; call Invalidate after changes.
  mjvOption& options() { return options_; }
  /// What of MuJoCo's drawing is on or off: visual flags, rendering effects, groups, by MuJoCo's
  /// names; call Invalidate after changes. A heading is of its flag and of those behind.
  struct Flag {
    std::string heading, name;
    mjtByte* value;
  };
  std::vector<Flag> flags();
  /// Puts them, frames and labels back to what they were at first.
  void ResetFlags();
  void Invalidate() { dirty_ = true; }

  /// Size of the model relative to a robot of about a metre; scales the additions of decor.h.
  double unit() const { return unit_; }

 private:
  void ListCameras();
  void UpdateScene();
  struct Ghost {
    std::unique_ptr<mjData, MjDataDeleter> data;  ///< created at first use
    bool is_shown = false;
  };
  bool MoveGhost(std::span<const double> qpos, Ghost* ghost);
  void AddGhost(const Ghost& ghost, Rgb color);
  void AddPullMark();
  Point3 TrackedPointOf(const mjData& data) const;
  void HighlightSelection();
  void DrawPass();
  void JitterLights(int pass);
  void JitterPixels(int pass);
  void Follow(int body);
  void Settle();
  std::vector<Point3> FramedPoints() const;
  void Autoframe();
  void FollowFor(double dt);
  int Pick(double x, double y, double point[3]);
  double aspect() const { return static_cast<double>(width_) / height_; }

  MjModelPtr model_;
  std::unique_ptr<mjData, MjDataDeleter> data_, scratch_;
  Ghost ghost_, reference_ghost_;
  int geoms_without_ghost_ = 0;
  Theme theme_;
  RenderQuality quality_;
  Dressing dressing_;
  mjrContext context_;
  mjvScene scene_;
  mjvOption options_;
  std::vector<mjtByte> first_flags_;  ///< rendering effects as they were at first
  mjvCamera camera_;
  mjvPerturb perturb_;
  RenderTarget pass_target_{RenderTarget::Format::kByte}, picture_{RenderTarget::Format::kHalf};
  RenderTarget ghost_target_{RenderTarget::Format::kByte};
  int width_ = 1, height_ = 1;
  bool dirty_ = true, resized_ = true, autoframe_ = true, first_state_ = true;
  int pass_ = 0, moving_passes_ = 1, timed_passes_ = 0;
  std::vector<CameraChoice> cameras_;
  int camera_choice_ = 0;
  PicturePart part_;
  TrackedPoint tracked_;
  DrawnPayload payload_;
  Trail trail_, ghost_trail_;
  std::vector<Point3> reference_;
  std::optional<PushArrow> push_;
  std::optional<StanceMarks> stance_;
  std::vector<ColoredArrow> arrows_;
  int followed_ = 0;
  bool is_following_ = true;
  /// initial position; position that the camera follows
  Point3 followed_home_ = {}, followed_at_ = {};
  /// corners of the robot in its motion, relative to the followed body; none: of the present state
  std::vector<Point3> motion_;
  std::array<mjvLight, mjMAXLIGHT> lights_;
  std::array<mjvGLCamera, 2> gl_cameras_;
  double unit_ = 1;
};

/// A picture of `model` at `qpos` (nq numbers; empty: keyframe `home` or the model's own start)
/// with the whole robot in view, as a texture that the caller owns.
RenderTarget RenderThumbnail(const mjModel& model, std::span<const double> qpos, const Theme& theme,
                             int width, int height);

}  // namespace civita
