"""The smallest profile that loads: one work, one level, two languages."""

SMALL = """
[corpus]
name = "small"
title = { en = "Small" }
languages = ["en", "de"]
edition = "1"
[works.rules]
role = "law"
title = { en = "Rules" }
letter = "r"
label = "rule"
[[works.rules.levels]]
name = "rule"
"""
