import { expect, it } from "vitest";
import { shellLinesIn, statementsIn } from "./sql-fact.js";

const cases: readonly (readonly [text: string, facts: readonly string[]])[] = [
  ["drop table carts", ["drop table carts"]],
  ["DROP TABLE IF EXISTS carts CASCADE;", ["drop table carts"]],
  ['drop table "public"."carts"', ["drop table public"]],
  ["drop database shop; create database shop", ["drop database shop", "create database shop"]],
  ["truncate carts", ["truncate carts"]],
  ["TRUNCATE TABLE carts, users", ["truncate table carts"]],
  ["delete from carts", ["delete carts"]],
  ["delete from carts where id = 3", ["delete carts where"]],
  ["delete from carts where 1 = 1", ["delete carts"]],
  ["delete from carts where 1=1", ["delete carts"]],
  ["delete from carts where true", ["delete carts"]],
  ["delete from carts where 'a' = 'a'", ["delete carts"]],
  ["delete from carts where name = 'a'", ["delete carts where"]],
  ["delete from carts where 1=1 or 1", ["delete carts"]],
  ["delete from carts where id = 3 or 1 < 2", ["delete carts"]],
  ["delete from carts where (id = 3) or (not 0 and (true))", ["delete carts"]],
  ["delete from carts where id is not null returning id", ["delete carts"]],
  ["delete from carts where not (1 = 2) limit 9", ["delete carts"]],
  ["delete from carts where 1 = 1 and id = 3", ["delete carts where"]],
  ["delete from carts where id is not null and id < 5", ["delete carts where"]],
  ["delete from carts where 1 = 2", ["delete carts where"]],
  ["delete from carts where id = 7 or parent = 7", ["delete carts where"]],
  ["delete from carts where id in (select id from old where true)", ["delete carts where"]],
  ["update carts set n = 'where'", ["update carts"]],
  ["update carts set n = 1 -- where id = 3", ["update carts"]],
  ["update carts set n = 1 where id = 3", ["update carts where"]],
  ["select 'drop table carts; drop table users' from log", ["select log"]],
  ["select * from dropdown", ["select dropdown"]],
  ["/* drop table a; */ select 1", ["select 1"]],
  ["/*! drop table a */", ["drop table a"]],
  ["with x as (select 1) delete from carts", ["delete carts"]],
  ["with gone as (delete from carts returning id) select * from gone", ["delete carts", "select gone"]],
  ["alter table carts drop column n", ["alter table carts", "drop column n"]],
  ["alter table carts drop n", ["alter table carts", "drop column n"]],
  ["alter table carts add column n int", ["alter table carts"]],
  ["insert into log values ('delete from carts')", ["insert log"]],
  ["do $$ begin drop table carts; end $$", ["do ", "drop table carts", "end "]],
  ["begin; drop table carts; commit", ["begin ", "drop table carts", "commit "]],
  ["\\dt\nselect 1", ["select 1"]],
  [".tables", []],
  ["", []],
  ["'never closed ; drop table a", []],
];

it.each(cases)("%s", (text, facts) => {
  const found = statementsIn(text).map(({ verb, target, where }) => `${verb} ${target}${where ? " where" : ""}`);
  expect(found).toEqual(facts);
});

it("finds what the clients give to a shell", () => {
  expect(shellLinesIn("select 1;\n\\! rm -r x\n.shell ls\n.system pwd")).toEqual(["rm -r x", "ls", "pwd"]);
});

it("reads long and unclosed text in linear time", () => {
  expect(statementsIn("/*".repeat(40_000))).toEqual([]);
  expect(statementsIn("'".repeat(80_001))).toEqual([]);
  expect(statementsIn("$a".repeat(40_000)).length).toBeLessThan(2);
  for (const part of ["(", "not ", "1 or ", "(1) and "]) expect(statementsIn(`delete from a where ${part.repeat(9_000)}`)).toHaveLength(1);
});
