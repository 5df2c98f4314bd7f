import { closeSync, existsSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type Crew, until } from "./processes.ts";

/** Takes all the room on the disk of `folder`, until the hub says so and has given up its ballast. Gives whether it had. */
export async function fillUp(crew: Crew, folder: string): Promise<boolean> {
  const filler = openSync(fillerIn(folder), "w", 0o600);
  let isReleased = false;
  try {
    await until("the hub says that the disk is full", async () => {
      fill(filler);
      isReleased ||= !existsSync(join(folder, "ballast"));
      return isReleased && (await healthOf(crew)) === "disk_full";
    });
  } finally {
    closeSync(filler);
  }
  return isReleased;
}

/** Gives the room back. */
export async function freeUp(crew: Crew, folder: string): Promise<void> {
  rmSync(fillerIn(folder));
  await until("the hub can store again", async () => (await healthOf(crew)) === "ok");
}

function fillerIn(folder: string): string {
  return join(folder, "filler");
}

/** Takes all the room that is left. */
export function fill(fd: number): void {
  for (let bytes = 1024 * 1024; bytes >= 4_096; bytes /= 4) {
    try {
      for (;;) if (writeSync(fd, Buffer.alloc(bytes)) < bytes) break;
    } catch {
      // No room for so many: fewer.
    }
  }
}

async function healthOf(crew: Crew): Promise<string> {
  return (await crew.get<{ status: string }>("/api/hooks/health")).status;
}
