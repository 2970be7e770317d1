// A gzip file, unpacked as it is read.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace mog::io {

// Memory: one block of packed bytes and the 32 KiB of the format, whatever the file holds.
class GzipStream {
 public:
  // More packed bytes; 0 at the end.
  using More = std::function<std::size_t(std::span<std::byte>)>;
  // `start`: the packed bytes that were read already. `name` is for messages.
  GzipStream(std::string_view start, std::string name);
  GzipStream(GzipStream&& other) noexcept;
  GzipStream& operator=(GzipStream&& other) noexcept;
  ~GzipStream();

  // At least one unpacked byte, 0 at the end of the last member. Throws FormatError for a damaged stream, one
  // that was cut, and bytes behind it that are no gzip.
  std::size_t read(std::span<std::byte> into, const More& more);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mog::io
