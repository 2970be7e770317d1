#include "app/gui/views/graphs/flow_view.h"

#include "app/gui/views/common/view_kind.h"

#include <QHBoxLayout>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

#include "app/gui/views/graphs/edge_heads.h"
#include "app/gui/views/graphs/flow_threshold.h"
#include "app/gui/widgets/figure_canvas.h"
#include "app/workflow/trees/grammar_options.h"
#include "io/recording/errors.h"

namespace mog::gui {
namespace {

const QString kAncestors = QStringLiteral("ancestors ");
const QString kDescendants = QStringLiteral("descendants ");

}  // namespace

FlowView::FlowView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      show_choice_(new Choice(tr("Shown"), this)),
      what_(new LineLabel(this)),
      threshold_(new FlowThreshold(context.state, *this)),
      splitter_(new QSplitter(Qt::Horizontal, this)),
      picture_(new FigureCanvas(this)),
      heads_(new EdgeHeads(context, *splitter_)) {
  asksIn({QStringLiteral("flow"), QStringLiteral("flow-figure")});
  build();
  connectPictures();
  connect(&selection(), &SelectionModel::sentenceChanged, this, [this] {
    hit_.reset();
    heads_->close();
    invalidate();
  });
  connect(&selection(), &SelectionModel::mapChanged, this, &FlowView::updateHighlight);
  connect(&selection(), &SelectionModel::tokenChanged, this, &FlowView::updateHighlight);
  connect(&selection(), &SelectionModel::hoveredChanged, this, &FlowView::updateHighlight);
  connect(&state(), &ViewState::changed, this, &FlowView::showState);
}

void FlowView::build() {
  const auto [column, tools] = make_tool_column(this);
  show_choice_->add(tr("Whole"), static_cast<int>(Show::whole), tr("All words and layers"));
  show_choice_->add(tr("Into"), static_cast<int>(Show::ancestors),
                    tr("Only what flowed into the chosen state (click a state)"));
  show_choice_->add(tr("Out of"), static_cast<int>(Show::descendants),
                    tr("Only what the chosen state flows into (click a state)"));
  show_choice_->setCurrent(static_cast<int>(show()));
  connect(show_choice_, &Choice::chosen, this, [this](int chosen) { setShow(static_cast<Show>(chosen)); });
  tools->addWidget(show_choice_);
  tools->addWidget(what_, 1);
  threshold_->addTo(*tools);
  column->addLayout(tools);
  splitter_->insertWidget(0, picture_);
  splitter_->setStretchFactor(0, 3);
  splitter_->setStretchFactor(1, 1);
  splitter_->setChildrenCollapsible(false);
  column->addWidget(splitter_, 1);
  picture_->setAccessibleName(tr("Information flow"));
}

void FlowView::connectPictures() {
  connect(picture_, &FigureCanvas::hovered, this, &FlowView::hovered);
  connect(picture_, &FigureCanvas::clicked, this, &FlowView::clicked);
  connect(picture_, &FigureCanvas::clickedNothing, this, [this] {
    heads_->close();
    selection().setToken(std::nullopt);
  });
  connect(heads_, &EdgeHeads::readout, this, &FlowView::readout);
}

// ---- what is chosen ----------------------------------------------------------------------------------

std::optional<analysis::FlowState> FlowView::chosenState() const {
  const QString text = state().choice(setting::kFlowState);
  const bool out = text.startsWith(kDescendants);
  if (flow_ == nullptr || (!out && !text.startsWith(kAncestors))) {
    return std::nullopt;
  }
  try {
    const auto chosen =
        analysis::parse_flow_state(text.mid((out ? kDescendants : kAncestors).size()).toStdString(), out);
    const auto& rows = flow_->rows();
    const bool there = chosen.word < flow_->words() &&
                       std::any_of(rows.begin(), rows.end(), [&](const analysis::FlowRow& row) {
                         return row.layer == chosen.layer && row.part == chosen.part;
                       });
    return there ? std::optional(chosen) : std::nullopt;  // of a longer sentence or a deeper model
  } catch (const Error&) {                                // of another program's session
    return std::nullopt;
  }
}

void FlowView::choose(const std::optional<analysis::FlowState>& chosen) {
  state().set(setting::kFlowState, chosen ? (chosen->descendants ? kDescendants : kAncestors) +
                                                QString::fromStdString(analysis::flow_state_text(*chosen))
                                          : QString());
}

FlowView::Show FlowView::show() const {
  const auto chosen = chosenState();
  return !chosen ? Show::whole : chosen->descendants ? Show::descendants : Show::ancestors;
}

void FlowView::setShow(Show wanted) {
  if (wanted == Show::whole || flow_ == nullptr) {
    choose(std::nullopt);
    return;
  }
  auto chosen = chosenState();
  if (!chosen) {
    chosen = analysis::FlowState{};
    chosen->word = wordOf(selection().token()).value_or(0);
    chosen->layer = std::max<std::int64_t>(selection().layer(), 1);
  }
  chosen->descendants = wanted == Show::descendants;
  choose(chosen);
}

void FlowView::showState(const QString& name) {
  if (name == setting::kFlowThreshold || name == setting::kFlowState) {
    draw();
  } else if (name == setting::kHeadsOff) {
    invalidate();
  }
}

std::optional<std::int64_t> FlowView::tokenOf(std::int64_t word) const {
  const std::int64_t token = flow_ == nullptr || word < 0 ? -1 : flow_->token_of(word);
  return token >= 0 ? std::optional(token) : std::nullopt;
}

std::optional<std::int64_t> FlowView::wordOf(std::optional<std::int64_t> token) const {
  if (!token || flow_ == nullptr || *token >= static_cast<std::int64_t>(flow_->word_of_token().size())) {
    return std::nullopt;
  }
  const std::int64_t word = flow_->word_of_token()[static_cast<std::size_t>(*token)];
  return word >= 0 ? std::optional(word) : std::nullopt;
}

// ---- the picture -------------------------------------------------------------------------------------

void FlowView::showEmpty(const Empty& empty) {
  flow_.reset();
  flow_of_.reset();
  heads_->close();
  show_choice_->hide();
  threshold_->setVisible(false);
  what_->clear();
  picture_->setEmpty(empty.title, empty.hint, empty.offer);
}

void FlowView::refresh() {
  const auto recording = source();
  if (recording == nullptr) {
    showEmpty(noSentence(tr("Here you see how the words of a sentence flow through the layers.")));
    return;
  }
  if (selection().extent().parts.empty()) {
    showEmpty(notRecorded(tr("No attention maps in this recording"),
                          tr("The flow is read from attention maps and gates, which the model computes for "
                             "one sentence. For all of them, "
                             "record the corpus again with --capture attention,gates.") +
                              cutRowsHint()));
    return;
  }
  analysis::WordGrammarOptions grammar;
  grammar.heads = heads_of_mean(state(), selection().extent().heads);
  const std::tuple wanted{static_cast<const RecordingSource*>(recording.get()), selection().sentence().index,
                          grammar.heads};
  if (flow_ && flow_of_ == wanted) {
    draw();
    return;
  }
  picture_->setBusy(true);
  jobs().start(
      {.title = [] { return tr("Reading the information flow"); },
       .slot = QStringLiteral("flow"),
       .quiet = true},
      this,
      [recording, grammar, index = std::get<1>(wanted)](const JobContext&) {
        return std::make_shared<const analysis::InformationFlow>(*recording, index, grammar);
      },
      [this, wanted](std::shared_ptr<const analysis::InformationFlow> flow) {
        flow_ = std::move(flow);
        flow_of_ = wanted;
        show_choice_->show();
        threshold_->setVisible(true);
        threshold_->setAutomatic(flow_->automatic_threshold());
        draw();
      },
      [this](const QString& message) {
        showEmpty({tr("No information flow of this sentence"), message});
      });
}

void FlowView::draw() {
  if (flow_ == nullptr || !flow_of_) {
    return;
  }
  app::FigureRequest request{.kind = "information-flow"};
  request.set("sentence", flow_->sentence()).set("heads", std::get<2>(*flow_of_));
  analysis::FlowOptions options;
  analysis::WordGrammarOptions grammar;
  grammar.heads = std::get<2>(*flow_of_);
  options.grammar = app::grammar_text(grammar, flow_->choices());
  if (const double chosen = state().number(setting::kFlowThreshold); chosen >= 0) {
    options.threshold = chosen;
    request.set("threshold", options.threshold);
  }
  options.state = chosenState();
  if (options.state) {
    request.set(options.state->descendants ? "descendants" : "ancestors",
                analysis::flow_state_text(*options.state));
  }
  show_choice_->setCurrent(static_cast<int>(show()));
  jobs().start(
      {.title = [] { return tr("Drawing the information flow"); },
       .slot = QStringLiteral("flow-figure"),
       .quiet = true},
      this,
      [flow = flow_, options, request](const JobContext&) {
        return MadeFigure{std::make_shared<const analysis::FigureData>(flow->figure(options)), request};
      },
      [this](MadeFigure made) { take(std::move(made.figure), made.made_by); },
      [this](const QString& message) {
        showEmpty({tr("No information flow of this sentence"), message});
      });
}

void FlowView::take(FigurePointer made, const app::FigureRequest& made_by) {
  made_by_ = made_by;
  hit_.reset();
  const auto edges = static_cast<int>(std::get<analysis::FlowFigure>(made->body).edges.size());
  const QString text = tr("edges: %1").arg(edges);
  what_->setText(text, QString::fromStdString(made->caption), text);
  picture_->setFigure(std::move(made));
  updateHighlight();
}

const analysis::FlowFigure* FlowView::figure() const {
  return picture_->figure() == nullptr ? nullptr
                                       : std::get_if<analysis::FlowFigure>(&picture_->figure()->body);
}

void FlowView::hovered(const std::optional<figures::Hit>& hit) {
  hit_ = hit;
  const analysis::FlowFigure* flow = figure();
  std::int64_t word = hit ? hit->word : -1;
  if (hit && flow != nullptr && hit->kind == figures::Hit::Kind::arc) {
    word = flow->edges[static_cast<std::size_t>(hit->arc)].to_word;
  }
  selection().setHovered(tokenOf(word));
  updateHighlight();
  Q_EMIT readout(hit ? hit->readout : QString());
}

void FlowView::clicked(const figures::Hit& hit) {
  const analysis::FlowFigure* flow = figure();
  if (flow == nullptr || flow_ == nullptr) {
    return;
  }
  if (hit.kind == figures::Hit::Kind::word) {
    const auto token = tokenOf(hit.word);
    selection().setToken(selection().token() == token ? std::nullopt : token);
    return;
  }
  if (hit.kind == figures::Hit::Kind::node) {
    const analysis::FlowRow& row = flow->rows[static_cast<std::size_t>(hit.row)];
    analysis::FlowState clicked_state{hit.word, row.layer, row.part, show() == Show::descendants};
    const bool again = chosenState() == clicked_state;
    selection().setToken(tokenOf(hit.word));
    if (row.layer > 0) {
      selection().setLayer(row.layer);
    }
    choose(again ? std::nullopt : std::optional(clicked_state));
    return;
  }
  const analysis::FlowEdge& edge = flow->edges[static_cast<std::size_t>(hit.arc)];
  heads_->open({flow->rows[static_cast<std::size_t>(edge.to_row)].layer, edge.part, tokenOf(edge.to_word),
                tokenOf(edge.from_word), edge.carried},
               source());
}

void FlowView::updateHighlight() {
  if (figure() == nullptr) {
    return;
  }
  picture_->setHighlight(hit_ && hit_->kind != figures::Hit::Kind::word
                             ? hit_->highlight()
                             : selectionHighlight(selection().lit()));
}

// The column of a word and the row of the layer.
figures::Highlight FlowView::selectionHighlight(std::optional<std::int64_t> token) const {
  figures::Highlight highlight;
  highlight.word = wordOf(token);
  const auto& rows = figure()->rows;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows[row].layer == selection().layer() && rows[row].part == Part::none && rows[row].layer > 0) {
      highlight.row = static_cast<std::int64_t>(row);
    }
  }
  return highlight;
}

std::vector<ExportItem> FlowView::exports() const {
  std::vector<ExportItem> items;
  if (figure() == nullptr) {
    return items;
  }
  figures::Highlight highlight;
  highlight.word = wordOf(selection().token());
  items.push_back({tr("Information flow"), QStringLiteral("flow-") + selectionName(), picture_->figure(),
                   highlight, commandOf(made_by_, highlight)});
  if (const auto heads = heads_->figure()) {
    items.push_back({tr("Heads of an edge"),
                     QStringLiteral("heads-") + selectionName(),
                     heads->figure,
                     {},
                     commandOf(heads->made_by)});
  }
  return items;
}

QSlider& FlowView::slider() {
  return threshold_->slider();
}
QDoubleSpinBox& FlowView::threshold() {
  return threshold_->number();
}
FigureCanvas& FlowView::heads() {
  return heads_->picture();
}

const ViewKind& FlowView::kind() {
  static const ViewKind kind{
      .name = "flow",
      .rank = 6,
      .create = [](const ViewContext& context, QWidget* parent) -> QWidget* {
        return new FlowView(context, parent);
      },
      .places = {{"graphs", 0, 1}},
      .settings = {{.name = setting::kFlowThreshold,
                    .initial = -1.0,
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "threshold of the flow"),
                    .low = -1,
                    .high = 1},
                   {.name = kHeadsShare,
                    .initial = kHeadsAtFirst,
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "room of the heads"),
                    .low = 50,
                    .high = 950},
                   {.name = setting::kFlowState,
                    .initial = std::string(),
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "state of the flow")}},
      .guide = [](const ViewContext& context) -> QStringList {
        return {of_stack(context, "gate.mean"), of_stack(context, "split.norm"),
                of_stack(context, "PART.attention.norm")};
      },
  };
  return kind;
}

std::span<const ViewKind> flow_view_kinds() {
  return {&FlowView::kind(), 1};
}

}  // namespace mog::gui
