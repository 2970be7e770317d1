// Two kinds of parts. A cutter moves borders and leaves the text alone: something finds matches (a property
// of characters, a pattern, words), and what becomes of a match is the same for all (join). A rewriter
// (bytes as characters, spaces as marks) makes a new text, each byte of which keeps the origin of what it
// stands for, so that places in the original survive any chain of parts (decision 13). Parts that are an
// added token pass untouched through both.
//
// Each part is one pass, O(bytes); a pattern takes what its expression takes. With its option `cuts`
// ByteLevel parts as GPT-2 does, by hand (byte_level.cpp) and not by the expression.
//
// Traps: an empty part is never kept, others could not stand on its first byte. Metaspace asks where a part
// begins in the original, not in the text as it is now: an added token before it makes it no first part.
#include "model/tokenizer/json/pre_tokenizers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/recording/pieces.h"
#include "io/recording/utf8.h"
#include "model/tokenizer/json/tokenizer_component.h"
#include "model/tokenizer/text/byte_level.h"
#include "model/tokenizer/text/reference_unicode.h"
#include "model/tokenizer/text/regex_pattern.h"

namespace mog::model {
namespace {

using Json = nlohmann::ordered_json;
using PreTokenizerPtr = std::unique_ptr<const PreTokenizer>;
using Find = std::function<void(std::string_view, std::vector<Match>&)>;

enum class Delimiter : std::uint8_t { removed, isolated, merged_with_previous, merged_with_next, contiguous };

const std::vector<std::pair<Delimiter, std::string_view>> kDelimiters = {
    {Delimiter::removed, "Removed"},
    {Delimiter::isolated, "Isolated"},
    {Delimiter::merged_with_previous, "MergedWithPrevious"},
    {Delimiter::merged_with_next, "MergedWithNext"},
    {Delimiter::contiguous, "Contiguous"}};

// Each character that `hits` accepts is a match.
template <class Hits>
void find_characters(std::string_view text, Hits&& hits, std::vector<Match>& matches) {
  std::size_t covered = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (!hits(next_character(text, at))) {
      continue;
    }
    if (covered < begin) {
      matches.push_back({covered, begin, false});
    }
    matches.push_back({begin, at, true});
    covered = at;
  }
  if (covered < text.size()) {
    matches.push_back({covered, text.size(), false});
  }
}

// Parts of a text from the matches of a delimiter.
void join(std::vector<Match>& matches, Delimiter delimiter) {
  std::vector<Match> parts;
  parts.reserve(matches.size());
  bool previous = false;
  switch (delimiter) {
    case Delimiter::removed:
      std::erase_if(matches, [](const Match& match) { return match.hit; });
      return;
    case Delimiter::isolated:
      return;
    case Delimiter::contiguous:
    case Delimiter::merged_with_previous:
      for (const Match& match : matches) {
        const bool joins =
            delimiter == Delimiter::contiguous ? match.hit == previous : match.hit && !previous;
        if (joins && !parts.empty()) {
          parts.back().end = match.end;
        } else {
          parts.push_back(match);
        }
        previous = match.hit;
      }
      break;
    case Delimiter::merged_with_next:
      for (auto match = matches.rbegin(); match != matches.rend(); ++match) {
        if (match->hit && !previous && !parts.empty()) {
          parts.back().begin = match->begin;
        } else {
          parts.push_back(*match);
        }
        previous = match->hit;
      }
      std::reverse(parts.begin(), parts.end());
      break;
  }
  matches = std::move(parts);
}

// Cuts without changing the text.
class Cutter final : public PreTokenizer {
 public:
  Cutter(Find find, Delimiter delimiter, bool inverted = false)
      : find_(std::move(find)), delimiter_(delimiter), inverted_(inverted) {}

  void apply(CutText& cut) const override {
    std::vector<Part> parts;
    parts.reserve(cut.parts.size());
    std::vector<Match> matches;
    for (const Part& part : cut.parts) {
      if (part.token >= 0) {
        parts.push_back(part);
        continue;
      }
      matches.clear();
      find_(cut.view(part), matches);
      if (inverted_) {
        for (Match& match : matches) {
          match.hit = !match.hit;
        }
      }
      join(matches, delimiter_);
      for (const Match& match : matches) {
        if (match.begin < match.end) {
          parts.push_back({part.begin + static_cast<std::uint32_t>(match.begin),
                           part.begin + static_cast<std::uint32_t>(match.end), -1});
        }
      }
    }
    cut.parts = std::move(parts);
  }

 private:
  Find find_;
  Delimiter delimiter_;
  bool inverted_;
};

class Chain final : public PreTokenizer {
 public:
  explicit Chain(std::vector<PreTokenizerPtr> parts) : parts_(std::move(parts)) {}
  void apply(CutText& cut) const override {
    for (const PreTokenizerPtr& part : parts_) {
      part->apply(cut);
    }
  }

 private:
  std::vector<PreTokenizerPtr> parts_;
};

// Rewrites the text part by part; added tokens are copied.
class Rewriter {
 public:
  explicit Rewriter(CutText& cut) : old_(std::move(cut)), result_(cut) {
    result_.text = {};
    result_.parts.clear();
    result_.text.bytes.reserve(old_.text.bytes.size() * 3 / 2);
    result_.text.origin.reserve(old_.text.bytes.size() * 3 / 2);
    result_.parts.reserve(old_.parts.size());
  }
  // rewrite(text, part) appends to text().
  template <class Rewrite>
  void each(Rewrite&& rewrite) {
    for (const Part& part : old_.parts) {
      if (part.token >= 0) {
        const auto begin = static_cast<std::uint32_t>(text().bytes.size());
        text().append_part(old_.text, part.begin, part.end);
        result_.parts.push_back({begin, begin + part.end - part.begin, part.token});
      } else {
        rewrite(old_.text, part);
      }
    }
  }
  AlignedText& text() { return result_.text; }
  // The text from `begin` on is a part.
  void close(std::size_t begin) {
    if (begin < text().bytes.size()) {
      result_.parts.push_back(
          {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(text().bytes.size()), -1});
    }
  }

 private:
  CutText old_;
  CutText& result_;
};

class ByteLevel final : public PreTokenizer {
 public:
  ByteLevel(bool prefix, bool cuts) : prefix_(prefix), cuts_(cuts) {}

  void apply(CutText& cut) const override {
    Rewriter rewriter(cut);
    std::vector<Match> matches;
    std::string buffer;
    rewriter.each([&](const AlignedText& text, const Part& part) {
      std::string_view view = std::string_view(text.bytes).substr(part.begin, part.end - part.begin);
      const std::size_t added = prefix_ && !view.starts_with(' ') ? 1 : 0;
      if (added > 0) {
        buffer.assign(1, ' ');
        buffer += view;
        view = buffer;
      }
      matches.clear();
      if (cuts_) {
        find_gpt2_words(view, matches);
      } else {
        matches.push_back({0, view.size(), true});
      }
      for (const Match& match : matches) {
        const std::size_t begin = rewriter.text().bytes.size();
        for (std::size_t at = match.begin; at < match.end; ++at) {
          const Origin from = text.origin[part.begin + (at < added ? 0 : at - added)];
          rewriter.text().append(byte_character(static_cast<unsigned char>(view[at])), from);
        }
        rewriter.close(begin);
      }
    });
  }

 private:
  bool prefix_;
  bool cuts_;
};

enum class Prepend : std::uint8_t { first, never, always };

class Metaspace final : public PreTokenizer {
 public:
  Metaspace(char32_t replacement, Prepend prepend, bool cuts) : prepend_(prepend), cuts_(cuts) {
    append_utf8(replacement_, replacement);
  }

  void apply(CutText& cut) const override {
    Rewriter rewriter(cut);
    rewriter.each([&](const AlignedText& text, const Part& part) {
      const std::string_view view = std::string_view(text.bytes).substr(part.begin, part.end - part.begin);
      AlignedText& out = rewriter.text();
      std::size_t begin = out.bytes.size();
      const Origin first = text.origin[part.begin];
      const bool marked = view.starts_with(' ') || view.starts_with(replacement_);
      if (!marked && (prepend_ == Prepend::always || (prepend_ == Prepend::first && first.begin == 0))) {
        out.append(replacement_, first);
      }
      for (std::size_t at = 0; at < view.size();) {
        const bool space = view[at] == ' ';
        const bool mark = space || view.substr(at).starts_with(replacement_);
        if (!mark) {
          // A whole character or run without a mark.
          std::size_t stop = std::min(view.find(' ', at), view.size());
          stop = std::min(view.substr(0, stop).find(replacement_, at), stop);
          out.append_part(text, part.begin + at, part.begin + stop);
          at = stop;
          continue;
        }
        if (cuts_) {
          rewriter.close(begin);
          begin = out.bytes.size();
        }
        out.append(replacement_, text.origin[part.begin + at]);
        at += space ? 1 : replacement_.size();
      }
      rewriter.close(begin);
    });
  }

 private:
  std::string replacement_;
  Prepend prepend_;
  bool cuts_;
};

void find_words(std::string_view text, std::vector<Match>& matches) {
  enum class Kind : std::uint8_t { word, space, other };
  const auto kind_of = [](char32_t code) {
    return is_word_character(code) ? Kind::word : is_white_space(code) ? Kind::space : Kind::other;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const Kind kind = kind_of(next_character(text, at));
    while (at < text.size()) {
      std::size_t next = at;
      if (kind_of(next_character(text, next)) != kind) {
        break;
      }
      at = next;
    }
    matches.push_back({begin, at, kind == Kind::space});
  }
}

PreTokenizerPtr read_metaspace(ConfigReader& reader) {
  const char32_t replacement = read_character(reader, "replacement");
  Prepend prepend = Prepend::always;
  if (reader.has("prepend_scheme")) {
    prepend = reader.choice<Prepend>(
        "prepend_scheme",
        {{Prepend::first, "first"}, {Prepend::never, "never"}, {Prepend::always, "always"}});
  }
  // The older spelling of never and always.
  if (reader.has("add_prefix_space") && !reader.at("add_prefix_space").is_null() &&
      !reader.boolean("add_prefix_space")) {
    if (reader.has("prepend_scheme") && prepend != Prepend::never) {
      reader.refuse("add_prefix_space", "true, as prepend_scheme says", "false");
    }
    prepend = Prepend::never;
  }
  bool cuts = true;
  if (reader.has("split") && !reader.at("split").is_null()) {
    cuts = reader.boolean("split");
  }
  if (reader.has("str_rep")) {
    reader.at("str_rep");
  }
  return std::make_unique<Metaspace>(replacement, prepend, cuts);
}

PreTokenizerPtr read_sequence(ConfigReader& reader, const std::string& file, const std::string& path) {
  std::vector<PreTokenizerPtr> parts;
  const Json& list = reader.at("pretokenizers");
  if (!list.is_array()) {
    reader.refuse("pretokenizers", "a list", list.dump().substr(0, 80));
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (PreTokenizerPtr part =
            read_pre_tokenizer(list[i], file, fmt::format("{}.pretokenizers[{}]", path, i))) {
      parts.push_back(std::move(part));
    }
  }
  return std::make_unique<Chain>(std::move(parts));
}

template <class Hits>
PreTokenizerPtr cut_at(Hits hits, Delimiter delimiter) {
  return std::make_unique<Cutter>(
      [hits](std::string_view text, std::vector<Match>& matches) { find_characters(text, hits, matches); },
      delimiter);
}

PreTokenizerPtr read_split(ConfigReader& reader, const std::string& file, const std::string& path) {
  std::shared_ptr<const Pattern> pattern = read_pattern(reader, file, path);
  const Delimiter delimiter = reader.choice("behavior", kDelimiters);
  return std::make_unique<Cutter>(
      [pattern](std::string_view text, std::vector<Match>& matches) { pattern->find(text, matches); },
      delimiter, reader.boolean("invert"));
}

PreTokenizerPtr read_fixed_length(ConfigReader& reader) {
  const std::int64_t length = reader.has("length") ? reader.integer("length", 1, 1 << 20) : 5;
  return std::make_unique<Cutter>(
      [length](std::string_view text, std::vector<Match>& matches) {
        for (std::size_t at = 0; at < text.size();) {
          const std::size_t begin = at;
          for (std::int64_t i = 0; i < length && at < text.size(); ++i) {
            next_character(text, at);
          }
          matches.push_back({begin, at, false});
        }
      },
      Delimiter::isolated);
}

PreTokenizerPtr read_known(const std::string& type, ConfigReader& reader, const std::string& file,
                           const std::string& path) {
  if (type == "BertPreTokenizer") {
    std::vector<PreTokenizerPtr> both;
    both.push_back(cut_at(is_white_space, Delimiter::removed));
    both.push_back(cut_at(is_punctuation_8, Delimiter::isolated));
    return std::make_unique<Chain>(std::move(both));
  }
  if (type == "Whitespace") {
    return std::make_unique<Cutter>(find_words, Delimiter::removed);
  }
  if (type == "WhitespaceSplit") {
    return cut_at(is_white_space, Delimiter::removed);
  }
  if (type == "ByteLevel") {
    const bool prefix = reader.boolean("add_prefix_space");
    if (reader.has("trim_offsets")) {
      reader.boolean("trim_offsets");  // of the post-processor
    }
    return std::make_unique<ByteLevel>(prefix, !reader.has("use_regex") || reader.boolean("use_regex"));
  }
  if (type == "Metaspace") {
    return read_metaspace(reader);
  }
  if (type == "Punctuation") {
    return cut_at(is_punctuation_8,
                  reader.has("behavior") ? reader.choice("behavior", kDelimiters) : Delimiter::isolated);
  }
  if (type == "Digits") {
    return cut_at(is_number,
                  reader.boolean("individual_digits") ? Delimiter::isolated : Delimiter::contiguous);
  }
  if (type == "Split") {
    return read_split(reader, file, path);
  }
  if (type == "CharDelimiterSplit") {
    const char32_t delimiter = read_character(reader, "delimiter");
    return cut_at([delimiter](char32_t code) { return code == delimiter; }, Delimiter::removed);
  }
  if (type == "FixedLength") {
    return read_fixed_length(reader);
  }
  if (type == "Sequence") {
    return read_sequence(reader, file, path);
  }
  refuse_component(
      file, path, "pre-tokenizer", type,
      "BertPreTokenizer, ByteLevel, CharDelimiterSplit, Digits, FixedLength, Metaspace, Punctuation, "
      "Sequence, Split, Whitespace, WhitespaceSplit");
}

}  // namespace

PreTokenizerPtr read_pre_tokenizer(const Json& value, const std::string& file, const std::string& path) {
  if (value.is_null()) {
    return nullptr;
  }
  ConfigReader reader(value, file, path);
  PreTokenizerPtr result = read_known(reader.text("type"), reader, file, path);
  reader.finish();
  return result;
}

}  // namespace mog::model
