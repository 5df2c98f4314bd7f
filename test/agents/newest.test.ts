import { afterEach, describe, expect, it } from "vitest";
import type { AgentDriver } from "./drivers.ts";
import { newestOf } from "./newest.ts";

describe("the newest version of an agent", () => {
  afterEach(() => void delete process.env.HOOKLINE_NEWEST);
  const driver = { id: "a", title: "A", package: "a", version: "1.0.0", packageVersion: "1.0.0" } as AgentDriver;
  const versionsOf = (): string[] => ["0.9.0", "1.0.0", ...Array.from({ length: 20 }, (_, index) => `1.${index + 1}.0`), "2.0.0-beta.1"];

  it("is the first that can be installed, however many cannot", () => {
    const tried: string[] = [];
    const install = ({ packageVersion }: AgentDriver): void => {
      tried.push(packageVersion);
      if (packageVersion !== "1.2.0") throw new Error("a part of it is not in the registry");
    };
    expect(newestOf([driver], { install, versionsOf })).toMatchObject([{ packageVersion: "1.2.0", version: "1.2.0" }]);
    expect(tried).toHaveLength(19);
  });

  it("is none when nothing that is newer can be installed", () => {
    const install = (): never => {
      throw new Error("no");
    };
    expect(newestOf([driver], { install, versionsOf })).toEqual([]);
  });
});
