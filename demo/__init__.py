"""The sample home: an invented developer, their small project and the transcripts of work done on it."""
