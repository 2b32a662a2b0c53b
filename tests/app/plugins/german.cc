// A plug-in that sets the locale of its host, as libraries do: de_XX, which the test makes, and one
// of C++ with a comma and groups of digits.
#include <clocale>
#include <locale>
#include <stdexcept>
#include <string>

#include "civita/scenes/registry.h"

namespace {

class German final : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

}  // namespace

CIVITA_PLUGIN(registry) {
  (void)registry;
  if (std::setlocale(LC_ALL, "de_XX") == nullptr) throw std::runtime_error("no locale de_XX");
  std::locale::global(std::locale(std::locale::classic(), new German));
}
