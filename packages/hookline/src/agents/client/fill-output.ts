import { quoted } from "@hookline/core/internal/text";
import { type AgentDialect, canDo } from "../shared/definition.js";
import { WITHHELD, withheldReply } from "./denials.js";

/** For an agent that accepts a new output only in the tool's own shape: how a client withholds an output by itself. */
export interface OutputFill {
  /** The reply around the output. */
  readonly before: string;
  readonly behind: string;
  /** What replaces each text of the output, as JSON. */
  readonly text: string;
  /** Tools with a reply that always fits. */
  readonly fixed: readonly { readonly tool: string; readonly reply: string }[];
  /** Fields that hold the kind of something: their words stay. */
  readonly kindFields: readonly string[];
}

/** Undefined for an agent that accepts an output in any shape. */
export function outputFill(dialect: AgentDialect): OutputFill | undefined {
  const native = Object.keys(dialect.events).find((name) => canDo(dialect, name, "replace"));
  if (dialect.outputShapes === undefined || native === undefined) return undefined;
  const { fixedTools, kindFields } = dialect.outputShapes;
  const replyFor = (tool: string): string => withheldReply(dialect, native, { tool_name: tool }).stdout;
  const text = JSON.stringify(WITHHELD);
  const [before = "", behind = ""] = replyFor("mcp__*").split(text);
  return { before, behind, text, fixed: ["mcp__*", ...fixedTools].map((tool) => ({ tool, reply: replyFor(tool) })), kindFields };
}

/** The function `fill` of the shell's client. It needs only the shell. */
export function shellFill({ before, behind, text, fixed: known, kindFields }: OutputFill): string {
  const fixed = known.map(({ tool, reply }) => `  ${tool}) printf '%s' ${quoted(reply)} ;;`);
  return `
fixed() {
  case $tool in
${fixed.join("\n")}
  *) return 1 ;;
  esac
}

# The output as it came, with other texts. Between two quotes is a text, or a part of one that has quotes itself.
fill() {
  before=${quoted(before)} behind=${quoted(behind)}
  brackets='[]{}[]*' depth=0 quoted= pending= text= key= top= tool= on=
  IFS='"'
  set -- $input
  IFS=' '
  for part do
    if [ -n "$quoted" ]; then
      [ \${#text} -gt 200 ] || text=$text$part
      case $part in *\\\\)
        slashes=\${part##*[!\\\\]}
        [ $((\${#slashes} % 2)) = 0 ] || { text="$text\\""; continue; }
        ;;
      esac
      quoted= pending=1
      continue
    fi
    quoted=1
    if [ -n "$pending" ]; then
      case $part in
      *:*) key=$text; [ "$depth" != 1 ] || top=$key ;;
      *)
        [ "$depth$top" != 1tool_name ] || tool=$text
        [ "$depth$top" != 1tool_response ] || { printf '%s' "$before"${quoted(text)}"$behind"; return; }
        is_kind || text=${quoted(text.slice(1, -1))}
        ;;
      esac
      [ -z "$on" ] || printf '"%s"' "$text"
    fi
    pending= text=
    while :; do
      case $part in *[]{}[]*) ;; *) break ;; esac
      head=\${part%%$brackets}
      part=\${part#"$head"}
      mark=\${part%"\${part#?}"}
      part=\${part#?}
      case $mark in
      '{' | '[')
        if [ "$depth$top" = 1tool_response ]; then
          fixed && return
          on=1 head=
          printf '%s' "$before"
        fi
        depth=$((depth + 1))
        ;;
      *) depth=$((depth - 1)) key= ;;
      esac
      [ -z "$on" ] || { plain "$head"; printf '%s' "$mark"; }
      [ "$on$depth" != 11 ] || { printf '%s' "$behind"; return; }
    done
    [ -z "$on" ] || plain "$part"
  done
  fixed
}

# What stands between texts and brackets, without its numbers and flags.
plain() {
  chunk=$1
  while :; do
    case $chunk in *[,:]*) ;; *) break ;; esac
    word=\${chunk%%[,:]*}
    chunk=\${chunk#"$word"}
    literal "$word"
    printf '%s' "\${chunk%"\${chunk#?}"}"
    chunk=\${chunk#?}
  done
  literal "$chunk"
}

literal() {
  case $1 in *[0-9]*) printf 1 ;; *true*) printf false ;; *) printf '%s' "$1" ;; esac
}

# Of a word that says what kind something is the agent knows every one that may stand there.
is_kind() {
  [ -n "$text" ] || return 0
  case $key in ${kindFields.join(" | ")}) ;; *) return 1 ;; esac
  case $text in [!a-z]* | *[!a-z_]*) return 1 ;; esac
  [ \${#text} -le 32 ]
}
`;
}
