"""Langfuse's traces, sessions and observations, as its pages and its API export them (JSON, JSON Lines)."""

from parlai_spotbot.importers.format import study_format
from parlai_spotbot.importers.traces import TraceForm, traces

FORM = TraceForm(
    name="langfuse",
    fields={
        "input": ("input",),
        "output": ("output",),
        "trace": ("traceId", "trace_id", "id"),
        "session": ("sessionId", "session_id"),
        "parent": ("parentObservationId", "parent_observation_id"),
        "time": ("timestamp", "startTime", "start_time"),
        "model": ("model", "providedModelName", "metadata.model"),
    },
    kind="type",
    calls=frozenset({"GENERATION"}),
    holds=("data", "traces"),
    inside=("observations",),
)

FORMAT = study_format(lambda request: traces(request, FORM))
