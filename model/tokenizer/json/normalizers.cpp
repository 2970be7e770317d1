// Each normalizer is a function of a text whose bytes know their origin (AlignedText); a sequence applies
// them in turn, and whatever is changed, dropped or added keeps or inherits a place in the original. Pure
// ASCII, the common case, skips what cannot touch it.
//
// Unicode forms are done here and not by ICU's normalizer, which gives no origins and knows a newer Unicode
// than the models were trained with (decision 27): characters are decomposed one by one, marks between two
// starters are sorted stably by their class, and a composed character takes the place of all that it was
// made of. O(characters), but for the sorting of marks that stand together.
//
// Trap: a Change counts old characters, so composing must add up the changes of its parts. One that is
// forgotten moves every origin behind it, and nothing but the places of tokens shows it.
#include "model/tokenizer/json/normalizers.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "io/recording/errors.h"
#include "io/recording/pieces.h"
#include "model/config/config_reader.h"
#include "model/tokenizer/json/tokenizer_component.h"
#include "model/tokenizer/sentencepiece/sentencepiece_file.h"
#include "model/tokenizer/text/precompiled_charsmap.h"
#include "model/tokenizer/text/reference_unicode.h"
#include "model/tokenizer/text/regex_pattern.h"

namespace mog::model {
namespace {

using Json = nlohmann::ordered_json;
using NormalizerPtr = std::unique_ptr<const Normalizer>;

// Keeps the characters that `keep` accepts.
template <class Keep>
void filter(AlignedText& text, Keep&& keep) {
  AlignedText kept;
  kept.bytes.reserve(text.bytes.size());
  kept.origin.reserve(text.bytes.size());
  for (std::size_t at = 0; at < text.bytes.size();) {
    const std::size_t begin = at;
    if (keep(next_character(text.bytes, at))) {
      kept.append_part(text, begin, at);
    }
  }
  text = std::move(kept);
}

// Replaces each character by another.
template <class Map>
void map(AlignedText& text, Map&& to) {
  AlignedText mapped;
  mapped.bytes.reserve(text.bytes.size());
  mapped.origin.reserve(text.bytes.size());
  for (std::size_t at = 0; at < text.bytes.size();) {
    const Origin from = text.origin[at];
    mapped.append(to(next_character(text.bytes, at)), from);
  }
  text = std::move(mapped);
}

void lower(AlignedText& text) {
  if (text.ascii()) {
    for (char& c : text.bytes) {
      c = static_cast<char>(lower_character(static_cast<unsigned char>(c)).first);
    }
    return;
  }
  AlignedText lowered;
  lowered.bytes.reserve(text.bytes.size());
  lowered.origin.reserve(text.bytes.size());
  for (std::size_t at = 0; at < text.bytes.size();) {
    const Origin from = text.origin[at];
    const Lowered character = lower_character(next_character(text.bytes, at));
    lowered.append(character.first, from);
    if (character.second != 0) {
      lowered.append(character.second, from);
    }
  }
  text = std::move(lowered);
}

// Decomposed characters in canonical order, each with its change: the first of a character's stands for it,
// the others are new.
std::vector<Change> decomposed(const AlignedText& text, Decomposition kind) {
  std::vector<Change> changes;
  changes.reserve(text.bytes.size());
  std::vector<char32_t> parts;
  std::size_t pending = 0;  // from here on nothing is ordered yet
  const auto order = [&] {
    if (changes.size() - pending > 1) {
      std::stable_sort(changes.begin() + static_cast<std::ptrdiff_t>(pending), changes.end(),
                       [](const Change& left, const Change& right) {
                         return combining_class_9(left.code) < combining_class_9(right.code);
                       });
    }
    pending = changes.size();
  };
  for (std::size_t at = 0; at < text.bytes.size();) {
    const char32_t code = next_character(text.bytes, at);
    if (code < 0x80) {
      order();
      changes.push_back({code, 0});
      continue;
    }
    parts.clear();
    decompose_9(code, kind, parts);
    std::int32_t change = 0;
    for (const char32_t part : parts) {
      if (combining_class_9(part) == 0) {
        order();
      }
      changes.push_back({part, change});
      change = 1;
    }
  }
  order();
  return changes;
}

// Characters composed again; a composed one takes the place of all it is made of.
std::vector<Change> composed(const std::vector<Change>& parts) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<Change> result;
  result.reserve(parts.size());
  std::size_t starter = kNone;  // in `result`
  int last_class = -1;          // of what stands behind the starter; -1: nothing
  for (const Change& part : parts) {
    const int own = combining_class_9(part.code);
    if (starter != kNone && last_class < own) {
      if (const char32_t whole = compose_9(result[starter].code, part.code); whole != 0) {
        result[starter].code = whole;
        result[starter].change += part.change - 1;
        continue;
      }
    }
    if (own == 0) {
      starter = result.size();
      last_class = -1;
    } else if (starter != kNone) {
      last_class = own;
    }
    result.push_back(part);
  }
  return result;
}

// A normalizer made of one function.
class Simple final : public Normalizer {
 public:
  explicit Simple(std::function<void(AlignedText&)> function, bool lowers = false)
      : function_(std::move(function)), lowers_(lowers) {}
  void apply(AlignedText& text) const override { function_(text); }
  bool lowers() const override { return lowers_; }

 private:
  std::function<void(AlignedText&)> function_;
  bool lowers_;
};

class Chain final : public Normalizer {
 public:
  explicit Chain(std::vector<NormalizerPtr> parts) : parts_(std::move(parts)) {}
  void apply(AlignedText& text) const override {
    for (const NormalizerPtr& part : parts_) {
      part->apply(text);
    }
  }
  bool lowers() const override {
    return std::any_of(parts_.begin(), parts_.end(),
                       [](const NormalizerPtr& part) { return part->lowers(); });
  }

 private:
  std::vector<NormalizerPtr> parts_;
};

void unicode_form(AlignedText& text, Decomposition kind, bool compose) {
  if (text.ascii()) {
    return;
  }
  const std::vector<Change> parts = decomposed(text, kind);
  text = changed(text, compose ? composed(parts) : parts);
}

void clean(AlignedText& text) {
  filter(text, [](char32_t code) {
    const bool kept = code == '\t' || code == '\n' || code == '\r';
    return code != 0 && code != 0xFFFD && (kept || !is_control_8(code));
  });
  map(text, [](char32_t code) { return is_white_space(code) ? U' ' : code; });
}

void part_ideographs(AlignedText& text) {
  if (text.ascii()) {
    return;
  }
  AlignedText parted;
  for (std::size_t at = 0; at < text.bytes.size();) {
    const Origin from = text.origin[at];
    const char32_t code = next_character(text.bytes, at);
    const bool apart = is_bert_ideograph(code);
    if (apart) {
      parted.append(' ', from);
    }
    parted.append(code, from);
    if (apart) {
      parted.append(' ', from);
    }
  }
  text = std::move(parted);
}

NormalizerPtr read_bert(ConfigReader& reader) {
  const bool cleans = reader.boolean("clean_text");
  const bool ideographs = reader.boolean("handle_chinese_chars");
  const bool lowers = reader.boolean("lowercase");
  // null: accents go where case goes.
  const bool given = reader.has("strip_accents") && !reader.at("strip_accents").is_null();
  const bool strips = given ? reader.boolean("strip_accents") : lowers;
  return std::make_unique<Simple>(
      [=](AlignedText& text) {
        if (cleans) {
          clean(text);
        }
        if (ideographs) {
          part_ideographs(text);
        }
        if (strips && !text.ascii()) {
          unicode_form(text, Decomposition::canonical, false);
          filter(text, [](char32_t code) { return !is_mark_8(code); });
        }
        if (lowers) {
          lower(text);
        }
      },
      lowers);
}

NormalizerPtr read_strip(ConfigReader& reader) {
  const bool left = reader.boolean("strip_left");
  const bool right = reader.boolean("strip_right");
  return std::make_unique<Simple>([=](AlignedText& text) {
    std::size_t begin = left ? text.bytes.size() : 0;
    std::size_t end = right ? 0 : text.bytes.size();
    for (std::size_t at = 0; at < text.bytes.size();) {
      const std::size_t first = at;
      if (!is_white_space(next_character(text.bytes, at))) {
        begin = std::min(begin, first);
        end = std::max(end, at);
      }
    }
    AlignedText kept;
    if (begin < end) {
      kept.append_part(text, begin, end);
    }
    text = std::move(kept);
  });
}

char32_t nmt_character(char32_t code) {
  const bool space = code == 9 || code == 0xA || code == 0xC || code == 0xD || code == 0x1680 ||
                     (code >= 0x200B && code <= 0x200F) || code == 0x2028 || code == 0x2029 ||
                     code == 0x2581 || code == 0xFEFF || code == 0xFFFD;
  return space ? U' ' : code;
}

void nmt(AlignedText& text) {
  filter(text, [](char32_t code) {
    return !((code >= 1 && code <= 8) || code == 0xB || (code >= 0xE && code <= 0x1F) || code == 0x7F ||
             code == 0x8F || code == 0x9F);
  });
  map(text, nmt_character);
}

void to_byte_characters(AlignedText& text) {
  AlignedText mapped;
  mapped.bytes.reserve(text.bytes.size() * 2);
  mapped.origin.reserve(text.bytes.size() * 2);
  for (std::size_t at = 0; at < text.bytes.size(); ++at) {
    mapped.append(byte_character(static_cast<unsigned char>(text.bytes[at])), text.origin[at]);
  }
  text = std::move(mapped);
}

NormalizerPtr read_replace(ConfigReader& reader, const std::string& file, const std::string& path) {
  std::shared_ptr<const Pattern> pattern = read_pattern(reader, file, path);
  std::string content = reader.text("content");
  return std::make_unique<Simple>(
      [pattern = std::move(pattern), content = std::move(content)](AlignedText& text) {
        std::vector<Match> matches;
        pattern->find(text.bytes, matches);
        if (std::none_of(matches.begin(), matches.end(), [](const Match& match) { return match.hit; })) {
          return;
        }
        AlignedText result;
        for (const Match& match : matches) {
          if (!match.hit) {
            result.append_part(text, match.begin, match.end);
          } else if (!content.empty()) {
            const Origin start =
                text.origin.empty() ? Origin{} : Origin{text.origin[0].begin, text.origin[0].begin};
            result.append(content, match.end == 0 ? start : text.origin[match.end - 1]);
          }
        }
        text = std::move(result);
      });
}

NormalizerPtr read_prepend(ConfigReader& reader) {
  std::string what = reader.text("prepend");
  return std::make_unique<Simple>([what = std::move(what)](AlignedText& text) {
    if (!text.bytes.empty()) {
      const Origin from = text.origin[0];
      text.bytes.insert(0, what);
      text.origin.insert(text.origin.begin(), what.size(), from);
    }
  });
}

NormalizerPtr read_sequence(ConfigReader& reader, const std::string& file, const std::string& path) {
  std::vector<NormalizerPtr> parts;
  const Json& list = reader.at("normalizers");
  if (!list.is_array()) {
    reader.refuse("normalizers", "a list", list.dump().substr(0, 80));
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (NormalizerPtr part = read_normalizer(list[i], file, fmt::format("{}.normalizers[{}]", path, i))) {
      parts.push_back(std::move(part));
    }
  }
  return std::make_unique<Chain>(std::move(parts));
}

NormalizerPtr unicode(Decomposition kind, bool compose) {
  return std::make_unique<Simple>([=](AlignedText& text) { unicode_form(text, kind, compose); });
}

NormalizerPtr read_known(const std::string& type, ConfigReader& reader, const std::string& file,
                         const std::string& path) {
  if (type == "BertNormalizer") {
    return read_bert(reader);
  }
  if (type == "NFC" || type == "NFKC") {
    return unicode(type == "NFC" ? Decomposition::canonical : Decomposition::compatible, true);
  }
  if (type == "NFD" || type == "NFKD") {
    return unicode(type == "NFD" ? Decomposition::canonical : Decomposition::compatible, false);
  }
  if (type == "Lowercase") {
    return std::make_unique<Simple>(lower, true);
  }
  if (type == "Strip") {
    return read_strip(reader);
  }
  if (type == "StripAccents") {
    return std::make_unique<Simple>(
        [](AlignedText& text) { filter(text, [](char32_t code) { return !is_combining_mark_9(code); }); });
  }
  if (type == "Nmt") {
    return std::make_unique<Simple>(nmt);
  }
  if (type == "ByteLevel") {
    return std::make_unique<Simple>(to_byte_characters);
  }
  if (type == "Precompiled") {
    const std::string where = fmt::format("{}: {}", file, reader.full("precompiled_charsmap"));
    const auto charsmap = std::make_shared<const PrecompiledCharsmap>(
        decode_base64(reader.text("precompiled_charsmap"), where), where);
    return std::make_unique<Simple>([charsmap](AlignedText& text) { charsmap->apply(text); });
  }
  if (type == "Replace") {
    return read_replace(reader, file, path);
  }
  if (type == "Prepend") {
    return read_prepend(reader);
  }
  if (type == "SentencePiece") {
    return read_sentencepiece_normalizer(reader, file);
  }
  if (type == "Sequence") {
    return read_sequence(reader, file, path);
  }
  refuse_component(
      file, path, "normalizer", type,
      "BertNormalizer, ByteLevel, Lowercase, NFC, NFD, NFKC, NFKD, Nmt, Precompiled, Prepend, Replace, "
      "Sequence, Strip, StripAccents");
}

}  // namespace

NormalizerPtr read_normalizer(const Json& value, const std::string& file, const std::string& path) {
  if (value.is_null()) {
    return nullptr;
  }
  ConfigReader reader(value, file, path);
  NormalizerPtr result = read_known(reader.text("type"), reader, file, path);
  reader.finish();
  return result;
}

}  // namespace mog::model
