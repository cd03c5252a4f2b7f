"""The works that the appendix cites: those of the report, and those on tools, data sets and documentation."""

from __future__ import annotations

from parlai_spotbot.report import citations
from parlai_spotbot.report.citations import Publication

PUBLICATIONS = (
    Publication(
        "miller2017",
        (
            "Miller, Alexander",
            "Feng, Will",
            "Batra, Dhruv",
            "Bordes, Antoine",
            "Fisch, Adam",
            "Lu, Jiasen",
            "Parikh, Devi",
            "Weston, Jason",
        ),
        "ParlAI: A Dialog Research Software Platform",
        "Proceedings of the 2017 Conference on Empirical Methods in Natural Language Processing: System Demonstrations",
        2017,
        "10.18653/v1/D17-2014",
        "pages 79–84",
        "inproceedings",
    ),
    Publication(
        "urbanek2023",
        ("Urbanek, Jack", "Ringshia, Pratik"),
        "Mephisto: A Framework for Portable, Reproducible, and Iterative Crowdsourcing",
        "arXiv",
        2023,
        "10.48550/arXiv.2301.05154",
    ),
    Publication(
        "shimorina2022",
        ("Shimorina, Anastasia", "Belz, Anya"),
        "The Human Evaluation Datasheet: A Template for Recording Details of Human Evaluation Experiments in NLP",
        "Proceedings of the 2nd Workshop on Human Evaluation of NLP Systems (HumEval)",
        2022,
        "10.18653/v1/2022.humeval-1.6",
        "pages 54–75",
        "inproceedings",
    ),
    Publication(
        "bender2018",
        ("Bender, Emily M.", "Friedman, Batya"),
        "Data Statements for Natural Language Processing: Toward Mitigating System Bias and Enabling Better Science",
        "Transactions of the Association for Computational Linguistics",
        2018,
        "10.1162/tacl_a_00041",
        "6, 587–604",
    ),
    Publication(
        "gebru2021",
        (
            "Gebru, Timnit",
            "Morgenstern, Jamie",
            "Vecchione, Briana",
            "Vaughan, Jennifer Wortman",
            "Wallach, Hanna",
            "Daumé III, Hal",
            "Crawford, Kate",
        ),
        "Datasheets for Datasets",
        "Communications of the ACM",
        2021,
        "10.1145/3458723",
        "64(12), 86–92",
    ),
    Publication(
        "li2017",
        ("Li, Yanran", "Su, Hui", "Shen, Xiaoyu", "Li, Wenjie", "Cao, Ziqiang", "Niu, Shuzi"),
        "DailyDialog: A Manually Labelled Multi-turn Dialogue Dataset",
        "Proceedings of the Eighth International Joint Conference on Natural Language Processing",
        2017,
        "",
        "pages 986–995",
        "inproceedings",
    ),
    Publication(
        "rashkin2019",
        ("Rashkin, Hannah", "Smith, Eric Michael", "Li, Margaret", "Boureau, Y-Lan"),
        "Towards Empathetic Open-domain Conversation Models: A New Benchmark and Dataset",
        "Proceedings of the 57th Annual Meeting of the Association for Computational Linguistics",
        2019,
        "10.18653/v1/P19-1534",
        "pages 5370–5381",
        "inproceedings",
    ),
    Publication(
        "zhang2018",
        ("Zhang, Saizheng", "Dinan, Emily", "Urbanek, Jack", "Szlam, Arthur", "Kiela, Douwe", "Weston, Jason"),
        "Personalizing Dialogue Agents: I have a dog, do you have pets too?",
        "Proceedings of the 56th Annual Meeting of the Association for Computational Linguistics",
        2018,
        "10.18653/v1/P18-1205",
        "pages 2204–2213",
        "inproceedings",
    ),
)

BY_KEY = {**{work.key: work for work in PUBLICATIONS}, **citations.BY_KEY}


def short(key: str) -> str:
    """How a work is cited in a text: Deriu et al. 2020."""
    return BY_KEY[key].short
