"""Values as pages show them."""
