"""The report: one self-contained HTML page about an adopted model or a release."""
