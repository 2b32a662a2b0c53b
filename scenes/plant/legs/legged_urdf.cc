#include "civita/scenes/plant/legged_urdf.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "civita/error.h"
#include "civita/scenes/plant/model_assets.h"
#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/key_row.h"

namespace civita {
namespace {

using internal::NameOf;

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

// The base is the root that the file lets float, else the first root gets a free joint.
void FreeTheRoot(const std::vector<mjsBody*>& bodies, mjSpec* spec) {
  const mjsBody* const world = mjs_findBody(spec, "world");
  for (mjsBody* body : bodies) {
    mjsElement* joint = mjs_firstChild(body, mjOBJ_JOINT, 0);
    const bool is_root = mjs_getParent(body->element) == world;
    if (is_root && joint != nullptr && mjs_asJoint(joint)->type == mjJNT_FREE) return;
  }
  const std::string key = "robot.floating_base";
  if (bodies.empty()) RefuseValue(key, ": the model has no links");
  if (mjsElement* joint = mjs_firstChild(bodies.front(), mjOBJ_JOINT, 0); joint != nullptr) {
    RefuseValue(key, ": the model's root moves on joint '" + NameOf(joint) +
                         "' already, which does not let it float");
  }
  mjs_setName(mjs_addFreeJoint(bodies.front())->element, "floating_base");
}

void AddMotors(double armature, mjSpec* spec) {
  for (mjsElement* e : internal::ElementsOf(spec, mjOBJ_JOINT)) {
    mjsJoint* joint = mjs_asJoint(e);
    if (joint->type != mjJNT_HINGE && joint->type != mjJNT_SLIDE) continue;
    if (joint->armature == 0) joint->armature = armature;
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

// The moving body that holds `body` rigidly, itself or an ancestor; null: none.
mjsBody* MovingBody(mjsBody* body) {
  while (body != nullptr && mjs_firstChild(body, mjOBJ_JOINT, 0) == nullptr) {
    body = mjs_getParent(body->element);
  }
  return body;
}

// The bodies of the feet: those that hold them and all that hang on those.
std::set<const mjsBody*> FootBodies(const LegConfig& legs, mjSpec* spec) {
  std::set<const mjsBody*> bodies;
  for (const std::string& name : legs.feet) {
    mjsBody* body = MovingBody(mjs_findBody(spec, name.c_str()));
    if (body == nullptr) continue;
    bodies.insert(body);
    for (mjsElement* e = mjs_firstChild(body, mjOBJ_BODY, 1); e; e = mjs_nextChild(body, e, 1)) {
      bodies.insert(mjs_asBody(e));
    }
  }
  return bodies;
}

// Keeps the drawn shapes; a foot keeps its collision shapes too, and only they touch. The shapes
// that may touch have contype 1. Collision shapes have no colours: they are painted dark and light
// alternately.
void ChooseShapes(const std::set<const mjsBody*>& feet, mjSpec* spec,
                  const std::vector<mjsBody*>& bodies) {
  for (mjsBody* body : bodies) {
    std::vector<mjsGeom*> visual, other;
    for (mjsGeom* geom : GeomsOf(body)) {
      (geom->contype == 0 && geom->conaffinity == 0 ? visual : other).push_back(geom);
    }
    if (visual.empty() && other.empty()) DrawLimb(body);
    const bool both = feet.contains(body) && !visual.empty() && !other.empty();
    for (size_t i = 0; !visual.empty() && !both && i < other.size(); ++i) {
      mjs_delete(spec, other[i]->element);
    }
    for (mjsGeom* geom : GeomsOf(body)) {
      constexpr float kDark = 0.45F;
      constexpr int kHidden = 3;  // group
      const bool collides = !both || std::ranges::find(other, geom) != other.end();
      const bool dark = visual.empty() ? IsOdd(body) : geom->rgba[0] < kDark;
      mjs_setString(geom->material, dark ? "joint" : "shell");
      std::fill_n(geom->rgba, 4, 0.5F);  // MuJoCo's default, with which the material applies
      geom->rgba[3] = 1;
      geom->mass = 0;
      geom->group = both && collides ? kHidden : 0;
      geom->contype = collides ? 1 : 0;
      geom->conaffinity = 0;
    }
  }
}

// A foot's own sphere becomes the ball on which it stands.
void StandOn(mjsGeom* sphere) {
  sphere->group = 0;
  sphere->contype = 0;
  sphere->conaffinity = 1;
  sphere->friction[0] = kBallFriction;
}

// Contact bits: bit 0 for geoms that touch the floor; from bit 1 on one bit for each leg.
void SetContacts(const LegConfig& legs, mjSpec* spec, const std::vector<mjsBody*>& bodies) {
  std::set<const mjsGeom*> shapes;
  for (mjsBody* body : bodies) {
    for (mjsGeom* geom : GeomsOf(body)) {
      if (geom->contype == 0) continue;
      shapes.insert(geom);
      geom->contype = 0;
      geom->conaffinity = 1;
    }
  }
  const int all = (2 << legs.feet.size()) - 2;
  for (size_t i = 0; i < legs.feet.size(); ++i) {
    mjsBody* foot = mjs_findBody(spec, legs.feet[i].c_str());
    mjsBody* body = MovingBody(foot);
    for (int level = 0; body != nullptr && level < 3; ++level) {
      for (mjsGeom* geom : GeomsOf(body, level == 0)) {
        if (!shapes.contains(geom)) continue;
        geom->contype = 2 << i;
        geom->conaffinity = (all & ~geom->contype) | (level < 2 ? 0 : 1);
      }
      body = MovingBody(mjs_getParent(body->element));
    }
    if (foot == nullptr || !legs.points.Of(legs.feet[i]).empty()) continue;
    for (mjsGeom* geom : GeomsOf(foot, true)) {
      if (shapes.contains(geom) && geom->type == mjGEOM_SPHERE) StandOn(geom);
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

void AdaptLeggedUrdf(const RobotConfig& robot, const LegConfig& legs,
                     const std::filesystem::path& file, bool urdf, mjSpec* spec) {
  if (!urdf) RefuseValue("robot.floating_base", " is for URDF files; MJCF has <freejoint/>");
  const std::vector<mjsBody*> bodies = internal::BodiesOf(spec);
  std::vector<std::string> replaced;  // notices on missing files, which other shapes replace
  internal::ResolveAssets(file, spec, &replaced);
  FreeTheRoot(bodies, spec);
  AddMotors(robot.armature, spec);
  ChooseShapes(FootBodies(legs, spec), spec, bodies);
  SetContacts(legs, spec, bodies);
  EnterStudio(spec);
}

}  // namespace civita
