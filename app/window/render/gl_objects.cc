#include "app/window/render/gl_objects.h"

#include <GL/gl.h>
#include <GL/glext.h>

#include <initializer_list>
#include <string_view>

namespace civita {

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

}  // namespace civita
