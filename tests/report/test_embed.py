#!/usr/bin/env python3
"""test_embed - what src/report/embed.py makes of assets. SPDX-License-Identifier: MIT"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), os.pardir, "tools"))
import tap  # noqa: E402 # pylint: disable=wrong-import-position

EMBED = os.path.join(tap.ROOT, "src/report/embed.py")
PAGE = "<meta content=\"{{policy}}\"><style>{{style}}</style>{{data}}<script>{{script}}</script>"


class Embed(unittest.TestCase):
    def embed(self, page=PAGE, style="p {}", scripts=("let a = 1;",)):
        """(process, what comes before the data, what comes behind it)"""
        with tempfile.TemporaryDirectory() as folder:
            files = {"page.html": page, "style.css": style}
            files |= {f"{i}.js": text for i, text in enumerate(scripts)}
            for name, text in files.items():
                tap.write(os.path.join(folder, name), text)
            output = os.path.join(folder, "out.c")
            paths = [os.path.join(folder, name) for name in files]
            done = subprocess.run([sys.executable, EMBED, output, *paths], capture_output=True,
                                  text=True, check=False)
            if done.returncode != 0:
                return done, "", ""
            with open(output, encoding="utf-8") as file:
                arrays = re.findall(r"\[\] = \{(.*?)\};", file.read(), re.DOTALL)
            return done, *(bytes(map(int, a.split(","))).decode() for a in arrays)

    def test_the_policy_names_the_hashes_of_the_one_style_and_the_one_script(self):
        _, before, behind = self.embed()

        script = re.search("<script>(.*)</script>", behind, re.DOTALL).group(1)
        style = re.search("<style>(.*)</style>", before, re.DOTALL).group(1)
        for text, kind in ((script, "script-src"), (style, "style-src")):
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            self.assertIn(f"{kind} 'sha256-{digest}'", before)

    def test_scripts_are_one_strict_script_in_the_order_given(self):
        _, _, behind = self.embed(scripts=("let first;", "let second;"))

        self.assertRegex(behind, "(?s)<script>\\s*\"use strict\";.*first.*second.*</script>$")

    def test_a_script_that_would_end_its_element_is_refused(self):
        done, _, _ = self.embed(scripts=("let a = '</ScRiPt>';",))

        self.assertNotEqual(done.returncode, 0)
        self.assertIn("must not end it", done.stderr)

    def test_a_style_that_would_end_its_element_is_refused(self):
        self.assertNotEqual(self.embed(style="/* </style> */")[0].returncode, 0)

    def test_a_comment_of_html_in_a_script_is_refused(self):
        self.assertNotEqual(self.embed(scripts=("let a = '<!--';",))[0].returncode, 0)

    def test_a_page_without_a_place_for_the_data_is_refused(self):
        done, _, _ = self.embed(page="<script>{{script}}</script>")

        self.assertNotEqual(done.returncode, 0)
        self.assertIn("{{data}}", done.stderr)

    def test_marks_within_a_script_stay_as_they_are(self):
        _, before, behind = self.embed(scripts=("let a = '{{style}} {{policy}}';",))

        self.assertIn("let a = '{{style}} {{policy}}';", behind)
        self.assertIn("p {}", before)


if __name__ == "__main__":
    tap.main()
