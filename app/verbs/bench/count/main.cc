// civita_count_operations MODEL [QUANTITY]: prints the operations of one call of each quantity, or
// of the one named, on a model as `civita bench` accepts it. Each line: operations of the plain
// algorithm, of the kernel's vectors, of the kernel with one state per lane by state (0: no such
// kernel), the name. Quantities of double alone have none.

#include <cstdio>
#include <exception>
#include <string>

#include "app/verbs/bench/bench_models.h"
#include "app/verbs/bench/count/count_flops.h"
#include "app/verbs/bench/count/counted_kernels.h"

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: civita_count_operations MODEL [QUANTITY]\n");
    return 2;
  }
  try {
    const civita::Model model = civita::FindModel(argv[1]).model;
    for (const auto& quantity : civita::kBenchQuantities<civita::Counted>) {
      const std::string name(quantity.name);
      if (quantity.call == nullptr || (argc == 3 && name != argv[2])) continue;
      std::printf("%.0f %lld %lld %s\n", civita::CountFlops(quantity, model),
                  static_cast<long long>(civita::CountKernelFlops(name, model)),
                  static_cast<long long>(civita::CountBatchKernelFlops(name, model)), name.c_str());
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "civita_count_operations: %s\n", error.what());
    return 2;
  }
  return 0;
}
