// A sentencepiece file becomes a tokenizer.json of our own kind (type "SentencePiece"), with everything that
// its algorithms depend on: scores as the shortest digits that give the same float32, the kinds of pieces as
// lists of rows, pieces without a row in the vocabulary beside it. So a model folder keeps one tokenizer
// file whatever it was made from, and the conversion of the reference, which loses some of this (decision
// 13), is not needed. O(pieces).
//
// The file is parsed in mog-loader (weights of the format sentencepiece); here come tensors of texts, scores
// and kinds.
//
// Trap: rows that are no piece (added tokens, gaps of a numbering) must match no text. They are read as
// control pieces; a new kind of row must keep that.
#include "model/tokenizer/sentencepiece/sentencepiece_file.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "io/checkpoint/weights_file.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "model/tokenizer/text/precompiled_charsmap.h"

namespace mog::model {
namespace {

using Json = nlohmann::ordered_json;

// Lists of rows in the document, for the kinds that are rare.
constexpr std::array<std::pair<SentencePieceKind, const char*>, 4> kRare = {
    {{SentencePieceKind::control, "control"},
     {SentencePieceKind::user_defined, "user_defined"},
     {SentencePieceKind::unused, "unused"},
     {SentencePieceKind::byte, "bytes"}}};
const std::vector<std::pair<bool, std::string_view>> kAlgorithms = {{false, "unigram"}, {true, "bpe"}};

const char* name_of(SentencePieceKind kind) {
  for (const auto& [rare, name] : kRare) {
    if (rare == kind) {
      return name;
    }
  }
  return kind == SentencePieceKind::unknown ? "unknown" : "normal";
}

// The shortest digits that give the same float32.
std::string digits(float score) {
  return fmt::format("{}", score);
}

std::string quoted(const std::string& text) {
  return Json(text).dump();
}

[[noreturn]] void bad_list(ConfigReader& reader, const char* key, const Json& found) {
  reader.refuse(key, "a list of rows of the vocab, each once",
                found.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 80));
}

std::size_t row_in(ConfigReader& reader, const char* key, const Json& value, std::size_t rows) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= rows) {
    bad_list(reader, key, value);
  }
  return value.get<std::size_t>();
}

const Json& list_of(ConfigReader& reader, const char* key) {
  const Json& list = reader.at(key);
  if (!list.is_array()) {
    bad_list(reader, key, list);
  }
  return list;
}

}  // namespace

std::int64_t SentencePieceFile::unknown() const {
  std::int64_t at = 0;
  while (pieces[static_cast<std::size_t>(at)].kind != SentencePieceKind::unknown) {
    ++at;
  }
  return at;
}

std::optional<std::int64_t> SentencePieceFile::find(std::string_view text) const {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].text == text) {
      return static_cast<std::int64_t>(i);
    }
  }
  return std::nullopt;
}

SentencePieceFile read_sentencepiece_file(const std::filesystem::path& path) {
  const io::WeightsFile table = io::open_weights(path, {.format = io::WeightsFormat::sentencepiece});
  const Json settings = Json::parse(table.metadata());
  SentencePieceFile file;
  file.file = path.string();
  const auto algorithm = settings.at("algorithm").get<std::string>();
  if (algorithm != "unigram" && algorithm != "bpe") {
    throw ModelError(
        fmt::format("{}: sentencepiece models of the type {} are not supported; supported: "
                    "unigram, bpe",
                    file.file, algorithm));
  }
  file.merges = algorithm == "bpe";
  file.byte_fallback = settings.at("byte_fallback").get<bool>();
  SentencePieceNormalizing& normalizing = file.normalizing;
  normalizing.add_dummy_prefix = settings.at("add_dummy_prefix").get<bool>();
  normalizing.remove_extra_whitespaces = settings.at("remove_extra_whitespaces").get<bool>();
  normalizing.escape_whitespaces = settings.at("escape_whitespaces").get<bool>();
  normalizing.whitespace_as_suffix = settings.at("whitespace_as_suffix").get<bool>();
  const auto text_of = [&](const char* name) {
    const HostTensor tensor = table.read(name);
    const auto bytes = tensor.bytes();
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  if (table.find("charsmap") != nullptr) {
    normalizing.charsmap = text_of("charsmap");
    const PrecompiledCharsmap checked(normalizing.charsmap, file.file + ": precompiled_charsmap");
  }
  const std::string texts = text_of("pieces");
  const HostTensor ends = table.read("ends");
  const HostTensor scores = table.read("scores");
  const HostTensor kinds = table.read("kinds");
  std::size_t begin = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(ends.size()); ++i) {
    const auto end = static_cast<std::size_t>(ends.values<std::int64_t>()[i]);
    SentencePieceEntry piece;
    piece.text = texts.substr(begin, end - begin);
    piece.score = scores.values<float>()[i];
    piece.kind = static_cast<SentencePieceKind>(kinds.values<std::uint8_t>()[i]);
    piece.id = static_cast<std::int32_t>(i);
    if (piece.kind == SentencePieceKind::user_defined) {
      normalizing.symbols.push_back(piece.text);
    }
    file.pieces.push_back(std::move(piece));
    begin = end;
  }
  return file;
}

std::string sentencepiece_members(const SentencePieceFile& file, const SentencePieceRows& rows,
                                  const Json& before) {
  const SentencePieceNormalizing& normalizing = file.normalizing;
  Json normalizer = {
      {"type", "SentencePiece"},
      {"precompiled_charsmap",
       normalizing.charsmap.empty() ? Json(nullptr) : Json(encode_base64(normalizing.charsmap))},
      {"add_dummy_prefix", normalizing.add_dummy_prefix},
      {"remove_extra_whitespaces", normalizing.remove_extra_whitespaces},
      {"escape_whitespaces", normalizing.escape_whitespaces},
      {"whitespace_as_suffix", normalizing.whitespace_as_suffix},
      {"symbols", normalizing.symbols}};
  if (!before.empty()) {
    Json list = before;
    list.push_back(std::move(normalizer));
    normalizer = {{"type", "Sequence"}, {"normalizers", std::move(list)}};
  }
  std::map<std::string, Json> lists;
  for (const auto& [kind, name] : kRare) {
    lists[name] = Json::array();
  }
  Json none = Json::array();  // [first, last] of rows that are no piece
  std::vector<bool> placed(file.pieces.size());
  std::string vocabulary;
  for (std::size_t row = 0; row < rows.tokens.size(); ++row) {
    const std::int32_t piece = rows.pieces[row];
    float score = 0;
    if (piece >= 0) {
      const SentencePieceEntry& entry = file.pieces[static_cast<std::size_t>(piece)];
      score = entry.score;
      placed[static_cast<std::size_t>(piece)] = true;
      if (entry.kind != SentencePieceKind::normal && entry.kind != SentencePieceKind::unknown) {
        lists[name_of(entry.kind)].push_back(row);
      }
    } else if (!none.empty() && none.back()[1] == row - 1) {
      none.back()[1] = row;
    } else {
      none.push_back(Json::array({row, row}));
    }
    vocabulary += fmt::format("{}[{},{}]", row == 0 ? "" : ",", quoted(rows.tokens[row]), digits(score));
  }
  Json more = Json::array();
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const SentencePieceEntry& entry = file.pieces[i];
    if (!placed[i] && entry.kind != SentencePieceKind::unknown) {
      more.push_back(Json::array({entry.text, digits(entry.score), name_of(entry.kind)}));
    }
  }
  return fmt::format(
      R"("normalizer":{},"model":{{"type":"SentencePiece","algorithm":"{}","unk_id":{},"byte_fallback":{},)"
      R"("by_name":{},"control":{},"user_defined":{},"unused":{},"bytes":{},"no_pieces":{},)"
      R"("more_pieces":{},"vocab":[{}]}})",
      normalizer.dump(), file.merges ? "bpe" : "unigram", rows.unknown, file.byte_fallback, rows.by_name,
      lists["control"].dump(), lists["user_defined"].dump(), lists["unused"].dump(), lists["bytes"].dump(),
      none.dump(), more.dump(), vocabulary);
}

bool is_merging_sentencepiece(ConfigReader& reader) {
  return reader.choice("algorithm", kAlgorithms);
}

std::unique_ptr<const PieceModel> read_sentencepiece_model(ConfigReader& reader,
                                                           const TokenizerDocument& document,
                                                           std::shared_ptr<const Vocabulary> vocabulary) {
  const std::size_t rows = document.tokens.size();
  SentencePieceOptions options;
  options.merges = is_merging_sentencepiece(reader);
  options.unknown = reader.integer("unk_id", 0, static_cast<std::int64_t>(rows) - 1);
  options.byte_fallback = reader.boolean("byte_fallback");
  options.by_name = reader.boolean("by_name");
  std::vector<SentencePieceEntry> entries(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    entries[row] = {document.tokens[row], static_cast<float>(document.scores[row]), SentencePieceKind::normal,
                    static_cast<std::int32_t>(row)};
  }
  std::vector<bool> taken(rows);
  const auto take = [&](const char* key, const Json& value) {
    const std::size_t row = row_in(reader, key, value, rows);
    if (taken[row]) {
      bad_list(reader, key, value);
    }
    taken[row] = true;
    return row;
  };
  for (const auto& [kind, key] : kRare) {
    for (const Json& value : list_of(reader, key)) {
      entries[take(key, value)].kind = kind;
    }
  }
  // A row that is no piece stands for no text, as control pieces do.
  for (const Json& range : list_of(reader, "no_pieces")) {
    if (!range.is_array() || range.size() != 2) {
      bad_list(reader, "no_pieces", range);
    }
    const std::size_t last = row_in(reader, "no_pieces", range[1], rows);
    for (std::size_t row = row_in(reader, "no_pieces", range[0], rows); row <= last; ++row) {
      entries[take("no_pieces", Json(row))].kind = SentencePieceKind::control;
    }
  }
  SentencePieceEntry& unknown = entries[static_cast<std::size_t>(options.unknown)];
  unknown.kind = unknown.kind == SentencePieceKind::normal ? SentencePieceKind::unknown : unknown.kind;
  std::map<std::string, SentencePieceKind> kinds = {{"normal", SentencePieceKind::normal}};
  for (const auto& [kind, name] : kRare) {
    kinds.emplace(name, kind);
  }
  for (const Json& piece : list_of(reader, "more_pieces")) {
    SentencePieceEntry entry;
    const bool sound = piece.is_array() && piece.size() == 3 && piece[0].is_string() &&
                       piece[1].is_string() && piece[2].is_string() &&
                       kinds.contains(piece[2].get<std::string>());
    char* end = nullptr;
    const std::string number = sound ? piece[1].get<std::string>() : "";
    entry.score = std::strtof(number.c_str(), &end);
    if (!sound || number.empty() || *end != '\0' || !std::isfinite(entry.score)) {
      reader.refuse("more_pieces", "pieces, their scores and kinds", piece.dump().substr(0, 80));
    }
    entry.text = piece[0].get<std::string>();
    entry.kind = kinds.at(piece[2].get<std::string>());
    check_token(entry.text, reader.full("more_pieces"));
    entries.push_back(std::move(entry));
  }
  std::set<std::string_view> seen;
  for (const SentencePieceEntry& entry : entries) {
    if (stands_for_text(entry) && !seen.insert(entry.text).second) {
      reader.refuse("more_pieces", "each piece once", quoted(entry.text));
    }
  }
  return make_sentencepiece_model(options, std::move(entries), std::move(vocabulary));
}

std::unique_ptr<const Normalizer> read_sentencepiece_normalizer(ConfigReader& reader,
                                                                const std::string& file) {
  SentencePieceNormalizing options;
  const std::string where = fmt::format("{}: {}", file, reader.full("precompiled_charsmap"));
  if (!reader.at("precompiled_charsmap").is_null()) {
    options.charsmap = decode_base64(reader.text("precompiled_charsmap"), where);
  }
  options.add_dummy_prefix = reader.boolean("add_dummy_prefix");
  options.remove_extra_whitespaces = reader.boolean("remove_extra_whitespaces");
  options.escape_whitespaces = reader.boolean("escape_whitespaces");
  options.whitespace_as_suffix = reader.boolean("whitespace_as_suffix");
  std::set<std::string> known;
  const Json& symbols = reader.at("symbols");
  for (const Json& symbol : symbols) {
    if (!symbol.is_string() || symbol.get<std::string>().empty() ||
        !known.insert(symbol.get<std::string>()).second) {
      reader.refuse("symbols", "a list of pieces, each once", symbol.dump().substr(0, 80));
    }
    options.symbols.push_back(symbol.get<std::string>());
  }
  return make_sentencepiece_normalizer(options, where);
}

std::string sentencepiece_file_document(const std::filesystem::path& path) {
  const SentencePieceFile file = read_sentencepiece_file(path);
  SentencePieceRows rows;
  for (const SentencePieceEntry& piece : file.pieces) {
    rows.tokens.push_back(piece.text);
    rows.pieces.push_back(piece.id);
  }
  rows.unknown = file.unknown();
  return fmt::format(
      R"({{"version":"1.0","added_tokens":[],"pre_tokenizer":null,"post_processor":null,"decoder":null,{}}}
)",
      sentencepiece_members(file, rows, Json::array()));
}

bool is_sentencepiece_file(const std::filesystem::path& path) noexcept {
  try {
    io::InputFile file = io::InputFile::open(path, "the tokenizer");
    std::array<std::byte, 4> head = {};
    return file.read(head) == head.size() && head[0] == std::byte{'\n'} && head[2] == std::byte{'\n'};
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace mog::model
