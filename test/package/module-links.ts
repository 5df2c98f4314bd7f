import { parseSync, Visitor } from "rolldown/utils";

/** Another module that a source names. */
export interface Link {
  readonly specifier: string;
  /** Gone after compilation. `import { type A }` is not: verbatimModuleSyntax keeps `import {}`. */
  readonly isTypeOnly: boolean;
  /** `export … from`; a star when every name is passed on. */
  readonly reexports?: "names" | "star";
}

export interface ModuleLinks {
  readonly links: readonly Link[];
  readonly hasDefaultExport: boolean;
  /** `import(path)` of something that is not written down: nobody can check it. */
  readonly computedImports: readonly string[];
}

interface Exported {
  readonly type: string;
  readonly name?: unknown;
  readonly value?: unknown;
}

/** Reads what a TypeScript file imports and passes on: statically, dynamically and in types. */
export function readLinks(path: string, source: string): ModuleLinks {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const links: Link[] = [];
  const computedImports: string[] = [];
  let hasDefaultExport = false;
  const add = (specifier: string, isTypeOnly: boolean, reexports?: Link["reexports"]): void => {
    links.push(reexports === undefined ? { specifier, isTypeOnly } : { specifier, isTypeOnly, reexports });
  };
  new Visitor({
    ImportDeclaration: ({ source: from, importKind }) => add(from.value, importKind === "type"),
    ExportAllDeclaration({ source: from, exportKind, exported }) {
      add(from.value, exportKind === "type", "star");
      if (exported !== null && isDefault(exported)) hasDefaultExport = true;
    },
    ExportNamedDeclaration({ source: from, exportKind, specifiers }) {
      if (from !== null) add(from.value, exportKind === "type", "names");
      if (specifiers.some(({ exported }) => isDefault(exported))) hasDefaultExport = true;
    },
    ExportDefaultDeclaration() {
      hasDefaultExport = true;
    },
    TSExportAssignment() {
      hasDefaultExport = true;
    },
    ImportExpression({ source: from, start, end }) {
      if (from.type === "Literal" && typeof from.value === "string") add(from.value, false);
      else computedImports.push(source.slice(start, end));
    },
    TSImportType: ({ source: from }) => add(from.value, true),
    TSImportEqualsDeclaration({ moduleReference: from, importKind }) {
      if (from.type === "TSExternalModuleReference") add(from.expression.value, importKind === "type");
    },
  }).visit(program);
  return { links, hasDefaultExport, computedImports };
}

function isDefault(exported: Exported): boolean {
  return exported.name === "default" || exported.value === "default";
}
