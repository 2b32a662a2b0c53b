#include "civita/sim/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "civita/error.h"
#include "civita/sim/run_json.h"
#include "tests/scenes/read_all.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace recorder_test {

namespace fs = std::filesystem;
using testing::HasSubstr;

using Table = std::map<std::string, std::vector<double>>;

Table ReadCsv(const fs::path& path, std::vector<std::string>* names) {
  std::ifstream file(path);
  std::string line, cell;
  std::getline(file, line);
  std::istringstream header(line);
  while (std::getline(header, cell, ',')) names->push_back(cell);
  Table table;
  while (std::getline(file, line)) {
    std::istringstream row(line);
    for (const std::string& name : *names) {
      std::getline(row, cell, ',');
      table[name].push_back(std::stod(cell));
    }
  }
  return table;
}

template <typename T>
T Get(const std::string& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Reads a ZIP64 archive of stored .npy files from its end, as other programs do.
Table ReadNpz(const fs::path& path, std::vector<std::string>* names) {
  const std::string bytes = ReadAll(path);
  const std::size_t locator = bytes.size() - 22 - 20;
  EXPECT_EQ(Get<std::uint32_t>(bytes, bytes.size() - 22), 0x06054B50u);
  EXPECT_EQ(Get<std::uint32_t>(bytes, locator), 0x07064B50u);
  const auto record = Get<std::uint64_t>(bytes, locator + 8);
  const auto count = Get<std::uint64_t>(bytes, record + 32);
  std::size_t at = Get<std::uint64_t>(bytes, record + 48);
  Table table;
  for (std::uint64_t i = 0; i < count; ++i) {
    EXPECT_EQ(Get<std::uint32_t>(bytes, at), 0x02014B50u);
    const std::size_t name_length = Get<std::uint16_t>(bytes, at + 28);
    const std::size_t extra_length = Get<std::uint16_t>(bytes, at + 30);
    const std::string name = bytes.substr(at + 46, name_length);
    const auto size = Get<std::uint64_t>(bytes, at + 46 + name_length + 4);
    const auto offset = Get<std::uint64_t>(bytes, at + 46 + name_length + 20);
    at += 46 + name_length + extra_length;
    const std::size_t data = offset + 30 + name_length + 20;
    EXPECT_EQ(bytes.substr(data, 6), "\x93NUMPY");
    const std::size_t header = 10 + Get<std::uint16_t>(bytes, data + 8);
    EXPECT_EQ(header % 64, 0u);
    EXPECT_THAT(bytes.substr(data, header), HasSubstr("'<f8'"));
    EXPECT_THAT(name, testing::EndsWith(".npy"));
    names->push_back(name.substr(0, name.size() - 4));
    for (std::size_t k = header; k < size; k += 8) {
      table[names->back()].push_back(Get<double>(bytes, data + k));
    }
  }
  return table;
}

RunSummary Record(const std::string& scene, const std::vector<std::string>& overrides,
                  const fs::path& out, long steps) {
  Simulation simulation = MakeSimulation(scene, overrides);
  Recorder recorder(simulation, out);
  for (long k = 0; k < steps && simulation.Step(); ++k) recorder.Add(simulation.record());
  return recorder.Finish(simulation, 0.5, false);
}

TEST(Recorder, WritesWhatReadsBackToTheSameBits) {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "deep" / "run";
  Record("arm7", {"initial.v=[1, 0, 0, 0, 0, 0, 0]"}, out, 500);
  std::vector<std::string> csv_names, npz_names;
  const Table csv = ReadCsv(out / "signals.csv", &csv_names);
  const Table npz = ReadNpz(out / "signals.npz", &npz_names);
  EXPECT_EQ(csv_names, npz_names);
  EXPECT_EQ(csv_names.size(), 1u + 6 * 7 + 10);
  EXPECT_EQ(csv_names.front(), "t");
  EXPECT_EQ(csv, npz);

  Simulation simulation = MakeSimulation("arm7", {"initial.v=[1, 0, 0, 0, 0, 0, 0]"});
  for (std::size_t k = 0; k < 500; ++k) {
    ASSERT_TRUE(simulation.Step());
    const StepRecord& row = simulation.record();
    ASSERT_EQ(csv.at("t")[k], row.t);
    ASSERT_EQ(csv.at("/q/3")[k], row.q[3]);
    ASSERT_EQ(csv.at("/v/6")[k], row.v[6]);
    ASSERT_EQ(csv.at("/tau/0")[k], row.tau[0]);
    ASSERT_EQ(csv.at("/q_d/1")[k], row.q_d[1]);
    ASSERT_EQ(csv.at("/e/2")[k], row.e[2]);
    ASSERT_EQ(csv.at("/s/4")[k], row.s[4]);
    ASSERT_EQ(csv.at("/V")[k], row.V);
    ASSERT_EQ(csv.at("/Vdot")[k], row.Vdot);
    ASSERT_EQ(csv.at("/P")[k], row.P);
    ASSERT_EQ(csv.at("/energy_balance")[k], row.energy_balance);
    ASSERT_EQ(csv.at("/saturated")[k], row.saturated ? 1 : 0);
  }
  std::vector<std::string> timing_names;
  const Table timing = ReadCsv(out / "timing.csv", &timing_names);
  EXPECT_EQ(timing.at("t"), csv.at("t"));
  for (const double us : timing.at("/control_us")) ASSERT_GT(us, 0);
}

// Reads with numpy, an independent reader that also checks the CRCs.
TEST(Recorder, PythonReadsTheArchive) {
  const TemporaryFolder folder;
  Record("planar_2r", {}, folder.path() / "run", 100);
  const std::string script =
      "import struct, sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); "
      "assert z.testzip() is None; assert z.namelist()[:2] == [\"t.npy\", \"/q/0.npy\"]; "
      "data = z.read(\"t.npy\"); assert len(data) == 128 + 800, len(data); "
      "assert struct.unpack(\"<d\", data[-8:])[0] == 0.099";
  const std::string command =
      "python3 -c '" + script + "' " + (folder.path() / "run" / "signals.npz").string();
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(Recorder, SameConfigSameBytes) {
  const TemporaryFolder folder;
  for (const char* mode : {"held", "every_stage"}) {
    const std::vector<std::string> overrides = {std::string("control.mode=") + mode};
    const fs::path a = folder.path() / mode / "a";
    const fs::path b = folder.path() / mode / "b";
    Record("arm7", overrides, a, 400);
    Record("arm7", overrides, b, 400);
    EXPECT_EQ(ReadAll(a / "signals.csv"), ReadAll(b / "signals.csv"));
    EXPECT_EQ(ReadAll(a / "signals.npz"), ReadAll(b / "signals.npz"));
    EXPECT_GT(ReadAll(a / "signals.csv").size(), 100000u);
  }
}

TEST(Recorder, ResolvedConfigGivesTheSameRun) {
  const TemporaryFolder folder;
  const fs::path a = folder.path() / "a";
  const fs::path b = folder.path() / "b";
  Record("chain20", {"gains.Lambda=3", "controller.factorization=t:0.5"}, a, 100);
  Record((a / "config.yaml").string(), {}, b, 100);
  EXPECT_EQ(ReadAll(a / "signals.csv"), ReadAll(b / "signals.csv"));
}

TEST(Recorder, TellsOfTheRun) {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "run";
  Simulation simulation = MakeSimulation("planar_2r", {"seed=7", "marks_s=[0.05]"});
  {
    Recorder recorder(simulation, out);
    const auto early = nlohmann::json::parse(ReadAll(out / "run.json"));
    EXPECT_EQ(early["status"], "running");
    for (int k = 0; k < 101; ++k) {
      ASSERT_TRUE(simulation.Step());
      recorder.Add(simulation.record());
    }
    recorder.Finish(simulation, 0.05, false);
  }
  const auto run = nlohmann::json::parse(ReadAll(out / "run.json"));
  EXPECT_EQ(run["status"], "done");
  EXPECT_EQ(run["passed"], true);
  EXPECT_EQ(run["seed"], 7);
  EXPECT_EQ(run["dt_s"], 0.001);
  EXPECT_EQ(run["versions"]["mujoco"], mj_versionString());
  EXPECT_EQ(run["model"]["hash"], simulation.scene().model_hash);
  EXPECT_EQ(run["config"]["seed"], 7);
  EXPECT_EQ(run["config"]["controller"]["type"], "slotine_li");
  EXPECT_EQ(run["summary"]["steps"], 101);
  EXPECT_EQ(run["summary"]["duration_s"], 0.1);
  EXPECT_EQ(run["summary"]["real_time_factor"], 2);
  EXPECT_EQ(run["summary"]["V_at"][0]["t"], 0.05);
  EXPECT_TRUE(run["summary"]["error_rms_after_2s"].is_null());
  EXPECT_FALSE(run["machine"]["cpu"].get<std::string>().empty());
}

TEST(Recorder, RefusesDirectoriesThatItMustNotTouch) {
  const TemporaryFolder folder;
  const Simulation simulation = MakeSimulation("planar_2r");
  const auto expect_refused = [&](const fs::path& out, const char* why) {
    try {
      const Recorder recorder(simulation, out);
      ADD_FAILURE() << out << " was taken";
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr(out.string()));
      EXPECT_THAT(error.what(), HasSubstr(why));
    }
  };
  const fs::path file = folder.Write("plain/notes.txt", "mine");
  expect_refused(file, "not a directory");
  expect_refused(file.parent_path(), "holds other files");
  EXPECT_EQ(ReadAll(file), "mine");
  const fs::path foreign = folder.Write("other/run.json", R"({"versions": "mine"})");
  expect_refused(foreign.parent_path(), "no earlier run");
  EXPECT_EQ(ReadAll(foreign), R"({"versions": "mine"})");
  expect_refused(folder.path() / "half" / std::string(300, 'x'), "cannot be made");
  EXPECT_FALSE(fs::exists(folder.path() / "half"));
  const fs::path link = folder.path() / "link";
  fs::create_symlink("nowhere", link);
  expect_refused(link, "cannot be made");
  EXPECT_TRUE(fs::is_symlink(link));
  expect_refused(file / "below", "cannot be made");
  expect_refused("/proc/civita/run", "cannot be made");
  if (geteuid() != 0) {
    const fs::path locked = folder.path() / "locked";
    fs::create_directory(locked);
    fs::permissions(locked, fs::perms::owner_read | fs::perms::owner_exec);
    expect_refused(locked / "a" / "b", "cannot be made");
    expect_refused(locked, "cannot be written");
    fs::permissions(locked, fs::perms::owner_all);
    EXPECT_TRUE(fs::is_empty(locked));
  }
}

TEST(Recorder, ReplacesAnEarlierRunAndLeavesTheRest) {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "run";
  Record("planar_2r", {}, out, 50);
  const std::string notes = folder.Write("run/notes.txt", "mine");
  Record("planar_2r", {}, out, 20);
  std::vector<std::string> names;
  EXPECT_EQ(ReadCsv(out / "signals.csv", &names).at("t").size(), 20u);
  EXPECT_EQ(ReadAll(notes), "mine");
}

TEST(Recorder, LeavesReadableFilesWhenItNeverFinishes) {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "run";
  Simulation simulation = MakeSimulation("planar_2r");
  Recorder recorder(simulation, out);
  for (int k = 0; k < 100; ++k) {
    ASSERT_TRUE(simulation.Step());
    recorder.Add(simulation.record());
  }
  // The writer flushes twice a second.
  std::vector<std::string> names;
  for (int tries = 0; tries < 100; ++tries) {
    names.clear();
    if (ReadCsv(out / "signals.csv", &names)["t"].size() == 100) break;
    usleep(50000);
  }
  names.clear();
  EXPECT_EQ(ReadCsv(out / "signals.csv", &names)["t"].size(), 100u);
  EXPECT_EQ(nlohmann::json::parse(ReadAll(out / "run.json"))["status"], "running");
}

TEST(Recorder, EventsAreOnDiskBeforeTheRowsThatFollow) {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "run";
  Simulation simulation = MakeSimulation("planar_2r");
  Recorder recorder(simulation, out);
  const auto step = [&](const char* what) {
    if (what != nullptr) recorder.AddEvent({simulation.time(), what, R"({"stop_pushes":true})"});
    ASSERT_TRUE(simulation.Step());
    recorder.Add(simulation.record());
  };
  const auto lines = [&] {
    recorder.SaveState(simulation);  // the rows up to here are written
    const std::string text = fs::exists(out / "events.jsonl") ? ReadAll(out / "events.jsonl") : "";
    return std::ranges::count(text, '\n');
  };
  step(nullptr);
  EXPECT_EQ(lines(), 0);
  step("one");
  EXPECT_EQ(lines(), 1);
  step("two");
  step("three");
  EXPECT_EQ(lines(), 3);
  recorder.DropFrom(simulation.TimeOf(2));
  EXPECT_EQ(lines(), 1) << "what is taken back has no events";
  EXPECT_THAT(ReadAll(out / "events.jsonl"), testing::HasSubstr("\"what\":\"one\""));
  const nlohmann::json run = nlohmann::json::parse(ReadAll(out / "run.json"));
  EXPECT_EQ(ReadEvents(out, run)->size(), 1u);
  recorder.Finish(simulation, 1, false);
  EXPECT_FALSE(fs::exists(out / "events.jsonl"));
  EXPECT_EQ(nlohmann::json::parse(ReadAll(out / "run.json"))["events"].size(), 1u);
}

TEST(Recorder, TakesRowsBack) {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "run";
  Simulation simulation = MakeSimulation("planar_2r");
  Recorder recorder(simulation, out);
  const auto run = [&](long n) {
    for (long k = 0; k < n; ++k) {
      ASSERT_TRUE(simulation.Step());
      recorder.Add(simulation.record());
    }
  };
  run(50);
  Simulation::Saved saved;
  simulation.Save(&saved);
  run(100);
  simulation.Restore(saved);
  recorder.DropFrom(simulation.time());
  run(10);
  const RunSummary summary = recorder.Finish(simulation, 1, true);
  EXPECT_EQ(summary.steps, 60);
  EXPECT_EQ(summary.verdict, "interrupted at t = 0.059 s");
  std::vector<std::string> names;
  const Table csv = ReadCsv(out / "signals.csv", &names);
  ASSERT_EQ(csv.at("t").size(), 60u);
  for (std::size_t k = 0; k < 60; ++k) {
    EXPECT_EQ(csv.at("t")[k], static_cast<double>(k) / 1000);
  }
}

/// All metrics except those of the machine, by key and mark.
std::map<std::string, double> MotionOf(const RunSummary& summary) {
  std::map<std::string, double> values;
  for (std::size_t i = 0; i < summary.metrics.size(); ++i) {
    const MetricInfo& info = summary.metrics[i];
    if (info.kind == MetricKind::kMachine) continue;
    values[info.label] = summary.values[i];
  }
  return values;
}

// A run that was rewound has the metrics of one that was not, whatever happened before the rewind.
TEST(Recorder, MeasuresOnlyWhatWasNotTakenBack) {
  const TemporaryFolder folder;
  const auto go = [](Simulation* simulation, Recorder* recorder, long steps) {
    for (long k = 0; k < steps; ++k) {
      ASSERT_TRUE(simulation->Step());
      recorder->Add(simulation->record());
    }
  };
  for (const char* scene : {"arm7_twist", "quadruped"}) {
    const bool legs = std::string(scene) == "quadruped";
    Simulation straight = MakeSimulation(scene, {"marks_s=[0.02, 0.1]"});
    Recorder straight_recorder(straight, folder.path() / scene / "straight");
    go(&straight, &straight_recorder, 50);
    if (!legs) straight.SetFactorization(Factorization::Torsion(1));
    go(&straight, &straight_recorder, 1100);
    const auto expected = MotionOf(straight_recorder.Finish(straight, 1, false));

    Simulation back = MakeSimulation(scene, {"marks_s=[0.02, 0.1]"});
    Recorder back_recorder(back, folder.path() / scene / "back");
    go(&back, &back_recorder, 50);
    if (!legs) back.SetFactorization(Factorization::Torsion(1));
    go(&back, &back_recorder, 30);
    Simulation::Saved saved;
    back.Save(&saved);
    back.SetPerturbation(1, {50, 0, 0, 0, 0, 0});
    go(&back, &back_recorder, 90);
    back.SetPerturbation(0, {0, 0, 0, 0, 0, 0});
    back.Restore(saved);
    back_recorder.DropFrom(back.time());
    go(&back, &back_recorder, 1070);
    const auto figures = MotionOf(back_recorder.Finish(back, 1, false));
    ASSERT_EQ(figures.size(), expected.size());
    for (const auto& [label, value] : expected) {
      const double other = figures.at(label);
      EXPECT_TRUE(value == other || (std::isnan(value) && std::isnan(other)))
          << scene << ", " << label << ": " << value << " and " << other;
    }
    if (!legs) {
      EXPECT_GT(expected.at("turning by torsion"), 0);
    }
  }
}

TEST(RunStatistics, FiguresOfAKnownRun) {
  const Simulation simulation =
      MakeSimulation("planar_2r", {"marks_s=[1, 2.5, 9]", "control.rate_hz=1000"});
  RunStatistics statistics(simulation);
  StepRecord record(simulation.scene());
  for (int k = 0; k <= 3000; ++k) {
    record.t = k / 1000.0;
    record.e = Eigen::Vector2d(record.t, 0);
    record.tau = Eigen::Vector2d(3, -4);
    record.V = 2 * record.t;
    record.energy_balance = -record.t;
    record.saturated = k % 3 == 0;
    record.control_s = 1e-6 * k;
    statistics.Add(record);
  }
  const RunSummary summary = statistics.Summarize();
  EXPECT_EQ(summary.steps, 3001);
  EXPECT_EQ(summary.duration_s, 3);
  EXPECT_NEAR(summary.value("error_rms"), std::sqrt(3.0), 1e-6);
  EXPECT_NEAR(summary.error_rms_by_coordinate[0], std::sqrt(3.0), 1e-6);
  EXPECT_EQ(summary.error_rms_by_coordinate[1], 0);
  EXPECT_EQ(summary.value("error_peak"), 3);
  EXPECT_NEAR(summary.value("error_rms_after_2s"), std::sqrt((27.0 - 8) / 3), 1e-6);
  EXPECT_NEAR(summary.value("torque_rms"), 5, 1e-12);
  EXPECT_EQ(summary.value("energy_balance_peak"), 3);
  EXPECT_EQ(summary.value("saturated_steps"), 1001);
  EXPECT_EQ(summary.error_unit, "rad");
  EXPECT_EQ(summary.value("V_at", 1), 2);
  EXPECT_EQ(summary.value("V_at", 2.5), 5);
  EXPECT_TRUE(std::isnan(summary.value("V_at", 9))) << "not reached";
  EXPECT_NEAR(summary.value("step_p50_us"), 1500, 0.0025 * 1500);
  EXPECT_NEAR(summary.value("step_p99_us"), 2970, 0.0025 * 2970);
  EXPECT_EQ(summary.value("step_max_us"), 3000);
}

}  // namespace recorder_test
}  // namespace civita
