"""``parlai spotbot_pack``: conversations become units, what annotators and judges do in one sitting."""

from __future__ import annotations

from parlai.core.params import ParlaiParser
from parlai.core.script import register_script

from parlai_spotbot.scripts.command import Command, add_common, add_seed, whole_numbers


@register_script("spotbot_pack")
class SpotbotPack(Command):
    DESCRIPTION = "Pack conversations into units, what one annotator does in one sitting"
    EPILOG = """\
  parlai spotbot_pack --study studies/rules
  parlai spotbot_pack --study studies/rules --segments 1,2,3 --annotators-per-segment 3
  The same command again changes nothing; a study that grew gets further units."""

    @classmethod
    def add_options(cls, parser: ParlaiParser) -> None:
        add_common(parser)
        group = parser.add_argument_group("Packing")
        group.add_argument(
            "--segments", type=str, default=None, help="segment lengths in exchanges (default: the study's)"
        )
        group.add_argument("--unit-size", type=int, default=20, help="segments in a unit")
        group.add_argument("--humans-per-unit", type=int, default=5, help="how many of them are between people")
        group.add_argument("--annotators-per-segment", type=int, default=2, help="annotators who answer a segment")
        group.add_argument(
            "--surface", type=str, default="normalise",
            help="how turns are shown: normalise (one casing and spacing for people and bots) or keep",
        )  # fmt: skip
        group.add_argument(
            "--leave-out", type=str, default=None, metavar="KINDS",
            help="leave out conversations with such faults, counted and named: empty,loop,special_tokens,"
            "self_identified,… (default: none)",
        )  # fmt: skip
        add_seed(group)

    def execute(self) -> None:
        from parlai_spotbot.study import Study
        from parlai_spotbot.surveys.run import pack_study

        study = Study.open(self.opt["study"])
        names = ("survey", "unit_size", "humans_per_unit", "annotators_per_segment", "seed", "surface")
        options = {name: self.opt[name] for name in names}
        if self.opt["segments"] is not None:
            options["segments"] = whole_numbers(self.opt["segments"])
        if self.opt["leave_out"]:
            options["leave_out"] = [kind.strip() for kind in self.opt["leave_out"].split(",") if kind.strip()]
        with study.lock("spotbot_pack"):
            print(table(pack_study(study, **options)))
        print(f"\nwritten: {study.units_path(self.opt['survey'])}")


def table(summary: dict) -> str:
    """The summary of `pack_study` in a few lines."""
    count = summary["conversations"]
    lines = [
        f"{summary['units']} units ({summary['added_units']} new) in {summary['blocks']} blocks, "
        f"of {summary['smallest_unit']} to {summary['largest_unit']} segments; {summary['annotations']} annotations",
        f"conversations: {count['bots']} of bots, {count['people']} between people",
        f"\n{'segments of':<16}{'bots':>8}{'people':>8}",
    ]
    lines += [f"{k + ' exchanges':<16}{row['bots']:>8}{row['people']:>8}" for k, row in summary["segments"].items()]
    lines.append(f"\n{'told from people by surface':<32}{'as said':>8}{'as shown':>10}   (AUC, 0.5 is blind)")
    for name, row in summary["surface"]["contestants"].items():
        said, shown = ("too few" if row[when] is None else f"{row[when]:.2f}" for when in ("before", "after"))
        lines.append(f"{name:<32}{said:>8}{shown:>10}")
    lines += [""] + [f"left out: {row['count']} {row['what']}: {row['reason']}" for row in summary["left_out"]]
    lines += [f"warning: {warning}" for warning in summary["warnings"]]
    return "\n".join(lines).rstrip()
