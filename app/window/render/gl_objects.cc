#include "app/window/render/gl_objects.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <stb/stb_image.h>
#include <stb/stb_image_write.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

#include "civita/error.h"

namespace civita {
namespace {

template <typename Function>
Function Load(const char* name) {
  return reinterpret_cast<Function>(eglGetProcAddress(name));
}

// Displays that need neither X nor Wayland, in order of preference.
EGLDisplay DeviceDisplay(int index) {
  const auto query = Load<PFNEGLQUERYDEVICESEXTPROC>("eglQueryDevicesEXT");
  const auto get = Load<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
  if (query == nullptr || get == nullptr) return EGL_NO_DISPLAY;
  std::array<EGLDeviceEXT, 16> devices;
  EGLint count = 0;
  if (query(static_cast<EGLint>(devices.size()), devices.data(), &count) != EGL_TRUE ||
      index >= count) {
    return EGL_NO_DISPLAY;
  }
  return get(EGL_PLATFORM_DEVICE_EXT, devices[static_cast<size_t>(index)], nullptr);
}

EGLDisplay SurfacelessDisplay() {
  const auto get = Load<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
  return get == nullptr ? EGL_NO_DISPLAY
                        : get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
}

}  // namespace

RenderTarget::~RenderTarget() {
  if (framebuffer_ != 0) glDeleteFramebuffers(1, &framebuffer_);
  if (texture_ != 0) glDeleteTextures(1, &texture_);
}

RenderTarget& RenderTarget::operator=(RenderTarget&& other) noexcept {
  std::swap(format_, other.format_);
  std::swap(texture_, other.texture_);
  std::swap(framebuffer_, other.framebuffer_);
  std::swap(width_, other.width_);
  std::swap(height_, other.height_);
  return *this;
}

void RenderTarget::Resize(int width, int height) {
  if (width == width_ && height == height_) return;
  width_ = width;
  height_ = height;
  if (texture_ == 0) {
    glGenTextures(1, &texture_);
    glGenFramebuffers(1, &framebuffer_);
  }
  const bool half = format_ == Format::kHalf;
  glBindTexture(GL_TEXTURE_2D, texture_);
  glTexImage2D(GL_TEXTURE_2D, 0, half ? GL_RGBA16F : GL_RGBA8, width, height, 0, GL_RGBA,
               GL_UNSIGNED_BYTE, nullptr);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glBindTexture(GL_TEXTURE_2D, 0);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_, 0);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

void CopyPixels(unsigned from_framebuffer, unsigned to_framebuffer, int width, int height) {
  glBindFramebuffer(GL_READ_FRAMEBUFFER, from_framebuffer);
  glReadBuffer(GL_COLOR_ATTACHMENT0);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to_framebuffer);
  glDisable(GL_SCISSOR_TEST);
  glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

void BlendOver(unsigned texture, unsigned framebuffer, int width, int height, float alpha) {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glPushAttrib(GL_ALL_ATTRIB_BITS);
  glUseProgram(0);
  glViewport(0, 0, width, height);
  for (const GLenum off : std::initializer_list<GLenum>{
           GL_DEPTH_TEST, GL_LIGHTING, GL_CULL_FACE, GL_SCISSOR_TEST, GL_FOG, GL_STENCIL_TEST,
           GL_ALPHA_TEST, GL_TEXTURE_CUBE_MAP, GL_COLOR_MATERIAL, GL_TEXTURE_GEN_S,
           GL_TEXTURE_GEN_T, GL_NORMALIZE}) {
    glDisable(off);
  }
  glMatrixMode(GL_TEXTURE);
  glPushMatrix();
  glLoadIdentity();
  glMatrixMode(GL_PROJECTION);
  glPushMatrix();
  glLoadIdentity();
  glMatrixMode(GL_MODELVIEW);
  glPushMatrix();
  glLoadIdentity();
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
  glEnable(GL_TEXTURE_2D);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_MODULATE);
  glEnable(GL_BLEND);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE);
  glColor4f(1, 1, 1, alpha);
  glBegin(GL_TRIANGLE_STRIP);
  for (const auto& [x, y] : {std::pair{0, 0}, {1, 0}, {0, 1}, {1, 1}}) {
    glTexCoord2i(x, y);
    glVertex2i(2 * x - 1, 2 * y - 1);
  }
  glEnd();
  glPopMatrix();
  glMatrixMode(GL_PROJECTION);
  glPopMatrix();
  glMatrixMode(GL_TEXTURE);
  glPopMatrix();
  glPopAttrib();
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

bool IsSoftwareRenderer() {
  const auto* text = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  const std::string_view name = text == nullptr ? "" : text;
  for (const std::string_view software : {"llvmpipe", "softpipe", "swrast", "Software"}) {
    if (name.find(software) != name.npos) return true;
  }
  return false;
}

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

void WritePng(const std::string& path, const Image& image, OutputFile::Kind kind) {
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
  WriteWhole(path, bytes, kind);
}

OffscreenContext::OffscreenContext() {
  for (int device = 0; device < 16; ++device) {
    const EGLDisplay display = DeviceDisplay(device);
    if (display == EGL_NO_DISPLAY) break;
    if (Open(display)) return;
  }
  if (Open(SurfacelessDisplay()) || Open(eglGetDisplay(EGL_DEFAULT_DISPLAY))) return;
  throw UserError(
      "no OpenGL without a display: EGL offers neither a device nor Mesa's surfaceless platform "
      "(on Debian install libegl1 and libegl-mesa0)");
}

OffscreenContext::~OffscreenContext() {
  eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglDestroyContext(display_, context_);
  eglTerminate(display_);
}

bool OffscreenContext::Open(void* display) {
  if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) != EGL_TRUE)
    return false;
  // No surface; the default requests windows, which these displays do not have.
  const std::array<EGLint, 5> wanted = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, 0,
                                        EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  // MuJoCo uses the fixed-function pipeline: a compatibility context, which is the default.
  EGLContext context = EGL_NO_CONTEXT;
  if (eglBindAPI(EGL_OPENGL_API) == EGL_TRUE &&
      eglChooseConfig(display, wanted.data(), &config, 1, &count) == EGL_TRUE && count > 0) {
    context = eglCreateContext(display, config, EGL_NO_CONTEXT, nullptr);
  }
  if (context != EGL_NO_CONTEXT &&
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) == EGL_TRUE) {
    display_ = display;
    context_ = context;
    return true;
  }
  if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
  eglTerminate(display);
  return false;
}

}  // namespace civita
