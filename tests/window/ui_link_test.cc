// The live link: what programs at the window's socket read and change, and what they cannot break.

#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <list>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "app/window/actions/link_actions.h"
#include "civita/factorization_text.h"
#include "tests/app/child_program.h"
#include "tests/window/link_client.h"
#include "tests/window/window_frames.h"

namespace civita {
namespace ui_link_test {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class LinkFrames : public WindowFrames {
 protected:
  LinkFrames() { setenv("XDG_RUNTIME_DIR", folder_.path().c_str(), 1); }
  ~LinkFrames() override { unsetenv("XDG_RUNTIME_DIR"); }

  void OpenServed(const std::string& scene, const std::vector<std::string>& compared = {}) {
    Open(scene, {}, true, {}, compared);
    OpenLink(&state_);
  }
  std::filesystem::path SocketPath() const { return state_.link->server.path(); }
  Json Ask(LinkClient* client, const std::string& line) {
    EXPECT_EQ(client->Send(line + "\n"), line.size() + 1);
    std::optional<std::string> answer;
    EXPECT_TRUE(FramesUntil([&] { return (answer = client->Receive()).has_value(); })) << line;
    return Json::parse(answer.value_or("null"));
  }
  /// What is right of a request that is refused.
  std::string Refused(LinkClient* client, const std::string& line) {
    const Json answer = Ask(client, line);
    EXPECT_TRUE(answer.contains("error")) << line << " → " << answer;
    const std::string text = answer.value("error", "");
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    return text;
  }
};

TEST_F(LinkFrames, IsClosedUntilItIsAskedForAndTheUsersOwn) {
  Open("arm7", {}, true);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  Press(ImGuiKey_D, true);
  ASSERT_NE(state_.link, nullptr);
  const std::filesystem::path path = SocketPath();
  struct stat info {};
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_TRUE(S_ISSOCK(info.st_mode));
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  Press(ImGuiKey_D, true);
  EXPECT_EQ(state_.link, nullptr);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(LinkFrames, WithoutARuntimeFolderMakesOneOfItsOwn) {
  unsetenv("XDG_RUNTIME_DIR");
  const char* before = getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  setenv("TMPDIR", folder_.path().c_str(), 1);
  const std::filesystem::path runtime = RuntimeFolder();
  struct stat info {};
  ASSERT_EQ(stat(runtime.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  EXPECT_EQ(RuntimeFolder(), runtime) << "the second time, too";
  chmod(runtime.c_str(), 0755);
  EXPECT_THROW(RuntimeFolder(), UserError) << "others may look into it";
  before != nullptr ? setenv("TMPDIR", kept.c_str(), 1) : unsetenv("TMPDIR");
}

TEST_F(LinkFrames, TakesThePlaceOfADeadSocketAndOfNothingElse) {
  const std::filesystem::path path = folder_.path() / "civita.sock";
  const int dead = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.string().copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(dead, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  close(dead);
  const LineServer server(path);
  EXPECT_THROW(LineServer{path}, UserError) << "it is served";
  std::ofstream(folder_.path() / "file") << "mine";
  EXPECT_THROW(LineServer{folder_.path() / "file"}, UserError);
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "file"));
  EXPECT_THROW(LineServer{folder_.path() / std::string(120, 'x')}, UserError);
}

TEST_F(LinkFrames, ReadsTheSignalsOfTheShownRows) {
  OpenServed("planar_2r");
  LinkClient client(SocketPath());
  EXPECT_THAT(Refused(&client, R"({"latest": ["/e"]})"), HasSubstr("no control step"));
  EXPECT_TRUE(Ask(&client, R"({"step": 25})").contains("ok"));
  ASSERT_TRUE(FramesUntil([&] { return snapshot().step == 25; }));
  Frame();
  const Json signals = Ask(&client, R"({"signals": null})")["ok"];
  const auto names = [&] {
    std::vector<std::string> found;
    for (const Json& each : signals) found.push_back(each["name"]);
    return found;
  }();
  EXPECT_THAT(names, ::testing::IsSupersetOf({"/e", "/V", "/tau"}));
  const Json latest = Ask(&client, R"({"latest": ["/e", "/V"]})")["ok"];
  const Traces& traces = state_.scene->traces;
  const int64_t row = traces.buffer().end_index() - 1;
  EXPECT_EQ(latest["t"], traces.buffer().time(row));
  ASSERT_EQ(latest["values"]["/e"].size(), 2u);
  const int e = traces.channel(Slot::kA, "/e");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(latest["values"]["/e"][i].get<float>(), traces.buffer().value(row, e + i));
  }
  EXPECT_EQ(latest["values"]["/V"].get<float>(),
            traces.buffer().value(row, traces.channel(Slot::kA, "/V")));
  // After going back: that of the shown moment.
  RewindTo(&state_, 10 * state_.scene->session.control_dt());
  ASSERT_TRUE(FramesUntil([&] { return snapshot().step == 10; }));
  EXPECT_LT(Ask(&client, R"({"latest": []})")["ok"]["t"], latest["t"]);
}

TEST_F(LinkFrames, SetsAreStepsOfTheWindowsOwnTuning) {
  OpenServed("planar_2r", {"controller.factorization=t:2"});
  LinkClient client(SocketPath());
  const Json before = Ask(&client, R"({"state": null})")["ok"];
  EXPECT_EQ(before["state"], "paused");
  EXPECT_EQ(before["runs"].size(), 2u);
  EXPECT_EQ(before["runs"][1]["factorization"], "t:2");
  const Json set = {{"set", {"gains.Lambda=[3, 4.25]", "controller.factorization=t:0.5"}},
                    {"run", "B"}};
  ASSERT_TRUE(Ask(&client, set.dump()).contains("ok"));
  // The simulation has taken it, before the answer came.
  const Json runs = Ask(&client, R"({"state": null})")["ok"]["runs"];
  EXPECT_EQ(runs[1]["gains"]["Lambda"], Json({3, 4.25}));
  EXPECT_EQ(runs[1]["factorization"], "t:0.5");
  EXPECT_EQ(runs[0], before["runs"][0]);
  const TuningHistory& tuning = state_.scene->slots[1].tuning;
  EXPECT_EQ(ToString(tuning.current().factorization), "t:0.5");
  EXPECT_EQ(state_.scene->edited, Slot::kA);
  EXPECT_THAT(LastLine(LogLine::Kind::kAction), HasSubstr("4.25"));
  state_.scene->edited = Slot::kB;
  UndoTuning(&state_);
  EXPECT_EQ(ToString(tuning.current().factorization), "t:2");
  ASSERT_TRUE(FramesUntil([&] { return snapshot().other.factorization == "t:2"; }));
}

TEST_F(LinkFrames, TakesEveryFormOfC) {
  OpenServed("arm7");
  LinkClient client(SocketPath());
  const std::string C = "t:2+body:link6:ang:{0.1*sin(q[2])}+form:[0 1 4 {q[3]}]";
  const Json answer = Ask(&client, Json{{"set", {"controller.factorization=" + C}}}.dump());
  ASSERT_TRUE(answer.contains("ok")) << answer;
  EXPECT_EQ(snapshot().factorization, C);
}

TEST_F(LinkFrames, ARefusalOfTheSessionIsToldEachTime) {
  OpenServed("planar_2r");
  LinkClient client(SocketPath());
  TuningHistory& tuning = state_.scene->tuning();
  for (const double t : {1.5, 2.5, 3.5}) {
    Tuning odd = tuning.current();
    odd.gains[1] = Eigen::VectorXd::Constant(3, t);  // of another number of joints
    tuning.Edit(odd);
    const std::string set = R"({"set": ["controller.factorization=t:)" + std::to_string(t) + "\"]}";
    EXPECT_THAT(Refused(&client, set), HasSubstr("K_D")) << t;
  }
  EXPECT_EQ(snapshot().commands_refused, 3);
  Tuning whole = tuning.current();
  whole.gains[1] = Eigen::VectorXd::Constant(2, 5);
  tuning.Edit(whole);
  EXPECT_TRUE(Ask(&client, R"({"set": ["controller.factorization=t:4"]})").contains("ok"));
}

TEST_F(LinkFrames, PushesThrowsPlaysAndResets) {
  OpenServed("arm7");
  LinkClient client(SocketPath());
  ASSERT_TRUE(
      Ask(&client, R"({"push": {"body": "hand", "force_N": [0, 30, 0], "duration_s": 0.2}})")
          .contains("ok"));
  ASSERT_EQ(state_.scene->pushes.back().push.force, Eigen::Vector3d(0, 30, 0));
  EXPECT_EQ(state_.scene->pushes.back().push.duration_s, 0.2);
  EXPECT_THAT(LastLine(LogLine::Kind::kAction), StartsWith("Push on hand"));
  ASSERT_TRUE(Ask(&client, R"({"do": "play"})").contains("ok"));
  EXPECT_EQ(snapshot().state, RunState::kRunning);
  ASSERT_TRUE(Ask(&client, R"({"do": "play"})").contains("ok")) << "it runs already";
  ASSERT_TRUE(Ask(&client, R"({"do": "pause"})").contains("ok"));
  EXPECT_EQ(snapshot().state, RunState::kPaused);
  ASSERT_TRUE(Ask(&client, R"({"do": "throw"})").contains("ok"));
  EXPECT_THAT(LastLine(LogLine::Kind::kAction), StartsWith("Thrown off"));
  ASSERT_TRUE(Ask(&client, R"({"do": "reset"})").contains("ok"));
  EXPECT_EQ(snapshot().step, 0);
}

TEST_F(LinkFrames, WhatItChangesAreEventsOfARecording) {
  Open("planar_2r", {}, true, folder_.path() / "run");
  OpenLink(&state_);
  LinkClient client(SocketPath());
  ASSERT_TRUE(Ask(&client, R"({"step": 20})").contains("ok"));
  ASSERT_TRUE(FramesUntil([&] { return snapshot().step == 20; }));
  ASSERT_TRUE(Ask(&client, R"({"set": ["gains.Lambda=7", "controller.factorization=t:1"]})")
                  .contains("ok"));
  ASSERT_TRUE(Ask(&client, R"({"step": 20})").contains("ok"));
  ASSERT_TRUE(FramesUntil([&] { return snapshot().step == 40; }));
  state_.scene->session.Stop();
  const Json run = Json::parse(std::ifstream(folder_.path() / "run/run.json"));
  ASSERT_EQ(run["events"].size(), 2u) << run["events"];
  EXPECT_THAT(run["events"].dump(), HasSubstr("gains.Lambda = 7"));
  EXPECT_THAT(run["events"].dump(), HasSubstr("factorization = plain"));
  const ChildResult verified = ChildProgram({"verify", folder_.path() / "run"}).Wait();
  EXPECT_EQ(verified.code, 0) << verified.err;
}

TEST_F(LinkFrames, BadRequestsGetOneLineThatNamesWhatIsValid) {
  OpenServed("arm7");
  LinkClient client(SocketPath());
  const Tuning before = state_.scene->tuning().current();
  const std::pair<const char*, const char*> cases[] = {
      {"", "one of the keys do, latest, push, set, signals, state, step"},
      {"hello", "a JSON object"},
      {"[1]", "a JSON object"},
      {"{}", "one of the keys do,"},
      {"\"\\ud800\"", "a JSON object"},
      {"{\"do\": \"\xff\"}", "a JSON object"},
      {R"({"sett": []})", "unknown request 'sett' (did you mean 'set'?); valid: do, latest"},
      {R"({"set": [], "do": "play"})", "not both"},
      {R"({"do": "plai"})", "unknown action 'plai' (did you mean 'play'?); valid: pause, play"},
      {R"({"do": 3})", "do: one of pause, play, reset, throw, not 3"},
      {R"({"latest": ["/ee"]})", "unknown signal '/ee' (did you mean '/e'?); valid: "},
      {R"({"latest": "/e"})", "latest: a list of names of signals, not \"/e\""},
      {R"({"latest": [1]})", "latest: a list of names of signals"},
      {R"({"signals": null, "run": "B"})", "run: A, as one run is shown, not \"B\""},
      {R"({"set": ["gains.Lambd=3"]})", "'gains.Lambd' (did you mean 'gains.Lambda'?); valid: "},
      {R"({"set": ["gains.Lambda"]})", "set: a list of texts KEY=VALUE"},
      {R"({"set": {"gains.Lambda": 3}})", "set: a list of texts KEY=VALUE"},
      {R"({"set": ["gains.Lambda=-1"]})", "gains.Lambda"},
      {R"({"set": ["gains.Lambda=nan"]})", "gains.Lambda"},
      {R"({"set": ["gains.Lambda=[1, 2]"]})", "gains.Lambda has 2 numbers; the model wants 1"},
      {R"({"set": ["gains.Lambda=[1, 2"]})", "set gains.Lambda"},
      {R"({"set": ["gains.K_D.x=1"]})", "valid: gains.Lambda"},
      {R"({"set": ["duration_s=3"]})", "unknown key of a run that goes on, 'duration_s'"},
      {R"({"set": ["controller.factorization=tt:1"]})", "factorization: "},
      {R"({"set": ["gains.Lambda=3", "controller.factorization=t:x"]})", "factorization: "},
      {R"({"push": 3})", "push: an object"},
      {R"({"push": {}})", "lacks the key 'force_N' or 'impulse_Ns'"},
      {R"({"push": {"body": "hnad", "force_N": [1, 2, 3]}})", "did you mean 'hand'?"},
      {R"({"push": {"body": "hand", "force_N": [1, 2]}})", "must be 3 numbers"},
      {R"({"push": {"body": "hand", "force": [1, 2, 3]}})", "force_N"},
      {R"({"push": {"body": "hand", "force_N": [1, 2, 3], "duration_s": -1}})", "duration_s"},
      {R"({"step": 1.5})", "step: a whole number"},
      {R"({"step": 1e300})", "step: a whole number"},
      {R"({"step": 18446744073709551615})", "step: a whole number"},
  };
  for (const auto& [request, expected] : cases) {
    EXPECT_THAT(Refused(&client, request), HasSubstr(expected)) << request;
  }
  EXPECT_TRUE(state_.scene->tuning().current() == before) << "nothing is half done";
  EXPECT_TRUE(state_.scene->session.HasAnswered(snapshot()));
  EXPECT_TRUE(Ask(&client, R"({"state": null})").contains("ok"));
}

TEST_F(LinkFrames, ALawWithoutAFactorizationSaysSo) {
  Open("arm7", {"controller.type=pd_gravity"}, true);
  OpenLink(&state_);
  LinkClient client(SocketPath());
  EXPECT_THAT(Refused(&client, R"({"set": ["controller.factorization=t:1"]})"),
              HasSubstr("valid: gains."));
  EXPECT_FALSE(Ask(&client, R"({"state": null})")["ok"]["runs"][0].contains("factorization"));
}

TEST_F(LinkFrames, TwoClientsAreAnsweredEachAndOneThatLeavesHarmsNothing) {
  OpenServed("planar_2r");
  LinkClient a(SocketPath()), b(SocketPath());
  {
    LinkClient gone(SocketPath());
    gone.Send("{\"set\": [\"gains.Lambda=9\"]}\n{\"state\": null}\n{\"sta");
  }
  a.Send("{\"state\": null}\n{\"signals\": null}\n");
  b.Send("{\"latest\": \"\"}\n");
  std::vector<std::string> of_a, of_b;
  ASSERT_TRUE(FramesUntil([&] {
    if (auto line = a.Receive()) of_a.push_back(*line);
    if (auto line = b.Receive()) of_b.push_back(*line);
    return of_a.size() == 2 && of_b.size() == 1;
  }));
  EXPECT_THAT(of_a[0], HasSubstr("control_dt"));
  EXPECT_THAT(of_a[1], HasSubstr("/tau"));
  EXPECT_THAT(of_b[0], HasSubstr("error"));
  ASSERT_TRUE(FramesUntil([&] { return state_.link->server.num_clients() == 2; }));
  EXPECT_EQ(state_.scene->tuning().current().gains[0][0], 9) << "what it had asked for was done";
  a.Leave();
  ASSERT_TRUE(FramesUntil([&] { return state_.link->server.num_clients() == 1; }));
  // One that has said all it has to say is answered before it is let go.
  b.Send("{\"state\": null}\n");
  b.EndSending();
  std::optional<std::string> last;
  ASSERT_TRUE(FramesUntil([&] { return (last = b.Receive()) || b.has_ended(); }));
  EXPECT_THAT(last.value_or(""), StartsWith("{\"ok\""));
  ASSERT_TRUE(FramesUntil([&] { return state_.link->server.num_clients() == 0; }));
}

TEST_F(LinkFrames, HugeLinesAndGarbageAreRefused) {
  OpenServed("planar_2r");
  LinkClient endless(SocketPath()), other(SocketPath());
  const std::string part(50000, 'x');
  std::optional<std::string> answer;
  std::size_t sent = 0;
  ASSERT_TRUE(FramesUntil([&] {
    sent += endless.Send(part);
    return (answer = endless.Receive()).has_value();
  }));
  EXPECT_THAT(*answer, HasSubstr("a line has at most 65536 bytes"));
  for (int i = 0; i < 200; ++i) {  // what follows is not kept
    endless.Send(part);
    Frame();
  }
  EXPECT_TRUE(Ask(&other, R"({"state": null})").contains("ok"));
  endless.Leave();
  constexpr unsigned kSeed = 5;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  LinkClient noisy(SocketPath());
  for (int i = 0; i < 100; ++i) {
    std::string noise(random() % 300, ' ');
    for (char& c : noise) c = static_cast<char>(random());
    noisy.Send(noise + "\n");
    Frame();
    while (auto line = noisy.Receive()) EXPECT_THAT(*line, HasSubstr("{\"error\""));
  }
  // Nesting as deep as fits a line.
  const std::string deep = std::string(60000, '[');
  EXPECT_THAT(Refused(&other, deep), HasSubstr("nested more than 100 deep"));
  EXPECT_THAT(
      Refused(&other, "{\"push\": " + std::string(30000, '[') + std::string(30000, ']') + "}"),
      HasSubstr("nested more than 100 deep"));
  EXPECT_TRUE(IsFinite());
}

TEST_F(LinkFrames, TellsWhoIsTooMany) {
  OpenServed("planar_2r");
  std::list<LinkClient> clients;
  for (std::size_t i = 0; i < LineServer::kMostClients; ++i) {
    clients.emplace_back(SocketPath());
    Frame();
  }
  LinkClient late(SocketPath());
  std::optional<std::string> line;
  ASSERT_TRUE(FramesUntil([&] { return (line = late.Receive()).has_value(); }));
  EXPECT_THAT(*line, HasSubstr("8 clients already"));
  EXPECT_TRUE(Ask(&clients.back(), R"({"state": null})").contains("ok"));
}

TEST_F(LinkFrames, ARunThatFailedTakesAReset) {
  OpenServed("arm7_twist");
  LinkClient client(SocketPath());
  ASSERT_TRUE(Ask(&client, R"({"set": ["controller.factorization=t:1000"]})").contains("ok"));
  ASSERT_TRUE(Ask(&client, R"({"do": "play"})").contains("ok"));
  ASSERT_TRUE(FramesUntil([&] { return snapshot().state == RunState::kFailed; }));
  for (const char* request : {R"({"do": "play"})", R"({"do": "throw"})", R"({"step": 3})",
                              R"({"push": {"body": "hand", "force_N": [1, 2, 3]}})"}) {
    EXPECT_THAT(Refused(&client, request), StartsWith("the run has failed, reset it first: "));
  }
  ASSERT_TRUE(Ask(&client, R"({"do": "reset"})").contains("ok"));
  EXPECT_EQ(Ask(&client, R"({"state": null})")["ok"]["state"], "paused");
}

}  // namespace ui_link_test
}  // namespace civita
