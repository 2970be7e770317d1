// The bytes of a pickle, read from front to back, and the errors that name a place in them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mog::io {

// Borrows the bytes. Nothing is taken that is not there: every function that reads throws FormatError
// ("truncated") where fewer bytes are left than it needs.
class PickleBytes {
 public:
  // `where` begins the messages ("model.pt: archive/data.pkl").
  PickleBytes(std::string_view bytes, std::string where);

  unsigned char opcode();
  std::string_view take(std::uint64_t count);
  std::uint64_t number(std::size_t bytes);  // little-endian; at most 8 bytes
  std::string_view line();                  // without the line feed that ends it
  // The length of a frame, which says again what is there.
  void frame();

  std::size_t size() const noexcept { return bytes_.size(); }  // of all, read or not
  std::size_t place() const noexcept { return at_; }           // bytes read

  // Throws FormatError naming the byte of the last opcode, counted from 1, and the defect.
  [[noreturn]] void refuse(const std::string& defect) const;

 private:
  std::string_view bytes_;
  std::string where_;
  std::size_t at_ = 0;
  std::size_t opcode_at_ = 0;
};

}  // namespace mog::io
