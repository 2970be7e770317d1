#include "app/gui/views/inspector/inspector_view.h"

#include "app/gui/views/common/view_kind.h"

#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "analysis/figure_data/attention_overview.h"
#include "analysis/statistics/sentence_key.h"
#include "app/gui/session/tried_change.h"
#include "app/gui/views/inspector/change_rows.h"
#include "app/gui/views/inspector/inspector_page.h"
#include "io/recording/errors.h"

namespace mog::gui {
namespace {

const QString kFolded = QStringLiteral("inspector.folded");
constexpr std::array<const char*, 2> kTerms = {"encoder.%1.full.logit_terms",
                                               "encoder.%1.full.separate_terms"};

// A damaged recording throws here; what is read of it in a job says so.
bool same_text(const WorkspaceItem& one, std::int64_t index, const WorkspaceItem& other, std::int64_t place) {
  try {
    return analysis::sentence_key(one.source->sentence(index)) ==
           analysis::sentence_key(other.source->sentence(place));
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

InspectorView::InspectorView(const ViewContext& context, QWidget* parent)
    : View(context, parent), scroll_(new QScrollArea(this)), page_(new InspectorPage(context)) {
  asksIn({QStringLiteral("inspector"), QStringLiteral("inspector-graph")});
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(scroll_);
  scroll_->setWidget(page_);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setFocusPolicy(Qt::TabFocus);
  scroll_->setAccessibleName(tr("Inspector"));
  scroll_->viewport()->setBackgroundRole(QPalette::Base);
  page_->setBackgroundRole(QPalette::Base);
  page_->setAutoFillBackground(true);
  setMinimumWidth(240);
  follow();
  connectPage();
  showFolds();
}

void InspectorView::follow() {
  connect(&selection(), &SelectionModel::sentenceChanged, this, [this] {
    page_->tryIt().clear();
    invalidate();
  });
  connect(&selection(), &SelectionModel::mapChanged, this, &InspectorView::invalidate);
  connect(&selection(), &SelectionModel::tokenChanged, this, &InspectorView::invalidate);
  connect(&selection(), &SelectionModel::heldChanged, this, &InspectorView::invalidate);
  connect(&selection(), &SelectionModel::keyChanged, this, [this] {
    cell_after_join_ = selection().key().has_value();
    invalidate();
  });
  connect(&selection(), &SelectionModel::joinChanged, this, [this] {
    cell_after_join_ = false;
    invalidate();
  });
  connect(&workspace(), &Workspace::modelChanged, this, &InspectorView::invalidate);
  connect(&workspace(), &Workspace::itemChanged, this, &InspectorView::invalidate);
  connect(&state(), &ViewState::changed, this, [this](const QString& name) {
    if (name == kFolded) {
      showFolds();
    } else if (name == setting::kHeadsOff || name == setting::kAttentionPieces) {
      invalidate();
    }
  });
}

void InspectorView::connectPage() {
  connect(page_, &InspectorPage::folded, this, &InspectorView::fold);
  connect(page_, &InspectorPage::headChosen, this, [this](int head) {
    if (question_.subject == Subject::join) {  // of the map that the join was made in
      selection().setMap(question_.join->layer, question_.join->part, head);
    } else {
      selection().setHead(head);
    }
  });
  connect(page_, &InspectorPage::partChosen, this, [this](Part part) { selection().setPart(part); });
  connect(page_, &InspectorPage::keyChosen, this, [this](int token) { selection().setKey(token); });
  connect(page_, &InspectorPage::layerChosen, this, [this](int layer) { selection().setLayer(layer); });
  connect(page_, &InspectorPage::changeChosen, this, [this](const analysis::RunChange& change) {
    select_change(selection(), change, change.token, change.key);
  });
  connect(page_, &InspectorPage::joinChosen, this, &InspectorView::goToJoin);
  connect(page_, &InspectorPage::tokenChosen, this, [this](int token) { selection().setToken(token); });
  connect(&page_->tryIt(), &TryIt::answered, this, [this] {
    // After the layout has made room for it.
    QTimer::singleShot(0, this, [this] {
      const QRect answer = page_->tryIt().answer().translated(page_->tryIt().mapTo(page_, QPoint()));
      scroll_->ensureVisible(0, answer.bottom(), 0, 8);
      scroll_->ensureVisible(0, answer.top(), 0, 8);
    });
  });
  connect(&page_->tryIt(), &TryIt::asked, this, &InspectorView::asked);
}

TryIt& InspectorView::tryIt() {
  return page_->tryIt();
}

void InspectorView::goToJoin(int number) {
  const BestGraph::Join join = graph_.joins.at(static_cast<std::size_t>(number));
  selection().setMap(join.layer, join.part, selection().head());
  selection().setToken(join.query);
  selection().setKey(join.key);
}

void InspectorView::fold(int section, bool folded) {
  const std::vector<std::int64_t> now = state().list(kFolded);
  std::set<double> sections;
  for (const std::int64_t one : now) {
    sections.insert(static_cast<double>(one));
  }
  if (folded) {
    sections.insert(section);
  } else {
    sections.erase(section);
  }
  state().set(kFolded, ViewState::Value(std::vector<double>(sections.begin(), sections.end())));
}

void InspectorView::showFolds() {
  std::vector<int> sections;
  for (const std::int64_t one : state().list(kFolded)) {
    sections.push_back(static_cast<int>(one));
  }
  page_->setFolded(sections);
}

Subject InspectorView::wanted() const {
  if (selection().join() != nullptr && !cell_after_join_) {
    return Subject::join;
  }
  return selection().token() && selection().key() ? Subject::cell
         : selection().token()                    ? Subject::word
                                                  : Subject::sentence;
}

// The sentence that is held, where it is another run of this text; else what this one is a variant of.
std::optional<ComparedRuns> InspectorView::compared() const {
  const SentenceRef now = selection().sentence();
  const WorkspaceItem& item = *workspace().selectedItem();
  const auto typed = [](const WorkspaceItem& of, std::int64_t index) -> const TypedSentence* {
    return of.kind == WorkspaceItem::Kind::typed && index >= 0 && index < std::ssize(of.typed)
               ? &of.typed[static_cast<std::size_t>(index)]
               : nullptr;
  };
  const TypedSentence* changed = typed(item, now.index);
  ComparedRuns runs;
  const TypedSentence* first = nullptr;
  const auto& held = selection().held();
  const WorkspaceItem* of = held ? workspace().item(held->item) : nullptr;
  if (of != nullptr && !(*held == now) && held->index < std::ssize(of->tokens) &&
      same_text(*of, held->index, item, now.index)) {
    runs = {of->source, held->index, {}, {}};
    first = typed(*of, held->index);
    if (of->id != item.id) {
      const WorkspaceModel* model = first != nullptr ? workspace().modelOf(*of) : nullptr;
      runs.other = model != nullptr ? model->name : of->name;
    }
  } else if (changed != nullptr && changed->parent >= 0) {
    runs = {item.source, changed->parent, {}, {}};
    first = typed(item, changed->parent);
  } else {
    return std::nullopt;
  }
  if (changed != nullptr) {
    TriedChange both;
    both.changed = *changed;
    runs.heads = heads_of(both);
    if (first != nullptr) {
      runs.left_out = set_by_hand(added_interventions(*first, *changed));
    }
  }
  return runs;
}

InspectorQuestion InspectorView::ask(std::shared_ptr<const RecordingSource> recording) const {
  InspectorQuestion question;
  question.subject = wanted();
  question.index = selection().sentence().index;
  question.token = selection().token();
  question.key = selection().key();
  question.layer = selection().layer();
  question.part = selection().part();
  question.head = selection().head();
  question.heads = heads_of_mean(state(), selection().extent().heads);
  question.by_word = !state().flag(setting::kAttentionPieces);
  question.join = selection().join();
  question.compared = compared();
  if (question.subject == Subject::cell) {
    const QString first = of_layer(kTerms.front(), question.layer);
    const QString there = recorded_quantity(recording->header(), kTerms, question.layer);
    question.terms = there;
    if (there.isEmpty()) {
      question.run = decomposition_run(workspace(), *workspace().selectedItem(), question.index, first);
      question.terms = question.run ? first : QString();
      if (computed_.of.lock() == recording && computed_.index == question.index &&
          computed_.quantity == question.terms) {
        question.values = computed_.values;
      }
    }
  }
  question.vocabulary = vocabulary_of(workspace(), *workspace().selectedItem());
  question.source = std::move(recording);
  return question;
}

void InspectorView::refresh() {
  const auto recording = source();
  if (recording == nullptr) {
    question_ = {};
    const Empty empty = noSentence(tr("Here you read what a click chooses: a word, a cell, a join."));
    page_->showEmpty(empty.title, empty.hint);
    return;
  }
  const InspectorQuestion question = ask(recording);
  jobs().start(
      {.title = [] { return tr("Reading what is selected"); },
       .slot = QStringLiteral("inspector"),
       .quiet = true},
      this, [question](const JobContext& context) { return inspect(question, context.stop()); },
      [this, question](InspectorFacts facts) { showFacts(question, std::move(facts)); },
      [this](const QString& message) { page_->showEmpty(tr("This cannot be read"), message); });
}

void InspectorView::showFacts(const InspectorQuestion& question, InspectorFacts facts) {
  if (question.source != source() || question.index != selection().sentence().index) {
    return;  // another sentence was chosen meanwhile: its own answer comes
  }
  question_ = question;
  facts_ = std::move(facts);
  if (facts_.values != nullptr) {
    computed_ = {question.source, question.index, question.terms, facts_.values};
  }
  page_->setModelOffer(modelOffer());
  page_->showFacts(headOf(question_, facts_), question_, facts_);
  setTarget(question_, facts_);
  const bool of_word = question_.subject == Subject::word;
  if (of_word && facts_.word_of_token.at(static_cast<std::size_t>(*question_.token)) < 0) {
    page_->showNoGraph({});  // a special token is no word of a graph
  } else if (of_word && graph_of_ == placeOf(question_)) {
    page_->showGraph(question_, facts_, graph_);
  } else if (of_word) {
    askGraph();
  }
}

InspectorView::GraphPlace InspectorView::placeOf(const InspectorQuestion& question) {
  return {question.source.get(), question.index, question.token.value_or(-1), question.layer};
}

void InspectorView::askGraph() {
  const GraphPlace place = placeOf(question_);
  if (graphs_ == nullptr || graphs_of_ != question_.source || graphs_index_ != question_.index) {
    graphs_ = std::make_shared<SentenceGraphs>(question_.source, question_.index);
    graphs_of_ = question_.source;
    graphs_index_ = question_.index;
  }
  graph_of_ = {};
  jobs().start(
      {.title = [] { return tr("Looking for the graph of a word"); },
       .slot = QStringLiteral("inspector-graph"),
       .quiet = true},
      this,
      [graphs = graphs_, place](const JobContext&) { return best_graph(*graphs, place.token, place.layer); },
      [this, place](BestGraph found) {
        graph_ = std::move(found);
        graph_of_ = place;
        page_->showGraph(question_, facts_, graph_);
      },
      [this](const QString& message) { page_->showNoGraph(message); });
}

// What *Try it* would change: of a join the word that it takes in, of a cell the key, else the word.
void InspectorView::setTarget(const InspectorQuestion& question, const InspectorFacts& facts) {
  TryIt::Target target{.token = question.token, .layer = question.layer, .parts = {}, .head = question.head};
  const auto strongest = [](const std::vector<double>& heads) -> std::int64_t {
    return heads.empty() ? 0 : std::max_element(heads.begin(), heads.end()) - heads.begin() + 1;
  };
  if (question.subject == Subject::join) {
    const std::int64_t token = token_of_word(facts.word_of_token, question.join->key);
    target.token = token < 0 ? std::nullopt : std::optional(token);
    target.layer = question.join->layer;
    target.parts = {question.join->part};
    target.head = target.head > 0 ? target.head : strongest(question.join->heads);
  } else {
    const auto parts = analysis::parts_of_layer(question.source->header(), question.layer);
    const bool one = std::find(parts.begin(), parts.end(), question.part) != parts.end();
    target.parts = one ? std::vector<Part>{question.part} : parts;
    if (question.subject == Subject::cell) {
      target.token = question.key;
      target.head = target.head > 0 ? target.head : strongest(facts.by_head);
    }
  }
  page_->tryIt().setTarget(target, facts.sentence);
}

const ViewKind& InspectorView::kind() {
  static const ViewKind kind{
      .name = "inspector",
      .rank = 13,
      .create = [](const ViewContext& context, QWidget* parent) -> QWidget* {
        return new InspectorView(context, parent);
      },
      .places = {{"side", 0, 0}},
      .settings = {{.name = kFolded,
                    .initial = std::vector<double>{},
                    .text = QT_TRANSLATE_NOOP("mog::gui::ViewState", "sections of the inspector"),
                    .low = 1,
                    .high = 64}},
      .guide = [](const ViewContext& context) -> QStringList {
        return {of_stack(context, "gate"), QStringLiteral("effect")};
      },
  };
  return kind;
}

std::span<const ViewKind> inspector_view_kinds() {
  return {&InspectorView::kind(), 1};
}

}  // namespace mog::gui
