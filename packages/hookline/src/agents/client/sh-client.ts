import { HookError } from "@hookline/core";
import { quoted } from "@hookline/core/internal/text";
import { type ClientData, CUT_SHORT, NOISY_SHELL, REWRITE_FIELDS } from "./client-data.js";
import { shellFill } from "./fill-output.js";
import { SEPARATOR } from "./reply-format.js";
import { MAX_REPLY_BYTES } from "./reply-size.js";

/** The programs that the shell's client runs, by their full paths. */
export interface ShellPrograms {
  readonly sh: string;
  readonly curl: string;
  /** Prints the SHA-256 of its input: `/usr/bin/sha256sum`, or a command with options. */
  readonly sha256: string;
  readonly ls: string;
  readonly date: string;
  readonly cat: string;
  /** Reads random bytes where the kernel has no file with a random id. */
  readonly od: string;
}

/**
 * The client for a POSIX shell and curl. `out`, `err` and `code` are what the agent gets. They hold the deny, or nothing, until the hub's answer has
 * passed every check, and every exit goes through `finish`.
 */
export function shClient(data: ClientData, programs: Omit<ShellPrograms, "sh">): string {
  const { agent, folder, sockets, owner, isStrict, events, otherLimit, silence, fill, shell = [] } = data;
  // Managed agents run Perl or the Node of the managed hub.
  if (data.group !== undefined || shell === "login") throw new HookError("HL_BAD_OPTION", "The client for sh cannot ask a managed hub.");
  const rows = events.map(({ native, isGate, limit, denial, held }) => {
    const reply = (
      names: readonly [string, string, string],
      { stdout, stderr, exitCode }: { stdout: string; stderr: string; exitCode: number },
    ) => `${names[0]}=${quoted(stdout)} ${names[1]}=${quoted(stderr)} ${names[2]}=${exitCode} `;
    return `${native}) ${isGate ? "gate=1 " : ""}${denial === undefined ? "" : `denies=1 ${reply(["out", "err", "code"], denial)}`}${
      held === undefined ? "" : `after=1 ${reply(["held", "complaint", "ending"], held)}`
    }limit=${limit.toFixed(3)} ;;`;
  });
  return `# Written by "hookline attach": asks the hub about an event of ${agent}. A changed file is refused.
agent=${quoted(agent)}
folder=${quoted(folder)}
owner=${owner}
strict=${isStrict ? 1 : ""}
silence=${silence}
curl=${quoted(programs.curl)}
sha256=${quoted(programs.sha256)}
ls=${quoted(programs.ls)}
date=${quoted(programs.date)}
cat=${quoted(programs.cat)}
od=${quoted(programs.od)}
probes=${shell.length === 0 ? "" : 1}
event=\${1-}
out= err= code=0 gate= denies= after= limit=${otherLimit.toFixed(3)}
case $event in
${rows.join("\n")}
esac
${fill === undefined ? "fill() { :; }" : shellFill(fill)}
# Whether the agent's shell, started once more, prints nothing before the command.
is_quiet() {
  [ -n "$BASH_ENV" ] || unset BASH_ENV
  [ -n "$ZDOTDIR" ] || unset ZDOTDIR
  PATH=/usr/bin:/bin:/usr/local/bin
  case $LEVEL in '' | *[!0-9]*) unset SHLVL ;; *) SHLVL=$((LEVEL - 1)) ;; esac
  export PATH SHLVL
  [ "$(${shell.length === 0 ? "echo" : shell.map(quoted).join(" ")} 'echo hookline' 2>/dev/null)" = hookline ]
}
choose() {
  for one in ${sockets.map(quoted).join(" ")}; do
    [ -n "$socket" ] || socket=$one
    [ "$one" != "$named" ] || socket=$one
  done
}
${BODY}`;
}

const BODY = `nl='
'
set -f
umask 077
# Lengths are in bytes.
LC_ALL=C
reason=cut lost= input= socket= named=

finish() {
  trap - EXIT
  trap '' HUP INT QUIT TERM
  if [ -n "$reason" ] && [ -n "$input" ]; then
    shaped=$(fill) || shaped=
    [ -z "$shaped" ] || out=$shaped
  fi
  [ -z "$out" ] || printf '%s' "$out" 2>/dev/null || lost=1
  # A decision of the hub that cannot be printed must not be lost either.
  if [ "$gate$lost" = 11 ] && { [ -n "$strict" ] || [ -z "$reason" ]; }; then
    code=2
    [ -n "$err" ] || err='${CUT_SHORT}'
  fi
  [ -z "$err" ] || printf '%s' "$err" >&2
  [ -z "$reason" ] || note 2>/dev/null
  exit "$code"
}

# The hub collects the file. Without one it grows to a megabyte or two and no further.
note() (
  trap '' XFSZ
  ulimit -c 0
  ulimit -f 2048
  now=$("$date" -u +%Y-%m-%dT%H:%M:%SZ)
  printf '%s %s %s %s\\n' "\${now:--}" "$agent" "$event" "$reason" >>"$folder/misses.log"
)

give_up() { reason=$1; exit; }

# Whether a transform of outputs is closed: then the model must not see an output that the hub did not see. "hookline down" removes the file.
is_closed() {
  gates=\${folder%/*}/gates.json known=
  # A hub without its gates: what it guards is not known.
  [ -e "$gates" ] || [ -h "$gates" ] || { [ -e "\${folder%/*}/hub.json" ]; return; }
  { IFS= read -r known <"$gates"; } 2>/dev/null
  case $known in '{"v":1,"instance":"'*'"gates":['*']}') ;; *) return 0 ;; esac
  one=\${known#*'{"event":"tool:result",'}
  [ "$one" != "$known" ] || return 1
  case \${one%%\\}*} in *'"onFailure":"open"') return 1 ;; esac
}

# Other users must not be able to write here, or to read what is secret.
check_owners() {
  listed=$("$ls" -lnd "$folder" "$folder/key" "$place" "$socket" 2>/dev/null)
  count=0
  while read -r mode _ user _ rest; do
    count=$((count + 1))
    fault=socket
    case $rest in *" $folder" | *" $folder/key") fault=key ;; esac
    [ "$user" = "$owner" ] || return
    case $mode in -???------* | [ds]????-??-*) ;; *) return ;; esac
  done <<END
$listed
END
  fault=socket
  [ "$count" != 4 ] || fault=
}

digest() { printf '%s' "$1" | $sha256; }

trap finish EXIT
# A reader that went away is an error to be seen, not a death.
trap '' PIPE
# Cut short, the last word is the exit code: 2 blocks with all agents, if there is a text.
cut() { lost=1; exit; }
[ -z "$denies" ] || trap cut HUP INT QUIT TERM

# Until the hub has answered, what is said is that the output is withheld.
if [ "$after" = 1 ] && is_closed; then
  out=$held err=$complaint code=$ending
  input=$("$cat")
fi

case $event in '' | *[!A-Za-z0-9_]*) event=-; give_up event ;; esac
{ true 3<&0; } 2>/dev/null || give_up stdin

first= second= third= more=
[ -f "$folder/key" ] && [ ! -h "$folder/key" ] || give_up key
{ IFS= read -r first && IFS= read -r second && { IFS= read -r third || [ -z "$third" ]; } && { ! IFS= read -r more && [ -z "$more" ]; }; } \\
  2>/dev/null <"$folder/key" || { [ -n "$second" ] && [ -z "$third$more" ]; } || give_up key
seal=\${first#'# '}
token=\${second#'header = "Authorization: Bearer '}
[ "$first" != "$seal" ] && [ "$second" != "$token" ] && [ "\${token%'"'}" != "$token" ] || give_up key
token=\${token%'"'}
case $seal in *[!A-Za-z0-9_-]*) give_up key ;; esac
case $token in *[!A-Za-z0-9_-]*) give_up key ;; esac
[ \${#seal} -ge 16 ] && [ \${#token} -ge 16 ] && [ \${#seal} -le 512 ] && [ \${#token} -le 512 ] || give_up key
case $third in
'') ;;
'unix-socket = "'*'"')
  named=\${third#*'"'}
  named=\${named%'"'}
  # Quotes and backslashes are written with a backslash.
  plain=
  while :; do
    case $named in *'\\'?*) ;; *) break ;; esac
    plain=$plain\${named%%'\\'*}
    named=\${named#*'\\'}
    plain=$plain\${named%"\${named#?}"}
    named=\${named#?}
  done
  named=$plain$named
  ;;
*) give_up key ;;
esac
choose
place=\${socket%/*}
[ -S "$socket" ] || give_up connect
check_owners
[ -z "$fault" ] || give_up "$fault"

nonce=
{ IFS= read -r nonce </proc/sys/kernel/random/uuid; } 2>/dev/null || nonce=$("$od" -An -N16 -vtx1 /dev/urandom 2>/dev/null)
IFS=' -'
set -- $nonce
IFS=
nonce="$*"
IFS=' '
case $nonce in *[!0-9a-f]*) give_up nonce ;; esac
[ \${#nonce} -ge 32 ] || give_up nonce

set -- -q -sf0gN --noproxy '*' --unix-socket "$socket" -K /dev/fd/3 --connect-timeout 2 --max-time "$limit" \\
  --speed-limit 1 --speed-time "$silence" --max-filesize ${MAX_REPLY_BYTES} -H 'Content-Type: application/json' -H Expect: \\
  -H "X-Hookline-Nonce: $nonce" --data-binary @- "http://hookline/api/agents/$agent/$event"
ask() {
  "$curl" "$@" 2>/dev/null 3<<END
header = "Authorization: Bearer $token"
END
}
{
  if [ -z "$input" ]; then body=$(ask "$@"); else body=$(printf '%s' "$input" | ask "$@"); fi
  status=$?
} 2>/dev/null
case $status in
0) ;;
7) give_up connect ;;
22) give_up status ;;
28) give_up time ;;
63) give_up size ;;
126 | 127) give_up client ;;
*) give_up broken ;;
esac

[ \${#body} -le ${MAX_REPLY_BYTES} ] || give_up size
# The separator between the quotes cannot be seen: a byte 31.
IFS='${SEPARATOR}'
set -- $body
IFS=' '
[ "$#$5" = 5end ] || give_up answer
case $1 in *[!"$nl"]*) give_up answer ;; esac
said=$3 complained=$4 head=$2
set -- $head
[ "$# $1" = '5 hookline' ] || give_up answer
mac=$2
case $3 in [0-9] | [1-9][0-9] | 1[0-9][0-9] | 2[0-4][0-9] | 25[0-5]) ;; *) give_up answer ;; esac
[ "$4 $5" = "\${#said} \${#complained}" ] || give_up answer
[ "$head" = "hookline $2 $3 $4 $5" ] || give_up answer
# Only the hub knows the seal, and this answer is to this question.
inner=$(digest "$seal $nonce $agent $event $3 $4 $5${SEPARATOR}$said${SEPARATOR}$complained${SEPARATOR}end$nl") || give_up seal
outer=$(digest "$seal \${inner%% *}") || give_up seal
[ "\${outer%% *}" = "$mac" ] && [ \${#mac} = 64 ] || give_up seal
reason= out=$said err=$complained code=$3
case $gate$probes$code$out in ${REWRITE_FIELDS.map((field) => `110*'"${field}":'*`).join(" | ")}) is_quiet || { out= err='${NOISY_SHELL}' code=2; } ;; esac
exit
`;
