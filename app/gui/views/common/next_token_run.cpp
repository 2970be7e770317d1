#include "app/gui/views/common/next_token_run.h"

#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "app/gui/session/open_path.h"
#include "io/recording/errors.h"
#include "io/recording/pieces.h"
#include "model/model_directory.h"

namespace mog::gui {

QString model_folder(const Workspace& workspace, const WorkspaceItem& item) {
  const WorkspaceModel* const by = workspace.modelOf(item);
  const QString path = by != nullptr ? by->path : workspace.modelFolderOf(item);
  return path.isEmpty() ? QString() : QFileInfo(path).absoluteFilePath();
}

bool holds_lens(const RecordingHeader& header) {
  return std::any_of(header.quantities.begin(), header.quantities.end(), [&](const QuantitySchema& schema) {
    return schema.name.stack() == header.stack().stack && schema.name.layer() > 0 &&
           schema.name.quantity() == Quantity::next_token && schema.name.reduction() == Reduction::best;
  });
}

Vocabulary vocabulary_of(const Workspace& workspace, const WorkspaceItem& item) {
  const WorkspaceModel* const by = workspace.modelOf(item);
  return {by != nullptr ? by->loaded.tokenizer : nullptr, model_folder(workspace, item)};
}

TokenName token_names(const Vocabulary& vocabulary, const RecordingHeader& header) {
  std::shared_ptr<const model::Tokenizer> tokenizer = vocabulary.open;
  if (tokenizer == nullptr) {
    model::ModelDirectory directory =
        model::open_model_directory(to_path(vocabulary.folder), {.weights = false});
    if (directory.card.tokenizer_sha256 != header.model.tokenizer_sha256) {
      throw UsageError(vocabulary.folder.toStdString() + " has another tokenizer than the model of the " +
                       "recording, " + header.model.name + ": the names of its tokens are not known");
    }
    tokenizer = std::move(directory.tokenizer);
  }
  return [tokenizer, pieces = pieces_of(header.model.tokenizer)](std::int64_t id) {
    const model::Vocabulary& all = tokenizer->vocabulary();
    return id >= 0 && id < all.size() ? shown_piece(all.token(id), pieces)
                                      : "<row_" + std::to_string(id) + ">";
  };
}

}  // namespace mog::gui
