#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "civita/error.h"

namespace civita::internal {

/// A process-wide table of rows with unique names: those of the library, then those
/// that were added. Thread-safe. The rows must live as long as the process.
template <typename Row>
class RowTable {
 public:
  RowTable(std::vector<const Row*> rows, std::string_view Row::*name, std::string_view what)
      : rows_(std::move(rows)), name_(name), what_(what) {}

  std::vector<const Row*> rows() const {
    const std::lock_guard lock(mutex_);
    return rows_;
  }

  /// No effect if this very row is in the table. @throws UserError if another row has its name.
  void Add(const Row& row) {
    const std::lock_guard lock(mutex_);
    for (const Row* other : rows_) {
      if (other == &row) return;
      if (other->*name_ == row.*name_) {
        throw UserError("there is a " + std::string(what_) + " '" + std::string(row.*name_) +
                        "' already; one that is added needs a name of its own");
      }
    }
    rows_.push_back(&row);
  }

  /// Adds the row, in the place of one with its name.
  void Put(const Row& row) {
    const std::lock_guard lock(mutex_);
    for (const Row*& other : rows_) {
      if (other->*name_ == row.*name_) {
        other = &row;
        return;
      }
    }
    rows_.push_back(&row);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<const Row*> rows_;
  std::string_view Row::*name_;
  std::string_view what_;
};

}  // namespace civita::internal
