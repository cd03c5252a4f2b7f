"""Real chit-chat between people (the package chitchat-dataset), cleaned and split into folds that share nobody."""
