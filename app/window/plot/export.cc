#include "app/window/plot/export.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <string>
#include <vector>

namespace civita {
namespace {

std::string Printed(const char* format, double value) {
  std::array<char, 40> buffer;
  std::snprintf(buffer.data(), buffer.size(), format, value);
  return buffer.data();
}

// Quotes a field with a comma, quote or line break; quotes in it are doubled.
std::string Quoted(std::string_view field) {
  if (field.find_first_of(",\"\n") == field.npos) return std::string(field);
  std::string quoted = "\"";
  for (const char c : field) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

void WritePlotCsv(std::ostream& out, std::span<const PlotLine> lines, double t0, double t1) {
  out << "t";
  for (const PlotLine& line : lines) out << ',' << Quoted(ExportText(line.name));
  out << '\n';
  std::vector<int64_t> next;
  for (const PlotLine& line : lines) next.push_back(line.trace->LowerBound(t0));
  while (true) {
    double t = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < lines.size(); ++i) {
      const TraceBuffer& trace = *lines[i].trace;
      if (next[i] < trace.end_index()) t = std::min(t, trace.time(next[i]));
    }
    if (!(t <= t1)) return;
    out << Printed("%.9g", t);
    for (size_t i = 0; i < lines.size(); ++i) {
      const TraceBuffer& trace = *lines[i].trace;
      out << ',';
      if (next[i] >= trace.end_index() || trace.time(next[i]) != t) continue;
      const double value = lines[i].scale * trace.value(next[i], lines[i].channel);
      out << (std::isfinite(value) ? Printed("%.9g", value) : "nan");
      ++next[i];
    }
    out << '\n';
  }
}

}  // namespace civita
