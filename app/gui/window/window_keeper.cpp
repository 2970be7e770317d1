#include "app/gui/window/window_keeper.h"

#include <QEvent>
#include <QWidget>
#include <utility>

namespace mog::gui {
namespace {
constexpr int kAfterMs = 500;
}  // namespace

WindowKeeper::WindowKeeper(QWidget& window, std::function<void()> keep) : QObject(&window), window_(window) {
  timer_.setSingleShot(true);
  timer_.setInterval(kAfterMs);
  connect(&timer_, &QTimer::timeout, this, [keep = std::move(keep)] { keep(); });
  window_.installEventFilter(this);
}

// Changes that go on do not put it off for ever.
void WindowKeeper::touch() {
  if (window_.isVisible() && !timer_.isActive()) {
    timer_.start();
  }
}

bool WindowKeeper::eventFilter(QObject* watched, QEvent* event) {
  switch (event->type()) {
    case QEvent::Resize:
    case QEvent::Move:
    case QEvent::WindowStateChange:
    case QEvent::Show:
      touch();
      break;
    default:
      break;
  }
  return QObject::eventFilter(watched, event);
}

}  // namespace mog::gui
