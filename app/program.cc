#include "app/program.h"

#include <fcntl.h>
#include <mujoco/mujoco.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <locale>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/interrupt.h"
#include "app/terminal.h"
#include "app/verbs/verb.h"
#include "base/memory_left.h"
#include "base/utf8.h"
#include "civita/build_info.h"
#include "civita/error.h"
#include "civita/mujoco/convert.h"
#include "civita/scenes/motion/reference_types.h"
#include "civita/scenes/plant/compile_watch.h"
#include "civita/scenes/registry.h"
#include "civita/scenes/scene.h"
#include "civita/scenes/schema/trust.h"
#include "civita/sim/output_file.h"
#include "civita/suggest.h"
#include "core/kernels/find_kernels.h"

namespace civita {
namespace {

constexpr const char* kAbout =
    "civita: robots under passivity-based control with a Coriolis matrix of your choice.\n"
    "Alone it opens the window on an arm that is thrown off, with and without torsion.";

constexpr const char* kExamples = R"(
Examples:
  civita                                         the window
  civita run chain20                             another scene in the window
  civita run robot.urdf                          any MJCF or URDF file
  civita run arm7 --headless --duration 10 --out results/arm7
  civita run arm7 --headless --set gains.Lambda=10 --set controller.factorization=t:1
  civita compare arm7_twist --vary factorization=christoffel,t:1
  civita survive go2 --push 1.5                  how often a pushed robot stays on its feet
  civita scenes                                  what there is to run
  civita keys reference                          what a config may say
  civita eval arm7 --quantities H,C,Gamma        numbers of any model as JSON
  civita formulas planar_2r --expand             its equations as C, Python or LaTeX
  civita reproduce all                           the papers' results beside ours
  civita bench --models chain20                  how fast
  civita run arm7 --plugin own_law.so --set controller.type=sliding_mode

Exit codes: 0 done, 1 the run failed, 2 bad input, 3 not in this build or on this machine, 130
interrupted (files are kept).
)";

constexpr const char* kNoMemory = "there is not enough memory";

/// Reports a fatal error of MuJoCo as one line and exits; the program counts and shows MuJoCo's
/// warnings itself. Errors may come from any thread, so the exit runs no destructors, which could
/// wait for other threads or destroy what they use.
void HandleMujocoLog(const mjLogMessage* message) {
  if (message->level != mjLOG_ERROR) return;
  PrintError(internal::IsMemoryShort() ? kNoMemory : std::string("MuJoCo: ") + message->subject);
  std::fflush(nullptr);
  std::_Exit(kExitFailed);
}

/// When memory runs out, MuJoCo aborts or uses what it was not given.
void OnAbort(int signal) {
  constexpr std::string_view kTold = "civita: there is not enough memory\n";
  if (internal::IsMemoryShort()) {
    [[maybe_unused]] const ssize_t told = ::write(STDERR_FILENO, kTold.data(), kTold.size());
    ::_exit(kExitFailed);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// Keeps handlers that are there, as a sanitizer's. @throws Error for a stack that is too small for
/// what is computed, as are then those of threads.
void WatchMemory() {
  rlimit stack{};
  if (::getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < rlim_t{1} << 20) {
    throw Error(std::string(kNoMemory) + ": the stack (ulimit -s) needs 1024 KiB");
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS}) {
    const auto before = std::signal(signal, OnAbort);
    if (before != SIG_DFL) std::signal(signal, before);
  }
}

/// Says what takes so long. An interrupt that a guard keeps for later ends the program now, as
/// nothing else could end the compiler.
void WatchCompile(const std::filesystem::path& file, bool told) {
  if (InterruptGuard::raised()) std::_Exit(kExitInterrupted);
  if (!told) {
    PrintNote("MuJoCo is still compiling " + file.string() + "; Ctrl-C ends the program at once");
  }
}

/// Without this, a file that gets the descriptor of a closed standard stream would receive its
/// output. Writing to what is open for reading alone fails, so that lost output is noticed.
void OpenStandardStreams() {
  for (int fd = ::open("/dev/null", O_RDONLY); fd >= 0; fd = ::open("/dev/null", O_RDONLY)) {
    if (fd <= STDERR_FILENO) continue;
    ::close(fd);
    return;
  }
}

/// While it lives, numbers are read and printed as in the C locale, by CLI11, too: a library that
/// was loaded before, or Python, may have set another one. Texts stay in the encoding that was set.
class PlainNumbers {
 public:
  PlainNumbers() : c_(std::setlocale(LC_NUMERIC, nullptr)) {
    if (cpp_ != std::locale::classic()) {
      std::locale::global(std::locale(cpp_, std::locale::classic(), std::locale::numeric));
    }
    std::setlocale(LC_NUMERIC, "C");
  }
  ~PlainNumbers() {
    if (cpp_ != std::locale::classic()) std::locale::global(cpp_);
    std::setlocale(LC_NUMERIC, c_.c_str());
  }
  PlainNumbers(const PlainNumbers&) = delete;
  PlainNumbers& operator=(const PlainNumbers&) = delete;

 private:
  const std::string c_;
  const std::locale cpp_;
};

/// Output that could not be written makes the run fail.
int CheckPrinted(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  PrintError(std::string("standard output cannot be written: ") + std::strerror(errno));
  return code == kExitDone ? kExitFailed : code;
}

/// CLI11's error for an unknown word does not say what is valid.
void CheckCommand(int argc, const char* const* argv, const Registry& registry) {
  if (argc < 2 || argv[1][0] == '-') return;
  const std::string word = argv[1];
  std::vector<std::string> verbs;
  for (const Verb* verb : registry.verbs) verbs.emplace_back(verb->name);
  if (std::find(verbs.begin(), verbs.end(), word) != verbs.end()) return;
  for (const SceneInfo& scene : Scenes()) {
    if (word == scene.name) {
      std::string message = "unknown command '" + word;
      message += "' (did you mean 'civita run " + word + "'?)";
      throw UserError(message);
    }
  }
  if (word == "sweep") {
    throw UserError(
        "sweeps are of the Python package: pip install 'civita[sweeps]', then "
        "python -m civita sweep STUDY.yaml (docs/sweep.md)");
  }
  throw UserError(UnknownName("command", word, verbs) + "; civita --help tells more");
}

/// CLI11 names what a verb does not take, without what it takes.
[[noreturn]] void RefuseExtras(const CLI::App& app, const CLI::App* verb) {
  std::vector<std::string> flags;
  for (const CLI::App* of : {verb, &app}) {
    if (of == nullptr) continue;
    for (const CLI::Option* option : of->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        if (of == verb || name != "help") flags.push_back("--" + name);
      }
    }
  }
  const std::vector<std::string> extras = app.remaining(true);
  const std::string help =
      "; civita " + (verb != nullptr ? verb->get_name() + " --help" : "--help") + " tells more";
  const auto is_flag = [](const std::string& word) { return word.starts_with("-"); };
  const auto flag = std::find_if(extras.begin(), extras.end(), is_flag);
  if (flag != extras.end()) {
    throw UserError(UnknownName("option", flag->substr(0, flag->find('=')), flags) + help);
  }
  throw UserError("one argument too many: '" + (extras.empty() ? "" : extras.front()) + "'" + help);
}

int ParseAndRun(int argc, const char* const* argv, const Registry& registry) {
  CheckArguments(std::vector<std::string>(argv, argv + argc));
  CheckCommand(argc, argv, registry);
  CLI::App app(kAbout, "civita");
  app.set_version_flag("--version", "civita " + VersionText() + ", MuJoCo " + mj_versionString());
  app.footer(kExamples);
  std::vector<std::string> plugins;
  app.add_option("--plugin", plugins,
                 "a shared library that adds control laws; repeatable, after the command, too")
      ->type_name("FILE")
      ->expected(1)
      ->take_all()
      ->check([](const std::string& file) { return file.empty() ? "needs a file's name" : ""; });
  app.add_flag_callback(
      "--trust", [] { TrustConfigs(true); },
      "configs may name code, plug-ins and laws in Python, which runs with your rights");
  std::vector<std::pair<const CLI::App*, std::function<int()>>> verbs;
  for (const Verb* verb : registry.verbs) {
    CLI::App* command = app.add_subcommand(std::string(verb->name));
    command->fallthrough();
    verbs.emplace_back(command, verb->add(command, registry));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    const std::vector<CLI::App*> parsed = app.get_subcommands();
    RefuseExtras(app, parsed.empty() ? nullptr : parsed.front());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);
    throw UserError(std::string(error.what()) + " (civita --help tells more)");
  }
  // CIVITA_INSTRUCTION_SET is read here, before a verb could blame its config for a wrong name.
  kernels::FindKernels({});
  for (const std::string& file : plugins) LoadPlugin(file);
  for (const auto& [command, run] : verbs) {
    if (command->parsed()) return run();
  }
  return verbs.front().second();
}

}  // namespace

Registry MakeRegistry(std::span<const Verb> verbs) {
  Registry registry;
  registry.laws = Laws();
  registry.references = ReferenceTypes();
  for (const Verb& verb : verbs) registry.verbs.push_back(&verb);
  return registry;
}

void CheckArguments(const std::vector<std::string>& argv) {
  for (std::size_t i = 1; i < argv.size(); ++i) {
    const std::size_t at = internal::FindNoUtf8(argv[i]);
    if (at == std::string::npos) continue;
    const std::size_t column = internal::CountCharacters(argv[i].substr(0, at)) + 1;
    throw UserError("argument " + std::to_string(i) + ", '" + Printable(argv[i]) + "', column " +
                    std::to_string(column) + ": is no UTF-8 text");
  }
}

int RunProgram(int argc, const char* const* argv, const Registry& registry) {
  OpenStandardStreams();
  const InterruptExit interrupt_exit;
  OnLongCompiles(WatchCompile);
  const PlainNumbers plain_numbers;
  // A file that grows beyond the limit on its size then fails to be written, as on a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  // A parent that ignores it hands that on, and the exit codes of children would be lost.
  std::signal(SIGCHLD, SIG_DFL);
  std::string what;
  int code = kExitFailed;
  try {
    WatchMemory();
    CheckMujocoVersion();
    mju_setLogHandler(HandleMujocoLog);
    Register(registry);
    return CheckPrinted(ParseAndRun(argc, argv, registry));
  } catch (const UserError& error) {
    what = error.what();
    code = kExitBadInput;
  } catch (const std::filesystem::filesystem_error& error) {
    what = error.path1().empty() ? "the working folder" : error.path1().string();
    what += ": " + error.code().message();
    code = IsFull(error.code().value()) ? kExitFailed : kExitBadInput;
  } catch (const ContractError& error) {
    what = std::string("internal error: ") + error.what();
  } catch (const Error& error) {
    what = error.what();
  } catch (const std::bad_alloc&) {
    what = kNoMemory;
  } catch (const std::system_error& error) {
    what = std::string("the system refuses: ") + error.what();
  } catch (const std::exception& error) {
    what = std::string("internal error: ") + error.what();
  } catch (...) {
    what = "internal error: something threw what is no exception";
  }
  const bool is_memory = internal::IsMemoryShort();  // whatever else is blamed
  PrintError(is_memory ? kNoMemory : what);
  return is_memory ? kExitFailed : code;
}

}  // namespace civita
