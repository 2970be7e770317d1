// Sentences that a reader types: running one, and the command that records them.
#pragma once

#include <QString>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/gui/session/open_path.h"
#include "model/intervention.h"
#include "model/tokenizer/words/words.h"

namespace mog::gui {

// What a typed sentence is: its words and what was changed inside the model (of sentence 0).
struct TypedSentence {
  std::string text;
  std::vector<model::Intervention> interventions;
  std::int64_t parent = -1;  // index of the sentence that this one changes; -1: none
  model::WordCut words = model::WordCut::automatic;
  std::string name = {};  // by the reader; empty: its first words, or what was changed
};

// Texts cut to what tells them apart where they begin alike: "The … until the moon rose". Alike in every
// word, they are numbered.
std::vector<std::string> sentence_names(const std::vector<std::string>& texts);

// The tokenizer that cuts text as a typed sentence asks for. These three are safe on any thread; they throw
// what app::record_sentence throws.
std::shared_ptr<const model::Tokenizer> tokenizer_of(const OpenedModel& loaded, model::WordCut words);
std::shared_ptr<const RecordingSource> run_typed(const OpenedModel& loaded, const TypedSentence& sentence,
                                                 const std::stop_token& stop);
// The same run with these quantities alone.
std::shared_ptr<const RecordingSource> run_for(const OpenedModel& loaded, const TypedSentence& sentence,
                                               const QString& quantities, const std::stop_token& stop);
// The same as `mog figure --text` runs it, which says so in its captions.
std::shared_ptr<const RecordingSource> run_as_text(const OpenedModel& loaded, const TypedSentence& sentence,
                                                   const QString& quantities, const std::stop_token& stop);
// Whether a model says what follows each token: it reads from left to right, and has the map to its
// vocabulary. What its last states say is then kept of typed sentences.
bool predicts_tokens(const OpenedModel& loaded);

// How the words of a recording were cut, as its command says.
model::WordCut cut_of(const RecordingSource& source);

// The shell line that records `typed` by the model at `model_path` into `recording`, with what follows each
// token where it `predicts`; nullopt where one of them was changed inside the model, or is cut into other
// words than the first, which no command does.
std::optional<QString> record_command(const std::vector<TypedSentence>& typed, const QString& model_path,
                                      const QString& recording, bool predicts);

}  // namespace mog::gui
