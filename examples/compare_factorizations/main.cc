// Two factorizations on one robot, in step from the same starts: what differs, and whether it
// matters.
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>

#include "civita/study/compare/compare.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: compare_factorizations SCENE\n");
    return 2;
  }
  civita::CompareOptions options;
  options.scene = argv[1];  // a scene's name, a config, an MJCF or a URDF file
  options.variations = {"factorization=christoffel,t:1"};
  options.duration_s = 1;
  options.initial_states = 3;
  const civita::Watch watch = {
      .progress =
          [](const std::string& text, double share) {
            std::fprintf(stderr, "\r%3.0f %%  %s", 100 * share, text.c_str());
          },
      .note = [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); }};
  try {
    const civita::VariantComparison comparison = civita::CompareVariants(options, watch);
    std::printf("\n%s\n\n", civita::Summarize(comparison).c_str());
    for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
      const civita::MetricInfo& metric = comparison.metrics[i];
      const double spread = civita::RelativeSpread(comparison, i);
      if (!civita::IsOfMotion(metric.kind) || std::isnan(spread)) continue;
      std::printf("%s, %s:", metric.label.c_str(), metric.unit.c_str());
      for (const civita::ComparedVariant& variant : comparison.variants) {
        std::printf("  %s", civita::FormatEstimate(civita::EstimateMetric(variant, i)).c_str());
      }
      std::printf("\n");
    }
    return comparison.variants.back().passed() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
