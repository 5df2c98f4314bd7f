import { TomlCursor, type TomlKey } from "./toml-cursor.js";

/** A key, a list item or the document: its position, and its children by key or index. */
export interface Place {
  offset: number;
  readonly members: Map<string, Place>;
  /** Created by `[[name]]`: later keys belong to its last item. */
  isTableList: boolean;
}

/** Finds the positions of the keys and list items of a valid TOML document. */
export function readPlaces(text: string): Place {
  const cursor = new TomlCursor(text);
  const root = createPlace(0);
  let table = root;
  for (cursor.skipBlank(); !cursor.isAtEnd; cursor.skipBlank()) {
    const before = cursor.offset;
    if (cursor.peek() === "[") table = readHeader(cursor, root);
    else readPair(cursor, table);
    // Happens only in text that is not TOML; a wrong position is better than an endless loop.
    if (cursor.offset === before) cursor.offset++;
  }
  return root;
}

function readHeader(cursor: TomlCursor, root: Place): Place {
  const isList = cursor.peek(1) === "[";
  cursor.offset += isList ? 2 : 1;
  const keys = cursor.readKeys();
  cursor.skipPast("]", isList ? 2 : 1);
  const last = keys.pop();
  if (last === undefined) return root;
  const parent = keys.reduce((at, key) => latest(member(at, key)), root);
  return isList ? addItem(member(parent, last), last.offset) : open(parent, last);
}

function readPair(cursor: TomlCursor, table: Place): void {
  const keys = cursor.readKeys();
  const last = keys.pop();
  cursor.skipPast("=", 1);
  cursor.skipSpaces();
  if (last === undefined) return;
  const parent = keys.reduce((at, key) => member(at, key), table);
  readValue(cursor, open(parent, last));
}

function readValue(cursor: TomlCursor, place: Place): void {
  const first = cursor.peek();
  if (first === "[") return readMembers(cursor, "]", (index) => readValue(cursor, child(place, String(index), cursor.offset)));
  if (first === "{") return readMembers(cursor, "}", () => readPair(cursor, place));
  if (first === '"' || first === "'") return cursor.skipString();
  cursor.skipBare();
}

function readMembers(cursor: TomlCursor, end: string, read: (index: number) => void): void {
  cursor.offset++;
  for (let index = 0; ; index++) {
    cursor.skipBlank();
    if (cursor.isAtEnd || cursor.peek() === end) break;
    read(index);
    cursor.skipBlank();
    if (cursor.peek() !== ",") break;
    cursor.offset++;
  }
  cursor.offset++;
}

function createPlace(offset: number): Place {
  return { offset, members: new Map(), isTableList: false };
}

function child(parent: Place, name: string, offset: number): Place {
  const made = createPlace(offset);
  parent.members.set(name, made);
  return made;
}

function member(parent: Place, { name, offset }: TomlKey): Place {
  return parent.members.get(name) ?? child(parent, name, offset);
}

/** A table that so far occurred only as part of other names gets the position of its own header. */
function open(parent: Place, key: TomlKey): Place {
  const place = member(parent, key);
  place.offset = key.offset;
  return place;
}

function addItem(list: Place, offset: number): Place {
  list.isTableList = true;
  return child(list, String(list.members.size), offset);
}

function latest(place: Place): Place {
  return place.isTableList ? (place.members.get(String(place.members.size - 1)) ?? place) : place;
}
