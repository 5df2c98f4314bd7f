/**
 * For agents that start a hook's command with Bash, and let an entry set variables. Bash then reads no start-up file before the command: not the
 * one in BASH_ENV, and not .bashrc, which it reads if its input is a socket and SHLVL is low. SHELLOPTS could tell it to run nothing, and PATH
 * decides which Bash is started. Empty, the LD_ variables load nothing: a file such as `.env` may set them. LD_TRACE_LOADED_OBJECTS has no harmless
 * value.
 */
export const BASH_VARIABLES = {
  PATH: "/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin:/run/current-system/sw/bin",
  BASH_ENV: "",
  ENV: "",
  SHELLOPTS: "",
  BASHOPTS: "",
  SHLVL: "9",
  LD_PRELOAD: "",
  LD_AUDIT: "",
  LD_LIBRARY_PATH: "",
  LD_DEBUG: "",
} as const;
