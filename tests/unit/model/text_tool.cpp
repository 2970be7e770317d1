// A small program around the readers and tokenizers, for tests that compare with other programs.
//   text_tool open KIND PATH
//   text_tool learn CORPUS SYMBOLS CODES [--min-frequency N] [--total-symbols]
//   text_tool apply CODES CORPUS OUTPUT [--merges N] [--vocabulary FILE THRESHOLD] [--glossary EXPRESSION]…
//   text_tool tokenize TOKENIZER.json-or-FOLDER CORPUS OUTPUT [--words]   a line: ID:BEGIN:END:WORD for every
//     token; also of a sentencepiece model; --words: what TAB separates are the words
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/recording/errors.h"
#include "io/text/corpus.h"
#include "io/text/output_file.h"
#include "model/tokenizer/bpe/bpe.h"
#include "model/tokenizer/bpe/learn_bpe.h"
#include "model/tokenizer/counted_vocabulary.h"
#include "model/tokenizer/loading/foreign_tokenizer.h"
#include "open_any.h"
#include "tests/unit/model/bpe_line.h"

namespace {

using mog::UsageError;

class Arguments {
 public:
  Arguments(int count, char** values) : values_(values + 1, values + count) {}
  bool more() const { return at_ < values_.size(); }
  std::string next() {
    if (!more()) {
      throw UsageError("text_tool: an argument is missing");
    }
    return values_[at_++];
  }

 private:
  std::vector<std::string> values_;
  std::size_t at_ = 0;
};

void open_file(Arguments& arguments) {
  const std::string kind = arguments.next();
  if (const auto sentences = mog::test::open_any(kind, arguments.next())) {
    std::printf("%lld\n", static_cast<long long>(*sentences));
  }
}

void learn(Arguments& arguments) {
  mog::model::WordCounts words;
  mog::io::CorpusReader reader(arguments.next());
  mog::io::CorpusLine line;
  while (reader.next(line)) {
    words.add_line(line.text);
  }
  mog::model::LearnBpeOptions options;
  options.symbols = std::stoll(arguments.next());
  const std::string output = arguments.next();
  while (arguments.more()) {
    const std::string option = arguments.next();
    if (option == "--min-frequency") {
      options.min_frequency = std::stoll(arguments.next());
    } else if (option == "--total-symbols") {
      options.total_symbols = true;
    } else {
      throw UsageError("text_tool learn: unknown option " + option);
    }
  }
  mog::io::write_file(output, learn_bpe(words, options));
}

void apply(Arguments& arguments) {
  const std::string codes = arguments.next();
  const std::string input = arguments.next();
  const std::string output = arguments.next();
  mog::model::BpeOptions options;
  while (arguments.more()) {
    const std::string option = arguments.next();
    if (option == "--merges") {
      options.merges = std::stoll(arguments.next());
    } else if (option == "--glossary") {
      options.glossaries.push_back(arguments.next());
    } else if (option == "--vocabulary") {
      const auto counted = mog::model::read_counted_vocabulary(arguments.next());
      const long long threshold = std::stoll(arguments.next());
      options.vocabulary.emplace();
      for (const auto& [token, count] : counted) {
        if (count >= threshold) {
          options.vocabulary->insert(token);
        }
      }
    } else {
      throw UsageError("text_tool apply: unknown option " + option);
    }
  }
  const auto bpe = mog::model::Bpe::read(codes, options);
  mog::io::CorpusReader reader(input);
  mog::io::CorpusLine line;
  mog::io::OutputFile file(output);
  while (reader.next(line)) {
    file.write(mog::test::segment_line(bpe, line.text) + "\n");
  }
  file.commit();
}

std::vector<std::string> at_tabs(std::string_view line) {
  std::vector<std::string> words(1);
  for (const char character : line) {
    if (character == '\t') {
      words.emplace_back();
    } else {
      words.back() += character;
    }
  }
  return words;
}

std::shared_ptr<const mog::model::Tokenizer> open_tokenizer(const std::filesystem::path& path) {
  return std::filesystem::is_directory(path) ? mog::model::read_foreign_tokenizer(path).tokenizer
                                             : mog::model::open_tokenizer_file(path);
}

// One pass over the lines for every line on standard input: processor seconds and tokens.
void time_passes(Arguments& arguments) {
  const auto tokenizer = open_tokenizer(arguments.next());
  const std::vector<std::string> lines = mog::io::read_corpus(arguments.next());
  for (int c = std::getchar(); c != EOF; c = std::getchar()) {
    const std::clock_t start = std::clock();
    std::size_t tokens = 0;
    for (const std::string& line : lines) {
      tokens += tokenizer->encode(line).tokens.size();
    }
    std::printf("%.6f %zu\n", static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, tokens);
    std::fflush(stdout);
  }
}

void tokenize(Arguments& arguments) {
  const auto tokenizer = open_tokenizer(arguments.next());
  mog::io::CorpusReader reader(arguments.next());
  mog::io::OutputFile file(arguments.next());
  const bool words = arguments.more() && arguments.next() == "--words";
  mog::io::CorpusLine line;
  while (reader.next(line)) {
    const mog::Sentence sentence =
        words ? tokenizer->encode_words(at_tabs(line.text)) : tokenizer->encode(line.text);
    std::string text;
    for (const mog::Token& token : sentence.tokens) {
      text += (text.empty() ? "" : " ") + std::to_string(token.id) + ":" + std::to_string(token.bytes.begin) +
              ":" + std::to_string(token.bytes.end) + ":" + std::to_string(token.word);
    }
    file.write(text + "\n");
  }
  file.commit();
}

}  // namespace

int main(int count, char** values) {
  try {
    Arguments arguments(count, values);
    const std::string command = arguments.next();
    if (command == "open") {
      open_file(arguments);
    } else if (command == "learn") {
      learn(arguments);
    } else if (command == "apply") {
      apply(arguments);
    } else if (command == "tokenize") {
      tokenize(arguments);
    } else if (command == "time") {
      time_passes(arguments);
    } else {
      throw UsageError("text_tool: unknown command " + command);
    }
    return 0;
  } catch (const mog::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.exit_code());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
