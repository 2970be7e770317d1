// Menus and keys of the window. Keys of one letter belong to the pictures: while a reader types into a line
// they are text (Qt gives a focused line edit the first right to them).
#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QSettings>
#include <QUndoStack>

#include "app/gui/session/gold_syntax.h"
#include "app/gui/session/part_text.h"
#include "app/gui/views/attention_view.h"
#include "app/gui/views/compare_view.h"
#include "app/gui/views/figures_view.h"
#include "app/gui/views/sentence_view.h"
#include "app/gui/widgets/figure_view.h"
#include "app/gui/widgets/layer_head_grid.h"
#include "app/gui/window/export_dialog.h"
#include "app/gui/window/main_window.h"

namespace mog::gui {

QAction* MainWindow::addKey(QMenu* menu, const QString& text, const QKeySequence& keys,
                            std::function<void()> run) {
  QAction* action = menu->addAction(text);
  action->setShortcut(keys);
  action->setShortcutContext(Qt::WindowShortcut);
  connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
  return action;
}

void MainWindow::buildActions() {
  QMenu* file = menuBar()->addMenu(tr("&File"));
  addKey(file, tr("&Open model or recording…"), QKeySequence(tr("Ctrl+O")), [this] { openFolder(); });
  addKey(file, tr("Open &file…"), QKeySequence(tr("Ctrl+Shift+O")), [this] { openFile(); });
  addKey(file, tr("Open &gold syntax…"), QKeySequence(tr("Ctrl+G")), [this] { openGold(); });
  QAction* no_gold = file->addAction(tr("&Close gold syntax"));
  connect(no_gold, &QAction::triggered, this, [this] { workspace_->gold().open({}); });
  connect(file, &QMenu::aboutToShow, no_gold,
          [this, no_gold] { no_gold->setVisible(workspace_->gold().isOpen()); });
  QAction* close_item = addKey(file, tr("Close"), QKeySequence(tr("Ctrl+W")), [this] { closeInUse(); });
  connect(file, &QMenu::aboutToShow, close_item, [this, close_item] {
    const QString name = nameInUse();
    close_item->setText(name.isEmpty() ? tr("Close") : tr("Close %1").arg(name));
    close_item->setEnabled(!name.isEmpty());
  });
  connect(file, &QMenu::aboutToHide, close_item, [close_item] { close_item->setEnabled(true); });
  recent_menu_ = file->addMenu(tr("Open &recent"));
  connect(recent_menu_, &QMenu::aboutToShow, this, &MainWindow::fillRecent);
  file->addSeparator();
  addKey(file, tr("&Save session"), QKeySequence(tr("Ctrl+S")), [this] { saveSession(); });
  addKey(file, tr("Save session &as…"), QKeySequence(tr("Ctrl+Shift+S")), [this] { saveSessionAs(); });
  QAction* last = file->addAction(tr("Open the &last session"));
  connect(last, &QAction::triggered, this, [this] { open({session_->lastSession()}); });
  connect(file, &QMenu::aboutToShow, last,
          [this, last] { last->setVisible(!session_->lastSession().isEmpty()); });
  file->addSeparator();
  addKey(file, tr("Record a corpus (send to &batch)…"), QKeySequence(tr("Ctrl+B")),
         [this] { sendToBatch({}); });
  addKey(file, tr("&Export view…"), QKeySequence(tr("Ctrl+E")), [this] { exportCurrent(); });
  file->addSeparator();
  addKey(file, tr("&Quit"), QKeySequence(tr("Ctrl+Q")), [this] { close(); });

  buildEditActions();
  QMenu* sentence = menuBar()->addMenu(tr("&Sentence"));
  addKey(sentence, tr("&Type a sentence"), QKeySequence(tr("Ctrl+L")), [this] {
    showDock(SentenceView::kind());
    sentences_->focusTyping();
  });
  addKey(sentence, tr("&Run it"), QKeySequence(tr("Ctrl+R")), [this] { sentences_->run(); });
  addKey(sentence, tr("&Find"), QKeySequence(Qt::Key_Slash), [this] {
    showDock(SentenceView::kind());
    sentences_->focusFind();
  });
  sentence->addSeparator();
  addKey(sentence, tr("Sentence &before"), QKeySequence(Qt::Key_PageUp), [this] { stepSentence(-1); });
  addKey(sentence, tr("&Next sentence"), QKeySequence(Qt::Key_PageDown), [this] { stepSentence(1); });
  addKey(sentence, tr("&All sentences"), QKeySequence(Qt::Key_Escape), [this] { escape(); });

  buildLookActions();
  buildViewMenu();
  buildHelpMenu();
}

void MainWindow::buildEditActions() {
  QMenu* edit = menuBar()->addMenu(tr("&Edit"));
  QAction* undo = state_.history().createUndoAction(this, tr("&Undo"));
  undo->setShortcut(QKeySequence(tr("Ctrl+Z")));
  QAction* redo = state_.history().createRedoAction(this, tr("&Redo"));
  redo->setShortcut(QKeySequence(tr("Ctrl+Shift+Z")));
  edit->addAction(undo);
  edit->addAction(redo);
  edit->addSeparator();
  addKey(edit, tr("Copy as &command"), QKeySequence(tr("Ctrl+K")), [this] { copyCommand(); });
  addKey(edit, tr("Copy read-&out"), QKeySequence(tr("Ctrl+Shift+C")),
         [this] { QApplication::clipboard()->setText(readout()); });
}

bool MainWindow::copyCommand() {
  const std::vector<ExportItem> items = exports();
  if (items.empty()) {
    say(tr("There is no picture to copy the command of yet."));
    return false;
  }
  const FigureCommand& command = items.front().command;
  if (!command.possible()) {
    say(command.why_not);
    return false;
  }
  const QString line = command.line(items.front().file_name + QStringLiteral(".svg"));
  QApplication::clipboard()->setText(line);
  say(tr("Copied: %1").arg(line));
  return true;
}

bool MainWindow::saveSession() {
  if (session_->path().isEmpty()) {
    saveSessionAs();
    return false;
  }
  try {
    session_->save(session_->path());
    say(tr("Saved: %1").arg(QDir::toNativeSeparators(session_->path())));
    return true;
  } catch (...) {
    workspace_->report(error_text(std::current_exception()));
    return false;
  }
}

void MainWindow::saveSessionAs() {
  auto* dialog = new QFileDialog(this, tr("Save the session"),
                                 settings_->value(QStringLiteral("folder"), QDir::homePath()).toString(),
                                 tr("Sessions (*%1)").arg(kSessionSuffix));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(kSessionSuffix.mid(1));
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
    try {
      session_->save(path);
      say(tr("Saved: %1").arg(QDir::toNativeSeparators(path)));
    } catch (...) {
      workspace_->report(error_text(std::current_exception()));
    }
  });
  dialog->open();
}

void MainWindow::buildLookActions() {
  QMenu* look = menuBar()->addMenu(tr("&Look"));
  addKey(look, tr("Token before"), QKeySequence(Qt::Key_Left), [this] { stepToken(-1); });
  addKey(look, tr("Next token"), QKeySequence(Qt::Key_Right), [this] { stepToken(1); });
  addKey(look, tr("Layer before"), QKeySequence(Qt::Key_Up), [this] { selection_.stepLayer(-1); });
  addKey(look, tr("Next layer"), QKeySequence(Qt::Key_Down), [this] { selection_.stepLayer(1); });
  addKey(look, tr("Head before"), QKeySequence(Qt::Key_BracketLeft), [this] { selection_.stepHead(-1); });
  addKey(look, tr("Next head"), QKeySequence(Qt::Key_BracketRight), [this] { selection_.stepHead(1); });
  look->addSeparator();
  addKey(look, tr("All parts"), QKeySequence(Qt::Key_0), [this] { choosePart(Part::none); });
  for (int key = 1; key <= kPartKeys; ++key) {
    part_actions_.push_back(addKey(look, tr("Part %1").arg(key), QKeySequence(Qt::Key_0 + key), [this, key] {
      const std::vector<Part>& parts = selection_.extent().keys;
      if (key <= static_cast<int>(parts.size())) {
        choosePart(parts[static_cast<std::size_t>(key - 1)]);
      }
    }));
  }
  connect(&selection_, &SelectionModel::sentenceChanged, this, &MainWindow::namePartActions);
  namePartActions();
  look->addSeparator();
  addKey(look, tr("Pin token, or let go"), QKeySequence(Qt::Key_P), [this] { selection_.togglePin(); });
  look->addSeparator();
  addKey(look, tr("Hold this sentence to compare, or let go"), QKeySequence(Qt::Key_D), [this] {
    compare_->hold();
    showDock(CompareView::kind());
  });
  addKey(look, tr("Words or pieces"), QKeySequence(Qt::Key_W), [this] { attention_->togglePieces(); });
  addKey(look, tr("Special tokens"), QKeySequence(Qt::Key_S), [this] { attention_->nextSpecialTokens(); });
  addKey(look, tr("Threshold of the arcs"), QKeySequence(Qt::Key_T), [this] {
    // One threshold for all pictures of arcs: its number stands where the reader is.
    if (in_use_.data() != figures_ || !figures_->focusThreshold()) {
      attention_->focusThreshold();
    }
  });
  addKey(look, tr("Head in or out of the means"), QKeySequence(Qt::Key_X),
         [this] { attention_->toggleHead(selection_.head()); });
  addKey(look, tr("Only this head in the means"), QKeySequence(tr("Shift+X")),
         [this] { attention_->isolateHead(selection_.head()); });
}

// The recording or model that is looked at; empty: there is none.
QString MainWindow::nameInUse() const {
  const Workspace::InUse use = workspace_->inUse();
  const WorkspaceItem* item = workspace_->item(use.item);
  const WorkspaceModel* model = workspace_->model(use.model);
  return item != nullptr ? item->name : model != nullptr ? model->name : QString();
}

// Files stay as they are and open again; typed sentences are of the window, so a model with some is asked
// for.
void MainWindow::closeInUse() {
  const Workspace::InUse use = workspace_->inUse();
  const QString name = nameInUse();
  if (name.isEmpty()) {
    return;
  }
  if (use.item != 0) {
    workspace_->closeItem(use.item);
    setReadout(tr("%1 is closed; File > Open recent opens it again.").arg(name));
    return;
  }
  const WorkspaceItem* typed = workspace_->typedFor(use.model);
  if (typed == nullptr) {
    workspace_->closeModel(use.model);
    setReadout(tr("%1 is closed; File > Open recent opens it again.").arg(name));
    return;
  }
  auto* question = new QMessageBox(
      QMessageBox::Question, tr("Close the model"),
      tr("The sentences that were typed for %1 go with it. A session keeps them (Ctrl+S).").arg(name),
      QMessageBox::Cancel, this);
  question->setAttribute(Qt::WA_DeleteOnClose);
  question->addButton(tr("Close %1").arg(name), QMessageBox::AcceptRole);
  connect(question, &QMessageBox::buttonClicked, this,
          [this, question, model = use.model](QAbstractButton* button) {
            if (question->buttonRole(button) == QMessageBox::AcceptRole) {
              workspace_->closeModel(model);
            }
          });
  question->open();
}

// The menu names the parts of the recording that is looked at.
void MainWindow::namePartActions() {
  const std::vector<Part>& parts = selection_.extent().keys;
  for (std::size_t i = 0; i < part_actions_.size(); ++i) {
    part_actions_[i]->setVisible(i < parts.size());
    if (i < parts.size()) {
      part_actions_[i]->setText(tr("Part: %1").arg(part_text(parts[i])));
    }
  }
}

void MainWindow::choosePart(Part part) {
  selection_.setPart(part);
  if (selection_.sentence().valid() && selection_.part() != part) {
    setReadout(part.role() == PartRole::carried && selection_.extent().parts.size() > 1
                   ? tr("What is carried on (%1) is not attended to: it has a share and a gate, but no map.")
                         .arg(part_text(part))
                   : tr("There are no maps of the part %1 in this recording.").arg(part_text(part)));
  }
}

void MainWindow::openFolder() {
  const QString path = QFileDialog::getExistingDirectory(
      this, tr("Open the folder of a model or a recording"),
      settings_->value(QStringLiteral("folder"), QDir::homePath()).toString());
  if (!path.isEmpty()) {
    settings_->setValue(QStringLiteral("folder"), QFileInfo(path).absolutePath());
    open({path});
  }
}

void MainWindow::openFile() {
  const QStringList paths = QFileDialog::getOpenFileNames(
      this, tr("Open recordings, models, sessions"),
      settings_->value(QStringLiteral("folder"), QDir::homePath()).toString(),
      tr("Recordings, models, sessions (*.h5 *.hdf5 config.json *.mog-session);;All files (*)"));
  if (!paths.isEmpty()) {
    settings_->setValue(QStringLiteral("folder"), QFileInfo(paths.front()).absolutePath());
    open(paths);
  }
}

void MainWindow::openGold() {
  const QString path =
      QFileDialog::getOpenFileName(this, tr("Open gold syntax: the treebank of the recorded sentences"),
                                   settings_->value(QStringLiteral("folder"), QDir::homePath()).toString(),
                                   tr("Treebanks in CoNLL-U (*.conllu *.conll);;All files (*)"));
  if (!path.isEmpty()) {
    settings_->setValue(QStringLiteral("folder"), QFileInfo(path).absolutePath());
    openGold(path);
  }
}

void MainWindow::fillRecent() {
  recent_menu_->clear();
  const QStringList recent = recentFiles();
  for (const QString& path : recent) {
    connect(recent_menu_->addAction(QDir::toNativeSeparators(path)), &QAction::triggered, this,
            [this, path] { open({path}); });
  }
  if (recent.isEmpty()) {
    recent_menu_->addAction(tr("Nothing was opened yet"))->setEnabled(false);
  }
}

void MainWindow::exportCurrent() {
  std::vector<ExportItem> items = exports();
  if (items.empty()) {
    workspace_->report(tr("There is no picture to export yet: open a recording and choose a sentence."));
    return;
  }
  const QString folder = settings_->value(QStringLiteral("export"), QDir::homePath()).toString();
  auto* dialog = new ExportDialog(std::move(items), folder, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog] {
    const ExportRequest request = dialog->request();
    settings_->setValue(QStringLiteral("export"), QFileInfo(request.path).absolutePath());
    exportItem(request);
  });
  dialog->open();
}

void MainWindow::stepSentence(int by) {
  sentences_->step(by);
}

void MainWindow::escape() {
  if (selection_.token()) {
    selection_.setToken(std::nullopt);
  } else {
    selection_.setLengthRange(std::nullopt);
    sentences_->find().clear();
  }
  const QWidget* const now = focusWidget();
  if (qobject_cast<const FigureView*>(now) == nullptr && qobject_cast<const LayerHeadGrid*>(now) == nullptr) {
    focusPicture();
  }
}

// From a line, a table or a page that ended: the keys of pictures work there, and the focus is seen.
void MainWindow::focusPicture() {
  FigureView& matrix = attention_->matrix();
  (matrix.isVisible() ? matrix : attention_->arcs()).setFocus(Qt::ShortcutFocusReason);
}

}  // namespace mog::gui
