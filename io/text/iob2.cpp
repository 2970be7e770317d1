#include "io/text/iob2.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "io/recording/errors.h"
#include "io/text/corpus.h"

namespace mog::io {
namespace {

constexpr std::size_t kLeastColumns = 3;

class Reader {
 public:
  Reader(const std::filesystem::path& path, const Iob2Options& options)
      : file_(path.string()), options_(options), lines_(path, {.sentences = false}) {}

  std::vector<TaggedSentence> read() {
    CorpusLine line;
    while (lines_.next(line)) {
      if (line.text.empty()) {
        close();
      } else if (line.text[0] == '#' && line.text.find('\t') == std::string_view::npos) {
        if (!current_.words.empty()) {
          refuse(line.number, "a comment inside a sentence; comments come before its words");
        }
        current_.comments.emplace_back(line.text);
      } else {
        add(line);
      }
    }
    close();
    if (sentences_.empty()) {
      throw FormatError(fmt::format("{}: expected sentences in IOB2 columns, found none", file_));
    }
    return std::move(sentences_);
  }

 private:
  [[noreturn]] void refuse(std::int64_t line, const std::string& defect) const {
    throw FormatError(fmt::format("{}: line {}: {}", file_, line, defect));
  }

  void close() {
    if (!current_.words.empty()) {
      current_.number = static_cast<std::int64_t>(sentences_.size()) + 1;
      sentences_.push_back(std::move(current_));
    }
    current_ = TaggedSentence{};
    previous_type_.clear();
  }

  void add(const CorpusLine& line) {
    std::vector<std::string_view> columns;
    for (std::string_view rest = line.text;;) {
      const std::size_t tab = rest.find('\t');
      columns.push_back(rest.substr(0, tab));
      if (tab == std::string_view::npos) {
        break;
      }
      rest.remove_prefix(tab + 1);
    }
    if (columns.size() < kLeastColumns) {
      refuse(line.number,
             fmt::format("expected the columns id, word, tag with tabs between, found {}", columns.size()));
    }
    const std::string_view id = columns[0];
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
    if (error != std::errc() || end != id.data() + id.size() || number != current_.words.size() + 1) {
      refuse(line.number, fmt::format("expected the word number {}, found \"{}\"", current_.words.size() + 1,
                                      id.substr(0, 40)));
    }
    if (columns[1].empty()) {
      refuse(line.number, "the word is empty");
    }
    if (current_.words.empty()) {
      current_.line = line.number;
    }
    current_.words.emplace_back(columns[1]);
    current_.tags.push_back(tag(line.number, columns[2]));
  }

  std::string tag(std::int64_t line, std::string_view text) {
    const bool begins = text.starts_with("B-");
    const bool inside = text.starts_with("I-");
    const std::string type(begins || inside ? text.substr(2) : std::string_view());
    if (text != "O" && type.empty()) {
      refuse(line, fmt::format("the tag \"{}\" is none of O, B-TYPE, I-TYPE", text.substr(0, 40)));
    }
    if (inside && type != previous_type_) {
      refuse(line, fmt::format("the tag {} continues no entity of its type", text.substr(0, 40)));
    }
    previous_type_ = type;
    const bool dropped = type.empty() || type == "O" ||
                         std::count(options_.drop_types.begin(), options_.drop_types.end(), type) > 0;
    return dropped ? "O" : std::string(text);
  }

  std::string file_;
  Iob2Options options_;
  CorpusReader lines_;
  TaggedSentence current_;
  std::string previous_type_;
  std::vector<TaggedSentence> sentences_;
};

}  // namespace

std::vector<TaggedSentence> read_iob2(const std::filesystem::path& path, const Iob2Options& options) {
  return Reader(path, options).read();
}

}  // namespace mog::io
