"""Zstandard: Python's own from 3.14 on, which its backport is not installed for; before that the backport."""

import sys

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["zstd"]
