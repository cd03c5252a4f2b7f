"""Works that the report's tables and figures name as their sources, as data; each can be had as BibTeX.

A key is the first author's name and the year, as a table's or figure's ``cite`` holds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Publication:
    """A publication. `authors` are "Family, Given", `venue` is journal or proceedings, `doi` "" where there is none.

    `where` is volume, issue and pages as a reader writes them, or where else it is found.
    """

    key: str
    authors: tuple[str, ...]
    title: str
    venue: str
    year: int
    doi: str = ""
    where: str = ""
    kind: str = "article"

    @property
    def short(self) -> str:
        """As one cites it in a text: Deriu et al. 2020."""
        names = [author.split(",")[0] for author in self.authors]
        who = names[0] if len(names) == 1 else " & ".join(names) if len(names) == 2 else f"{names[0]} et al."
        return f"{who} {self.year}"

    @property
    def said(self) -> str:
        """As it stands in a list of references."""
        if not self.authors:
            return self.title
        names = ", ".join(_initials(author) for author in self.authors)
        text = f"{names} ({self.year}): {self.title}. {self.venue}{', ' + self.where if self.where else ''}."
        return f"{text} doi:{self.doi}" if self.doi else text

    @property
    def bibtex(self) -> str:
        """The entry of a BibTeX file."""
        field = {"article": "journal", "inproceedings": "booktitle", "book": "publisher"}[self.kind]
        rows = {"author": " and ".join(self.authors), "title": self.title, field: self.venue, "year": str(self.year)}
        rows |= {"note": self.where} if self.where else {}
        entry = "".join(f"  {name} = {{{_tex(value)}}},\n" for name, value in rows.items())
        entry += f"  doi = {{{self.doi}}},\n" if self.doi else ""
        return f"@{self.kind}{{{self.key},\n{entry}}}"


def _initials(author: str) -> str:
    family, _, given = author.partition(", ")
    return f"{family} {''.join(part[0] for part in re.split(r'[ -]', given) if part)}".strip()


def _tex(text: str) -> str:
    return re.sub(r"[&%$#_]", lambda found: f"\\{found[0]}", text)


PUBLICATIONS = (
    Publication(
        "deriu2020",
        (
            "Deriu, Jan",
            "Tuggener, Don",
            "von Däniken, Pius",
            "Campos, Jon Ander",
            "Rodrigo, Alvaro",
            "Belkacem, Thiziri",
            "Soroa, Aitor",
            "Agirre, Eneko",
            "Cieliebak, Mark",
        ),
        "Spot The Bot: A Robust and Efficient Framework for the Evaluation of Conversational Dialogue Systems",
        "Proceedings of the 2020 Conference on Empirical Methods in Natural Language Processing (EMNLP)",
        2020,
        "10.18653/v1/2020.emnlp-main.326",
        "pages 3971–3984",
        "inproceedings",
    ),
    Publication(
        "li2019",
        ("Li, Margaret", "Weston, Jason", "Roller, Stephen"),
        "ACUTE-EVAL: Improved Dialogue Evaluation with Optimized Questions and Multi-turn Comparisons",
        "arXiv",
        2019,
        "10.48550/arXiv.1909.03087",
    ),
    Publication(
        "finch2023",
        ("Finch, Sarah E.", "Finch, James D.", "Choi, Jinho D."),
        "Don't Forget Your ABC's: Evaluating the State-of-the-Art in Chat-Oriented Dialogue Systems",
        "Proceedings of the 61st Annual Meeting of the Association for Computational Linguistics",
        2023,
        "10.18653/v1/2023.acl-long.839",
        "pages 15044–15071",
        "inproceedings",
    ),
    Publication(
        "finch2020",
        ("Finch, Sarah E.", "Choi, Jinho D."),
        "Towards Unified Dialogue System Evaluation: A Comprehensive Analysis of Current Evaluation Protocols",
        "Proceedings of the 21st Annual Meeting of the Special Interest Group on Discourse and Dialogue",
        2020,
        "10.18653/v1/2020.sigdial-1.29",
        "pages 236–245",
        "inproceedings",
    ),
    Publication(
        "smith2022",
        ("Smith, Eric", "Hsu, Orion", "Qian, Rebecca", "Roller, Stephen", "Boureau, Y-Lan", "Weston, Jason"),
        "Human Evaluation of Conversations is an Open Problem: comparing the sensitivity of various methods for "
        "evaluating dialogue agents",
        "Proceedings of the 4th Workshop on NLP for Conversational AI",
        2022,
        "10.18653/v1/2022.nlp4convai-1.8",
        "",
        "inproceedings",
    ),
    Publication(
        "adiwardana2020",
        (
            "Adiwardana, Daniel",
            "Luong, Minh-Thang",
            "So, David R.",
            "Hall, Jamie",
            "Fiedel, Noah",
            "Thoppilan, Romal",
            "Yang, Zi",
            "Kulshreshtha, Apoorv",
            "Nemade, Gaurav",
            "Lu, Yifeng",
            "Le, Quoc V.",
        ),
        "Towards a Human-like Open-Domain Chatbot",
        "arXiv",
        2020,
        "10.48550/arXiv.2001.09977",
    ),
    Publication(
        "herbrich2006",
        ("Herbrich, Ralf", "Minka, Tom", "Graepel, Thore"),
        "TrueSkill: A Bayesian Skill Rating System",
        "Advances in Neural Information Processing Systems 19",
        2006,
        "",
        "",
        "inproceedings",
    ),
    Publication(
        "bradley1952",
        ("Bradley, Ralph Allan", "Terry, Milton E."),
        "Rank Analysis of Incomplete Block Designs: I. The Method of Paired Comparisons",
        "Biometrika",
        1952,
        "10.2307/2334029",
        "39(3/4), 324–345",
    ),
    Publication(
        "davidson1970",
        ("Davidson, Roger R.",),
        "On Extending the Bradley-Terry Model to Accommodate Ties in Paired Comparison Experiments",
        "Journal of the American Statistical Association",
        1970,
        "10.1080/01621459.1970.10481082",
        "65(329), 317–328",
    ),
    Publication(
        "sakaguchi2014",
        ("Sakaguchi, Keisuke", "Post, Matt", "Van Durme, Benjamin"),
        "Efficient Elicitation of Annotations for Human Evaluation of Machine Translation",
        "Proceedings of the Ninth Workshop on Statistical Machine Translation",
        2014,
        "10.3115/v1/W14-3301",
        "pages 1–11",
        "inproceedings",
    ),
    Publication(
        "owen2012",
        ("Owen, Art B.", "Eckles, Dean"),
        "Bootstrapping data arrays of arbitrary order",
        "The Annals of Applied Statistics",
        2012,
        "10.1214/12-AOAS547",
        "6(3), 895–927",
    ),
    Publication(
        "cameron2011",
        ("Cameron, A. Colin", "Gelbach, Jonah B.", "Miller, Douglas L."),
        "Robust Inference With Multiway Clustering",
        "Journal of Business & Economic Statistics",
        2011,
        "10.1198/jbes.2010.07136",
        "29(2), 238–249",
    ),
    Publication(
        "chiang2024",
        (
            "Chiang, Wei-Lin",
            "Zheng, Lianmin",
            "Sheng, Ying",
            "Angelopoulos, Anastasios Nikolas",
            "Li, Tianle",
            "Li, Dacheng",
            "Zhu, Banghua",
            "Zhang, Hao",
            "Jordan, Michael I.",
            "Gonzalez, Joseph E.",
            "Stoica, Ion",
        ),
        "Chatbot Arena: An Open Platform for Evaluating LLMs by Human Preference",
        "Proceedings of the 41st International Conference on Machine Learning",
        2024,
        "",
        "PMLR 235, 8359–8388",
        "inproceedings",
    ),
    Publication(
        "pustejovsky2018",
        ("Pustejovsky, James E.", "Tipton, Elizabeth"),
        "Small-Sample Methods for Cluster-Robust Variance Estimation and Hypothesis Testing in Fixed Effects Models",
        "Journal of Business & Economic Statistics",
        2018,
        "10.1080/07350015.2016.1247004",
        "36(4), 672–683",
    ),
    Publication(
        "firth1993",
        ("Firth, David",),
        "Bias Reduction of Maximum Likelihood Estimates",
        "Biometrika",
        1993,
        "10.1093/biomet/80.1.27",
        "80(1), 27–38",
    ),
    Publication(
        "heinze2002",
        ("Heinze, Georg", "Schemper, Michael"),
        "A Solution to the Problem of Separation in Logistic Regression",
        "Statistics in Medicine",
        2002,
        "10.1002/sim.1047",
        "21(16), 2409–2419",
    ),
    Publication(
        "kosmidis2021",
        ("Kosmidis, Ioannis", "Firth, David"),
        "Jeffreys-prior Penalty, Finiteness and Shrinkage in Binomial-response Generalized Linear Models",
        "Biometrika",
        2021,
        "10.1093/biomet/asaa052",
        "108(1), 71–82",
    ),
    Publication(
        "rao1984",
        ("Rao, J. N. K.", "Scott, A. J."),
        "On Chi-Squared Tests for Multiway Contingency Tables with Cell Proportions Estimated from Survey Data",
        "The Annals of Statistics",
        1984,
        "10.1214/aos/1176346391",
        "12(1), 46–60",
    ),
    Publication(
        "holm1979",
        ("Holm, Sture",),
        "A Simple Sequentially Rejective Multiple Test Procedure",
        "Scandinavian Journal of Statistics",
        1979,
        "",
        "6(2), 65–70",
    ),
    Publication(
        "smyth2004",
        ("Smyth, Gordon K.",),
        "Linear Models and Empirical Bayes Methods for Assessing Differential Expression in Microarray Experiments",
        "Statistical Applications in Genetics and Molecular Biology",
        2004,
        "10.2202/1544-6115.1027",
        "3(1), article 3",
    ),
    Publication(
        "mogstad2024",
        ("Mogstad, Magne", "Romano, Joseph P.", "Shaikh, Azeem M.", "Wilhelm, Daniel"),
        "Inference for Ranks with Applications to Mobility across Neighbourhoods and Academic Achievement across "
        "Countries",
        "The Review of Economic Studies",
        2024,
        "10.1093/restud/rdad006",
        "91(1), 476–518",
    ),
    Publication(
        "turnbull1976",
        ("Turnbull, Bruce W.",),
        "The Empirical Distribution Function with Arbitrarily Grouped, Censored and Truncated Data",
        "Journal of the Royal Statistical Society: Series B",
        1976,
        "10.1111/j.2517-6161.1976.tb01597.x",
        "38(3), 290–295",
    ),
    Publication(
        "sun1996",
        ("Sun, Jianguo",),
        "A Non-parametric Test for Interval-censored Failure Time Data with Application to AIDS Studies",
        "Statistics in Medicine",
        1996,
        "",
        "15(13), 1387–1395",
    ),
    Publication(
        "finkelstein1986",
        ("Finkelstein, Dianne M.",),
        "A Proportional Hazards Model for Interval-Censored Failure Time Data",
        "Biometrics",
        1986,
        "10.2307/2530698",
        "42(4), 845–854",
    ),
    Publication(
        "anderson2017",
        ("Anderson-Bergman, Clifford",),
        "icenReg: Regression Models for Interval Censored Data in R",
        "Journal of Statistical Software",
        2017,
        "10.18637/jss.v081.i12",
        "81(12), 1–23",
    ),
    Publication(
        "peterson1976",
        ("Peterson, Arthur V.",),
        "Bounds for a joint distribution function with fixed sub-distribution functions: Application to competing "
        "risks",
        "Proceedings of the National Academy of Sciences",
        1976,
        "10.1073/pnas.73.1.11",
        "73(1), 11–13",
    ),
    Publication(
        "deriu2023",
        ("Deriu, Jan", "von Däniken, Pius", "Tuggener, Don", "Cieliebak, Mark"),
        "Correction of Errors in Preference Ratings from Automated Metrics for Text Generation",
        "Findings of the Association for Computational Linguistics: ACL 2023",
        2023,
        "10.18653/v1/2023.findings-acl.404",
        "pages 6456–6474",
        "inproceedings",
    ),
    Publication(
        "angelopoulos2023",
        ("Angelopoulos, Anastasios N.", "Duchi, John C.", "Zrnic, Tijana"),
        "PPI++: Efficient Prediction-Powered Inference",
        "arXiv",
        2023,
        "10.48550/arXiv.2311.01453",
    ),
    Publication(
        "dawid1979",
        ("Dawid, A. Philip", "Skene, Allan M."),
        "Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm",
        "Journal of the Royal Statistical Society, Series C",
        1979,
        "10.2307/2346806",
        "28(1), 20–28",
    ),
    Publication(
        "whitehill2009",
        ("Whitehill, Jacob", "Ruvolo, Paul", "Wu, Tingfan", "Bergsma, Jacob", "Movellan, Javier"),
        "Whose Vote Should Count More: Optimal Integration of Labels from Labelers of Unknown Expertise",
        "Advances in Neural Information Processing Systems 22",
        2009,
        "",
        "pages 2035–2043",
        "inproceedings",
    ),
    Publication(
        "ustalov2024",
        ("Ustalov, Dmitry", "Pavlichenko, Nikita", "Tseitlin, Boris"),
        "Learning from Crowds with Crowd-Kit",
        "Journal of Open Source Software",
        2024,
        "10.21105/joss.06227",
        "9(96), 6227",
    ),
    Publication(
        "hayes2007",
        ("Hayes, Andrew F.", "Krippendorff, Klaus"),
        "Answering the Call for a Standard Reliability Measure for Coding Data",
        "Communication Methods and Measures",
        2007,
        "10.1080/19312450709336664",
        "1(1), 77–89",
    ),
    Publication(
        "hautus1995",
        ("Hautus, Michael J.",),
        "Corrections for extreme proportions and their biasing effects on estimated values of d′",
        "Behavior Research Methods, Instruments, & Computers",
        1995,
        "10.3758/BF03203619",
        "27(1), 46–51",
    ),
    Publication(
        "wilson1927",
        ("Wilson, Edwin B.",),
        "Probable Inference, the Law of Succession, and Statistical Inference",
        "Journal of the American Statistical Association",
        1927,
        "10.1080/01621459.1927.10502953",
        "22(158), 209–212",
    ),
    Publication(
        "korn1998",
        ("Korn, Edward L.", "Graubard, Barry I."),
        "Confidence Intervals for Proportions with Small Expected Number of Positive Counts Estimated from Survey Data",
        "Survey Methodology",
        1998,
        "",
        "24(2), 193–201",
    ),
    Publication(
        "woodruff1952",
        ("Woodruff, Ralph S.",),
        "Confidence Intervals for Medians and Other Position Measures",
        "Journal of the American Statistical Association",
        1952,
        "10.1080/01621459.1952.10483443",
        "47(260), 635–646",
    ),
    Publication(
        "clopper1934",
        ("Clopper, C. J.", "Pearson, E. S."),
        "The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial",
        "Biometrika",
        1934,
        "10.1093/biomet/26.4.404",
        "26(4), 404–413",
    ),
    Publication(
        "lowe2015",
        ("Lowe, Ryan", "Pow, Nissan", "Serban, Iulian", "Pineau, Joelle"),
        "The Ubuntu Dialogue Corpus: A Large Dataset for Research in Unstructured Multi-Turn Dialogue Systems",
        "Proceedings of the 16th Annual Meeting of the Special Interest Group on Discourse and Dialogue",
        2015,
        "10.18653/v1/W15-4640",
        "pages 285–294",
        "inproceedings",
    ),
    Publication(
        "lowe2016",
        ("Lowe, Ryan", "Serban, Iulian V.", "Noseworthy, Michael", "Charlin, Laurent", "Pineau, Joelle"),
        "On the Evaluation of Dialogue Systems with Next Utterance Classification",
        "Proceedings of the 17th Annual Meeting of the Special Interest Group on Discourse and Dialogue",
        2016,
        "10.18653/v1/W16-3634",
        "pages 264–269",
        "inproceedings",
    ),
    Publication(
        "berger1982",
        ("Berger, Roger L.",),
        "Multiparameter Hypothesis Testing and Acceptance Sampling",
        "Technometrics",
        1982,
        "",
        "24(4), 295–300",
    ),
)

BY_KEY = {work.key: work for work in PUBLICATIONS}


def short(key: str) -> str:
    """How a source is cited; one that the list doesn't have is said as it is."""
    return BY_KEY[key].short if key in BY_KEY else key


def anchor(key: str) -> str:
    """The id of a source in the page's list."""
    return "source-" + re.sub(r"[^A-Za-z0-9_.-]+", "-", key)


def used(cited: Iterable[Iterable[str]]) -> list[Publication]:
    """The works of these lists of keys, each once, by author and year; an unknown key gives a work of that name."""
    keys = {key for own in cited for key in own}
    known = [BY_KEY[key] for key in keys if key in BY_KEY]
    known.sort(key=lambda work: (work.authors[0].lower(), work.year, work.key))
    return known + [Publication(key, (), key, "", 0) for key in sorted(keys - set(BY_KEY))]
