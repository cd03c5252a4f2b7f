"""The statistics: arrays and frames in, results out."""
