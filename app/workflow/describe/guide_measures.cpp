// What is counted and compared, and the views of the desktop program.
#include "app/workflow/describe/guide_parts.h"

namespace mog::app {

std::span<const GuideEntry> guide_of_measures() {
  static constexpr GuideEntry kRows[] = {
      {"gate", MOG_TEXT("Guide", "weight of high and middle order"),
       MOG_TEXT("Guide", "mean of w over dimensions and words"), MOG_TEXT("Guide", "0 to 1"),
       ClaimLevel::summary,
       MOG_TEXT("Guide",
                "Of `mog stats` and of Weight by length: the recorded encoder.L.gate averaged over the words "
                "of each length and layer. Special tokens are left out; bands are 95 % bootstrap intervals "
                "over sentences."),
       "1"},
      {"share", MOG_TEXT("Guide", "share of the parts"),
       MOG_TEXT("Guide", "norm of a part / Σ norms of all parts"),
       MOG_TEXT("Guide", "0 to 1; the parts sum to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide", "Of `mog stats`: encoder.L.PART.output.share averaged over words, one line a part."),
       "1"},
      {"entropy", MOG_TEXT("Guide", "entropy of attention"), "− Σ A · ln A", MOG_TEXT("Guide", "0 and more"),
       ClaimLevel::summary,
       MOG_TEXT("Guide",
                "Of `mog stats`: encoder.L.PART.attention.row_entropy averaged over words and heads. It "
                "grows with the length of the sentence by itself: compare with ln T."),
       MOG_TEXT("Guide", "nats")},
      {"max", MOG_TEXT("Guide", "greatest attention weight"), "max A", MOG_TEXT("Guide", "0 to 1"),
       ClaimLevel::summary,
       MOG_TEXT("Guide", "Of `mog stats`: encoder.L.PART.attention.row_max averaged over words and heads."),
       "1"},
      {"sink", MOG_TEXT("Guide", "attention to the first token"), "A[m, 1]", MOG_TEXT("Guide", "0 to 1"),
       ClaimLevel::summary,
       MOG_TEXT("Guide",
                "Of `mog stats`: what the pieces of other words give to the first token of their sentence, "
                "averaged over pieces and heads. Models that read from left to right often rest there (an "
                "attention sink). Where the first token is of a word, the rows of this word do not count."),
       "1"},
      {"leaves", MOG_TEXT("Guide", "expected leaves"), MOG_TEXT("Guide", "E[leaves] of R[L, word]"),
       MOG_TEXT("Guide", "1 and more"), ClaimLevel::summary,
       MOG_TEXT(
           "Guide",
           "Expected number of leaves (words, repeats counted) of what a word owns after a layer, under the "
           "attention grammar; "
           "recorded as encoder.L.order.mean or computed from the maps."),
       MOG_TEXT("Guide", "leaves")},
      {"leaves-mass", MOG_TEXT("Guide", "distribution of leaves"), MOG_TEXT("Guide", "P(leaves = k)"),
       MOG_TEXT("Guide", "0 to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide", "Mass of the derivations of a word with k leaves, and of those with more."), "1"},
      {"joins", MOG_TEXT("Guide", "expected joins"),
       MOG_TEXT("Guide", "Σ over uses of a join rule of outside · weight"), MOG_TEXT("Guide", "0 and more"),
       ClaimLevel::summary,
       MOG_TEXT("Guide",
                "How many joins of each layer and part a derivation of a word has, all derivations counted "
                "by their weights. It is an expected number and may exceed 1."),
       MOG_TEXT("Guide", "joins")},
      {"edges", MOG_TEXT("Guide", "expected different joins from a word"),
       MOG_TEXT("Guide", "Σ over other words of 1 − P(no such join)"), MOG_TEXT("Guide", "0 and more"),
       ClaimLevel::summary,
       MOG_TEXT("Guide",
                "To how many different words a word is joined in a derivation of the sentence; a join that "
                "comes twice counts once."),
       MOG_TEXT("Guide", "word pairs")},
      {"bands", MOG_TEXT("Guide", "mass inside the order bands"),
       MOG_TEXT("Guide", "P(leaves of what a part makes lie in its order band)"), MOG_TEXT("Guide", "0 to 1"),
       ClaimLevel::summary,
       MOG_TEXT("Guide",
                "High, middle and low parts of layer L make subgraphs of certain orders: exact bands are "
                "what disjoint joins reach, nominal ones stand in the paper."),
       "1"},
      {"part-leaves", MOG_TEXT("Guide", "expected leaves of a part"),
       MOG_TEXT("Guide", "E[leaves] of what the part makes"), MOG_TEXT("Guide", "1 and more"),
       ClaimLevel::summary,
       MOG_TEXT("Guide", "The expected number of leaves of the subgraphs that a part makes in a layer."),
       MOG_TEXT("Guide", "leaves")},
      {"distinct", MOG_TEXT("Guide", "expected order (distinct words)"), "E[|V|]",
       MOG_TEXT("Guide", "1 and more"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "As the expected leaves, but a word that comes twice counts once; exact up to 12 words, "
                "sampled beyond, with the error said."),
       MOG_TEXT("Guide", "words")},
      {"distinct-mass", MOG_TEXT("Guide", "distribution of orders (distinct words)"), "P(|V| = k)",
       MOG_TEXT("Guide", "0 to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide", "As the distribution of leaves, for distinct words."), "1"},
      {"simple", MOG_TEXT("Guide", "mass of simple graphs"), MOG_TEXT("Guide", "P(no overlap in any join)"),
       MOG_TEXT("Guide", "0 to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "Mass of the derivations that use every word once; exact up to 12 words, sampled beyond."),
       "1"},
      {"layers-needed", MOG_TEXT("Guide", "layers that gold trees need"),
       MOG_TEXT("Guide", "smallest depth of a derivation of the tree"), MOG_TEXT("Guide", "0 and more"),
       ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "How many layers a dependency tree needs at least, with heads as owners and with free "
                "anchors: a property of the tree, not of a model."),
       MOG_TEXT("Guide", "layers")},
      {"weight", MOG_TEXT("Guide", "weight of a graph"),
       MOG_TEXT("Guide", "product of the weights of the rules of its best derivation"),
       MOG_TEXT("Guide", "0 to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "Of the list of graphs: products favour small graphs, so the list by leaves shows the best "
                "for each number of leaves."),
       "1"},
      {"mass", MOG_TEXT("Guide", "mass of a graph"),
       MOG_TEXT("Guide", "Σ over all derivations of the same expression"), MOG_TEXT("Guide", "0 to 1"),
       ClaimLevel::summary,
       MOG_TEXT("Guide", "How much weight all derivations together give to this very graph."), "1"},
      {"leaves-of-a-graph", MOG_TEXT("Guide", "leaves of a graph"), MOG_TEXT("Guide", "joins + 1"),
       MOG_TEXT("Guide", "1 and more"), ClaimLevel::algebra,
       MOG_TEXT("Guide", "How many words the expression has, a word that comes twice counted twice."),
       MOG_TEXT("Guide", "leaves")},
      {"words-of-a-graph", MOG_TEXT("Guide", "order of a graph"), "|V|", MOG_TEXT("Guide", "1 and more"),
       ClaimLevel::algebra,
       MOG_TEXT("Guide", "How many different words the graph has. It is at most the number of leaves."),
       MOG_TEXT("Guide", "words")},
      {"kind", MOG_TEXT("Guide", "kind of a join"),
       MOG_TEXT("Guide", "1 neither, 2 overlap, 3 overlap and loop, 4 loop only"),
       MOG_TEXT("Guide", "1 to 4; 0 for a word"), ClaimLevel::algebra,
       MOG_TEXT(
           "Guide",
           "Whether the operands share words (overlap) and whether the graph has a directed cycle (loop)."),
       "1"},
      {"edge-posterior", MOG_TEXT("Guide", "expected number of a join"),
       MOG_TEXT("Guide", "outside(head) · weight of the rule"), MOG_TEXT("Guide", "0 and more"),
       ClaimLevel::summary,
       MOG_TEXT("Guide",
                "How often a join of these words, layer and part is used in a derivation, all derivations "
                "counted by their weights."),
       "1"},
      {"difference", MOG_TEXT("Guide", "difference of two pictures"), MOG_TEXT("Guide", "second − first"),
       MOG_TEXT("Guide", "negative to positive, centred at 0"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "Of Compare and of figures of differences: words are paired by a longest common subsequence; "
                "what only one sentence has is hatched. A difference of two runs with one change between "
                "them is causal for that change."),
       MOG_TEXT("Guide", "as the quantity")},
      {"corpus-difference", MOG_TEXT("Guide", "difference of two recordings"),
       MOG_TEXT("Guide", "mean over sentences of second − first; p by the greatest |T| under flipped signs"),
       MOG_TEXT("Guide", "negative to positive; p from 0 to 1"), ClaimLevel::summary,
       MOG_TEXT(
           "Guide",
           "Of Compare (Corpus), `mog stats --against` and `mog figure corpus-difference`: two recordings "
           "of the same sentences, paired by sentence, layer by layer. Bands are 95 % bootstrap "
           "intervals over sentences. A filled mark has p < .05: so great a difference in any of the "
           "layers and parts comes by chance in fewer than one of twenty corpora. It speaks of these two "
           "models on such text, not of other training seeds."),
       MOG_TEXT("Guide", "as the quantity")},
      {"effect", MOG_TEXT("Guide", "effect of a cut"),
       MOG_TEXT("Guide", "1 − cos(output before, output after), or ‖x′ − x‖ / ‖x‖"),
       MOG_TEXT("Guide", "0 and more"), ClaimLevel::causal,
       MOG_TEXT("Guide",
                "Of Interventions and `mog ablate`: a head, part, layer, gate, token or score term was "
                "changed and "
                "the model was run again. What follows from the change is all that is claimed."),
       "1"},
      {"faithfulness", MOG_TEXT("Guide", "faithfulness of an attribution"),
       MOG_TEXT("Guide", "change of the output when the words that it names are erased or kept"),
       MOG_TEXT("Guide", "depends on the measure"), ClaimLevel::causal,
       MOG_TEXT("Guide",
                "Of `mog faithfulness`: words are erased from the input by the ranking of an attribution and "
                "the model is run again."),
       "1"},
      {"attachment", MOG_TEXT("Guide", "attachment score"),
       MOG_TEXT("Guide", "words whose head is right / words"), MOG_TEXT("Guide", "0 to 1"),
       ClaimLevel::summary,
       MOG_TEXT("Guide",
                "Of `mog syntax`: how well trees read off the maps or graphs agree with gold dependency "
                "trees; chance baselines are printed beside it."),
       "1"},
  };
  return kRows;
}

std::span<const GuideEntry> guide_of_views() {
  static constexpr GuideEntry kRows[] = {
      {"view.sentences", MOG_TEXT("Guide", "Sentences"), "", "", ClaimLevel::none,
       MOG_TEXT("Guide",
                "The sentences of the open recording, or those that you typed. Find filters by text; a click "
                "on a length in Weight by length leaves the sentences of that length. The line below runs "
                "the model on a new sentence.")},
      {"view.attention", MOG_TEXT("Guide", "Attention"),
       MOG_TEXT("Guide", "A = softmax(scores); rows are queries, columns keys"), MOG_TEXT("Guide", "0 to 1"),
       ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "One thumbnail for each layer (row) and head (column), with means in the first column and "
                "the last row, and the open map beside them as a matrix and as arcs. A weight says where a "
                "head looks, not that it matters: Interventions can test that."),
       MOG_TEXT("Guide", "probability")},
      {"view.trees", MOG_TEXT("Guide", "Multi-order graphs"),
       MOG_TEXT("Guide", "best derivations under the attention grammar"), MOG_TEXT("Guide", "0 to 1"),
       ClaimLevel::summary,
       MOG_TEXT("Guide",
                "The graphs that the chosen word owns in the chosen layer, with weight, mass, order and "
                "kind; the chosen one as a tree with joins at the height of their layer, or as arcs. "
                "Attention maps and gates are read as weights of joins: a summary that names its choices."),
       "1"},
      {"view.gates", MOG_TEXT("Guide", "Gates"), MOG_TEXT("Guide", "w of each token and layer, or dimension"),
       MOG_TEXT("Guide", "0 to 1"), ClaimLevel::algebra,
       MOG_TEXT("Guide",
                "1 keeps only high and middle order, 0 only low order. Means over dimensions are summaries; "
                "the single values are what the model computes."),
       "1"},
      {"view.lens", MOG_TEXT("Guide", "Logit lens"),
       MOG_TEXT("Guide", "softmax(map(norm(x′))) of the states of each layer"),
       MOG_TEXT("Guide", "0 to 1; entropy and surprisal in nats"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "What the model would say next if a layer were its last one: in each cell the most probable "
                "token behind the words so far, layers upwards. The top row is what the model says. Lower "
                "layers are trained to be read by those above them, not by the output map: what is not read "
                "off there may be there all the same."),
       MOG_TEXT("Guide", "probability")},
      {"view.flow", MOG_TEXT("Guide", "Information flow"),
       MOG_TEXT("Guide", "carried 1 − g; part p from word n: g · π_p · A_p[m, n]"),
       MOG_TEXT("Guide", "0 to 1; all edges into a state sum to 1"), ClaimLevel::summary,
       MOG_TEXT(
           "Guide",
           "States of the words, layer by layer, and what each takes from others: the weights of one step of "
           "the attention grammar. A click on a state keeps what flowed into it, a click on an edge shows "
           "the heads behind it. The weights say what a layer could take, not what the output needs."),
       "1"},
      {"view.decomposition", MOG_TEXT("Guide", "Decomposition"),
       MOG_TEXT("Guide", "score = Σ terms; x′ = Σ parts"), "", ClaimLevel::frozen,
       MOG_TEXT("Guide",
                "One number taken apart: a score by its terms, a weight by what each term does to it, a "
                "token's representation by its parts. For plain Transformer encoders, exact with attention, "
                "norm scales and activation slopes frozen; a share of a norm is a summary."),
       MOG_TEXT("Guide", "as the quantity")},
      {"view.translation", MOG_TEXT("Guide", "Translation"), MOG_TEXT("Guide", "score = Σ log p / length^x"),
       "", ClaimLevel::algebra,
       MOG_TEXT(
           "Guide",
           "The best translations of the sentence with their scores; the chosen one word by word. A click "
           "on a word shades the words of the other side by how much the two have to do with each other: "
           "by cross-attention (where a head looks), by exact contribution to the word's score (norms and "
           "attention frozen), or by ALTI+ (a summary). Maps on own words are the decoder's self-attention; "
           "capsules are those of a global representation, with their weights and its gate. Begins with runs "
           "the search again from your words.")},
      {"view.parse", MOG_TEXT("Guide", "Parse"),
       MOG_TEXT("Guide",
                "p(head | word) = softmax of the scores of all heads; the tree with the greatest Σ log p"),
       MOG_TEXT("Guide", "0 to 1; over the heads of a word the sum is 1"), ClaimLevel::algebra,
       MOG_TEXT(
           "Guide",
           "The dependency tree that a parser builds, with relations and parts of speech, and beside it the "
           "probability of every arc, heads by dependents. A click on a cell forces its arc or forbids one "
           "that "
           "is in the tree; the best tree that obeys is built, and a model that reads its own tree reads "
           "that "
           "one in the next round. What a round has changed is marked, and what it was hangs below. Of a "
           "transition parser the states are shown: filled words are on the stack, framed ones in the "
           "buffer."),
       "1"},
      {"view.document", MOG_TEXT("Guide", "Chains of mentions"),
       MOG_TEXT("Guide",
                "p(antecedent | mention) = softmax of the scores of all earlier mentions and of none, 0"),
       MOG_TEXT("Guide", "0 to 1; with none the sum is 1"), ClaimLevel::algebra,
       MOG_TEXT(
           "Guide",
           "A text with the mentions that a model of coreference finds: those of one chain have one colour "
           "and number, one that stands alone is dotted. A mention lists what it may go back to. The text "
           "can be changed and resolved again."),
       "1"},
      {"view.weights", MOG_TEXT("Guide", "Weight by length"),
       MOG_TEXT("Guide", "mean over the words of each length and layer"), "", ClaimLevel::summary,
       MOG_TEXT("Guide",
                "Counts over all sentences of the recording with 95 % bootstrap bands and the number of "
                "sentences in each bin. A click on a length lists its sentences."),
       "1"},
      {"view.compare", MOG_TEXT("Guide", "Compare"), MOG_TEXT("Guide", "second − first"), "",
       ClaimLevel::summary,
       MOG_TEXT("Guide",
                "Two sentences, recordings or models, and their difference. Hold one with D, then choose "
                "another. Corpus compares two recordings as a whole and tests where they differ."),
       MOG_TEXT("Guide", "as the quantity")},
      {"view.figures", MOG_TEXT("Guide", "More figures"), "", "", ClaimLevel::summary,
       MOG_TEXT("Guide",
                "What `mog figure` has besides: expected leaves, order bands, joins, recorded quantities by "
                "layer and as maps, forests and expected joins of the sentence.")},
      {"view.trajectory", MOG_TEXT("Guide", "Training runs"),
       MOG_TEXT("Guide", "mean over the watched sentences after each validation"), "", ClaimLevel::summary,
       MOG_TEXT(
           "Guide",
           "How a quantity moved while a model was trained (mog train --watch): a line a layer over the "
           "updates, a panel a part. Rings are change points, where a line goes another way. A file that "
           "grows is read again."),
       MOG_TEXT("Guide", "as the quantity")},
      {"view.patching", MOG_TEXT("Guide", "Patching"),
       MOG_TEXT("Guide", "(patched − second) / (first − second)"),
       MOG_TEXT("Guide", "0: as the second text, 1: as the first"), ClaimLevel::causal,
       MOG_TEXT(
           "Guide",
           "Activations of one sentence are put into the run of another that differs in a word or two: a "
           "cell is a run in which one state, block or head was exchanged, its colour what the model then "
           "says. Denoising shows what suffices to restore what it says of the first sentence, noising "
           "what is needed for it. Without a map to the next token the cosine of the output is read."),
       "1"},
      {"view.neighbours", MOG_TEXT("Guide", "Neighbours"), MOG_TEXT("Guide", "cosine of two states"),
       MOG_TEXT("Guide", "−1 to 1"), ClaimLevel::summary,
       MOG_TEXT("Guide",
                "The words of the recording whose states behind the chosen layer are nearest to that of the "
                "selected "
                "word, each in its sentence, coloured by what it attends to. Beside them stands the cosine "
                "of any two "
                "words: where it is near 1, so are all, and Less the mean tells more. A click chooses the "
                "sentence; the "
                "list stays until another word is chosen elsewhere."),
       ""},
      {"view.inspector", MOG_TEXT("Guide", "Inspector"), "", "", ClaimLevel::summary,
       MOG_TEXT("Guide",
                "What is selected in words and numbers: a join, a cell of a map, a word, or the sentence, "
                "each with the level of what may be claimed of it. Try it changes one thing, runs the model "
                "again at once and lists what differs most: that is causal.")},
      {"view.changes", MOG_TEXT("Guide", "Interventions"),
       MOG_TEXT("Guide", "run again with one thing changed"), "", ClaimLevel::causal,
       MOG_TEXT("Guide",
                "A word masked or replaced, a head, part or layer scaled, the gate set: the model runs again "
                "and what differs is the effect of the change, and of nothing else. Each run is a new "
                "sentence with its parent.")},
      {"view.jobs", MOG_TEXT("Guide", "Jobs"), "", "", ClaimLevel::none,
       MOG_TEXT("Guide",
                "What runs and what ran: opening, running, counting, recording. Running jobs can be "
                "cancelled; a recording that was cancelled can go on.")},
      {"view.model", MOG_TEXT("Guide", "What was found"), "", "", ClaimLevel::none,
       MOG_TEXT("Guide",
                "What the program found in a model, checkpoint, recording or corpus that was opened: "
                "architecture, sizes, tasks, quantities that can be recorded, and in words what cannot be "
                "done with it.")},
  };
  return kRows;
}

}  // namespace mog::app
