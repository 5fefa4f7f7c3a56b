"""The training of unitd's bundled language model: corpus, tokenizer, training, export, evaluation."""
