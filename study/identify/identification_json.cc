#include <nlohmann/json.hpp>

#include "civita/study/identify/identify.h"

namespace civita {
namespace {

using Json = nlohmann::ordered_json;

Json Numbers(const Eigen::VectorXd& x) {
  return std::vector<double>(x.begin(), x.end());  // NaN is written as null
}

Json Rows(const Eigen::MatrixXd& x) {
  Json list = Json::array();
  for (Eigen::Index i = 0; i < x.rows(); ++i) list.push_back(Numbers(x.row(i)));
  return list;
}

}  // namespace

std::string FormatIdentificationJson(const Identification& found) {
  Json json = {{"names", found.names},
               {"combinations", found.combinations},
               {"units", found.units},
               {"values", Numbers(found.values)},
               {"half_widths", Numbers(found.half_widths)},
               {"bias", Numbers(found.bias)},
               {"model_values", Numbers(found.model_values)},
               {"physical_values", Numbers(found.physical_values)},
               {"undetermined", found.undetermined},
               {"without_effect", found.without_effect},
               {"condition", found.condition},
               {"largest_bias", found.largest_bias},
               {"windows", found.windows},
               {"lags", found.lags},
               {"residual", Numbers(found.residual)},
               {"held_out", Numbers(found.held_out)},
               {"torque_noise", Numbers(found.torque_noise)},
               {"parameter_names", Json::array()},
               {"physical", Numbers(found.physical)},
               {"B", Rows(found.B)},
               {"covariance", Rows(found.covariance)}};
  for (const IdentifiedParameter& parameter : found.parameters)
    json["parameter_names"].push_back(parameter.name);
  return json.dump() + "\n";
}

}  // namespace civita
