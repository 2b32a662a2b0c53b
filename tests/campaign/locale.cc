// A library for LD_PRELOAD: sets the locale of the environment before main, of C and C++, as
// libraries of graphics and plug-ins do.
#include <clocale>
#include <locale>
#include <stdexcept>

namespace {

const struct Sets {
  Sets() {
    std::setlocale(LC_ALL, "");
    try {
      std::locale::global(std::locale(""));
    } catch (const std::runtime_error&) {  // there is none of that name
    }
  }
} sets;

}  // namespace
