#include "app/window/render/view3d.h"

#include <GL/gl.h>
#include <GL/glext.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "civita/error.h"

namespace civita {
namespace {

constexpr int kHiddenGroup = mjNGROUP - 1;
constexpr int kMaxGeoms = 6000;        // in addition to the model's
constexpr double kLampRadius = 0.022;  // rad: angular radius of the lamp, which softens shadows
constexpr double kGoldenAngle = 2.399963229728653;
constexpr double kFrameBudget = 6e-3;  // s available for the passes of a moving picture
constexpr float kGhostOpacity = 0.48f;
constexpr float kGhostTint = 0.8f;    // share of the second run's colour
constexpr float kGhostSize = 0.985f;  // so that overlapping robots do not flicker

bool AllFinite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

// MuJoCo's standard camera, which says nothing about the author's wish, becomes the studio's.
void TurnStandardCamera(mjModel* model) {
  auto& view = model->vis.global;
  if (view.azimuth == 90 && view.elevation == -45) {
    view.azimuth = 138;
    view.elevation = -13;
  }
  if (view.fovy == 45) view.fovy = 36;
}

bool ShowsContacts(const mjvOption& options) {
  return options.flags[mjVIS_CONTACTPOINT] || options.flags[mjVIS_CONTACTFORCE];
}

}  // namespace

RenderQuality RenderQuality::ForRenderer(bool software) {
  if (!software) return {};
  return {.samples = 0,
          .shadow_size = 1024,
          .reflection = false,
          .slices = 28,
          .moving_passes = 1,
          .still_passes = 8};
}

View3d::View3d(const mjModel& model, const Theme& theme, const RenderQuality& quality)
    : model_(mj_copyModel(nullptr, &model)), theme_(theme), quality_(quality), dressing_(*model_) {
  CIVITA_CHECK(model_ != nullptr, "MuJoCo could not copy the model");
  model_->vis.quality.offsamples = quality.samples;
  model_->vis.quality.shadowsize = quality.shadow_size;
  model_->vis.quality.numslices = std::min(model_->vis.quality.numslices, quality.slices);
  model_->vis.quality.numstacks = std::min(model_->vis.quality.numstacks, quality.slices / 2);
  ApplyStudio(theme_, model_.get());
  dressing_.Paint(theme_, model_.get());
  TurnStandardCamera(model_.get());
  data_.reset(mj_makeData(model_.get()));
  scratch_.reset(mj_makeData(model_.get()));
  CIVITA_CHECK(data_ != nullptr && scratch_ != nullptr, "MuJoCo could not make data");
  mjv_defaultFreeCamera(model_.get(), &camera_);
  mjv_defaultPerturb(&perturb_);
  mjv_defaultScene(&scene_);
  mjv_makeScene(model_.get(), &scene_, kMaxGeoms + 2 * static_cast<int>(model_->ngeom));
  mjr_defaultContext(&context_);
  mjr_makeContext(model_.get(), &context_, mjFONTSCALE_100);
  first_flags_.assign(scene_.flags, scene_.flags + mjNRNDFLAG);
  first_flags_[mjRND_REFLECTION] = quality.reflection;
  if (IsStudio(*model_)) first_flags_[mjRND_HAZE] = 0;
  ResetFlags();
  picture_.Resize(1, 1);  // so that the texture's name exists before the first picture
  dressing_.Upload(theme_, &context_);
  tracked_ = FindTrackedPoint(*model_);
  payload_ = FindDrawnPayload(*model_);
  ListCameras();
  mj_fwdKinematics(model_.get(), data_.get());
  if (const int base = FindFloatingBase(*model_); base > 0) Follow(base);
  Settle();
  if (model_->vis.global.cameraid >= 0) {
    for (size_t i = 0; i < cameras_.size(); ++i) {
      const bool wanted = cameras_[i].id == model_->vis.global.cameraid;
      if (cameras_[i].kind == CameraChoice::Kind::kFixed && wanted) SetCamera(static_cast<int>(i));
    }
  }
  UpdateScene();  // selection and pulling use the scene, possibly before the first picture
}

View3d::~View3d() {
  dressing_.Release(&context_);
  mjr_freeContext(&context_);
  mjv_freeScene(&scene_);
}

void View3d::SetTheme(const Theme& theme) {
  theme_ = theme;
  for (const int texture : ApplyStudio(theme_, model_.get())) {
    mjr_uploadTexture(model_.get(), &context_, texture);
  }
  dressing_.Paint(theme_, model_.get());
  dressing_.Upload(theme_, &context_);
  dirty_ = true;
}

void View3d::Resize(int width, int height) {
  width = std::max(width, 1);
  height = std::max(height, 1);
  if (width == width_ && height == height_ && !resized_) return;
  width_ = width;
  height_ = height;
  resized_ = dirty_ = true;
  Autoframe();
}

bool View3d::SetState(double t, std::span<const double> qpos, std::span<const double> qvel) {
  CIVITA_CHECK(qpos.size() == static_cast<size_t>(model_->nq),
               "qpos has " << qpos.size() << " numbers, the model wants " << model_->nq);
  CIVITA_CHECK(qvel.empty() || qvel.size() == static_cast<size_t>(model_->nv));
  if (!std::isfinite(t) || !AllFinite(qpos) || !AllFinite(qvel)) return false;
  const bool same = t == data_->time && std::equal(qpos.begin(), qpos.end(), data_->qpos);
  if (same && pass_ > 0) return true;
  const double dt = t - data_->time;
  data_->time = t;
  std::copy(qpos.begin(), qpos.end(), data_->qpos);
  std::fill_n(data_->qvel, model_->nv, 0.0);
  std::copy(qvel.begin(), qvel.end(), data_->qvel);
  mj_fwdKinematics(model_.get(), data_.get());
  mj_comVel(model_.get(), data_.get());
  if (payload_.geom >= 0) {
    model_->geom_group[payload_.geom] = t >= payload_.at_s ? 0 : kHiddenGroup;
  }
  FollowFor(first_state_ ? -1 : dt);
  if (std::exchange(first_state_, false)) Settle();
  trail_.Append(t, TrackedPointOf(*data_));
  dirty_ = true;
  return true;
}

Point3 View3d::TrackedPointOf(const mjData& data) const {
  const mjtNum* p =
      tracked_.site >= 0 ? data.site_xpos + 3 * tracked_.site : data.xpos + 3 * tracked_.body;
  return {p[0], p[1], p[2]};
}

// Returns whether the ghost is shown at a new place.
bool View3d::MoveGhost(std::span<const double> qpos, Ghost* ghost) {
  CIVITA_CHECK(qpos.empty() || qpos.size() == static_cast<size_t>(model_->nq));
  if (qpos.empty()) {
    dirty_ = dirty_ || ghost->is_shown;
    ghost->is_shown = false;
    return false;
  }
  if (!AllFinite(qpos)) return false;
  if (!ghost->data) ghost->data.reset(mj_makeData(model_.get()));
  CIVITA_CHECK(ghost->data != nullptr, "MuJoCo could not make data");
  ghost->is_shown = true;
  std::copy(qpos.begin(), qpos.end(), ghost->data->qpos);
  mj_fwdKinematics(model_.get(), ghost->data.get());
  dirty_ = true;
  return true;
}

void View3d::SetGhost(std::span<const double> qpos) {
  if (MoveGhost(qpos, &ghost_)) {
    ghost_trail_.Append(data_->time, TrackedPointOf(*ghost_.data));
  } else if (!ghost_.is_shown) {
    ghost_trail_.Clear();
  }
}

void View3d::SetReferenceGhost(std::span<const double> qpos) { MoveGhost(qpos, &reference_ghost_); }

void View3d::SetArrows(std::vector<ColoredArrow> arrows) {
  if (arrows.empty() && arrows_.empty()) return;
  arrows_ = std::move(arrows);
  dirty_ = true;
}

void View3d::ClearTrail() {
  trail_.Clear();
  ghost_trail_.Clear();
  dirty_ = true;
}

Point3 View3d::TrackedPointAt(std::span<const double> qpos) {
  CIVITA_CHECK(qpos.size() == static_cast<size_t>(model_->nq));
  std::copy(qpos.begin(), qpos.end(), scratch_->qpos);
  mj_kinematics(model_.get(), scratch_.get());
  return TrackedPointOf(*scratch_);
}

void View3d::SetReferencePath(std::vector<Point3> path) {
  if (path == reference_) return;
  reference_ = std::move(path);
  dirty_ = true;
}

void View3d::SetPush(const std::optional<PushArrow>& push) {
  if (!push && !push_) return;
  push_ = push;
  dirty_ = true;
}

void View3d::SetStance(const std::optional<StanceMarks>& stance) {
  if (!stance && !stance_) return;
  stance_ = stance;
  dirty_ = true;
}

// ---- drawing

void View3d::UpdateScene() {
  if (ShowsContacts(options_)) mj_collision(model_.get(), data_.get());
  mjv_updateScene(model_.get(), data_.get(), &options_, &perturb_, &camera_, mjCAT_ALL, &scene_);
  Point3 moved;
  for (size_t i = 0; i < 3; ++i) moved[i] = followed_at_[i] - followed_home_[i];
  dressing_.AddTo(theme_, moved, &scene_);
  for (int i = 0; i < scene_.ngeom; ++i) {  // a floor would shade itself with speckles
    if (scene_.geoms[i].type == mjGEOM_PLANE) scene_.geoms[i].castshadow = 0;
  }
  AddReference(reference_, theme_.reference, unit_, &scene_);
  AddTrail(trail_, theme_.accent, theme_.view_horizon, unit_, &scene_);
  if (ghost_.is_shown)
    AddTrail(ghost_trail_, theme_.series[1], theme_.view_horizon, unit_, &scene_);
  if (push_) AddPush(*push_, theme_.push, unit_, &scene_);
  if (stance_) AddStance(*stance_, theme_, unit_, &scene_);
  AddArrows(arrows_, unit_, &scene_);
  AddPullMark();
  HighlightSelection();
  geoms_without_ghost_ = scene_.ngeom;
  if (reference_ghost_.is_shown) AddGhost(reference_ghost_, theme_.reference);
  if (ghost_.is_shown) AddGhost(ghost_, theme_.series[1]);
  std::copy_n(scene_.lights, scene_.nlight, lights_.begin());
  if (followed_ > 0) {  // the lamp's shadows only cover the surroundings of its axis
    for (int i = 0; i < scene_.nlight; ++i) {
      mjvLight& light = lights_[static_cast<size_t>(i)];
      if (light.type != mjLIGHT_DIRECTIONAL || light.headlight) continue;
      for (size_t k = 0; k < 2; ++k) light.pos[k] += static_cast<float>(moved[k]);
    }
  }
  std::copy_n(scene_.camera, 2, gl_cameras_.begin());
}

// Adds the second robot opaque in one colour; DrawPass makes it translucent as a whole, so that no
// inner surfaces show.
void View3d::AddGhost(const Ghost& ghost, Rgb color) {
  const int first = scene_.ngeom;
  mjv_addGeoms(model_.get(), ghost.data.get(), &options_, nullptr, mjCAT_DYNAMIC, &scene_);
  const std::array<float, 3> tint = ToFloats(color);
  for (int i = first; i < scene_.ngeom; ++i) {
    mjvGeom& geom = scene_.geoms[i];
    for (size_t c = 0; c < 3; ++c) {
      geom.rgba[c] = (1 - kGhostTint) * geom.rgba[c] + kGhostTint * tint[c];
    }
    for (float& size : geom.size) size *= kGhostSize;
    geom.matid = -1;
    geom.emission = theme_.dark ? 0.28f : 0.18f;
    geom.castshadow = 0;
  }
}

// In place of MuJoCo's red one: from the grabbed point to where the mouse pulls it.
void View3d::AddPullMark() {
  if (perturb_.active != mjPERT_TRANSLATE || perturb_.select <= 0) return;
  const auto body = static_cast<size_t>(perturb_.select);
  Point3 grabbed, pointer;
  mju_mulMatVec3(grabbed.data(), data_->xmat + 9 * body, perturb_.localpos);
  mju_addTo3(grabbed.data(), data_->xpos + 3 * body);
  mju_copy3(pointer.data(), perturb_.refselpos);
  AddPull(grabbed, pointer, theme_.push, unit_, &scene_);
}

void View3d::HighlightSelection() {
  if (perturb_.select <= 0) return;
  const std::array<float, 3> accent = ToFloats(theme_.accent);
  for (int i = 0; i < scene_.ngeom; ++i) {
    mjvGeom& geom = scene_.geoms[i];
    if (geom.objtype != mjOBJ_GEOM || model_->geom_bodyid[geom.objid] != perturb_.select) continue;
    for (size_t c = 0; c < 3; ++c) geom.rgba[c] = 0.65f * geom.rgba[c] + 0.35f * accent[c];
  }
}

// Rotates the lamps that cast shadows slightly, differently in each pass.
void View3d::JitterLights(int pass) {
  std::copy_n(lights_.begin(), scene_.nlight, scene_.lights);
  if (pass == 0) return;
  // A spiral that fills the lamp's disc evenly from the centre, so that few passes already look
  // soft.
  const double angle = kGoldenAngle * pass;
  const double radius = kLampRadius * std::sqrt(static_cast<double>(pass) / quality_.still_passes);
  for (int i = 0; i < scene_.nlight; ++i) {
    mjvLight& light = scene_.lights[i];
    if (!light.castshadow || light.headlight) continue;
    // Two directions perpendicular to the light's.
    const double d[3] = {light.dir[0], light.dir[1], light.dir[2]};
    const double axis[3] = {std::abs(d[0]) < 0.7 ? 1.0 : 0.0, std::abs(d[0]) < 0.7 ? 0.0 : 1.0, 0};
    double u[3], w[3];
    mju_cross(u, d, axis);
    mju_normalize3(u);
    mju_cross(w, d, u);
    // A distant lamp changes its direction, a near one its position.
    const bool distant = light.type == mjLIGHT_DIRECTIONAL;
    const double p[3] = {light.pos[0], light.pos[1], light.pos[2]};
    const double reach = radius * (distant ? 1 : mju_dist3(p, model_->stat.center));
    float* moved = distant ? light.dir : light.pos;
    for (int k = 0; k < 3; ++k) {
      moved[k] += static_cast<float>(reach * (std::cos(angle) * u[k] + std::sin(angle) * w[k]));
    }
  }
}

// Shifts the pixel grid by less than a pixel, differently in each pass.
void View3d::JitterPixels(int pass) {
  std::copy_n(gl_cameras_.begin(), 2, scene_.camera);
  if (pass == 0) return;
  const double dx = std::fmod(pass * 0.7548776662, 1.0) - 0.5;  // evenly distributed over the pixel
  const double dy = std::fmod(pass * 0.5698402910, 1.0) - 0.5;
  for (mjvGLCamera& camera : scene_.camera) {
    const float pixel = (camera.frustum_top - camera.frustum_bottom) / static_cast<float>(height_);
    camera.frustum_center += static_cast<float>(dx) * pixel;
    camera.frustum_bottom += static_cast<float>(dy) * pixel;
    camera.frustum_top += static_cast<float>(dy) * pixel;
  }
}

void View3d::DrawPass() {
  JitterLights(pass_);
  JitterPixels(pass_);
  const int all_geoms = std::exchange(scene_.ngeom, geoms_without_ghost_);
  mjr_setBuffer(mjFB_OFFSCREEN, &context_);
  mjr_render({0, 0, width_, height_}, &scene_, &context_);
  CopyPixels(context_.offFBO, pass_target_.framebuffer(), width_, height_);
  scene_.ngeom = all_geoms;
  if (all_geoms > geoms_without_ghost_) {
    mjr_setBuffer(mjFB_OFFSCREEN, &context_);
    mjr_render({0, 0, width_, height_}, &scene_, &context_);
    CopyPixels(context_.offFBO, ghost_target_.framebuffer(), width_, height_);
    BlendOver(ghost_target_.texture(), pass_target_.framebuffer(), width_, height_, kGhostOpacity);
  }
  if (pass_ == 0) {
    CopyPixels(pass_target_.framebuffer(), picture_.framebuffer(), width_, height_);
  } else {  // the running mean
    const float weight = 1.0f / static_cast<float>(pass_ + 1);
    BlendOver(pass_target_.texture(), picture_.framebuffer(), width_, height_, weight);
  }
  ++pass_;
}

void View3d::Render() {
  if (!wants_render()) return;
  if (resized_) {
    mjr_resizeOffscreen(width_, height_, &context_);
    pass_target_.Resize(width_, height_);
    ghost_target_.Resize(width_, height_);
    picture_.Resize(width_, height_);
    resized_ = false;
    timed_passes_ = 0;
  }
  if (!dirty_) {
    DrawPass();
    return;
  }
  dirty_ = false;
  UpdateScene();
  pass_ = 0;
  // The first pictures of a size measure how many passes the machine can afford.
  constexpr int kTrials = 3;
  if (timed_passes_ < kTrials && quality_.moving_passes > 1) {
    const auto start = std::chrono::steady_clock::now();
    DrawPass();
    glFinish();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    moving_passes_ = std::clamp(static_cast<int>(kFrameBudget / std::max(1e-4, took.count())), 1,
                                quality_.moving_passes);
    ++timed_passes_;
  }
  while (pass_ < moving_passes_) DrawPass();
}

void View3d::RenderStill() {
  do Render();
  while (wants_render());
}

Image View3d::Snapshot() const {
  CIVITA_CHECK(pass_ > 0, "nothing has been rendered");
  return ReadPixels(picture_.framebuffer(), width_, height_);
}

RenderTarget View3d::TakePicture() {
  CIVITA_CHECK(pass_ > 0, "nothing has been rendered");
  RenderTarget taken = std::move(picture_);
  resized_ = dirty_ = true;
  pass_ = 0;
  picture_.Resize(1, 1);
  return taken;
}

RenderTarget RenderThumbnail(const mjModel& model, std::span<const double> qpos, const Theme& theme,
                             int width, int height) {
  RenderQuality quality = RenderQuality::ForRenderer(IsSoftwareRenderer());
  quality.still_passes = std::min(quality.still_passes, 6);
  View3d view(model, theme, quality);
  std::vector<double> start(qpos.begin(), qpos.end());
  if (start.empty()) {
    const int home = mj_name2id(&model, mjOBJ_KEY, "home");
    const mjtNum* from =
        home >= 0 ? model.key_qpos + static_cast<size_t>(home * model.nq) : model.qpos0;
    start.assign(from, from + model.nq);
  }
  view.Resize(width, height);
  view.SetState(0, start);
  view.ClearTrail();
  view.FrameAll();
  view.RenderStill();
  return view.TakePicture();
}

std::vector<View3d::Flag> View3d::flags() {
  std::vector<Flag> flags;
  const auto add = [&](const char* heading, const std::string& name, mjtByte* value) {
    flags.push_back({heading, name, value});
  };
  for (int i = 0; i < mjNVISFLAG; ++i) {
    add(i == 0 ? "MuJoCo's flags" : "", mjVISSTRING[i][0], &options_.flags[i]);
  }
  for (int i = 0; i < mjNRNDFLAG; ++i) add("", mjRNDSTRING[i][0], &scene_.flags[i]);
  for (int i = 0; i < mjNGROUP; ++i) {
    add(i == 0 ? "Groups" : "", "Geometry group " + std::to_string(i), &options_.geomgroup[i]);
  }
  for (int i = 0; i < mjNGROUP; ++i) {
    add("", "Site group " + std::to_string(i), &options_.sitegroup[i]);
  }
  return flags;
}

void View3d::ResetFlags() {
  mjv_defaultOption(&options_);
  options_.flags[mjVIS_PERTFORCE] = options_.flags[mjVIS_PERTOBJ] = 0;  // see AddPullMark
  std::ranges::copy(first_flags_, scene_.flags);
  Invalidate();
}

}  // namespace civita
