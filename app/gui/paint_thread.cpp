#include "app/gui/paint_thread.h"

#include <QSemaphore>
#include <QThreadPool>
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

}  // namespace

void on_paint_thread(const std::function<void()>& paint) {
  QSemaphore done;
  std::exception_ptr thrown;
  paint_threads().start([&] {
    try {
      paint();
    } catch (...) {
      thrown = std::current_exception();
    }
    done.release();
  });
  done.acquire();
  if (thrown) {
    std::rethrow_exception(thrown);
  }
}

}  // namespace mog::gui
