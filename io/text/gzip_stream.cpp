#include "io/text/gzip_stream.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <new>
#include <utility>

#include "io/recording/errors.h"

namespace mog::io {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16U;
constexpr int kGzipWindow = 15 + 16;  // 32 KiB; the wrapper is gzip's alone

}  // namespace

struct GzipStream::State {
  explicit State(std::string_view start, std::string file) : name(std::move(file)), packed(start) {
    if (::inflateInit2(&zlib, kGzipWindow) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { ::inflateEnd(&zlib); }

  // Packed bytes that are left; more are read where there are none. False at the end of the file.
  bool fill(const More& more) {
    if (at < packed.size()) {
      return true;
    }
    packed.resize(kBlock);
    at = 0;
    packed.resize(more(std::as_writable_bytes(std::span(packed))));
    return !packed.empty();
  }

  std::string name;
  std::string packed;
  std::size_t at = 0;
  z_stream zlib = {};
  bool between = false;  // members
};

GzipStream::GzipStream(std::string_view start, std::string name)
    : state_(std::make_unique<State>(start, std::move(name))) {}
GzipStream::GzipStream(GzipStream&&) noexcept = default;
GzipStream& GzipStream::operator=(GzipStream&&) noexcept = default;
GzipStream::~GzipStream() = default;

std::size_t GzipStream::read(std::span<std::byte> into, const More& more) {
  State& state = *state_;
  while (!into.empty()) {
    if (!state.fill(more)) {
      if (state.between) {
        return 0;
      }
      throw FormatError(fmt::format("{}: the gzip file ends before its text does; it was cut", state.name));
    }
    if (std::exchange(state.between, false)) {
      ::inflateReset(&state.zlib);
    }
    state.zlib.next_in = reinterpret_cast<Bytef*>(state.packed.data() + state.at);
    state.zlib.avail_in = static_cast<uInt>(state.packed.size() - state.at);
    state.zlib.next_out = reinterpret_cast<Bytef*>(into.data());
    state.zlib.avail_out = static_cast<uInt>(std::min<std::size_t>(into.size(), std::size_t{1} << 30U));
    const uInt room = state.zlib.avail_out;
    const int code = ::inflate(&state.zlib, Z_NO_FLUSH);
    state.at = state.packed.size() - state.zlib.avail_in;
    if (code == Z_MEM_ERROR) {
      throw std::bad_alloc();
    }
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
      throw FormatError(fmt::format("{}: the gzip file is damaged ({})", state.name,
                                    state.zlib.msg == nullptr ? "no reason given" : state.zlib.msg));
    }
    state.between = code == Z_STREAM_END;
    if (const std::size_t got = room - state.zlib.avail_out; got > 0) {
      return got;
    }
  }
  return 0;
}

}  // namespace mog::io
