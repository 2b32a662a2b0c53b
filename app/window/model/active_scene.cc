#include <algorithm>
#include <numbers>
#include <utility>

#include "app/window/model/window_state.h"
#include "base/text.h"
#include "civita/factorization_text.h"
#include "civita/sim/kinematic_trees.h"
#include "civita/sim/trials/compare_runs.h"
#include "study/typeset_number.h"

namespace civita {
namespace {

Tuning TuningOf(const Scene& scene) {
  Tuning tuning;
  const Controller& controller = *scene.controller;
  for (int i = 0; i < static_cast<int>(controller.parameters().size()); ++i) {
    tuning.gains.push_back(controller.gain(i));
  }
  tuning.factorization = controller.factorization();
  return tuning;
}

// What each run has of its own.
template <typename Part>
std::vector<Part> MakeEach(const LoadedScenes& scenes) {
  std::vector<Part> parts;
  parts.emplace_back(*scenes.scene);
  if (scenes.other) parts.emplace_back(*scenes.other);
  return parts;
}

std::string DescribeOther(const ActiveScene& scene) {
  return std::string(scene.law(Slot::kB).title) + ", C " +
         ToString(scene.slots.back().tuning.current().factorization);
}

// Legged robots as a whole, and named bodies with a joint between them and the world.
PushTargets FindPushTargets(const SceneData& scene) {
  const mjModel& m = *scene.mj;
  PushTargets targets;
  if (const int base = FindFreeBody(m); scene.legs && base > 0) {
    targets = {.has_whole = true, .names = {"whole robot"}, .bodies = {base}};
  }
  for (int body = 1; body < m.nbody; ++body) {
    const char* name = mj_id2name(&m, mjOBJ_BODY, body);
    if (m.body_weldid[body] == 0 || name == nullptr || *name == '\0') continue;
    targets.names.emplace_back(name);
    targets.bodies.push_back(body);
  }
  if (targets.names.empty()) {  // no named body: offer the last one that moves
    for (int body = static_cast<int>(m.nbody) - 1; body > 0; --body) {
      if (m.body_weldid[body] == 0) continue;
      targets.names.push_back("body " + std::to_string(body));
      targets.bodies.push_back(body);
      break;
    }
  }
  return targets;
}

// The robot as a whole, or the link at the end of the last chain, without bodies welded to it.
int SuitableTarget(const mjModel& m, const PushTargets& targets) {
  if (targets.bodies.empty() || targets.has_whole) return 0;
  const int link = m.body_weldid[targets.bodies.back()];
  const auto found = std::find(targets.bodies.begin(), targets.bodies.end(), link);
  const auto chosen = found != targets.bodies.end() ? found : targets.bodies.end() - 1;
  return static_cast<int>(chosen - targets.bodies.begin());
}

// About the weight of the mechanism: a noticeable but moderate push.
double SuitableForce(const mjModel& m) {
  constexpr double kGravity = 9.81, kShare = 0.3;
  const double force = kShare * kGravity * mj_getTotalmass(&m);
  return std::clamp(std::round(force), 1.0, 100.0);
}

// A push that makes a legged robot step, but not fall.
double SuitableImpulse(const mjModel& m) {
  constexpr double kJump = 0.3;  // m/s, of the centre of mass
  return std::clamp(std::round(kJump * mj_getTotalmass(&m)), 1.0, 100.0);
}

// "7", or "6 + 12" for a robot with a floating base.
std::string CountDof(const mjModel& m) {
  constexpr int kFree = 6;
  if (FindFreeBody(m) <= 0) return std::to_string(m.nv);
  return "6 + " + std::to_string(m.nv - kFree);
}

std::vector<ActiveScene::ComparedTree> FindComparedTrees(const Session& session) {
  std::vector<ActiveScene::ComparedTree> compared;
  if (!session.is_comparing()) return compared;
  const std::vector<KinematicTree> trees = FindKinematicTrees(session.scene().plant);
  const std::vector<MetricInfo>& metrics = session.metrics();
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (metrics[i].tree < 0) continue;
    const std::string& name = trees[static_cast<std::size_t>(metrics[i].tree)].name;
    const int body = mj_name2id(session.mj(), mjOBJ_BODY, name.c_str());
    if (body >= 0) compared.push_back({i, body, name});
  }
  return compared;
}

}  // namespace

bool PushesWhole(const ActiveScene& scene) {
  return scene.push_targets.has_whole && scene.push.body_choice == 0;
}

std::string PushedName(const mjModel& m, const Push& push) {
  if (push.of_tree) return "whole robot";
  if (push.joint >= 0) return mj_id2name(&m, mjOBJ_JOINT, push.joint);
  const char* name = mj_id2name(&m, mjOBJ_BODY, push.body);
  return name != nullptr ? name : "body";
}

double ImpulseOf(const Push& push) {
  const double mean = push.shape == PushShape::kHalfSine ? 2 / std::numbers::pi : 1;
  return mean * push.force.norm() * push.duration_s;
}

std::string PushFigures(const mjModel& m, const Push& push) {
  const bool turns = push.joint >= 0 && m.jnt_type[push.joint] != mjJNT_SLIDE;
  const std::string force = Short(push.force.norm()) + (turns ? " N·m" : " N");
  if (push.shape == PushShape::kSine) {
    return force + " at " + Short(push.omega / (2 * std::numbers::pi)) + " Hz";
  }
  return (push.joint >= 0 ? force : Fixed(push.force.norm(), 0) + " N") + ", " +
         Fixed(1000 * push.duration_s, 0) + " ms";
}

std::string DescribePush(const mjModel& m, const PushEvent& event) {
  const Push& push = event.push;
  const bool has_impulse = push.joint < 0 && push.shape != PushShape::kSine;
  return "Push on " + PushedName(m, push) + ": " + PushFigures(m, push) +
         (has_impulse ? ", " + Fixed(ImpulseOf(push), 2) + " N·s" : "");
}

std::string DescribeThrow(const ActiveScene& scene) {
  const ThrowConfig& thrown = scene.session.scene().config.thrown;
  return "Thrown off: " + Short(*thrown.size) + " " + scene.session.signals().Find("/v")->info.unit;
}

std::string RunName(const ActiveScene& scene, Slot slot) {
  const LawInfo& law = scene.law(slot);
  const bool differ = scene.is_comparing() && scene.law(Slot::kA).type != scene.law(Slot::kB).type;
  if (differ || !law.uses_factorization) return std::string(law.title);
  return ToString(scene.slots[static_cast<std::size_t>(slot)].tuning.current().factorization);
}

std::vector<std::string> CausesOfTurning(const ActiveScene& scene, Slot slot, double from,
                                         double to) {
  to = std::min(to, scene.snapshot->t);
  std::vector<std::string> causes = TurningCauses(scene.session.scene(slot));
  std::erase(causes, "pushes");  // those to come have turned nothing
  const auto acted = [&](const RunLog::EventMark& mark) {
    return mark.kind == PlotMark::Kind::kPush && mark.t >= from && mark.t < to;
  };
  if (std::ranges::any_of(scene.log.marks(), acted)) causes.emplace_back("pushes");
  const TraceBuffer& rows = scene.traces.buffer();
  const int limited = scene.traces.channel(slot, "/saturated");
  if (limited >= 0) {
    const ValueRange range = rows.Range(limited, rows.LowerBound(from), rows.LowerBound(to));
    if (!range.empty() && range.hi > 0) causes.emplace_back("torque limits");
  }
  return causes;
}

std::string TellCausesOfTurning(const ActiveScene& scene, double from, double to) {
  std::vector<std::string> causes = CausesOfTurning(scene, Slot::kA, from, to);
  if (scene.is_comparing()) {
    for (std::string& cause : CausesOfTurning(scene, Slot::kB, from, to)) {
      if (std::ranges::find(causes, cause) == causes.end()) causes.push_back(std::move(cause));
    }
  }
  const bool is_held = scene.session.scene().config.mode == ControlMode::kHeld;
  if (causes.empty() && is_held) causes.emplace_back("the torque held over each step");
  return causes.empty() ? "" : "beside torsion: " + internal::List(causes);
}

ActiveScene::Tuned::Tuned(const Scene& scene)
    : of_scene(TuningOf(scene)), tuning(of_scene), posted(of_scene) {
  for (std::size_t i = 0; i < scene.law->parameters.size(); ++i) {
    units.push_back(scene.controller->unit(static_cast<int>(i)));
  }
}

ActiveScene::ActiveScene(LoadedScenes scenes, bool start_paused,
                         const std::filesystem::path& directory)
    : slots(MakeEach<Tuned>(scenes)),
      matrices(MakeEach<MatrixView>(scenes)),
      law_title(scenes.scene->law->title),
      session(
          scenes.record
              ? Session(std::move(scenes.scene), std::move(scenes.record), start_paused,
                        std::move(scenes.other), std::move(scenes.other_record))
              : Session(std::move(scenes.scene), start_paused, directory, std::move(scenes.other))),
      snapshot(&session.Latest()),
      traces(session),
      geometry(session.scene()),
      trees(FindComparedTrees(session)),
      plot_choices(MakePlotChoices(session, traces)) {
  const SceneData& scene = session.scene();
  const mjModel& m = *session.mj();
  push_targets = FindPushTargets(scene);
  push.body_choice = SuitableTarget(m, push_targets);
  push.force = SuitableForce(m);
  push.impulse = SuitableImpulse(m);
  push.usual_force = push.force;
  push.usual_impulse = push.impulse;
  for (std::size_t i = 0; i < posted().gains.size(); ++i) {
    const Eigen::VectorXd& gain = posted().gains[i];
    const bool by_joint = law().parameters[i].shape == GainShape::kCoordinates;
    if (by_joint && (gain.array() != gain[0]).any()) gains_by_joint = true;
  }
  velocity_names = scene.velocity_names;
  title = scene.config.title + (session.is_replay() ? ", replay" : "");
  log.Add({0,
           title + ": " + CountDof(m) + " DoF, " + law_title + ", C " +
               ToString(posted().factorization),
           LogLine::Kind::kScene});
  if (session.is_replay()) log.Add({0, "A replay: what was recorded, without a simulation"});
  if (is_comparing()) log.Add({0, "Compared with " + DescribeOther(*this)});
  for (const std::string& notice : scene.config.notices) {
    log.Add({0, notice, LogLine::Kind::kWarning});
  }
  for (const std::string& notice : scene.notices) log.Add({0, notice, LogLine::Kind::kWarning});
  for (const Push& planned : scene.pushes) {
    pushes.push_back({planned, true});
    log.Mark(PlotMark::Kind::kPush, planned.start_s, DescribePush(m, pushes.back()), true);
  }
  if (const ThrowConfig& thrown = scene.config.thrown; thrown.at_s) {
    log.Mark(PlotMark::Kind::kThrow, *thrown.at_s, DescribeThrow(*this), true);
  }
  bool pulled = false;
  for (const InputEvent& event : scenes.events) {
    // The mouse gives a pull each frame: its first tells enough.
    if (std::exchange(pulled, IsPull(event.input)) && pulled) continue;
    const bool is_setting = !SettingOf(event.input).empty();
    const bool is_throw = event.input.starts_with("{\"throw\"");
    log.Mark(is_throw     ? PlotMark::Kind::kThrow
             : is_setting ? PlotMark::Kind::kChange
                          : PlotMark::Kind::kPush,
             event.t, event.what, true);
    log.Add({event.t, event.what, LogLine::Kind::kAction});
  }
}

}  // namespace civita
