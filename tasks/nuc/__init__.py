"""Next-Utterance Classification over any corpus: ``-t spotbot:nuc`` (Lowe et al., 2016)."""
