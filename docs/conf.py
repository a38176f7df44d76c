"""How Sphinx builds the documentation; what pages take from the code is in `_extensions`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

from evoply._native import __version__

project = "evoply"
author = "the authors of evoply"
project_copyright = author
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "api_pages", "contents", "notebooks"]
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"evoply {version}"
html_static_path = ["_static"]
html_css_files = ["evoply.css"]
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
pygments_style = "friendly"
pygments_dark_style = "github-dark"

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 3

# A short name in an annotation may fit several classes, such as Position; either link will do.
suppress_warnings = ["ref.python"]

# Docstrings are plain text: one backtick means code.
default_role = "code"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 80
# Of pydantic models only what belongs to evoply.
autodoc_default_options = {"members": True, "exclude-members": "model_config, model_post_init"}
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
