"""Makes unitd's bundled language model from nothing: corpus, tokenizer, training, export, evaluation."""
