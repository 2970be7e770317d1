#include "tests/gui/monkey.h"

#include <QApplication>
#include <QDialog>
#include <QEventLoop>
#include <QFileDialog>
#include <QPointer>
#include <QTest>
#include <QTimer>
#include <QUndoStack>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "app/gui/views/compare/interventions_view.h"
#include "app/gui/widgets/theme.h"

namespace mog::test {
namespace {

constexpr auto kHangs = std::chrono::seconds(60);
constexpr qsizetype kNoted = 30;

constexpr Qt::Key kMenuKeys[] = {Qt::Key_Up,    Qt::Key_Down,   Qt::Key_Left, Qt::Key_Right,
                                 Qt::Key_Space, Qt::Key_Return, Qt::Key_Home, Qt::Key_End};

}  // namespace

Monkey::Monkey(gui::MainWindow& window, MonkeyOptions options)
    : window_(window), options_(std::move(options)), random_(options_.seed) {
  window_.installEventFilter(this);
}

// The window stays: to quit is an action like others, but there would be nothing left to do.
bool Monkey::eventFilter(QObject* watched, QEvent* event) {
  if (watched == &window_ && event->type() == QEvent::Close) {
    event->ignore();
    return true;
  }
  return QObject::eventFilter(watched, event);
}

std::size_t Monkey::pick(std::size_t below) {
  return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_);
}

QPoint Monkey::pointIn(const QWidget& widget) {
  return {static_cast<int>(pick(static_cast<std::size_t>(std::max(1, widget.width())))),
          static_cast<int>(pick(static_cast<std::size_t>(std::max(1, widget.height()))))};
}

QWidget* Monkey::widgetIn(QWidget& among) {
  QList<QWidget*> places{&among};
  for (QWidget* widget : among.findChildren<QWidget*>()) {
    if (widget->isVisible() && widget->width() > 4 && widget->height() > 4) {
      places.push_back(widget);
    }
  }
  return places[static_cast<qsizetype>(pick(static_cast<std::size_t>(places.size())))];
}

void Monkey::note(const QString& text) {
  const std::lock_guard lock(noted_mutex_);
  noted_.push_back(QString::number(done_) + QStringLiteral(": ") + text);
  while (noted_.size() > kNoted) {
    noted_.pop_front();
  }
}

QString Monkey::lastEvents() const {
  const std::lock_guard lock(noted_mutex_);
  return QStringLiteral("seed %1; last:\n  ").arg(options_.seed) + noted_.join(QStringLiteral("\n  "));
}

void Monkey::run() {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::jthread guard([&](const std::stop_token& stop) {
    std::int64_t seen = -1;
    std::unique_lock lock(mutex);
    while (!wake.wait_for(lock, stop, kHangs, [&stop] { return stop.stop_requested(); })) {
      if (done_ == seen) {
        std::fprintf(stderr, "The window hangs. %s\n", qPrintable(lastEvents()));
        std::abort();
      }
      seen = done_;
    }
  });
  QEventLoop loop;
  loop_ = &loop;
  QTimer::singleShot(0, this, &Monkey::step);
  loop.exec();
  loop_ = nullptr;
}

void Monkey::step() {
  if (done_ >= options_.events) {
    finish();
    return;
  }
  // Most follow at once; now and then jobs get the time to end.
  QTimer::singleShot(oneIn(12) ? static_cast<int>(pick(20)) : 0, this, &Monkey::step);
  ++done_;
  ++depth_;
  act();
  --depth_;
}

void Monkey::act() {
  if (QWidget* popup = QApplication::activePopupWidget()) {
    actOnPopup(*popup);
    return;
  }
  auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
  if (dialog == nullptr) {
    for (QDialog* one : window_.findChildren<QDialog*>()) {
      dialog = one->isVisible() ? one : dialog;
    }
  }
  if (dialog != nullptr) {
    actOnDialog(*dialog);
  } else {
    actOnWindow();
  }
}

void Monkey::closeInFront() {
  if (QWidget* popup = QApplication::activePopupWidget()) {
    popup->close();
  } else if (auto* modal = qobject_cast<QDialog*>(QApplication::activeModalWidget())) {
    modal->reject();
  }
}

// Loops inside others end from the innermost outwards, each after its menu or dialog was closed.
void Monkey::finish() {
  if (depth_ > 0 || QApplication::activePopupWidget() != nullptr) {
    closeInFront();
    QTimer::singleShot(0, this, &Monkey::finish);
    return;
  }
  for (QDialog* dialog : window_.findChildren<QDialog*>()) {
    dialog->reject();
  }
  if (loop_ != nullptr) {
    loop_->quit();
  }
}

void Monkey::actOnPopup(QWidget& popup) {
  const QPointer<QWidget> alive(&popup);
  switch (pick(6)) {
    case 0:
      note(QStringLiteral("closes the popup ") + nameOf(popup));
      popup.close();
      break;
    case 1:
    case 2: {
      const Qt::Key key = kMenuKeys[pick(std::size(kMenuKeys))];
      note(QStringLiteral("key %1 in the popup %2").arg(key, 0, 16).arg(nameOf(popup)));
      QTest::keyClick(&popup, key);
      break;
    }
    default: {
      QWidget* const place = widgetIn(popup);
      const QPoint at = pointIn(*place);
      note(QStringLiteral("mouse in the popup ") + nameOf(*place));
      QTest::mouseMove(place, at);
      if (alive && popup.isVisible() && oneIn(2)) {
        QTest::mouseClick(place, Qt::LeftButton, {}, at);
      }
      break;
    }
  }
}

void Monkey::answerFileDialog(QDialog& dialog) {
  auto& files = static_cast<QFileDialog&>(dialog);
  if (files.acceptMode() == QFileDialog::AcceptSave || options_.files.isEmpty() || oneIn(2)) {
    note(QStringLiteral("refuses the file dialog"));
    dialog.reject();
    return;
  }
  const QString file =
      options_.files[static_cast<qsizetype>(pick(static_cast<std::size_t>(options_.files.size())))];
  note(QStringLiteral("chooses ") + file);
  files.selectFile(file);
  dialog.accept();
  if (dialog.isVisible()) {
    dialog.reject();  // not the kind of thing that was asked for
  }
}

void Monkey::actOnDialog(QDialog& dialog) {
  if (qobject_cast<QFileDialog*>(&dialog) != nullptr) {
    answerFileDialog(dialog);
    return;
  }
  switch (pick(12)) {
    case 0:
    case 1:
      note(QStringLiteral("refuses ") + nameOf(dialog));
      dialog.reject();
      break;
    case 2:
      note(QStringLiteral("accepts ") + nameOf(dialog));
      dialog.accept();
      break;
    case 3:
    case 4:
    case 5: {
      QWidget* const target = dialog.focusWidget() != nullptr ? dialog.focusWidget() : &dialog;
      useKeys(*target);
      break;
    }
    default:
      useMouse(dialog);
      break;
  }
}

void Monkey::actOnWindow() {
  switch (pick(10)) {
    case 0:
    case 1:
    case 2:
    case 3: {
      QWidget* const focus = QApplication::focusWidget();
      useKeys(focus != nullptr ? *focus : window_);
      break;
    }
    case 4:
    case 5:
    case 6:
    case 7:
      useMouse(window_);
      break;
    case 8:
      changeWindow();
      break;
    default:
      if (oneIn(8)) {
        drop();
      } else {
        QUndoStack& history = window_.state().history();
        note(QStringLiteral("undo or redo"));
        oneIn(3) ? history.redo() : history.undo();
      }
      break;
  }
}

void Monkey::changeWindow() {
  const QStringList docks = {QStringLiteral("gates"),   QStringLiteral("weights"),  QStringLiteral("trees"),
                             QStringLiteral("compare"), QStringLiteral("figures"),  QStringLiteral("changes"),
                             QStringLiteral("jobs"),    QStringLiteral("sentences")};
  switch (pick(8)) {
    case 0:
      note(QStringLiteral("resizes the window"));
      window_.resize(700 + static_cast<int>(pick(900)), 500 + static_cast<int>(pick(600)));
      break;
    case 1:
      note(QStringLiteral("runs a sentence"));
      window_.workspace().runSentence(text());
      break;
    case 2:
      note(QStringLiteral("runs a change"));
      window_.interventions().setChoice(static_cast<gui::InterventionsView::Choice>(pick(6)));
      window_.interventions().run();
      break;
    case 3:
      if (oneIn(4)) {
        note(QStringLiteral("changes the theme"));
        QApplication::setPalette(oneIn(2) ? gui::dark_palette() : gui::light_palette());
      }
      break;
    default: {
      const QString& dock = docks[static_cast<qsizetype>(pick(static_cast<std::size_t>(docks.size())))];
      note(QStringLiteral("shows ") + dock);
      window_.showView(dock);
      break;
    }
  }
}

}  // namespace mog::test
