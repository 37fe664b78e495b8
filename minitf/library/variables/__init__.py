"""Variables of other kinds: read where they are used, in parts by rule, made by templates."""
