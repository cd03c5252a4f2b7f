"""Every cell of the paper that the released data reproduce, to its digits; and what cannot be reached, named."""

import pytest
import yaml

from parlai_spotbot.projects.spot_the_bot_2020.dump import DOMAINS
from tests.case_tables import cases

KNOWN = ("dailydialog", "empathetic")
"""The domains with reference numbers."""

# Cells that don't come out to the paper's digits, and the greatest difference among them. All else does.
MISSED = yaml.safe_load("""
dailydialog table1: [15, 0.027]
dailydialog table5: [6, 0.017]
dailydialog table6: [9, 0.017]
empathetic table1: [19, 0.022]
empathetic table5: [1, 0.020]
empathetic table6: [3, 0.095]
convai2 table1: [2, 0.023]
convai2 table5: [1, 0.0055]
convai2 table6: [1, 0.0055]
empathetic table9: [3, 0.145]
convai2 table9: [1, 0.154]
""")


def numbers(table):
    return [cell for cell in table.compared if isinstance(cell.paper, (int, float)) and cell.ours is not None]


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("name", ["table1", "table2", "table5", "table6", "table8", "table9"])
def test_the_papers_cells(reproduced, domain, name):
    table = reproduced[domain][name]
    missed = [cell for cell in numbers(table) if not cell.reached]
    count, greatest = MISSED.get(f"{domain} {name}", (0, 0.0))
    assert len(missed) == count, [(c.row, c.column, c.paper, c.ours) for c in missed]
    assert all(abs(cell.difference) <= greatest for cell in missed)


@pytest.mark.parametrize("domain", KNOWN)
@cases("name key", "[[table1, table1], [table5, table5_fluency], [table6, table6_ssa_authors_bug]]")
def test_win_tables_are_the_recomputed_ones(reproduced, reference, cell, domain, name, key):
    known = reference(f"paper_tables/{domain}.json")[key]
    table = reproduced[domain][name]
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
@cases("name key", "[[table1, table1], [table5, table5_fluency], [table6, table6_ssa_authors_bug]]")
def test_ranges_are_those_of_the_authors_rule(reproduced, reference, cell, domain, name, key):
    """Where the reference saw one range in 95 of 100 runs or more, so do we; where it wavered, ours is one it saw."""
    ranges = reference(f"paper_tables/{domain}.json")[key]["ranges"]
    for column, seen in (("RANGE", "authors_rule_n5000"), ("RANGE, draws = matches", "authors_rule_n_equals_N")):
        for bot, times in ranges[f"{seen}_frequencies_in_100_runs"].items():
            ours = cell(reproduced[domain][name], bot, column).ours
            assert times.get(ours, 0) >= (95 if max(times.values()) >= 95 else 25), (bot, column, ours, times)
    for bot, span in ranges["paper"].items():
        assert cell(reproduced[domain][name], bot, "RANGE").paper == span


@pytest.mark.parametrize("domain", KNOWN)
def test_table_8_and_the_unsure_share(reproduced, reference, cell, domain):
    known = reference(f"paper_tables/{domain}.json")["table8_segments"]["segments"]
    table = reproduced[domain]["table8"]
    for k, own in known.items():
        assert cell(table, "ties", f"ties at {k}").ours == pytest.approx(own["ties"], abs=5.1e-5)
        for bot, values in own["systems"].items():
            for column, key in (("WR", "win_rate"), ("HP", "human_share"), ("unsure", "unsure_share")):
                assert cell(table, bot, f"{column} at {k}").ours == pytest.approx(values[key], abs=5.1e-5)


def test_every_claim_of_section_4_2_holds(reproduced):
    """Significance of all 46 pairs of survival curves, and which bots switch places."""
    tables = [done["section42"] for done in reproduced.values()]
    assert [len([c for c in t.cells if c.column == "significant"]) for t in tables] == [10, 15, 21]
    assert all(cell.reached for table in tables for cell in table.compared)
    assert any("curves cross" in note for note in reproduced["empathetic"]["section42"].notes)


def test_without_its_bug_table_6_moves(reproduced):
    told = " ".join(reproduced["empathetic"]["table6"].notes)
    assert "pairwise rates by up to 0.11" in told
