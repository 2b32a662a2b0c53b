#include "civita/scenes/plant/model_assets.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <regex>
#include <set>
#include <system_error>

#include "base/text.h"
#include "civita/error.h"
#include "civita/scenes/plant/collada.h"

// MuJoCo 4.0.0, with which the Python package runs as well, has no such function.
#pragma weak mjs_getInStringVec

namespace civita::internal {
namespace {

namespace fs = std::filesystem;

bool TellsEntries() { return mjs_getInStringVec != nullptr; }

// Of a list of texts; nullptr behind the last one, and where MuJoCo does not tell.
const char* EntryOf(const mjStringVec* list, int i) {
  return TellsEntries() ? mjs_getInStringVec(list, i) : nullptr;
}

bool IsFile(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// Where the links in a path lead.
fs::path Target(const fs::path& file) {
  std::error_code ignored;
  return fs::weakly_canonical(file, ignored);
}

std::string Extension(const std::string& file) {
  std::string extension = fs::path(file).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

// "package://robot/meshes/a.stl" → "robot/meshes/a.stl"; "" for plain paths.
std::string StripScheme(const std::string& name) {
  for (const char* scheme : {"package:", "model:", "file:"}) {
    if (!name.starts_with(scheme)) continue;
    std::string rest = name.substr(std::string_view(scheme).size());
    while (rest.starts_with("//")) rest.erase(0, 1);
    if (std::string_view(scheme) != "file:" && rest.starts_with('/')) rest.erase(0, 1);
    return rest;
  }
  return "";
}

// Deletes the geoms that use these meshes or heightfields, and contact pairs that use them; sites
// become points.
std::size_t DeleteGeoms(mjSpec* spec, mjtObj type, const std::set<std::string>& names) {
  std::set<std::string> deleted;
  std::size_t count = 0;
  for (mjsElement* element : ElementsOf(spec, mjOBJ_GEOM)) {
    const mjsGeom* geom = mjs_asGeom(element);
    const mjString* used = type == mjOBJ_MESH ? geom->meshname : geom->hfieldname;
    if (!names.contains(mjs_getString(used))) continue;
    deleted.insert(NameOf(element));
    mjs_delete(spec, element);
    ++count;
  }
  for (mjsElement* element : ElementsOf(spec, mjOBJ_SITE)) {
    mjsSite* site = mjs_asSite(element);
    if (type != mjOBJ_MESH || !names.contains(mjs_getString(site->meshname))) continue;
    mjs_setString(site->meshname, "");
    site->type = mjGEOM_SPHERE;
  }
  for (mjsElement* element : ElementsOf(spec, mjOBJ_PAIR)) {
    const mjsPair* pair = mjs_asPair(element);
    if (deleted.contains(mjs_getString(pair->geomname1)) ||
        deleted.contains(mjs_getString(pair->geomname2))) {
      mjs_delete(spec, element);
    }
  }
  return count;
}

class Resolver {
 public:
  Resolver(const fs::path& file, mjSpec* spec)
      : directory_(file.parent_path()), target_(Target(file).parent_path()), spec_(*spec) {}

  // Strings of a spec may be modified only by MuJoCo's functions: its library contains another
  // standard library, whose strings have a different layout.

  // Meshes or heightfields.
  void Shapes(mjtObj type, const std::set<std::string>& formats, const std::string& why,
              std::vector<std::string>* notices) {
    const Missing missing = DeleteMissing(type, [&](mjsElement* element) {
      const bool mesh = type == mjOBJ_MESH;
      mjString* file = mesh ? mjs_asMesh(element)->file : mjs_asHField(element)->file;
      return Unsettled(file, spec_.compiler.meshdir, formats);
    });
    LeaveOut(type, missing, why, notices);
  }

  // Meshes of Collada files, which MuJoCo does not read, become meshes of their triangles.
  void ColladaMeshes(std::vector<std::string>* notices) {
    std::string why;
    const Missing broken = DeleteMissing(mjOBJ_MESH, [&](mjsElement* element) -> std::string {
      mjsMesh* mesh = mjs_asMesh(element);
      const std::string file = mjs_getString(mesh->file);
      if (Extension(file) != ".dae") return "";
      try {
        const fs::path base = directory_ / mjs_getString(spec_.compiler.meshdir);
        const Triangles read = ReadCollada(base / file);
        mjs_setFloat(mesh->uservert, read.vertices.data(), static_cast<int>(read.vertices.size()));
        mjs_setInt(mesh->userface, read.faces.data(), static_cast<int>(read.faces.size()));
      } catch (const UserError& error) {
        if (why.empty()) why = error.what();
        return file;
      }
      mjs_setName(element, AssetName(element, file).c_str());
      mjs_setString(mesh->file, "");
      return "";
    });
    LeaveOut(mjOBJ_MESH, broken, "mesh cannot be read: " + why, notices);
  }

  void Textures(std::vector<std::string>* notices) {
    const Missing missing = DeleteMissing(
        mjOBJ_TEXTURE, [&](mjsElement* element) { return MissingFile(mjs_asTexture(element)); });
    if (missing.names.empty()) return;
    ForgetTextures(&spec_);
    notices->push_back("textures left out: " + std::to_string(missing.names.size()) +
                       " whose file is missing, the first is " + missing.first);
  }

  void Skins(std::vector<std::string>* notices) {
    for (mjsElement* element : ElementsOf(&spec_, mjOBJ_SKIN)) {
      mjsSkin* skin = mjs_asSkin(element);
      const std::string file = Unsettled(skin->file, spec_.compiler.meshdir, {".skn"});
      if (file.empty()) continue;
      notices->push_back("skin left out, its file is missing: " + file);
      mjs_delete(&spec_, element);
    }
  }

 private:
  // The path of a file as written to the spec; empty if it does not exist.
  std::string Locate(const std::string& file, const mjString* folder,
                     const std::set<std::string>& formats) const {
    if (!formats.contains(Extension(file))) return "";
    const fs::path base = directory_ / mjs_getString(folder);
    if (IsFile(base / file)) return file;
    fs::path found = FindAsset(file, base);
    if (found.empty()) found = FindAsset(file, directory_);
    if (found.empty()) found = FindAsset(file, target_);
    return found.string();
  }

  // Replaces the file name of an element by its path. @returns false if it does not exist.
  bool Settle(mjString* file, const mjString* folder, const std::set<std::string>& formats) const {
    const std::string found = Locate(mjs_getString(file), folder, formats);
    if (!found.empty()) mjs_setString(file, found.c_str());
    return !found.empty();
  }

  // The file that Settle does not find; empty where there is none to find.
  std::string Unsettled(mjString* file, const mjString* folder,
                        const std::set<std::string>& formats) const {
    const std::string name = mjs_getString(file);
    return name.empty() || Settle(file, folder, formats) ? "" : name;
  }

  struct Missing {
    std::set<std::string> names;
    std::string first;  // file
  };
  void LeaveOut(mjtObj type, const Missing& missing, const std::string& why,
                std::vector<std::string>* notices) {
    if (missing.names.empty()) return;
    const std::size_t geoms = DeleteGeoms(&spec_, type, missing.names);
    notices->push_back("geometry left out: " + Count(geoms, "geom") + " whose " + why +
                       ", the first is " + missing.first);
  }
  // Deletes the assets of which a file is missing, as `missing_file(element)` tells.
  template <typename MissingFileOf>
  Missing DeleteMissing(mjtObj type, MissingFileOf missing_file) {
    Missing missing;
    for (mjsElement* element : ElementsOf(&spec_, type)) {
      const std::string file = missing_file(element);
      if (file.empty()) continue;
      if (missing.names.empty()) missing.first = file;
      missing.names.insert(AssetName(element, file));
      mjs_delete(&spec_, element);
    }
    return missing;
  }

  // The first missing file of a texture; empty if all exist.
  std::string MissingFile(mjsTexture* texture) {
    const std::set<std::string> formats = {".png", ".ktx", ".jpg", ".jpeg"};
    const mjString* folder = spec_.compiler.texturedir;
    const std::string file = mjs_getString(texture->file);
    if (!file.empty() && !Settle(texture->file, folder, formats)) return file;
    for (int side = 0; const char* name = EntryOf(texture->cubefiles, side); ++side) {
      const std::string side_file = name;
      if (side_file.empty()) continue;
      const std::string found = Locate(side_file, folder, formats);
      if (found.empty()) return side_file;
      mjs_setInStringVec(texture->cubefiles, side, found.c_str());
    }
    return "";
  }

  fs::path directory_, target_;  // of the file's name, and of what links in it lead to
  mjSpec& spec_;
};

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

std::vector<mjsElement*> ElementsOf(mjSpec* spec, mjtObj type) {
  std::vector<mjsElement*> elements;
  for (mjsElement* e = mjs_firstElement(spec, type); e != nullptr; e = mjs_nextElement(spec, e)) {
    elements.push_back(e);
  }
  return elements;
}

std::vector<mjsBody*> BodiesOf(mjSpec* spec) {
  std::vector<mjsBody*> bodies;
  for (mjsElement* e : ElementsOf(spec, mjOBJ_BODY)) {
    if (NameOf(e) != "world") bodies.push_back(mjs_asBody(e));
  }
  return bodies;
}

std::string NameOf(mjsElement* element) { return mjs_getString(mjs_getName(element)); }

std::string AssetName(mjsElement* element, const std::string& file) {
  const std::string name = NameOf(element);
  return name.empty() ? fs::path(file).stem().string() : name;
}

std::vector<std::string> ForgetTextures(mjSpec* spec) {
  std::set<std::string> there = {""}, missing;
  for (mjsElement* element : ElementsOf(spec, mjOBJ_TEXTURE)) {
    there.insert(AssetName(element, mjs_getString(mjs_asTexture(element)->file)));
  }
  for (mjsElement* element : ElementsOf(spec, mjOBJ_MATERIAL)) {
    mjStringVec* textures = mjs_asMaterial(element)->textures;
    for (int i = 0; i < mjNTEXROLE; ++i) {
      const char* name = EntryOf(textures, i);
      if (name == nullptr && TellsEntries()) break;
      if (name == nullptr) {  // any of them may be missing
        mjs_setInStringVec(textures, i, "");
        continue;
      }
      if (there.contains(name)) continue;
      missing.insert(name);
      mjs_setInStringVec(textures, i, "");
    }
  }
  for (mjsElement* element : ElementsOf(spec, mjOBJ_LIGHT)) {
    mjString* name = mjs_asLight(element)->texture;
    if (there.contains(mjs_getString(name))) continue;
    missing.insert(mjs_getString(name));
    mjs_setString(name, "");
  }
  return {missing.begin(), missing.end()};
}

void DropShapes(mjSpec* spec) {
  for (const mjtObj type : {mjOBJ_GEOM, mjOBJ_MESH, mjOBJ_HFIELD, mjOBJ_MATERIAL, mjOBJ_TEXTURE}) {
    for (mjsElement* element : ElementsOf(spec, type)) mjs_delete(spec, element);
  }
}

bool DropMesh(const std::string& name, mjSpec* spec) {
  for (mjsElement* element : ElementsOf(spec, mjOBJ_MESH)) {
    if (AssetName(element, mjs_getString(mjs_asMesh(element)->file)) != name) continue;
    mjs_delete(spec, element);
    DeleteGeoms(spec, mjOBJ_MESH, {name});
    return true;
  }
  return false;
}

fs::path FindAsset(const std::string& name, const fs::path& directory) {
  const std::string stripped = StripScheme(name);
  const fs::path relative = stripped.empty() ? name : stripped;
  if (relative.is_absolute()) return IsFile(relative) ? relative : fs::path();
  // The package's folder may be one of the folders above, contain the file directly, or have
  // another name.
  fs::path inside;
  for (auto part = std::next(relative.begin()); part != relative.end(); ++part) inside /= *part;
  const fs::path start = fs::absolute(directory).lexically_normal();
  for (fs::path above = start;; above = above.parent_path()) {
    if (IsFile(above / relative)) return (above / relative).lexically_normal();
    if (!stripped.empty() && IsFile(above / inside)) return (above / inside).lexically_normal();
    if (!above.has_relative_path()) break;
  }
  const fs::path flat = start / relative.filename();
  return IsFile(flat) ? flat : fs::path();
}

void ResolveAssets(const fs::path& file, mjSpec* spec, std::vector<std::string>* notices) {
  Resolver resolver(file, spec);
  resolver.Shapes(mjOBJ_MESH, {".stl", ".obj", ".msh", ".dae"},
                  "mesh is missing or in a format that is not read", notices);
  resolver.ColladaMeshes(notices);
  resolver.Shapes(mjOBJ_HFIELD, {".png", ".hf", ".bin", ""}, "heightfield is missing", notices);
  resolver.Textures(notices);
  resolver.Skins(notices);
}

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
