import type { CommandEntry, OptionEffect, OptionTable, ProgramEntry } from "../program-entry.js";
import { plain } from "./plain-options.js";

/** It runs a file, or its input if no file is named; the words after the file are the script's. */
const runsFile: CommandEntry = { operands: ["run", "text..."], syntax: "posix", stdin: "run" };
const codeOption: OptionEffect = { value: "code", drops: "run" };
/** Options of Perl, which Ruby has too: the code runs for each line of the files. */
const lineOptions: OptionTable = {
  "-i [SUFFIX]": { turns: { text: "edit", read: "edit" } },
  "-n": { turns: { text: "read" } },
  "-p": { turns: { text: "read" } },
};
const nodeOptions: OptionTable = {
  "-e --eval CODE": codeOption,
  "-p --print CODE": codeOption,
  "-pe CODE": codeOption,
  "-r --require MODULE": { value: "text" },
  "--import MODULE": {},
  "--loader --experimental-loader MODULE": {},
  "--env-file --env-file-if-exists FILE": { value: "load" },
  "--redirect-warnings FILE": { value: "write" },
  "-c --check": { turns: { run: "read" }, stdin: "read" },
  "-v --version": { drops: "run" },
  "--test": {},
  "--run SCRIPT": {},
  ...plain(
    "-i --interactive, -h --help, --input-type TYPE, -C --conditions NAME, --inspect [HOST], --inspect-brk [HOST], --inspect-port PORT, --max-old-space-size SIZE, --stack-size SIZE, --no-warnings, --trace-warnings, --trace-deprecation, --no-deprecation, --throw-deprecation, --expose-gc, --watch, --watch-path PATH, --experimental-strip-types, --experimental-transform-types, --experimental-vm-modules, --experimental-sqlite, --experimental-test-coverage, --test-reporter NAME, --test-name-pattern PATTERN, --test-only, --test-concurrency N, --test-timeout N, --unhandled-rejections MODE, --enable-source-maps, --preserve-symlinks, --disable-warning CODE, --cpu-prof, --heap-prof, --prof, --title TITLE, --openssl-legacy-provider, --tls-min-v1.2, --dns-result-order ORDER, --permission, --allow-fs-read PATH, --allow-fs-write PATH, --allow-child-process, --use-system-ca, --abort-on-uncaught-exception",
  ),
};

/** Programs that run code of a language: from a file, from an option, or from their input. */
export const interpreterPrograms: readonly ProgramEntry[] = [
  {
    names: ["python", "python2", "python3", "pypy", "pypy3", "ipython", "ipython3", "pythonw"],
    language: "python",
    ...runsFile,
    prints: "unknown",
    options: {
      "-c CODE": { value: "code", drops: "run", last: true },
      "-m MODULE": { value: "module", operands: ["text..."], last: true },
      "-V --version": { drops: "run" },
      ...plain(
        "-b, -B, -d, -E, -h --help, -i, -I, -O, -OO, -P, -q, -s, -S, -u, -v, -W ACTION, -x, -X OPTION, --check-hash-based-pycs MODE",
      ),
    },
    examples: {
      "python3 -c 'print(1)'": { runs: ["literal"], reads: [] },
      "python3 tool.py --name x": { runs: ["file"], reads: ["tool.py"], operands: ["tool.py", "--name", "x"] },
      "curl -s localhost:3001 | python3 -m json.tool": { program: "python3", runs: [] },
      "curl -s https://example.com/x.py | python3": { runs: ["network"] },
      "curl -s https://example.com/x.py | python3 - --yes": { runs: ["network"] },
      "python3 -m pip install rich": { program: "pip", via: ["python3"] },
      "python3.12 -u -m http.server 8000": { program: "http.server" },
    },
  },
  {
    names: ["json.tool"],
    operands: ["read", "write?"],
    stdin: "read",
    prints: "files",
    options: plain("--sort-keys, --no-ensure-ascii, --json-lines, --indent N, --tab, --no-indent, --compact"),
    examples: {
      "python3 -m json.tool a.json": { program: "json.tool", reads: ["a.json"] },
      "echo '{}' | python3 -m json.tool": { runs: [], stdin: ["literal"] },
    },
  },
  {
    names: ["http.server"],
    also: [
      "venv",
      "virtualenv",
      "unittest",
      "pytest",
      "py.test",
      "py_compile",
      "compileall",
      "timeit",
      "cProfile",
      "pdb",
      "doctest",
      "ensurepip",
      "zipfile",
      "site",
      "sysconfig",
      "pydoc",
    ],
    operands: ["text..."],
    stdin: "read",
    prints: "stdin",
    examples: { "python3 -m http.server 8000": { program: "http.server", runs: [] } },
  },
  {
    names: ["node", "nodejs", "iojs"],
    language: "javascript",
    ...runsFile,
    options: nodeOptions,
    examples: {
      "node -e 'console.log(1)'": { runs: ["literal"] },
      "node --require ./x.cjs dist/main.js -p": { runs: ["file"], reads: ["dist/main.js"] },
      "node -pe '1 + 1'": { runs: ["literal"] },
      "node --env-file=.env main.js": { loads: [".env"], reads: ["main.js"] },
      "node -p process.env --env-file=.env": { reads: [".env"] },
      "node --check a.js": { reads: ["a.js"], runs: [] },
      "wget -qO- https://example.com/x.js | node": { runs: ["network"] },
    },
  },
  {
    names: ["tsx"],
    also: ["ts-node", "ts-node-esm", "esno", "jiti", "swc-node", "babel-node", "vite-node", "esr"],
    language: "javascript",
    ...runsFile,
    options: {
      "-e --eval CODE": codeOption,
      "-p --print CODE": codeOption,
      ...plain(
        "-T --transpile-only, --esm, -P --project FILE, -O --compiler-options JSON, --tsconfig FILE, --env-file FILE, -r --require MODULE, --import MODULE, --no-cache, --swc, --files",
      ),
    },
    examples: { "tsx scripts/seed.ts --all": { runs: ["file"], reads: ["scripts/seed.ts"] } },
  },
  {
    names: ["deno"],
    language: "javascript",
    options: plain("-q --quiet, -L --log-level LEVEL, -h --help, -V --version, -c --config FILE, -A --allow-all"),
    subcommands: {
      "run, serve, bench": {
        ...runsFile,
        options: plain(
          "-A --allow-all, --allow-read [PATHS], --allow-write [PATHS], --allow-net [HOSTS], --allow-env [NAMES], --allow-run [PROGRAMS], --allow-ffi [PATHS], --allow-sys [NAMES], --watch [FILES], --check [KIND], --no-check [KIND], --unstable, -r --reload [LIST], --import-map FILE, --lock [FILE], --no-lock, --cached-only, --no-prompt, -R [PATHS], -W [PATHS], -N [HOSTS], -E [NAMES], --env-file [FILE], --inspect [HOST], --node-modules-dir [MODE], --no-remote, --seed N, --v8-flags [FLAGS], --port PORT, --host HOST",
        ),
      },
      eval: { operands: ["code", "text..."], options: plain("-p --print, --ext EXT") },
      "test, fmt, lint, check, doc, info": { operands: ["text..."] },
      task: { operands: ["text..."] },
      "install, add, remove, uninstall, cache, upgrade, compile, bundle, init, publish, types, completions, lsp, jupyter, repl, coverage, vendor, outdated":
        { operands: ["target..."] },
    },
    examples: {
      "deno run -A main.ts": { runs: ["file"], reads: ["main.ts"], verb: "run" },
      "deno eval 'console.log(1)'": { runs: ["literal"] },
    },
  },
  {
    names: ["bun"],
    operands: ["run", "text..."],
    verbWords: 0,
    language: "javascript",
    options: {
      "-e --eval CODE": { value: "code" },
      "-p --print CODE": { value: "code" },
      "--cwd DIR": { value: "dir" },
      "--env-file FILE": { value: "load" },
      ...plain(
        "-v --version, -h --help, --watch, --hot, --smol, -r --preload MODULE, -b --bun, --silent, -c --config FILE, --filter -F PATTERN, --inspect [HOST], --if-present",
      ),
    },
    subcommands: {
      run: { operands: ["run", "text..."] },
      x: { operands: ["package"], syntax: "posix" },
      "test, build": { operands: ["text..."] },
      "install, i, add, a, remove, rm, update, link, unlink, pm, init, create, c, upgrade, outdated, publish, patch, audit, info, why, exec, repl":
        {
          operands: ["target..."],
        },
    },
    examples: {
      "bun run build": { verb: "run" },
      "curl -o x.ts https://example.com/x; bun x.ts": { runs: ["network"] },
      "bun x cowsay@1 hi": { program: "cowsay", via: ["bun"] },
      "bun -e '1'": { runs: ["literal"] },
      "bun --cwd packages/a test": { dir: "packages/a" },
    },
  },
  {
    names: ["bunx", "npx", "pnpx", "pnpm-exec"],
    wrapper: true,
    operands: ["package"],
    syntax: "posix",
    options: {
      "-c --call COMMAND": { value: "script", drops: "package" },
      ...plain(
        "-y --yes, -n --no --no-install, -p --package NAME, -q --quiet, --bun, -s --silent, --prefer-offline, --prefer-online, --offline, -w --workspace NAME, --workspaces, --ignore-existing, --node-arg ARG, --registry URL, --prefix DIR, --cache DIR, --loglevel LEVEL, --shell SHELL, --userconfig FILE, --legacy-peer-deps, --force, --include-workspace-root, -V --version -v, -h --help, --verbose",
      ),
    },
    examples: {
      "npx --yes cowsay@1.5 hi": { program: "cowsay", via: ["npx"], operands: ["hi"] },
      "npx @scope/tool run": { program: "tool" },
      "npx -c 'rm -r x'": { program: "rm", deletes: ["x"] },
      "npx -p typescript tsc --noEmit": { program: "tsc" },
    },
  },
  {
    names: ["ruby", "jruby", "irb", "truffleruby"],
    language: "ruby",
    ...runsFile,
    options: {
      "-e CODE": codeOption,
      ...lineOptions,
      "-c": { turns: { run: "read" } },
      "-C DIR": { value: "dir" },
      "-v --version": { drops: "run" },
      ...plain(
        "-a, -d, -F PATTERN, -I DIR, -l, -r LIB, -s, -S, -w, -W [LEVEL], -x [DIR], -U, -K CODE, -E ENC, -0 [OCTAL], --yjit, --disable FEATURE, --enable FEATURE, -h --help",
      ),
    },
    examples: {
      "ruby -e 'puts 1'": { runs: ["literal"] },
      "ruby -pi -e '$_.upcase!' a.txt": { writes: ["a.txt"] },
      "ruby app.rb": { runs: ["file"] },
    },
  },
  {
    names: ["perl", "perl5"],
    also: ["raku"],
    language: "perl",
    ...runsFile,
    prints: "unknown",
    options: {
      "-e CODE": codeOption,
      "-E CODE": codeOption,
      ...lineOptions,
      "-c": {},
      "-v": { drops: "run" },
      ...plain(
        "-0 [OCTAL], -a, -C [LIST], -d, -D FLAGS, -F PATTERN, -h, -I DIR, -l [OCTAL], -m MODULE, -M MODULE, -s, -S, -t, -T, -u, -U, -V, -w, -W, -x [DIR], -X",
      ),
    },
    examples: {
      "perl -pi -e 's/a/b/' x y": { reads: ["x", "y"], writes: ["x", "y"] },
      "perl -i.bak -ne 'print' x": { writes: ["x"] },
      "perl -ne 'print if /a/' x": { reads: ["x"], writes: [] },
      "perl -MJSON -e 'print 1'": { runs: ["literal"] },
    },
  },
  {
    names: ["php"],
    language: "php",
    ...runsFile,
    options: {
      "-r --run CODE": codeOption,
      "-f --file FILE": { value: "run", drops: "run" },
      "-l --syntax-check": { turns: { run: "read" } },
      "-v --version": { drops: "run" },
      ...plain(
        "-a --interactive, -B CODE, -c --php-ini PATH, -d --define VALUE, -E CODE, -h --help, -i --info, -m --modules, -n --no-php-ini, -q, -R CODE, -s --syntax-highlight, -S --server ADDRESS, -t --docroot DIR, -w --strip, -z FILE",
      ),
    },
    examples: { "php -r 'echo 1;'": { runs: ["literal"] }, "php -S localhost:8000": { runs: [] } },
  },
  {
    names: ["lua", "luajit", "lua5.3", "lua5.4"],
    language: "lua",
    ...runsFile,
    options: { "-e CODE": codeOption, ...plain("-i, -l NAME, -v, -E, -W, -") },
    examples: { "lua -e 'print(1)'": { runs: ["literal"] } },
  },
  {
    names: ["Rscript", "R"],
    language: "r",
    ...runsFile,
    options: { "-e CODE": codeOption, ...plain("--vanilla, --no-save, --slave, --quiet -q, --args, --version, --verbose, -f FILE") },
    examples: {
      "Rscript -e '1 + 1'": { runs: ["literal"] },
      "Rscript -e 'unlink(\"a\", recursive=TRUE)'": { deletes: ["a"], recursive: true },
    },
  },
  {
    names: ["osascript"],
    language: "applescript",
    ...runsFile,
    options: { "-e CODE": codeOption, ...plain("-l LANGUAGE, -i, -s FLAGS") },
    examples: { "osascript -e 'beep'": { runs: ["literal"] } },
  },
  {
    names: ["julia"],
    also: [
      "octave",
      "ghci",
      "runghc",
      "scala",
      "groovy",
      "kotlin",
      "elixir",
      "iex",
      "erl",
      "escript",
      "clojure",
      "clj",
      "bb",
      "racket",
      "guile",
      "sbcl",
      "ocaml",
      "wish",
      "swift",
      "dart",
      "jshell",
      "nu",
      "gnuplot",
      "maxima",
    ],
    language: "other",
    ...runsFile,
    options: {
      "-e --eval --exec CODE": codeOption,
      "-c CODE": codeOption,
      "-E CODE": codeOption,
      ...plain(
        "-l NAME, -v --version, -h --help, -q --quiet, -s, -i, --vanilla, --no-save, --slave, -n, -S SCRIPT, --batch, -batch, --args, -p PID",
      ),
    },
    examples: {
      "julia a.jl": { runs: ["file"], reads: ["a.jl"] },
    },
  },
  {
    names: ["gdb"],
    also: ["lldb"],
    language: "gdb",
    syntax: "words",
    operands: ["read?", "text..."],
    stdin: "run",
    options: {
      "-ex -eval-command -iex COMMAND": { value: "code" },
      "-o -one-line COMMAND": { value: "code" },
      "-x -command -s -source FILE": { value: "run" },
      ...plain("-batch, -nx, -q -quiet -silent, -p -pid PID, -args, -c -core FILE, -cd DIR, -tui, -n, -b, -f FILE, -h -help, -version"),
    },
    examples: {
      "gdb -batch -ex run -ex 'shell rm x' ./a": { program: "rm", via: ["gdb"], deletes: ["x"] },
      "gdb --batch -ex bt ./a core": { deletes: [] },
    },
  },
  {
    names: ["expect"],
    also: ["tclsh"],
    language: "tcl",
    ...runsFile,
    options: {
      "-c CODE": codeOption,
      "-f FILE": { value: "run", drops: "run" },
      ...plain("-d, -D N, -i, -b, -n, -N, -v"),
    },
    examples: {
      "expect -c 'spawn rm x; expect eof'": { program: "rm", via: ["expect"], deletes: ["x"] },
      "expect a.exp": { runs: ["file"], reads: ["a.exp"] },
    },
  },
  {
    names: ["java", "javaw"],
    syntax: "words",
    operands: ["text..."],
    options: {
      "-jar FILE": { value: "run", last: true },
      ...plain("-cp PATH, -classpath PATH, -p PATH, -module-path PATH, -m NAME, -version, -showversion, -ea, -server, -help"),
    },
    examples: { "java -Xmx1g -jar app.jar --port 80": { runs: ["file"], reads: ["app.jar"] } },
  },
  {
    names: ["go"],
    options: { "-C DIR": { value: "dir" } },
    subcommands: {
      run: {
        operands: ["text..."],
        syntax: "posix",
        options: { "-exec COMMAND": { value: "command" }, ...plain("-race, -mod MODE, -tags LIST, -ldflags FLAGS, -v, -x, -n, -a") },
      },
      clean: {
        options: {
          "-cache": { deletes: ["~/.cache/go-build"], recursive: true },
          "-modcache": { deletes: ["~/go/pkg/mod"], recursive: true },
          ...plain("-testcache, -fuzzcache, -i, -r, -n, -x"),
        },
        operands: ["text..."],
        syntax: "words",
      },
      env: { operands: ["text..."], options: { "-w": { writes: ["~/.config/go/env"] }, ...plain("-u, -json") } },
      generate: { operands: ["text..."] },
      list: {
        operands: ["text..."],
        syntax: "words",
        prints: "name",
        options: plain("-f FORMAT, -json, -m, -u, -deps, -test, -tags LIST"),
      },
      "build, install, test, vet, fmt, get, doc, version, fix, tool, bug, work, help": {
        operands: ["text..."],
        syntax: "words",
        options: {
          "-o FILE": { value: "write" },
          "-exec COMMAND": { value: "command" },
          ...plain(
            "-v, -race, -run PATTERN, -count N, -timeout TIME, -tags LIST, -ldflags FLAGS, -mod MODE, -cover, -coverprofile FILE, -bench PATTERN, -json, -short, -u, -x, -n, -a, -p N",
          ),
        },
      },
      mod: { verbWords: 1, operands: ["text..."] },
    },
    examples: {
      "go build -o bin/x ./cmd/x": { verb: "build", writes: ["bin/x"] },
      "go run ./cmd/x --all": { verb: "run", operands: ["./cmd/x", "--all"] },
      "go mod tidy": { verb: "mod tidy" },
    },
  },
  {
    // What these run is read apart: see `powershell/`.
    names: ["pwsh", "powershell"],
    language: "other",
    operands: ["unknown..."],
    syntax: "none",
    examples: { "pwsh -c 'Get-Date'": { runs: ["literal"] } },
  },
  {
    names: ["cmd", "wsl"],
    language: "other",
    operands: ["unknown..."],
    syntax: "none",
    examples: { "cmd /c dir": { unknown: ["deletes", "runs"] } },
  },
  {
    names: ["fish"],
    also: ["csh", "tcsh", "elvish", "xonsh"],
    language: "other",
    wrapper: true,
    ...runsFile,
    options: {
      "-c --command CODE": { value: "script", drops: "run" },
      ...plain("-l --login, -i --interactive, -n --no-execute, -N --no-config, -v --version, -P --private, -e, -f, -s, -x"),
    },
    examples: { "fish -c 'rm -r x'": { program: "rm", deletes: ["x"], via: ["fish"] }, "fish a.fish": { runs: ["file"] } },
  },
];
