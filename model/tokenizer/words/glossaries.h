// Words and expressions that byte-pair encoding must leave whole.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mog::model {

// Immutable after construction; safe from several threads.
class Glossaries {
 public:
  // Throws UsageError for an expression that is not sound, has a capturing group, or matches the empty text.
  explicit Glossaries(const std::vector<std::string>& expressions);
  Glossaries(Glossaries&&) noexcept;
  Glossaries& operator=(Glossaries&&) noexcept;
  ~Glossaries();

  bool empty() const noexcept;
  // Whether the segment is a glossary entry as a whole.
  bool keeps(std::string_view segment) const;
  // Cuts a word at every match of every expression, one expression after the other; the segments are views
  // into the word. Throws UsageError when an expression takes too long.
  std::vector<std::string_view> isolate(std::string_view word) const;

 private:
  struct Data;
  std::unique_ptr<const Data> data_;
};

}  // namespace mog::model
