#include "python/src/bind/film.h"

#include "civita/error.h"
#ifdef CIVITA_WITH_WINDOW
#include <EGL/egl.h>

#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>

#include "app/window/render/video.h"
#include "app/window/scene_pictures.h"

namespace civita::python {
namespace {

/// The OpenGL context of all films, current in this thread while it lives; another one that was
/// current is so again afterwards. It is made once and stays, as the display, which is the same for
/// all of the process, ends with it.
class Drawing {
 public:
  Drawing()
      : lock_(mutex),
        display_(eglGetCurrentDisplay()),
        context_(eglGetCurrentContext()),
        draw_(eglGetCurrentSurface(EGL_DRAW)),
        read_(eglGetCurrentSurface(EGL_READ)) {
    if (ours == nullptr) {
      new OffscreenContext;  // NOLINT(cppcoreguidelines-owning-memory)
      ours = eglGetCurrentContext();
      ours_display = eglGetCurrentDisplay();
      return;
    }
    eglBindAPI(EGL_OPENGL_API);
    if (eglMakeCurrent(ours_display, EGL_NO_SURFACE, EGL_NO_SURFACE, ours) != EGL_TRUE) {
      throw UserError("OpenGL's context for pictures cannot be used in this thread");
    }
  }
  ~Drawing() {
    eglMakeCurrent(ours_display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context_ != EGL_NO_CONTEXT) eglMakeCurrent(display_, draw_, read_, context_);
  }
  Drawing(const Drawing&) = delete;
  Drawing& operator=(const Drawing&) = delete;

 private:
  static inline std::mutex mutex;
  static inline EGLContext ours = nullptr;
  static inline EGLDisplay ours_display = nullptr;

  std::lock_guard<std::mutex> lock_;
  EGLDisplay display_;
  EGLContext context_;
  EGLSurface draw_, read_;
};

}  // namespace

struct Film::Parts {
  std::optional<ScenePictures> pictures;
  std::optional<Video> video;
};

Film::Film(const Simulation& simulation, const FilmLook& look)
    : look_(look), parts_(std::make_unique<Parts>()) {
  for (const auto& [name, size] : {std::pair{"width", look.width}, {"height", look.height}}) {
    if (size >= 1 && size <= 8192) continue;
    throw UserError(std::string(name) + ": not a number of pixels from 1 to 8192");
  }
  const Drawing drawing;
  parts_->pictures.emplace(simulation, look.is_light ? kLightTheme : kDarkTheme, look.width,
                           look.height);
}

Film::~Film() {
  try {
    const Drawing drawing;
    parts_->pictures.reset();
  } catch (const UserError&) {
    // Another one, as at the end of the process, has ended the display and what was drawn with.
    static_cast<void>(parts_.release());  // NOLINT(bugprone-unused-return-value)
  }
}

void Film::Follow(double t, std::span<const double> q) {
  if (parts_->video && parts_->video->IsDue(t)) {
    parts_->video->Add({look_.width, look_.height, Draw(t, q, false)}, t);
  } else if (parts_->pictures->IsDue(t)) {
    parts_->pictures->Show(t, q);
  }
}

Film::Pixels Film::Draw(double t, std::span<const double> q, bool fast) {
  const Drawing drawing;
  return parts_->pictures->Draw(t, q, fast).rgb;
}

void Film::Write(const std::string& file) {
  parts_->video.emplace(std::filesystem::path(file).replace_extension(), look_.width, look_.height);
}

std::string Film::Finish() {
  parts_->video->Finish();
  return parts_->video->path().string();
}
#else
namespace civita::python {

struct Film::Parts {};

Film::Film(const Simulation& /*simulation*/, const FilmLook& /*look*/) {
  throw UserError("this civita was built without its window, which draws the pictures");
}
Film::~Film() = default;
void Film::Follow(double /*t*/, std::span<const double> /*q*/) {}
Film::Pixels Film::Draw(double /*t*/, std::span<const double> /*q*/, bool /*fast*/) { return {}; }
void Film::Write(const std::string& /*file*/) {}
std::string Film::Finish() { return {}; }
#endif

}  // namespace civita::python
