// Jobs: child processes in the background, their results, and their sheet in the window.
#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "app/window/actions/job_actions.h"
#include "app/window/model/job.h"
#include "tests/scenes/temporary_folder.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace jobs_test {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A job whose process is a shell script.
class ScriptJob : public testing::Test {
 protected:
  std::unique_ptr<Job> Start(const std::string& script, JobKind kind = JobKind::kSurvive) {
    return std::make_unique<Job>(kind, std::vector<std::string>{"/bin/sh", "-c", script},
                                 folder_.path());
  }
  static bool PollUntil(Job* job, const std::function<bool()>& done, double seconds = 20) {
    const Clock::time_point start = Clock::now();
    while (!done()) {
      if (SecondsSince(start) > seconds) return false;
      job->Poll();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
  }
  static bool PollToEnd(Job* job) {
    return PollUntil(job, [job] { return !job->is_running(); });
  }

  const TemporaryFolder folder_;
};

TEST_F(ScriptJob, TellsItsProgressWhileItRuns) {
  const auto job = Start("echo progress 0.25 start 1 of 2 >&2; exec sleep 60");
  EXPECT_TRUE(std::isnan(job->share()));
  ASSERT_TRUE(PollUntil(job.get(), [&] { return !std::isnan(job->share()); }));
  EXPECT_EQ(job->share(), 0.25);
  EXPECT_EQ(job->progress(), "start 1 of 2");
  job->Cancel();
  EXPECT_TRUE(PollToEnd(job.get()));
}

TEST_F(ScriptJob, SeesThatItIsToTellProgressAndHasALowPriority) {
  const auto job = Start("echo \"$CIVITA_PROGRESS $(nice)\" >&2; exit 1");
  ASSERT_TRUE(PollToEnd(job.get()));
  EXPECT_EQ(job->last_words().substr(0, 2), "1 ");
  EXPECT_GE(std::stoi(job->last_words().substr(2)), 10);
}

TEST_F(ScriptJob, PollDoesNotWaitForAJobThatSaysNothing) {
  const auto job = Start("exec sleep 60");
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(job->Poll());
  EXPECT_LT(SecondsSince(start), 30);
  EXPECT_TRUE(job->is_running());
}

TEST_F(ScriptJob, TellsTheLastLineOfOneThatFailed) {
  const auto job = Start("echo civita: note: odd >&2; echo civita: no such scene >&2; exit 2");
  ASSERT_TRUE(PollToEnd(job.get()));
  EXPECT_EQ(job->state(), Job::State::kFailed);
  EXPECT_EQ(job->last_words(), "no such scene");
  EXPECT_THAT(job->results().table.rows, IsEmpty());
}

TEST_F(ScriptJob, AProgramThatDoesNotExistFails) {
  Job job(JobKind::kBench, {"/no/such/program"}, folder_.path());
  ASSERT_TRUE(PollToEnd(&job));
  EXPECT_EQ(job.state(), Job::State::kFailed);
  EXPECT_EQ(job.last_words(), "ended with the code 127");
}

TEST_F(ScriptJob, IsInterruptedByCancelAndKeepsWhatIsDone) {
  Table table{.summary = "alike"};
  table.AddRow("error", {});
  const std::string half = folder_.Write("half.json", ToJson(table));
  const auto job = Start("trap 'mv " + half + " " + (folder_.path() / kTableFile).string() +
                         "; echo interrupted >&2; exit 130' INT; echo progress 0 x >&2; "
                         "while true; do sleep 0.01; done");
  ASSERT_TRUE(PollUntil(job.get(), [&] { return !std::isnan(job->share()); }));
  job->Cancel();
  EXPECT_TRUE(job->is_running());
  ASSERT_TRUE(PollToEnd(job.get()));
  EXPECT_EQ(job->state(), Job::State::kCancelled);
  EXPECT_EQ(job->last_words(), "interrupted");
  EXPECT_THAT(job->results().table.rows, SizeIs(1));
  EXPECT_EQ(job->results().table.summary, "alike");
}

TEST_F(ScriptJob, OneThatIgnoresTheInterruptIsKilledWithItsChildren) {
  const auto job = Start("trap '' INT; sleep 60 & echo progress 0 $! >&2; wait; sleep 60");
  ASSERT_TRUE(PollUntil(job.get(), [&] { return !job->progress().empty(); }));
  const int child = std::stoi(job->progress());
  const Clock::time_point start = Clock::now();
  job->Cancel();
  ASSERT_TRUE(PollToEnd(job.get()));
  EXPECT_GE(SecondsSince(start), 1.9);
  EXPECT_EQ(job->state(), Job::State::kCancelled);
  // Nobody may be there to take a killed orphan's leave; then it is a zombie.
  const auto is_gone = [&] {
    std::ifstream file("/proc/" + std::to_string(child) + "/stat");
    std::string number, name, state = "Z";
    file >> number >> name >> state;
    return state == "Z" || state == "X";
  };
  EXPECT_TRUE(PollUntil(job.get(), is_gone));
}

TEST_F(ScriptJob, ADestroyedJobEnds) {
  auto job = Start("echo progress 0 $$ >&2; exec sleep 60");
  ASSERT_TRUE(PollUntil(job.get(), [&] { return !job->progress().empty(); }));
  const int pid = std::stoi(job->progress());
  job.reset();
  EXPECT_FALSE(std::filesystem::exists("/proc/" + std::to_string(pid)));
}

class FolderOfAJob : public testing::Test {
 protected:
  const TemporaryFolder folder_;
};

TEST_F(FolderOfAJob, HasItsTableAndItsReport) {
  Table table;
  table.columns = {{.title = "christoffel"}};
  table.AddRow("error", {"0.5"});
  folder_.Write(std::string(kTableFile), ToJson(table));
  folder_.Write("survival.md", "# Survival");
  const JobResults results = ReadJobResults(JobKind::kSurvive, folder_.path());
  EXPECT_EQ(ToJson(results.table), ToJson(table));
  EXPECT_EQ(results.report.filename(), "survival.md");
  EXPECT_TRUE(ReadJobResults(JobKind::kBench, folder_.path()).report.empty());
}

TEST_F(FolderOfAJob, ThatCannotBeReadSaysWhy) {
  const std::filesystem::path file = folder_.path() / kTableFile;
  std::ofstream{file};
  std::filesystem::resize_file(file, 300'000'000);
  const JobResults results = ReadJobResults(JobKind::kSurvive, folder_.path());
  EXPECT_THAT(results.table.summary, HasSubstr("table.json: "));
  EXPECT_THAT(results.table.rows, IsEmpty());
}

TEST_F(FolderOfAJob, WithABrokenFileHasNoRows) {
  for (const char* text : {"", "{\"columns\": [", "[]", "{\"columns\": 3}"}) {
    folder_.Write(std::string(kTableFile), text);
    EXPECT_THAT(ReadJobResults(JobKind::kSurvive, folder_.path()).table.rows, IsEmpty()) << text;
  }
}

class JobsSheet : public WindowFrames {
 protected:
  void OpenSheet(const std::string& scene, const std::vector<std::string>& overrides = {}) {
    Open(scene, overrides, true);
    state_.jobs.program = {CIVITA_PROGRAM};
    state_.jobs.opener = "no-program-of-this-name";
    Press(ImGuiKey_J, true);
    ASSERT_TRUE(state_.jobs.is_open);
    Frame();
  }
  Rect Whole() const { return {0, 0, size_.x, size_.y}; }
  // Widgets stand in the scrolled parts of the sheet, whose windows ImGui names after both.
  void ClickFound(const ItemPath& path) { Click(Find(path, Whole())); }
  std::unique_ptr<Job>& job() { return state_.jobs.of(state_.jobs.kind); }
  bool FramesToEnd() {
    return FramesUntil([this] { return job() != nullptr && !job()->is_running(); });
  }
  std::vector<std::string> LogTexts() const {
    std::vector<std::string> texts;
    for (const LogLine& line : state_.scene->log.lines()) texts.push_back(line.text);
    return texts;
  }
};

TEST_F(JobsSheet, ATrialFromTheDriveTabEndsWithItsTable) {
  state_.jobs.program = {CIVITA_PROGRAM};
  state_.jobs.opener = "no-program-of-this-name";
  Open("quadruped", {"duration_s=0.2", "gains.K_D=31"}, true);
  state_.tab = kDriveTab;
  Frame();
  Click(Find({"survive"}, layout().side));
  ASSERT_TRUE(state_.jobs.is_open);
  state_.jobs.form.pushes = "0.01";
  state_.jobs.form.trials = 2;
  Frame();
  ClickFound({"start"});
  ASSERT_NE(job(), nullptr) << state_.jobs.form.error;
  EXPECT_THAT(LogTexts(), Contains(HasSubstr("civita survive --push 0.01 --trials 2")));
  ASSERT_TRUE(FramesToEnd());
  ASSERT_EQ(job()->state(), Job::State::kDone) << job()->last_words();
  EXPECT_THAT(LogTexts(), Contains(HasSubstr("civita survive done")));
  EXPECT_FALSE(job()->results().table.rows.empty());
  // The config that ran is the present one.
  const SceneConfig ran = ReadConfig((job()->folder() / "quadruped.yaml").string());
  EXPECT_EQ(ran.gains.at("K_D"), std::vector<double>{31});
  Frame();
  ClickFound({"open report"});
  EXPECT_EQ(std::string(ImGui::GetClipboardText()), job()->results().report.string());
  Press(ImGuiKey_Escape);
  EXPECT_FALSE(state_.jobs.is_open);
}

TEST_F(JobsSheet, AJobIsCancelledAndAnotherStartsAfterIt) {
  OpenSheet("planar_2r");
  state_.jobs.program = {"/bin/sh", "-c", "echo progress 0.5 a >&2; exec sleep 60"};
  ClickFound({"start"});
  ASSERT_TRUE(FramesUntil([this] { return job()->share() >= 0; })) << job()->last_words();
  const std::filesystem::path first = job()->folder();
  StartJob(&state_, JobKind::kBench);
  EXPECT_EQ(job()->folder(), first) << "two at a time";
  Press(ImGuiKey_J, true);
  Find({"In the background"}, layout().status_bar);
  Press(ImGuiKey_J, true);
  ClickFound({"cancel"});
  ASSERT_TRUE(FramesToEnd());
  EXPECT_EQ(job()->state(), Job::State::kCancelled);
  EXPECT_THAT(LogTexts(), Contains(HasSubstr("civita bench cancelled")));
  state_.jobs.program = {"/bin/sh", "-c", "exit 0"};
  ClickFound({"start"});
  EXPECT_NE(job()->folder(), first);
  ASSERT_TRUE(FramesToEnd());
  EXPECT_EQ(job()->state(), Job::State::kDone) << job()->last_words();
}

TEST_F(JobsSheet, WhatIsWrongInAFormIsSaidThereAndStartsNothing) {
  OpenSheet("planar_2r");
  StartJob(&state_, JobKind::kSurvive);
  EXPECT_THAT(state_.jobs.form.error, HasSubstr("robots on legs"));
  Open("quadruped", {}, true);
  for (const char* bad : {"K_D", "K_D=5", "nonsense=1,2"}) {
    state_.jobs.form.rows = bad;
    StartJob(&state_, JobKind::kSurvive);
    EXPECT_FALSE(state_.jobs.form.error.empty()) << bad;
    EXPECT_EQ(state_.jobs.of(JobKind::kSurvive), nullptr) << bad;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(JobsSheet, WaitsForAProgramThatIsNotBuiltYet) {
  state_.jobs.program = {"/nowhere/civita"};
  Open("planar_2r", {}, true);
  StartJob(&state_, JobKind::kBench);
  EXPECT_THAT(state_.jobs.form.error, HasSubstr("still being compiled: try again"));
  EXPECT_EQ(state_.jobs.of(JobKind::kBench), nullptr);
}

TEST_F(JobsSheet, TheTimesTabBenchesTheShownRobot) {
  state_.jobs.program = {CIVITA_PROGRAM};
  Open("planar_2r", {}, true);
  state_.tab = "Times";
  Frame();
  state_.jobs.form.seconds = 0.001;
  Click(Find({"bench"}, layout().side));
  EXPECT_TRUE(state_.jobs.is_open);
  ASSERT_EQ(state_.jobs.kind, JobKind::kBench);
  ASSERT_NE(job(), nullptr) << state_.jobs.form.error;
  BenchShown(&state_);  // it runs already
  ASSERT_TRUE(FramesToEnd());
  ASSERT_EQ(job()->state(), Job::State::kDone) << job()->last_words();
  const Table& table = job()->results().table;
  EXPECT_THAT(table.rows, Contains(Field(&Table::Row::heading, HasSubstr("planar_2r"))));
  EXPECT_FALSE(job()->results().report.empty());
  Frame();  // the table
  EXPECT_EQ(snapshot().step, 0);
}

TEST_F(JobsSheet, ErrorsOfTheVerbAreToldInTheLog) {
  OpenSheet("planar_2r");
  state_.jobs.form.model = "no_such_model";
  ClickFound({"start"});
  ASSERT_TRUE(FramesToEnd());
  EXPECT_EQ(job()->state(), Job::State::kFailed);
  EXPECT_THAT(job()->last_words(), HasSubstr("unknown model 'no_such_model'"));
  EXPECT_THAT(LogTexts(), Contains(HasSubstr("civita bench failed")));
}

TEST_F(JobsSheet, KeysOfTheRunDoNothingWhileItIsOpen) {
  OpenSheet("planar_2r");
  Press(ImGuiKey_Space);
  Frame();
  EXPECT_EQ(snapshot().state, RunState::kPaused);
  Press(ImGuiKey_J, true);
  EXPECT_FALSE(state_.jobs.is_open);
}

}  // namespace jobs_test
}  // namespace civita
