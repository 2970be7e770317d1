#include "tests/gui/gui_fixture.h"

#include <QCoreApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTest>
#include <QUndoStack>
#include <algorithm>

#include "app/gui/views/common/view_kind.h"
#include "app/gui/window/pages.h"
#include "app/workflow/record/capture.h"
#include "app/workflow/record/live_run.h"
#include "io/hdf5/recording/recording_writer.h"
#include "io/text/sha256.h"

namespace mog::test {

std::shared_ptr<const RecordingSource> make_recording(const CorpusOptions& options) {
  const FakeModel model(options.model);
  const FakeTokenizer tokenizer(options.model.vocabulary);
  app::CaptureSet captures;
  captures.store = DType::float32;
  captures.names = {app::CaptureName::summary};
  if (options.maps) {
    captures.names.insert({app::CaptureName::attention, app::CaptureName::gates});
  }
  if (options.states) {
    captures.names.insert(app::CaptureName::hidden);
  }
  const std::vector<QuantitySchema> offered = model.quantities();
  RecordingHeader header;
  header.model = model.card();
  header.system = model.system();
  header.provenance.corpus_name = "fake corpus";
  // Those of as many sentences are of one corpus.
  header.provenance.corpus_sha256 = io::sha256(std::to_string(options.lengths.size()));
  header.provenance.name = options.name;
  header.quantities = app::select_quantities(offered, captures, false);
  std::vector<Sentence> sentences;
  for (std::size_t i = 0; i < options.lengths.size(); ++i) {
    std::string text;
    for (std::int64_t word = 0; word < options.lengths[i]; ++word) {
      text += (word == 0 ? "w" : " w") + std::to_string(i) + "x" + std::to_string(word);
    }
    sentences.push_back(tokenizer.encode(text, static_cast<std::int64_t>(i) + 1));
  }
  auto recording = std::make_shared<MemoryRecording>();
  recording->begin(header);
  recording->write(app::record_batch(model, header.quantities, std::move(sentences)));
  recording->finish();
  return recording;
}

std::shared_ptr<const RecordingSource> decomposed_recording() {
  RecordingHeader header;
  header.model.encoder_kind = "transformer";
  header.model.layers = 1;
  header.model.heads = 2;
  Sentence sentence;
  sentence.number = 1;
  sentence.text = "a b";
  sentence.words = {{"a", {0, 1}}, {"b", {2, 3}}};
  sentence.tokens = {{"a", 3, 0, {0, 1}}, {"b", 4, 1, {2, 3}}};
  std::vector<float> maps(8, 0.5F);
  std::vector<float> terms;
  for (int i = 0; i < 2 * 6 * 4; ++i) {
    terms.push_back(static_cast<float>(i) / 10 - 2);
  }
  header.quantities = {{QuantityName::parse("encoder.1.full.attention"),
                        {Axis::head, Axis::query, Axis::key},
                        {2, 0, 0},
                        DType::float32,
                        "probability",
                        ""},
                       {QuantityName::parse("encoder.1.full.logit_terms"),
                        {Axis::head, Axis::logit_term, Axis::query, Axis::key},
                        {2, 6, 0, 0},
                        DType::float32,
                        "1",
                        ""}};
  auto recording = std::make_shared<MemoryRecording>();
  recording->begin(header);
  RecordingBatch batch;
  batch.sentences = {sentence};
  batch.quantities.emplace_back(header.quantities[0].name, HostTensor::of<float>({8}, maps));
  batch.quantities.emplace_back(header.quantities[1].name,
                                HostTensor::of<float>({static_cast<std::int64_t>(terms.size())}, terms));
  recording->write(batch);
  recording->finish();
  return recording;
}

QString save_recording(const QString& path, const CorpusOptions& options) {
  return save_recording(path, *make_recording(options));
}

QString save_recording(const QString& path, const RecordingSource& recording, bool finished) {
  io::RecordingWriter writer(path.toStdString(), {});
  writer.begin(recording.header());
  for (std::int64_t index = 0; index < recording.size(); ++index) {
    RecordingBatch batch;
    batch.sentences.push_back(recording.sentence(index));
    for (const QuantitySchema& schema : recording.header().quantities) {
      HostTensor values = recording.read(index, schema.name);
      const std::int64_t size = values.size();
      batch.quantities.emplace_back(schema.name, std::move(values).reshaped({size}));
    }
    writer.write(batch);
  }
  if (finished) {
    writer.finish();
  }
  return path;
}

QString WindowFixture::saveFake(const QString& name) {
  return save_recording(folder.filePath(name));
}

gui::Openers fake_openers(const FakeModelOptions& options) {
  return {[options](const std::filesystem::path&) {
            app::LoadedModel loaded;
            loaded.model = std::make_shared<const FakeModel>(options);
            loaded.tokenizer = std::make_shared<const FakeTokenizer>(options.vocabulary);
            return loaded;
          },
          gui::Openers::standard().recording};
}

WindowFixture::WindowFixture(gui::Openers openers, const QString& sessions)
    : window(std::make_unique<gui::MainWindow>(
          std::make_unique<QSettings>(folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat),
          std::move(openers), sessions)) {
  window->resize(1280, 800);
  window->pages().show(QStringLiteral("attention"));
  window->state().history().clear();
  window->show();
}

void WindowFixture::see(const char* view) {
  window->showView(QString::fromLatin1(view));
  settle();
}

void WindowFixture::seeAll() {
  const QString before = window->pages().current();
  for (const gui::ViewKind* kind : gui::view_kinds()) {
    see(kind->name);
  }
  window->pages().show(before);
  settle();
}

void WindowFixture::openFake() {
  auto recording = make_recording();
  auto tokens = recording->token_counts();
  window->workspace().addRecording(QStringLiteral("fake.rec"), {}, std::move(recording), std::move(tokens));
  settle();
}

void WindowFixture::openFakeModel() {
  const QString path = model_folder(folder.path());
  window->workspace().addModel(path, fake_openers().model({}));
  settle();
}

QString model_folder(const QString& inside) {
  const QString path = inside + QStringLiteral("/fake.model");
  QDir().mkpath(path);
  for (const char* name : {"config.json", "model.safetensors"}) {
    QFile file(path + QLatin1Char('/') + QLatin1String(name));
    if (file.open(QIODevice::WriteOnly)) {
      file.write("{}");
    }
  }
  return path;
}

bool WindowFixture::settle() {
  const auto over = [this] {
    const auto views = window->findChildren<gui::View*>();
    return window->jobs().idle() && std::none_of(views.begin(), views.end(), [](const gui::View* view) {
             return view->isVisible() && view->stale();
           });
  };
  QElapsedTimer clock;
  clock.start();
  do {
    QTest::qWait(10);
    if (over()) {
      QTest::qWait(30);  // refreshes asked for by the last result
      for (int round = 0; round < 10; ++round) {
        QCoreApplication::processEvents();  // each layout that the one before asks for, however slow the
                                            // machine
      }
      if (over()) {
        return true;
      }
    }
  } while (clock.elapsed() < 120'000);
  return false;
}

}  // namespace mog::test
