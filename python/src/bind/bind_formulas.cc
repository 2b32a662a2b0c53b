#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>
#include <string>

#include "civita/error.h"
#include "civita/study/formulas/formulas.h"
#include "python/src/bind/bind.h"
#include "python/src/bind/long_work.h"
#include "python/src/support/arguments.h"
#include "python/src/support/loaded_model.h"

namespace nb = nanobind;

namespace civita::python {
namespace {

constexpr const char* kFormulasDoc =
    R"(The equations of motion as formulas, as `civita formulas` writes them.

Each quantity is a function such as civita_C(q, v), with equal parts computed once; its numbers are those of
`civita.evaluate` at the same state. docs/formulas.md says what is written. Nothing is multiplied out: that
takes the program, `civita formulas --expand`, in a build with GiNaC.

Parameters
----------
model : Model
quantities : str or sequence of str
    H, C, Gamma, Hdot, g, bias, tau, kinetic, potential, or "all".
language : str
    "python", "c" or "latex".
factorization : str or Factorization
    Which C and Gamma; one without arrays and without formulas of q.
progress : bool or callable
    As for civita.run.

Returns
-------
str
    Python with nested lists, which needs math alone; C with row-major arrays; or LaTeX, with indices from 1.

Raises
------
ValueError
    For an unknown quantity, language or factorization.
KeyboardInterrupt
    After Ctrl-C.)";

std::string WriteFormulasOf(const std::shared_ptr<LoadedModel>& model, nb::handle quantities,
                            const std::string& language, nb::handle factorization,
                            nb::handle progress) {
  if (nb::hasattr(factorization, "arrays") &&
      nb::len(nb::object(factorization.attr("arrays"))) > 0) {
    throw UserError("factorization: formulas have no arrays; give it as text");
  }
  const FormulaOptions options = {.name = model->source,
                                  .quantities = ReadNames(quantities, "quantities"),
                                  .language = language,
                                  .factorization = nb::cast<std::string>(nb::str(factorization))};
  LongWork work(progress);
  std::optional<std::string> text;
  {
    const nb::gil_scoped_release release;
    text = WriteFormulas(model->model, options, work.watch());
  }
  work.Rethrow();
  return text.value_or("");
}

}  // namespace

void BindFormulas(nb::module_& module) {
  module.def("formulas", WriteFormulasOf, nb::arg("model"),
             nb::arg("quantities") = nb::make_tuple("H", "C", "g"), nb::kw_only(),
             nb::arg("language") = "python", nb::arg("factorization") = "christoffel",
             nb::arg("progress").none() = true, kFormulasDoc,
             nb::sig("def formulas(model: Model, quantities: str | "
                     "collections.abc.Sequence[str] = ('H', 'C', 'g'), *, language: str = "
                     "'python', factorization: str | civita.factorization.Factorization = "
                     "'christoffel', progress: civita._progress.Progress = True) -> str"));
}

}  // namespace civita::python
