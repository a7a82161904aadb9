"""How much work may be done, by whom and until when."""
