"""What charts say by marks is seen: 3 to 1 beside what is behind it, letters 4.5 to 1, by day and by night (WCAG)."""

import pytest

from parlai_spotbot.report.page import build_report
from tests.findings.scripted import answered, by_chance, rows_of, small_study
from tests.report.test_names import page_of_users, study_of_votes

FAINT = """() => {
  const css = (one, pseudo) => getComputedStyle(one, pseudo);
  const rgba = (text) => {
    const [r, g, b, a = 1] = (text.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
    return text === "none" ? [0, 0, 0, 0] : [r, g, b, a];
  };
  const over = ([r, g, b, a], ground) => [r, g, b].map((part, i) => a * part + (1 - a) * ground[i]);
  const light = (colour) => colour.slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const groundOf = (one) => {
    let behind = one;
    while (behind && rgba(css(behind).backgroundColor)[3] < 1) behind = behind.parentElement;
    return rgba(css(behind ?? document.body).backgroundColor);
  };
  const strength = (one) => {
    let product = 1;
    for (let at = one; at && at.localName !== "figure"; at = at.parentElement) product *= css(at).opacity;
    return product;
  };
  const probe = document.body.appendChild(document.createElement("span"));
  probe.style.color = "var(--line)";
  const line = rgba(css(probe).color).join();
  probe.remove();
  const faint = [];
  const say = (one, what, found, least) => {
    if (found < least) faint.push(`${what} ${one.outerHTML.slice(0, 90)} ${found.toFixed(2)}`);
  };
  const seen = (one) => one.checkVisibility() && one.getBoundingClientRect().width + one.getBoundingClientRect().height;
  const middle = (one) => {
    const box = one.getBoundingClientRect();
    return [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  };
  const holds = (one, [x, y]) => {
    const box = one.getBoundingClientRect();
    return box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
  };
  let marks = 0;
  for (const svg of [...document.querySelectorAll("figure svg")].filter(seen)) {
    const ground = groundOf(svg);
    const texts = [...svg.querySelectorAll("text")].filter(seen);
    const places = texts.map(middle);
    const paint = (one, name) => {
      const [r, g, b, a] = rgba(css(one)[name]);
      return [r, g, b, a * css(one)[`${name}Opacity`] * strength(one)];
    };
    const shapes = [...svg.querySelectorAll("path, use, rect")]
      .filter((one) => seen(one) && !one.closest("defs, clipPath"));
    for (const one of shapes) {
      const paints = ["fill", ...(parseFloat(css(one).strokeWidth) ? ["stroke"] : [])].map((name) => paint(one, name))
        .filter((colour) => colour[3] && colour.slice(0, 3).concat(1).join() !== line);
      if (!paints.length || places.some((place) => holds(one, place))) continue; // what is written on needs no colour
      marks += 1;
      say(one, "mark", Math.max(...paints.map((colour) => contrast(over(colour, ground), ground))), 3);
    }
    texts.forEach((one, i) => {
      const behind = shapes.filter((shape) => holds(shape, places[i]))
        .reduce((colour, shape) => over(paint(shape, "fill"), colour), ground);
      say(one, "text", contrast(over(paint(one, "fill"), behind), behind), 4.5);
    });
  }
  const drawn = (one, pseudo) => {
    const own = css(one, pseudo);
    const sides = ["Top", "Left"].filter((side) => parseFloat(own[`border${side}Width`]));
    return [own.backgroundColor, ...sides.map((side) => own[`border${side}Color`])].map(rgba)
      .map(([r, g, b, a]) => [r, g, b, a * own.opacity]);
  };
  const parts = [[".standing .bar :is(i, b, s, u), .dash, .standing tbody"], [".chip:not(.other), .key", "::before"]];
  for (const [selector, pseudo] of parts) {
    for (const one of [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility())) {
      if (!pseudo && one.localName === "tbody" && !one.previousElementSibling?.matches("tbody")) continue;
      const ground = groundOf(one.parentElement);
      marks += 1;
      say(one, "mark", Math.max(...drawn(one, pseudo).map((colour) => contrast(over(colour, ground), ground))), 3);
    }
  }
  return { marks, faint };
}"""
"""Marks that are fainter than 3 to 1 and texts of figures than 4.5 to 1; lines of a grid, which `--line` paints, and
what has its number written on it may be fainter."""


def page_of_bots(folder, new_study):
    return build_report(new_study(folder / "study", bots=tuple(f"bot-{place}" for place in range(9)), per_pair=2))


def page_of_behaviours(folder, new_study):
    study = small_study(folder / "study", "abc_eval", ("ann", "bob", "cat"), people=4)
    answered(study, "abc_eval", rows_of(study, "abc_eval", by_chance, [f"w{number}" for number in range(3)]))
    return build_report(study, "abc_eval")


def page_of_an_arena(folder, new_study):
    return build_report(study_of_votes(folder, [f"bot-{place}" for place in range(6)]), "votes")


def page_of_simulators(folder, new_study):
    return page_of_users(folder, ["ada", "bob", "cleo"])


@pytest.mark.parametrize("page_of", [page_of_bots, page_of_behaviours, page_of_an_arena, page_of_simulators])
def test_marks_are_seen_in_both_colour_schemes(tmp_path, new_study, chromium, page_of):
    page = page_of(tmp_path, new_study)
    for scheme in ("light", "dark"):
        tab = chromium.new_context(color_scheme=scheme).new_page()
        tab.goto(page.as_uri())
        tab.get_by_role("button", name="Open all sections").click()
        tab.locator("#figure:not([open]) > summary").evaluate_all("(all) => all.forEach((one) => one.click())")
        tab.add_style_tag(content="section { content-visibility: visible !important; }")
        found = tab.evaluate(FAINT)
        assert found["marks"] > 20
        assert found["faint"] == [], scheme
        tab.context.close()
