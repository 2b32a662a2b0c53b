#include "civita/sim/signals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "civita/controllers/legs/whole_body.h"
#include "civita/error.h"
#include "civita/sim/recorder.h"
#include "tests/sim/sim_fixtures.h"
#include "tests/sim/telling_law.h"

namespace civita {
namespace signals_test {

using testing::HasSubstr;
using testing::IsSupersetOf;

const std::vector<std::string> kObserved = {"observer.gain=5", "observer.threshold=10"};

std::unique_ptr<Scene> Load(const std::string& scene, const std::vector<std::string>& set = {}) {
  return LoadScene(ReadConfig(scene, set));
}

/// A scene with a law that has its own signals.
std::unique_ptr<Scene> LoadTelling(std::vector<SignalInfo> signals) {
  auto scene = Load("planar_2r");
  scene->controller =
      std::make_unique<TellingLaw>(scene->control_model, ControllerOptions(), std::move(signals));
  return scene;
}

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> HeaderOf(const std::filesystem::path& path) {
  std::istringstream line(Read(path).substr(0, Read(path).find('\n')));
  std::vector<std::string> names;
  for (std::string name; std::getline(line, name, ',');) names.push_back(name);
  return names;
}

// The law's contacts of feet and the observer's of coordinates have different names.
TEST(Signals, NoTwoColumnsOfARunHaveTheSameName) {
  const TemporaryFolder folder;
  Simulation simulation = MakeSimulation("quadruped", kObserved);
  Recorder recorder(simulation, folder.path() / "run");
  ASSERT_TRUE(simulation.Step());
  recorder.Add(simulation.record());
  recorder.Finish(simulation, 1, false);
  std::vector<std::string> names = HeaderOf(folder.path() / "run/signals.csv");
  EXPECT_THAT(names, IsSupersetOf({"/law/contact/3", "/observer/contact/0", "/observer/contact/17",
                                   "/observer/disturbance/17", "/observer/in_contact"}));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST(Signals, ANameIsTakenOnce) {
  const auto error_of = [](std::vector<SignalInfo> signals) -> std::string {
    try {
      const SignalTable table(*LoadTelling(std::move(signals)));
    } catch (const ContractError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of({{"/x"}, {"/y"}}), "");
  EXPECT_THAT(error_of({{"/x"}, {"/y"}, {"/x"}}), HasSubstr("two signals are called '/law/x'"));
  EXPECT_THAT(error_of({{"/x", "", 2}, {"/x/1"}}), HasSubstr("two columns are called '/law/x/1'"));
  EXPECT_THROW(RegisterSignal(*SignalRows().front()), ContractError);
}

TEST(Signals, AreFoundByName) {
  const auto scene = LoadTelling({{"/list", "m", 3}, {"/number"}});
  EXPECT_EQ(scene->controller->num_signals(), 4);
  EXPECT_EQ(scene->controller->FindSignal("/law/list"), 0);
  EXPECT_EQ(scene->controller->FindSignal("/law/number"), 3);
  EXPECT_EQ(scene->controller->FindSignal("/number"), -1);
  const SignalTable table(*scene);
  ASSERT_NE(table.Find("/law/list"), nullptr);
  EXPECT_EQ(table.columns()[table.Find("/law/list")->column + 2], "/law/list/2");
  EXPECT_EQ(table.columns()[table.Find("/law/number")->column], "/law/number");
  EXPECT_EQ(table.Find("/list"), nullptr);
}

TEST(Signals, ThoseOfLegsStandWhereTheLawFillsThem) {
  const auto scene = Load("quadruped_payload_adaptive", kObserved);
  const Controller& law = *scene->controller;
  for (const auto& [name, at] : {std::pair{"unmet/force", WholeBody::kUnmetForce},
                                 {"unmet/moment", WholeBody::kUnmetMoment},
                                 {"injected", WholeBody::kInjected},
                                 {"dcm_margin", WholeBody::kDcmMargin},
                                 {"zmp_shift", WholeBody::kShift},
                                 {"stepping", WholeBody::kStepping},
                                 {"steps", WholeBody::kSteps},
                                 {"qp/status", WholeBody::kQpStatus},
                                 {"qp/iterations", WholeBody::kQpIterations},
                                 {"dcm", WholeBody::kDcm},
                                 {"cop", WholeBody::kPressure},
                                 {"contact", WholeBody::kNumSignals}}) {
    EXPECT_EQ(law.FindSignal(std::string("/law/") + name), at) << name;
  }
  EXPECT_EQ(law.FindSignal("/law/f_z"), WholeBody::kNumSignals + 4);
  EXPECT_GE(law.FindSignal("/law/pi_hat/min_eigenvalue"), WholeBody::kNumSignals + 8);
  EXPECT_EQ(law.FindSignal("/observer/in_contact"), law.num_signals() - 1);
}

TEST(Signals, UnitsAreThoseOfTheScene) {
  const auto unit = [](const Scene& scene, const char* name) {
    const SignalTable table(scene);
    const Signal* signal = table.Find(name);
    return signal ? signal->info.unit + " as " + UnitOf(signal->style.shown, signal->info.unit)
                  : "";
  };
  const auto slides = Load("point_mass"), hinges = Load("planar_2r"),
             legs = Load("quadruped", kObserved),
             torque = Load("planar_2r", {"controller.type=computed_torque"});
  EXPECT_EQ(unit(*slides, "/e"), "m as mm");
  EXPECT_EQ(unit(*hinges, "/s"), "rad/s as mrad/s");
  EXPECT_EQ(unit(*legs, "/s"), "rad/s, m/s as mrad/s, mm/s");
  EXPECT_EQ(unit(*slides, "/tau"), "N as N");
  EXPECT_EQ(unit(*hinges, "/V"), "J as J");
  EXPECT_EQ(unit(*torque, "/V"), "1/s² as 1/s²");
  EXPECT_EQ(unit(*torque, "/Vdot"), "1/s³ as 1/s³");
  EXPECT_EQ(unit(*legs, "/tilt"), "rad as °");
  EXPECT_EQ(unit(*legs, "/observer/disturbance"), "N·m, N as N·m, N");
  EXPECT_EQ(unit(*hinges, "/tilt"), "");
}

// Records are written and read back when they are measured again after a rewind.
TEST(Signals, ARowGivesTheRecordBack) {
  for (const char* name : {"quadruped", "planar_2r"}) {
    Simulation simulation = MakeSimulation(name, {"observer.gain=5"});
    ASSERT_EQ(simulation.RunFor(30), 30);
    const StepRecord& record = simulation.record();
    const SignalTable table(simulation.scene());
    std::vector<double> row(table.width()), again(row);
    table.Fill(record, std::span(row));
    StepRecord read(simulation.scene());
    table.Read(row, &read);
    EXPECT_EQ(read.q, record.q);
    EXPECT_EQ(read.s, record.s);
    EXPECT_EQ(read.P, record.P);
    EXPECT_EQ(read.constrained, record.constrained);
    EXPECT_EQ(read.legs.foot_position, record.legs.foot_position);
    EXPECT_EQ(read.legs.tilt, record.legs.tilt);
    EXPECT_EQ(read.signals, record.signals);
    EXPECT_NEAR(read.control_s, record.control_s, 1e-9);
    table.Fill(read, std::span(again));
    EXPECT_EQ(again, row);
  }
}

// One line each: a law's signal in its constructor, a general one in the table.
TEST(Signals, ANewSignalIsRecordedByItsLineAlone) {
  RegisterTelling();
  const TemporaryFolder folder;
  const std::filesystem::path out = folder.path() / "run";
  Simulation simulation =
      MakeSimulation("planar_2r", {"controller.type=test_telling", "initial.q=[0.5, 0]"});
  Recorder recorder(simulation, out);
  ASSERT_EQ(simulation.RunFor(11), 11);
  recorder.Add(simulation.record());
  recorder.Finish(simulation, 1, false);
  const std::vector<std::string> names = HeaderOf(out / "signals.csv");
  ASSERT_THAT(names, IsSupersetOf({"/law/clock", "/law/hands/0", "/law/hands/1", "/test_height"}));
  std::istringstream text(Read(out / "signals.csv"));
  std::string line, cell;
  std::getline(text, line);
  std::map<std::string, double> row;
  for (const std::string& name : names) {
    std::getline(text, cell, ',');
    row[name] = std::stod(cell);
  }
  EXPECT_EQ(row["/law/clock"], 0.01);
  EXPECT_EQ(row["/law/hands/1"], 0.03);
  EXPECT_EQ(row["/test_height"], 0.5 * row["/q/0"]);
  EXPECT_NE(row["/test_height"], 0);
  const std::string npz = Read(out / "signals.npz");
  for (const char* name : {"/law/clock.npy", "/law/hands/1.npy", "/test_height.npy"}) {
    EXPECT_THAT(npz, HasSubstr(name));
  }
  EXPECT_EQ(SignalTable(*Load("planar_2r")).Find("/test_height"), nullptr);
}

std::string Row(const std::string& name, bool is_list, const std::string& doc) {
  return "| `" + name + (is_list ? "/i" : "") + "` | " + doc + " |\n";
}

// The signals of all laws, collected from scenes that have them.
std::string LawRows() {
  std::string rows;
  for (const auto& [scene, set] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"quadruped", kObserved},
           {"arm7", {"controller.type=adaptive", "controller.adapt_bodies=[hand]"}},
           {"arm7_circle", {}},
           {"point_mass_circle", {}}}) {
    const auto loaded = Load(scene, set);
    for (SignalInfo info : loaded->controller->signals()) {
      if (const auto body = info.name.find("/hand/"); body != info.name.npos) {
        info.name.replace(body, 6, "/BODY/");
      }
      rows += Row(info.name, info.is_list(), info.doc);
    }
  }
  return rows;
}

TEST(Signals, TheDocumentsListThemAll) {
  const std::string head = "| signal | is |\n|---|---|\n";
  std::string table = head;
  for (const SignalRow* row : SignalRows()) {
    if (std::string(row->name).starts_with("/test_")) continue;
    table += Row(row->name, row->is_list(), row->doc);
  }
  const std::string document = Read(CIVITA_SOURCE_DIR "/docs/signals.md");
  for (const std::string& text : {table, head + LawRows()}) {
    EXPECT_NE(document.find("\n\n" + text), std::string::npos) << "docs/signals.md is to say:\n"
                                                               << text;
  }
}

}  // namespace signals_test
}  // namespace civita
