import { SEPARATOR } from "./reply-format.js";
import { MAX_REPLY_BYTES } from "./reply-size.js";

/**
 * The part that all clients share. `out`, `err` and `code` are what the agent gets. They hold the deny, or nothing, until the hub's answer has
 * passed every check, and every exit goes through `finish`. The script starts one process besides the shell: no `cat`, no `mktemp`.
 */
export function clientBody(isStrict: boolean): string {
  return `${ending}${isStrict ? strictTraps : ""}${asking}`;
}

// Without a trap the shell dies at once, and so does curl when its pipe closes.
const strictTraps = `# Cut short, the last word is the exit code: 2 blocks with all agents, if there is a text.
cut() { lost=1; exit; }
trap cut HUP INT QUIT TERM
`;

const ending = `nl='
'
set -f
umask 077
# Lengths are in bytes.
LC_ALL=C
reason=cut lost= input=

finish() {
  trap - EXIT
  trap '' HUP INT QUIT TERM
  [ -z "$reason" ] || [ -z "$input" ] || withhold
  [ -z "$out" ] || printf '%s' "$out" 2>/dev/null || lost=1
  [ "$gate$lost" != 11 ] || { code=2; [ -n "$err" ] || err='Hookline: cut short, and attached with --strict.'; }
  [ -z "$err" ] || printf '%s' "$err" >&2
  [ -z "$reason" ] || note 2>/dev/null
  exit "$code"
}

# The hub collects the file. Without one it grows to a megabyte or two and no further.
note() (
  trap '' XFSZ
  ulimit -c 0
  ulimit -f 2048
  now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
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

# The agent takes another output only in the shape of that tool's: any other it drops, and shows the original.
withhold() {
  [ -x "$node" ] || node=node
  shaped=$(printf '%s' "$input" | NODE_OPTIONS= "$node" "$withholder" "$agent" "$event" 2>/dev/null) || shaped=
  [ -n "$shaped" ] || shaped=$(fill) || shaped=
  [ -z "$shaped" ] || out=$shaped
}

# By the shell itself where there is no "cat".
all_of_stdin() {
  ! command -v cat >/dev/null 2>&1 || { cat; return; }
  while IFS= read -r line; do printf '%s\\n' "$line"; done
  printf '%s' "$line"
}

trap finish EXIT
# A reader that went away is an error to be seen, not a death.
trap '' PIPE

# Until the hub has answered, what is said is that the output is withheld.
if [ "$after" = 1 ] && is_closed; then
  out=$held err=$complaint code=$ending
  [ -z "$withholder" ] || input=$(all_of_stdin)
fi
`;

const asking = `
case $event in '' | *[!A-Za-z0-9_]*) event=-; give_up event ;; esac
{ true 3<&0; } 2>/dev/null || give_up stdin
mark= seal= more=
{ [ -f "$folder/key" ] && IFS=' ' read -r mark seal more <"$folder/key"; } 2>/dev/null || give_up key
[ "$mark$more" = '#' ] && [ \${#seal} -ge 16 ] || give_up key

# The listener on the socket gets the token before it has proved that it is the hub: only this user can create a socket in that folder.
url=http://hookline/api/agents/$agent/$event
status=127
[ -x "$curl" ] || { command -v curl >/dev/null 2>&1 && curl=curl; } || curl=
set -- -q -sfgN --noproxy '*' --unix-socket "$socket" -K "$folder/key" --connect-timeout 2 --max-time "$limit" \\
  --speed-limit 1 --speed-time "$silence" --max-filesize ${MAX_REPLY_BYTES} -H 'Content-Type: application/json' -H Expect: \\
  --data-binary @- "$url"
{
  [ -z "$curl" ] || {
    if [ -z "$input" ]; then body=$("$curl" "$@"); else body=$(printf '%s' "$input" | "$curl" "$@"); fi
    status=$?
  }
  # curl is missing or not executable, so stdin has not been read yet.
  case $status in 126 | 127)
    [ -x "$node" ] || node=node
    set -- "$client" "$socket" "$folder/key" "$url" "$limit" "$silence"
    if [ -z "$input" ]; then body=$(NODE_OPTIONS= "$node" "$@"); else body=$(printf '%s' "$input" | NODE_OPTIONS= "$node" "$@"); fi
    status=$?
    ;;
  esac
} 2>/dev/null
[ "$status" = 0 ] || give_up "curl-$status"

[ \${#body} -le ${MAX_REPLY_BYTES} ] || give_up size
# The separator between the quotes cannot be seen: a byte 31.
IFS='${SEPARATOR}'
set -- $body
IFS=' '
[ "$#$5" = 5end ] || give_up answer
case $1 in *[!"$nl"]*) give_up answer ;; esac
said=$3 complained=$4
set -- $2
[ "$# $1" = '5 hookline' ] || give_up answer
# Only the hub knows the seal: any other answer is a stranger's.
[ "$2" = "$seal" ] || give_up seal
case $3 in [0-9] | [1-9][0-9] | 1[0-9][0-9] | 2[0-4][0-9] | 25[0-5]) ;; *) give_up answer ;; esac
[ "$4 $5" = "\${#said} \${#complained}" ] || give_up answer
reason= out=$said err=$complained code=$3
exit
`;
