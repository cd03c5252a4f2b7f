"""How Sphinx makes the pages: `make docs`."""

project = "parlai_spotbot"
extensions = ["myst_parser"]
html_theme = "pydata_sphinx_theme"
html_show_copyright = False
exclude_patterns = ["_build", "notebooks"]
