"""Every cell of the paper that the released data reproduce, to its digits; and what cannot be reached, named."""

import itertools

import pytest

from parlai_spotbot.importers.spotbot2020_dump import DOMAINS
from parlai_spotbot.projects.cells import paper_values
from parlai_spotbot.projects.spot_the_bot_2020 import labels
from parlai_spotbot.projects.spot_the_bot_2020.definitions import label_agreement

KNOWN = ("dailydialog", "empathetic")
"""The domains with reference numbers."""

# Cells that don't come out to the paper's digits, and the greatest difference among them. All else does.
MISSED = {
    ("dailydialog", "table1"): (15, 0.027),
    ("dailydialog", "table5"): (6, 0.017),
    ("dailydialog", "table6"): (9, 0.017),
    ("empathetic", "table1"): (19, 0.022),
    ("empathetic", "table5"): (1, 0.020),
    ("empathetic", "table6"): (3, 0.095),
    ("convai2", "table1"): (2, 0.023),
    ("convai2", "table5"): (1, 0.0055),
    ("convai2", "table6"): (1, 0.0055),
    ("empathetic", "table9"): (3, 0.145),
    ("convai2", "table9"): (1, 0.154),
}


def numbers(table):
    return [cell for cell in table.compared if isinstance(cell.paper, (int, float)) and cell.ours is not None]


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("name", ["table1", "table2", "table5", "table6", "table8", "table9"])
def test_the_papers_cells(reproduced, domain, name):
    table = reproduced[domain].tables[name]
    missed = [cell for cell in numbers(table) if not cell.reached]
    count, greatest = MISSED.get((domain, name), (0, 0.0))
    assert len(missed) == count, [(c.row, c.column, c.paper, c.ours) for c in missed]
    assert all(abs(cell.difference) <= greatest for cell in missed)


def test_personachat_is_right_in_15_of_15_pairs(reproduced, cell):
    table = reproduced["convai2"].tables["table1"]
    pairs = list(itertools.combinations(DOMAINS["convai2"].bots, 2))
    assert len(pairs) == 15
    for a, b in pairs:
        for row, column in ((a, b), (b, a)):
            found = cell(table, row, column)
            assert round(found.ours, 2) == pytest.approx(found.paper), (row, column, found.ours)


@pytest.mark.parametrize("domain", KNOWN)
@pytest.mark.parametrize(
    ("name", "key"), [("table1", "table1"), ("table5", "table5_fluency"), ("table6", "table6_ssa_authors_bug")]
)
def test_win_tables_are_the_recomputed_ones(reproduced, reference, cell, domain, name, key):
    known = reference(f"paper_tables/{domain}.json")[key]
    table = reproduced[domain].tables[name]
    for pair in known["pairs"]:
        found = cell(table, pair["a"], pair["b"])
        assert found.ours == pytest.approx(pair["rate_a"], abs=5.1e-5)
        assert found.paper == pytest.approx(pair["paper_rate_a"])
        names = f"{pair['a']}–{pair['b']}", f"{pair['b']}–{pair['a']}"
        p = next(c for c in table.cells if c.row in names and c.column == "p")
        assert p.ours == pytest.approx(pair["p_chi2_yates_authors"], rel=1e-9)
    for bot, rate in known["win_rate_mean_of_pairs"].items():
        assert cell(table, bot, "WR").ours == pytest.approx(rate, abs=5.1e-5)
        assert cell(table, bot, "WR").paper == pytest.approx(known["paper_win_rate"][bot])


@pytest.mark.parametrize("domain", KNOWN)
@pytest.mark.parametrize(
    ("name", "key"), [("table1", "table1"), ("table5", "table5_fluency"), ("table6", "table6_ssa_authors_bug")]
)
def test_ranges_are_those_of_the_authors_rule(reproduced, reference, cell, domain, name, key):
    """Where the reference saw one range in 95 of 100 runs or more, so do we; where it wavered, ours is one it saw."""
    ranges = reference(f"paper_tables/{domain}.json")[key]["ranges"]
    for column, seen in (("RANGE", "authors_rule_n5000"), ("RANGE, draws = matches", "authors_rule_n_equals_N")):
        for bot, times in ranges[f"{seen}_frequencies_in_100_runs"].items():
            ours = cell(reproduced[domain].tables[name], bot, column).ours
            assert times.get(ours, 0) >= (95 if max(times.values()) >= 95 else 25), (bot, column, ours, times)
    for bot, span in ranges["paper"].items():
        assert cell(reproduced[domain].tables[name], bot, "RANGE").paper == span


@pytest.mark.parametrize("domain", KNOWN)
def test_table_2_is_the_recomputed_one(reproduced, reference, cell, domain):
    known = reference(f"paper_tables/{domain}.json")["table2_features"]["values"]
    level = "conversation_level" if domain == "dailydialog" else "annotation_level"
    for feature, by_bot in known.items():
        for bot, values in by_bot.items():
            found = cell(reproduced[domain].tables["table2"], bot, feature)
            assert found.ours == pytest.approx(values[level], abs=5.1e-5)
            assert found.paper == values["paper"]


@pytest.mark.parametrize("domain", KNOWN)
def test_coefficients_of_features_are_icenregs(reproduced, reference, cell, domain):
    known = reference(f"survival/reference_{domain}.json")["regression"]
    names = {"fluency": "fluent", "specificity": "specific", "sensibleness": "sensible"}
    for bot in DOMAINS[domain].bots:
        exact = known[bot]["exact_ph"]
        for feature, theirs in names.items():
            found = cell(reproduced[domain].tables["table2"], bot, f"{feature}: coefficient")
            assert found.ours == pytest.approx(exact["coef"][theirs], abs=1e-6)
            p = cell(reproduced[domain].tables["table2"], bot, f"{feature}: p").ours
            assert p == pytest.approx(exact["p"][theirs], rel=1e-3, abs=1e-12)


def test_what_the_text_says_of_features(reproduced):
    for done in reproduced.values():
        notes = " ".join(done.tables["table2"].notes)
        assert "all significant effects go the intuitive way holds" in notes
        assert "DR's fluency is significant holds" in notes
    counts = [next(n for n in d.tables["table2"].notes if n.startswith("significant for")) for d in reproduced.values()]
    assert "sensibleness 4 of 4" in counts[0]
    assert "specificity 0 of 5" in counts[1]
    assert "sensibleness 6 of 6" in counts[2]


def test_table_3(reproduced, reference):
    known = reference("paper_tables/table3.json")
    found = label_agreement([done.entities for done in reproduced.values()])
    for name, shares in known["recomputed"].items():
        for label, share in zip(("bot", "human", "unsure"), shares, strict=True):
            assert found[name][label] == pytest.approx(share, abs=6e-4), (name, label)
    table = labels.table3(
        paper_values("spot_the_bot_2020"), {domain: done.entities for domain, done in reproduced.items()}
    )
    missed = {(c.row, c.column): c.difference for c in numbers(table) if not c.reached}
    assert set(missed) == {("human", "bot"), ("human", "unsure"), ("GPT", "unsure")}
    assert max(map(abs, missed.values())) < 0.021


@pytest.mark.parametrize("domain", KNOWN)
def test_table_4(reproduced, reference, cell, domain):
    known = reference(f"paper_tables/{domain}.json")["table4_time_s"]
    table = reproduced[domain].tables["table4"]
    assert cell(table, domain, "annotation time").ours == pytest.approx(known["median_complete"], abs=1e-9)
    assert cell(table, domain, "annotation time, real mean").ours == pytest.approx(
        known["mean_complete_valid_start"], abs=0.006
    )


@pytest.mark.parametrize(
    ("domain", "median", "mean", "a_pair"),
    [("dailydialog", 25.8, 53, 270), ("empathetic", 18.3, 39, 245.8), ("convai2", 24.3, 53, 266)],
)
def test_time_in_all_domains(reproduced, cell, domain, median, mean, a_pair):
    table = reproduced[domain].tables["table4"]
    assert cell(table, domain, "annotation time").reached
    assert cell(table, domain, "annotation time").ours == pytest.approx(median, abs=0.05)
    assert cell(table, domain, "annotation time, real mean").ours == pytest.approx(mean, abs=0.5)
    assert cell(table, domain, "time per conversation").reached is False
    table = reproduced[domain].tables["section53"]
    assert cell(table, "section 5.3", "annotations a pair").ours == pytest.approx(a_pair)
    at_median, at_mean = (
        cell(table, "section 5.3", f"minutes a pair, real count at the {which}").ours for which in ("median", "mean")
    )
    assert 1.2 < at_median / 60 < 2.0
    assert 2.6 < at_mean / 60 < 4.05
    assert cell(table, "section 5.3", "minutes a system, human-bot chats").ours == 400


def test_table_7(reproduced, cell):
    for domain, done in reproduced.items():
        assert cell(done.tables["table7"], domain, "B").reached
        assert cell(done.tables["table7"], domain, "segments").reached
        assert cell(done.tables["table7"], domain, "#dialogues").ours is None


@pytest.mark.parametrize("domain", KNOWN)
def test_table_8_and_the_unsure_share(reproduced, reference, cell, domain):
    known = reference(f"paper_tables/{domain}.json")["table8_segments"]["segments"]
    table = reproduced[domain].tables["table8"]
    for k, own in known.items():
        assert cell(table, "ties", f"ties at {k}").ours == pytest.approx(own["ties"], abs=5.1e-5)
        for bot, values in own["systems"].items():
            for column, key in (("WR", "win_rate"), ("HP", "human_share"), ("unsure", "unsure_share")):
                assert cell(table, bot, f"{column} at {k}").ours == pytest.approx(values[key], abs=5.1e-5)


@pytest.mark.parametrize("domain", KNOWN)
def test_table_9(reproduced, reference, cell, domain):
    known = reference(f"paper_tables/{domain}.json")["table9_annotators"]
    table = reproduced[domain].tables["table9"]
    columns = {
        "#Ann": "n",
        "avg. corr": "avg_correct",
        "avg. hum. corr": "avg_human_correct",
        "< 50 %": "share_below_50",
    }
    for column, key in columns.items():
        assert cell(table, domain, column).ours == pytest.approx(known[key], abs=5.1e-5)


def test_always_answering_bot_beats_the_average(reproduced, cell):
    for domain, known in {"dailydialog": 0.777, "empathetic": 0.834, "convai2": 0.798}.items():
        done = reproduced[domain]
        assert (done.entities["name"] != "human").mean() == pytest.approx(known, abs=6e-4)
        table = done.tables["table9"]
        assert cell(table, domain, "always bot").ours > cell(table, domain, "avg. corr").paper


def test_every_claim_of_section_4_2_holds(reproduced):
    """Significance of all 46 pairs of survival curves, and which bots switch places."""
    tables = [done.tables["section42"] for done in reproduced.values()]
    assert [len([c for c in t.cells if c.column == "significant"]) for t in tables] == [10, 15, 21]
    assert all(cell.reached for table in tables for cell in table.compared)
    assert any("curves cross" in note for note in reproduced["empathetic"].tables["section42"].notes)


@pytest.mark.parametrize("domain", KNOWN)
def test_figure_2_is_the_exact_estimate(reproduced, reference, cell, domain):
    known = reference(f"survival/reference_{domain}.json")
    for name, own in known["npmle"].items():
        for k, survival in zip(known["times"], own["S_exact_pava"], strict=True):
            found = cell(reproduced[domain].tables["figure2"], name.replace("Human", "human"), f"S({k})")
            assert found.ours == pytest.approx(survival, abs=1e-9)


def test_misprints_of_the_paper_are_named(reproduced):
    def notes(domain, table):
        return " ".join(reproduced[domain].tables[table].notes)

    assert "WR of LC, 0.69, is not the mean of its own row, 0.668" in notes("convai2", "table1")
    assert "WR of GPT, 0.33, is not the mean of its own row, 0.425" in notes("empathetic", "table6")
    for name in ("table5", "table6"):
        table = reproduced["dailydialog"].tables[name]
        assert all("exchanges the labels GPT and BR" in c.definition for c in table.cells if c.column == "WR")


def test_without_its_bug_table_6_moves(reproduced):
    told = " ".join(reproduced["empathetic"].tables["table6"].notes)
    assert "pairwise rates by up to 0.11" in told


@pytest.mark.parametrize("domain", DOMAINS)
def test_footnote_3_does_not_hold(reproduced, cell, domain):
    """Both entities are labelled alike far more often than by chance, also within annotators."""
    table = reproduced[domain].tables["footnote3"]
    for row in ("bots, by pair and length", "bots, by annotator and length"):
        assert cell(table, row, "observed").ours > cell(table, row, "expected").ours + 0.09
        assert cell(table, row, "z").ours > 10


def test_without_weak_annotators_rankings_stay_but_for_two_bots(reproduced):
    """Appendix G. GPT and BR of Empathetic Dialogues, which nothing tells apart, change places."""
    notes = {domain: done.tables["appendixG"].notes[0] for domain, done in reproduced.items()}
    assert notes["dailydialog"].endswith("holds")
    assert notes["convai2"].endswith("holds")
    assert notes["empathetic"].endswith("fails: BL > GPT > BR > S2 > DR")


@pytest.mark.parametrize("domain", KNOWN)
def test_significance_of_features_is_that_of_icenregs_bootstrap(reproduced, reference, cell, domain):
    """What the paper sets bold comes from icenReg, whose errors are bootstrapped; ours are from the information."""
    known = reference(f"survival/reference_{domain}.json")["regression"]
    for bot in DOMAINS[domain].bots:
        for feature, theirs in (("fluency", "fluent"), ("specificity", "specific"), ("sensibleness", "sensible")):
            ours = cell(reproduced[domain].tables["table2"], bot, f"{feature}: p").ours
            assert (ours < 0.05) == (known[bot]["ic_sp_ph"]["p"][theirs] < 0.05), (bot, feature)
