#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>

#include "fencepost/data.h"

namespace fencepost::builtin {

/// Keeps texts that records refer to, many in one piece of memory: an allocation for a hundred small texts instead of one for
/// each. A chunk goes with the last record that refers to it.
///
/// Threads: copy() one at a time; what it returned may be read and freed anywhere meanwhile.
class TextChunks {
 public:
  [[nodiscard]] Bytes copy(std::string_view text) {
    if (text.size() > kSharedMax) return Bytes(text);
    if (text.size() > kChunk - used_ || chunk_ == nullptr) {
      chunk_ = std::make_shared_for_overwrite<char[]>(kChunk);
      used_ = 0;
    }
    char* to = chunk_.get() + used_;
    std::copy(text.begin(), text.end(), to);
    used_ += text.size();
    return {chunk_, std::string_view(to, text.size())};
  }

 private:
  static constexpr std::size_t kChunk = 16 * 1024;
  /// A larger text would leave too much of a chunk unused, and one that is kept keeps its chunk.
  static constexpr std::size_t kSharedMax = 1024;

  std::shared_ptr<char[]> chunk_;
  std::size_t used_ = 0;
};

}  // namespace fencepost::builtin
