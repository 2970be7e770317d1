// The speed of the desktop program, offscreen, on recordings of the fake model: opening, switching, pan,
// zoom, hover, trees, memory. Prints JSON; exits 1 when a limit is not held.
//
//   QT_QPA_PLATFORM=offscreen bench_desktop FOLDER [SWITCHES [GIGABYTES]]
//
// FOLDER keeps the big recording for the next run. Times are minima of five, by the clock where jobs work for
// the window, of the window's thread, what it has painted elsewhere included, where it works alone.
#include <unistd.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <QTest>
#include <QTimer>
#include <QWheelEvent>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>

#include "app/gui/views/attention/attention_view.h"
#include "app/gui/views/attention/gate_view.h"
#include "app/gui/views/common/figure_data_tasks.h"
#include "app/gui/views/graphs/tree_view.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/layer_head_grid.h"
#include "app/gui/widgets/paint_thread.h"
#include "app/workflow/record/live_run.h"
#include "io/hdf5/recording/recording_writer.h"
#include "tests/benchmarks/calibration.h"
#include "tests/gui/gui_fixture.h"

using namespace mog::gui;
using mog::test::WindowFixture;

namespace {

constexpr int kRounds = 5;
constexpr std::int64_t kWords = 59;  // and </s>: 60 tokens

// Resident memory that belongs to this process alone, in MB: not the pages of the recording.
double memory_mb() {
  std::ifstream file("/proc/self/statm");
  double size = 0;
  double resident = 0;
  double shared = 0;
  file >> size >> resident >> shared;
  return (resident - shared) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

std::string words(std::int64_t sentence, std::int64_t count) {
  std::string text;
  for (std::int64_t word = 0; word < count; ++word) {
    text += (word == 0 ? "w" : " w") + std::to_string(sentence) + "x" + std::to_string(word);
  }
  return text;
}

// Maps and gates of 12 layers × 12 heads, float16, until the files have so many bytes.
void make_big(const std::filesystem::path& path, double bytes) {
  mog::test::FakeModelOptions options;
  options.layers = 12;
  options.heads = 12;
  options.d_model = 64;
  const mog::test::FakeModel model(options);
  const mog::test::FakeTokenizer tokenizer(options.vocabulary);
  mog::app::CaptureSet captures;
  captures.names = {mog::app::CaptureName::summary, mog::app::CaptureName::attention,
                    mog::app::CaptureName::gates};
  mog::RecordingHeader header;
  header.model = model.card();
  header.provenance.corpus_name = "fake corpus";
  header.quantities = mog::app::select_quantities(model.quantities(), captures, false);
  mog::io::RecordingWriter writer(path, {});
  writer.begin(header);
  for (std::int64_t i = 1; static_cast<double>(writer.bytes_written()) < bytes; ++i) {
    writer.write(mog::app::record_batch(model, header.quantities, {tokenizer.encode(words(i, kWords), i)}));
  }
  writer.finish();
}

// Waits as the program does: a thread that asks again and again would take a core from the jobs.
bool until(const char* what, const std::function<bool()>& done) {
  QTimer patience;
  patience.setSingleShot(true);
  patience.start(60'000);
  while (!done()) {
    QApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
    if (!patience.isActive()) {
      std::fprintf(stderr, "bench_desktop: not ready after a minute: %s\n", what);
      return false;
    }
  }
  return true;
}

struct Row {
  std::string name;
  double ms;
  double limit_ms;
};

class Bench {
 public:
  explicit Bench(std::filesystem::path folder) : folder_(std::move(folder)) {}

  bool run(std::int64_t switches, double gigabytes) {
    const auto big = folder_ / "big.rec";
    if (!std::filesystem::exists(big / "recording.h5")) {
      std::filesystem::remove_all(big);
      make_big(big, gigabytes * 1e9);
    }
    open(big);
    switching(big);
    longSentence();
    trees();
    return print(memory(switches));
  }

 private:
  // Until the map of its first sentence is painted, with its arcs.
  void open(const std::filesystem::path& path) {
    double best = 1e9;
    for (int round = 0; round < kRounds; ++round) {
      WindowFixture fixture(Openers::standard());
      fixture.window->resize(1440, 900);
      fixture.settle();
      FigureCanvas& matrix = fixture.window->attention().matrix();
      const int before = matrix.renderings();
      QElapsedTimer clock;
      clock.start();
      fixture.window->open({QString::fromStdString(path.string())});
      until("the first sentence is painted",
            [&] { return matrix.figure() != nullptr && matrix.renderings() > before; });
      best = std::min(best, static_cast<double>(clock.nsecsElapsed()) * 1e-6);
      fixture.window->jobs().cancelAll();  // what goes through the whole recording behind it
    }
    rows_.push_back({"open a recording of 2 GB, paint its first sentence", best, 300});
  }

  // Until every view in sight shows the other sentence: maps, tiles and gates of the workspace Attention; the
  // graphs of the workspace Graphs.
  void switching(const std::filesystem::path& path) {
    WindowFixture fixture(Openers::standard());
    MainWindow& window = *fixture.window;
    window.resize(1440, 900);
    window.open({QString::fromStdString(path.string())});
    fixture.settle();
    double maps = 1e9;
    double all = 1e9;
    for (int round = 1; round <= 4 * kRounds; ++round) {
      const auto map = window.attention().matrix().figure();
      const auto grid = window.attention().grid().grid();
      const auto gates = window.gates().picture().figure();
      const int drawn = window.attention().matrix().renderings();
      QElapsedTimer clock;
      clock.start();
      window.workspace().select({1, round});
      until("map and arcs are painted", [&] {
        return window.attention().matrix().figure() != map &&
               window.attention().matrix().renderings() > drawn;
      });
      maps = std::min(maps, static_cast<double>(clock.nsecsElapsed()) * 1e-6);
      until("every view shows the sentence", [&] {
        return window.attention().grid().grid() != grid && window.gates().picture().figure() != gates;
      });
      QApplication::processEvents();  // paints the last of them
      all = std::min(all, static_cast<double>(clock.nsecsElapsed()) * 1e-6);
      fixture.settle();
    }
    rows_.push_back({"switch sentence, 12 layers x 12 heads x 60 tokens: map and arcs", maps, 50});
    rows_.push_back({"the same: every view in sight, tiles and gates too", all, 50});
    rows_.push_back(
        {"Page Down held, 25 a second: longest stretch of the window's thread", held(fixture), 100});
    fixture.see("trees");
    double graphs = 1e9;
    for (int round = 1; round <= 4 * kRounds; ++round) {
      const auto tree = window.trees().picture().figure();
      const int drawn = window.trees().picture().renderings();
      QElapsedTimer clock;
      clock.start();
      window.workspace().select({1, round});
      until("the graph is painted", [&] {
        return window.trees().picture().figure() != tree && window.trees().picture().renderings() > drawn;
      });
      graphs = std::min(graphs, static_cast<double>(clock.nsecsElapsed()) * 1e-6);
      fixture.settle();
    }
    rows_.push_back({"the same in the workspace Graphs: graph and filmstrip", graphs, 50});
    rows_.push_back({"Page Down held in the workspace Graphs: longest stretch", held(fixture), 100});
  }

  // Four seconds of Page Down, as a keyboard repeats it; back with Page Up from the end of a short recording.
  // A stretch is what the thread does before it waits again: often several events, painting included.
  static double held(WindowFixture& fixture) {
    MainWindow& window = *fixture.window;
    window.workspace().select({1, 0});
    fixture.settle();
    const std::int64_t last =
        std::max<std::int64_t>(window.workspace().selectedItem()->source->size() - 1, 1);
    int presses = 0;
    int turned = 0;
    const auto at = [&] { return window.selection().sentence().index; };
    QTimer keyboard;
    QObject::connect(&keyboard, &QTimer::timeout, &keyboard, [&] {
      const std::int64_t before = at();
      const bool down = presses / last % 2 == 0;
      QTest::keyClick(&window, down ? Qt::Key_PageDown : Qt::Key_PageUp);
      ++presses;
      turned += at() != before ? 1 : 0;
    });
    keyboard.start(40);
    double longest = 0;
    while (presses < 100) {
      const double begin = thread_ms_with_painting();
      QApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
      longest = std::max(longest, thread_ms_with_painting() - begin);
    }
    keyboard.stop();
    fixture.settle();
    if (turned != presses) {
      throw std::runtime_error("Page Down did not turn the sentences");
    }
    return longest;
  }

  // The slowest of twelve frames, of the best round.
  static double frame(const std::function<void(int)>& act) {
    double best = 1e9;
    for (int round = 0; round < kRounds; ++round) {
      double slowest = 0;
      for (int step = 0; step < 12; ++step) {
        const double begin = thread_ms_with_painting();
        act(step);
        QApplication::sendPostedEvents();
        QApplication::processEvents();
        slowest = std::max(slowest, thread_ms_with_painting() - begin);
      }
      best = std::min(best, slowest);
    }
    return best;
  }

  void longSentence() {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    window.resize(1440, 900);
    mog::test::CorpusOptions corpus;
    corpus.model.layers = 2;
    corpus.model.heads = 4;
    corpus.lengths = {511};
    auto recording = mog::test::make_recording(corpus);
    auto tokens = recording->token_counts();
    window.workspace().addRecording(QStringLiteral("long"), {}, recording, std::move(tokens));
    fixture.settle();
    for (FigureCanvas* view :
         {&window.attention().matrix(), &window.gates().picture(), &window.trees().picture()}) {
      if (!view->isVisible()) {
        fixture.see("trees");
      }
      const auto wheel = [view](int turn, Qt::KeyboardModifiers modifiers) {
        const QPointF at = view->rect().center();
        QWheelEvent event(at, view->mapToGlobal(at), {}, {0, turn}, Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(view, &event);
      };
      const auto hover = [view](int step) {
        const QPointF at(view->width() * (0.3 + 0.03 * step), view->height() * (0.3 + 0.03 * step));
        QMouseEvent move(QEvent::MouseMove, at, view->mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                         Qt::NoModifier);
        QApplication::sendEvent(view, &move);
      };
      const std::string name = view->accessibleName().toStdString();
      rows_.push_back({"hover, n = 512, " + name, frame(hover), 16});
      rows_.push_back({"zoom, n = 512, " + name,
                       frame([&](int step) { wheel(step < 6 ? 120 : -120, Qt::ControlModifier); }), 16});
      wheel(120 * 6, Qt::ControlModifier);
      rows_.push_back(
          {"pan, n = 512, " + name, frame([&](int step) { wheel(step < 6 ? 60 : -60, {}); }), 16});
      view->fit();
    }
  }

  // The best graph with the most leaves above a sentence of 100 words.
  void trees() {
    mog::test::CorpusOptions corpus;
    corpus.model.layers = 6;
    corpus.lengths = {100};
    SentenceGraphs search(mog::test::make_recording(corpus), 0);
    const auto answer = search.best_by_leaves(mog::analysis::Goal::top(), 64);
    for (const bool tree : {true, false}) {
      GoldNote gold;
      const auto made = search.figure(answer, answer.derivations.size() - 1,
                                      SentenceGraphs::Look{.as_tree = tree}, {}, gold);
      double best = 1e9;
      for (int round = 0; round < kRounds; ++round) {
        const double begin = thread_ms_with_painting();
        QImage image(900, 400, QImage::Format_ARGB32_Premultiplied);
        QPainter painter(&image);
        painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
        mog::figures::paint(painter, *made.figure,
                            mog::figures::Style::of(mog::figures::Paper::screen, mog::figures::Theme::light),
                            image.size());
        best = std::min(best, thread_ms_with_painting() - begin);
      }
      rows_.push_back({tree ? "tree of 64 leaves above 100 words" : "the same as arcs", best, 30});
    }
  }

  struct Memory {
    std::int64_t switches = 0;
    double after_tenth_mb = 0;
    double at_end_mb = 0;
  };

  static Memory memory(std::int64_t switches) {
    WindowFixture fixture;
    MainWindow& window = *fixture.window;
    mog::test::CorpusOptions corpus;
    corpus.lengths.clear();
    for (std::int64_t i = 0; i < 50; ++i) {
      corpus.lengths.push_back(4 + i % 20);
    }
    window.open({mog::test::save_recording(fixture.folder.filePath(QStringLiteral("many.rec")), corpus)});
    fixture.settle();
    Memory memory{switches, 0, 0};
    for (std::int64_t i = 1; i <= switches; ++i) {
      window.workspace().select({1, i % 50});
      until("the jobs end", [&] {
        QApplication::processEvents();
        return window.jobs().idle();
      });
      if (i == switches / 10) {
        memory.after_tenth_mb = memory_mb();
      }
    }
    memory.at_end_mb = memory_mb();
    return memory;
  }

  bool print(const Memory& memory) const {
    const double factor = mog::bench::calibration_factor();
    bool good = true;
    std::printf("{\"benchmark\": \"desktop\", \"calibration_factor\": %.2f, \"rows\": [", factor);
    for (const Row& row : rows_) {
      const bool ok = row.ms <= row.limit_ms * factor;
      good = good && ok;
      std::printf("%s\n {\"what\": \"%s\", \"ms\": %.1f, \"limit_ms\": %.1f, \"ok\": %s}",
                  &row == rows_.data() ? "" : ",", row.name.c_str(), row.ms, row.limit_ms * factor,
                  ok ? "true" : "false");
    }
    constexpr double kGrowthMb = 8;  // what an allocator may keep of ever other sizes
    const bool flat = memory.at_end_mb - memory.after_tenth_mb <= kGrowthMb;
    std::printf(
        "\n], \"memory\": {\"switches\": %lld, \"after_a_tenth_mb\": %.1f, \"at_end_mb\": %.1f, "
        "\"limit_mb\": %.1f, \"ok\": %s}}\n",
        static_cast<long long>(memory.switches), memory.after_tenth_mb, memory.at_end_mb,
        memory.after_tenth_mb + kGrowthMb, flat ? "true" : "false");
    return good && flat;
  }

  std::filesystem::path folder_;
  std::vector<Row> rows_;
};

}  // namespace

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_desktop FOLDER [SWITCHES [GIGABYTES]]\n");
    return 2;
  }
  try {
    Bench bench(argv[1]);
    return bench.run(argc > 2 ? std::atoll(argv[2]) : 10'000, argc > 3 ? std::atof(argv[3]) : 2) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_desktop: %s\n", error.what());
    return 1;
  }
}
