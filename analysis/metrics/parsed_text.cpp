// Alignment follows the rules of conll18_ud_eval.py (Zeman et al. 2018) to the letter, so that counts agree
// with it on every file. Its stretch around a multiword token is found by one rule worth knowing: where the
// other side has a plain word that begins before the token, exactly one such word is passed over, and what
// precedes the token besides is in the stretch.
#include "analysis/metrics/parsed_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "analysis/metrics/unicode_text.h"
#include "io/recording/errors.h"
#include "io/recording/utf8.h"

namespace mog::analysis {
namespace {

using Words = std::vector<TextWord>;

constexpr std::size_t kMostCells = 100'000'000;  // of a table of common subsequences

// The general category Zs of Unicode.
bool is_space_separator(char32_t character) {
  return character == 0x20 || character == 0xA0 || character == 0x1680 ||
         (character >= 0x2000 && character <= 0x200A) || character == 0x202F || character == 0x205F ||
         character == 0x3000;
}

std::u32string without_spaces(std::string_view form) {
  std::u32string characters = code_points(form);
  std::erase_if(characters, is_space_separator);
  return characters;
}

std::string utf8(std::u32string_view characters) {
  std::string text;
  for (const char32_t character : characters) {
    append_utf8(text, character);
  }
  return text;
}

// The features that the evaluation compares: those of Universal Dependencies 2.2.
bool is_universal(std::string_view feature) {
  constexpr std::array<std::string_view, 21> kNames = {
      "PronType", "NumType", "Poss",  "Reflex",   "Foreign", "Abbr",   "Gender",
      "Animacy",  "Number",  "Case",  "Definite", "Degree",  "Tense",  "VerbForm",
      "Mood",     "Aspect",  "Voice", "Evident",  "Person",  "Polite", "Polarity"};
  return std::ranges::find(kNames, feature.substr(0, feature.find('='))) != kNames.end();
}

std::string universal_features(std::string_view feats) {
  std::vector<std::string_view> kept;
  while (true) {
    const std::size_t bar = feats.find('|');
    if (is_universal(feats.substr(0, bar))) {
      kept.push_back(feats.substr(0, bar));
    }
    if (bar == std::string_view::npos) {
      break;
    }
    feats.remove_prefix(bar + 1);
  }
  std::sort(kept.begin(), kept.end());
  std::string text;
  for (const std::string_view feature : kept) {
    text += (text.empty() ? "" : "|") + std::string(feature);
  }
  return text;
}

// Index ranges [begin, end) of words of both texts.
struct Stretch {
  std::size_t reference_begin = 0;
  std::size_t hypothesis_begin = 0;
  std::size_t reference_end = 0;
  std::size_t hypothesis_end = 0;
};

bool beyond(const Words& words, std::size_t at, std::int64_t end) {
  return at >= words.size() || (words[at].multiword ? words[at].span.begin >= end : words[at].span.end > end);
}

// The smallest stretch that begins with a multiword token and no such token sticks out of. reference[i] or
// hypothesis[j] is in one.
Stretch multiword_stretch(const Words& reference, const Words& hypothesis, std::size_t i, std::size_t j) {
  const bool of_reference = reference[i].multiword;
  const TextSpan token = of_reference ? reference[i].span : hypothesis[j].span;
  const Words& others = of_reference ? hypothesis : reference;
  std::size_t& other = of_reference ? j : i;
  if (!others[other].multiword && others[other].span.begin < token.begin) {
    ++other;
  }
  Stretch stretch{i, j, i, j};
  std::int64_t end = token.end;
  const auto take = [&](const Words& words, std::size_t& at) {
    end = words[at].multiword ? std::max(end, words[at].span.end) : end;
    ++at;
  };
  while (!beyond(reference, i, end) || !beyond(hypothesis, j, end)) {
    if (i < reference.size() &&
        (j >= hypothesis.size() || reference[i].span.begin <= hypothesis[j].span.begin)) {
      take(reference, i);
    } else {
      take(hypothesis, j);
    }
  }
  stretch.reference_end = i;
  stretch.hypothesis_end = j;
  return stretch;
}

// Aligns the words of a stretch by the longest common subsequence of their forms.
void align_by_forms(const Words& reference, const Words& hypothesis, const Stretch& stretch,
                    std::vector<std::int64_t>& aligned) {
  const std::size_t rows = stretch.reference_end - stretch.reference_begin;
  const std::size_t columns = stretch.hypothesis_end - stretch.hypothesis_begin;
  if (columns > 0 && rows > kMostCells / columns) {
    throw FormatError(
        fmt::format("aligning words: multiword tokens of sentence {} make a stretch of {} and {} words, more "
                    "than can be compared",
                    reference[stretch.reference_begin].sentence + 1, rows, columns));
  }
  const auto same = [&](std::size_t i, std::size_t j) {
    return reference[stretch.reference_begin + i].word.form ==
           hypothesis[stretch.hypothesis_begin + j].word.form;
  };
  // [i, j]: length for the words from i and j on; a row and a column of zeros behind the last.
  std::vector<std::int32_t> length((rows + 1) * (columns + 1), 0);
  const auto cell = [&](std::size_t i, std::size_t j) -> std::int32_t& {
    return length[i * (columns + 1) + j];
  };
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;) {
      cell(i, j) = std::max({same(i, j) ? 1 + cell(i + 1, j + 1) : 0, cell(i + 1, j), cell(i, j + 1)});
    }
  }
  for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
    if (same(i, j)) {
      aligned[stretch.hypothesis_begin + j++] = static_cast<std::int64_t>(stretch.reference_begin + i++);
    } else if (cell(i, j) == cell(i + 1, j)) {
      ++i;
    } else {
      ++j;
    }
  }
}

void require_same_text(const ParsedText& reference, const ParsedText& hypothesis) {
  constexpr std::size_t kShown = 20;
  const std::u32string& left = reference.characters();
  const std::u32string& right = hypothesis.characters();
  if (left == right) {
    return;
  }
  const auto place = static_cast<std::size_t>(std::ranges::mismatch(left, right).in1 - left.begin());
  const auto shown = [&](const ParsedText& text) {
    const std::u32string& characters = text.characters();
    return place == characters.size()
               ? fmt::format("{} ends", text.name())
               : fmt::format("{} goes on with \"{}\" (sentence {})", text.name(),
                             utf8(std::u32string_view(characters).substr(place, kShown)),
                             text.sentence_at(static_cast<std::int64_t>(place)) + 1);
  };
  throw FormatError(
      fmt::format("scoring {} against {}: their words are not of one text. After {} characters {}, {}",
                  hypothesis.name(), reference.name(), place, shown(reference), shown(hypothesis)));
}

}  // namespace

void ParsedText::add(const ParsedSentence& sentence) {
  const auto number = static_cast<std::int64_t>(sentences_.size());
  const auto refuse = [&](const std::string& defect) {
    throw FormatError(fmt::format("{}: sentence {}: {}", name_, number + 1, defect));
  };
  const auto first = static_cast<std::int64_t>(words_.size());
  const auto begin = static_cast<std::int64_t>(characters_.size());
  std::size_t at = 0;
  std::int64_t roots = 0;
  for (const ParsedToken& token : sentence.tokens) {
    const std::u32string characters = without_spaces(token.form);
    if (characters.empty()) {
      refuse(fmt::format("its token {} has no character but spaces", tokens_.size() + 1));
    }
    const auto place = static_cast<std::int64_t>(characters_.size());
    characters_ += characters;
    const TextSpan span{place, static_cast<std::int64_t>(characters_.size())};
    tokens_.push_back(span);
    for (std::int32_t i = 0; i < token.words; ++i, ++at) {
      if (at == sentence.words.size()) {
        refuse(fmt::format("its tokens stand for more than its {} words", sentence.words.size()));
      }
      TextWord word{sentence.words[at], span, token.multiword, -1, number};
      if (word.word.head < 0 || static_cast<std::size_t>(word.word.head) > sentence.words.size()) {
        refuse(fmt::format("the head of word {} is {}", at + 1, word.word.head));
      }
      if (!token.multiword) {
        word.word.form = utf8(without_spaces(word.word.form));
      }
      word.word.feats = universal_features(word.word.feats);
      word.word.relation.resize(std::min(word.word.relation.find(':'), word.word.relation.size()));
      word.parent = word.word.head == 0 ? -1 : first + word.word.head - 1;
      roots += word.word.head == 0 ? 1 : 0;
      words_.push_back(std::move(word));
    }
  }
  if (at != sentence.words.size()) {
    refuse(fmt::format("its tokens stand for {} of its {} words", at, sentence.words.size()));
  }
  several_roots_ += roots > 1 ? 1 : 0;
  sentences_.push_back({begin, static_cast<std::int64_t>(characters_.size())});
}

std::int64_t ParsedText::sentence_at(std::int64_t character) const {
  const auto found = std::ranges::upper_bound(sentences_, character, {}, &TextSpan::end);
  return std::min(found - sentences_.begin(), std::ssize(sentences_) - 1);
}

std::vector<std::int64_t> aligned_words(const ParsedText& reference, const ParsedText& hypothesis) {
  require_same_text(reference, hypothesis);
  const Words& left = reference.words();
  const Words& right = hypothesis.words();
  std::vector<std::int64_t> aligned(right.size(), -1);
  for (std::size_t i = 0, j = 0; i < left.size() && j < right.size();) {
    if (left[i].multiword || right[j].multiword) {
      const Stretch stretch = multiword_stretch(left, right, i, j);
      align_by_forms(left, right, stretch, aligned);
      i = stretch.reference_end;
      j = stretch.hypothesis_end;
    } else if (left[i].span == right[j].span) {
      aligned[j++] = static_cast<std::int64_t>(i++);
    } else if (left[i].span.begin <= right[j].span.begin) {
      ++i;
    } else {
      ++j;
    }
  }
  return aligned;
}

std::vector<std::int64_t> common_ends(const std::vector<const ParsedText*>& texts) {
  std::vector<std::int64_t> ends;
  for (std::size_t at = 0; at < texts.size(); ++at) {
    std::vector<std::int64_t> own;
    own.reserve(texts[at]->sentences().size());
    for (const TextSpan& sentence : texts[at]->sentences()) {
      own.push_back(sentence.end);
    }
    if (at > 0) {
      std::vector<std::int64_t> both;
      std::ranges::set_intersection(ends, own, std::back_inserter(both));
      own = std::move(both);
    }
    ends = std::move(own);
  }
  return ends;
}

}  // namespace mog::analysis
