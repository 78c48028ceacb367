"""The version of this program; what it writes says which one wrote it."""

VERSION = "0.1.0"
