"""The Mephisto task: blueprint, architect, provider and operator, and the crowd that the desk talks to.

Importing this package imports no Mephisto; it only sees to it that Mephisto, once imported, keeps to a study's folder.
"""

from parlai_spotbot.crowdsourcing.mephisto_task import home

home.install()
