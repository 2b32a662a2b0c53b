#include "app/progress_line.h"

#include <unistd.h>

#include <cstdio>

namespace civita {

ProgressLine::ProgressLine(bool shown) : watched_(shown && isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (visible_) std::fprintf(stderr, "\r\033[K");
}

bool ProgressLine::Due() {
  if (!watched_ || elapsed_s() < next_s_) return false;
  next_s_ = elapsed_s() + 0.2;
  return true;
}

void ProgressLine::Show(const std::string& text) {
  visible_ = true;
  std::fprintf(stderr, "\r\033[K  %s", text.c_str());
  std::fflush(stderr);
}

double ProgressLine::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

}  // namespace civita
