// Builds the pipeline of a tokenizer.json from its parts, each of which reads its own object and refuses
// what it does not know by its place in the file. Nothing is skipped in silence, because an option that is
// overlooked gives other ids and no error; what is known and not done (truncation) becomes a note.
//
// The order matters. The model comes first, since the vocabulary says which ids are free; added tokens
// follow it in the order of their list, and an id that is neither the model's nor the next free one is
// refused; the normalizer comes before the added tokens, which are looked for in normalised form.
//
// Trap: the model keeps the vocabulary without added tokens (`own`). With the larger one it would cut texts
// into tokens that the reference never finds.
#include "model/tokenizer/json/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "model/config/config_reader.h"
#include "model/tokenizer/documents/tokenizer_document.h"
#include "model/tokenizer/json/json_tokenizer.h"
#include "model/tokenizer/sentencepiece/sentencepiece_file.h"

namespace mog::model {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20U;
constexpr std::int64_t kMostCharacters = 100'000;

// The file while it is read.
struct Reading {
  std::string file;
  TokenizerDocument document;
  std::string model;                      // its type
  std::shared_ptr<const Vocabulary> own;  // of the model, without added tokens
  TokenizerJson result;
  TokenizerParts parts;
};

[[noreturn]] void refuse(const Reading& reading, const std::string& defect) {
  throw FormatError(fmt::format("{}: {}", reading.file, defect));
}

const Json& member(const Reading& reading, const char* key) {
  static const Json kNull;
  const auto found = reading.document.root.find(key);
  return found == reading.document.root.end() ? kNull : *found;
}

// An option that may be absent or null.
bool given(ConfigReader& reader, const char* key) {
  return reader.has(key) && !reader.at(key).is_null();
}
bool option(ConfigReader& reader, const char* key) {
  return given(reader, key) && reader.boolean(key);
}
std::string text_option(ConfigReader& reader, const char* key, const std::string& otherwise) {
  return given(reader, key) ? reader.text(key) : otherwise;
}

// Files of early versions do not say what their model is.
std::string model_type(const Reading& reading, ConfigReader& reader) {
  if (reader.has("type")) {
    return reader.text("type");
  }
  if (reader.has("merges")) {
    return "BPE";
  }
  if (!reading.document.scores.empty()) {
    return "Unigram";
  }
  return reader.has("max_input_chars_per_word") ? "WordPiece" : "without a type";
}

void require_unknown(const Reading& reading, const std::string& token) {
  if (!reading.own->find(token)) {
    refuse(reading, fmt::format("model.unk_token: the unk_token {:?} is not in the vocab", token));
  }
}

void read_word_piece(Reading& reading, ConfigReader& reader) {
  WordPieceOptions options;
  options.unknown = text_option(reader, "unk_token", options.unknown);
  options.prefix = text_option(reader, "continuing_subword_prefix", options.prefix);
  if (reader.has("max_input_chars_per_word")) {
    options.most_characters = reader.integer("max_input_chars_per_word", 1, kMostCharacters);
  }
  require_unknown(reading, options.unknown);
  reading.result.kind = TokenizerKind::wordpiece;
  reading.parts.kind = "wordpiece";
  reading.parts.words_are_parts = true;
  reading.parts.model = make_word_piece_model(options, reading.own);
}

void read_byte_pair(Reading& reading, ConfigReader& reader) {
  BytePairOptions options;
  if (given(reader, "dropout") && reader.at("dropout") != 0) {
    throw ModelError(
        fmt::format("{}: model.dropout = {} is not supported: with dropout the pieces are random",
                    reading.file, reader.at("dropout").dump().substr(0, 80)));
  }
  if (given(reader, "unk_token")) {
    options.unknown = reader.text("unk_token");
    require_unknown(reading, *options.unknown);
  }
  options.prefix = text_option(reader, "continuing_subword_prefix", "");
  options.suffix = text_option(reader, "end_of_word_suffix", "");
  options.fuse_unknown = option(reader, "fuse_unk");
  options.byte_fallback = option(reader, "byte_fallback");
  options.ignore_merges = option(reader, "ignore_merges");
  const auto& merges = reader.at("merges");
  if (!reading.document.merges_listed) {  // not none: every word would be cut into characters
    throw FormatError(fmt::format("{}: model.merges: expected a list of pairs, found {}", reading.file,
                                  merges.is_object() ? "an object" : merges.dump().substr(0, 80)));
  }
  reading.result.kind = TokenizerKind::byte_bpe;
  reading.parts.kind = "byte_bpe";
  reading.parts.model =
      make_byte_pair_model(options, reading.document.merges, reading.own, reading.file + ": model.merges");
}

void read_unigram(Reading& reading, ConfigReader& reader) {
  UnigramOptions options;
  if (given(reader, "unk_id")) {
    options.unknown = reader.integer("unk_id", 0, reading.own->size() - 1);
  }
  options.byte_fallback = option(reader, "byte_fallback");
  reading.result.kind = TokenizerKind::unigram;
  reading.parts.kind = "unigram";
  reading.parts.model = make_unigram_model(options, reading.document.scores, reading.own);
}

// Of our own making (sentencepiece_file.h).
void read_sentencepiece(Reading& reading, ConfigReader& reader) {
  const bool merges = is_merging_sentencepiece(reader);
  reading.result.kind = merges ? TokenizerKind::byte_bpe : TokenizerKind::unigram;
  reading.parts.kind = merges ? "byte_bpe" : "unigram";
  reading.parts.model = read_sentencepiece_model(reader, reading.document, reading.own);
}

void read_model(Reading& reading) {
  if (!reading.document.root.contains("model")) {
    refuse(reading, "the key model is missing, so this is no tokenizer.json");
  }
  ConfigReader reader(reading.document.root["model"], reading.file, "model");
  const std::string type = model_type(reading, reader);
  reading.model = type;
  if (type == "WordLevel") {
    throw ModelError(
        fmt::format("{}: model.type: the tokenizer model WordLevel is not supported; supported: BPE, "
                    "Unigram, WordPiece",
                    reading.file));
  }
  const bool scored = type == "Unigram" || type == "SentencePiece";
  if (type != "WordPiece" && type != "BPE" && !scored) {
    refuse(reading,
           fmt::format("model.type: the tokenizer model {} is not supported; supported: BPE, Unigram, "
                       "WordPiece",
                       type));
  }
  if (reader.at("vocab") != Json(true) || reading.document.tokens.empty() ||
      scored == reading.document.scores.empty()) {
    reader.refuse("vocab", scored ? "a list of tokens and scores" : "an object of tokens and ids",
                  reading.document.tokens.empty() ? "an empty one or none" : "the other form");
  }
  try {
    reading.own = std::make_shared<const Vocabulary>(reading.document.tokens);
  } catch (const UsageError& error) {
    refuse(reading, fmt::format("model.vocab: {}", error.what()));
  }
  if (type == "WordPiece") {
    read_word_piece(reading, reader);
  } else if (type == "Unigram") {
    read_unigram(reading, reader);
  } else if (scored) {
    read_sentencepiece(reading, reader);
  } else {
    read_byte_pair(reading, reader);
  }
  reader.finish();
}

// Added tokens that the model does not have follow its vocabulary, in the order of the list.
std::vector<AddedToken> read_added(Reading& reading) {
  std::vector<AddedToken> added = read_added_tokens(member(reading, "added_tokens"), reading.file);
  std::vector<std::string> all = reading.document.tokens;
  for (std::size_t i = 0; i < added.size(); ++i) {
    const std::string where = fmt::format("{}: added_tokens[{}]", reading.file, i);
    const auto known = reading.own->find(added[i].content);
    const std::int64_t due = known.value_or(static_cast<std::int64_t>(all.size()));
    if (added[i].id != due) {
      throw FormatError(fmt::format("{}: the token {:?} has the id {}, expected {} ({})", where,
                                    added[i].content, added[i].id, due,
                                    known ? "as in the vocab" : "the next free one"));
    }
    check_token(added[i].content, where);
    if (!known) {
      all.push_back(added[i].content);
    }
  }
  reading.parts.vocabulary =
      all.size() == reading.document.tokens.size() ? reading.own : std::make_shared<const Vocabulary>(all);
  return added;
}

void read_decoder(Reading& reading, const std::vector<AddedToken>& added) {
  TokenDecoder::Tokens special;
  for (const AddedToken& token : added) {
    if (token.special) {
      special.insert(token.content);
    }
  }
  const auto form = piece_form(member(reading, "decoder"), reading.model);
  reading.result.decodes = form.has_value();
  reading.parts.decoder = TokenDecoder(form.value_or(PieceForm::metaspace), std::move(special));
}

void note_what_is_not_done(Reading& reading) {
  const Json& truncation = member(reading, "truncation");
  if (truncation.is_object() && truncation.contains("max_length")) {
    reading.result.notes.push_back(fmt::format("its truncation at {} tokens is not applied",
                                               truncation["max_length"].dump().substr(0, 20)));
  }
}

void find_roles(Reading& reading) {
  TokenizerJson& result = reading.result;
  std::vector<std::int64_t> before;
  std::vector<std::int64_t> behind;
  for (const PostStep& step : reading.parts.post) {
    before.insert(before.begin(), step.before.begin(), step.before.end());
    behind.insert(behind.end(), step.behind.begin(), step.behind.end());
  }
  // Of several (mBART: </s> and the language) the one beside the text.
  if (!before.empty()) {
    result.first = before.back();
  }
  if (!behind.empty()) {
    result.last = behind.front();
  }
  result.unknown = reading.parts.model->unknown();
  const Json& padding = member(reading, "padding");
  const bool named = padding.is_object() && padding.contains("pad_token") && padding["pad_token"].is_string();
  for (const std::string& token : {named ? padding["pad_token"].get<std::string>() : std::string(),
                                   std::string("[PAD]"), std::string("<pad>")}) {
    if (!result.padding && !token.empty()) {
      result.padding = reading.parts.vocabulary->find(token);
    }
  }
}

void check_version(ConfigReader& root) {
  if (root.has("version") && root.text("version") != "1.0") {
    root.refuse("version", "1.0", root.text("version"));
  }
  for (const char* const key : {"added_tokens", "normalizer", "pre_tokenizer", "post_processor", "model",
                                "truncation", "padding", "decoder"}) {
    if (root.has(key)) {
      root.at(key);
    }
  }
  root.finish();
}

}  // namespace

TokenizerJson parse_tokenizer_json(std::string_view text, const std::string& file) {
  Reading reading;
  reading.file = file;
  reading.document = read_tokenizer_document(text, file);
  ConfigReader root(reading.document.root, file, "");
  read_model(reading);
  check_version(root);
  std::vector<AddedToken> added = read_added(reading);
  read_decoder(reading, added);
  reading.parts.normalizer = read_normalizer(member(reading, "normalizer"), file, "normalizer");
  reading.result.lowercase = reading.parts.normalizer && reading.parts.normalizer->lowers();
  reading.parts.added = std::make_unique<const AddedTokens>(std::move(added), reading.parts.normalizer.get(),
                                                            file + ": added_tokens");
  reading.parts.pre_tokenizer = read_pre_tokenizer(member(reading, "pre_tokenizer"), file, "pre_tokenizer");
  const Vocabulary& vocabulary = *reading.parts.vocabulary;
  reading.parts.post = read_post_processor(member(reading, "post_processor"), file, "post_processor",
                                           [&](std::string_view token) { return vocabulary.find(token); });
  note_what_is_not_done(reading);
  find_roles(reading);
  reading.result.tokenizer = make_json_tokenizer(std::move(reading.parts));
  return std::move(reading.result);
}

TokenizerJson open_tokenizer_json(const std::filesystem::path& file) {
  return parse_tokenizer_json(io::read_file(file, "the tokenizer", kMostBytes), file.string());
}

}  // namespace mog::model
