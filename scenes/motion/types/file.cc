#include <filesystem>
#include <string>
#include <utility>

#include "base/text.h"
#include "civita/scenes/motion/motion_file.h"
#include "civita/scenes/motion/spline.h"
#include "civita/scenes/motion/types/types.h"
#include "civita/scenes/schema/key_error.h"

namespace civita {
namespace {

struct FileKeys {
  std::filesystem::path file;
};

constexpr KeyRow<FileKeys> kFileKeys[] = {
    {"file", &FileKeys::file, "", "CSV of t, q, and optionally v and vdot"},
};

std::unique_ptr<Reference> MotionOfFile(FileKeys& r, const MotionContext& context) {
  if (r.file.empty()) RefuseValue("reference.file", ", the CSV file, is missing");
  Knots knots = ReadMotionFile(r.file, context.plant);
  if (knots.v.size() > 0) {
    const double end = knots.t.back();
    Eigen::Index iv = 0;
    const double speed = knots.v.col(knots.v.cols() - 1).cwiseAbs().maxCoeff(&iv);
    if (speed > 0.01 && end < context.duration_s) {
      context.notices->push_back(
          "the reference's file ends in motion at " + internal::ShortNumber(end) + " s (" +
          context.plant.VelocityName(static_cast<int>(iv)) + "); it stands still from there on");
    }
  }
  return MakeSpline(context.plant, std::move(knots));
}

}  // namespace

constinit const ReferenceType kFileReference =
    ReferenceTypeOf<kFileKeys, MotionOfFile>("file", "what a CSV file says");

}  // namespace civita
