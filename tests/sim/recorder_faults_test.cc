#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/sim/recorder.h"
#include "civita/sim/run_to_end.h"
#include "tests/scenes/read_all.h"
#include "tests/sim/sim_fixtures.h"
#include "tests/sim/size_limit.h"

namespace civita {
namespace recorder_faults_test {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

TEST(RecorderFaults, TellsWhatCouldNotBeWritten) {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "run";
  Simulation simulation = MakeSimulation("planar_2r");
  RunSummary summary;
  {
    const SizeLimit limit(300'000);  // signals.csv grows beyond it during the run
    Recorder recorder(simulation, out);
    EXPECT_FALSE(RunToEnd(&simulation, &recorder, [] {
      usleep(100);
      return true;
    }));
    summary = recorder.Finish(simulation, 1, false);
  }
  EXPECT_FALSE(summary.passed);
  EXPECT_THAT(summary.write_error, HasSubstr("signals.csv: cannot be written: File too large"));
  EXPECT_THAT(summary.verdict, StartsWith("stopped at t = "));
  const auto run = nlohmann::json::parse(ReadAll(out / "run.json"));
  EXPECT_EQ(run["status"], "failed");
  EXPECT_EQ(run["write_error"], summary.write_error);
  const std::string csv = ReadAll(out / "signals.csv");
  EXPECT_EQ(csv.back(), '\n');
  std::istringstream lines(csv);
  std::string header, row;
  std::getline(lines, header);
  int rows = 0;
  for (; std::getline(lines, row); ++rows) {
    EXPECT_EQ(std::ranges::count(row, ','), std::ranges::count(header, ',')) << row;
  }
  EXPECT_GT(rows, 500);
  EXPECT_FALSE(fs::exists(out / "signals.npz"));
  EXPECT_FALSE(fs::exists(out / ".lock"));
}

TEST(RecorderFaults, KeepsTheVerdictWhenOnlyTheArchiveFails) {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "run";
  Simulation simulation = MakeSimulation("planar_2r", {"duration_s=0.5"});
  RunSummary summary;
  {
    Recorder recorder(simulation, out);
    EXPECT_FALSE(RunToEnd(&simulation, &recorder, [] { return true; }));
    fs::create_directories(out / "signals.npz" / "in_the_way");
    summary = recorder.Finish(simulation, 1, false);
  }
  EXPECT_EQ(summary.verdict, "done");
  EXPECT_THAT(summary.write_error, HasSubstr("signals.npz: is a directory"));
  const auto run = nlohmann::json::parse(ReadAll(out / "run.json"));
  EXPECT_EQ(run["status"], "done");
  EXPECT_EQ(run["write_error"], summary.write_error);
}

TEST(RecorderFaults, TwoCannotShareAFolder) {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "run";
  const Simulation simulation = MakeSimulation("planar_2r");
  {
    const Recorder first(simulation, out);
    try {
      const Recorder second(simulation, out);
      ADD_FAILURE() << "was taken twice";
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr(out.string() + ": is being written by process " +
                                          std::to_string(getpid()) + " on "));
    }
    EXPECT_TRUE(fs::exists(out / "run.json"));
  }
  // One that a process left which no longer lives holds nobody up; nor do its half written files.
  folder.Write("run/.lock", "process 1 on moon since yesterday");
  folder.Write("run/.civita-1-7.tmp", "half");
  const Recorder third(simulation, out);
  EXPECT_FALSE(fs::exists(out / ".civita-1-7.tmp"));
}

TEST(RunHash, IsOfTheSignalsWhateverTheRunWentThrough) {
  const TemporaryFolder folder;
  const auto hash = [&](const std::vector<std::string>& overrides, bool rewind,
                        const fs::path& out) {
    Simulation simulation = MakeSimulation("planar_2r", overrides);
    Recorder recorder(simulation, out);
    const auto go = [&](int steps) {
      for (int k = 0; k < steps && simulation.Step(); ++k) recorder.Add(simulation.record());
    };
    go(50);
    if (rewind) {
      Simulation::Saved saved;
      simulation.Save(&saved);
      go(20);
      simulation.Restore(saved);
      recorder.DropFrom(simulation.time());
    }
    go(50);
    return recorder.Finish(simulation, 1, false).hash;
  };
  const std::string without = hash({}, false, {});
  EXPECT_EQ(without.size(), 16u);
  EXPECT_EQ(hash({}, false, folder.path() / "a"), without);
  EXPECT_EQ(hash({}, true, folder.path() / "b"), without);
  EXPECT_NE(hash({"gains.K_D=5.000000000000001"}, false, {}), without);
  EXPECT_EQ(nlohmann::json::parse(ReadAll(folder.path() / "b/run.json"))["hash"], without);
}

}  // namespace recorder_faults_test
}  // namespace civita
