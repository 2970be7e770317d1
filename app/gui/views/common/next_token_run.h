// What a model that reads from left to right foresees: where its numbers are, and what its tokens are called.
// A recording keeps the numbers of tokens, so their texts need the model's vocabulary. No widget here.
#pragma once

#include <QString>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/gui/session/workspace.h"
#include "io/recording/sentence_recording.h"

namespace mog::gui {

// The folder of the model that an item is of: the one that is open, else the one that its command names;
// empty: there is none.
QString model_folder(const Workspace& workspace, const WorkspaceItem& item);

// Whether a recording holds what follows each token by the states of its layers (logit lens).
bool holds_lens(const RecordingHeader& header);

// The vocabulary that an item's tokens are of: of the model that is open, else read from its folder by
// whoever asks first (a worker).
struct Vocabulary {
  std::shared_ptr<const model::Tokenizer> open;
  QString folder;
  bool known() const { return open != nullptr || !folder.isEmpty(); }
};
Vocabulary vocabulary_of(const Workspace& workspace, const WorkspaceItem& item);

// Names tokens of a vocabulary as figures do. Throws what opening a model folder throws, UsageError where it
// is of another model than the recording.
using TokenName = std::function<std::string(std::int64_t id)>;
TokenName token_names(const Vocabulary& vocabulary, const RecordingHeader& header);

}  // namespace mog::gui
