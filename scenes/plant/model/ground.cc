#include "civita/scenes/plant/ground.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>

#include "civita/scenes/plant/model_assets.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/key_row.h"
#include "civita/scenes/schema/yaml_value.h"

namespace civita {
namespace {

constexpr const char* kMaterial = "ground";
constexpr double kRamp = 2.5, kTerrace = 1.2, kHalfWidth = 2;  // m
constexpr double kHalfField = 3;                               // m, of the blocks
constexpr double kMargin = 0.1;                                // m, hidden below the ground
constexpr double kSteepest = 45;                               // °
constexpr double kSunk = 0.01;                                 // m, of the floor below all blocks

mjsGeom* FindFloor(mjSpec* spec) {
  mjsBody* world = mjs_findBody(spec, "world");
  mjsGeom* first = nullptr;
  for (mjsElement* e = mjs_firstChild(world, mjOBJ_GEOM, 0); e; e = mjs_nextChild(world, e, 0)) {
    mjsGeom* geom = mjs_asGeom(e);
    if (internal::NameOf(e) == "floor") return geom;
    if (first == nullptr && geom->type == mjGEOM_PLANE) first = geom;
  }
  return first;
}

// Gives the geom's contact parameters priority over those of other geoms; the contact's dimension
// stays.
void Dominate(mjSpec* spec, mjsGeom* floor) {
  int priority = floor->priority;
  for (mjsElement* e : internal::ElementsOf(spec, mjOBJ_GEOM)) {
    const mjsGeom* geom = mjs_asGeom(e);
    if (geom == floor) continue;
    priority = std::max(priority, geom->priority + 1);
    floor->condim = std::max(floor->condim, geom->condim);
  }
  floor->priority = priority;
}

void Copy(const std::vector<double>& from, mjtNum* to) { std::copy(from.begin(), from.end(), to); }

// The floor's material without reflection, which would have every box rendered once more.
void AddMaterial(mjSpec* spec) {
  if (mjs_findElement(spec, mjOBJ_TEXTURE, "grid") == nullptr) return;
  mjsMaterial* material = mjs_addMaterial(spec, nullptr);
  mjs_setName(material->element, kMaterial);
  mjs_setInStringVec(material->textures, mjTEXROLE_RGB, "grid");
  material->texrepeat[0] = material->texrepeat[1] = 4;
  material->texuniform = 1;
  material->specular = material->shininess = 0;
}

mjsGeom* AddBox(mjSpec* spec, const mjsGeom& floor, const Eigen::Vector3d& center,
                const Eigen::Vector3d& half) {
  mjsGeom* box = mjs_addGeom(mjs_findBody(spec, "world"), nullptr);
  box->type = mjGEOM_BOX;
  std::copy_n(center.data(), 3, box->pos);
  std::copy_n(half.data(), 3, box->size);
  box->contype = floor.contype;
  box->conaffinity = floor.conaffinity;
  box->condim = floor.condim;
  box->priority = floor.priority;
  std::copy_n(floor.friction, 3, box->friction);
  std::copy_n(floor.solref, mjNREF, box->solref);
  std::copy_n(floor.solimp, mjNIMP, box->solimp);
  const bool studio = mjs_findElement(spec, mjOBJ_MATERIAL, kMaterial) != nullptr;
  mjs_setString(box->material, studio ? kMaterial : "");
  return box;
}

void MakeSlope(const GroundConfig& ground, mjSpec* spec, const mjsGeom& floor) {
  const double angle = ground.slope_deg * std::numbers::pi / 180;
  const double rise = kRamp * std::sin(angle), run = kRamp * std::cos(angle);
  const double half = 0.5 * rise * std::cos(angle) + kMargin;  // thick enough to stand on the floor
  const double z = floor.pos[2];
  for (const double side : {1.0, -1.0}) {
    const double foot = side > 0 ? ground.start_m : ground.start_m + 2 * run + kTerrace;
    const Eigen::Vector3d top(foot + side * 0.5 * run, 0, z + 0.5 * rise);
    const Eigen::Vector3d normal(-side * std::sin(angle), 0, std::cos(angle));
    mjsGeom* ramp = AddBox(spec, floor, top - half * normal, {0.5 * kRamp, kHalfWidth, half});
    ramp->quat[0] = std::cos(0.5 * angle);
    ramp->quat[2] = -side * std::sin(0.5 * angle);
  }
  const double depth = 0.5 * (rise + kMargin);
  AddBox(spec, floor, {ground.start_m + run + 0.5 * kTerrace, 0, z + rise - depth},
         {0.5 * kTerrace, kHalfWidth, depth});
}

void MakeBlocks(const GroundConfig& ground, int seed, mjSpec* spec, mjsGeom* floor) {
  const double size = ground.block_m, height = ground.height_m;
  const double z = floor->pos[2];
  floor->pos[2] -= height + kSunk;
  const double half_depth = height + 0.5 * kMargin;
  // The cells' corners are at multiples of the size, so the flat part consists of whole cells.
  const int flat = static_cast<int>(std::ceil(ground.start_m / size - 1e-9));
  const int cells = std::max(flat, static_cast<int>(std::floor(kHalfField / size)));
  const double pad = flat * size;
  AddBox(spec, *floor, {0, 0, z - half_depth}, {pad, pad, half_depth});
  std::mt19937 random(static_cast<unsigned>(seed));
  for (int i = -cells; i < cells; ++i) {
    for (int j = -cells; j < cells; ++j) {
      if (std::min(i, j) >= -flat && std::max(i, j) < flat) continue;
      // uniform in [0, 1]
      const double share = static_cast<double>(random()) / std::mt19937::max();
      const double top = z + height * (2 * share - 1);
      mjsGeom* block = AddBox(spec, *floor, {(i + 0.5) * size, (j + 0.5) * size, top - half_depth},
                              {0.5 * size, 0.5 * size, half_depth});
      const auto shade = static_cast<float>(0.75 + 0.25 * share);
      std::fill_n(block->rgba, 3, shade);
    }
  }
}

void Check(const GroundConfig& ground) {
  if (ground.slope_deg >= kSteepest) {
    RefuseValue("ground.slope_deg",
                " is " + ToYamlText(ground.slope_deg) + "; below " + ToYamlText(kSteepest));
  }
  if (ground.block_m < 0.1 || ground.block_m > kHalfField) {
    RefuseValue("ground.block_m",
                " is " + ToYamlText(ground.block_m) + "; from 0.1 to " + ToYamlText(kHalfField));
  }
  if (ground.solref.size() != 2) RefuseValue("ground.solref", " must be 2 numbers");
  if (ground.solimp.empty() || ground.solimp.size() > mjNIMP) {
    RefuseValue("ground.solimp", " must be 1 to 5 numbers");
  }
}

}  // namespace

std::span<const KeyRow<GroundConfig>> GroundKeys() {
  using C = GroundConfig;
  using enum NumberRange;
  static constexpr Choice<GroundType> kGroundTypes[] = {{"flat", GroundType::kFlat},
                                                        {"slope", GroundType::kSlope},
                                                        {"blocks", GroundType::kBlocks},
                                                        {"soft", GroundType::kSoft}};
  static constexpr KeyRow<C> kKeys[] = {
      {"type", OneOf<&C::type, kGroundTypes>(), "",
       "shape of the floor, beyond a flat part around the origin"},
      {"friction", &C::friction, "", "true coefficient; default: the model's", kPositive},
      {"start_m", &C::start_m, "m", "slope, blocks: how far from the origin they begin", kPositive},
      {"slope_deg", &C::slope_deg, "°", "slope: up along x, and down again", kPositive},
      {"height_m", &C::height_m, "m", "blocks: maximum deviation of their tops, by seed",
       kPositive},
      {"block_m", &C::block_m, "m", "blocks: how wide", kPositive},
      {"solref", &C::solref, "s, 1", "soft: time constant and damping ratio of contacts",
       kPositive},
      {"solimp", &C::solimp, "", "soft: MuJoCo's impedance of contacts", kPositive},
  };
  return kKeys;
}

SpecEdit MakeGround(const GroundConfig& ground, int seed) {
  return [&ground, seed](mjSpec* spec, bool /*urdf*/) {
    const bool soft = ground.type == GroundType::kSoft;
    if (ground.type == GroundType::kFlat && !ground.friction) return;
    Check(ground);
    mjsGeom* floor = FindFloor(spec);
    if (floor == nullptr) {
      throw KeyError(ground.friction ? "ground.friction" : "ground.type",
                     "the model has no floor, a plane of the world, to make the ground of");
    }
    if (soft || ground.friction) Dominate(spec, floor);
    if (ground.friction) floor->friction[0] = *ground.friction;
    if (soft) {
      Copy(ground.solref, floor->solref);
      Copy(ground.solimp, floor->solimp);
    }
    if (ground.type != GroundType::kSlope && ground.type != GroundType::kBlocks) return;
    AddMaterial(spec);
    if (ground.type == GroundType::kSlope) MakeSlope(ground, spec, *floor);
    if (ground.type == GroundType::kBlocks) MakeBlocks(ground, seed, spec, floor);
  };
}

void ProvideFloor(mjSpec* spec, std::vector<std::string>* notices) {
  mjsBody* world = mjs_findBody(spec, "world");
  for (mjsElement* e = mjs_firstChild(world, mjOBJ_GEOM, 0); e; e = mjs_nextChild(world, e, 0)) {
    const mjsGeom* geom = mjs_asGeom(e);
    if (geom->contype != 0 || geom->conaffinity != 0) return;
  }
  mjsGeom* floor = mjs_addGeom(world, nullptr);
  if (FindFloor(spec) == nullptr) mjs_setName(floor->element, "floor");
  floor->type = mjGEOM_PLANE;
  floor->size[2] = 1;  // between the lines of its grid
  notices->push_back("the file has no floor to stand on: a plane at the height 0 is added");
}

std::optional<FloorPlane> FindFloorPlane(const GroundConfig& ground, const mjModel& m) {
  int found = -1;
  for (int geom = 0; geom < m.ngeom; ++geom) {
    if (m.geom_bodyid[geom] != 0 || m.geom_type[geom] != mjGEOM_PLANE) continue;
    const char* name = mj_id2name(&m, mjOBJ_GEOM, geom);
    const bool is_floor = name != nullptr && std::string(name) == "floor";
    if (found < 0 || is_floor) found = geom;
    if (is_floor) break;
  }
  if (found < 0) return std::nullopt;
  mjtNum R[9];
  mju_quat2Mat(R, m.geom_quat + 4 * found);
  FloorPlane floor{Eigen::Map<const Eigen::Vector3d>(m.geom_pos + 3 * found), {R[2], R[5], R[8]}};
  if (floor.normal.z() < 1e-6) return std::nullopt;
  if (ground.type == GroundType::kBlocks) floor.point.z() += ground.height_m + kSunk;
  return floor;
}

}  // namespace civita
