// Plug-ins: laws, references, metrics and signals of shared libraries in the program, and libraries
// that it must refuse.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "app/program.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/app/child_program.h"

namespace civita {
namespace plugin_test {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kOwnLaw = CIVITA_PLUGIN_DIR "/own_law.so";

ChildResult Execute(const std::vector<std::string>& arguments) {
  return ChildProgram(arguments).Wait();
}

/// The one-line error of a run of planar_2r with the plug-in.
std::string ErrorOf(const std::string& plugin, const std::string& override) {
  const ChildResult result = Execute({"run", "planar_2r", "--headless", "--duration", "0.01",
                                      "--plugin", plugin, "--set", override});
  EXPECT_EQ(result.code, kExitBadInput) << result.out;
  return result.err;
}

TEST(Plugin, RunsAndIsRecordedLikeAnyLaw) {
  ChildProgram program({"run", "planar_2r", "--headless", "--duration", "0.5", "--plugin", kOwnLaw,
                        "--set", "controller={type: sliding_mode, layer: 0.1}", "--set",
                        "gains.K_s=3", "--out", "run"});
  const ChildResult result = program.Wait();
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out, HasSubstr("sliding_mode, christoffel"));
  const std::filesystem::path run = program.folder() / "run";
  const std::string signals = ReadAll(run / "signals.csv");
  EXPECT_THAT(signals.substr(0, signals.find('\n')), HasSubstr("/law/power"));
  const std::string config = ReadAll(run / "config.yaml");
  EXPECT_THAT(config, AllOf(HasSubstr("plugins: ["), HasSubstr("own_law.so"),
                            HasSubstr("\n  layer: 0.1\n"), HasSubstr("\n  K_s: 3\n")));
  // The config alone loads the plug-in again, where it is trusted.
  ChildProgram again({"run", run / "config.yaml", "--headless", "--trust", "--out", "again"});
  const ChildResult same = again.Wait();
  EXPECT_EQ(same.code, kExitDone) << same.err;
  EXPECT_EQ(ReadAll(again.folder() / "again" / "signals.csv"), signals);
}

TEST(Plugin, MayReadScenesWhileItIsLoaded) {
  const ChildResult result =
      Execute({"run", "planar_2r", "--headless", "--duration", "0.01", "--plugin",
               CIVITA_PLUGIN_DIR "/reads_scenes.so", "--set", "controller.type=reader"});
  EXPECT_EQ(result.code, kExitDone) << result.err;
}

TEST(Plugin, AReferenceHasKeysOfItsOwn) {
  const std::string plugin = CIVITA_PLUGIN_DIR "/own_reference.so";
  const ChildResult keys = Execute({"keys", "reference", "--plugin", plugin});
  EXPECT_EQ(keys.code, kExitDone) << keys.err;
  EXPECT_THAT(keys.out,
              AllOf(ContainsRegex("reference.way +number > 0 +rad, m +0.1 +how far .beside."),
                    ContainsRegex("reference.side +left . right +left +which way .beside.")));
  EXPECT_THAT(Execute({"schema", "--plugin", plugin}).out, HasSubstr("\"which way (beside)\""));
  ChildProgram program({"run", "planar_2r", "--headless", "--duration", "0.1", "--plugin", plugin,
                        "--set", "reference={type: beside, side: right}", "--set",
                        "reference.way=0.3", "--out", "run"});
  const ChildResult result = program.Wait();
  EXPECT_EQ(result.code, kExitDone) << result.err;
  const std::filesystem::path run = program.folder() / "run";
  EXPECT_THAT(
      ReadAll(run / "config.yaml"),
      HasSubstr("\nreference:\n  type: beside\n  side: right\n  way: 0.3\n  shares: [1]\n"));
  ChildProgram again({"run", run / "config.yaml", "--headless", "--trust", "--out", "again"});
  const ChildResult same = again.Wait();
  EXPECT_EQ(same.code, kExitDone) << same.err;
  const std::string signals = ReadAll(run / "signals.csv");
  EXPECT_EQ(ReadAll(again.folder() / "again" / "signals.csv"), signals);
  EXPECT_EQ(ReadAll(again.folder() / "again" / "config.yaml"), ReadAll(run / "config.yaml"));

  EXPECT_EQ(ErrorOf(plugin, "reference={type: beside, way: 0}"),
            "civita: --set reference: reference.way must be a number > 0, not '0'\n");
  EXPECT_EQ(ErrorOf(plugin, "reference={type: beside, way: far}"),
            "civita: --set reference: reference.way must be a number > 0, not 'far'\n");
  EXPECT_EQ(ErrorOf(plugin, "reference={type: beside, side: lfet}"),
            "civita: --set reference: unknown reference.side 'lfet' (did you mean 'left'?); valid: "
            "left, right\n");
  EXPECT_EQ(
      ErrorOf(plugin, "reference={type: beside, share: 1}"),
      "civita: --set reference: unknown key 'share' (did you mean 'shares'?); valid: type, side, "
      "way, shares\n");
  EXPECT_EQ(ErrorOf(plugin, "reference={type: beside, fade_s: 1}"),
            "civita: --set reference: reference.fade_s is no key of reference.type beside; valid: "
            "type, side, way, shares\n");
  EXPECT_EQ(ErrorOf(plugin, "reference={type: hold, way: 1}"),
            "civita: --set reference: reference.way is no key of reference.type hold; valid: "
            "type\n");
  EXPECT_EQ(ErrorOf(plugin, "reference={type: beside, shares: [1, 2, 3]}"),
            "civita: --set reference: reference.shares has 3 numbers; the model wants 1 or nv = "
            "2\n");
}

TEST(Plugin, AddsAMetricAndASignal) {
  ChildProgram program({"run", "planar_2r", "--headless", "--duration", "0.5", "--plugin",
                        CIVITA_PLUGIN_DIR "/own_figures.so", "--out", "run"});
  const ChildResult result = program.Wait();
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out, ContainsRegex("drawn power, peak +[0-9.]+ W"));
  const std::filesystem::path run = program.folder() / "run";
  std::istringstream rows(ReadAll(run / "signals.csv"));
  std::string row;
  const auto cells = [&] {
    std::getline(rows, row);
    std::vector<std::string> of_row;
    std::istringstream line(row);
    for (std::string cell; std::getline(line, cell, ',');) of_row.push_back(cell);
    return of_row;
  };
  const std::vector<std::string> names = cells();
  const auto column = std::ranges::find(names, "/power_drawn") - names.begin();
  ASSERT_LT(column, std::ssize(names)) << row;
  double peak = 0;
  for (auto of_row = cells(); !of_row.empty(); of_row = cells()) {
    peak = std::max(peak, std::stod(of_row[static_cast<std::size_t>(column)]));
  }
  EXPECT_GT(peak, 0);
  const auto json = nlohmann::json::parse(ReadAll(run / "run.json"));
  EXPECT_DOUBLE_EQ(json["summary"]["power_peak"].get<double>(), peak);
}

TEST(Plugin, KeepsItsPromise) {
  ChildProgram program({"run", "planar_2r", "--headless", "--duration", "1", "--plugin", kOwnLaw,
                        "--set", "controller.type=sliding_mode", "--set",
                        "control.mode=every_stage", "--out", "run"});
  EXPECT_EQ(program.Wait().code, kExitDone);
  const auto json = nlohmann::json::parse(ReadAll(program.folder() / "run" / "run.json"));
  EXPECT_LT(std::abs(json["summary"]["energy_balance_peak"].get<double>()), 1e-6)
      << json["summary"];
}

TEST(Plugin, IsComparedWithOtherLaws) {
  const ChildResult result =
      Execute({"compare", "planar_2r", "--duration", "0.2", "--plugin", kOwnLaw, "--vary",
               "controller.type=slotine_li,sliding_mode"});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("slotine_li"), HasSubstr("sliding_mode")));
}

TEST(Plugin, ComputesWithTheStudyOfTheProgram) {
  EXPECT_THAT(ErrorOf(CIVITA_PLUGIN_DIR "/uses_study.so", "reference={type: studied}"),
              HasSubstr("civita::study computes in a plug-in"));
}

TEST(Plugin, AThrowingLawFailsTheRunAndLeavesItsFilesWhole) {
  ChildProgram program({"run", "planar_2r", "--headless", "--duration", "1", "--plugin",
                        CIVITA_PLUGIN_DIR "/throwing.so", "--set", "controller.type=throwing",
                        "--out", "run"});
  const ChildResult result = program.Wait();
  EXPECT_EQ(result.code, kExitFailed);
  EXPECT_THAT(result.err, HasSubstr("no torque came to mind"));
  const std::filesystem::path run = program.folder() / "run";
  const auto json = nlohmann::json::parse(ReadAll(run / "run.json"));
  EXPECT_EQ(json["status"], "failed");
  const std::string signals = ReadAll(run / "signals.csv");
  EXPECT_EQ(std::ranges::count(signals, '\n'), 51);  // header, then 0 to 0.049 s
  EXPECT_EQ(signals.back(), '\n');
}

TEST(Plugin, ErrorsOfALawNameThePlaceOfTheKey) {
  EXPECT_EQ(ErrorOf(kOwnLaw, "controller={type: sliding_mode, layer: 0}"),
            "civita: --set controller: controller.layer must be a number > 0, not '0'\n");
  // Thrown by the plug-in, caught by the program.
  EXPECT_EQ(ErrorOf(kOwnLaw, "controller={type: sliding_mode, layer: 20}"),
            "civita: --set controller: controller.layer: the law never switches above 10 rad/s\n");
}

TEST(Plugin, WhatIsNoneIsRefusedInOneLine) {
  const TemporaryFolder folder;
  const std::string none = folder.path() / "none.so";
  EXPECT_EQ(ErrorOf(none, "seed=1"), "civita: " + none + ": no such file\n");
  EXPECT_THAT(ErrorOf("", "seed=1"), StartsWith("civita: --plugin: needs a file's name"));
  const std::string text = folder.Write("text.so", "text");
  EXPECT_THAT(ErrorOf(text, "seed=1"), StartsWith("civita: " + text + ": cannot be loaded: "));
  const std::string other = CIVITA_PLUGIN_DIR "/other_civita.so";
  EXPECT_EQ(ErrorOf(other, "seed=1"),
            "civita: " + other +
                ": is a plug-in for another civita, or compiled with other options, such as "
                "-march; build it again with this civita's package\n");
  EXPECT_THAT(ErrorOf(CIVITA_PLUGIN_DIR "/taken.so", "seed=1"),
              HasSubstr("there is a control law 'pd_gravity' already"));
}

/// Of a run with the plug-in that does what none may.
ChildResult RunCareless(const std::string& what) {
  setenv("CARELESS", what.c_str(), 1);
  const ChildResult result =
      Execute({"run", "planar_2r", "--headless", "--duration", "0.1", "--plugin",
               CIVITA_PLUGIN_DIR "/careless.so", "--set", "controller.type=careless"});
  unsetenv("CARELESS");
  return result;
}

TEST(Plugin, RowsThatAreNoneAreRefused) {
  ASSERT_EQ(RunCareless("nothing").code, kExitDone);
  const std::string of = ": registers the control law 'careless' with ";
  const std::pair<const char*, std::string> kCases[] = {
      {"registered", ": threw what is no exception while it was registered"},
      {"null", ": registers a control law that is null"},
      {"null reference", ": registers a reference type that is null"},
      {"no type", ": registers a control law without a type"},
      {"no make", of + "no function make"},
      {"twice", of + "a gain 'K' twice"},
      {"bounds", of + "a default of gains.K out of bounds"},
      {"made", "controller.type: the law 'careless' threw what is no exception when it was made"},
  };
  for (const auto& [what, message] : kCases) {
    const ChildResult result = RunCareless(what);
    EXPECT_EQ(result.code, kExitBadInput) << what;
    EXPECT_THAT(result.err, HasSubstr(message)) << what;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  }
}

TEST(Plugin, ALawThatResizesItsOutputsFailsTheRun) {
  const std::pair<const char*, const char*> kCases[] = {
      {"tau", "the law has resized output.tau"},
      {"longer", "the law has resized output.tau"},
      {"signals", "the law has resized output.signals"},
      {"error", "the law has resized output.e"},
      {"run", "the law threw what is no exception"},
  };
  for (const auto& [what, message] : kCases) {
    const ChildResult result = RunCareless(what);
    EXPECT_EQ(result.code, kExitFailed) << what;
    EXPECT_THAT(result.err, HasSubstr(message)) << what;
    EXPECT_THAT(result.err, HasSubstr("at t = 0.05 s")) << what;
  }
}

TEST(Plugin, ConfigsNameThemRelativeToTheirFile) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink(kOwnLaw, folder.path() / "mine.so");
  const std::string model = CIVITA_SOURCE_DIR "/scenes/planar_2r/scene.xml";
  const std::string good = folder.Write(
      "good.yaml", "model: " + model + "\nplugins: [mine.so]\ncontroller: {type: sliding_mode}\n");
  const ChildResult result = Execute({"run", good, "--headless", "--duration", "0.01", "--trust"});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  const std::string bad =
      folder.Write("bad.yaml", "model: " + model + "\nplugins: [mine.so, theirs.so]\n");
  const ChildResult refused = Execute({"run", bad, "--headless", "--trust"});
  EXPECT_EQ(refused.code, kExitBadInput);
  EXPECT_THAT(refused.err, StartsWith("civita: " + bad + ":2:10: plugins: no such file: " +
                                      (folder.path() / "theirs.so").string()));
}

TEST(Plugin, AConfigNamesOneOnlyWhereItIsTrusted) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink(kOwnLaw, folder.path() / "mine.so");
  const std::string model = CIVITA_SOURCE_DIR "/scenes/planar_2r/scene.xml";
  const std::string law = "\nplugins: [mine.so]\ncontroller: {type: sliding_mode}\n";
  const std::string config = folder.Write("own.yaml", "model: " + model + law);
  const ChildResult refused = Execute({"run", config, "--headless"});
  EXPECT_EQ(refused.code, kExitBadInput);
  EXPECT_EQ(refused.err, "civita: " + config +
                             ":2:10: plugins: " + (folder.path() / "mine.so").string() +
                             " is code, which would run with your rights; files may name code "
                             "only with --trust\n");
  // Neither a config named like a flag nor one behind another is the user's own word.
  folder.Write("--set x.yaml", "model: " + model + law);
  folder.Write("based.yaml", "base: \"--set x.yaml\"\n");
  EXPECT_THAT(Execute({"run", folder.path() / "based.yaml", "--headless"}).err,
              HasSubstr("only with --trust"));
  // What the user named himself is loaded already.
  EXPECT_EQ(Execute({"run", config, "--headless", "--duration", "0.01", "--plugin",
                     folder.path() / "mine.so"})
                .code,
            kExitDone);
}

}  // namespace plugin_test
}  // namespace civita
