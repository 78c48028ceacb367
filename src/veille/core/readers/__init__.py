"""What reader apps on phones ask for, as the Google Reader, Miniflux and Fever protocols say it."""
