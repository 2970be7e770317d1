// A sentence of a recording, run once more by the model that made it: what the recording does not hold can
// then be shown. The model is one that is open, else the folder that the recording's own command names, if it
// is still there. Another model in that place is not taken: its numbers would be those of other weights.
#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <string>
#include <vector>

#include "app/gui/session/typed_run.h"
#include "app/gui/session/workspace.h"
#include "app/workflow/common/shell_line.h"
#include "io/recording/errors.h"

namespace mog::gui {
namespace {

// Of the command that recorded it, as "--model M", "--model=M" or by its letter, "-m M"; empty: none.
std::string option_of(const RecordingSource& source, const std::string& option,
                      const std::string& letter = {}) {
  const std::vector<std::string> words = app::shell_words(source.header().provenance.command_line);
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (word->starts_with(option + "=")) {
      return word->substr(option.size() + 1);
    }
    if ((*word == option || (!letter.empty() && *word == letter)) && word + 1 != words.end()) {
      return word[1];
    }
  }
  return {};
}

}  // namespace

model::WordCut cut_of(const RecordingSource& source) {
  const std::string cut = option_of(source, "--words");
  try {
    return cut.empty() ? model::WordCut::automatic : model::parse_word_cut(cut);
  } catch (const UsageError&) {
    return model::WordCut::automatic;  // another program's command
  }
}

QString Workspace::modelFolderOf(const WorkspaceItem& item) const {
  if (item.kind != WorkspaceItem::Kind::recording) {
    return {};
  }
  const QString named = QString::fromStdString(option_of(*item.source, "--model", "-m"));
  if (named.isEmpty()) {
    return {};
  }
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
      waiting_ = Waiting{of, folder, 0};
      waiting_->job = open(folder);
    }
    return;
  }
  TypedSentence sentence;
  sentence.text = from->source->sentence(of.index).text;
  sentence.words = cut_of(*from->source);
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
void Workspace::runWaiting(const QString& opened) {
  if (!waiting_ || waiting_->folder != opened) {
    return;
  }
  const SentenceRef of = std::exchange(waiting_, std::nullopt)->of;
  const WorkspaceItem* from = item(of.item);
  if (from == nullptr) {
    return;
  }
  if (modelOf(*from) == nullptr) {
    report(tr("The model in %1 is not the one that made %2: its weights or its vocabulary are others.")
               .arg(QDir::toNativeSeparators(modelFolderOf(*from)), from->name));
    return;
  }
  runAgain(of);
}

}  // namespace mog::gui
