"""LangSmith's runs (JSON Lines, a JSON list, or what its API answers), and examples of its data sets."""

from parlai_spotbot.importers.format import study_format
from parlai_spotbot.importers.traces import TraceForm, traces

METADATA = ("extra.metadata.", "metadata.")
THREADS = ("thread_id", "session_id", "conversation_id")

FORM = TraceForm(
    name="langsmith",
    fields={
        "input": ("inputs",),
        "output": ("outputs",),
        "trace": ("trace_id", "id", "run_id"),
        "session": ("thread_id", *(place + key for place in METADATA for key in THREADS)),
        "parent": ("parent_run_id",),
        "time": ("start_time", "created_at"),
        "model": (
            *(f"{place}ls_model_name" for place in METADATA),
            "extra.invocation_params.model",
            "extra.invocation_params.model_name",
            "outputs.llm_output.model_name",
        ),
    },
    kind="run_type",
    calls=frozenset({"llm"}),
    holds=("data", "runs"),
    inside=("child_runs",),
)

FORMAT = study_format(lambda request: traces(request, FORM))
