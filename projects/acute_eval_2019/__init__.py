"""*ACUTE-Eval: Improved Dialogue Evaluation with Optimized Questions and Multi-turn Comparisons* (Li, Weston & Roller,
2019): its pools and wordings as recipes, and what its text says beside what a study finds.
"""
