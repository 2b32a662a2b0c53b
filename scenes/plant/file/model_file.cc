#include "civita/scenes/plant/model_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <regex>
#include <string_view>
#include <system_error>
#include <thread>

#include "base/memory_left.h"
#include "base/read_file.h"
#include "base/text.h"
#include "base/utf8.h"
#include "civita/controllers/controller.h"
#include "civita/error.h"
#include "civita/mujoco/convert.h"
#include "civita/mujoco/joint_limits.h"
#include "civita/mujoco/passive_elements.h"
#include "civita/scenes/plant/compile_watch.h"
#include "civita/scenes/plant/model_assets.h"
#include "civita/scenes/plant/model_text.h"
#include "civita/scenes/plant/poe_file.h"
#include "civita/scenes/plant/skeleton.h"
#include "civita/scenes/plant/soft_friction.h"
#include "civita/scenes/plant/urdf_inertias.h"
#include "civita/scenes/plant/urdf_text.h"
#include "civita/scenes/plant/xml_text.h"
#include "civita/scenes/scene_list.h"
#include "civita/scenes/schema/key_row.h"

namespace civita {
namespace {

namespace fs = std::filesystem;

constexpr double kUrdfTimestep = 0.001;
constexpr std::size_t kLongestError = 2000;  // of MuJoCo's, over which std::regex calls itself

// Suppresses MuJoCo's printed warnings and log file while models are loaded; its warnings are in
// the spec. The setting is global and several threads load models: the first load that begins
// saves it, the last that ends restores it.
class QuietMujoco {
 public:
  QuietMujoco() {
    const std::lock_guard lock(Shared().mutex);
    if (Shared().loads++ > 0) return;
    Shared().before = mju_getLogConfig();
    mjLogConfig quiet = Shared().before;
    quiet.logto_console = 0;
    quiet.logto_file = 0;
    mju_setLogConfig(quiet);
  }
  ~QuietMujoco() {
    const std::lock_guard lock(Shared().mutex);
    if (--Shared().loads == 0) mju_setLogConfig(Shared().before);
  }
  QuietMujoco(const QuietMujoco&) = delete;
  QuietMujoco& operator=(const QuietMujoco&) = delete;

 private:
  struct State {
    std::mutex mutex;
    int loads = 0;  ///< in progress
    mjLogConfig before = {};
  };
  static State& Shared() {
    static State state;
    return state;
  }
};

std::string OneLine(std::string_view text) {
  std::string line;
  for (const char c : internal::KeepCharacters(text)) {  // MuJoCo cuts off characters
    if (c != '\n') {
      line += c;
    } else if (!line.empty() && !line.ends_with("; ")) {
      line += "; ";
    }
  }
  while (line.ends_with("; ")) line.erase(line.size() - 2);
  return line;
}

// Throws MuJoCo's message with the file, and the line if it gives one; where memory ran out, which
// MuJoCo takes for a fault of the text, std::bad_alloc.
[[noreturn]] void Refuse(const fs::path& file, const std::string& message) {
  const auto has = [&](const char* text) { return message.find(text) != message.npos; };
  // Of a number that is none MuJoCo knows what is wrong with it.
  if (has("ould not allocate") || has("unknown error in attribute") || internal::IsMemoryShort()) {
    throw std::bad_alloc();
  }
  std::string text = OneLine(message);
  std::string place = file.string();
  static const std::regex kLine("(,? *)\\bline (\\d+)(, column -?\\d+)?");
  std::smatch match;
  if (std::regex_search(text, match, kLine)) {
    place += ":" + match[2].str();
    text = match.prefix().str() + match.suffix().str();
  }
  throw UserError(place + ": " + text);
}

// Disables forces that H, C and g of a tree do not model.
void SwitchOffForeignForces(mjSpec* spec, std::vector<std::string>* notices) {
  std::size_t bodies = 0, tendons = 0;
  for (mjsElement* e : internal::ElementsOf(spec, mjOBJ_BODY)) {
    mjsBody* body = mjs_asBody(e);
    if (body->gravcomp != 0) ++bodies;
    body->gravcomp = 0;
  }
  for (mjsElement* e : internal::ElementsOf(spec, mjOBJ_TENDON)) {
    mjsTendon* tendon = mjs_asTendon(e);
    if (tendon->armature != 0) ++tendons;
    tendon->armature = 0;
  }
  for (mjsElement* e : internal::ElementsOf(spec, mjOBJ_ACTUATOR)) {
    mjsActuator* actuator = mjs_asActuator(e);
    if (actuator->trntype != mjTRN_TENDON || actuator->armature == 0) continue;
    actuator->armature = 0;
    ++tendons;
  }
  const auto tell = [notices](const char* what, std::size_t count, const char* of) {
    if (count > 0) notices->push_back(what + internal::Count(count, of) + " is switched off");
  };
  tell("gravity compensation of ", bodies, "body");
  tell("armature of ", tendons, "tendon");
  if (spec->option.density != 0 || spec->option.viscosity != 0) {
    spec->option.density = spec->option.viscosity = 0;
    notices->push_back("the fluid around the bodies is switched off");
  }
}

// Treats meshes without volume as shells.
bool MakeMeshesShells(mjSpec* spec) {
  bool changed = false;
  for (mjsElement* e : internal::ElementsOf(spec, mjOBJ_MESH)) {
    mjsMesh* mesh = mjs_asMesh(e);
    changed = changed || mesh->inertia != mjMESH_INERTIA_SHELL;
    mesh->inertia = mjMESH_INERTIA_SHELL;
  }
  return changed;
}

// Extracts the name from "Element name 'x'".
std::string ElementName(const std::string& error) {
  static const std::regex kName("Element name '([^']*)'");
  std::smatch match;
  return std::regex_search(error, match, kName) ? match[1].str() : "";
}

// Changes the spec such that `error` does not recur. @returns false if that is not possible.
bool Adapt(const std::string& error, mjSpec* spec, std::vector<std::string>* notices) {
  const auto has = [&error](const char* text) { return error.find(text) != std::string::npos; };
  if (has("mesh volume is too small") && MakeMeshesShells(spec)) return true;
  if (internal::DropMesh(ElementName(error), spec)) {
    notices->push_back("geometry left out, its mesh cannot be used: " + OneLine(error));
    return true;
  }
  return false;
}

// MuJoCo softens dry friction by the joint's apparent inertia: on a light joint it would reach its
// full value only at several rad/s. Here it does so at the velocity of the laws' feedforward. This
// is stable because the constraint is solved implicitly.
void HardenFriction(mjModel* m, std::vector<std::string>* notices) {
  constexpr double kHardest = 0.9999;  // MuJoCo's own upper bound of the impedance
  size_t hardened = 0;
  for (int iv = 0; iv < m->nv; ++iv) {
    mjtNum* solref = m->dof_solref + mjNREF * iv;
    mjtNum* solimp = m->dof_solimp + mjNIMP * iv;
    const double softness = m->dof_frictionloss[iv] * m->dof_invweight0[iv];
    const double full =
        CalcFullFrictionSpeed(m->dof_frictionloss[iv], m->dof_invweight0[iv], solref, solimp);
    if (full <= kFrictionVelocity) continue;
    const double ratio = kFrictionVelocity * 2 / (softness * solref[0]);
    solimp[0] = solimp[1] = std::min(kHardest, 1 / (1 + ratio));
    const double left = (1 - solimp[0]) * softness * solref[0] / 2 / kFrictionVelocity;
    if (left > 1) solref[0] = std::max(2 * m->opt.timestep, solref[0] / left);
    ++hardened;
  }
  if (hardened > 0) {
    notices->push_back("dry friction of " + internal::Count(hardened, "joint") +
                       " is simulated harder than MuJoCo's default, to act at low speed");
  }
}

// Whether the system, which may limit their number, gives another thread.
bool HasThreads() {
  try {
    std::thread([] {}).join();
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

// Refuses names that a character reference has spoilt: they come into messages and results.
void CheckNames(const fs::path& file, const mjModel& m) {
  const std::string_view names(m.names, static_cast<std::size_t>(m.nnames));
  const std::size_t at = internal::FindNoUtf8(names);
  if (at == names.npos) return;
  const std::size_t begin = names.substr(0, at).rfind('\0') + 1;  // 0 for npos
  throw UserError(file.string() + ": the name that begins with '" +
                  std::string(names.substr(begin, at - begin)) + "' is no UTF-8 text");
}

MjModelPtr Compile(const fs::path& file, bool adapt, mjSpec* spec,
                   std::vector<std::string>* notices) {
  constexpr int kTries = 100;
  // MuJoCo would end the process.
  if (!HasThreads()) spec->compiler.usethread = 0;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    if (mjModel* m = mj_compile(spec, nullptr)) return MjModelPtr(m);
    const std::string error = std::string(mjs_getError(spec)).substr(0, kLongestError);
    if (internal::LeaveOutLooks(error, spec, notices)) continue;
    if (!adapt || !Adapt(error, spec, notices)) Refuse(file, error);
  }
  Refuse(file, std::string(mjs_getError(spec)).substr(0, kLongestError));
}

// Keeps a URDF's speed limits, which MuJoCo does not read, as numbers of its spec.
void KeepSpeedLimits(const std::vector<internal::UrdfJoint>& joints, mjSpec* spec) {
  std::map<std::string, double> limits;
  for (const internal::UrdfJoint& joint : joints) {
    limits[joint.name] = joint.properties.velocity_limit;
  }
  for (const auto& [name, limit] : limits) {
    if (std::isinf(limit) || !mjs_findElement(spec, mjOBJ_JOINT, name.c_str())) continue;
    mjsNumeric* numeric = mjs_addNumeric(spec);
    mjs_setName(numeric->element, VelocityLimitName(name).c_str());
    mjs_setDouble(numeric->data, &limit, 1);
    numeric->size = 1;
  }
}

// Parses what ReadUrdf leaves of a URDF; the joints keep their speed limits.
SpecPtr ParseUrdf(internal::XmlText* xml, bool visuals, std::vector<std::string>* notices) {
  const internal::UrdfTree urdf = internal::ReadUrdf(xml, notices);
  const std::string text = internal::WriteUrdf(xml, visuals);
  std::array<char, 2000> error{};
  SpecPtr spec(
      mj_parseXMLString(text.c_str(), nullptr, error.data(), static_cast<int>(error.size())));
  if (!spec) Refuse(xml->file(), error.data());
  mjs_setString(spec->modelfiledir, xml->file().parent_path().c_str());
  KeepSpeedLimits(urdf.joints, spec.get());
  for (const internal::UrdfJoint& joint : urdf.joints) {
    if (joint.properties.armature == 0) continue;
    mjsElement* element = mjs_findElement(spec.get(), mjOBJ_JOINT, joint.name.c_str());
    if (element != nullptr) mjs_asJoint(element)->armature = joint.properties.armature;
  }
  return spec;
}

void CheckRoot(const internal::XmlText& xml) {
  const std::string name = xml.root().name();
  if (name == "mujoco" || name == "robot") return;
  if (name == "mujocoinclude") {
    xml.Refuse(xml.root(), "this is a part that other models include: give the file whose " +
                               ("<include file=\"" + xml.file().filename().string()) +
                               "\"/> does so");
  }
  const std::string other =
      name == "sdf"
          ? "; SDF files are not read: convert it by `sdf2mjcf FILE.sdf FILE.xml` of the package "
            "sdformat-mjcf"
          : "";
  xml.Refuse(xml.root(),
             "<" + name + "> is no model: MJCF begins with <mujoco>, a URDF with <robot>" + other);
}

// Parses MJCF, a URDF with its visual shapes if `visuals` or if it has no others, or a product of
// exponentials.
SpecPtr ParseModel(const fs::path& file, bool visuals, std::vector<std::string>* notices,
                   bool* urdf) {
  // Read before MuJoCo does, which would call a missing file empty.
  const std::string text = internal::ReadFile(file.string());
  const std::string extension = file.extension().string();
  if (extension == ".yaml" || extension == ".yml") return ReadPoeSpec(file, notices);
  internal::XmlText xml(file, text);
  CheckRoot(xml);
  internal::CheckResources(xml);
  *urdf = xml.root().name() == std::string_view("robot");
  if (*urdf) return ParseUrdf(&xml, visuals, notices);
  std::array<char, 2000> error{};
  SpecPtr spec(mj_parseXML(file.c_str(), nullptr, error.data(), static_cast<int>(error.size())));
  if (!spec) Refuse(file, error.data());
  return spec;
}

void SetOptions(const ModelReading& reading, bool urdf, mjSpec* spec,
                std::vector<std::string>* notices) {
  spec->option.disableflags |= mjDSBL_AUTORESET;
  if (urdf) spec->option.timestep = kUrdfTimestep;
  const PhysicsConfig& physics = reading.physics;
  if (physics.timestep_s) spec->option.timestep = *physics.timestep_s;
  if (physics.impratio) {
    spec->option.impratio = *physics.impratio;
    spec->option.cone = mjCONE_ELLIPTIC;
  }
  if (physics.contacts.value_or(!urdf)) {
    if (physics.contacts) spec->option.disableflags &= ~mjDSBL_CONTACT;
    return;
  }
  spec->option.disableflags |= mjDSBL_CONTACT;
  if (!physics.contacts && reading.simulated) {
    notices->push_back(
        "the links of a URDF do not touch one another; "
        "physics.contacts=true lets them");
  }
}

// Sites are frames, and so are bodies.
void NoteSharedNames(const mjModel& m, std::vector<std::string>* notices) {
  std::vector<std::string> shared;
  for (int i = 0; i < m.nsite; ++i) {
    const char* name = mj_id2name(&m, mjOBJ_SITE, i);
    const std::string frame = NameOfSite(m, i);
    if (name != nullptr && frame != name) shared.push_back(frame);
  }
  internal::TellNames("sites that have the name of a body are the frames ", shared, notices);
}

}  // namespace

std::span<const KeyRow<PhysicsConfig>> PhysicsKeys() {
  using C = PhysicsConfig;
  static constexpr KeyRow<C> kKeys[] = {
      {"timestep_s", &C::timestep_s, "s", "else the model's own", NumberRange::kPositive},
      {"contacts", &C::contacts, "", "bodies collide; default: the model's own, none in a URDF"},
      {"impratio", &C::impratio, "",
       "how many times as stiff as along the normal friction is, in elliptic cones; default: the "
       "model's own, 10 of a URDF on legs",
       NumberRange::kPositive},
  };
  return kKeys;
}

MjModelPtr LoadModelFile(const fs::path& file, const ModelReading& reading,
                         std::vector<std::string>* notices) {
  CheckMujocoVersion();
  const QuietMujoco quiet;
  const internal::CompileWatch watch(file);
  bool urdf = false;
  const SpecPtr spec = ParseModel(file, reading.visuals, notices, &urdf);
  if (reading.edit) reading.edit(spec.get(), urdf);
  const internal::Skeleton skeleton(spec.get());
  internal::UrdfInertias inertias;
  internal::InferredMasses inferred;
  if (urdf) {
    inertias.TakeFrom(spec.get(), notices);
    if (!reading.simulated) internal::DropShapes(spec.get());
  } else {
    inferred.TakeFrom(spec.get());
  }
  internal::ResolveAssets(file, spec.get(), notices);
  SwitchOffForeignForces(spec.get(), notices);
  SetOptions(reading, urdf, spec.get(), notices);
  const auto compile = [&](std::vector<std::string>* told) {
    MjModelPtr m = Compile(file, urdf, spec.get(), told);
    if (urdf) {
      inertias.PutInto(m.get(), reading.simulated, told);
      if (reading.simulated) HardenFriction(m.get(), told);
    } else {
      inferred.Check(*m, told);
    }
    return m;
  };
  MjModelPtr m = compile(notices);
  const auto compile_again = [&] {
    std::vector<std::string> told_before;
    m = compile(&told_before);
  };
  if (reading.simulated && internal::FixLockedJoints(*m, spec.get(), notices)) compile_again();
  if (reading.simulated && skeleton.AddTo(*m, spec.get(), notices)) compile_again();
  CheckNames(file, *m);
  std::ranges::move(DescribeUnmodelledForces(*m), std::back_inserter(*notices));
  const std::string soft = reading.simulated ? DescribeSoftFriction(*m) : "";
  if (!soft.empty()) notices->push_back(soft);
  for (int i = 0; i < mjs_numWarnings(spec.get()); ++i) {
    const std::string warning = OneLine(mjs_getWarning(spec.get(), i));
    // Warning about an attached model without prefix, which only concerns saving as XML.
    if (warning.find("empty prefix") == std::string::npos) notices->push_back(warning);
  }
  NoteSharedNames(*m, notices);
  return m;
}

SpecPtr ParseStudio() {
  const std::string file = (DataDirectory() / "scenes/common/studio.xml").string();
  std::array<char, 1000> error{};
  SpecPtr studio(mj_parseXMLString(("<mujoco><include file=\"" + file + "\"/></mujoco>").c_str(),
                                   nullptr, error.data(), static_cast<int>(error.size())));
  if (!studio) throw UserError(file + ": " + error.data());
  return studio;
}

const double* internal::SpeedLimitOf(mjsElement* joint) {
  const std::string name = VelocityLimitName(mjs_getString(mjs_getName(joint)));
  mjsElement* element = mjs_findElement(mjs_getSpec(joint), mjOBJ_NUMERIC, name.c_str());
  if (element == nullptr) return nullptr;
  int size = 0;
  return mjs_getDouble(mjs_asNumeric(element)->data, &size);
}

std::string HashModel(const mjModel& m) {
  // Of all bytes, so that they need not be set before.
  const mjtSize size = mj_sizeModel(&m);
  const auto bytes = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(size));
  mj_saveModel(&m, nullptr, bytes.get(), size);
  return HashBytes({bytes.get(), static_cast<std::size_t>(size)});
}

std::string HashBytes(std::string_view bytes) {
  // Eight bytes at a time, as a model with textures has millions. Products move what differs
  // upward, rotations bring it down again, and the length tells the last word from one with zeros.
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15, kOther = 0xff51afd7ed558ccd;
  std::uint64_t hash = 0;
  const auto add = [&hash](std::uint64_t word) {
    hash = std::rotl(hash ^ std::rotl(word * kOdd, 31) * kOther, 27) * 5 + 0x52dce729;
  };
  std::uint64_t word = 0;
  std::size_t i = 0;
  for (; i + sizeof word <= bytes.size(); i += sizeof word) {
    std::memcpy(&word, bytes.data() + i, sizeof word);
    add(word);
  }
  word = 0;
  std::memcpy(&word, bytes.data() + i, bytes.size() - i);
  if (i < bytes.size()) add(word);
  for (const std::uint64_t factor : {kOther, kOdd}) {
    hash = (hash ^ bytes.size()) * factor;
    hash ^= hash >> 32;
  }
  std::array<char, 17> text;
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

}  // namespace civita
