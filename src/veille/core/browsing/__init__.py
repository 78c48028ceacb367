"""What a browser does with a page before it is read: steps, consent banners, pictures."""
