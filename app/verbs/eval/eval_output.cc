#include "app/verbs/eval/eval_output.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/number_text.h"

namespace civita {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWriteSize = 1 << 16;

/// JSON leaves DEL and U+0080 to U+009F as they are, which a terminal would obey.
std::string Dump(const Json& json) {
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool pair = text[i] == '\xC2' && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (!pair && text[i] != '\x7F') continue;
    std::array<char, 8> escaped{};
    std::snprintf(escaped.data(), escaped.size(), "\\u%04x",
                  static_cast<unsigned char>(text[i + (pair ? 1 : 0)]));
    text.replace(i, pair ? 2 : 1, escaped.data());
  }
  return text;
}

std::string FormatInline(const Json& json) {
  if (!json.is_structured()) return Dump(json);
  std::string text;
  for (const auto& [key, value] : json.items()) {
    text += (text.empty() ? "" : ", ") + (json.is_array() ? "" : Dump(key) + ": ");
    text += FormatInline(value);
  }
  return json.is_array() ? "[" + text + "]" : "{" + text + "}";
}

/// The header's keys without the closing brace: one line for each key, and for each entry of lists
/// and maps.
std::string FormatHeader(const Json& header) {
  std::string text;
  for (const auto& [key, value] : header.items()) {
    text += (text.empty() ? "{\n  " : ",\n  ") + Dump(key) + ": ";
    if (!value.is_structured()) {
      text += Dump(value);
      continue;
    }
    const char* separator = "\n    ";
    text += value.is_array() ? "[" : "{";
    for (const auto& [name, entry] : value.items()) {
      text += separator + (value.is_array() ? "" : Dump(name) + ": ") + FormatInline(entry);
      separator = ",\n    ";
    }
    text += value.is_array() ? "\n  ]" : "\n  }";
  }
  return text;
}

void AppendJsonNumber(double x, std::string* text) {
  if (std::isfinite(x)) {
    internal::AppendNumber(x, text);
  } else {
    *text += "null";
  }
}

/// Appends nested lists of the given shape. @returns the remaining numbers.
std::span<const double> AppendNested(std::span<const std::size_t> shape,
                                     std::span<const double> values, std::string* text) {
  if (shape.empty()) {
    AppendJsonNumber(values.front(), text);
    return values.subspan(1);
  }
  *text += '[';
  for (std::size_t i = 0; i < shape.front(); ++i) {
    if (i > 0) *text += ", ";
    values = AppendNested(shape.subspan(1), values, text);
  }
  *text += ']';
  return values;
}

}  // namespace

std::size_t EvalArray::size() const {
  std::size_t size = 1;
  for (const std::size_t n : shape) size *= n;
  return size;
}

EvalJsonWriter::EvalJsonWriter(const std::string& out, const Json& header,
                               std::vector<EvalArray> arrays, OutputFile::Kind kind)
    : arrays_(std::move(arrays)) {
  if (!out.empty()) file_.emplace(out, kind, "--out " + out);
  text_ = FormatHeader(header) + ",\n  \"states\": [";
}

void EvalJsonWriter::Write() {
  if (file_) {
    file_->Write(text_);
  } else if (std::fwrite(text_.data(), 1, text_.size(), stdout) != text_.size()) {
    throw WriteError(std::string("standard output cannot be written: ") + std::strerror(errno));
  }
  text_.clear();
}

void EvalJsonWriter::AddState(std::span<const std::span<const double>> values) {
  text_ += num_states_++ == 0 ? "\n    {" : ",\n    {";
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    if (i > 0) text_ += ", ";
    text_ += Dump(arrays_[i].name) + ": ";
    AppendNested(arrays_[i].shape, values[i], &text_);
  }
  text_ += '}';
  if (text_.size() >= kWriteSize) Write();
}

void EvalJsonWriter::Finish(bool interrupted) {
  text_ += num_states_ == 0 ? "]" : "\n  ]";
  if (interrupted) text_ += ",\n  \"interrupted\": true";
  text_ += "\n}\n";
  Write();
  if (file_) file_->Commit();
}

EvalNpzWriter::EvalNpzWriter(const std::string& out, Json header, std::vector<EvalArray> arrays,
                             OutputFile::Kind kind)
    : file_(out, "--out " + out, kind), header_(std::move(header)), arrays_(std::move(arrays)) {
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    scratch_.emplace_back(out, OutputFile::Kind::kScratch, "--out " + out);
  }
}

void EvalNpzWriter::AddState(std::span<const std::span<const double>> values) {
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    scratch_[i].Write(values[i]);
  }
  ++num_states_;
}

void EvalNpzWriter::Finish(bool interrupted) {
  if (interrupted) header_["interrupted"] = true;
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    std::vector<std::size_t> shape = {num_states_};
    shape.insert(shape.end(), arrays_[i].shape.begin(), arrays_[i].shape.end());
    file_.Add(arrays_[i].name, shape, &scratch_[i]);
  }
  file_.AddText("header.json", FormatHeader(header_) + "\n}\n");
  file_.Finish();
}

}  // namespace civita
