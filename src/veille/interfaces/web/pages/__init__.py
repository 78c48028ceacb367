"""The pages: each module defines its `routes`. Handlers only read, render a template, and process forms."""
