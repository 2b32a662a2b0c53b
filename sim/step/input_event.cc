#include "civita/sim/input_event.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/scenes/schema/formula.h"

namespace civita {
namespace {

using InputJson = nlohmann::ordered_json;

constexpr const char *kGains = "gains.", *kFactorization = "factorization", *kDrive = "drive";
constexpr const char *kPush = "push", *kStop = "stop_pushes", *kThrow = "throw", *kPull = "pull";

// Numbers read back to the same bits.
std::string TextOf(const std::string& key, InputJson value) {
  return InputJson{{key, std::move(value)}}.dump();
}

Push ReadPush(const InputJson& json) {
  Push push;
  push.body = json.at("body");
  push.start_s = json.at("start_s");
  const InputJson& duration = json.at("duration_s");
  push.duration_s =
      duration.is_null() ? std::numeric_limits<double>::infinity() : duration.get<double>();
  for (int i = 0; i < 3; ++i) push.force[i] = json.at("force").at(static_cast<std::size_t>(i));
  push.shape = static_cast<PushShape>(json.at("shape").get<int>());
  push.of_tree = json.at("of_tree");
  push.omega = json.at("omega");
  push.phase = json.at("phase");
  push.joint = json.at("joint");
  if (json.contains("point")) {
    const std::vector<double> point = json.at("point");
    if (point.size() != 3) throw UserError("a push without a point");
    push.point = Eigen::Vector3d::Map(point.data());
  }
  return push;
}

// Of indices that the model does not have nothing can be made.
void RepeatPull(const InputJson& value, Simulation* simulation) {
  const int body = value.at("body");
  const std::vector<double> wrench = value.at("wrench");
  command::Perturb pull;
  if (body < 0 || body >= simulation->mj()->nbody || wrench.size() != std::size(pull.xfrc)) {
    throw UserError("a pull of another model");
  }
  std::ranges::copy(wrench, pull.xfrc);
  simulation->SetPerturbation(body, pull.xfrc);
}

void CheckPush(const Push& push, const mjModel& m) {
  const bool is_known = push.body >= 0 && push.body < m.nbody && push.joint >= -1 &&
                        push.joint < m.njnt && push.shape >= PushShape::kConstant &&
                        push.shape <= PushShape::kSine;
  if (!is_known) throw UserError("a push of another model");
}

void Repeat(const std::string& key, const InputJson& value, Simulation* simulation) {
  if (key.starts_with(kGains)) {
    const std::vector<double> numbers = value;
    simulation->SetGain(key.substr(std::char_traits<char>::length(kGains)),
                        Eigen::VectorXd::Map(numbers.data(), std::ssize(numbers)));
  } else if (key == kFactorization) {
    simulation->SetFactorization(
        ReadFactorization(value.get<std::string>(), simulation->scene().control_model));
  } else if (key == kPush) {
    const Push push = ReadPush(value);
    CheckPush(push, *simulation->mj());
    simulation->AddPush(push, value.at("every_s"));
  } else if (key == kStop) {
    simulation->StopPushes();
  } else if (key == kThrow) {
    simulation->ThrowOff({value.at("size"), value.at("seed")});
  } else if (key == kPull) {
    RepeatPull(value, simulation);
  } else if (key == kDrive && value.is_null()) {
    simulation->SetDrive(std::nullopt);
  } else if (key == kDrive) {
    DriveCommand wanted;
    for (int i = 0; i < 2; ++i) wanted.velocity[i] = value.at(static_cast<std::size_t>(i));
    wanted.yaw_rate = value.at(2);
    simulation->SetDrive(wanted);
  } else {
    throw UserError("an unknown input '" + key + "'");
  }
}

}  // namespace

std::string InputText(const std::string& gain, const Eigen::VectorXd& value) {
  return TextOf(kGains + gain, std::vector<double>(value.begin(), value.end()));
}

std::string InputText(const Factorization& factorization) {
  return TextOf(kFactorization, ToString(factorization));
}

std::string InputText(const command::AddPush& added) {
  const Push& push = added.push;
  InputJson json = {{"body", push.body},
                    {"start_s", push.start_s},
                    {"duration_s", push.duration_s},
                    {"force", push.force},
                    {"shape", static_cast<int>(push.shape)},
                    {"of_tree", push.of_tree},
                    {"omega", push.omega},
                    {"phase", push.phase},
                    {"joint", push.joint},
                    {"every_s", added.every_s}};
  if (push.point) json["point"] = *push.point;
  return TextOf(kPush, std::move(json));
}

std::string InputText(const command::StopPushes& /*stop*/) { return TextOf(kStop, true); }

std::string InputText(const command::ThrowOff& thrown) {
  return TextOf(kThrow, {{"size", thrown.thrown.size}, {"seed", thrown.thrown.seed}});
}

std::string InputText(const std::optional<DriveCommand>& wanted) {
  if (!wanted) return TextOf(kDrive, nullptr);
  return TextOf(kDrive, {wanted->velocity[0], wanted->velocity[1], wanted->yaw_rate});
}

std::string InputText(const command::Perturb& pull) {
  return TextOf(kPull,
                {{"body", pull.body},
                 {"wrench", std::vector<double>(std::begin(pull.xfrc), std::end(pull.xfrc))}});
}

bool IsPull(const std::string& input) {
  const InputJson json = InputJson::parse(input, nullptr, false);
  return json.is_object() && json.contains(kPull);
}

std::string SettingOf(const std::string& input) {
  const InputJson json = InputJson::parse(input, nullptr, false);
  if (!json.is_object() || json.size() != 1) return {};
  const std::string& key = json.begin().key();
  return key.starts_with(kGains) || key == kFactorization || key == kDrive ? key : std::string();
}

void RepeatInput(const std::string& input, Simulation* simulation) {
  const InputJson json = InputJson::parse(input, nullptr, false);
  if (!json.is_object() || json.size() != 1) throw UserError("a damaged input");
  try {
    Repeat(json.begin().key(), json.begin().value(), simulation);
  } catch (const nlohmann::json::exception&) {
    throw UserError("a damaged input '" + json.begin().key() + "'");
  }
}

}  // namespace civita
