#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "civita/sim/output_file.h"

namespace civita {

/// An owned colour texture that can be rendered to; sampled linearly, clamped at its edges. All
/// calls need the OpenGL context in which it was created.
class RenderTarget {
 public:
  enum class Format { kByte, kHalf };  // 8 bits or half floats for each channel

  explicit RenderTarget(Format format = Format::kByte) : format_(format) {}
  ~RenderTarget();
  RenderTarget(RenderTarget&& other) noexcept { *this = std::move(other); }
  RenderTarget& operator=(RenderTarget&& other) noexcept;
  RenderTarget(const RenderTarget&) = delete;
  RenderTarget& operator=(const RenderTarget&) = delete;

  /// (Re)allocates for this size in pixels, both ≥ 1; the content is undefined after a change.
  void Resize(int width, int height);

  int width() const { return width_; }
  int height() const { return height_; }
  /// OpenGL names; 0 before the first Resize.
  unsigned texture() const { return texture_; }
  unsigned framebuffer() const { return framebuffer_; }

 private:
  Format format_ = Format::kByte;
  unsigned texture_ = 0, framebuffer_ = 0;
  int width_ = 0, height_ = 0;
};

/// Copies the lower left width × height pixels of one framebuffer to another; resolves
/// multisamples.
void CopyPixels(unsigned from_framebuffer, unsigned to_framebuffer, int width, int height);

/// Draws `texture` over all of `framebuffer` (width × height pixels) with opacity `alpha`.
void BlendOver(unsigned texture, unsigned framebuffer, int width, int height, float alpha);

/// Whether the current OpenGL context renders on the CPU (llvmpipe and similar).
bool IsSoftwareRenderer();

/// Pixels as rows from the top, three bytes each (red, green, blue).
struct Image {
  int width = 0, height = 0;
  std::vector<uint8_t> rgb;

  const uint8_t* pixel(int x, int y) const&& = delete;
  const uint8_t* pixel(int x, int y) const& {
    return &rgb[3 * (static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x))];
  }
};

/// Reads the lower left width × height pixels of an OpenGL framebuffer (0: the window's back
/// buffer).
Image ReadPixels(unsigned framebuffer, int width, int height);

/// The part of an image that the rectangle covers.
Image Crop(const Image& image, int x, int y, int width, int height);

/// The picture of a PNG file; nullopt when there is none or it is broken.
std::optional<Image> ReadPng(const std::string& path);

/// A texture of a picture, with its first row at the top end, as of RenderTarget.
RenderTarget MakeTexture(const Image& image);

/// Writes a PNG file; throws UserError naming the file when that fails.
void WritePng(const std::string& path, const Image& image,
              OutputFile::Kind kind = OutputFile::Kind::kWhole);

/// An OpenGL context without window or display (EGL), current from construction to destruction,
/// for pictures in headless runs and tests. Draw into a RenderTarget; there is no window
/// framebuffer. @throws UserError, which lists what was tried, when the machine has none.
class OffscreenContext {
 public:
  OffscreenContext();
  ~OffscreenContext();
  OffscreenContext(const OffscreenContext&) = delete;
  OffscreenContext& operator=(const OffscreenContext&) = delete;

 private:
  bool Open(void* display);

  void* display_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace civita
