#pragma once

#include <utility>

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

}  // namespace civita
