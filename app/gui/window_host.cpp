#include "app/gui/window_host.h"

#include <QApplication>
#include <QTimer>
#include <utility>

#include "app/gui/language.h"
#include "app/gui/window_past.h"

namespace mog::gui {

WindowHost::WindowHost(std::function<std::unique_ptr<MainWindow>()> make) : make_(std::move(make)) {
  adopt(make_());
}

void WindowHost::adopt(std::unique_ptr<MainWindow> window) {
  window_ = std::move(window);
  connect(window_.get(), &MainWindow::languageChosen, this, &WindowHost::renewWhenIdle);
  connect(&window_->jobs(), &JobRunner::becameIdle, this, &WindowHost::renew, Qt::QueuedConnection);
}

void WindowHost::renewWhenIdle(const QString& language) {
  language_ = language;
  if (!window_->jobs().idle()) {
    window_->setReadout(tr("The language changes as soon as the jobs that run have ended."));
  }
  // The menu that was clicked is part of what ends.
  QTimer::singleShot(0, this, &WindowHost::renew);
}

void WindowHost::renew() {
  if (language_.isEmpty() || !window_->jobs().idle()) {
    return;
  }
  const QString language = std::exchange(language_, {});
  const bool largest = window_->isMaximized();
  WindowPast past = past_of(*window_);
  window_->retire();
  install_language(*qApp, language);
  const std::unique_ptr<MainWindow> before = std::move(window_);
  adopt(make_());
  // As large as it was, also where that is more than the screen has room for.
  window_->restoreGeometry(before->saveGeometry());
  // Shown before the other one goes: the program ends with its last window.
  if (largest) {
    window_->showMaximized();
  } else {
    window_->show();
  }
  take_past(*window_, std::move(past));
  window_->setReadout(tr("The window speaks English. What was open stays open."));
  before->hide();
  Q_EMIT renewed();
}

}  // namespace mog::gui
