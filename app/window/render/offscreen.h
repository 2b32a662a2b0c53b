#pragma once

namespace civita {

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
