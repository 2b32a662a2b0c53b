#include <mujoco/mujoco.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "app/child_process.h"
#include "app/program.h"
#include "app/terminal.h"
#include "app/verbs/verb.h"
#include "civita/error.h"
#include "civita/scenes/registry.h"
#include "civita/scenes/scene_list.h"
#include "civita/scenes/schema/trust.h"
#include "python/src/bind/bind.h"
#ifdef CIVITA_WITH_WINDOW
#include "app/window/run_in_window.h"
#endif

namespace nb = nanobind;

namespace civita::python {
namespace {

/// Other modules of the process have a handler of MuJoCo's log of their own.
class LogHandlerGuard {
 public:
  LogHandlerGuard() : before_(mju_setLogHandler(nullptr)) {}
  ~LogHandlerGuard() { mju_setLogHandler(before_); }
  LogHandlerGuard(const LogHandlerGuard&) = delete;
  LogHandlerGuard& operator=(const LogHandlerGuard&) = delete;

 private:
  mjfLogHandler before_;
};

/// The verb of the package, for the program's help: `main` of civita.__main__ runs it.
std::function<int()> AddSweep(CLI::App* command, const Registry& /*registry*/) {
  command->description(
      "Makes the runs of a study on a Dask cluster, by default on the cores of this machine, into "
      "a Parquet dataset.");
  command->allow_extras();
  return []() -> int { throw UserError("sweep is the first word: python -m civita sweep STUDY"); };
}

constexpr Verb kSweep = {"sweep", AddSweep};

/// The bytes of the words, as the system gave them to Python.
std::vector<std::string> BytesOf(const nb::list& argv) {
  std::vector<std::string> words;
  for (const nb::handle word : argv) {
    PyObject* const bytes = PyUnicode_EncodeFSDefault(word.ptr());
    if (bytes == nullptr) throw nb::python_error();
    words.push_back(nb::steal<nb::bytes>(bytes).c_str());
  }
  return words;
}

void CheckArgumentsOf(const nb::list& argv) { CheckArguments(BytesOf(argv)); }

int RunProgramOf(const nb::list& given) {
  const std::vector<std::string> argv = BytesOf(given);
  std::vector<const char*> words;
  words.reserve(argv.size());
  for (const std::string& word : argv) words.push_back(word.c_str());
  const nb::gil_scoped_release release;
  const LogHandlerGuard guard;
  Registry registry = BuiltinRegistry();
  registry.verbs.push_back(&kSweep);
#ifdef CIVITA_WITH_WINDOW
  AddWindow(&registry);
#endif
  return RunProgram(static_cast<int>(words.size()), words.data(), registry);
}

nb::list ListScenes() {
  nb::list scenes;
  for (const SceneInfo& scene : Scenes()) {
    nb::dict row;
    row["name"] = scene.name;
    row["title"] = scene.title;
    row["line"] = scene.line;
    row["group"] = scene.group;
    row["is_here"] = scene.is_here;
    scenes.append(row);
  }
  return scenes;
}

}  // namespace

void BindProgram(nb::module_& module) {
  module.def(
      "run_program", RunProgramOf, nb::arg("argv"),
      nb::sig("def run_program(argv: list[str]) -> int"),
      "Runs the program civita in this process with the words of its command line, the first "
      "one its name, and returns its exit code. Control laws that are registered count.");
  module.def(
      "check_arguments", CheckArgumentsOf, nb::arg("argv"),
      nb::sig("def check_arguments(argv: list[str]) -> None"),
      "Raises ValueError where a word of a command line, after the first, is no UTF-8 text, as "
      "run_program.");
  module.def("set_data_directory", SetDataDirectory, nb::arg("directory"),
             nb::sig("def set_data_directory(directory: str | os.PathLike[str]) -> None"),
             "Sets the folder that contains config/ and scenes/.");
  module.def("data_directory", DataDirectory, "The folder that contains config/ and scenes/.");
  module.def("set_program_command", SetProgramCommand, nb::arg("command"),
             "Sets the words that start the program as a process of its own, which the window does "
             "for its jobs.");
  module.def(
      "trust_configs", TrustConfigs, nb::arg("trusts") = true,
      "Lets configs name plug-ins and laws in Python, which run with your rights; by default "
      "only arguments may. For this process, as --trust of the program.");
  module.def("trusts_configs", TrustsConfigs);
  module.def("trust_overrides", TrustOverrides, nb::arg("trusts"),
             "Whether settings are the user's own words in this thread, as they are unless they "
             "come from a file.");
  module.def("print_error", PrintError, nb::arg("text"),
             "Prints an error as the program does: one line, without control characters.");
  module.def("load_plugin", LoadPlugin, nb::arg("file"),
             nb::sig("def load_plugin(file: str | os.PathLike[str]) -> None"),
             "Loads a plug-in, a shared library with control laws.");
  module.def(
      "set_attribute_of_type",
      [](nb::handle type, nb::handle name, nb::handle value) {  // nanobind's refuse type.name = …
        if (PyObject_GenericSetAttr(type.ptr(), name.ptr(), value.ptr()) != 0)
          throw nb::python_error();
        PyType_Modified(reinterpret_cast<PyTypeObject*>(type.ptr()));
      },
      nb::arg("type"), nb::arg("name"), nb::arg("value"),
      nb::sig("def set_attribute_of_type(type: type, name: str, value: object) -> None"),
      "Sets an attribute of a type that cannot be changed otherwise.");
  module.def("scenes", ListScenes, nb::sig("def scenes() -> list[dict[str, typing.Any]]"),
             "The scenes as a list of dicts with name, title, line, group and is_here (False: the "
             "model has not been downloaded).");
}

}  // namespace civita::python
