<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>Accessibility</name>
    <message>
        <source>Clear: %1</source>
        <translation>Leeren: %1</translation>
    </message>
</context>
<context>
    <name>Arguments</name>
    <message>
        <source>MoG Workbench: look at what a Graph-Transformer does with a sentence.

Without arguments the bundled model is opened.

Examples:
  mog-workbench
  mog-workbench my-model corpus.rec
  mog-workbench corpus.rec --sentence 12 --layer 3 --screenshot window.png</source>
        <translation>MoG Workbench: sehen, was ein Graph-Transformer mit einem Satz tut.

Ohne Argumente wird das mitgelieferte Modell geöffnet.

Beispiele:
  mog-workbench
  mog-workbench mein-modell korpus.rec
  mog-workbench korpus.rec --sentence 12 --layer 3 --screenshot fenster.png</translation>
    </message>
    <message>
        <source>Model directories, recordings and sessions to open.</source>
        <translation>Modellordner, Aufzeichnungen und Sitzungen, die geöffnet werden.</translation>
    </message>
    <message>
        <source>light, dark or high-contrast; otherwise as chosen in the window.</source>
        <translation>light, dark oder high-contrast; sonst wie im Fenster gewählt.</translation>
    </message>
    <message>
        <source>Size of the window, e.g. 1280x800.</source>
        <translation>Größe des Fensters, z. B. 1280x800.</translation>
    </message>
    <message>
        <source>Run the model on this sentence.</source>
        <translation>Das Modell auf diesen Satz anwenden.</translation>
    </message>
    <message>
        <source>Choose a sentence (from 1).</source>
        <translation>Einen Satz wählen (ab 1).</translation>
    </message>
    <message>
        <source>Choose a layer (from 1).</source>
        <translation>Eine Schicht wählen (ab 1).</translation>
    </message>
    <message>
        <source>Choose a head (from 1; 0: mean).</source>
        <translation>Einen Kopf wählen (ab 1; 0: Mittel).</translation>
    </message>
    <message>
        <source>Choose a part: high, middle1, middle2, low.</source>
        <translation>Einen Teil wählen: high, middle1, middle2, low.</translation>
    </message>
    <message>
        <source>Choose a token (from 1).</source>
        <translation>Ein Token wählen (ab 1).</translation>
    </message>
    <message>
        <source>Open a page: tour, guide, keys, batch.</source>
        <translation>Eine Seite öffnen: tour, guide, keys, batch.</translation>
    </message>
    <message>
        <source>Show graphs as arcs, list them by-leaves (commas between).</source>
        <translation>Graphen als Bögen zeigen (arcs), nach Blättern auflisten (by-leaves); durch Kommas getrennt.</translation>
    </message>
    <message>
        <source>Save a picture of the window, then quit.</source>
        <translation>Ein Bild des Fensters speichern, dann beenden.</translation>
    </message>
    <message>
        <source>en or de; otherwise as chosen in the window.</source>
        <translation>en oder de; sonst wie im Fenster gewählt.</translation>
    </message>
    <message>
        <source>Draw the gold syntax of this treebank (CoNLL-U) below the words.</source>
        <translation>Die Goldsyntax dieser Baumbank (CoNLL-U) unter die Wörter zeichnen.</translation>
    </message>
    <message>
        <source>Choose the key of that token, a cell of the map (from 1).</source>
        <translation>Schlüssel dieses Tokens wählen, eine Zelle der Karte (ab 1).</translation>
    </message>
    <message>
        <source>Show the map as both, matrix or arcs.</source>
        <translation>Karte zeigen als both, matrix oder arcs.</translation>
    </message>
    <message>
        <source>The kernel does not let mog-loader, which parses files of other people, restrict its system calls (%1). With MOG_REQUIRE_SANDBOX=1 such files are refused.</source>
        <translation>Der Kern lässt nicht zu, dass mog-loader, das Dateien anderer Leute liest, seine Systemaufrufe beschränkt (%1). Mit MOG_REQUIRE_SANDBOX=1 werden solche Dateien abgelehnt.</translation>
    </message>
    <message>
        <source>Bring a view to the front: %1.</source>
        <translation>Eine Ansicht nach vorn holen: %1.</translation>
    </message>
    <message>
        <source>The workspace: %1.</source>
        <translation>Der Arbeitsbereich: %1.</translation>
    </message>
    <message>
        <source>The picture is of the view of --view alone.</source>
        <translation>Das Bild zeigt nur die Ansicht von --view.</translation>
    </message>
</context>
<context>
    <name>Guide</name>
    <message>
        <source>level 0: algebra, true for any input</source>
        <translation>Stufe 0: Algebra, wahr für jede Eingabe</translation>
    </message>
    <message>
        <source>level 1: exact for this input with attention, norm scales and activation slopes frozen</source>
        <translation>Stufe 1: exakt für diese Eingabe, mit festgehaltener Aufmerksamkeit, Normskalen und Steigungen der Aktivierung</translation>
    </message>
    <message>
        <source>level 2: a summary that is a choice</source>
        <translation>Stufe 2: eine Zusammenfassung, die eine Wahl ist</translation>
    </message>
    <message>
        <source>level 3: causal, something was changed and the model run again</source>
        <translation>Stufe 3: kausal, etwas wurde geändert, und das Modell lief noch einmal</translation>
    </message>
    <message>
        <source>input of layer 1</source>
        <translation>Eingabe von Schicht 1</translation>
    </message>
    <message>
        <source>any number</source>
        <translation>jede Zahl</translation>
    </message>
    <message>
        <source>The scaled embedding of each token plus its position: what the first layer reads.</source>
        <translation>Die skalierte Einbettung jedes Tokens plus seine Position: was die erste Schicht liest.</translation>
    </message>
    <message>
        <source>representation before the layer</source>
        <translation>Darstellung vor der Schicht</translation>
    </message>
    <message>
        <source>What the layer reads. A Graph-Transformer adds up the previous and the incremental representation; a plain or recurrent layer has one vector a token.</source>
        <translation>Was die Schicht liest. Ein Graph-Transformer addiert die frühere und die neue Darstellung; eine gewöhnliche oder rekurrente Schicht hat einen Vektor je Token.</translation>
    </message>
    <message>
        <source>previous representation</source>
        <translation>frühere Darstellung</translation>
    </message>
    <message>
        <source>incremental representation</source>
        <translation>neue Darstellung</translation>
    </message>
    <message>
        <source>attention of the high part</source>
        <translation>Aufmerksamkeit des hohen Teils</translation>
    </message>
    <message>
        <source>0 to 1; each row sums to 1</source>
        <translation>0 bis 1; jede Zeile summiert sich zu 1</translation>
    </message>
    <message>
        <source>Row m, column n: how much word m (the query) attends to word n (the key) when newly made subgraphs are joined with newly made ones. Queries and keys both read the incremental representation I.</source>
        <translation>Zeile m, Spalte n: wie stark Wort m (die Anfrage) auf Wort n (den Schlüssel) achtet, wenn neu gebildete Teilgraphen mit neu gebildeten verknüpft werden. Anfragen und Schlüssel lesen beide die neue Darstellung I.</translation>
    </message>
    <message>
        <source>attention of the first middle part</source>
        <translation>Aufmerksamkeit des ersten mittleren Teils</translation>
    </message>
    <message>
        <source>How much word m, by what is new, attends to word n, by what was there before. Queries read the incremental representation I, keys the previous one P.</source>
        <translation>Wie stark Wort m, durch das Neue, auf Wort n achtet, durch das, was schon da war. Anfragen lesen die neue Darstellung I, Schlüssel die frühere P.</translation>
    </message>
    <message>
        <source>attention of the second middle part</source>
        <translation>Aufmerksamkeit des zweiten mittleren Teils</translation>
    </message>
    <message>
        <source>How much word m, by what was there before, attends to word n, by what is new. Queries read the previous representation P, keys the incremental one I.</source>
        <translation>Wie stark Wort m, durch das, was schon da war, auf Wort n achtet, durch das Neue. Anfragen lesen die frühere Darstellung P, Schlüssel die neue I.</translation>
    </message>
    <message>
        <source>attention of a plain layer</source>
        <translation>Aufmerksamkeit einer gewöhnlichen Schicht</translation>
    </message>
    <message>
        <source>Row m, column n: how much word m (the query) attends to word n (the key). It says where a head looks, not what it takes from there or whether that matters.</source>
        <translation>Zeile m, Spalte n: wie stark Wort m (die Anfrage) auf Wort n (den Schlüssel) achtet. Sie sagt, wohin ein Kopf sieht, nicht, was er dort nimmt oder ob es darauf ankommt.</translation>
    </message>
    <message>
        <source>entropy of the attention rows</source>
        <translation>Entropie der Aufmerksamkeitszeilen</translation>
    </message>
    <message>
        <source>0 (one key) to ln T (all T tokens alike)</source>
        <translation>0 (ein Schlüssel) bis ln T (alle T Token gleich)</translation>
    </message>
    <message>
        <source>How widely each query spreads its attention, one number a head and query.</source>
        <translation>Wie breit jede Anfrage ihre Aufmerksamkeit verteilt, eine Zahl je Kopf und Anfrage.</translation>
    </message>
    <message>
        <source>greatest attention weight</source>
        <translation>größtes Aufmerksamkeitsgewicht</translation>
    </message>
    <message>
        <source>1/T to 1</source>
        <translation>1/T bis 1</translation>
    </message>
    <message>
        <source>The weight of the key that each query attends to most.</source>
        <translation>Das Gewicht des Schlüssels, auf den jede Anfrage am meisten achtet.</translation>
    </message>
    <message>
        <source>attention averaged over heads</source>
        <translation>Aufmerksamkeit, über Köpfe gemittelt</translation>
    </message>
    <message>
        <source>One map a part: what the heads have in common. A head that does something of its own is no longer seen.</source>
        <translation>Eine Karte je Teil: was die Köpfe gemeinsam haben. Ein Kopf, der etwas Eigenes tut, ist nicht mehr zu sehen.</translation>
    </message>
    <message>
        <source>contribution of each head</source>
        <translation>Beitrag jedes Kopfs</translation>
    </message>
    <message>
        <source>0 and more</source>
        <translation>0 und mehr</translation>
    </message>
    <message>
        <source>output of the high part</source>
        <translation>Ausgabe des hohen Teils</translation>
    </message>
    <message>
        <source>What attention of new subgraphs to new ones gives each token.</source>
        <translation>Was die Aufmerksamkeit neuer Teilgraphen auf neue jedem Token gibt.</translation>
    </message>
    <message>
        <source>output of the first middle part</source>
        <translation>Ausgabe des ersten mittleren Teils</translation>
    </message>
    <message>
        <source>What attention of new subgraphs to earlier ones gives each token.</source>
        <translation>Was die Aufmerksamkeit neuer Teilgraphen auf frühere jedem Token gibt.</translation>
    </message>
    <message>
        <source>output of the second middle part</source>
        <translation>Ausgabe des zweiten mittleren Teils</translation>
    </message>
    <message>
        <source>What attention of earlier subgraphs to new ones gives each token.</source>
        <translation>Was die Aufmerksamkeit früherer Teilgraphen auf neue jedem Token gibt.</translation>
    </message>
    <message>
        <source>output of the low part</source>
        <translation>Ausgabe des niedrigen Teils</translation>
    </message>
    <message>
        <source>What is carried on from earlier layers without being joined anew. The low part has no attention map.</source>
        <translation>Was aus früheren Schichten weitergetragen wird, ohne neu verknüpft zu werden. Der niedrige Teil hat keine Aufmerksamkeitskarte.</translation>
    </message>
    <message>
        <source>output of the attention of a plain layer</source>
        <translation>Ausgabe der Aufmerksamkeit einer gewöhnlichen Schicht</translation>
    </message>
    <message>
        <source>What self-attention gives each token, before the residual sum.</source>
        <translation>Was die Aufmerksamkeit jedem Token gibt, vor der Residualsumme.</translation>
    </message>
    <message>
        <source>norm of a part&apos;s contribution</source>
        <translation>Norm des Beitrags eines Teils</translation>
    </message>
    <message>
        <source>The length of what the part contributes to the fused Z, the gate counted in.</source>
        <translation>Die Länge des Vektors, den der Teil zum verschmolzenen Z beiträgt, das Gate eingerechnet.</translation>
    </message>
    <message>
        <source>share of a part</source>
        <translation>Anteil eines Teils</translation>
    </message>
    <message>
        <source>0 to 1; all parts of a layer sum to 1</source>
        <translation>0 bis 1; alle Teile einer Schicht summieren sich zu 1</translation>
    </message>
    <message>
        <source>How much of the layer&apos;s new value comes from this part, by lengths of vectors. Vectors of opposite direction are not seen to cancel.</source>
        <translation>Wie viel vom neuen Wert der Schicht aus diesem Teil kommt, nach Längen der Vektoren. Dass entgegengesetzte Vektoren sich aufheben, sieht man nicht.</translation>
    </message>
    <message>
        <source>weight gate</source>
        <translation>Gewichts-Gate</translation>
    </message>
    <message>
        <source>0 to 1</source>
        <translation>0 bis 1</translation>
    </message>
    <message>
        <source>mean of the weight gate</source>
        <translation>Mittel des Gewichts-Gates</translation>
    </message>
    <message>
        <source>The weight that the model gives to high and middle order at a token, or to the new value of a recurrent state, averaged over dimensions.</source>
        <translation>Das Gewicht, das das Modell an einem Token der hohen und mittleren Ordnung gibt, oder dem neuen Wert eines rekurrenten Zustands, über Dimensionen gemittelt.</translation>
    </message>
    <message>
        <source>self gate</source>
        <translation>Selbst-Gate</translation>
    </message>
    <message>
        <source>How the four parts of a token attend to each other before they are added up; rows and columns are i_h, i_m1, i_m2, i_l (fusion = self_gate).</source>
        <translation>Wie die vier Teile eines Tokens aufeinander achten, bevor sie addiert werden; Zeilen und Spalten sind i_h, i_m1, i_m2, i_l (fusion = self_gate).</translation>
    </message>
    <message>
        <source>what a recurrent layer takes from below</source>
        <translation>was eine rekurrente Schicht von unten nimmt</translation>
    </message>
    <message>
        <source>The part of the new value that comes from the layer below, at the same step.</source>
        <translation>Der Teil des neuen Werts, der aus der Schicht darunter kommt, im selben Schritt.</translation>
    </message>
    <message>
        <source>norm of what comes from below</source>
        <translation>Norm dessen, was von unten kommt</translation>
    </message>
    <message>
        <source>The length of the part that comes from the layer below.</source>
        <translation>Die Länge des Teils, der aus der Schicht darunter kommt.</translation>
    </message>
    <message>
        <source>share of what comes from below</source>
        <translation>Anteil dessen, was von unten kommt</translation>
    </message>
    <message>
        <source>How much of the new value comes from the layer below, by lengths of vectors; the rest comes from the step before.</source>
        <translation>Wie viel vom neuen Wert aus der Schicht darunter kommt, nach Längen der Vektoren; der Rest kommt aus dem Schritt davor.</translation>
    </message>
    <message>
        <source>what a recurrent layer takes from the step before</source>
        <translation>was eine rekurrente Schicht aus dem Schritt davor nimmt</translation>
    </message>
    <message>
        <source>norm of what comes from the step before</source>
        <translation>Norm dessen, was aus dem Schritt davor kommt</translation>
    </message>
    <message>
        <source>The length of the part that comes from the step before.</source>
        <translation>Die Länge des Teils, der aus dem Schritt davor kommt.</translation>
    </message>
    <message>
        <source>share of what comes from the step before</source>
        <translation>Anteil dessen, was aus dem Schritt davor kommt</translation>
    </message>
    <message>
        <source>0 to 1; 0 in the first step</source>
        <translation>0 bis 1; 0 im ersten Schritt</translation>
    </message>
    <message>
        <source>How much of the new value comes from the step before, by lengths of vectors.</source>
        <translation>Wie viel vom neuen Wert aus dem Schritt davor kommt, nach Längen der Vektoren.</translation>
    </message>
    <message>
        <source>carry weight</source>
        <translation>Übertragsgewicht</translation>
    </message>
    <message>
        <source>reset gate</source>
        <translation>Rücksetz-Gate</translation>
    </message>
    <message>
        <source>How much of the state before enters the new value of a GRU (gru_plain computes it and does not use it).</source>
        <translation>Wie viel vom Zustand davor in den neuen Wert einer GRU eingeht (gru_plain berechnet es und benutzt es nicht).</translation>
    </message>
    <message>
        <source>mean of the reset gate</source>
        <translation>Mittel des Rücksetz-Gates</translation>
    </message>
    <message>
        <source>The reset gate averaged over dimensions.</source>
        <translation>Das Rücksetz-Gate, über Dimensionen gemittelt.</translation>
    </message>
    <message>
        <source>input gate</source>
        <translation>Eingabe-Gate</translation>
    </message>
    <message>
        <source>How much of the new value enters the cell of an LSTM.</source>
        <translation>Wie viel vom neuen Wert in die Zelle eines LSTM eingeht.</translation>
    </message>
    <message>
        <source>mean of the input gate</source>
        <translation>Mittel des Eingabe-Gates</translation>
    </message>
    <message>
        <source>The input gate averaged over dimensions.</source>
        <translation>Das Eingabe-Gate, über Dimensionen gemittelt.</translation>
    </message>
    <message>
        <source>forget gate</source>
        <translation>Vergessens-Gate</translation>
    </message>
    <message>
        <source>How much of the cell before stays in the cell of an LSTM.</source>
        <translation>Wie viel von der Zelle davor in der Zelle eines LSTM bleibt.</translation>
    </message>
    <message>
        <source>mean of the forget gate</source>
        <translation>Mittel des Vergessens-Gates</translation>
    </message>
    <message>
        <source>The forget gate averaged over dimensions.</source>
        <translation>Das Vergessens-Gate, über Dimensionen gemittelt.</translation>
    </message>
    <message>
        <source>output gate</source>
        <translation>Ausgabe-Gate</translation>
    </message>
    <message>
        <source>How much of the cell of an LSTM is seen in its state.</source>
        <translation>Wie viel von der Zelle eines LSTM in seinem Zustand zu sehen ist.</translation>
    </message>
    <message>
        <source>mean of the output gate</source>
        <translation>Mittel des Ausgabe-Gates</translation>
    </message>
    <message>
        <source>The output gate averaged over dimensions.</source>
        <translation>Das Ausgabe-Gate, über Dimensionen gemittelt.</translation>
    </message>
    <message>
        <source>new value of a recurrent layer</source>
        <translation>neuer Wert einer rekurrenten Schicht</translation>
    </message>
    <message>
        <source>−1 to 1</source>
        <translation>−1 bis 1</translation>
    </message>
    <message>
        <source>What the layer would make of the step before its gates decide how much of it is kept (n of a GRU, g of an LSTM).</source>
        <translation>Was die Schicht aus dem Schritt machen würde, bevor ihre Gates bestimmen, wie viel davon bleibt (n einer GRU, g eines LSTM).</translation>
    </message>
    <message>
        <source>cell of an LSTM</source>
        <translation>Zelle eines LSTM</translation>
    </message>
    <message>
        <source>What an LSTM remembers from step to step.</source>
        <translation>Was ein LSTM von Schritt zu Schritt behält.</translation>
    </message>
    <message>
        <source>fused parts</source>
        <translation>verschmolzene Teile</translation>
    </message>
    <message>
        <source>All parts of a layer after the gate; in a plain layer the output of the attention block.</source>
        <translation>Alle Teile einer Schicht nach dem Gate; in einer gewöhnlichen Schicht die Ausgabe des Aufmerksamkeitsblocks.</translation>
    </message>
    <message>
        <source>after the attention block</source>
        <translation>nach dem Aufmerksamkeitsblock</translation>
    </message>
    <message>
        <source>What the feed-forward block reads.</source>
        <translation>Was der Feed-Forward-Block liest.</translation>
    </message>
    <message>
        <source>output of the feed-forward block</source>
        <translation>Ausgabe des Feed-Forward-Blocks</translation>
    </message>
    <message>
        <source>What the feed-forward block adds to each token, before the residual sum.</source>
        <translation>Was der Feed-Forward-Block zu jedem Token addiert, vor der Residualsumme.</translation>
    </message>
    <message>
        <source>representation after the layer</source>
        <translation>Darstellung nach der Schicht</translation>
    </message>
    <message>
        <source>What the layer gives to the next one. With two directions the forward state, then the backward state.</source>
        <translation>Was die Schicht an die nächste gibt. Bei zwei Richtungen der Vorwärtszustand, dann der Rückwärtszustand.</translation>
    </message>
    <message>
        <source>output of the encoder</source>
        <translation>Ausgabe des Encoders</translation>
    </message>
    <message>
        <source>share of the new value in one direction</source>
        <translation>Anteil des neuen Werts in einer Richtung</translation>
    </message>
    <message>
        <source>How much of the state of a direction is new at each step, in each dimension.</source>
        <translation>Wie viel vom Zustand einer Richtung in jedem Schritt neu ist, in jeder Dimension.</translation>
    </message>
    <message>
        <source>mean share of the new value in one direction</source>
        <translation>mittlerer Anteil des neuen Werts in einer Richtung</translation>
    </message>
    <message>
        <source>The share of the new value averaged over dimensions.</source>
        <translation>Der Anteil des neuen Werts, über Dimensionen gemittelt.</translation>
    </message>
    <message>
        <source>carry weight of one direction</source>
        <translation>Übertragsgewicht einer Richtung</translation>
    </message>
    <message>
        <source>state of one direction</source>
        <translation>Zustand einer Richtung</translation>
    </message>
    <message>
        <source>The half of the layer&apos;s output that this direction makes.</source>
        <translation>Die Hälfte der Ausgabe der Schicht, die diese Richtung bildet.</translation>
    </message>
    <message>
        <source>norm of the state of one direction</source>
        <translation>Norm des Zustands einer Richtung</translation>
    </message>
    <message>
        <source>The length of the state of a direction.</source>
        <translation>Die Länge des Zustands einer Richtung.</translation>
    </message>
    <message>
        <source>share of one direction</source>
        <translation>Anteil einer Richtung</translation>
    </message>
    <message>
        <source>0 to 1; both sum to 1</source>
        <translation>0 bis 1; beide summieren sich zu 1</translation>
    </message>
    <message>
        <source>How much of the layer&apos;s output is of this direction, by lengths of vectors.</source>
        <translation>Wie viel der Ausgabe der Schicht von dieser Richtung ist, nach Längen der Vektoren.</translation>
    </message>
    <message>
        <source>what a direction takes from the layer below</source>
        <translation>was eine Richtung aus der Schicht darunter nimmt</translation>
    </message>
    <message>
        <source>The part of the new value that comes from below; from layer 2 on both directions of the layer below are read.</source>
        <translation>Der Teil des neuen Werts, der von unten kommt; ab Schicht 2 werden beide Richtungen der Schicht darunter gelesen.</translation>
    </message>
    <message>
        <source>norm of what a direction takes from below</source>
        <translation>Norm dessen, was eine Richtung von unten nimmt</translation>
    </message>
    <message>
        <source>Its length.</source>
        <translation>Seine Länge.</translation>
    </message>
    <message>
        <source>share of what a direction takes from below</source>
        <translation>Anteil dessen, was eine Richtung von unten nimmt</translation>
    </message>
    <message>
        <source>How much of the direction&apos;s new value comes from the layer below, by lengths of vectors.</source>
        <translation>Wie viel vom neuen Wert der Richtung aus der Schicht darunter kommt, nach Längen der Vektoren.</translation>
    </message>
    <message>
        <source>what a direction takes from its step before</source>
        <translation>was eine Richtung aus ihrem Schritt davor nimmt</translation>
    </message>
    <message>
        <source>norm of what a direction takes from its step before</source>
        <translation>Norm dessen, was eine Richtung aus ihrem Schritt davor nimmt</translation>
    </message>
    <message>
        <source>share of what a direction takes from its step before</source>
        <translation>Anteil dessen, was eine Richtung aus ihrem Schritt davor nimmt</translation>
    </message>
    <message>
        <source>How much of the direction&apos;s new value comes from its step before, by lengths of vectors.</source>
        <translation>Wie viel vom neuen Wert der Richtung aus ihrem Schritt davor kommt, nach Längen der Vektoren.</translation>
    </message>
    <message>
        <source>state before a decoder layer</source>
        <translation>Zustand vor einer Decoder-Schicht</translation>
    </message>
    <message>
        <source>What the decoder layer reads at each target token.</source>
        <translation>Was die Decoder-Schicht an jedem Zieltoken liest.</translation>
    </message>
    <message>
        <source>self-attention of the decoder</source>
        <translation>Aufmerksamkeit des Decoders auf sich selbst</translation>
    </message>
    <message>
        <source>How much each target token attends to the target tokens up to it.</source>
        <translation>Wie stark jedes Zieltoken auf die Zieltoken bis zu ihm achtet.</translation>
    </message>
    <message>
        <source>attention of the decoder to the source</source>
        <translation>Aufmerksamkeit des Decoders auf die Quelle</translation>
    </message>
    <message>
        <source>How much each target token attends to each source token. It is often read as an alignment, which it is not trained to be.</source>
        <translation>Wie stark jedes Zieltoken auf jedes Quelltoken achtet. Sie wird oft als Wortzuordnung gelesen, wozu sie nicht trainiert ist.</translation>
    </message>
    <message>
        <source>entropy of the decoder&apos;s attention rows</source>
        <translation>Entropie der Aufmerksamkeitszeilen des Decoders</translation>
    </message>
    <message>
        <source>0 to ln of the number of keys</source>
        <translation>0 bis ln der Zahl der Schlüssel</translation>
    </message>
    <message>
        <source>How widely each target token spreads its attention.</source>
        <translation>Wie breit jedes Zieltoken seine Aufmerksamkeit verteilt.</translation>
    </message>
    <message>
        <source>greatest attention weight in the decoder</source>
        <translation>größtes Aufmerksamkeitsgewicht im Decoder</translation>
    </message>
    <message>
        <source>The weight of the key that each target token attends to most.</source>
        <translation>Das Gewicht des Schlüssels, auf den jedes Zieltoken am meisten achtet.</translation>
    </message>
    <message>
        <source>decoder attention averaged over heads</source>
        <translation>Aufmerksamkeit des Decoders, über Köpfe gemittelt</translation>
    </message>
    <message>
        <source>One map a part: what the heads have in common.</source>
        <translation>Eine Karte je Teil: was die Köpfe gemeinsam haben.</translation>
    </message>
    <message>
        <source>state after a decoder layer</source>
        <translation>Zustand nach einer Decoder-Schicht</translation>
    </message>
    <message>
        <source>What the decoder layer gives to the next one.</source>
        <translation>Was die Decoder-Schicht an die nächste gibt.</translation>
    </message>
    <message>
        <source>output of the decoder</source>
        <translation>Ausgabe des Decoders</translation>
    </message>
    <message>
        <source>The last state at each target token, from which the next token is scored.</source>
        <translation>Der letzte Zustand an jedem Zieltoken, aus dem das nächste Token bewertet wird.</translation>
    </message>
    <message>
        <source>scores of the next target token</source>
        <translation>Werte des nächsten Zieltokens</translation>
    </message>
    <message>
        <source>One score for each entry of the target vocabulary.</source>
        <translation>Ein Wert für jeden Eintrag des Zielwortschatzes.</translation>
    </message>
    <message>
        <source>tag scores</source>
        <translation>Werte der Tags</translation>
    </message>
    <message>
        <source>One score for each tag of a tagging task, at each token.</source>
        <translation>Ein Wert für jeden Tag einer Tagging-Aufgabe, an jedem Token.</translation>
    </message>
    <message>
        <source>scales of the layer norms</source>
        <translation>Skalen der Layer-Norms</translation>
    </message>
    <message>
        <source>above 0</source>
        <translation>über 0</translation>
    </message>
    <message>
        <source>What each of the two layer norms divides by. Held fixed, a layer norm is a linear map: LN(z) = D(z) + β.</source>
        <translation>Wodurch jede der beiden Layer-Norms teilt. Festgehalten ist eine Layer-Norm eine lineare Abbildung: LN(z) = D(z) + β.</translation>
    </message>
    <message>
        <source>parts of the layer&apos;s output</source>
        <translation>Teile der Ausgabe der Schicht</translation>
    </message>
    <message>
        <source>The output of the layer as a sum of what is carried from its input, what attention adds, what the feed-forward block adds, and constants. With the layer norm scales frozen the four sum to x′ exactly. In post-norm layers what is carried is D₂ D₁ x, a rescaled image of the input.</source>
        <translation>Die Ausgabe der Schicht als Summe dessen, was aus ihrer Eingabe weitergetragen wird, was die Aufmerksamkeit addiert, was der Feed-Forward-Block addiert, und der Konstanten. Mit festgehaltenen Skalen der Layer-Norms ist die Summe genau x′. In Post-Norm-Schichten ist das Weitergetragene D₂ D₁ x, ein skaliertes Bild der Eingabe.</translation>
    </message>
    <message>
        <source>norms of the parts of the output</source>
        <translation>Normen der Teile der Ausgabe</translation>
    </message>
    <message>
        <source>How long each part is. Norms do not add up to the norm of the sum: parts may point against each other.</source>
        <translation>Wie lang jeder Teil ist. Normen addieren sich nicht zur Norm der Summe: Teile können gegeneinander zeigen.</translation>
    </message>
    <message>
        <source>direction of what is carried</source>
        <translation>Richtung des Weitergetragenen</translation>
    </message>
    <message>
        <source>Whether what a layer carries on still points where its input did.</source>
        <translation>Ob das, was eine Schicht weiterträgt, noch dorthin zeigt, wohin ihre Eingabe zeigte.</translation>
    </message>
    <message>
        <source>length of what is carried</source>
        <translation>Länge des Weitergetragenen</translation>
    </message>
    <message>
        <source>How much of the length of its input a layer carries on.</source>
        <translation>Wie viel von der Länge ihrer Eingabe eine Schicht weiterträgt.</translation>
    </message>
    <message>
        <source>terms of the attention scores</source>
        <translation>Terme der Aufmerksamkeitswerte</translation>
    </message>
    <message>
        <source>The score of each query and key as a sum of terms: the first letter names the query part, the second the key part (p previous, i incremental, b the query&apos;s own bias). The attention is the softmax of their sum over the keys, for any input. Relative positions add a term pos that knows no content, a graph as input those of its relations: pr, ir, br with the query, rp, ri, rb with the key.</source>
        <translation>Der Wert von Anfrage und Schlüssel als Summe von Termen: der erste Buchstabe nennt den Teil der Anfrage, der zweite den des Schlüssels (p früher, i neu, b der eigene Bias der Anfrage). Die Aufmerksamkeit ist der Softmax ihrer Summe über die Schlüssel, für jede Eingabe. Relative Positionen fügen einen Term pos hinzu, der keinen Inhalt kennt, ein Graph als Eingabe die seiner Beziehungen: pr, ir, br mit der Anfrage, rp, ri, rb mit dem Schlüssel.</translation>
    </message>
    <message>
        <source>covariance shares of the score terms</source>
        <translation>Kovarianzanteile der Terme</translation>
    </message>
    <message>
        <source>sums to 1; single entries may be negative</source>
        <translation>summiert sich zu 1; einzelne Einträge können negativ sein</translation>
    </message>
    <message>
        <source>covariance shares over all heads</source>
        <translation>Kovarianzanteile über alle Köpfe</translation>
    </message>
    <message>
        <source>The covariance shares of a whole layer.</source>
        <translation>Die Kovarianzanteile einer ganzen Schicht.</translation>
    </message>
    <message>
        <source>sums behind the covariance shares</source>
        <translation>Summen hinter den Kovarianzanteilen</translation>
    </message>
    <message>
        <source>Numerators and the denominator, to be pooled over sentences: a share of a corpus is the ratio of the sums, not the mean of the ratios.</source>
        <translation>Zähler und Nenner, um über Sätze zu summieren: der Anteil eines Korpus ist der Quotient der Summen, nicht das Mittel der Quotienten.</translation>
    </message>
    <message>
        <source>leaving out a score term</source>
        <translation>Weglassen eines Terms</translation>
    </message>
    <message>
        <source>How much the attention would change without the term, everything else frozen as it was.</source>
        <translation>Wie stark sich die Aufmerksamkeit ohne den Term ändern würde, alles andere festgehalten.</translation>
    </message>
    <message>
        <source>nine terms of the attention scores</source>
        <translation>neun Terme der Aufmerksamkeitswerte</translation>
    </message>
    <message>
        <source>The same with the bias of the layer below as a part of its own, so that incremental holds no constants.</source>
        <translation>Dasselbe mit dem Bias der Schicht darunter als eigenem Teil, so dass das Neue keine Konstanten enthält.</translation>
    </message>
    <message>
        <source>covariance shares of the nine terms</source>
        <translation>Kovarianzanteile der neun Terme</translation>
    </message>
    <message>
        <source>How much of what makes scores differ between keys comes from each of the nine terms.</source>
        <translation>Wie viel von dem, was Werte zwischen Schlüsseln verschieden macht, aus jedem der neun Terme kommt.</translation>
    </message>
    <message>
        <source>effect of each score term on the map</source>
        <translation>Wirkung jedes Terms auf die Karte</translation>
    </message>
    <message>
        <source>−1 to 1; 1/T + Σ_t S_t = A</source>
        <translation>−1 bis 1; 1/T + Σ_t S_t = A</translation>
    </message>
    <message>
        <source>What each term does to each weight of the map, along the straight path from no scores to the scores. The path is a choice; that the effects add up to A − 1/T is algebra.</source>
        <translation>Was jeder Term mit jedem Gewicht der Karte tut, auf dem geraden Weg von keinen Werten zu den Werten. Der Weg ist eine Wahl; dass die Wirkungen sich zu A − 1/T addieren, ist Algebra.</translation>
    </message>
    <message>
        <source>signed share of each score term</source>
        <translation>Anteil jedes Terms, mit Vorzeichen</translation>
    </message>
    <message>
        <source>How much of the map&apos;s distance from uniform attention each term makes; a negative share works against the map.</source>
        <translation>Wie viel vom Abstand der Karte zur gleichmäßigen Aufmerksamkeit jeder Term macht; ein negativer Anteil arbeitet gegen die Karte.</translation>
    </message>
    <message>
        <source>absolute share of each score term</source>
        <translation>Anteil jedes Terms, absolut</translation>
    </message>
    <message>
        <source>0 to 1; sums to 1</source>
        <translation>0 bis 1; summiert sich zu 1</translation>
    </message>
    <message>
        <source>How much each term moves the map, whichever way.</source>
        <translation>Wie stark jeder Term die Karte bewegt, gleich wohin.</translation>
    </message>
    <message>
        <source>nodes of the quadrature</source>
        <translation>Stützstellen des Integrals</translation>
    </message>
    <message>
        <source>8, 16, 32 or 64</source>
        <translation>8, 16, 32 oder 64</translation>
    </message>
    <message>
        <source>At how many points the integral was taken, until its residual was below 1e-6.</source>
        <translation>An wie vielen Punkten integriert wurde, bis der Rest unter 1e-6 lag.</translation>
    </message>
    <message>
        <source>residual of the quadrature</source>
        <translation>Rest des Integrals</translation>
    </message>
    <message>
        <source>How well the effects add up to the map: the error of the numbers, not of the method.</source>
        <translation>Wie gut sich die Wirkungen zur Karte addieren: der Fehler der Zahlen, nicht des Verfahrens.</translation>
    </message>
    <message>
        <source>output of attention by cause and value part</source>
        <translation>Ausgabe der Aufmerksamkeit nach Ursache und Wertteil</translation>
    </message>
    <message>
        <source>What the attention block adds to each token, by why it was attended to (uniform u, or one of the score terms) and by what was taken (previous p or incremental i; r, values of the relations of a graph). With the bias all of them sum to the block&apos;s output.</source>
        <translation>Was der Aufmerksamkeitsblock zu jedem Token addiert, nach dem, weshalb beachtet wurde (gleichmäßig u, oder einer der Terme), und nach dem, was genommen wurde (früher p oder neu i; r, Werte der Beziehungen eines Graphen). Mit dem Bias ergibt die Summe die Ausgabe des Blocks.</translation>
    </message>
    <message>
        <source>norms by cause and value part</source>
        <translation>Normen nach Ursache und Wertteil</translation>
    </message>
    <message>
        <source>How long each of these vectors is.</source>
        <translation>Wie lang jeder dieser Vektoren ist.</translation>
    </message>
    <message>
        <source>pseudo-gate by projection</source>
        <translation>Pseudo-Gate durch Projektion</translation>
    </message>
    <message>
        <source>How much of the layer&apos;s output lies in low (carried and what pp gives), mid (pi and ip), high (ii), base (uniform attention, bp, bi), feed-forward and bias; where attention reads a graph, also in what its relations move and give. It plays the role that the weight gate has in a Graph-Transformer, but no model has learned it.</source>
        <translation>Wie viel der Ausgabe der Schicht in niedrig (Weitergetragenes und was pp gibt), mittel (pi und ip), hoch (ii), Grund (gleichmäßige Aufmerksamkeit, bp, bi), Feed-Forward und Bias liegt; wo die Aufmerksamkeit einen Graphen liest, auch in dem, was seine Beziehungen bewegen und geben. Es spielt die Rolle des Gewichts-Gates eines Graph-Transformers, aber kein Modell hat es gelernt.</translation>
    </message>
    <message>
        <source>pseudo-gate by proximity</source>
        <translation>Pseudo-Gate durch Nähe</translation>
    </message>
    <message>
        <source>0 to 1; sums to 1, or all 0</source>
        <translation>0 bis 1; summiert sich zu 1, oder alle 0</translation>
    </message>
    <message>
        <source>The same by how much nearer each part brings to the output, in L1.</source>
        <translation>Dasselbe danach, wie viel näher jeder Teil an die Ausgabe bringt, in L1.</translation>
    </message>
    <message>
        <source>pseudo-gate, finest parts</source>
        <translation>Pseudo-Gate, feinste Teile</translation>
    </message>
    <message>
        <source>Projection of what is carried, of each value part, of the feed-forward block and of the bias, so that other groups can be made.</source>
        <translation>Projektion des Weitergetragenen, jedes Wertteils, des Feed-Forward-Blocks und des Bias, damit sich andere Gruppen bilden lassen.</translation>
    </message>
    <message>
        <source>representation by source token</source>
        <translation>Darstellung nach Quelltoken</translation>
    </message>
    <message>
        <source>What each input token gives to each token&apos;s representation, through all layers up to this one, with attention, layer norm scales and activation slopes frozen. The last source is everything constant, values of the relations of a graph too.</source>
        <translation>Was jedes Eingabetoken zur Darstellung jedes Tokens gibt, durch alle Schichten bis zu dieser, mit festgehaltener Aufmerksamkeit, Normskalen und Steigungen der Aktivierung. Die letzte Quelle ist alles Konstante, auch Werte der Beziehungen eines Graphen.</translation>
    </message>
    <message>
        <source>norms by source token</source>
        <translation>Normen nach Quelltoken</translation>
    </message>
    <message>
        <source>How long the part of each source token is.</source>
        <translation>Wie lang der Teil jedes Quelltokens ist.</translation>
    </message>
    <message>
        <source>encoder output by source token</source>
        <translation>Ausgabe des Encoders nach Quelltoken</translation>
    </message>
    <message>
        <source>The same for the encoder&apos;s output (pre-norm: after the final norm).</source>
        <translation>Dasselbe für die Ausgabe des Encoders (Pre-Norm: nach der letzten Norm).</translation>
    </message>
    <message>
        <source>norms of the output by source token</source>
        <translation>Normen der Ausgabe nach Quelltoken</translation>
    </message>
    <message>
        <source>How long the part of each source token in the output is.</source>
        <translation>Wie lang der Teil jedes Quelltokens in der Ausgabe ist.</translation>
    </message>
    <message>
        <source>projection shares by source token</source>
        <translation>Projektionsanteile nach Quelltoken</translation>
    </message>
    <message>
        <source>How much of each output lies in what each source token gave.</source>
        <translation>Wie viel jeder Ausgabe in dem liegt, was jedes Quelltoken gab.</translation>
    </message>
    <message>
        <source>norms through attention, residual and norm</source>
        <translation>Normen durch Aufmerksamkeit, Residuum und Norm</translation>
    </message>
    <message>
        <source>N-ResLN (Kobayashi et al. 2021): the length of what key j gives to query i through attention, residual connection and layer norm.</source>
        <translation>N-ResLN (Kobayashi et al. 2021): die Länge dessen, was Schlüssel j der Anfrage i durch Aufmerksamkeit, Residualverbindung und Layer-Norm gibt.</translation>
    </message>
    <message>
        <source>mixing ratio</source>
        <translation>Mischungsverhältnis</translation>
    </message>
    <message>
        <source>How much of a token&apos;s new representation comes from other tokens (Kobayashi et al. 2021).</source>
        <translation>Wie viel der neuen Darstellung eines Tokens von anderen Token kommt (Kobayashi et al. 2021).</translation>
    </message>
    <message>
        <source>norms through both layer norms</source>
        <translation>Normen durch beide Layer-Norms</translation>
    </message>
    <message>
        <source>N-ResOut (GlobEnc, Modarressi et al. 2022): as Kobayashi&apos;s norms, through the second layer norm too; the feed-forward output is dropped.</source>
        <translation>N-ResOut (GlobEnc, Modarressi et al. 2022): wie Kobayashis Normen, auch durch die zweite Layer-Norm; die Ausgabe des Feed-Forward-Blocks entfällt.</translation>
    </message>
    <message>
        <source>ALTI</source>
        <translation>ALTI</translation>
    </message>
    <message>
        <source>How near what each key gives brings to the query&apos;s new representation (Ferrando et al. 2022).</source>
        <translation>Wie viel näher das, was jeder Schlüssel gibt, an die neue Darstellung der Anfrage bringt (Ferrando et al. 2022).</translation>
    </message>
    <message>
        <source>distribution of leaves</source>
        <translation>Verteilung der Blätter</translation>
    </message>
    <message>
        <source>How many leaves (words, repeats counted) the subgraphs have that a word owns after the layer: 1, 2, 3–4, 5–8, 9–16, 17–32, 33–64, more than 64. It follows from the attention maps and gates by the attention grammar, which reads them as weights of joins.</source>
        <translation>Wie viele Blätter (Wörter, mit Wiederholungen) die Teilgraphen haben, die einem Wort nach der Schicht gehören: 1, 2, 3–4, 5–8, 9–16, 17–32, 33–64, mehr als 64. Sie folgt aus Aufmerksamkeitskarten und Gates durch die Aufmerksamkeitsgrammatik, die sie als Gewichte von Verknüpfungen liest.</translation>
    </message>
    <message>
        <source>expected leaves</source>
        <translation>erwartete Blätter</translation>
    </message>
    <message>
        <source>1 and more</source>
        <translation>1 und mehr</translation>
    </message>
    <message>
        <source>The expected number of leaves of what a word owns after the layer, under the attention grammar.</source>
        <translation>Die erwartete Zahl von Blättern dessen, was einem Wort nach der Schicht gehört, nach der Aufmerksamkeitsgrammatik.</translation>
    </message>
    <message>
        <source>rollout map of a layer</source>
        <translation>Rollout-Karte einer Schicht</translation>
    </message>
    <message>
        <source>Attention with a residual of one half (Abnar and Zuidema 2020): what is multiplied in the product.</source>
        <translation>Aufmerksamkeit mit einem Residuum von einhalb (Abnar und Zuidema 2020): was im Produkt multipliziert wird.</translation>
    </message>
    <message>
        <source>rollout</source>
        <translation>Rollout</translation>
    </message>
    <message>
        <source>How much of a token of this layer comes from each input token, if values were copied by the weights of attention (Abnar and Zuidema 2020).</source>
        <translation>Wie viel eines Tokens dieser Schicht von jedem Eingabetoken kommt, wenn Werte nach den Gewichten der Aufmerksamkeit kopiert würden (Abnar und Zuidema 2020).</translation>
    </message>
    <message>
        <source>ALTI through the layers</source>
        <translation>ALTI durch die Schichten</translation>
    </message>
    <message>
        <source>The contributions of the layers multiplied: from each token of this layer to the input tokens (Ferrando et al. 2022).</source>
        <translation>Die Beiträge der Schichten multipliziert: von jedem Token dieser Schicht zu den Eingabetoken (Ferrando et al. 2022).</translation>
    </message>
    <message>
        <source>GlobEnc through the layers</source>
        <translation>GlobEnc durch die Schichten</translation>
    </message>
    <message>
        <source>The norms of the layers multiplied (Modarressi et al. 2022).</source>
        <translation>Die Normen der Schichten multipliziert (Modarressi et al. 2022).</translation>
    </message>
    <message>
        <source>GlobEnc through the layers, not divided</source>
        <translation>GlobEnc durch die Schichten, nicht geteilt</translation>
    </message>
    <message>
        <source>The same before rows are divided by their sums.</source>
        <translation>Dasselbe, bevor Zeilen durch ihre Summen geteilt werden.</translation>
    </message>
    <message>
        <source>attention flow</source>
        <translation>Aufmerksamkeitsfluss</translation>
    </message>
    <message>
        <source>The greatest flow from each token of the last layer to each input token, with the rollout maps as capacities (Abnar and Zuidema 2020).</source>
        <translation>Der größte Fluss von jedem Token der letzten Schicht zu jedem Eingabetoken, mit den Rollout-Karten als Kapazitäten (Abnar und Zuidema 2020).</translation>
    </message>
    <message>
        <source>attention flow, not divided</source>
        <translation>Aufmerksamkeitsfluss, nicht geteilt</translation>
    </message>
    <message>
        <source>leaves of the trees of a layer map</source>
        <translation>Blätter der Bäume einer Schichtkarte</translation>
    </message>
    <message>
        <source>mean leaves of the trees</source>
        <translation>mittlere Zahl der Blätter der Bäume</translation>
    </message>
    <message>
        <source>Its mean; it can grow with 2 to the number of layers.</source>
        <translation>Ihr Mittel; es kann mit 2 hoch der Zahl der Schichten wachsen.</translation>
    </message>
    <message>
        <source>leaves of the trees in powers of two</source>
        <translation>Blätter der Bäume in Zweierpotenzen</translation>
    </message>
    <message>
        <source>The same in bins.</source>
        <translation>Dasselbe in Klassen.</translation>
    </message>
    <message>
        <source>lengths of the walks of a layer map</source>
        <translation>Weglängen einer Schichtkarte</translation>
    </message>
    <message>
        <source>weight of high and middle order</source>
        <translation>Gewicht hoher und mittlerer Ordnung</translation>
    </message>
    <message>
        <source>Of `mog stats` and of Weight by length: the recorded encoder.L.gate averaged over the words of each length and layer. Special tokens are left out; bands are 95 % bootstrap intervals over sentences.</source>
        <translation>Von `mog stats` und Gewicht nach Länge: das aufgezeichnete encoder.L.gate, gemittelt über die Wörter jeder Länge und Schicht. Sondertoken bleiben weg; Bänder sind 95-%-Bootstrap-Intervalle über Sätze.</translation>
    </message>
    <message>
        <source>share of the parts</source>
        <translation>Anteil der Teile</translation>
    </message>
    <message>
        <source>0 to 1; the parts sum to 1</source>
        <translation>0 bis 1; die Teile summieren sich zu 1</translation>
    </message>
    <message>
        <source>Of `mog stats`: encoder.L.PART.output.share averaged over words, one line a part.</source>
        <translation>Von `mog stats`: encoder.L.PART.output.share, über Wörter gemittelt, eine Linie je Teil.</translation>
    </message>
    <message>
        <source>entropy of attention</source>
        <translation>Entropie der Aufmerksamkeit</translation>
    </message>
    <message>
        <source>Of `mog stats`: encoder.L.PART.attention.row_entropy averaged over words and heads. It grows with the length of the sentence by itself: compare with ln T.</source>
        <translation>Von `mog stats`: encoder.L.PART.attention.row_entropy, über Wörter und Köpfe gemittelt. Sie wächst von selbst mit der Länge des Satzes: vergleichen Sie mit ln T.</translation>
    </message>
    <message>
        <source>Of `mog stats`: encoder.L.PART.attention.row_max averaged over words and heads.</source>
        <translation>Von `mog stats`: encoder.L.PART.attention.row_max, über Wörter und Köpfe gemittelt.</translation>
    </message>
    <message>
        <source>Expected number of leaves (words, repeats counted) of what a word owns after a layer, under the attention grammar; recorded as encoder.L.order.mean or computed from the maps.</source>
        <translation>Erwartete Zahl von Blättern (Wörter, Wiederholungen gezählt) dessen, was einem Wort nach einer Schicht gehört, nach der Aufmerksamkeitsgrammatik; als encoder.L.order.mean aufgezeichnet oder aus den Karten berechnet.</translation>
    </message>
    <message>
        <source>Mass of the derivations of a word with k leaves, and of those with more.</source>
        <translation>Masse der Ableitungen eines Worts mit k Blättern, und derer mit mehr.</translation>
    </message>
    <message>
        <source>expected joins</source>
        <translation>erwartete Verknüpfungen</translation>
    </message>
    <message>
        <source>How many joins of each layer and part a derivation of a word has, all derivations counted by their weights. It is an expected number and may exceed 1.</source>
        <translation>Wie viele Verknüpfungen jeder Schicht und jedes Teils eine Ableitung eines Worts hat, alle Ableitungen nach ihren Gewichten gezählt. Es ist eine erwartete Zahl und kann über 1 liegen.</translation>
    </message>
    <message>
        <source>mass inside the order bands</source>
        <translation>Masse in den Ordnungsbändern</translation>
    </message>
    <message>
        <source>High, middle and low parts of layer L make subgraphs of certain orders: exact bands are what disjoint joins reach, nominal ones stand in the paper.</source>
        <translation>Hoher, mittlere und niedriger Teil von Schicht L bilden Teilgraphen bestimmter Ordnungen: exakte Bänder sind, was disjunkte Verknüpfungen erreichen, nominale stehen in der Arbeit.</translation>
    </message>
    <message>
        <source>expected leaves of a part</source>
        <translation>erwartete Blätter eines Teils</translation>
    </message>
    <message>
        <source>The expected number of leaves of the subgraphs that a part makes in a layer.</source>
        <translation>Die erwartete Zahl von Blättern der Teilgraphen, die ein Teil in einer Schicht bildet.</translation>
    </message>
    <message>
        <source>expected order (distinct words)</source>
        <translation>erwartete Ordnung (verschiedene Wörter)</translation>
    </message>
    <message>
        <source>As the expected leaves, but a word that comes twice counts once; exact up to 12 words, sampled beyond, with the error said.</source>
        <translation>Wie die erwartete Blätter, aber ein Wort, das zweimal vorkommt, zählt einmal; exakt bis 12 Wörter, darüber gezogen, mit Angabe des Fehlers.</translation>
    </message>
    <message>
        <source>distribution of orders (distinct words)</source>
        <translation>Verteilung der Ordnungen (verschiedene Wörter)</translation>
    </message>
    <message>
        <source>As the distribution of leaves, for distinct words.</source>
        <translation>Wie die Verteilung der Blätter, für verschiedene Wörter.</translation>
    </message>
    <message>
        <source>mass of simple graphs</source>
        <translation>Masse einfacher Graphen</translation>
    </message>
    <message>
        <source>Mass of the derivations that use every word once; exact up to 12 words, sampled beyond.</source>
        <translation>Masse der Ableitungen, die jedes Wort einmal benutzen; exakt bis 12 Wörter, darüber gezogen.</translation>
    </message>
    <message>
        <source>layers that gold trees need</source>
        <translation>Schichten, die Goldbäume brauchen</translation>
    </message>
    <message>
        <source>How many layers a dependency tree needs at least, with heads as owners and with free anchors: a property of the tree, not of a model.</source>
        <translation>Wie viele Schichten ein Dependenzbaum mindestens braucht, mit Köpfen als Besitzern und mit freien Ankern: eine Eigenschaft des Baums, nicht eines Modells.</translation>
    </message>
    <message>
        <source>weight of a graph</source>
        <translation>Gewicht eines Graphen</translation>
    </message>
    <message>
        <source>Of the list of graphs: products favour small graphs, so the list by leaves shows the best for each number of leaves.</source>
        <translation>Der Liste der Graphen: Produkte bevorzugen kleine Graphen, darum zeigt die Liste nach Blättern den besten für jede Zahl von Blättern.</translation>
    </message>
    <message>
        <source>mass of a graph</source>
        <translation>Masse eines Graphen</translation>
    </message>
    <message>
        <source>How much weight all derivations together give to this very graph.</source>
        <translation>Wie viel Gewicht alle Ableitungen zusammen eben diesem Graphen geben.</translation>
    </message>
    <message>
        <source>leaves of a graph</source>
        <translation>Blätter eines Graphen</translation>
    </message>
    <message>
        <source>How many words the expression has, a word that comes twice counted twice.</source>
        <translation>Wie viele Wörter der Ausdruck hat, ein Wort, das zweimal vorkommt, zweimal gezählt.</translation>
    </message>
    <message>
        <source>order of a graph</source>
        <translation>Ordnung eines Graphen</translation>
    </message>
    <message>
        <source>How many different words the graph has. It is at most the number of leaves.</source>
        <translation>Wie viele verschiedene Wörter der Graph hat. Es sind höchstens so viele wie Blätter.</translation>
    </message>
    <message>
        <source>kind of a join</source>
        <translation>Art einer Verknüpfung</translation>
    </message>
    <message>
        <source>1 to 4; 0 for a word</source>
        <translation>1 bis 4; 0 für ein Wort</translation>
    </message>
    <message>
        <source>Whether the operands share words (overlap) and whether the graph has a directed cycle (loop).</source>
        <translation>Ob die Operanden Wörter teilen (Überlappung) und ob der Graph einen gerichteten Kreis hat (Schleife).</translation>
    </message>
    <message>
        <source>expected number of a join</source>
        <translation>erwartete Anzahl einer Verknüpfung</translation>
    </message>
    <message>
        <source>How often a join of these words, layer and part is used in a derivation, all derivations counted by their weights.</source>
        <translation>Wie oft eine Verknüpfung dieser Wörter, dieser Schicht und dieses Teils in einer Ableitung vorkommt, alle Ableitungen nach ihren Gewichten gezählt.</translation>
    </message>
    <message>
        <source>difference of two pictures</source>
        <translation>Unterschied zweier Bilder</translation>
    </message>
    <message>
        <source>as the quantity</source>
        <translation>wie die Größe</translation>
    </message>
    <message>
        <source>negative to positive, centred at 0</source>
        <translation>negativ bis positiv, um 0</translation>
    </message>
    <message>
        <source>Of Compare and of figures of differences: words are paired by a longest common subsequence; what only one sentence has is hatched. A difference of two runs with one change between them is causal for that change.</source>
        <translation>Vom Vergleich und von Abbildungen der Unterschiede: Wörter werden durch eine längste gemeinsame Teilfolge gepaart; was nur ein Satz hat, ist schraffiert. Der Unterschied zweier Läufe mit einer Änderung dazwischen ist kausal für diese Änderung.</translation>
    </message>
    <message>
        <source>effect of a cut</source>
        <translation>Wirkung eines Eingriffs</translation>
    </message>
    <message>
        <source>Of Interventions and `mog ablate`: a head, part, layer, gate, token or score term was changed and the model was run again. What follows from the change is all that is claimed.</source>
        <translation>Von Eingriffen und `mog ablate`: ein Kopf, ein Teil, eine Schicht, ein Gate, ein Token oder ein Term wurde geändert, und das Modell lief noch einmal. Behauptet wird nur, was aus der Änderung folgt.</translation>
    </message>
    <message>
        <source>faithfulness of an attribution</source>
        <translation>Treue einer Zuschreibung</translation>
    </message>
    <message>
        <source>depends on the measure</source>
        <translation>hängt vom Maß ab</translation>
    </message>
    <message>
        <source>Of `mog faithfulness`: words are erased from the input by the ranking of an attribution and the model is run again.</source>
        <translation>Von `mog faithfulness`: Wörter werden nach der Rangfolge einer Zuschreibung aus der Eingabe gelöscht, und das Modell läuft noch einmal.</translation>
    </message>
    <message>
        <source>attachment score</source>
        <translation>Anbindungswert</translation>
    </message>
    <message>
        <source>Of `mog syntax`: how well trees read off the maps or graphs agree with gold dependency trees; chance baselines are printed beside it.</source>
        <translation>Von `mog syntax`: wie gut aus Karten oder Graphen gelesene Bäume mit Gold-Dependenzbäumen übereinstimmen; Zufallswerte stehen daneben.</translation>
    </message>
    <message>
        <source>Sentences</source>
        <translation>Sätze</translation>
    </message>
    <message>
        <source>The sentences of the open recording, or those that you typed. Find filters by text; a click on a length in Weight by length leaves the sentences of that length. The line below runs the model on a new sentence.</source>
        <translation>Die Sätze der offenen Aufzeichnung, oder die Sie getippt haben. Suchen filtert nach Text; ein Klick auf eine Länge in Gewicht nach Länge lässt die Sätze dieser Länge. Die Zeile darunter lässt das Modell auf einem neuen Satz laufen.</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Aufmerksamkeit</translation>
    </message>
    <message>
        <source>One thumbnail for each layer (row) and head (column), with means in the first column and the last row, and the open map beside them as a matrix and as arcs. A weight says where a head looks, not that it matters: Interventions can test that.</source>
        <translation>Ein Vorschaubild für jede Schicht (Zeile) und jeden Kopf (Spalte), mit Mitteln in der ersten Spalte und der letzten Zeile, und die offene Karte daneben als Matrix und als Bögen. Ein Gewicht sagt, wohin ein Kopf sieht, nicht, dass es darauf ankommt: Eingriffe können das prüfen.</translation>
    </message>
    <message>
        <source>Multi-order graphs</source>
        <translation>Multi-Order-Graphen</translation>
    </message>
    <message>
        <source>The graphs that the chosen word owns in the chosen layer, with weight, mass, order and kind; the chosen one as a tree with joins at the height of their layer, or as arcs. Attention maps and gates are read as weights of joins: a summary that names its choices.</source>
        <translation>Die besten Graphen, die dem gewählten Wort in der gewählten Schicht gehören, mit Gewicht, Masse, Ordnung und Art; der gewählte als Baum mit Verknüpfungen auf der Höhe ihrer Schicht, oder als Bögen. Aufmerksamkeitskarten und Gates werden als Gewichte von Verknüpfungen gelesen: eine Zusammenfassung, die ihre Wahlen nennt.</translation>
    </message>
    <message>
        <source>Gates</source>
        <translation>Gates</translation>
    </message>
    <message>
        <source>1 keeps only high and middle order, 0 only low order. Means over dimensions are summaries; the single values are what the model computes.</source>
        <translation>1 behält nur hohe und mittlere Ordnung, 0 nur niedrige. Mittel über Dimensionen sind Zusammenfassungen; die einzelnen Werte sind, was das Modell berechnet.</translation>
    </message>
    <message>
        <source>Weight by length</source>
        <translation>Gewicht nach Länge</translation>
    </message>
    <message>
        <source>Counts over all sentences of the recording with 95 % bootstrap bands and the number of sentences in each bin. A click on a length lists its sentences.</source>
        <translation>Zählt über alle Sätze der Aufzeichnung, mit 95-%-Bootstrap-Bändern und der Zahl der Sätze in jeder Klasse. Ein Klick auf eine Länge listet deren Sätze.</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>More figures</source>
        <translation>Weitere Abbildungen</translation>
    </message>
    <message>
        <source>What `mog figure` has besides: expected leaves, order bands, joins, recorded quantities by layer and as maps, forests and expected joins of the sentence.</source>
        <translation>Was `mog figure` außerdem hat: erwartete Blätter, Ordnungsbänder, Verknüpfungen, aufgezeichnete Größen nach Schicht und als Karten, Wälder und erwartete Verknüpfungen des Satzes.</translation>
    </message>
    <message>
        <source>Interventions</source>
        <translation>Eingriffe</translation>
    </message>
    <message>
        <source>A word masked or replaced, a head, part or layer scaled, the gate set: the model runs again and what differs is the effect of the change, and of nothing else. Each run is a new sentence with its parent.</source>
        <translation>Ein Wort maskiert oder ersetzt, ein Kopf, Teil oder eine Schicht skaliert, das Gate gesetzt: das Modell läuft noch einmal, und was sich unterscheidet, ist die Wirkung der Änderung und von nichts anderem. Jeder Lauf ist ein neuer Satz mit seinem Ursprung.</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>Aufträge</translation>
    </message>
    <message>
        <source>What runs and what ran: opening, running, counting, recording. Running jobs can be cancelled; a recording that was cancelled can go on.</source>
        <translation>Was läuft und was lief: Öffnen, Laufen, Zählen, Aufzeichnen. Laufende Aufträge lassen sich abbrechen; eine abgebrochene Aufzeichnung lässt sich fortsetzen.</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>Gefunden</translation>
    </message>
    <message>
        <source>What the program found in a model, checkpoint, recording or corpus that was opened: architecture, sizes, tasks, quantities that can be recorded, and in words what cannot be done with it.</source>
        <translation>Was das Programm in einem Modell, einem Stand, einer Aufzeichnung oder einem Korpus gefunden hat: Aufbau, Größen, Aufgaben, was sich aufzeichnen lässt, und in Worten, was sich damit nicht tun lässt.</translation>
    </message>
    <message>
        <source>expected different joins from a word</source>
        <translation>erwartete verschiedene Verknüpfungen eines Worts</translation>
    </message>
    <message>
        <source>To how many different words a word is joined in a derivation of the sentence; a join that comes twice counts once.</source>
        <translation>Mit wie vielen verschiedenen Wörtern ein Wort in einer Ableitung des Satzes verknüpft wird; eine Verknüpfung, die zweimal vorkommt, zählt einmal.</translation>
    </message>
    <message>
        <source>Information flow</source>
        <translation>Informationsfluss</translation>
    </message>
    <message>
        <source>Decomposition</source>
        <translation>Zerlegung</translation>
    </message>
    <message>
        <source>One number taken apart: a score by its terms, a weight by what each term does to it, a token&apos;s representation by its parts. For plain Transformer encoders, exact with attention, norm scales and activation slopes frozen; a share of a norm is a summary.</source>
        <translation>Eine Zahl zerlegt: ein Wert in seine Terme, ein Gewicht in das, was jeder Term mit ihm tut, die Darstellung eines Tokens in ihre Teile. Für gewöhnliche Transformer-Encoder, exakt mit festgehaltener Aufmerksamkeit, Normskalen und Steigungen der Aktivierung; ein Anteil einer Norm ist eine Zusammenfassung.</translation>
    </message>
    <message>
        <source>0 to 1; all edges into a state sum to 1</source>
        <translation>0 bis 1; alle Kanten in einen Zustand summieren sich zu 1</translation>
    </message>
    <message>
        <source>States of the words, layer by layer, and what each takes from others: the weights of one step of the attention grammar. A click on a state keeps what flowed into it, a click on an edge shows the heads behind it. The weights say what a layer could take, not what the output needs.</source>
        <translation>Zustände der Wörter, Schicht für Schicht, und was jeder von anderen nimmt: die Gewichte eines Schritts der Aufmerksamkeitsgrammatik. Ein Klick auf einen Zustand behält, was in ihn floss, ein Klick auf eine Kante zeigt die Köpfe dahinter. Die Gewichte sagen, was eine Schicht nehmen konnte, nicht, was die Ausgabe braucht.</translation>
    </message>
    <message>
        <source>difference of two recordings</source>
        <translation>Unterschied zweier Aufzeichnungen</translation>
    </message>
    <message>
        <source>negative to positive; p from 0 to 1</source>
        <translation>negativ bis positiv; p von 0 bis 1</translation>
    </message>
    <message>
        <source>Of Compare (Corpus), `mog stats --against` and `mog figure corpus-difference`: two recordings of the same sentences, paired by sentence, layer by layer. Bands are 95 % bootstrap intervals over sentences. A filled mark has p &lt; .05: so great a difference in any of the layers and parts comes by chance in fewer than one of twenty corpora. It speaks of these two models on such text, not of other training seeds.</source>
        <translation>Von Vergleich (Korpus), `mog stats --against` und `mog figure corpus-difference`: zwei Aufzeichnungen derselben Sätze, Satz für Satz gepaart, Schicht für Schicht. Bänder sind 95-%-Bootstrap-Intervalle über Sätze. Eine gefüllte Marke hat p &lt; .05: ein so großer Unterschied in irgendeiner der Schichten und Teile kommt durch Zufall in weniger als einem von zwanzig Korpora vor. Das gilt für diese beiden Modelle auf solchem Text, nicht für andere Seeds des Trainings.</translation>
    </message>
    <message>
        <source>Two sentences, recordings or models, and their difference. Hold one with D, then choose another. Corpus compares two recordings as a whole and tests where they differ.</source>
        <translation>Zwei Sätze, Aufzeichnungen oder Modelle, und ihr Unterschied. Halten Sie einen mit D fest, dann wählen Sie einen anderen. Korpus vergleicht zwei Aufzeichnungen als Ganzes und prüft, wo sie sich unterscheiden.</translation>
    </message>
    <message>
        <source>√d · E[token] + position</source>
        <translation>√d · E[Token] + Position</translation>
    </message>
    <message>
        <source>F = P + I; plain and recurrent layers: x</source>
        <translation>F = P + I; gewöhnliche und rekurrente Schichten: x</translation>
    </message>
    <message>
        <source>P′ = P + I of the layer below; P = 0 before layer 1</source>
        <translation>P′ = P + I der Schicht darunter; P = 0 vor Schicht 1</translation>
    </message>
    <message>
        <source>I′ = what the layer below added; I = E before layer 1</source>
        <translation>I′ = was die Schicht darunter hinzugefügt hat; I = E vor Schicht 1</translation>
    </message>
    <message>
        <source>‖Woʰ · oʰ(m)‖₂, without bias</source>
        <translation>‖Woʰ · oʰ(m)‖₂, ohne Bias</translation>
    </message>
    <message>
        <source>i_h, after its output map</source>
        <translation>i_h, nach der Ausgabeabbildung</translation>
    </message>
    <message>
        <source>i_m1, after its output map</source>
        <translation>i_m1, nach der Ausgabeabbildung</translation>
    </message>
    <message>
        <source>i_m2, after its output map</source>
        <translation>i_m2, nach der Ausgabeabbildung</translation>
    </message>
    <message>
        <source>i_l, after its output map</source>
        <translation>i_l, nach der Ausgabeabbildung</translation>
    </message>
    <message>
        <source>a, after its output map</source>
        <translation>a, nach der Ausgabeabbildung</translation>
    </message>
    <message>
        <source>norm of the part / Σ norms of all parts</source>
        <translation>Norm des Teils / Σ Normen aller Teile</translation>
    </message>
    <message>
        <source>w = σ(W_n · (i_h + i_m1 + i_m2) + W_l · i_l), or σ of their sum; recurrent layers: z</source>
        <translation>w = σ(W_n · (i_h + i_m1 + i_m2) + W_l · i_l) oder σ der Summe; rekurrente Schichten: z</translation>
    </message>
    <message>
        <source>S = softmax over i_h, i_m1, i_m2, i_l</source>
        <translation>S = softmax über i_h, i_m1, i_m2, i_l</translation>
    </message>
    <message>
        <source>W · x, without bias</source>
        <translation>W · x, ohne Bias</translation>
    </message>
    <message>
        <source>tanh(W x + U h + b), before the gates</source>
        <translation>tanh(W x + U h + b), vor den Gates</translation>
    </message>
    <message>
        <source>A = LayerNorm(Z + residual); pre-norm: the sum alone</source>
        <translation>A = LayerNorm(Z + Residuum); Pre-Norm: die Summe allein</translation>
    </message>
    <message>
        <source>F′ = P′ + I′; plain layers: x′; recurrent layers: h</source>
        <translation>F′ = P′ + I′; gewöhnliche Schichten: x′; rekurrente Schichten: h</translation>
    </message>
    <message>
        <source>pre-norm: after the last layer norm</source>
        <translation>Pre-Norm: nach der letzten Layer-Norm</translation>
    </message>
    <message>
        <source>h of the direction</source>
        <translation>h der Richtung</translation>
    </message>
    <message>
        <source>U · h, as it enters</source>
        <translation>U · h, wie es eingeht</translation>
    </message>
    <message>
        <source>softmax(Q(y) · K(y)ᵀ / √d_h), earlier tokens only</source>
        <translation>softmax(Q(y) · K(y)ᵀ / √d_h), nur frühere Token</translation>
    </message>
    <message>
        <source>softmax(Q(y) · K(encoder output)ᵀ / √d_h)</source>
        <translation>softmax(Q(y) · K(Encoder-Ausgabe)ᵀ / √d_h)</translation>
    </message>
    <message>
        <source>before the softmax</source>
        <translation>vor dem Softmax</translation>
    </message>
    <message>
        <source>x′ = carried + attention + feed-forward + bias</source>
        <translation>x′ = Weitergetragenes + Aufmerksamkeit + Feed-Forward + Bias</translation>
    </message>
    <message>
        <source>‖carried‖₂, ‖attention‖₂, ‖feed-forward‖₂, ‖bias‖₂, ‖x′‖₂</source>
        <translation>‖Weitergetragenes‖₂, ‖Aufmerksamkeit‖₂, ‖Feed-Forward‖₂, ‖Bias‖₂, ‖x′‖₂</translation>
    </message>
    <message>
        <source>cos(carried, x)</source>
        <translation>cos(Weitergetragenes, x)</translation>
    </message>
    <message>
        <source>‖carried‖ / ‖x‖</source>
        <translation>‖Weitergetragenes‖ / ‖x‖</translation>
    </message>
    <message>
        <source>numerators and denominators summed over heads</source>
        <translation>Zähler und Nenner, über Köpfe summiert</translation>
    </message>
    <message>
        <source>Σᵢ cov_j(l_t, l), and Σᵢ var_j(l)</source>
        <translation>Σᵢ cov_j(l_t, l) und Σᵢ var_j(l)</translation>
    </message>
    <message>
        <source>meanᵢ KL(Aᵢ ‖ softmax(l − l_t)ᵢ)</source>
        <translation>Mittelᵢ KL(Aᵢ ‖ softmax(l − l_t)ᵢ)</translation>
    </message>
    <message>
        <source>8, doubled up to 64</source>
        <translation>8, verdoppelt bis 64</translation>
    </message>
    <message>
        <source>⟨part, x′⟩ / ‖x′‖²</source>
        <translation>⟨Teil, x′⟩ / ‖x′‖²</translation>
    </message>
    <message>
        <source>max(0, ‖x′‖₁ − ‖x′ − part‖₁), divided by its sum</source>
        <translation>max(0, ‖x′‖₁ − ‖x′ − Teil‖₁), durch die Summe geteilt</translation>
    </message>
    <message>
        <source>c_ij = max(0, ‖yᵢ‖₁ − ‖yᵢ − Fᵢⱼ‖₁), rows divided by their sums</source>
        <translation>c_ij = max(0, ‖yᵢ‖₁ − ‖yᵢ − Fᵢⱼ‖₁), Zeilen durch ihre Summen geteilt</translation>
    </message>
    <message>
        <source>P(leaves) of the derivations of R[L, word]</source>
        <translation>P(Blätter) der Ableitungen von R[L, Wort]</translation>
    </message>
    <message>
        <source>E[leaves] = Σ over rules of weight · (E₁ + E₂)</source>
        <translation>E[Blätter] = Σ über Regeln: Gewicht · (E₁ + E₂)</translation>
    </message>
    <message>
        <source>½ · (meanₕ Aʰ + identity)</source>
        <translation>½ · (Mittelₕ Aʰ + Einheitsmatrix)</translation>
    </message>
    <message>
        <source>Nᴸ · … · N¹, rows divided by their sums</source>
        <translation>Nᴸ · … · N¹, Zeilen durch ihre Summen geteilt</translation>
    </message>
    <message>
        <source>max-flow (L, i) → (0, k), rows divided by their sums</source>
        <translation>maximaler Fluss (L, i) → (0, k), Zeilen durch ihre Summen geteilt</translation>
    </message>
    <message>
        <source>max-flow (L, i) → (0, k)</source>
        <translation>maximaler Fluss (L, i) → (0, k)</translation>
    </message>
    <message>
        <source>mass of 1, 2–3, 4–7, … leaves</source>
        <translation>Masse von 1, 2–3, 4–7, … Blättern</translation>
    </message>
    <message>
        <source>mean of w over dimensions and words</source>
        <translation>Mittel von w über Dimensionen und Wörter</translation>
    </message>
    <message>
        <source>norm of a part / Σ norms of all parts</source>
        <translation>Norm eines Teils / Σ Normen aller Teile</translation>
    </message>
    <message>
        <source>E[leaves] of R[L, word]</source>
        <translation>E[Blätter] von R[L, Wort]</translation>
    </message>
    <message>
        <source>P(leaves = k)</source>
        <translation>P(Blätter = k)</translation>
    </message>
    <message>
        <source>Σ over uses of a join rule of outside · weight</source>
        <translation>Σ über Anwendungen einer Verknüpfungsregel: Außengewicht · Gewicht</translation>
    </message>
    <message>
        <source>Σ over other words of 1 − P(no such join)</source>
        <translation>Σ über andere Wörter: 1 − P(keine solche Verknüpfung)</translation>
    </message>
    <message>
        <source>P(leaves of what a part makes lie in its order band)</source>
        <translation>P(Blätter dessen, was ein Teil bildet, liegen in seinem Ordnungsband)</translation>
    </message>
    <message>
        <source>E[leaves] of what the part makes</source>
        <translation>E[Blätter] dessen, was der Teil bildet</translation>
    </message>
    <message>
        <source>P(no overlap in any join)</source>
        <translation>P(keine Überlappung in irgendeiner Verknüpfung)</translation>
    </message>
    <message>
        <source>smallest depth of a derivation of the tree</source>
        <translation>kleinste Tiefe einer Ableitung des Baums</translation>
    </message>
    <message>
        <source>product of the weights of the rules of its best derivation</source>
        <translation>Produkt der Gewichte der Regeln der besten Ableitung</translation>
    </message>
    <message>
        <source>Σ over all derivations of the same expression</source>
        <translation>Σ über alle Ableitungen desselben Ausdrucks</translation>
    </message>
    <message>
        <source>joins + 1</source>
        <translation>Verknüpfungen + 1</translation>
    </message>
    <message>
        <source>1 neither, 2 overlap, 3 overlap and loop, 4 loop only</source>
        <translation>1 keines, 2 Überlappung, 3 Überlappung und Schleife, 4 nur Schleife</translation>
    </message>
    <message>
        <source>outside(head) · weight of the rule</source>
        <translation>Außengewicht(Kopf) · Gewicht der Regel</translation>
    </message>
    <message>
        <source>second − first</source>
        <translation>zweiter − erster Wert</translation>
    </message>
    <message>
        <source>mean over sentences of second − first; p by the greatest |T| under flipped signs</source>
        <translation>Mittel über Sätze: zweiter − erster Wert; p aus dem größten |T| bei vertauschten Vorzeichen</translation>
    </message>
    <message>
        <source>1 − cos(output before, output after), or ‖x′ − x‖ / ‖x‖</source>
        <translation>1 − cos(Ausgabe vorher, Ausgabe nachher) oder ‖x′ − x‖ / ‖x‖</translation>
    </message>
    <message>
        <source>change of the output when the words that it names are erased or kept</source>
        <translation>Änderung der Ausgabe, wenn die genannten Wörter gelöscht oder behalten werden</translation>
    </message>
    <message>
        <source>words whose head is right / words</source>
        <translation>Wörter mit richtigem Kopf / Wörter</translation>
    </message>
    <message>
        <source>A = softmax(scores); rows are queries, columns keys</source>
        <translation>A = softmax(Scores); Zeilen sind Anfragen, Spalten Schlüssel</translation>
    </message>
    <message>
        <source>best derivations under the attention grammar</source>
        <translation>beste Ableitungen der Aufmerksamkeitsgrammatik</translation>
    </message>
    <message>
        <source>w of each token and layer, or dimension</source>
        <translation>w von Token und Schicht oder Dimension</translation>
    </message>
    <message>
        <source>carried 1 − g; part p from word n: g · π_p · A_p[m, n]</source>
        <translation>weitergetragen 1 − g; Teil p von Wort n: g · π_p · A_p[m, n]</translation>
    </message>
    <message>
        <source>score = Σ terms; x′ = Σ parts</source>
        <translation>Score = Σ Terme; x′ = Σ Teile</translation>
    </message>
    <message>
        <source>mean over the words of each length and layer</source>
        <translation>Mittel über die Wörter jeder Länge und Schicht</translation>
    </message>
    <message>
        <source>run again with one thing changed</source>
        <translation>noch einmal gerechnet, eine Sache geändert</translation>
    </message>
    <message>
        <source>probability</source>
        <translation>Wahrscheinlichkeit</translation>
    </message>
    <message>
        <source>nats</source>
        <translation>Nats</translation>
    </message>
    <message>
        <source>leaves</source>
        <translation>Blätter</translation>
    </message>
    <message>
        <source>words</source>
        <translation>Wörter</translation>
    </message>
    <message>
        <source>word pairs</source>
        <translation>Wortpaare</translation>
    </message>
    <message>
        <source>layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>joins</source>
        <translation>Verknüpfungen</translation>
    </message>
    <message>
        <source>Expected leaves by layer</source>
        <translation>Erwartete Blätter nach Schicht</translation>
    </message>
    <message>
        <source>How many words, counted with repeats, a word&apos;s graph holds on average after each layer, a line a length of sentence; the bands are of resampled sentences.</source>
        <translation>Wie viele Wörter, mit Wiederholungen gezählt, der Graph eines Wortes nach jeder Schicht im Mittel enthält, eine Linie je Satzlänge; die Bänder stammen von neu gezogenen Sätzen.</translation>
    </message>
    <message>
        <source>Distribution of leaves</source>
        <translation>Verteilung der Blätter</translation>
    </message>
    <message>
        <source>How probable each number of leaves is in the graph of a word, a line a layer, all sentences together.</source>
        <translation>Wie wahrscheinlich jede Zahl von Blättern im Graphen eines Wortes ist, eine Linie je Schicht, alle Sätze zusammen.</translation>
    </message>
    <message>
        <source>Expected joins by part</source>
        <translation>Erwartete Verknüpfungen nach Teil</translation>
    </message>
    <message>
        <source>How many joins each part of a layer makes in the graph of a word, on average.</source>
        <translation>Wie viele Verknüpfungen jeder Teil einer Schicht im Graphen eines Wortes im Mittel bildet.</translation>
    </message>
    <message>
        <source>Order bands of the parts</source>
        <translation>Ordnungsbänder der Teile</translation>
    </message>
    <message>
        <source>The leaves of what each part makes, beside the bands of orders that it can make at all: the exact ones and those that the paper names.</source>
        <translation>Die Blätter dessen, was jeder Teil bildet, neben den Bändern der Ordnungen, die er überhaupt bilden kann: den genauen und denen, die der Artikel nennt.</translation>
    </message>
    <message>
        <source>A quantity by layer</source>
        <translation>Eine Größe nach Schicht</translation>
    </message>
    <message>
        <source>The mean of a recorded quantity over words or sentences, layer by layer, a line an entry; the bands are of resampled sentences.</source>
        <translation>Das Mittel einer aufgezeichneten Größe über Wörter oder Sätze, Schicht für Schicht, eine Linie je Eintrag; die Bänder stammen von neu gezogenen Sätzen.</translation>
    </message>
    <message>
        <source>Shares by layer (bars)</source>
        <translation>Anteile nach Schicht (Balken)</translation>
    </message>
    <message>
        <source>Entries that add up to a whole, layer by layer, as stacked bars: what each has of it, on average over words or sentences.</source>
        <translation>Einträge, die sich zu einem Ganzen ergänzen, Schicht für Schicht, als gestapelte Balken: was jeder davon hat, im Mittel über Wörter oder Sätze.</translation>
    </message>
    <message>
        <source>A recorded map</source>
        <translation>Eine aufgezeichnete Karte</translation>
    </message>
    <message>
        <source>The best graphs, as a forest</source>
        <translation>Die besten Graphen, als Wald</translation>
    </message>
    <message>
        <source>Expected joins of the sentence</source>
        <translation>Erwartete Verknüpfungen des Satzes</translation>
    </message>
    <message>
        <source>How often two words are joined in a derivation that is drawn by its weight, all derivations counted; an arc leads from the owner to the word that joins it.</source>
        <translation>Wie oft zwei Wörter in einer Ableitung verknüpft sind, die nach ihrem Gewicht gezogen wird, alle Ableitungen gezählt; ein Bogen führt vom Besitzer zu dem Wort, das sich ihm anschließt.</translation>
    </message>
    <message>
        <source>Several derivations of the sentence, one panel each, best first: joins stand at the height of their layer, over the words that they cover.</source>
        <translation>Mehrere Ableitungen des Satzes, je ein Feld, die beste zuerst: Verknüpfungen stehen auf der Höhe ihrer Schicht, über den Wörtern, die sie umfassen.</translation>
    </message>
    <message>
        <source>Everything that the lower layers of a Graph-Transformer had found before the last one: subgraphs that are already there.</source>
        <translation>Alles, was die tieferen Schichten eines Graph-Transformers vor der letzten gefunden hatten: Teilgraphen, die schon da sind.</translation>
    </message>
    <message>
        <source>What the layer below has newly made (Graph-Transformer): the subgraphs that this layer may join for the first time.</source>
        <translation>Was die Schicht darunter neu gebildet hat (Graph-Transformer): die Teilgraphen, die diese Schicht zum ersten Mal verknüpfen kann.</translation>
    </message>
    <message>
        <source>The length of the vector that each head adds to the output of its part, through its columns of the output map. A head with sharp attention and a short vector does little.</source>
        <translation>Die Länge des Vektors, den jeder Kopf durch seine Spalten der Ausgabeabbildung zur Ausgabe seines Teils addiert. Ein Kopf mit scharfer Aufmerksamkeit und kurzem Vektor tut wenig.</translation>
    </message>
    <message>
        <source>1 keeps only high and middle order, 0 only low order, in each dimension of each token (fusion = weight_gate). It is the model&apos;s own weight between new joins and what is carried on. Of a GRU it is the share of the new value (z; 1 − z with cell = gru), of an LSTM i / (i + f); with two directions the forward half comes first, then the backward half.</source>
        <translation>1 behält nur hohe und mittlere Ordnung, 0 nur niedrige, in jeder Dimension jedes Tokens (fusion = weight_gate). Es ist das eigene Gewicht des Modells zwischen neuen Verknüpfungen und Weitergetragenem. Bei einer GRU ist es der Anteil des neuen Werts (z; 1 − z mit cell = gru), bei einem LSTM i / (i + f); bei zwei Richtungen steht die Hälfte vorwärts zuerst, dann die rückwärts.</translation>
    </message>
    <message>
        <source>The part of the new value that comes from the state of the step before, as it enters, without bias; where the reset gate stands depends on the kind of GRU.</source>
        <translation>Der Teil des neuen Werts, der aus dem Zustand des Schritts davor kommt, wie er eingeht, ohne Bias; wo das Rücksetz-Gate steht, hängt von der Art der GRU ab.</translation>
    </message>
    <message>
        <source>0 to 1; a row sums to 1 less the weight of the zero start state</source>
        <translation>0 bis 1; eine Zeile summiert sich zu 1 minus dem Gewicht des Anfangszustands, der null ist</translation>
    </message>
    <message>
        <source>How much of the state of step t (row) still is the new value of the earlier step s (column): the recurrent counterpart of an attention map. m is the share of the new value averaged over dimensions (LSTM: i / (i + f) of the means); above the diagonal it is 0.</source>
        <translation>Wie viel vom Zustand des Schritts t (Zeile) noch der neue Wert des früheren Schritts s (Spalte) ist: das rekurrente Gegenstück einer Aufmerksamkeitskarte. m ist der über Dimensionen gemittelte Anteil des neuen Werts (LSTM: i / (i + f) der Mittel); über der Diagonale steht 0.</translation>
    </message>
    <message>
        <source>What tagging heads, decoder or pooling read. Of a recurrent encoder the last row is the sentence&apos;s vector; with two directions it is the forward half of the last row and the backward half of the first.</source>
        <translation>Was Tagger, Decoder oder Pooling lesen. Bei einem rekurrenten Encoder ist die letzte Zeile der Vektor des Satzes; bei zwei Richtungen sind es die Hälfte vorwärts der letzten Zeile und die Hälfte rückwärts der ersten.</translation>
    </message>
    <message>
        <source>α(t, s) = m_s · Π_u (1 − m_u); forward u = s+1 … t, backward u = t … s−1</source>
        <translation>α(t, s) = m_s · Π_u (1 − m_u); vorwärts u = s+1 … t, rückwärts u = t … s−1</translation>
    </message>
    <message>
        <source>How much of the state of step t (row) still is the new value of step s (column). Forward it is 0 above the diagonal, backward below it: the step before is then the next token. m is the share of the new value averaged over dimensions (LSTM: i / (i + f) of the means).</source>
        <translation>Wie viel vom Zustand des Schritts t (Zeile) noch der neue Wert des Schritts s (Spalte) ist. Vorwärts steht über der Diagonale 0, rückwärts darunter: der Schritt davor ist dort das nächste Token. m ist der über Dimensionen gemittelte Anteil des neuen Werts (LSTM: i / (i + f) der Mittel).</translation>
    </message>
    <message>
        <source>The part of the new value that comes from the direction&apos;s step before (see encoder.L.recurrent.output).</source>
        <translation>Der Teil des neuen Werts, der aus dem Schritt davor dieser Richtung kommt (siehe encoder.L.recurrent.output).</translation>
    </message>
    <message>
        <source>How much of what makes scores differ between keys comes from each term; NaN for a sentence of one token.</source>
        <translation>Wie viel von dem, was Werte zwischen Schlüsseln verschieden macht, aus jedem Term kommt; NaN bei einem Satz aus einem Token.</translation>
    </message>
    <message>
        <source>Mass of the trees with n leaves (n = 0 … 2^layers) that join tokens by the map (rollout or ALTI); the diagonal is what a token keeps. For encoders of at most 12 layers. Repeated tokens count: this is not the order.</source>
        <translation>Masse der Bäume mit n Blättern (n = 0 … 2^Schichten), die Token nach der Karte (Rollout oder ALTI) verknüpfen; die Diagonale ist, was ein Token behält. Für Encoder mit höchstens 12 Schichten. Wiederholte Token zählen: das ist nicht die Ordnung.</translation>
    </message>
    <message>
        <source>Mass of the single paths through the layers with n tokens (n = 0 … layers + 1): linear in depth where trees are exponential.</source>
        <translation>Masse der einzelnen Wege durch die Schichten mit n Token (n = 0 … Schichten + 1): linear in der Tiefe, wo Bäume exponentiell sind.</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Start</translation>
    </message>
    <message>
        <source>Three questions about the sentence that is open, answered by what the model computed: the word with the largest graph (at most eight leaves, weight 10⁻⁶ or more), the largest attention from one word to another, the weight by length of a recording. Each leads to its view.</source>
        <translation>Drei Fragen zum offenen Satz, beantwortet aus dem, was das Modell berechnet hat: das Wort mit dem größten Graphen (höchstens acht Blätter, Gewicht 10⁻⁶ oder mehr), die größte Aufmerksamkeit eines Worts auf ein anderes, das Gewicht nach Länge einer Aufzeichnung. Jede führt zu ihrer Ansicht.</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>Inspektor</translation>
    </message>
    <message>
        <source>What is selected in words and numbers: a join, a cell of a map, a word, or the sentence, each with the level of what may be claimed of it. Try it changes one thing, runs the model again at once and lists what differs most: that is causal.</source>
        <translation>Was gewählt ist, in Worten und Zahlen: eine Verknüpfung, eine Zelle einer Karte, ein Wort oder der Satz, jeweils mit der Stufe der Aussage. Ausprobieren ändert eine Sache, lässt das Modell sofort noch einmal laufen und listet, was sich am meisten unterscheidet: das ist kausal.</translation>
    </message>
    <message>
        <source>routing weights</source>
        <translation>Routing-Gewichte</translation>
    </message>
    <message>
        <source>c = softmax(b) over positions (or capsules); b += ⟨ĥ, u⟩, u = squash(Σᵢ cᵢ · ĥᵢ)</source>
        <translation>c = softmax(b) über Positionen (oder Kapseln); b += ⟨ĥ, u⟩, u = squash(Σᵢ cᵢ · ĥᵢ)</translation>
    </message>
    <message>
        <source>0 to 1; each row sums to 1 (route_axis = capsules: each column)</source>
        <translation>0 bis 1; jede Zeile summiert sich zu 1 (route_axis = capsules: jede Spalte)</translation>
    </message>
    <message>
        <source>Row k, column i: how much capsule k collects of token i after the last step of routing. A capsule is a vector of the whole sentence; its row says of which words it is made.</source>
        <translation>Zeile k, Spalte i: wie viel Kapsel k nach dem letzten Schritt des Routings von Token i sammelt. Eine Kapsel ist ein Vektor des ganzen Satzes; ihre Zeile sagt, aus welchen Wörtern sie besteht.</translation>
    </message>
    <message>
        <source>entropy of the routing weights</source>
        <translation>Entropie der Routing-Gewichte</translation>
    </message>
    <message>
        <source>0 (one token) to ln T (all T tokens alike)</source>
        <translation>0 (ein Token) bis ln T (alle T Token gleich)</translation>
    </message>
    <message>
        <source>How widely each capsule collects. With route_axis = capsules rows do not sum to 1 and this is no entropy of a distribution.</source>
        <translation>Wie breit jede Kapsel sammelt. Mit route_axis = capsules summieren sich die Zeilen nicht zu 1, und dies ist keine Entropie einer Verteilung.</translation>
    </message>
    <message>
        <source>capsules</source>
        <translation>Kapseln</translation>
    </message>
    <message>
        <source>length below 1</source>
        <translation>Länge unter 1</translation>
    </message>
    <message>
        <source>What each capsule of the layer has collected of the sentence.</source>
        <translation>Was jede Kapsel der Schicht vom Satz gesammelt hat.</translation>
    </message>
    <message>
        <source>length of a capsule</source>
        <translation>Länge einer Kapsel</translation>
    </message>
    <message>
        <source>0 to below 1</source>
        <translation>0 bis unter 1</translation>
    </message>
    <message>
        <source>Near 1 where what the capsule collects points in one direction, smaller where it cancels.</source>
        <translation>Nahe 1, wo das Gesammelte in eine Richtung zeigt, kleiner, wo es sich aufhebt.</translation>
    </message>
    <message>
        <source>weights of the capsules</source>
        <translation>Gewichte der Kapseln</translation>
    </message>
    <message>
        <source>a = softmaxₖ(ŝ · uₖ), ŝ = FFN(meanₖ uₖ)</source>
        <translation>a = softmaxₖ(ŝ · uₖ), ŝ = FFN(Mittelₖ uₖ)</translation>
    </message>
    <message>
        <source>0 to 1; all capsules sum to 1</source>
        <translation>0 bis 1; alle Kapseln summieren sich zu 1</translation>
    </message>
    <message>
        <source>How much each capsule weighs in what the layer gives to the global state of the sentence (pooling = attentive).</source>
        <translation>Wie viel jede Kapsel in dem wiegt, was die Schicht dem globalen Zustand des Satzes gibt (pooling = attentive).</translation>
    </message>
    <message>
        <source>gate of the global state</source>
        <translation>Gate des globalen Zustands</translation>
    </message>
    <message>
        <source>How much of the sentence&apos;s global state s each target token takes into the last state of the decoder, in each dimension.</source>
        <translation>Wie viel vom globalen Zustand s des Satzes jedes Ziel-Token in den letzten Zustand des Decoders nimmt, in jeder Dimension.</translation>
    </message>
    <message>
        <source>mean of the gate of the global state</source>
        <translation>Mittel des Gates des globalen Zustands</translation>
    </message>
    <message>
        <source>How open the gate is at a target token, averaged over dimensions.</source>
        <translation>Wie offen das Gate an einem Ziel-Token ist, über die Dimensionen gemittelt.</translation>
    </message>
    <message>
        <source>Any recorded map of tokens on tokens: a row is the token (or the capsule) that receives, a column the token that it receives from. Its entry in this guide says what the numbers are.</source>
        <translation>Jede aufgezeichnete Karte von Token auf Token: Eine Zeile ist das Token (oder die Kapsel), das empfängt, eine Spalte das Token, von dem es empfängt. Ihr Eintrag in diesem Führer sagt, was die Zahlen sind.</translation>
    </message>
    <message>
        <source>What capsules collect</source>
        <translation>Was Kapseln sammeln</translation>
    </message>
    <message>
        <source>Translation</source>
        <translation>Übersetzung</translation>
    </message>
    <message>
        <source>score = Σ log p / length^x</source>
        <translation>Bewertung = Σ log p / Länge^x</translation>
    </message>
    <message>
        <source>decoder states by source and prefix</source>
        <translation>Decoderzustände nach Quelle und Präfix</translation>
    </message>
    <message>
        <source>yₜ′ = Σ over source tokens, decoder inputs and the bias</source>
        <translation>yₜ′ = Σ über Quelltoken, Decodereingaben und den Bias</translation>
    </message>
    <message>
        <source>The state of each target token as a sum of vectors, one a source token, one a decoder input (the prefix that was read), and one for all constants. Source tokens enter by what they give to the encoder&apos;s output; attention, norm scales and activation slopes of both stacks are frozen.</source>
        <translation>Der Zustand jedes Zieltokens als Summe von Vektoren: einer je Quelltoken, einer je Decodereingabe (das gelesene Präfix) und einer für alle Konstanten. Quelltoken gehen mit dem ein, was sie zur Ausgabe des Encoders beitragen; Aufmerksamkeit, Skalen der Normen und Steigungen der Aktivierung beider Stapel sind festgehalten.</translation>
    </message>
    <message>
        <source>lengths of what source and prefix give</source>
        <translation>Längen dessen, was Quelle und Präfix geben</translation>
    </message>
    <message>
        <source>norm of each vector</source>
        <translation>Norm jedes Vektors</translation>
    </message>
    <message>
        <source>How long the vector of each source token, decoder input and of the bias is.</source>
        <translation>Wie lang der Vektor jedes Quelltokens, jeder Decodereingabe und des Bias ist.</translation>
    </message>
    <message>
        <source>the decoder&apos;s last state by source and prefix</source>
        <translation>der letzte Zustand des Decoders nach Quelle und Präfix</translation>
    </message>
    <message>
        <source>after the last layer norm, where there is one</source>
        <translation>nach der letzten Norm, wo es eine gibt</translation>
    </message>
    <message>
        <source>The same of the state from which the next token is scored; the vectors sum to it.</source>
        <translation>Dasselbe für den Zustand, aus dem das nächste Token bewertet wird; die Vektoren ergeben ihn als Summe.</translation>
    </message>
    <message>
        <source>lengths of what the last state is made of</source>
        <translation>Längen dessen, woraus der letzte Zustand besteht</translation>
    </message>
    <message>
        <source>shares of source and prefix in the last state</source>
        <translation>Anteile von Quelle und Präfix am letzten Zustand</translation>
    </message>
    <message>
        <source>⟨vector, y⟩ / ‖y‖²</source>
        <translation>⟨Vektor, y⟩ / ‖y‖²</translation>
    </message>
    <message>
        <source>How far each vector goes in the direction of the whole state. Vectors against it are negative.</source>
        <translation>Wie weit jeder Vektor in die Richtung des ganzen Zustands geht. Vektoren gegen ihn sind negativ.</translation>
    </message>
    <message>
        <source>what source and prefix add to the next token&apos;s score</source>
        <translation>was Quelle und Präfix zum Wert des nächsten Tokens beitragen</translation>
    </message>
    <message>
        <source>⟨vector, row of the output map⟩; its bias is the bias&apos;s</source>
        <translation>⟨Vektor, Zeile der Ausgabeabbildung⟩; deren Bias gehört zum Bias</translation>
    </message>
    <message>
        <source>What each source token, decoder input and the bias adds to the logit of the token that follows in the translation (behind the last one: the end of the sentence). A row sums to that logit.</source>
        <translation>Was jedes Quelltoken, jede Decodereingabe und der Bias zum Logit des Tokens beiträgt, das in der Übersetzung folgt (hinter dem letzten: das Satzende). Eine Zeile ergibt als Summe dieses Logit.</translation>
    </message>
    <message>
        <source>share of the source and of the prefix</source>
        <translation>Anteil der Quelle und des Präfixes</translation>
    </message>
    <message>
        <source>Σ of the projection shares of each side</source>
        <translation>Σ der Projektionsanteile jeder Seite</translation>
    </message>
    <message>
        <source>How much of the last state all source tokens together make, how much the decoder&apos;s own inputs, how much the constants.</source>
        <translation>Wie viel vom letzten Zustand alle Quelltoken zusammen ausmachen, wie viel die eigenen Eingaben des Decoders, wie viel die Konstanten.</translation>
    </message>
    <message>
        <source>decoder states by position of the encoder&apos;s output</source>
        <translation>Decoderzustände nach Stelle der Encoderausgabe</translation>
    </message>
    <message>
        <source>yₜ′ = Σ over positions, decoder inputs and the bias</source>
        <translation>yₜ′ = Σ über Stellen, Decodereingaben und den Bias</translation>
    </message>
    <message>
        <source>As decoder states by source and prefix, but a source is a position of the encoder&apos;s output, which already mixes source tokens. The one form there is behind a Graph-Transformer, GRU or LSTM.</source>
        <translation>Wie die Decoderzustände nach Quelle und Präfix, aber eine Quelle ist eine Stelle der Encoderausgabe, die Quelltoken schon mischt. Hinter einem Graph-Transformer, GRU oder LSTM die einzige Form.</translation>
    </message>
    <message>
        <source>lengths of what positions and prefix give</source>
        <translation>Längen dessen, was Stellen und Präfix geben</translation>
    </message>
    <message>
        <source>How long the vector of each position, decoder input and of the bias is.</source>
        <translation>Wie lang der Vektor jeder Stelle, jeder Decodereingabe und des Bias ist.</translation>
    </message>
    <message>
        <source>the decoder&apos;s last state by position</source>
        <translation>der letzte Zustand des Decoders nach Stelle</translation>
    </message>
    <message>
        <source>The last state by position of the encoder&apos;s output, decoder input and bias.</source>
        <translation>Der letzte Zustand nach Stelle der Encoderausgabe, Decodereingabe und Bias.</translation>
    </message>
    <message>
        <source>lengths of what the last state has by position</source>
        <translation>Längen dessen, was der letzte Zustand nach Stelle hat</translation>
    </message>
    <message>
        <source>shares of positions and prefix in the last state</source>
        <translation>Anteile von Stellen und Präfix am letzten Zustand</translation>
    </message>
    <message>
        <source>How far the vector of each position, decoder input and of the bias goes along the state.</source>
        <translation>Wie weit der Vektor jeder Stelle, jeder Decodereingabe und des Bias in die Richtung des Zustands geht.</translation>
    </message>
    <message>
        <source>what positions and prefix add to the next token&apos;s score</source>
        <translation>was Stellen und Präfix zum Wert des nächsten Tokens beitragen</translation>
    </message>
    <message>
        <source>What each position of the encoder&apos;s output, decoder input and the bias adds to the logit of the token that follows.</source>
        <translation>Was jede Stelle der Encoderausgabe, jede Decodereingabe und der Bias zum Logit des folgenden Tokens beiträgt.</translation>
    </message>
    <message>
        <source>share of the encoder&apos;s output and of the prefix</source>
        <translation>Anteil der Encoderausgabe und des Präfixes</translation>
    </message>
    <message>
        <source>How much of the last state the encoder&apos;s output makes, how much the decoder&apos;s own inputs, how much the constants (the encoder&apos;s own constants count as its output).</source>
        <translation>Wie viel vom letzten Zustand die Encoderausgabe ausmacht, wie viel die eigenen Eingaben des Decoders, wie viel die Konstanten (die Konstanten des Encoders zählen zu seiner Ausgabe).</translation>
    </message>
    <message>
        <source>ALTI+ of a decoder layer</source>
        <translation>ALTI+ einer Decoderschicht</translation>
    </message>
    <message>
        <source>cₜᵢ = max(0, ‖y‖₁ − ‖y − Fₜᵢ‖₁), rows divided by their sums</source>
        <translation>cₜᵢ = max(0, ‖y‖₁ − ‖y − Fₜᵢ‖₁), Zeilen durch ihre Summen geteilt</translation>
    </message>
    <message>
        <source>How near what a layer takes from each position of the encoder&apos;s output, and from each target token, comes to what it makes of them (Ferrando et al. 2022). The feed-forward block is left out.</source>
        <translation>Wie nahe das, was eine Schicht von jeder Stelle der Encoderausgabe und von jedem Zieltoken nimmt, dem kommt, was sie daraus macht (Ferrando et al. 2022). Der Feed-Forward-Block bleibt außer Betracht.</translation>
    </message>
    <message>
        <source>ALTI+ through the decoder</source>
        <translation>ALTI+ durch den Decoder</translation>
    </message>
    <message>
        <source>Rᴸ = [Cₑ, 0] + C_y · Rᴸ⁻¹</source>
        <translation>Rᴸ = [Cₑ, 0] + C_y · Rᴸ⁻¹</translation>
    </message>
    <message>
        <source>ALTI+ of the layers rolled out: positions of the encoder&apos;s output, then decoder inputs.</source>
        <translation>ALTI+ der Schichten aufgerollt: Stellen der Encoderausgabe, dann Decodereingaben.</translation>
    </message>
    <message>
        <source>ALTI+ through both sides</source>
        <translation>ALTI+ durch beide Seiten</translation>
    </message>
    <message>
        <source>Rᴸ = [Cₑ · encoder ALTI, 0] + C_y · Rᴸ⁻¹</source>
        <translation>Rᴸ = [Cₑ · ALTI des Encoders, 0] + C_y · Rᴸ⁻¹</translation>
    </message>
    <message>
        <source>How much of each target token&apos;s state comes from each source token and each decoder input, by ALTI rolled out through encoder and decoder (Ferrando et al. 2022).</source>
        <translation>Wie viel vom Zustand jedes Zieltokens von jedem Quelltoken und jeder Decodereingabe kommt, nach ALTI, durch Encoder und Decoder aufgerollt (Ferrando et al. 2022).</translation>
    </message>
    <message>
        <source>share of source and prefix by ALTI+</source>
        <translation>Anteil von Quelle und Präfix nach ALTI+</translation>
    </message>
    <message>
        <source>Σ over each side of ALTI+ of the last layer</source>
        <translation>Σ über jede Seite von ALTI+ der letzten Schicht</translation>
    </message>
    <message>
        <source>How much each step of the decoder takes from the source and how much from what it has said before.</source>
        <translation>Wie viel jeder Schritt des Decoders aus der Quelle nimmt und wie viel aus dem, was er schon gesagt hat.</translation>
    </message>
    <message>
        <source>share of the encoder&apos;s output and prefix by ALTI+</source>
        <translation>Anteil von Encoderausgabe und Präfix nach ALTI+</translation>
    </message>
    <message>
        <source>The same without the encoder&apos;s part; the two shares are equal, as the encoder&apos;s rows sum to 1.</source>
        <translation>Dasselbe ohne den Teil des Encoders; beide Anteile sind gleich, da die Zeilen des Encoders die Summe 1 haben.</translation>
    </message>
    <message>
        <source>Word alignment</source>
        <translation>Wortalignierung</translation>
    </message>
    <message>
        <source>A row is a word of the translation, a column a word of the source. The disc stands where the row is greatest, frames are gold links, dashed where they are only possible.</source>
        <translation>Eine Zeile ist ein Wort der Übersetzung, eine Spalte ein Wort der Quelle. Die Scheibe steht, wo die Zeile am größten ist; Rahmen sind Goldlinks, gestrichelt, wo sie nur möglich sind.</translation>
    </message>
    <message>
        <source>Source and prefix</source>
        <translation>Quelle und Präfix</translation>
    </message>
    <message>
        <source>A row is a token that is predicted. Left of the line stand the source&apos;s tokens, right of it the translation as far as it was read; a cell says what the prediction owes to the token.</source>
        <translation>Eine Zeile ist ein Token, das vorhergesagt wird. Links der Linie stehen die Token der Quelle, rechts die Übersetzung, so weit sie gelesen ist; eine Zelle sagt, was die Vorhersage dem Token verdankt.</translation>
    </message>
    <message>
        <source>Shares of source and prefix</source>
        <translation>Anteile von Quelle und Präfix</translation>
    </message>
    <message>
        <source>How much of a step the source makes and how much the translation so far, by the place of the step or the length of the source; the bands are of resampled sentences.</source>
        <translation>Wie viel eines Schritts die Quelle ausmacht und wie viel die bisherige Übersetzung, nach der Stelle des Schritts oder der Länge der Quelle; die Bänder sind von neu gezogenen Sätzen.</translation>
    </message>
    <message>
        <source>Training runs</source>
        <translation>Trainingsläufe</translation>
    </message>
    <message>
        <source>mean over the watched sentences after each validation</source>
        <translation>Mittel über die beobachteten Sätze nach jeder Validierung</translation>
    </message>
    <message>
        <source>How a quantity moved while a model was trained (mog train --watch): a line a layer over the updates, a panel a part. Rings are change points, where a line goes another way. A file that grows is read again.</source>
        <translation>Wie sich eine Größe bewegt hat, während ein Modell trainiert wurde (mog train --watch): eine Linie je Schicht über den Updates, ein Feld je Teil. Ringe sind Wendestellen, an denen eine Linie anders weitergeht. Eine Datei, die wächst, wird neu gelesen.</translation>
    </message>
    <message>
        <source>A row is a capsule of the sentence&apos;s global representation, a column a word: the darker, the more of the word the capsule collects. Capsules of different layers with the same number have nothing in common unless their maps are shared. Beside the layers may stand what each capsule weighs in the state of the whole sentence, and how much of that state each word of the translation takes in (gate).</source>
        <translation>Eine Zeile ist eine Kapsel der globalen Repräsentation des Satzes, eine Spalte ein Wort: je dunkler, desto mehr sammelt die Kapsel vom Wort. Kapseln verschiedener Schichten mit gleicher Nummer haben nichts gemeinsam, wenn ihre Abbildungen nicht geteilt sind. Neben den Schichten kann stehen, was jede Kapsel im Zustand des ganzen Satzes wiegt und wie viel davon jedes Wort der Übersetzung aufnimmt (Gate).</translation>
    </message>
    <message>
        <source>The best translations of the sentence with their scores; the chosen one word by word. A click on a word shades the words of the other side by how much the two have to do with each other: by cross-attention (where a head looks), by exact contribution to the word&apos;s score (norms and attention frozen), or by ALTI+ (a summary). Maps on own words are the decoder&apos;s self-attention; capsules are those of a global representation, with their weights and its gate. Begins with runs the search again from your words.</source>
        <translation>Die besten Übersetzungen des Satzes mit ihrer Bewertung; die gewählte Wort für Wort. Ein Klick auf ein Wort färbt die Wörter der anderen Seite danach, wie viel sie miteinander zu tun haben: nach Cross-Attention (wohin ein Kopf sieht), nach dem genauen Beitrag zum Wert des Wortes (Normen und Aufmerksamkeit festgehalten) oder nach ALTI+ (eine Zusammenfassung). Karten auf eigene Wörter sind die Self-Attention des Decoders; Kapseln die einer globalen Repräsentation, mit ihren Gewichten und deren Gate. „Beginnt mit“ sucht noch einmal, von Ihren Wörtern aus.</translation>
    </message>
    <message>
        <source>the graph that is read</source>
        <translation>der Graph, der gelesen wird</translation>
    </message>
    <message>
        <source>0 (no relation) or the number of a relation</source>
        <translation>0 (keine Beziehung) oder die Nummer einer Beziehung</translation>
    </message>
    <message>
        <source>The relation of query i and key j in the graph that the encoder reads beside the tokens: of a parser the tree of the round before, each label in both directions.</source>
        <translation>Die Beziehung von Query i und Key j in dem Graphen, den der Encoder neben den Tokens liest: bei einem Parser der Baum der Runde davor, jede Relation in beiden Richtungen.</translation>
    </message>
    <message>
        <source>terms of scores that read a graph</source>
        <translation>Terme von Scores, die einen Graphen lesen</translation>
    </message>
    <message>
        <source>e = (q·k + q·RK[r] + RQ[r]·k) / √d</source>
        <translation>e = (q·k + q·RK[r] + RQ[r]·k) / √d</translation>
    </message>
    <message>
        <source>What content alone gives to each attention score, and what the relation of query and key adds with the query and with the key. Their sum is the score; the pattern is its softmax.</source>
        <translation>Was der Inhalt allein zu jedem Attention-Score gibt, und was die Beziehung von Query und Key mit der Query und mit dem Key dazugibt. Ihre Summe ist der Score; das Muster ist sein Softmax.</translation>
    </message>
    <message>
        <source>covariance shares of graph terms</source>
        <translation>Kovarianzanteile der Graph-Terme</translation>
    </message>
    <message>
        <source>Cov(eₜ, e) / Var(e), rows from their means</source>
        <translation>Cov(eₜ, e) / Var(e), Zeilen von ihren Mittelwerten aus</translation>
    </message>
    <message>
        <source>sums to 1 over terms; single shares may be negative</source>
        <translation>Summe über die Terme 1; einzelne Anteile können negativ sein</translation>
    </message>
    <message>
        <source>How much of the differences between a head&apos;s scores in the sentence goes with content and how much with the relations of the graph; 0 where there is one token.</source>
        <translation>Wie viel der Unterschiede zwischen den Scores eines Kopfes im Satz mit dem Inhalt geht und wie viel mit den Beziehungen des Graphen; 0 bei einem einzigen Token.</translation>
    </message>
    <message>
        <source>leaving out a graph term</source>
        <translation>Weglassen eines Graph-Terms</translation>
    </message>
    <message>
        <source>from 0, nats</source>
        <translation>ab 0, nats</translation>
    </message>
    <message>
        <source>How far the head&apos;s pattern moves where the term is taken away in this layer alone, a mean over queries.</source>
        <translation>Wie weit sich das Muster des Kopfes bewegt, wenn der Term allein in dieser Schicht wegfällt, Mittel über die Queries.</translation>
    </message>
    <message>
        <source>scores of pairs of tokens</source>
        <translation>Scores von Tokenpaaren</translation>
    </message>
    <message>
        <source>s(i, j) = [qᵢ; 1]ᵀ · W · [kⱼ; 1]</source>
        <translation>s(i, j) = [qᵢ; 1]ᵀ · W · [kⱼ; 1]</translation>
    </message>
    <message>
        <source>How well token j is the head of token i (arcs), or each label between them (labels); of coreference how well mention i begins at j (mentions) or goes back to j (antecedents). The best tree or the best chains are made of them.</source>
        <translation>Wie gut Token j der Kopf von Token i ist (arcs), oder jede Relation zwischen ihnen (labels); bei Koreferenz, wie gut die Erwähnung i bei j beginnt (mentions) oder auf j zurückgeht (antecedents). Aus ihnen werden der beste Baum oder die besten Ketten gemacht.</translation>
    </message>
    <message>
        <source>Parse</source>
        <translation>Parsen</translation>
    </message>
    <message>
        <source>p(head | word) = softmax of the scores of all heads; the tree with the greatest Σ log p</source>
        <translation>p(Kopf | Wort) = Softmax der Bewertungen aller Köpfe; der Baum mit der größten Σ log p</translation>
    </message>
    <message>
        <source>0 to 1; over the heads of a word the sum is 1</source>
        <translation>0 bis 1; über die Köpfe eines Worts ist die Summe 1</translation>
    </message>
    <message>
        <source>The dependency tree that a parser builds, with relations and parts of speech, and beside it the probability of every arc, heads by dependents. A click on a cell forces its arc or forbids one that is in the tree; the best tree that obeys is built, and a model that reads its own tree reads that one in the next round. What a round has changed is marked, and what it was hangs below. Of a transition parser the states are shown: filled words are on the stack, framed ones in the buffer.</source>
        <translation>Der Abhängigkeitsbaum, den ein Parser baut, mit Relationen und Wortarten, und daneben die Wahrscheinlichkeit jedes Bogens, Köpfe mal abhängige Wörter. Ein Klick auf eine Zelle erzwingt ihren Bogen oder verbietet einen, der im Baum ist; gebaut wird der beste Baum, der gehorcht, und ein Modell, das seinen eigenen Baum liest, liest in der nächsten Runde diesen. Was eine Runde geändert hat, ist markiert, und was es war, hängt darunter. Von einem Übergangsparser werden die Zustände gezeigt: gefüllte Wörter liegen auf dem Stapel, gerahmte im Puffer.</translation>
    </message>
    <message>
        <source>Chains of mentions</source>
        <translation>Erwähnungsketten</translation>
    </message>
    <message>
        <source>p(antecedent | mention) = softmax of the scores of all earlier mentions and of none, 0</source>
        <translation>p(Bezug | Erwähnung) = Softmax der Bewertungen aller früheren Erwähnungen und von keiner, 0</translation>
    </message>
    <message>
        <source>0 to 1; with none the sum is 1</source>
        <translation>0 bis 1; mit keiner ist die Summe 1</translation>
    </message>
    <message>
        <source>A text with the mentions that a model of coreference finds: those of one chain have one colour and number, one that stands alone is dotted. A mention lists what it may go back to. The text can be changed and resolved again.</source>
        <translation>Ein Text mit den Erwähnungen, die ein Koreferenzmodell findet: die einer Kette haben eine Farbe und Nummer, eine, die allein steht, ist gepunktet. Eine Erwähnung listet, worauf sie zurückgehen kann. Der Text lässt sich ändern und erneut auflösen.</translation>
    </message>
    <message>
        <source>greatest attention weights</source>
        <translation>größte Gewichte der Aufmerksamkeit</translation>
    </message>
    <message>
        <source>the K greatest of A[m, ·]</source>
        <translation>die K größten von A[m, ·]</translation>
    </message>
    <message>
        <source>0 to 1; each row falls</source>
        <translation>0 bis 1; jede Zeile fällt</translation>
    </message>
    <message>
        <source>What each query gives to the K keys that it attends to most (mog record --store-top-k K), the greatest first. A row is no map: what the others have is in rest.</source>
        <translation>Was jede Anfrage den K Schlüsseln gibt, auf die sie am meisten achtet (mog record --store-top-k K), das größte zuerst. Eine Zeile ist keine Karte: was die anderen haben, steht in rest.</translation>
    </message>
    <message>
        <source>keys of the greatest attention weights</source>
        <translation>Schlüssel der größten Gewichte der Aufmerksamkeit</translation>
    </message>
    <message>
        <source>n of the K greatest A[m, n]</source>
        <translation>n der K größten A[m, n]</translation>
    </message>
    <message>
        <source>0 to T − 1; −1: none</source>
        <translation>0 bis T − 1; −1: keiner</translation>
    </message>
    <message>
        <source>attention beyond the greatest weights</source>
        <translation>Aufmerksamkeit außer den größten Gewichten</translation>
    </message>
    <message>
        <source>Σₙ A[m, n] over the other keys</source>
        <translation>Σₙ A[m, n] über die anderen Schlüssel</translation>
    </message>
    <message>
        <source>What each query gives to all keys but the K of top: 1 less their weights.</source>
        <translation>Was jede Anfrage allen Schlüsseln außer den K in top gibt: 1 weniger deren Gewichte.</translation>
    </message>
    <message>
        <source>greatest attention weights in the decoder</source>
        <translation>größte Gewichte der Aufmerksamkeit im Decoder</translation>
    </message>
    <message>
        <source>What each target token gives to the K keys that it attends to most, the greatest first (mog record --store-top-k K).</source>
        <translation>Was jedes Zieltoken den K Schlüsseln gibt, auf die es am meisten achtet, das größte zuerst (mog record --store-top-k K).</translation>
    </message>
    <message>
        <source>keys of the greatest attention weights in the decoder</source>
        <translation>Schlüssel der größten Gewichte der Aufmerksamkeit im Decoder</translation>
    </message>
    <message>
        <source>The tokens, counted from 0, that the weights in top belong to: of the source (cross) or of the translation (self).</source>
        <translation>Die Token, von 0 an gezählt, zu denen die Gewichte in top gehören: der Quelle (cross) oder der Übersetzung (self).</translation>
    </message>
    <message>
        <source>attention beyond the greatest weights in the decoder</source>
        <translation>Aufmerksamkeit außer den größten Gewichten im Decoder</translation>
    </message>
    <message>
        <source>What each target token gives to all keys but the K of top.</source>
        <translation>Was jedes Zieltoken allen Schlüsseln außer den K in top gibt.</translation>
    </message>
    <message>
        <source>scores of the next token</source>
        <translation>Werte für das nächste Token</translation>
    </message>
    <message>
        <source>One score for each token of the vocabulary, of what follows each token.</source>
        <translation>Für jedes Token des Vokabulars ein Wert dafür, dass es auf das Token folgt.</translation>
    </message>
    <message>
        <source>surprisal</source>
        <translation>Surprisal</translation>
    </message>
    <message>
        <source>−ln p(token | those before it)</source>
        <translation>−ln p(Token | die davor)</translation>
    </message>
    <message>
        <source>0 and more, nats</source>
        <translation>0 und mehr, Nats</translation>
    </message>
    <message>
        <source>How little the model foresaw the token from those before it: 0 for certain, more for rarer. The first token of a text has none.</source>
        <translation>Wie wenig das Modell das Token aus denen davor vorhersah: 0 bei Gewissheit, mehr bei selteneren. Das erste Token eines Textes hat keines.</translation>
    </message>
    <message>
        <source>rank of a token among all</source>
        <translation>Rang eines Tokens unter allen</translation>
    </message>
    <message>
        <source>1 + number of tokens with a higher score</source>
        <translation>1 + Zahl der Token mit höherem Wert</translation>
    </message>
    <message>
        <source>1 to the size of the vocabulary</source>
        <translation>1 bis zur Größe des Vokabulars</translation>
    </message>
    <message>
        <source>How many tokens the model found more probable, and one. The first token of a text has none.</source>
        <translation>Wie viele Token das Modell wahrscheinlicher fand, und eins. Das erste Token eines Textes hat keinen.</translation>
    </message>
    <message>
        <source>entropy of the prediction</source>
        <translation>Entropie der Vorhersage</translation>
    </message>
    <message>
        <source>− Σ p · ln p over the vocabulary</source>
        <translation>− Σ p · ln p über das Vokabular</translation>
    </message>
    <message>
        <source>0 to ln of the size of the vocabulary</source>
        <translation>0 bis ln der Größe des Vokabulars</translation>
    </message>
    <message>
        <source>How open it is, for the model, what follows the token.</source>
        <translation>Wie offen für das Modell ist, was auf das Token folgt.</translation>
    </message>
    <message>
        <source>most probable next tokens</source>
        <translation>wahrscheinlichste nächste Token</translation>
    </message>
    <message>
        <source>ids by falling probability</source>
        <translation>Nummern nach fallender Wahrscheinlichkeit</translation>
    </message>
    <message>
        <source>ids of the vocabulary</source>
        <translation>Nummern des Vokabulars</translation>
    </message>
    <message>
        <source>What the model expects most behind each token, the ten best.</source>
        <translation>Was das Modell hinter jedem Token am meisten erwartet, die zehn besten.</translation>
    </message>
    <message>
        <source>their probabilities</source>
        <translation>deren Wahrscheinlichkeiten</translation>
    </message>
    <message>
        <source>p of the ten best</source>
        <translation>p der zehn besten</translation>
    </message>
    <message>
        <source>0 to 1, falling</source>
        <translation>0 bis 1, fallend</translation>
    </message>
    <message>
        <source>How probable the model finds each of them.</source>
        <translation>Wie wahrscheinlich das Modell jedes von ihnen findet.</translation>
    </message>
    <message>
        <source>scores of the next token, by a layer</source>
        <translation>Werte für das nächste Token, nach einer Schicht</translation>
    </message>
    <message>
        <source>map(norm(x′)): the last norm and the output map on the layer&apos;s states</source>
        <translation>map(norm(x′)): die letzte Norm und die Ausgabeabbildung auf den Zuständen der Schicht</translation>
    </message>
    <message>
        <source>What the model would say if the layer were its last one (logit lens). Layers are trained to be read by those above them, not by the output map: what is not read off may be there all the same. The last layer&apos;s are the model&apos;s own.</source>
        <translation>Was das Modell sagen würde, wenn die Schicht seine letzte wäre (Logit Lens). Schichten werden dafür trainiert, von denen darüber gelesen zu werden, nicht von der Ausgabeabbildung: Was sich nicht ablesen lässt, kann trotzdem da sein. Die der letzten Schicht sind die des Modells.</translation>
    </message>
    <message>
        <source>surprisal, by a layer</source>
        <translation>Surprisal, nach einer Schicht</translation>
    </message>
    <message>
        <source>−ln p(token | those before it) by the lens</source>
        <translation>−ln p(Token | die davor) nach der Lens</translation>
    </message>
    <message>
        <source>Where it falls from layer to layer, the token becomes foreseeable there.</source>
        <translation>Wo es von Schicht zu Schicht fällt, wird das Token vorhersehbar.</translation>
    </message>
    <message>
        <source>rank of a token, by a layer</source>
        <translation>Rang eines Tokens, nach einer Schicht</translation>
    </message>
    <message>
        <source>1 + number of tokens with a higher score by the lens</source>
        <translation>1 + Zahl der Token mit höherem Wert nach der Lens</translation>
    </message>
    <message>
        <source>The place of the token among all if the layer were the last one.</source>
        <translation>Der Platz des Tokens unter allen, wenn die Schicht die letzte wäre.</translation>
    </message>
    <message>
        <source>entropy of the prediction, by a layer</source>
        <translation>Entropie der Vorhersage, nach einer Schicht</translation>
    </message>
    <message>
        <source>− Σ p · ln p by the lens</source>
        <translation>− Σ p · ln p nach der Lens</translation>
    </message>
    <message>
        <source>How decided the layer&apos;s states are about what follows.</source>
        <translation>Wie entschieden die Zustände der Schicht über das Folgende sind.</translation>
    </message>
    <message>
        <source>most probable next tokens, by a layer</source>
        <translation>wahrscheinlichste nächste Token, nach einer Schicht</translation>
    </message>
    <message>
        <source>ids by falling probability by the lens</source>
        <translation>Nummern nach fallender Wahrscheinlichkeit nach der Lens</translation>
    </message>
    <message>
        <source>What the figure logit-lens writes into its cells.</source>
        <translation>Was die Abbildung logit-lens in ihre Zellen schreibt.</translation>
    </message>
    <message>
        <source>their probabilities, by a layer</source>
        <translation>deren Wahrscheinlichkeiten, nach einer Schicht</translation>
    </message>
    <message>
        <source>p of the ten best by the lens</source>
        <translation>p der zehn besten nach der Lens</translation>
    </message>
    <message>
        <source>How probable they are if the layer were the last one.</source>
        <translation>Wie wahrscheinlich sie sind, wenn die Schicht die letzte wäre.</translation>
    </message>
    <message>
        <source>Logit lens</source>
        <translation>Logit Lens</translation>
    </message>
    <message>
        <source>softmax(map(norm(x′))) of the states of each layer</source>
        <translation>softmax(Abbildung(Norm(x′))) der Zustände jeder Schicht</translation>
    </message>
    <message>
        <source>0 to 1; entropy and surprisal in nats</source>
        <translation>0 bis 1; Entropie und Surprisal in Nats</translation>
    </message>
    <message>
        <source>What the model would say next if a layer were its last one: in each cell the most probable token behind the words so far, layers upwards. The top row is what the model says. Lower layers are trained to be read by those above them, not by the output map: what is not read off there may be there all the same.</source>
        <translation>Was das Modell als Nächstes sagen würde, wenn eine Schicht seine letzte wäre: in jeder Zelle das wahrscheinlichste Token nach den Wörtern bis dahin, die Schichten von unten nach oben. Die oberste Zeile ist, was das Modell sagt. Untere Schichten sind darauf trainiert, von den oberen gelesen zu werden, nicht von der Ausgabeabbildung: Was sich dort nicht ablesen lässt, kann trotzdem da sein.</translation>
    </message>
    <message>
        <source>attention to the first token</source>
        <translation>Aufmerksamkeit auf das erste Token</translation>
    </message>
    <message>
        <source>Neighbours</source>
        <translation>Nachbarn</translation>
    </message>
    <message>
        <source>cosine of two states</source>
        <translation>Kosinus zweier Zustände</translation>
    </message>
    <message>
        <source>The words of the recording whose states behind the chosen layer are nearest to that of the selected word, each in its sentence, coloured by what it attends to. Beside them stands the cosine of any two words: where it is near 1, so are all, and Less the mean tells more. A click chooses the sentence; the list stays until another word is chosen elsewhere.</source>
        <translation>Die Wörter der Aufnahme, deren Zustände hinter der gewählten Schicht dem des gewählten Wortes am nächsten sind, jedes in seinem Satz, gefärbt nach dem, worauf es achtet. Daneben steht der Kosinus zweier beliebiger Wörter: Liegt er nahe 1, so sind sich alle nahe, und „Ohne das Mittel“ sagt mehr. Ein Klick wählt den Satz; die Liste bleibt, bis anderswo ein anderes Wort gewählt wird.</translation>
    </message>
    <message>
        <source>Of `mog stats`: what the pieces of other words give to the first token of their sentence, averaged over pieces and heads. Models that read from left to right often rest there (an attention sink). Where the first token is of a word, the rows of this word do not count.</source>
        <translation>Aus `mog stats`: was die Stücke der anderen Wörter dem ersten Token ihres Satzes geben, gemittelt über Stücke und Köpfe. Modelle, die von links nach rechts lesen, ruhen oft dort (attention sink). Gehört das erste Token zu einem Wort, so zählen die Zeilen dieses Wortes nicht.</translation>
    </message>
    <message>
        <source>Patching</source>
        <translation>Patching</translation>
    </message>
    <message>
        <source>(patched − second) / (first − second)</source>
        <translation>(ersetzt − zweiter) / (erster − zweiter)</translation>
    </message>
    <message>
        <source>0: as the second text, 1: as the first</source>
        <translation>0: wie der zweite Text, 1: wie der erste</translation>
    </message>
    <message>
        <source>Activations of one sentence are put into the run of another that differs in a word or two: a cell is a run in which one state, block or head was exchanged, its colour what the model then says. Denoising shows what suffices to restore what it says of the first sentence, noising what is needed for it. Without a map to the next token the cosine of the output is read.</source>
        <translation>Aktivierungen eines Satzes werden in den Lauf eines anderen gesetzt, der sich in ein, zwei Wörtern unterscheidet: Eine Zelle ist ein Lauf, in dem ein Zustand, ein Block oder ein Kopf ausgetauscht wurde, ihre Farbe, was das Modell dann sagt. Denoising zeigt, was genügt, um wiederherzustellen, was es zum ersten Satz sagt, Noising, was dafür nötig ist. Ohne Abbildung auf das nächste Token wird der Kosinus der Ausgabe gelesen.</translation>
    </message>
    <message>
        <source>what the heads take</source>
        <translation>was die Köpfe nehmen</translation>
    </message>
    <message>
        <source>What each head takes of its keys, before the output map joins the heads: head h has numbers (h − 1) · d_h + 1 to h · d_h of a row.</source>
        <translation>Was jeder Kopf von seinen Schlüsseln nimmt, bevor die Ausgabeabbildung die Köpfe verbindet: Kopf h hat die Zahlen (h − 1) · d_h + 1 bis h · d_h einer Zeile.</translation>
    </message>
    <message>
        <source>weight of the first key</source>
        <translation>Gewicht des ersten Schlüssels</translation>
    </message>
    <message>
        <source>What each query gives to the first token of its sentence. Models that read from left to right often rest there (an attention sink).</source>
        <translation>Was jede Anfrage dem ersten Token ihres Satzes gibt. Modelle, die von links nach rechts lesen, ruhen oft dort (attention sink).</translation>
    </message>
    <message>
        <source>attention by distance</source>
        <translation>Aufmerksamkeit nach Abstand</translation>
    </message>
    <message>
        <source>Σ A[m, n] over the keys with |m − n| in the range</source>
        <translation>Σ A[m, n] über die Schlüssel mit |m − n| im Bereich</translation>
    </message>
    <message>
        <source>How far each query looks: its weights summed over keys that are 0, 1, 2, 3 to 4, 5 to 8 … tokens away, before or behind it.</source>
        <translation>Wie weit jede Anfrage blickt: ihre Gewichte, summiert über Schlüssel, die 0, 1, 2, 3 bis 4, 5 bis 8 … Token entfernt sind, vor oder hinter ihr.</translation>
    </message>
    <message>
        <source>The tokens, counted from 0, that the weights in top belong to. Of equal weights the smaller key comes first; where fewer than K keys have a weight above 0, a row ends with −1.</source>
        <translation>Die Token, von 0 an gezählt, zu denen die Gewichte in top gehören. Von gleichen Gewichten kommt der kleinere Schlüssel zuerst; wo weniger als K Schlüssel ein Gewicht über 0 haben, endet die Zeile mit −1.</translation>
    </message>
    <message>
        <source>weight of the first key in the decoder</source>
        <translation>Gewicht des ersten Schlüssels im Decoder</translation>
    </message>
    <message>
        <source>What each target token gives to the first token of the source (cross) or of the translation (self).</source>
        <translation>Was jedes Zieltoken dem ersten Token der Quelle (cross) oder der Übersetzung (self) gibt.</translation>
    </message>
    <message>
        <source>attention by distance in the decoder</source>
        <translation>Aufmerksamkeit nach Abstand im Decoder</translation>
    </message>
    <message>
        <source>How far back each target token looks in the translation: weights summed over keys that are 0, 1, 2, 3 to 4, 5 to 8 … tokens away.</source>
        <translation>Wie weit jedes Zieltoken in der Übersetzung zurückblickt: Gewichte, summiert über Schlüssel, die 0, 1, 2, 3 bis 4, 5 bis 8 … Token entfernt sind.</translation>
    </message>
</context>
<context>
    <name>Inspector</name>
    <message>
        <source>older</source>
        <translation>früher</translation>
    </message>
    <message>
        <source>new</source>
        <translation>neu</translation>
    </message>
    <message>
        <source>reset gate</source>
        <translation>Rücksetz-Gate</translation>
    </message>
    <message>
        <source>input gate</source>
        <translation>Eingabe-Gate</translation>
    </message>
    <message>
        <source>forget gate</source>
        <translation>Vergessens-Gate</translation>
    </message>
    <message>
        <source>output gate</source>
        <translation>Ausgabe-Gate</translation>
    </message>
    <message>
        <source>gate</source>
        <translation>Gate</translation>
    </message>
    <message>
        <source>%1 and %2 others</source>
        <translation>%1 und noch %2</translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <translation>%1 und %2</translation>
    </message>
    <message>
        <source>the largest</source>
        <translation>die größte</translation>
    </message>
    <message>
        <source>%1th</source>
        <translation>%1.</translation>
    </message>
    <message>
        <source>%1st</source>
        <translation>%1.</translation>
    </message>
    <message>
        <source>%1nd</source>
        <translation>%1.</translation>
    </message>
    <message>
        <source>%1rd</source>
        <translation>%1.</translation>
    </message>
    <message>
        <source>the %1 largest</source>
        <translation>nach Größe die %1</translation>
    </message>
    <message>
        <source>1 word</source>
        <translation>1 Wort</translation>
    </message>
    <message>
        <source>%1 words</source>
        <translation>%1 Wörter</translation>
    </message>
    <message>
        <source>0 algebra</source>
        <translation>0 Algebra</translation>
    </message>
    <message>
        <source>1 exact</source>
        <translation>1 exakt</translation>
    </message>
    <message>
        <source>2 summary</source>
        <translation>2 Zusammenfassung</translation>
    </message>
    <message>
        <source>3 causal</source>
        <translation>3 kausal</translation>
    </message>
    <message>
        <source>%1 with %2</source>
        <translation>%1 mit %2</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>Schicht %1</translation>
    </message>
    <message>
        <source>{query}, which has just joined {held},</source>
        <translation>{query}, gerade mit {held} verknüpft,</translation>
    </message>
    <message>
        <source>{query}, which holds {held} since layer %1,</source>
        <translation>{query}, seit Schicht %1 mit {held} verknüpft,</translation>
    </message>
    <message>
        <source>itself</source>
        <translation>sich selbst</translation>
    </message>
    <message>
        <source>{key}, which has just joined {taken}</source>
        <translation>{key}, gerade mit {taken} verknüpft</translation>
    </message>
    <message>
        <source>{key}, which holds {taken} since layer %1</source>
        <translation>{key}, seit Schicht %1 mit {taken} verknüpft</translation>
    </message>
    <message>
        <source>%1 reads %2.</source>
        <translation>%1 liest %2.</translation>
    </message>
    <message>
        <source>the operands share a word</source>
        <translation>Operanden teilen ein Wort</translation>
    </message>
    <message>
        <source>A word stands in what %1 had and in what it takes in.</source>
        <translation>Ein Wort steht in dem, was %1 hatte, und in dem, was hinzukommt.</translation>
    </message>
    <message>
        <source>an overlap that closes a loop</source>
        <translation>Überlappung schließt Schleife</translation>
    </message>
    <message>
        <source>What %1 takes in leads back to a word that it holds already.</source>
        <translation>Was %1 aufnimmt, führt zu einem Wort zurück, das %1 schon enthält.</translation>
    </message>
    <message>
        <source>a loop inherited from both sides</source>
        <translation>Schleife, von beiden Seiten geerbt</translation>
    </message>
    <message>
        <source>a loop inherited from the right</source>
        <translation>Schleife, von rechts geerbt</translation>
    </message>
    <message>
        <source>a loop inherited from the left</source>
        <translation>Schleife, von links geerbt</translation>
    </message>
    <message>
        <source>an inherited loop</source>
        <translation>geerbte Schleife</translation>
    </message>
    <message>
        <source>Words read each other in an operand before this join; the join itself adds no loop.</source>
        <translation>In einem Operanden lasen Wörter einander schon vor dieser Verknüpfung; sie selbst fügt keine Schleife hinzu.</translation>
    </message>
    <message>
        <source>plain</source>
        <translation>einfach</translation>
    </message>
    <message>
        <source>The operands share no word, and there is no loop.</source>
        <translation>Die Operanden teilen kein Wort, und es gibt keine Schleife.</translation>
    </message>
    <message>
        <source>{weight} of what {query} reads with head %1 comes from {key}.</source>
        <translation>Von dem, was {query} mit Kopf %1 liest, kommt {weight} von {key}.</translation>
    </message>
    <message>
        <source>{weight} of what {query} reads comes from {key}, on average over heads.</source>
        <translation>Von dem, was {query} liest, kommt im Mittel über Köpfe {weight} von {key}.</translation>
    </message>
    <message>
        <source>It is the only cell.</source>
        <translation>Es ist die einzige Zelle.</translation>
    </message>
    <message>
        <source>It is %1 of %2 cells.</source>
        <translation>Die Zelle ist %1 von %2.</translation>
    </message>
    <message>
        <source>Layer %1 of {word} is mostly the word itself.</source>
        <translation>Schicht %1 von {word} ist vor allem das Wort selbst.</translation>
    </message>
    <message>
        <source>Layer %1 of {word} is mostly {words}.</source>
        <translation>Schicht %1 von {word} ist vor allem {words}.</translation>
    </message>
    <message>
        <source>head %1</source>
        <translation>Kopf %1</translation>
    </message>
    <message>
        <source>share of %1, layer %2</source>
        <translation>Anteil %1, Schicht %2</translation>
    </message>
    <message>
        <source>probability of %1 (%2)</source>
        <translation>Wahrscheinlichkeit von %1 (%2)</translation>
    </message>
    <message>
        <source>end of the output</source>
        <translation>Ende der Ausgabe</translation>
    </message>
    <message>
        <source>output “%1”</source>
        <translation>Ausgabe „%1“</translation>
    </message>
    <message>
        <source>token %1, given those before</source>
        <translation>Token %1, gegeben die davor</translation>
    </message>
    <message>
        <source>before</source>
        <translation>vorher</translation>
    </message>
    <message>
        <source>after</source>
        <translation>nachher</translation>
    </message>
    <message>
        <source>reads “%1” most</source>
        <translation>liest am meisten „%1“</translation>
    </message>
    <message>
        <source>carry weight</source>
        <translation>Übertragsgewicht</translation>
    </message>
    <message>
        <source>attention</source>
        <translation>Aufmerksamkeit</translation>
    </message>
    <message>
        <source>output of a head</source>
        <translation>Ausgabe eines Kopfes</translation>
    </message>
</context>
<context>
    <name>InterventionText</name>
    <message>
        <source>cut %1</source>
        <translation>%1 entfernt</translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>mask %1</source>
        <translation>%1 maskiert</translation>
    </message>
    <message>
        <source>token %1 becomes number %2</source>
        <translation>Token %1 wird Nummer %2</translation>
    </message>
    <message>
        <source>head %1 of layer %2, %3</source>
        <translation>Kopf %1 von Schicht %2, %3</translation>
    </message>
    <message>
        <source>%1 of layer %2</source>
        <translation>%1 von Schicht %2</translation>
    </message>
    <message>
        <source>attention of layer %1</source>
        <translation>Aufmerksamkeit von Schicht %1</translation>
    </message>
    <message>
        <source>gate of layer %1 at %2 = %3</source>
        <translation>Gate von Schicht %1 bei %2 = %3</translation>
    </message>
    <message>
        <source>gate of layer %1 = %2</source>
        <translation>Gate von Schicht %1 = %2</translation>
    </message>
    <message>
        <source>cut %1 of the scores of layer %2</source>
        <translation>%1 aus den Scores von Schicht %2 entfernt</translation>
    </message>
    <message>
        <source>cut %1 of head %2 of layer %3</source>
        <translation>%1 von Kopf %2 der Schicht %3 entfernt</translation>
    </message>
    <message>
        <source>cut %1 of layer %2</source>
        <translation>%1 von Schicht %2 entfernt</translation>
    </message>
    <message>
        <source>embedding of %1 = 0</source>
        <translation>Einbettung von %1 = 0</translation>
    </message>
    <message>
        <source>other words: %1</source>
        <translation>andere Wörter: %1</translation>
    </message>
    <message>
        <source>capsule %1 of layer %2</source>
        <translation>Kapsel %1 von Schicht %2</translation>
    </message>
    <message>
        <source>the global representation</source>
        <translation>die globale Repräsentation</translation>
    </message>
    <message>
        <source>feed-forward block of layer %1</source>
        <translation>Feed-Forward-Block von Schicht %1</translation>
    </message>
</context>
<context>
    <name>Language</name>
    <message>
        <source>As the &amp;system</source>
        <translation>Wie das &amp;System</translation>
    </message>
</context>
<context>
    <name>Part</name>
    <message>
        <source>all parts</source>
        <translation>alle Teile</translation>
    </message>
    <message>
        <source>high</source>
        <translation>hoch</translation>
    </message>
    <message>
        <source>middle 1</source>
        <translation>mittel 1</translation>
    </message>
    <message>
        <source>middle 2</source>
        <translation>mittel 2</translation>
    </message>
    <message>
        <source>low</source>
        <translation>niedrig</translation>
    </message>
    <message>
        <source>full</source>
        <translation>voll</translation>
    </message>
    <message>
        <source>carry</source>
        <translation>Übertrag</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>vorwärts</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>rückwärts</translation>
    </message>
    <message>
        <source>High order: query and key are incremental</source>
        <translation>Hohe Ordnung: Anfrage und Schlüssel sind neu</translation>
    </message>
    <message>
        <source>Middle order 1: query incremental, key previous</source>
        <translation>Mittlere Ordnung 1: Anfrage neu, Schlüssel früher</translation>
    </message>
    <message>
        <source>Middle order 2: query previous, key incremental</source>
        <translation>Mittlere Ordnung 2: Anfrage früher, Schlüssel neu</translation>
    </message>
    <message>
        <source>Low order: query and key are previous</source>
        <translation>Niedrige Ordnung: Anfrage und Schlüssel sind früher</translation>
    </message>
    <message>
        <source>Carry weights: how much of each earlier word the recurrent state holds</source>
        <translation>Übertragsgewichte: wie viel von jedem früheren Wort der rekurrente Zustand hält</translation>
    </message>
    <message>
        <source>Carry weights: how much of each earlier word the forward state holds</source>
        <translation>Übertragsgewichte: wie viel von jedem früheren Wort der Vorwärtszustand hält</translation>
    </message>
    <message>
        <source>Carry weights: how much of each later word the backward state holds</source>
        <translation>Übertragsgewichte: wie viel von jedem späteren Wort der Rückwärtszustand hält</translation>
    </message>
    <message>
        <source>The attention of a plain Transformer layer</source>
        <translation>Die Aufmerksamkeit einer gewöhnlichen Transformer-Schicht</translation>
    </message>
    <message>
        <source>What a step takes from the layer below (W x)</source>
        <translation>Was ein Schritt aus der Schicht darunter nimmt (W x)</translation>
    </message>
    <message>
        <source>What a step takes from the step before it (U h)</source>
        <translation>Was ein Schritt aus dem Schritt davor nimmt (U h)</translation>
    </message>
    <message>
        <source>below</source>
        <translation>von unten</translation>
    </message>
    <message>
        <source>forward below</source>
        <translation>vorwärts, von unten</translation>
    </message>
    <message>
        <source>forward recurrent</source>
        <translation>vorwärts, rekurrent</translation>
    </message>
    <message>
        <source>backward below</source>
        <translation>rückwärts, von unten</translation>
    </message>
    <message>
        <source>backward recurrent</source>
        <translation>rückwärts, rekurrent</translation>
    </message>
    <message>
        <source>self</source>
        <translation>selbst</translation>
    </message>
    <message>
        <source>cross</source>
        <translation>über Kreuz</translation>
    </message>
    <message>
        <source>The decoder&apos;s attention to the translation so far</source>
        <translation>Die Aufmerksamkeit des Dekodierers auf die Übersetzung bis hierher</translation>
    </message>
    <message>
        <source>The decoder&apos;s attention to the source</source>
        <translation>Die Aufmerksamkeit des Dekodierers auf die Quelle</translation>
    </message>
</context>
<context>
    <name>mog::gui::AboutPage</name>
    <message>
        <source>asking…</source>
        <translation>wird gefragt …</translation>
    </message>
    <message>
        <source>About MoG Workbench</source>
        <translation>Über MoG Workbench</translation>
    </message>
    <message>
        <source>&amp;Guide</source>
        <translation>&amp;Handbuch</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>&amp;Tasten</translation>
    </message>
    <message>
        <source>About &amp;Qt</source>
        <translation>Über &amp;Qt</translation>
    </message>
    <message>
        <source>Asking the engine</source>
        <translation>Die Engine wird gefragt</translation>
    </message>
    <message>
        <source>not available</source>
        <translation>nicht verfügbar</translation>
    </message>
    <message>
        <source>Version %1</source>
        <translation>Version %1</translation>
    </message>
    <message>
        <source>Gates, attention and multi-order graphs of trained Transformers</source>
        <translation>Gates, Aufmerksamkeit und Multi-Order-Graphen trainierter Transformer</translation>
    </message>
    <message>
        <source>Copyright 2026 the MoG Workbench developers. %1</source>
        <translation>Copyright 2026 die Entwickler der MoG Workbench. %1</translation>
    </message>
    <message>
        <source>How it is used: %1</source>
        <translation>Wie sie benutzt wird: %1</translation>
    </message>
</context>
<context>
    <name>mog::gui::ArcChips</name>
    <message>
        <source>root</source>
        <translation>Wurzel</translation>
    </message>
    <message>
        <source>Set by hand:</source>
        <translation>Von Hand gesetzt:</translation>
    </message>
    <message>
        <source>Let go of all</source>
        <translation>Alle loslassen</translation>
    </message>
    <message>
        <source>not %1</source>
        <translation>nicht %1</translation>
    </message>
    <message>
        <source>Let go of it: the parser decides again</source>
        <translation>Loslassen: der Parser entscheidet wieder</translation>
    </message>
    <message>
        <source>Forced: %1</source>
        <translation>Erzwungen: %1</translation>
    </message>
    <message>
        <source>Forbidden: %1</source>
        <translation>Verboten: %1</translation>
    </message>
</context>
<context>
    <name>mog::gui::AttentionChoices</name>
    <message>
        <source>One head stays in the mean.</source>
        <translation>Ein Kopf bleibt im Mittel.</translation>
    </message>
</context>
<context>
    <name>mog::gui::AttentionThumbnails</name>
    <message>
        <source>mean over layers</source>
        <translation>Mittel über Schichten</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>Schicht %1</translation>
    </message>
    <message>
        <source>%1, mean over heads</source>
        <translation>%1, Mittel über Köpfe</translation>
    </message>
    <message>
        <source>%1, head %2</source>
        <translation>%1, Kopf %2</translation>
    </message>
    <message>
        <source>Reading thumbnails</source>
        <translation>Liest die Übersicht</translation>
    </message>
    <message>
        <source>One scale for all maps: 0 to %1 and more</source>
        <translation>Eine Skala für alle Karten: 0 bis %1 und mehr</translation>
    </message>
    <message>
        <source>One scale for all maps: 0 to %1</source>
        <translation>Eine Skala für alle Karten: 0 bis %1</translation>
    </message>
</context>
<context>
    <name>mog::gui::AttentionTools</name>
    <message>
        <source>Shown as</source>
        <translation>Gezeigt als</translation>
    </message>
    <message>
        <source>about two arcs a word</source>
        <translation>etwa zwei Bögen je Wort</translation>
    </message>
    <message>
        <source>Arcs</source>
        <translation>Bögen</translation>
    </message>
    <message>
        <source>Only the arcs</source>
        <translation>Nur die Bögen</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>Wörter</translation>
    </message>
    <message>
        <source>Words or pieces, special tokens, colours, heads of the mean, blocks of a pair</source>
        <translation>Wörter oder Wortstücke, Sondertoken, Farben, Köpfe des Mittels, Blöcke eines Paars</translation>
    </message>
    <message>
        <source>Words in the place of pieces (W)</source>
        <translation>Wörter statt Wortstücken (W)</translation>
    </message>
    <message>
        <source>Special tokens (S)</source>
        <translation>Sondertoken (S)</translation>
    </message>
    <message>
        <source>in the matrix</source>
        <translation>in der Matrix</translation>
    </message>
    <message>
        <source>in matrix and arcs</source>
        <translation>in Matrix und Bögen</translation>
    </message>
    <message>
        <source>nowhere</source>
        <translation>nirgends</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>by the weight</source>
        <translation>nach dem Gewicht</translation>
    </message>
    <message>
        <source>Heads of the mean (X, Shift+X)</source>
        <translation>Köpfe des Mittels (X, Umschalt+X)</translation>
    </message>
    <message>
        <source>head %1</source>
        <translation>Kopf %1</translation>
    </message>
    <message>
        <source>Blocks of the pair</source>
        <translation>Blöcke des Paars</translation>
    </message>
    <message>
        <source>whole</source>
        <translation>ganz</translation>
    </message>
    <message>
        <source>text %1 on text %2</source>
        <translation>Text %1 auf Text %2</translation>
    </message>
    <message>
        <source>Map and arcs</source>
        <translation>Karte und Bögen</translation>
    </message>
    <message>
        <source>The map, and below it the two strongest keys of each word as arcs</source>
        <translation>Die Karte, und darunter die zwei stärksten Schlüssel jedes Worts als Bögen</translation>
    </message>
    <message>
        <source>Map</source>
        <translation>Karte</translation>
    </message>
    <message>
        <source>Only the map</source>
        <translation>Nur die Karte</translation>
    </message>
    <message>
        <source>in the scale of the colours</source>
        <translation>in der Skala der Farben</translation>
    </message>
    <message>
        <source>by the power 0.6 of the weight: small weights are told apart</source>
        <translation>nach der Potenz 0.6 des Gewichts: kleine Gewichte sind zu unterscheiden</translation>
    </message>
    <message>
        <source>by the square root of the weight</source>
        <translation>nach der Wurzel des Gewichts</translation>
    </message>
    <message>
        <source>cividis, by the power 0.6 of the weight</source>
        <translation>cividis, nach der Potenz 0.6 des Gewichts</translation>
    </message>
</context>
<context>
    <name>mog::gui::AttentionView</name>
    <message>
        <source>Attention matrix</source>
        <translation>Aufmerksamkeit als Matrix</translation>
    </message>
    <message>
        <source>Attention arcs</source>
        <translation>Aufmerksamkeit als Bögen</translation>
    </message>
    <message>
        <source>No attention maps in this recording</source>
        <translation>Keine Aufmerksamkeitskarten in dieser Aufzeichnung</translation>
    </message>
    <message>
        <source>Reading an attention map</source>
        <translation>Liest eine Aufmerksamkeitskarte</translation>
    </message>
    <message>
        <source>No such map</source>
        <translation>Keine solche Karte</translation>
    </message>
    <message>
        <source>Layers and heads</source>
        <translation>Schichten und Köpfe</translation>
    </message>
    <message>
        <source>Choose a part (keys 1 to 4) to score it over the whole recording.</source>
        <translation>Wählen Sie einen Teil (Tasten 1 bis 4), um ihn über die ganze Aufzeichnung zu bewerten.</translation>
    </message>
    <message>
        <source>Over a whole recording the mean of all heads is scored, or one head.</source>
        <translation>Über eine ganze Aufzeichnung wird das Mittel aller Köpfe bewertet, oder ein Kopf.</translation>
    </message>
    <message>
        <source>Here you see the attention maps of a sentence.</source>
        <translation>Hier sehen Sie die Aufmerksamkeitskarten eines Satzes.</translation>
    </message>
    <message>
        <source>Its model computes them for one sentence. For all of them, record the corpus again with --capture attention.</source>
        <translation>Ihr Modell berechnet sie für einen Satz. Für alle: das Korpus noch einmal mit --capture attention aufzeichnen.</translation>
    </message>
</context>
<context>
    <name>mog::gui::BatchDialog</name>
    <message>
        <source>summary: mean gate, entropy, shares of every token</source>
        <translation>Zusammenfassung: mittleres Gate, Entropie, Anteile jedes Tokens</translation>
    </message>
    <message>
        <source>attention maps of every layer, part and head</source>
        <translation>Aufmerksamkeitskarten jeder Schicht, jedes Teils und Kopfs</translation>
    </message>
    <message>
        <source>gates of every dimension</source>
        <translation>Gates jeder Dimension</translation>
    </message>
    <message>
        <source>norms and shares of the parts</source>
        <translation>Normen und Anteile der Teile</translation>
    </message>
    <message>
        <source>leaves under the attention grammar</source>
        <translation>Blätter nach der Aufmerksamkeitsgrammatik</translation>
    </message>
    <message>
        <source>states of every layer (large)</source>
        <translation>Zustände jeder Schicht (groß)</translation>
    </message>
    <message>
        <source>%1 sentences, %2 tokens, the longest has %3.</source>
        <translation>%1 Sätze, %2 Token, der längste hat %3.</translation>
    </message>
    <message>
        <source>%1 are recorded already.</source>
        <translation>%1 sind schon aufgezeichnet.</translation>
    </message>
    <message>
        <source>%1 are too long and left out.</source>
        <translation>%1 sind zu lang und entfallen.</translation>
    </message>
    <message>
        <source>%1 are too long and cut.</source>
        <translation>%1 sind zu lang und werden gekürzt.</translation>
    </message>
    <message>
        <source>%1 empty lines keep their place.</source>
        <translation>%1 leere Zeilen behalten ihren Platz.</translation>
    </message>
    <message>
        <source>About %1 will be written.</source>
        <translation>Etwa %1 werden geschrieben.</translation>
    </message>
    <message>
        <source>About %1 will be written, %2 are free there.</source>
        <translation>Etwa %1 werden geschrieben, %2 sind dort frei.</translation>
    </message>
    <message>
        <source>and count weights by layer and length into a table (CSV)</source>
        <translation>und Gewichte nach Schicht und Länge in eine Tabelle zählen (CSV)</translation>
    </message>
    <message>
        <source>Record a corpus</source>
        <translation>Korpus aufzeichnen</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>&amp;Modell</translation>
    </message>
    <message>
        <source>&amp;Corpus</source>
        <translation>&amp;Korpus</translation>
    </message>
    <message>
        <source>Corpus</source>
        <translation>Korpus</translation>
    </message>
    <message>
        <source>Choose a corpus: one sentence a line, or CoNLL-U</source>
        <translation>Korpus wählen: ein Satz je Zeile, oder CoNLL-U</translation>
    </message>
    <message>
        <source>Texts and treebanks (*.txt *.conllu *.en *.de);;All files (*)</source>
        <translation>Texte und Baumbanken (*.txt *.conllu *.en *.de);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>&amp;Recording</source>
        <translation>&amp;Aufzeichnung</translation>
    </message>
    <message>
        <source>Recording</source>
        <translation>Aufzeichnung</translation>
    </message>
    <message>
        <source>Name the folder of the recording</source>
        <translation>Ordner der Aufzeichnung benennen</translation>
    </message>
    <message>
        <source>Recordings (*.rec)</source>
        <translation>Aufzeichnungen (*.rec)</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>stop before anything is written</source>
        <translation>anhalten, bevor etwas geschrieben ist</translation>
    </message>
    <message>
        <source>leave them out</source>
        <translation>auslassen</translation>
    </message>
    <message>
        <source>cut them</source>
        <translation>kürzen</translation>
    </message>
    <message>
        <source>Too &amp;long sentences</source>
        <translation>Zu &amp;lange Sätze</translation>
    </message>
    <message>
        <source>Afterwards</source>
        <translation>Danach</translation>
    </message>
    <message>
        <source>Estimate</source>
        <translation>Schätzung</translation>
    </message>
    <message>
        <source>Does the same without this window</source>
        <translation>Tut dasselbe ohne dieses Fenster</translation>
    </message>
    <message>
        <source>C&amp;ommand</source>
        <translation>&amp;Befehl</translation>
    </message>
    <message>
        <source>&amp;Start</source>
        <translation>&amp;Starten</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen …</translation>
    </message>
    <message>
        <source>Choose: %1</source>
        <translation>Wählen: %1</translation>
    </message>
    <message>
        <source>No model is open: open one first (Ctrl+O).</source>
        <translation>Kein Modell ist offen: öffnen Sie zuerst eines (Strg+O).</translation>
    </message>
    <message>
        <source>Choose a corpus: a text with one sentence a line, or a treebank in CoNLL-U.</source>
        <translation>Wählen Sie ein Korpus: einen Text mit einem Satz je Zeile, oder eine Baumbank in CoNLL-U.</translation>
    </message>
    <message>
        <source>Choose at least one thing to keep.</source>
        <translation>Wählen Sie mindestens etwas, das behalten wird.</translation>
    </message>
    <message>
        <source>There is a finished recording of this name: open it, or choose another name.</source>
        <translation>Es gibt schon eine fertige Aufzeichnung dieses Namens: öffnen Sie sie, oder wählen Sie einen anderen Namen.</translation>
    </message>
    <message>
        <source>There is something else of this name: choose another one.</source>
        <translation>Es gibt schon etwas anderes dieses Namens: wählen Sie einen anderen.</translation>
    </message>
    <message>
        <source>&amp;Go on</source>
        <translation>&amp;Fortsetzen</translation>
    </message>
    <message>
        <source>Reading the corpus…</source>
        <translation>Liest das Korpus …</translation>
    </message>
    <message>
        <source>This does not fit: keep less, or choose another disk.</source>
        <translation>Das passt nicht: behalten Sie weniger, oder wählen Sie einen anderen Datenträger.</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Too long sentences</source>
        <translation>Zu lange Sätze</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>what tables and figures call it; left empty: the model&apos;s name</source>
        <translation>wie Tabellen und Abbildungen sie nennen; leer: der Name des Modells</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>&amp;Name</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>This cannot be its name: %1.</source>
        <translation>So kann sie nicht heißen: %1.</translation>
    </message>
</context>
<context>
    <name>mog::gui::BatchRunner</name>
    <message>
        <source>Recording a corpus needs a model: open a model directory first (Ctrl+O).</source>
        <translation>Zum Aufzeichnen braucht es ein Modell: öffnen Sie zuerst einen Modellordner (Strg+O).</translation>
    </message>
    <message>
        <source>%1 is being recorded already.</source>
        <translation>%1 wird schon aufgezeichnet.</translation>
    </message>
    <message>
        <source>Recording %1 with %2</source>
        <translation>Zeichnet %1 mit %2 auf</translation>
    </message>
    <message>
        <source>Open a model first (Ctrl+O).</source>
        <translation>Öffnen Sie zuerst ein Modell (Strg+O).</translation>
    </message>
    <message>
        <source>Reading %1</source>
        <translation>Liest %1</translation>
    </message>
    <message>
        <source>Counting %1</source>
        <translation>Zählt %1</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>Geschrieben: %1</translation>
    </message>
</context>
<context>
    <name>mog::gui::ChainText</name>
    <message>
        <source>Text with its mentions</source>
        <translation>Text mit seinen Erwähnungen</translation>
    </message>
    <message>
        <source>%1: chain %2</source>
        <translation>%1: Kette %2</translation>
    </message>
    <message>
        <source>%1; goes back to %2, %3</source>
        <translation>%1; geht zurück auf %2, %3</translation>
    </message>
    <message>
        <source>%1; goes back to nothing, %2</source>
        <translation>%1; geht auf nichts zurück, %2</translation>
    </message>
</context>
<context>
    <name>mog::gui::CommandPalette</name>
    <message>
        <source>Nothing of that name: fewer or other words find more.</source>
        <translation>Nichts dieses Namens: weniger oder andere Wörter finden mehr.</translation>
    </message>
    <message>
        <source>Find or run</source>
        <translation>Suchen oder ausführen</translation>
    </message>
    <message>
        <source>Find or run: actions, views, quantities, figures, sentences</source>
        <translation>Suchen oder ausführen: Aktionen, Ansichten, Größen, Abbildungen, Sätze</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>Gefunden</translation>
    </message>
    <message>
        <source>Actions</source>
        <translation>Aktionen</translation>
    </message>
    <message>
        <source>Views</source>
        <translation>Ansichten</translation>
    </message>
    <message>
        <source>Quantities</source>
        <translation>Größen</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>Abbildungen</translation>
    </message>
    <message>
        <source>Models and recordings</source>
        <translation>Modelle und Aufzeichnungen</translation>
    </message>
    <message>
        <source>model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>1 sentence</source>
        <translation>1 Satz</translation>
    </message>
    <message>
        <source>%1 sentences</source>
        <translation>%1 Sätze</translation>
    </message>
    <message>
        <source>Reading sentences to find</source>
        <translation>Liest Sätze für die Suche</translation>
    </message>
    <message>
        <source>Sentences</source>
        <translation>Sätze</translation>
    </message>
</context>
<context>
    <name>mog::gui::CompareView</name>
    <message>
        <source>Compared</source>
        <translation>Verglichen</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Aufmerksamkeit</translation>
    </message>
    <message>
        <source>The map of layer, part and head that are selected</source>
        <translation>Die Karte von Schicht, Teil und Kopf, die gewählt sind</translation>
    </message>
    <message>
        <source>Gates</source>
        <translation>Gates</translation>
    </message>
    <message>
        <source>The gates of all layers</source>
        <translation>Die Gates aller Schichten</translation>
    </message>
    <message>
        <source>Two sentences and their difference</source>
        <translation>Zwei Sätze und ihr Unterschied</translation>
    </message>
    <message>
        <source>before</source>
        <translation>vorher</translation>
    </message>
    <message>
        <source>One sentence is held</source>
        <translation>Ein Satz ist festgehalten</translation>
    </message>
    <message>
        <source>Nothing to compare yet</source>
        <translation>Noch nichts zu vergleichen</translation>
    </message>
    <message>
        <source>Choose another one, of any recording or model: it is shown beside this one. D lets go.</source>
        <translation>Wählen Sie einen anderen, aus einer beliebigen Aufzeichnung oder von einem Modell: er steht dann daneben. D lässt los.</translation>
    </message>
    <message>
        <source>Hold this sentence with D and choose another one, or change it (Interventions) and see before, after and the difference.</source>
        <translation>Halten Sie diesen Satz mit D fest und wählen einen anderen, oder ändern Sie ihn (Eingriffe) und sehen vorher, nachher und den Unterschied.</translation>
    </message>
    <message>
        <source>after: %1</source>
        <translation>nachher: %1</translation>
    </message>
    <message>
        <source>Comparing two sentences</source>
        <translation>Vergleicht zwei Sätze</translation>
    </message>
    <message>
        <source>first, second, second less first; D holds or lets go</source>
        <translation>erster, zweiter, zweiter minus erster; D hält fest oder lässt los</translation>
    </message>
    <message>
        <source>These two cannot be compared</source>
        <translation>Diese beiden lassen sich nicht vergleichen</translation>
    </message>
    <message>
        <source>A sentence that was changed inside the model has no command: mog record runs sentences as they are.</source>
        <translation>Ein im Modell geänderter Satz hat keinen Befehl: mog record lässt Sätze laufen, wie sie sind.</translation>
    </message>
    <message>
        <source>Corpus</source>
        <translation>Korpus</translation>
    </message>
    <message>
        <source>All sentences of two recordings: by how much they differ, layer by layer, and where that is more than chance</source>
        <translation>Alle Sätze zweier Aufzeichnungen: um wie viel sie sich Schicht für Schicht unterscheiden, und wo das mehr als Zufall ist</translation>
    </message>
    <message>
        <source>Two recordings and their difference</source>
        <translation>Zwei Aufzeichnungen und ihr Unterschied</translation>
    </message>
    <message>
        <source>by words: the two cut words into other pieces; %1</source>
        <translation>nach Wörtern: die beiden zerlegen Wörter verschieden; %1</translation>
    </message>
    <message>
        <source>Here you see two sentences and their difference.</source>
        <translation>Hier sehen Sie zwei Sätze und ihren Unterschied.</translation>
    </message>
    <message>
        <source>the change comes after the maps of layer %1, and no later map changes: the gates; </source>
        <translation>die Änderung kommt nach den Karten von Schicht %1, und keine spätere Karte ändert sich: die Gates; </translation>
    </message>
    <message>
        <source>the change comes after the maps of layer %1: no map that is shown here changes; </source>
        <translation>die Änderung kommt nach den Karten von Schicht %1: keine Karte, die hier gezeigt wird, ändert sich; </translation>
    </message>
    <message>
        <source>Turn both</source>
        <translation>Beide blättern</translation>
    </message>
    <message>
        <source>Page Up and Page Down turn both: beside the sentence stands the same one of what is held</source>
        <translation>Bild auf und Bild ab blättern beide: neben dem Satz steht derselbe dessen, was festgehalten ist</translation>
    </message>
    <message>
        <source>No such sentence in %1</source>
        <translation>Kein solcher Satz in %1</translation>
    </message>
    <message>
        <source>It has no sentence of this text. Turn to another one, or compare with the one that is held.</source>
        <translation>Darin ist kein Satz mit diesem Text. Blättern Sie weiter, oder vergleichen Sie mit dem festgehaltenen.</translation>
    </message>
    <message>
        <source>Compare with the one that is held</source>
        <translation>Mit dem festgehaltenen vergleichen</translation>
    </message>
    <message>
        <source>Hold this sentence (D)</source>
        <translation>Diesen Satz festhalten (D)</translation>
    </message>
    <message>
        <source>the change comes after the maps of layer %1: the largest change is in layer %2; </source>
        <translation>die Änderung kommt nach den Karten von Schicht %1: die größte ist in Schicht %2; </translation>
    </message>
</context>
<context>
    <name>mog::gui::CorpusComparison</name>
    <message>
        <source>This was cancelled</source>
        <translation>Dies wurde abgebrochen</translation>
    </message>
    <message>
        <source>Choose Corpus again to count once more.</source>
        <translation>Wählen Sie Korpus noch einmal, um neu zu zählen.</translation>
    </message>
    <message>
        <source>Quantity</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Pairs</source>
        <translation>Paare</translation>
    </message>
    <message>
        <source>same text</source>
        <translation>gleicher Text</translation>
    </message>
    <message>
        <source>same text, few pairs too</source>
        <translation>gleicher Text, auch wenige Paare</translation>
    </message>
    <message>
        <source>same number</source>
        <translation>gleiche Nummer</translation>
    </message>
    <message>
        <source>Which sentences of the two belong together: those of the same text, in nine of ten sentences of the smaller recording or in fewer, or those of the same number, such as a translation</source>
        <translation>Welche Sätze der beiden zusammengehören: die mit gleichem Text, bei neun von zehn Sätzen der kleineren Aufzeichnung oder bei weniger, oder die mit gleicher Nummer, etwa einer Übersetzung</translation>
    </message>
    <message>
        <source>One recording alone</source>
        <translation>Nur eine Aufzeichnung</translation>
    </message>
    <message>
        <source>Both sentences are of the same recording. Hold a sentence with D and choose one of another recording of the same text: another model, or the same one changed.</source>
        <translation>Beide Sätze sind aus derselben Aufzeichnung. Halten Sie einen Satz mit D fest und wählen Sie einen aus einer anderen Aufzeichnung desselben Textes: eines anderen Modells, oder desselben, verändert.</translation>
    </message>
    <message>
        <source>There is no corpus behind these two</source>
        <translation>Hinter diesen beiden steht kein Korpus</translation>
    </message>
    <message>
        <source>One of them is a single sentence. What differs there may be chance: record a corpus with both models (Ctrl+B) to tell.</source>
        <translation>Eines davon ist ein einzelner Satz. Was sich dort unterscheidet, kann Zufall sein: Zeichnen Sie mit beiden Modellen ein Korpus auf (Ctrl+B), um es zu wissen.</translation>
    </message>
    <message>
        <source>Nothing to compare in these recordings</source>
        <translation>In diesen Aufzeichnungen ist nichts zu vergleichen</translation>
    </message>
    <message>
        <source>They have no quantity in common. Record both again with --capture summary.</source>
        <translation>Sie haben keine Größe gemeinsam. Zeichnen Sie beide mit --capture summary neu auf.</translation>
    </message>
    <message>
        <source>%1: %2 less %3</source>
        <translation>%1: %2 minus %3</translation>
    </message>
    <message>
        <source>These two recordings cannot be compared</source>
        <translation>Diese beiden Aufzeichnungen lassen sich nicht vergleichen</translation>
    </message>
    <message>
        <source>Counting…</source>
        <translation>Zählt …</translation>
    </message>
    <message>
        <source>The job list shows how far it is.</source>
        <translation>Die Auftragsliste zeigt, wie weit es ist.</translation>
    </message>
    <message>
        <source>%1 less %2 over %3 sentences; a click chooses the layer</source>
        <translation>%1 minus %2 über %3 Sätze; ein Klick wählt die Schicht</translation>
    </message>
</context>
<context>
    <name>mog::gui::DecompositionView</name>
    <message>
        <source>Decomposed</source>
        <translation>Zerlegt</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>Score</translation>
    </message>
    <message>
        <source>Terms of the attention score: previous and incremental part of query and key</source>
        <translation>Terme der Aufmerksamkeit vor dem Softmax: früherer und neuer Teil von Anfrage und Schlüssel</translation>
    </message>
    <message>
        <source>Weight</source>
        <translation>Gewicht</translation>
    </message>
    <message>
        <source>What each term does to the weight of the map (Aumann-Shapley)</source>
        <translation>Was jeder Term am Gewicht der Karte bewirkt (Aumann-Shapley)</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>Output of the attention by cause and part of the values, by layer</source>
        <translation>Ausgabe der Aufmerksamkeit nach Ursache und Teil der Werte, je Schicht</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Carried, attention, feed-forward and bias part of the word&apos;s state, by layer</source>
        <translation>Weitergetragener Teil, Aufmerksamkeit, Feed-forward und Bias im Zustand des Worts, je Schicht</translation>
    </message>
    <message>
        <source>Sources</source>
        <translation>Quellen</translation>
    </message>
    <message>
        <source>What the word&apos;s state owes to each input word (propagation)</source>
        <translation>Was der Zustand des Worts jedem Eingabewort verdankt (Propagation)</translation>
    </message>
    <message>
        <source>Decomposition</source>
        <translation>Zerlegung</translation>
    </message>
    <message>
        <source>A Graph-Transformer has its parts itself: each map of high, middle 1 and middle 2 is one term (keys 1 to 3), its gate weighs them. The exact split is of plain Transformers.</source>
        <translation>Ein Graph-Transformer hat seine Teile selbst: jede Karte von hoch, mittel 1 und mittel 2 ist ein Term (Tasten 1 bis 3), sein Gate gewichtet sie. Die genaue Zerlegung gibt es für gewöhnliche Transformer.</translation>
    </message>
    <message>
        <source>A recurrent encoder has no attention scores to split: its gates and carry weights say what a state takes from others.</source>
        <translation>Ein rekurrenter Encoder hat keine Aufmerksamkeit zu zerlegen: seine Gates und Übertragsgewichte sagen, was ein Zustand von anderen nimmt.</translation>
    </message>
    <message>
        <source>Not in this recording: %1</source>
        <translation>Nicht in dieser Aufzeichnung: %1</translation>
    </message>
    <message>
        <source>No word yet</source>
        <translation>Noch kein Wort</translation>
    </message>
    <message>
        <source>Click a cell of the attention matrix: its row is the query, its column the key.</source>
        <translation>Klicken Sie eine Zelle der Aufmerksamkeitsmatrix an: ihre Zeile ist die Anfrage, ihre Spalte der Schlüssel.</translation>
    </message>
    <message>
        <source>Click a word in any picture.</source>
        <translation>Klicken Sie in einem Bild ein Wort an.</translation>
    </message>
    <message>
        <source>Reading a decomposition</source>
        <translation>Eine Zerlegung wird gelesen</translation>
    </message>
    <message>
        <source>This cannot be decomposed</source>
        <translation>Das lässt sich nicht zerlegen</translation>
    </message>
    <message>
        <source>token %1</source>
        <translation>Token %1</translation>
    </message>
    <message>
        <source>key %1</source>
        <translation>Schlüssel %1</translation>
    </message>
    <message>
        <source>head %1</source>
        <translation>Kopf %1</translation>
    </message>
    <message>
        <source>mean over heads</source>
        <translation>Mittel über Köpfe</translation>
    </message>
    <message>
        <source>Here you see what an attention score of a sentence is made of.</source>
        <translation>Hier sehen Sie, woraus ein Aufmerksamkeitsscore eines Satzes besteht.</translation>
    </message>
    <message>
        <source>Open its model here (%1, Ctrl+O): this is then computed for the sentence that you look at.</source>
        <translation>Öffnen Sie hier sein Modell (%1, Strg+O): dann wird dies für den Satz berechnet, den Sie ansehen.</translation>
    </message>
    <message>
        <source>Or record the corpus once more, with --quantity &apos;%1&apos; added.</source>
        <translation>Oder nehmen Sie den Korpus noch einmal auf, mit --quantity &apos;%1&apos; dazu.</translation>
    </message>
    <message>
        <source>Or record the corpus once more, with --quantity &apos;%1&apos; and another --output added to
%2</source>
        <translation>Oder nehmen Sie den Korpus noch einmal auf, mit --quantity &apos;%1&apos; und einem anderen --output in
%2</translation>
    </message>
    <message>
        <source>These numbers were computed for this sentence alone: mog record --quantity &apos;%1&apos; keeps them in a recording.</source>
        <translation>Diese Zahlen wurden für diesen Satz allein berechnet: mog record --quantity &apos;%1&apos; behält sie in einer Aufnahme.</translation>
    </message>
</context>
<context>
    <name>mog::gui::DocumentView</name>
    <message>
        <source>Change the text</source>
        <translation>Text ändern</translation>
    </message>
    <message>
        <source>Find chains</source>
        <translation>Ketten finden</translation>
    </message>
    <message>
        <source>Run the model on the text (Ctrl+Enter)</source>
        <translation>Das Modell auf den Text anwenden (Strg+Eingabe)</translation>
    </message>
    <message>
        <source>The text, a sentence a line</source>
        <translation>Der Text, ein Satz je Zeile</translation>
    </message>
    <message>
        <source>A sentence a line</source>
        <translation>Ein Satz je Zeile</translation>
    </message>
    <message>
        <source>What the mention may go back to</source>
        <translation>Worauf die Erwähnung zurückgehen kann</translation>
    </message>
    <message>
        <source>No model of coreference is open</source>
        <translation>Kein Koreferenzmodell ist offen</translation>
    </message>
    <message>
        <source>Such a model finds mentions in a text and what they go back to. mog train makes one from a section [graph] with kind = &quot;coreference&quot;.</source>
        <translation>Ein solches Modell findet Erwähnungen in einem Text und worauf sie zurückgehen. mog train macht eines aus einem Abschnitt [graph] mit kind = &quot;coreference&quot;.</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Öffnen…</translation>
    </message>
    <message>
        <source>Here you see what the mentions of a text go back to.</source>
        <translation>Hier sehen Sie, worauf die Erwähnungen eines Texts zurückgehen.</translation>
    </message>
    <message>
        <source>Finding chains</source>
        <translation>Ketten finden</translation>
    </message>
    <message>
        <source>by %1: mentions %2, chains of several %3</source>
        <translation>von %1: Erwähnungen %2, Ketten aus mehreren %3</translation>
    </message>
    <message>
        <source>The text cannot be resolved</source>
        <translation>Der Text kann nicht aufgelöst werden</translation>
    </message>
    <message>
        <source>Choose a mention</source>
        <translation>Wählen Sie eine Erwähnung</translation>
    </message>
    <message>
        <source>“%1” goes back to</source>
        <translation>„%1“ geht zurück auf</translation>
    </message>
    <message>
        <source>nothing before it</source>
        <translation>nichts davor</translation>
    </message>
    <message>
        <source>%1 (word %2)</source>
        <translation>%1 (Wort %2)</translation>
    </message>
    <message>
        <source>mog coref writes the chains of a text and draws none; the numbers are in the CSV file.</source>
        <translation>mog coref schreibt die Ketten eines Texts und zeichnet keine; die Zahlen stehen in der CSV-Datei.</translation>
    </message>
    <message>
        <source>What mentions go back to</source>
        <translation>Worauf Erwähnungen zurückgehen</translation>
    </message>
    <message>
        <source>Chains of mentions</source>
        <translation>Erwähnungsketten</translation>
    </message>
</context>
<context>
    <name>mog::gui::EdgeHeads</name>
    <message>
        <source>Heads of the chosen edge</source>
        <translation>Köpfe der gewählten Kante</translation>
    </message>
    <message>
        <source>Carried</source>
        <translation>Weitergetragen</translation>
    </message>
    <message>
        <source>The state itself goes on: no head has a share in it.</source>
        <translation>Der Zustand selbst geht weiter: kein Kopf hat Anteil daran.</translation>
    </message>
    <message>
        <source>No heads</source>
        <translation>Keine Köpfe</translation>
    </message>
    <message>
        <source>The weights are those of gates, or the recording holds means over heads only: record with --capture attention.</source>
        <translation>Die Gewichte sind die von Gates, oder die Aufzeichnung enthält nur Mittel über Köpfe: zeichnen Sie mit --capture attention auf.</translation>
    </message>
    <message>
        <source>Reading the heads of an edge</source>
        <translation>Die Köpfe einer Kante werden gelesen</translation>
    </message>
</context>
<context>
    <name>mog::gui::ExportDialog</name>
    <message>
        <source>and the numbers behind it as CSV</source>
        <translation>und die Zahlen dahinter als CSV</translation>
    </message>
    <message>
        <source>and as HDF5, with words, axes and where they come from</source>
        <translation>und als HDF5, mit Wörtern, Achsen und Herkunft</translation>
    </message>
    <message>
        <source>Export a view</source>
        <translation>Eine Ansicht exportieren</translation>
    </message>
    <message>
        <source>SVG: text stays text</source>
        <translation>SVG: Text bleibt Text</translation>
    </message>
    <message>
        <source>PDF: font embedded</source>
        <translation>PDF: Schrift eingebettet</translation>
    </message>
    <message>
        <source>slide, 16:9</source>
        <translation>Folie, 16:9</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen …</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Format</source>
        <translation>&amp;Format</translation>
    </message>
    <message>
        <source>&amp;Width</source>
        <translation>&amp;Breite</translation>
    </message>
    <message>
        <source>F&amp;ile</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>Makes the same file, byte by byte, without this window</source>
        <translation>Macht dieselbe Datei, Byte für Byte, ohne dieses Fenster</translation>
    </message>
    <message>
        <source>&amp;Command</source>
        <translation>Be&amp;fehl</translation>
    </message>
    <message>
        <source>Pictures (*.svg *.pdf *.png)</source>
        <translation>Bilder (*.svg *.pdf *.png)</translation>
    </message>
    <message>
        <source>PNG: pixels</source>
        <translation>PNG: Bildpunkte</translation>
    </message>
    <message>
        <source> dots per inch</source>
        <translation> Punkte je Zoll</translation>
    </message>
    <message>
        <source>72: one pixel a point, the size of the window; 300 and more for print</source>
        <translation>72: ein Bildpunkt je Punkt, so groß wie im Fenster; 300 und mehr für den Druck</translation>
    </message>
    <message>
        <source>&amp;Resolution</source>
        <translation>A&amp;uflösung</translation>
    </message>
    <message>
        <source>page</source>
        <translation>Seite</translation>
    </message>
    <message>
        <source>column</source>
        <translation>Spalte</translation>
    </message>
    <message>
        <source>ACL, one column</source>
        <translation>ACL, eine Spalte</translation>
    </message>
    <message>
        <source>ACL, both columns</source>
        <translation>ACL, beide Spalten</translation>
    </message>
    <message>
        <source>NeurIPS</source>
        <translation>NeurIPS</translation>
    </message>
    <message>
        <source>LNCS</source>
        <translation>LNCS</translation>
    </message>
    <message>
        <source> cm</source>
        <translation> cm</translation>
    </message>
    <message>
        <source>Width in cm</source>
        <translation>Breite in cm</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>short: what is drawn</source>
        <translation>kurz: was zu sehen ist</translation>
    </message>
    <message>
        <source>full: the choices behind it too</source>
        <translation>ganz: auch die Wahlen dahinter</translation>
    </message>
    <message>
        <source>The file&apos;s metadata and the numbers always have it in full</source>
        <translation>In den Metadaten der Datei und bei den Zahlen steht sie immer ganz</translation>
    </message>
    <message>
        <source>without a title</source>
        <translation>ohne Titel</translation>
    </message>
    <message>
        <source>&amp;Title</source>
        <translation>&amp;Titel</translation>
    </message>
    <message>
        <source>C&amp;aption</source>
        <translation>Bi&amp;ldunterschrift</translation>
    </message>
</context>
<context>
    <name>mog::gui::Exporter</name>
    <message>
        <source>Written: %1</source>
        <translation>Geschrieben: %1</translation>
    </message>
    <message>
        <source>There is no picture to export yet: open a recording and choose a sentence.</source>
        <translation>Noch gibt es kein Bild zu exportieren: öffnen Sie eine Aufzeichnung und wählen einen Satz.</translation>
    </message>
    <message>
        <source>There is no picture to copy the command of yet.</source>
        <translation>Noch gibt es kein Bild, dessen Befehl sich kopieren ließe.</translation>
    </message>
    <message>
        <source>Copied: %1</source>
        <translation>Kopiert: %1</translation>
    </message>
</context>
<context>
    <name>mog::gui::FigureCanvas</name>
    <message>
        <source>Loading…</source>
        <translation>Lädt …</translation>
    </message>
    <message>
        <source>Whole map (*)</source>
        <translation>Ganze Karte (*)</translation>
    </message>
    <message>
        <source>Readable cells (*)</source>
        <translation>Lesbare Zellen (*)</translation>
    </message>
    <message>
        <source>Whole (*)</source>
        <translation>Ganz (*)</translation>
    </message>
    <message>
        <source>Cells (*)</source>
        <translation>Zellen (*)</translation>
    </message>
</context>
<context>
    <name>mog::gui::FileMenus</name>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;Open model or recording…</source>
        <translation>Modell oder Aufzeichnung &amp;öffnen …</translation>
    </message>
    <message>
        <source>Ctrl+O</source>
        <translation>Ctrl+O</translation>
    </message>
    <message>
        <source>Open &amp;file…</source>
        <translation>Da&amp;tei öffnen …</translation>
    </message>
    <message>
        <source>Ctrl+Shift+O</source>
        <translation>Ctrl+Shift+O</translation>
    </message>
    <message>
        <source>Open &amp;gold syntax…</source>
        <translation>&amp;Goldsyntax öffnen …</translation>
    </message>
    <message>
        <source>Ctrl+G</source>
        <translation>Ctrl+G</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>&amp;Zuletzt geöffnet</translation>
    </message>
    <message>
        <source>Record a corpus (send to &amp;batch)…</source>
        <translation>&amp;Korpus aufzeichnen …</translation>
    </message>
    <message>
        <source>Ctrl+B</source>
        <translation>Ctrl+B</translation>
    </message>
    <message>
        <source>&amp;Export view…</source>
        <translation>Ansicht &amp;exportieren …</translation>
    </message>
    <message>
        <source>Ctrl+E</source>
        <translation>Ctrl+E</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>Ctrl+Q</source>
        <translation>Ctrl+Q</translation>
    </message>
    <message>
        <source>&amp;Close gold syntax</source>
        <translation>Goldsyntax s&amp;chließen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Ctrl+W</source>
        <translation>Ctrl+W</translation>
    </message>
    <message>
        <source>Close %1</source>
        <translation>%1 schließen</translation>
    </message>
    <message>
        <source>&amp;Save session</source>
        <translation>Sitzung &amp;speichern</translation>
    </message>
    <message>
        <source>Ctrl+S</source>
        <translation>Ctrl+S</translation>
    </message>
    <message>
        <source>Save session &amp;as…</source>
        <translation>Sitzung speichern &amp;unter …</translation>
    </message>
    <message>
        <source>Ctrl+Shift+S</source>
        <translation>Ctrl+Shift+S</translation>
    </message>
    <message>
        <source>Open the &amp;last session</source>
        <translation>&amp;Letzte Sitzung öffnen</translation>
    </message>
    <message>
        <source>Nothing was opened yet</source>
        <translation>Noch nichts wurde geöffnet</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>Ctrl+Z</source>
        <translation>Ctrl+Z</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>Ctrl+Shift+Z</source>
        <translation>Ctrl+Shift+Z</translation>
    </message>
    <message>
        <source>Copy as &amp;command</source>
        <translation>Als &amp;Befehl kopieren</translation>
    </message>
    <message>
        <source>Ctrl+K</source>
        <translation>Ctrl+K</translation>
    </message>
    <message>
        <source>Copy read-&amp;out</source>
        <translation>&amp;Anzeige kopieren</translation>
    </message>
    <message>
        <source>Ctrl+Shift+C</source>
        <translation>Ctrl+Shift+C</translation>
    </message>
    <message>
        <source>&amp;Find or run…</source>
        <translation>&amp;Suchen oder ausführen …</translation>
    </message>
    <message>
        <source>Ctrl+Shift+K</source>
        <translation>Ctrl+Shift+K</translation>
    </message>
</context>
<context>
    <name>mog::gui::Files</name>
    <message>
        <source>Saved: %1</source>
        <translation>Gespeichert: %1</translation>
    </message>
    <message>
        <source>Save the session</source>
        <translation>Sitzung speichern</translation>
    </message>
    <message>
        <source>Sessions (*%1)</source>
        <translation>Sitzungen (*%1)</translation>
    </message>
    <message>
        <source>Open gold syntax: the treebank of the recorded sentences</source>
        <translation>Goldsyntax öffnen: die Baumbank der aufgezeichneten Sätze</translation>
    </message>
    <message>
        <source>Treebanks in CoNLL-U (*.conllu *.conll);;All files (*)</source>
        <translation>Baumbanken in CoNLL-U (*.conllu *.conll);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>%1 is closed; File &gt; Open recent opens it again.</source>
        <translation>%1 ist geschlossen; Datei &gt; Zuletzt geöffnet öffnet es wieder.</translation>
    </message>
    <message>
        <source>Close the model</source>
        <translation>Modell schließen</translation>
    </message>
    <message>
        <source>The sentences that were typed for %1 go with it. A session keeps them (Ctrl+S).</source>
        <translation>Die für %1 getippten Sätze gehen mit. Eine Sitzung behält sie (Strg+S).</translation>
    </message>
    <message>
        <source>Close %1</source>
        <translation>%1 schließen</translation>
    </message>
    <message>
        <source>Open the folder of a model, a recording or a training run</source>
        <translation>Ordner eines Modells, einer Aufzeichnung oder eines Trainingslaufs öffnen</translation>
    </message>
    <message>
        <source>Open recordings, models, trajectories, sessions</source>
        <translation>Aufzeichnungen, Modelle, Verläufe, Sitzungen öffnen</translation>
    </message>
    <message>
        <source>Recordings, models, trajectories, sessions (*.h5 *.hdf5 config.json *.csv *.mog-session);;All files (*)</source>
        <translation>Aufzeichnungen, Modelle, Verläufe, Sitzungen (*.h5 *.hdf5 config.json *.csv *.mog-session);;Alle Dateien (*)</translation>
    </message>
</context>
<context>
    <name>mog::gui::FilmStrip</name>
    <message>
        <source>1 leaf</source>
        <translation>1 Blatt</translation>
    </message>
    <message>
        <source>%1 leaves</source>
        <translation>%1 Blätter</translation>
    </message>
    <message>
        <source>1 word</source>
        <translation>1 Wort</translation>
    </message>
    <message>
        <source>%1 words</source>
        <translation>%1 Wörter</translation>
    </message>
    <message>
        <source>%1 w.</source>
        <translation>%1 W.</translation>
    </message>
    <message>
        <source>leaf</source>
        <translation>Blatt</translation>
    </message>
    <message>
        <source>leaves</source>
        <translation>Blätter</translation>
    </message>
    <message>
        <source>of %1</source>
        <translation>von %1</translation>
    </message>
    <message>
        <source>%1, %2, weight %3</source>
        <translation>%1, %2, Gewicht %3</translation>
    </message>
    <message>
        <source>Number %1: %2</source>
        <translation>Nummer %1: %2</translation>
    </message>
    <message>
        <source>one for each number of leaves; bar: weight, logarithmic</source>
        <translation>einer für jede Zahl von Blättern; Balken: Gewicht, logarithmisch</translation>
    </message>
    <message>
        <source>of any size; bar: weight, logarithmic</source>
        <translation>jeder Größe; Balken: Gewicht, logarithmisch</translation>
    </message>
    <message>
        <source>Best graphs of &lt;b&gt;the whole sentence&lt;/b&gt;</source>
        <translation>Beste Graphen des &lt;b&gt;ganzen Satzes&lt;/b&gt;</translation>
    </message>
    <message>
        <source>Best graphs of &lt;b&gt;%1&lt;/b&gt; at layer %2</source>
        <translation>Beste Graphen von &lt;b&gt;%1&lt;/b&gt; in Schicht %2</translation>
    </message>
    <message>
        <source> (the first word takes %1 of the attention of all others)</source>
        <translation> (das erste Wort nimmt %1 der Aufmerksamkeit aller anderen)</translation>
    </message>
</context>
<context>
    <name>mog::gui::FlowThreshold</name>
    <message>
        <source>Weaker edges are left out</source>
        <translation>Schwächere Kanten werden weggelassen</translation>
    </message>
    <message>
        <source>Threshold of the edges</source>
        <translation>Schwelle der Kanten</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>auto</translation>
    </message>
    <message>
        <source>Weaker edges are left out; auto: about two edges a word and layer</source>
        <translation>Schwächere Kanten werden weggelassen; auto: etwa zwei Kanten je Wort und Schicht</translation>
    </message>
</context>
<context>
    <name>mog::gui::FlowView</name>
    <message>
        <source>Shown</source>
        <translation>Gezeigt</translation>
    </message>
    <message>
        <source>Whole</source>
        <translation>Ganz</translation>
    </message>
    <message>
        <source>All words and layers</source>
        <translation>Alle Wörter und Schichten</translation>
    </message>
    <message>
        <source>Into</source>
        <translation>Hinein</translation>
    </message>
    <message>
        <source>Only what flowed into the chosen state (click a state)</source>
        <translation>Nur was in den gewählten Zustand floss (einen Zustand anklicken)</translation>
    </message>
    <message>
        <source>Out of</source>
        <translation>Heraus</translation>
    </message>
    <message>
        <source>Only what the chosen state flows into (click a state)</source>
        <translation>Nur wohin der gewählte Zustand fließt (einen Zustand anklicken)</translation>
    </message>
    <message>
        <source>Information flow</source>
        <translation>Informationsfluss</translation>
    </message>
    <message>
        <source>Reading the information flow</source>
        <translation>Der Informationsfluss wird gelesen</translation>
    </message>
    <message>
        <source>No information flow of this sentence</source>
        <translation>Kein Informationsfluss dieses Satzes</translation>
    </message>
    <message>
        <source>Drawing the information flow</source>
        <translation>Der Informationsfluss wird gezeichnet</translation>
    </message>
    <message>
        <source>Heads of an edge</source>
        <translation>Köpfe einer Kante</translation>
    </message>
    <message>
        <source>edges: %1</source>
        <translation>Kanten: %1</translation>
    </message>
    <message>
        <source>Here you see how the words of a sentence flow through the layers.</source>
        <translation>Hier sehen Sie, wie die Wörter eines Satzes durch die Schichten fließen.</translation>
    </message>
    <message>
        <source>No attention maps in this recording</source>
        <translation>Keine Aufmerksamkeitskarten in dieser Aufzeichnung</translation>
    </message>
    <message>
        <source>The flow is read from attention maps and gates, which the model computes for one sentence. For all of them, record the corpus again with --capture attention,gates.</source>
        <translation>Der Fluss wird aus Aufmerksamkeitskarten und Gates gelesen, die das Modell für einen Satz berechnet. Für alle: das Korpus noch einmal mit --capture attention,gates aufzeichnen.</translation>
    </message>
</context>
<context>
    <name>mog::gui::FurtherFiguresView</name>
    <message>
        <source>Figure</source>
        <translation>Abbildung</translation>
    </message>
    <message>
        <source>Recorded quantity</source>
        <translation>Aufgezeichnete Größe</translation>
    </message>
    <message>
        <source>Figure of the recording or the sentence</source>
        <translation>Abbildung der Aufzeichnung oder des Satzes</translation>
    </message>
    <message>
        <source>No such figures of this recording</source>
        <translation>Keine solchen Abbildungen von dieser Aufzeichnung</translation>
    </message>
    <message>
        <source>They are of recorded maps and quantities: record with --capture attention,gates.</source>
        <translation>Sie zeigen aufgezeichnete Karten und Größen: zeichnen Sie mit --capture attention,gates auf.</translation>
    </message>
    <message>
        <source>of the whole recording</source>
        <translation>der ganzen Aufzeichnung</translation>
    </message>
    <message>
        <source>Counting…</source>
        <translation>Zählt …</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>This figure cannot be made</source>
        <translation>Diese Abbildung lässt sich nicht machen</translation>
    </message>
    <message>
        <source>Here you see further figures of a sentence and of a whole recording.</source>
        <translation>Hier sehen Sie weitere Abbildungen eines Satzes und einer ganzen Aufzeichnung.</translation>
    </message>
    <message>
        <source>a fifth of the most frequent join</source>
        <translation>ein Fünftel der häufigsten Verknüpfung</translation>
    </message>
    <message>
        <source>This was cancelled</source>
        <translation>Dies wurde abgebrochen</translation>
    </message>
    <message>
        <source>Choose the figure again to count once more.</source>
        <translation>Wählen Sie die Abbildung noch einmal, um neu zu zählen.</translation>
    </message>
    <message>
        <source>Count again</source>
        <translation>Noch einmal zählen</translation>
    </message>
</context>
<context>
    <name>mog::gui::GateKey</name>
    <message>
        <source>gate of layer %1</source>
        <translation>Gate von Schicht %1</translation>
    </message>
    <message>
        <source>gate, mean of layers %1–%2</source>
        <translation>Gate, Mittel der Schichten %1–%2</translation>
    </message>
    <message>
        <source>median %1</source>
        <translation>Median %1</translation>
    </message>
    <message>
        <source>The length of a bar is the gate of the word, its mean over layers, dimensions and pieces.</source>
        <translation>Die Länge eines Balkens ist das Gate des Worts, sein Mittel über Schichten, Dimensionen und Wortstücke.</translation>
    </message>
    <message>
        <source>Its colour is the distance from the median of words and layers, %1 (%2), full at %3: nine of ten words lie nearer.</source>
        <translation>Seine Farbe ist der Abstand vom Median der Wörter und Schichten, %1 (%2), voll bei %3: neun von zehn Wörtern liegen näher.</translation>
    </message>
    <message>
        <source>this sentence</source>
        <translation>dieser Satz</translation>
    </message>
    <message>
        <source>%1 of %2 sentences</source>
        <translation>%1 von %2 Sätzen</translation>
    </message>
    <message>
        <source>carries more</source>
        <translation>trägt mehr weiter</translation>
    </message>
    <message>
        <source>takes in more</source>
        <translation>nimmt mehr auf</translation>
    </message>
    <message>
        <source>surprisal of the words, in nats</source>
        <translation>Surprisal der Wörter, in Nats</translation>
    </message>
    <message>
        <source>The length of a bar says how little the model foresaw the word from those before it: −ln of its probability, its pieces together. A full bar, %1 nats, is a word that was no more probable than any other of the vocabulary.</source>
        <translation>Die Länge eines Balkens sagt, wie wenig das Modell das Wort aus denen davor vorhergesehen hat: −ln seiner Wahrscheinlichkeit, alle Stücke zusammen. Ein voller Balken, %1 Nats, ist ein Wort, das nicht wahrscheinlicher war als jedes andere des Vokabulars.</translation>
    </message>
    <message>
        <source>foreseen</source>
        <translation>vorhergesehen</translation>
    </message>
    <message>
        <source>as if guessed</source>
        <translation>wie geraten</translation>
    </message>
    <message>
        <source>0 to %1</source>
        <translation>0 bis %1</translation>
    </message>
</context>
<context>
    <name>mog::gui::GateLine</name>
    <message>
        <source>Gate by layer</source>
        <translation>Gate nach Schicht</translation>
    </message>
    <message>
        <source>layer %1: %2</source>
        <translation>Schicht %1: %2</translation>
    </message>
</context>
<context>
    <name>mog::gui::GateView</name>
    <message>
        <source>Gate by</source>
        <translation>Gate nach</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>Token × layer, mean over dimensions</source>
        <translation>Token × Schicht, Mittel über Dimensionen</translation>
    </message>
    <message>
        <source>Dimensions</source>
        <translation>Dimensionen</translation>
    </message>
    <message>
        <source>Token × dimension of the selected layer</source>
        <translation>Token × Dimension der gewählten Schicht</translation>
    </message>
    <message>
        <source>Gate heat map</source>
        <translation>Gates als Farbkarte</translation>
    </message>
    <message>
        <source>This model has no gates</source>
        <translation>Dieses Modell hat keine Gates</translation>
    </message>
    <message>
        <source>No gates in this recording</source>
        <translation>Keine Gates in dieser Aufzeichnung</translation>
    </message>
    <message>
        <source>A plain Transformer adds what its attention gives; there is no gate to show.</source>
        <translation>Ein gewöhnlicher Transformer addiert, was die Aufmerksamkeit gibt; es gibt kein Gate zu zeigen.</translation>
    </message>
    <message>
        <source>1: the new value only</source>
        <translation>1: nur der neue Wert</translation>
    </message>
    <message>
        <source>1: high and middle order only</source>
        <translation>1: nur hohe und mittlere Ordnung</translation>
    </message>
    <message>
        <source>layer %1; %2</source>
        <translation>Schicht %1; %2</translation>
    </message>
    <message>
        <source>mean over dimensions; %1</source>
        <translation>Mittel über Dimensionen; %1</translation>
    </message>
    <message>
        <source>Reading gates</source>
        <translation>Liest Gates</translation>
    </message>
    <message>
        <source>The gates cannot be shown</source>
        <translation>Die Gates lassen sich nicht zeigen</translation>
    </message>
    <message>
        <source>Here you see the gates of a sentence.</source>
        <translation>Hier sehen Sie die Gates eines Satzes.</translation>
    </message>
    <message>
        <source>green carries more, purple takes in more than the median, %1; %2</source>
        <translation>Grün trägt mehr weiter, Violett nimmt mehr auf als der Median, %1; %2</translation>
    </message>
    <message>
        <source>Its model computes them for one sentence. For all of them, record the corpus again with --capture summary or gates.</source>
        <translation>Ihr Modell berechnet sie für einen Satz. Für alle: das Korpus noch einmal mit --capture summary oder gates aufzeichnen.</translation>
    </message>
</context>
<context>
    <name>mog::gui::GoldLine</name>
    <message>
        <source>Whole recording</source>
        <translation>Ganze Aufzeichnung</translation>
    </message>
    <message>
        <source>Score every sentence of the recording against the gold syntax, as mog syntax does</source>
        <translation>Jeden Satz der Aufzeichnung mit der Goldsyntax vergleichen, wie es mog syntax tut</translation>
    </message>
    <message>
        <source>Gold syntax: %1</source>
        <translation>Goldsyntax: %1</translation>
    </message>
    <message>
        <source>. Whole recording: </source>
        <translation>. Ganze Aufzeichnung: </translation>
    </message>
    <message>
        <source>%1 % (%2 of %3 words)</source>
        <translation>%1 % (%2 von %3 Wörtern)</translation>
    </message>
    <message>
        <source>%1 % (%2 of %3 edges)</source>
        <translation>%1 % (%2 von %3 Kanten)</translation>
    </message>
    <message>
        <source>%1 UAS %2, either way %3</source>
        <translation>%1: UAS %2, ungerichtet %3</translation>
    </message>
    <message>
        <source>1 join: %1 from the gold head, %2 gold either way</source>
        <translation>1 Verknüpfung: %1 vom Gold-Kopf, %2 ungerichtet gold</translation>
    </message>
    <message>
        <source>%1 joins: %2 from the gold head, %3 gold either way</source>
        <translation>%1 Verknüpfungen: %2 vom Gold-Kopf, %3 ungerichtet gold</translation>
    </message>
    <message>
        <source>best tree of this map: %1; %2</source>
        <translation>bester Baum dieser Karte: %1; %2</translation>
    </message>
    <message>
        <source>queries as heads</source>
        <translation>Anfragen als Köpfe</translation>
    </message>
    <message>
        <source>keys as heads</source>
        <translation>Schlüssel als Köpfe</translation>
    </message>
</context>
<context>
    <name>mog::gui::GoldSyntax</name>
    <message>
        <source>%1 % [%2, %3]</source>
        <translation>%1 % [%2; %3]</translation>
    </message>
    <message>
        <source>Reading the gold syntax %1</source>
        <translation>Die Goldsyntax %1 wird gelesen</translation>
    </message>
    <message>
        <source>Scoring %1 against the gold syntax</source>
        <translation>%1 wird mit der Goldsyntax verglichen</translation>
    </message>
    <message>
        <source>UAS %1 of the words, either way %2 of the edges (sentences: %3)</source>
        <translation>UAS %1 der Wörter, ungerichtet %2 der Kanten (Sätze: %3)</translation>
    </message>
</context>
<context>
    <name>mog::gui::GraphStrip</name>
    <message>
        <source>Graphs</source>
        <translation>Graphen</translation>
    </message>
    <message>
        <source>Which graphs are listed</source>
        <translation>Welche Graphen aufgelistet sind</translation>
    </message>
    <message>
        <source>Copy the expression</source>
        <translation>Ausdruck kopieren</translation>
    </message>
    <message>
        <source>Best multi-order graphs</source>
        <translation>Beste Multi-Order-Graphen</translation>
    </message>
    <message>
        <source>The search reached its limit, ties may be missing.</source>
        <translation>Die Suche erreichte ihre Grenze, Gleichstände können fehlen.</translation>
    </message>
    <message>
        <source>; ties may be missing</source>
        <translation>; Gleichstände können fehlen</translation>
    </message>
</context>
<context>
    <name>mog::gui::GuidePage</name>
    <message>
        <source>Quantities and views</source>
        <translation>Größen und Ansichten</translation>
    </message>
    <message>
        <source>Find a quantity by name or words</source>
        <translation>Größe nach Namen oder Wörtern suchen</translation>
    </message>
    <message>
        <source>Find a quantity</source>
        <translation>Größe suchen</translation>
    </message>
    <message>
        <source>What it is</source>
        <translation>Was es ist</translation>
    </message>
    <message>
        <source>Formula</source>
        <translation>Formel</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>Einheit</translation>
    </message>
    <message>
        <source>Range</source>
        <translation>Bereich</translation>
    </message>
    <message>
        <source>Claim</source>
        <translation>Aussage</translation>
    </message>
    <message>
        <source>Shown there</source>
        <translation>Dort gezeigt</translation>
    </message>
    <message>
        <source>No text has these words. Names are those of docs/quantities.md, for example encoder.3.gate.mean.</source>
        <translation>Kein Text hat diese Wörter. Namen sind die aus docs/quantities.md, zum Beispiel encoder.3.gate.mean.</translation>
    </message>
    <message>
        <source>Symbol</source>
        <translation>Zeichen</translation>
    </message>
</context>
<context>
    <name>mog::gui::HeadTiles</name>
    <message>
        <source>Heads</source>
        <translation>Köpfe</translation>
    </message>
</context>
<context>
    <name>mog::gui::Help</name>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>&amp;Tasten</translation>
    </message>
    <message>
        <source>&amp;What does this view show?</source>
        <translation>&amp;Was zeigt diese Ansicht?</translation>
    </message>
    <message>
        <source>Shift+F1</source>
        <translation>Shift+F1</translation>
    </message>
    <message>
        <source>&amp;Quantities…</source>
        <translation>&amp;Größen …</translation>
    </message>
    <message>
        <source>&amp;Tour</source>
        <translation>&amp;Rundgang</translation>
    </message>
    <message>
        <source>&amp;About MoG Workbench</source>
        <translation>Ü&amp;ber MoG Workbench</translation>
    </message>
</context>
<context>
    <name>mog::gui::InspectorPage</name>
    <message>
        <source>Largest downstream changes</source>
        <translation>Größte Folgen der Änderung</translation>
    </message>
    <message>
        <source>Weight on the edge</source>
        <translation>Gewicht der Kante</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Attention by head</source>
        <translation>Aufmerksamkeit nach Kopf</translation>
    </message>
    <message>
        <source>And by part</source>
        <translation>Und nach Teil</translation>
    </message>
    <message>
        <source>What it reads</source>
        <translation>Was es liest</translation>
    </message>
    <message>
        <source>Score into terms</source>
        <translation>Score nach Termen</translation>
    </message>
    <message>
        <source>Gate by layer</source>
        <translation>Gate nach Schicht</translation>
    </message>
    <message>
        <source>Try it</source>
        <translation>Ausprobieren</translation>
    </message>
    <message>
        <source>head %1</source>
        <translation>Kopf %1</translation>
    </message>
    <message>
        <source>mean %1</source>
        <translation>Mittel %1</translation>
    </message>
    <message>
        <source>taken in with gate %1</source>
        <translation>aufgenommen mit Gate %1</translation>
    </message>
    <message>
        <source>Kind %1: %2</source>
        <translation>Art %1: %2</translation>
    </message>
    <message>
        <source>The same cell, by head</source>
        <translation>Dieselbe Zelle, nach Kopf</translation>
    </message>
    <message>
        <source>mean of heads</source>
        <translation>Mittel über Köpfe</translation>
    </message>
    <message>
        <source>with head %1</source>
        <translation>mit Kopf %1</translation>
    </message>
    <message>
        <source>A recurrent encoder has no attention scores to split.</source>
        <translation>Ein rekurrenter Encoder hat keine Aufmerksamkeitsscores zu zerlegen.</translation>
    </message>
    <message>
        <source>Scores of plain Transformers split into their terms here. This model is a %1: its scores are shown whole, each part by itself.</source>
        <translation>Hier werden Scores gewöhnlicher Transformer in ihre Terme zerlegt. Dieses Modell ist ein %1: seine Scores stehen ganz da, jeder Teil für sich.</translation>
    </message>
    <message>
        <source>Nothing that both runs recorded differs.</source>
        <translation>Nichts, was beide Läufe aufgezeichnet haben, unterscheidet sich.</translation>
    </message>
    <message>
        <source>Show the largest</source>
        <translation>Nur die größten zeigen</translation>
    </message>
    <message>
        <source>Show all %1 changes</source>
        <translation>Alle %1 Änderungen zeigen</translation>
    </message>
    <message>
        <source>%1 takes in %2, %3, weight %4</source>
        <translation>%1 nimmt %2 auf, %3, Gewicht %4</translation>
    </message>
    <message>
        <source>weight %1</source>
        <translation>Gewicht %1</translation>
    </message>
    <message>
        <source>Best joins, by layer</source>
        <translation>Beste Verknüpfungen, nach Schicht</translation>
    </message>
    <message>
        <source>What “%1” reads</source>
        <translation>Was „%1“ liest</translation>
    </message>
    <message>
        <source>Scores do not add up over the pieces of a word: this one is of %1.</source>
        <translation>Werte summieren sich nicht über die Teile eines Wortes: dies ist der von %1.</translation>
    </message>
    <message>
        <source>With its model %1 open the terms are computed for this cell.</source>
        <translation>Ist sein Modell %1 offen, werden die Terme für diese Zelle berechnet.</translation>
    </message>
    <message>
        <source>held</source>
        <translation>festgehalten</translation>
    </message>
    <message>
        <source>shown</source>
        <translation>gezeigt</translation>
    </message>
    <message>
        <source>before</source>
        <translation>vorher</translation>
    </message>
    <message>
        <source>after</source>
        <translation>nachher</translation>
    </message>
    <message>
        <source>Largest differences from %1</source>
        <translation>Größte Unterschiede zu %1</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>Rang %1</translation>
    </message>
    <message>
        <source>What may follow</source>
        <translation>Was folgen kann</translation>
    </message>
    <message>
        <source>probability %1</source>
        <translation>Wahrscheinlichkeit %1</translation>
    </message>
    <message>
        <source>surprisal %1 nats</source>
        <translation>Surprisal %1 Nats</translation>
    </message>
    <message>
        <source>Here follows &lt;b&gt;%1&lt;/b&gt;: %2.</source>
        <translation>Hier folgt &lt;b&gt;%1&lt;/b&gt;: %2.</translation>
    </message>
    <message>
        <source>The text ends here.</source>
        <translation>Hier endet der Text.</translation>
    </message>
    <message>
        <source>With its model %1 open the most probable tokens have names.</source>
        <translation>Ist das Modell %1 geöffnet, haben die wahrscheinlichsten Token Namen.</translation>
    </message>
    <message>
        <source>best %1</source>
        <translation>bestes %1</translation>
    </message>
    <message>
        <source>Surprisal, token by token</source>
        <translation>Surprisal, Token für Token</translation>
    </message>
    <message>
        <source>mean %1 nats</source>
        <translation>im Mittel %1 Nats</translation>
    </message>
    <message>
        <source>What may follow “%1”, by layer %2</source>
        <translation>Was auf „%1“ folgen kann, nach Schicht %2</translation>
    </message>
    <message>
        <source>What may follow “%1”</source>
        <translation>Was auf „%1“ folgen kann</translation>
    </message>
</context>
<context>
    <name>mog::gui::InspectorView</name>
    <message>
        <source>, layer %1, carried</source>
        <translation>, Schicht %1, weitergetragen</translation>
    </message>
    <message>
        <source>, layer %1</source>
        <translation>, Schicht %1</translation>
    </message>
    <message>
        <source>tags</source>
        <translation>Tags</translation>
    </message>
    <message>
        <source>attention</source>
        <translation>Aufmerksamkeit</translation>
    </message>
    <message>
        <source>carry weights</source>
        <translation>Übertragsgewichte</translation>
    </message>
    <message>
        <source>gates</source>
        <translation>Gates</translation>
    </message>
    <message>
        <source>shares of parts</source>
        <translation>Anteile der Teile</translation>
    </message>
    <message>
        <source>other quantities</source>
        <translation>andere Größen</translation>
    </message>
    <message>
        <source>Join, %1</source>
        <translation>Verknüpfung, %1</translation>
    </message>
    <message>
        <source>%1 takes in %2</source>
        <translation>%1 nimmt %2 auf</translation>
    </message>
    <message>
        <source>kind %1</source>
        <translation>Art %1</translation>
    </message>
    <message>
        <source>edge</source>
        <translation>Kante</translation>
    </message>
    <message>
        <source>left</source>
        <translation>links</translation>
    </message>
    <message>
        <source>right</source>
        <translation>rechts</translation>
    </message>
    <message>
        <source>makes</source>
        <translation>bildet</translation>
    </message>
    <message>
        <source>Cell, %1</source>
        <translation>Zelle, %1</translation>
    </message>
    <message>
        <source>head %1</source>
        <translation>Kopf %1</translation>
    </message>
    <message>
        <source>%1 reads itself</source>
        <translation>%1 liest sich selbst</translation>
    </message>
    <message>
        <source>%1 reads %2</source>
        <translation>%1 liest %2</translation>
    </message>
    <message>
        <source>Special token %1 of %2</source>
        <translation>Sondertoken %1 von %2</translation>
    </message>
    <message>
        <source>Token %1 of %2</source>
        <translation>Token %1 von %2</translation>
    </message>
    <message>
        <source>%1 at layer %2</source>
        <translation>%1 in Schicht %2</translation>
    </message>
    <message>
        <source>Sentence %1</source>
        <translation>Satz %1</translation>
    </message>
    <message>
        <source>Variant of sentence %1</source>
        <translation>Variante von Satz %1</translation>
    </message>
    <message>
        <source>Click a word, or a cell of a map: what it is stands here.</source>
        <translation>Klicken Sie ein Wort oder eine Zelle einer Karte an: was es ist, steht dann hier.</translation>
    </message>
    <message>
        <source>Click a word, a cell of a map, or a join of a graph: what it is stands here.</source>
        <translation>Klicken Sie ein Wort, eine Zelle einer Karte oder eine Verknüpfung eines Graphen an: was es ist, steht dann hier.</translation>
    </message>
    <message>
        <source>1 layer</source>
        <translation>1 Schicht</translation>
    </message>
    <message>
        <source>%1 layers</source>
        <translation>%1 Schichten</translation>
    </message>
    <message>
        <source>model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>system</source>
        <translation>System</translation>
    </message>
    <message>
        <source>size</source>
        <translation>Umfang</translation>
    </message>
    <message>
        <source>%1, %2 heads</source>
        <translation>%1, %2 Köpfe</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>recorded</source>
        <translation>aufgezeichnet</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>Inspektor</translation>
    </message>
    <message>
        <source>Here you read what a click chooses: a word, a cell, a join.</source>
        <translation>Hier lesen Sie, was ein Klick wählt: ein Wort, eine Zelle, eine Verknüpfung.</translation>
    </message>
    <message>
        <source>Reading what is selected</source>
        <translation>Liest, was gewählt ist</translation>
    </message>
    <message>
        <source>This cannot be read</source>
        <translation>Das lässt sich nicht lesen</translation>
    </message>
    <message>
        <source>Looking for the graph of a word</source>
        <translation>Sucht den Graphen eines Worts</translation>
    </message>
    <message>
        <source>%1 does not see %2</source>
        <translation>%1 sieht %2 nicht</translation>
    </message>
    <message>
        <source>This model reads from left to right: what comes later is not seen.</source>
        <translation>Dieses Modell liest von links nach rechts: Was später kommt, sieht es nicht.</translation>
    </message>
    <message>
        <source>It lies outside the window of this layer.</source>
        <translation>Es liegt außerhalb des Fensters dieser Schicht.</translation>
    </message>
</context>
<context>
    <name>mog::gui::InterventionsView</name>
    <message>
        <source>&amp;Run with this intervention</source>
        <translation>Mit diesem Eingriff &amp;laufen lassen</translation>
    </message>
    <message>
        <source>&amp;Write the trail…</source>
        <translation>Spur &amp;schreiben …</translation>
    </message>
    <message>
        <source>Intervention</source>
        <translation>Eingriff</translation>
    </message>
    <message>
        <source>Of</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>Teil</translation>
    </message>
    <message>
        <source>By</source>
        <translation>Durch</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>another word, several, or none</source>
        <translation>ein anderes Wort, mehrere oder keines</translation>
    </message>
    <message>
        <source>Which intervention</source>
        <translation>Welcher Eingriff</translation>
    </message>
    <message>
        <source>Part that is cut</source>
        <translation>Teil, der entfernt wird</translation>
    </message>
    <message>
        <source>Value of the intervention</source>
        <translation>Wert des Eingriffs</translation>
    </message>
    <message>
        <source>Words in the place of this one</source>
        <translation>Wörter an dessen Stelle</translation>
    </message>
    <message>
        <source>Trail of interventions</source>
        <translation>Spur der Eingriffe</translation>
    </message>
    <message>
        <source>Mask the word</source>
        <translation>Wort maskieren</translation>
    </message>
    <message>
        <source>Replace the word</source>
        <translation>Wort ersetzen</translation>
    </message>
    <message>
        <source>Scale or cut the head</source>
        <translation>Kopf skalieren oder entfernen</translation>
    </message>
    <message>
        <source>Scale or cut the part</source>
        <translation>Teil skalieren oder entfernen</translation>
    </message>
    <message>
        <source>Scale or cut the layer</source>
        <translation>Schicht skalieren oder entfernen</translation>
    </message>
    <message>
        <source>Set the gate</source>
        <translation>Gate setzen</translation>
    </message>
    <message>
        <source>Choose a word in a picture (a click, or Left and Right).</source>
        <translation>Wählen Sie ein Wort in einem Bild (ein Klick, oder Links und Rechts).</translation>
    </message>
    <message>
        <source>This is a special token, not a word.</source>
        <translation>Das ist ein Sondertoken, kein Wort.</translation>
    </message>
    <message>
        <source>Choose a head ([ and ], or a thumbnail).</source>
        <translation>Wählen Sie einen Kopf ([ und ], oder ein Vorschaubild).</translation>
    </message>
    <message>
        <source>“%1”, word %2</source>
        <translation>„%1“, Wort %2</translation>
    </message>
    <message>
        <source>1: only high and middle order, 0: only low order</source>
        <translation>1: nur hohe und mittlere Ordnung, 0: nur niedrige</translation>
    </message>
    <message>
        <source>0 cuts, 1 leaves as it is; the bias of the output map stays, even where all heads are cut</source>
        <translation>0 entfernt, 1 lässt, wie es ist; der Bias der Ausgabeabbildung bleibt, auch wenn alle Köpfe entfernt sind</translation>
    </message>
    <message>
        <source>0 cuts, 1 leaves as it is; the bias of the part&apos;s output map goes with it</source>
        <translation>0 entfernt, 1 lässt, wie es ist; der Bias der Ausgabeabbildung des Teils geht mit</translation>
    </message>
    <message>
        <source>0 cuts, 1 leaves as it is</source>
        <translation>0 entfernt, 1 lässt, wie es ist</translation>
    </message>
    <message>
        <source>Write the trail of interventions</source>
        <translation>Spur der Eingriffe schreiben</translation>
    </message>
    <message>
        <source>Tables (*.tsv)</source>
        <translation>Tabellen (*.tsv)</translation>
    </message>
    <message>
        <source>Interventions run the model once more, on a sentence that it ran here.</source>
        <translation>Eingriffe lassen das Modell noch einmal laufen, auf einem Satz, den es hier gelesen hat.</translation>
    </message>
    <message>
        <source>Term</source>
        <translation>Term</translation>
    </message>
    <message>
        <source>Term that is cut</source>
        <translation>Term, der entfernt wird</translation>
    </message>
    <message>
        <source>Of the attention scores content (q·k), relation_key (q·RK) and relation_query (RQ·k), of the values relation_value (RV); graph: all of relations. Of the chosen head, or of all.</source>
        <translation>Von den Attention-Scores content (q·k), relation_key (q·RK) und relation_query (RQ·k), von den Werten relation_value (RV); graph: alle der Beziehungen. Vom gewählten Kopf oder von allen.</translation>
    </message>
    <message>
        <source>Cut a term of the graph</source>
        <translation>Term des Graphen entfernen</translation>
    </message>
    <message>
        <source>Scale or cut the feed-forward block</source>
        <translation>Feed-Forward-Block skalieren oder entfernen</translation>
    </message>
</context>
<context>
    <name>mog::gui::JobIndicator</name>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Cancel this job</source>
        <translation>Diesen Auftrag abbrechen</translation>
    </message>
    <message>
        <source>Close this offer</source>
        <translation>Dieses Angebot schließen</translation>
    </message>
</context>
<context>
    <name>mog::gui::JobListModel</name>
    <message>
        <source>sentences</source>
        <translation>Sätzen</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>Schritten</translation>
    </message>
    <message>
        <source>files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 min</translation>
    </message>
    <message>
        <source>%1 h</source>
        <translation>%1 h</translation>
    </message>
    <message>
        <source>%1 of %2 %3</source>
        <translation>%1 von %2 %3</translation>
    </message>
    <message>
        <source>%1, %2 left</source>
        <translation>%1, noch %2</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>done</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>failed: %1</source>
        <translation>fehlgeschlagen: %1</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>Job</source>
        <translation>Auftrag</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Stand</translation>
    </message>
</context>
<context>
    <name>mog::gui::JobRunner</name>
    <message>
        <source>There is not enough memory for this. Close other recordings or choose a shorter sentence.</source>
        <translation>Dafür reicht der Speicher nicht. Schließen Sie andere Aufzeichnungen, oder wählen Sie einen kürzeren Satz.</translation>
    </message>
    <message>
        <source>An unknown error happened.</source>
        <translation>Ein unbekannter Fehler ist aufgetreten.</translation>
    </message>
</context>
<context>
    <name>mog::gui::JobsView</name>
    <message>
        <source>Go on</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>No job yet. Opening, running and counting appear here.</source>
        <translation>Noch kein Auftrag. Öffnen, Laufen und Zählen erscheinen hier.</translation>
    </message>
    <message>
        <source>Cancel job</source>
        <translation>Auftrag abbrechen</translation>
    </message>
    <message>
        <source>Go on with this recording where it stopped</source>
        <translation>Diese Aufzeichnung dort fortsetzen, wo sie anhielt</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>Aufträge</translation>
    </message>
</context>
<context>
    <name>mog::gui::KBestModel</name>
    <message>
        <source>0 word</source>
        <translation>0 Wort</translation>
    </message>
    <message>
        <source>1 simple</source>
        <translation>1 einfach</translation>
    </message>
    <message>
        <source>2 overlap</source>
        <translation>2 Überlappung</translation>
    </message>
    <message>
        <source>3 overlap and loop</source>
        <translation>3 Überlappung und Schleife</translation>
    </message>
    <message>
        <source>4 loop</source>
        <translation>4 Schleife</translation>
    </message>
    <message>
        <source>%1 derivations read off as this expression</source>
        <translation>%1 Ableitungen lesen sich als dieser Ausdruck</translation>
    </message>
    <message>
        <source>Place by weight</source>
        <translation>Platz nach Gewicht</translation>
    </message>
    <message>
        <source>k</source>
        <translation>k</translation>
    </message>
    <message>
        <source>Words with repeats</source>
        <translation>Wörter mit Wiederholungen</translation>
    </message>
    <message>
        <source>Leaves</source>
        <translation>Blätter</translation>
    </message>
    <message>
        <source>Probability of the best derivation</source>
        <translation>Wahrscheinlichkeit der besten Ableitung</translation>
    </message>
    <message>
        <source>Weight</source>
        <translation>Gewicht</translation>
    </message>
    <message>
        <source>Sum over all derivations of the same expression</source>
        <translation>Summe über alle Ableitungen desselben Ausdrucks</translation>
    </message>
    <message>
        <source>Mass</source>
        <translation>Masse</translation>
    </message>
    <message>
        <source>Different words</source>
        <translation>Verschiedene Wörter</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>Ordnung</translation>
    </message>
    <message>
        <source>Of the last join: 1 simple, 2 overlap, 3 overlap and loop, 4 inherited loop; 0: a word</source>
        <translation>Der letzten Verknüpfung: 1 einfach, 2 Überlappung, 3 Überlappung und Schleife, 4 geerbte Schleife; 0: ein Wort</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Canonical text</source>
        <translation>Kanonischer Text</translation>
    </message>
    <message>
        <source>Expression</source>
        <translation>Ausdruck</translation>
    </message>
</context>
<context>
    <name>mog::gui::LayerHeadGrid</name>
    <message>
        <source>Layers and heads</source>
        <translation>Schichten und Köpfe</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>Thumbnails of all attention maps. Up and Down choose the layer, Left and Right the head, Space takes the head out of the means or in again, Return leaves it alone there.</source>
        <translation>Vorschaubilder aller Aufmerksamkeitskarten. Auf und Ab wählen die Schicht, Links und Rechts den Kopf, die Leertaste nimmt den Kopf aus den Mitteln oder wieder hinein, die Eingabetaste lässt ihn dort allein.</translation>
    </message>
    <message>
        <source>layer %1 of %2</source>
        <translation>Schicht %1 von %2</translation>
    </message>
    <message>
        <source>mean over heads</source>
        <translation>Mittel über Köpfe</translation>
    </message>
    <message>
        <source>head %1 of %2</source>
        <translation>Kopf %1 von %2</translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <translation>%1: %2, %3</translation>
    </message>
    <message>
        <source>%1, not in the means</source>
        <translation>%1, nicht in den Mitteln</translation>
    </message>
</context>
<context>
    <name>mog::gui::LensView</name>
    <message>
        <source>Colours of the logit lens</source>
        <translation>Farben der Logit Lens</translation>
    </message>
    <message>
        <source>Probability</source>
        <translation>Wahrscheinlichkeit</translation>
    </message>
    <message>
        <source>Colours say how probable the token in the cell is</source>
        <translation>Farben sagen, wie wahrscheinlich das Token in der Zelle ist</translation>
    </message>
    <message>
        <source>Entropy</source>
        <translation>Entropie</translation>
    </message>
    <message>
        <source>Colours say how open it is what follows, in nats</source>
        <translation>Farben sagen, wie offen ist, was folgt, in Nats</translation>
    </message>
    <message>
        <source>Surprisal</source>
        <translation>Surprisal</translation>
    </message>
    <message>
        <source>Colours say how little the token that follows was foreseen, in nats</source>
        <translation>Farben sagen, wie wenig das Token vorhergesehen wurde, das folgt, in Nats</translation>
    </message>
    <message>
        <source>Logit lens</source>
        <translation>Logit Lens</translation>
    </message>
    <message>
        <source>This model does not say what follows</source>
        <translation>Dieses Modell sagt nicht, was folgt</translation>
    </message>
    <message>
        <source>The logit lens is of models that read from left to right and predict the next token, such as GPT-2 or Llama.</source>
        <translation>Die Logit Lens gibt es für Modelle, die von links nach rechts lesen und das nächste Token vorhersagen, wie GPT-2 oder Llama.</translation>
    </message>
    <message>
        <source>No logit lens in this recording</source>
        <translation>Keine Logit Lens in dieser Aufzeichnung</translation>
    </message>
    <message>
        <source>Its model computes it for one sentence. For all of them, record the corpus again with --quantity &apos;%1&apos;.</source>
        <translation>Ihr Modell berechnet sie für einen Satz. Für alle zeichnen Sie den Korpus noch einmal auf, mit --quantity &apos;%1&apos;.</translation>
    </message>
    <message>
        <source>The tokens have no names here</source>
        <translation>Die Token haben hier keine Namen</translation>
    </message>
    <message>
        <source>A recording keeps the numbers of tokens. Open its model (%1, Ctrl+O): its vocabulary names them.</source>
        <translation>Eine Aufzeichnung behält die Nummern der Token. Öffnen Sie ihr Modell (%1, Strg+O): sein Vokabular benennt sie.</translation>
    </message>
    <message>
        <source>Here you see what each layer expects next, token by token.</source>
        <translation>Hier sehen Sie, was jede Schicht als Nächstes erwartet, Token für Token.</translation>
    </message>
    <message>
        <source>Computing the logit lens</source>
        <translation>Die Logit Lens wird berechnet</translation>
    </message>
    <message>
        <source>what would be said next if the layer were the last one; the top row is what the model says</source>
        <translation>was als Nächstes gesagt würde, wenn die Schicht die letzte wäre; die oberste Zeile ist, was das Modell sagt</translation>
    </message>
    <message>
        <source>best next token by layer</source>
        <translation>bestes nächstes Token je Schicht</translation>
    </message>
    <message>
        <source>The logit lens cannot be shown</source>
        <translation>Die Logit Lens kann nicht gezeigt werden</translation>
    </message>
    <message>
        <source>A sentence that was changed inside the model has no command: mog figure runs sentences as they are.</source>
        <translation>Ein Satz, der im Modell verändert wurde, hat keinen Befehl: mog figure lässt Sätze laufen, wie sie sind.</translation>
    </message>
</context>
<context>
    <name>mog::gui::LookMenus</name>
    <message>
        <source>&amp;Sentence</source>
        <translation>&amp;Satz</translation>
    </message>
    <message>
        <source>&amp;Type a sentence</source>
        <translation>Satz &amp;tippen</translation>
    </message>
    <message>
        <source>Ctrl+L</source>
        <translation>Ctrl+L</translation>
    </message>
    <message>
        <source>&amp;Run it</source>
        <translation>&amp;Laufen lassen</translation>
    </message>
    <message>
        <source>Ctrl+R</source>
        <translation>Ctrl+R</translation>
    </message>
    <message>
        <source>&amp;Find</source>
        <translation>&amp;Suchen</translation>
    </message>
    <message>
        <source>Sentence &amp;before</source>
        <translation>&amp;Vorheriger Satz</translation>
    </message>
    <message>
        <source>&amp;Next sentence</source>
        <translation>&amp;Nächster Satz</translation>
    </message>
    <message>
        <source>&amp;All sentences</source>
        <translation>&amp;Alle Sätze</translation>
    </message>
    <message>
        <source>&amp;Look</source>
        <translation>A&amp;nsehen</translation>
    </message>
    <message>
        <source>Pin token, or let go</source>
        <translation>Token anheften oder loslassen</translation>
    </message>
    <message>
        <source>Word before</source>
        <translation>Vorheriges Wort</translation>
    </message>
    <message>
        <source>Next word</source>
        <translation>Nächstes Wort</translation>
    </message>
    <message>
        <source>Head before</source>
        <translation>Vorheriger Kopf</translation>
    </message>
    <message>
        <source>Next head</source>
        <translation>Nächster Kopf</translation>
    </message>
    <message>
        <source>All parts</source>
        <translation>Alle Teile</translation>
    </message>
    <message>
        <source>Part %1</source>
        <translation>Teil %1</translation>
    </message>
    <message>
        <source>Hold this sentence to compare, or let go</source>
        <translation>Satz zum Vergleichen festhalten oder loslassen</translation>
    </message>
    <message>
        <source>Words or pieces</source>
        <translation>Wörter oder Wortstücke</translation>
    </message>
    <message>
        <source>Special tokens</source>
        <translation>Sondertoken</translation>
    </message>
    <message>
        <source>Threshold of the arcs</source>
        <translation>Schwelle der Bögen</translation>
    </message>
    <message>
        <source>Head in or out of the means</source>
        <translation>Kopf in die Mittel oder heraus</translation>
    </message>
    <message>
        <source>Only this head in the means</source>
        <translation>Nur dieser Kopf in den Mitteln</translation>
    </message>
    <message>
        <source>Shift+X</source>
        <translation>Shift+X</translation>
    </message>
    <message>
        <source>Part: %1</source>
        <translation>Teil: %1</translation>
    </message>
    <message>
        <source>What is carried on (%1) is not attended to: it has a share and a gate, but no map.</source>
        <translation>Was weitergetragen wird (%1), wird nicht beachtet: es hat einen Anteil und ein Gate, aber keine Karte.</translation>
    </message>
    <message>
        <source>There are no maps of the part %1 in this recording.</source>
        <translation>Karten des Teils „%1“ gibt es in dieser Aufzeichnung nicht.</translation>
    </message>
    <message>
        <source>Layer above</source>
        <translation>Schicht darüber</translation>
    </message>
    <message>
        <source>Layer below</source>
        <translation>Schicht darunter</translation>
    </message>
</context>
<context>
    <name>mog::gui::MainWindow</name>
    <message>
        <source>MoG Workbench</source>
        <translation>MoG Workbench</translation>
    </message>
</context>
<context>
    <name>mog::gui::MapPicker</name>
    <message>
        <source>All parts, averaged (key 0)</source>
        <translation>Alle Teile, gemittelt (Taste 0)</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>Teil</translation>
    </message>
    <message>
        <source>Head before ([)</source>
        <translation>Vorheriger Kopf ([)</translation>
    </message>
    <message>
        <source>Next head (])</source>
        <translation>Nächster Kopf (])</translation>
    </message>
    <message>
        <source>carry weights</source>
        <translation>Übertragsgewichte</translation>
    </message>
    <message>
        <source>mean over heads</source>
        <translation>Mittel über Köpfe</translation>
    </message>
    <message>
        <source>head %1 of %2</source>
        <translation>Kopf %1 von %2</translation>
    </message>
    <message>
        <source>layer %1 of %2, %3</source>
        <translation>Schicht %1 von %2, %3</translation>
    </message>
    <message>
        <source>%1 (key %2)</source>
        <translation>%1 (Taste %2)</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>Mittel</translation>
    </message>
    <message>
        <source>all</source>
        <translation>alle</translation>
    </message>
    <message>
        <source>Layer above (Up)</source>
        <translation>Schicht darüber (Auf)</translation>
    </message>
    <message>
        <source>Layer below (Down)</source>
        <translation>Schicht darunter (Ab)</translation>
    </message>
</context>
<context>
    <name>mog::gui::MessageBar</name>
    <message>
        <source>Message</source>
        <translation>Meldung</translation>
    </message>
    <message>
        <source>Close this message</source>
        <translation>Diese Meldung schließen</translation>
    </message>
    <message>
        <source>Close all messages</source>
        <translation>Alle Meldungen schließen</translation>
    </message>
    <message numerus="yes">
        <source>%n more: close all</source>
        <translation>
            <numerusform>%n weitere: alle schließen</numerusform>
            <numerusform>%n weitere: alle schließen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>mog::gui::ModelView</name>
    <message>
        <source>&amp;Record a corpus…</source>
        <translation>&amp;Korpus aufzeichnen …</translation>
    </message>
    <message>
        <source>Opened files</source>
        <translation>Geöffnete Dateien</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>Gefunden</translation>
    </message>
    <message>
        <source>Nothing was opened yet. A model, a checkpoint of another program, a recording or a corpus that you open or drop on this window is described here: what it is, what it holds, and what can be done with it.</source>
        <translation>Noch nichts wurde geöffnet. Ein Modell, ein Stand eines anderen Programms, eine Aufzeichnung oder ein Korpus, das Sie öffnen oder auf dieses Fenster ziehen, wird hier beschrieben: was es ist, was es enthält und was sich damit tun lässt.</translation>
    </message>
    <message>
        <source>Reading %1 …</source>
        <translation>Liest %1 …</translation>
    </message>
    <message>
        <source>Describing %1</source>
        <translation>Beschreibt %1</translation>
    </message>
    <message>
        <source>This cannot be opened</source>
        <translation>Das lässt sich nicht öffnen</translation>
    </message>
    <message>
        <source>A corpus is looked at through a model: record it (Ctrl+B), then the recording opens.</source>
        <translation>Ein Korpus sieht man durch ein Modell: zeichnen Sie es auf (Strg+B), dann öffnet sich die Aufzeichnung.</translation>
    </message>
</context>
<context>
    <name>mog::gui::NeighboursView</name>
    <message>
        <source>Less the mean</source>
        <translation>Ohne das Mittel</translation>
    </message>
    <message>
        <source>Other words only</source>
        <translation>Nur andere Wörter</translation>
    </message>
    <message>
        <source>States less their mean over the recording: where all of them are alike, what is left tells them apart</source>
        <translation>Zustände ohne ihr Mittel über die Aufnahme: Wo alle einander gleichen, unterscheidet sie, was übrig bleibt</translation>
    </message>
    <message>
        <source>Without the same word at other places</source>
        <translation>Ohne dasselbe Wort an anderen Stellen</translation>
    </message>
    <message>
        <source>Neighbours of the selected word</source>
        <translation>Nachbarn des gewählten Wortes</translation>
    </message>
    <message>
        <source>Here you see the words of a recording whose states are nearest to one.</source>
        <translation>Hier sehen Sie die Wörter einer Aufnahme, deren Zustände einem Wort am nächsten sind.</translation>
    </message>
    <message>
        <source>No states in this recording</source>
        <translation>Keine Zustände in dieser Aufnahme</translation>
    </message>
    <message>
        <source>Record the corpus again with --quantity &apos;encoder.*.output&apos;.</source>
        <translation>Nehmen Sie das Korpus noch einmal mit --quantity &apos;encoder.*.output&apos; auf.</translation>
    </message>
    <message>
        <source>Record a corpus…</source>
        <translation>Ein Korpus aufnehmen…</translation>
    </message>
    <message>
        <source>No word is chosen</source>
        <translation>Kein Wort ist gewählt</translation>
    </message>
    <message>
        <source>Click a word of the sentence to see its neighbours.</source>
        <translation>Klicken Sie auf ein Wort des Satzes, um seine Nachbarn zu sehen.</translation>
    </message>
    <message>
        <source>Comparing…</source>
        <translation>Wird verglichen…</translation>
    </message>
    <message>
        <source>Neighbours of %1</source>
        <translation>Nachbarn von %1</translation>
    </message>
    <message>
        <source>No neighbours of this word</source>
        <translation>Keine Nachbarn dieses Wortes</translation>
    </message>
    <message>
        <source>Neighbours</source>
        <translation>Nachbarn</translation>
    </message>
    <message>
        <source>Words compared: %1; any two words: %2; a click chooses a sentence</source>
        <translation>Verglichene Wörter: %1; zwei beliebige Wörter: %2; ein Klick wählt einen Satz</translation>
    </message>
</context>
<context>
    <name>mog::gui::Offers</name>
    <message>
        <source>%1 is recorded.</source>
        <translation>%1 ist aufgezeichnet.</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>%1 is recorded</source>
        <translation>%1 ist aufgezeichnet</translation>
    </message>
</context>
<context>
    <name>mog::gui::Pages</name>
    <message>
        <source>Read</source>
        <translation>Lesen</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Aufmerksamkeit</translation>
    </message>
    <message>
        <source>Corpus</source>
        <translation>Korpus</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Graphs</source>
        <translation>Graphen</translation>
    </message>
    <message>
        <source>What is open, and its sentences</source>
        <translation>Was offen ist, und seine Sätze</translation>
    </message>
    <message>
        <source>Maps of all layers and heads, gates, scores taken apart</source>
        <translation>Karten aller Schichten und Köpfe, Gates, zerlegte Scores</translation>
    </message>
    <message>
        <source>Whole recordings: weight by length and by layer, figures, gold syntax</source>
        <translation>Ganze Aufzeichnungen: Gewicht nach Länge und nach Schicht, Abbildungen, Goldsyntax</translation>
    </message>
    <message>
        <source>Two sentences, models or runs side by side, and interventions</source>
        <translation>Zwei Sätze, Modelle oder Läufe nebeneinander, und Eingriffe</translation>
    </message>
    <message>
        <source>What a word is made of: its multi-order graphs and the flow behind them</source>
        <translation>Woraus ein Wort besteht: seine Multi-Order-Graphen und der Fluss dahinter</translation>
    </message>
    <message>
        <source>%1 – MoG Workbench</source>
        <translation>%1 – MoG Workbench</translation>
    </message>
    <message>
        <source>%1 stands in a window of its own.</source>
        <translation>%1 steht in einem eigenen Fenster.</translation>
    </message>
    <message>
        <source>Bring it back</source>
        <translation>Zurückholen</translation>
    </message>
    <message>
        <source>Translate</source>
        <translation>Übersetzen</translation>
    </message>
    <message>
        <source>A translation, and the source words that its words come from</source>
        <translation>Eine Übersetzung, und aus welchen Wörtern der Quelle ihre Wörter kommen</translation>
    </message>
    <message>
        <source>Parse</source>
        <translation>Parsen</translation>
    </message>
    <message>
        <source>Trees that a parser builds, step by step, and arcs set by hand</source>
        <translation>Bäume, die ein Parser baut, Schritt für Schritt, und Bögen von Hand</translation>
    </message>
</context>
<context>
    <name>mog::gui::PaletteModel</name>
    <message>
        <source>Used lately</source>
        <translation>Zuletzt benutzt</translation>
    </message>
    <message>
        <source>%1: %2 of %3</source>
        <translation>%1: %2 von %3</translation>
    </message>
    <message>
        <source>not now</source>
        <translation>jetzt nicht</translation>
    </message>
</context>
<context>
    <name>mog::gui::Pane</name>
    <message>
        <source>Views in one place</source>
        <translation>Ansichten an einem Platz</translation>
    </message>
    <message>
        <source>What does this view show? (Shift+F1)</source>
        <translation>Was zeigt diese Ansicht? (Umschalt+F1)</translation>
    </message>
    <message>
        <source>What does %1 show?</source>
        <translation>Was zeigt die Ansicht %1?</translation>
    </message>
</context>
<context>
    <name>mog::gui::ParseView</name>
    <message>
        <source>No crossing arcs</source>
        <translation>Keine Kreuzungen</translation>
    </message>
    <message>
        <source>The best tree without crossing arcs in the place of the best of all; a transition parser has no SWAP then</source>
        <translation>Der beste Baum ohne kreuzende Bögen anstelle des besten von allen; ein Übergangsparser hat dann kein SWAP</translation>
    </message>
    <message>
        <source>Tree over the words</source>
        <translation>Baum über den Wörtern</translation>
    </message>
    <message>
        <source>No parser is open</source>
        <translation>Kein Parser ist offen</translation>
    </message>
    <message>
        <source>A parser builds dependency trees: one that was trained here (mog train), or the bundled one of English.</source>
        <translation>Ein Parser baut Abhängigkeitsbäume: einer, der hier trainiert wurde (mog train), oder der mitgelieferte für Englisch.</translation>
    </message>
    <message>
        <source>Open the bundled parser</source>
        <translation>Den mitgelieferten Parser öffnen</translation>
    </message>
    <message>
        <source>Here you see the tree that a parser builds of a sentence.</source>
        <translation>Hier sehen Sie den Baum, den ein Parser aus einem Satz baut.</translation>
    </message>
    <message>
        <source>Parsing</source>
        <translation>Parsen</translation>
    </message>
    <message>
        <source>The sentence cannot be parsed</source>
        <translation>Der Satz kann nicht geparst werden</translation>
    </message>
    <message>
        <source>No tree has the arcs that are set</source>
        <translation>Kein Baum hat die gesetzten Bögen</translation>
    </message>
    <message>
        <source>Let go of all</source>
        <translation>Alle loslassen</translation>
    </message>
    <message>
        <source>State before</source>
        <translation>Zustand davor</translation>
    </message>
    <message>
        <source>Round before</source>
        <translation>Runde davor</translation>
    </message>
    <message>
        <source>Next state</source>
        <translation>Nächster Zustand</translation>
    </message>
    <message>
        <source>Next round</source>
        <translation>Nächste Runde</translation>
    </message>
    <message>
        <source>State of the parser</source>
        <translation>Zustand des Parsers</translation>
    </message>
    <message>
        <source>Round of the parser</source>
        <translation>Runde des Parsers</translation>
    </message>
    <message>
        <source>Probabilities of the actions by state</source>
        <translation>Wahrscheinlichkeiten der Aktionen je Zustand</translation>
    </message>
    <message>
        <source>Probabilities of arcs, head by dependent</source>
        <translation>Wahrscheinlichkeiten der Bögen, Kopf mal abhängiges Wort</translation>
    </message>
    <message>
        <source>Round %1 of %2</source>
        <translation>Runde %1 von %2</translation>
    </message>
    <message>
        <source>%1: the sentence alone is read</source>
        <translation>%1: gelesen wird der Satz allein</translation>
    </message>
    <message>
        <source>%1: the tree stays</source>
        <translation>%1: der Baum bleibt</translation>
    </message>
    <message>
        <source>State %1 of %2</source>
        <translation>Zustand %1 von %2</translation>
    </message>
    <message>
        <source>%1: the tree is complete</source>
        <translation>%1: der Baum ist fertig</translation>
    </message>
    <message>
        <source>%1: next %2, p %3</source>
        <translation>%1: weiter mit %2, p %3</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
    <message>
        <source>Stack: %1   Buffer: %2</source>
        <translation>Stapel: %1   Puffer: %2</translation>
    </message>
    <message>
        <source>root</source>
        <translation>Wurzel</translation>
    </message>
    <message>
        <source>%1; forced</source>
        <translation>%1; erzwungen</translation>
    </message>
    <message>
        <source>%1; forbidden</source>
        <translation>%1; verboten</translation>
    </message>
    <message>
        <source>Parse</source>
        <translation>Parse</translation>
    </message>
    <message>
        <source>Actions of the parser</source>
        <translation>Aktionen des Parsers</translation>
    </message>
    <message>
        <source>Probabilities of arcs</source>
        <translation>Wahrscheinlichkeiten der Bögen</translation>
    </message>
    <message>
        <source>%1: %2 changed</source>
        <translation>%1: %2 geändert</translation>
    </message>
    <message>
        <source>%1, as it is without the change</source>
        <translation>%1, so wie es ohne die Änderung ist</translation>
    </message>
    <message>
        <source>by %1; a click on a state of the map goes there</source>
        <translation>von %1; ein Klick auf einen Zustand der Karte führt dorthin</translation>
    </message>
    <message>
        <source>by %1; a click on a cell sets its arc or takes it out, once more lets go</source>
        <translation>von %1; ein Klick auf eine Zelle setzt ihren Bogen oder nimmt ihn heraus, noch einer lässt los</translation>
    </message>
    <message>
        <source>With Shift a click forbids an arc that is not in the tree, and keeps one that is.</source>
        <translation>Mit der Umschalttaste verbietet ein Klick einen Bogen, der nicht im Baum ist, und hält einen, der darin ist.</translation>
    </message>
    <message>
        <source>Round or state before</source>
        <translation>Runde oder Zustand davor</translation>
    </message>
    <message>
        <source>Next round or state</source>
        <translation>Nächste Runde oder nächster Zustand</translation>
    </message>
</context>
<context>
    <name>mog::gui::PatchingView</name>
    <message>
        <source>What is patched</source>
        <translation>Was ausgetauscht wird</translation>
    </message>
    <message>
        <source>Direction of the patch</source>
        <translation>Richtung des Austauschs</translation>
    </message>
    <message>
        <source>States</source>
        <translation>Zustände</translation>
    </message>
    <message>
        <source>The residual state behind each layer, token by token</source>
        <translation>Der Residualzustand hinter jeder Schicht, Token für Token</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Aufmerksamkeit</translation>
    </message>
    <message>
        <source>What the attention of each layer adds, token by token</source>
        <translation>Was die Aufmerksamkeit jeder Schicht hinzufügt, Token für Token</translation>
    </message>
    <message>
        <source>Feed-forward</source>
        <translation>Feed-forward</translation>
    </message>
    <message>
        <source>What the feed-forward block of each layer adds, token by token</source>
        <translation>Was der Feed-forward-Block jeder Schicht hinzufügt, Token für Token</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>Köpfe</translation>
    </message>
    <message>
        <source>The output of each head, at all tokens at once</source>
        <translation>Die Ausgabe jedes Kopfes, an allen Token zugleich</translation>
    </message>
    <message>
        <source>Denoising</source>
        <translation>Denoising</translation>
    </message>
    <message>
        <source>The first text is put into the run of the second: what suffices to restore what the model says of the first</source>
        <translation>Der erste Text wird in den Lauf des zweiten gesetzt: was genügt, um wiederherzustellen, was das Modell zum ersten sagt</translation>
    </message>
    <message>
        <source>Noising</source>
        <translation>Noising</translation>
    </message>
    <message>
        <source>The second text is put into the run of the first: what is needed for what the model says of the first</source>
        <translation>Der zweite Text wird in den Lauf des ersten gesetzt: was nötig ist für das, was das Modell zum ersten sagt</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>The token whose logit is read, with the space before it. Empty: what the model finds most probable behind the first text</source>
        <translation>Das Token, dessen Logit gelesen wird, mit dem Leerzeichen davor. Leer: was das Modell hinter dem ersten Text am wahrscheinlichsten findet</translation>
    </message>
    <message>
        <source>against</source>
        <translation>gegen</translation>
    </message>
    <message>
        <source>The token whose logit is taken away. Empty beside an answer: the logit alone</source>
        <translation>Das Token, dessen Logit abgezogen wird. Leer neben einer Antwort: der Logit allein</translation>
    </message>
    <message>
        <source>Activation patching of two sentences</source>
        <translation>Austausch von Aktivierungen zweier Sätze</translation>
    </message>
    <message>
        <source>Here you see which states carry what two sentences differ in.</source>
        <translation>Hier sehen Sie, welche Zustände tragen, worin sich zwei Sätze unterscheiden.</translation>
    </message>
    <message>
        <source>One sentence is held</source>
        <translation>Ein Satz ist festgehalten</translation>
    </message>
    <message>
        <source>Patching needs two sentences</source>
        <translation>Patching braucht zwei Sätze</translation>
    </message>
    <message>
        <source>Choose another one of as many tokens: the states of one are put into the run of the other.</source>
        <translation>Wählen Sie einen anderen mit ebenso vielen Token: Die Zustände des einen werden in den Lauf des anderen gesetzt.</translation>
    </message>
    <message>
        <source>Hold this sentence with D and choose one that differs in a word or two, or replace a word (Interventions). Both need as many tokens.</source>
        <translation>Halten Sie diesen Satz mit D fest und wählen Sie einen, der sich in ein, zwei Wörtern unterscheidet, oder ersetzen Sie ein Wort (Eingriffe). Beide brauchen gleich viele Token.</translation>
    </message>
    <message>
        <source>Hold this sentence (D)</source>
        <translation>Diesen Satz festhalten (D)</translation>
    </message>
    <message>
        <source>Patching runs the model</source>
        <translation>Patching lässt das Modell laufen</translation>
    </message>
    <message>
        <source>It runs both sentences, and one of them once for each state that is put in.</source>
        <translation>Es liest beide Sätze, und einen davon einmal für jeden Zustand, der eingesetzt wird.</translation>
    </message>
    <message>
        <source>One of the two was changed inside the model</source>
        <translation>Einer der beiden wurde im Modell verändert</translation>
    </message>
    <message>
        <source>Patching compares the runs of two texts as they are. Choose sentences that differ in their words.</source>
        <translation>Patching vergleicht die Läufe zweier Texte, wie sie sind. Wählen Sie Sätze, die sich in ihren Wörtern unterscheiden.</translation>
    </message>
    <message>
        <source>Running both sentences…</source>
        <translation>Beide Sätze laufen …</translation>
    </message>
    <message>
        <source>Patching activations</source>
        <translation>Aktivierungen werden ausgetauscht</translation>
    </message>
    <message>
        <source>These two cannot be patched</source>
        <translation>Bei diesen beiden ist kein Austausch möglich</translation>
    </message>
    <message>
        <source>cosine of the output</source>
        <translation>Kosinus der Ausgabe</translation>
    </message>
    <message>
        <source>logit of “%1”</source>
        <translation>Logit von „%1“</translation>
    </message>
    <message>
        <source>logit of “%1” less that of “%2”</source>
        <translation>Logit von „%1“ weniger dem von „%2“</translation>
    </message>
    <message>
        <source>%1: %2 of the first text, %3 of the second; 1 in a cell: as the first</source>
        <translation>%1: %2 beim ersten Text, %3 beim zweiten; 1 in einer Zelle: wie der erste</translation>
    </message>
    <message>
        <source>The folder of the model is not known.</source>
        <translation>Der Ordner des Modells ist nicht bekannt.</translation>
    </message>
    <message>
        <source>mog patch cuts texts into words as the model says, not as chosen here.</source>
        <translation>mog patch schneidet Texte in Wörter, wie das Modell es sagt, nicht wie hier gewählt.</translation>
    </message>
    <message>
        <source>Activation patching</source>
        <translation>Austausch von Aktivierungen</translation>
    </message>
    <message>
        <source>The model cuts the second sentence into other tokens than those that are shown. Type it, and it is patched as it is run.</source>
        <translation>Das Modell zerlegt den zweiten Satz in andere Token als die, die gezeigt werden. Tippen Sie ihn ein, dann wird ausgetauscht, wie er läuft.</translation>
    </message>
    <message>
        <source>The first sentence has %1 tokens, the second %2. Each needs its counterpart: choose words that are cut into as many pieces.</source>
        <translation>Der erste Satz hat %1 Token, der zweite %2. Jedes braucht sein Gegenstück: Wählen Sie Wörter, die in ebenso viele Stücke zerlegt werden.</translation>
    </message>
</context>
<context>
    <name>mog::gui::PictureMenus</name>
    <message>
        <source>Select this</source>
        <translation>Auswählen</translation>
    </message>
    <message>
        <source>Pin “%1”, or let go</source>
        <translation>„%1“ anheften oder loslassen</translation>
    </message>
    <message>
        <source>Select this cell</source>
        <translation>Diese Zelle auswählen</translation>
    </message>
    <message>
        <source>Pin this word, or let go</source>
        <translation>Dieses Wort anheften oder loslassen</translation>
    </message>
    <message>
        <source>Choose this</source>
        <translation>Auswählen</translation>
    </message>
    <message>
        <source>Try it…</source>
        <translation>Ausprobieren …</translation>
    </message>
    <message>
        <source>Copy “%1”</source>
        <translation>„%1“ kopieren</translation>
    </message>
    <message>
        <source>Copy the expression of this graph</source>
        <translation>Ausdruck dieses Graphen kopieren</translation>
    </message>
    <message>
        <source>Show this graph</source>
        <translation>Diesen Graphen zeigen</translation>
    </message>
    <message>
        <source>Copy its expression</source>
        <translation>Seinen Ausdruck kopieren</translation>
    </message>
    <message>
        <source>Let go of “%1”</source>
        <translation>„%1“ loslassen</translation>
    </message>
    <message>
        <source>Pin “%1”</source>
        <translation>„%1“ anheften</translation>
    </message>
    <message>
        <source>Change the sentence…</source>
        <translation>Satz ändern …</translation>
    </message>
    <message>
        <source>Copy the sentence</source>
        <translation>Satz kopieren</translation>
    </message>
    <message>
        <source>Let go of the sentence that is held</source>
        <translation>Festgehaltenen Satz loslassen</translation>
    </message>
    <message>
        <source>Hold this sentence to compare</source>
        <translation>Diesen Satz zum Vergleich festhalten</translation>
    </message>
    <message>
        <source>Export picture…</source>
        <translation>Bild exportieren …</translation>
    </message>
    <message>
        <source>Force this arc</source>
        <translation>Diesen Bogen erzwingen</translation>
    </message>
    <message>
        <source>Forbid this arc</source>
        <translation>Diesen Bogen verbieten</translation>
    </message>
    <message>
        <source>Let the parser decide</source>
        <translation>Den Parser entscheiden lassen</translation>
    </message>
    <message>
        <source>Neighbours of “%1”</source>
        <translation>Nachbarn von „%1“</translation>
    </message>
</context>
<context>
    <name>mog::gui::Rail</name>
    <message>
        <source>What is open</source>
        <translation>Was offen ist</translation>
    </message>
    <message>
        <source>Make this column narrow</source>
        <translation>Diese Spalte schmal machen</translation>
    </message>
    <message>
        <source>Show what is open</source>
        <translation>Zeigen, was offen ist</translation>
    </message>
    <message>
        <source>Type a sentence (Ctrl+L)</source>
        <translation>Satz tippen (Strg+L)</translation>
    </message>
    <message>
        <source>Models and sentences</source>
        <translation>Modelle und Sätze</translation>
    </message>
    <message>
        <source>%1 layers</source>
        <translation>%1 Schichten</translation>
    </message>
    <message>
        <source>Recordings</source>
        <translation>Aufzeichnungen</translation>
    </message>
    <message>
        <source>Type a sentence for it</source>
        <translation>Satz dafür tippen</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>Gefunden</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>Umbenennen …</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Compare with the one shown</source>
        <translation>Mit dem gezeigten vergleichen</translation>
    </message>
    <message>
        <source>Run it again</source>
        <translation>Noch einmal laufen lassen</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Open a model or recording…</source>
        <translation>Modell oder Aufzeichnung öffnen …</translation>
    </message>
    <message>
        <source>Record a corpus…</source>
        <translation>Korpus aufzeichnen …</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Name of %1 in this window and its sessions (empty: its own)</source>
        <translation>Name von %1 in diesem Fenster und seinen Sitzungen (leer: der eigene)</translation>
    </message>
    <message>
        <source>1 word</source>
        <translation>1 Wort</translation>
    </message>
    <message>
        <source>%1 words</source>
        <translation>%1 Wörter</translation>
    </message>
    <message>
        <source>1 sentence</source>
        <translation>1 Satz</translation>
    </message>
    <message>
        <source>%1 sentences</source>
        <translation>%1 Sätze</translation>
    </message>
    <message>
        <source>%1 sentences so far: the recording is not complete</source>
        <translation>Bisher %1 Sätze: die Aufzeichnung ist nicht vollständig</translation>
    </message>
    <message>
        <source>Ctrl+O opens a model</source>
        <translation>Strg+O öffnet ein Modell</translation>
    </message>
    <message>
        <source>Ctrl+B records a text</source>
        <translation>Strg+B zeichnet auf</translation>
    </message>
</context>
<context>
    <name>mog::gui::Rows</name>
    <message>
        <source>what</source>
        <translation>was</translation>
    </message>
    <message>
        <source>before</source>
        <translation>vorher</translation>
    </message>
    <message>
        <source>after</source>
        <translation>nachher</translation>
    </message>
</context>
<context>
    <name>mog::gui::SelectionHistory</name>
    <message>
        <source>pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <source>lengths</source>
        <translation>Längen</translation>
    </message>
    <message>
        <source>held sentence</source>
        <translation>festgehaltener Satz</translation>
    </message>
    <message>
        <source>This step was made in a recording that is closed: nothing has changed.</source>
        <translation>Dieser Schritt gehört zu einer Aufzeichnung, die geschlossen ist: Es hat sich nichts geändert.</translation>
    </message>
</context>
<context>
    <name>mog::gui::SentenceStrip</name>
    <message>
        <source>Previous sentence (Page Up)</source>
        <translation>Vorheriger Satz (Bild auf)</translation>
    </message>
    <message>
        <source>Next sentence (Page Down)</source>
        <translation>Nächster Satz (Bild ab)</translation>
    </message>
    <message>
        <source>Previous sentence</source>
        <translation>Vorheriger Satz</translation>
    </message>
    <message>
        <source>Next sentence</source>
        <translation>Nächster Satz</translation>
    </message>
    <message>
        <source>The sentence, to change it</source>
        <translation>Der Satz, zum Ändern</translation>
    </message>
    <message>
        <source>Enter runs the changed sentence, Esc leaves it as it is</source>
        <translation>Eingabe lässt den geänderten Satz laufen, Esc lässt ihn, wie er ist</translation>
    </message>
    <message>
        <source>Reading a sentence</source>
        <translation>Liest einen Satz</translation>
    </message>
    <message>
        <source>The sentence cannot be shown: %1</source>
        <translation>Der Satz lässt sich nicht zeigen: %1</translation>
    </message>
    <message>
        <source>Reading the gates of a recording</source>
        <translation>Liest die Gates einer Aufzeichnung</translation>
    </message>
    <message>
        <source>The model runs…</source>
        <translation>Das Modell läuft …</translation>
    </message>
    <message>
        <source>Opening…</source>
        <translation>Wird geöffnet …</translation>
    </message>
    <message>
        <source>Choose a sentence in the rail: it stands here whole, with its gates.</source>
        <translation>Wählen Sie in der linken Spalte einen Satz: hier steht er ganz, mit seinen Gates.</translation>
    </message>
    <message>
        <source>Type a sentence (Ctrl+L): it stands here whole, with its gates.</source>
        <translation>Tippen Sie einen Satz (Strg+L): hier steht er ganz, mit seinen Gates.</translation>
    </message>
    <message>
        <source>Open a model or a recording (Ctrl+O): its sentence stands here whole, with its gates.</source>
        <translation>Öffnen Sie ein Modell oder eine Aufzeichnung (Strg+O): hier steht der Satz ganz, mit seinen Gates.</translation>
    </message>
    <message>
        <source>%1 / %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Sentence %1 of %2</source>
        <translation>Satz %1 von %2</translation>
    </message>
</context>
<context>
    <name>mog::gui::SentenceTableModel</name>
    <message>
        <source>Place in the corpus, from 1</source>
        <translation>Platz im Korpus, ab 1</translation>
    </message>
    <message>
        <source>No.</source>
        <translation>Nr.</translation>
    </message>
    <message>
        <source>Words of the corpus, before any splitting into pieces</source>
        <translation>Wörter des Korpus, vor jedem Zerlegen in Stücke</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>Wörter</translation>
    </message>
    <message>
        <source>Inputs of the model, &lt;/s&gt; counted</source>
        <translation>Eingaben des Modells, &lt;/s&gt; mitgezählt</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Gate weight (of high and middle order; GRU, LSTM: of the new value), mean over words, dimensions and layers</source>
        <translation>Gate-Gewicht (hoher und mittlerer Ordnung; GRU, LSTM: des neuen Werts), Mittel über Wörter, Dimensionen und Schichten</translation>
    </message>
    <message>
        <source>Gate</source>
        <translation>Gate</translation>
    </message>
    <message>
        <source>The sentence</source>
        <translation>Der Satz</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
</context>
<context>
    <name>mog::gui::SentenceView</name>
    <message>
        <source>Open recordings</source>
        <translation>Offene Aufzeichnungen</translation>
    </message>
    <message>
        <source>Find in the sentences  ( / )</source>
        <translation>In den Sätzen suchen  ( / )</translation>
    </message>
    <message>
        <source>Find in the sentences</source>
        <translation>In den Sätzen suchen</translation>
    </message>
    <message>
        <source>Show sentences of every length again</source>
        <translation>Wieder Sätze jeder Länge zeigen</translation>
    </message>
    <message>
        <source>Sentences</source>
        <translation>Sätze</translation>
    </message>
    <message>
        <source>Reading the sentences of %1</source>
        <translation>Liest die Sätze von %1</translation>
    </message>
    <message>
        <source>%1–%2 words</source>
        <translation>%1–%2 Wörter</translation>
    </message>
    <message>
        <source>%1 words or more</source>
        <translation>%1 Wörter oder mehr</translation>
    </message>
    <message>
        <source>%1 of %2 sentences</source>
        <translation>%1 von %2 Sätzen</translation>
    </message>
    <message>
        <source>1 sentence</source>
        <translation>1 Satz</translation>
    </message>
    <message>
        <source>%1 sentences</source>
        <translation>%1 Sätze</translation>
    </message>
    <message>
        <source>%1: nothing typed yet</source>
        <translation>%1: noch nichts getippt</translation>
    </message>
</context>
<context>
    <name>mog::gui::SessionKeeper</name>
    <message>
        <source>The session has settings that this program does not know or that cannot be: %1. They are as at first.</source>
        <translation>Die Sitzung hat Einstellungen, die dieses Programm nicht kennt oder die es nicht geben kann: %1. Sie stehen wie am Anfang.</translation>
    </message>
    <message>
        <source>A session could not be brought back: the program ended while opening it. It is kept as %1; open that file to try again.</source>
        <translation>Eine Sitzung ließ sich nicht zurückholen: das Programm endete, während es sie öffnete. Sie ist als %1 aufgehoben; öffnen Sie diese Datei, um es noch einmal zu versuchen.</translation>
    </message>
    <message>
        <source>that was interrupted</source>
        <translation>, die unterbrochen wurde</translation>
    </message>
    <message>
        <source>The program ended unexpectedly. What was open then is open again.</source>
        <translation>Das Programm endete unerwartet. Was da offen war, ist wieder offen.</translation>
    </message>
    <message>
        <source>The sentences that were typed before are kept in the session %1.</source>
        <translation>Die vorher getippten Sätze liegen in der Sitzung %1.</translation>
    </message>
</context>
<context>
    <name>mog::gui::ShortcutPage</name>
    <message>
        <source>Ctrl+wheel</source>
        <translation>Strg+Rad</translation>
    </message>
    <message>
        <source>Nearer</source>
        <translation>Näher</translation>
    </message>
    <message>
        <source>Farther</source>
        <translation>Weiter weg</translation>
    </message>
    <message>
        <source>double click on nothing</source>
        <translation>Doppelklick ins Leere</translation>
    </message>
    <message>
        <source>Elsewhere</source>
        <translation>Sonst</translation>
    </message>
    <message>
        <source>wheel, drag</source>
        <translation>Rad, Ziehen</translation>
    </message>
    <message>
        <source>Move a zoomed picture</source>
        <translation>Ein vergrößertes Bild bewegen</translation>
    </message>
    <message>
        <source>pointing</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>The value, and the token in all views</source>
        <translation>Der Wert, und das Token in allen Ansichten</translation>
    </message>
    <message>
        <source>click</source>
        <translation>Klick</translation>
    </message>
    <message>
        <source>Pin the token, choose the map, the graph, the length</source>
        <translation>Token anheften; Karte, Graph, Länge wählen</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>Shift+arrows</source>
        <translation>Umschalt+Pfeile</translation>
    </message>
    <message>
        <source>From one thing to the next, as the pointer would</source>
        <translation>Von einem zum nächsten, wie der Mauszeiger</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>Click where the arrows have led</source>
        <translation>Klick, wohin die Pfeile geführt haben</translation>
    </message>
    <message>
        <source>arrows</source>
        <translation>Pfeile</translation>
    </message>
    <message>
        <source>Layer and head</source>
        <translation>Schicht und Kopf</translation>
    </message>
    <message>
        <source>Home, End</source>
        <translation>Pos1, Ende</translation>
    </message>
    <message>
        <source>The mean, the last head</source>
        <translation>Das Mittel, der letzte Kopf</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>Leertaste</translation>
    </message>
    <message>
        <source>Head out of the means, or in again</source>
        <translation>Kopf aus den Mitteln, oder wieder hinein</translation>
    </message>
    <message>
        <source>The head alone in the means, or all again</source>
        <translation>Nur dieser Kopf in den Mitteln, oder wieder alle</translation>
    </message>
    <message>
        <source>Pictures, with the focus</source>
        <translation>Bilder, mit dem Fokus</translation>
    </message>
    <message>
        <source>Tab, Shift+Tab</source>
        <translation>Tab, Umschalt+Tab</translation>
    </message>
    <message>
        <source>The next control, the one before</source>
        <translation>Das nächste Bedienelement, das vorige</translation>
    </message>
    <message>
        <source>Thumbnails, with the focus</source>
        <translation>Vorschaubilder, mit dem Fokus</translation>
    </message>
    <message>
        <source>Up, Down</source>
        <translation>Auf, Ab</translation>
    </message>
    <message>
        <source>The join that takes this one in, its query</source>
        <translation>Die Verknüpfung, die diese aufnimmt; ihre Anfrage</translation>
    </message>
    <message>
        <source>Left, Right</source>
        <translation>Links, Rechts</translation>
    </message>
    <message>
        <source>Its key, on that side</source>
        <translation>Ihr Schlüssel auf dieser Seite</translation>
    </message>
    <message>
        <source>Tab</source>
        <translation>Tab</translation>
    </message>
    <message>
        <source>The next join, in the order of joining</source>
        <translation>Die nächste Verknüpfung, wie verknüpft wurde</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>Let the join go</source>
        <translation>Verknüpfung loslassen</translation>
    </message>
    <message>
        <source>The first word, the last word</source>
        <translation>Das erste, das letzte Wort</translation>
    </message>
    <message>
        <source>Pin the word, or let go</source>
        <translation>Wort anheften oder loslassen</translation>
    </message>
    <message>
        <source>F2, Enter, double click</source>
        <translation>F2, Eingabe, Doppelklick</translation>
    </message>
    <message>
        <source>Edit the sentence; Enter runs it</source>
        <translation>Satz bearbeiten; Eingabe lässt ihn laufen</translation>
    </message>
    <message>
        <source>Graph, with the focus</source>
        <translation>Graph, mit dem Fokus</translation>
    </message>
    <message>
        <source>Words above, with the focus</source>
        <translation>Wörter oben, mit dem Fokus</translation>
    </message>
    <message>
        <source>Fit into the view; a large map: the whole, or readable cells</source>
        <translation>In die Ansicht einpassen; große Karten: ganz, oder mit lesbaren Zellen</translation>
    </message>
</context>
<context>
    <name>mog::gui::SpecialScaleButton</name>
    <message>
        <source>%1 in the scale</source>
        <translation>%1 in der Skala</translation>
    </message>
    <message>
        <source>%1 out of the scale</source>
        <translation>%1 nicht in der Skala</translation>
    </message>
    <message>
        <source>%1. Click to dim them and take them out of the scale of the colours.</source>
        <translation>%1. Ein Klick blendet sie ab und nimmt sie aus der Skala der Farben.</translation>
    </message>
    <message>
        <source>%1: dimmed. Click to take them into the scale of the colours.</source>
        <translation>%1: abgeblendet. Ein Klick nimmt sie in die Skala der Farben.</translation>
    </message>
</context>
<context>
    <name>mog::gui::StartNotes</name>
    <message>
        <source>What it collected</source>
        <translation>Was es gesammelt hat</translation>
    </message>
    <message>
        <source>Its leaves, at the foot: %1</source>
        <translation>Seine Blätter, unten: %1</translation>
    </message>
    <message>
        <source>Layer %1 joins “%2” with “%3”: attention × share = %4</source>
        <translation>Schicht %1 verknüpft „%2“ mit „%3“: Aufmerksamkeit × Anteil = %4</translation>
    </message>
    <message>
        <source>Layer %1 joins “%2” with “%3” by %4 (%5): attention × share = %6</source>
        <translation>Schicht %1 verknüpft „%2“ mit „%3“ durch %4 (%5): Aufmerksamkeit × Anteil = %6</translation>
    </message>
    <message>
        <source>Where it looks</source>
        <translation>Wohin es sieht</translation>
    </message>
    <message>
        <source>What it carries</source>
        <translation>Was es weiterträgt</translation>
    </message>
    <message>
        <source>Nothing: this join is in the layer that is shown</source>
        <translation>Nichts: diese Verknüpfung liegt in der gezeigten Schicht</translation>
    </message>
    <message>
        <source>That state, unchanged through layer %1: × %2</source>
        <translation>Dieser Zustand, unverändert durch Schicht %1: × %2</translation>
    </message>
    <message>
        <source>That state, unchanged through layers %1–%2: × %3</source>
        <translation>Dieser Zustand, unverändert durch die Schichten %1–%2: × %3</translation>
    </message>
</context>
<context>
    <name>mog::gui::StartView</name>
    <message>
        <source>What did this word collect?</source>
        <translation>Was hat dieses Wort gesammelt?</translation>
    </message>
    <message>
        <source>A Graph-Transformer joins words layer by layer. The picture shows the joins behind one word of the sentence above: every dot is a join, owned by the word it stands over.</source>
        <translation>Ein Graph-Transformer verknüpft Wörter Schicht für Schicht. Das Bild zeigt die Verknüpfungen hinter einem Wort des Satzes oben: jeder Punkt ist eine Verknüpfung und gehört dem Wort, über dem er steht.</translation>
    </message>
    <message>
        <source>Or start from your own</source>
        <translation>Oder mit Eigenem beginnen</translation>
    </message>
    <message>
        <source>Type a sentence and press Enter</source>
        <translation>Satz tippen, dann Eingabetaste</translation>
    </message>
    <message>
        <source>A sentence of your own</source>
        <translation>Ein eigener Satz</translation>
    </message>
    <message>
        <source>Opens Graph-Transformers, BERT-like encoders, GPT-2, Llama and their kin, T5, GRU, LSTM. Nothing leaves this machine.</source>
        <translation>Öffnet Graph-Transformer, Encoder wie BERT, GPT-2, Llama und ihresgleichen, T5, GRU, LSTM. Nichts verlässt diesen Rechner.</translation>
    </message>
    <message>
        <source>Graph of the first question</source>
        <translation>Graph der ersten Frage</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>Open a model or recording</source>
        <translation>Modell oder Aufzeichnung öffnen</translation>
    </message>
    <message>
        <source>Record a text</source>
        <translation>Text aufzeichnen</translation>
    </message>
    <message>
        <source>Tour</source>
        <translation>Rundgang</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>Sucht …</translation>
    </message>
    <message>
        <source>Searching the largest graph</source>
        <translation>Sucht den größten Graphen</translation>
    </message>
    <message>
        <source>What did a word collect?</source>
        <translation>Was hat ein Wort gesammelt?</translation>
    </message>
    <message>
        <source>No graphs for this sentence</source>
        <translation>Keine Graphen für diesen Satz</translation>
    </message>
    <message>
        <source>Searching the largest attention</source>
        <translation>Sucht die größte Aufmerksamkeit</translation>
    </message>
    <message>
        <source>Where does a word look?</source>
        <translation>Wohin sieht ein Wort?</translation>
    </message>
    <message>
        <source>%1 runs “%2”</source>
        <translation>%1 läuft auf „%2“</translation>
    </message>
    <message>
        <source>Opens the bundled model and runs “%1”</source>
        <translation>Öffnet das mitgelieferte Modell und lässt es auf „%1“ laufen</translation>
    </message>
    <message>
        <source>Graphs: %1</source>
        <translation>Graphen: %1</translation>
    </message>
    <message>
        <source>Attention: %1</source>
        <translation>Aufmerksamkeit: %1</translation>
    </message>
    <message>
        <source>Here you see the graph of a word.</source>
        <translation>Hier sehen Sie den Graphen eines Worts.</translation>
    </message>
    <message>
        <source>Graphs: no graph of this sentence has a weight of 10⁻⁶ or more</source>
        <translation>Graphen: kein Graph dieses Satzes hat ein Gewicht von 10⁻⁶ oder mehr</translation>
    </message>
    <message>
        <source>What did “%1” collect?</source>
        <translation>Was hat „%1“ gesammelt?</translation>
    </message>
    <message>
        <source>Graphs: nothing by a graph of weight 10⁻⁶ or more: it stands alone</source>
        <translation>Graphen: nichts, was ein Graph mit Gewicht 10⁻⁶ oder mehr zeigt: es steht allein</translation>
    </message>
    <message>
        <source>Graphs: its best graph has %1 leaves and reaches “%2” in layer %3</source>
        <translation>Graphen: sein bester Graph hat %1 Blätter und erreicht „%2“ in Schicht %3</translation>
    </message>
    <message>
        <source>The largest graph of at most eight leaves whose weight is still 10⁻⁶</source>
        <translation>Der größte Graph mit höchstens acht Blättern, dessen Gewicht noch mindestens 10⁻⁶ ist</translation>
    </message>
    <message>
        <source>The graph of “%1” at layer %2: %3 leaves, weight %4. A click opens it.</source>
        <translation>Der Graph von „%1“ in Schicht %2: %3 Blätter, Gewicht %4. Ein Klick öffnet ihn.</translation>
    </message>
    <message>
        <source>Attention: no maps of single heads in this recording</source>
        <translation>Aufmerksamkeit: keine Karten einzelner Köpfe in dieser Aufzeichnung</translation>
    </message>
    <message>
        <source>head %1 of layer %2, %3</source>
        <translation>Kopf %1 von Schicht %2, %3</translation>
    </message>
    <message>
        <source>head %1 of layer %2</source>
        <translation>Kopf %1 von Schicht %2</translation>
    </message>
    <message>
        <source>Where does “%1” look?</source>
        <translation>Wohin sieht „%1“?</translation>
    </message>
    <message>
        <source>Attention: %1, reads “%2” with weight %3</source>
        <translation>Aufmerksamkeit: %1, liest „%2“ mit Gewicht %3</translation>
    </message>
    <message>
        <source>The largest attention to another word, special tokens and punctuation aside</source>
        <translation>Die größte Aufmerksamkeit auf ein anderes Wort, Sondertoken und Satzzeichen nicht mitgezählt</translation>
    </message>
    <message>
        <source>Do long sentences carry more?</source>
        <translation>Tragen lange Sätze mehr weiter?</translation>
    </message>
    <message>
        <source>Corpus: record a text first; it is counted by layer and length</source>
        <translation>Korpus: zeichnen Sie zuerst einen Text auf; gezählt wird nach Schicht und Länge</translation>
    </message>
    <message>
        <source>Corpus: weight by layer and length over %1 recorded sentences of %2</source>
        <translation>Korpus: Gewicht nach Schicht und Länge über %1 aufgezeichnete Sätze von %2</translation>
    </message>
    <message>
        <source>Graph of a word</source>
        <translation>Graph eines Worts</translation>
    </message>
    <message>
        <source>A Graph-Transformer joins words layer by layer. Its graphs show the joins behind a word: every dot is a join, owned by the word it stands over.</source>
        <translation>Ein Graph-Transformer verknüpft Wörter Schicht für Schicht. Seine Graphen zeigen die Verknüpfungen hinter einem Wort: jeder Punkt ist eine Verknüpfung und gehört dem Wort, über dem er steht.</translation>
    </message>
    <message>
        <source>Graphs: no attention maps in this recording</source>
        <translation>Graphen: keine Aufmerksamkeitskarten in dieser Aufzeichnung</translation>
    </message>
    <message>
        <source>No attention maps in this recording</source>
        <translation>Keine Aufmerksamkeitskarten in dieser Aufzeichnung</translation>
    </message>
    <message>
        <source>Graphs are read from attention maps and gates, which the model computes for one sentence.</source>
        <translation>Graphen werden aus Aufmerksamkeitskarten und Gates gelesen, die das Modell für einen Satz berechnet.</translation>
    </message>
</context>
<context>
    <name>mog::gui::StatusLine</name>
    <message>
        <source>Read-out</source>
        <translation>Anzeige</translation>
    </message>
</context>
<context>
    <name>mog::gui::StepBar</name>
    <message>
        <source>Step before</source>
        <translation>Schritt zurück</translation>
    </message>
    <message>
        <source>Next step</source>
        <translation>Nächster Schritt</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
</context>
<context>
    <name>mog::gui::StretchPicker</name>
    <message>
        <source>Queries</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>Tokens whose rows are shown</source>
        <translation>Token, deren Zeilen gezeigt werden</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>Tokens whose columns are shown</source>
        <translation>Token, deren Spalten gezeigt werden</translation>
    </message>
    <message>
        <source>the tokens before</source>
        <translation>die Token davor</translation>
    </message>
    <message>
        <source>the tokens that follow</source>
        <translation>die Token danach</translation>
    </message>
    <message>
        <source>%L1 to %L2</source>
        <translation>%L1 bis %L2</translation>
    </message>
    <message>
        <source>of %L1 tokens</source>
        <translation>von %L1 Token</translation>
    </message>
    <message>
        <source>%1; a selected word brings its own</source>
        <translation>%1; ein gewähltes Wort bringt die seinen</translation>
    </message>
</context>
<context>
    <name>mog::gui::StripLine</name>
    <message>
        <source>Words of the sentence</source>
        <translation>Wörter des Satzes</translation>
    </message>
    <message>
        <source>Left and Right choose the word, Space lets it go, Page Up and Page Down the sentence, F2 edits it.</source>
        <translation>Links und Rechts wählen das Wort, die Leertaste lässt es los, Bild auf und Bild ab wählen den Satz, F2 ändert ihn.</translation>
    </message>
    <message>
        <source>%1, gate %2</source>
        <translation>%1, Gate %2</translation>
    </message>
    <message>
        <source>%1: word %2 of %3</source>
        <translation>%1: Wort %2 von %3</translation>
    </message>
    <message>
        <source>gate %1, median %2</source>
        <translation>Gate %1, Median %2</translation>
    </message>
    <message>
        <source>gate %1</source>
        <translation>Gate %1</translation>
    </message>
    <message>
        <source>%1, surprisal %2</source>
        <translation>%1, Surprisal %2</translation>
    </message>
    <message>
        <source>surprisal %1 nats, probability %2</source>
        <translation>Surprisal %1 Nats, Wahrscheinlichkeit %2</translation>
    </message>
    <message>
        <source>, rank %1</source>
        <translation>, Rang %1</translation>
    </message>
    <message>
        <source>, rank of its first piece %1</source>
        <translation>, Rang seines ersten Stücks %1</translation>
    </message>
    <message>
        <source>the first token: nothing before it says what it will be</source>
        <translation>das erste Token: Nichts davor sagt, was es sein wird</translation>
    </message>
</context>
<context>
    <name>mog::gui::ThresholdBox</name>
    <message>
        <source>auto</source>
        <translation>auto</translation>
    </message>
    <message>
        <source>Weaker arcs are left out (key T); auto: %1</source>
        <translation>Schwächere Bögen entfallen (Taste T); auto: %1</translation>
    </message>
    <message>
        <source>Threshold of the arcs</source>
        <translation>Schwelle der Bögen</translation>
    </message>
</context>
<context>
    <name>mog::gui::TopBar</name>
    <message>
        <source>The model that is looked at; others, and how to open one</source>
        <translation>Das Modell, das betrachtet wird; andere, und wie man eines öffnet</translation>
    </message>
    <message>
        <source>+ compare</source>
        <translation>+ Vergleich</translation>
    </message>
    <message>
        <source>Find or run</source>
        <translation>Suchen, ausführen</translation>
    </message>
    <message>
        <source>Find any action, view, quantity, figure or sentence (Ctrl+K)</source>
        <translation>Aktion, Ansicht, Größe, Abbildung oder Satz suchen (Strg+K)</translation>
    </message>
    <message>
        <source>Export the picture or its numbers (Ctrl+E)</source>
        <translation>Bild oder seine Zahlen exportieren (Strg+E)</translation>
    </message>
    <message>
        <source>Light or dark</source>
        <translation>Hell oder dunkel</translation>
    </message>
    <message>
        <source>This workspace in a window of its own</source>
        <translation>Dieser Arbeitsbereich in eigenem Fenster</translation>
    </message>
    <message>
        <source>%1 (Ctrl+%2)</source>
        <translation>%1 (Strg+%2)</translation>
    </message>
    <message>
        <source>Open a model…</source>
        <translation>Modell öffnen …</translation>
    </message>
    <message>
        <source>Model: %1</source>
        <translation>Modell: %1</translation>
    </message>
    <message>
        <source>Open a model or recording…</source>
        <translation>Modell oder Aufzeichnung öffnen …</translation>
    </message>
    <message>
        <source>compared with %1</source>
        <translation>verglichen mit %1</translation>
    </message>
    <message>
        <source>Hold this sentence to compare it with the next (D)</source>
        <translation>Diesen Satz festhalten, um ihn mit dem nächsten zu vergleichen (D)</translation>
    </message>
    <message>
        <source>Sentence %1 of %2 is held (D lets go)</source>
        <translation>Satz %1 von %2 ist festgehalten (D lässt los)</translation>
    </message>
</context>
<context>
    <name>mog::gui::Tour</name>
    <message>
        <source>&amp;Back</source>
        <translation>&amp;Zurück</translation>
    </message>
    <message>
        <source>S&amp;kip the tour</source>
        <translation>&amp;Überspringen</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>&amp;Done</source>
        <translation>&amp;Fertig</translation>
    </message>
    <message>
        <source>&amp;Next</source>
        <translation>&amp;Weiter</translation>
    </message>
    <message>
        <source>A sentence</source>
        <translation>Ein Satz</translation>
    </message>
    <message>
        <source>Every layer and head</source>
        <translation>Jede Schicht, jeder Kopf</translation>
    </message>
    <message>
        <source>One thumbnail for each layer (row) and head (column); the first column is the mean. Click one, or use Up, Down and [ ]. The keys 1 to 4 choose the part.</source>
        <translation>Ein Vorschaubild für jede Schicht (Zeile) und jeden Kopf (Spalte); die erste Spalte ist das Mittel. Klicken Sie eines an, oder nehmen Sie Auf, Ab und [ ]. Die Tasten 1 bis 4 wählen den Teil.</translation>
    </message>
    <message>
        <source>The open map</source>
        <translation>Die offene Karte</translation>
    </message>
    <message>
        <source>Rows are queries, columns keys. Point at a cell: its value stands at the lower left, and the token lights in all views. A click pins it.</source>
        <translation>Zeilen sind Anfragen, Spalten Schlüssel. Zeigen Sie auf eine Zelle: ihr Wert steht unten links, und das Token leuchtet in allen Ansichten. Ein Klick heftet es an.</translation>
    </message>
    <message>
        <source>Multi-order graphs</source>
        <translation>Multi-Order-Graphen</translation>
    </message>
    <message>
        <source>Gates</source>
        <translation>Gates</translation>
    </message>
    <message>
        <source>How much the model itself weighs high and middle order against low order, at every token and layer.</source>
        <translation>Wie stark das Modell selbst hohe und mittlere gegen niedrige Ordnung gewichtet, an jedem Token und in jeder Schicht.</translation>
    </message>
    <message>
        <source>Interventions</source>
        <translation>Eingriffe</translation>
    </message>
    <message>
        <source>Mask a word, cut a head, set the gate: the model runs again, and Compare shows before, after and the difference.</source>
        <translation>Maskieren Sie ein Wort, entfernen Sie einen Kopf, setzen Sie das Gate: das Modell läuft noch einmal, und der Vergleich zeigt vorher, nachher und den Unterschied.</translation>
    </message>
    <message>
        <source>Whole recordings</source>
        <translation>Ganze Aufzeichnungen</translation>
    </message>
    <message>
        <source>Type a sentence here and press Enter: the model %1 runs, and every view shows it. Ctrl+L leads to the line, Esc back to the pictures. Ctrl+O opens a model or a recording of your own.</source>
        <translation>Tippen Sie hier einen Satz und drücken Sie die Eingabetaste: das Modell %1 läuft, und jede Ansicht zeigt ihn. Strg+L führt in die Zeile, Esc zurück zu den Bildern. Strg+O öffnet ein eigenes Modell oder eine eigene Aufzeichnung.</translation>
    </message>
    <message>
        <source>Ctrl+O opens a recording or a model; with a model open, this line runs the sentences that you type.</source>
        <translation>Strg+O öffnet eine Aufzeichnung oder ein Modell; ist ein Modell offen, lässt diese Zeile es auf den Sätzen laufen, die Sie tippen.</translation>
    </message>
    <message>
        <source>The best graphs that the pinned word owns, one for each number of leaves: every disc is a join, over the word that owns it, at its layer. Left and Right walk from word to word.</source>
        <translation>Die besten Graphen, die dem angehefteten Wort gehören, einer für jede Zahl von Blättern: jeder Punkt ist eine Verknüpfung, über dem Wort, dem sie gehört, auf ihrer Schicht. Links und Rechts gehen von Wort zu Wort.</translation>
    </message>
    <message>
        <source>Ctrl+B records a corpus. Weight by length then counts over all its sentences. Ctrl+1 to Ctrl+7 are the workspaces. Shift+F1 says what a view shows, F1 lists all keys.</source>
        <translation>Strg+B zeichnet ein Korpus auf. „Gewicht nach Länge“ zählt dann über alle seine Sätze. Strg+1 bis Strg+7 sind die Arbeitsbereiche. Umschalt+F1 sagt, was eine Ansicht zeigt, F1 nennt alle Tasten.</translation>
    </message>
</context>
<context>
    <name>mog::gui::TrailModel</name>
    <message>
        <source>No.</source>
        <translation>Nr.</translation>
    </message>
    <message>
        <source>Of</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>Intervention</source>
        <translation>Eingriff</translation>
    </message>
</context>
<context>
    <name>mog::gui::TrainingRuns</name>
    <message>
        <source>Reading the trajectory %1</source>
        <translation>Liest den Verlauf %1</translation>
    </message>
</context>
<context>
    <name>mog::gui::TrajectoryView</name>
    <message>
        <source>Gate weight</source>
        <translation>Gate-Gewicht</translation>
    </message>
    <message>
        <source>Share of each part</source>
        <translation>Anteil jedes Teils</translation>
    </message>
    <message>
        <source>Attention entropy</source>
        <translation>Entropie der Aufmerksamkeit</translation>
    </message>
    <message>
        <source>Greatest attention</source>
        <translation>Größte Aufmerksamkeit</translation>
    </message>
    <message>
        <source>Expected leaves</source>
        <translation>Erwartete Blätter</translation>
    </message>
    <message>
        <source>Token cosine</source>
        <translation>Kosinus der Tokens</translation>
    </message>
    <message>
        <source>UUAS of the best tree</source>
        <translation>UUAS des besten Baums</translation>
    </message>
    <message>
        <source>Change &amp;points</source>
        <translation>&amp;Wendestellen</translation>
    </message>
    <message>
        <source>&amp;Runs in one panel</source>
        <translation>&amp;Läufe in einem Feld</translation>
    </message>
    <message>
        <source>Quantity</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Sentence length</source>
        <translation>Satzlänge</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>Kopf</translation>
    </message>
    <message>
        <source>Training runs that are open, to close one or to open more</source>
        <translation>Offene Trainingsläufe: einen schließen oder weitere öffnen</translation>
    </message>
    <message>
        <source>Rings where a line goes another way</source>
        <translation>Ringe, wo eine Linie anders weitergeht</translation>
    </message>
    <message>
        <source>Dashes are runs; of one layer colours are runs, too</source>
        <translation>Striche sind Läufe; bei einer Schicht sind es auch die Farben</translation>
    </message>
    <message>
        <source>Quantity over the updates of a training run</source>
        <translation>Größe über den Updates eines Trainingslaufs</translation>
    </message>
    <message>
        <source>No training run is open</source>
        <translation>Kein Trainingslauf ist offen</translation>
    </message>
    <message>
        <source>mog train --watch writes trajectory.csv into the folder OUTPUT.training. Open the file or its folder: here you see how a quantity moves, update by update, also while the training goes on.</source>
        <translation>mog train --watch schreibt trajectory.csv in den Ordner AUSGABE.training. Öffnen Sie die Datei oder ihren Ordner: Hier sehen Sie, wie sich eine Größe bewegt, Update für Update, auch während das Training läuft.</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Öffnen …</translation>
    </message>
    <message>
        <source>No training run could be read</source>
        <translation>Kein Trainingslauf ließ sich lesen</translation>
    </message>
    <message>
        <source>Runs: %1</source>
        <translation>Läufe: %1</translation>
    </message>
    <message>
        <source>Close %1</source>
        <translation>%1 schließen</translation>
    </message>
    <message>
        <source>Close %1, which cannot be read</source>
        <translation>%1 schließen (nicht lesbar)</translation>
    </message>
    <message>
        <source>Open another…</source>
        <translation>Weiteren öffnen …</translation>
    </message>
    <message>
        <source>All lengths</source>
        <translation>Alle Längen</translation>
    </message>
    <message>
        <source>%1 words</source>
        <translation>%1 Wörter</translation>
    </message>
    <message>
        <source>All layers</source>
        <translation>Alle Schichten</translation>
    </message>
    <message>
        <source>Layer %1</source>
        <translation>Schicht %1</translation>
    </message>
    <message>
        <source>Mean over heads</source>
        <translation>Mittel über Köpfe</translation>
    </message>
    <message>
        <source>Head %1</source>
        <translation>Kopf %1</translation>
    </message>
    <message>
        <source>These runs have no quantity in common</source>
        <translation>Diese Läufe haben keine Größe gemeinsam</translation>
    </message>
    <message>
        <source>Close one of them: the button above the picture names them.</source>
        <translation>Schließen Sie einen davon: Der Knopf über dem Bild nennt sie.</translation>
    </message>
    <message>
        <source>Drawing a trajectory</source>
        <translation>Zeichnet einen Verlauf</translation>
    </message>
    <message>
        <source>This figure cannot be made</source>
        <translation>Diese Abbildung lässt sich nicht machen</translation>
    </message>
    <message>
        <source>Trajectory</source>
        <translation>Verlauf</translation>
    </message>
</context>
<context>
    <name>mog::gui::TranslationView</name>
    <message>
        <source>Where words come from</source>
        <translation>Woher Wörter kommen</translation>
    </message>
    <message>
        <source>&amp;Begins with</source>
        <translation>&amp;Beginnt mit</translation>
    </message>
    <message>
        <source>Words that the translation begins with</source>
        <translation>Wörter, mit denen die Übersetzung beginnt</translation>
    </message>
    <message>
        <source>Best translations</source>
        <translation>Beste Übersetzungen</translation>
    </message>
    <message>
        <source>Words of the translation on words of the source</source>
        <translation>Wörter der Übersetzung auf Wörter der Quelle</translation>
    </message>
    <message>
        <source>mean over layers</source>
        <translation>Mittel über Schichten</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>Schicht %1</translation>
    </message>
    <message>
        <source>%1, mean over heads</source>
        <translation>%1, Mittel über Köpfe</translation>
    </message>
    <message>
        <source>%1, head %2</source>
        <translation>%1, Kopf %2</translation>
    </message>
    <message>
        <source>Here you see how a translator renders a sentence, word by word.</source>
        <translation>Hier sehen Sie, wie ein Übersetzer einen Satz wiedergibt, Wort für Wort.</translation>
    </message>
    <message>
        <source>No translation in this recording</source>
        <translation>Keine Übersetzung in dieser Aufzeichnung</translation>
    </message>
    <message>
        <source>A translator that is open translates the sentence. For all of them, record the corpus with mog translate --record.</source>
        <translation>Ein geöffneter Übersetzer übersetzt den Satz. Für alle Sätze zeichnen Sie das Korpus mit mog translate --record auf.</translation>
    </message>
    <message>
        <source>This model does not translate</source>
        <translation>Dieses Modell übersetzt nicht</translation>
    </message>
    <message>
        <source>It has no decoder. Open a translator: a folder, a fairseq checkpoint, a CTranslate2 folder.</source>
        <translation>Es hat keinen Decoder. Öffnen Sie einen Übersetzer: einen Ordner, einen fairseq-Checkpoint, einen CTranslate2-Ordner.</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Öffnen …</translation>
    </message>
    <message>
        <source>Translating</source>
        <translation>Übersetzen</translation>
    </message>
    <message>
        <source>The sentence cannot be translated</source>
        <translation>Der Satz lässt sich nicht übersetzen</translation>
    </message>
    <message>
        <source>Cross-attention</source>
        <translation>Cross-Attention</translation>
    </message>
    <message>
        <source>Contribution</source>
        <translation>Beitrag</translation>
    </message>
    <message>
        <source>ALTI+</source>
        <translation>ALTI+</translation>
    </message>
    <message>
        <source>The weights of the decoder&apos;s heads on the source, of the step that predicts the word</source>
        <translation>Die Gewichte der Köpfe des Decoders auf der Quelle, in dem Schritt, der das Wort vorhersagt</translation>
    </message>
    <message>
        <source>What the score of the word owes to each source word, with norms and attention frozen</source>
        <translation>Was der Wert des Wortes jedem Wort der Quelle verdankt, Normen und Aufmerksamkeit festgehalten</translation>
    </message>
    <message>
        <source>How near each source word brings the state that predicts the word (Ferrando et al. 2022)</source>
        <translation>Wie nahe jedes Wort der Quelle den Zustand bringt, der das Wort vorhersagt (Ferrando et al. 2022)</translation>
    </message>
    <message>
        <source>score %1: log p %2 over %3 tokens</source>
        <translation>Bewertung %1: log p %2 über %3 Token</translation>
    </message>
    <message>
        <source>Reading thumbnails</source>
        <translation>Kleine Bilder werden gelesen</translation>
    </message>
    <message>
        <source>Reading a map</source>
        <translation>Eine Karte wird gelesen</translation>
    </message>
    <message>
        <source>No such map</source>
        <translation>Keine solche Karte</translation>
    </message>
    <message>
        <source>a click on a word lights the words that it comes from</source>
        <translation>ein Klick auf ein Wort färbt die Wörter, aus denen es kommt</translation>
    </message>
    <message>
        <source>mean over heads</source>
        <translation>Mittel über Köpfe</translation>
    </message>
    <message>
        <source>head %1</source>
        <translation>Kopf %1</translation>
    </message>
    <message>
        <source>A sentence that was changed inside the model has no command: mog record runs sentences as they are.</source>
        <translation>Ein Satz, der im Modell verändert wurde, hat keinen Befehl: mog record rechnet Sätze, wie sie sind.</translation>
    </message>
    <message>
        <source>Word alignment</source>
        <translation>Wortalignierung</translation>
    </message>
    <message>
        <source>your words, Enter</source>
        <translation>eigene Wörter, Enter</translation>
    </message>
    <message>
        <source>Capsules</source>
        <translation>Kapseln</translation>
    </message>
    <message>
        <source>Words of the translation on those before them</source>
        <translation>Wörter der Übersetzung auf denen davor</translation>
    </message>
    <message>
        <source>Capsules of the global representation on words</source>
        <translation>Kapseln der globalen Repräsentation auf Wörtern</translation>
    </message>
    <message>
        <source>the pointer on a row lights the words that the capsule collects</source>
        <translation>der Zeiger auf einer Zeile färbt die Wörter, die die Kapsel sammelt</translation>
    </message>
    <message>
        <source>a click on a word lights those before it that it reads</source>
        <translation>ein Klick auf ein Wort färbt die davor, die es liest</translation>
    </message>
    <message>
        <source>%1, %2; %3</source>
        <translation>%1, %2; %3</translation>
    </message>
    <message>
        <source>What capsules collect</source>
        <translation>Was Kapseln sammeln</translation>
    </message>
    <message>
        <source>Attention to own words</source>
        <translation>Aufmerksamkeit auf eigene Wörter</translation>
    </message>
    <message>
        <source>Maps on the source</source>
        <translation>Karten auf die Quelle</translation>
    </message>
    <message>
        <source>Maps on own words</source>
        <translation>Karten auf eigene Wörter</translation>
    </message>
    <message>
        <source>Which maps are shown</source>
        <translation>Welche Karten gezeigt werden</translation>
    </message>
</context>
<context>
    <name>mog::gui::TranslationWords</name>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>Translation</source>
        <translation>Übersetzung</translation>
    </message>
</context>
<context>
    <name>mog::gui::TreeView</name>
    <message>
        <source>Shown as</source>
        <translation>Gezeigt als</translation>
    </message>
    <message>
        <source>Tree</source>
        <translation>Baum</translation>
    </message>
    <message>
        <source>Arcs</source>
        <translation>Bögen</translation>
    </message>
    <message>
        <source>The joins as arcs above the sentence</source>
        <translation>Die Verknüpfungen als Bögen über dem Satz</translation>
    </message>
    <message>
        <source>Multi-order graph</source>
        <translation>Multi-Order-Graph</translation>
    </message>
    <message>
        <source>No attention maps in this recording</source>
        <translation>Keine Aufmerksamkeitskarten in dieser Aufzeichnung</translation>
    </message>
    <message>
        <source>No graphs for this sentence</source>
        <translation>Keine Graphen für diesen Satz</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>Sucht …</translation>
    </message>
    <message>
        <source>Searching the best graphs</source>
        <translation>Sucht die besten Graphen</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>Nichts gefunden</translation>
    </message>
    <message>
        <source>No graph of this word has a weight above 0.</source>
        <translation>Kein Graph dieses Worts hat ein Gewicht über 0.</translation>
    </message>
    <message>
        <source>Multi-order graph as a tree</source>
        <translation>Multi-Order-Graph als Baum</translation>
    </message>
    <message>
        <source>Multi-order graph as arcs</source>
        <translation>Multi-Order-Graph als Bögen</translation>
    </message>
    <message>
        <source>Here you see the graphs that the model built of a sentence.</source>
        <translation>Hier sehen Sie die Graphen, die das Modell aus einem Satz gebaut hat.</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>Words by layers, joins at the height of their layer</source>
        <translation>Wörter nach Schichten, Verknüpfungen auf der Höhe ihrer Schicht</translation>
    </message>
    <message>
        <source>Its words</source>
        <translation>Seine Wörter</translation>
    </message>
    <message>
        <source>A column for each word of the graph</source>
        <translation>Eine Spalte für jedes Wort des Graphen</translation>
    </message>
    <message>
        <source>All words</source>
        <translation>Alle Wörter</translation>
    </message>
    <message>
        <source>A column for each word of the sentence</source>
        <translation>Eine Spalte für jedes Wort des Satzes</translation>
    </message>
    <message>
        <source>Flow</source>
        <translation>Fluss</translation>
    </message>
    <message>
        <source>Behind the graph: the two words that each word reads most, by layer</source>
        <translation>Hinter dem Graphen: die zwei Wörter, die jedes Wort am meisten liest, nach Schicht</translation>
    </message>
    <message>
        <source>Flow behind the graph, in percent</source>
        <translation>Fluss hinter dem Graphen, in Prozent</translation>
    </message>
    <message>
        <source>The best for each number of leaves</source>
        <translation>Der beste für jede Zahl von Blättern</translation>
    </message>
    <message>
        <source>The best %1 of any size</source>
        <translation>Die besten %1 jeder Größe</translation>
    </message>
    <message>
        <source>Graph before</source>
        <translation>Voriger Graph</translation>
    </message>
    <message>
        <source>Next graph</source>
        <translation>Nächster Graph</translation>
    </message>
    <message>
        <source>The expression is in the clipboard.</source>
        <translation>Der Ausdruck ist in der Zwischenablage.</translation>
    </message>
    <message>
        <source>Graphs are read from attention maps and gates, which the model computes for one sentence. For all of them, record the corpus again with --capture attention,gates.</source>
        <translation>Graphen werden aus Aufmerksamkeitskarten und Gates gelesen, die das Modell für einen Satz berechnet. Für alle: das Korpus noch einmal mit --capture attention,gates aufzeichnen.</translation>
    </message>
</context>
<context>
    <name>mog::gui::TryIt</name>
    <message>
        <source>Try</source>
        <translation>Probieren</translation>
    </message>
    <message>
        <source>Largest changes of what was tried</source>
        <translation>Größte Änderungen des Versuchs</translation>
    </message>
    <message>
        <source>Keep as variant</source>
        <translation>Als Variante behalten</translation>
    </message>
    <message>
        <source>Open in Compare</source>
        <translation>Im Vergleich öffnen</translation>
    </message>
    <message>
        <source>if head %1 of layer %2 is cut</source>
        <translation>wenn Kopf %1 von Schicht %2 entfernt ist</translation>
    </message>
    <message>
        <source>if %1 is left out</source>
        <translation>wenn %1 wegfällt</translation>
    </message>
    <message>
        <source>if %1 is %2</source>
        <translation>wenn statt %1 dort %2 steht</translation>
    </message>
    <message>
        <source>The model runs…</source>
        <translation>Das Modell läuft …</translation>
    </message>
    <message>
        <source>Trying a change</source>
        <translation>Probiert eine Änderung</translation>
    </message>
    <message>
        <source>Nothing that was recorded changes.</source>
        <translation>Nichts von dem, was aufgezeichnet wurde, ändert sich.</translation>
    </message>
    <message>
        <source>What was set itself is left out.</source>
        <translation>Was selbst gesetzt wurde, ist weggelassen.</translation>
    </message>
    <message>
        <source>Show the largest</source>
        <translation>Nur die größten zeigen</translation>
    </message>
    <message>
        <source>Show all %1 changes</source>
        <translation>Alle %1 Änderungen zeigen</translation>
    </message>
    <message>
        <source>The sentence was closed: it cannot be kept.</source>
        <translation>Der Satz wurde geschlossen: er lässt sich nicht behalten.</translation>
    </message>
    <message>
        <source>another word, several, or none</source>
        <translation>ein anderes Wort, mehrere oder keines</translation>
    </message>
    <message>
        <source>Words in the place of this one</source>
        <translation>Wörter an dessen Stelle</translation>
    </message>
    <message>
        <source>What is scaled</source>
        <translation>Was skaliert wird</translation>
    </message>
    <message>
        <source>Value of the change</source>
        <translation>Wert der Änderung</translation>
    </message>
    <message>
        <source>Makes it a sentence of its model, below the one that it changes</source>
        <translation>Macht daraus einen Satz des Modells, unter dem, der geändert wurde</translation>
    </message>
    <message>
        <source>Keeps it, and shows it beside the sentence as it was</source>
        <translation>Behält ihn und zeigt ihn neben dem Satz, wie er war</translation>
    </message>
    <message>
        <source>Choose a word in a picture (a click, or Left and Right).</source>
        <translation>Wählen Sie ein Wort in einem Bild (ein Klick, oder Links und Rechts).</translation>
    </message>
    <message>
        <source>This is a special token, not a word.</source>
        <translation>Das ist ein Sondertoken, kein Wort.</translation>
    </message>
    <message>
        <source>Mask word</source>
        <translation>Wort maskieren</translation>
    </message>
    <message>
        <source>No word may attend to it any more; its own row stays</source>
        <translation>Kein Wort darf mehr darauf achten; seine eigene Zeile bleibt</translation>
    </message>
    <message>
        <source>%1 in its place</source>
        <translation>%1 an seiner Stelle</translation>
    </message>
    <message>
        <source>The model reads %1 there; everything else runs as before</source>
        <translation>Das Modell liest dort %1; alles andere läuft wie vorher</translation>
    </message>
    <message>
        <source>Replace…</source>
        <translation>Ersetzen …</translation>
    </message>
    <message>
        <source>Another word, several, or none in its place</source>
        <translation>Ein anderes Wort, mehrere oder keines an seiner Stelle</translation>
    </message>
    <message>
        <source>Cut head %1</source>
        <translation>Kopf %1 entfernen</translation>
    </message>
    <message>
        <source>Cut head</source>
        <translation>Kopf entfernen</translation>
    </message>
    <message>
        <source>Its output counts as 0 in layer %1; the bias of the output map stays</source>
        <translation>Seine Ausgabe zählt in Schicht %1 als 0; der Bias der Ausgabeabbildung bleibt</translation>
    </message>
    <message>
        <source>Choose a head ([ and ], or a bar above).</source>
        <translation>Wählen Sie einen Kopf ([ und ], oder einen Balken darüber).</translation>
    </message>
    <message>
        <source>Scale…</source>
        <translation>Skalieren …</translation>
    </message>
    <message>
        <source>Head, part or layer times a number</source>
        <translation>Kopf, Teil oder Schicht mal eine Zahl</translation>
    </message>
    <message>
        <source>Set gate…</source>
        <translation>Gate setzen …</translation>
    </message>
    <message>
        <source>Of all words in layer %1</source>
        <translation>Aller Wörter in Schicht %1</translation>
    </message>
    <message>
        <source>1: only high and middle order, 0: only low order</source>
        <translation>1: nur hohe und mittlere Ordnung, 0: nur niedrige</translation>
    </message>
    <message>
        <source>0 cuts, 1 leaves as it is</source>
        <translation>0 entfernt, 1 lässt, wie es ist</translation>
    </message>
    <message>
        <source>head %1</source>
        <translation>Kopf %1</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>Schicht %1</translation>
    </message>
    <message>
        <source>if the gate of layer %1 is %2</source>
        <translation>wenn das Gate von Schicht %1 auf %2 steht</translation>
    </message>
    <message>
        <source>if %1 counts %2 times</source>
        <translation>wenn %1 %2-fach zählt</translation>
    </message>
    <message>
        <source>if nothing may attend to “%1”</source>
        <translation>wenn nichts auf „%1“ achten darf</translation>
    </message>
    <message>
        <source>if %1 stands in the place of “%2”</source>
        <translation>wenn %1 anstelle von „%2“ steht</translation>
    </message>
    <message>
        <source>Mask “%1”</source>
        <translation>„%1“ maskieren</translation>
    </message>
    <message>
        <source>Of “%1” in layer %2</source>
        <translation>Von „%1“ in Schicht %2</translation>
    </message>
    <message>
        <source>A change runs the model %1 once more.</source>
        <translation>Eine Änderung lässt das Modell %1 noch einmal laufen.</translation>
    </message>
</context>
<context>
    <name>mog::gui::TypingField</name>
    <message>
        <source>Type a sentence</source>
        <translation>Satz tippen</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Los</translation>
    </message>
    <message>
        <source>Run the model on this sentence (Enter, Ctrl+R)</source>
        <translation>Das Modell auf diesen Satz anwenden (Eingabe, Strg+R)</translation>
    </message>
    <message>
        <source>Words of the sentence</source>
        <translation>Wörter des Satzes</translation>
    </message>
    <message>
        <source>How the text is cut into words: as the model says (auto), at spaces (text that is cut already), as English treebanks of Universal Dependencies are (ud-en), into characters</source>
        <translation>Wie der Text in Wörter zerlegt wird: wie das Modell es sagt (auto), an Leerzeichen (Text, der schon zerlegt ist), wie englische Baumbanken der Universal Dependencies (ud-en), in Zeichen</translation>
    </message>
    <message>
        <source>Open a model first</source>
        <translation>Zuerst ein Modell öffnen</translation>
    </message>
    <message>
        <source>A sentence is run by a model: open one with Ctrl+O</source>
        <translation>Einen Satz rechnet ein Modell: eines öffnen mit Strg+O</translation>
    </message>
    <message>
        <source>A sentence for %1</source>
        <translation>Ein Satz für %1</translation>
    </message>
</context>
<context>
    <name>mog::gui::View</name>
    <message>
        <source>A sentence that was changed inside the model has no command: mog record runs sentences as they are.</source>
        <translation>Ein im Modell geänderter Satz hat keinen Befehl: mog record lässt Sätze laufen, wie sie sind.</translation>
    </message>
    <message>
        <source>This one holds the %1 greatest weights of each row alone (--store-top-k), which are no map.</source>
        <translation>Diese hält von jeder Zeile nur die %1 größten Gewichte (--store-top-k), und das ist keine Karte.</translation>
    </message>
    <message>
        <source>This recording is in memory only.</source>
        <translation>Diese Aufzeichnung ist nur im Speicher.</translation>
    </message>
    <message>
        <source>The model runs…</source>
        <translation>Das Modell läuft …</translation>
    </message>
    <message>
        <source>Its sentence is shown as soon as it is done.</source>
        <translation>Sein Satz erscheint, sobald es fertig ist.</translation>
    </message>
    <message>
        <source>Opening…</source>
        <translation>Wird geöffnet …</translation>
    </message>
    <message>
        <source>The job list shows how far it is.</source>
        <translation>Die Auftragsliste zeigt, wie weit es ist.</translation>
    </message>
    <message>
        <source>No sentence is chosen</source>
        <translation>Kein Satz ist gewählt</translation>
    </message>
    <message>
        <source>Choose one in the sentence table.</source>
        <translation>Wählen Sie einen in der Satztabelle.</translation>
    </message>
    <message>
        <source>No sentence in this recording</source>
        <translation>Kein Satz in dieser Aufzeichnung</translation>
    </message>
    <message>
        <source>It ended before its first sentence: record the corpus again, or open another recording with Ctrl+O.</source>
        <translation>Sie endete vor ihrem ersten Satz: Zeichnen Sie das Korpus noch einmal auf, oder öffnen Sie mit Strg+O eine andere Aufzeichnung.</translation>
    </message>
    <message>
        <source>No sentence yet</source>
        <translation>Noch kein Satz</translation>
    </message>
    <message>
        <source>Type a sentence (Ctrl+L) and press Enter, or record a corpus with Ctrl+B.</source>
        <translation>Tippen Sie einen Satz (Strg+L) und drücken die Eingabetaste, oder zeichnen Sie mit Strg+B ein Korpus auf.</translation>
    </message>
    <message>
        <source>Nothing is open yet</source>
        <translation>Noch ist nichts offen</translation>
    </message>
    <message>
        <source>Open a recording or a model with Ctrl+O, or drop its folder on this window.</source>
        <translation>Öffnen Sie eine Aufzeichnung oder ein Modell mit Strg+O, oder ziehen Sie dessen Ordner auf dieses Fenster.</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Öffnen …</translation>
    </message>
    <message>
        <source>Choose the first</source>
        <translation>Den ersten wählen</translation>
    </message>
    <message>
        <source>Type a sentence</source>
        <translation>Satz tippen</translation>
    </message>
    <message>
        <source>Run the model on this sentence</source>
        <translation>Modell mit diesem Satz laufen lassen</translation>
    </message>
    <message>
        <source>Open its model…</source>
        <translation>Sein Modell öffnen …</translation>
    </message>
</context>
<context>
    <name>mog::gui::ViewMenu</name>
    <message>
        <source>&amp;Light</source>
        <translation>&amp;Hell</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>&amp;Dunkel</translation>
    </message>
    <message>
        <source>As the &amp;system</source>
        <translation>Wie das &amp;System</translation>
    </message>
    <message>
        <source>High &amp;contrast</source>
        <translation>Hoher &amp;Kontrast</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>Ctrl+%1</source>
        <translation>Ctrl+%1</translation>
    </message>
    <message>
        <source>Ctrl+0</source>
        <translation>Ctrl+0</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>&amp;Farbschema</translation>
    </message>
    <message>
        <source>Lan&amp;guage</source>
        <translation>S&amp;prache</translation>
    </message>
    <message>
        <source>The window stays in this language.</source>
        <translation>Das Fenster bleibt in dieser Sprache.</translation>
    </message>
    <message>
        <source>The language changes when the program is started again.</source>
        <translation>Die Sprache wechselt beim nächsten Start des Programms.</translation>
    </message>
    <message>
        <source>&amp;Reset this workspace</source>
        <translation>Diesen Arbeitsbereich zu&amp;rücksetzen</translation>
    </message>
    <message>
        <source>This workspace in a &amp;window of its own</source>
        <translation>Dieser Arbeitsbereich in eigenem F&amp;enster</translation>
    </message>
</context>
<context>
    <name>mog::gui::ViewState</name>
    <message>
        <source>pairs</source>
        <translation>Paare</translation>
    </message>
    <message>
        <source>matrix and arcs</source>
        <translation>Matrix und Bögen</translation>
    </message>
    <message>
        <source>words or pieces</source>
        <translation>Wörter oder Wortstücke</translation>
    </message>
    <message>
        <source>special tokens</source>
        <translation>Sondertoken</translation>
    </message>
    <message>
        <source>threshold</source>
        <translation>Schwelle</translation>
    </message>
    <message>
        <source>block of a pair</source>
        <translation>Block eines Paars</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>Köpfe</translation>
    </message>
    <message>
        <source>gates</source>
        <translation>Gates</translation>
    </message>
    <message>
        <source>tree or arcs</source>
        <translation>Baum oder Bögen</translation>
    </message>
    <message>
        <source>list of graphs</source>
        <translation>Liste der Graphen</translation>
    </message>
    <message>
        <source>quantity</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>weight by length or layer</source>
        <translation>Gewicht nach Länge oder Schicht</translation>
    </message>
    <message>
        <source>what is compared</source>
        <translation>was verglichen wird</translation>
    </message>
    <message>
        <source>figure</source>
        <translation>Abbildung</translation>
    </message>
    <message>
        <source>colours of the maps</source>
        <translation>Farben der Karten</translation>
    </message>
    <message>
        <source>what is decomposed</source>
        <translation>was zerlegt wird</translation>
    </message>
    <message>
        <source>threshold of the flow</source>
        <translation>Schwelle des Flusses</translation>
    </message>
    <message>
        <source>state of the flow</source>
        <translation>Zustand des Flusses</translation>
    </message>
    <message>
        <source>words of typed sentences</source>
        <translation>Wörter getippter Sätze</translation>
    </message>
    <message>
        <source>columns of graphs</source>
        <translation>Spalten von Graphen</translation>
    </message>
    <message>
        <source>flow behind graphs</source>
        <translation>Fluss hinter Graphen</translation>
    </message>
    <message>
        <source>special tokens in the scale</source>
        <translation>Sondertoken in der Skala</translation>
    </message>
    <message>
        <source>sections of the inspector</source>
        <translation>Abschnitte des Inspektors</translation>
    </message>
    <message>
        <source>workspace</source>
        <translation>Arbeitsbereich</translation>
    </message>
    <message>
        <source>arrangement of the window</source>
        <translation>Anordnung des Fensters</translation>
    </message>
    <message>
        <source>turning the pages of both</source>
        <translation>beide blättern</translation>
    </message>
    <message>
        <source>room of the heads</source>
        <translation>Platz der Köpfe</translation>
    </message>
    <message>
        <source>where words come from</source>
        <translation>woher Wörter kommen</translation>
    </message>
    <message>
        <source>layer of the decoder</source>
        <translation>Schicht des Decoders</translation>
    </message>
    <message>
        <source>head of the decoder</source>
        <translation>Kopf des Decoders</translation>
    </message>
    <message>
        <source>quantity of the trajectory</source>
        <translation>Größe des Verlaufs</translation>
    </message>
    <message>
        <source>sentence length of the trajectory</source>
        <translation>Satzlänge des Verlaufs</translation>
    </message>
    <message>
        <source>layer of the trajectory</source>
        <translation>Schicht des Verlaufs</translation>
    </message>
    <message>
        <source>head of the trajectory</source>
        <translation>Kopf des Verlaufs</translation>
    </message>
    <message>
        <source>change points</source>
        <translation>Wendestellen</translation>
    </message>
    <message>
        <source>runs in one panel</source>
        <translation>Läufe in einem Feld</translation>
    </message>
    <message>
        <source>maps of the decoder</source>
        <translation>Karten des Decoders</translation>
    </message>
    <message>
        <source>arcs set by hand</source>
        <translation>von Hand gesetzte Bögen</translation>
    </message>
    <message>
        <source>trees without crossing arcs</source>
        <translation>Bäume ohne kreuzende Bögen</translation>
    </message>
    <message>
        <source>colours of the logit lens</source>
        <translation>Farben der Logit Lens</translation>
    </message>
    <message>
        <source>neighbours less the mean</source>
        <translation>Nachbarn ohne das Mittel</translation>
    </message>
    <message>
        <source>neighbours of other words only</source>
        <translation>Nachbarn nur unter anderen Wörtern</translation>
    </message>
    <message>
        <source>what is patched</source>
        <translation>was ausgetauscht wird</translation>
    </message>
    <message>
        <source>direction of the patch</source>
        <translation>Richtung des Austauschs</translation>
    </message>
    <message>
        <source>answer of the patch</source>
        <translation>Antwort des Austauschs</translation>
    </message>
    <message>
        <source>other answer of the patch</source>
        <translation>andere Antwort des Austauschs</translation>
    </message>
</context>
<context>
    <name>mog::gui::WeightBoxes</name>
    <message>
        <source>attention</source>
        <translation>Aufmerksamkeit</translation>
    </message>
    <message>
        <source>share of %1</source>
        <translation>Anteil %1</translation>
    </message>
    <message>
        <source>weight</source>
        <translation>Gewicht</translation>
    </message>
    <message>
        <source>share</source>
        <translation>Anteil</translation>
    </message>
</context>
<context>
    <name>mog::gui::WeightView</name>
    <message>
        <source>Gate weight</source>
        <translation>Gate-Gewicht</translation>
    </message>
    <message>
        <source>Share of each part</source>
        <translation>Anteil jedes Teils</translation>
    </message>
    <message>
        <source>Attention entropy</source>
        <translation>Entropie der Aufmerksamkeit</translation>
    </message>
    <message>
        <source>Greatest attention</source>
        <translation>Größte Aufmerksamkeit</translation>
    </message>
    <message>
        <source>Expected leaves</source>
        <translation>Erwartete Blätter</translation>
    </message>
    <message>
        <source>Shown by</source>
        <translation>Gezeigt nach</translation>
    </message>
    <message>
        <source>Quantity</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>Länge</translation>
    </message>
    <message>
        <source>By sentence length, a line a layer</source>
        <translation>Nach Satzlänge, eine Linie je Schicht</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>By layer, a line a length bin</source>
        <translation>Nach Schicht, eine Linie je Längenklasse</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Unterschied</translation>
    </message>
    <message>
        <source>By sentence length, less the shortest bin</source>
        <translation>Nach Satzlänge, minus die kürzeste Klasse</translation>
    </message>
    <message>
        <source>Weight by layer and length</source>
        <translation>Gewicht nach Schicht und Länge</translation>
    </message>
    <message>
        <source>Nothing to count in this recording</source>
        <translation>Nichts zu zählen in dieser Aufzeichnung</translation>
    </message>
    <message>
        <source>Record the corpus again with --capture summary.</source>
        <translation>Zeichnen Sie das Korpus noch einmal mit --capture summary auf.</translation>
    </message>
    <message>
        <source>Counting…</source>
        <translation>Zählt …</translation>
    </message>
    <message>
        <source>The job list shows how far it is.</source>
        <translation>Die Auftragsliste zeigt, wie weit es ist.</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>This cannot be counted</source>
        <translation>Das lässt sich nicht zählen</translation>
    </message>
    <message>
        <source>%1 sentences; a click on a length chooses its sentences</source>
        <translation>%1 Sätze; ein Klick auf eine Länge wählt deren Sätze</translation>
    </message>
    <message>
        <source>Here you see weights by layer and sentence length.</source>
        <translation>Hier sehen Sie Gewichte nach Schicht und Satzlänge.</translation>
    </message>
    <message>
        <source>This was cancelled</source>
        <translation>Dies wurde abgebrochen</translation>
    </message>
    <message>
        <source>Choose the quantity again to count once more.</source>
        <translation>Wählen Sie die Größe noch einmal, um neu zu zählen.</translation>
    </message>
    <message>
        <source>1 sentence; a click on a length chooses it</source>
        <translation>1 Satz; ein Klick auf eine Länge wählt ihn</translation>
    </message>
    <message>
        <source>The layers of this model have one part: its share is 1, there is nothing to count. </source>
        <translation>Die Schichten dieses Modells haben einen Teil: sein Anteil ist 1, es gibt nichts zu zählen. </translation>
    </message>
    <message>
        <source>This model has no gates. </source>
        <translation>Dieses Modell hat keine Gates. </translation>
    </message>
    <message>
        <source>%1 is not in this recording. </source>
        <translation>%1 ist nicht in dieser Aufnahme. </translation>
    </message>
    <message>
        <source>Record a corpus…</source>
        <translation>Korpus aufzeichnen …</translation>
    </message>
    <message>
        <source>Count again</source>
        <translation>Noch einmal zählen</translation>
    </message>
    <message>
        <source>The recording is not complete (Ctrl+B goes on with it): lengths may be missing. </source>
        <translation>Die Aufzeichnung ist nicht vollständig (Strg+B setzt sie fort): Längen können fehlen. </translation>
    </message>
    <message>
        <source>One length only</source>
        <translation>Nur eine Länge</translation>
    </message>
    <message>
        <source>A difference is from the shortest sentences to longer ones: here all are of one length, or of one bin of lengths.</source>
        <translation>Ein Unterschied geht von den kürzesten Sätzen zu längeren: hier haben alle eine Länge, oder eine Klasse von Längen.</translation>
    </message>
    <message>
        <source>Attention to the first token</source>
        <translation>Aufmerksamkeit auf das erste Token</translation>
    </message>
</context>
<context>
    <name>mog::gui::Workspace</name>
    <message>
        <source>Opening %1</source>
        <translation>Öffnet %1</translation>
    </message>
    <message>
        <source>Running a sentence needs a model: open a model directory first (Ctrl+O, or drop it here).</source>
        <translation>Um einen Satz laufen zu lassen, braucht es ein Modell: öffnen Sie zuerst einen Modellordner (Strg+O, oder hierher ziehen).</translation>
    </message>
    <message>
        <source>Changing a run needs the model of the sentence: open it, type the sentence and run it.</source>
        <translation>Um einen Lauf zu ändern, braucht es das Modell des Satzes: öffnen Sie es, tippen Sie den Satz und lassen ihn laufen.</translation>
    </message>
    <message>
        <source>Running “%1”</source>
        <translation>Lässt „%1“ laufen</translation>
    </message>
    <message>
        <source>Opening the session %1</source>
        <translation>Öffnet die Sitzung %1</translation>
    </message>
    <message>
        <source>%1: typed sentences</source>
        <translation>%1: getippte Sätze</translation>
    </message>
    <message>
        <source>The model in %1 is not the one that made %2: its weights or its vocabulary are others.</source>
        <translation>Das Modell in %1 ist nicht das, von dem %2 stammt: seine Gewichte oder sein Wortschatz sind andere.</translation>
    </message>
</context>
</TS>
