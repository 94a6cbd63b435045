# Generated from spec/error_members.toml by generate/templates/constants.py.jinja; do not edit.
# To update: cargo xtask generate

"""The command that explains an error code."""

EXPLAIN = "python -m libpayments explain"
