"""Federation: parties keep their rows and models, and an aggregator decides by distances alone."""
