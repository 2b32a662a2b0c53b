#include "python/src/names_argument.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace civita::python {

std::vector<std::string> ReadNames(nb::handle quantities) {
  if (nb::isinstance<nb::str>(quantities)) return {nb::cast<std::string>(quantities)};
  const auto refuse = [](nb::handle given) {
    const auto text = nb::cast<std::string>(nb::repr(given));
    throw nb::type_error(("quantities: a name, or several, not " + text).c_str());
  };
  if (!nb::hasattr(quantities, "__iter__")) refuse(quantities);
  std::vector<std::string> names;
  for (const nb::handle name : quantities) {
    if (!nb::isinstance<nb::str>(name)) refuse(name);
    names.push_back(nb::cast<std::string>(name));
  }
  return names;
}

}  // namespace civita::python
