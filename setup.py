"""Map of the repository's folders to packages; metadata, requirements and extras are in pyproject.toml."""

from setuptools import find_namespace_packages, find_packages, setup

# The repository's top-level folders become subpackages of parlai_spotbot.
ROOMS = ("tasks", "agents", "crowdsourcing", "projects")
# Data files that are needed at run time: pools, surveys, options, templates, pages, each folder's README.
ENDINGS = "yaml yml json md txt html css js mjs jsx pyi svg jinja j2 aiml opt R lock typed zip bib"
DATA = ["prepared/**", *(f"**/*.{ending}" for ending in ENDINGS.split())]

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
    packages=packages,
    package_dir=package_dir,
    package_data={"parlai_spotbot": DATA, **{f"parlai_spotbot.{room}": DATA for room in (*ROOMS, "locks")}},
    exclude_package_data={"": ["**/node_modules/**"]},
    include_package_data=False,
)
