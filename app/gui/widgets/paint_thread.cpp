#include "app/gui/widgets/paint_thread.h"

#include <QSemaphore>
#include <QThreadPool>
#include <ctime>
#include <exception>

namespace mog::gui {
namespace {

// Its threads stay: each keeps the fonts that it has loaded.
QThreadPool& paint_threads() {
  static QThreadPool& pool = []() -> QThreadPool& {
    QThreadPool& all = *QThreadPool::globalInstance();
    all.setExpiryTimeout(-1);
    return all;
  }();
  return pool;
}

double thread_ms() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

thread_local double painted_ms = 0;  // for this thread

}  // namespace

void on_paint_thread(const std::function<void()>& paint) {
  QSemaphore done;
  std::exception_ptr thrown;
  double used_ms = 0;
  paint_threads().start([&] {
    const double begin_ms = thread_ms();
    try {
      paint();
    } catch (...) {
      thrown = std::current_exception();
    }
    used_ms = thread_ms() - begin_ms;
    done.release();
  });
  done.acquire();
  painted_ms += used_ms;
  if (thrown) {
    std::rethrow_exception(thrown);
  }
}

double thread_ms_with_painting() {
  return thread_ms() + painted_ms;
}

}  // namespace mog::gui
