// Recordings and a window for the tests of the desktop program, made by the fake model.
#pragma once

#include <QSettings>
#include <QString>
#include <QTemporaryDir>
#include <memory>
#include <string>
#include <vector>

#include "app/gui/window/main_window.h"
#include "tests/support/fake_model.h"

namespace mog::test {

struct CorpusOptions {
  FakeModelOptions model{};
  std::vector<std::int64_t> lengths = {3, 7, 12, 15, 22, 31};  // words of each sentence
  bool maps = true;                                            // attention and gates, else the summary only
  std::string name{};                                          // of the recording
  bool states = false;                                         // behind the layers, too
};

// Sentence i has lengths[i] words; the corpus is called "fake corpus".
std::shared_ptr<const RecordingSource> make_recording(const CorpusOptions& options = {});

// One layer of two heads and a decomposition of its scores, of a plain Transformer.
std::shared_ptr<const RecordingSource> decomposed_recording();

// The same as files; returns the path.
QString save_recording(const QString& path, const CorpusOptions& options = {});
// `finished`: else as a recorder that was killed leaves it.
QString save_recording(const QString& path, const RecordingSource& recording, bool finished = true);

// A folder that looks like a model directory, so that the fake openers are asked for it; returns its path.
QString model_folder(const QString& inside);

// Every model directory is a FakeModel; recordings open the real way.
gui::Openers fake_openers(const FakeModelOptions& options = {});

// A window with settings of its own in a temporary folder.
struct WindowFixture {
  explicit WindowFixture(gui::Openers openers = fake_openers(), const QString& sessions = {});
  QString saveFake(const QString& name = QStringLiteral("fake.rec"));  // the recording as files, not opened
  void openFake();                                                     // the recording, and waits
  void openFakeModel();                                                // the model, and waits
  // Runs the event loop until no job is left and the views have drawn; false after 20 s.
  bool settle();
  // Brings a view to the front, and waits.
  void see(const char* view);
  // The same with each view, then with the workspace that was in front: all have drawn what is selected.
  void seeAll();
  QTemporaryDir folder;
  std::unique_ptr<gui::MainWindow> window;
};

}  // namespace mog::test
