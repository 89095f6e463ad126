import unittest

from src.values import parse_value


class ValuesTest(unittest.TestCase):
    def test_each_form_has_its_value(self):
        for text, value in [("true", True), ("7", 7), ('"7"', "7"), ("plain", "plain"), ('"', '"')]:
            with self.subTest(text=text):
                self.assertEqual(parse_value(text), value)
