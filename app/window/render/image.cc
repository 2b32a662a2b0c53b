#include "app/window/render/image.h"

#include <GL/gl.h>
#include <GL/glext.h>
#include <stb/stb_image.h>
#include <stb/stb_image_write.h>

#include <algorithm>

#include "civita/error.h"
#include "civita/sim/output_file.h"

namespace civita {

Image ReadPixels(unsigned framebuffer, int width, int height) {
  CIVITA_CHECK(width >= 1 && height >= 1, width << " × " << height);
  Image image{width, height, {}};
  const size_t row = 3 * static_cast<size_t>(width);
  image.rgb.resize(row * static_cast<size_t>(height));
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
  glReadBuffer(framebuffer == 0 ? GL_BACK : GL_COLOR_ATTACHMENT0);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, image.rgb.data());
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
  const auto line = [&](int y) { return image.rgb.begin() + static_cast<std::ptrdiff_t>(row) * y; };
  for (int y = 0; y < height / 2; ++y) {  // OpenGL's rows start at the bottom
    std::swap_ranges(line(y), line(y + 1), line(height - 1 - y));
  }
  return image;
}

Image Crop(const Image& image, int x, int y, int width, int height) {
  x = std::clamp(x, 0, image.width - 1);
  y = std::clamp(y, 0, image.height - 1);
  Image part{std::clamp(width, 1, image.width - x), std::clamp(height, 1, image.height - y), {}};
  for (int row = 0; row < part.height; ++row) {
    const uint8_t* from = image.pixel(x, y + row);
    part.rgb.insert(part.rgb.end(), from, from + 3 * static_cast<std::ptrdiff_t>(part.width));
  }
  return part;
}

std::optional<Image> ReadPng(const std::string& path) {
  Image image;
  int channels = 0;
  unsigned char* pixels = stbi_load(path.c_str(), &image.width, &image.height, &channels, 3);
  if (pixels == nullptr) return {};
  const size_t size = 3 * static_cast<size_t>(image.width) * static_cast<size_t>(image.height);
  image.rgb.assign(pixels, pixels + size);
  stbi_image_free(pixels);
  return image;
}

RenderTarget MakeTexture(const Image& image) {
  RenderTarget target;
  target.Resize(image.width, image.height);
  glBindTexture(GL_TEXTURE_2D, target.texture());
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  for (int y = 0; y < image.height; ++y) {  // OpenGL's rows start at the bottom
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, image.height - 1 - y, image.width, 1, GL_RGB,
                    GL_UNSIGNED_BYTE, image.pixel(0, y));
  }
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glBindTexture(GL_TEXTURE_2D, 0);
  return target;
}

void WritePng(const std::string& path, const Image& image) {
  CIVITA_CHECK(image.width >= 1 && image.height >= 1);
  std::string bytes;
  const auto append = [](void* to, void* data, int size) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(data),
                                          static_cast<std::size_t>(size));
  };
  if (stbi_write_png_to_func(append, &bytes, image.width, image.height, 3, image.rgb.data(),
                             3 * image.width) == 0) {
    throw UserError(path + ": there is no memory for the picture");
  }
  WriteWhole(path, bytes);
}

}  // namespace civita
