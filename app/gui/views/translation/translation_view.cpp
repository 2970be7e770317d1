#include "app/gui/views/translation/translation_view.h"

#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QLocale>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/gui/views/common/view_kind.h"
#include "app/gui/views/translation/translation_settings.h"
#include "app/gui/views/translation/translation_words.h"
#include "app/gui/widgets/accessibility.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/layer_head_grid.h"

namespace mog::gui {
namespace {

const QString kSlot = QStringLiteral("translation");
constexpr double kLeastCell = 14;
constexpr int kListed = 5;  // translations in sight

QString title_of(DecoderMaps maps) {
  return maps == DecoderMaps::source ? TranslationView::tr("Maps on the source")
         : maps == DecoderMaps::own  ? TranslationView::tr("Maps on own words")
                                     : TranslationView::tr("Capsules");
}

}  // namespace

TranslationView::TranslationView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      maps_choice_(new Combo(this)),
      by_choice_(new Choice(TranslationView::tr("Where words come from"), this)),
      what_(new LineLabel(this)),
      begins_(new QLineEdit(this)),
      list_(new QListWidget(this)),
      words_(new TranslationWords(this)),
      splitter_(new QSplitter(Qt::Horizontal, this)),
      grid_(new LayerHeadGrid(this)),
      map_(new FigureCanvas(this)) {
  asksIn({kSlot, of_translation::kMapSlot, of_translation::kTilesSlot});
  build();
  connectParts();
  connect(&selection(), &SelectionModel::sentenceChanged, this, [this] {
    begins_->clear();
    asked_begin_.clear();
    asked_chosen_ = 0;
    invalidate();
  });
  connect(&workspace(), &Workspace::modelChanged, this, [this] {
    asked_chosen_ = 0;
    invalidate();
  });
  connect(&selection(), &SelectionModel::tokenChanged, this, [this] {
    if (!shown_ || !selection().token()) {
      return;
    }
    const auto& tokens = shown_->source_tokens;
    const auto at = std::find(tokens.begin(), tokens.end(), *selection().token());
    if (at != tokens.end()) {
      words_->choose(TranslationWords::Side::source, at - tokens.begin());
    }
  });
  connect(&state(), &ViewState::changed, this, [this](const QString& name) {
    if (name == of_translation::kMaps) {
      drawTiles();
    }
    if (name == of_translation::kMaps || name == of_translation::kBy || name == of_translation::kLayer ||
        name == of_translation::kHead) {
      drawMap();
    }
  });
}

void TranslationView::build() {
  const auto [column, tools] = make_tool_column(this);
  set_label(*maps_choice_, tr("Which maps are shown"));
  tools->addWidget(maps_choice_);
  tools->addWidget(by_choice_);
  tools->addWidget(what_, 1);
  auto* label = new QLabel(tr("&Begins with"), this);
  label->setBuddy(begins_);
  begins_->setPlaceholderText(tr("your words, Enter"));
  begins_->setAccessibleName(tr("Words that the translation begins with"));
  begins_->setMinimumWidth(180);
  tools->addWidget(label);
  tools->addWidget(begins_);
  column->addLayout(tools);
  column->addWidget(words_);
  list_->setAccessibleName(tr("Best translations"));
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setTextElideMode(Qt::ElideRight);
  list_->setUniformItemSizes(true);
  column->addWidget(list_);
  tiles_ = new QWidget(splitter_);
  auto* around = new QVBoxLayout(tiles_);
  around->setContentsMargins(12, 8, 8, 8);
  around->addWidget(grid_);
  splitter_->addWidget(tiles_);
  splitter_->addWidget(map_);
  splitter_->setStretchFactor(0, 2);
  splitter_->setStretchFactor(1, 3);
  splitter_->setChildrenCollapsible(false);
  column->addWidget(splitter_, 1);
  map_->setLeastCell(kLeastCell);
  nameMap();
}

void TranslationView::connectParts() {
  connect(maps_choice_, &QComboBox::activated, this, [this](int place) {
    const auto chosen = static_cast<DecoderMaps>(maps_choice_->itemData(place).toInt());
    state().set(of_translation::kMaps, of_translation::name_of(chosen));
  });
  connect(by_choice_, &Choice::chosen, this, [this](int chosen) {
    state().set(of_translation::kBy, of_translation::name_of(static_cast<TakenBy>(chosen)));
  });
  connect(begins_, &QLineEdit::returnPressed, this, [this] {
    asked_begin_ = begins_->text().simplified().toStdString();
    asked_chosen_ = 0;
    invalidate();
  });
  connect(list_, &QListWidget::currentRowChanged, this, [this](int row) {
    if (!filling_ && row >= 0 && shown_ && static_cast<std::size_t>(row) != shown_->chosen) {
      asked_chosen_ = static_cast<std::size_t>(row);
      invalidate();
    }
  });
  connect(words_, &TranslationWords::chosenChanged, this, &TranslationView::light);
  connect(words_, &TranslationWords::pointed, this, &TranslationView::readout);
  connectMaps();
}

void TranslationView::setParts(bool shown) {
  words_->setEnabled(shown);
  list_->setEnabled(shown);
  words_->setVisible(shown);
  list_->setVisible(shown && shown_ && shown_->found.size() > 1);
  maps_choice_->setVisible(shown && maps_choice_->count() > 1);
  by_choice_->setVisible(shown);
}

void TranslationView::showEmpty(const Empty& empty) {
  jobs().cancelSlot(of_translation::kMapSlot);
  jobs().cancelSlot(of_translation::kTilesSlot);
  shown_.reset();
  picture_ = {};
  setParts(false);
  what_->clear();
  tiles_->hide();
  map_->setEmpty(empty.title, empty.hint, empty.offer);
}

void TranslationView::refresh() {
  const WorkspaceItem* item = workspace().selectedItem();
  const WorkspaceModel* model = item == nullptr ? nullptr : workspace().modelOf(*item);
  const bool translates = model != nullptr && model->loaded.target_vocabulary != nullptr;
  begins_->setEnabled(translates);
  if (item == nullptr) {
    showEmpty(noSentence(tr("Here you see how a translator renders a sentence, word by word.")));
    return;
  }
  const auto index = selection().sentence().index;
  if (translates) {
    TypedSentence sentence;
    if (item->kind == WorkspaceItem::Kind::typed) {
      sentence = item->typed.at(static_cast<std::size_t>(index));
    } else {
      sentence.text = item->source->sentence(index).text;
    }
    translate(*model, std::move(sentence));
    return;
  }
  if (auto recorded = recorded_translation(item->source, index)) {
    take(std::move(*recorded));
    return;
  }
  const bool decoder = item->source->header().system.stacks.size() > 1;
  showEmpty(
      decoder || item->kind == WorkspaceItem::Kind::recording
          ? notRecorded(tr("No translation in this recording"),
                        tr("A translator that is open translates the sentence. For all of them, record "
                           "the corpus with mog translate --record."))
          : Empty{tr("This model does not translate"),
                  tr("It has no decoder. Open a translator: a folder, a fairseq checkpoint, a CTranslate2 "
                     "folder."),
                  {tr("Open…"), [this] { Q_EMIT openAsked(); }}});
}

void TranslationView::translate(const WorkspaceModel& by, TypedSentence sentence) {
  const TranslationQuestion question{by.loaded, std::move(sentence), asked_begin_, asked_chosen_};
  // What stands there is of the question before.
  words_->setEnabled(false);
  list_->setEnabled(false);
  map_->setBusy(true);
  jobs().start(
      {.title = [] { return tr("Translating"); }, .slot = kSlot, .quiet = true}, this,
      [question](const JobContext& context) { return translate_sentence(question, context.stop()); },
      [this](ShownTranslation shown) { take(std::move(shown)); },
      [this](const QString& message) {
        showEmpty({tr("The sentence cannot be translated"), message});
      });
}

void TranslationView::take(ShownTranslation shown) {
  const bool same = shown_of_ == selection().sentence() && shown_ &&
                    shown_->target_words == shown.target_words && shown_->source_words == shown.source_words;
  const auto kept = same ? words_->chosen(TranslationWords::Side::target) : std::nullopt;
  shown_ = std::move(shown);
  picture_ = {};
  shown_of_ = selection().sentence();
  fillList();
  maps_choice_->clear();
  for (const DecoderMaps one : maps_of(shown_->source->header())) {
    maps_choice_->addItem(title_of(one), static_cast<int>(one));
  }
  setParts(true);
  by_choice_->clear();
  const std::vector<TakenBy> ways = ways_of(shown_->source->header());
  for (const TakenBy way : ways) {
    by_choice_->add(
        way == TakenBy::cross_attention ? tr("Cross-attention")
        : way == TakenBy::contribution  ? tr("Contribution")
                                        : tr("ALTI+"),
        static_cast<int>(way),
        way == TakenBy::cross_attention
            ? tr("The weights of the decoder's heads on the source, of the step that predicts the word")
        : way == TakenBy::contribution
            ? tr("What the score of the word owes to each source word, with norms and attention frozen")
            : tr("How near each source word brings the state that predicts the word (Ferrando et al. "
                 "2022)"));
  }
  words_->setWords(shown_->source_words, shown_->target_words);
  words_->choose(TranslationWords::Side::target, kept ? kept
                                                 : shown_->target_words.empty()
                                                     ? std::nullopt
                                                     : std::optional<std::int64_t>(0));
  drawTiles();
  drawMap();
}

void TranslationView::fillList() {
  filling_ = true;
  list_->clear();
  for (std::size_t i = 0; i < shown_->found.size(); ++i) {
    auto* entry = new QListWidgetItem(
        QStringLiteral("%1   %2").arg(QLocale().toString(shown_->found[i].score, 'f', 2), shown_->texts[i]));
    entry->setToolTip(tr("score %1: log p %2 over %3 tokens")
                          .arg(QLocale().toString(shown_->found[i].score, 'f', 3),
                               QLocale().toString(shown_->found[i].log_prob, 'f', 2),
                               QLocale().toString(static_cast<qlonglong>(shown_->found[i].ids.size()))));
    list_->addItem(entry);
  }
  const int rows = std::min(kListed, list_->count());
  list_->setFixedHeight(rows * std::max(1, list_->sizeHintForRow(0)) + 2 * list_->frameWidth());
  list_->setCurrentRow(shown_->found.empty() ? -1 : static_cast<int>(shown_->chosen));
  filling_ = false;
}

const ViewKind& TranslationView::kind() {
  static const ViewKind kind{
      .name = "translation",
      .rank = 6,
      .create = [](const ViewContext& context, QWidget* parent) -> QWidget* {
        return new TranslationView(context, parent);
      },
      .places = {{"translate", 0, 0}},
      .settings = {{.name = of_translation::kMaps,
                    .initial = std::string("source"),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "maps of the decoder"),
                    .choices = {QStringLiteral("source"), QStringLiteral("own"), QStringLiteral("capsules")}},
                   {.name = of_translation::kBy,
                    .initial = std::string("contribution"),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "where words come from"),
                    .choices = {QStringLiteral("attention"), QStringLiteral("contribution"),
                                QStringLiteral("alti")}},
                   {.name = of_translation::kLayer,
                    .initial = 0.0,
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "layer of the decoder"),
                    .low = 0,
                    .high = 100000},
                   {.name = of_translation::kHead,
                    .initial = 0.0,
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "head of the decoder"),
                    .low = 0,
                    .high = 100000}},
      .guide = [](const ViewContext& context) -> QStringList {
        const QString maps = context.state.choice(of_translation::kMaps);
        if (maps == QLatin1String("own")) {
          return {QStringLiteral("decoder.L.self.attention")};
        }
        if (maps == QLatin1String("capsules")) {
          return {QStringLiteral("figure.routing"), QStringLiteral("encoder.L.routing"),
                  QStringLiteral("encoder.L.pooling"), QStringLiteral("decoder.global_gate")};
        }
        return {QStringLiteral("decoder.L.cross.attention")};
      },
  };
  return kind;
}

std::span<const ViewKind> translation_view_kinds() {
  return {&TranslationView::kind(), 1};
}

}  // namespace mog::gui
