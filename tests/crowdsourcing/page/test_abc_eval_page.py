"""ABC-Eval in a real browser: through the training, failing and then passing; a unit of each task; definitions a key
away; and forged submissions, which pass nothing.
"""

from dataclasses import replace

from parlai_spotbot.crowdsourcing.desk.training import course_of
from parlai_spotbot.surveys.abc_eval.labels import QUESTIONS, labels_of
from tests.crowdsourcing import trained
from tests.crowdsourcing.page.stage import TALKS, button, following, heading, judged_item, stage


def short(task, exchanges=3, allowed=0):
    """The task with dialogues of so many turns each, in which so many may be wrong."""
    survey = trained.narrowed(task)
    training = tuple(replace(gold, turns=gold.turns[: 2 * exchanges]) for gold in survey.training)
    return replace(survey, training=training, tasks=(replace(survey.tasks[0], allowed=allowed),))


def shown(task, texts=TALKS[1]):
    return [judged_item(0, texts, 1, QUESTIONS[task])]


def put(page, answer, keys=False):
    """Answer the questions of the turn in hand, by the mouse or by the number keys."""
    while (open_ := page.locator('[data-question][data-answered="false"]')).count():
        question = open_.first
        name, target = question.get_attribute("data-question").split(" ")
        option = question.locator(f'.option:has(input[value="{answer(name, target)}"])')
        if keys:
            page.keyboard.press(option.locator("input").get_attribute("data-key"))
        else:
            option.click()


def annotate(page, turns, answer, begin=0, end=None, keys=False):
    """Go through the turns of a conversation from place `begin` to before `end`."""
    for place in range(begin, turns if end is None else end):
        page.locator(".step-heading", has_text=f"Turn {place + 1} of {turns}").wait_for()
        assert page.locator(".turn").count() == 2 * place + 2  # no later turn is shown
        put(page, answer, keys)
        if keys:
            page.keyboard.press("Enter")
        else:
            following(page)


def do_round(page, gold, wrong=(), **how):
    annotate(page, len(gold.bot_turns), trained.key_of_gold(gold, wrong), **how)


def do_unit(page, task, texts=TALKS[1], keys=False):
    """The unit in hand, every label of the first turn, none of the others."""
    turns = len(texts) // 2
    key = {2 * n + 1: trained.other_labels(task, ()) if n == 0 else () for n in range(turns)}
    annotate(page, turns, trained.by_key(task, key), keys=keys)
    heading(page, "Overview")
    assert page.locator(".turn-rows li").count() == turns
    button(page, "Hand in").click()
    heading(page, "Ready|Thank you")
    return key


def labels_kept(task, record):
    """The labels of each turn in a submission."""
    found = {}
    for row in record["items"][0]["answers"]:
        found.setdefault(int(row["target"][5:]), {})[row["question"]] = row["answer"]
    return {turn: {k for k, v in labels_of(task, answers).items() if v} for turn, answers in found.items()}


# -- the training ------------------------------------------------------------------------------------------------------
def test_through_the_training_failing_then_passing(tmp_path, visit):
    survey = short("consistency")
    [one, two, three], [last] = course_of(survey)
    with stage(survey, shown("consistency"), tmp_path) as st:
        page = visit()
        page.goto(st.link("ann"))
        button(page, "I agree and want to take part").click()
        button(page, "I have understood").click()
        heading(page, "conversation 1 of 3")
        do_round(page, one, {1}, keys=True)
        heading(page, "conversation 1 of 3: the result")
        assert "As expected: 2 of 3 turns." in page.locator("main").inner_text()
        wrong = page.locator(".told.wrong")
        assert wrong.count() == 1
        turn = one.turns[one.bot_turns[1]]
        assert turn.why in wrong.inner_text()
        assert "Turn 2 was expected otherwise" in wrong.inner_text()
        [yours, expected] = [text.lower() for text in wrong.locator("dd").all_inner_texts()]
        given = trained.other_labels("consistency", turn.labels)
        assert yours == (", ".join(sorted(given)).replace("_", " ") or "none")
        assert expected == (", ".join(sorted(turn.labels)).replace("_", " ") or "none")
        first = one.turns[one.bot_turns[0]].why
        assert not page.get_by_text(first, exact=True).is_visible()
        page.locator(".told.right summary").first.click()
        assert page.get_by_text(first, exact=True).is_visible()
        button(page, "Go on with the training").click()

        heading(page, "conversation 2 of 3$")
        do_round(page, two, end=2)
        page.reload()
        page.locator(".step-heading", has_text="Turn 3 of 3").wait_for()
        page.get_by_text("Turns answered: 2 of 3").wait_for()
        button(page, "Look at the results so far").click()
        assert turn.why in page.get_by_role("dialog").inner_text()
        page.keyboard.press("Escape")
        do_round(page, two, begin=2)
        heading(page, "conversation 2 of 3: the result")
        assert page.locator(".told.wrong").count() == 0
        button(page, "Go on with the training").click()

        heading(page, "conversation 3 of 3$")
        do_round(page, three, {0})
        page.get_by_text("That is not enough: at most 0 may differ.").wait_for()
        button(page, "Next attempt").click()
        heading(page, "Training, a further conversation$")
        do_round(page, last)
        page.get_by_text("You have passed.").wait_for()
        button(page, "Go on").click()
        heading(page, "Ready")
        button(page, "Start").click()
        heading(page, "Conversation 1 of 1")
        key = do_unit(page, "consistency")
        assert labels_kept("consistency", st.kept[0]) == {turn: set(labels) for turn, labels in key.items()}
