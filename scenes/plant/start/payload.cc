#include "civita/scenes/plant/payload.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <utility>

#include "civita/error.h"
#include "civita/mujoco/convert.h"
#include "civita/scenes/plant/model_assets.h"
#include "civita/scenes/plant/plant_errors.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/key_row.h"
#include "civita/suggest.h"

namespace civita {
namespace {

// name of the geom, and of the numerics with its time and mass
constexpr const char* kName = "civita_payload";

Eigen::Vector3d PositionOf(const PayloadConfig& payload) {
  if (payload.position.empty()) return Eigen::Vector3d::Zero();
  return Eigen::Vector3d(payload.position.data());
}

std::vector<std::string> NamedBodies(mjSpec* spec) {
  std::vector<std::string> names;
  for (const mjsBody* body : internal::BodiesOf(spec)) {
    const std::string name = internal::NameOf(body->element);
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

// The inertia of a point mass at `arm` from the reference point.
Eigen::Matrix3d PointInertia(double mass, const Eigen::Vector3d& arm) {
  return mass * (arm.squaredNorm() * Eigen::Matrix3d::Identity() - arm * arm.transpose());
}

}  // namespace

std::span<const KeyRow<PayloadConfig>> PayloadKeys() {
  using C = PayloadConfig;
  using enum NumberRange;
  static constexpr KeyRow<C> kKeys[] = {
      {"body", &C::body, "", "the body that grasps the payload, a ball, and keeps it"},
      {"mass_kg", &C::mass_kg, "kg", "mass of the payload", kPositive},
      {"at_s", &C::at_s, "s", "when the payload is grasped", kNotNegative},
      {"position_m", &C::position, "m", "3 numbers, its centre in the body's frame"},
      {"radius_m", &C::radius, "m", "of the ball", kPositive},
  };
  return kKeys;
}

SpecEdit DrawPayload(const PayloadConfig& payload) {
  return [&payload](mjSpec* spec, bool /*urdf*/) {
    mjsBody* body = mjs_findBody(spec, payload.body.c_str());
    if (body == nullptr || payload.body == "world") {
      throw KeyError("payload.body", UnknownName("body", payload.body, NamedBodies(spec)));
    }
    mjsGeom* ball = mjs_addGeom(body, nullptr);
    mjs_setName(ball->element, kName);
    ball->type = mjGEOM_SPHERE;
    ball->size[0] = payload.radius;
    const Eigen::Vector3d position = PositionOf(payload);
    std::copy_n(position.data(), 3, ball->pos);
    ball->mass = 0;
    ball->contype = ball->conaffinity = 0;
    const bool studio = mjs_findElement(spec, mjOBJ_MATERIAL, "joint") != nullptr;
    mjs_setString(ball->material, studio ? "joint" : "");
    mjsNumeric* numeric = mjs_addNumeric(spec);
    mjs_setName(numeric->element, kName);
    const double numbers[2] = {payload.at_s, payload.mass_kg};
    numeric->size = 2;
    mjs_setDouble(numeric->data, numbers, 2);
  };
}

std::unique_ptr<LoadedPlant> GraspPayload(const mjModel& m, const PayloadConfig& payload) {
  MjModelPtr loaded(mj_copyModel(nullptr, &m));
  const int body = mj_name2id(&m, mjOBJ_BODY, payload.body.c_str());
  CIVITA_CHECK(loaded != nullptr && body > 0);
  const double mass = m.body_mass[body];
  const Eigen::Map<const Eigen::Vector3d> com(m.body_ipos + 3 * body);
  const Eigen::Map<const Eigen::Vector3d> moments(m.body_inertia + 3 * body);
  const mjtNum* quat = m.body_iquat + 4 * body;

  const Eigen::Matrix3d R = Eigen::Quaterniond(quat[0], quat[1], quat[2], quat[3]).matrix();
  const Eigen::Vector3d position = PositionOf(payload);
  const double total = mass + payload.mass_kg;
  const Eigen::Vector3d center = (mass * com + payload.mass_kg * position) / total;
  const double of_ball = 0.4 * payload.mass_kg * payload.radius * payload.radius;
  const Eigen::Matrix3d inertia =
      R * moments.asDiagonal() * R.transpose() + PointInertia(mass, com - center) +
      of_ball * Eigen::Matrix3d::Identity() + PointInertia(payload.mass_kg, position - center);

  SetBodyInertia({total, center, inertia}, body, loaded.get());

  const std::unique_ptr<mjData, MjDataDeleter> d(mj_makeData(loaded.get()));
  mj_setConst(loaded.get(), d.get());
  try {
    Model plant = BuildModel(*loaded);
    return std::make_unique<LoadedPlant>(LoadedPlant{payload.at_s, std::move(loaded), plant});
  } catch (const UserError& error) {
    throw KeyError("payload.mass_kg", std::string("with its payload, ") + error.what());
  }
}

DrawnPayload FindDrawnPayload(const mjModel& m) {
  const int numeric = mj_name2id(&m, mjOBJ_NUMERIC, kName);
  if (numeric < 0) return {};
  return {mj_name2id(&m, mjOBJ_GEOM, kName), m.numeric_data[m.numeric_adr[numeric]]};
}

}  // namespace civita
