@rem In scripts of package.json, exec makes the shell become the program, which then receives the signals of npm.
@rem Windows has no such command, and looks it up in the current folder.
@%*
