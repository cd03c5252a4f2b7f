"""The copy's README.md: what it holds, what was taken out, how to get the figures again, what is left to do."""

from __future__ import annotations

import parlai_spotbot
from parlai_spotbot import hints
from parlai_spotbot.checksums import read_json
from parlai_spotbot.report.export.outcome import Export
from parlai_spotbot.study import Study

LICENCE = """\
No licence has been chosen yet, so nobody may use or pass on these files.

Put your licence in the place of this text before publishing. Mind that
- the turns of people come from the data set named under "Domain" in DATA_CARD.md, whose licence goes on to hold for
  them, for whatever bots copied from them, and for the seeds of conversations;
- the turns of bots may be under the terms of the model or service that wrote them;
- annotators consented to what your consent text says, and to nothing else.
"""

FILES = """\
| file | what is in it |
| --- | --- |
| `study.yaml` | the plan: domain, contestants with their options, conversations per pair, exchanges, segments, seed |
| `provenance.json` | versions, options, counts; only fields known to be harmless |
| `conversations.jsonl` | all conversations, in ParlAI's Conversations format |
| `failures.jsonl` | which contestant failed in which conversation, without the messages |
| `surveys/NAME/units.jsonl` | what annotators were shown, unit by unit |
| `surveys/NAME/judgements.jsonl` | the answers, one a row, of people (`source` is `human`) and of automatic judges |
| `surveys/NAME/judges/` | what each automatic judge says of itself |
| `DATA_CARD.md` | what these data are, and what is to be filled in |
| `SHA256SUMS` | checksums: `sha256sum --check SHA256SUMS` |
"""

DRAWS = (
    " Bootstrap intervals are of other draws, too, since annotators' ids stood in those of their annotations, which "
    "had to be put in another order."
)


def readme(study: Study, copy: Study, made: Export, human_turns: bool) -> str:
    """The text, in Markdown; of the study it names nothing but what stands in the copy."""
    parts = [
        f"# Data of a human evaluation of chatbots ({copy.plan.domain})",
        f"A copy of a study made by parlai_spotbot {parlai_spotbot.__version__}, for publication.",
        "## Files",
        FILES.rstrip(),
        "## The figures again",
        _again(study, made),
        "## What was taken out or changed",
        "\n".join(f"- {line}" for line in _changes(made, human_turns)),
        "## Before publishing",
        "\n".join(f"- [ ] {line}" for line in _to_do(study, made, human_turns)),
    ]
    return "\n\n".join(parts) + "\n"


def _again(study: Study, made: Export) -> str:
    lines = []
    for survey in made.counts.surveys:
        options = _options(study, survey)
        lines.append(f"    {hints.command('analyze', '.', survey)}{options}")
        lines.append(f"    {hints.command('report', '.', survey)}")
    if not lines:
        return "There are no answers in it yet."
    return (
        "In this folder:\n\n"
        + "\n".join(lines)
        + "\n\nThey are those of the study, but for what follows from the changes "
        "below: times are rounded, annotators are listed, and drawn in random permutations, in another order, and "
        "rules about what an annotator did first go by the order of the rows."
        + ("" if made.counts.same_draws else DRAWS)
    )


def _options(study: Study, survey: str) -> str:
    """The options of the study's own analysis, where they aren't the usual ones."""
    path = study.analysis_path(survey) / "ranking.json"
    if not path.exists():
        return ""
    made = read_json(path, "analysis file").get("made_by", {})
    usual = {"bootstraps": 1000, "resample": "conversations_workers", "backend": "auto", "unsure": "survives"}
    given = {key: made.get("options", {}).get(key, default) for key, default in usual.items()}
    said = "".join(f" --{key} {value}" for key, value in given.items() if value != usual[key])
    return said + (f" --seed {made['seed']}" if made.get("seed", study.plan.seed) != study.plan.seed else "")


def _changes(made: Export, human_turns: bool) -> list[str]:
    took = made.counts
    lines = [
        f"Annotators ({made.annotators}) bear new names, made with a key that was drawn for this copy and kept "
        "nowhere. They can't be led back to platform ids, nor to another copy. Answers, annotations "
        "and units bear new ids too.",
        "No times of day. How long an annotation took is in whole seconds.",
        "No worker ids, personal links, ledgers, payments of single annotators, server logs or settings of accounts.",
        "Of options and provenance: no paths, addresses, host names, keys, or names of environment variables.",
    ]
    if made.texts:
        lines.append(
            f"Comments and free-text answers ({took.kept_texts}) are in it, as they were written. **Read every one "
            "before publishing: people name themselves and others.**"
        )
    else:
        lines.append(
            f"No comments ({took.comments} left out) and no free-text answers ({took.free_texts} are empty, "
            f"{took.extra} to added questions left out)."
        )
    if not human_turns:
        lines.append(
            f"What people said in conversations ({took.human_turns} turns: people's conversations, their turns with "
            "bots, seeds and personas) is replaced by a note, in conversations and units. `seed_id` and the domain "
            "lead to the originals for who has them. The lists of words by which a judge tells people from bots are "
            "left out. What the analysis says of people's wording (hygiene, repeated "
            "texts) means nothing here."
        )
    return lines


def _to_do(study: Study, made: Export, human_turns: bool) -> list[str]:
    lines = [
        "Put a licence into LICENSE.",
        "Fill in what DATA_CARD.md leaves open.",
        "See that your consent text and your ethics board allow this publication.",
        "Read conversations: what people typed to each other or to a bot may name somebody.",
    ]
    if made.personal:
        some = ", ".join(made.personal[:20])
        more = f", and {len(made.personal) - 20} more" if len(made.personal) > 20 else ""
        lines.append(f"Something looks like an e-mail address or a telephone number in: {some}{more}.")
    if human_turns:
        lines.append(
            "See that the licence of the people's conversations allows to pass them on; if not, make the copy again "
            "with --without-human-turns."
        )
    found = study.provenance().get("selfplay", {}).get("overlap_with_training_data", {}).get("turns_found", {})
    copied = [f"{name} {share:.0%}" for name, share in found.items() if share]
    if copied:
        lines.append(
            "These bots say what people wrote, word for word, in so many of their turns; the same licence holds for "
            f"that, and --without-human-turns leaves it in: {', '.join(copied)}."
        )
    return lines
