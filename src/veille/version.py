"""The version of this program, which is also recorded in what it writes."""

VERSION = "0.1.0"
