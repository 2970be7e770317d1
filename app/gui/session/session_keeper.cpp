// The names of files say who is responsible: autosave-PID is its program's while that lives, recovering-…
// that of the program that opens it, unrestored-… nobody's, last the one of a clean end. A file changes its
// name before anything is done with it, so each death leaves a name that says how far it got. Lock files
// tell living programs from dead ones; numbers of processes alone would not, since they come again.
//
// Saving compares the text with what was written last: no change, no file. A timer gathers changes of a
// second. What could not be opened again is kept in the session (lost_), so that saving does not forget a
// recording whose disk is away.
//
// Traps: a lock is taken before the rename, and for both names. The timer is not started again by a change,
// or endless changes would put off saving for ever. An autosave that cannot be written is said once and then
// given up.
#include "app/gui/session/session_keeper.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QScopeGuard>
#include <QUndoStack>
#include <algorithm>
#include <utility>

#include "app/gui/session/gold_syntax.h"
#include "app/gui/session/job_runner.h"
#include "app/gui/session/selection_history.h"
#include "app/gui/session/training_runs.h"
#include "app/gui/session/view_state.h"
#include "io/recording/errors.h"

namespace mog::gui {
namespace {

constexpr qint64 kLargest = qint64{64} << 20;
const QString kAutosave = QStringLiteral("autosave-");
const QString kRecovering = QStringLiteral("recovering-");
const QString kUnrestored = QStringLiteral("unrestored-");

QString lock_of(const QString& session) {
  return session.left(session.size() - kSessionSuffix.size()) + QStringLiteral(".lock");
}

// Holds the lock when no living program does.
std::unique_ptr<QLockFile> take_lock(const QString& session) {
  auto lock = std::make_unique<QLockFile>(lock_of(session));
  lock->setStaleLockTime(0);  // only the end of its program makes it stale
  return lock->tryLock(0) ? std::move(lock) : nullptr;
}

app::Session read_session(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) {
    throw StorageError("Opening the session " + path.toStdString() + ": " + file.errorString().toStdString() +
                       ".");
  }
  if (file.size() > kLargest) {
    throw FormatError("Opening the session " + path.toStdString() + ": it has " +
                      std::to_string(file.size()) + " bytes, a session has some thousands; is it one?");
  }
  const QByteArray text = file.readAll();
  return app::parse_session({text.constData(), static_cast<std::size_t>(text.size())}, path.toStdString());
}

// What was typed and recorded, without how it is looked at.
std::string items_text(const app::Session& session) {
  app::Session items;
  items.items = session.items;
  return app::print_session(items);
}

// An autosave of a window with nothing in it.
bool removed_empty(const QString& path) {
  try {
    const app::Session session = read_session(path);
    return session.models.empty() && session.items.empty() && session.gold.empty() &&
           session.trajectories.empty() && QFile::remove(path);
  } catch (...) {
    return false;  // said when it is opened
  }
}

}  // namespace

SessionKeeper::SessionKeeper(Workspace& workspace, SelectionModel& selection, ViewState& state,
                             SelectionHistory& pins, SessionParts parts, const QString& folder,
                             QObject* parent)
    : QObject(parent),
      workspace_(workspace),
      selection_(selection),
      state_(state),
      pins_(pins),
      parts_(std::move(parts)),
      folder_(folder) {
  timer_.setSingleShot(true);
  timer_.setInterval(kAutosaveMs);
  connect(&timer_, &QTimer::timeout, this, &SessionKeeper::autosaveNow);
  if (!folder_.isEmpty() && QDir().mkpath(folder_)) {
    autosave_ = QDir(folder_).filePath(kAutosave + QString::number(QCoreApplication::applicationPid()) +
                                       kSessionSuffix);
    lock_ = take_lock(autosave_);
    if (lock_ == nullptr) {
      autosave_.clear();  // another window of this program keeps it
    }
  }
  const auto follow = [this] { touch(); };
  connect(&workspace_, &Workspace::itemAdded, this, follow);
  connect(&workspace_, &Workspace::itemChanged, this, follow);
  connect(&workspace_, &Workspace::itemRemoved, this, follow);
  connect(&workspace_, &Workspace::modelChanged, this, follow);
  connect(&selection_, &SelectionModel::sentenceChanged, this, follow);
  connect(&selection_, &SelectionModel::mapChanged, this, follow);
  connect(&selection_, &SelectionModel::tokenChanged, this, follow);
  connect(&selection_, &SelectionModel::keyChanged, this, follow);
  connect(&selection_, &SelectionModel::lengthRangeChanged, this, follow);
  connect(&selection_, &SelectionModel::heldChanged, this, follow);
  connect(&state_, &ViewState::changed, this, follow);
  connect(&workspace_.gold(), &GoldSyntax::changed, this, follow);
  connect(&workspace_.trainingRuns(), &TrainingRuns::changed, this, follow);
}

SessionKeeper::~SessionKeeper() = default;

app::Session SessionKeeper::current() const {
  app::Session session;
  workspace_.describe(session);
  for (const Workspace::Lost& lost : lost_) {
    app::SessionItem item = lost.item;
    if (item.recording.empty()) {
      const auto at = std::find(session.models.begin(), session.models.end(), lost.model);
      item.model = at - session.models.begin();
      if (at == session.models.end()) {
        session.models.push_back(lost.model);
      }
    }
    session.items.push_back(std::move(item));
  }
  session.views = state_.values();
  parts_.add(session);
  return session;
}

void SessionKeeper::write(const QString& path, const std::string& text) const {
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly) ||
      file.write(text.data(), static_cast<qint64>(text.size())) != static_cast<qint64>(text.size()) ||
      !file.commit()) {
    throw StorageError("Saving the session " + path.toStdString() + ": " + file.errorString().toStdString() +
                       ".");
  }
}

void SessionKeeper::save(const QString& path) {
  const app::Session session = current();
  write(path, app::print_session(session));
  saved_ = items_text(session);
  path_ = QFileInfo(path).absoluteFilePath();
  Q_EMIT sessionChanged();
}

void SessionKeeper::start(const app::Session& session, const ReaderText& name, std::function<void()> done,
                          std::function<void()> replacing) {
  pins_.pause();
  const QPointer<SessionKeeper> self(this);
  ++restoring_;
  workspace_.restore(
      session, name,
      [self, session, done = std::move(done)](const Workspace::Restored& report) {
        if (!self) {
          return;
        }
        const auto end = qScopeGuard([self] {
          if (self) {
            self->endRestoring();
          }
        });
        self->lost_ = report.lost;
        const QStringList refused = self->state_.restore(session.views);
        self->parts_.take(session);
        self->pins_.resume();
        for (const QString& problem : report.problems) {
          self->workspace_.report(problem);
        }
        if (!refused.isEmpty()) {
          self->workspace_.report(
              tr("The session has settings that this program does not know or that cannot be: "
                 "%1. They are as at first.")
                  .arg(refused.join(QStringLiteral(", "))));
        }
        done();
        Q_EMIT self->restored();
      },
      [self] {
        if (self) {
          self->pins_.resume();
          self->endRestoring();
        }
      },
      std::move(replacing));
}

void SessionKeeper::endRestoring() {
  if (--restoring_ == 0) {
    touch();
    Q_EMIT over();
  }
}

// Sentences that were typed and are in no session are kept in a file before another session takes their
// place.
QString SessionKeeper::keepTyped() const {
  const auto& items = workspace_.items();
  const bool typed = std::any_of(items.begin(), items.end(), [](const WorkspaceItem& item) {
    return item.kind == WorkspaceItem::Kind::typed && !item.typed.empty();
  });
  const app::Session now = current();
  if (!typed || folder_.isEmpty() || items_text(now) == saved_) {
    return {};
  }
  QString kept = QDir(folder_).filePath(
      QStringLiteral("replaced-") + QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss")) +
      kSessionSuffix);
  write(kept, app::print_session(now));
  constexpr qsizetype kMostKept = 10;
  const QFileInfoList all = QDir(folder_).entryInfoList({QStringLiteral("replaced-*") + kSessionSuffix},
                                                        QDir::Files, QDir::Time);  // the newest first
  for (qsizetype i = kMostKept; i < all.size(); ++i) {
    QFile::remove(all[i].absoluteFilePath());
  }
  return kept;
}

void SessionKeeper::open(const QString& path) {
  try {
    start(
        read_session(path), QFileInfo(path).completeBaseName(),
        [this, path] {
          path_ = QFileInfo(path).absoluteFilePath();
          saved_ = items_text(current());
          Q_EMIT sessionChanged();
        },
        [this] {
          try {
            if (const QString kept = keepTyped(); !kept.isEmpty()) {
              workspace_.report(tr("The sentences that were typed before are kept in the session %1.")
                                    .arg(QDir::toNativeSeparators(kept)));
            }
          } catch (...) {
            workspace_.report(error_text(std::current_exception()));
          }
        });
  } catch (...) {
    workspace_.report(error_text(std::current_exception()));
  }
}

QString SessionKeeper::lastSession() const {
  if (folder_.isEmpty()) {
    return {};
  }
  const QString last = QDir(folder_).filePath(QStringLiteral("last") + kSessionSuffix);
  return QFile::exists(last) ? last : QString();
}

// What was being recovered when the program ended again: kept, but not opened by itself once more.
void SessionKeeper::sweepFailed() {
  const QDir folder(folder_);
  for (const QString& name :
       folder.entryList({kRecovering + QLatin1Char('*') + kSessionSuffix}, QDir::Files)) {
    const auto lock = take_lock(folder.filePath(name));
    if (lock == nullptr) {
      continue;  // a program that lives is at it
    }
    const QString kept = folder.filePath(kUnrestored + name.mid(kRecovering.size()));
    QFile::remove(kept);
    QFile::rename(folder.filePath(name), kept);
    workspace_.report(
        tr("A session could not be brought back: the program ended while opening it. It is kept as "
           "%1; open that file to try again.")
            .arg(QDir::toNativeSeparators(kept)));
  }
}

bool SessionKeeper::recover() {
  if (folder_.isEmpty()) {
    return false;
  }
  sweepFailed();
  const QDir folder(folder_);
  for (const QFileInfo& file :
       folder.entryInfoList({kAutosave + QLatin1Char('*') + kSessionSuffix}, QDir::Files, QDir::Time)) {
    const QString left = file.absoluteFilePath();
    if (QFileInfo(autosave_) == file) {
      continue;
    }
    auto old_lock = take_lock(left);
    if (old_lock == nullptr || removed_empty(left)) {
      continue;
    }
    recovering_from_ = left;
    recovering_ = folder.absoluteFilePath(kRecovering + file.fileName().mid(kAutosave.size()));
    recovering_lock_ = take_lock(recovering_);
    QFile::remove(recovering_);
    if (recovering_lock_ == nullptr || !QFile::rename(left, recovering_)) {
      recovering_.clear();
      continue;
    }
    timer_.stop();
    try {
      start(
          read_session(recovering_), [] { return tr("that was interrupted"); },
          [this] {
            autosaveNow();
            QFile::remove(recovering_);
            recovering_.clear();
            recovering_lock_.reset();
            workspace_.report(tr("The program ended unexpectedly. What was open then is open again."));
          });
      return true;
    } catch (...) {
      workspace_.report(error_text(std::current_exception()));
      recovering_lock_.reset();
      recovering_.clear();
      sweepFailed();
    }
  }
  return false;
}

void SessionKeeper::touch() {
  // While a session is brought back the window is empty: a kill then must not leave that behind.
  if (!autosave_.isEmpty() && restoring_ == 0 && !timer_.isActive()) {
    timer_.start();
  }
}

void SessionKeeper::autosaveNow() {
  timer_.stop();
  if (autosave_.isEmpty()) {
    return;
  }
  const std::string text = app::print_session(current());
  if (text == written_) {
    return;
  }
  try {
    if (QFileInfo(autosave_).isSymLink()) {
      QFile::remove(autosave_);  // what it leads to is nothing of ours
    }
    write(autosave_, text);
    written_ = text;
  } catch (...) {
    workspace_.report(error_text(std::current_exception()));
    autosave_.clear();  // said once
  }
}

void SessionKeeper::finish() {
  if (!recovering_.isEmpty()) {
    QFile::rename(recovering_, recovering_from_);  // the next start tries again
    recovering_.clear();
    recovering_lock_.reset();
  }
  if (autosave_.isEmpty()) {
    return;
  }
  autosaveNow();
  if (!autosave_.isEmpty() && !written_.empty()) {
    const QString last = QDir(folder_).filePath(QStringLiteral("last") + kSessionSuffix);
    QFile::remove(last);
    QFile::rename(autosave_, last);
  }
  autosave_.clear();
  lock_.reset();
}

}  // namespace mog::gui
