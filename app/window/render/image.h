#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/window/render/gl_objects.h"

namespace civita {

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
void WritePng(const std::string& path, const Image& image);

}  // namespace civita
