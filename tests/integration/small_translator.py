"""A translator that is trained in a second: word-for-word pairs of eight words, and configurations for them."""

WORDS = "Haus house Baum tree Hund dog Katze cat Buch book Fluss river Berg mountain Wald forest".split()
GRAPH = 'kind = "graph_transformer"\nattention_dim = 16\n'
GATE = GRAPH + 'fusion = "weight_gate"\ngate_form = "linear2"\n'
PLAIN = 'kind = "transformer"\n'


def config(encoder=PLAIN, sections="", epochs=6):
    """`sections`: further ones; files are {train,dev}.{de,en} in the data folder."""
    return f"""name = "translator"
[model]
architecture = "encoder_decoder"
[model.encoder]
{encoder}layers = 2
d_model = 32
heads = 2
ffn_dim = 32
[model.decoder]
layers = 1
heads = 2
ffn_dim = 32
{sections}[tokenizer]
kind = "whitespace"
lowercase = true
[data.train]
source = "train.de"
target = "train.en"
[data.dev]
source = "dev.de"
target = "dev.en"
[training]
batch_tokens = 200
epochs = {epochs}
warmup = 20
learning_rate = 5e-3
dropout = 0.0
label_smoothing = 0.0
validation_bleu = 10
best_by = "bleu"
log_interval = 5
[output]
directory = "translator"
weights = "float32"
"""


def pairs(count, first, capitals=False):
    """The German and the English lines; `capitals`: the English ones begin with a capital, which no such model can say."""
    de, en = [], []
    for number in range(first, first + count):
        picked = [(number * number + 3 * at * (number % 5 + 1)) % 8 for at in range(4 + number % 4)]
        de.append(" ".join(WORDS[2 * word] for word in picked))
        english = " ".join(WORDS[2 * word + 1] for word in picked)
        en.append(english.capitalize() if capitals else english)
    return "\n".join(de) + "\n", "\n".join(en) + "\n"


def write_pairs(folder, part, count, first, capitals=False):
    for side, text in zip(("de", "en"), pairs(count, first, capitals)):
        (folder / f"{part}.{side}").write_text(text, encoding="utf-8")
