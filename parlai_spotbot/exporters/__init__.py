"""Export of a study's conversations and judgements for other programs."""

REMOVED = {"argilla": "Export tasks with --format label_studio."}
