"""What a model is asked, and what its replies are worth: prompts with fenced material, and answers of a fixed shape."""
