// What parts of a corpus add up to: whole numbers that are those of one unbroken run, bit for bit, in any
// order and cut anywhere.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mog::analysis {

class Additive {
 public:
  virtual ~Additive() = default;
  // All of it, for a file.
  virtual std::vector<std::int64_t> words() const = 0;
  // Adds what words() gave of another one, made alike. Throws FormatError for words that cannot be that.
  virtual void add_words(std::span<const std::int64_t> words) = 0;

 protected:
  Additive() = default;
  Additive(const Additive&) = default;
  Additive& operator=(const Additive&) = default;
  Additive(Additive&&) = default;
  Additive& operator=(Additive&&) = default;
};

}  // namespace mog::analysis
