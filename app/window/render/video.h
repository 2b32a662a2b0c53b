#pragma once

#include <cstdio>
#include <filesystem>

#include "app/window/render/gl_objects.h"

namespace civita {

/// A video that is written while it is recorded: by ffmpeg where it is installed, which gets the
/// pictures through a pipe, otherwise as a series of PNG files. Nothing is kept in memory.
class Video {
 public:
  static constexpr double kRate = 30;  ///< pictures a second

  /// Writes `stem`.mp4, or pictures in the folder `stem`, through no link. @throws UserError.
  Video(const std::filesystem::path& stem, int width, int height);
  ~Video();
  Video(const Video&) = delete;
  Video& operator=(const Video&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Whether a picture is due at this time since the start, s.
  bool IsDue(double t) const { return t * kRate >= static_cast<double>(pictures_); }
  /// Adds a picture, repeated up to time t, since a video has them at a fixed rate. @throws
  /// UserError when it cannot be written or has another size.
  void Add(const Image& image, double t);
  /// Ends the video. @throws WriteError when it is not complete, or ffmpeg tells of an error: on a
  /// full disk its exit code may be 0.
  void Finish();

 private:
  std::filesystem::path path_;
  int width_, height_;
  long pictures_ = 0;
  int log_ = -1;               ///< what ffmpeg says
  std::FILE* pipe_ = nullptr;  ///< to ffmpeg; null: PNG files
};

}  // namespace civita
