import { withoutAliases } from "./code-imports.js";
import { texts } from "./code-texts.js";
import { argumentsAt, evaluate, expressionBefore, isNamed, listOf, MAX_VALUES, type Reading, variablesIn, wordsOf } from "./code-values.js";
import type { Source } from "./facts.js";
import { literal, unknownValue, type Value } from "./value.js";

/** What a call in a literal code does. */
export type CodeEffect =
  | { readonly kind: "read" | "write" | "delete" | "url" | "script"; readonly value: Value; readonly isRecursive?: boolean }
  | { readonly kind: "command"; readonly words: readonly Value[] }
  | { readonly kind: "send"; readonly from: Source }
  /** Code that is made when it runs. */
  | { readonly kind: "runs"; readonly from: Source };

/**
 * The meaning of calls, by a pattern for what stands before their arguments. `shell`: a text for a shell, or a list of words. `program`: a program
 * and its arguments. `argv`: the same, and the first argument is the name again. `open`: a path and a mode. `post`: an address that gets data. `code`: text that runs as code.
 */
type Meaning = "shell" | "program" | "delete" | "delete-tree" | "write" | "read" | "open" | "url" | "post" | "code" | "move" | "argv";
type Calls = readonly (readonly [pattern: string, meaning: Meaning])[];

const tables: { readonly [language: string]: Calls } = {
  python: [
    ["(?:\\bos\\s*\\.|\\.|\\b)(?:system|popen|getoutput|getstatusoutput|Popen|check_output|check_call|create_subprocess_shell)", "shell"],
    ["\\b(?:subprocess|sp|asyncio)\\.(?:run|call)", "shell"],
    ["\\bos\\.exec[lv]p?e?", "argv"],
    ["\\bos\\.spawn[lv]p?e?|\\bpty\\.spawn", "program"],
    ["\\bos\\.(?:remove|rmdir|removedirs)|(?:\\.|\\b)unlink", "delete"],
    ["(?:\\.|\\b)rmtree", "delete-tree"],
    ["\\bshutil\\.(?:move)|\\bos\\.(?:rename|replace)", "move"],
    ["\\bshutil\\.copy\\w*", "read"],
    ["(?<![\\w.])open|\\b(?:io|codecs)\\.open", "open"],
    ["(?:\\.|\\b)(?:urlopen|urlretrieve)|\\b(?:requests|httpx|session)\\.(?:get|head)", "url"],
    ["\\b(?:requests|httpx|session)\\.(?:post|put|patch)", "post"],
    ["(?<![\\w.])(?:exec|eval)", "code"],
  ],
  javascript: [
    ["(?:\\.|\\b)execSync|\\b(?:child_process|cp)\\.exec|['\"](?:node:)?child_process['\"]\\)\\.exec|(?<![\\w.])exec", "shell"],
    ["(?:\\.|\\b)(?:spawnSync|spawn|execFileSync|execFile)", "program"],
    ["\\bBun\\.\\$|\\bDeno\\.Command", "program"],
    ["(?:\\.|\\b)(?:unlinkSync|unlink)|\\bDeno\\.remove(?:Sync)?", "delete"],
    ["(?:\\.|\\b)(?:rmSync|rmdirSync|rmdir|rimraf(?:\\.sync)?)|\\bfs\\w*\\.rm|\\bpromises\\.rm", "delete-tree"],
    ["(?:\\.|\\b)(?:writeFileSync|writeFile|appendFileSync|appendFile|createWriteStream|truncateSync)", "write"],
    ["(?:\\.|\\b)(?:readFileSync|readFile|createReadStream)|\\bDeno\\.read(?:Text)?File(?:Sync)?|\\bBun\\.file", "read"],
    ["(?:\\.|\\b)(?:renameSync|rename)", "move"],
    ["(?<![\\w.])fetch|\\bhttps?\\.(?:get|request)|\\baxios\\.get", "url"],
    ["\\baxios\\.(?:post|put|patch)", "post"],
    ["(?<![\\w.])(?:eval|Function)|\\bvm\\.runIn\\w+", "code"],
  ],
  perl: [
    ["(?<![\\w$.>-])(?:system|exec)", "shell"],
    ["(?<![\\w$])unlink", "delete"],
    ["(?<![\\w$])(?:rmtree|remove_tree)", "delete-tree"],
    ["(?<![\\w$])open", "open"],
    ["(?<![\\w$])eval(?!\\s*\\{)", "code"],
  ],
  ruby: [
    ["(?<![\\w$])(?:Kernel\\.)?(?:system|exec|spawn)|\\bIO\\.popen|\\bOpen3\\.\\w+", "shell"],
    ["\\bFile\\.(?:delete|unlink)|\\bFileUtils\\.(?:rm|rm_f)|\\bDir\\.(?:delete|rmdir)", "delete"],
    ["\\bFileUtils\\.(?:rm_rf|rm_r|remove_dir|rmtree)", "delete-tree"],
    ["\\b(?:File|IO)\\.(?:write|binwrite)", "write"],
    ["\\b(?:File|IO)\\.(?:read|readlines|binread)", "read"],
    ["\\bFile\\.open|(?<![\\w.])open", "open"],
    ["\\bNet::HTTP\\.get\\w*|\\bURI\\.open", "url"],
    ["(?<![\\w.])eval|\\binstance_eval", "code"],
  ],
  php: [
    ["(?<![\\w$>])(?:system|exec|shell_exec|passthru|popen|proc_open)", "shell"],
    ["(?<![\\w$])(?:unlink|rmdir)", "delete"],
    ["(?<![\\w$])file_put_contents", "write"],
    ["(?<![\\w$])(?:file_get_contents|readfile|file)", "read"],
    ["(?<![\\w$])fopen", "open"],
    ["(?<![\\w$])eval", "code"],
  ],
  awk: [["(?<![\\w$])system", "shell"]],
  r: [
    ["(?<![\\w.])(?:system|shell)", "shell"],
    ["(?<![\\w.])system2", "program"],
    ["(?<![\\w.])unlink", "delete-tree"],
    ["(?<![\\w.])file\\.remove", "delete"],
    ["(?<![\\w.])(?:readLines|readRDS|readChar|source|scan|read\\.\\w+)", "read"],
    ["(?<![\\w.])(?:writeLines|saveRDS)", "write"],
  ],
  lua: [
    ["\\bos\\.execute|\\bio\\.popen", "shell"],
    ["\\bos\\.remove", "delete"],
    ["\\bio\\.open", "open"],
    ["(?<![\\w.])(?:load|loadstring|dofile)", "code"],
  ],
};

const compiled = new Map<string, readonly { readonly pattern: RegExp; readonly meaning: Meaning }[]>();

function callsOf(language: string): readonly { readonly pattern: RegExp; readonly meaning: Meaning }[] {
  const known = compiled.get(language);
  if (known !== undefined) return known;
  const made = (tables[language] ?? []).map(([source, meaning]) => ({
    pattern: new RegExp(`(?:${source})\\s*(\\(|(?=["'\`[]|Dir\\.home|ENV\\[|\\$ENV\\{))`, "g"),
    meaning,
  }));
  compiled.set(language, made);
  return made;
}

/** Longer code is not searched. */
const MAX_CODE = 16_384;
const MAX_CALLS = 200;
/** Calls inside calls are read once for each; this bounds the length of all their arguments together. */
const MAX_ARGUMENTS = 8 * MAX_CODE;

/** What the calls in a code do that run commands, touch files or talk to hosts. Only calls that are written out are found. */
export function effectsOfCode(language: string, written: string, home: string): readonly CodeEffect[] {
  if (written.length > MAX_CODE) return [{ kind: "runs", from: "unknown" }];
  const effects: CodeEffect[] = [];
  const code = withoutAliases(language, written);
  let variables: Reading["variables"] | undefined;
  const reading: Reading = {
    language,
    code,
    home,
    // Most code has no call whose arguments name one.
    get variables() {
      variables ??= variablesIn(code);
      return variables;
    },
    left: MAX_VALUES,
  };
  let length = 0;
  for (const { pattern, meaning } of callsOf(language)) {
    for (const match of code.matchAll(pattern)) {
      const args = argumentsAt(code, match.index + match[0].length, match[1] === "(");
      for (const arg of args) length += arg.length;
      if (effects.length > MAX_CALLS || length > MAX_ARGUMENTS) return [...effects, { kind: "runs", from: "unknown" }];
      effects.push(...effectsOfCall(meaning, args, reading));
    }
  }
  if (language === "python") effects.push(...pathMethods(reading));
  // `eval decode_base64(…)`
  if ((language === "perl" || language === "ruby") && /(?<![\w$.])eval\s+[A-Za-z_]/.test(code) && madeFrom(code) !== "unknown")
    effects.push({ kind: "runs", from: madeFrom(code) });
  if (language === "php" && /(?<![\w$])(?:include|require)(?:_once)?[ \t(]*["'](?:https?|ftp):/.test(code))
    effects.push({ kind: "runs", from: "network" });
  // `.then(eval)`
  if (language === "javascript" && /\(\s*eval\s*\)/.test(code)) effects.push({ kind: "runs", from: madeFrom(code) });
  for (const [kind, text] of texts[language]?.(code) ?? []) {
    if (effects.length > MAX_CALLS) return [...effects, { kind: "runs", from: "unknown" }];
    effects.push({ kind, value: kind === "script" ? scriptText(text, language) : pathText(text, home) });
  }
  return effects;
}

/** Methods of `pathlib`: what they do to the path before the dot. */
const pathMethod = /\.(read_text|read_bytes|write_text|write_bytes|touch|unlink|rmdir|open)[ \t]*\(/g;
const pathKinds: { readonly [method: string]: "read" | "write" | "delete" } = {
  read_text: "read",
  read_bytes: "read",
  write_text: "write",
  write_bytes: "write",
  touch: "write",
  unlink: "delete",
  rmdir: "delete",
};
/** How much of the first argument of a method is looked at. */
const MAX_MODE = 40;

function pathMethods(reading: Reading): readonly CodeEffect[] {
  const effects: CodeEffect[] = [];
  for (const match of reading.code.matchAll(pathMethod)) {
    if (effects.length >= MAX_CALLS) break;
    const object = expressionBefore(reading.code, match.index);
    // `io.open(…)` and `webbrowser.open(…)` are functions of modules.
    if (object === undefined || (match[1] === "open" && !/Path|\)$/.test(object))) continue;
    const value = evaluate(object, reading);
    const after = match.index + match[0].length;
    const kind = match[1] === "open" ? openKind(reading.code.slice(after, after + MAX_MODE)) : pathKinds[match[1] ?? ""];
    if (kind !== undefined) effects.push({ kind, value });
  }
  return effects;
}

function openKind(args: string): "read" | "write" {
  return /^\s*(?:mode\s*=\s*)?["'][^"']*[wax+]/.test(args) ? "write" : "read";
}

function pathText(text: string, home: string): Value {
  return literal(text.trim().replace(/^~(?=\/|$)/, home));
}

function scriptText(text: string, language: string): Value {
  if (language === "sed" || language === "ex" || language === "awk" || language === "gdb") return literal(text);
  const hasVariables = language === "ruby" ? text.includes("#{") : /[$@]\w/.test(text);
  return hasVariables ? unknownValue(text, "the command in the code has variables") : literal(text);
}

function effectsOfCall(meaning: Meaning, args: readonly string[], reading: Reading): readonly CodeEffect[] {
  const [first, second] = args;
  if (first === undefined) return [];
  const value = evaluate(first, reading);
  switch (meaning) {
    case "shell":
      return shellEffects(args, reading);
    case "program": {
      // `new Deno.Command("rm", { args: ["a"] })`
      const given = second === undefined ? undefined : (/^\s*\{[^[\]]*\bargs\s*:\s*(\[[^\]]*\])/.exec(second)?.[1] ?? second);
      const list = given === undefined ? undefined : listOf(given, reading);
      return [{ kind: "command", words: list === undefined ? wordsOf(args, reading) : [value, ...list] }];
    }
    case "argv": {
      const list = second === undefined ? undefined : listOf(second, reading);
      return [{ kind: "command", words: [value, ...(list ?? wordsOf(args.slice(1), reading)).slice(1)] }];
    }
    case "delete":
      return args.filter((arg) => !isNamed(arg)).map((arg) => ({ kind: "delete", value: evaluate(arg, reading) }));
    case "delete-tree":
      return [{ kind: "delete", value, isRecursive: true }];
    case "move":
      return [
        { kind: "read", value },
        { kind: "delete", value },
        ...(second === undefined ? [] : [{ kind: "write", value: evaluate(second, reading) } as const]),
      ];
    case "read":
      return /^https?:/.test(value.text) ? [{ kind: "url", value }] : [{ kind: "read", value }];
    case "write":
      return [{ kind: "write", value }];
    case "open":
      return openEffects(args, reading);
    case "url":
      return [
        { kind: "url", value },
        ...(/\b(?:POST|PUT)\b/.test(reading.code) ? [{ kind: "send", from: sentFrom(reading.code) } as const] : []),
      ];
    case "post":
      return [
        { kind: "url", value },
        { kind: "send", from: sentFrom(reading.code) },
      ];
    case "code":
      return value.unknown === undefined
        ? effectsOfCode(reading.language, value.text, reading.home)
        : [{ kind: "runs", from: madeFrom(reading.code) }];
  }
}

function shellEffects(args: readonly string[], reading: Reading): readonly CodeEffect[] {
  const [first = ""] = args;
  const list = listOf(first, reading);
  if (list !== undefined) return [{ kind: "command", words: list }];
  if (isVariable(first) && madeFrom(reading.code) === "network" && evaluate(first, reading).unknown !== undefined)
    return [{ kind: "runs", from: "network" }];
  const others = args.slice(1).filter((arg) => /^\s*["']/.test(arg));
  // `system("rm", "-r", "x")` runs no shell.
  return others.length > 0 && others.length === args.length - 1
    ? [{ kind: "command", words: wordsOf(args, reading) }]
    : [{ kind: "script", value: evaluate(first, reading) }];
}

function openEffects(args: readonly string[], reading: Reading): readonly CodeEffect[] {
  // Perl: open(F, ">", "x") and open(F, ">x").
  const [first = "", second = "", third] =
    reading.language === "perl"
      ? args.slice(1).length > 1
        ? [args[2], args[1]]
        : [(args[1] ?? "").replace(/[<>+]+\s*/, ""), args[1]]
      : args;
  const mode = [second, third ?? ""].find((arg) => /^\s*(?:mode\s*=\s*)?["'][<>|rwaxbt+: \w]*["']?/.test(arg)) ?? "";
  const isWriting = /["'][^"']*[wax+>]/.test(mode);
  if (first.trim() === "") return [];
  return [{ kind: isWriting ? "write" : "read", value: evaluate(first, reading) }];
}

function isVariable(text: string): boolean {
  return /^\s*\$?\w+\s*$/.test(text);
}

function sentFrom(code: string): Source {
  if (/\bopen\s*\(|readFile/.test(code)) return "file";
  return /\benviron\b|process\.env\b|\bENV\b/.test(code) ? "secret" : "literal";
}

function madeFrom(code: string): Source {
  if (
    /urlopen|requests\.|httpx\.|fetch\s*\(|https?\.get|Net::HTTP|URI\.open|LWP|TCPSocket|\.recv\s*\(|IO::Socket|["'`](?:https?|ftp):\/\/|\b(?:curl|wget)\s/.test(
      code,
    )
  )
    return "network";
  return /b64decode|atob|base64|fromhex|unhexlify|Buffer\.from|decode64|unpack|codecs\.decode|zlib|marshal|decompress|fromCharCode/.test(
    code,
  )
    ? "decoded"
    : "unknown";
}
