#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/program.h"
#include "app/terminal.h"
#include "app/verbs/options.h"
#include "app/verbs/verb.h"
#include "base/text.h"
#include "civita/centroidal.h"
#include "civita/controllers/legs/leg_kinematics.h"
#include "civita/error.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/scenes/plant/auto_legs.h"
#include "civita/scenes/plant/leg_start.h"
#include "civita/scenes/scene.h"
#include "civita/scenes/schema/yaml_value.h"
#include "civita/sim/output_file.h"
#include "civita/study/table.h"
#include "civita/workspace.h"

namespace civita {
namespace {

/// Options of `civita legs`.
struct LegsOptions {
  std::string robot;
  std::vector<std::string> overrides;
  std::string out;
};

Eigen::Matrix3d HeadingOf(const Scene& scene) {
  LegOptions legs = *scene.legs;
  return TakeHome(scene.control_model, scene.q_start, &legs);
}

// The feet's balls and the centre of mass from above at the start: ahead is up, left is left.
std::string DrawSupport(const Scene& scene) {
  constexpr int kRows = 15, kColumns = 45;  // a character is about as high as three are wide
  const Model& model = scene.control_model;
  Workspace<double> workspace(model);
  UpdateKinematics(model, scene.q_start, workspace);
  const Eigen::Matrix3d to_heading = HeadingOf(scene).transpose();
  std::vector<Eigen::Vector3d> points = {to_heading * CalcCenterOfMass(model, workspace)};
  for (const Foot& foot : scene.legs->feet) {
    const Pose X = CalcFramePose(model, foot.frame, workspace);
    for (const Eigen::Vector3d& point : foot.points)
      points.push_back(to_heading * (X.p + X.R * point));
  }
  Eigen::Vector3d low = points.front(), high = low;
  for (const Eigen::Vector3d& point : points) {
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
  }
  const Eigen::Vector3d size = high - low;
  const double unit = std::max({size.x() / (kRows - 1), 3 * size.y() / (kColumns - 1), 1e-3});
  std::vector<std::string> rows(static_cast<size_t>(std::lround(size.x() / unit)) + 1,
                                std::string(kColumns, ' '));
  for (size_t i = points.size(); i-- > 0;) {
    const auto row = static_cast<size_t>(std::lround((high.x() - points[i].x()) / unit));
    const auto column = static_cast<size_t>(std::lround(3 * (high.y() - points[i].y()) / unit));
    rows[row][std::min(column, size_t{kColumns - 1})] = i == 0 ? '+' : 'o';
  }
  std::string text = "from above, ahead upward; o: what it stands on, +: its centre of mass; " +
                     internal::ShortNumber(size.x()) + " m by " + internal::ShortNumber(size.y()) +
                     " m\n";
  for (std::string& row : rows) {
    row.erase(row.find_last_not_of(' ') + 1);
    text += "    " + row + "\n";
  }
  return text;
}

// The largest pushes that the robot holds without a step, and what bounds them.
std::string DescribeCeilings(const Scene& scene) {
  const std::pair<const char*, Point2> ways[] = {
      {"ahead", {1, 0}}, {"left", {0, 1}}, {"behind", {-1, 0}}, {"right", {0, -1}}};
  const Eigen::Matrix2d heading = HeadingOf(scene).topLeftCorner<2, 2>();
  std::vector<std::string> texts;
  for (const auto& [name, u] : ways) {
    const PushCeiling ceiling =
        FindPushCeiling(scene, scene.control_model, scene.q_start, heading * u);
    texts.push_back(internal::ShortNumber(ceiling.impulse) + " " + name + " (" +
                    DescribeBound(ceiling, scene.control_model) + ")");
  }
  return "ceiling m·ω·d of a push without a step, m = " +
         internal::ShortNumber(CalcTotalMass(scene.control_model)) +
         " kg, in N·s, and what bounds it: " + internal::Join(texts, ", ") + "\n";
}

// The keys as a config, by section, each with its rule.
std::string WriteConfig(const SceneConfig& config, const std::filesystem::path& out,
                        const std::vector<ChosenKey>& chosen) {
  const std::filesystem::path folder = std::filesystem::absolute(out).parent_path();
  const std::string model = std::filesystem::proximate(config.model, folder).string();
  std::string text =
      "# A robot on its legs, from its file.\nmodel: " + ToYamlText(std::string_view(model)) +
      "\ncontroller: {type: " + config.controller + "}\n";
  std::vector<std::string> sections;
  for (const ChosenKey& choice : chosen) {
    const std::string section = choice.key.substr(0, choice.key.find('.'));
    if (std::ranges::find(sections, section) == sections.end()) sections.push_back(section);
  }
  for (const std::string& section : sections) {
    text += section + ":\n";
    for (const ChosenKey& choice : chosen) {
      if (!choice.key.starts_with(section + ".")) continue;
      text += "  # " + choice.rule + "\n  " + choice.key.substr(section.size() + 1) + ": " +
              choice.value + "\n";
    }
  }
  return text;
}

int PrintLegs(const LegsOptions& options) {
  std::vector<std::string> overrides = options.overrides;
  overrides.insert(overrides.begin(), "controller.type=whole_body");
  const SceneConfig config = ReadConfig(options.robot, overrides);
  if (!config.legs.feet.empty()) {
    throw UserError(config.Where("legs.feet") +
                    ": legs.feet names the feet; `civita legs` finds "
                    "those of a robot's file");
  }
  const std::unique_ptr<Scene> scene = LoadScene(config);
  const std::vector<ChosenKey> chosen = ChooseLegs(config);
  Table table;
  table.names = {.title = "key", .is_text = true, .is_code = true};
  table.columns = {{.title = "value", .is_text = true, .is_code = true},
                   {.title = "from", .is_text = true}};
  for (const ChosenKey& choice : chosen) table.AddRow(choice.key, {choice.value, choice.rule});
  PrintOut(ToTerminal(table, kAnyWidth, 0) + "\n" + DrawSupport(*scene) + "\n" +
           DescribeCeilings(*scene));
  if (options.out.empty()) return kExitDone;
  OutputFile file(options.out, OutputFile::Kind::kNamed, "--out " + options.out);
  file.Write(WriteConfig(config, options.out, chosen));
  file.Commit();
  return kExitDone;
}

}  // namespace

std::function<int()> AddLegs(CLI::App* command, const Registry& /*registry*/) {
  auto options = std::make_shared<LegsOptions>();
  command->description(
      "Finds the legs of a robot in its MJCF or URDF file, and how it stands on them.");
  command->footer(
      "\nPrints what `civita run FILE --set controller.type=whole_body` chooses where no feet are\n"
      "given: feet, pose, gains and times of steps, each with its rule.\n"
      "Exit codes: 0 done, 2 bad input, or a robot that does not stand on legs: the line says "
      "why.\n");
  AddValue(command, "robot", "FILE", "MJCF or URDF file", &options->robot)->required();
  AddRepeatable(command, "--set", "KEY=VALUE", "override a key of the config", &options->overrides);
  AddValue(command, "--out", "CONFIG", "write the choice as a config", &options->out);
  return [options] { return PrintLegs(*options); };
}

}  // namespace civita
