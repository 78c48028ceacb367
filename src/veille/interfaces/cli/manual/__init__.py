"""The manual: help, man page and completion, from a list of all commands that is made beforehand."""
