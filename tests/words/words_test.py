#!/usr/bin/env python3
"""That words.py sees what it should, and no more."""
import unittest

import words


def rules(found):
    return [rule for rule, _, _ in found]


class Documents(unittest.TestCase):
    def test_counts_words_of_a_sentence_over_its_lines(self):
        long = "Word " + "word " * 19 + "\n" + "word " * 21
        self.assertEqual(rules(words.check_document(long)), ["sentence"])
        self.assertEqual(rules(words.check_document("Word. Word " + "word " * 18 + "\n" + "word " * 20 + "end.")), [])

    def test_code_is_one_word_and_a_link_its_text(self):
        self.assertEqual(words.word_count("Run CODE now"), 3)
        text = "Run `" + "a " * 45 + "`\nof [this page](" + "x" * 50 + ")."
        self.assertEqual(rules(words.check_document(text)), [])

    def test_items_of_a_list_are_sentences_of_their_own(self):
        self.assertEqual(rules(words.check_document("\n".join(["- " + "word " * 15] * 4))), [])

    def test_tables_and_code_blocks_may_be_wide(self):
        self.assertEqual(rules(words.check_document("| " + "x" * 200 + " |\n```\n" + "x" * 200 + "\n```\n")), [])
        self.assertEqual(rules(words.check_document("x" * 121)), ["line"])

    def test_behind_belongs_to_stacks(self):
        self.assertEqual(rules(words.check_document("What is behind it.")), ["behind"])
        self.assertEqual(rules(words.check_document("The stack behind it.")), [])


class Code(unittest.TestCase):
    def test_looks_at_comments_alone(self):
        self.assertEqual(rules(words.check_code('Say("behind // it"); int behind = R"(// behind)";')), [])
        found = list(words.check_code("int a;\n// before\nint b;  /* one\n behind */"))
        self.assertEqual([(rule, number) for rule, number, _ in found], [("behind", 4)])


if __name__ == "__main__":
    unittest.main()
