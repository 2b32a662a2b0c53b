#include "app/progress_line.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "app/interrupt.h"
#include "app/terminal.h"
#include "base/number_text.h"

namespace civita {

ProgressLine::ProgressLine(bool shown)
    : by_lines_(std::getenv("CIVITA_PROGRESS") != nullptr),
      watched_(shown && (by_lines_ || isatty(STDERR_FILENO) == 1)),
      next_s_(by_lines_ ? 0 : 1) {}

ProgressLine::~ProgressLine() {
  if (visible_) std::fprintf(stderr, "\r\033[K");
}

bool ProgressLine::Due() {
  if (!watched_ || elapsed_s() < next_s_) return false;
  next_s_ = elapsed_s() + 0.2;
  return true;
}

void ProgressLine::Show(const std::string& text, double share) {
  if (by_lines_) {
    std::fprintf(stderr, "progress %s %s\n", internal::WithDecimals(share, 4).c_str(),
                 text.c_str());
    return;
  }
  visible_ = true;
  std::fprintf(stderr, "\r\033[K  %s", text.c_str());
  std::fflush(stderr);
}

void ProgressLine::Note(const std::string& text) {
  if (visible_) std::fprintf(stderr, "\r\033[K");
  PrintNote(text);
}

Watch ProgressLine::watch() {
  return {.stop = InterruptGuard::flag(),
          .progress =
              [this](const std::string& text, double share) {
                if (Due()) Show(text, share);
              },
          .note = [this](const std::string& text) { Note(text); }};
}

double ProgressLine::elapsed_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

}  // namespace civita
