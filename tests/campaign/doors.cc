#include "tests/campaign/doors.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "civita/json/model_json.h"
#include "civita/study/compare/compare_variants.h"
#include "civita/study/evaluate/eval_states.h"
#include "civita/study/model/load_model.h"
#include "civita/study/poe/poe_states.h"
#ifdef CIVITA_WITH_WINDOW
#include "app/window/model/settings.h"
#include "app/window/model/tuning.h"
#endif
#include "base/read_file.h"
#include "base/utf8.h"
#include "civita/coriolis.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/kinematics.h"
#include "civita/scenes/motion/motion_file.h"
#include "civita/scenes/plant/collada.h"
#include "civita/scenes/plant/coordinates_text.h"
#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/plant/plant_errors.h"
#include "civita/scenes/plant/poe_file.h"
#include "civita/scenes/scene.h"
#include "civita/scenes/schema/formula.h"
#include "civita/sim/input_event.h"
#include "civita/sim/run_json.h"
#include "civita/sim/run_record.h"
#include "civita/sim/saved_state.h"
#include "civita/sim/signals.h"
#include "civita/sim/simulation.h"

namespace civita {
namespace {

namespace fs = std::filesystem;

/// A folder in memory for the process's files, removed at its end: `config` and `models` in it,
/// beside which are the project's bases and scenes by their usual relative paths.
const fs::path& Folder() {
  struct Temporary {
    fs::path path;
    Temporary() {
      std::string name = (fs::is_directory("/dev/shm") ? "/dev/shm" : fs::temp_directory_path()) /
                         fs::path("civita_campaign_XXXXXX");
      if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
      path = name;
      const fs::path data = DataDirectory();
      for (const char* each : {"config", "models", "run"}) fs::create_directory(path / each);
      fs::create_directory_symlink(data / "scenes", path / "scenes");
      fs::create_directory_symlink(data / "scenes" / "common", path / "common");
      fs::create_directory_symlink(data / "config" / "bases", path / "config" / "bases");
    }
    ~Temporary() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  };
  static const Temporary temporary;
  return temporary.path;
}

fs::path WriteInput(const std::string& name, const std::string& content) {
  const fs::path path = Folder() / name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

/// The plant of a scene, loaded once.
const Scene& SceneOf(const char* name) {
  static std::map<std::string, std::unique_ptr<Scene>> scenes;
  std::unique_ptr<Scene>& scene = scenes[name];
  if (!scene) scene = LoadScene(ReadConfig(name));
  return *scene;
}

/// The lines of a text as arguments, the first few.
std::vector<std::string> LinesOf(const std::string& text) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= text.size() && lines.size() < kMost;) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// What a config allows is run, but not for long.
void RunShortly(const SceneConfig& config) {
  Simulation simulation(LoadScene(config));
  if (simulation.control_dt() > 0.01) return;
  simulation.RunFor(2);
}

void OpenConfig(const std::string& input) {
  const SceneConfig config = ReadConfig(WriteInput("config/config.yaml", input).string());
  const std::string written = ToYaml(config);
  if (ToYaml(ReadConfig(WriteInput("config/written.yaml", written).string())) != written) {
    throw Misbehaviour("the config written is read as another one");
  }
}

void OpenScene(const std::string& input) {
  RunShortly(ReadConfig(WriteInput("config/scene.yaml", input).string()));
}

// The program refuses arguments that are no UTF-8 before it reads them, and files as they are read.
void OpenOverrides(const std::string& input) {
  internal::CheckUtf8(input, "the argument");
  std::vector<std::string> resolved;
  for (const std::string& line : LinesOf(input)) resolved.push_back(ResolveOverride(line, "--set"));
  RunShortly(ReadConfig("planar_2r", resolved));
}

void OpenFactorization(const std::string& input) {
  internal::CheckUtf8(input, "the argument");
  const Model& model = SceneOf("ball_arm").plant;
  const Factorization read = ParseFactorization(input, model, Folder().string());
  const std::string text = ToString(read);
  if (ToString(ParseFactorization(text, model, Folder().string())) != text) {
    throw Misbehaviour("the factorization written is read as another one");
  }
}

void OpenInjection(const std::string& input) {
  WriteInput("S.csv", input);
  ParseFactorization("joint:0.5:S.csv", SceneOf("ball_arm").plant, Folder().string());
}

void OpenThreeForm(const std::string& input) {
  WriteInput("omega.csv", input);
  ParseFactorization("form:omega.csv", SceneOf("ball_arm").plant, Folder().string());
}

void OpenVariation(const std::string& input) {
  internal::CheckUtf8(input, "the argument");
  CombineVariations(LinesOf(input));
}

void OpenStates(const std::string& input) {
  const Model& model = SceneOf("ball_arm").plant;
  std::vector<std::string> notices;
  const EvalStates states = ParseStates(input, "states.json", model, &notices);
  for (std::size_t i = 0; i < states.size(); ++i) {
    for (const double x : states.q(i)) {
      if (!std::isfinite(x)) throw Misbehaviour("q of an accepted state is not finite");
    }
  }
}

void OpenPoe(const std::string& input) {
  const fs::path file = WriteInput("robot.yaml", input);
  if (!ReadPoeFile(file)) return;
  std::vector<std::string> notices;
  ReadPoeSpec(file, &notices);
}

void OpenPoeStates(const std::string& input) { ParsePoeStates(input, "states.json", std::nullopt); }

void OpenMotion(const std::string& input) {
  ReadMotionFile(WriteInput("motion.csv", input), SceneOf("ball_arm").plant);
}

void OpenCoordinates(const std::string& input) {
  const Scene& scene = SceneOf("planar_2r");
  const fs::path file = WriteInput("coordinates.yaml", input);
  ReadCoordinates(file.string(), scene.plant, scene.q_home);
}

void OpenFormula(const std::string& input) {
  internal::CheckUtf8(input, "the argument");
  const Formula formula(input, {{"q[0]", 0}, {"shoulder", 0}, {"q[1]", 1}});
  formula(std::array{0.3, -2.0});
}

void OpenEstimates(const std::string& input) {
  const Scene& scene = SceneOf("planar_2r");
  LawConfig law;
  law.estimate = WriteInput("estimates.yaml", input);
  BuildControlModel(law, *scene.mj, scene.plant);
}

/// What the core makes of a model that MuJoCo accepts; large ones cost time, and nothing else.
void UseModel(const Model& model) {
  if (model.nv() == 0 || model.nv() > 60) return;
  Workspace<double> workspace(model);
  const Eigen::VectorXd v = Eigen::VectorXd::Constant(model.nv(), 0.1);
  Eigen::MatrixXd H(model.nv(), model.nv()), C(model.nv(), model.nv());
  UpdateKinematics(model, model.DefaultPosition(), v, workspace);
  CalcCoriolisMatrix(model, {}, workspace, {.C = C, .H = H});
}

void OpenMjcf(const std::string& input) {
  const fs::path file = WriteInput("models/model.xml", input);
  UseModel(LoadModel(file.string()).model);
}

void OpenUrdf(const std::string& input) {
  const fs::path file = WriteInput("models/model.urdf", input);
  UseModel(LoadModel(file.string(), {.loops = false}).model);
}

/// What is accepted is written and read again to the same text.
void OpenCollada(const std::string& input) {
  const internal::Triangles read = internal::ReadCollada(WriteInput("mesh.dae", input));
  const auto count = static_cast<int>(read.vertices.size() / 3);
  for (const int index : read.faces) {
    if (index < 0 || index >= count) throw Misbehaviour("a triangle names no vertex");
  }
}

void OpenModelJson(const std::string& input) {
  const fs::path file = WriteInput("models/model.json", input);
  const LoadedModel loaded = LoadModel(file.string());
  UseModel(loaded.model);
  const std::string text = WriteModelJson(loaded.model, loaded.loops);
  const LoadedModel again = ReadModelJson(text, "again.json");
  if (WriteModelJson(again.model, again.loops) != text)
    throw Misbehaviour("a model in JSON is not read again as it was");
}

void OpenRun(const std::string& input) {
  static const fs::path config = WriteInput(
      "run/config.yaml", "base: " + (DataDirectory() / "config/planar_2r.yaml").string() + "\n");
  static const SignalTable table(SceneOf("planar_2r"));
  WriteInput("run/signals.csv", input);
  RunRecord record(config.parent_path());
  record.Arrange(table);
  for (std::size_t i = 0; i < record.size(); ++i) {
    if (record.row(i).size() != table.width()) throw Misbehaviour("a row of another width");
  }
}

/// Of a recording that was killed.
void OpenEvents(const std::string& input) {
  const fs::path file = WriteInput("killed/events.jsonl", input);
  const nlohmann::json run = {{"status", "running"}, {"events", nlohmann::json::array()}};
  const auto events = ReadEvents(file.parent_path(), run);
  Simulation simulation(LoadScene(ReadConfig("planar_2r")));
  for (const InputEvent& event : events.value()) {
    if (!event.input.empty()) RepeatInput(event.input, &simulation);
  }
  simulation.RunFor(2);
}

/// A run whose saved state is changed, and that state.
struct SavedRun {
  SavedRun(const char* scene, const std::vector<std::string>& overrides)
      : simulation(LoadScene(ReadConfig(scene, overrides))) {
    simulation.RunFor(20);
    simulation.Save(&saved);
  }
  Simulation simulation;
  Simulation::Saved saved;
};

/// The bytes of a run's saved state, changed where the input says: its first byte chooses the run
/// and whether the sum is made anew, each three further ones are an offset and a value. A state
/// with the right sum is another's, and the run goes on from it or refuses it.
void OpenState(const std::string& input) {
  static const std::array runs = {
      new SavedRun("arm7_payload_adaptive", {"observer.gain=5"}),
      new SavedRun("arm7", {"control.delay_s=0.005", "noise.joint_position=1e-4"}),
      new SavedRun("quadruped_trot", {}), new SavedRun("biped_walk", {})};
  if (input.empty()) return;
  const auto choice = static_cast<unsigned char>(input[0]);
  SavedRun& run = *runs[choice % runs.size()];
  Simulation::Saved saved = run.saved;
  const std::string whole = ToBytes(saved);
  std::string bytes = whole;
  for (std::size_t i = 1; i + 2 < input.size(); i += 3) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(input[i + k]); };
    bytes[(256u * byte(0) + byte(1)) % bytes.size()] = input[i + 2];
  }
  if (input.size() % 3 == 2) bytes.pop_back();
  const bool has_sum = choice < 192;
  if (has_sum) {
    bytes.resize(bytes.size() - sizeof(std::uint64_t));
    const std::uint64_t sum = CalcStateSum(bytes);
    bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  }
  FromBytes(bytes, &saved);
  if (!has_sum && bytes != whole) throw Misbehaviour("a damaged state is accepted");
  CheckSaved(run.simulation, saved);
  run.simulation.Repeat(saved, saved.step);
  run.simulation.RunFor(3);
}

#ifdef CIVITA_WITH_WINDOW
void OpenProfile(const std::string& input) {
  const Scene& scene = SceneOf("arm7");
  Tuning present;
  for (std::size_t i = 0; i < scene.law->parameters.size(); ++i) {
    present.gains.push_back(scene.controller->gain(static_cast<int>(i)));
  }
  const std::string folder = "profiles/" + std::string(scene.law->type);
  fs::create_directories(Folder() / folder);
  WriteInput(folder + "/own.yaml", input);
  SaveProfile(Folder(), *scene.law, "written",
              LoadProfile(Folder(), *scene.law, "own", present, scene.plant));
}

void OpenWindowSettings(const std::string& input) {
  WriteInput("window.yaml", input);
  const Settings settings(Folder());
  settings.Get("theme", std::string());
  settings.Get("plots.arm", std::vector<std::string>());
}
#endif

constexpr std::array kDoors = {
    Door{"config", OpenConfig},
    Door{"scene", OpenScene},
    Door{"overrides", OpenOverrides},
    Door{"factorization", OpenFactorization},
    Door{"injection", OpenInjection},
    Door{"three_form", OpenThreeForm},
    Door{"variation", OpenVariation},
    Door{"states", OpenStates},
    Door{"poe", OpenPoe},
    Door{"poe_states", OpenPoeStates},
    Door{"motion", OpenMotion},
    Door{"coordinates", OpenCoordinates},
    Door{"formula", OpenFormula},
    Door{"estimates", OpenEstimates},
    Door{"mjcf", OpenMjcf},
    Door{"urdf", OpenUrdf},
    Door{"collada", OpenCollada},
    Door{"model_json", OpenModelJson},
    Door{"run", OpenRun},
    Door{"events", OpenEvents},
    Door{"state", OpenState},
#ifdef CIVITA_WITH_WINDOW
    Door{"profile", OpenProfile},
    Door{"window_settings", OpenWindowSettings},
#endif
};

}  // namespace

std::span<const Door> Doors() { return kDoors; }

std::vector<std::string> CorpusOf(const Door& door) {
  const fs::path folder = fs::path(CIVITA_SOURCE_DIR "/tests/campaign/corpus") / door.name;
  if (!fs::is_directory(folder)) return {};
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<std::string> files;
  for (const fs::path& path : paths) files.push_back(internal::ReadFile(path.string()));
  return files;
}

void Knock(const Door& door, const std::string& input) {
  std::string message;
  try {
    door.open(input);
    return;
  } catch (const UserError& error) {
    message = error.what();
  } catch (const Misbehaviour&) {
    throw;
  } catch (const std::exception& error) {
    throw Misbehaviour(std::string("not a UserError: ") + error.what());
  }
  // Control characters and length are left to PrintError.
  if (message.empty()) throw Misbehaviour("an empty message");
  internal::CheckUtf8(message, "the message");
}

}  // namespace civita
