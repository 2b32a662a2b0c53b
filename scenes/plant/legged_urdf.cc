#include "civita/scenes/plant/legged_urdf.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/scenes/plant/model_assets.h"
#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/plant/speed_limits.h"
#include "civita/scenes/plant/studio.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/key_row.h"
#include "civita/scenes/schema/text.h"

namespace civita {
namespace {

std::string NameOf(mjsElement* element) { return mjs_getString(mjs_getName(element)); }

// All bodies except the world, parents first.
std::vector<mjsBody*> BodiesOf(mjSpec* spec) {
  std::vector<mjsBody*> bodies;
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_BODY); e; e = mjs_nextElement(spec, e)) {
    if (NameOf(e) != "world") bodies.push_back(mjs_asBody(e));
  }
  return bodies;
}

// The geoms of a body; with `below` also those of its descendants.
std::vector<mjsGeom*> GeomsOf(mjsBody* body, bool below = false) {
  std::vector<mjsGeom*> geoms;
  const int all = below ? 1 : 0;
  for (mjsElement* e = mjs_firstChild(body, mjOBJ_GEOM, all); e; e = mjs_nextChild(body, e, all)) {
    geoms.push_back(mjs_asGeom(e));
  }
  return geoms;
}

// Copies floor, lights, materials, camera and options of the studio.
void EnterStudio(mjSpec* spec) {
  const SpecPtr studio = ParseStudio();
  spec->option = studio->option;
  spec->option.cone = mjCONE_ELLIPTIC;
  spec->option.impratio = 10;  // so that feet under load do not creep
  spec->visual = studio->visual;
  spec->stat = studio->stat;
  mjs_setDeepCopy(spec, 1);
  mjsFrame* frame = mjs_addFrame(mjs_findBody(spec, "world"), nullptr);
  if (!mjs_attach(frame->element, studio->element, "", "")) {
    throw UserError(std::string("scenes/common/studio.xml: ") + mjs_getError(spec));
  }
}

void FreeTheRoot(const std::vector<mjsBody*>& bodies) {
  if (bodies.empty() || mjs_firstChild(bodies.front(), mjOBJ_JOINT, 0) != nullptr) {
    throw KeyError("robot.floating_base",
                   "robot.floating_base: the model's root has a joint already");
  }
  mjs_setName(mjs_addFreeJoint(bodies.front())->element, "floating_base");
}

void AddMotors(double armature, mjSpec* spec) {
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_JOINT); e; e = mjs_nextElement(spec, e)) {
    mjsJoint* joint = mjs_asJoint(e);
    if (joint->type != mjJNT_HINGE && joint->type != mjJNT_SLIDE) continue;
    joint->armature = armature;
    std::fill(std::begin(joint->damping), std::end(joint->damping), 0.0);
    joint->frictionloss = 0;
    mjsActuator* motor = mjs_addActuator(spec, nullptr);
    mjs_setName(motor->element, NameOf(e).c_str());
    mjs_setToMotor(motor);
    motor->trntype = mjTRN_JOINT;
    mjs_setString(motor->target, NameOf(e).c_str());
    if (joint->actfrcrange[1] > joint->actfrcrange[0]) {
      std::copy_n(joint->actfrcrange, 2, motor->ctrlrange);
      motor->ctrllimited = mjLIMITED_TRUE;
    }
    const double* speed = internal::SpeedLimitOf(e);
    if (speed != nullptr) mjs_setDouble(motor->userdata, speed, 1);
  }
}

// Draws a limb to the next link from a moving link without shapes.
void DrawLimb(mjsBody* body) {
  constexpr double kRadius = 0.04, kShortest = 0.03;  // m
  mjsElement* child = mjs_firstChild(body, mjOBJ_BODY, 0);
  if (child == nullptr || mjs_firstChild(body, mjOBJ_JOINT, 0) == nullptr) return;
  const double* to = mjs_asBody(child)->pos;
  if (std::hypot(to[0], to[1], to[2]) < kShortest) return;
  mjsGeom* limb = mjs_addGeom(body, nullptr);
  limb->type = mjGEOM_CAPSULE;
  limb->size[0] = kRadius;
  std::fill_n(limb->fromto, 3, 0.0);
  std::copy_n(to, 3, limb->fromto + 3);
}

// Whether the number of joints before the body is odd; the free joint does not count.
bool IsOdd(mjsBody* body) {
  bool odd = false;
  for (; body != nullptr; body = mjs_getParent(body->element)) {
    mjsElement* joint = mjs_firstChild(body, mjOBJ_JOINT, 0);
    if (joint != nullptr && mjs_asJoint(joint)->type != mjJNT_FREE) odd = !odd;
  }
  return odd;
}

// Keeps the drawn shapes and disables their contacts. Collision shapes have no colours: they are
// painted dark and light alternately.
void ChooseShapes(mjSpec* spec, const std::vector<mjsBody*>& bodies) {
  for (mjsBody* body : bodies) {
    std::vector<mjsGeom*> visual, other;
    for (mjsGeom* geom : GeomsOf(body)) {
      (geom->contype == 0 && geom->conaffinity == 0 ? visual : other).push_back(geom);
    }
    if (visual.empty() && other.empty()) DrawLimb(body);
    for (size_t i = 0; !visual.empty() && i < other.size(); ++i)
      mjs_delete(spec, other[i]->element);
    for (mjsGeom* geom : GeomsOf(body)) {
      constexpr float kDark = 0.45F;
      const bool dark = visual.empty() ? IsOdd(body) : geom->rgba[0] < kDark;
      mjs_setString(geom->material, dark ? "joint" : "shell");
      std::fill_n(geom->rgba, 4, 0.5F);  // MuJoCo's default, with which the material applies
      geom->rgba[3] = 1;
      geom->mass = 0;
      geom->group = 0;
      geom->contype = geom->conaffinity = 0;
    }
  }
}

// Contact bits: bit 0 for geoms that touch the floor; from bit 1 on one bit for each leg.
void SetContacts(const std::vector<std::string>& feet, mjSpec* spec,
                 const std::vector<mjsBody*>& bodies) {
  for (mjsBody* body : bodies) {
    for (mjsGeom* geom : GeomsOf(body)) geom->conaffinity = 1;
  }
  const int all = (2 << feet.size()) - 2;
  for (size_t i = 0; i < feet.size(); ++i) {
    mjsBody* body = mjs_findBody(spec, feet[i].c_str());
    for (int level = 0; body != nullptr && level < 3; ++level) {
      for (mjsGeom* geom : GeomsOf(body, level == 0)) {
        geom->contype = 2 << i;
        geom->conaffinity = (all & ~geom->contype) | (level < 2 ? 0 : 1);
      }
      body = mjs_getParent(body->element);
    }
  }
}

}  // namespace

std::span<const KeyRow<RobotConfig>> RobotKeys() {
  using C = RobotConfig;
  static constexpr KeyRow<C> kKeys[] = {
      {"floating_base", &C::floating_base, "",
       "a URDF becomes a free robot with motors, on a floor"},
      {"armature", &C::armature, "kg·m²", "of each joint of a URDF with a floating base",
       NumberRange::kNotNegative},
  };
  return kKeys;
}

void AdaptLeggedUrdf(const RobotConfig& robot, const std::vector<std::string>& feet,
                     const std::filesystem::path& file, bool urdf, mjSpec* spec) {
  if (!urdf) {
    throw KeyError("robot.floating_base",
                   "robot.floating_base is for URDF files; MJCF has <freejoint/>");
  }
  const std::vector<mjsBody*> bodies = BodiesOf(spec);
  std::vector<std::string> replaced;  // notices on missing files, which other shapes replace
  internal::ResolveAssets(file, spec, &replaced);
  FreeTheRoot(bodies);
  AddMotors(robot.armature, spec);
  ChooseShapes(spec, bodies);
  SetContacts(feet, spec, bodies);
  EnterStudio(spec);
}

}  // namespace civita
