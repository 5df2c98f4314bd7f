// Rules use a hash as a key for what they count. In a browser the text itself is the key.
export function createHash(_name: string) {
  let text = "";
  const hash = {
    update(more: string) {
      text += more;
      return hash;
    },
    digest: () => text,
  };
  return hash;
}
