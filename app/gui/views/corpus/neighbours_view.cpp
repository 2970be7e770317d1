#include "app/gui/views/corpus/neighbours_view.h"

#include <QCheckBox>
#include <QLocale>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/gui/views/common/view_kind.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/workflow/trees/trees_job.h"

namespace mog::gui {
namespace {

const QString kSlot = QStringLiteral("neighbours");
const QString kCenter = QStringLiteral("neighbours.center");
const QString kOthers = QStringLiteral("neighbours.other_words");
constexpr std::int64_t kContext = 4;  // words at each side, as `mog figure neighbours` has them

}  // namespace

NeighboursView::NeighboursView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      center_(new QCheckBox(tr("Less the mean"), this)),
      other_words_(new QCheckBox(tr("Other words only"), this)),
      what_(new LineLabel(this)),
      picture_(new FigureCanvas(this)) {
  asksIn({kSlot});
  build();
  connect(&selection(), &SelectionModel::sentenceChanged, this, &NeighboursView::invalidate);
  connect(&selection(), &SelectionModel::tokenChanged, this, &NeighboursView::invalidate);
  connect(&selection(), &SelectionModel::mapChanged, this, &NeighboursView::invalidate);
  connect(&state(), &ViewState::changed, this, [this](const QString& name) {
    if (name == kCenter || name == kOthers) {
      went_.reset();
      invalidate();
    }
  });
  connect(center_, &QCheckBox::toggled, this,
          [this](bool on) { state().set(kCenter, ViewState::Value(on)); });
  connect(other_words_, &QCheckBox::toggled, this,
          [this](bool on) { state().set(kOthers, ViewState::Value(on)); });
  connect(picture_, &FigureCanvas::hovered, this, [this](const std::optional<figures::Hit>& hit) {
    picture_->setHighlight(hit ? hit->highlight() : figures::Highlight{});
    picture_->setCursor(hit && hit->row >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    Q_EMIT readout(hit ? hit->readout : QString());
  });
  connect(picture_, &FigureCanvas::clicked, this, [this](const figures::Hit& hit) { go(hit.row); });
}

void NeighboursView::build() {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* tools = make_tool_row();
  center_->setToolTip(
      tr("States less their mean over the recording: where all of them are alike, what is "
         "left tells them apart"));
  other_words_->setToolTip(tr("Without the same word at other places"));
  tools->addWidget(center_);
  tools->addWidget(other_words_);
  tools->addWidget(what_, 1);
  column->addLayout(tools);
  column->addWidget(picture_, 1);
  picture_->setAccessibleName(tr("Neighbours of the selected word"));
}

void NeighboursView::showNothing(const Empty& empty) {
  shown_.reset();
  answered_ = {};
  of_.reset();
  made_ = {};
  went_.reset();
  what_->clear();
  picture_->setEmpty(empty.title, empty.hint, empty.offer);
}

NeighboursView::Answer NeighboursView::find(const RecordingSource& source,
                                            const app::NeighboursOptions& options) {
  Answer answer;
  answer.neighbours = std::make_shared<const app::Neighbours>(app::find_neighbours(source, options));
  answer.made.figure = std::make_shared<const analysis::FigureData>(
      app::neighbours_figure(*answer.neighbours, kContext, app::NeighboursShown::list));
  answer.made.made_by.kind = "neighbours";
  answer.made.made_by.set("sentence", options.sentence)
      .set("word", options.word)
      .set("layer", std::to_string(options.layer))
      .flag("center", options.center)
      .flag("other-words", options.other_words)
      .flag("list-only");
  return answer;
}

void NeighboursView::refresh() {
  center_->setChecked(state().flag(kCenter));
  other_words_->setChecked(state().flag(kOthers));
  const auto recording = source();
  if (recording == nullptr) {
    showNothing(noSentence(tr("Here you see the words of a recording whose states are nearest to one.")));
    return;
  }
  const std::optional<std::int64_t> layer = app::states_layer(recording->header(), selection().layer());
  if (!layer) {
    showNothing({tr("No states in this recording"),
                 tr("Record the corpus again with --quantity 'encoder.*.output'."),
                 {tr("Record a corpus…"), [this] { Q_EMIT recordAsked(); }}});
    return;
  }
  const std::int64_t index = selection().sentence().index;
  const auto token = selection().token();
  if (shown_ != nullptr && of_.lock() == recording && answered_.layer == *layer && went_ && token &&
      *went_ == std::pair(index, *token)) {
    picture_->setBusy(false);
    return;  // a click on the list led here
  }
  went_.reset();
  const Sentence sentence = recording->sentence(index);
  const std::int64_t word = token && *token < static_cast<std::int64_t>(sentence.tokens.size())
                                ? sentence.tokens[static_cast<std::size_t>(*token)].word
                                : -1;
  if (word < 0) {
    showNothing({tr("No word is chosen"), tr("Click a word of the sentence to see its neighbours.")});
    return;
  }
  app::NeighboursOptions options;
  options.sentence = sentence.number;
  options.word = word + 1;
  options.layer = *layer;
  options.center = state().flag(kCenter);
  options.other_words = state().flag(kOthers);
  const Question question{sentence.number, options.word, *layer, options.center, options.other_words};
  if (shown_ != nullptr && of_.lock() == recording && question == answered_) {
    picture_->setBusy(false);
    return;
  }
  picture_->setBusy(true, tr("Comparing…"));
  const QString name = QString::fromStdString(sentence.words[static_cast<std::size_t>(word)].text);
  jobs().start(
      {.title = [name] { return tr("Neighbours of %1").arg(name); },
       .slot = kSlot,
       .quiet = true,
       .background = true},
      this,
      [recording, options](const JobContext& context) mutable {
        options.stop = context.stop();
        options.progress = context.progress();
        return find(*recording, options);
      },
      [this, question, of = std::weak_ptr(recording)](Answer answer) {
        take(std::move(answer), question);
        of_ = of;
      },
      [this](const QString& message) {
        showNothing({tr("No neighbours of this word"), message});
      });
}

void NeighboursView::take(Answer answer, const Question& question) {
  shown_ = std::move(answer.neighbours);
  answered_ = question;
  made_ = std::move(answer.made);
  const QLocale locale;
  const auto number = [&](double value) { return locale.toString(value, 'f', 3); };
  const analysis::KOccurrence& drawn = shown_->occurrence;
  const QString pairs =
      std::isnan(drawn.pair_mean)
          ? QStringLiteral("–")
          : QStringLiteral("%1 ± %2").arg(number(drawn.pair_mean), number(drawn.pair_deviation));
  what_->setText(tr("Words compared: %1; any two words: %2; a click chooses a sentence")
                     .arg(locale.toString(static_cast<qlonglong>(shown_->words)), pairs));
  picture_->setFigure(made_.figure);
}

void NeighboursView::go(std::int64_t row) {
  const auto recording = source();
  if (shown_ == nullptr || recording == nullptr || of_.lock() != recording || row < 0 ||
      row > static_cast<std::int64_t>(shown_->found.size())) {
    return;
  }
  const app::NeighbourWord& word = row == 0 ? shown_->word : shown_->found[static_cast<std::size_t>(row - 1)];
  const std::optional<std::int64_t> index = app::find_sentence(*recording, word.sentence);
  if (!index) {
    return;
  }
  const Sentence sentence = recording->sentence(*index);
  const auto token = std::find_if(sentence.tokens.begin(), sentence.tokens.end(),
                                  [&](const Token& one) { return one.word == word.word - 1; });
  if (token == sentence.tokens.end()) {
    return;
  }
  went_ = {*index, token - sentence.tokens.begin()};
  const auto chosen = *went_;
  workspace().select({selection().sentence().item, chosen.first});
  selection().setToken(chosen.second);
  went_ = chosen;
}

std::vector<ExportItem> NeighboursView::exports() const {
  if (picture_->figure() == nullptr || shown_ == nullptr) {
    return {};
  }
  return {{tr("Neighbours"),
           QStringLiteral("neighbours-s%1-w%2").arg(shown_->word.sentence).arg(shown_->word.word),
           picture_->figure(),
           {},
           commandOf(made_.made_by)}};
}

const ViewKind& NeighboursView::kind() {
  static const ViewKind kind{
      .name = "neighbours",
      .rank = 12,
      .create = [](const ViewContext& context, QWidget* parent) -> QWidget* {
        return new NeighboursView(context, parent);
      },
      .places = {{"corpus", 0, 4}},
      .settings = {{.name = kCenter,
                    .initial = false,
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "neighbours less the mean")},
                   {.name = kOthers,
                    .initial = false,
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "neighbours of other words only")}},
  };
  return kind;
}

std::span<const ViewKind> neighbours_view_kinds() {
  return {&NeighboursView::kind(), 1};
}

}  // namespace mog::gui
