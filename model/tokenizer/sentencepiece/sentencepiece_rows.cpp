// Which row of the embedding a piece has is said by no file: each tokenizer class of Hugging Face has the
// rule in its code (fairseq's four tokens first, CamemBERT's placeholders, Pegasus's offset). Here they are
// written down once each, from these classes. A row that is off by one gives a model that runs and knows
// nothing, so each rule checks what it assumes about the first pieces, and every token has one row.
//
// O(pieces).
#include "model/tokenizer/sentencepiece/sentencepiece_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "model/tokenizer/documents/tokenizer_document.h"

namespace mog::model {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20U;

}  // namespace

std::size_t SentencePieceNumbering::add(const std::string& token, std::int32_t piece) {
  const std::size_t row = rows_.tokens.size();
  if (const auto [known, fresh] = row_by_token_.emplace(token, row); !fresh) {
    throw FormatError(fmt::format("{}: the token {} would have two rows, {} and {}", file_.file, token,
                                  known->second, row));
  }
  rows_.tokens.push_back(token);
  rows_.pieces.push_back(piece);
  return row;
}

std::optional<std::size_t> SentencePieceNumbering::find(const std::string& token) const {
  const auto found = row_by_token_.find(token);
  return found == row_by_token_.end() ? std::nullopt : std::optional(found->second);
}

std::size_t SentencePieceNumbering::find_or_add(const std::string& token) {
  const auto known = find(token);
  return known ? *known : add(token);
}

void SentencePieceNumbering::add_pieces(std::size_t first) {
  for (std::size_t i = first; i < file_.pieces.size(); ++i) {
    add(file_.pieces[i].text, static_cast<std::int32_t>(i));
  }
}

std::int32_t SentencePieceNumbering::piece(const std::string& token) const {
  return static_cast<std::int32_t>(file_.find(token).value_or(-1));
}

void SentencePieceNumbering::direct() {
  add_pieces(0);
  rows_.unknown = file_.unknown();
}

void SentencePieceNumbering::fairseq() {
  for (std::size_t i = 0; i < std::min<std::size_t>(3, file_.pieces.size()); ++i) {
    if (stands_for_text(file_.pieces[i])) {
      throw FormatError(
          fmt::format("{}: piece {} is {}; with this tokenizer class the first three are "
                      "<unk>, <s>, </s>",
                      file_.file, i, file_.pieces[i].text));
    }
  }
  for (const char* const token : {"<s>", "<pad>", "</s>", "<unk>"}) {
    add(token, piece(token));
  }
  add_pieces(3);
  rows_.unknown = 3;
  keep({"<s>", "<pad>", "</s>", "<unk>"});
}

void SentencePieceNumbering::camembert() {
  if (file_.unknown() != 0) {
    throw FormatError(
        fmt::format("{}: its first piece is {}; with this tokenizer class it is the unknown one", file_.file,
                    file_.pieces[0].text));
  }
  add("<s>NOTUSED");
  add("<pad>");
  add("</s>NOTUSED");
  rows_.unknown = static_cast<std::int64_t>(add("<unk>", 0));
  add("<unk>NOTUSED");
  add_pieces(1);
  keep({"<s>", "<pad>", "</s>", "<unk>"});
}

void SentencePieceNumbering::pegasus(std::int64_t offset) {
  if (offset == 0) {
    direct();
  } else {
    add("<pad>", piece("<pad>"));
    add("</s>", piece("</s>"));
    keep(add("<mask_1>"));
    keep(add("<mask_2>"));
    for (std::int64_t number = 2; number < offset; ++number) {
      keep(add(fmt::format("<unk_{}>", number)));
    }
    add_pieces(2);
    rows_.unknown = file_.unknown() + offset;
  }
  keep({"<pad>", "</s>", "<unk>"});
}

void SentencePieceNumbering::by_vocabulary(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    throw FormatError(
        fmt::format("opening the model {}: vocab.json is missing, which numbers the pieces of {}",
                    file.parent_path().string(), std::filesystem::path(file_.file).filename().string()));
  }
  std::unordered_map<std::string_view, std::int32_t> pieces;
  for (std::size_t i = 0; i < file_.pieces.size(); ++i) {
    pieces.emplace(file_.pieces[i].text, static_cast<std::int32_t>(i));
  }
  for (const std::string& token :
       read_vocabulary_json(io::read_file(file, "the vocabulary", kMostBytes), file.string())) {
    const auto found = pieces.find(token);
    add(token, found == pieces.end() ? -1 : found->second);
  }
  const auto unknown = find("<unk>");
  if (!unknown) {
    throw FormatError(fmt::format("{}: the token <unk> is missing", file.string()));
  }
  rows_.unknown = static_cast<std::int64_t>(*unknown);
  rows_.by_name = true;
  keep({"<s>", "<pad>", "</s>", "<unk>"});
}

void SentencePieceNumbering::keep(std::initializer_list<const char*> tokens, bool lstrip) {
  for (const char* const token : tokens) {
    if (const auto row = find(token)) {
      keep(*row, lstrip);
    }
  }
}

void SentencePieceNumbering::keep(std::size_t row, bool lstrip) {
  Whole& whole = kept_[row];
  whole.lstrip = whole.lstrip || lstrip;
}

void SentencePieceNumbering::place(std::size_t row, const std::string& token, const std::string& where) {
  check_token(token, where + ": added tokens");
  const auto known = find(token);
  if (row == rows_.tokens.size() && !known) {
    add(token);
  } else if (row >= rows_.tokens.size() || rows_.tokens[row] != token) {
    throw FormatError(fmt::format("{}: the added token {} has the id {}, but {}", where, token, row,
                                  row < rows_.tokens.size() ? "that is " + rows_.tokens[row]
                                  : known ? fmt::format("the vocabulary has it as {}", *known)
                                          : fmt::format("the next free one is {}", rows_.tokens.size())));
  }
}

}  // namespace mog::model
