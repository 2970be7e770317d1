#include "tests/gui/watchdog.h"

#include <QEvent>
#include <QMetaEnum>
#include <QThread>
#include <QWidget>
#include <algorithm>

#include "app/gui/widgets/paint_thread.h"

namespace mog::test {
namespace {

QString title_of(const QObject& receiver) {
  if (const auto* widget = qobject_cast<const QWidget*>(&receiver)) {
    if (!widget->accessibleName().isEmpty()) {
      return widget->accessibleName();
    }
  }
  return receiver.objectName();
}

}  // namespace

double build_factor() {
#if defined(__SANITIZE_THREAD__)
  return 20;
#elif defined(__SANITIZE_ADDRESS__)
  return 8;
#elif !defined(__OPTIMIZE__)
  return 5;
#else
  return 1;
#endif
}

void WatchdogApplication::watch(double limit_ms) {
  limit_ms_ = limit_ms;
  slow_.clear();
  slowest_ms_ = 0;
  events_ = 0;
}

std::vector<WatchdogApplication::Slow> WatchdogApplication::stopWatching() {
  limit_ms_ = 0;
  std::sort(slow_.begin(), slow_.end(), [](const Slow& a, const Slow& b) { return a.ms > b.ms; });
  return std::move(slow_);
}

bool WatchdogApplication::notify(QObject* receiver, QEvent* event) {
  if (limit_ms_ <= 0 || QThread::currentThread() != thread()) {
    return QApplication::notify(receiver, event);
  }
  // The receiver may be gone afterwards.
  const char* const type = receiver->metaObject()->className();
  const QString title = title_of(*receiver);
  const QEvent::Type kind = event->type();
  const int loops = thread()->loopLevel();
  frames_.push_back({gui::thread_ms_with_painting(), 0, loops});
  const bool handled = QApplication::notify(receiver, event);
  const Frame frame = frames_.back();
  frames_.pop_back();
  const double all_ms = gui::thread_ms_with_painting() - frame.begin_ms;
  const double its_ms = all_ms - frame.not_its_ms;
  ++events_;
  slowest_ms_ = std::max(slowest_ms_, its_ms);
  const bool slow = limit_ms_ > 0 && its_ms > limit_ms_;
  if (slow) {
    const char* const key = QMetaEnum::fromType<QEvent::Type>().valueToKey(kind);
    slow_.push_back({QStringLiteral("%1 (%2), %3, while %4")
                         .arg(QString::fromLatin1(type), title,
                              key != nullptr ? QString::fromLatin1(key) : QString::number(kind), doing_),
                     its_ms});
  }
  if (!frames_.empty()) {
    const bool other_loop = loops > frames_.back().loops;
    frames_.back().not_its_ms += other_loop ? all_ms : frame.not_its_ms + (slow ? its_ms : 0);
  }
  return handled;
}

}  // namespace mog::test
