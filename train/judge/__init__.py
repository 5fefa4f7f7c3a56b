"""The judge of a model file, with questions that were written or chosen apart from the corpus."""
