#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <QList>
#include <QString>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/context.h"
#include "app/workflow/common/text_format.h"
#include "app/workflow/recordings/open_recording.h"
#include "io/recording/errors.h"

namespace mog::cli {
namespace {

struct Options {
  std::vector<std::filesystem::path> recordings;  // one, or its parts
  std::string grep;
  std::string words;
};

// How many words a sentence may have.
struct Lengths {
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

// "5-10", "5-", "-10" or "5" (exactly); throws UsageError.
Lengths parse_lengths(const std::string& text) {
  const auto number = [&](std::string_view piece) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(piece.data(), piece.data() + piece.size(), value);
    if (error != std::errc() || end != piece.data() + piece.size() || value < 0) {
      throw UsageError(fmt::format(
          "--words {}: expected numbers of words: 5-10, 5- (and more), -10 (at most) or 5 (exactly)", text));
    }
    return value;
  };
  const std::string_view whole = text;
  const auto dash = whole.find('-');
  if (dash == std::string_view::npos) {
    const std::int64_t exactly = number(whole);
    return {exactly, exactly};
  }
  const std::string_view from = whole.substr(0, dash);
  const std::string_view to = whole.substr(dash + 1);
  Lengths lengths;
  if (!from.empty() || to.empty()) {
    lengths.least = number(from);
  }
  if (!to.empty()) {
    lengths.most = number(to);
  }
  if (lengths.most < lengths.least) {
    throw UsageError(fmt::format("--words {}: the range ends before it begins", text));
  }
  return lengths;
}

// A literal text; capitals count only where it has some. Composed and decomposed letters are the same.
class Search {
 public:
  explicit Search(const std::string& text) : text_(composed(text)) {
    const auto letters = text_.toUcs4();
    const bool capitals =
        std::any_of(letters.begin(), letters.end(), [](char32_t letter) { return QChar::isUpper(letter); });
    cases_ = capitals ? Qt::CaseSensitive : Qt::CaseInsensitive;
  }
  bool finds(const std::string& text) const { return composed(text).contains(text_, cases_); }

 private:
  static QString composed(const std::string& text) {
    return QString::fromStdString(text).normalized(QString::NormalizationForm_C);
  }
  QString text_;
  Qt::CaseSensitivity cases_ = Qt::CaseInsensitive;
};

std::string line_of(const Sentence& sentence, std::int64_t words, bool json) {
  if (json) {
    using Json = nlohmann::ordered_json;
    const Json line = {{"sentence", sentence.number}, {"words", words}, {"text", sentence.text}};
    return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  std::string text = sentence.text;
  std::replace(text.begin(), text.end(), '\t', ' ');
  return fmt::format("{}\t{}\t{}\n", sentence.number, words, app::printable(text));
}

void sentences(Context& context, const Options& options) {
  constexpr std::size_t kBlock = 1 << 16;  // bytes that are printed at once
  const Lengths lengths = options.words.empty() ? Lengths() : parse_lengths(options.words);
  const Search search(options.grep);
  const std::shared_ptr<const RecordingSource> source = app::open_recording(options.recordings);
  context.console.notes(app::missing_of(app::readers_of(*source)));
  const RecordingSource& reader = *source;
  const std::vector<std::int64_t> counts = reader.word_counts();
  std::string text;
  std::int64_t found = 0;
  for (std::int64_t index = 0; index < reader.size(); ++index) {
    const std::int64_t words = counts[static_cast<std::size_t>(index)];
    if (words < lengths.least || words > lengths.most) {
      continue;
    }
    const Sentence sentence = reader.sentence(index);
    if (!options.grep.empty() && !search.finds(sentence.text)) {
      continue;
    }
    ++found;
    text += line_of(sentence, words, context.json);
    if (text.size() >= kBlock) {
      context.print(text);
      text.clear();
    }
  }
  if (!text.empty()) {
    context.print(text);
  }
  if (found == 0) {
    context.console.note(fmt::format("no sentence of {} in {} is like this", reader.size(),
                                     options.recordings.front().string()));
  }
}

}  // namespace

void add_sentences(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand(
      "sentences", "List the sentences of a recording: number, words and text, separated by tabs");
  command
      ->add_option("RECORDING", options->recordings,
                   "A recording's directory, its recording.h5, or one shard; parts of one run join")
      ->required();
  command->add_option(
      "--grep", options->grep,
      "Only sentences with this text, taken literally; capitals count only where it has some");
  command->add_option("--words", options->words,
                      "Only sentences with so many words: 5-10, 5- (and more), -10 (at most) or 5 (exactly)");
  context.add_common_options(*command);
  command->footer(examples({"mog sentences corpus.rec", "mog sentences corpus.rec --grep dog --words 5-10",
                            "mog sentences corpus.rec --json | head -1"}));
  command->callback(
      [&context, options] { context.action = [&context, options] { sentences(context, *options); }; });
}

}  // namespace mog::cli
