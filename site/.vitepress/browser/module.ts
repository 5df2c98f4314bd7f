// Only conditions in CEL load a package.
export function createRequire(_url: string) {
  return (name: string): never => {
    throw new Error(`The playground has no ${name}: conditions in CEL work in the hub only.`);
  };
}
