"""How right the line attributions are: transcripts replayed into labelled texts, altered, committed, and asked back."""
