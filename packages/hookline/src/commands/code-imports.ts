/** More names than these are not followed. */
const MAX_NAMES = 50;

type Names = Map<string, string>;

/** The names under which code imports modules and functions, and the full names. Each search begins at a statement or a word, and is linear. */
const readers: { readonly [language: string]: (code: string, names: Names) => void } = {
  python(code, names) {
    for (const [, list = ""] of code.matchAll(/(?:^|[\n;])[ \t]*import[ \t]+([^\n;]*)/g))
      for (const [name, alias] of renamed(list, /^([\w.]+)[ \t]+as[ \t]+(\w+)$/)) names.set(alias, name);
    for (const [, module = "", list = ""] of code.matchAll(/(?:^|[\n;])[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]*\(?([^\n;)]*)/g))
      for (const [name, alias] of renamed(list, /^(\w+)(?:[ \t]+as[ \t]+(\w+))?$/)) names.set(alias, `${module}.${name}`);
    addAssigned(code, names);
  },
  javascript(code, names) {
    for (const [, list = "", module = ""] of code.matchAll(/\{([^{}]*)\}\s*=\s*(?:await\s+)?(?:require|import)\s*\(\s*["']([^"']*)["']/g))
      for (const [name, alias] of renamed(list, /^([\w$]+)(?:\s*:\s*([\w$]+))?$/)) names.set(alias, `${moduleName(module)}.${name}`);
    for (const [, list = "", module = ""] of code.matchAll(/\bimport\s*\{([^{}]*)\}\s*from\s*["']([^"']*)["']/g))
      for (const [name, alias] of renamed(list, /^([\w$]+)(?:\s+as\s+([\w$]+))?$/)) names.set(alias, `${moduleName(module)}.${name}`);
    for (const [, alias = "", module = ""] of code.matchAll(
      /(?<![\w$.])([\w$]+)\s*=\s*(?:await\s+)?(?:require|import)\s*\(\s*["']([^"']*)["']\s*\)(?!\s*\.)/g,
    ))
      names.set(alias, moduleName(module));
    for (const [, alias = "", module = ""] of code.matchAll(/\bimport\s+(?:\*\s*as\s+)?([\w$]+)\s+from\s*["']([^"']*)["']/g))
      names.set(alias, moduleName(module));
    for (const [, alias = "", module = "", name = ""] of code.matchAll(
      /(?<![\w$.])([\w$]+)\s*=\s*require\s*\(\s*["']([^"']*)["']\s*\)\s*\.\s*([\w$]+)(?=\s*[;,\n])/g,
    ))
      names.set(alias, `${moduleName(module)}.${name}`);
    addAssigned(code, names);
  },
};

/** `f = os.system`: another name for a function of a module. */
function addAssigned(code: string, names: Names): void {
  for (const [, alias = "", module = "", name = ""] of code.matchAll(/(?<![\w$.])([\w$]+)[ \t]*=[ \t]*([\w$]+)\.([\w$]+)(?=[ \t]*[;,\n])/g))
    if (alias !== module) names.set(alias, `${names.get(module) ?? module}.${name}`);
}

function moduleName(module: string): string {
  return module.replace(/^node:/, "").replace(/\/promises$/, "");
}

/** The names of a list, each with the one that the code uses. */
function renamed(list: string, pattern: RegExp): readonly (readonly [name: string, alias: string])[] {
  return list.split(",").flatMap((one) => {
    const found = pattern.exec(one.trim());
    return found === null ? [] : [[found[1] ?? "", found[2] ?? found[1] ?? ""] as const];
  });
}

/** Strings, which stay as they are, and names. */
const tokens = /"(?:[^"\\\n]|\\.){0,1000}"|'(?:[^'\\\n]|\\.){0,1000}'|`[^`]*`|(?<![\w$.])[A-Za-z_$][\w$]*(?=\s*[.(])/g;

/** The code with the full names of what it imports: `import subprocess as s; s.run(…)` has `subprocess.run(…)`. */
export function withoutAliases(language: string, code: string): string {
  const reader = readers[language];
  if (reader === undefined || !/\bimport\b|\brequire\b/.test(code)) return code;
  const names: Names = new Map();
  reader(code, names);
  if (names.size === 0 || names.size > MAX_NAMES) return code;
  return code.replace(tokens, (token) => names.get(token) ?? token);
}
