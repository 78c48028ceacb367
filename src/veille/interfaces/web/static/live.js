// The strip of what goes on now, kept up to date by the server.
