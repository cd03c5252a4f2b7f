"""Models of ours that ParlAI finds by name.

``-mf zoo:spotbot/NAME/model`` imports the module ``NAME`` of this package and calls its ``download(datapath)``, which
puts the model under ``datapath/models/spotbot/NAME/``.
"""
