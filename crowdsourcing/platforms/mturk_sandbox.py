"""MTurk's sandbox, in which nobody is paid."""

from dataclasses import replace

from parlai_spotbot.crowdsourcing.platforms import mturk

PLATFORM = replace(mturk.PLATFORM, name="mturk_sandbox", fee=0.0, paid=False, provider_type="mturk_sandbox")
