"""The rooms, for editors and type checkers."""

from parlai_spotbot.analysis import agreement as agreement
from parlai_spotbot.analysis import annotators as annotators
from parlai_spotbot.analysis import answers as answers
from parlai_spotbot.analysis import behaviours as behaviours
from parlai_spotbot.analysis import certificate as certificate
from parlai_spotbot.analysis import choices as choices
from parlai_spotbot.analysis import frames as frames
from parlai_spotbot.analysis import likeness as likeness
from parlai_spotbot.analysis import metrics as metrics
from parlai_spotbot.analysis import nuc as nuc
from parlai_spotbot.analysis import order_effects as order_effects
from parlai_spotbot.analysis import planning as planning
from parlai_spotbot.analysis import ranking as ranking
from parlai_spotbot.analysis import ratings as ratings
from parlai_spotbot.analysis import screening as screening
from parlai_spotbot.analysis import segments as segments
from parlai_spotbot.analysis import stability as stability
from parlai_spotbot.analysis import survival as survival
from parlai_spotbot.analysis import time as time
from parlai_spotbot.analysis import trust as trust
from parlai_spotbot.analysis import uncertainty as uncertainty
from parlai_spotbot.analysis import values as values
from parlai_spotbot.analysis import verdict as verdict
