import unittest

from src.parser import ParseError, parse


class ParserTest(unittest.TestCase):
    def test_reads_settings_and_skips_comments(self):
        text = "# limits\njobs = 8\nname = \"a b\"  # quoted\n\nverbose = true\n"
        self.assertEqual(parse(text), {"jobs": 8, "name": "a b", "verbose": True})

    def test_a_line_without_a_value_is_refused(self):
        with self.assertRaises(ParseError) as caught:
            parse("jobs = 8\nnonsense\n")
        self.assertEqual(caught.exception.number, 2)

    def test_none_means_no_settings(self):
        self.assertEqual(parse(None), {})

    def test_empty_text_means_no_settings(self):
        self.assertEqual(parse(""), {})


if __name__ == "__main__":
    unittest.main()
