#include "app/gui/views/corpus/further_figures_view.h"

#include "app/gui/views/common/view_kind.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>

#include "app/gui/views/common/threshold_box.h"
#include "app/gui/widgets/accessibility.h"
#include "app/gui/widgets/figure_canvas.h"

namespace mog::gui {
namespace {

const QString kCountSlot = QStringLiteral("figures-of-recording");

QString text(std::string_view utf8) {
  return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

// Those that no other view shows.
std::vector<const app::FigureKind*> further_kinds() {
  std::vector<const app::FigureKind*> kinds;
  const auto all = app::figure_kinds();
  std::copy_if(all.begin(), all.end(), std::back_inserter(kinds),
               [](const app::FigureKind* kind) { return !kind->title.empty(); });
  return kinds;
}

// The first where there is none of that name.
const app::FigureKind& further_kind(const QString& name) {
  const std::vector<const app::FigureKind*> kinds = further_kinds();
  const auto at = std::find_if(kinds.begin(), kinds.end(),
                               [&](const app::FigureKind* kind) { return name == text(kind->name); });
  return at == kinds.end() ? *kinds.front() : **at;
}

QString title_of(const app::FigureKind& kind) {
  return QCoreApplication::translate("Guide", kind.title.data());
}

}  // namespace

FurtherFiguresView::FurtherFiguresView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      kind_(new Combo(this)),
      quantity_(new Combo(this)),
      threshold_(new ThresholdBox(context.state, tr("a fifth of the most frequent join"), this)),
      what_(new LineLabel(this)),
      picture_(new FigureCanvas(this)) {
  const auto [column, tools] = make_tool_column(this);
  set_label(*kind_, tr("Figure"));
  set_label(*quantity_, tr("Recorded quantity"));
  tools->addWidget(kind_);
  tools->addWidget(quantity_);
  threshold_->hide();
  tools->addWidget(threshold_);
  tools->addWidget(what_, 1);
  column->addLayout(tools);
  column->addWidget(picture_, 1);
  picture_->setAccessibleName(tr("Figure of the recording or the sentence"));
  asksIn({QStringLiteral("figures")});
  connect(kind_, &QComboBox::activated, this, [this] {
    countAgain();
    setKind(kind_->currentData().toString());
  });
  connect(quantity_, &QComboBox::activated, this, [this] {
    countAgain();
    setQuantity(quantity_->currentText());
  });
  connect(&jobs(), &JobRunner::jobOver, this, [this](const JobStatus& over) {
    if (over.id == job_ && over.state == JobState::cancelled) {
      giveUp({counting_, tr("This was cancelled"), tr("Choose the figure again to count once more.")});
    }
  });
  connect(&state(), &ViewState::changed, this, [this](const QString& name) {
    const std::string_view shown = further_kind(kind_->currentData().toString()).name;
    const bool of_maps = app::has_choice(shown, "no-special-tokens") &&
                         (name == setting::kAttentionPieces || name == setting::kAttentionSpecial);
    const bool of_arcs = app::has_choice(shown, "threshold") && name == setting::kAttentionThreshold;
    if (name == setting::kFiguresKind || name == setting::kFiguresQuantity || of_maps || of_arcs) {
      hit_.reset();
      invalidate();
    }
  });
  connect(&selection(), &SelectionModel::sentenceChanged, this, [this] {
    hit_.reset();
    invalidate();
  });
  connect(&selection(), &SelectionModel::mapChanged, this, [this] {
    if (further_kind(state().choice(setting::kFiguresKind)).of_sentence()) {
      invalidate();
    }
  });
  connect(&selection(), &SelectionModel::tokenChanged, this, [this] {
    if (app::has_choice(further_kind(state().choice(setting::kFiguresKind)).name, "owner")) {
      invalidate();  // of the word that is pinned
    }
    updateHighlight();
  });
  connect(&selection(), &SelectionModel::hoveredChanged, this, &FurtherFiguresView::updateHighlight);
  connect(picture_, &FigureCanvas::hovered, this, [this](const std::optional<figures::Hit>& hit) {
    hit_ = hit;
    const std::int64_t place = !hit || words_.empty() ? -1
                               : of_words_            ? hit->word
                                                      : std::max(hit->row, hit->column);
    selection().setHovered(place >= 0 && place < static_cast<std::int64_t>(words_.size())
                               ? std::optional(words_[static_cast<std::size_t>(place)].front())
                               : std::nullopt);
    updateHighlight();
    Q_EMIT readout(hit ? hit->readout : QString());
  });
  connect(picture_, &FigureCanvas::clicked, this, [this](const figures::Hit& hit) {
    const std::int64_t place = words_.empty() ? -1 : of_words_ ? hit.word : std::max(hit.row, hit.column);
    if (place >= 0 && place < static_cast<std::int64_t>(words_.size())) {
      const std::int64_t token = words_[static_cast<std::size_t>(place)].front();
      selection().setToken(selection().token() == token ? std::nullopt : std::optional(token));
    }
  });
}

void FurtherFiguresView::setKind(const QString& kind) {
  state().set(setting::kFiguresKind, kind);
}

void FurtherFiguresView::setQuantity(const QString& quantity) {
  state().set(setting::kFiguresQuantity, quantity);
}

bool FurtherFiguresView::focusThreshold() {
  if (threshold_->isVisible()) {
    threshold_->takeFocus();
    return true;
  }
  return false;
}

QStringList FurtherFiguresView::kinds() const {
  QStringList result;
  for (int i = 0; i < kind_->count(); ++i) {
    result.push_back(kind_->itemData(i).toString());
  }
  return result;
}

QStringList FurtherFiguresView::quantities() const {
  QStringList result;
  for (int i = 0; i < quantity_->count(); ++i) {
    result.push_back(quantity_->itemText(i));
  }
  return result;
}

void FurtherFiguresView::fillKinds(const RecordingHeader& header, bool on_disk) {
  const QSignalBlocker quiet(kind_);
  kind_->clear();
  const bool maps = !selection().extent().parts.empty();
  for (const app::FigureKind* const kind : further_kinds()) {
    const bool there = kind->fits == nullptr ? maps : kind->fits(header);
    if (there && (on_disk || kind->of_sentence())) {
      kind_->addItem(title_of(*kind), text(kind->name));
    }
  }
  kind_->setCurrentIndex(std::max(0, kind_->findData(state().choice(setting::kFiguresKind))));
}

void FurtherFiguresView::fillQuantities(const RecordingHeader& header, const QString& kind) {
  const QSignalBlocker quiet(quantity_);
  quantity_->clear();
  QStringList names;
  if (const auto quantities = further_kind(kind).quantities) {
    for (const std::string& name : quantities(header)) {
      names.push_back(QString::fromStdString(name));
    }
  }
  quantity_->addItems(names);
  quantity_->setCurrentIndex(std::max(0, quantity_->findText(state().choice(setting::kFiguresQuantity))));
  quantity_->setVisible(!names.isEmpty());
}

app::FigureRequest FurtherFiguresView::request() const {
  const app::FigureKind& kind = further_kind(kind_->currentData().toString());
  app::FigureRequest request{.kind = std::string(kind.name)};
  if (quantity_->count() > 0) {
    request.set("quantity", quantity_->currentText().toStdString());
  }
  if (!kind.of_sentence()) {
    return request;
  }
  if (app::has_choice(kind.name, "no-special-tokens")) {
    request.flag("no-special-tokens", state().choice(setting::kAttentionSpecial) == QLatin1String("none"));
  }
  if (app::has_choice(kind.name, "head")) {
    const QuantitySchema* schema = source()->header().find(QuantityName::parse(request.text_of("quantity")));
    const bool heads = schema != nullptr &&
                       std::find(schema->axes.begin(), schema->axes.end(), Axis::head) != schema->axes.end();
    request.set("head", heads ? selection().head() : 0);
  }
  if (app::has_choice(kind.name, "owner")) {
    request.set("layer", selection().layer());
  }
  if (app::has_choice(kind.name, "threshold")) {
    request.set("threshold", chosen_threshold(state()));
  }
  return request;
}

void FurtherFiguresView::refresh() {
  const auto recording = source();
  const WorkspaceItem* item = workspace().selectedItem();
  made_ = {};
  words_.clear();
  shown_key_.clear();
  if (counted_.lock() != recording) {
    forget();
    counted_ = recording;
  }
  if (recording != nullptr) {
    fillKinds(recording->header(), !item->path.isEmpty());
  } else {
    kind_->clear();
  }
  kind_->setVisible(kind_->count() > 0);
  quantity_->setVisible(false);
  threshold_->setVisible(kind_->count() > 0 &&
                         app::has_choice(further_kind(kind_->currentData().toString()).name, "threshold"));
  if (kind_->count() == 0) {
    what_->clear();
    const Empty empty =
        recording != nullptr
            ? notRecorded(
                  tr("No such figures of this recording"),
                  tr("They are of recorded maps and quantities: record with --capture attention,gates."))
            : noSentence(tr("Here you see further figures of a sentence and of a whole recording."));
    picture_->setEmpty(empty.title, empty.hint, empty.offer);
    return;
  }
  fillQuantities(recording->header(), kind_->currentData().toString());
  app::FigureRequest wanted = request();
  const app::FigureKind& kind = app::find_figure_kind(wanted.kind);
  what_->setText(kind.of_sentence() ? QString() : tr("of the whole recording"));
  if (kind.of_sentence()) {
    readOfSentence(recording, wanted);
    return;
  }
  shown_key_ = QString::fromStdString(wanted.kind) + QLatin1Char(' ') + quantity_->currentText();
  if (const auto at = known_.find(shown_key_); at != known_.end()) {
    made_ = at->second;
    picture_->setFigure(made_.figure);
  } else if (gave_up_ && gave_up_->key == shown_key_) {
    picture_->setEmpty(gave_up_->title, gave_up_->hint, {tr("Count again"), [this] { countAgain(); }});
  } else {
    if (job_ == 0 || counting_ != shown_key_) {
      count(*item, wanted);
    }
    picture_->setBusy(true, tr("Counting…"));
  }
}

void FurtherFiguresView::readOfSentence(std::shared_ptr<const RecordingSource> recording,
                                        app::FigureRequest wanted) {
  picture_->setBusy(true);
  struct Result {
    MadeFigure made;
    Sentence sentence;
  };
  const QString name = workspace().selectedItem()->name;
  jobs().start(
      {.title = [kind = &app::find_figure_kind(wanted.kind),
                 name] { return tr("%1 of %2").arg(title_of(*kind), name); },
       .slot = QStringLiteral("figures"),
       .quiet = true},
      this,
      [recording, wanted, token = selection().token(),
       index = selection().sentence().index](const JobContext& context) mutable {
        Result result;
        result.sentence = recording->sentence(index);
        wanted.set("sentence", result.sentence.number);
        if (app::has_choice(wanted.kind, "owner")) {
          const std::int64_t word =
              token ? analysis::grammar_words(result.sentence).at(static_cast<std::size_t>(*token)) : -1;
          if (word >= 0) {
            wanted.set("owner", "@" + std::to_string(word + 1));
          } else {
            wanted.set("layer", std::string());
          }
        }
        result.made.made_by = wanted;
        result.made.figure = std::make_shared<const analysis::FigureData>(
            app::make_figure(wanted, *recording, context.stop(), context.progress()));
        return result;
      },
      [this](Result result) {
        made_ = result.made;
        of_words_ = app::has_choice(made_.made_by.kind, "owner");
        words_ = analysis::shown_tokens(
            result.sentence,
            {.special_tokens = !of_words_ && !made_.made_by.has("no-special-tokens"), .by_word = of_words_});
        picture_->setFigure(made_.figure);
        updateHighlight();
      },
      [this](const QString& message) { picture_->setEmpty(tr("This figure cannot be made"), message); });
}

// Of the whole recording; goes on while the reader looks at other sentences and other figures.
void FurtherFiguresView::count(const WorkspaceItem& item, app::FigureRequest wanted) {
  counting_ = shown_key_;
  job_ = 0;  // an older one that ends now says nothing
  job_ = jobs().start(
      {.title = [kind = &app::find_figure_kind(wanted.kind),
                 name = item.name] { return tr("%1 of %2").arg(title_of(*kind), name); },
       .slot = kCountSlot,
       .background = true},
      this,
      [wanted,
       path = QFileInfo(item.path).absoluteFilePath().toStdString()](const JobContext& context) mutable {
        MadeFigure made;
        made.made_by = wanted;
        wanted.inputs = {path};
        made.figure = std::make_shared<const analysis::FigureData>(
            app::make_figure(wanted, context.stop(), context.progress()));
        return made;
      },
      [this, key = shown_key_](const MadeFigure& made) {
        job_ = 0;
        known_[key] = made;
        if (key == shown_key_) {
          made_ = made;
          picture_->setFigure(made_.figure);
          updateHighlight();
        }
      },
      [this, key = shown_key_](const QString& message) {
        giveUp({key, tr("This figure cannot be made"), message});
      });
}

// Until the figure is chosen again.
void FurtherFiguresView::giveUp(const GaveUp& why) {
  job_ = 0;
  gave_up_ = why;
  if (why.key == shown_key_) {
    made_ = {};
    picture_->setEmpty(why.title, why.hint, {tr("Count again"), [this] { countAgain(); }});
  }
}

void FurtherFiguresView::countAgain() {
  gave_up_.reset();
  invalidate();
}

void FurtherFiguresView::forget() {
  job_ = 0;
  jobs().cancelSlot(kCountSlot);
  known_.clear();
  gave_up_.reset();
}

void FurtherFiguresView::updateHighlight() {
  if (picture_->figure() == nullptr) {
    return;
  }
  figures::Highlight highlight;
  if (hit_) {
    highlight = hit_->highlight();
  } else if (const auto place = place_of(words_, selection().lit())) {
    (of_words_ ? highlight.word : highlight.row) = *place;
  }
  picture_->setHighlight(highlight);
}

std::vector<ExportItem> FurtherFiguresView::exports() const {
  if (picture_->figure() == nullptr || made_.figure == nullptr) {
    return {};
  }
  const QString kind = QString::fromStdString(made_.made_by.kind);
  const app::FigureKind& shown = app::find_figure_kind(made_.made_by.kind);
  const bool of_sentence = shown.of_sentence();
  return {{title_of(shown),
           of_sentence ? kind + QLatin1Char('-') + selectionName() : kind,
           made_.figure,
           {},
           commandOf(made_.made_by)}};
}

const ViewKind& FurtherFiguresView::kind() {
  static const ViewKind kind{
      .name = "figures",
      .rank = 10,
      .create = [](const ViewContext& context, QWidget* parent) -> QWidget* {
        return new FurtherFiguresView(context, parent);
      },
      .places = {{"corpus", 0, 1}},
      .settings = {{.name = setting::kFiguresKind,
                    .initial = std::string("leaves-by-layer"),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "figure"),
                    .names = app::NameOf::figure},
                   {.name = setting::kFiguresQuantity,
                    .initial = std::string(),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "quantity")}},
      .guide = [](const ViewContext& context) -> QStringList {
        return {QStringLiteral("figure.") + context.state.choice(setting::kFiguresKind),
                context.state.choice(setting::kFiguresQuantity),
                QStringLiteral("leaves"),
                QStringLiteral("bands"),
                QStringLiteral("joins"),
                QStringLiteral("edge-posterior")};
      },
  };
  return kind;
}

std::span<const ViewKind> further_figures_view_kinds() {
  return {&FurtherFiguresView::kind(), 1};
}

}  // namespace mog::gui
