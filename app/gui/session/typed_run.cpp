#include "app/gui/session/typed_run.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "app/workflow/common/shell_line.h"
#include "app/workflow/recordings/recorded_text.h"

namespace mog::gui {
namespace {

// What is kept of typed sentences, for a run and for `mog record`.
constexpr const char* kCaptureOptions = "--capture summary,attention,gates,shares --store float32";
app::CaptureSet captures_of_typed() {
  app::CaptureSet captures;
  captures.names = {app::CaptureName::summary, app::CaptureName::attention, app::CaptureName::gates,
                    app::CaptureName::shares};
  captures.store = DType::float32;
  return captures;
}

constexpr const char* kNextTokens = "encoder.next_token.*";

OpenedModel cutting(OpenedModel loaded, model::WordCut words) {
  loaded.tokenizer = tokenizer_of(loaded, words);
  return loaded;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    words.push_back(std::move(word));
  }
  return words;
}

}  // namespace

std::vector<std::string> sentence_names(const std::vector<std::string>& texts) {
  constexpr std::ptrdiff_t kAlike = 3;  // words, from which on the beginning says too little
  std::vector<std::vector<std::string>> words;
  words.reserve(texts.size());
  for (const std::string& text : texts) {
    words.push_back(words_of(text));
  }
  std::vector<std::string> names = texts;
  std::map<std::string, int> seen;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::ptrdiff_t alike = 0;
    for (std::size_t j = 0; j < texts.size(); ++j) {
      if (j != i && words[j] != words[i]) {
        const auto apart = std::mismatch(words[i].begin(), words[i].end(), words[j].begin(), words[j].end());
        alike = std::max(alike, apart.first - words[i].begin());
      }
    }
    if (alike >= kAlike && alike < std::ssize(words[i])) {
      names[i] = words[i].front() + " …";
      for (auto word = words[i].begin() + alike; word != words[i].end(); ++word) {
        names[i] += " " + *word;
      }
    }
    if (const int number = ++seen[texts[i]]; number > 1) {
      names[i] += " (" + std::to_string(number) + ")";
    }
  }
  return names;
}

std::shared_ptr<const model::Tokenizer> tokenizer_of(const OpenedModel& loaded, model::WordCut words) {
  return model::with_words(loaded.tokenizer, words);
}

std::shared_ptr<const RecordingSource> run_typed(const OpenedModel& loaded, const TypedSentence& sentence,
                                                 const std::stop_token& stop) {
  return app::record_sentence(
      cutting(loaded, sentence.words), sentence.text, captures_of_typed(), sentence.interventions, stop,
      predicts_tokens(loaded) ? std::vector<std::string>{kNextTokens} : std::vector<std::string>());
}

std::shared_ptr<const RecordingSource> run_for(const OpenedModel& loaded, const TypedSentence& sentence,
                                               const QString& quantities, const std::stop_token& stop) {
  app::CaptureSet captures;
  captures.names = {};
  captures.store = DType::float32;
  return app::record_sentence(cutting(loaded, sentence.words), sentence.text, captures,
                              sentence.interventions, stop, {quantities.toStdString()});
}

std::shared_ptr<const RecordingSource> run_as_text(const OpenedModel& loaded, const TypedSentence& sentence,
                                                   const QString& quantities, const std::stop_token& stop) {
  app::CaptureSet captures;
  captures.names = {};
  captures.store = DType::float32;
  Provenance made;
  made.program_version = MOG_VERSION;
  made.corpus_name =
      app::name_of_text_run(loaded.model->config(), app::words_of(loaded.model->config(), sentence.words));
  made.precision = app::precision_name(loaded.precision);
  return app::record_sentence(cutting(loaded, sentence.words), sentence.text, captures,
                              sentence.interventions, stop, {quantities.toStdString()}, made);
}

bool predicts_tokens(const OpenedModel& loaded) {
  return loaded.model != nullptr && loaded.model->config().language_model.has_value();
}

std::optional<QString> record_command(const std::vector<TypedSentence>& typed, const QString& model_path,
                                      const QString& recording, bool predicts) {
  std::vector<std::string> print = {"printf", "%s\\n"};
  for (const TypedSentence& sentence : typed) {
    if (!sentence.interventions.empty() || sentence.words != typed.front().words) {
      return std::nullopt;
    }
    print.push_back(sentence.text);
  }
  std::vector<std::string> record = {"mog",     "record", "--model",  model_path.toStdString(),
                                     "--input", "-",      "--output", recording.toStdString()};
  if (!typed.empty() && typed.front().words != model::WordCut::automatic) {
    record.insert(record.end(), {"--words", std::string(model::name(typed.front().words))});
  }
  if (predicts) {
    record.insert(record.end(), {"--quantity", kNextTokens});
  }
  return QString::fromStdString(app::shell_line(print)) + QStringLiteral(" | ") +
         QString::fromStdString(app::shell_line(record)) + QLatin1Char(' ') +
         QString::fromLatin1(kCaptureOptions) +
         QStringLiteral(" --corpus-name 'typed sentence' --batch-tokens 1");
}

}  // namespace mog::gui
