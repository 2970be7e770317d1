// ICU's tables stand for older ones by age: a character that is younger than the table in question has no
// property there. What that cannot say are the few characters whose property was changed later; they are
// listed one by one. They were found by asking the reference for all characters, which a test does again.
//
// No tables of our own (decision 27 says what else was possible). Everything below U+0080, and what cannot
// compose or decompose, is answered without ICU, since most characters of most texts are.
//
// Trap: with another ICU the age stays, but properties move. If the test fails after an update of ICU, it is
// the list of exceptions that grows.
#include "model/tokenizer/text/reference_unicode.h"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <array>
#include <utility>

namespace mog::model {
namespace {

UChar32 of(char32_t code) {
  return static_cast<UChar32>(code);
}

// Whether the character was assigned by version `major`.
bool known_by(char32_t code, int major) {
  UVersionInfo age = {};
  u_charAge(of(code), age);
  return age[0] != 0 && age[0] <= major;
}

// General category in Unicode 8.0.
int category_8(char32_t code) {
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
  return known_by(code, kTablesOf) ? u_charType(of(code)) : static_cast<int>(U_UNASSIGNED);
}

const icu::Normalizer2* decomposer(Decomposition kind) {
  UErrorCode error = U_ZERO_ERROR;
  return kind == Decomposition::canonical ? icu::Normalizer2::getNFDInstance(error)
                                          : icu::Normalizer2::getNFKDInstance(error);
}

constexpr int kVersionOfDecompositions = 9;

int cluster_break(char32_t code) {
  return u_getIntPropertyValue(of(code), UCHAR_GRAPHEME_CLUSTER_BREAK);
}

bool hangul_joins(int before, int after) {
  switch (before) {
    case U_GCB_L:
      return after == U_GCB_L || after == U_GCB_V || after == U_GCB_LV || after == U_GCB_LVT;
    case U_GCB_LV:
    case U_GCB_V:
      return after == U_GCB_V || after == U_GCB_T;
    case U_GCB_LVT:
    case U_GCB_T:
      return after == U_GCB_T;
    default:
      return false;
  }
}

}  // namespace

bool is_white_space(char32_t code) {
  if (code < 0x80) {
    return code == ' ' || (code >= 9 && code <= 13);
  }
  return u_hasBinaryProperty(of(code), UCHAR_WHITE_SPACE) != 0;
}

bool is_letter(char32_t code) {
  return (U_MASK(u_charType(of(code))) & U_GC_L_MASK) != 0;
}

bool is_number(char32_t code) {
  return (U_MASK(u_charType(of(code))) & U_GC_N_MASK) != 0;
}

bool is_word_character(char32_t code) {
  constexpr std::uint32_t kCategories = U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK;
  return u_hasBinaryProperty(of(code), UCHAR_ALPHABETIC) != 0 ||
         (U_MASK(u_charType(of(code))) & kCategories) != 0 ||
         u_hasBinaryProperty(of(code), UCHAR_JOIN_CONTROL) != 0;
}

bool is_mark_8(char32_t code) {
  return code >= 0x80 && category_8(code) == U_NON_SPACING_MARK;
}

bool is_control_8(char32_t code) {
  const int category = code < 0x80 ? u_charType(of(code)) : category_8(code);
  return category == U_CONTROL_CHAR || category == U_FORMAT_CHAR || category == U_PRIVATE_USE_CHAR;
}

bool is_punctuation_8(char32_t code) {
  if (code < 0x80) {
    return (code >= 33 && code <= 47) || (code >= 58 && code <= 64) || (code >= 91 && code <= 96) ||
           (code >= 123 && code <= 126);
  }
  return (U_MASK(category_8(code)) & U_GC_P_MASK) != 0;
}

bool is_combining_mark_9(char32_t code) {
  if (code == 0x1CF2 || code == 0x1CF3) {
    return true;  // Vedic ardhavisarga, letters since 12.0
  }
  return code >= 0x300 && code != 0x111C9 && known_by(code, kVersionOfDecompositions) &&
         (U_MASK(u_charType(of(code))) & U_GC_M_MASK) != 0;
}

bool is_bert_ideograph(char32_t code) {
  static constexpr std::array<std::pair<char32_t, char32_t>, 8> kBlocks = {{{0x4E00, 0x9FFF},
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

Lowered lower_character(char32_t code) {
  constexpr char32_t kDottedCapitalI = 0x130;  // the only character whose lower case is two
  if (code < 0x80) {
    return {code >= 'A' && code <= 'Z' ? code + ('a' - 'A') : code, 0};
  }
  if (code == kDottedCapitalI) {
    return {'i', 0x307};
  }
  return {static_cast<char32_t>(u_tolower(of(code))), 0};
}

void decompose_9(char32_t code, Decomposition kind, std::vector<char32_t>& into) {
  constexpr char32_t kFirst = 0xA0;  // nothing below decomposes
  const icu::Normalizer2* const table = decomposer(kind);
  icu::UnicodeString buffer;
  if (code < kFirst || table == nullptr || !table->getDecomposition(of(code), buffer) ||
      !known_by(code, kVersionOfDecompositions)) {
    into.push_back(code);
    return;
  }
  for (std::int32_t at = 0; at < buffer.length(); at = buffer.moveIndex32(at, 1)) {
    into.push_back(static_cast<char32_t>(buffer.char32At(at)));
  }
}

int combining_class_9(char32_t code) {
  if (code < 0x300) {
    return 0;
  }
  const int found = u_getCombiningClass(of(code));
  return found != 0 && known_by(code, kVersionOfDecompositions) ? found : 0;
}

char32_t compose_9(char32_t first, char32_t second) {
  if (second < 0x300) {
    return 0;
  }
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* const nfc = icu::Normalizer2::getNFCInstance(error);
  const UChar32 composed = nfc == nullptr ? U_SENTINEL : nfc->composePair(of(first), of(second));
  return composed > 0 && known_by(static_cast<char32_t>(composed), kVersionOfDecompositions)
             ? static_cast<char32_t>(composed)
             : 0;
}

std::size_t grapheme_end(std::string_view text, std::size_t at) {
  char32_t before = next_character(text, at);
  if (at >= text.size()) {
    return at;
  }
  constexpr char32_t kFirstJoining = 0x300;
  int kind = -1;            // of `before`, looked up when it matters
  bool pictograph = false;  // before ZWJ, through extenders
  std::int64_t flags = 0;   // regional indicators so far
  for (;;) {
    std::size_t next_at = at;
    const char32_t after = next_character(text, next_at);
    if (before < kFirstJoining && after < kFirstJoining && !(before == '\r' && after == '\n')) {
      return at;
    }
    kind = cluster_break(before);
    const int next = cluster_break(after);
    const auto control = [](int value) {
      return value == U_GCB_CR || value == U_GCB_LF || value == U_GCB_CONTROL;
    };
    if (kind == U_GCB_REGIONAL_INDICATOR) {
      ++flags;
    }
    pictograph = u_hasBinaryProperty(of(before), UCHAR_EXTENDED_PICTOGRAPHIC) != 0 ||
                 (pictograph && (kind == U_GCB_EXTEND || kind == U_GCB_ZWJ));
    bool joins = false;
    if (kind == U_GCB_CR && next == U_GCB_LF) {
      joins = true;
    } else if (!control(kind) && !control(next)) {
      joins = hangul_joins(kind, next) || next == U_GCB_EXTEND || next == U_GCB_ZWJ ||
              next == U_GCB_SPACING_MARK || kind == U_GCB_PREPEND ||
              (kind == U_GCB_ZWJ && pictograph &&
               u_hasBinaryProperty(of(after), UCHAR_EXTENDED_PICTOGRAPHIC) != 0) ||
              (kind == U_GCB_REGIONAL_INDICATOR && next == U_GCB_REGIONAL_INDICATOR && flags % 2 == 1);
    }
    if (!joins || next_at >= text.size()) {
      return joins ? next_at : at;
    }
    before = after;
    at = next_at;
  }
}

}  // namespace mog::model
