#include "civita/scenes/plant/model_looks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>
#include <set>

#include "base/text.h"
#include "civita/scenes/plant/model_assets.h"

namespace civita::internal {
namespace {

// How many sizes a geom or site of this type has.
int SizesOf(mjtGeom type) {
  switch (type) {
    case mjGEOM_SPHERE:
      return 1;
    case mjGEOM_CAPSULE:
    case mjGEOM_CYLINDER:
      return 2;
    case mjGEOM_ELLIPSOID:
    case mjGEOM_BOX:
      return 3;
    default:
      return 0;
  }
}

bool HasNoExtent(mjtGeom type, const double* size, const double* fromto) {
  const bool is_line = !std::isnan(fromto[0]);
  if (is_line &&
      std::hypot(fromto[3] - fromto[0], fromto[4] - fromto[1], fromto[5] - fromto[2]) < mjMINVAL) {
    return true;
  }
  for (int i = 0; i < SizesOf(type); ++i) {
    const bool is_length = is_line && i == (type == mjGEOM_BOX || type == mjGEOM_ELLIPSOID ? 2 : 1);
    if (!is_length && !(size[i] > 0)) return true;
  }
  return false;
}

// Whether neither mass nor contacts come from it.
bool IsLook(mjsGeom* geom) {
  if (geom->contype != 0 || geom->conaffinity != 0) return false;
  if (geom->mass == 0 || (std::isnan(geom->mass) && geom->density == 0)) return true;
  const mjsBody* body = mjs_getParent(geom->element);
  return body != nullptr && body->explicitinertial != 0;
}

// "geom 'g' of body 'b'".
std::string Describe(mjsElement* element, const char* kind) {
  const mjsBody* body = mjs_getParent(element);
  return std::string(kind) + " '" + NameOf(element) + "' of body '" +
         (body != nullptr ? NameOf(body->element) : "") + "'";
}

bool LeaveOutFlatShapes(mjSpec* spec, std::vector<std::string>* notices) {
  std::vector<std::string> left_out, resized;
  for (mjsElement* e : ElementsOf(spec, mjOBJ_GEOM)) {
    mjsGeom* geom = mjs_asGeom(e);
    const bool fits_mesh = *mjs_getString(geom->meshname) != '\0';
    const bool has_mass = geom->mass > 0;
    if (fits_mesh || has_mass || !HasNoExtent(geom->type, geom->size, geom->fromto)) continue;
    left_out.push_back(Describe(e, "geom"));
    mjs_delete(spec, e);
  }
  for (mjsElement* e : ElementsOf(spec, mjOBJ_SITE)) {
    mjsSite* site = mjs_asSite(e);
    if (!HasNoExtent(site->type, site->size, site->fromto)) continue;
    resized.push_back(Describe(e, "site"));
    constexpr double kSmall = 0.005;  // MuJoCo's default, m
    std::fill_n(site->size, 3, kSmall);
    site->type = mjGEOM_SPHERE;
    site->fromto[0] = std::numeric_limits<double>::quiet_NaN();
  }
  TellNames("geometry left out: " + Count(left_out.size(), "shape") + " without extent: ", left_out,
            notices);
  TellNames("drawn as spheres of 5 mm because they have no extent: ", resized, notices);
  return !left_out.empty() || !resized.empty();
}

// Calls `use` with each material that an element of the spec names.
template <class Use>
void ForEachMaterial(mjSpec* spec, const Use& use) {
  for (mjsElement* e : ElementsOf(spec, mjOBJ_GEOM)) use(mjs_asGeom(e)->material);
  for (mjsElement* e : ElementsOf(spec, mjOBJ_SITE)) use(mjs_asSite(e)->material);
  for (mjsElement* e : ElementsOf(spec, mjOBJ_TENDON)) use(mjs_asTendon(e)->material);
  for (mjsElement* e : ElementsOf(spec, mjOBJ_SKIN)) use(mjs_asSkin(e)->material);
}

bool ForgetMaterials(mjSpec* spec, std::vector<std::string>* notices) {
  std::set<std::string> there, missing;
  for (mjsElement* e : ElementsOf(spec, mjOBJ_MATERIAL)) there.insert(NameOf(e));
  ForEachMaterial(spec, [&](mjString* material) {
    const std::string name = mjs_getString(material);
    if (name.empty() || there.contains(name)) return;
    missing.insert(name);
    mjs_setString(material, "");
  });
  TellNames("materials left out that are not there: ", {missing.begin(), missing.end()}, notices);
  return !missing.empty();
}

// The element of this type that the compiler names by its number.
mjsElement* Find(mjSpec* spec, mjtObj type, const std::string& error) {
  static const std::regex kId("Element name '([^']*)', id (\\d+)");
  std::smatch match;
  if (!std::regex_search(error, match, kId)) return nullptr;
  for (mjsElement* e : ElementsOf(spec, type)) {
    if (NameOf(e) == match[1].str() && mjs_getId(e) == std::stoi(match[2].str())) return e;
  }
  return nullptr;
}

bool LeaveOut(const char* what, mjsElement* element, const std::string& error, mjSpec* spec,
              std::vector<std::string>* notices) {
  if (element == nullptr) return false;
  const std::string name = NameOf(element);
  std::string why = error.substr(0, error.find('\n'));
  if (why.starts_with("Error: ")) why.erase(0, 7);
  notices->push_back(std::string(what) + " '" + name + "' left out: " + why);
  mjs_delete(spec, element);
  return true;
}

// Deletes the mesh and the shapes that use it if those are no more than looks.
bool LeaveOutMesh(mjsElement* mesh, const std::string& error, mjSpec* spec,
                  std::vector<std::string>* notices) {
  if (mesh == nullptr || NameOf(mesh).empty()) return false;
  const std::string name = AssetName(mesh, mjs_getString(mjs_asMesh(mesh)->file));
  for (mjsElement* e : ElementsOf(spec, mjOBJ_GEOM)) {
    mjsGeom* geom = mjs_asGeom(e);
    if (mjs_getString(geom->meshname) == name && !IsLook(geom)) return false;
  }
  if (!DropMesh(name, spec)) return false;
  notices->push_back("geometry left out, its mesh cannot be used: " +
                     error.substr(0, error.find('\n')) + " '" + name + "'");
  return true;
}

}  // namespace

bool LeaveOutLooks(const std::string& error, mjSpec* spec, std::vector<std::string>* notices) {
  const auto has = [&error](const char* text) { return error.find(text) != std::string::npos; };
  if (has("must be positive in geom") || has("nan size in geom") ||
      has("fromto points too close")) {
    return LeaveOutFlatShapes(spec, notices);
  }
  if (has("Error: material '") && has("not found in")) return ForgetMaterials(spec, notices);
  if (has("Error: texture '") && has("not found in")) {
    const std::vector<std::string> missing = ForgetTextures(spec);
    TellNames("textures left out that are not there: ", missing, notices);
    return !missing.empty();
  }
  if (has("texture")) {
    const bool dropped =
        LeaveOut("texture", Find(spec, mjOBJ_TEXTURE, error), error, spec, notices);
    if (dropped) ForgetTextures(spec);
    return dropped;
  }
  if (has("mesh '") && has("not found in geom")) {
    mjsElement* geom = Find(spec, mjOBJ_GEOM, error);
    return geom != nullptr && IsLook(mjs_asGeom(geom)) &&
           LeaveOut("geometry left out: geom", geom, error, spec, notices);
  }
  if (has("light")) return LeaveOut("light", Find(spec, mjOBJ_LIGHT, error), error, spec, notices);
  if (has("skin")) return LeaveOut("skin", Find(spec, mjOBJ_SKIN, error), error, spec, notices);
  const bool of_mesh = has("mesh") || has("vert") || has("face") || has("hull") || has("decoder") ||
                       has("normal") || has("texcoord");
  return of_mesh && LeaveOutMesh(Find(spec, mjOBJ_MESH, error), error, spec, notices);
}

}  // namespace civita::internal
