#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>

#include "app/verbs/options.h"
#include "app/verbs/reproduce/reproduce.h"

namespace civita {
namespace {

constexpr const char* kReproduceAbout =
    "Computes a result of the papers anew and prints expected values, of the papers or as their "
    "source says, beside ours. NAME is one of those below, or all.";

constexpr const char* kReproduceFooterEnd = R"(
The folder (--out) gets NAME.json with the verdict, CSV files, and SVG files where there is a
figure; of all of them, too, all.html and all.json that hold every verdict, table and figure. Files
of the same names are replaced.
A conclusion of a paper that is known not to hold here is "not reproduced", with the reason; it
fails where it does hold.
Exit codes: 0 all within the tolerances or known not to be reproduced, 1 not all, 2 bad input,
3 skipped, as this build lacks a library or program (its line says which), 130 interrupted (files
are kept).
)";

/// The table of names, for the help.
std::string ReproduceFooter() {
  std::size_t width = 0;
  for (const ReproductionInfo& info : Reproductions()) width = std::max(width, info.name.size());
  std::string text;
  for (const ReproductionInfo& info : Reproductions()) {
    std::string name(info.name);
    name.resize(width + 2, ' ');
    text += "  " + name + std::string(info.line) + "\n";
  }
  return text + kReproduceFooterEnd;
}

}  // namespace

std::function<int()> AddReproduce(CLI::App* command, const Registry& /*registry*/) {
  const auto options = std::make_shared<ReproduceOptions>();
  command->description(kReproduceAbout);
  command->footer(ReproduceFooter());
  command->add_option("name", options->name, "what to reproduce")->type_name("NAME")->required();
  AddOutDirectory(command, "write the files into DIR", &options->out);
  return [options] { return RunReproduce(*options); };
}

}  // namespace civita
