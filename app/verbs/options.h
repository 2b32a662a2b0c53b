// Options shared by several verbs.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "civita/error.h"
#include "civita/suggest.h"

namespace civita {

/// For the help of verbs that take a factorization.
inline constexpr const char* kFactorizationForms =
    "\nForms of a factorization: christoffel (t:0) | plain (t:1) | other (t:-1) | t:0.3 |\n"
    "body:BODY:ang:β | body:BODY:lin:β | joint:β[:S.csv] | form:FILE.csv |\n"
    "form:random:SEED[:SIZE] | alpha:α,\n"
    "terms joined by '+'; β is a number, or a formula of q as in body:hand:ang:{0.3*cos(q[1])}.\n"
    "With alpha Hdot is not C + C^T.\n";

/// An option with a value, which the help calls `value_name`.
template <typename T>
CLI::Option* AddValue(CLI::App* command, const std::string& name, const std::string& value_name,
                      const std::string& doc, T* value) {
  return command->add_option(name, *value, doc)->type_name(value_name);
}

/// MODEL, of verbs that compute with a model alone.
inline void AddModel(CLI::App* command, std::string* model) {
  AddValue(command, "model", "MODEL",
           "a scene, a config, a chain of screws (.yaml), an MJCF, URDF or JSON file", model)
      ->required();
}

/// An option that is one of some words.
inline CLI::Option* AddChoice(CLI::App* command, const std::string& name, const std::string& doc,
                              const std::vector<std::string>& choices, std::string* value) {
  return AddValue(command, name, internal::Join(choices, "|"), doc, value)
      ->capture_default_str()
      ->check([=](const std::string& text) -> std::string {
        if (std::ranges::find(choices, text) != choices.end()) return "";
        throw UserError(name + ": " + UnknownName("choice", text, choices));
      });
}

/// --base fixed|free.
inline void AddBase(CLI::App* command, std::string* base) {
  AddChoice(command, "--base", "free: the base, fixed in the file, gets a free joint root_joint",
            {"fixed", "free"}, base);
}

/// --out FILE.
inline void AddOutFile(CLI::App* command, std::string* out) {
  AddValue(command, "--out", "FILE", "write FILE instead of standard output", out);
}

/// An option of names separated by commas.
inline CLI::Option* AddNames(CLI::App* command, const std::string& name, const std::string& doc,
                             std::vector<std::string>* names) {
  return AddValue(command, name, "NAME,…", doc, names)->delimiter(',')->expected(1)->take_all();
}

/// --out DIR; an empty DIR is refused.
inline void AddOutDirectory(CLI::App* command, const std::string& doc, std::string* out) {
  AddValue(command, "--out", "DIR", doc, out)->check([](const std::string& directory) {
    const bool is_flag = directory.starts_with("--");
    return directory.empty() || is_flag ? "needs the name of a directory" : "";
  });
}

/// --duration and --seed, of verbs that run or judge a scene.
inline void AddDuration(CLI::App* command, std::optional<double>* seconds) {
  AddValue(command, "--duration", "SECONDS", "simulated time, in place of the config's", seconds);
}
inline void AddSeed(CLI::App* command, const std::string& doc, std::optional<int>* seed) {
  AddValue(command, "--seed", "N", doc, seed);
}

/// --jobs N; 0 is one for each core.
inline void AddJobs(CLI::App* command, int* jobs) {
  AddValue(command, "--jobs", "N", "threads; default: one for each core", jobs)
      ->check(CLI::Range(1, 1024));
}

/// --factorization FORM, of verbs whose scenes have a law.
inline void AddFactorization(CLI::App* command, std::vector<std::string>* overrides) {
  command
      ->add_option_function<std::string>(
          "--factorization",
          [overrides](const std::string& form) {
            overrides->push_back("controller.factorization=" + form);
          },
          "the law's C, short for --set controller.factorization=FORM")
      ->type_name("FORM");
}

/// An option with one value that may be given repeatedly.
inline CLI::Option* AddRepeatable(CLI::App* command, const std::string& name,
                                  const std::string& value_name, const std::string& doc,
                                  std::vector<std::string>* values) {
  return AddValue(command, name, value_name, doc + "; repeatable", values)->expected(1)->take_all();
}

}  // namespace civita
