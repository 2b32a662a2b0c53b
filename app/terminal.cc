#include "app/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "app/interrupt.h"
#include "base/number_text.h"
#include "base/utf8.h"

namespace civita {
namespace {

constexpr std::size_t kLongestLine = 1200;

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// U+0000 to U+001F and U+007F to U+009F.
bool IsControl(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

/// The text without its middle.
std::string Shorten(std::string text) {
  if (text.size() <= kLongestLine) return text;
  std::size_t begin = kLongestLine * 2 / 3, end = text.size() - kLongestLine / 3;
  while (IsContinuation(text[begin])) --begin;
  while (IsContinuation(text[end])) ++end;
  return text.replace(begin, end - begin, " … ");
}

}  // namespace

std::string Printable(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string printable;
  while (!text.empty()) {
    const std::size_t size = internal::CharacterSize(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(size, 1));
    if (size > 0 && (text.front() == '\n' || !IsControl(character))) {
      printable += character;
    } else {
      for (const char c : character) {
        const auto byte = static_cast<unsigned char>(c);
        printable += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
      }
    }
    text.remove_prefix(character.size());
  }
  return printable;
}

void PrintOut(std::string_view text) {
  const std::string printable = Printable(text);
  std::fwrite(printable.data(), 1, printable.size(), stdout);
}

void PrintError(std::string_view text) {
  std::string line = Shorten(Printable(text));
  for (std::size_t at = line.find('\n'); at != line.npos; at = line.find('\n', at)) {
    line.replace(at, 1, "\\n");
  }
  std::fprintf(stderr, "civita: %s\n", line.c_str());
}

void PrintNote(std::string_view text) { PrintError("note: " + std::string(text)); }

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
