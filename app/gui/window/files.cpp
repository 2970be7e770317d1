#include "app/gui/window/files.h"

#include <QAbstractButton>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QSettings>
#include <exception>
#include <utility>

#include "app/gui/session/gold_syntax.h"
#include "app/gui/session/job_runner.h"
#include "app/gui/session/session_keeper.h"
#include "app/gui/session/training_runs.h"
#include "app/gui/window/status_line.h"

namespace mog::gui {
namespace {
constexpr int kRecentFiles = 10;
const QString kTreebankSuffix = QStringLiteral(".conllu");
const QString kRecent = QStringLiteral("recent");
const QString kFolder = QStringLiteral("folder");
}  // namespace

Files::Files(QWidget& window, Workspace& workspace, SessionKeeper& session, StatusLine& status,
             QSettings& settings)
    : window_(window), workspace_(workspace), session_(session), status_(status), settings_(settings) {
  connect(&workspace_, &Workspace::opened, this, &Files::remember);
  connect(&workspace_.trainingRuns(), &TrainingRuns::opened, this, &Files::remember);
  connect(&session_, &SessionKeeper::over, this, &Files::openWaiting);
  connect(&session_, &SessionKeeper::sessionChanged, this, [this] { remember(session_.path()); });
}

void Files::open(const QStringList& paths) {
  for (const QString& path : paths) {
    if (path.endsWith(kSessionSuffix, Qt::CaseInsensitive)) {
      session_.open(path);
    }
  }
  for (const QString& path : paths) {
    if (path.endsWith(kSessionSuffix, Qt::CaseInsensitive)) {
      continue;
    }
    if (path.endsWith(kTreebankSuffix, Qt::CaseInsensitive)) {
      openGold(path);
    } else if (session_.restoring()) {
      waiting_.push_back(path);
    } else if (TrainingRuns::takes(path)) {
      workspace_.trainingRuns().open(path);
    } else {
      workspace_.open(path);
    }
  }
}

void Files::openGold(const QString& path) {
  if (session_.restoring()) {
    waiting_gold_ = path;
  } else {
    workspace_.gold().open(path);
  }
}

void Files::openWaiting() {
  open(std::exchange(waiting_, {}));
  if (const auto gold = std::exchange(waiting_gold_, std::nullopt)) {
    openGold(*gold);
  }
}

void Files::closeGold() {
  workspace_.gold().open({});
}

bool Files::goldIsOpen() const {
  return !workspace_.gold().path().isEmpty();  // one that is not there now, too
}

QString Files::lastSession() const {
  return session_.lastSession();
}

QStringList Files::recent() const {
  return settings_.value(kRecent).toStringList();
}

void Files::remember(const QString& path) {
  const QString absolute = QFileInfo(path).absoluteFilePath();
  QStringList latest = recent();
  latest.removeAll(absolute);
  latest.push_front(absolute);
  while (latest.size() > kRecentFiles) {
    latest.pop_back();
  }
  settings_.setValue(kRecent, latest);
}

QString last_folder(const QSettings& settings) {
  return settings.value(kFolder, QDir::homePath()).toString();
}

void remember_folder_of(QSettings& settings, const QString& path) {
  settings.setValue(kFolder, QFileInfo(path).absolutePath());
}

// ---- sessions ----------------------------------------------------------------------------------------

bool Files::saveSession() {
  if (session_.path().isEmpty()) {
    askToSaveSession();
    return false;
  }
  return save(session_.path());
}

bool Files::save(const QString& path) {
  try {
    session_.save(path);
    status_.say(tr("Saved: %1").arg(QDir::toNativeSeparators(path)));
    return true;
  } catch (...) {
    workspace_.report(error_text(std::current_exception()));
    return false;
  }
}

void Files::askToSaveSession() {
  auto* dialog = new QFileDialog(&window_, tr("Save the session"), last_folder(settings_),
                                 tr("Sessions (*%1)").arg(kSessionSuffix));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(kSessionSuffix.mid(1));
  connect(dialog, &QFileDialog::fileSelected, this, &Files::save);
  dialog->open();
}

// ---- what the reader asks for ------------------------------------------------------------------------

void Files::askForFolder() {
  const QString path = QFileDialog::getExistingDirectory(
      &window_, tr("Open the folder of a model, a recording or a training run"), last_folder(settings_));
  if (!path.isEmpty()) {
    remember_folder_of(settings_, path);
    open({path});
  }
}

void Files::askForFiles() {
  const QStringList paths = QFileDialog::getOpenFileNames(
      &window_, tr("Open recordings, models, trajectories, sessions"), last_folder(settings_),
      tr("Recordings, models, trajectories, sessions (*.h5 *.hdf5 config.json *.csv *.mog-session);;All "
         "files "
         "(*)"));
  if (!paths.isEmpty()) {
    remember_folder_of(settings_, paths.front());
    open(paths);
  }
}

void Files::askForGold() {
  const QString path = QFileDialog::getOpenFileName(
      &window_, tr("Open gold syntax: the treebank of the recorded sentences"), last_folder(settings_),
      tr("Treebanks in CoNLL-U (*.conllu *.conll);;All files (*)"));
  if (!path.isEmpty()) {
    remember_folder_of(settings_, path);
    openGold(path);
  }
}

// ---- closing -----------------------------------------------------------------------------------------

QString Files::nameOf(const Workspace::InUse& use) const {
  const WorkspaceItem* item = workspace_.item(use.item);
  const WorkspaceModel* model = workspace_.model(use.model);
  return item != nullptr ? item->name : model != nullptr ? model->name : QString();
}

void Files::close(const Workspace::InUse& use) {
  const QString name = nameOf(use);
  if (name.isEmpty()) {
    return;
  }
  if (use.item != 0) {
    workspace_.closeItem(use.item);
    status_.setReadout(tr("%1 is closed; File > Open recent opens it again.").arg(name));
    return;
  }
  const WorkspaceItem* typed = workspace_.typedFor(use.model);
  if (typed == nullptr) {
    workspace_.closeModel(use.model);
    status_.setReadout(tr("%1 is closed; File > Open recent opens it again.").arg(name));
    return;
  }
  auto* question = new QMessageBox(
      QMessageBox::Question, tr("Close the model"),
      tr("The sentences that were typed for %1 go with it. A session keeps them (Ctrl+S).").arg(name),
      QMessageBox::Cancel, &window_);
  question->setAttribute(Qt::WA_DeleteOnClose);
  question->addButton(tr("Close %1").arg(name), QMessageBox::AcceptRole);
  connect(question, &QMessageBox::buttonClicked, this,
          [this, question, model = use.model](QAbstractButton* button) {
            if (question->buttonRole(button) == QMessageBox::AcceptRole) {
              workspace_.closeModel(model);
            }
          });
  question->open();
}

}  // namespace mog::gui
