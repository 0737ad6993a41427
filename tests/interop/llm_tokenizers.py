#!/usr/bin/env python3
"""Tokenizers made from a text, and what independent implementations make of hostile strings.

llm_tokenizers.py FOLDER COUNT TEXT...   For every kind of tokenizer it can make, writes
FOLDER/<kind>/tokenizer.model or tokenizer.json, strings.bin (u32 length, bytes) and ids.bin (u32
count, i32 ids). The oracle is sentencepiece for spm_*, tokenizers for hf_*, and for plain_* the
naive merging below, which needs no module. Prints the kinds made, then what is missing and why.
"""
import json, os, random, struct, sys, unicodedata
from collections import Counter

SPACE = "\u2581"
GPT2 = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
          r"|\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
MARKS = ["<s>", "</s>", "<unk>", "[INST]", " <mask> ", "<|eot|>", "<0x0A>", SPACE, SPACE * 3, "\u00a0", "\u3000", "'s",
         "'LL", "'\u017f", "\r\n", "\n\n ", "\t ", "\u0085", "\u2028", "\u200d", "\ufe0f", "\u0301", "\u202e", "\ufffd",
         "\0", "\u0661\u0662", "\u00bd", "\u2167", "\U0001F468\u200d\U0001F469", "\U00010400", "\U000e0041", "\ufdfa"]


def strings(text, count):
    rng = random.Random(11)
    planes = [(0, 0x80), (0x80, 0x800), (0x800, 0xD800), (0xE000, 0x10000), (0x10000, 0x20000), (0xE0000, 0x110000)]

    def part():
        kind = rng.random()
        if kind < 0.45:
            at = rng.randrange(len(text))
            return text[at:at + rng.randrange(1, 40)]
        if kind < 0.65:
            return rng.choice(MARKS) * rng.choice([1, 1, 1, 2, 5])
        if kind < 0.75:
            return str(rng.randrange(10 ** rng.randrange(1, 20)))
        if kind < 0.85:
            return " " * rng.randrange(1, 6)
        return "".join(chr(rng.randrange(*rng.choice(planes))) for _ in range(rng.randrange(1, 6)))

    made = ["", " ", "  ", "a", SPACE, "\n", "'", "''s", " 's", "x" * 300, " " * 50]
    while len(made) < count:
        made.append("".join(part() for _ in range(rng.randrange(1, 8))))
    return made[:count]


def write(folder, kind, file, content, made, ids):
    path = os.path.join(folder, kind)
    os.makedirs(path, exist_ok=True)
    open(os.path.join(path, file), "wb").write(content)
    with open(os.path.join(path, "strings.bin"), "wb") as f:
        for s in made:
            raw = s.encode()
            f.write(struct.pack("<I", len(raw)) + raw)
    with open(os.path.join(path, "ids.bin"), "wb") as f:
        for row in ids:
            f.write(struct.pack(f"<I{len(row)}i", len(row), *row))
    print(kind)


# ---- no module: a SentencePiece file written by hand, merged naively

def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def field(name, raw):
    return varint(name << 3 | 2) + varint(len(raw)) + raw


def count_merges(text, rounds):
    words = Counter((SPACE + w) for w in text.split() if len(w) < 20)
    parts = {w: list(w) for w in words}
    merges = []
    for _ in range(rounds):
        pairs = Counter()
        for w, n in words.items():
            for pair in zip(parts[w], parts[w][1:]):
                pairs[pair] += n
        best = max(sorted(pairs), key=pairs.get)
        merges.append(best)
        for w in words:
            p, i = parts[w], 0
            while i + 1 < len(p):
                if (p[i], p[i + 1]) == best:
                    p[i:i + 2] = [p[i] + p[i + 1]]
                i += 1
    return merges


def plain_spm(folder, text, made):
    text = text[:6000]
    merges = count_merges(text, 250)
    letters = sorted(set(text.replace("\n", "")) - {" "} | {SPACE})
    pieces = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3)] + [(f"<0x{b:02X}>", 0.0, 6) for b in range(256)]
    pieces += [(a + b, -float(i), 1) for i, (a, b) in enumerate(merges)] + [(c, -1e4, 1) for c in letters]
    raw = b"".join(field(1, field(1, p.encode()) + b"\x15" + struct.pack("<f", s) + b"\x18" + bytes([k]))
                   for p, s, k in pieces)
    raw += field(2, b"\x18\x02" + varint(35 << 3) + b"\x01") + field(3, b"\x18\x01\x20\x00\x28\x01")
    ids = {p: i for i, (p, _, _) in reversed(list(enumerate(pieces)))}
    rank = {p: -s for p, s, k in pieces if k == 1}

    def encode(s):
        parts = list(SPACE + s.replace(" ", SPACE)) if s else []
        while True:
            options = [(rank[a + b], i) for i, (a, b) in enumerate(zip(parts, parts[1:])) if a + b in rank]
            if not options:
                break
            i = min(options)[1]
            parts[i:i + 2] = [parts[i] + parts[i + 1]]
        out = []
        for p in parts:
            out += [ids[p]] if p in ids else [3 + b for b in p.encode()]
        return out

    made = made[:2000]
    write(folder, "plain_spm", "tokenizer.model", raw, made, [encode(s) for s in made])


# ---- sentencepiece

def spm(folder, kind, corpus, made, **options):
    import sentencepiece
    prefix = os.path.join(folder, "spm")
    sentencepiece.SentencePieceTrainer.train(
        input=corpus, model_prefix=prefix, normalization_rule_name="identity", minloglevel=2, num_threads=1, **options)
    model = sentencepiece.SentencePieceProcessor(model_file=prefix + ".model")
    write(folder, kind, "tokenizer.model", open(prefix + ".model", "rb").read(), made, [model.encode(s) for s in made])
    return model


# ---- tokenizers

def hf(folder, kind, tokenizer, made):
    ids = [e.ids for e in tokenizer.encode_batch(made)]
    write(folder, kind, "tokenizer.json", tokenizer.to_str().encode(), made, ids)


def add_marks(tokenizer, AddedToken):
    tokenizer.add_special_tokens([AddedToken("<s>", normalized=False), AddedToken("</s>", normalized=False)])
    tokenizer.add_tokens([AddedToken("[INST]", normalized=True), AddedToken("<mask>", lstrip=True, rstrip=True),
                          AddedToken("<|eot|>", normalized=False, single_word=True)])


def hf_characters(folder, text, made):
    from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    merges = count_merges(text[:6000], 300)
    vocab = {"<unk>": 0, "<s>": 1, "</s>": 2}
    for piece in [f"<0x{b:02X}>" for b in range(256)] + sorted(set(text) | {SPACE}) + [a + b for a, b in merges]:
        vocab.setdefault(piece, len(vocab))
    steps = {"hf_llama2": (normalizers.Sequence([normalizers.Prepend(SPACE), normalizers.Replace(" ", SPACE)]), None),
             "hf_metaspace": (None, pre_tokenizers.Metaspace(SPACE, prepend_scheme="first", split=False)),
             "hf_metasplit": (None, pre_tokenizers.Metaspace(SPACE, prepend_scheme="always", split=True))}
    for kind, (normalizer, pre) in steps.items():
        fallback = kind != "hf_metasplit"
        t = Tokenizer(models.BPE(vocab=vocab, merges=merges, unk_token="<unk>", fuse_unk=True, byte_fallback=fallback))
        if normalizer:
            t.normalizer = normalizer
        if pre:
            t.pre_tokenizer = pre
        add_marks(t, AddedToken)
        t.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)])
        t.decoder = decoders.Sequence([decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse(),
                                       decoders.Strip(" ", 1, 0)])
        hf(folder, kind, t, made)


def hf_bytes(folder, text, made):
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    byte = lambda **options: pre_tokenizers.ByteLevel(**{"add_prefix_space": False, **options})
    split = lambda pattern: pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(pattern), behavior="isolated"), byte(use_regex=False)])
    steps = {"hf_gpt2": byte(), "hf_prefix": byte(add_prefix_space=True), "hf_llama3": split(LLAMA3),
             "hf_qwen2": split(QWEN2), "hf_gpt2_split": split(GPT2),
             "hf_digits": pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), byte()])}
    for kind, pre in steps.items():
        t = Tokenizer(models.BPE(ignore_merges=kind == "hf_llama3"))
        t.pre_tokenizer, t.decoder = pre, decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        t.train_from_iterator(text.splitlines(), trainers.BpeTrainer(
            vocab_size=900, initial_alphabet=alphabet, show_progress=False))
        add_marks(t, AddedToken)
        hf(folder, kind, t, made)


def main():
    folder, count, corpus = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    text = "".join(open(path, encoding="utf-8").read() for path in corpus)[:60000]
    made = strings(text, count)
    known = [s for s in made if all(unicodedata.category(c) != "Cs" for c in s)]
    plain_spm(folder, text, known)
    try:
        trained = os.path.join(folder, "corpus.txt")
        open(trained, "w", encoding="utf-8").write(text)
        spm(folder, "spm_bpe", trained, known, vocab_size=1200, model_type="bpe", byte_fallback=True, split_digits=True,
            remove_extra_whitespaces=False)
        spm(folder, "spm_bpe_unknown", trained, known, vocab_size=800, model_type="bpe",
            user_defined_symbols=["[INST]", "<|eot|>", "'s"])
        import sentencepiece
        if sentencepiece.__version__.startswith("0.1."):
            raise ImportError("unigram models: sentencepiece 0.1 breaks near ties in double, 0.2 in float")
        spm(folder, "spm_unigram", trained, known, vocab_size=700, model_type="unigram", byte_fallback=True, hard_vocab_limit=False,
            remove_extra_whitespaces=False)
        spm(folder, "spm_unigram_user", trained, known, vocab_size=600, model_type="unigram", hard_vocab_limit=False,
            user_defined_symbols=["[INST]", "ing"])
    except ImportError as error:
        print(f"skipped spm: {error}")
    try:
        hf_characters(folder, text, known)
        hf_bytes(folder, text, known)
    except ImportError as error:
        print(f"skipped hf: {error}")


main()
