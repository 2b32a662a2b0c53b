#include "app/verbs/compare/compare.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <system_error>

#include "app/interrupt.h"
#include "app/program.h"
#include "app/terminal.h"
#include "base/read_file.h"
#include "civita/error.h"
#include "civita/sim/output_file.h"
#include "civita/sim/output_folder.h"

namespace civita {
namespace {

/// A file name for a variant, which names of long values would make too long for the system.
std::string FileStem(std::size_t index, const std::string& name) {
  constexpr std::size_t kLongest = 80;
  std::string stem = std::to_string(index + 1) + "_";
  for (const char c : name.substr(0, kLongest)) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
    stem += plain ? c : '_';
  }
  return stem;
}

void WriteCurves(const std::filesystem::path& path, const RunCurves& traces) {
  const std::vector<std::string> columns = {"t",       "/error",       "/V",     "/s",
                                            "/torque", "/torque_rate", "/twist", "/energy_balance",
                                            "/ee/x",   "/ee/y",        "/ee/z"};
  CsvFile file(path, OutputFile::Kind::kWhole, columns);
  for (std::size_t k = 0; k < traces.t.size(); ++k) {
    const std::array row = {traces.t[k],      traces.error[k],          traces.V[k],
                            traces.s[k],      traces.torque[k],         traces.torque_rate[k],
                            traces.twist[k],  traces.energy_balance[k], traces.ee[k].x(),
                            traces.ee[k].y(), traces.ee[k].z()};
    file.AddRow(row);
  }
  file.Commit();
}

/// Removes the files of an earlier comparison's variants that this one does not write.
void RemoveEarlier(const std::filesystem::path& out, const std::vector<std::string>& kept) {
  nlohmann::json earlier;
  try {
    earlier = nlohmann::json::parse(internal::ReadFile(out / "compare.json"), nullptr, false);
  } catch (const UserError&) {
    return;  // there is none
  }
  if (!earlier.is_object() || !earlier.contains("files")) return;
  static const std::regex kOurs("[0-9]+_[A-Za-z0-9._-]*\\.(yaml|csv)");
  constexpr std::size_t kLongest = 255;  // of a file; std::regex calls itself once a letter
  for (const nlohmann::json& file : earlier["files"]) {
    const std::string name = file.is_string() ? file.get<std::string>() : "";
    if (name.size() > kLongest || !std::regex_match(name, kOurs)) continue;
    if (std::ranges::find(kept, name) != kept.end()) continue;
    std::error_code ignored;
    std::filesystem::remove(out / name, ignored);
  }
}

void WriteFiles(const std::filesystem::path& out, VariantComparison* comparison) {
  for (std::size_t i = 0; i < comparison->variants.size(); ++i) {
    const ComparedVariant& variant = comparison->variants[i];
    const std::string stem = FileStem(i, variant.name);
    WriteWhole(out / (stem + ".yaml"), variant.config);
    WriteCurves(out / (stem + ".csv"), variant.traces);
    comparison->files.push_back(stem + ".yaml");
    comparison->files.push_back(stem + ".csv");
  }
  WriteWhole(out / "compare.csv", FormatCsv(*comparison));
  WriteWhole(out / "plots.svg", FormatPlots(*comparison));
  WriteWhole(out / "report.html", FormatHtml(*comparison));
  WriteWhole(out / kTableFile, ToJson(FiguresTable(*comparison)));
  RemoveEarlier(out, comparison->files);
  WriteWhole(out / "compare.json", FormatJson(*comparison));
}

}  // namespace

VariantComparison CompareInto(const std::string& out, const CompareOptions& options,
                              const Watch& watch) {
  const auto compare = PlanComparison(options, watch);
  if (out.empty()) return compare();
  const OutputFolder folder(out);
  VariantComparison comparison = compare();
  try {
    WriteFiles(out, &comparison);
  } catch (const WriteError& error) {
    comparison.write_error = error.what();
  }
  return comparison;
}

int RunCompare(const CompareOptions& options, const std::string& out) {
  const InterruptGuard guard;
  const VariantComparison comparison = [&] {
    ProgressLine progress;
    return CompareInto(out, options, progress.watch());
  }();
  PrintOut(DescribeRuns(comparison) + "\n\n" + FormatTable(comparison) + "\n");
  const std::string summary = Summarize(comparison);
  if (!summary.empty()) PrintOut(summary + "\n");
  if (!comparison.write_error.empty()) {
    PrintError(comparison.write_error);
    return kExitFailed;
  }
  if (!out.empty()) {
    PrintOut("  files  " + (std::filesystem::path(out) / "report.html").string() + "\n");
  }
  if (comparison.interrupted) return kExitInterrupted;
  int code = kExitDone;
  for (const ComparedVariant& variant : comparison.variants) {
    if (variant.passed()) continue;
    PrintError(variant.name + " " + variant.verdict());
    code = kExitFailed;
  }
  return code;
}

}  // namespace civita
