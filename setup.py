"""The one part of the build that pyproject.toml cannot say: C code that may be missing."""

from pathlib import Path

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "veille.core._native",
            sorted(map(str, Path("src/native").glob("*.c"))),
            depends=["src/native/native.h"],
            # Without a compiler the package installs all the same, and the Python code does the work.
            optional=True,
            # Both give the same numbers to the last bit, so no two operations may be fused into one.
            extra_compile_args=["-O2", "-ffp-contract=off"],
        )
    ]
)
