// Videos of headless runs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "app/window/render/gl_objects.h"
#include "tests/app/child_program.h"

namespace civita {
namespace film_test {

using testing::HasSubstr;
using Arguments = std::vector<std::string>;

/// A folder with a program `ffmpeg` that writes what it gets to the last argument's file, or with
/// nothing; first or alone in the path of the programs started meanwhile.
class Path {
 public:
  explicit Path(const char* ffmpeg) : before_(getenv("PATH")) {
    std::filesystem::create_symlink("/bin/sh", folder_.path() / "sh");
    std::filesystem::create_symlink("/usr/bin/setsid", folder_.path() / "setsid");
    std::filesystem::create_symlink("/bin/cat", folder_.path() / "cat");
    if (ffmpeg != nullptr) {
      const std::string file = folder_.Write("ffmpeg", std::string("#!/bin/sh\n") + ffmpeg);
      chmod(file.c_str(), 0755);
    }
    setenv("PATH", folder_.path().c_str(), 1);
  }
  ~Path() { setenv("PATH", before_.c_str(), 1); }
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;

 private:
  TemporaryFolder folder_;
  std::string before_;
};

constexpr const char* kEncoder = "for last; do :; done\nexec cat > \"${last#file:}\"\n";

int CountPictures(const std::filesystem::path& folder) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    count += entry.path().extension() == ".png" ? 1 : 0;
  }
  return count;
}

TEST(Film, GivesTheEncoderThirtyPicturesASecond) {
  const Path path(kEncoder);
  ChildProgram program({"run", "planar_2r", "--headless", "--duration", "0.5", "--video",
                        "deep/film.mp4", "--width", "1024", "--height", "700"});
  const ChildResult result = program.Wait();
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("deep/film.mp4"));
  const std::string pixels = ReadAll(program.folder() / "deep/film.mp4");
  constexpr std::size_t kPicture = std::size_t{3} * 1024 * 700;
  ASSERT_EQ(pixels.size(), 16 * kPicture);
  // The robot moves, and the same run gives the same pictures.
  EXPECT_NE(pixels.substr(0, kPicture), pixels.substr(15 * kPicture));
  ChildProgram again({"run", "planar_2r", "--headless", "--duration", "0.5", "--video", "film.mp4",
                      "--width", "1024", "--height", "700"});
  ASSERT_EQ(again.Wait().code, 0);
  EXPECT_EQ(ReadAll(again.folder() / "film.mp4"), pixels);
}

TEST(Film, IsASeriesOfPicturesWithoutAnEncoder) {
  const Path path(nullptr);
  ChildProgram program({"run", "quadruped", "--headless", "--duration", "0.2", "--video",
                        "film.mp4", "--out", "run", "--light"});
  const ChildResult result = program.Wait();
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("run, film"));
  EXPECT_EQ(CountPictures(program.folder() / "film"), 7);
  const auto first = ReadPng((program.folder() / "film/000000.png").string());
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->width, 1280);
  EXPECT_EQ(first->height, 720);
  const std::set<uint8_t> shades(first->rgb.begin(), first->rgb.end());
  EXPECT_GT(shades.size(), 100u) << "no robot in the picture";
  EXPECT_TRUE(std::filesystem::exists(program.folder() / "run/run.json"));
}

TEST(Film, KeepsWhatIsDoneWhenInterrupted) {
  const Path path(kEncoder);
  ChildProgram program({"run", "planar_2r", "--headless", "--duration", "1000", "--video",
                        "film.mp4", "--out", "run"});
  const std::filesystem::path film = program.folder() / "film.mp4";
  constexpr std::size_t kPicture = std::size_t{3} * 1280 * 720;
  std::error_code ignored;
  for (int i = 0; i < 6000; ++i) {
    const auto size = std::filesystem::file_size(film, ignored);
    if (!ignored && size > 5 * kPicture) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  program.Interrupt();
  const ChildResult result = program.Wait();
  EXPECT_EQ(result.code, 130) << result.err;
  EXPECT_GE(std::filesystem::file_size(film), 5 * kPicture);
  EXPECT_EQ(std::filesystem::file_size(film) % kPicture, 0u);
  const auto run = nlohmann::json::parse(ReadAll(program.folder() / "run/run.json"));
  EXPECT_EQ(run.at("status"), "interrupted");
}

TEST(Film, TellsAnEncoderThatFails) {
  const Path path("exit 3\n");
  ChildProgram program({"run", "planar_2r", "--headless", "--duration", "0.1", "--video", "a.mp4"});
  const ChildResult result = program.Wait();
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("a.mp4: ffmpeg"));
  EXPECT_THAT(result.out, HasSubstr("held, 1 ms, 101 steps")) << "the run goes on without it";
}

TEST(Film, TellsAnEncoderThatForgetsAFullDisk) {
  const Path path("cat >/dev/null\necho first >&2\necho 'no room' >&2\nexit 0\n");
  ChildProgram program(
      {"run", "planar_2r", "--headless", "--duration", "0.05", "--video", "b.mp4"});
  const ChildResult result = program.Wait();
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err,
              testing::EndsWith("civita: b.mp4: ffmpeg could not write the video: no room\n"));
  EXPECT_THAT(result.err, testing::Not(HasSubstr("first")));
}

TEST(Film, FollowsNoLink) {
  const TemporaryFolder other;
  const std::filesystem::path film = other.path() / "a.mp4", pictures = other.path() / "a";
  const std::string victim = other.Write("victim", "precious");
  const std::string kept = other.Write("theirs/000000.png", "theirs");
  std::filesystem::create_symlink(victim, film);
  std::filesystem::create_symlink(other.path() / "theirs", pictures);
  const Arguments arguments = {"run",  "planar_2r", "--headless", "--duration",
                               "0.05", "--video",   film.string()};
  {
    const Path path(kEncoder);
    EXPECT_EQ(ChildProgram(arguments).Wait().code, 0);
  }
  EXPECT_FALSE(std::filesystem::is_symlink(film));
  EXPECT_GT(std::filesystem::file_size(film), 0u);
  {
    const Path path(nullptr);
    const ChildResult result = ChildProgram(arguments).Wait();
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(result.err, HasSubstr("a: is a link, which is not followed"));
  }
  EXPECT_EQ(ReadAll(victim), "precious");
  EXPECT_EQ(ReadAll(kept), "theirs");
}

TEST(Film, WithoutRoomTheRunIsWholeAndFails) {
  const Path path(nullptr);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{200'000, before.rlim_max};  // more than the table takes, less than a picture
  setrlimit(RLIMIT_FSIZE, &limit);
  ChildProgram program(
      {"run", "planar_2r", "--headless", "--duration", "0.1", "--video", "a.mp4", "--out", "run"});
  setrlimit(RLIMIT_FSIZE, &before);
  const ChildResult result = program.Wait();
  EXPECT_EQ(result.code, 1);
  // A busy machine has a note that the run is slow before it.
  EXPECT_THAT(result.err,
              testing::MatchesRegex("(civita: note: [^\n]+\n)?civita: a/000000.png: [^\n]+\n"));
  EXPECT_THAT(result.out, HasSubstr("held, 1 ms, 101 steps"));
  const auto run = nlohmann::json::parse(ReadAll(program.folder() / "run/run.json"));
  EXPECT_EQ(run.at("status"), "done");
}

TEST(Film, RefusesBadNamesInOneLine) {
  for (const Arguments& arguments :
       {Arguments{"run", "arm7", "--headless", "--video", "film.avi"},
        Arguments{"run", "arm7", "--headless", "--video", ".mp4"},
        Arguments{"run", "arm7", "--headless", "--duration", "0.1", "--video", "/proc/none/a.mp4"},
        Arguments{"run", "arm7", "--video", "film.mp4"}}) {
    const ChildResult result = ChildProgram(arguments).Wait();
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(result.err, testing::MatchesRegex("civita: [^\n]+\n"));
  }
}

}  // namespace film_test
}  // namespace civita
