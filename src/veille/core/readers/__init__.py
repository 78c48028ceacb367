"""What reader apps on phones ask for, as the Google Reader and Fever protocols say it."""
