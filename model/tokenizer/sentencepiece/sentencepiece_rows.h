// How the pieces of a sentencepiece file are numbered in a vocabulary.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/tokenizer/sentencepiece/sentencepiece_file.h"

namespace mog::model {

// Builds the rows, and the list of tokens that are found whole in a text ("kept"). Methods throw FormatError
// naming the file when a token would have two rows or the file has not the form that a numbering needs.
class SentencePieceNumbering {
 public:
  struct Whole {
    bool lstrip = false;
    bool rstrip = false;
    bool single_word = false;
  };
  explicit SentencePieceNumbering(const SentencePieceFile& file) : file_(file) {}

  // One of these first:
  void direct();     // as in the file
  void fairseq();    // <s> <pad> </s> <unk>, then the pieces from the fourth on
  void camembert();  // <s>NOTUSED <pad> </s>NOTUSED <unk> <unk>NOTUSED, then the pieces from the second on
  // <pad> </s> <mask_1> <mask_2> <unk_2> … as the offset leaves room, then the pieces from the third on.
  void pegasus(std::int64_t offset);
  void by_vocabulary(const std::filesystem::path& file);  // tokens of a vocab.json, pieces by their name

  std::size_t add(const std::string& token, std::int32_t piece = -1);  // the next row
  std::size_t find_or_add(const std::string& token);
  std::optional<std::size_t> find(const std::string& token) const;
  // The row that a file named `where` gives a token: its own, or the next one.
  void place(std::size_t row, const std::string& token, const std::string& where);

  void keep(std::initializer_list<const char*> tokens, bool lstrip = false);  // those that are there
  void keep(std::size_t row, bool lstrip = false);
  void keep(std::size_t row, const Whole& whole) { kept_[row] = whole; }

  const SentencePieceRows& rows() const noexcept { return rows_; }
  const std::map<std::size_t, Whole>& kept() const noexcept { return kept_; }

 private:
  void add_pieces(std::size_t first);
  std::int32_t piece(const std::string& token) const;

  const SentencePieceFile& file_;
  SentencePieceRows rows_;
  std::unordered_map<std::string, std::size_t> row_by_token_;
  std::map<std::size_t, Whole> kept_;
};

}  // namespace mog::model
