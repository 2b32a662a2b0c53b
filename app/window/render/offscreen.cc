#include "app/window/render/offscreen.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <array>

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
