// A sentence of a recording, run once more by the model that made it: what the recording does not hold can
// then be shown. The model is one that is open, else the folder that the recording's own command names, if it
// is still there. Another model in that place is not taken: its numbers would be those of other weights.
#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <string>
#include <vector>

#include "app/gui/session/workspace.h"
#include "app/workflow/common/shell_line.h"

namespace mog::gui {

QString Workspace::modelFolderOf(const WorkspaceItem& item) const {
  if (item.kind != WorkspaceItem::Kind::recording) {
    return {};
  }
  const std::vector<std::string> words = app::shell_words(item.source->header().provenance.command_line);
  const auto at = std::find(words.begin(), words.end(), "--model");
  if (at == words.end() || at + 1 == words.end()) {
    return {};
  }
  const QString named = QString::fromStdString(at[1]);
  // As it was called, from here or from beside the recording.
  for (const QString& path :
       {QFileInfo(named).absoluteFilePath(), QFileInfo(item.path).absoluteDir().absoluteFilePath(named)}) {
    if (QFileInfo(QDir(path).filePath(QStringLiteral("config.json"))).isFile()) {
      return QDir::cleanPath(path);
    }
  }
  return {};
}

void Workspace::runAgain(SentenceRef of) {
  const WorkspaceItem* from = item(of.item);
  if (from == nullptr || from->kind != WorkspaceItem::Kind::recording || of.index < 0 ||
      of.index >= std::ssize(from->tokens)) {
    return;
  }
  const WorkspaceModel* by = modelOf(*from);
  if (by == nullptr) {
    if (const QString folder = modelFolderOf(*from); !folder.isEmpty()) {
      run_after_opening_ = of;
      open(folder);
    }
    return;
  }
  TypedSentence sentence;
  sentence.text = from->source->sentence(of.index).text;
  if (const WorkspaceItem* typed = typedFor(by->id)) {
    const auto same = std::find_if(typed->typed.begin(), typed->typed.end(), [&](const TypedSentence& one) {
      return one.text == sentence.text && one.interventions.empty() && one.words == sentence.words;
    });
    if (same != typed->typed.end()) {
      select({typed->id, same - typed->typed.begin()});
      return;
    }
  }
  run(*by, std::move(sentence));
}

// After a model was opened: perhaps the one that a sentence waits for.
void Workspace::runWaiting() {
  const std::optional<SentenceRef> of = std::exchange(run_after_opening_, std::nullopt);
  const WorkspaceItem* from = of ? item(of->item) : nullptr;
  if (from == nullptr) {
    return;
  }
  if (modelOf(*from) == nullptr) {
    report(tr("The model in %1 is not the one that made %2: its weights or its vocabulary are others.")
               .arg(QDir::toNativeSeparators(modelFolderOf(*from)), from->name));
    return;
  }
  runAgain(*of);
}

}  // namespace mog::gui
