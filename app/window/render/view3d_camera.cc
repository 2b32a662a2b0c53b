// Camera, selection and mouse of the 3-D view.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/window/render/view3d.h"
#include "civita/error.h"
#include "civita/mujoco/convert.h"

namespace civita {
namespace {

constexpr double kFollowTime = 0.1, kFollowClimbTime = 1.5;  // s, horizontal and vertical
constexpr double kFollowLongest = 0.5;  // maximum s between two states; more is a jump
// factors of room around the robot: for unknown motion, and around a known one
constexpr double kMargin = 1.22, kMotionMargin = 1.12;
constexpr double kUnit = 1.25;       // m, size of a robot whose marks have their own size
constexpr double kWheelStep = 0.02;  // MuJoCo's zoom for one notch

}  // namespace

void View3d::ListCameras() {
  using Kind = CameraChoice::Kind;
  cameras_.push_back({.kind = Kind::kFree, .name = "Free camera"});
  if (model_->nbody > 1) {
    // A floating robot is followed at its base, a fixed one at its end effector.
    const int base = FindFloatingBase(*model_);
    const int body = base > 0 ? base : std::max(1, tracked_.body);
    cameras_.push_back({.kind = Kind::kTracking,
                        .id = body,
                        .name = "Track " + ElementName(*model_, mjOBJ_BODY, body, "body ")});
  }
  for (int i = 0; i < model_->ncam; ++i) {
    cameras_.push_back(
        {.kind = Kind::kFixed, .id = i, .name = ElementName(*model_, mjOBJ_CAMERA, i, "camera ")});
  }
  const auto add = [this](const char* name, double azimuth, double elevation) {
    cameras_.push_back(
        {.kind = Kind::kDirection, .azimuth = azimuth, .elevation = elevation, .name = name});
  };
  add("From the front", 180, -8);
  add("From the side", 90, -8);
  add("From above", 90, -89);
}

void View3d::SetCamera(int choice) {
  if (choice < 0 || choice >= static_cast<int>(cameras_.size())) return;
  camera_choice_ = choice;
  dirty_ = true;
  const CameraChoice& camera = cameras_[static_cast<size_t>(choice)];
  switch (camera.kind) {
    case CameraChoice::Kind::kFree:
      camera_.type = mjCAMERA_FREE;
      is_following_ = true;
      break;
    case CameraChoice::Kind::kTracking:
      camera_.type = mjCAMERA_TRACKING;
      camera_.trackbodyid = camera.id;
      autoframe_ = false;
      break;
    case CameraChoice::Kind::kFixed:
      camera_.type = mjCAMERA_FIXED;
      camera_.fixedcamid = camera.id;
      break;
    case CameraChoice::Kind::kDirection:
      camera_.type = mjCAMERA_FREE;
      camera_.azimuth = camera.azimuth;
      camera_.elevation = camera.elevation;
      autoframe_ = is_following_ = true;
      Autoframe();
      break;
  }
}

void View3d::CycleCamera(int step) {
  const int n = static_cast<int>(cameras_.size());
  SetCamera(((camera_choice_ + step) % n + n) % n);
}

void View3d::SetMotion(std::span<const std::vector<double>> configurations) {
  motion_.clear();
  for (const std::vector<double>& q : configurations) {
    CIVITA_CHECK(q.size() == static_cast<size_t>(model_->nq));
    if (!std::all_of(q.begin(), q.end(), [](double x) { return std::isfinite(x); })) continue;
    std::copy(q.begin(), q.end(), scratch_->qpos);
    mj_kinematics(model_.get(), scratch_.get());
    const mjtNum* base = scratch_->xpos + static_cast<size_t>(3 * followed_);
    for (Point3 corner : RobotCorners(*model_, *scratch_, options_)) {
      mju_subFrom3(corner.data(), base);
      motion_.push_back(corner);
    }
  }
  Settle();
}

std::vector<Point3> View3d::FramedPoints() const {
  if (motion_.empty()) return RobotCorners(*model_, *data_, options_);
  std::vector<Point3> points = motion_;
  for (Point3& point : points) mju_addTo3(point.data(), followed_at_.data());
  return points;
}

// Arranges what depends on the robot's size and place.
void View3d::Settle() {
  if (model_->nbody < 2) return;
  unit_ = BoxAround(RobotCorners(*model_, *data_, options_)).diagonal() / kUnit;
  unit_ = std::clamp(unit_, 0.002, 100.0);
  dressing_.Place(BoxAround(FramedPoints()), model_.get(), &context_);
  Autoframe();
  dirty_ = true;
}

void View3d::Autoframe() {
  if (!autoframe_ || model_->nbody < 2) return;
  const double margin = motion_.empty() ? kMargin : kMotionMargin;
  const CameraPose pose = FramePoints(FramedPoints(), camera_.azimuth, camera_.elevation,
                                      model_->vis.global.fovy, aspect(), margin, part_);
  std::copy_n(pose.lookat, 3, camera_.lookat);
  camera_.distance = pose.distance;
}

void View3d::SetPart(const PicturePart& part) {
  if (std::exchange(part_, part) == part) return;
  Autoframe();
  dirty_ = true;
}

void View3d::FrameAll() {
  SetCamera(0);
  camera_.azimuth = model_->vis.global.azimuth;
  camera_.elevation = model_->vis.global.elevation;
  autoframe_ = true;
  Autoframe();
}

void View3d::Follow(int body) {
  CIVITA_CHECK(body >= 0 && body < model_->nbody);
  followed_ = body;
  std::copy_n(data_->xpos + 3 * body, 3, followed_at_.begin());
  followed_home_ = followed_at_;
}

// The vertical time constant is longer, so that the trunk's vertical motion stays visible.
void View3d::FollowFor(double dt) {
  if (followed_ == 0) return;
  const bool jumps = !(dt >= 0 && dt <= kFollowLongest);
  for (size_t i = 0; i < 3; ++i) {
    const double time = i < 2 ? kFollowTime : kFollowClimbTime;
    const double share = jumps ? 1 : 1 - std::exp(-dt / time);
    const double way =
        share * (data_->xpos[3 * static_cast<size_t>(followed_) + i] - followed_at_[i]);
    followed_at_[i] += way;
    if (is_following_ && camera_.type == mjCAMERA_FREE) camera_.lookat[i] += way;
  }
}

std::optional<std::array<double, 6>> View3d::PlacedCamera() const {
  if (autoframe_ || camera_.type != mjCAMERA_FREE) return std::nullopt;
  std::array<double, 6> place = {camera_.azimuth, camera_.elevation, camera_.distance};
  for (size_t i = 0; i < 3; ++i) place[3 + i] = camera_.lookat[i] - followed_at_[i];
  return place;
}

void View3d::PlaceCamera(const std::array<double, 6>& place) {
  SetCamera(0);
  camera_.azimuth = place[0];
  camera_.elevation = place[1];
  camera_.distance = place[2];
  for (size_t i = 0; i < 3; ++i) camera_.lookat[i] = place[3 + i] + followed_at_[i];
  autoframe_ = false;
  dirty_ = true;
}

void View3d::MoveCamera(mjtMouse action, double dx, double dy) {
  if (camera_.type == mjCAMERA_FIXED) return;
  mjv_moveCamera(model_.get(), action, dx, dy, &camera_);
  if (camera_.type == mjCAMERA_FREE) camera_choice_ = 0;  // no longer a named direction
  if (action == mjMOUSE_MOVE_V || action == mjMOUSE_MOVE_H) is_following_ = false;
  autoframe_ = false;
  dirty_ = true;
}

void View3d::ZoomCamera(double notches) { MoveCamera(mjMOUSE_ZOOM, 0, -kWheelStep * notches); }

int View3d::Pick(double x, double y, double point[3]) {
  if (dirty_) UpdateScene();  // the camera or the robot may have moved since the last picture
  int geom = -1, flex = -1, skin = -1;
  return mjv_select(model_.get(), data_.get(), &options_, aspect(), x, 1 - y, &scene_, point, &geom,
                    &flex, &skin);
}

void View3d::SelectAt(double x, double y) {
  double point[3];
  const int body = Pick(x, y, point);
  perturb_.active = 0;
  perturb_.select = std::max(0, body);
  perturb_.flexselect = perturb_.skinselect = -1;
  if (body > 0) {  // the point in the body's frame
    double offset[3];
    mju_sub3(offset, point, data_->xpos + 3 * body);
    mju_mulMatTVec3(perturb_.localpos, data_->xmat + 9 * body, offset);
  }
  dirty_ = true;
}

void View3d::SelectBody(int body) {
  perturb_.active = 0;
  perturb_.select = body;
  perturb_.flexselect = perturb_.skinselect = -1;
  mju_copy3(perturb_.localpos, model_->body_ipos + 3 * body);
  dirty_ = true;
}

void View3d::ClearSelection() {
  perturb_.select = perturb_.active = 0;
  dirty_ = true;
}

void View3d::LookAt(double x, double y) {
  double point[3];
  if (Pick(x, y, point) < 0) return;
  SetCamera(0);
  mju_copy3(camera_.lookat, point);
  autoframe_ = is_following_ = false;
  dirty_ = true;
}

void View3d::TrackAt(double x, double y) {
  double point[3];
  const int body = Pick(x, y, point);
  if (body <= 0) {
    SetCamera(0);
    return;
  }
  const auto tracking = [](const CameraChoice& c) {
    return c.kind == CameraChoice::Kind::kTracking;
  };
  const auto choice = std::find_if(cameras_.begin(), cameras_.end(), tracking);
  if (choice == cameras_.end()) return;
  choice->id = body;
  choice->name = "Track " + ElementName(*model_, mjOBJ_BODY, body, "body ");
  SetCamera(static_cast<int>(choice - cameras_.begin()));
}

void View3d::StartPerturb(mjtPertBit kind) {
  if (perturb_.select <= 0) return;
  mjv_initPerturb(model_.get(), data_.get(), &scene_, &perturb_);
  perturb_.active = kind;
  dirty_ = true;
}

void View3d::MovePerturb(mjtMouse action, double dx, double dy) {
  if (perturb_.active == 0) return;
  mjv_movePerturb(model_.get(), data_.get(), action, dx, dy, &scene_, &perturb_);
  dirty_ = true;
}

void View3d::StopPerturb() {
  if (perturb_.active == 0) return;
  perturb_.active = 0;
  dirty_ = true;
}

std::array<double, 6> View3d::PerturbWrench() const {
  std::array<double, 6> wrench = {};
  if (perturb_.active == 0 || perturb_.select <= 0) return wrench;
  mjtNum* applied = data_->xfrc_applied + 6 * perturb_.select;
  mjv_applyPerturbForce(model_.get(), data_.get(), &perturb_);
  std::copy_n(applied, 6, wrench.begin());
  std::fill_n(applied, 6, 0.0);
  return wrench;
}

std::optional<std::array<double, 2>> View3d::PlaceOf(const Point3& point) const {
  const mjvGLCamera& camera = scene_.camera[0];
  double ahead = 0, right = 0, up = 0;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double from_eye = point[static_cast<std::size_t>(i)] - camera.pos[i];
    ahead += from_eye * camera.forward[i];
    up += from_eye * camera.up[i];
    right += from_eye * (camera.forward[j] * camera.up[k] - camera.forward[k] * camera.up[j]);
  }
  if (ahead <= camera.frustum_near) return std::nullopt;
  const double height = (camera.frustum_top - camera.frustum_bottom) / camera.frustum_near;
  const double top = camera.frustum_top / camera.frustum_near;
  const double width = height * width_ / height_;
  const double center = camera.frustum_center / camera.frustum_near;
  return std::array{0.5 + (right / ahead - center) / width, (top - up / ahead) / height};
}

}  // namespace civita
