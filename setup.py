"""Packaging: metadata, the map from the repository's folders to packages, and the extras.

The plain requirements are light and resolve on every Python from 3.11 on: what reads, packs, analyses, plans, reports,
and judges through a server. ParlAI's and Mephisto's own pins contradict each other, so what plays and collects is
installed by `spotbot setup` (`make install`) from the exact locks, which the wheel carries.
"""

import re
from pathlib import Path

from setuptools import find_namespace_packages, find_packages, setup

HERE = Path(__file__).parent
VERSION = re.search(r'__version__ = "(.+)"', (HERE / "parlai_spotbot/__init__.py").read_text(encoding="utf-8"))[1]

# The repository's top-level folders become subpackages of parlai_spotbot.
ROOMS = ("tasks", "agents", "crowdsourcing", "projects")
# What is not Python but needed at run time: pools, surveys, options, templates, pages, each folder's README.
ENDINGS = "yaml yml json md txt html css js mjs jsx pyi svg jinja j2 aiml opt R lock typed zip bib"
DATA = [f"**/*.{ending}" for ending in ENDINGS.split()]

package_dir = {"parlai_spotbot": "parlai_spotbot", "parlai_internal": "parlai_internal"}
packages = find_packages(include=["parlai_spotbot", "parlai_spotbot.*"])
for room in ROOMS:
    name = f"parlai_spotbot.{room}"
    package_dir[name] = room
    packages += [name] + [f"{name}.{sub}" for sub in find_packages(room)]
package_dir["parlai_spotbot.locks"] = "locks"
packages += ["parlai_spotbot.locks"]
# ParlAI looks for further commands in parlai_internal.scripts, a namespace package (PEP 420).
packages += find_namespace_packages(include=["parlai_internal.scripts"])

setup(
    name="parlai_spotbot",
    version=VERSION,
    description="Spot The Bot as a ParlAI plugin: find out which of your chatbots passes longest as human",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    author="parlai_spotbot developers",
    license="MIT",
    license_files=["LICENSE", "THIRD_PARTY.md"],
    keywords=["chatbot", "dialogue", "evaluation", "ParlAI", "crowdsourcing", "survival analysis"],
    python_requires=">=3.11",
    packages=packages,
    package_dir=package_dir,
    package_data={"parlai_spotbot": DATA, **{f"parlai_spotbot.{room}": DATA for room in (*ROOMS, "locks")}},
    exclude_package_data={"": ["**/node_modules/**"]},
    include_package_data=False,
    install_requires=[
        "numpy>=2",
        "scipy>=1.13",
        "pandas>=2.2",
        "scikit-learn>=1.5",
        "matplotlib>=3.9",
        "fonttools",
        "formulaic>=1",
        "jinja2",
        "lazy_loader",
        "markupsafe",
        "pyyaml",
        "httpx2",
        "rich",
        "threadpoolctl",
        "trueskill",
        "wrapt",
    ],
    extras_require={
        # Compiled loops: each but the stability experiment's has a NumPy twin with the same figures.
        "fast": ["numba"],
        "annotators": ["crowd-kit"],
        "r": ["rpy2==3.5.17"],
        "distributed": ["ray"],
        "parquet": ["pyarrow"],
        "serving": ["fastapi", "uvicorn", "openai"],
        "bench": ["lifelines"],
        "dev": [
            "axe-playwright-python",
            "krippendorff",
            "mutmut",
            "pytest",
            "pytest-datadir",
            "pytest-regressions",
            "pytest-timeout",
            "pytest-xdist",
            "hypothesis",
            "playwright",
            "ppi-python",
            "ruff",
            "statsmodels",
        ],
    },
    entry_points={"console_scripts": ["spotbot=parlai_spotbot.scripts.main:main"]},
    classifiers=[
        "Development Status :: 4 - Beta",
        "Intended Audience :: Science/Research",
        "License :: OSI Approved :: MIT License",
        "Programming Language :: Python :: 3.11",
        "Programming Language :: Python :: 3.12",
        "Programming Language :: Python :: 3.13",
        "Topic :: Scientific/Engineering :: Artificial Intelligence",
    ],
)
