// Normalisation works on code points that carry the bytes they came from; each step is a pass over the array.
// ICU gives categories, decompositions and lower case.
//
// The reference looks categories up in tables of Unicode 8.0, and models were trained on what it made of
// their texts. So later characters have no category here, and those that changed theirs keep the old one;
// without this 600 marks and punctuation characters of young scripts come out differently. A test compares
// every character.
#include "model/tokenizer/bert_text.h"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <utility>

namespace mog::model {
namespace {

struct Character {
  UChar32 code = 0;
  ByteSpan bytes;
};
using Characters = std::vector<Character>;

bool is_space(UChar32 code) {
  return u_hasBinaryProperty(code, UCHAR_WHITE_SPACE) != 0;
}

// General category in Unicode 8.0.
int category_of(UChar32 code) {
  constexpr int kTablesOf = 8;
  switch (code) {
    case 0x166D:   // Canadian syllabics chi sign, a symbol since 12.0
    case 0x111C9:  // Sharada sandhi mark, a mark since 11.0
      return U_OTHER_PUNCTUATION;
    case 0x1734:  // Hanunoo pamudpod, a spacing mark since 14.0
      return U_NON_SPACING_MARK;
    case 0x1885:  // Mongolian Ali Gali baludas, marks since 9.0
    case 0x1886:
      return U_OTHER_LETTER;
    case 0xA9BD:  // Javanese keret, a nonspacing mark since 11.0
      return U_COMBINING_SPACING_MARK;
    default:
      break;
  }
  UVersionInfo age = {};
  u_charAge(code, age);
  return age[0] > kTablesOf ? static_cast<int>(U_UNASSIGNED) : u_charType(code);
}

bool is_control(UChar32 code) {
  const int category = code < 0x80 ? u_charType(code) : category_of(code);
  return category == U_CONTROL_CHAR || category == U_FORMAT_CHAR || category == U_PRIVATE_USE_CHAR;
}

bool is_punctuation(UChar32 code) {
  if (code < 0x80) {
    return (code >= 33 && code <= 47) || (code >= 58 && code <= 64) || (code >= 91 && code <= 96) ||
           (code >= 123 && code <= 126);
  }
  return (U_MASK(category_of(code)) & U_GC_P_MASK) != 0;
}

// The blocks that BERT calls Chinese characters; the seventh begins at 2B920 in the reference, not at 2B820.
bool is_ideograph(UChar32 code) {
  static constexpr std::array<std::pair<UChar32, UChar32>, 8> kBlocks = {{{0x4E00, 0x9FFF},
                                                                          {0x3400, 0x4DBF},
                                                                          {0x20000, 0x2A6DF},
                                                                          {0x2A700, 0x2B73F},
                                                                          {0x2B740, 0x2B81F},
                                                                          {0x2B920, 0x2CEAF},
                                                                          {0xF900, 0xFAFF},
                                                                          {0x2F800, 0x2FA1F}}};
  return code >= 0x3400 && std::any_of(kBlocks.begin(), kBlocks.end(), [&](const auto& block) {
           return code >= block.first && code <= block.second;
         });
}

Characters decode(std::string_view text, std::int64_t offset) {
  Characters characters;
  characters.reserve(text.size());
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const auto length = static_cast<std::int32_t>(text.size());
  for (std::int32_t at = 0; at < length;) {
    const std::int32_t begin = at;
    UChar32 code = 0;
    U8_NEXT_OR_FFFD(bytes, at, length, code);
    characters.push_back({code, {offset + begin, offset + at}});
  }
  return characters;
}

void clean(Characters& characters) {
  std::erase_if(characters, [](Character& character) {
    const UChar32 code = character.code;
    const bool kept = code == '\t' || code == '\n' || code == '\r';
    if (code == 0 || code == 0xFFFD || (!kept && is_control(code))) {
      return true;
    }
    character.code = is_space(code) ? ' ' : code;
    return false;
  });
}

void part_ideographs(Characters& characters) {
  if (std::none_of(characters.begin(), characters.end(),
                   [](const Character& character) { return is_ideograph(character.code); })) {
    return;
  }
  Characters parted;
  parted.reserve(characters.size() * 2);
  for (const Character& character : characters) {
    if (is_ideograph(character.code)) {
      parted.push_back({' ', character.bytes});
      parted.push_back(character);
      parted.push_back({' ', character.bytes});
    } else {
      parted.push_back(character);
    }
  }
  characters = std::move(parted);
}

bool all_ascii(const Characters& characters) {
  return std::all_of(characters.begin(), characters.end(),
                     [](const Character& character) { return character.code < 0x80; });
}

void decompose(Characters& characters) {
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* const nfd = icu::Normalizer2::getNFDInstance(error);
  Characters decomposed;
  decomposed.reserve(characters.size());
  icu::UnicodeString buffer;
  for (const Character& character : characters) {
    if (character.code < 0x80 || category_of(character.code) == U_UNASSIGNED || nfd == nullptr ||
        !nfd->getDecomposition(character.code, buffer)) {
      decomposed.push_back(character);
      continue;
    }
    for (std::int32_t at = 0; at < buffer.length(); at = buffer.moveIndex32(at, 1)) {
      decomposed.push_back({buffer.char32At(at), character.bytes});
    }
  }
  // Canonical order: marks of a run by combining class.
  const auto starter = [](const Character& character) { return u_getCombiningClass(character.code) == 0; };
  for (auto at = decomposed.begin(); at != decomposed.end();) {
    const auto first = std::find_if_not(at, decomposed.end(), starter);
    at = std::find_if(first, decomposed.end(), starter);
    std::stable_sort(first, at, [](const Character& left, const Character& right) {
      return u_getCombiningClass(left.code) < u_getCombiningClass(right.code);
    });
  }
  characters = std::move(decomposed);
}

void strip(Characters& characters) {
  if (all_ascii(characters)) {
    return;
  }
  decompose(characters);
  std::erase_if(characters, [](const Character& character) {
    return character.code >= 0x80 && category_of(character.code) == U_NON_SPACING_MARK;
  });
}

void lower(Characters& characters) {
  constexpr UChar32 kDottedCapitalI = 0x130;  // the only character whose lower case is two
  Characters lowered;
  lowered.reserve(characters.size());
  for (const Character& character : characters) {
    if (character.code == kDottedCapitalI) {
      lowered.push_back({'i', character.bytes});
      lowered.push_back({0x307, character.bytes});
    } else {
      lowered.push_back({u_tolower(character.code), character.bytes});
    }
  }
  characters = std::move(lowered);
}

void append(BertWord& word, const Character& character) {
  std::array<std::uint8_t, U8_MAX_LENGTH> bytes = {};
  std::size_t length = 0;
  U8_APPEND_UNSAFE(bytes.data(), length, static_cast<std::uint32_t>(character.code));
  if (word.begins.empty()) {
    word.begins.push_back(0);
  }
  word.text.append(reinterpret_cast<const char*>(bytes.data()), length);
  word.begins.push_back(static_cast<std::uint32_t>(word.text.size()));
  word.spans.push_back(character.bytes);
}

}  // namespace

std::vector<BertWord> bert_words(std::string_view text, const BertNormalizer& normalizer,
                                 std::int64_t offset) {
  Characters characters = decode(text, offset);
  if (normalizer.clean_text) {
    clean(characters);
  }
  if (normalizer.handle_chinese_chars) {
    part_ideographs(characters);
  }
  if (normalizer.strip_accents) {
    strip(characters);
  }
  if (normalizer.lowercase) {
    lower(characters);
  }
  std::vector<BertWord> words;
  bool open = false;
  for (const Character& character : characters) {
    if (is_space(character.code)) {
      open = false;
      continue;
    }
    const bool alone = is_punctuation(character.code);
    if (alone || !open) {
      words.emplace_back();
    }
    append(words.back(), character);
    open = !alone;
  }
  return words;
}

}  // namespace mog::model
