#include "app/verbs/eval/eval_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "civita/error.h"
#include "civita/sim/npz_file.h"

namespace civita {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kWriteSize = 1 << 16;

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
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
    AppendNumber(x, text);
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

ReplacedFile::ReplacedFile(std::string flag, const fs::path& path) : flag_(std::move(flag)) {
  std::error_code ignored;
  path_ = fs::weakly_canonical(path, ignored);
  if (path_.empty()) path_ = path;
  if (fs::is_directory(path_)) throw UserError(flag_ + ": is a directory");
  if (!fs::is_directory(fs::absolute(path_).parent_path())) {
    throw UserError(flag_ + ": there is no directory " + path.parent_path().string());
  }
  const bool device = fs::exists(path_, ignored) && !fs::is_regular_file(path_, ignored);
  temporary_ = path_;
  if (!device) temporary_ += ".partial";
}

ReplacedFile::~ReplacedFile() {
  std::error_code ignored;
  if (temporary_ != path_) fs::remove(temporary_, ignored);
}

void ReplacedFile::Commit() {
  if (temporary_ == path_) return;
  std::error_code error;
  fs::rename(temporary_, path_, error);
  if (error) throw UserError(flag_ + ": cannot be written: " + error.message());
  temporary_ = path_;
}

EvalJsonWriter::EvalJsonWriter(const std::string& out, const Json& header,
                               std::vector<EvalArray> arrays)
    : name_("standard output"), fd_(STDOUT_FILENO), arrays_(std::move(arrays)) {
  if (!out.empty()) {
    name_ = "--out " + out;
    file_.emplace(name_, out);
    fd_ = ::open(file_->temporary().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd_ < 0) Fail();
  }
  text_ = FormatHeader(header) + ",\n  \"states\": [";
}

EvalJsonWriter::~EvalJsonWriter() {
  if (file_ && fd_ >= 0) ::close(fd_);
}

void EvalJsonWriter::Fail() const {
  throw UserError(name_ + ": cannot be written: " + std::strerror(errno));
}

void EvalJsonWriter::Write() {
  std::string_view left = text_;
  while (!left.empty()) {
    const ssize_t n = ::write(fd_, left.data(), left.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) Fail();
    left.remove_prefix(static_cast<std::size_t>(n));
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
  if (!file_) return;
  if (::close(std::exchange(fd_, -1)) != 0) Fail();
  file_->Commit();
}

EvalNpzWriter::EvalNpzWriter(const std::string& out, Json header, std::vector<EvalArray> arrays)
    : file_("--out " + out, out), header_(std::move(header)), arrays_(std::move(arrays)) {
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    scratch_.emplace_back(file_.temporary().string() + "." + std::to_string(i),
                          OutputFile::Kind::kScratch);
  }
}

void EvalNpzWriter::AddState(std::span<const std::span<const double>> values) {
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    scratch_[i].Write({reinterpret_cast<const char*>(values[i].data()), values[i].size_bytes()});
  }
  ++num_states_;
}

void EvalNpzWriter::Finish(bool interrupted) {
  if (interrupted) header_["interrupted"] = true;
  NpzFile npz(file_.temporary());
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    std::vector<std::size_t> shape = {num_states_};
    shape.insert(shape.end(), arrays_[i].shape.begin(), arrays_[i].shape.end());
    npz.Add(arrays_[i].name, shape, &scratch_[i]);
  }
  npz.AddText("header.json", FormatHeader(header_) + "\n}\n");
  npz.Finish();
  file_.Commit();
}

}  // namespace civita
