// Counts the processor time of every event that the window's thread handles.
#pragma once

#include <QApplication>
#include <QString>
#include <vector>

namespace mog::test {

// How much more a build without optimisation, or with sanitizers, may take.
double build_factor();

// A QApplication whose notify() is timed by the processor time of its thread, so that other programs on the
// machine do not count.
//
// An event is charged with what its handlers used, those of the events sent inside included, but not with
// what a menu or a dialog went on to do in an event loop of its own. Of events inside each other that are
// above the limit, the innermost is named, and the outer ones are charged with the rest.
class WatchdogApplication : public QApplication {
 public:
  using QApplication::QApplication;

  struct Slow {
    QString name;  // "mog::gui::FigureCanvas (Attention matrix), Paint, while …"
    double ms = 0;
  };
  void watch(double limit_ms);
  // What was above the limit since watch(), the slowest first.
  std::vector<Slow> stopWatching();
  // What the test does, in words, for the names.
  void setDoing(const QString& what) { doing_ = what; }
  // Of all events since watch().
  double slowestMs() const { return slowest_ms_; }
  long events() const { return events_; }

  bool notify(QObject* receiver, QEvent* event) override;

 private:
  struct Frame {
    double begin_ms = 0;
    double not_its_ms = 0;  // of inner loops, and of what was named already
    int loops = 0;
  };
  std::vector<Frame> frames_;
  std::vector<Slow> slow_;
  QString doing_;
  double limit_ms_ = 0;  // 0: nobody watches
  double slowest_ms_ = 0;
  long events_ = 0;
};

}  // namespace mog::test
