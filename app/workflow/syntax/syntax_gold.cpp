// Sentence n of the recording is sentence n of the treebank. Where the words are not the same, because the
// recording has other ones, both are compared as characters without white space: if those agree, each piece
// goes to the gold word of its characters, by a search in the sorted places of bytes. O(characters + pieces
// log characters).
//
// What cannot be decided is told and not guessed: a piece that covers two gold words, a word without a
// piece, a sentence that the model has read in part.
//
// Trap: characters are compared as they are. A model whose text was normalised keeps the original in the
// recording, and that is what stands here; a treebank with other quotation marks does not agree.
#include "app/workflow/syntax/syntax_gold.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/metrics/unicode_text.h"
#include "io/recording/errors.h"
#include "io/recording/utf8.h"

namespace mog::app {
namespace {

// Refuses forests, naming the row of the second root.
void require_one_root(const std::filesystem::path& path, const io::TreebankSentence& tree) {
  std::int64_t first = 0;
  for (std::size_t i = 0; i < tree.words.size(); ++i) {
    if (tree.words[i].head != 0) {
      continue;
    }
    const auto word = static_cast<std::int64_t>(i) + 1;
    if (first != 0) {
      throw FormatError(fmt::format(
          "{}: line {}: the words {} and {} of sentence {} are both roots; attachment scores need "
          "trees with one root",
          path.string(), tree.words[i].line, first, word, tree.number));
    }
    first = word;
  }
}

// For each code point of `text` that is no white space, the place of its first byte.
struct Squeezed {
  std::u32string characters;
  std::vector<std::int64_t> bytes;
};

Squeezed squeeze(std::string_view text) {
  Squeezed result;
  std::int64_t byte = 0;
  for (const char32_t character : analysis::code_points(text)) {
    if (!analysis::is_space(character)) {
      result.characters += character;
      result.bytes.push_back(byte);
    }
    byte += static_cast<std::int64_t>(utf8_length(character));
  }
  return result;
}

bool same_words(const Sentence& sentence, std::span<const std::string> forms) {
  return std::equal(sentence.words.begin(), sentence.words.end(), forms.begin(), forms.end(),
                    [](const Word& word, const std::string& form) { return word.text == form; });
}

// Where the words part ways.
std::string difference(const Sentence& sentence, std::span<const std::string> forms) {
  const std::size_t both = std::min(forms.size(), sentence.words.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (sentence.words[i].text != forms[i]) {
      return fmt::format("word {} is \"{}\", in the recording \"{}\"", i + 1, forms[i],
                         sentence.words[i].text);
    }
  }
  return fmt::format("it has {} words, in the recording {}", forms.size(), sentence.words.size());
}

std::string align_by_characters(Sentence& sentence, std::span<const std::string> forms) {
  const Squeezed text = squeeze(sentence.text);
  std::u32string gold;
  std::vector<std::int64_t> word_of;  // of each character
  for (std::size_t word = 0; word < forms.size(); ++word) {
    gold += squeeze(forms[word]).characters;
    word_of.resize(gold.size(), static_cast<std::int64_t>(word));
  }
  if (gold != text.characters) {
    return difference(sentence, forms);
  }
  // The character at or after a byte.
  const auto character_at = [&](std::int64_t byte) {
    return static_cast<std::size_t>(std::lower_bound(text.bytes.begin(), text.bytes.end(), byte) -
                                    text.bytes.begin());
  };
  for (Token& token : sentence.tokens) {
    if (token.word < 0) {
      continue;
    }
    const std::size_t first = character_at(token.bytes.begin);
    const std::size_t end = character_at(token.bytes.end);
    if (first >= end) {  // no character of its own
      token.word = -1;
      continue;
    }
    if (word_of[first] != word_of[end - 1]) {
      return fmt::format("the piece \"{}\" of the recording covers the words \"{}\" and \"{}\"", token.text,
                         forms[static_cast<std::size_t>(word_of[first])],
                         forms[static_cast<std::size_t>(word_of[end - 1])]);
    }
    token.word = word_of[first];
  }
  std::vector<Word> words;
  std::size_t character = 0;
  for (const std::string& form : forms) {
    Word word{form, {}};
    const std::size_t length = squeeze(form).characters.size();
    if (length > 0) {
      const std::size_t last = character + length - 1;
      word.bytes = {text.bytes[character],
                    text.bytes[last] + static_cast<std::int64_t>(utf8_length(text.characters[last]))};
    }
    character += length;
    words.push_back(std::move(word));
  }
  sentence.words = std::move(words);
  return "";
}

}  // namespace

TreebankSurvey survey_treebank(const std::filesystem::path& path, const std::stop_token& stop) {
  io::ConlluReader reader(path);
  io::TreebankSentence tree;
  TreebankSurvey survey;
  while (reader.next(tree)) {
    if (stop.stop_requested()) {
      throw Interrupted(fmt::format("reading {}: interrupted", path.string()));
    }
    require_one_root(path, tree);
    for (const io::TreebankWord& word : tree.words) {
      survey.relations.emplace(word.deprel, 0);
    }
    ++survey.sentences;
  }
  if (survey.sentences == 0) {
    throw FormatError(fmt::format("{}: expected sentences in CoNLL-U, found none", path.string()));
  }
  std::int32_t index = 0;
  for (auto& [relation, place] : survey.relations) {
    place = index++;
  }
  return survey;
}

std::string without_space(std::string_view text) {
  std::string result;
  const Squeezed squeezed = squeeze(text);
  for (std::size_t i = 0; i < squeezed.bytes.size(); ++i) {
    result += text.substr(static_cast<std::size_t>(squeezed.bytes[i]), utf8_length(squeezed.characters[i]));
  }
  return result;
}

GoldSentence gold_sentence(const io::TreebankSentence& tree, const TreebankSurvey& survey,
                           const SyntaxOptions& options) {
  GoldSentence gold;
  gold.number = tree.number;
  gold.line = tree.line;
  for (const io::TreebankWord& word : tree.words) {
    const bool given = options.root == RootChoice::gold && word.head == 0;
    const bool counts = !given && (options.punctuation || word.upos != "PUNCT");
    gold.forms.push_back(word.form);
    gold.heads.push_back(static_cast<std::int32_t>(word.head));
    gold.relations.push_back(survey.relations.at(word.deprel));
    gold.tags.push_back(word.upos);
    gold.counts.push_back(counts ? 1 : 0);
  }
  return gold;
}

std::string align(Sentence& sentence, std::span<const std::string> forms) {
  if (sentence.truncated) {
    return "the model read only its beginning";
  }
  if (!same_words(sentence, forms)) {
    if (std::string why = align_by_characters(sentence, forms); !why.empty()) {
      return why;
    }
  }
  std::vector<char> has_piece(forms.size(), 0);
  for (const Token& token : sentence.tokens) {
    if (token.word >= 0) {
      has_piece.at(static_cast<std::size_t>(token.word)) = 1;
    }
  }
  const auto bare = std::find(has_piece.begin(), has_piece.end(), 0);
  if (bare != has_piece.end()) {
    const auto word = static_cast<std::size_t>(bare - has_piece.begin());
    return fmt::format("word {}, \"{}\", has no piece in the recording", word + 1, forms[word]);
  }
  return "";
}

}  // namespace mog::app
