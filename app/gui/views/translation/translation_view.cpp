#include "app/gui/views/translation/translation_view.h"

#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QLocale>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/gui/views/common/view_kind.h"
#include "app/gui/views/translation/translation_words.h"
#include "app/gui/widgets/accessibility.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/gui/widgets/layer_head_grid.h"
#include "app/workflow/common/shell_line.h"

namespace mog::gui {
namespace {

const QString kBy = QStringLiteral("translation.by");
const QString kLayer = QStringLiteral("translation.layer");
const QString kHead = QStringLiteral("translation.head");
const QString kSlot = QStringLiteral("translation");
const QString kMapSlot = QStringLiteral("translation-map");
const QString kTilesSlot = QStringLiteral("translation-tiles");
constexpr double kLeastCell = 14;
constexpr int kListed = 5;  // translations in sight

QString name_of(TakenBy by) {
  return by == TakenBy::cross_attention ? QStringLiteral("attention")
         : by == TakenBy::contribution  ? QStringLiteral("contribution")
                                        : QStringLiteral("alti");
}

}  // namespace

TranslationView::TranslationView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      by_choice_(new Choice(TranslationView::tr("Where words come from"), this)),
      what_(new LineLabel(this)),
      begins_(new QLineEdit(this)),
      list_(new QListWidget(this)),
      words_(new TranslationWords(this)),
      splitter_(new QSplitter(Qt::Horizontal, this)),
      grid_(new LayerHeadGrid(this)),
      map_(new FigureCanvas(this)) {
  asksIn({kSlot, kMapSlot, kTilesSlot});
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
    if (name == kBy || name == kLayer || name == kHead) {
      drawMap();
    }
  });
}

void TranslationView::build() {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* tools = make_tool_row();
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
  map_->setAccessibleName(tr("Words of the translation on words of the source"));
}

void TranslationView::connectParts() {
  connect(by_choice_, &Choice::chosen, this,
          [this](int chosen) { state().set(kBy, name_of(static_cast<TakenBy>(chosen))); });
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
  connect(grid_, &LayerHeadGrid::chosen, this, [this](std::int64_t layer, std::int64_t head) {
    state().set(kLayer, static_cast<double>(layer > grid_->grid()->layers ? 0 : layer));
    state().set(kHead, static_cast<double>(head));
    state().set(kBy, name_of(TakenBy::cross_attention));
  });
  connect(grid_, &LayerHeadGrid::hoveredMap, this, [this](std::int64_t layer, std::int64_t head) {
    const QString where = layer > grid_->grid()->layers ? tr("mean over layers") : tr("layer %1").arg(layer);
    Q_EMIT readout(layer == 0  ? QString()
                   : head == 0 ? tr("%1, mean over heads").arg(where)
                               : tr("%1, head %2").arg(where).arg(head));
  });
  connect(map_, &FigureCanvas::hovered, this,
          [this](const std::optional<figures::Hit>& hit) { Q_EMIT readout(hit ? hit->readout : QString()); });
  connect(map_, &FigureCanvas::clicked, this, [this](const figures::Hit& hit) {
    if (hit.row >= 0) {
      words_->choose(TranslationWords::Side::target, hit.row);
    } else if (hit.column >= 0) {
      words_->choose(TranslationWords::Side::source, hit.column);
    }
  });
}

TakenBy TranslationView::by() const {
  const QString name = state().choice(kBy);
  const std::vector<TakenBy> ways = shown_ ? ways_of(shown_->source->header()) : std::vector<TakenBy>();
  const auto at = std::find_if(ways.begin(), ways.end(), [&](TakenBy one) { return name_of(one) == name; });
  return at != ways.end() ? *at : ways.empty() ? TakenBy::cross_attention : ways.front();
}

std::int64_t TranslationView::layer() const {
  const auto chosen = static_cast<std::int64_t>(state().number(kLayer));
  return shown_ && chosen <= cross_maps(shown_->source->header()).layers ? chosen : 0;
}

std::int64_t TranslationView::head() const {
  const auto chosen = static_cast<std::int64_t>(state().number(kHead));
  return shown_ && chosen <= cross_maps(shown_->source->header()).heads ? chosen : 0;
}

void TranslationView::setParts(bool shown) {
  words_->setEnabled(shown);
  list_->setEnabled(shown);
  words_->setVisible(shown);
  list_->setVisible(shown && shown_ && shown_->found.size() > 1);
  by_choice_->setVisible(shown);
}

void TranslationView::showEmpty(const Empty& empty) {
  shown_.reset();
  made_ = {};
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
  shown_of_ = selection().sentence();
  fillList();
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
            ? tr("The weights of the decoder's heads on the source, of the step that has read the word")
        : way == TakenBy::contribution
            ? tr("What the score of the word owes to each source word, with norms and attention frozen")
            : tr("How near each source word brings the state that predicts the word (Ferrando et al. "
                 "2022)"));
  }
  by_choice_->setVisible(ways.size() > 1);
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

void TranslationView::drawTiles() {
  const bool any = !ways_of(shown_->source->header()).empty() &&
                   ways_of(shown_->source->header()).front() == TakenBy::cross_attention &&
                   !shown_->target_words.empty();
  tiles_->setVisible(any);
  if (!any) {
    return;
  }
  jobs().start(
      {.title = [] { return tr("Reading thumbnails"); }, .slot = kTilesSlot, .quiet = true}, this,
      [source = shown_->source, index = shown_->index](const JobContext& context) {
        return words_overview(source, index, context.stop());
      },
      [this](std::shared_ptr<const analysis::AttentionOverview> overview) {
        grid_->setGrid(std::move(overview));
        light();
      },
      [this](const QString& message) {
        grid_->clear();
        workspace().report(message);
      });
}

void TranslationView::drawMap() {
  if (!shown_) {
    return;
  }
  by_choice_->setCurrent(static_cast<int>(by()));
  WordsQuestion question{shown_->source, shown_->index, by(), 0, 0};
  if (by() == TakenBy::cross_attention) {
    question.layer = layer();
    question.head = head();
  }
  map_->setBusy(true);
  jobs().start(
      {.title = [] { return tr("Reading a map"); }, .slot = kMapSlot, .quiet = true}, this,
      [question](const JobContext&) { return words_figure(question); },
      [this](MadeFigure made) {
        made_ = std::move(made);
        const auto& map = std::get<analysis::HeatMap>(made_.figure->body);
        words_->setWeights(map.values);
        map_->setFigure(made_.figure);
        light();
      },
      [this](const QString& message) {
        made_ = {};
        words_->setWeights({});
        map_->setEmpty(tr("No such map"), message);
      });
}

void TranslationView::light() {
  const auto target = words_->chosen(TranslationWords::Side::target);
  const auto source = words_->chosen(TranslationWords::Side::source);
  figures::Highlight highlight;
  highlight.row = target;
  highlight.column = source;
  map_->setHighlight(made_.figure ? highlight : figures::Highlight{});
  if (made_.figure) {
    map_->see(target, source);
  }
  const bool attention = by() == TakenBy::cross_attention;
  const std::int64_t layers = grid_->grid()->layers;
  grid_->setCurrent(layer() > 0 ? layer() : layers + (layers > 1 ? 1 : 0), attention ? head() : 0);
  what_->setText(!attention ? tr("a click on a word lights the words that it comes from")
                 : layer() == 0
                     ? tr("mean over layers, %1; a click on a word lights the words that it comes from")
                           .arg(head() == 0 ? tr("mean over heads") : tr("head %1").arg(head()))
                     : tr("layer %1, %2; a click on a word lights the words that it comes from")
                           .arg(layer())
                           .arg(head() == 0 ? tr("mean over heads") : tr("head %1").arg(head())));
  if (source && shown_ && shown_->source_tokens[static_cast<std::size_t>(*source)] >= 0) {
    selection().setToken(shown_->source_tokens[static_cast<std::size_t>(*source)]);
  }
}

// Records the sentence with the translation that is shown; a recording is there already.
FigureCommand TranslationView::command() const {
  const WorkspaceItem* item = workspace().selectedItem();
  if (item == nullptr || shown_->found.empty()) {
    return commandOf(made_.made_by);
  }
  FigureCommand command = commandOf(made_.made_by);
  const WorkspaceModel* model = workspace().modelOf(*item);
  const QString source = QString::fromStdString(shown_->source->sentence(shown_->index).text);
  if (model == nullptr ||
      (item->kind == WorkspaceItem::Kind::typed &&
       !item->typed.at(static_cast<std::size_t>(selection().sentence().index)).interventions.empty())) {
    command.arguments.clear();
    command.why_not =
        tr("A sentence that was changed inside the model has no command: mog record runs "
           "sentences as they are.");
    return command;
  }
  const auto line = [](const std::vector<std::string>& words) {
    return QString::fromStdString(app::shell_line(words));
  };
  std::vector<std::string> record = {
      "mog",      "record",          "--model",  model->path.toStdString(), "--input",   "-",
      "--target", "translation.txt", "--output", "translation.rec",         "--capture", "summary,attention",
      "--store",  "float32"};
  if (by() != TakenBy::cross_attention) {
    record.insert(record.end(), {"--quantity", quantity_of(shown_->source->header(), by())});
  }
  command.prepare = line({"printf", "%s\\n", shown_->texts[shown_->chosen].toStdString()}) +
                    QStringLiteral(" > translation.txt && ") +
                    line({"printf", "%s\\n", source.toStdString()}) + QStringLiteral(" | ") + line(record);
  app::FigureRequest request = made_.made_by;
  request.inputs = {"translation.rec"};
  command.arguments = app::figure_arguments(request);
  command.why_not.clear();
  return command;
}

std::vector<ExportItem> TranslationView::exports() const {
  if (!shown_ || map_->figure() == nullptr || !made_.figure) {
    return {};
  }
  return {{tr("Word alignment"), QStringLiteral("alignment-s%1").arg(selection().sentence().index + 1),
           map_->figure(), map_->highlight(), command()}};
}

const ViewKind& TranslationView::kind() {
  static const ViewKind kind{
      .name = "translation",
      .rank = 6,
      .create = [](const ViewContext& context, QWidget* parent) -> QWidget* {
        return new TranslationView(context, parent);
      },
      .places = {{"translate", 0, 0}},
      .settings = {{.name = kBy,
                    .initial = std::string("attention"),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "where words come from"),
                    .choices = {QStringLiteral("attention"), QStringLiteral("contribution"),
                                QStringLiteral("alti")}},
                   {.name = kLayer,
                    .initial = 0.0,
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "layer of the decoder"),
                    .low = 0,
                    .high = 100000},
                   {.name = kHead,
                    .initial = 0.0,
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "head of the decoder"),
                    .low = 0,
                    .high = 100000}},
      .guide = [](const ViewContext&) -> QStringList {
        return {QStringLiteral("decoder.L.cross.attention")};
      },
  };
  return kind;
}

std::span<const ViewKind> translation_view_kinds() {
  return {&TranslationView::kind(), 1};
}

}  // namespace mog::gui
