"""Repairs: rules applied with proof, probes of addresses, what was found looked for elsewhere, and the sweep."""
