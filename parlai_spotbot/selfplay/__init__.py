"""Bots talk to each other: contestants in processes of their own, ParlAI worlds, and a runner that resumes.

The package is called as a function, too: ``parlai_spotbot.selfplay(contestants, study)``.
"""

import sys

from parlai_spotbot import CalledPackage

sys.modules[__name__].__class__ = CalledPackage
