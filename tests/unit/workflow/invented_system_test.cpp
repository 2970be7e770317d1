// The waist holds: a system whose stacks and parts no file of the program names is recorded, read back and
// analysed from its description alone, and its numbers are those of a Graph-Transformer whose maps and gates
// are the same under the known names.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "analysis/mog/grammar/from_recording.h"
#include "analysis/mog/grammar/rule_sets.h"
#include "analysis/mog/graph_files/forest.h"
#include "analysis/mog/search/k_best.h"
#include "app/workflow/describe/describe_job.h"
#include "app/workflow/describe/guide.h"
#include "app/workflow/figures/figure.h"
#include "app/workflow/session/session.h"
#include "app/workflow/statistics/statistics_job.h"
#include "io/recording/errors.h"
#include "tests/unit/workflow/recorded_corpus.h"

namespace mog {
namespace {

using test::corpus_text;
using test::fake_loaded;
using test::FakeModel;
using test::FakeModelOptions;
using test::invented_system;
using test::TemporaryFolder;

std::shared_ptr<FakeModel> weather() {
  FakeModelOptions options;
  options.system = invented_system();
  return std::make_shared<FakeModel>(options);
}

class InventedSystem : public ::testing::Test {
 protected:
  void SetUp() override {
    app::RecordOptions options;
    options.input = folder_.write("c.txt", corpus_text(12));
    options.output = folder_ / "weather.rec";
    options.capture.names = {app::CaptureName::all};
    options.capture.store = DType::float32;
    app::RecordJob(fake_loaded(weather()), options).run();
    reader_ = std::make_shared<io::RecordingReader>(options.output);
  }

  Part part(const char* name) const { return Part::parse(name); }

  // The recording under the names of a Graph-Transformer.
  std::shared_ptr<MemoryRecording> renamed() const {
    const std::map<std::string, Part> known = {{"sky", Part::high},
                                               {"tree", Part::middle1},
                                               {"ground", Part::middle2},
                                               {"root", Part::low},
                                               {"", Part::none}};
    const auto rename = [&](const QuantityName& name) {
      return QuantityName(Stack::encoder, name.layer(), known.at(std::string(mog::name(name.part()))),
                          name.quantity(), name.reduction());
    };
    RecordingHeader header;
    header.model = reader_->header().model;
    header.model.encoder_kind = "graph_transformer";
    header.model.fusion = "weight_gate";
    header.model.first_layer = "incremental";
    std::vector<QuantityName> kept;
    for (QuantitySchema schema : reader_->header().quantities) {
      if (mog::name(schema.name.stack()) == "reader") {
        kept.push_back(schema.name);
        schema.name = rename(schema.name);
        header.quantities.push_back(schema);
      }
    }
    auto recording = std::make_shared<MemoryRecording>();
    recording->begin(header);
    for (std::int64_t index = 0; index < reader_->size(); ++index) {
      RecordingBatch batch;
      batch.sentences = {reader_->sentence(index)};
      for (const QuantityName& name : kept) {
        const HostTensor values = reader_->read(index, name);
        batch.quantities.emplace_back(rename(name), values.slice_flat(0, {values.size()}));
      }
      recording->write(batch);
    }
    recording->finish();
    return recording;
  }

  TemporaryFolder folder_;
  std::shared_ptr<const io::RecordingReader> reader_;
};

TEST_F(InventedSystem, ComesBackAsItWasDescribed) {
  EXPECT_EQ(reader_->header().system, invented_system());
  EXPECT_EQ(reader_->header().stack().label, "Weather reader");
  EXPECT_TRUE(reader_->header().unknown_quantities.empty());
  for (const QuantitySchema& schema : reader_->header().quantities) {
    EXPECT_EQ(QuantityName::parse(schema.name.text()), schema.name);
  }
}

TEST_F(InventedSystem, TreesAreThoseOfTheSameMapsUnderKnownNames) {
  const auto known = renamed();
  for (std::int64_t index = 0; index < reader_->size(); ++index) {
    const analysis::WordGrammar ours = analysis::build_word_grammar(*reader_, index);
    const analysis::WordGrammar theirs = analysis::build_word_grammar(*known, index);
    EXPECT_EQ(ours.input.kind, analysis::GrammarKind::order_groups);
    EXPECT_EQ(ours.input.joins, (std::vector<Part>{part("sky"), part("tree"), part("ground")}));
    EXPECT_EQ(ours.input.attention, theirs.input.attention);
    EXPECT_EQ(ours.input.gate, theirs.input.gate);
    EXPECT_EQ(ours.input.pi, theirs.input.pi);
    const analysis::AttentionGrammar grammar(ours.input);
    EXPECT_EQ(grammar.inside(), analysis::AttentionGrammar(theirs.input).inside());
    EXPECT_EQ(grammar.dump().find("  h"), std::string::npos);
  }
}

TEST_F(InventedSystem, StatisticsAreThoseUnderKnownNames) {
  for (const auto measure : {analysis::Measure::gate, analysis::Measure::share, analysis::Measure::entropy}) {
    analysis::LengthOptions options;
    options.measure = measure;
    analysis::LengthAccumulator ours(options);
    analysis::LengthAccumulator theirs(options);
    ours.add(*reader_);
    theirs.add(*renamed());
    const analysis::LengthStatistics found = ours.finish();
    const analysis::LengthStatistics expected = theirs.finish();
    ASSERT_EQ(found.cells.size(), expected.cells.size());
    std::multiset<double> our_means;
    std::multiset<double> their_means;
    for (std::size_t i = 0; i < found.cells.size(); ++i) {  // parts of other names stand in another order
      if (std::isfinite(found.cells[i].mean)) {
        our_means.insert(found.cells[i].mean);
      }
      if (std::isfinite(expected.cells[i].mean)) {
        their_means.insert(expected.cells[i].mean);
      }
    }
    EXPECT_FALSE(our_means.empty());
    EXPECT_EQ(our_means, their_means);
  }
}

TEST_F(InventedSystem, FiguresWearItsNamesAndColours) {
  app::FigureRequest request{.kind = "information-flow"};
  request.set("sentence", 2);
  const analysis::FigureData figure = app::make_figure(request, *reader_);
  const auto& flow = std::get<analysis::FlowFigure>(figure.body);
  std::set<std::string> parts;
  for (const analysis::FlowEdge& edge : flow.edges) {
    parts.emplace(name(edge.part));
  }
  EXPECT_EQ(parts, (std::set<std::string>{"sky", "tree", "ground", "root"}));
  EXPECT_EQ(part("sky").description().colour, PartColour::purple);
  request.kind = "tree";
  const analysis::FigureData tree = app::make_figure(request, *reader_);
  EXPECT_EQ(std::get<analysis::TreeFigure>(tree.body).carried, part("root"));
}

TEST_F(InventedSystem, MapsOfBothStacksAreDrawn) {
  app::FigureRequest request{.kind = "attention"};
  request.set("sentence", 3).set("layer", 2);
  for (const char* const name : {"sky", "glance"}) {
    request.set("part", part(name));
    const analysis::FigureData figure = app::make_figure(request, *reader_);
    const auto& map = std::get<analysis::HeatMap>(figure.body);
    const std::size_t side = map.rows.size();
    ASSERT_EQ(map.values.size(), side * side);
    EXPECT_NE(figure.title.find(name), std::string::npos) << figure.title;
    std::size_t above = 0;  // cells; what a query does not see has none
    for (std::size_t row = 0; row < side; ++row) {
      for (std::size_t column = row + 1; column < side; ++column) {
        above += std::isfinite(map.values[row * side + column]) ? 1U : 0U;
      }
    }
    EXPECT_EQ(above, std::string_view(name) == "glance" ? 0U : side * (side - 1) / 2);
  }
}

TEST_F(InventedSystem, TheGuideExplainsWhatPlaysTheSameRole) {
  const auto explained = [](const char* name) {
    const app::GuideEntry* const entry = app::explain(name);
    return entry == nullptr ? std::string() : std::string(entry->name);
  };
  EXPECT_EQ(explained("reader.2.sky.attention"), "encoder.L.high.attention");
  EXPECT_EQ(explained("reader.2.root.output.share"), "encoder.L.PART.output.share");
  EXPECT_EQ(explained("reader.2.gate.mean"), "encoder.L.gate.mean");
  EXPECT_EQ(explained("writer.1.glance.attention"), "encoder.L.full.attention");
  EXPECT_EQ(explained("decoder.1.gate"), "");  // a stack that has rows of its own borrows none
}

TEST_F(InventedSystem, SessionsKeepItsParts) {
  app::Session session;
  session.items = {{"/recordings/weather.rec", -1, {}}};
  session.selection.item = 0;
  session.selection.sentence = 0;
  session.selection.part = part("tree");
  const std::string text = app::print_session(session);
  EXPECT_NE(text.find("\"tree\""), std::string::npos);
  EXPECT_EQ(app::parse_session(text, "x").selection.part, part("tree"));
}

// A session is read before the recordings that bring its parts.
TEST(PartNames, ANameCanComeBeforeItsDescription) {
  const Part early = Part::named("later_part");
  EXPECT_FALSE(Part::find("later_part").has_value());
  EXPECT_THROW(Part::parse("later_part"), UsageError);
  const Part described =
      Part::describe({.name = "later_part", .short_name = "lp", .order = OrderGroup::high, .dashed = true});
  EXPECT_EQ(early, described);
  EXPECT_TRUE(Part::find("later_part")->description().dashed);
  EXPECT_EQ(Part::find("i_lp"), described);
  EXPECT_EQ(described.label(), "later part");
}

TEST(PartNames, OneNameMayBeDescribedTwice) {
  const Part first = Part::describe({.name = "twice", .colour = PartColour::sky});
  const Part second = Part::describe({.name = "twice", .colour = PartColour::green});
  EXPECT_EQ(first, second);  // the name is what quantities are found by
  EXPECT_EQ(first.description().colour, PartColour::sky);
  EXPECT_EQ(second.description().colour, PartColour::green);
  EXPECT_EQ(Part::of_id(second.id()).description().colour, PartColour::green);
  EXPECT_EQ(Part::describe({.name = "twice", .colour = PartColour::green}).id(), second.id());
}

TEST(PartNames, QuantitiesAndNonsenseAreNoNames) {
  for (const char* const wrong : {"attention", "mean", "Upper", "1st", "a.b", "ä", ""}) {
    EXPECT_THROW(Part::named(wrong), UsageError) << wrong;
    EXPECT_THROW(Stack::named(wrong), UsageError) << wrong;
  }
  EXPECT_THROW(Part::named(std::string(33, 'a')), UsageError);
}

TEST(RuleSets, AreChosenByTheRolesOfTheParts) {
  const auto of = [](const std::vector<Part>& parts) {
    StackDescription stack;
    stack.parts = parts;
    return analysis::rule_set(stack);
  };
  EXPECT_EQ(of({Part::full}).kind, analysis::GrammarKind::attention);
  EXPECT_EQ(of({Part::low, Part::middle2, Part::high, Part::middle1}).joins,
            (std::vector<Part>{Part::high, Part::middle1, Part::middle2}));
  EXPECT_EQ(of({Part::below, Part::recurrent}).kind, analysis::GrammarKind::recurrence);
  EXPECT_EQ(of({Part::backward, Part::backward_below, Part::backward_recurrent, Part::forward,
                Part::forward_below, Part::forward_recurrent})
                .joins,
            (std::vector<Part>{Part::forward, Part::backward}));
  EXPECT_THROW(of({}), UsageError);
  EXPECT_THROW(of({Part::high, Part::middle1}), UsageError);
  EXPECT_THROW(of({Part::full, Part::self}), UsageError);
  EXPECT_THROW(of({Part::full, Part::recurrent, Part::below}), UsageError);
}

}  // namespace
}  // namespace mog
