#include "app/window/render/video.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

#include "civita/error.h"
#include "civita/sim/output_file.h"
#include "civita/study/option_names.h"

namespace civita {
namespace {

namespace fs = std::filesystem;

bool HasFfmpeg() {
  // NOLINTNEXTLINE(*-env33-c,bugprone-command-processor)
  return std::system("command -v ffmpeg >/dev/null 2>&1") == 0;
}

std::string PictureName(long number) {
  std::array<char, 32> name;
  std::snprintf(name.data(), name.size(), "%06ld.png", number);
  return name.data();
}

/// The folder, new or without the pictures of an earlier video.
void MakeFolder(const fs::path& folder) {
  std::error_code error;
  if (fs::is_symlink(folder, error)) {
    throw UserError(folder.string() + ": is a link, which is not followed");
  }
  fs::create_directories(folder, error);
  if (error) throw UserError(folder.string() + ": cannot be made: " + error.message());
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name == PictureName(std::atol(name.c_str()))) fs::remove(entry.path(), error);
  }
}

/// The same picture under another name.
void Repeat(const fs::path& picture, const fs::path& as) {
  std::error_code error;
  fs::create_hard_link(picture, as, error);
  if (error) fs::copy_file(picture, as, error);
  if (error) throw WriteError(as.string() + ": cannot be written: " + error.message());
}

/// The last line of a file that was written to; closes it.
std::string LastLine(int fd) {
  if (fd < 0) return {};
  std::string text(1 << 12, '\0');
  const ssize_t size = ::pread(fd, text.data(), text.size(), 0);
  ::close(fd);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

Video::Video(const fs::path& stem, int width, int height) : width_(width), height_(height) {
  if (!HasFfmpeg()) {
    path_ = stem;
    MakeFolder(path_);
    return;
  }
  path_ = stem;
  path_ += ".mp4";
  std::error_code error;
  fs::create_directories(fs::absolute(path_).parent_path(), error);
  if (fs::is_symlink(path_, error)) fs::remove(path_, error);
  OutputFile(path_, OutputFile::Kind::kGrowing).Commit();
  // An encoder that ends early must not end this program.
  std::signal(SIGPIPE, SIG_IGN);
  const std::string size = std::to_string(width) + "x" + std::to_string(height);
  // yuv420p, which all players know, needs even numbers of pixels.
  // In its own session, so that ctrl-C in the terminal does not end the encoder before the video.
  log_ = ::memfd_create("ffmpeg", 0);
  const std::string log = log_ < 0 ? "/dev/null" : "/proc/self/fd/" + std::to_string(log_);
  const std::string command =
      "exec 2>" + log + " setsid ffmpeg -loglevel error -xerror -y -f rawvideo -pix_fmt rgb24 -s " +
      size + " -r 30 -i - " +
      "-vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2' -c:v libx264 -preset veryfast -crf 20 " +
      "-pix_fmt yuv420p -movflags +faststart " + ShellQuoted("file:" + path_.string());
  pipe_ = popen(command.c_str(), "w");  // NOLINT(*-env33-c,bugprone-command-processor)
  if (pipe_ == nullptr) throw UserError(path_.string() + ": ffmpeg cannot be started");
}

Video::~Video() {
  if (pipe_ != nullptr) pclose(pipe_);
  if (log_ >= 0) ::close(log_);
}

void Video::Add(const Image& image, double t) {
  if (image.width != width_ || image.height != height_) {
    throw UserError(path_.string() + ": the window has changed its size");
  }
  const auto wanted = static_cast<long>(std::floor(t * kRate)) + 1;
  if (pipe_ == nullptr) {
    // The numbers tell the time; without gaps, encoders read them as a series.
    const fs::path first = path_ / PictureName(pictures_);
    WritePng(first.string(), image);
    for (++pictures_; pictures_ < wanted; ++pictures_)
      Repeat(first, path_ / PictureName(pictures_));
    return;
  }
  for (; pictures_ < wanted; ++pictures_) {
    if (std::fwrite(image.rgb.data(), 1, image.rgb.size(), pipe_) != image.rgb.size()) {
      Finish();  // has its reason, if it gives one
      throw WriteError(path_.string() + ": ffmpeg takes no more pictures");
    }
  }
}

void Video::Finish() {
  if (pipe_ == nullptr) return;
  const bool has_ended = pclose(std::exchange(pipe_, nullptr)) == 0;
  const std::string said = LastLine(std::exchange(log_, -1));
  if (has_ended && said.empty()) return;
  throw WriteError(path_.string() + ": ffmpeg could not write the video" +
                   (said.empty() ? "" : ": " + said));
}

}  // namespace civita
